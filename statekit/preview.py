"""One line of text for people: a JSON value cut to a length, text without surprises, a number with its noun."""

from __future__ import annotations

from typing import Final

from statekit import wire
from statekit.value import ABSENT, Absent, Json

# Control, line-breaking and text-direction characters change how the line around them is shown. The joiner U+200D is
# not among them: it holds an emoji together and reorders nothing.
_HIDDEN: Final = (
    *range(0x20),
    *range(0x7F, 0xA0),
    0x00AD,
    0x061C,
    0x180E,
    *(0x200B, 0x200C, 0x200E, 0x200F),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    0xFEFF,
    *range(0xFFF9, 0xFFFC),
    # Tags can spell a whole hidden sentence.
    *range(0xE0000, 0xE0080),
)
_ESCAPES: Final = {code: f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}" for code in _HIDDEN}


def visible(text: str) -> str:
    """Text on one line, with the characters that do not show spelled as escapes.

    >>> visible("a\\u202eb")
    'a\\\\u202eb'
    """
    return text.translate(_ESCAPES)


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "run"), counted(1200, "cell")
    ('1 run', '1,200 cells')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def preview(value: Json | Absent, limit: int = 80) -> str:
    """A value as one line of at most about `limit` characters; a cut one says how much there is.

    Field names that are identifiers stand without quotes, as in Python or JavaScript; everything else is JSON.

    >>> preview({"approved": True, "tags": ["a", "b"]})
    '{approved: true, tags: ["a", "b"]}'
    >>> preview(["aaaa"] * 100, limit=16)
    '["aaaa", "aaaa",… 100 items'
    """
    if value is ABSENT:
        return "absent"
    line = _Line(limit)
    try:
        _write(line, value)
    except _Full:
        return f"{''.join(line.parts)}… {_size(value)}".rstrip()
    return "".join(line.parts)


class _Full(Exception):
    """The line has no room left."""


class _Line:
    def __init__(self, room: int) -> None:
        self.parts: list[str] = []
        self.room = room

    def add(self, text: str) -> None:
        if len(text) > self.room:
            self.parts.append(text[: self.room].rstrip())
            raise _Full
        self.parts.append(text)
        self.room -= len(text)


def _write(line: _Line, value: Json) -> None:
    if isinstance(value, str):
        line.add(_quoted(value, line.room))
    elif isinstance(value, dict):
        _write_object(line, value)
    elif isinstance(value, list):
        _write_array(line, value)
    else:
        line.add(wire.encode(value).decode())


def _write_object(line: _Line, value: dict[str, Json]) -> None:
    line.add("{")
    for place, (name, item) in enumerate(value.items()):
        shown = name if name.isascii() and name.isidentifier() else _quoted(name, line.room)
        line.add(f"{', ' if place else ''}{shown}: ")
        _write(line, item)
    line.add("}")


def _write_array(line: _Line, value: list[Json]) -> None:
    line.add("[")
    for place, item in enumerate(value):
        if place:
            line.add(", ")
        _write(line, item)
    line.add("]")


def _quoted(text: str, room: int) -> str:
    # Only what can be shown is escaped: a value may be megabytes long.
    return visible(wire.encode(text[: room + 1]).decode())


def _size(value: Json) -> str:
    if isinstance(value, str):
        return f"{len(value):,} characters"
    if isinstance(value, dict):
        return f"{len(value):,} fields"
    return f"{len(value):,} items" if isinstance(value, list) else ""
