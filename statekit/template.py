"""Key templates such as `review/{review_id}/state`: names fill one in, and a key gives its names back."""

from __future__ import annotations

import re
from string import Formatter
from typing import Final

_FIELD: Final = "([^/]+)"


class Template:
    """A key with named fields; a field stands for one or more characters other than "/".

    Raises `ValueError` for a template with no field, a repeated or nameless one, two that touch, or anything of
    `str.format` beyond `{name}`.

    >>> Template("review/{review_id}/state").match("review/7/state")
    {'review_id': '7'}
    """

    __slots__ = ("_pattern", "names", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.names, pattern = _parse(text)
        self._pattern = re.compile(pattern)

    def fill(self, names: dict[str, object]) -> str:
        """The key for these names; raises `ValueError` for names that the key would not give back."""
        given = {name: str(value) for name, value in names.items()}
        if given.keys() != set(self.names):
            raise ValueError(
                f"the template {self.text!r} takes exactly the names {', '.join(self.names)}, "
                f"got {', '.join(given) or 'none'}"
            )
        key = self.text.format(**given)
        if self.match(key) != given:
            raise ValueError(f"the template {self.text!r} would not give {given!r} back from the key {key!r}")
        if not _encodes(key):
            raise ValueError(f"the key {key!r} has no JSON form: it holds a lone surrogate")
        return key

    def match(self, key: str) -> dict[str, str] | None:
        """The names in a key, or None when it is no key of this template."""
        found = self._pattern.fullmatch(key)
        return None if found is None else dict(zip(self.names, found.groups(), strict=True))


def _parse(text: str) -> tuple[tuple[str, ...], str]:
    names: list[str] = []
    pattern = ""
    for literal, name, format_spec, conversion in _pieces(text):
        pattern += re.escape(literal)
        if name is None:
            continue
        if not name.isidentifier() or format_spec or conversion:
            raise ValueError(f"the template {text!r} has a field that is not plainly {{name}}")
        if name in names:
            raise ValueError(f"the template {text!r} names {name!r} twice")
        if pattern.endswith(_FIELD):
            raise ValueError(f"the template {text!r} has nothing between two fields")
        names.append(name)
        pattern += _FIELD
    if not names:
        raise ValueError(f"the template {text!r} has no field such as {{name}}; a single key needs no family")
    if not _encodes(text):
        raise ValueError(f"the template {text!r} has no JSON form: it holds a lone surrogate")
    return tuple(names), pattern


def _pieces(text: str) -> list[tuple[str, str | None, str | None, str | None]]:
    try:
        return list(Formatter().parse(text))
    except ValueError as error:
        raise ValueError(f"the template {text!r} is malformed: {error}") from None


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
