"""Histories, commits and commands in short."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from statekit import Command, History, RunDisposition, Scope, ThreadCommit, Transition
from statekit import MergePolicy as Merge

NINE = datetime(2026, 11, 3, 9, 0, 7, 250_000, tzinfo=UTC)
FAR = datetime(9999, 12, 31, tzinfo=timezone(timedelta(hours=-2)))


def commit(run: RunDisposition, *state: Command, **more: Any) -> ThreadCommit:
    return ThreadCommit.assemble("t", run, state=state, **more)


def past(*commits: ThreadCommit, times: tuple[datetime | None, ...] = ()) -> History:
    known = [*times, *[None] * len(commits)]
    return History("t", [Transition(n, 10 * n, c, known[n - 1]) for n, c in enumerate(commits, start=1)])


def put(scope: Scope, merge: Merge, key: str, value: object) -> Command:
    return Command.set(scope, merge, key, value)
