"""SQLite databases: the sample, its tickets and times, and the layouts a journal can have."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from statekit.errors import NotAJournal, UnknownThread
from statekit.journal import load_history, schema
from statekit.run import PhaseKind
from statekit.transition import ProblemKind
from tests.journal.sample import CORRUPT, INVALID, LOOSE, SAMPLE, SEQUENCES, THREADS, problems, run, sequences


class TestTheSample:
    @pytest.mark.parametrize("thread", THREADS)
    def test_equals_the_same_threads_in_ndjson(self, thread: str) -> None:
        rows, lines = load_history(SAMPLE, thread), load_history(SAMPLE.with_suffix(".ndjson"), thread)
        assert len(rows) == len(lines) == THREADS[thread]
        awaits = 0
        for row, line in zip(rows, lines, strict=True):
            assert (row.position, row.sequence) == (line.position, line.sequence)
            assert row.commands == line.commands
            assert (row.messages, row.events) == (line.messages, line.events)
            assert (row.run_id, row.phase) == (line.run_id, line.phase)
            if line.phase.kind is PhaseKind.AWAITING:
                awaits += 1
                assert line.resume_ticket is not None
                assert row.resume_ticket is None
            else:
                assert row.commit == line.commit
        assert awaits == (2 if thread == "support-42" else 0)
        assert rows.problems == lines.problems == []

    def test_has_the_times_of_its_commits(self) -> None:
        # The sample commits every seven seconds.
        for transition in load_history(SAMPLE, "support-42"):
            start = datetime(2026, 11, 3, 9, 0, 0, tzinfo=UTC)
            assert transition.committed_at == start + timedelta(seconds=7 * transition.sequence)
            assert transition.committed_at.tzinfo is UTC

    def test_sequences_are_the_databases(self) -> None:
        assert sequences(load_history(SAMPLE, "support-42")) == SEQUENCES


TICKET = (
    '{"correlation_id":"c","run_id":"run-3","thread_id":"support-42","snapshot_id":"s","catalog_fingerprint":"f",'
    '"target":{"Pause":"Manual"},"deadline_ms":null}'
)
AWAIT_LAST = "UPDATE runtime_commit SET phase = '\"Awaiting\"' WHERE sequence = 73"


def waiting(run_id: str, ticket: str) -> str:
    return f"INSERT INTO runtime_waiting VALUES ('{run_id}', '{ticket}')"


class TestTickets:
    def test_the_last_await_of_a_run_has_its_ticket(self, database: Path) -> None:
        run(database, AWAIT_LAST, waiting("run-3", TICKET))
        history = load_history(database, "support-42")
        ticket = history.transition(36).resume_ticket
        assert ticket is not None
        assert ticket.correlation_id == "c"
        assert [t.position for t in history if t.resume_ticket is not None] == [36]
        assert history.problems == []

    def test_a_run_that_went_on_has_none(self, database: Path) -> None:
        run(database, waiting("run-3", TICKET))
        history = load_history(database, "support-42")
        assert all(transition.resume_ticket is None for transition in history)
        assert history.problems == []

    def test_a_ticket_of_something_else_is_invalid(self, database: Path) -> None:
        run(database, AWAIT_LAST, waiting("run-3", TICKET.replace("support-42", "elsewhere")))
        history = load_history(database, "support-42")
        assert [(kind, position) for kind, position, _ in problems(history)] == [(INVALID, 36)]

    @pytest.mark.parametrize("bad", ["{", "{}", "null", TICKET.replace("Manual", "Never")])
    def test_one_that_cannot_be_read_leaves_its_commit(self, database: Path, bad: str) -> None:
        run(database, AWAIT_LAST, waiting("run-3", bad))
        history = load_history(database, "support-42")
        assert len(history) == 36
        ((kind, position, detail),) = problems(history)
        assert (kind, position) == (CORRUPT, 36)
        assert detail.startswith("runtime_waiting row 'run-3': ")

    def test_one_of_no_run_is_reported(self, database: Path) -> None:
        run(database, "INSERT INTO runtime_waiting VALUES (NULL, '{}')")
        assert problems(load_history(database, "support-42")) == [
            (CORRUPT, 36, "runtime_waiting row None: the run id is NULL, not text")
        ]


class TestTimes:
    @pytest.mark.parametrize(
        ("stored", "time"),
        [
            ("NULL", None),
            ("'2026-11-03 09:00:21'", datetime(2026, 11, 3, 9, 0, 21, tzinfo=UTC)),
            ("'2026-11-03T09:00:21.5Z'", datetime(2026, 11, 3, 9, 0, 21, 500_000, tzinfo=UTC)),
            ("'2026-11-03 11:00:21+02:00'", datetime(2026, 11, 3, 9, 0, 21, tzinfo=UTC)),
        ],
    )
    def test_are_utc(self, database: Path, stored: str, time: datetime | None) -> None:
        run(database, *LOOSE)
        run(database, f"UPDATE runtime_commit SET committed_at = {stored} WHERE sequence = 3")
        history = load_history(database, "support-42")
        assert history.transition(2).committed_at == time
        assert history.problems == []

    @pytest.mark.parametrize("stored", ["'yesterday'", "''", "x'00'", "'0001-01-01 00:00:00+10:00'"])
    def test_that_are_none_are_reported_and_their_commit_kept(self, database: Path, stored: str) -> None:
        run(database, f"UPDATE runtime_commit SET committed_at = {stored} WHERE sequence = 3")
        history = load_history(database, "support-42")
        assert len(history) == 36
        assert history.transition(2).committed_at is None
        ((kind, position, detail),) = problems(history)
        assert (kind, position) == (CORRUPT, 2)
        assert detail.startswith("runtime_commit row 3: committed_at is no time: ")


def test_problems_of_meaning_are_found_here_too(database: Path) -> None:
    run(database, 'UPDATE runtime_commit SET phase = \'{"Ended":"NaturalEnd"}\' WHERE sequence = 1')
    kinds = {problem.kind for problem in load_history(database, "support-42").problems}
    assert kinds == {ProblemKind.ENDED_RUN}
    run(database, "UPDATE runtime_commit SET run_id = '' WHERE sequence = 73")
    assert (INVALID, 36) in [(kind, place) for kind, place, _ in problems(load_history(database, "support-42"))]


class TestLayouts:
    def rename(self, database: Path, prefix: str) -> None:
        with closing(sqlite3.connect(database)) as connection:
            names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            if name.startswith("runtime_"):
                renamed = f"{prefix}{name.removeprefix('runtime_')}".replace('"', '""')
                run(database, f'ALTER TABLE "{name}" RENAME TO "{renamed}"')

    @pytest.mark.parametrize("prefix", ["agent_", "", 'odd "prefix" ', "it's_"])
    def test_another_prefix(self, database: Path, prefix: str) -> None:
        self.rename(database, prefix)
        plain, other = load_history(SAMPLE, "support-42"), load_history(database, "support-42")
        assert [t.commit for t in plain] == [t.commit for t in other]

    def test_the_usual_prefix_goes_first(self, database: Path) -> None:
        run(database, "CREATE TABLE a_commit (x)", "CREATE TABLE a_state_command (x)")
        assert len(load_history(database, "support-42")) == 36

    def test_several_prefixes(self, database: Path) -> None:
        self.rename(database, "b_")
        run(database, "CREATE TABLE a_commit (x)", "CREATE TABLE a_state_command (x)")
        with pytest.raises(NotAJournal, match="several journals, with the table prefixes 'a_', 'b_'"):
            load_history(database)

    def test_older_databases_lack_the_newer_tables(self, database: Path) -> None:
        run(database, "DROP TABLE runtime_thread_version", "DROP TABLE runtime_commit_receipt")
        history = load_history(database, "support-42")
        assert [t.commit for t in history] == [t.commit for t in load_history(SAMPLE, "support-42")]

    def test_missing_tables_are_empty_ones(self, database: Path) -> None:
        run(database, *(f"DROP TABLE runtime_{name}" for name in ("message", "event", "waiting", "run_record")))
        history = load_history(database, "support-42")
        assert (len(history), history.problems) == (36, [])
        assert all(not transition.messages and not transition.events for transition in history)

    @pytest.mark.parametrize("table", ["commit", "state_command"])
    def test_required_tables(self, database: Path, table: str) -> None:
        run(database, f"DROP TABLE runtime_{table}")
        with pytest.raises(NotAJournal, match="it has no tables runtime_commit and runtime_state_command"):
            load_history(database)

    def test_required_columns(self, database: Path) -> None:
        run(database, "ALTER TABLE runtime_message DROP COLUMN data")
        with pytest.raises(NotAJournal, match="its table runtime_message stores no column 'data'"):
            load_history(database)

    def test_a_journal_without_commits(self, database: Path) -> None:
        run(database, *(f"DELETE FROM runtime_{name}" for name in ("commit", "state_command", "message", "event")))
        history = load_history(database)
        assert (history.thread_id, len(history), history.problems) == ("", 0, [])

    def test_one_thread_needs_no_name(self, database: Path) -> None:
        run(database, "DELETE FROM runtime_commit WHERE thread_id = 'research-7'")
        assert load_history(database).thread_id == "support-42"

    def test_collations_of_the_database_mix_no_threads(self, database: Path) -> None:
        run(database, *LOOSE)
        run(
            database,
            "PRAGMA writable_schema=ON",
            "UPDATE sqlite_master SET sql = replace(sql, 'thread_id TEXT', 'thread_id TEXT COLLATE NOCASE')",
        )
        for table in ("commit", "state_command", "message"):
            run(database, f"UPDATE runtime_{table} SET thread_id = 'SUPPORT-42' WHERE thread_id = 'research-7'")
        assert len(load_history(database, "support-42")) == 36
        assert load_history(database, "support-42").problems == []
        assert len(load_history(database, "SUPPORT-42")) == 41
        with pytest.raises(UnknownThread):
            load_history(database, "Support-42")

    def test_a_database_in_utf_16(self, tmp_path: Path) -> None:
        path = tmp_path / "wide.db"
        with closing(sqlite3.connect(SAMPLE)) as source, closing(sqlite3.connect(path)) as wide:
            wide.execute("PRAGMA encoding = 'UTF-16le'")
            wide.executescript("\n".join(line for line in source.iterdump() if "sqlite_sequence" not in line))
        assert [t.commit for t in load_history(path, "support-42")] == [
            t.commit for t in load_history(SAMPLE, "support-42")
        ]


def test_the_schema_is_that_of_the_sample() -> None:
    with closing(sqlite3.connect(f"{SAMPLE.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        stored = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE name LIKE 'runtime_%'"))
    assert len(schema.TABLES) == 8
    for table in schema.TABLES:
        made = schema.create_table(table, "runtime_", schema.SQLITE).replace('"', "")
        assert made == stored[f"runtime_{table.name}"]
