"""Histories to open, a history made on the spot, and the cells of a notebook."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import nbformat

from statekit import Command, MergePolicy, RunDisposition, Scope, ThreadCommit

HISTORIES = Path(__file__).parent.parent / "data" / "histories"
SUPPORT = HISTORIES / "support-42.ndjson"
COMMAND = [sys.executable, "-m", "statekit"]
LONELY = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "TTY_COMPATIBLE")}
SEVERAL_THREADS = ["two-threads.db", "two-threads.ndjson"]


def journal_of(path: Path, keys: list[str], run_id: str = "r", thread_id: str = "t") -> Path:
    """A file with one transition that sets some keys."""
    state = [Command.set(Scope.THREAD, MergePolicy.DISJOINT, key, 1) for key in keys]
    commit = ThreadCommit.assemble(thread_id, RunDisposition.running(run_id), state=state)
    path.write_text(commit.to_json() + "\n", encoding="utf-8")
    return path


def cells_of(text: str) -> list[Any]:
    node = nbformat.reads(text, as_version=4)
    nbformat.validate(node)
    return list(node.cells)


def executed(source: str) -> dict[str, Any]:
    """The names that code of a notebook leaves behind."""
    names: dict[str, Any] = {}
    exec(source, names)  # noqa: S102  # cells are made to be run
    return names


AWKWARD = 'it\'s "so" ü $x$ `y` <b>.ndjson'
