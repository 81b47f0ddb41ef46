"""JSON values as Python objects: what is one, copying one, comparing two.

A value that statekit holds is made of exact `dict`, `list`, `str`, `int`, `float`, `bool` and `None`, and is never
changed in place: it is taken over by `own`, handed out by `copy_value`, and shared inside the package.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from math import isfinite
from typing import Any, Final, Literal, Self, TypeAlias

from statekit.errors import Mismatch, StateError

# A recursive union would make every caller narrow what only the data knows.
Json: TypeAlias = Any

MAX_DEPTH = 127
"""How deep arrays and objects nest at most, the limit of the other runtimes that read the same files."""

MIN_INTEGER = -(2**63)
MAX_INTEGER = 2**64 - 1

Path: TypeAlias = tuple[str | int, ...]


class Absence(Enum):
    """The one thing that is no value, not even null."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"

    __str__ = __repr__


Absent: TypeAlias = Literal[Absence.ABSENT]
ABSENT: Final = Absence.ABSENT
"""What stands where a cell or a field is absent; JSON null is a value and differs from it."""


class _Refused(Exception):
    def __init__(self, expected: str, got: str) -> None:
        self.expected = expected
        self.got = got
        self.parts: list[str | int] = []


def own(value: Json) -> Json:
    """Take over a value: a copy that shares nothing with it, made of exact JSON types.

    Raises `StateError` for what JSON cannot say: NaN and infinities, integers beyond 64 bits, keys that are not
    strings, lone surrogates, nesting beyond 127 levels (a cycle included) and every other object.

    >>> own({"a": (1, 2)})
    {'a': [1, 2]}
    """
    try:
        return _own(value, MAX_DEPTH)
    except _Refused as refused:
        path = json_path(reversed(refused.parts))
        mismatch = Mismatch(path, refused.expected, refused.got)
        raise StateError(None, None, f"the value has no JSON form at {mismatch}", [mismatch]) from None


def _own(value: Json, room: int) -> Json:
    kind = type(value)
    if kind is str:
        return value if value.isascii() else _own_text(value)
    if value is None or kind is bool:
        return value
    if kind is int:
        return _own_integer(value)
    if kind is float:
        return _own_float(value)
    if kind is dict:
        return _own_object(value, room - 1)
    if kind is list or kind is tuple:
        return _own_array(value, room - 1)
    return _own_subclass(value, room)


def _own_subclass(value: Json, room: int) -> Json:
    # An IntEnum, a numpy float or an OrderedDict is what its base says; the exact base type is kept.
    if isinstance(value, str):
        return _own_text(str.__str__(value))
    if isinstance(value, int):
        return _own_integer(int.__int__(value))
    if isinstance(value, float):
        return _own_float(float.__float__(value))
    if isinstance(value, Mapping):
        return _own_object(value, room - 1)
    if isinstance(value, (list, tuple)):
        return _own_array(value, room - 1)
    raise _Refused("a JSON value", f"an object of type {type(value).__qualname__}")


def _own_text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _Refused("text", "a lone surrogate") from None
    return value


def _own_integer(value: int) -> int:
    if MIN_INTEGER <= value <= MAX_INTEGER:
        return value
    raise _Refused("an integer from -2^63 to 2^64-1", f"an integer of {value.bit_length()} bits")


def _own_float(value: float) -> float:
    if isfinite(value):
        return value
    raise _Refused("a finite number", str(value))


def _own_object(value: Mapping[Any, Json], room: int) -> dict[str, Json]:
    _check_room(room)
    owned = {}
    for name, item in value.items():
        if not isinstance(name, str):
            raise _Refused("text as a key", f"a key of type {type(name).__qualname__}")
        try:
            owned[_own_text(str.__str__(name))] = _own(item, room)
        except _Refused as refused:
            refused.parts.append(name)
            raise
    return owned


def _own_array(value: Iterable[Json], room: int) -> list[Json]:
    _check_room(room)
    owned = []
    for index, item in enumerate(value):
        try:
            owned.append(_own(item, room))
        except _Refused as refused:
            refused.parts.append(index)
            raise
    return owned


def _check_room(room: int) -> None:
    if room < 0:
        raise _Refused(f"at most {MAX_DEPTH} levels of nesting", "deeper nesting or a value that contains itself")


def copy_value(value: Json) -> Json:
    """A copy of a JSON value that shares no list or dict with it.

    >>> kept = {"tags": ["a"]}
    >>> copy_value(kept)["tags"].append("b"); kept
    {'tags': ['a']}
    """
    kind = type(value)
    if kind is dict:
        return {name: copy_value(item) if type(item) in _CONTAINERS else item for name, item in value.items()}
    if kind is list:
        return [copy_value(item) if type(item) in _CONTAINERS else item for item in value]
    return value


_CONTAINERS = frozenset({dict, list})


def same(left: Json, right: Json) -> bool:
    """Whether two values are the same JSON: `1`, `1.0` and `true` differ, the order of fields does not count.

    >>> same({"a": 1, "b": 2}, {"b": 2, "a": 1}), same(1, True), same(1, 1.0)
    (True, False, False)
    """
    if left is right:
        return True
    kind = type(left)
    if kind is not type(right):
        return False
    if kind is dict:
        return len(left) == len(right) and all(name in right and same(item, right[name]) for name, item in left.items())
    if kind is list:
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


class Held:
    """A JSON value that never changes: copied in, copied out, equal by value.

    >>> held = Held({"a": [1]})
    >>> held.value["a"].append(2); held
    Held({'a': [1]})
    """

    __slots__ = ("_value",)
    __match_args__ = ("value",)

    _value: Json

    def __init__(self, value: Json) -> None:
        object.__setattr__(self, "_value", own(value))

    @classmethod
    def adopt(cls, value: Json) -> Self:
        """Hold a value that `own` or the codec just made and nobody else has."""
        held = cls.__new__(cls)
        object.__setattr__(held, "_value", value)
        return held

    @property
    def value(self) -> Json:
        """A copy of the value."""
        return copy_value(self._value)

    def borrow(self) -> Json:
        """The value itself, to look at and never to change."""
        return self._value

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} never changes; make a new one instead of setting {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a {type(self).__name__} never changes; {name!r} stays")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and same(self._value, other._value)

    def __hash__(self) -> int:
        return hash(type(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).adopt, (self._value,)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._value!r})"


def json_path(parts: Iterable[str | int]) -> str:
    """The JSONPath of a place inside a value.

    >>> json_path(["items", 2, "a b"])
    '$.items[2]["a b"]'
    """
    text = "$"
    for part in parts:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.isidentifier():
            text += f".{part}"
        else:
            quoted = part.replace("\\", "\\\\").replace('"', '\\"')
            # A lone surrogate could be neither printed nor written to a file.
            quoted = quoted.encode("utf-8", "backslashreplace").decode()
            text += f'["{quoted}"]'
    return text
