"""SQLite: the tables of the schema, read and never written.

Nothing in the database is trusted: only real tables with plain columns are read, no view, trigger, function or
generated column of it ever runs, and indexes are passed over, since a damaged one hides rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import Final, TypeVar

from statekit.errors import CorruptJournal, JournalBusy, NotAJournal
from statekit.history import History
from statekit.journal import schema
from statekit.journal.protocol import Journal
from statekit.journal.rows import Layout, ThreadRows, read_index, read_problems
from statekit.journal.snapshot import ATTEMPTS, Snapshot
from statekit.journal.threadlog import collector_paused
from statekit.transition import Problem

T = TypeVar("T")

_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_PRIMARY_CODE = 0xFF


class SqliteJournal(Journal):
    """The histories of one SQLite database, as it is each time it is asked."""

    def __init__(self, target: str, path: Path) -> None:
        super().__init__(target)
        self._path = path
        self._lock = Lock()
        self._snapshot: Snapshot | None = None
        with ExitStack() as failing:
            failing.callback(self._forget)
            self._read(lambda connection, layout: None)
            failing.pop_all()

    def threads(self) -> list[str]:
        """The threads of the database, in the order of their first commit; raises `CorruptJournal`, `JournalBusy`."""
        return list(self._read(read_index).threads)

    def history(self, thread_id: str) -> History:
        """The history of one thread; raises `UnknownThread`, `CorruptJournal`, `JournalBusy`."""

        def read(connection: sqlite3.Connection, layout: Layout) -> History:
            index = read_index(connection, layout)
            self._check_thread(thread_id, list(index.threads))
            return ThreadRows(connection, layout, index, thread_id).history()

        with collector_paused():
            return self._read(read)

    @property
    def problems(self) -> list[Problem]:
        """The commits that name no thread, and the rows of no commit."""
        return self._read(read_problems)

    def close(self) -> None:
        """Close the connection and remove what was copied."""
        super().close()
        self._forget()

    def _read(self, query: Callable[[sqlite3.Connection, Layout], T]) -> T:
        self._check_open()
        with self._lock, _translated(self.target):
            for _ in range(ATTEMPTS):
                snapshot = self._current()
                try:
                    result = self._query(snapshot.connection, query)
                except (sqlite3.DatabaseError, UnicodeDecodeError):
                    if snapshot.consistent:
                        raise
                    continue
                if snapshot.consistent:
                    return result
        raise JournalBusy(self.target)

    def _query(self, connection: sqlite3.Connection, query: Callable[[sqlite3.Connection, Layout], T]) -> T:
        # One transaction, so that all tables are read in the same state.
        connection.execute("BEGIN")
        try:
            return query(connection, _layout(self.target, connection))
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _current(self) -> Snapshot:
        if self._snapshot is not None and self._snapshot.outdated:
            self._forget()
        if self._snapshot is None:
            self._snapshot = Snapshot(self.target, self._path)
        return self._snapshot

    def _forget(self) -> None:
        if self._snapshot is not None:
            self._snapshot.close()
        self._snapshot = None


@contextmanager
def _translated(target: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE in _BUSY:
            raise JournalBusy(target) from error
        raise CorruptJournal(target, f"SQLite cannot read it: {error}") from error
    except UnicodeDecodeError as error:
        # Python cannot decode the sentence with which SQLite complains of a garbled name.
        raise CorruptJournal(target, "SQLite cannot read it: a name in it is not UTF-8") from error
    except MemoryError as error:
        raise CorruptJournal(target, "SQLite cannot read it: a damaged size asks for all memory") from error
    except OSError as error:
        raise CorruptJournal(target, f"reading it failed: {error.strerror or error}") from error


def _layout(target: str, connection: sqlite3.Connection) -> Layout:
    # A view or virtual table has no root page of its own.
    real = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
    tables = {name for (name,) in real if isinstance(name, str)}
    prefix = _prefix(target, tables)
    layout = Layout(prefix, frozenset(table.name for table in schema.TABLES if prefix + table.name in tables))
    for table in schema.TABLES:
        if layout.has(table):
            _check_columns(target, connection, table, prefix)
    return layout


def _prefix(target: str, tables: set[str]) -> str:
    found = schema.prefixes(tables)
    if not found:
        needed = " and ".join(schema.DEFAULT_PREFIX + table.name for table in schema.REQUIRED)
        raise NotAJournal(target, f"this SQLite database is no journal: it has no tables {needed}")
    if schema.DEFAULT_PREFIX in found or len(found) == 1:
        return schema.DEFAULT_PREFIX if schema.DEFAULT_PREFIX in found else found[0]
    listed = ", ".join(map(repr, found))
    raise NotAJournal(target, f"this SQLite database holds several journals, with the table prefixes {listed}")


def _check_columns(target: str, connection: sqlite3.Connection, table: schema.Table, prefix: str) -> None:
    # The last field tells a stored column (0) from one that is computed.
    rows = connection.execute(f"PRAGMA table_xinfo({schema.table_name(table, prefix)})")
    stored = {row[1] for row in rows if row[-1] == 0}
    missing = [name for name in table.column_names if name not in stored]
    if missing:
        detail = f"this SQLite database is no journal: its table {prefix + table.name} stores no column {missing[0]!r}"
        raise NotAJournal(target, detail)
