"""Histories and stores as pandas tables."""

from __future__ import annotations

import inspect
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pandas as pd
import pytest
from hypothesis import given

from statekit import (
    ABSENT,
    Command,
    History,
    PositionError,
    Remove,
    RunDisposition,
    Scope,
    Store,
    ThreadCommit,
    Transition,
    frames,
)
from statekit import MergePolicy as Merge
from statekit.value import same
from strategies import threads

NINE = datetime(2026, 11, 3, 9, 0, 7, 250_000, tzinfo=UTC)
FAR = datetime(9999, 12, 31, tzinfo=timezone(timedelta(hours=-2)))


def commit(run: RunDisposition, *state: Command, **more: Any) -> ThreadCommit:
    return ThreadCommit.assemble("t", run, state=state, **more)


def past(*commits: ThreadCommit, times: tuple[datetime | None, ...] = ()) -> History:
    known = [*times, *[None] * len(commits)]
    return History("t", [Transition(n, 10 * n, c, known[n - 1]) for n, c in enumerate(commits, start=1)])


def put(scope: Scope, merge: Merge, key: str, value: object) -> Command:
    return Command.set(scope, merge, key, value)


@pytest.fixture
def history() -> History:
    """Three transitions of two runs: a merge twice in one batch, a null, and a removal."""
    notes = [put(Scope.THREAD, Merge.COMMUTATIVE, "notes", {"a": [1]})]
    second = [
        put(Scope.THREAD, Merge.COMMUTATIVE, "notes", {"b": 2}),
        put(Scope.RUN, Merge.DISJOINT, "step", None),
        put(Scope.THREAD, Merge.COMMUTATIVE, "notes", {"b": 3}),
    ]
    third = [Command.remove(Scope.THREAD, Merge.DISJOINT, "notes"), put(Scope.SHARED, Merge.EXCLUSIVE, "lock", "x")]
    return past(
        commit(RunDisposition.running("r-1"), *notes, messages=[{"m": 1}, {"m": 2}]),
        commit(RunDisposition.ended("r-1", {"Stopped": "budget"}), *second),
        commit(RunDisposition.running("r-2"), *third, state_changed=False),
        times=(NINE, FAR),
    )


@pytest.fixture
def empty() -> History:
    return History("t", [])


TEXT, VALUE = "string", "object"
TRANSITIONS = {
    "position": "int64",
    "sequence": "int64",
    "run_id": TEXT,
    "state": TEXT,
    "commands": "int64",
    "cells": TEXT,
    "messages": "int64",
    "events": "int64",
    "committed_at": "datetime64[us, UTC]",
}
COMMANDS = {
    "position": "int64",
    "index": "int64",
    "run_id": TEXT,
    "owner": TEXT,
    "scope": TEXT,
    "key": TEXT,
    "merge": TEXT,
    "action": TEXT,
    "value": VALUE,
}
STATE = {"scope": TEXT, "key": TEXT, "value": VALUE, "type": TEXT, "preview": TEXT}
TIMELINE = {
    "position": "int64",
    "run_id": TEXT,
    "merge": TEXT,
    "action": TEXT,
    "written": VALUE,
    "value": VALUE,
    "changed": "bool",
}
CHANGES = {"scope": TEXT, "key": TEXT, "kind": TEXT, "before": VALUE, "after": VALUE}

TABLES = [
    pytest.param(frames.transitions, TRANSITIONS, id="transitions"),
    pytest.param(frames.commands, COMMANDS, id="commands"),
    pytest.param(lambda history: frames.state(history.store_at(len(history))), STATE, id="state"),
    pytest.param(lambda history: frames.timeline(history, Scope.THREAD, "notes"), TIMELINE, id="timeline"),
    pytest.param(lambda history: frames.changes(history, 0, len(history)), CHANGES, id="changes"),
]


@pytest.mark.parametrize(("table", "expected"), TABLES)
def test_columns_and_dtypes_are_the_same_when_empty(
    table: Callable[[History], pd.DataFrame], expected: dict[str, str], history: History, empty: History
) -> None:
    full, none = table(history), table(empty)
    assert len(full) > 0
    assert len(none) == 0
    for frame in (full, none):
        assert {str(name): str(dtype) for name, dtype in frame.dtypes.items()} == expected
        assert isinstance(frame.index, pd.RangeIndex)
    pd.testing.assert_series_equal(full.dtypes, none.dtypes)
    assert pd.concat([none, full]).dtypes.equals(full.dtypes)


