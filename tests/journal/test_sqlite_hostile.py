"""SQLite databases made to do harm."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from statekit.errors import JournalError, NotAJournal, UnknownThread
from statekit.journal import load_history
from statekit.journal.snapshot import Snapshot
from tests.journal.sample import Unchanged, run


class TestHostileDatabases:
    def test_a_view_is_no_table(self, database: Path) -> None:
        run(
            database,
            "ALTER TABLE runtime_commit RENAME TO real_rows",
            "CREATE VIEW runtime_commit AS SELECT * FROM real_rows",
        )
        with pytest.raises(NotAJournal, match="it has no tables"):
            load_history(database)

    def test_a_view_that_claims_to_be_a_table(self, database: Path) -> None:
        run(
            database,
            "ALTER TABLE runtime_state_command RENAME TO real_rows",
            "CREATE VIEW runtime_state_command AS"
            " SELECT id, commit_sequence, thread_id, upper(data) AS data FROM real_rows",
            "PRAGMA writable_schema=ON",
            "UPDATE sqlite_master SET type = 'table', rootpage = 9 WHERE name = 'runtime_state_command'",
        )
        with pytest.raises(JournalError):
            load_history(database, "support-42")

    def test_a_virtual_table_is_no_table(self, database: Path) -> None:
        run(
            database,
            "DROP TABLE runtime_commit",
            "CREATE VIRTUAL TABLE runtime_commit USING fts5(sequence, thread_id, run_id, phase, committed_at)",
        )
        with pytest.raises(NotAJournal, match="it has no tables"):
            load_history(database)

    @pytest.mark.parametrize("kind", ["VIRTUAL", "STORED"])
    def test_a_computed_column_is_not_computed(self, database: Path, kind: str) -> None:
        run(
            database,
            "DROP TABLE runtime_message",
            "CREATE TABLE runtime_message (id INTEGER PRIMARY KEY, commit_sequence, thread_id,"
            f" data TEXT GENERATED ALWAYS AS (hex(thread_id)) {kind})",
        )
        with pytest.raises(NotAJournal, match="its table runtime_message stores no column 'data'"):
            load_history(database)

    @pytest.mark.parametrize(
        "statement",
        [
            "SELECT upper(thread_id) FROM runtime_commit",
            "SELECT * FROM brought_along",
            "DELETE FROM runtime_commit",
            "CREATE TEMP TABLE runtime_commit (x)",
            "ATTACH ':memory:' AS other",
            "PRAGMA query_only=OFF",
            "PRAGMA journal_mode=WAL",
            "VACUUM INTO 'elsewhere.db'",
        ],
    )
    def test_nothing_but_reading_tables_is_allowed(self, database: Path, statement: str, unchanged: Unchanged) -> None:
        run(database, "CREATE VIEW brought_along AS SELECT thread_id FROM runtime_commit")
        with unchanged(database.parent), closing(Snapshot("some", database)) as snapshot:
            assert len(snapshot.connection.execute("SELECT sequence FROM runtime_commit").fetchall()) == 77
            with pytest.raises(sqlite3.DatabaseError, match=r"not authorized|prohibited|denied"):
                snapshot.connection.execute(statement)

    def test_triggers_do_not_run(self, database: Path, unchanged: Unchanged) -> None:
        for event in ("INSERT", "UPDATE", "DELETE"):
            run(
                database,
                f"CREATE TRIGGER t_{event} AFTER {event} ON runtime_commit BEGIN DELETE FROM runtime_message; END",
            )
        with unchanged(database.parent):
            assert len(load_history(database, "support-42")) == 36

    def test_quotes_in_a_prefix_are_no_sql(self, database: Path, unchanged: Unchanged) -> None:
        prefix = 'x"; DROP TABLE runtime_message; --'
        for name in ("commit", "state_command"):
            escaped = f"{prefix}{name}".replace('"', '""')
            run(database, f'ALTER TABLE runtime_{name} RENAME TO "{escaped}"')
        with unchanged(database.parent):
            assert len(load_history(database, "support-42")) == 36

    def test_a_thread_id_is_no_sql(self, database: Path) -> None:
        for thread in ("' OR 1=1 --", 'support-42" OR "1', "support-42\0"):
            with pytest.raises(UnknownThread):
                load_history(database, thread)

    def test_a_pipe_beside_the_database_is_not_opened(self, database: Path) -> None:
        for suffix in ("-wal", "-journal"):
            beside = database.with_name(database.name + suffix)
            os.mkfifo(beside)
            with pytest.raises(NotAJournal, match=f"runtime.db{suffix} is not a plain file"):
                load_history(database)
            beside.unlink()
