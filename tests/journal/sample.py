"""What the tests of the media share: commits as they are written, the sample database and what is done to copies."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

from statekit.history import History
from statekit.transition import ProblemKind

Unchanged = Callable[[Path], AbstractContextManager[None]]
CORRUPT, INVALID = ProblemKind.CORRUPT, ProblemKind.INVALID_COMMIT
THREADS = {"support-42": 36, "research-7": 41}
HISTORIES = Path(__file__).parents[1] / "data" / "histories"
SAMPLE = HISTORIES / "two-threads.db"

# Which of the commits of the sample are those of support-42.
SEQUENCES = [1, 3, 4, 5, 6, 10, 12, 13, 20, 21, 22, 23, 24, 27, 29, 31, 32, 33, 35, 38, 39, 42, 43, 44, 47, 48, 49, 54]
SEQUENCES += [58, 60, 61, 62, 65, 67, 70, 73]


INSERT = (
    "INSERT INTO runtime_commit VALUES (78, 'support-42', 'run-4', '\"Running\"', '2026-11-03 10:00:00')",
    "INSERT INTO runtime_state_command VALUES"
    """ (900, 78, 'support-42', '{"key":"k","scope":"Thread","merge":"Disjoint","action":{"Set":1}}')""",
)

INTERRUPTED = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("PRAGMA cache_spill = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE runtime_commit SET thread_id = 'half-done'")
connection.execute("UPDATE runtime_state_command SET data = 'half-done' || data")
os._exit(0)
"""


# `NOT NULL` keeps a NULL out of these columns, so the tables that hold one are made without it.
LOOSE = [
    "PRAGMA writable_schema=ON",
    "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'",
]


def run(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def problems(history: History) -> list[tuple[ProblemKind, int, str]]:
    return [(problem.kind, problem.position, problem.detail) for problem in history.problems]


def sequences(history: History) -> list[int]:
    return [transition.sequence for transition in history]


def first_id(table: str, commit: int) -> int:
    with closing(sqlite3.connect(f"{SAMPLE.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        if table == "event":
            return commit * 1000
        return int(
            connection.execute(f"SELECT min(id) FROM runtime_{table} WHERE commit_sequence = {commit}").fetchone()[0]
        )


def line(thread_id: str = "t", run_id: str = "r", **fields: Any) -> bytes:
    """One commit as a runtime writes it."""
    commit: dict[str, Any] = {
        "thread_id": thread_id,
        "run_fact": {"run_id": run_id, "phase": "Running"},
        "messages": [],
        "state": [],
        "events": [],
        "resume_ticket": None,
    }
    return json.dumps({**commit, **fields}).encode() + b"\n"


def found(history: History) -> list[tuple[ProblemKind, int, int | None, int | None]]:
    return [(problem.kind, problem.position, problem.line, problem.offset) for problem in history.problems]
