"""Who wrote what, and what differs between two positions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from naive import addresses, drop, exact, few_keys, history_of, in_order, pasts, put
from statekit.command import Command
from statekit.history import ChangeKind
from statekit.value import ABSENT
from statekit.vocabulary import Address, Scope
from tests.history.sample import positions


@given(pasts, addresses, positions)
def test_blame_names_the_last_transition_that_addressed_a_present_cell(
    batches: list[list[Command]], address: Address, position: int
) -> None:
    history, expected = history_of(batches), naive.states(batches)
    position %= len(expected)
    writers = [
        place
        for place, batch in enumerate(batches[:position], start=1)
        if any((command.scope, command.key) == address for command in batch)
    ]
    blamed = history.blame(*address, position)
    if address in expected[position]:
        assert blamed is not None
        assert blamed.position == writers[-1]
    else:
        assert blamed is None


@given(pasts, few_keys, st.sampled_from(["r-1", "r-2"]), positions)
def test_blame_in_the_view_of_a_run_names_what_that_view_applied(
    batches: list[list[Command]], key: str, run: str, position: int
) -> None:
    history, expected = history_of(batches), naive.states(batches, run)
    position %= len(expected)
    writers = [
        place
        for place, batch in enumerate(batches[:position], start=1)
        if any((c.scope, c.key, c.run_id) == (Scope.RUN, key, run) for c in batch)
    ]
    blamed = history.blame(Scope.RUN, key, position, run=run)
    expected_writer = writers[-1] if (Scope.RUN, key) in expected[position] else None
    assert (None if blamed is None else blamed.position) == expected_writer


@given(pasts, addresses)
def test_writes_are_all_commands_of_a_cell_in_order(batches: list[list[Command]], address: Address) -> None:
    expected = [
        (place, command)
        for place, batch in enumerate(batches, start=1)
        for command in batch
        if (command.scope, command.key) == address
    ]
    assert history_of(batches).writes(*address) == expected


@given(pasts, positions, positions, st.none() | st.sampled_from(["r-1", "r-2"]))
def test_a_diff_is_what_differs_and_leads_from_one_state_to_the_other(
    batches: list[list[Command]], p: int, q: int, run: str | None
) -> None:
    history, expected = history_of(batches), naive.states(batches, run)
    p, q = p % len(expected), q % len(expected)
    diff = history.diff(p, q, run=run)
    assert [((change.scope, change.key), change.kind.value) for change in diff] == naive.changes(
        expected[p], expected[q]
    )
    cells = dict(expected[p])
    for change in diff:
        address = (change.scope, change.key)
        assert (change.before is ABSENT) is (address not in cells)
        if change.before is not ABSENT:
            assert exact(change.before) == exact(cells[address])
        if change.after is ABSENT:
            del cells[address]
        else:
            cells[address] = change.after
    assert in_order(cells) == in_order(expected[q])


@pytest.mark.parametrize("width", [1, 2, 3, 9, 10, 11, 12, 30])
def test_a_diff_is_the_same_on_either_side_of_the_rule_that_chooses_where_to_look(width: int) -> None:
    # Ten cells: a narrower range is found by its transitions, a wider one by the cells.
    batches = [[put(place // 3, f"k{place % 10}"), drop(f"k{place * 7 % 10}")] for place in range(30)]
    history, expected = history_of(batches), naive.states(batches)
    for p in range(31 - width):
        for before, after in ((p, p + width), (p + width, p)):
            found = [((change.scope, change.key), change.kind.value) for change in history.diff(before, after)]
            assert found == naive.changes(expected[before], expected[after])


def test_a_diff_sees_types_and_not_the_order_of_fields() -> None:
    history = history_of([[put({"a": 1, "b": [1]})], [put({"b": [1], "a": 1})], [put({"a": True, "b": [1]})], [put(1)]])
    assert history.diff(1, 2) == []
    (change,) = history.diff(2, 3)
    assert (change.kind, exact(change.before), exact(change.after)) == (
        "changed",
        '{"a": 1, "b": [1]}',
        '{"a": true, "b": [1]}',
    )
    assert history.diff(2, 2) == []


def test_a_kind_of_change_is_its_word() -> None:
    assert {kind.value for kind in ChangeKind} == {"added", "removed", "changed"}
    assert ChangeKind.ADDED == "added"
    assert f"{ChangeKind.REMOVED}" == "removed"
