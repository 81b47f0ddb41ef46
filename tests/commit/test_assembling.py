"""Assembling a thread commit: stamping, events, and what is copied."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from spoiling import spoil
from statekit.command import Command, Set
from statekit.commit import ThreadCommit
from statekit.errors import StateError, WireError
from statekit.run import RunDisposition
from statekit.value import same
from statekit.vocabulary import Scope
from tests.commit.sample import AWAITING, ENDED, RUNNING, TICKET, D, read


@pytest.mark.parametrize("owner", [None, "other", "r"])
def test_only_run_scoped_commands_are_stamped(owner: str | None) -> None:
    given_in = [Command("k", scope, D, Set(1), owner) for scope in Scope]
    made = ThreadCommit.assemble("t", RUNNING, state=given_in)
    assert [command.run_id for command in made.commands] == ["r", owner, owner, owner]
    assert [dataclasses.replace(command, run_id=owner) for command in made.commands] == given_in
    assert [command.run_id for command in given_in] == [owner] * 4


def test_a_removal_is_stamped_too() -> None:
    made = ThreadCommit.assemble("t", RUNNING, state=[Command.remove(Scope.RUN, D, "k")])
    assert made.commands[0].run_id == "r"


OWN: list[dict[str, Any]] = [{"kind": "B", "payload": 1}, {"kind": "A", "payload": None, "note": [1]}]


def state_changed(phase: Any) -> dict[str, Any]:
    return {"kind": "RunStateChanged", "payload": {"state": phase}}


STAGED = {"kind": "StateChanged", "payload": {"commands": 2}}
WAITS = {"kind": "RunAwaiting", "payload": {"run_id": "r"}}


@pytest.mark.parametrize("own_events", [[], OWN], ids=["none", "own"])
@pytest.mark.parametrize("batch", [0, 2])
@pytest.mark.parametrize("changed", [True, False])
@pytest.mark.parametrize(
    ("run", "phase"),
    [(RUNNING, "Running"), (AWAITING, "Awaiting"), (ENDED, {"Ended": {"Stopped": "budget"}})],
    ids=["running", "awaiting", "ended"],
)
def test_events_come_in_the_order_of_the_model(
    run: RunDisposition, phase: Any, changed: bool, batch: int, own_events: list[Any]
) -> None:
    made = ThreadCommit.assemble(
        "t",
        run,
        state_changed=changed,
        state=[Command.set(Scope.THREAD, D, str(n), n) for n in range(batch)],
        extra_events=own_events,
    )
    expected = [
        *([state_changed(phase)] if changed else []),
        *([STAGED] if batch else []),
        *([WAITS] if run is AWAITING else []),
        *own_events,
    ]
    assert same(made.events, expected)
    assert made.run_id == "r"
    assert made.phase == phase
    assert made.resume_ticket == (TICKET if run is AWAITING else None)
    made.validate()


def test_the_state_of_a_run_changes_unless_it_is_said_otherwise() -> None:
    assert ThreadCommit.assemble("t", RUNNING).events == [state_changed("Running")]


def test_what_a_caller_gives_is_not_shared() -> None:
    messages = [{"role": "user", "parts": [{"text": "hi"}]}]
    events: list[dict[str, Any]] = [{"kind": {"custom": ["a"]}, "payload": {"deep": [[1]]}, "note": [2]}]
    batch = [Command.set(Scope.RUN, D, "k", {"a": [1]})]
    made = ThreadCommit.assemble("t", RUNNING, messages=messages, state=batch, extra_events=events)
    before = made.to_json()
    spoil(messages)
    spoil(events)
    batch.clear()
    assert made.to_json() == before
    spoil(made.messages)
    spoil(made.events)
    assert made.to_json() == before


def test_what_is_read_is_not_shared_on_the_way_out() -> None:
    parsed = read(messages=[{"a": [1]}], events=[{"kind": ["k"], "payload": {"a": [1]}, "note": [{}]}])
    before = parsed.to_json()
    spoil(parsed.messages)
    spoil(parsed.events)
    assert parsed.to_json() == before


def test_any_iterable_can_be_assembled() -> None:
    made = ThreadCommit.assemble(
        "t",
        RUNNING,
        messages=(text for text in ["a", "b"]),
        state=(Command.set(Scope.THREAD, D, key, 1) for key in "ab"),
        extra_events=(event for event in OWN),
    )
    assert made.messages == ["a", "b"]
    assert made.events == [state_changed("Running"), STAGED, *OWN]


@pytest.mark.parametrize("value", [float("nan"), 2**64, {1: 2}, {1}, b"a", "\ud800"], ids=ascii)
def test_a_message_or_event_without_json_form_is_refused(value: Any) -> None:
    with pytest.raises(StateError) as caught:
        ThreadCommit.assemble("t", RUNNING, messages=[{"a": [value]}])
    assert caught.value.errors
    with pytest.raises(StateError) as caught:
        ThreadCommit.assemble("t", RUNNING, extra_events=[{"kind": "k", "payload": {"a": value}}])
    assert caught.value.errors


@pytest.mark.parametrize("event", [{}, {"kind": "k"}, {"payload": 1}, {"Kind": "k", "payload": 1}])
def test_an_event_needs_its_kind_and_payload(event: dict[str, Any]) -> None:
    with pytest.raises(WireError) as caught:
        ThreadCommit.assemble("t", RUNNING, state_changed=False, extra_events=[*OWN, event])
    assert caught.value.path == "$.events[2]"
    with pytest.raises(WireError):
        read(events=[event])


@pytest.mark.parametrize("event", [None, 1, "k", ["k", 1]])
def test_an_event_is_an_object(event: Any) -> None:
    with pytest.raises(WireError):
        ThreadCommit.assemble("t", RUNNING, extra_events=[event])
    with pytest.raises(WireError):
        read(events=[event])


def test_a_commit_never_changes() -> None:
    made = ThreadCommit.assemble("t", RUNNING)
    for field in dataclasses.fields(made):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(made, field.name, None)
    assert isinstance(made.commands, tuple)
