"""JSON values as Python objects: what is taken over, what is refused, copies and comparison."""

from __future__ import annotations

import copy
import enum
import json
import pickle
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
from hypothesis import strategies as st

from statekit.command import Command, Remove, Set
from statekit.errors import StateError
from statekit.store import Store
from statekit.value import MAX_DEPTH, Held, copy_value, json_path, own, same
from statekit.vocabulary import MergePolicy, Scope
from strategies import json_values

NAN = float("nan")


def same_json(left: Any, right: Any) -> bool:
    """Strict equality, written apart from the code under test: types count at every depth."""

    def typed(value: Any) -> Any:
        if type(value) is dict:
            return {name: typed(item) for name, item in value.items()}
        if type(value) is list:
            return [typed(item) for item in value]
        return type(value), value

    return bool(typed(left) == typed(right))


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


def mutate_everywhere(value: Any) -> None:
    """Change every list and dict inside a value."""
    if isinstance(value, dict):
        for item in value.values():
            mutate_everywhere(item)
        value.clear()
        value["mutated"] = True
    elif isinstance(value, list):
        for item in value:
            mutate_everywhere(item)
        value.insert(0, "mutated")


SAMPLE = {"list": [1, [2, {"deep": [3]}], {}], "object": {"a": {"b": {"c": []}}}, "text": "x"}


def sample() -> dict[str, Any]:
    copied: dict[str, Any] = json.loads(json.dumps(SAMPLE))
    return copied


@given(json_values)
def test_a_copy_is_the_same_json_and_shares_nothing(value: Any) -> None:
    before = json.dumps(value)
    copied = copy_value(value)
    assert same(copied, value)
    assert same_json(copied, value)
    mutate_everywhere(copied)
    assert json.dumps(value) == before


@given(json_values)
def test_what_is_taken_over_shares_nothing_with_the_caller(value: Any) -> None:
    before = json.dumps(value)
    owned = own(value)
    mutate_everywhere(value)
    assert json.dumps(owned) == before


@pytest.mark.parametrize("kind", [Set, Held])
def test_a_held_value_is_isolated_in_and_out(kind: type[Held]) -> None:
    given_in = sample()
    held = kind(given_in)
    mutate_everywhere(given_in)
    assert held.value == SAMPLE
    mutate_everywhere(held.value)
    assert held.value == SAMPLE


def test_a_command_is_isolated_in_and_out() -> None:
    given_in = sample()
    command = Command.set(Scope.THREAD, MergePolicy.DISJOINT, "k", given_in)
    mutate_everywhere(given_in)
    assert isinstance(command.action, Set)
    mutate_everywhere(command.action.value)
    assert command.action.value == SAMPLE


READS: dict[str, Callable[[Store], Any]] = {
    "get": lambda store: store.get(Scope.THREAD, "k"),
    "getitem": lambda store: store[Scope.THREAD, "k"],
    "items": lambda store: next(value for _, value in store.items()),
    "scan_prefix": lambda store: next(value for _, value in store.scan_prefix(Scope.THREAD, "")),
    "project then get": lambda store: store.project(lambda key: True).get(Scope.THREAD, "k"),
}


@pytest.mark.parametrize("policy", MergePolicy)
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_store_is_isolated_in_and_out(read: Callable[[Store], Any], policy: MergePolicy) -> None:
    given_in = sample()
    store = Store()
    store.apply(Command.set(Scope.THREAD, MergePolicy.DISJOINT, "k", {}))
    store.apply(Command.set(Scope.THREAD, policy, "k", given_in))
    projected = store.project(lambda key: True)
    mutate_everywhere(given_in)
    mutate_everywhere(read(store))
    for held in (store, projected):
        assert held[Scope.THREAD, "k"] == SAMPLE


def test_stores_that_share_a_command_do_not_share_what_they_merge() -> None:
    command = Command.set(Scope.THREAD, MergePolicy.COMMUTATIVE, "k", sample())
    first, second = Store.rebuild([command]), Store.rebuild([command])
    before = first.project(lambda key: True)
    first.apply(Command.set(Scope.THREAD, MergePolicy.COMMUTATIVE, "k", {"list": None}))
    assert first[Scope.THREAD, "k"] == {**SAMPLE, "list": None}
    assert second[Scope.THREAD, "k"] == SAMPLE
    assert before[Scope.THREAD, "k"] == SAMPLE
    assert command == Command.set(Scope.THREAD, MergePolicy.COMMUTATIVE, "k", sample())


