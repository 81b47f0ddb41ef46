"""NDJSON: one commit a line.

The whole file is read when it is opened, in one pass, and nothing is held of it but its commits; what a writer
appends later is seen by opening it again. A commit's `sequence` is its ordinal among the lines that are not blank.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from statekit import wire
from statekit.commit import COMMIT_FIELDS, ThreadCommit
from statekit.errors import CorruptJournal, JournalError, NotAJournal, WireError
from statekit.history import History
from statekit.journal import filekind
from statekit.journal.lines import GZIP_MAGIC, MAX_LINE, BrokenStream, Line, chunks, split_lines
from statekit.journal.protocol import Journal
from statekit.journal.threadlog import Damage, ThreadLog, collector_paused, shortened
from statekit.transition import Problem, ProblemKind

HOPELESS = 10_000
"""After so many lines without a single commit a file is taken for something else and read no further."""

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r"


class NdjsonJournal(Journal):
    """The histories of one NDJSON file, as it was when it was opened."""

    def __init__(self, target: str, logs: dict[str, ThreadLog], damages: list[Damage]) -> None:
        super().__init__(target)
        self._logs = logs
        self._damages = damages

    def threads(self) -> list[str]:
        """The threads of the file, in the order of their first line."""
        self._check_open()
        return list(self._logs)

    def history(self, thread_id: str) -> History:
        """The history of one thread; raises `UnknownThread`."""
        self._check_thread(thread_id, self.threads())
        with collector_paused():
            return self._logs[thread_id].history(self._damages)

    @property
    def problems(self) -> list[Problem]:
        """The damaged lines; nobody can tell whose they were."""
        self._check_open()
        return [damage.as_problem(int(damage.sequence) - 1 - index) for index, damage in enumerate(self._damages)]

    def close(self) -> None:
        """Let go of what was read."""
        super().close()
        self._logs = {}
        self._damages = []


def open_ndjson(target: str, file: BinaryIO) -> NdjsonJournal:
    """Read a binary file of commits, plain or gzipped, from its start.

    Raises `NotAJournal` when it holds lines and none is a commit, `CorruptJournal` when these are damaged commits or
    when it cannot be read at all.
    """
    reader = _Reader(target)
    with collector_paused():
        try:
            reader.read(file)
        except OSError as error:
            raise CorruptJournal(target, f"reading it failed: {error.strerror or error}") from error
    return NdjsonJournal(target, reader.logs, reader.damages)


class _Reader:
    def __init__(self, target: str) -> None:
        self.logs: dict[str, ThreadLog] = {}
        self.damages: list[Damage] = []
        self._target = target
        self._sequence = 0
        self._head = b""
        self._packed = False

    def read(self, file: BinaryIO) -> None:
        self._packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        file.seek(0)
        try:
            for line in split_lines(self._watched(chunks(file))):
                self._take(line)
                if self._sequence == HOPELESS and not self.logs:
                    raise self._unreadable()
        except BrokenStream as broken:
            self._take_broken(broken)
        if self._sequence and not self.logs and not self._is_first_commit_cut():
            raise self._unreadable()

    def _watched(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            unmarked = not self._head
            self._head += piece[: filekind.HEAD - len(self._head)]
            if unmarked and filekind.by_magic(self._head) is not None:
                raise self._not_a_journal()
            yield piece

    def _take(self, line: Line) -> None:
        text = _content(line)
        if _is_blank(text):
            return
        self._sequence += 1
        if text is None:
            self._damaged(line, ProblemKind.CORRUPT, f"the line is longer than {MAX_LINE} bytes")
            return
        try:
            commit = ThreadCommit.from_json(text)
        except WireError as error:
            torn = not line.ended and _is_cut_short(text)
            self._damaged(line, ProblemKind.TORN_TAIL if torn else ProblemKind.CORRUPT, _explain(error, torn=torn))
            return
        log = self.logs.setdefault(commit.thread_id, ThreadLog(commit.thread_id))
        log.append(self._sequence, commit, line=line.number, offset=line.offset)

    def _take_broken(self, broken: BrokenStream) -> None:
        rest = broken.rest
        if _is_commit(_content(rest)):
            self._take(rest)
        elif not self._sequence:
            raise CorruptJournal(self._target, str(broken), rest.number, rest.offset) from None
        self._sequence += 1
        self._damaged(rest, ProblemKind.TORN_TAIL if broken.cut_short else ProblemKind.CORRUPT, str(broken))

    def _damaged(self, line: Line, kind: ProblemKind, detail: str) -> None:
        self.damages.append(Damage(kind, shortened(detail), self._sequence, line.number, line.offset))

    def _is_first_commit_cut(self) -> bool:
        # A crash during the very first append leaves the start of one commit and nothing else.
        only = self.damages[0]
        return self._sequence == 1 and only.kind is ProblemKind.TORN_TAIL and _begins_a_commit(self._head)

    def _unreadable(self) -> JournalError:
        if not _names_a_commit(self._head):
            return self._not_a_journal()
        first = self.damages[0]
        return CorruptJournal(self._target, f"no line is a readable commit; {first.detail}", first.line, first.offset)

    def _not_a_journal(self) -> NotAJournal:
        kind = filekind.looks_like(self._head)
        return NotAJournal(self._target, f"this is {kind}{', gzipped' if self._packed else ''}, not a journal")


def _content(line: Line) -> bytes | None:
    return line.text.removeprefix(_BOM) if line.number == 1 and line.text is not None else line.text


def _is_blank(text: bytes | None) -> bool:
    return text is not None and not text.strip(_BLANK)


def _is_commit(text: bytes | None) -> bool:
    try:
        return text is not None and ThreadCommit.from_json(text) is not None
    except WireError:
        return False


def _names_a_commit(head: bytes) -> bool:
    # Both fields in the first line: what a damaged commit still shows, and no other kind of JSON file.
    first = head.removeprefix(_BOM).lstrip().split(b"\n", 1)[0]
    return first.startswith(b"{") and b'"thread_id"' in first and b'"run_fact"' in first


def _is_cut_short(text: bytes) -> bool:
    # A file system that had made room for a line and lost its bytes leaves zeros in their place.
    written = text.rstrip(b"\0")
    return not written or wire.is_cut_short(written)


def _begins_a_commit(head: bytes) -> bool:
    begun = b"".join(head.removeprefix(_BOM).split())
    names = [b'{"' + name.encode() + b'"' for name in COMMIT_FIELDS]
    return any(begun.startswith(name) or name.startswith(begun) for name in names)


def _explain(error: WireError, *, torn: bool) -> str:
    if torn:
        return "the last line was cut short"
    place = "" if error.path == "$" else f"{error.path}: "
    byte = "" if error.offset is None else f" ({error.offset} bytes into the line)"
    return f"{place}{error.detail}{byte}"
