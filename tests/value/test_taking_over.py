"""JSON values as Python objects: what is taken over, and what is refused with its path."""

from __future__ import annotations

import enum
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given

from statekit.errors import StateError
from statekit.value import MAX_DEPTH, own
from statekit.vocabulary import Scope
from strategies import json_values
from tests.value.sample import same_json

NAN = float("nan")


def exact_types(value: Any) -> set[type]:
    inner: list[Any] = (
        [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    )
    return {type(value)}.union(*map(exact_types, inner))


class Opaque:
    pass


def cyclic_list() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def cyclic_dict() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["a"] = [value]
    return value


REFUSED: dict[str, Any] = {
    "NaN": NAN,
    "infinity": float("inf"),
    "minus infinity": float("-inf"),
    "2^64": 2**64,
    "-2^63-1": -(2**63) - 1,
    "a huge integer": 10**5000,
    "a lone surrogate": "ok\ud800",
    "a trailing surrogate": "\udfff",
    "an object": Opaque(),
    "a plain object": object(),
    "a set": {1},
    "a frozenset": frozenset(),
    "bytes": b"a",
    "a bytearray": bytearray(),
    "a Decimal": Decimal("1.5"),
    "a Fraction": Fraction(1, 2),
    "a datetime": datetime(2026, 1, 1, tzinfo=UTC),
    "a date": datetime(2026, 1, 1, tzinfo=UTC).date(),
    "a UUID": UUID(int=0),
    "a path": PurePosixPath("a"),
    "a complex": 1j,
    "a generator": (item for item in "ab"),
    "a range": range(2),
    "a function": len,
    "a class": dict,
    "an Ellipsis": ...,
    "a plain Enum": Scope.RUN,
}


@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED)
def test_what_has_no_json_form_is_refused_with_its_path(value: Any) -> None:
    for whole, path in [
        (value, "$"),
        ([0, value], "$[1]"),
        ((0, value), "$[1]"),
        ({"a": value}, "$.a"),
        ({"a": {"b c": [[value]]}}, '$.a["b c"][0][0]'),
        ([{"": {"tags": {"é": value}}}], '$[0][""].tags.é'),
    ]:
        with pytest.raises(StateError) as caught:
            own(whole)
        assert [mismatch.path for mismatch in caught.value.errors] == [path]
        assert (caught.value.key, caught.value.scope) == (None, None)
        assert caught.value.errors[0].expected
        assert caught.value.errors[0].got
        assert path in str(caught.value)


@pytest.mark.parametrize("name", [1, None, True, 1.5, b"a", ("a",), Scope.RUN], ids=repr)
def test_a_key_that_is_no_text_is_refused(name: Any) -> None:
    with pytest.raises(StateError) as caught:
        own({"a": [{name: 1}]})
    assert caught.value.errors[0].path == "$.a[0]"
    assert type(name).__qualname__ in caught.value.errors[0].got


def test_a_lone_surrogate_in_a_field_name_is_refused() -> None:
    with pytest.raises(StateError) as caught:
        own({"a": {"\ud800": 1}})
    assert len(caught.value.errors) == 1
    assert caught.value.errors[0].path.startswith("$.a")


@pytest.mark.parametrize("value", [{"\ud800": 1}, {"a": {"x\udfff": NAN}}], ids=ascii)
def test_the_sentence_of_a_refusal_can_be_printed(value: Any) -> None:
    with pytest.raises(StateError) as caught:
        own(value)
    assert str(caught.value).encode()
    assert caught.value.errors[0].path.encode()


@pytest.mark.parametrize("make", [cyclic_list, cyclic_dict])
def test_a_cycle_is_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(StateError, match="contains itself") as caught:
        own(make())
    assert len(caught.value.errors) == 1
    with pytest.raises(StateError):
        own({"deep": [make()]})


def test_a_cycle_that_branches_is_refused_at_once() -> None:
    value: list[Any] = []
    value.extend([value, value, value])
    with pytest.raises(StateError, match="contains itself"):
        own(value)


def nested(depth: int, wrap: Callable[[Any], Any]) -> Any:
    value: Any = wrap(None)
    for _ in range(depth - 1):
        value = wrap(value)
    return value


WRAPS: dict[str, Callable[[Any], Any]] = {
    "list": lambda inner: [] if inner is None else [inner],
    "tuple": lambda inner: () if inner is None else (inner,),
    "dict": lambda inner: {} if inner is None else {"a": inner},
    "ordered": lambda inner: OrderedDict() if inner is None else OrderedDict(a=inner),
}


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_nesting_is_taken_over_to_127_levels_and_no_further(wrap: Callable[[Any], Any]) -> None:
    assert MAX_DEPTH == 127
    owned = own(nested(127, wrap))
    depth = 0
    while owned is not None:
        depth += 1
        owned = next(iter(owned.values() if isinstance(owned, dict) else owned), None)
    assert depth == 127
    with pytest.raises(StateError, match="127"):
        own(nested(128, wrap))
    with pytest.raises(StateError, match="127"):
        own(nested(50_000, wrap))


def test_the_limits_of_integers_are_taken_over() -> None:
    assert own([-(2**63), 2**64 - 1]) == [-(2**63), 2**64 - 1]


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Flags(enum.IntFlag):
    A = 1
    B = 2


class Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "something else"


class Number(int):
    def __int__(self) -> int:
        return 7


class Ratio(float):
    def __float__(self) -> float:
        return 7.0


class Point(NamedTuple):
    x: int
    y: int


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Colour.RED, "red"),
        (Level.LOW, 1),
        (Flags.A | Flags.B, 3),
        (Text("kept"), "kept"),
        (Number(3), 3),
        (Ratio(0.5), 0.5),
        (Point(1, 2), [1, 2]),
        ((1, (2,)), [1, [2]]),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (defaultdict(list, {"a": [1]}), {"a": [1]}),
        (Counter("aab"), {"a": 2, "b": 1}),
        (MappingProxyType({"a": 1}), {"a": 1}),
        ({Colour.RED: Colour.RED}, {"red": "red"}),
        ({Text("name"): [Level.LOW, (Ratio(1.5),)]}, {"name": [1, [1.5]]}),
        (True, True),
    ],
    ids=repr,
)
def test_a_subclass_becomes_exactly_its_base_type(value: Any, expected: Any) -> None:
    owned = own(value)
    assert same_json(owned, expected)
    assert exact_types(owned) <= {dict, list, str, int, float, bool, type(None)}


class NotFinite(float):
    def __float__(self) -> float:
        return 1.0


def test_a_subclass_cannot_smuggle_in_what_its_base_refuses() -> None:
    for value in (NotFinite("nan"), Number(2**64), Text("\ud800"), {Text("\ud800"): 1}):
        with pytest.raises(StateError):
            own(value)


@given(json_values)
def test_json_is_taken_over_as_it_is(value: Any) -> None:
    owned = own(value)
    assert same_json(owned, value)
    assert exact_types(owned) <= {dict, list, str, int, float, bool, type(None)}
