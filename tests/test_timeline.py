"""The past of one cell: several writes in one batch, merging after replacing, and what counts as a change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import NOTHING, Json, drop, exact, few_runs, few_values, fold_in, put, states
from statekit.command import Command
from statekit.timeline import Timeline
from statekit.value import ABSENT
from statekit.vocabulary import Address, Scope
from strategies import commands

CELL: Address = (Scope.THREAD, "k")

cell_commands = commands(st.just("k"), few_values, few_runs).map(
    lambda command: Command("k", Scope.THREAD, command.merge, command.action)
)
pasts = st.lists(st.lists(cell_commands, max_size=4), max_size=10)


def timeline_of(batches: list[list[Command]]) -> Timeline:
    return Timeline([(place, command) for place, batch in enumerate(batches, start=1) for command in batch])


def expected_values(batches: list[list[Command]]) -> list[Json]:
    return [cells.get(CELL, NOTHING) for cells in states(batches)]


def expected_changes(batches: list[list[Command]]) -> list[int]:
    spelled = ["absent" if value is NOTHING else exact(value) for value in expected_values(batches)]
    return [place for place in range(1, len(spelled)) if spelled[place] != spelled[place - 1]]


def shown(value: Json) -> str:
    return "absent" if value is ABSENT or value is NOTHING else exact(value)


@given(pasts)
def test_every_position_holds_the_fold_of_the_writes_up_to_it(batches: list[list[Command]]) -> None:
    timeline = timeline_of(batches)
    for position, value in enumerate(expected_values(batches)):
        assert shown(timeline.at(position)) == shown(value)
        assert timeline.holds(position) is (value is not NOTHING)


@given(pasts, st.lists(st.integers(0, 9), max_size=8))
def test_looking_in_any_order_finds_the_same(batches: list[list[Command]], visits: list[int]) -> None:
    timeline, expected = timeline_of(batches), expected_values(batches)
    for visit in visits:
        position = visit % len(expected)
        assert shown(timeline.at(position)) == shown(expected[position])


@given(pasts)
def test_the_last_write_is_the_latest_up_to_a_position(batches: list[list[Command]]) -> None:
    timeline = timeline_of(batches)
    written = [place for place, batch in enumerate(batches, start=1) for _ in batch]
    assert timeline.positions == written
    for position in range(len(batches) + 1):
        earlier = [place for place in written if place <= position]
        assert timeline.last_write(position) == (earlier[-1] if earlier else None)


@given(pasts)
def test_changes_are_where_the_value_differs_from_the_one_before(batches: list[list[Command]]) -> None:
    timeline, changes = timeline_of(batches), expected_changes(batches)
    for position in range(len(batches) + 1):
        after = list(dict.fromkeys(timeline.changes_after(position)))
        before = list(dict.fromkeys(timeline.changes_before(position)))
        assert after == [place for place in changes if place > position]
        assert before == [place for place in reversed(changes) if place < position]


@pytest.mark.parametrize(
    ("batch", "value"),
    [
        ([put(1), put(2)], 2),
        ([put(1), drop(), put(3)], 3),
        ([put(1), drop()], ABSENT),
        ([drop(), put(1)], 1),
        ([put({"a": 1}), fold_in({"b": 2})], {"a": 1, "b": 2}),
        ([fold_in({"a": 1}), fold_in({"b": 2}), put({"c": 3})], {"c": 3}),
        ([fold_in({"a": 1}), put({"c": 3}), fold_in({"a": 4})], {"c": 3, "a": 4}),
        ([fold_in({"a": 1}), drop(), fold_in({"b": 2})], {"b": 2}),
        ([fold_in({"a": 1}), fold_in("text"), fold_in({"b": 2})], {"b": 2}),
        ([fold_in({"a": 1}), fold_in([1]), fold_in([2])], [2]),
        ([fold_in({"a": {"x": 1}}), fold_in({"a": {"y": 2}})], {"a": {"y": 2}}),
        ([fold_in({"a": 1}), fold_in({"a": None})], {"a": None}),
        ([put({"a": 1}), fold_in({})], {"a": 1}),
        ([fold_in({}), fold_in({"a": 1})], {"a": 1}),
        ([put(None), fold_in({"a": 1})], {"a": 1}),
    ],
)
def test_several_writes_of_one_batch_apply_in_order(batch: list[Command], value: Json) -> None:
    alone = timeline_of([batch])
    assert shown(alone.at(0)) == "absent"
    assert shown(alone.at(1)) == shown(value)
    # What came before is there to be merged into, and the batch shows nowhere else.
    later = timeline_of([[put(0)], batch, []])
    assert shown(later.at(1)) == "0"
    assert shown(later.at(2)) == shown(later.at(3)) == shown(value)


def test_a_merge_reaches_no_position_before_it() -> None:
    timeline = timeline_of([[fold_in({"a": 1})], [fold_in({"b": 2})], [fold_in({"a": 3, "c": 4})], [drop()], []])
    assert [shown(timeline.at(position)) for position in range(6)] == [
        "absent",
        '{"a": 1}',
        '{"a": 1, "b": 2}',
        '{"a": 3, "b": 2, "c": 4}',
        "absent",
        "absent",
    ]


def test_fields_keep_the_order_in_which_they_were_first_merged() -> None:
    timeline = timeline_of([[put({"z": 1})], [fold_in({"y": 1})], [fold_in({"z": 2, "x": 1})], [fold_in({"y": 2})]])
    assert list(timeline.at(4)) == ["z", "y", "x"]
    assert list(timeline.at(2)) == ["z", "y"]


@pytest.mark.parametrize(
    ("batch", "is_change"),
    [
        ([put({"a": 1, "b": [1]})], False),
        ([put({"b": [1], "a": 1})], False),
        ([fold_in({"a": 1})], False),
        ([fold_in({})], False),
        ([put(5), put({"a": 1, "b": [1]})], False),
        ([drop(), put({"a": 1, "b": [1]})], False),
        ([fold_in({"a": 2}), fold_in({"a": 1})], False),
        ([], False),
        ([fold_in({"a": 1.0})], True),
        ([fold_in({"a": True})], True),
        ([fold_in({"b": [1.0]})], True),
        ([fold_in({"c": None})], True),
        ([put(None)], True),
        ([drop()], True),
        ([drop(), fold_in({"a": 1})], True),
    ],
)
def test_a_write_of_what_is_there_already_is_no_change(batch: list[Command], is_change: bool) -> None:
    timeline = timeline_of([[], [put({"a": 1, "b": [1]})], batch, []])
    assert list(dict.fromkeys(timeline.changes_after(2))) == ([3] if is_change else [])
    assert list(dict.fromkeys(timeline.changes_before(4))) == ([3, 2] if is_change else [2])


@pytest.mark.parametrize(
    ("batches", "changes"),
    [
        ([[drop()]], []),
        ([[put(1), drop()]], []),
        ([[put(None)], [drop()], [drop()]], [1, 2]),
        ([[drop()], [put(None)], [put(None)]], [2]),
    ],
)
def test_null_and_absent_differ_and_absent_stays_absent(batches: list[list[Command]], changes: list[int]) -> None:
    assert list(timeline_of(batches).changes_after(0)) == changes


def test_the_writes_are_not_copied() -> None:
    writes = [(1, put([1])), (2, fold_in({"a": [2]}))]
    timeline = Timeline(writes)
    assert timeline.at(1) is writes[0][1].action.borrow()
    assert timeline.at(1) is timeline.at(1)


def test_a_cell_without_writes_was_never_there() -> None:
    timeline = Timeline([])
    assert timeline.at(5) is ABSENT
    assert not timeline.holds(5)
    assert timeline.last_write(5) is None
    assert timeline.positions == []
    assert list(timeline.changes_after(0)) == list(timeline.changes_before(9)) == []


def test_a_position_whose_batch_wrote_the_cell_twice_is_one_change() -> None:
    timeline = Timeline([(1, put(1)), (2, put(2)), (2, put(3)), (4, put(4))])
    assert list(timeline.changes_after(1)) == [2, 4]
    assert list(timeline.changes_before(4)) == [2, 1]
