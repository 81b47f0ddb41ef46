"""The rows of a SQL journal, put together to the commits they were.

A commit with any row that cannot be read is left out whole and reported with the table and row, never in part.
"""

from __future__ import annotations

import math
import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from statekit import ticket as ticket_module
from statekit import wire
from statekit.command import Command
from statekit.commit import ThreadCommit
from statekit.errors import WireError
from statekit.history import History
from statekit.journal import schema
from statekit.journal.snapshot import Garbled
from statekit.journal.threadlog import Damage, ThreadLog
from statekit.run import Phase, PhaseKind, RunDisposition
from statekit.ticket import ResumeTicket
from statekit.transition import Problem, ProblemKind
from statekit.value import Held, Json

# What SQLite gives for a column: its values have any of the types below, whatever the column declares.
Stored: TypeAlias = Any

_STORED: Final[dict[type, str]] = {
    type(None): "NULL",
    bytes: "a BLOB",
    int: "an integer",
    float: "a number",
    str: "text",
    Garbled: "text that is not UTF-8",
}

_OWNED: Final = "id, commit_sequence, thread_id, data"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a database keeps a journal: the prefix of its tables, and which of them it has."""

    prefix: str
    present: frozenset[str]

    def has(self, table: schema.Table) -> bool:
        """Whether the database has this table."""
        return table.name in self.present

    def name(self, table: schema.Table) -> str:
        """The name of a table as people read it."""
        return self.prefix + table.name

    def select(self, table: schema.Table, columns: str, where: str = "TRUE") -> str:
        """A query of a table in the order of its key, which uses no index: a damaged one hides rows."""
        name, key = schema.table_name(table, self.prefix), table.primary_key[0]
        # The prefix is the database's own and quoted; all else is constants of this module.
        return f"SELECT {columns} FROM {name} NOT INDEXED WHERE {where} ORDER BY {key}"  # noqa: S608


class Index:
    """Which commits there are: those of each thread, the last of each run, and those that name no thread."""

    def __init__(self) -> None:
        self.threads: dict[str, list[int]] = {}
        self.last_of_run: dict[str, int] = {}
        self.damages: list[Damage] = []
        self.sequences: set[int] = set()

    def add(self, sequence: Stored, thread_id: Stored, run_id: Stored, table: str) -> None:
        """Add one row of the commit table; rows come ordered by their sequence."""
        if type(sequence) is not int or sequence in self.sequences:
            flaw = "is there twice" if type(sequence) is int else f"is {_STORED[type(sequence)]}, not an integer"
            self.damages.append(Damage(ProblemKind.CORRUPT, f"{table}: the sequence {sequence!r} {flaw}", math.inf))
            return
        self.sequences.add(sequence)
        if type(thread_id) is not str:
            detail = f"{table} row {sequence}: the thread id is {_STORED[type(thread_id)]}, not text"
            self.damages.append(Damage(ProblemKind.CORRUPT, detail, sequence))
            return
        self.threads.setdefault(thread_id, []).append(sequence)
        if type(run_id) is str:
            self.last_of_run[run_id] = sequence


def read_index(connection: sqlite3.Connection, layout: Layout) -> Index:
    """The index of a database's commits, from one pass over their table."""
    index = Index()
    table = layout.name(schema.COMMIT)
    for sequence, thread_id, run_id in connection.execute(layout.select(schema.COMMIT, "sequence, thread_id, run_id")):
        index.add(sequence, thread_id, run_id, table)
    return index


def read_problems(connection: sqlite3.Connection, layout: Layout) -> list[Problem]:
    """The commits that name no thread and the rows of no commit; positions count the commits of all threads before."""
    index = read_index(connection, layout)
    rows = _Rows(connection, layout, index, None)
    rows.read()
    places = sorted(place for places in index.threads.values() for place in places)
    return [damage.as_problem(bisect_left(places, damage.sequence)) for damage in rows.damages]


@dataclass(slots=True)
class _Parts:
    commands: list[Command] = field(default_factory=list)
    messages: list[Json] = field(default_factory=list)
    events: list[Json] = field(default_factory=list)
    ticket: Stored = None
    damage: str | None = None


