"""Thread commits: assembling, stamping, events, validation, and the wire form."""

from __future__ import annotations

import dataclasses
import json
import pickle
from typing import Any

import pytest
from hypothesis import given

from statekit.command import Command, Set
from statekit.commit import ThreadCommit
from statekit.errors import MergeConflict, StateError, StatekitError, ValidationError, WireError
from statekit.run import EndCause, EndKind, Phase, PhaseKind, RunDisposition
from statekit.ticket import Pause, PauseReason, ResumeTicket
from statekit.value import same
from statekit.vocabulary import MergePolicy, Scope
from strategies import commits, threads

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


def mutate_everywhere(value: Any) -> None:
    if isinstance(value, dict):
        for item in value.values():
            mutate_everywhere(item)
        value["mutated"] = True
    elif isinstance(value, list):
        for item in value:
            mutate_everywhere(item)
        value.append("mutated")


# Assembling


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
    mutate_everywhere(messages)
    mutate_everywhere(events)
    batch.clear()
    assert made.to_json() == before
    mutate_everywhere(made.messages)
    mutate_everywhere(made.events)
    assert made.to_json() == before


def test_what_is_read_is_not_shared_on_the_way_out() -> None:
    parsed = read(messages=[{"a": [1]}], events=[{"kind": ["k"], "payload": {"a": [1]}, "note": [{}]}])
    before = parsed.to_json()
    mutate_everywhere(parsed.messages)
    mutate_everywhere(parsed.events)
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


# Validation

CONFLICTING = [Command.set(Scope.RUN, E, "k", 1), Command.remove(Scope.RUN, E, "k"), Command.set(Scope.RUN, E, "k", 2)]


@pytest.mark.parametrize(
    ("thread_id", "run"),
    [
        ("", RUNNING),
        ("t", RunDisposition.running("")),
        ("", RunDisposition.running("")),
        ("other", AWAITING),
        ("t", dataclasses.replace(AWAITING, run_id="other")),
        ("t", RunDisposition("r", Phase.AWAITING)),
        ("t", RunDisposition("r", Phase.RUNNING, TICKET)),
        ("t", dataclasses.replace(ENDED, resume_ticket=TICKET)),
    ],
)
def test_a_commit_that_breaks_a_rule_is_invalid(thread_id: str, run: RunDisposition) -> None:
    with pytest.raises(ValidationError) as caught:
        ThreadCommit.assemble(thread_id, run).validate()
    assert not isinstance(caught.value, MergeConflict | WireError)


def test_a_commit_whose_batch_conflicts_is_invalid() -> None:
    with pytest.raises(MergeConflict) as caught:
        ThreadCommit.assemble("t", RUNNING, state=CONFLICTING).validate()
    assert (caught.value.scope, caught.value.key) == (Scope.RUN, "k")
    assert (caught.value.first, caught.value.second) == (0, 2)


@given(commits())
def test_a_commit_that_keeps_the_rules_is_valid(made: ThreadCommit) -> None:
    made.validate()
    ThreadCommit.from_json(made.to_json()).validate()


def command_node(value: int) -> dict[str, Any]:
    return {"key": "k", "scope": "Run", "merge": "Exclusive", "action": {"Set": value}}


@pytest.mark.parametrize(
    "replaced",
    [
        {"thread_id": ""},
        {"run_fact": {"run_id": "", "phase": "Running"}},
        {"run_fact": {"run_id": "r", "phase": "Awaiting"}},
        {"resume_ticket": WIRE_TICKET},
        {"run_fact": {"run_id": "other", "phase": "Awaiting"}, "resume_ticket": WIRE_TICKET},
        {"thread_id": "other", "run_fact": {"run_id": "r", "phase": "Awaiting"}, "resume_ticket": WIRE_TICKET},
        {"run_fact": {"run_id": "r", "phase": {"Ended": "NaturalEnd"}}, "resume_ticket": WIRE_TICKET},
    ],
)
def test_reading_does_not_validate(replaced: dict[str, Any]) -> None:
    parsed = read(**replaced)
    assert same(json.loads(parsed.to_json()), {**NODE, **replaced})
    with pytest.raises(ValidationError):
        parsed.validate()


