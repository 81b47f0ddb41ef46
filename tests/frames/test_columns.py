"""Columns and dtypes: documented, the same when empty, and new at each call."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pandas as pd
import pytest

from statekit import History, Scope, frames


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
