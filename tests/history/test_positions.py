"""Positions, and a history as a sequence of transitions."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import naive
from naive import fold_in, history_of, pasts, put
from statekit.command import Command
from statekit.errors import PositionError
from statekit.history import History
from statekit.journal import load_history
from statekit.replay import Replay
from statekit.transition import Transition
from tests.history.sample import T


@pytest.mark.parametrize(
    "position", [-1, 3, 10**30, 1.0, 0.5, "1", None, [1], np.float64(1), np.int64(3), np.int64(-1), np.True_]
)
def test_a_position_outside_the_history_is_an_error_with_its_data(position: Any) -> None:
    history = history_of([[put(1)], [put(2)]])
    reads = [
        lambda: history.store_at(position),
        lambda: history.value_at(T, "k", position),
        lambda: history.borrow_at(T, "k", position),
        lambda: history.blame(T, "k", position),
        lambda: history.diff(position, 1),
        lambda: history.diff(1, position),
        lambda: history.transition(position),
        lambda: history.check_position(position),
    ]
    for read in reads:
        with pytest.raises(PositionError) as caught:
            read()
        assert isinstance(caught.value, IndexError)
        assert caught.value.position is position
        assert caught.value.length == 2
        assert repr(position) in str(caught.value)
        again = pickle.loads(pickle.dumps(caught.value))
        assert (again.length, str(again)) == (2, str(caught.value))


def test_position_zero_has_a_state_and_no_transition() -> None:
    history = history_of([[put(1)]])
    assert len(history.store_at(0)) == 0
    assert history.blame(T, "k", 0) is None
    with pytest.raises(PositionError):
        history.transition(0)


class Numbered:
    """A whole number of another library: all it has is `__index__`."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


@pytest.mark.parametrize("number", [np.int64, np.int32, np.uint8, np.uint64, Numbered])
def test_whole_numbers_of_other_libraries_are_positions(number: Any) -> None:
    history = history_of([[fold_in({"a": 1})], [fold_in({"b": 2})], [put(3, "other")]])
    two = number(2)
    assert history.store_at(two)[T, "k"] == {"a": 1, "b": 2}
    assert history.value_at(T, "k", two) == {"a": 1, "b": 2}
    assert history.blame(T, "k", two) is history[1]
    assert history.diff(number(1), two) == history.diff(1, 2)
    assert len(history.diff(number(0), number(3))) == 2
    assert history.transition(two) is history[1]
    assert history[number(0)] is history.transition(1)
    checked = history.check_position(two)
    assert checked == 2
    assert type(checked) is int


def test_a_boolean_is_the_integer_that_it_is_in_any_sequence() -> None:
    history = history_of([[put(1)], [put(2)]])
    assert history.value_at(T, "k", True) == 1
    assert len(history.store_at(False)) == 0
    assert type(history.check_position(True)) is int


@given(pasts)
def test_a_history_is_a_sequence(batches: list[list[Command]]) -> None:
    history = history_of(batches)
    assert isinstance(history, Sequence)
    assert len(history) == len(batches)
    listed = list(history)
    assert [transition.position for transition in listed] == list(range(1, len(batches) + 1))
    assert [list(transition.commands) for transition in history] == batches
    assert list(reversed(history)) == listed[::-1]
    for place, transition in enumerate(listed):
        assert history[place] is transition
        assert history[place - len(listed)] is transition
        assert history.transition(place + 1) is transition
        assert transition in history
        assert history.index(transition) == place
        assert history.count(transition) == 1
    assert list(history[1:3]) == listed[1:3]
    assert list(history[::-2]) == listed[::-2]
    for outside in (len(listed), -len(listed) - 1):
        with pytest.raises(IndexError):
            history[outside]


def test_a_history_counts_its_transitions_from_one() -> None:
    second = Transition(2, 2, naive.committed([]))
    with pytest.raises(ValueError, match="transition 1 says that its position is 2"):
        History("t", [second])


def test_an_empty_history_has_one_position() -> None:
    history = History("t", [])
    assert (len(history), history.runs, history.cells, history.problems) == (0, [], [], [])
    assert list(history.store_at(0).items()) == []
    assert history.diff(0, 0) == []
    assert history.writes(T, "k") == []
    with pytest.raises(PositionError):
        history.store_at(1)
    assert repr(history) == "History('t', 0 transitions, 0 runs, 0 cells)"


def test_runs_come_in_the_order_of_their_first_transition() -> None:
    history = history_of([[]] * 5, ["r-2", "r-1", "r-2", "r-é"])
    assert history.runs == ["r-2", "r-1", "r-é"]
    assert history.thread_id == "t"
    assert repr(history) == "History('t', 5 transitions, 3 runs, 0 cells)"


def test_a_position_is_called_p_wherever_it_is_asked_for() -> None:
    history = load_history(naive.HISTORIES / "support-42.ndjson")
    assert history.store_at(p=3) == history.store_at(3)
    assert history.value_at(scope=T, key="refund/7719", p=12) == {"amount": 100.0, "method": "voucher"}
    writer = history.blame(scope=T, key="order/7719/state", p=36)
    assert writer is not None
    assert writer.position == 25
    assert [change.key for change in history.diff(p=11, q=12)] == ["refund/7719", "thread_usage"]
    replay = Replay(history)
    replay.seek(p=7)
    assert replay.position == 7
