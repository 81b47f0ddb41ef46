"""Typed state for AI-agent runtimes: name cells, stage commands, replay a thread's history and see why it is so."""

from statekit.command import Command, Remove, Set
from statekit.commit import CommitRecord, ThreadCommit
from statekit.errors import (
    CommitRejected,
    ContractError,
    CorruptJournal,
    JournalBusy,
    JournalError,
    JournalReadOnly,
    MergeConflict,
    Mismatch,
    NotAJournal,
    PositionError,
    StateError,
    StatekitError,
    UnknownThread,
    ValidationError,
    WireError,
)
from statekit.history import Change, ChangeKind, History
from statekit.merge import validate_batch
from statekit.replay import Replay
from statekit.run import EndCause, Phase, RunDisposition
from statekit.store import Store
from statekit.ticket import ResumeTicket
from statekit.transition import Problem, ProblemKind, Transition
from statekit.value import ABSENT
from statekit.vocabulary import MergePolicy, Scope

__version__ = "0.1.0"
