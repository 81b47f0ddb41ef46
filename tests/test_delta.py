"""Differences inside a value: they say all that differs, nothing else, and lead from one value to the other."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import jsonpatch
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from naive import exact
from spoiling import spoil
from statekit.delta import Difference, apply_differences, differences
from statekit.history import ChangeKind
from statekit.value import ABSENT
from strategies import json_values

Json = Any

ADDED, REMOVED, CHANGED = ChangeKind.ADDED, ChangeKind.REMOVED, ChangeKind.CHANGED

# Values that look alike, nested in few places, so that two of them share most of their parts.
close_scalars = st.sampled_from([0, 1, 1.0, True, False, None, "", "1", "a"])
close_values: st.SearchStrategy[Json] = st.recursive(
    close_scalars,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(["a", "b", "0"]), inner, max_size=3),
    max_leaves=12,
)
values = close_values | json_values


def told(before: Json, after: Json) -> list[tuple[Any, ...]]:
    return [(d.path, d.kind.value, d.before, d.after) for d in differences(before, after)]


def at(value: Json, path: tuple[str | int, ...]) -> Json:
    for part in path:
        value = value[part]
    return value


@given(values, values)
@example([1, 2, 3], [3, 2, 1])
@example([[1], [2]], [[2]])
@example({"a": [1, 2, 3]}, {"a": [0, 1, 3, 4], "b": []})
@example([[], [1, [2]]], [[1, [2]], []])
@example([1, 1, 1], [1, 1])
def test_differences_applied_to_the_earlier_value_give_the_later_one(before: Json, after: Json) -> None:
    assert exact(apply_differences(before, differences(before, after))) == exact(after)


@given(st.lists(close_scalars, max_size=12), st.lists(close_scalars, max_size=12))
def test_lists_lead_to_one_another_too(before: list[Json], after: list[Json]) -> None:
    assert exact(apply_differences(before, differences(before, after))) == exact(after)


@given(values)
def test_equal_values_do_not_differ(value: Json) -> None:
    assert differences(value, value) == []
    assert differences(value, deepcopy(value)) == []
    assert exact(apply_differences(value, [])) == exact(value)


def reordered(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: reordered(value[name]) for name in reversed(value)}
    return [reordered(item) for item in value] if isinstance(value, list) else value


@given(values)
def test_the_order_of_fields_is_no_difference(value: Json) -> None:
    assert differences(value, reordered(value)) == []


@given(values, values)
def test_values_that_differ_have_a_difference(before: Json, after: Json) -> None:
    assert (differences(before, after) == []) is (exact(before) == exact(after))


# Another program's opinion, of values in which it cannot take a number for a boolean.
plain_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.sampled_from(["", "a", "b"]) | st.integers(2, 4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=3),
    max_leaves=10,
)


@given(plain_values, plain_values)
def test_a_json_patch_is_empty_exactly_when_there_is_no_difference(before: Json, after: Json) -> None:
    assert (differences(before, after) == []) is (list(jsonpatch.make_patch(before, after)) == [])


@given(values, values)
def test_each_difference_tells_what_is_at_its_place(before: Json, after: Json) -> None:
    for difference in differences(before, after):
        assert (difference.before is ABSENT) is (difference.kind is ADDED)
        assert (difference.after is ABSENT) is (difference.kind is REMOVED)
        if difference.before is not ABSENT:
            assert exact(difference.before) == exact(at(before, difference.path))
        if difference.after is not ABSENT:
            assert exact(difference.after) == exact(at(after, difference.path))
        if difference.kind is CHANGED:
            assert exact(difference.before) != exact(difference.after)


@given(values, values)
def test_no_difference_is_told_twice_or_inside_another(before: Json, after: Json) -> None:
    # An index of something removed counts in the earlier list, so it may stand beside an equal one of something added.
    for side in ([ADDED, CHANGED], [REMOVED, CHANGED]):
        paths = [d.path for d in differences(before, after) if d.kind in side]
        assert len(set(paths)) == len(paths)
        for path in paths:
            assert not any(path != other and path[: len(other)] == other for other in paths)


@given(values, values)
def test_applying_changes_neither_value(before: Json, after: Json) -> None:
    spelled = exact(before), exact(after)
    found = differences(before, after)
    result = apply_differences(before, found)
    spoil(result)
    assert (exact(before), exact(after)) == spelled
    assert exact(apply_differences(before, found)) == exact(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [(1, True), (1, 1.0), (0, False), (True, 1.0), ("1", 1), (None, False), (None, ""), ([], {}), ({}, None)],
)
@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: [v], lambda v: {"a": v}, lambda v: {"a": [0, {"b": v}, 0]}])
def test_values_that_python_takes_for_equal_differ(wrap: Any, before: Json, after: Json) -> None:
    for old, new in ((before, after), (after, before)):
        (difference,) = differences(wrap(old), wrap(new))
        assert difference.kind is CHANGED
        assert (difference.before, type(difference.before)) == (old, type(old))
        assert (difference.after, type(difference.after)) == (new, type(new))


def test_null_is_a_value_and_absent_is_none() -> None:
    assert told(ABSENT, None) == [((), "added", ABSENT, None)]
    assert told(None, ABSENT) == [((), "removed", None, ABSENT)]
    assert told(ABSENT, ABSENT) == []
    assert told({"a": None}, {}) == [(("a",), "removed", None, ABSENT)]
    assert told({}, {"a": None}) == [(("a",), "added", ABSENT, None)]
    assert apply_differences(ABSENT, differences(ABSENT, None)) is None
    assert apply_differences(None, differences(None, ABSENT)) is ABSENT


def item(number: int) -> dict[str, Json]:
    return {"id": number, "tags": [number, "t"]}


LONG = [item(number) for number in range(2_000)]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ([item(-1), *LONG], [((0,), "added", ABSENT, item(-1))]),
        ([*LONG, item(-1)], [((2_000,), "added", ABSENT, item(-1))]),
        ([*LONG[:700], item(-1), *LONG[700:]], [((700,), "added", ABSENT, item(-1))]),
        (LONG[1:], [((0,), "removed", item(0), ABSENT)]),
        (LONG[:-1], [((1_999,), "removed", item(1_999), ABSENT)]),
        ([*LONG[:700], *LONG[702:]], [((700,), "removed", item(700), ABSENT), ((701,), "removed", item(701), ABSENT)]),
        ([*LONG[:9], {**item(9), "id": -1}, *LONG[10:]], [((9, "id"), "changed", 9, -1)]),
    ],
)
def test_a_small_edit_of_a_long_list_is_a_small_difference(after: list[Json], expected: list[Any]) -> None:
    assert told(LONG, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([1, 1, 1], [1, 1], [((2,), "removed", 1, ABSENT)]),
        ([], [1, 2], [((0,), "added", ABSENT, 1), ((1,), "added", ABSENT, 2)]),
        ([[1, 2]], [[2]], [((0, 0), "removed", 1, ABSENT)]),
        ([1, 2, 3], [1, 9, 3], [((1,), "changed", 2, 9)]),
        ({"a": {"b": {"c": 1, "d": 2}}}, {"a": {"b": {"c": 3, "d": 2}}}, [(("a", "b", "c"), "changed", 1, 3)]),
        ({"a": 1, "b": 2}, {"b": 2, "c": 3}, [(("a",), "removed", 1, ABSENT), (("c",), "added", ABSENT, 3)]),
        ({"0": 1}, [1], [((), "changed", {"0": 1}, [1])]),
        ({"": 1}, {"": 2}, [(("",), "changed", 1, 2)]),
    ],
)
def test_what_differs_is_told_at_its_place(before: Json, after: Json, expected: list[Any]) -> None:
    assert told(before, after) == expected


def test_the_deepest_values_are_compared() -> None:
    def nested(inner: Json) -> Json:
        for _ in range(127):
            inner = [inner]
        return inner

    (difference,) = differences(nested(1), nested(2))
    assert difference == Difference((0,) * 127, CHANGED, 1, 2)
    assert apply_differences(nested(1), [difference]) == nested(2)


def test_a_difference_does_not_change() -> None:
    (difference,) = differences({"a": 1}, {"a": 2})
    with pytest.raises(AttributeError):
        difference.path = ()


def test_any_order_of_looking_at_the_found_gives_the_same() -> None:
    def one_by_one(before: Json, after: Json) -> Iterator[Difference]:
        yield from differences(before, after)

    assert apply_differences([1, 2], one_by_one([1, 2], [0, 2, 3])) == [0, 2, 3]
