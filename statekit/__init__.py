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
from statekit.journal import Journal, load_history, open_journal
from statekit.keys import FoldStateKey, StateCell, StateKey
from statekit.merge import validate_batch
from statekit.replay import Replay
from statekit.run import EndCause, Phase, RunDisposition
from statekit.store import Store
from statekit.ticket import ResumeTicket
from statekit.transition import Problem, ProblemKind, Transition
from statekit.value import ABSENT
from statekit.vocabulary import MergePolicy, Scope

__version__ = "0.1.0"

__all__ = [
    "ABSENT",
    "Change",
    "ChangeKind",
    "Command",
    "CommitRecord",
    "CommitRejected",
    "ContractError",
    "CorruptJournal",
    "EndCause",
    "FoldStateKey",
    "History",
    "Journal",
    "JournalBusy",
    "JournalError",
    "JournalReadOnly",
    "MergeConflict",
    "MergePolicy",
    "Mismatch",
    "NotAJournal",
    "Phase",
    "PositionError",
    "Problem",
    "ProblemKind",
    "Remove",
    "Replay",
    "ResumeTicket",
    "RunDisposition",
    "Scope",
    "Set",
    "StateCell",
    "StateError",
    "StateKey",
    "StatekitError",
    "Store",
    "ThreadCommit",
    "Transition",
    "UnknownThread",
    "ValidationError",
    "WireError",
    "load_history",
    "open_journal",
    "validate_batch",
]
