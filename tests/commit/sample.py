"""Commits and tickets that several of these tests start from."""

from __future__ import annotations

import json
from typing import Any

from statekit.commit import ThreadCommit
from statekit.run import RunDisposition
from statekit.ticket import Pause, PauseReason, ResumeTicket
from statekit.vocabulary import MergePolicy

D, E = MergePolicy.DISJOINT, MergePolicy.EXCLUSIVE
TICKET = ResumeTicket("c", "r", "t", "s", "f", Pause(PauseReason.MANUAL), 5)
WIRE_TICKET = {
    "correlation_id": "c",
    "run_id": "r",
    "thread_id": "t",
    "snapshot_id": "s",
    "catalog_fingerprint": "f",
    "target": {"Pause": "Manual"},
    "deadline_ms": 5,
}
RUNNING = RunDisposition.running("r")
AWAITING = RunDisposition.awaiting(TICKET)
ENDED = RunDisposition.ended("r", {"Stopped": "budget"})
NODE: dict[str, Any] = {
    "thread_id": "t",
    "run_fact": {"run_id": "r", "phase": "Running"},
    "messages": [],
    "state": [],
    "events": [],
    "resume_ticket": None,
}


def read(**replaced: Any) -> ThreadCommit:
    return ThreadCommit.from_json(json.dumps({**NODE, **replaced}))


def command_node(value: int) -> dict[str, Any]:
    return {"key": "k", "scope": "Run", "merge": "Exclusive", "action": {"Set": value}}
