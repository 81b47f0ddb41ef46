"""One committed transition of a thread, and what a reader found wrong with its file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from statekit.command import Command, addresses
from statekit.commit import ThreadCommit
from statekit.preview import visible
from statekit.run import Phase
from statekit.ticket import ResumeTicket
from statekit.value import Json
from statekit.vocabulary import Address


@dataclass(frozen=True, slots=True)
class Transition:
    """One commit at its place in a thread's history.

    `position` counts the thread's transitions from 1, `sequence` the commits of the whole medium;
    `committed_at` is None where the medium keeps no time.
    """

    position: int
    sequence: int
    commit: ThreadCommit
    committed_at: datetime | None = None

    @property
    def thread_id(self) -> str:
        """The thread it belongs to."""
        return self.commit.thread_id

    @property
    def run_id(self) -> str:
        """The run that committed it."""
        return self.commit.run_id

    @property
    def phase(self) -> Phase:
        """The state of that run after it."""
        return self.commit.phase

    @property
    def commands(self) -> tuple[Command, ...]:
        """Its batch, in order."""
        return self.commit.commands

    @property
    def addresses(self) -> list[Address]:
        """The cells its batch touches, each once, in the order of their first command."""
        return addresses(self.commit.commands)

    @property
    def messages(self) -> list[Json]:
        """A copy of its messages."""
        return self.commit.messages

    @property
    def events(self) -> list[Json]:
        """A copy of its events."""
        return self.commit.events

    @property
    def resume_ticket(self) -> ResumeTicket | None:
        """What the run waits for, while it awaits."""
        return self.commit.resume_ticket

    def __repr__(self) -> str:
        phase = visible(str(self.phase))
        return f"Transition({self.position}, run {self.run_id!r}, {phase}, {len(self.commands)} commands)"


class ProblemKind(StrEnum):
    """What can be wrong with a stored history that is readable all the same."""

    TORN_TAIL = "torn_tail"
    CORRUPT = "corrupt"
    INVALID_COMMIT = "invalid_commit"
    ENDED_RUN = "ended_run"
    CONFLICT_ON_DISK = "conflict_on_disk"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a stored history.

    `position` is the offending transition's, or the number of transitions before the damage when what is damaged is
    none. `line` counts from 1 and `offset` is the byte where that line starts, where the medium has lines.
    """

    kind: ProblemKind
    detail: str
    position: int
    line: int | None = None
    offset: int | None = None

    def __str__(self) -> str:
        if self.line is None:
            return f"{self._title} at position {self.position}: {self.detail}"
        return f"{self._title} at line {self.line} (byte {self.offset}), after position {self.position}: {self.detail}"

    @property
    def _title(self) -> str:
        return self.kind.value.replace("_", " ")
