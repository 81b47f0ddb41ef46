"""Strict equality of JSON values, and of what holds them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statekit.command import Set
from statekit.value import Held, copy_value, json_path, same
from strategies import json_values
from tests.value.sample import same_json


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