def test_a_conflicting_batch_reads_and_is_found_by_validating() -> None:
    parsed = read(state=[command_node(1), command_node(2)])
    assert [command.action for command in parsed.commands] == [Set(1), Set(2)]
    with pytest.raises(MergeConflict):
        parsed.validate()


def test_reading_stamps_nothing() -> None:
    parsed = read(state=[command_node(1), {**command_node(2), "key": "j", "run_id": "other"}])
    assert [command.run_id for command in parsed.commands] == [None, "other"]


UNREADABLE: dict[str, tuple[Any, RunDisposition]] = {
    "a thread id with a lone surrogate": ("\ud800", RUNNING),
    "a run id with a lone surrogate": ("t", RunDisposition.running("\ud800")),
    "a thread id that is no text": (5, RUNNING),
    "a reason with a lone surrogate": ("t", RunDisposition.ended("r", {"Stopped": "\ud800"})),
    "a cause without its reason": ("t", RunDisposition.ended("r", EndCause(EndKind.STOPPED))),
    "an error without its kind": ("t", RunDisposition.ended("r", EndCause(EndKind.ERROR))),
    "an end without its cause": ("t", RunDisposition("r", Phase(PhaseKind.ENDED))),
    "a deadline in the past of all time": ("t", RunDisposition.awaiting(dataclasses.replace(TICKET, deadline_ms=-1))),
    "a ticket id with a lone surrogate": (
        "t",
        RunDisposition.awaiting(dataclasses.replace(TICKET, snapshot_id="\ud800")),
    ),
}


