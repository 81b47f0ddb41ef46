"""A SQLite connection that changes nothing on disk, not even beside the database.

SQLite itself writes when it reads: it makes the index of a write-ahead log and rolls an interrupted transaction back.
So a database with a log or such a transaction beside it is copied with it and the copy is read; one whose log is empty
is read as a file that does not change; any other is opened read-only, under SQLite's own locks.
"""

from __future__ import annotations

import shutil
import sqlite3
import stat
from contextlib import ExitStack
from enum import Enum, auto
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Final, NamedTuple

from statekit.errors import CorruptJournal, JournalBusy, NotAJournal

ATTEMPTS = 5
"""How often a database that changes while it is read is read anew."""

# What the header says, at bytes 18 and 19, of a database that is written through a log.
_LOGGED = 2
_LARGEST_PAGE = 2**16
_LOG_HEADER = 32
_PAUSE_SECONDS = 0.01
_BUSY_SECONDS = 2.0
_LONGEST_VALUE = 256 * 2**20
_SUPER_JOURNAL = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
_PRAGMAS = ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "temp_store=MEMORY")
_ALLOWED: Final = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_TRANSACTION})

_COLUMNS = sqlite3.SQLITE_PRAGMA, "table_xinfo"
_TYPE = sqlite3.SQLITE_FUNCTION, "typeof"


class Garbled(NamedTuple):
    """What SQLite calls text and is not UTF-8."""

    raw: bytes


class Means(Enum):
    """How a database is read."""

    LOCKED = auto()
    UNCHANGING = auto()
    COPIED = auto()


class _Status(NamedTuple):
    inode: int
    size: int
    modified: int
    changed: int


_Fingerprint = tuple[_Status | None, ...]


class _Files(NamedTuple):
    database: Path
    log: Path
    rollback: Path


class Snapshot:
    """One open connection, and what the files were when it was made."""

    def __init__(self, target: str, path: Path) -> None:
        self._target = target
        self._files = _files(path.resolve())
        with ExitStack() as opened:
            self.fingerprint, self.means, self.connection = self._connect(opened)
            self._opened = opened.pop_all()

    @property
    def consistent(self) -> bool:
        """Whether what was read through it is of one state: only a file taken as unchanging can betray that."""
        return self.means is not Means.UNCHANGING or not self.outdated

    @property
    def outdated(self) -> bool:
        """Whether the files have changed since."""
        return _fingerprint(self._target, self._files) != self.fingerprint

    def close(self) -> None:
        """Close the connection and remove the copy it may have read."""
        self._opened.close()

    def _connect(self, opened: ExitStack) -> tuple[_Fingerprint, Means, sqlite3.Connection]:
        for attempt in range(ATTEMPTS):
            found = _fingerprint(self._target, self._files)
            means = _means(self._files, found)
            if means is not Means.COPIED:
                _check_pages(self._target, self._files.database)
                options = "mode=ro" if means is Means.LOCKED else "mode=ro&immutable=1"
                return found, means, _open(opened, self._files.database, options)
            copies = _files(Path(opened.enter_context(TemporaryDirectory(prefix="statekit-")), "copy.db"))
            _copy(self._files, copies)
            if self._is_one_state(found, copies):
                _check_rollback(self._target, copies.rollback)
                # The log is applied, or the transaction rolled back, in the copy.
                return found, means, _open(opened, copies.database, "mode=rw")
            opened.close()
            sleep(_PAUSE_SECONDS * 2**attempt)
        raise JournalBusy(self._target)

    def _is_one_state(self, before: _Fingerprint, copies: _Files) -> bool:
        # What was appended to the log meanwhile does no harm: a frame that was not copied whole does not count.
        after = _fingerprint(self._target, self._files)
        same_files = (before[0], before[2]) == (after[0], after[2])
        return same_files and _start(copies.log, _LOG_HEADER) == _start(self._files.log, _LOG_HEADER)


def _files(database: Path) -> _Files:
    return _Files(database, *(database.with_name(database.name + suffix) for suffix in ("-wal", "-journal")))


def _fingerprint(target: str, files: _Files) -> _Fingerprint:
    return tuple(_status(target, file) for file in files)


def _status(target: str, file: Path) -> _Status | None:
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise NotAJournal(target, f"{file.name} is not a plain file")
    return _Status(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _means(files: _Files, found: _Fingerprint) -> Means:
    _, log, _ = found
    # A finished transaction may leave its journal behind, its start overwritten with zeros.
    if (log is not None and log.size) or _start(files.rollback, 1).strip(b"\0"):
        return Means.COPIED
    return Means.UNCHANGING if log is not None or _LOGGED in _start(files.database, 20)[18:] else Means.LOCKED


def _check_pages(target: str, database: Path) -> None:
    # SQLite takes a page that was cut short for one that ends in zeros.
    page_size = int.from_bytes(_start(database, 18)[16:])
    if database.stat().st_size % (_LARGEST_PAGE if page_size == 1 else page_size or 1):
        raise CorruptJournal(target, "the file ends in the middle of a page")


def _start(file: Path, length: int) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(length)
    except FileNotFoundError:
        return b""


def _copy(files: _Files, copies: _Files) -> None:
    for file, copy in zip(files, copies, strict=True):
        try:
            shutil.copyfile(file, copy)
        except FileNotFoundError:
            copy.unlink(missing_ok=True)


def _check_rollback(target: str, journal: Path) -> None:
    # SQLite deletes the file that the end of such a journal names, wherever it is.
    if journal.exists() and journal.read_bytes().endswith(_SUPER_JOURNAL):
        raise CorruptJournal(target, "a transaction over several databases was interrupted; let its writer finish it")


def _open(opened: ExitStack, path: Path, options: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.as_uri()}?{options}",
        uri=True,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    opened.callback(connection.close)
    connection.text_factory = _text
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    connection.set_authorizer(_authorize)
    return connection


def _text(raw: bytes) -> str | Garbled:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return Garbled(raw)


def _authorize(action: int, first: str | None, second: str | None, database: str | None, source: str | None) -> int:
    # A source is a view or trigger that the database brought along.
    allowed = action in _ALLOWED or (action, first) == _COLUMNS or (action, second) == _TYPE
    return sqlite3.SQLITE_OK if allowed and source is None else sqlite3.SQLITE_DENY
