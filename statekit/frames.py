"""Histories and stores as pandas tables; needs pandas.

A table is a declared list of columns, so an empty frame has the same columns and dtypes as a full one, and each
function's docstring lists them. Values are copies of the JSON values themselves, never encoded again: `None` is JSON
null, and `statekit.ABSENT` stands where there is no value at all. Keys and previews are text: pandas escapes them where
it makes HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, TypeVar

from statekit.command import Command, Set
from statekit.errors import extra_needed
from statekit.history import Change, History
from statekit.merge import apply_command
from statekit.preview import preview
from statekit.store import Store
from statekit.transition import Transition
from statekit.value import ABSENT, Absent, Json, copy_value, same
from statekit.vocabulary import Address, Scope

try:
    import pandas as pd
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(extra_needed("statekit.frames", missing.name, "frames"), name=missing.name) from missing

INTEGER: Final = "int64"
FLAG: Final = "bool"
VALUE: Final = "object"
TIME: Final = "datetime64[us, UTC]"
# With its storage named, the dtype does not depend on what else is installed.
TEXT: Final = "string[python]"

Row = TypeVar("Row")
Function = TypeVar("Function", bound=Callable[..., pd.DataFrame])


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column: its name, its dtype, what it means, and how a row gives it."""

    name: str
    dtype: str
    meaning: str
    get: Callable[[Row], Any]


@dataclass(frozen=True, slots=True)
class Table(Generic[Row]):
    """A list of columns: what a frame has, whatever its rows."""

    columns: tuple[Column[Row], ...]

    def frame(self, rows: Iterable[Row]) -> pd.DataFrame:
        """A new frame with one line a row, numbered from 0."""
        listed = list(rows)
        return pd.DataFrame(
            {column.name: pd.Series(list(map(column.get, listed)), dtype=column.dtype) for column in self.columns}
        )

    def describe(self, function: Function) -> Function:
        """The function, with the columns added to its docstring."""
        wide = max(len(column.name) for column in self.columns)
        lines = [f"{' ' * 8}{c.name:{wide}}  {c.dtype:{len(TIME)}}  {c.meaning}" for c in self.columns]
        function.__doc__ = "\n".join([f"{function.__doc__ or ''}\n\n    Columns::\n", *lines])
        return function


class _Staged(NamedTuple):
    """A command at its place."""

    transition: Transition
    place: int
    command: Command


class _Written(NamedTuple):
    """A command that wrote a cell, with what the cell held before and after it."""

    transition: Transition
    command: Command
    before: Json | Absent
    after: Json | Absent


def _cells(transition: Transition) -> str:
    return ", ".join(key for _, key in transition.addresses)


def _set_value(command: Command) -> Json | Absent:
    return command.action.value if isinstance(command.action, Set) else ABSENT


def _action(command: Command) -> str:
    return type(command.action).__name__


_KINDS: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}

TRANSITIONS: Final[Table[Transition]] = Table(
    (
        Column("position", INTEGER, "its place in the thread's history, from 1", lambda row: row.position),
        Column("sequence", INTEGER, "its place among all commits of the medium", lambda row: row.sequence),
        Column("run_id", TEXT, "the committing run", lambda row: row.run_id),
        Column("state", TEXT, "that run's state after it, as `Ended: NaturalEnd`", lambda row: str(row.phase)),
        Column("commands", INTEGER, "how many commands its batch has", lambda row: len(row.commands)),
        Column("cells", TEXT, "the keys its batch touches, in first-touch order", _cells),
        Column("messages", INTEGER, "how many messages it carries", lambda row: len(row.commit.held_messages.borrow())),
        Column("events", INTEGER, "how many events it carries", lambda row: len(row.commit.held_events.borrow())),
        Column("committed_at", TIME, "when; NaT where the medium keeps no time", lambda row: row.committed_at),
    )
)

