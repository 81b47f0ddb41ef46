"""Reading a SQLite database changes nothing on disk, whatever state its writer left it in."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from statekit.errors import CorruptJournal, NotAJournal
from statekit.journal import load_history, open_journal
from tests.journal.sample import INSERT, INTERRUPTED, THREADS, Unchanged, run


class TestChangesNothing:
    def test_in_a_rollback_database(self, database: Path, unchanged: Unchanged) -> None:
        with unchanged(database.parent):
            assert len(load_history(database, "support-42")) == 36

    def test_while_it_is_open(self, database: Path, unchanged: Unchanged) -> None:
        with unchanged(database.parent), open_journal(database) as journal, unchanged(database.parent):
            assert len(journal.history("support-42")) == 36
            assert [path.name for path in database.parent.iterdir()] == ["runtime.db"]

    def test_in_a_database_with_a_finished_log(self, database: Path, unchanged: Unchanged) -> None:
        run(database, "PRAGMA journal_mode=WAL")
        run(database, *INSERT)
        assert database.read_bytes()[18:20] == b"\2\2"
        assert [path.name for path in database.parent.iterdir()] == ["runtime.db"]
        with unchanged(database.parent), open_journal(database) as journal:
            assert len(journal.history("support-42")) == 37
            assert [path.name for path in database.parent.iterdir()] == ["runtime.db"]

    def test_in_a_database_with_a_live_log(self, database: Path, unchanged: Unchanged) -> None:
        with closing(sqlite3.connect(database, isolation_level=None)) as writer:
            writer.execute("PRAGMA journal_mode=WAL")
            for statement in INSERT:
                writer.execute(statement)
            log = database.with_name("runtime.db-wal")
            assert log.stat().st_size > 0
            with unchanged(database.parent):
                history = load_history(database, "support-42")
            assert len(history) == 37
            assert history.transition(37).sequence == 78
            # The writer still can.
            writer.execute("DELETE FROM runtime_commit WHERE sequence = 78")

    def test_in_a_database_whose_log_outlived_its_writer(self, database: Path, unchanged: Unchanged) -> None:
        script = (
            "import os, sqlite3, sys\n"
            "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "connection.execute('PRAGMA journal_mode=WAL')\n"
            "for statement in sys.argv[2:]: connection.execute(statement)\n"
            "os._exit(0)"
        )
        subprocess.run([sys.executable, "-c", script, str(database), *INSERT], check=True)
        database.with_name("runtime.db-shm").unlink()
        with unchanged(database.parent):
            assert len(load_history(database, "support-42")) == 37

    def test_beside_an_empty_log(self, database: Path, unchanged: Unchanged) -> None:
        for mode in ("DELETE", "WAL"):
            run(database, f"PRAGMA journal_mode={mode}")
            database.with_name("runtime.db-wal").write_bytes(b"")
            with unchanged(database.parent):
                assert len(load_history(database, "support-42")) == 36
            database.with_name("runtime.db-wal").unlink()

    def test_beside_an_interrupted_transaction(self, database: Path, unchanged: Unchanged) -> None:
        subprocess.run([sys.executable, "-c", INTERRUPTED, str(database)], check=True)
        assert database.with_name("runtime.db-journal").stat().st_size > 0
        assert b"half-done" in database.read_bytes()
        with unchanged(database.parent):
            history = load_history(database, "support-42")
        assert (len(history), history.problems) == (36, [])

    def test_beside_a_finished_journal_that_was_kept(self, database: Path, unchanged: Unchanged) -> None:
        run(database, "PRAGMA journal_mode=PERSIST", *INSERT)
        assert database.with_name("runtime.db-journal").stat().st_size > 0
        with unchanged(database.parent):
            assert len(load_history(database, "support-42")) == 37

    def test_not_even_what_an_interrupted_journal_names(
        self, database: Path, unchanged: Unchanged, tmp_path: Path
    ) -> None:
        subprocess.run([sys.executable, "-c", INTERRUPTED, str(database)], check=True)
        victim = tmp_path / "precious.txt"
        victim.write_bytes(b"precious")
        name = str(victim).encode()
        with database.with_name("runtime.db-journal").open("ab") as journal:
            # The record by which a transaction over several databases names the file that SQLite then deletes.
            journal.write((0x40000000 // 4096 + 1).to_bytes(4) + name + len(name).to_bytes(4))
            journal.write(sum(name).to_bytes(4) + bytes.fromhex("d9d505f920a163d7"))
        with unchanged(tmp_path), pytest.raises(CorruptJournal, match="several databases"):
            load_history(database)

    def test_in_a_directory_that_cannot_be_written(self, database: Path, unchanged: Unchanged) -> None:
        for mode in ("DELETE", "WAL"):
            run(database, f"PRAGMA journal_mode={mode}")
            database.chmod(0o444)
            database.parent.chmod(0o555)
            try:
                with unchanged(database.parent):
                    assert len(load_history(database, "support-42")) == 36
            finally:
                database.parent.chmod(0o755)
                database.chmod(0o644)

    def test_through_a_link_beside_which_nothing_lies(self, database: Path, tmp_path: Path) -> None:
        link = tmp_path / "link.db"
        link.symlink_to(database)
        subprocess.run([sys.executable, "-c", INTERRUPTED, str(database)], check=True)
        assert len(load_history(link, "support-42")) == 36

    @pytest.mark.parametrize("name", ["a b?mode=rwc#%41.db", "ümläut;'\".db", "a%2fb.db"])
    def test_under_any_name(self, database: Path, name: str, unchanged: Unchanged) -> None:
        renamed = database.rename(database.with_name(name))
        run(renamed, "PRAGMA journal_mode=WAL")
        with unchanged(database.parent):
            assert len(load_history(renamed, "support-42")) == 36

    def test_and_leaves_no_copy_behind(self, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(scratch))
        subprocess.run([sys.executable, "-c", INTERRUPTED, str(database)], check=True)
        with open_journal(database) as journal:
            assert len(list(scratch.iterdir())) == 1
            assert journal.threads() == list(THREADS)
        assert list(scratch.iterdir()) == []

    def test_and_leaves_no_copy_behind_when_it_fails(
        self, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(scratch))
        with closing(sqlite3.connect(database, isolation_level=None)) as writer:
            writer.execute("PRAGMA journal_mode=WAL")
            writer.execute("DROP TABLE runtime_commit")
            with pytest.raises(NotAJournal) as caught:
                load_history(database)
            # The error, and with it all that its traceback holds, is still there.
            assert caught.value.__traceback__ is not None
            assert list(scratch.iterdir()) == []