@pytest.mark.parametrize(("table", "expected"), TABLES)
def test_each_call_makes_a_new_frame(
    table: Callable[[History], pd.DataFrame], expected: dict[str, str], history: History
) -> None:
    first = table(history)
    del first[next(iter(expected))]
    assert list(table(history).columns) == list(expected)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (frames.transitions, TRANSITIONS),
        (frames.commands, COMMANDS),
        (frames.state, STATE),
        (frames.timeline, TIMELINE),
        (frames.changes, CHANGES),
    ],
)
def test_the_docstring_lists_every_column_with_its_dtype_and_meaning(
    function: Callable[..., pd.DataFrame], expected: dict[str, str]
) -> None:
    lines = (inspect.getdoc(function) or "").partition("Columns::\n")[2].strip().splitlines()
    listed = [line.split(None, 2) if "datetime" not in line else line.split(None, 3) for line in lines]
    assert [words[0] for words in listed] == list(expected)
    assert [words[1].removesuffix("[python]").rstrip(",") for words in listed] == [
        dtype.partition(",")[0] for dtype in expected.values()
    ]
    assert all(len(words[-1]) > 3 for words in listed)


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


@pytest.mark.parametrize(
    ("table", "names"),
    [
        pytest.param(frames.commands, ["value"], id="commands"),
        pytest.param(lambda history: frames.state(history.store_at(2)), ["value"], id="state"),
        pytest.param(
            lambda history: frames.timeline(history, Scope.THREAD, "notes"), ["written", "value"], id="timeline"
        ),
        pytest.param(lambda history: frames.changes(history, 1, 2), ["before", "after"], id="changes"),
    ],
)
def test_changing_a_value_of_a_frame_changes_no_history(
    table: Callable[[History], pd.DataFrame], names: list[str], history: History
) -> None:
    def held() -> list[Any]:
        actions = [command.action for transition in history for command in transition.commands]
        states = [list(history.store_at(position).items()) for position in range(len(history) + 1)]
        return [[getattr(action, "value", None) for action in actions], states]

    before, frame = held(), table(history)
    for name in names:
        objects = [value for value in frame[name] if isinstance(value, dict)]
        assert objects
        for value in objects:
            value.setdefault("a", []).append("changed")
    assert held() == before


@given(threads(max_size=6))
def test_a_timeline_ends_each_position_with_what_the_history_holds(commits: list[ThreadCommit]) -> None:
    history = past(*commits)
    for scope, key in history.cells:
        frame = frames.timeline(history, scope, key)
        last = frame.groupby("position").tail(1)
        expected = [history.held(scope, key, position) for position in last["position"]]
        assert same(list(last["value"]), expected)
        assert len(frame) == len(history.writes(scope, key))


@given(threads(max_size=6))
def test_folding_the_commands_of_a_frame_gives_the_state(commits: list[ThreadCommit]) -> None:
    history = past(*commits)
    store = Store()
    for row in frames.commands(history).itertuples(index=False):
        action = Remove() if row.action == "Remove" else None
        scope, merge = Scope(row.scope), Merge(row.merge)
        store.apply(Command(row.key, scope, merge, action) if action else Command.set(scope, merge, row.key, row.value))
    assert store == history.store_at(len(history))


def test_markup_is_escaped_where_pandas_makes_html() -> None:
    store = Store()
    store.apply(put(Scope.THREAD, Merge.DISJOINT, "<img src=x>", {"<script>": "<b>"}))
    page = frames.state(store).to_html()
    assert "&lt;img src=x&gt;" in page
    assert "<img" not in page
    assert "<script" not in page


def test_a_hundred_thousand_transitions_take_seconds() -> None:
    shared = commit(RunDisposition.running("r"), put(Scope.RUN, Merge.DISJOINT, "k", 1), messages=[{"m": "x" * 1000}])
    history = History("t", (Transition(n, n, shared, NINE) for n in range(1, 100_001)))
    start = time.process_time()
    frame = frames.transitions(history)
    # Under one second alone; a frame that grows row by row takes minutes.
    assert time.process_time() - start < 10
    assert frame["position"].iloc[-1] == 100_000


def test_without_pandas_the_import_says_what_to_install() -> None:
    code = "import sys; sys.modules['pandas'] = None\nimport statekit.frames"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last == "ModuleNotFoundError: statekit.frames needs pandas: pip install 'statekit[frames]'"
