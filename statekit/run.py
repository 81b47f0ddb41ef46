"""The state of a run: its phase, why it ended, and what it waits for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Final, Self

from statekit import wire
from statekit.errors import ValidationError, WireError
from statekit.ticket import ResumeTicket
from statekit.value import Json, own, same


class PhaseKind(Enum):
    """The three states of a run."""

    RUNNING = "Running"
    AWAITING = "Awaiting"
    ENDED = "Ended"


class EndKind(Enum):
    """Why a run ended."""

    NATURAL_END = "NaturalEnd"
    MAX_STEPS = "MaxSteps"
    CANCELLED = "Cancelled"
    STOPPED = "Stopped"
    ERROR = "Error"
    INDETERMINATE = "Indeterminate"


class ErrorKind(Enum):
    """What kind of error ended a run."""

    CAPABILITY_BOUND = "CapabilityBound"
    STATE_CONFLICT = "StateConflict"
    INFERENCE = "Inference"


@dataclass(frozen=True, slots=True)
class EndCause:
    """Why a run ended, with the reason it was stopped or the error it met.

    >>> str(EndCause.from_wire({"Stopped": "budget"}))
    'Stopped: budget'
    """

    kind: EndKind
    reason: str | None = None
    error: ErrorKind | None = None
    code: str | None = None
    message: str | None = None

    @classmethod
    def from_wire(cls, node: Json, path: str = "$") -> Self:
        """The cause that a decoded wire value says; raises `WireError` when it says none."""
        if isinstance(node, str):
            kind = wire.member(EndKind, node, path)
            if kind in (EndKind.STOPPED, EndKind.ERROR):
                raise WireError(f"{kind.value} needs its reason", path)
            return cls(kind)
        tag, content = wire.variant(node, path)
        match wire.member(EndKind, tag, path):
            case EndKind.STOPPED:
                return cls(EndKind.STOPPED, reason=wire.text({tag: content}, tag, path))
            case EndKind.ERROR:
                return cls._from_error(content, f"{path}.Error")
        raise WireError(f"{tag} takes no reason", path)

    @classmethod
    def _from_error(cls, node: Json, path: str) -> Self:
        if isinstance(node, str):
            error = wire.member(ErrorKind, node, path)
            if error is ErrorKind.INFERENCE:
                raise WireError("Inference needs its code and message", path)
            return cls(EndKind.ERROR, error=error)
        tag, content = wire.variant(node, path)
        error = wire.member(ErrorKind, tag, path)
        if error is not ErrorKind.INFERENCE:
            raise WireError(f"{tag} takes no content", path)
        path = f"{path}.Inference"
        read = wire.fields(content, frozenset({"code", "message"}), path)
        return cls(
            EndKind.ERROR, error=error, code=wire.text(read, "code", path), message=wire.text(read, "message", path)
        )

    def to_wire(self) -> Json:
        """The wire value of this cause."""
        if self.kind is EndKind.STOPPED:
            return {"Stopped": self.reason}
        if self.error is None:
            return self.kind.value
        if self.error is ErrorKind.INFERENCE:
            return {"Error": {"Inference": {"code": self.code, "message": self.message}}}
        return {"Error": self.error.value}

    def __str__(self) -> str:
        words = [self.kind.value, self.error and self.error.value, self.reason, self.code, self.message]
        return ": ".join(word for word in words if word)


_PHASE_NAMES: Final = {"Running": PhaseKind.RUNNING, "Awaiting": PhaseKind.AWAITING, "Waiting": PhaseKind.AWAITING}


@dataclass(frozen=True, slots=True, eq=False)
class Phase:
    """The state a run is in after a transition; equal to another phase or to its wire value.

    >>> Phase.RUNNING == "Running", str(Phase.from_wire({"Ended": "NaturalEnd"}))
    (True, 'Ended: NaturalEnd')
    """

    RUNNING: ClassVar[Phase]
    AWAITING: ClassVar[Phase]

    kind: PhaseKind
    cause: EndCause | None = None

    @classmethod
    def from_wire(cls, node: Json, path: str = "$") -> Phase:
        """The phase that a decoded wire value says; raises `WireError` when it says none."""
        if isinstance(node, str):
            if node not in _PHASE_NAMES:
                raise WireError(f'expected "Running", "Awaiting" or {{"Ended": cause}}, got {node!r}', path)
            return cls(_PHASE_NAMES[node])
        tag, content = wire.variant(node, path)
        if tag == "Ended":
            return cls(PhaseKind.ENDED, EndCause.from_wire(content, f"{path}.Ended"))
        raise WireError(f'expected "Running", "Awaiting" or {{"Ended": cause}}, got a field {tag!r}', path)

    def to_wire(self) -> Json:
        """The wire value of this phase."""
        return self.kind.value if self.cause is None else {"Ended": self.cause.to_wire()}

    @property
    def ended(self) -> bool:
        """Whether the run accepts no further commit."""
        return self.kind is PhaseKind.ENDED

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Phase):
            return self.kind is other.kind and self.cause == other.cause
        return same(self.to_wire(), other)

    def __hash__(self) -> int:
        return hash(self.kind.value)

    def __str__(self) -> str:
        return self.kind.value if self.cause is None else f"{self.kind.value}: {self.cause}"


Phase.RUNNING = Phase(PhaseKind.RUNNING)
Phase.AWAITING = Phase(PhaseKind.AWAITING)


@dataclass(frozen=True, slots=True)
class RunDisposition:
    """What a commit says of its run: its id, its phase, and its ticket while it awaits."""

    run_id: str
    phase: Phase
    resume_ticket: ResumeTicket | None = None

    @classmethod
    def running(cls, run_id: str) -> Self:
        """The run goes on."""
        return cls(run_id, Phase.RUNNING)

    @classmethod
    def awaiting(cls, ticket: ResumeTicket | Mapping[str, Json]) -> Self:
        """The run waits for what its ticket names; the ticket may be given as its wire object."""
        held = ticket if isinstance(ticket, ResumeTicket) else ResumeTicket.from_wire(own(ticket))
        return cls(held.run_id, Phase.AWAITING, held)

    @classmethod
    def ended(cls, run_id: str, cause: EndCause | Json) -> Self:
        """The run has ended; the cause may be given as its wire value."""
        return cls(run_id, Phase(PhaseKind.ENDED, cause if isinstance(cause, EndCause) else EndCause.from_wire(cause)))

    def validate(self, thread_id: str) -> None:
        """Raise `ValidationError` unless it awaits exactly when it has a ticket, one of this run and thread."""
        ticket = self.resume_ticket
        if (self.phase.kind is PhaseKind.AWAITING) != (ticket is not None):
            needs = "has no resume ticket" if ticket is None else f"is {self.phase} but carries a resume ticket"
            raise ValidationError(f"run {self.run_id!r} {needs}: a run awaits exactly when it has one")
        if ticket is not None and ticket.run_id != self.run_id:
            raise ValidationError(f"the resume ticket is of run {ticket.run_id!r}, the commit of run {self.run_id!r}")
        if ticket is not None and ticket.thread_id != thread_id:
            raise ValidationError(f"the resume ticket is of thread {ticket.thread_id!r}, the commit of {thread_id!r}")