def test_a_projection_and_its_store_change_apart() -> None:
    store = Store.rebuild([Command.set(Scope.THREAD, MergePolicy.DISJOINT, "k", 1)])
    projected = store.project(lambda key: True)
    projected.apply(Command("k", Scope.THREAD, MergePolicy.DISJOINT, Remove()))
    assert (Scope.THREAD, "k") in store
    store.apply(Command.set(Scope.THREAD, MergePolicy.DISJOINT, "j", 1))
    assert len(projected) == 0


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        (1, True),
        (0, False),
        (0.0, False),
        (None, False),
        (None, 0),
        ("", None),
        ("1", 1),
        ([], {}),
        ([], None),
        ([1], [1.0]),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"b": 1}),
        ({"a": None}, {}),
        ({"a": None}, {"b": None}),
        ({"a": {"b": [{}]}}, {"a": {"b": [[]]}}),
        (2**53, 2**53 + 1),
        (2**53 + 1, float(2**53)),
        ("é", "e\u0301"),
    ],
    ids=repr,
)
def test_different_json_is_not_the_same(left: Any, right: Any) -> None:
    assert not same(left, right)
    assert not same(right, left)
    assert not same([{"a": left}], [{"a": right}])


def test_the_order_of_fields_does_not_count_and_the_order_of_items_does() -> None:
    assert same({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1})
    assert not same([1, 2], [2, 1])


@given(json_values, json_values)
def test_same_is_strict_equality(left: Any, right: Any) -> None:
    assert same(left, right) is same_json(left, right)
    assert same(right, left) is same(left, right)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] + [place for part, item in inner for place in places(item, (*path, part))]


def changed_scalar(value: Any) -> Any:
    """Something near the value that is not the same JSON."""
    match value:
        case None:
            return False
        case bool():
            return int(value)
        case int():
            return float(value) if abs(value) < 2**53 else value - 1
        case float():
            return str(value)
        case str():
            return value + "x"
    return None


@given(json_values, st.data())
def test_a_value_is_not_the_same_after_one_change_anywhere(value: Any, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(places(value)))
    whole = [copy_value(value)]
    holder: Any = whole
    steps: list[Any] = [0, *place]
    for part in steps[:-1]:
        holder = holder[part]
    old = holder[steps[-1]]
    if isinstance(old, dict) and data.draw(st.booleans()):
        holder[steps[-1]] = {**old, "a name of its own": None}
    elif isinstance(old, list) and data.draw(st.booleans()):
        holder[steps[-1]] = [*old, None]
    else:
        holder[steps[-1]] = changed_scalar(old)
    assert not same(value, whole[0])
    assert not same(whole[0], value)


def test_a_held_value_never_changes() -> None:
    held = Held([1])
    for name in ("value", "other"):
        with pytest.raises(AttributeError):
            setattr(held, name, 2)
        with pytest.raises(AttributeError):
            delattr(held, name)
    assert held.value == [1]


@given(json_values, json_values)
def test_held_values_are_equal_by_strict_value(left: Any, right: Any) -> None:
    assert (Held(left) == Held(right)) is same_json(left, right)
    assert (Held(left) != Held(right)) is not same_json(left, right)
    assert hash(Held(left)) == hash(Held(copy_value(left)))


def test_a_held_value_is_no_set_action_and_no_bare_value() -> None:
    assert Held(1) != Set(1)
    assert Set(1) != Held(1)
    assert Held(1) != 1


@given(json_values)
def test_a_held_value_pickles_and_copies(value: Any) -> None:
    for held in (Held(value), Set(value)):
        assert pickle.loads(pickle.dumps(held)) == held
        assert copy.deepcopy(held) == held
        assert copy.copy(held) == held
        assert repr(held) == f"{type(held).__name__}({held.value!r})"


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ((), "$"),
        (("a",), "$.a"),
        ((0,), "$[0]"),
        (("a", 1, "b"), "$.a[1].b"),
        (("",), '$[""]'),
        (("a.b",), '$["a.b"]'),
        (("0",), '$["0"]'),
        (('say "hi"',), '$["say \\"hi\\""]'),
        (("back\\slash",), '$["back\\\\slash"]'),
        (("é",), "$.é"),
    ],
)
def test_a_path_is_spelled_as_jsonpath(parts: tuple[str | int, ...], path: str) -> None:
    assert json_path(parts) == path
