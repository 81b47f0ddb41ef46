"""A history that each table is made of."""

from __future__ import annotations

import pytest

from statekit import Command, History, RunDisposition, Scope
from statekit import MergePolicy as Merge
from tests.frames.sample import FAR, NINE, commit, past, put


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
