"""What a target can be, and the one clear sentence for everything else."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from statekit.commit import ThreadCommit
from statekit.errors import CorruptJournal, JournalError, JournalReadOnly, NotAJournal, UnknownThread
from statekit.journal import Journal, load_history, open_journal
from statekit.run import RunDisposition

Unchanged = Callable[[Path], AbstractContextManager[None]]


def refusal(target: str | os.PathLike[str]) -> str:
    """The sentence with which a target is refused, without the target."""
    with pytest.raises(NotAJournal) as caught:
        load_history(target)
    assert caught.value.target == os.fspath(target)
    assert str(caught.value) == f"{os.fspath(target)}: {caught.value.detail}"
    assert "\n" not in caught.value.detail
    return caught.value.detail


class TestTargets:
    def test_a_path_may_be_bytes_as_the_system_gives_it(self, histories: Path) -> None:
        assert len(load_history(os.fsencode(histories / "support-42.ndjson"))) == 36

    @pytest.mark.parametrize("name", ["some.ndjson", "some.jsonl", "some", "some.db", "ümläut 100%?#[1].ndjson"])
    def test_a_file_is_what_its_bytes_say(self, name: str, tmp_path: Path, histories: Path) -> None:
        commits = (histories / "support-42.ndjson").read_bytes()
        (tmp_path / name).write_bytes(commits)
        assert len(load_history(tmp_path / name)) == 36
        (tmp_path / name).write_bytes(gzip.compress(commits))
        assert len(load_history(str(tmp_path / name))) == 36
        shutil.copy(histories / "two-threads.db", tmp_path / name)
        assert len(load_history(str(tmp_path / name), "research-7")) == 41

    def test_a_directory_with_commits(self, tmp_path: Path, histories: Path) -> None:
        shutil.copy(histories / "support-42.ndjson", tmp_path / "commits.ndjson")
        assert len(load_history(tmp_path)) == 36
        assert len(load_history(f"{tmp_path}/")) == 36

    def test_a_link(self, tmp_path: Path, histories: Path) -> None:
        for name in ("support-42.ndjson", "two-threads.db"):
            (tmp_path / name).symlink_to(histories / name)
            assert len(load_history(tmp_path / name, "support-42")) == 36

    def test_a_sqlite_url(self, tmp_path: Path, histories: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        shutil.copy(histories / "two-threads.db", tmp_path / "a.db")
        monkeypatch.chdir(tmp_path)
        for url in ("sqlite:///a.db", f"sqlite:///{tmp_path}/a.db", f"sqlite://{tmp_path}/a.db"):
            with open_journal(url) as journal:
                assert journal.threads() == ["support-42", "research-7"]
                assert journal.target == url

    def test_a_sqlite_url_of_another_file(self, histories: Path) -> None:
        assert refusal(f"sqlite:///{histories / 'support-42.ndjson'}") == "this is not a SQLite database"

    @pytest.mark.parametrize("target", ["memory:", "postgresql://me:secret@host/db", "postgres://me:secret@host/db"])
    def test_media_of_later_versions(self, target: str) -> None:
        with pytest.raises(JournalError, match="this version opens journals for reading only") as caught:
            open_journal(target)
        assert "secret" not in str(caught.value)

    def test_writing_is_for_later_versions(self, tmp_path: Path) -> None:
        with pytest.raises(JournalError, match="this version opens journals for reading only"):
            open_journal(tmp_path / "new.ndjson", read_only=False)
        assert list(tmp_path.iterdir()) == []

    def test_a_medium_is_imported_when_one_is_opened(self, histories: Path) -> None:
        script = (
            "import sys, statekit.journal as journal\n"
            "print([name for name in ('sqlite3', 'statekit.journal.ndjson') if name in sys.modules])\n"
            f"journal.open_journal({str(histories / 'support-42.ndjson')!r})\n"
            "print('sqlite3' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert done.stdout == "[]\nFalse\n"


class TestThreads:
    @pytest.fixture(params=["two-threads.ndjson", "two-threads.db"])
    def two_threads(self, request: pytest.FixtureRequest, histories: Path) -> Path:
        return histories / str(request.param)

    def test_come_in_the_order_of_their_first_commit(self, two_threads: Path) -> None:
        with open_journal(two_threads) as journal:
            assert journal.threads() == ["support-42", "research-7"]
            assert journal.problems == []

    def test_one_of_several_must_be_named(self, two_threads: Path) -> None:
        with pytest.raises(UnknownThread) as caught:
            load_history(two_threads)
        assert caught.value.thread_id is None
        assert caught.value.threads == ["support-42", "research-7"]
        assert "'support-42', 'research-7'" in str(caught.value)

    @pytest.mark.parametrize("name", ["", "support", "SUPPORT-42", "\udc80"])
    def test_a_name_that_none_has(self, two_threads: Path, name: str) -> None:
        with pytest.raises(UnknownThread) as caught:
            load_history(two_threads, name)
        assert (caught.value.thread_id, caught.value.threads) == (name, ["support-42", "research-7"])

    def test_a_name_that_one_has(self, two_threads: Path) -> None:
        assert [len(load_history(two_threads, name)) for name in ("support-42", "research-7")] == [36, 41]

    def test_none_is_known_to_an_empty_journal(self, histories: Path) -> None:
        with pytest.raises(UnknownThread) as caught:
            load_history(histories / "empty.ndjson", "support-42")
        assert caught.value.threads == []

    def test_refuses_commits(self, two_threads: Path, unchanged: Unchanged) -> None:
        commit = ThreadCommit.assemble("support-42", RunDisposition.running("run-9"))
        with unchanged(two_threads.parent), open_journal(two_threads) as journal:
            for write in (journal.commit, journal.commit_operation):
                with pytest.raises(JournalReadOnly) as caught:
                    write(commit)
                assert caught.value.target == str(two_threads)

    def test_a_closed_journal_says_so(self, two_threads: Path) -> None:
        with open_journal(two_threads) as journal:
            pass
        journal.close()
        for ask in (journal.threads, lambda: journal.history("support-42"), lambda: journal.problems):
            with pytest.raises(JournalError, match="the journal is closed"):
                ask()

    def test_a_journal_names_its_kind_and_target(self, two_threads: Path) -> None:
        with open_journal(two_threads) as journal:
            assert isinstance(journal, Journal)
            assert str(two_threads) in repr(journal)


NOTEBOOK = json.dumps(
    {"cells": [{"cell_type": "code", "source": []}], "metadata": {}, "nbformat": 4}, indent=1
).encode()
TAR = b"name" + bytes(253) + b"ustar\x0000" + bytes(700)

OTHER_FILES = {
    "image.png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
    "photo.jpg": (b"\xff\xd8\xff\xe0\0\x10JFIF", "a JPEG image"),
    "moving.gif": (b"GIF89a\1\0\1\0", "a GIF image"),
    "paper.pdf": (b"%PDF-1.7\n%\xe2\xe3", "a PDF document"),
    "archive.zip": (b"PK\x03\x04\x14\0", "a ZIP archive (or a document that is one)"),
    "table.parquet": (b"PAR1\x15\x04", "a Parquet file"),
    "archive.tar": (TAR, "a tar archive"),
    "packed.xz": (b"\xfd7zXZ\0\0\x04", "an xz file"),
    "packed.gz": (gzip.compress(b"some notes\n"), "plain text, gzipped"),
    "image.gz": (gzip.compress(b"\x89PNG\r\n\x1a\n"), "a PNG image, gzipped"),
    "twice.gz": (gzip.compress(gzip.compress(b"{}")), "a gzip file, gzipped"),
    "database.gz": (gzip.compress(b"SQLite format 3\0" + bytes(84)), "a SQLite database, gzipped"),
    "some.ipynb": (NOTEBOOK, "a Jupyter notebook"),
    "one-line.ipynb": (json.dumps(json.loads(NOTEBOOK)).encode(), "a Jupyter notebook"),
    "table.csv": (b"id,name\n1,Ada\n2,Grace\n", "a CSV table"),
    "table.tsv": (b"id\tname\n1\tAda\n", "a CSV table"),
    "array.json": (b'[\n {"a": 1}\n]\n', "a JSON array"),
    "array-bom.json": (b'\xef\xbb\xbf[{"a": 1}]', "a JSON array"),
    "object.json": (b'{\n "a": 1\n}\n', "one JSON document"),
    "one-line.json": (b'{"a": 1}', "one JSON document"),
    "log.jsonl": (b'{"level": "info"}\n{"level": "warn"}\n', "lines of JSON that are no commits"),
    "page.html": (b"<!doctype html>\n<p>hi</p>\n", "an XML or HTML document"),
    "notes.txt": ("Ein paar Sätze.\nNoch einer.\n".encode(), "plain text"),
    "latin.txt": ("Ein paar Sätze.\n".encode("latin-1"), "binary data, or text that is not UTF-8"),
    "wide.txt": ("\ufeffhello\n".encode("utf-16-le"), "UTF-16 text"),
    "zeros.bin": (bytes(5000), "binary data, or text that is not UTF-8"),
    "letter.txt": (b"x", "plain text"),
    "long.txt": (b"a" + "é".encode() * 70_000, "plain text"),
}


class TestOtherThings:
    @pytest.mark.parametrize("name", OTHER_FILES)
    def test_a_file_of_another_kind(self, name: str, tmp_path: Path, unchanged: Unchanged) -> None:
        data, kind = OTHER_FILES[name]
        (tmp_path / name).write_bytes(data)
        with unchanged(tmp_path):
            assert refusal(tmp_path / name) == f"this is {kind}, not a journal"

    def test_a_huge_file_of_another_kind_is_not_read_to_its_end(self, tmp_path: Path) -> None:
        path = tmp_path / "image.png"
        with path.open("wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
            file.truncate(2**40)
        assert refusal(path) == "this is a PNG image, not a journal"

    @pytest.mark.parametrize("name", ["missing.ndjson", "missing/deeper.ndjson"])
    def test_a_missing_path(self, name: str, tmp_path: Path) -> None:
        assert refusal(tmp_path / name) == "there is no such file"
        assert refusal(f"sqlite:///{tmp_path / name}") == "there is no such file"

    def test_a_path_through_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"")
        assert refusal(tmp_path / "file" / "deeper") == "there is no such file"

    def test_names_that_are_no_path(self, tmp_path: Path) -> None:
        assert refusal("") == "this is no path: it is empty"
        assert refusal("a\0b").startswith("this is no path")
        assert refusal(tmp_path / ("x" * 300)) == "it cannot be opened: File name too long"

    def test_a_directory_without_commits(self, tmp_path: Path) -> None:
        assert refusal(tmp_path) == "the directory holds no commits.ndjson"

    def test_directories_where_files_belong(self, tmp_path: Path) -> None:
        (tmp_path / "commits.ndjson").mkdir()
        assert refusal(tmp_path) == "this is a directory where a file is expected"
        assert refusal(f"sqlite:///{tmp_path}") == "this is a directory where a file is expected"

    def test_broken_links(self, tmp_path: Path) -> None:
        (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
        (tmp_path / "round").symlink_to(tmp_path / "round")
        (tmp_path / "commits.ndjson").symlink_to(tmp_path / "nowhere")
        assert refusal(tmp_path / "gone") == "this is a link to a file that does not exist"
        assert refusal(tmp_path) == "this is a link to a file that does not exist"
        assert "symbolic links" in refusal(tmp_path / "round")

    def test_pipes_sockets_and_devices_do_not_wait(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        os.mkfifo("pipe")
        os.mkfifo("commits.ndjson")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("socket")
            assert refusal("socket") == "this is a socket, not a file"
        assert refusal("pipe") == "this is a named pipe, not a file"
        assert refusal(".") == "this is a named pipe, not a file"
        assert refusal("/dev/zero") == "this is a device, not a file"

    def test_a_pipe_that_takes_the_place_of_a_file_does_not_wait(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "file").write_bytes(b"")
        as_file = (tmp_path / "file").stat()
        monkeypatch.setattr(Path, "stat", lambda path, **how: as_file)
        assert refusal(tmp_path / "pipe") == "this is a named pipe, not a file"

    def test_no_permission(self, tmp_path: Path, nobody: None) -> None:
        for name in ("locked.ndjson", "locked.db", "closed", "closed/inside.ndjson"):
            assert refusal(tmp_path / name) == "there is no permission to read it"

    @pytest.fixture
    def nobody(self, tmp_path: Path) -> Iterator[None]:
        """What root could read all the same is asked for as another user."""
        tmp_path.chmod(0o755)
        for name in ("locked.ndjson", "locked.db"):
            (tmp_path / name).write_bytes(b"SQLite format 3\0")
            (tmp_path / name).chmod(0)
        (tmp_path / "closed").mkdir(mode=0)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        yield
        if root:
            os.seteuid(0)
        (tmp_path / "closed").chmod(0o755)


def test_errors_survive_pickling(tmp_path: Path) -> None:
    with pytest.raises(NotAJournal) as caught:
        open_journal(tmp_path / "missing")
    revived = pickle.loads(pickle.dumps(caught.value))
    assert (str(revived), revived.target, revived.detail) == (
        str(caught.value),
        caught.value.target,
        caught.value.detail,
    )


@pytest.mark.parametrize("form", ["plain", "packed", "directory", "damaged"])
def test_reading_a_file_changes_nothing(form: str, tmp_path: Path, support_42: bytes, unchanged: Unchanged) -> None:
    data = {"plain": support_42, "packed": gzip.compress(support_42), "damaged": support_42[:-9]}.get(form, support_42)
    path = tmp_path / "commits.ndjson"
    path.write_bytes(data)
    with unchanged(tmp_path):
        assert len(load_history(tmp_path if form == "directory" else path)) == (35 if form == "damaged" else 36)


def test_a_corrupt_journal_is_not_another_kind_of_file(tmp_path: Path, support_42: bytes) -> None:
    (tmp_path / "broken.gz").write_bytes(gzip.compress(support_42)[:12])
    with pytest.raises(CorruptJournal, match="ends early"):
        load_history(tmp_path / "broken.gz")
