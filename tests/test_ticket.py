"""Resume tickets: every target, the older forms, and what names no single thing to wait for."""

from __future__ import annotations

import dataclasses
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statekit.errors import WireError
from statekit.ticket import (
    InputReason,
    Pause,
    PauseReason,
    RemoteInput,
    ResumeTicket,
    Target,
    ToolCall,
    ToolReason,
)
from statekit.value import Held, same
from strategies import json_values, tickets

IDS = {"correlation_id": "c", "run_id": "r", "thread_id": "t", "snapshot_id": "s", "catalog_fingerprint": "f"}
MANUAL = {"Pause": "Manual"}
TOOL = {"tool_id": "x", "arguments": {"a": [1]}}


def ticket(**fields: Any) -> ResumeTicket:
    return ResumeTicket.from_wire({**IDS, **fields})


def target_of(node: Any) -> Target:
    return ticket(target=node).target


@pytest.mark.parametrize("reason", ["Permission", "ClientExecution", "ScheduledAction", "Delegation"])
def test_a_tool_call_reads_and_writes(reason: str) -> None:
    node = {"ToolCall": {"reason": reason, "call_id": "c1", "tool": TOOL}}
    target = target_of(node)
    assert target == ToolCall(ToolReason(reason), "c1", "x", Held({"a": [1]}))
    assert target.to_wire() == node


@pytest.mark.parametrize("reason", ["UserInput", "ExternalEvent"])
def test_a_remote_input_reads_and_writes(reason: str) -> None:
    node = {"RemoteInput": {"reason": reason, "call_id": "c1"}}
    assert target_of(node) == RemoteInput(InputReason(reason), "c1")
    assert target_of(node).to_wire() == node


@pytest.mark.parametrize("reason", ["Manual", "RateLimit", "BudgetReached"])
def test_a_pause_reads_and_writes(reason: str) -> None:
    assert target_of({"Pause": reason}) == Pause(PauseReason(reason))
    assert target_of({"Pause": reason}).to_wire() == {"Pause": reason}


def test_the_reasons_are_closed_sets() -> None:
    assert len(ToolReason) == 4
    assert len(InputReason) == 2
    assert len(PauseReason) == 3


@given(tickets())
def test_every_ticket_survives_the_trip(held: ResumeTicket) -> None:
    assert ResumeTicket.from_wire(json.loads(json.dumps(held.to_wire()))) == held
    assert pickle.loads(pickle.dumps(held)) == held
    assert hash(dataclasses.replace(held)) == hash(held)


@given(tickets())
def test_a_ticket_writes_the_fields_of_the_model(held: ResumeTicket) -> None:
    node = held.to_wire()
    assert {
        "correlation_id",
        "run_id",
        "thread_id",
        "snapshot_id",
        "catalog_fingerprint",
        "target",
        "deadline_ms",
    } <= set(node)
    assert set(node) - {*IDS, "target", "deadline_ms"} <= {"data_subject_id", "delegation_origin"}
    assert ("data_subject_id" in node) is (held.data_subject_id is not None)
    assert ("delegation_origin" in node) is (held.delegation_origin is not None)


OLDER: list[tuple[str, bool, bool, Any]] = [
    ("ToolPermission", True, True, "Permission"),
    ("ExternalEvent", True, True, "ClientExecution"),
    ("ScheduledAction", True, True, "ScheduledAction"),
    ("Delegation", True, True, "Delegation"),
    ("UserInput", True, False, "UserInput"),
    ("ExternalEvent", True, False, "ExternalEvent"),
    ("ManualPause", False, False, "Manual"),
    ("RateLimit", False, False, "RateLimit"),
]


