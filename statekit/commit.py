"""One whole transition, and its wire form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

from statekit import command as command_module
from statekit import ticket as ticket_module
from statekit import wire
from statekit.command import Command
from statekit.errors import StateError, ValidationError, WireError
from statekit.merge import validate_batch
from statekit.run import Phase, PhaseKind, RunDisposition
from statekit.ticket import ResumeTicket
from statekit.value import Held, Json, own
from statekit.vocabulary import Scope

COMMIT_FIELDS: Final = frozenset(
    {"thread_id", "run_fact", "messages", "state", "events", "resume_ticket", "waiting"},
)
OPAQUE_FIELDS: Final = frozenset({"messages", "payload"}) | command_module.OPAQUE_FIELDS | ticket_module.OPAQUE_FIELDS

_RUN_FIELDS: Final = frozenset({"run_id", "phase"})
_EVENT_FIELDS: Final = frozenset({"kind", "payload"})


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """What a journal answers to an accepted commit."""

    sequence: int


@dataclass(frozen=True, slots=True)
class ThreadCommit:
    """One transition of a thread: its run's state, messages, commands and events, all or nothing."""

    thread_id: str
    run: RunDisposition
    commands: tuple[Command, ...]
    held_messages: Held
    held_events: Held

    @classmethod
    def assemble(
        cls,
        thread_id: str,
        run: RunDisposition,
        *,
        state_changed: bool = True,
        messages: Iterable[Json] = (),
        state: Iterable[Command] = (),
        extra_events: Iterable[Mapping[str, Json]] = (),
    ) -> Self:
        """The commit of one transition, with its commands stamped and its events added.

        Every `Run`-scoped command gets this run's id, no other one does. `state_changed` says whether the run's own
        state changed. Raises `StateError` for a part with no JSON form, `WireError` for an event without kind or
        payload; `validate` checks the rest.
        """
        commands = tuple(_stamp(command, run.run_id) for command in state)
        events = [own(event) for event in (*_own_events(run, state_changed, len(commands)), *extra_events)]
        for index, event in enumerate(events):
            _check_event(event, f"$.events[{index}]")
        commit = cls(thread_id, run, commands, Held(list(messages)), Held.adopt(events))
        commit._own_facts()
        return commit

    @property
    def run_id(self) -> str:
        """The committing run."""
        return self.run.run_id

    @property
    def phase(self) -> Phase:
        """The state of the run after this transition."""
        return self.run.phase

    @property
    def resume_ticket(self) -> ResumeTicket | None:
        """What the run waits for, while it awaits."""
        return self.run.resume_ticket

    @property
    def messages(self) -> list[Json]:
        """A copy of its messages."""
        return list(self.held_messages.value)

    @property
    def events(self) -> list[Json]:
        """A copy of its events."""
        return list(self.held_events.value)

    def validate(self) -> None:
        """Raise `ValidationError`, or its kind `MergeConflict`, when this commit breaks a rule of the state model."""
        self._check_wire()
        self.check_ownership()
        validate_batch(self.commands)

    def check_ownership(self) -> None:
        """Raise `ValidationError` for an empty id, or a ticket that does not fit the run, its phase and the thread."""
        if not self.thread_id:
            raise ValidationError("the thread id is empty")
        if not self.run_id:
            raise ValidationError("the run id is empty")
        self.run.validate(self.thread_id)

    def _check_wire(self) -> None:
        """Raise `ValidationError` for what could not be written, or not be read again."""
        try:
            node = own(self.borrow_wire())
        except StateError as error:
            raise ValidationError(error.detail) from None
        self.from_wire(node)

    def _own_facts(self) -> tuple[Json, Json, Json, Json]:
        """The thread, the run, its phase and its ticket on the wire; raises `StateError` when one has no JSON form."""
        ticket = self.resume_ticket
        waits_for = None if ticket is None else ticket.to_wire()
        return own(self.thread_id), own(self.run_id), own(self.phase.to_wire()), own(waits_for)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The commit of one wire object, not yet validated; raises `WireError` when it is none."""
        return cls.from_wire(wire.decode_object(text, OPAQUE_FIELDS))

    @classmethod
    def from_wire(cls, node: Json) -> Self:
        """The commit of a decoded wire object, which it takes over."""
        read = wire.fields(node, COMMIT_FIELDS, "$")
        if "resume_ticket" in read and "waiting" in read:
            raise WireError("resume_ticket and its older name waiting are both given")
        ticket = read.get("resume_ticket", read.get("waiting"))
        fact = wire.fields(wire.required(read, "run_fact", "$"), _RUN_FIELDS, "$.run_fact")
        run = RunDisposition(
            wire.text(fact, "run_id", "$.run_fact"),
            Phase.from_wire(wire.required(fact, "phase", "$.run_fact"), "$.run_fact.phase"),
            None if ticket is None else ResumeTicket.from_wire(ticket, "$.resume_ticket"),
        )
        events = wire.array(read, "events", "$")
        for index, event in enumerate(events):
            _check_event(event, f"$.events[{index}]")
        return cls(
            wire.text(read, "thread_id", "$"),
            run,
            tuple(
                [
                    Command.from_wire(item, f"$.state[{index}]")
                    for index, item in enumerate(wire.array(read, "state", "$"))
                ]
            ),
            Held.adopt(wire.array(read, "messages", "$")),
            Held.adopt(wire.plain(events)),
        )

    def to_json(self) -> str:
        """The wire object of this commit, in the present form.

        Raises `StateError` for a part with no JSON form, `WireError` for one that nests too deep for a commit.
        """
        self._own_facts()
        return wire.encode(self.borrow_wire()).decode()

    def borrow_wire(self) -> dict[str, Json]:
        """The wire object of this commit, with the values themselves in it: to look at and never to change."""
        return {
            "thread_id": self.thread_id,
            "run_fact": {"run_id": self.run_id, "phase": self.phase.to_wire()},
            "messages": self.held_messages.borrow(),
            "state": [command.borrow_wire() for command in self.commands],
            "events": self.held_events.borrow(),
            "resume_ticket": None if self.resume_ticket is None else self.resume_ticket.to_wire(),
        }


def _stamp(command: Command, run_id: str) -> Command:
    return replace(command, run_id=run_id) if command.scope is Scope.RUN else command


def _own_events(run: RunDisposition, state_changed: bool, commands: int) -> list[Json]:
    events: list[Json] = []
    if state_changed:
        events.append({"kind": "RunStateChanged", "payload": {"state": run.phase.to_wire()}})
    if commands:
        events.append({"kind": "StateChanged", "payload": {"commands": commands}})
    if run.phase.kind is PhaseKind.AWAITING:
        events.append({"kind": "RunAwaiting", "payload": {"run_id": run.run_id}})
    return events


def _check_event(node: Json, path: str) -> None:
    read = wire.fields(node, _EVENT_FIELDS, path)
    wire.required(read, "kind", path)
    wire.required(read, "payload", path)
