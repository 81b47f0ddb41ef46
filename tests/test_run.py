"""The state of a run: phases, causes, their wire values, and when a ticket belongs to them."""

from __future__ import annotations

import dataclasses
import json
import pickle
from typing import Any

import pytest
from hypothesis import given

from statekit.errors import StatekitError, ValidationError, WireError
from statekit.run import EndCause, EndKind, ErrorKind, Phase, PhaseKind, RunDisposition
from statekit.ticket import Pause, PauseReason, ResumeTicket
from statekit.value import Held
from strategies import end_causes, tickets

TICKET = ResumeTicket("c", "r", "t", "s", "f", Pause(PauseReason.MANUAL))

CAUSES: list[tuple[Any, EndCause, str]] = [
    ("NaturalEnd", EndCause(EndKind.NATURAL_END), "NaturalEnd"),
    ("MaxSteps", EndCause(EndKind.MAX_STEPS), "MaxSteps"),
    ("Cancelled", EndCause(EndKind.CANCELLED), "Cancelled"),
    ("Indeterminate", EndCause(EndKind.INDETERMINATE), "Indeterminate"),
    ({"Stopped": "budget"}, EndCause(EndKind.STOPPED, reason="budget"), "Stopped: budget"),
    ({"Stopped": ""}, EndCause(EndKind.STOPPED, reason=""), "Stopped"),
    (
        {"Error": "CapabilityBound"},
        EndCause(EndKind.ERROR, error=ErrorKind.CAPABILITY_BOUND),
        "Error: CapabilityBound",
    ),
    ({"Error": "StateConflict"}, EndCause(EndKind.ERROR, error=ErrorKind.STATE_CONFLICT), "Error: StateConflict"),
    (
        {"Error": {"Inference": {"code": "rate_limited", "message": "429"}}},
        EndCause(EndKind.ERROR, error=ErrorKind.INFERENCE, code="rate_limited", message="429"),
        "Error: Inference: rate_limited: 429",
    ),
]
PHASES: list[tuple[Any, Phase, str]] = [
    ("Running", Phase.RUNNING, "Running"),
    ("Awaiting", Phase.AWAITING, "Awaiting"),
    *[({"Ended": node}, Phase(PhaseKind.ENDED, cause), f"Ended: {text}") for node, cause, text in CAUSES],
]


@pytest.mark.parametrize(("node", "cause", "text"), CAUSES)
def test_a_cause_reads_and_writes(node: Any, cause: EndCause, text: str) -> None:
    assert EndCause.from_wire(node) == cause
    assert cause.to_wire() == node
    assert str(cause) == text


@pytest.mark.parametrize(("node", "phase", "text"), PHASES)
def test_a_phase_reads_writes_and_says_itself(node: Any, phase: Phase, text: str) -> None:
    assert Phase.from_wire(node) == phase
    assert phase.to_wire() == node
    assert str(phase) == text
    assert phase.ended is isinstance(node, dict)


@given(end_causes)
def test_every_cause_survives_the_trip(cause: EndCause) -> None:
    assert EndCause.from_wire(json.loads(json.dumps(cause.to_wire()))) == cause
    phase = Phase(PhaseKind.ENDED, cause)
    assert Phase.from_wire(json.loads(json.dumps(phase.to_wire()))) == phase
    assert pickle.loads(pickle.dumps(phase)) == phase
    assert hash(Phase(PhaseKind.ENDED, dataclasses.replace(cause))) == hash(phase)


def test_every_kind_of_cause_and_error_is_in_the_table() -> None:
    assert {cause.kind for _, cause, _ in CAUSES} == set(EndKind)
    assert {cause.error for _, cause, _ in CAUSES} == {None, *ErrorKind}


def test_waiting_is_the_older_name_of_awaiting() -> None:
    assert Phase.from_wire("Waiting") == Phase.AWAITING
    assert Phase.from_wire("Waiting").to_wire() == "Awaiting"


def test_unknown_fields_of_an_inference_error_are_ignored() -> None:
    node = {"Error": {"Inference": {"code": "x", "message": "y", "status": 429}}}
    assert EndCause.from_wire(node) == EndCause(EndKind.ERROR, error=ErrorKind.INFERENCE, code="x", message="y")


@pytest.mark.parametrize(
    ("node", "path"),
    [
        (None, "$"),
        (1, "$"),
        (["Running"], "$"),
        ({}, "$"),
        ("running", "$"),
        ("RUNNING", "$"),
        ("Paused", "$"),
        ("Ended", "$"),
        ({"Running": 1}, "$"),
        ({"Running": None}, "$"),
        ({"Waiting": None}, "$"),
        ({"Ended": {"NaturalEnd": None}}, "$.Ended"),
        ({"Ended": {"Error": {"StateConflict": None}}}, "$.Ended.Error"),
        ({"Ended": "NaturalEnd", "Running": None}, "$"),
        ({"ended": "NaturalEnd"}, "$"),
        ({"Ended": None}, "$.Ended"),
        ({"Ended": "Exploded"}, "$.Ended"),
        ({"Ended": "Stopped"}, "$.Ended"),
        ({"Ended": "Error"}, "$.Ended"),
        ({"Ended": {"NaturalEnd": 1}}, "$.Ended"),
        ({"Ended": {"Stopped": None}}, "$.Ended"),
        ({"Ended": {"Stopped": 5}}, "$.Ended"),
        ({"Ended": {"Stopped": "a", "Error": "b"}}, "$.Ended"),
        ({"Ended": {"Error": None}}, "$.Ended.Error"),
        ({"Ended": {"Error": "Boom"}}, "$.Ended.Error"),
        ({"Ended": {"Error": "Inference"}}, "$.Ended.Error"),
        ({"Ended": {"Error": {"StateConflict": 1}}}, "$.Ended.Error"),
        ({"Ended": {"Error": {"Inference": None}}}, "$.Ended.Error.Inference"),
        ({"Ended": {"Error": {"Inference": {"code": "x"}}}}, "$.Ended.Error.Inference"),
        ({"Ended": {"Error": {"Inference": {"message": "x"}}}}, "$.Ended.Error.Inference"),
        ({"Ended": {"Error": {"Inference": {"code": 1, "message": "x"}}}}, "$.Ended.Error.Inference"),
    ],
)
def test_what_is_no_phase_tells_the_place(node: Any, path: str) -> None:
    with pytest.raises(WireError) as caught:
        Phase.from_wire(node)
    assert caught.value.path.startswith(path)