class _Rows:
    """The rows of one thread's commits and those of no commit at all; of the latter alone when `thread_id` is None."""

    def __init__(self, connection: sqlite3.Connection, layout: Layout, index: Index, thread_id: str | None) -> None:
        self.damages = list(index.damages)
        self._connection = connection
        self._layout = layout
        self._index = index
        self._thread_id = thread_id
        self._parts = {} if thread_id is None else {sequence: _Parts() for sequence in index.threads[thread_id]}

    def read(self) -> None:
        """Sort the rows to their commits, and report those that have none."""
        self._read_commands()
        self._read_messages()
        self._read_events()

    def _read_commands(self) -> None:
        for row, sequence, thread_id, data in self._select(schema.STATE_COMMAND, _OWNED):
            parts = self._owner(schema.STATE_COMMAND, row, sequence, thread_id)
            if parts is not None:
                with self._guarded(parts, schema.STATE_COMMAND, row):
                    parts.commands.append(Command.from_json(_text(data)))

    def _read_messages(self) -> None:
        for row, sequence, thread_id, data in self._select(schema.MESSAGE, _OWNED):
            parts = self._owner(schema.MESSAGE, row, sequence, thread_id)
            if parts is not None:
                with self._guarded(parts, schema.MESSAGE, row):
                    parts.messages.append(wire.decode(_text(data)))

    def _read_events(self) -> None:
        for row, kind, payload in self._select(schema.EVENT, "sequence, kind, payload"):
            sequence = row // schema.EVENTS_PER_COMMIT if type(row) is int else row
            parts = self._owner(schema.EVENT, row, sequence, None)
            if parts is not None:
                with self._guarded(parts, schema.EVENT, row):
                    parts.events.append({"kind": wire.decode(_text(kind)), "payload": wire.decode(_text(payload))})

    def _select(self, table: schema.Table, columns: str) -> Iterable[tuple[Stored, ...]]:
        """All rows of a table in order, but those that surely belong to the commits of other threads."""
        if not self._layout.has(table):
            return ()
        by_event = table is schema.EVENT
        column = "sequence" if by_event else "commit_sequence"
        owner = f"sequence / {schema.EVENTS_PER_COMMIT}" if by_event else column
        others = self._layout.select(schema.COMMIT, "sequence", "thread_id IS NOT ? AND sequence IS NOT NULL")
        unsure = f"typeof({column}) <> 'integer' OR {column} < 0 OR {owner} NOT IN ({others})"
        return self._connection.execute(self._layout.select(table, columns, unsure), (self._thread_id,))

    def _owner(self, table: schema.Table, row: Stored, sequence: Stored, thread_id: Stored) -> _Parts | None:
        """The parts of the commit that a row belongs to; a row of no commit at all is reported."""
        parts = self._parts.get(sequence) if type(sequence) is int else None
        if parts is not None:
            if table is not schema.EVENT and thread_id != self._thread_id:
                parts.damage = parts.damage or self._where(table, row, f"it is of another thread, {thread_id!r}")
            return parts
        elsewhere = type(thread_id) is str and thread_id != self._thread_id and thread_id in self._index.threads
        if not elsewhere and sequence not in self._index.sequences:
            place = sequence if type(sequence) is int else math.inf
            self._damaged(table, row, f"there is no commit {sequence!r}", place)
        return None

    @contextmanager
    def _guarded(self, parts: _Parts, table: schema.Table, row: Stored) -> Iterator[None]:
        try:
            yield
        except WireError as error:
            parts.damage = parts.damage or self._where(table, row, str(error))

    def _damaged(self, table: schema.Table, row: Stored, detail: str, sequence: float) -> None:
        self.damages.append(Damage(ProblemKind.CORRUPT, self._where(table, row, detail), sequence))

    def _where(self, table: schema.Table, row: Stored, detail: str) -> str:
        return f"{self._layout.name(table)} row {row!r}: {detail}"


class ThreadRows(_Rows):
    """The rows of one thread."""

    def __init__(self, connection: sqlite3.Connection, layout: Layout, index: Index, thread_id: str) -> None:
        super().__init__(connection, layout, index, thread_id)
        self._log = ThreadLog(thread_id, keeps_tickets=False)

    def history(self) -> History:
        """The history that the rows tell."""
        self.read()
        self._read_tickets()
        query = self._layout.select(schema.COMMIT, "sequence, run_id, phase, committed_at", "thread_id IS ?")
        for sequence, run_id, phase, committed_at in self._connection.execute(query, (self._log.thread_id,)):
            parts = self._parts.pop(sequence, None)
            if parts is not None:
                self._add_commit(sequence, run_id, phase, committed_at, parts)
        return self._log.history(self.damages)

    def _read_tickets(self) -> None:
        if not self._layout.has(schema.WAITING):
            return
        for run_id, ticket in self._connection.execute(self._layout.select(schema.WAITING, "run_id, ticket")):
            if type(run_id) is not str:
                self._damaged(schema.WAITING, run_id, f"the run id is {_STORED[type(run_id)]}, not text", math.inf)
            elif self._index.last_of_run.get(run_id) in self._parts:
                self._parts[self._index.last_of_run[run_id]].ticket = ticket

    def _add_commit(self, sequence: int, run_id: Stored, phase: Stored, committed_at: Stored, parts: _Parts) -> None:
        with self._guarded(parts, schema.COMMIT, sequence):
            run = RunDisposition(_text(run_id), Phase.from_wire(wire.decode_object(_text(phase), frozenset())))
        if parts.damage is not None:
            self.damages.append(Damage(ProblemKind.CORRUPT, parts.damage, sequence))
            return
        reports = []
        if run.phase.kind is PhaseKind.AWAITING and parts.ticket is not None:
            try:
                run = replace(run, resume_ticket=_ticket(parts.ticket))
            except WireError as error:
                reports.append(self._where(schema.WAITING, run_id, str(error)))
        try:
            time = _time(committed_at)
        except (ValueError, OverflowError):
            time = None
            reports.append(self._where(schema.COMMIT, sequence, f"committed_at is no time: {committed_at!r}"))
        messages, events = Held.adopt(parts.messages), Held.adopt(parts.events)
        self._log.append(
            sequence, ThreadCommit(self._log.thread_id, run, tuple(parts.commands), messages, events), time
        )
        for report in reports:
            self._log.report(report)


def _text(stored: Stored) -> str:
    if type(stored) is not str:
        raise WireError(f"expected JSON text, got {_STORED[type(stored)]}")
    return stored


def _ticket(stored: Stored) -> ResumeTicket:
    return ResumeTicket.from_wire(wire.decode_object(_text(stored), ticket_module.OPAQUE_FIELDS))


def _time(stored: Stored) -> datetime | None:
    if stored is None:
        return None
    if type(stored) is not str:
        raise ValueError("a time is stored as text")
    time = datetime.fromisoformat(stored)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
