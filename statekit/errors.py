"""Every error that statekit raises, each with its data and one sentence.

::

    StatekitError
    +-- StateError            a typed value cannot be read or written
    +-- ContractError         StateKey.write was handed what has no JSON form
    +-- PositionError         a position outside a history (also an IndexError)
    +-- ValidationError       a commit breaks a rule (also a ValueError)
    |   +-- WireError         text that is not the JSON it should be
    |   +-- MergeConflict     the batch rule rejects a batch
    +-- JournalError          a medium
        +-- NotAJournal       it holds something else, or nothing at all
        +-- UnknownThread     it has no such thread, or several and none was named
        +-- CorruptJournal    it is damaged where it must not be
        +-- CommitRejected    it refused a commit
        +-- JournalBusy       another writer holds it
        +-- JournalReadOnly   it was opened for reading
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from statekit.vocabulary import Scope


class StatekitError(Exception):
    """The root of every error that statekit raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (type(self), self.args, self.__dict__)


def _revive(kind: type[StatekitError], args: tuple[Any, ...], data: dict[str, Any]) -> StatekitError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(data)
    return error


def extra_needed(part: str, module: str | None, extra: str) -> str:
    """The sentence for a part of statekit that misses a module, with the line that installs it.

    >>> extra_needed("statekit.frames", "pandas", "frames")
    "statekit.frames needs pandas: pip install 'statekit[frames]'"
    """
    return f"{part} needs {module}: pip install 'statekit[{extra}]'"


class Mismatch(NamedTuple):
    """One place where a value is not what its type expects."""

    path: str
    expected: str
    got: str

    def __str__(self) -> str:
        return f"{self.path}: expected {self.expected}, got {self.got}"


class StateError(StatekitError):
    """A typed value cannot be read from, or written to, its cell.

    `key` and `scope` are None while a value has no address yet.
    """

    def __init__(self, key: str | None, scope: Scope | None, detail: str, errors: Sequence[Mismatch] = ()) -> None:
        self.key = key
        self.scope = scope
        self.detail = detail
        self.errors = list(errors)
        where = "" if scope is None else f"{scope.value} cell {key!r}: "
        super().__init__(where + detail)

    def at(self, scope: Scope, key: str) -> Self:
        """This error again, told of the cell it happened at."""
        return type(self)(key, scope, self.detail, self.errors)


class ContractError(StatekitError):
    """A whole-value write of a `StateKey` got a value with no JSON form: a programming error."""

    def __init__(self, key: str, scope: Scope, detail: str) -> None:
        self.key = key
        self.scope = scope
        self.detail = detail
        super().__init__(f"{scope.value} key {key!r} was given a value that breaks its contract: {detail}")


class PositionError(StatekitError, IndexError):
    """A position is outside a history: from 0 to its length, or from 1 where a transition is meant."""

    def __init__(self, position: object, length: int, first: int = 0) -> None:
        self.position = position
        self.length = length
        self.first = first
        super().__init__(f"position {position!r} is not a whole number from {first} to {length}")


class ValidationError(StatekitError, ValueError):
    """A commit breaks a rule of the state model."""


class WireError(ValidationError):
    """Text is not JSON, or JSON is not the wire object it should be.

    `path` names the place inside the value ("$" is the whole), `offset` the byte when known.
    """

    def __init__(self, detail: str, path: str = "$", offset: int | None = None) -> None:
        self.detail = detail
        self.path = path
        self.offset = offset
        where = "" if path == "$" else f"{path}: "
        at = "" if offset is None else f" at byte {offset}"
        super().__init__(f"{where}{detail}{at}")


class MergeConflict(ValidationError):
    """A batch sets an `Exclusive` cell twice; `first` and `second` are indexes in the batch."""

    def __init__(self, scope: Scope, key: str, first: int, second: int) -> None:
        self.scope = scope
        self.key = key
        self.first = first
        self.second = second
        super().__init__(
            f"commands {first} and {second} of the batch both set the Exclusive cell {key!r} in scope {scope.value}"
        )


class JournalError(StatekitError):
    """A medium that holds histories cannot do what was asked."""


class NotAJournal(JournalError):
    """The target is not a journal of any kind that statekit reads."""

    def __init__(self, target: str, detail: str) -> None:
        self.target = target
        self.detail = detail
        super().__init__(f"{target}: {detail}")


class UnknownThread(JournalError):
    """The journal has no such thread; `thread_id` is None when none was named and several are there."""

    def __init__(self, target: str, thread_id: str | None, threads: Sequence[str]) -> None:
        self.target = target
        self.thread_id = thread_id
        self.threads = list(threads)
        named = ", ".join(repr(thread) for thread in self.threads[:20]) or "none"
        more = f" and {len(self.threads) - 20} more" if len(self.threads) > 20 else ""
        problem = "name one of its threads" if thread_id is None else f"there is no thread {thread_id!r}"
        super().__init__(f"{target}: {problem}; it holds: {named}{more}")


class CorruptJournal(JournalError):
    """A journal is damaged; `line` counts from 1 and `offset` is the byte where the damage starts, when known."""

    def __init__(self, target: str, detail: str, line: int | None = None, offset: int | None = None) -> None:
        self.target = target
        self.detail = detail
        self.line = line
        self.offset = offset
        where = "" if line is None else f" line {line} (byte {offset})"
        super().__init__(f"{target}{where}: {detail}")


class CommitRejected(JournalError):
    """A commit was refused and left no trace."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"commit rejected: {reason}")


class JournalBusy(JournalError):
    """Another process writes to the journal."""

    def __init__(self, target: str, holder: str | None = None) -> None:
        self.target = target
        self.holder = holder
        super().__init__(f"{target} is being written by {holder or 'another process'}")


class JournalReadOnly(JournalError):
    """The journal was opened for reading only."""

    def __init__(self, target: str) -> None:
        self.target = target
        super().__init__(f"{target} is open for reading only")