COMMANDS: Final[Table[_Staged]] = Table(
    (
        Column("position", INTEGER, "its transition's position", lambda row: row.transition.position),
        Column("index", INTEGER, "its place in the batch, from 0", lambda row: row.place),
        Column("run_id", TEXT, "the committing run", lambda row: row.transition.run_id),
        Column("owner", TEXT, "the run that owns the cell; NA for none", lambda row: row.command.run_id),
        Column("scope", TEXT, "Run, Thread, Shared or Profile", lambda row: row.command.scope.value),
        Column("key", TEXT, "the cell's key", lambda row: row.command.key),
        Column("merge", TEXT, "Disjoint, Commutative or Exclusive", lambda row: row.command.merge.value),
        Column("action", TEXT, "Set or Remove", lambda row: _action(row.command)),
        Column("value", VALUE, "what it sets; ABSENT for Remove", lambda row: _set_value(row.command)),
    )
)

STATE: Final[Table[tuple[Address, Json]]] = Table(
    (
        Column("scope", TEXT, "Run, Thread, Shared or Profile", lambda row: row[0][0].value),
        Column("key", TEXT, "the cell's key", lambda row: row[0][1]),
        Column("value", VALUE, "what it holds", lambda row: row[1]),
        Column("type", TEXT, "null, boolean, integer, number, string, array or object", lambda row: _kind(row[1])),
        Column("preview", TEXT, "the value on one short line", lambda row: preview(row[1])),
    )
)

TIMELINE: Final[Table[_Written]] = Table(
    (
        Column("position", INTEGER, "the writing transition's position", lambda row: row.transition.position),
        Column("run_id", TEXT, "the committing run", lambda row: row.transition.run_id),
        Column("merge", TEXT, "Disjoint, Commutative or Exclusive", lambda row: row.command.merge.value),
        Column("action", TEXT, "Set or Remove", lambda row: _action(row.command)),
        Column("written", VALUE, "what the command sets; ABSENT for Remove", lambda row: _set_value(row.command)),
        Column("value", VALUE, "what the cell holds after it, or ABSENT", lambda row: copy_value(row.after)),
        Column("changed", FLAG, "whether it held something else before", lambda row: not same(row.before, row.after)),
    )
)

CHANGES: Final[Table[Change]] = Table(
    (
        Column("scope", TEXT, "Run, Thread, Shared or Profile", lambda row: row.scope.value),
        Column("key", TEXT, "the cell's key", lambda row: row.key),
        Column("kind", TEXT, "added, removed or changed", lambda row: row.kind.value),
        Column("before", VALUE, "what it held at `p`, or ABSENT", lambda row: row.before),
        Column("after", VALUE, "what it holds at `q`, or ABSENT", lambda row: row.after),
    )
)


@TRANSITIONS.describe
def transitions(history: History) -> pd.DataFrame:
    """The transitions of a history, one row each, in order."""
    return TRANSITIONS.frame(history)


@COMMANDS.describe
def commands(history: History) -> pd.DataFrame:
    """Every command of a history, in the order of replay."""
    return COMMANDS.frame(
        _Staged(transition, place, command)
        for transition in history
        for place, command in enumerate(transition.commands)
    )


@STATE.describe
def state(store: Store) -> pd.DataFrame:
    """The cells of a store, ordered by scope, then key."""
    return STATE.frame(store.items())


@TIMELINE.describe
def timeline(history: History, scope: Scope, key: str) -> pd.DataFrame:
    """Every write of one cell in order, with what the cell held after it; empty for a cell that was never written.

    Writes of the same batch follow one another, so a value that was overwritten at once is there too.
    """
    return TIMELINE.frame(_written(history, scope, key))


@CHANGES.describe
def changes(history: History, p: int, q: int) -> pd.DataFrame:
    """The cells that differ between the states after `p` and after `q`; raises `PositionError`."""
    return CHANGES.frame(history.diff(p, q))


def _kind(value: Json) -> str:
    return _KINDS[type(value)]


def _written(history: History, scope: Scope, key: str) -> Iterator[_Written]:
    address = scope, key
    cells: dict[Address, Json] = {}
    for position, command in history.writes(scope, key):
        before = cells.get(address, ABSENT)
        apply_command(cells, command)
        yield _Written(history.transition(position), command, before, cells.get(address, ABSENT))
