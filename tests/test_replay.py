"""The cursor: stepping forth and back, seeking, and moving to changes all agree with refolding from the start."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import naive
from naive import Cells, addresses, drop, exact, exact_cells, few_runs, fold_in, history_of, in_order, pasts, put
from statekit.command import Command
from statekit.errors import PositionError
from statekit.journal import load_history
from statekit.replay import Replay
from statekit.store import Store
from statekit.vocabulary import Address, Scope

T = Scope.THREAD


@given(pasts, few_runs)
def test_refolding_a_prefix_equals_stepping(batches: list[list[Command]], run: str | None) -> None:
    replay, expected = Replay(history_of(batches), run=run), naive.states(batches, run)
    assert replay.position == 0
    assert exact_cells(replay.store.items()) == []
    for position, batch in enumerate(batches, start=1):
        transition = replay.step()
        assert transition is not None
        assert (transition.position, list(transition.commands)) == (position, batch)
        assert replay.position == position
        assert exact_cells(replay.store.items()) == in_order(expected[position])
    assert replay.step() is None
    assert replay.position == len(batches)


@given(pasts)
def test_stepping_is_rebuilding_from_the_commands_so_far(batches: list[list[Command]]) -> None:
    replay = Replay(history_of(batches))
    applied: list[Command] = []
    while (transition := replay.step()) is not None:
        applied += transition.commands
        assert replay.store == Store.rebuild(applied)
    assert replay.store == Store.rebuild(command for batch in batches for command in batch)


@given(pasts, few_runs)
def test_stepping_back_from_the_end_passes_the_same_states(batches: list[list[Command]], run: str | None) -> None:
    replay, expected = Replay(history_of(batches), run=run), naive.states(batches, run)
    replay.seek(len(batches))
    for position in reversed(range(len(batches))):
        taken_back = replay.back()
        assert taken_back is not None
        assert taken_back.position == position + 1
        assert replay.position == position
        assert exact_cells(replay.store.items()) == in_order(expected[position])
    assert replay.back() is None
    assert replay.position == 0


@given(pasts, few_runs, st.lists(st.integers(0, 12), max_size=8))
def test_seeking_anywhere_finds_the_refolded_state(
    batches: list[list[Command]], run: str | None, seeks: list[int]
) -> None:
    replay, expected = Replay(history_of(batches), run=run), naive.states(batches, run)
    for seek in seeks:
        position = seek % len(expected)
        replay.seek(position)
        assert replay.position == position
        assert exact_cells(replay.store.items()) == in_order(expected[position])


def spelled(cells: Cells, address: Address) -> str:
    return exact(cells[address]) if address in cells else "absent"


class CursorMachine(RuleBasedStateMachine):
    """A cursor beside a model of it: the list of all refolded states and an index into it."""

    @initialize(batches=pasts, run=few_runs)
    def open(self, batches: list[list[Command]], run: str | None) -> None:
        self.history = history_of(batches)
        self.replay = Replay(self.history, run=run)
        self.states = naive.states(batches, run)
        self.index = 0

    def changes(self, address: Address) -> list[int]:
        values = [spelled(cells, address) for cells in self.states]
        return [place for place in range(1, len(values)) if values[place] != values[place - 1]]

    @rule()
    def step(self) -> None:
        transition = self.replay.step()
        if self.index == len(self.states) - 1:
            assert transition is None
        else:
            self.index += 1
            assert transition is self.history[self.index - 1]

    @rule()
    def back(self) -> None:
        transition = self.replay.back()
        if self.index == 0:
            assert transition is None
        else:
            assert transition is self.history[self.index - 1]
            self.index -= 1

    @rule(position=st.integers(0, 12))
    def seek(self, position: int) -> None:
        self.index = position % len(self.states)
        self.replay.seek(self.index)

    @rule(beyond=st.integers(1, 5), below=st.booleans())
    def seek_outside(self, beyond: int, below: bool) -> None:
        with pytest.raises(PositionError):
            self.replay.seek(-beyond if below else len(self.states) - 1 + beyond)

    @rule(address=addresses)
    def next_change(self, address: Address) -> None:
        found = [place for place in self.changes(address) if place > self.index]
        assert self.replay.next_change(*address) == (found[0] if found else None)
        self.index = found[0] if found else self.index

    @rule(address=addresses)
    def previous_change(self, address: Address) -> None:
        found = [place for place in self.changes(address) if place < self.index]
        assert self.replay.previous_change(*address) == (found[-1] if found else None)
        self.index = found[-1] if found else self.index

    @rule(command=naive.commands(naive.few_keys, naive.few_values))
    def change_the_store_got(self, command: Command) -> None:
        self.replay.store.apply(command)

    @invariant()
    def the_cursor_is_where_the_model_is(self) -> None:
        if hasattr(self, "replay"):
            assert self.replay.position == self.index
            assert exact_cells(self.replay.store.items()) == in_order(self.states[self.index])


TestCursor = CursorMachine.TestCase


def test_a_write_of_the_same_value_is_no_change() -> None:
    replay = Replay(
        history_of([[put(1)], [put(1)], [put(2), put(1)], [drop(), put(1)], [put(True)], [drop()], [drop()]])
    )
    assert [replay.next_change(T, "k") for _ in range(4)] == [1, 5, 6, None]
    assert replay.position == 6
    replay.seek(7)
    assert [replay.previous_change(T, "k") for _ in range(4)] == [6, 5, 1, None]
    assert replay.position == 1


def test_a_change_is_found_from_between_changes() -> None:
    replay = Replay(history_of([[fold_in({"a": 1})], [], [fold_in({"a": 1})], [fold_in({"b": 1})], []]))
    replay.seek(2)
    assert replay.next_change(T, "k") == 4
    replay.seek(3)
    assert replay.previous_change(T, "k") == 1
    assert replay.previous_change(T, "k") is None
    assert replay.position == 1


def test_a_cell_that_was_never_written_has_no_change() -> None:
    replay = Replay(history_of([[put(1)]] * 3))
    replay.seek(2)
    assert replay.next_change(T, "other") is None
    assert replay.previous_change(Scope.SHARED, "k") is None
    assert replay.position == 2


@pytest.mark.parametrize("position", [-1, 4, 1.0, "1", None, np.float64(1)])
def test_a_seek_outside_raises_and_does_not_move(position: Any) -> None:
    replay = Replay(history_of([[put(1)]] * 3))
    replay.seek(2)
    with pytest.raises(PositionError):
        replay.seek(position)
    assert replay.position == 2


def test_a_seek_takes_whole_numbers_of_other_libraries() -> None:
    replay = Replay(history_of([[put(1)]] * 3))
    replay.seek(np.int64(3))
    assert replay.position == 3
    assert type(replay.position) is int
    assert replay.step() is None


def test_a_store_got_earlier_stays_where_it_was() -> None:
    replay = Replay(history_of([[put(1)], [put(2)], [drop()]]))
    replay.step()
    first = replay.store
    replay.seek(3)
    assert first[T, "k"] == 1
    assert list(first) == [(T, "k")]
    assert len(replay.store) == 0


def test_two_cursors_move_on_their_own() -> None:
    history = history_of([[put(1)], [put(2)]])
    left, right = Replay(history), Replay(history, run="r-1")
    left.seek(2)
    assert (left.position, right.position) == (2, 0)
    assert left.history is right.history is history
    assert (left.run, right.run) == (None, "r-1")
    assert repr(left) == "Replay('t', 2 of 2)"
    assert repr(right) == "Replay('t', 0 of 2, run 'r-1')"


def test_support_42_is_stepped_through() -> None:
    history = load_history(naive.HISTORIES / "support-42.ndjson")
    replay = Replay(history)
    order, lock = (T, "order/7719/state"), (Scope.SHARED, "lock/refund")
    assert [replay.next_change(*order) for _ in range(5)] == [3, 4, 13, 25, None]
    replay.seek(0)
    assert [replay.next_change(*lock) for _ in range(4)] == [6, 14, 24, None]
    assert replay.store[lock] == "debug-hook"
    # Run 3 starts again at 0, run 2 had ended with 12.
    step = (Scope.RUN, "step")
    replay.seek(27)
    assert replay.store[step] == 12
    assert replay.next_change(*step) == 29
    assert replay.store[step] == 0
    first_run = Replay(history, run="run-1")
    first_run.seek(14)
    assert first_run.next_change(*step) is None
    assert first_run.store[step] == 9
    # The other runs set the step too, up to position 35.
    first_run.seek(36)
    assert [first_run.previous_change(*step) for _ in range(2)] == [14, 9]
    moved = 0
    while replay.back() is not None:
        moved += 1
    assert (moved, replay.position, len(replay.store)) == (29, 0, 0)
