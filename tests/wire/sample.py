"""A command as text, which several of these tests repeat or nest."""

from __future__ import annotations

from typing import Any


def commit(**replaced: str) -> str:
    parts = {
        "thread_id": '"t"',
        "run_fact": '{"run_id":"r","phase":"Running"}',
        "messages": "[]",
        "state": "[]",
        "events": "[]",
        "resume_ticket": "null",
        **replaced,
    }
    return "{" + ",".join(f'"{name}":{value}' for name, value in parts.items()) + "}"


COMMAND = '{"key":"k","scope":"Run","merge":"Disjoint","run_id":"r","action":{"Set":1}}'
EVENT = '{"kind":"k","payload":1}'
TICKET_IDS = '"correlation_id":"c","run_id":"r","thread_id":"t","snapshot_id":"s","catalog_fingerprint":"f"'
TOOL_CALL = '{"ToolCall":{"reason":"Permission","call_id":"c","tool":{"tool_id":"x","arguments":[]}}}'
TICKET = f'{{{TICKET_IDS},"target":{TOOL_CALL},"deadline_ms":null,"data_subject_id":"d","delegation_origin":1}}'
AWAITING = '{"run_id":"r","phase":"Awaiting"}'


def with_ticket(ticket: str) -> str:
    return commit(run_fact=AWAITING, resume_ticket=ticket)


def all_parts(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [value, *(part for item in inner for part in all_parts(item))]
