"""Reading NDJSON: the collector paused, a disk that fails, and any bytes accounted for."""

from __future__ import annotations

import gc
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statekit.errors import CorruptJournal, JournalError, NotAJournal
from statekit.journal.ndjson import open_ndjson
from statekit.journal.threadlog import collector_paused
from statekit.transition import ProblemKind
from tests.journal.sample import HISTORIES, line

TORN, CORRUPT = ProblemKind.TORN_TAIL, ProblemKind.CORRUPT


class WatchedFile(io.BytesIO):
    """A file that notes whether the garbage collector may run while it is read."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.collecting: list[bool] = []

    def read(self, size: int | None = -1, /) -> bytes:
        self.collecting.append(gc.isenabled())
        return super().read(size)


class TestGarbageCollector:
    def test_is_paused_while_a_file_is_read(self) -> None:
        file = WatchedFile(line())
        open_ndjson("some", file)
        assert True not in file.collecting
        assert gc.isenabled()

    def test_is_restored_when_reading_fails(self, load: Any) -> None:
        with pytest.raises(NotAJournal):
            load(b"?\n")
        assert gc.isenabled()

    def test_stays_off_for_those_who_turned_it_off(self) -> None:
        gc.disable()
        try:
            with collector_paused():
                pass
            assert not gc.isenabled()
        finally:
            gc.enable()


class FailingFile(io.BytesIO):
    """A file on a disk that fails."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() > 0:
            raise OSError(5, "Input/output error")
        return super().read(size)


def test_a_failing_disk_is_a_corrupt_journal() -> None:
    with pytest.raises(CorruptJournal, match="some: reading it failed: Input/output error"):
        open_ndjson("some", FailingFile(line() * 1000))


def account(data: bytes) -> None:
    """Every line that is not blank is a transition of some thread or a problem, or the whole is refused."""
    try:
        journal = open_ndjson("some", io.BytesIO(data))
    except JournalError:
        return
    content = data.removeprefix(b"\xef\xbb\xbf")
    lines = sum(1 for raw in content.split(b"\n") if raw.strip(b" \t\r"))
    transitions = sum(len(journal.history(thread)) for thread in journal.threads())
    assert transitions + len(journal.problems) == lines
    for thread in journal.threads():
        own = [problem for problem in journal.history(thread).problems if problem.kind in (TORN, CORRUPT)]
        assert [(p.kind, p.line, p.offset) for p in own] == [(p.kind, p.line, p.offset) for p in journal.problems]


TWO_THREADS = (HISTORIES / "two-threads.ndjson").read_bytes()


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    account(data)
    account(line() + data)
    account(line() + data + b"\n" + line("u"))


@given(st.lists(st.tuples(st.integers(0, len(TWO_THREADS) - 1), st.binary(max_size=4)), min_size=1, max_size=6))
def test_any_mutation_of_a_real_file_is_accounted_for(edits: list[tuple[int, bytes]]) -> None:
    data = bytearray(TWO_THREADS)
    for place, replacement in edits:
        data[place : place + len(replacement) or 1] = replacement
    account(bytes(data))
