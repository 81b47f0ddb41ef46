"""What a target is, and opening it as that."""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Final

from statekit.errors import JournalError, NotAJournal, UnknownThread
from statekit.history import History
from statekit.journal.protocol import Journal
from statekit.journal.threadlog import collector_paused

FILE_IN_DIRECTORY = "commits.ndjson"

_SQLITE_MAGIC = b"SQLite format 3\0"
_SQLITE_URL = "sqlite:///"
_SERVERS = ("postgresql:", "postgres:")

_SPECIAL: Final = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_journal(target: str | bytes | os.PathLike[str], *, read_only: bool = True) -> Journal:
    """Open what holds histories, for reading; nothing on disk is changed, not even beside the target.

    A target is the path of an NDJSON file (plain or gzipped), of a directory with `commits.ndjson`, or of a SQLite
    file, which may also be written `sqlite:///path`. Raises `NotAJournal` for anything else, `CorruptJournal` for a
    journal that cannot be read at all, `JournalBusy` while another process keeps it locked.
    """
    name = os.fsdecode(target)
    if not read_only or name == "memory:":
        raise JournalError(f"{name}: this version opens journals for reading only")
    if name.startswith(_SERVERS):
        # The rest of such an address may hold a password.
        raise JournalError("postgresql: this version opens journals for reading only, from NDJSON and SQLite files")
    if name.startswith(_SQLITE_URL):
        return _open_sqlite(name, _path_of_url(name))
    path = _file_of(name)
    with _open_file(name, path) as file:
        if file.read(len(_SQLITE_MAGIC)) != _SQLITE_MAGIC:
            file.seek(0)
            return _open_ndjson(name, file)
    return _open_sqlite(name, path)


def load_history(target: str | bytes | os.PathLike[str], thread_id: str | None = None) -> History:
    """The history of one thread of a journal; of its only one when none is named.

    An empty journal gives an empty history of the thread `""`. Raises `UnknownThread`, which lists the threads, when
    several are there and none was named or the named one is missing, and what `open_journal` raises.
    """
    with collector_paused(), open_journal(target) as journal:
        if thread_id is not None:
            return journal.history(thread_id)
        threads = journal.threads()
        if len(threads) > 1:
            raise UnknownThread(journal.target, None, threads)
        return journal.history(threads[0]) if threads else History("", (), journal.problems)


def _open_ndjson(name: str, file: BinaryIO) -> Journal:
    from statekit.journal.ndjson import open_ndjson  # noqa: PLC0415  # a medium is imported on demand

    return open_ndjson(name, file)


def _open_sqlite(name: str, path: Path) -> Journal:
    from statekit.journal.sqlite import SqliteJournal  # noqa: PLC0415  # a medium is imported on demand

    with _open_file(name, path) as file:
        if file.read(len(_SQLITE_MAGIC)) != _SQLITE_MAGIC:
            raise NotAJournal(name, "this is not a SQLite database")
    return SqliteJournal(name, path)


def _path_of_url(url: str) -> Path:
    # Some read three slashes as a relative path and write four for an absolute one, others the other way round.
    path = url.removeprefix(_SQLITE_URL)
    return Path(path if os.path.lexists(path) or not os.path.lexists(f"/{path}") else f"/{path}")


def _file_of(name: str) -> Path:
    if not name:
        raise NotAJournal(name, "this is no path: it is empty")
    path = Path(name)
    inside = path / FILE_IN_DIRECTORY
    try:
        if not path.is_dir():
            return path
        inside.lstat()
    except FileNotFoundError:
        raise NotAJournal(name, f"the directory holds no {FILE_IN_DIRECTORY}") from None
    except (OSError, ValueError) as error:
        raise NotAJournal(name, _why_not(path, error)) from error
    return inside


def _open_file(name: str, path: Path) -> BinaryIO:
    try:
        _check_regular(name, path.stat())
        # Between the check and the opening a pipe may have taken the file's place: opening that must not wait.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        raise NotAJournal(name, _why_not(path, error)) from error
    with ExitStack() as failing:
        file = failing.enter_context(os.fdopen(descriptor, "rb"))
        _check_regular(name, os.fstat(descriptor))
        failing.pop_all()
    return file


def _check_regular(name: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise NotAJournal(name, "this is a directory where a file is expected")
    for is_kind, kind in _SPECIAL:
        if is_kind(status.st_mode):
            raise NotAJournal(name, f"this is {kind}, not a file")


def _why_not(path: Path, error: OSError | ValueError) -> str:
    match error:
        case FileNotFoundError() if path.is_symlink():
            return "this is a link to a file that does not exist"
        case FileNotFoundError() | NotADirectoryError():
            return "there is no such file"
        case PermissionError():
            return "there is no permission to read it"
        case OSError():
            return f"it cannot be opened: {error.strerror}"
    return f"this is no path: {error}"
