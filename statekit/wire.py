"""The one JSON codec: text to values and back, and the reading of wire objects.

Numbers are exact (an integer of any size stays an integer), numbers out of range and `NaN` are refused, arrays and
objects nest to 127. Inside a value the last of repeated fields wins; a wire object (a command, a commit, a ticket)
refuses a repeated field that it knows, and ignores fields that it does not know.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from enum import Enum
from typing import TypeVar

import msgspec

from statekit.errors import WireError
from statekit.value import MAX_DEPTH, Json

E = TypeVar("E", bound=Enum)

# The end of the data closes a string too: an unterminated one must not be tried again from every later quote.
_STRINGS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
# One kind of bracket, so that a round takes away one level whatever it is made of; the parser refuses what crosses.
_AS_ARRAYS = bytes.maketrans(b"{}", b"[]")
_TRUNCATED = "truncated"
_BYTE = re.compile(r" \(byte (\d+)\)$")


class Repeated(dict[str, Json]):
    """A decoded object in which the fields `names` were given more than once."""

    __slots__ = ("names",)

    names: frozenset[str]


def decode(text: str | bytes) -> Json:
    """The value that one JSON text says.

    Raises `WireError` with the byte offset when the text is not JSON.

    >>> decode('{"a": 1, "a": 18446744073709551616}')
    {'a': 18446744073709551616}
    """
    return _parse(_as_bytes(text))


def decode_object(text: str | bytes, opaque: frozenset[str]) -> Json:
    """The value of a text that holds wire objects, for `fields` to read.

    Objects with repeated fields come as `Repeated`, but not below the fields named in `opaque`: their values are
    carried, not interpreted.
    """
    data = _as_bytes(text)
    value = _parse(data)
    # A text that is exactly its own compact encoding cannot repeat a field; only the others are looked at again.
    if msgspec.json.encode(value) == data:
        return value
    return _settle(json.loads(data, object_pairs_hook=_object), opaque)


def is_cut_short(data: bytes) -> bool:
    """Whether a text is the beginning of a JSON object, and not all of it.

    >>> is_cut_short(b'{"a": 1.'), is_cut_short(b'{"a": 1}'), is_cut_short(b'{"a" 1'), is_cut_short(b"abc")
    (True, False, False, False)
    """
    # A number that ends in its middle is no number; with a digit more it is one.
    return data.lstrip().startswith(b"{") and (_ends_early(data) or _ends_early(data + b"0"))


def encode(value: Json) -> bytes:
    """The compact JSON of a value that `own` or `decode` gave.

    >>> encode({"é": [1, None]}).decode()
    '{"é":[1,null]}'
    """
    data = msgspec.json.encode(value)
    _check_depth(data)
    return data


def fields(node: Json, known: frozenset[str], path: str) -> dict[str, Json]:
    """The fields of a wire object; a repeated field among `known` is refused."""
    if type(node) is dict:
        return node
    if isinstance(node, Repeated):
        for name in sorted(node.names & known):
            raise WireError(f"the field {name!r} is given twice", path)
        return node
    raise WireError(f"expected an object, got {kind_of(node)}", path)


def required(node: dict[str, Json], name: str, path: str) -> Json:
    """The value of a field that must be there."""
    if name not in node:
        raise WireError(f"the field {name!r} is missing", path)
    return node[name]


def text(node: dict[str, Json], name: str, path: str) -> str:
    """The text of a field that must be there."""
    value = required(node, name, path)
    if type(value) is not str:
        raise WireError(f"expected text, got {kind_of(value)}", f"{path}.{name}")
    return value


def optional_text(node: dict[str, Json], name: str, path: str) -> str | None:
    """The text of a field that may be missing or null."""
    return None if node.get(name) is None else text(node, name, path)


def array(node: dict[str, Json], name: str, path: str) -> list[Json]:
    """The array of a field that must be there."""
    value = required(node, name, path)
    if type(value) is not list:
        raise WireError(f"expected an array, got {kind_of(value)}", f"{path}.{name}")
    return value


def member(kind: type[E], value: Json, path: str) -> E:
    """The member of a closed set that a wire text names."""
    if type(value) is str:
        for choice in kind:
            if choice.value == value:
                return choice
    spelled = ", ".join(choice.value for choice in kind)
    got = repr(value) if type(value) is str else kind_of(value)
    raise WireError(f"expected one of {spelled}, got {got}", path)


def variant(node: Json, path: str) -> tuple[str, Json]:
    """The tag and content of a one-field wire object such as `{"Set": 1}`."""
    if not isinstance(node, dict) or len(node) != 1 or isinstance(node, Repeated):
        raise WireError(f"expected an object with exactly one field, got {kind_of(node)}", path)
    return next(iter(node.items()))


def kind_of(value: Json) -> str:
    """What a value is in JSON's words.

    >>> kind_of(True), kind_of(None), kind_of([])
    ('a boolean', 'null', 'an array')
    """
    return _KINDS.get(type(value), "an object")


_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    str: "text",
    list: "an array",
}


def _as_bytes(text: str | bytes) -> bytes:
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise TypeError(f"JSON text is str or bytes, not {type(text).__qualname__}")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise WireError("the text has a lone surrogate", offset=len(text[: error.start].encode())) from None


def _parse(data: bytes) -> Json:
    _check_depth(data)
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise _syntax_error(str(error), data) from None
    except RecursionError:
        # Only brackets that do not pair up get past the depth check.
        raise WireError(f"nested deeper than {MAX_DEPTH} levels") from None


def _ends_early(data: bytes) -> bool:
    try:
        _parse(data)
    except WireError as error:
        return _TRUNCATED in error.detail
    return False


def _syntax_error(sentence: str, data: bytes) -> WireError:
    found = _BYTE.search(sentence)
    if found is None:
        return WireError(f"not JSON: {sentence[0].lower()}{sentence[1:]}", offset=_last_readable(sentence, data))
    detail = sentence[: found.start()].removeprefix("JSON is malformed: ")
    # The parser has read one byte beyond the value when it finds more.
    return WireError(f"not JSON: {detail}", offset=int(found[1]) - (detail == "trailing characters"))


def _last_readable(sentence: str, data: bytes) -> int | None:
    if _TRUNCATED in sentence:
        return len(data)
    if "UTF-8" in sentence:
        try:
            data.decode()
        except UnicodeDecodeError as error:
            return error.start
    return None


def _check_depth(data: bytes) -> None:
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH:
        return
    brackets = _STRINGS.sub(b"", data).translate(_AS_ARRAYS, _NOT_BRACKETS)
    # Each round removes the innermost pairs, so as many rounds empty it as it nests deep.
    for _ in range(MAX_DEPTH):
        shorter = brackets.replace(b"[]", b"")
        if shorter == brackets:
            return
        brackets = shorter
    if brackets:
        raise WireError(f"nested deeper than {MAX_DEPTH} levels")


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    repeated = Repeated(plain)
    repeated.names = frozenset(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
    return repeated


def _settle(node: Json, opaque: frozenset[str]) -> Json:
    if isinstance(node, dict):
        for name, item in node.items():
            node[name] = plain(item) if name in opaque else _settle(item, opaque)
    elif isinstance(node, list):
        node[:] = [_settle(item, opaque) for item in node]
    return node


def plain(node: Json) -> Json:
    """A copy of a decoded value that is carried, not interpreted: no object of it tells of repeated fields."""
    if isinstance(node, dict):
        return {name: plain(item) for name, item in node.items()}
    if isinstance(node, list):
        return [plain(item) for item in node]
    return node