def older_fields(reason: Any, call: bool, tool: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {} if reason is None else {"reason": reason}
    if call:
        fields["call_id"] = "c1"
    if tool:
        fields["pending_tool"] = TOOL
    return fields


def present_form(call: bool, tool: bool, reason: str) -> Any:
    if tool:
        return {"ToolCall": {"reason": reason, "call_id": "c1", "tool": TOOL}}
    return {"RemoteInput": {"reason": reason, "call_id": "c1"}} if call else {"Pause": reason}


@pytest.mark.parametrize(("reason", "call", "tool", "now"), OLDER)
def test_an_older_ticket_reads_and_is_written_in_the_present_form(
    reason: str, call: bool, tool: bool, now: str
) -> None:
    read = ticket(**older_fields(reason, call, tool))
    node = read.to_wire()
    assert node["target"] == present_form(call, tool, now)
    assert not {"reason", "call_id", "pending_tool", "initiator"} & set(node)
    assert ticket(**older_fields(reason, call, tool), target=None) == read
    nulls = {"call_id": None, "pending_tool": None, **older_fields(reason, call, tool)}
    assert ticket(**nulls) == read


ACCEPTED = {(reason, call, tool) for reason, call, tool, _ in OLDER}
NAMES = sorted(
    {reason for reason, *_ in OLDER} | {"BudgetReached", "Permission", "Manual", "toolpermission", "", "Nap"}
)
REFUSED = [
    (reason, call, tool)
    for reason in [*NAMES, None]
    for call in (False, True)
    for tool in (False, True)
    if (reason, call, tool) not in ACCEPTED
]


@pytest.mark.parametrize(("reason", "call", "tool"), REFUSED)
def test_an_older_ticket_that_names_no_single_thing_is_refused(reason: str | None, call: bool, tool: bool) -> None:
    with pytest.raises(WireError):
        ticket(**older_fields(reason, call, tool))


@pytest.mark.parametrize(
    "older",
    [
        {"reason": "ManualPause"},
        {"call_id": "c1"},
        {"pending_tool": TOOL},
        {"reason": "ToolPermission", "call_id": "c1", "pending_tool": TOOL},
    ],
)
def test_a_target_beside_its_older_form_is_refused(older: dict[str, Any]) -> None:
    with pytest.raises(WireError, match="both given"):
        ticket(target=MANUAL, **older)


def test_a_target_beside_nulls_of_its_older_form_reads() -> None:
    assert ticket(target=MANUAL, reason=None, call_id=None, pending_tool=None).target == Pause(PauseReason.MANUAL)


@pytest.mark.parametrize("reason", [1, ["ManualPause"], {"ManualPause": None}, True])
def test_an_older_reason_that_is_no_text_is_refused(reason: Any) -> None:
    with pytest.raises(WireError):
        ticket(reason=reason)
    with pytest.raises(WireError):
        ticket(reason="UserInput", call_id=reason)


@given(json_values.filter(lambda value: value is not None))
def test_the_initiator_is_the_older_name_of_the_delegation_origin(origin: Any) -> None:
    read = ticket(target=MANUAL, initiator=origin)
    assert read.delegation_origin == Held(origin)
    assert same(read.to_wire()["delegation_origin"], origin)
    assert read == ticket(target=MANUAL, delegation_origin=origin)


@pytest.mark.parametrize("values", [(1, 1), (None, 1), (1, None), (None, None)])
def test_both_names_of_the_delegation_origin_are_refused(values: tuple[Any, Any]) -> None:
    with pytest.raises(WireError):
        ticket(target=MANUAL, delegation_origin=values[0], initiator=values[1])


def test_null_options_are_none() -> None:
    read = ticket(target=MANUAL, deadline_ms=None, data_subject_id=None, delegation_origin=None)
    assert read == ticket(target=MANUAL)
    assert (read.deadline_ms, read.data_subject_id, read.delegation_origin) == (None, None, None)
    assert read.to_wire() == {**IDS, "target": MANUAL, "deadline_ms": None}


@given(st.integers(0, 2**64 - 1))
def test_a_deadline_is_milliseconds(deadline: int) -> None:
    assert ticket(target=MANUAL, deadline_ms=deadline).to_wire()["deadline_ms"] == deadline


@pytest.mark.parametrize("deadline", [-1, 2**64, 1.0, 1.5, True, False, "1", [], {}])
def test_a_deadline_that_is_no_count_of_milliseconds_is_refused(deadline: Any) -> None:
    with pytest.raises(WireError) as caught:
        ticket(target=MANUAL, deadline_ms=deadline)
    assert caught.value.path == "$.deadline_ms"


@pytest.mark.parametrize("name", IDS)
def test_every_id_of_a_ticket_must_be_there_and_be_text(name: str) -> None:
    node = {**IDS, "target": MANUAL}
    for damaged in ({**node, name: None}, {**node, name: 1}, {key: node[key] for key in node if key != name}):
        with pytest.raises(WireError):
            ResumeTicket.from_wire(damaged)


@pytest.mark.parametrize(
    ("node", "path"),
    [
        ([], "$.target"),
        ("Manual", "$.target"),
        ({}, "$.target"),
        ({**MANUAL, "RemoteInput": {"reason": "UserInput", "call_id": "c"}}, "$.target"),
        ({"Nap": 1}, "$.target.Nap"),
        ({"pause": "Manual"}, "$.target.pause"),
        ({"Pause": "Nap"}, "$.target.Pause"),
        ({"Pause": None}, "$.target.Pause"),
        ({"Pause": "ManualPause"}, "$.target.Pause"),
        ({"RemoteInput": "UserInput"}, "$.target.RemoteInput"),
        ({"RemoteInput": {"reason": "UserInput"}}, "$.target.RemoteInput"),
        ({"RemoteInput": {"reason": "Permission", "call_id": "c"}}, "$.target.RemoteInput.reason"),
        ({"RemoteInput": {"call_id": "c"}}, "$.target.RemoteInput"),
        ({"RemoteInput": {"reason": "UserInput", "call_id": None}}, "$.target.RemoteInput.call_id"),
        ({"ToolCall": None}, "$.target.ToolCall"),
        ({"ToolCall": {"reason": "Permission", "call_id": "c"}}, "$.target.ToolCall"),
        ({"ToolCall": {"reason": "ToolPermission", "call_id": "c", "tool": TOOL}}, "$.target.ToolCall.reason"),
        ({"ToolCall": {"reason": "Permission", "call_id": 1, "tool": TOOL}}, "$.target.ToolCall.call_id"),
        ({"ToolCall": {"reason": "Permission", "tool": TOOL}}, "$.target.ToolCall"),
        ({"ToolCall": {"reason": "Permission", "call_id": "c", "tool": None}}, "$.target.ToolCall.tool"),
        ({"ToolCall": {"reason": "Permission", "call_id": "c", "tool": {"tool_id": "x"}}}, "$.target.ToolCall.tool"),
        (
            {"ToolCall": {"reason": "Permission", "call_id": "c", "tool": {"tool_id": 1, "arguments": 1}}},
            "$.target.ToolCall.tool.tool_id",
        ),
        ({"ToolCall": {"reason": "Permission", "call_id": "c", "tool": {"arguments": 1}}}, "$.target.ToolCall.tool"),
    ],
)
def test_what_is_no_target_tells_the_place(node: Any, path: str) -> None:
    with pytest.raises(WireError) as caught:
        target_of(node)
    assert caught.value.path == path


def test_unknown_fields_are_ignored_at_every_level() -> None:
    call = {"reason": "Permission", "call_id": "c", "tool": {**TOOL, "future": 1}, "future": 1}
    read = ticket(target={"ToolCall": call}, future={"a": 1})
    assert read.to_wire() == {
        **IDS,
        "target": {"ToolCall": {"reason": "Permission", "call_id": "c", "tool": TOOL}},
        "deadline_ms": None,
    }


def test_arguments_may_be_null_and_are_not_shared_on_the_way_out() -> None:
    call = {"reason": "Permission", "call_id": "c", "tool": {"tool_id": "x", "arguments": None}}
    assert target_of({"ToolCall": call}).to_wire() == {"ToolCall": call}

    held = ticket(target={"ToolCall": {**call, "tool": TOOL}}, delegation_origin={"b": [2]})
    written = held.to_wire()
    written["target"]["ToolCall"]["tool"]["arguments"]["a"].append("mutated")
    written["delegation_origin"]["b"].append("mutated")
    assert held.to_wire()["target"]["ToolCall"]["tool"]["arguments"] == {"a": [1]}
    assert held.to_wire()["delegation_origin"] == {"b": [2]}


def test_a_ticket_and_its_targets_never_change() -> None:
    held = ticket(target={"ToolCall": {"reason": "Permission", "call_id": "c", "tool": TOOL}})
    with pytest.raises(dataclasses.FrozenInstanceError):
        held.run_id = "other"  # type: ignore[misc]
    for target in (held.target, Pause(PauseReason.MANUAL), RemoteInput(InputReason.USER_INPUT, "c")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            target.reason = None  # type: ignore[assignment, misc]


@pytest.mark.parametrize(
    ("left", "right"), [(1, True), (1, 1.0), ({"a": 1}, {"a": True}), ([], {})], ids=["bool", "float", "deep", "empty"]
)
def test_tickets_are_equal_by_strict_value(left: Any, right: Any) -> None:
    def waiting(arguments: Any, origin: Any) -> ResumeTicket:
        tool = {"tool_id": "x", "arguments": arguments}
        call = {"ToolCall": {"reason": "Permission", "call_id": "c", "tool": tool}}
        return ticket(target=call, delegation_origin=origin)

    assert waiting(left, left) == waiting(left, left)
    assert waiting(left, 0) != waiting(right, 0)
    assert waiting(0, left) != waiting(0, right)
