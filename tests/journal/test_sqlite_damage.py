"""Damaged SQLite databases: what can be read is, and what cannot is named."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statekit.errors import CorruptJournal, JournalError
from statekit.journal import load_history, open_journal
from tests.journal.sample import (
    CORRUPT,
    LOOSE,
    SAMPLE,
    SEQUENCES,
    THREADS,
    Unchanged,
    first_id,
    problems,
    run,
    sequences,
)


class TestDamagedRows:
    @pytest.mark.parametrize(
        ("table", "column"),
        [("state_command", "data"), ("message", "data"), ("event", "kind"), ("event", "payload"), ("commit", "phase")],
    )
    @pytest.mark.parametrize(
        ("value", "why"),
        [
            ("'{'", "not JSON"),
            ("''", "not JSON"),
            ("x'7b7d'", "expected JSON text, got a BLOB"),
            ("CAST(x'22ff22' AS TEXT)", "expected JSON text, got text that is not UTF-8"),
            ("NULL", "expected JSON text, got NULL"),
        ],
    )
    def test_take_their_commit_with_them(self, database: Path, table: str, column: str, value: str, why: str) -> None:
        run(database, *LOOSE)
        # Commit 3 is the second of support-42; it has commands, events and a message.
        key = 3 if table == "commit" else first_id(table, 3)
        name = "sequence" if table in ("event", "commit") else "id"
        run(database, f"UPDATE runtime_{table} SET {column} = {value} WHERE {name} = {key}")
        history = load_history(database, "support-42")
        assert sequences(history) == [1, *SEQUENCES[2:]]
        ((kind, position, detail),) = problems(history)
        assert (kind, position) == (CORRUPT, 1)
        assert detail.startswith(f"runtime_{table} row {key}: ")
        assert why in detail
        assert load_history(database, "research-7").problems == []

    @pytest.mark.parametrize("data", ["{}", "[]", '{"key":"k","scope":"Run","merge":"Never","action":"Remove"}'])
    def test_json_that_is_no_command(self, database: Path, data: str) -> None:
        key = first_id("state_command", 3)
        run(database, f"UPDATE runtime_state_command SET data = '{data}' WHERE id = {key}")
        history = load_history(database, "support-42")
        assert len(history) == 35
        assert history.problems[0].detail.startswith(f"runtime_state_command row {key}: ")

    def test_a_phase_that_is_none(self, database: Path) -> None:
        run(database, "UPDATE runtime_commit SET phase = '\"Sleeping\"' WHERE sequence = 3")
        assert sequences(load_history(database, "support-42")) == [1, *SEQUENCES[2:]]

    @pytest.mark.parametrize("value", ["NULL", "x'7275'"])
    def test_a_run_id_that_is_no_text(self, database: Path, value: str) -> None:
        run(database, *LOOSE)
        run(database, f"UPDATE runtime_commit SET run_id = {value} WHERE sequence = 3")
        history = load_history(database, "support-42")
        assert (len(history), history.problems[0].kind) == (35, CORRUPT)

    @pytest.mark.parametrize("value", ["NULL", "x'7275'", "CAST(x'ff' AS TEXT)"])
    def test_a_commit_of_no_thread_is_a_problem_of_all(self, database: Path, value: str) -> None:
        run(database, *LOOSE)
        run(database, f"UPDATE runtime_commit SET thread_id = {value} WHERE sequence = 3")
        for thread, position in (("support-42", 1), ("research-7", 1)):
            history = load_history(database, thread)
            assert len(history) == THREADS[thread] - (thread == "support-42")
            ((kind, found, detail),) = problems(history)
            assert (kind, found) == (CORRUPT, position)
            assert detail.startswith("runtime_commit row 3: the thread id is ")
        with open_journal(database) as journal:
            assert [(problem.kind, problem.position) for problem in journal.problems] == [(CORRUPT, 2)]

    def test_a_commit_without_sequence_is_a_problem_of_all(self, database: Path) -> None:
        run(database, "UPDATE runtime_commit SET sequence = NULL WHERE sequence = 76")
        with closing(sqlite3.connect(database)) as connection:
            counts = [
                connection.execute(f"SELECT count(*) FROM runtime_{rows}").fetchone()[0]
                for rows in ("event WHERE sequence / 1000 = 76", "state_command WHERE commit_sequence = 76")
            ]
        details = {
            thread: [problem.detail for problem in load_history(database, thread).problems] for thread in THREADS
        }
        for thread in THREADS:
            assert "runtime_commit: the sequence None is NULL, not an integer" in details[thread]
            # Nobody can tell whose an event was, so all are told of it; a command names its thread.
            assert sum("runtime_event row 76" in detail for detail in details[thread]) == counts[0] > 0
        assert sum("runtime_state_command" in detail for detail in details["research-7"]) == counts[1] > 0
        assert sum("runtime_state_command" in detail for detail in details["support-42"]) == 0

    def test_a_sequence_that_is_there_twice_is_a_problem_of_all(self, database: Path) -> None:
        run(
            database,
            "CREATE TABLE loose AS SELECT * FROM runtime_commit",
            "DROP TABLE runtime_commit",
            "ALTER TABLE loose RENAME TO runtime_commit",
            "INSERT INTO runtime_commit VALUES (3, 'research-7', 'run-a', '\"Running\"', NULL)",
        )
        for thread, position in (("support-42", 36), ("research-7", 41)):
            history = load_history(database, thread)
            assert len(history) == position
            assert problems(history) == [(CORRUPT, position, "runtime_commit: the sequence 3 is there twice")]

    def test_a_row_of_another_thread_than_its_commit(self, database: Path) -> None:
        key = first_id("state_command", 3)
        run(database, f"UPDATE runtime_state_command SET thread_id = 'research-7' WHERE id = {key}")
        history = load_history(database, "support-42")
        assert sequences(history) == [1, *SEQUENCES[2:]]
        assert history.problems[0].detail == (f"runtime_state_command row {key}: it is of another thread, 'research-7'")

    def test_rows_without_commit_are_reported_in_their_thread(self, database: Path) -> None:
        run(
            database,
            "INSERT INTO runtime_state_command VALUES (9001, 5000, 'support-42', '{}')",
            "INSERT INTO runtime_message VALUES (9002, 4999, 'support-42', '{}')",
            "INSERT INTO runtime_state_command VALUES (9003, 5000, 'unheard-of', '{}')",
        )
        assert problems(load_history(database, "support-42")) == [
            (CORRUPT, 36, "runtime_state_command row 9001: there is no commit 5000"),
            (CORRUPT, 36, "runtime_state_command row 9003: there is no commit 5000"),
            (CORRUPT, 36, "runtime_message row 9002: there is no commit 4999"),
        ]
        assert problems(load_history(database, "research-7")) == [
            (CORRUPT, 41, "runtime_state_command row 9003: there is no commit 5000")
        ]
        with open_journal(database) as journal:
            assert [(problem.position, problem.detail) for problem in journal.problems] == [
                (77, "runtime_state_command row 9003: there is no commit 5000")
            ]

    @pytest.mark.parametrize("sequence", ["78000", "-5", "'soon'", "77.5"])
    def test_events_without_commit_are_reported_in_all(self, database: Path, sequence: str) -> None:
        run(
            database,
            # With a commit 0 of another thread, an event of no integer could pass for that one's.
            "INSERT INTO runtime_commit VALUES (0, 'third', 'run-z', '\"Running\"', '2026-11-03 09:00:00')",
            f"INSERT INTO runtime_event VALUES ({sequence}, 'run-1', '\"K\"', '1')",
        )
        for thread, length in THREADS.items():
            history = load_history(database, thread)
            assert len(history) == length
            ((kind, _, detail),) = problems(history)
            assert kind is CORRUPT
            assert detail.startswith("runtime_event row ")
        with open_journal(database) as journal:
            assert [problem.detail for problem in journal.problems] == [detail]

    def test_rows_of_a_database_that_lost_all_its_commits(self, database: Path) -> None:
        with closing(sqlite3.connect(database)) as connection:
            tables = ("state_command", "message", "event")
            rows = sum(connection.execute(f"SELECT count(*) FROM runtime_{name}").fetchone()[0] for name in tables)
        run(database, "DELETE FROM runtime_commit")
        history = load_history(database)
        assert (history.thread_id, len(history), len(history.problems)) == ("", 0, rows)
        assert {problem.kind for problem in history.problems} == {CORRUPT}

    def test_no_order_but_that_of_the_ids(self, database: Path) -> None:
        run(
            database,
            "UPDATE runtime_state_command SET id = -id",
            "UPDATE runtime_message SET id = -id",
        )
        plain, turned = load_history(SAMPLE, "support-42"), load_history(database, "support-42")
        assert any(len(transition.commands) > 1 for transition in plain)
        for before, after in zip(plain, turned, strict=True):
            assert after.commands == before.commands[::-1]
            assert after.messages == before.messages[::-1]

    def test_an_index_that_lost_its_rows_hides_nothing(self, database: Path) -> None:
        data = bytearray(database.read_bytes())
        with closing(sqlite3.connect(database)) as connection:
            query = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_runtime_commit_1'"
            root = connection.execute(query).fetchone()[0]
            size = connection.execute("PRAGMA page_size").fetchone()[0]
        # An index page says at byte 3 how many entries it has.
        data[(root - 1) * size + 3 : (root - 1) * size + 5] = (5).to_bytes(2)
        database.write_bytes(data)
        assert {thread: len(load_history(database, thread)) for thread in THREADS} == THREADS


class TestMalformedDatabases:
    @pytest.mark.parametrize("length", [16, 17, 99, 100, 511, 512, 1024, 4095, 4096, 4097, 40960, 81920, 122879])
    def test_cut_short(self, database: Path, length: int, unchanged: Unchanged) -> None:
        database.write_bytes(SAMPLE.read_bytes()[:length])
        with unchanged(database.parent), pytest.raises(JournalError):
            load_history(database, "support-42")

    def test_is_said_to_be_corrupt(self, database: Path) -> None:
        database.write_bytes(SAMPLE.read_bytes()[:8192])
        with pytest.raises(CorruptJournal, match="SQLite cannot read it: ") as caught:
            load_history(database)
        assert (caught.value.line, caught.value.offset) == (None, None)

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(edits=st.lists(st.tuples(st.integers(16, 122_879), st.integers(1, 255)), min_size=1, max_size=40))
    def test_flipped_bytes_are_read_or_refused(self, tmp_path: Path, edits: list[tuple[int, int]]) -> None:
        data = bytearray(SAMPLE.read_bytes())
        for place, flip in edits:
            data[place] ^= flip
        read_or_refused(tmp_path, data)

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        pages=st.lists(st.integers(0, 29), min_size=1, max_size=3),
        edits=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 255)), min_size=1, max_size=6),
    )
    def test_damaged_page_headers_are_read_or_refused(
        self, tmp_path: Path, pages: list[int], edits: list[tuple[int, int]]
    ) -> None:
        data = bytearray(SAMPLE.read_bytes())
        for page in pages:
            for place, byte in edits:
                data[page * 4096 + place + (100 if page == 0 else 0)] = byte
        read_or_refused(tmp_path, data)


def read_or_refused(directory: Path, data: bytearray) -> None:
    path = directory / "damaged.db"
    path.write_bytes(data)
    try:
        with open_journal(path) as journal:
            for thread in journal.threads():
                history = journal.history(thread)
                assert all(transition.thread_id == thread for transition in history)
    except JournalError:
        pass
    assert [found.name for found in directory.iterdir()] == ["damaged.db"]
