"""SQLite databases that others write while they are read."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from statekit.errors import JournalBusy
from statekit.journal import load_history, open_journal
from statekit.journal.snapshot import ATTEMPTS
from tests.journal.sample import INSERT, run


class TestOtherWriters:
    @pytest.mark.parametrize("mode", ["DELETE", "WAL"])
    def test_an_open_journal_sees_what_is_committed_later(self, database: Path, mode: str) -> None:
        run(database, f"PRAGMA journal_mode={mode}")
        with open_journal(database) as journal:
            assert len(journal.history("support-42")) == 36
            run(database, *INSERT)
            assert len(journal.history("support-42")) == 37
            with closing(sqlite3.connect(database, isolation_level=None)) as writer:
                writer.execute("DELETE FROM runtime_state_command WHERE id = 900")
                writer.execute("DELETE FROM runtime_commit WHERE sequence = 78")
                assert len(journal.history("support-42")) == 36

    def test_a_locked_database_is_busy(self, database: Path) -> None:
        script = (
            "import sqlite3, sys\n"
            "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "connection.execute('BEGIN EXCLUSIVE')\n"
            "print('locked', flush=True)\n"
            "sys.stdin.read()"
        )
        command = [sys.executable, "-c", script, str(database)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"locked\n"
            with pytest.raises(JournalBusy) as caught:
                load_history(database, "support-42")
            assert caught.value.target == str(database)
            writer.communicate()
        assert len(load_history(database, "support-42")) == 36

    @pytest.mark.parametrize("times", [1, ATTEMPTS])
    def test_files_that_change_while_they_are_copied_are_copied_again(
        self, database: Path, times: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        copied: list[Path] = []

        def copy_and_disturb(source: Path, copy: Path) -> None:
            data = source.read_bytes()
            copy.write_bytes(data)
            if source == database:
                copied.append(source)
                if len(copied) <= times:
                    # What the log held goes to the database, whose copy is already made.
                    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    writer.execute(f"UPDATE runtime_commit SET committed_at = '{len(copied)}' WHERE sequence = 1")

        with closing(sqlite3.connect(database, isolation_level=None)) as writer:
            writer.execute("PRAGMA journal_mode=WAL")
            for statement in INSERT:
                writer.execute(statement)
            monkeypatch.setattr("shutil.copyfile", copy_and_disturb)
            if times < ATTEMPTS:
                assert len(load_history(database, "support-42")) == 37
                assert len(copied) == times + 1
            else:
                with pytest.raises(JournalBusy):
                    load_history(database, "support-42")

    @pytest.mark.parametrize("mode", ["DELETE", "WAL"])
    def test_a_busy_writer_is_never_seen_halfway(self, database: Path, mode: str) -> None:
        script = (
            "import sqlite3, sys, time\n"
            "connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)\n"
            "connection.execute('PRAGMA synchronous=OFF')\n"
            f"connection.execute('PRAGMA journal_mode={mode}')\n"
            "print('ready', flush=True)\n"
            "for n in range(78, 478):\n"
            "    connection.execute('BEGIN IMMEDIATE')\n"
            "    for statement in sys.argv[2:]:\n"
            "        connection.execute(statement.replace('78', str(n)).replace('900', str(n * 100)))\n"
            "    connection.execute('COMMIT')\n"
            "    time.sleep(0.001)"
        )
        lengths = []
        with subprocess.Popen([sys.executable, "-c", script, str(database), *INSERT], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            while writer.poll() is None:
                history = load_history(database, "support-42")
                assert history.problems == []
                assert all(len(transition.commands) == 1 for transition in history[36:])
                lengths.append(len(history))
            assert writer.returncode == 0
        assert lengths == sorted(lengths)
        assert len(set(lengths)) > 1
        assert len(load_history(database, "support-42")) == 436

    def test_an_uncommitted_transaction_is_not_seen(self, database: Path) -> None:
        with closing(sqlite3.connect(database, isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            for statement in INSERT:
                writer.execute(statement)
            assert len(load_history(database, "support-42")) == 36

    def test_other_threads_may_ask(self, database: Path) -> None:
        lengths = []
        with open_journal(database) as journal:
            asking = [
                threading.Thread(target=lambda: lengths.append(len(journal.history("support-42")))) for _ in range(8)
            ]
            for thread in asking:
                thread.start()
            for thread in asking:
                thread.join()
        assert lengths == [36] * 8
