"""The tables of a journal in a SQL database, stated once for every database that holds them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

DEFAULT_PREFIX = "runtime_"

EVENTS_PER_COMMIT = 1000
"""An event's sequence is its commit's sequence times this, plus its place in the commit."""


class ColumnKind(Enum):
    """What a column holds; each dialect has its own type for it."""

    TEXT = auto()
    INTEGER = auto()
    JSON = auto()
    TIME = auto()
    SERIAL = auto()


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table; every column but a primary key refuses NULL."""

    name: str
    kind: ColumnKind


@dataclass(frozen=True, slots=True)
class Table:
    """One table, named without its prefix."""

    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...]

    @property
    def column_names(self) -> list[str]:
        """Its columns' names, in order."""
        return [column.name for column in self.columns]


@dataclass(frozen=True, slots=True)
class Dialect:
    """The column types of one database; those of a serial id include that it is the primary key."""

    types: dict[ColumnKind, str]


SQLITE: Final = Dialect(
    {
        ColumnKind.TEXT: "TEXT",
        ColumnKind.INTEGER: "BIGINT",
        ColumnKind.JSON: "TEXT",
        ColumnKind.TIME: "TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP",
        ColumnKind.SERIAL: "INTEGER PRIMARY KEY AUTOINCREMENT",
    }
)
POSTGRESQL: Final = Dialect(
    {
        ColumnKind.TEXT: "TEXT",
        ColumnKind.INTEGER: "BIGINT",
        ColumnKind.JSON: "JSONB",
        ColumnKind.TIME: "TIMESTAMPTZ NOT NULL DEFAULT now()",
        ColumnKind.SERIAL: "BIGSERIAL PRIMARY KEY",
    }
)

_TEXT, _INTEGER, _JSON, _TIME, _SERIAL = ColumnKind


def _table(name: str, *primary_key: str, **columns: ColumnKind) -> Table:
    return Table(name, tuple(Column(column, kind) for column, kind in columns.items()), primary_key)


COMMIT: Final = _table(
    "commit", "sequence", sequence=_INTEGER, thread_id=_TEXT, run_id=_TEXT, phase=_JSON, committed_at=_TIME
)
MESSAGE: Final = _table("message", "id", id=_SERIAL, commit_sequence=_INTEGER, thread_id=_TEXT, data=_JSON)
STATE_COMMAND: Final = _table("state_command", "id", id=_SERIAL, commit_sequence=_INTEGER, thread_id=_TEXT, data=_JSON)
EVENT: Final = _table("event", "sequence", sequence=_INTEGER, run_id=_TEXT, kind=_JSON, payload=_JSON)
RUN_RECORD: Final = _table("run_record", "run_id", run_id=_TEXT, thread_id=_TEXT, phase=_JSON, updated_at=_TIME)
WAITING: Final = _table("waiting", "run_id", run_id=_TEXT, ticket=_JSON)
THREAD_VERSION: Final = _table("thread_version", "thread_id", thread_id=_TEXT, version=_INTEGER)
COMMIT_RECEIPT: Final = _table(
    "commit_receipt",
    "operation_run_id",
    "operation_ordinal",
    operation_run_id=_TEXT,
    operation_ordinal=_INTEGER,
    thread_id=_TEXT,
    payload_hash=_TEXT,
    commit_sequence=_INTEGER,
    thread_version=_INTEGER,
)

TABLES: Final = (COMMIT, MESSAGE, STATE_COMMAND, EVENT, RUN_RECORD, WAITING, THREAD_VERSION, COMMIT_RECEIPT)
REQUIRED: Final = (COMMIT, STATE_COMMAND)
"""The tables without which there is no journal; the others are as good as empty when they are missing."""


def quoted(identifier: str) -> str:
    """An identifier as SQL text, whatever characters it has.

    >>> quoted('runtime_"commit')
    '"runtime_""commit"'
    """
    escaped = identifier.replace('"', '""')
    return f'"{escaped}"'


def table_name(table: Table, prefix: str) -> str:
    """The quoted name of a table under a prefix."""
    return quoted(prefix + table.name)


def create_table(table: Table, prefix: str, dialect: Dialect) -> str:
    """The statement that makes a table.

    >>> create_table(WAITING, "runtime_", POSTGRESQL)
    'CREATE TABLE "runtime_waiting" ("run_id" TEXT PRIMARY KEY, "ticket" JSONB NOT NULL)'
    """
    parts = [_column(column, table, dialect) for column in table.columns]
    if len(table.primary_key) > 1:
        parts.append(f"PRIMARY KEY ({', '.join(map(quoted, table.primary_key))})")
    return f"CREATE TABLE {table_name(table, prefix)} ({', '.join(parts)})"


def _column(column: Column, table: Table, dialect: Dialect) -> str:
    kind = dialect.types[column.kind]
    if column.kind not in (ColumnKind.SERIAL, ColumnKind.TIME):
        kind += " PRIMARY KEY" if table.primary_key == (column.name,) else " NOT NULL"
    return f"{quoted(column.name)} {kind}"


def prefixes(tables: set[str]) -> list[str]:
    """The prefixes under which a database with these tables holds a journal.

    >>> prefixes({"a_commit", "a_state_command", "b_commit"})
    ['a_']
    """
    ends = [name.removesuffix(COMMIT.name) for name in tables if name.endswith(COMMIT.name)]
    return sorted(prefix for prefix in ends if all(prefix + table.name in tables for table in REQUIRED))
