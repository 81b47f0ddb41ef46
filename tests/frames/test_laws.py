"""Frames hold copies, agree with the history, and are shown as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from hypothesis import given

from statekit import Command, History, Remove, Scope, Store, ThreadCommit, frames
from statekit import MergePolicy as Merge
from statekit.value import same
from strategies import threads
from tests.frames.sample import past, put


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
