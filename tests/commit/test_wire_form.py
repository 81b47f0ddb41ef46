"""The wire form of a commit, older spellings included."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given

from statekit.command import Command
from statekit.commit import ThreadCommit
from statekit.errors import WireError
from statekit.value import same
from strategies import commits, threads
from tests.commit.sample import NODE, TICKET, WIRE_TICKET, command_node, read


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
