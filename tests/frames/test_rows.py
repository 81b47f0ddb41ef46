"""What the rows of each table say."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from statekit import ABSENT, Command, History, PositionError, RunDisposition, Scope, Store, frames
from statekit import MergePolicy as Merge
from tests.frames.sample import FAR, NINE, commit, past, put


def rows(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    return list(frame.itertuples(index=False, name=None))


def test_transitions(history: History) -> None:
    frame = frames.transitions(history)
    assert rows(frame.drop(columns="committed_at")) == [
        (1, 10, "r-1", "Running", 1, "notes", 2, 2),
        (2, 20, "r-1", "Ended: Stopped: budget", 3, "notes, step", 0, 2),
        (3, 30, "r-2", "Running", 2, "notes, lock", 0, 1),
    ]
    times = frame["committed_at"]
    assert times[0] == NINE
    # Beyond the year 2262, where nanoseconds end.
    assert times[1] == FAR
    assert times[2] is pd.NaT


def test_commands(history: History) -> None:
    frame = frames.commands(history)
    assert rows(frame.drop(columns=["owner", "value"])) == [
        (1, 0, "r-1", "Thread", "notes", "Commutative", "Set"),
        (2, 0, "r-1", "Thread", "notes", "Commutative", "Set"),
        (2, 1, "r-1", "Run", "step", "Disjoint", "Set"),
        (2, 2, "r-1", "Thread", "notes", "Commutative", "Set"),
        (3, 0, "r-2", "Thread", "notes", "Disjoint", "Remove"),
        (3, 1, "r-2", "Shared", "lock", "Exclusive", "Set"),
    ]
    assert [None if owner is pd.NA else owner for owner in frame["owner"]] == [None, None, "r-1", None, None, None]
    assert list(frame["value"]) == [{"a": [1]}, {"b": 2}, None, {"b": 3}, ABSENT, "x"]


def test_null_is_none_and_a_removal_is_absent(history: History) -> None:
    values = frames.commands(history)["value"]
    assert values[2] is None
    assert values[4] is ABSENT


def test_state() -> None:
    store = Store()
    values = {"n": None, "b": True, "i": 1, "f": 1.0, "s": "<b>", "l": [1, 2], "o": {"a": {}}}
    for key, value in values.items():
        store.apply(put(Scope.PROFILE, Merge.DISJOINT, key, value))
    store.apply(put(Scope.RUN, Merge.DISJOINT, "z", 2**64 - 1))
    frame = frames.state(store)
    assert rows(frame.drop(columns="value")) == [
        ("Run", "z", "integer", "18446744073709551615"),
        ("Profile", "b", "boolean", "true"),
        ("Profile", "f", "number", "1.0"),
        ("Profile", "i", "integer", "1"),
        ("Profile", "l", "array", "[1, 2]"),
        ("Profile", "n", "null", "null"),
        ("Profile", "o", "object", "{a: {}}"),
        ("Profile", "s", "string", '"<b>"'),
    ]
    assert [type(value) for value in frame["value"]] == [int, bool, float, int, list, type(None), dict, str]
    assert frame["value"][0] == 2**64 - 1


def test_a_timeline_has_every_write_even_of_one_batch(history: History) -> None:
    frame = frames.timeline(history, Scope.THREAD, "notes")
    assert rows(frame) == [
        (1, "r-1", "Commutative", "Set", {"a": [1]}, {"a": [1]}, True),
        (2, "r-1", "Commutative", "Set", {"b": 2}, {"a": [1], "b": 2}, True),
        (2, "r-1", "Commutative", "Set", {"b": 3}, {"a": [1], "b": 3}, True),
        (3, "r-2", "Disjoint", "Remove", ABSENT, ABSENT, True),
    ]


def test_a_write_of_the_same_value_changes_nothing() -> None:
    running = RunDisposition.running("r")
    values = [1, 1, True, None, None]
    history = past(*(commit(running, put(Scope.THREAD, Merge.DISJOINT, "k", value)) for value in values))
    assert list(frames.timeline(history, Scope.THREAD, "k")["changed"]) == [True, False, True, True, False]
    removals = past(commit(running, Command.remove(Scope.THREAD, Merge.DISJOINT, "k")))
    assert list(frames.timeline(removals, Scope.THREAD, "k")["changed"]) == [False]


def test_the_timeline_of_a_cell_that_was_never_written_is_empty(history: History) -> None:
    assert rows(frames.timeline(history, Scope.SHARED, "notes")) == []


def test_changes(history: History) -> None:
    assert rows(frames.changes(history, 1, 3)) == [
        ("Run", "step", "added", ABSENT, None),
        ("Thread", "notes", "removed", {"a": [1]}, ABSENT),
        ("Shared", "lock", "added", ABSENT, "x"),
    ]
    assert rows(frames.changes(history, 2, 1)) == [
        ("Run", "step", "removed", None, ABSENT),
        ("Thread", "notes", "changed", {"a": [1], "b": 3}, {"a": [1]}),
    ]
    with pytest.raises(PositionError):
        frames.changes(history, 0, 4)
