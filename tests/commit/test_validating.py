"""What makes a commit invalid, and what reading leaves to validating."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given

from statekit.command import Command, Set
from statekit.commit import ThreadCommit
from statekit.errors import MergeConflict, StateError, StatekitError, ValidationError, WireError
from statekit.run import EndCause, EndKind, Phase, PhaseKind, RunDisposition
from statekit.value import Held, same
from statekit.vocabulary import MergePolicy, Scope
from strategies import commits
from tests.commit.sample import AWAITING, ENDED, NODE, RUNNING, TICKET, WIRE_TICKET, E, command_node, read

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


@pytest.mark.parametrize("name", [name for name in UNREADABLE if "surrogate" in name])
def test_what_has_no_json_form_is_refused_as_that_when_it_is_assembled_and_when_it_is_written(name: str) -> None:
    thread_id, run = UNREADABLE[name]
    with pytest.raises(StateError):
        ThreadCommit.assemble(thread_id, run)
    made = ThreadCommit(thread_id, run, (), Held([]), Held([]))
    with pytest.raises(StateError):
        made.to_json()


@pytest.mark.parametrize(("depth", "fits"), [(123, True), (124, False), (127, False)])
def test_a_value_too_deep_for_a_line_is_refused_before_it_is_written(depth: int, fits: bool) -> None:
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    made = ThreadCommit.assemble("t", RUNNING, state=[Command.set(Scope.THREAD, MergePolicy.DISJOINT, "k", value)])
    if fits:
        made.validate()
        assert ThreadCommit.from_json(made.to_json()) == made
    else:
        with pytest.raises(ValidationError):
            made.validate()


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, [{"a": 10**30}]])
def test_an_integer_that_was_read_beyond_64_bits_is_not_written(value: Any) -> None:
    node = json.loads(json.dumps(NODE)) | {"messages": [value]}
    with pytest.raises(ValidationError):
        ThreadCommit.from_json(json.dumps(node)).validate()
    command = {"key": "k", "scope": "Thread", "merge": "Disjoint", "action": {"Set": value}}
    made = ThreadCommit.assemble("t", RUNNING, state=[Command.from_json(json.dumps(command))])
    with pytest.raises(ValidationError):
        made.validate()