def test_a_phase_equals_its_wire_value_and_nothing_near() -> None:
    ended = Phase.from_wire({"Ended": {"Stopped": "budget"}})
    assert ended == {"Ended": {"Stopped": "budget"}}
    assert ended != {"Ended": {"Stopped": "other"}}
    assert ended != Phase.from_wire({"Ended": "NaturalEnd"})
    assert ended != "Ended"
    assert Phase.RUNNING == "Running"
    assert hash(Phase.RUNNING) == hash("Running")
    assert Phase.RUNNING != "Awaiting"
    assert Phase.AWAITING != "Waiting"
    assert Phase.RUNNING != Phase.AWAITING
    assert len({Phase.RUNNING, Phase.from_wire("Running"), Phase.AWAITING, ended}) == 3


def test_a_disposition_never_changes() -> None:
    run = RunDisposition.running("r")
    for name in ("run_id", "phase", "resume_ticket"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(run, name, None)


def test_a_running_run() -> None:
    assert RunDisposition.running("r") == RunDisposition("r", Phase.RUNNING, None)


def test_an_awaiting_run_is_the_run_of_its_ticket() -> None:
    assert RunDisposition.awaiting(TICKET) == RunDisposition("r", Phase.AWAITING, TICKET)


@given(tickets())
def test_a_ticket_may_be_given_as_its_wire_object(ticket: ResumeTicket) -> None:
    assert RunDisposition.awaiting(ticket.to_wire()) == RunDisposition.awaiting(ticket)


def wire_ticket(arguments: Any, origin: Any = None) -> dict[str, Any]:
    call = {"reason": "Permission", "call_id": "c", "tool": {"tool_id": "x", "arguments": arguments}}
    ids = {"correlation_id": "c", "run_id": "r", "thread_id": "t", "snapshot_id": "s", "catalog_fingerprint": "f"}
    return {**ids, "target": {"ToolCall": call}, "delegation_origin": origin}


def test_a_ticket_given_as_its_wire_object_is_not_shared_with_the_caller() -> None:
    arguments: dict[str, Any] = {"a": [1]}
    origin: dict[str, Any] = {"b": [2]}
    run = RunDisposition.awaiting(wire_ticket(arguments, origin))
    arguments["a"].append("mutated")
    origin["b"].append("mutated")
    assert run.resume_ticket is not None
    written = run.resume_ticket.to_wire()
    assert written["target"]["ToolCall"]["tool"]["arguments"] == {"a": [1]}
    assert written["delegation_origin"] == {"b": [2]}


@pytest.mark.parametrize("value", [float("nan"), 2**64, {1: 2}, {1}, b"a", "\ud800"], ids=ascii)
def test_a_ticket_given_as_its_wire_object_is_json(value: Any) -> None:
    for arguments, origin in (([value], None), (None, [value])):
        with pytest.raises(StatekitError):
            RunDisposition.awaiting(wire_ticket(arguments, origin))


def test_a_wire_object_that_is_no_ticket_is_refused() -> None:
    with pytest.raises(WireError):
        RunDisposition.awaiting({"run_id": "r"})


@pytest.mark.parametrize(("node", "cause", "text"), CAUSES)
def test_an_ended_run_takes_its_cause_or_the_wire_value(node: Any, cause: EndCause, text: str) -> None:
    assert RunDisposition.ended("r", node) == RunDisposition.ended("r", cause)
    assert RunDisposition.ended("r", cause) == RunDisposition("r", Phase(PhaseKind.ENDED, cause), None)


@pytest.mark.parametrize("cause", ["Exploded", None, {"Stopped": 1}, "Stopped", Held("NaturalEnd")])
def test_a_cause_that_is_none_is_refused(cause: Any) -> None:
    with pytest.raises(WireError):
        RunDisposition.ended("r", cause)


@pytest.mark.parametrize(
    "run",
    [
        RunDisposition("r", Phase.AWAITING),
        RunDisposition("r", Phase.RUNNING, TICKET),
        RunDisposition("r", Phase(PhaseKind.ENDED, EndCause(EndKind.NATURAL_END)), TICKET),
        RunDisposition("other", Phase.AWAITING, TICKET),
        RunDisposition("r", Phase.AWAITING, dataclasses.replace(TICKET, thread_id="other")),
    ],
    ids=["no ticket", "running", "ended", "other run", "other thread"],
)
def test_a_run_awaits_exactly_when_it_has_a_ticket_of_its_own(run: RunDisposition) -> None:
    with pytest.raises(ValidationError):
        run.validate("t")


def test_a_run_that_keeps_the_rules_is_valid() -> None:
    RunDisposition.running("r").validate("t")
    RunDisposition.awaiting(TICKET).validate("t")
    RunDisposition.ended("r", "NaturalEnd").validate("t")