@pytest.mark.parametrize(("thread_id", "run"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_could_not_be_read_again_is_refused_before_it_is_written(thread_id: Any, run: RunDisposition) -> None:
    with pytest.raises(StatekitError):  # noqa: PT012 - any of the three steps may refuse it
        made = ThreadCommit.assemble(thread_id, run)
        made.validate()
        made.to_json()


# The wire form


@given(commits())
def test_every_commit_survives_the_trip(made: ThreadCommit) -> None:
    text = made.to_json()
    for again in (
        ThreadCommit.from_json(text),
        ThreadCommit.from_json(text.encode()),
        pickle.loads(pickle.dumps(made)),
    ):
        assert again == made
        assert again.to_json() == text
        assert hash(again) == hash(made)
    assert "\n" not in text


@given(commits())
def test_the_wire_object_has_the_fields_of_the_model(made: ThreadCommit) -> None:
    node = json.loads(made.to_json())
    assert list(node) == ["thread_id", "run_fact", "messages", "state", "events", "resume_ticket"]
    assert node["thread_id"] == made.thread_id
    assert set(node["run_fact"]) == {"run_id", "phase"}
    assert same(node["messages"], made.messages)
    assert same(node["events"], made.events)
    assert [Command.from_json(json.dumps(item)) for item in node["state"]] == list(made.commands)
    assert (node["resume_ticket"] is None) is (made.phase != "Awaiting")


@given(commits())
def test_any_spelling_reads_the_same(made: ThreadCommit) -> None:
    node = json.loads(made.to_json())
    backwards = dict(reversed(node.items()))
    for text in (json.dumps(node), json.dumps(node, indent=2), json.dumps(backwards, ensure_ascii=False)):
        assert ThreadCommit.from_json(text) == made


def test_messages_and_events_are_carried_through_unchanged() -> None:
    messages: list[Any] = [None, 1, 1.0, True, "x", [], {"thread_id": 1, "Set": {"a": None}, "state": [{"key": "k"}]}]
    events = [{"kind": {"any": [1.0]}, "payload": None, "unknown": {"kept": [1]}}, {"payload": {}, "kind": None}]
    parsed = read(messages=messages, events=events)
    assert same(parsed.messages, messages)
    assert same(parsed.events, events)
    assert same(json.loads(parsed.to_json()), {**NODE, "messages": messages, "events": events})


def awaiting(**tickets: Any) -> dict[str, Any]:
    node = {name: value for name, value in NODE.items() if name != "resume_ticket"}
    return {**node, "run_fact": {"run_id": "r", "phase": "Awaiting"}, **tickets}


def test_waiting_is_the_older_name_of_the_resume_ticket() -> None:
    older = ThreadCommit.from_json(json.dumps(awaiting(waiting=WIRE_TICKET)))
    assert older == ThreadCommit.from_json(json.dumps(awaiting(resume_ticket=WIRE_TICKET)))
    assert older.resume_ticket == TICKET
    node = json.loads(older.to_json())
    assert node["resume_ticket"] == WIRE_TICKET
    assert "waiting" not in node


def test_waiting_is_the_older_name_of_the_phase_too() -> None:
    node = {**awaiting(waiting=WIRE_TICKET), "run_fact": {"run_id": "r", "phase": "Waiting"}}
    parsed = ThreadCommit.from_json(json.dumps(node))
    parsed.validate()
    assert json.loads(parsed.to_json())["run_fact"] == {"run_id": "r", "phase": "Awaiting"}


@pytest.mark.parametrize(
    ("present", "older"), [(WIRE_TICKET, WIRE_TICKET), (None, WIRE_TICKET), (WIRE_TICKET, None), (None, None)]
)
def test_both_names_of_the_resume_ticket_are_refused(present: Any, older: Any) -> None:
    with pytest.raises(WireError, match="both given"):
        ThreadCommit.from_json(json.dumps(awaiting(resume_ticket=present, waiting=older)))


def test_no_ticket_may_be_left_out_or_null_under_either_name() -> None:
    node = {name: value for name, value in NODE.items() if name != "resume_ticket"}
    plain = ThreadCommit.from_json(json.dumps(node))
    assert plain.resume_ticket is None
    assert ThreadCommit.from_json(json.dumps({**node, "waiting": None})) == plain
    assert json.loads(plain.to_json())["resume_ticket"] is None


@pytest.mark.parametrize("name", ["thread_id", "run_fact", "messages", "state", "events"])
def test_every_other_field_must_be_there(name: str) -> None:
    with pytest.raises(WireError, match=name):
        ThreadCommit.from_json(json.dumps({key: NODE[key] for key in NODE if key != name}))
    with pytest.raises(WireError):
        read(**{name: None})
    with pytest.raises(WireError):
        read(**{name: 5})


@pytest.mark.parametrize(
    ("replaced", "path"),
    [
        ({"thread_id": 5}, "$.thread_id"),
        ({"run_fact": {"run_id": 5, "phase": "Running"}}, "$.run_fact.run_id"),
        ({"run_fact": {"run_id": "r", "phase": "running"}}, "$.run_fact.phase"),
        ({"run_fact": {"run_id": "r", "phase": {"Ended": "Exploded"}}}, "$.run_fact.phase.Ended"),
        ({"messages": {}}, "$.messages"),
        ({"state": {}}, "$.state"),
        ({"state": [command_node(1), {**command_node(1), "scope": "All"}]}, "$.state[1].scope"),
        ({"events": [{"kind": "k", "payload": 1}, 5]}, "$.events[1]"),
        ({"resume_ticket": {**WIRE_TICKET, "deadline_ms": -1}}, "$.resume_ticket.deadline_ms"),
    ],
)
def test_an_object_that_is_no_commit_tells_the_place(replaced: dict[str, Any], path: str) -> None:
    with pytest.raises(WireError) as caught:
        read(**replaced)
    assert caught.value.path == path
    assert path in str(caught.value)


def test_unknown_fields_are_ignored() -> None:
    assert read(outbox=[{"a": 1}], future=None) == read()


@pytest.mark.parametrize(("left", "right"), [(1, True), (1, 1.0), ({}, [])])
def test_commits_are_equal_by_strict_value(left: Any, right: Any) -> None:
    def event(value: Any) -> dict[str, Any]:
        return {"kind": "k", "payload": value}

    assert read(messages=[left]) == read(messages=[left])
    assert read(messages=[left]) != read(messages=[right])
    assert read(events=[event(left)]) != read(events=[event(right)])
    assert read(state=[{**command_node(1), "action": {"Set": left}}]) != read(
        state=[{**command_node(1), "action": {"Set": right}}]
    )


@given(threads(min_size=1))
def test_the_shared_strategy_makes_valid_threads(history: list[ThreadCommit]) -> None:
    assert history
    over: set[str] = set()
    for made in history:
        assert made.thread_id == "t"
        assert made.run_id not in over
        made.validate()
        if made.phase.ended:
            over.add(made.run_id)
