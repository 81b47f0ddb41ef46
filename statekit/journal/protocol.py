"""What every journal offers, whatever its medium."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from statekit.commit import CommitRecord, ThreadCommit
from statekit.errors import JournalError, JournalReadOnly, UnknownThread
from statekit.history import History
from statekit.transition import Problem


class Journal(ABC):
    """A medium that holds the histories of threads; a context manager that closes it.

    `target` is what it was opened by. Asking a closed journal raises `JournalError`.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self._closed = False

    @abstractmethod
    def threads(self) -> list[str]:
        """The threads it holds, in the order of their first commit."""

    @abstractmethod
    def history(self, thread_id: str) -> History:
        """The history of one thread; raises `UnknownThread` with those it holds when there is no such thread.

        Damage that cannot be put down to one thread is among the problems of every history.
        """

    @property
    @abstractmethod
    def problems(self) -> list[Problem]:
        """The damage that cannot be put down to one thread; positions count the commits of all threads before it."""

    def commit(self, thread_commit: ThreadCommit) -> CommitRecord:
        """Raise `JournalReadOnly`: this journal was opened for reading."""
        raise JournalReadOnly(self.target)

    def commit_operation(self, operation: object) -> CommitRecord:
        """Raise `JournalReadOnly`: this journal was opened for reading."""
        raise JournalReadOnly(self.target)

    def close(self) -> None:
        """Let go of the medium; closing twice does nothing more."""
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.target!r})"

    def _check_open(self) -> None:
        if self._closed:
            raise JournalError(f"{self.target}: the journal is closed")

    def _check_thread(self, thread_id: str, threads: list[str]) -> None:
        if thread_id not in threads:
            raise UnknownThread(self.target, thread_id, threads)
