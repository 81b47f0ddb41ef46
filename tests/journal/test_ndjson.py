"""NDJSON files: what is good in them is there, what is wrong is reported, and no line is dropped in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from statekit.errors import CorruptJournal, NotAJournal
from statekit.journal import load_history, open_journal
from statekit.journal.ndjson import HOPELESS
from statekit.journal.threadlog import MAX_DETAIL
from statekit.transition import ProblemKind
from tests.journal.sample import HISTORIES, found, line

TORN, CORRUPT, INVALID = ProblemKind.TORN_TAIL, ProblemKind.CORRUPT, ProblemKind.INVALID_COMMIT
FILES = sorted(HISTORIES.glob("*.ndjson"))


class Expected(NamedTuple):
    commits: list[tuple[int, dict[str, Any]]]
    damage: list[tuple[ProblemKind, int, int, int]]


def read_independently(data: bytes) -> Expected:
    """The commits with their sequence, and the damage, by the standard library alone."""
    commits: list[tuple[int, dict[str, Any]]] = []
    damage = []
    offset = sequence = 0
    lines = data.split(b"\n")
    for number, raw in enumerate(lines, start=1):
        text = raw[3:] if number == 1 and raw.startswith(b"\xef\xbb\xbf") else raw
        if text.strip(b" \t\r"):
            sequence += 1
            try:
                commits.append((sequence, json.loads(text.decode())))
            except ValueError:
                kind = TORN if number == len(lines) else CORRUPT
                damage.append((kind, len(commits), number, offset))
        offset += len(raw) + 1
    return Expected(commits, damage)


def test_every_file_to_try_is_here() -> None:
    assert sorted(path.stem for path in FILES) == [
        "blank-lines-crlf-bom",
        "corrupt-middle",
        "empty",
        "exclusive-conflict-on-disk",
        "hostile-markup",
        "no-final-newline",
        "post-terminal",
        "support-42",
        "torn-tail",
        "torn-tail-inside-utf8",
        "two-threads",
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_holds_the_commits_and_damage_that_its_bytes_say(path: Path) -> None:
    expected = read_independently(path.read_bytes())
    threads = list(dict.fromkeys(commit["thread_id"] for _, commit in expected.commits))
    with open_journal(path) as journal:
        assert journal.threads() == threads
        for thread in threads:
            history = journal.history(thread)
            own = [(sequence, commit) for sequence, commit in expected.commits if commit["thread_id"] == thread]
            assert [transition.sequence for transition in history] == [sequence for sequence, _ in own]
            for transition, (_, commit) in zip(history, own, strict=True):
                assert transition.commit.run_id == commit["run_fact"]["run_id"]
                assert transition.phase == commit["run_fact"]["phase"]
                assert transition.messages == commit["messages"]
                assert transition.events == commit["events"]
                assert [json.loads(command.to_json()) for command in transition.commands] == commit["state"]
            damage = [problem for problem in found(history) if problem[0] in (TORN, CORRUPT)]
            assert damage == expected.damage


@pytest.mark.parametrize(
    ("stem", "length", "problems"),
    [
        ("blank-lines-crlf-bom", 12, []),
        ("corrupt-middle", 35, [(CORRUPT, 10, 11, 5578)]),
        ("exclusive-conflict-on-disk", 36, [(ProblemKind.CONFLICT_ON_DISK, 7, None, None)]),
        ("hostile-markup", 36, []),
        ("no-final-newline", 5, []),
        ("post-terminal", 37, [(ProblemKind.ENDED_RUN, 15, None, None)]),
        ("support-42", 36, []),
        ("torn-tail", 20, [(TORN, 20, 21, 10016)]),
        ("torn-tail-inside-utf8", 20, [(TORN, 20, 21, 10016)]),
    ],
)
def test_what_is_wrong_with_each_file(stem: str, length: int, problems: list[Any], histories: Path) -> None:
    history = load_history(histories / f"{stem}.ndjson")
    assert len(history) == length
    assert found(history) == problems


def test_an_empty_file_is_an_empty_history(histories: Path) -> None:
    history = load_history(histories / "empty.ndjson")
    assert (history.thread_id, len(history), history.problems) == ("", 0, [])


class TestTheLastLine:
    @pytest.mark.parametrize("last", [line(note="é and \U0001f600"), line(state=[])], ids=["utf8", "ascii"])
    def test_cut_at_every_byte(self, last: bytes, load: Any) -> None:
        before = line() + line()
        last = last.replace(b"\\u00e9 and \\ud83d\\ude00", "é and \U0001f600".encode())
        assert found(load(before)) == []
        for length in range(1, len(last) - 1):
            history = load(before + last[:length])
            assert len(history) == 2
            assert found(history) == [(TORN, 2, 3, len(before))]
        for length in (len(last) - 1, len(last)):
            history = load(before + last[:length])
            assert (len(history), found(history)) == (3, [])

    @pytest.mark.parametrize("tail", [b"\0" * 512, b'{"thread_id": "t"' + b"\0" * 9])
    def test_whose_bytes_were_lost_was_cut(self, tail: bytes, load: Any) -> None:
        assert found(load(line() + tail)) == [(TORN, 1, 2, len(line()))]

    @pytest.mark.parametrize("tail", [b"{}", b"null", b"[1]", b'"text"', b'{"thread_id": "t"}', b"7\r"])
    def test_that_is_json_and_no_commit_was_never_cut(self, tail: bytes, load: Any) -> None:
        assert found(load(line() + tail)) == [(CORRUPT, 1, 2, len(line()))]

    @pytest.mark.parametrize(
        "tail",
        [
            pytest.param(line()[:-1] + line()[:-1], id="two commits"),
            pytest.param(line()[:-1] + b"\r" + line()[:-1], id="two commits with a bare return"),
            pytest.param(line()[:-1] + b"\0", id="a commit and a zero"),
            pytest.param(line()[:-1] + line()[:-9], id="a commit and a cut one"),
            b'{"thread_id": "t" "',
            b'{"thread_id": 1e400}',
            b'{"thread_id": "\xff", "',
            b"[1",
            b"tru",
            b"hello",
            b"\xff",
            b"}",
        ],
    )
    def test_that_begins_no_commit_was_never_cut(self, tail: bytes, load: Any) -> None:
        assert found(load(line() + tail)) == [(CORRUPT, 1, 2, len(line()))]

    @pytest.mark.parametrize("number", ["-1.5e-10", "12.25", "1E+5", "-7"])
    def test_cut_inside_a_number(self, number: str, load: Any) -> None:
        for length in range(len(number)):
            tail = b'{"state":[' + number[: length + 1].encode()
            assert found(load(line() + tail)) == [(TORN, 1, 2, len(line()))], tail

    @pytest.mark.parametrize("tail", [b" ", b"\t\r", b"   \r\n \t"])
    def test_may_be_blank(self, tail: bytes, load: Any) -> None:
        assert found(load(line() + tail)) == []

    @pytest.mark.parametrize(
        "start", [b"{", b'{"', b'{"thread_id"', b'{"thread_id":"t","run_f', b' {"state" : [', b'{"ru']
    )
    def test_alone_is_an_empty_journal_whose_first_commit_was_cut(self, start: bytes, load: Any) -> None:
        history = load(b"\n \n" + start)
        assert (history.thread_id, len(history)) == ("", 0)
        assert found(history) == [(TORN, 0, 3, 3)]

    @pytest.mark.parametrize("start", [b"{]", b'{"cells": [', b'"thread_id', b"\0\0", b"thread"])
    def test_alone_that_begins_no_commit_is_no_journal(self, start: bytes, load: Any) -> None:
        with pytest.raises(NotAJournal):
            load(start)


class TestDamageInTheMiddle:
    @pytest.mark.parametrize(
        "bad", [b"{", b"\0\0\0", b"\xff\xfe", b"{}", b"[]", b"\x0c", b'{"a":1}{"b":2}', line()[:-2], b"\xef\xbb\xbf{}"]
    )
    def test_is_one_problem_and_what_follows_is_read(self, bad: bytes, load: Any) -> None:
        history = load(line() + bad + b"\n" + line() + line())
        assert [transition.sequence for transition in history] == [1, 3, 4]
        assert found(history) == [(CORRUPT, 1, 2, len(line()))]

    def test_says_what_is_wrong_and_where_in_the_line(self, load: Any) -> None:
        history = load(line() + b'{"a" 1}\n' + b'{"thread_id": 5}\n' + line())
        first, second = history.problems
        assert "(5 bytes into the line)" in first.detail
        assert second.detail == "the field 'run_fact' is missing"

    def test_is_quoted_shortly(self, load: Any) -> None:
        commit = line(run_fact={"run_id": "r", "phase": "x" * 100_000})
        (problem,) = load(line() + commit).problems
        assert len(problem.detail) == MAX_DETAIL

    def test_is_reported_in_every_thread_at_its_own_position(self, load: Any) -> None:
        data = line("a") + line("b") + line("a") + b"?\n" + line("b") + b"{"
        torn = len(data) - 1
        bad = len(line("a")) * 3
        assert found(load(data, "a")) == [(CORRUPT, 2, 4, bad), (TORN, 2, 6, torn)]
        assert found(load(data, "b")) == [(CORRUPT, 1, 4, bad), (TORN, 2, 6, torn)]

    def test_is_told_of_the_journal_too(self, tmp_path: Path) -> None:
        path = tmp_path / "j.ndjson"
        path.write_bytes(line("a") + b"?\n" + line("b") + b"{")
        with open_journal(path) as journal:
            assert [(problem.kind, problem.position, problem.line) for problem in journal.problems] == [
                (CORRUPT, 1, 2),
                (TORN, 2, 4),
            ]

    def test_on_all_lines_but_one_leaves_a_journal(self, load: Any) -> None:
        history = load(b"?\n" * 50 + line() + b"?\n" * 50)
        assert len(history) == 1
        assert len(history.problems) == 100

    def test_on_every_line_leaves_none(self, load: Any) -> None:
        with pytest.raises(NotAJournal):
            load(b"?\n" * 3)

    @pytest.mark.parametrize("lines", [1, 2, HOPELESS + 1])
    @pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"\n\r\n"])
    def test_of_every_commit_says_where_it_begins(self, lines: int, start: bytes, load: Any) -> None:
        for bad in (line(run_fact={"run_id": "r", "phase": "Runnin9"}), line()[:40] + b"\0\0" + line()[42:]):
            for end in (b"", b"\n"):
                with pytest.raises(CorruptJournal) as caught:
                    load(start + bad * (lines - 1) + bad[:-1] + end)
                blank = start.count(b"\n")
                assert (caught.value.line, caught.value.offset) == (1 + blank, len(start) if blank else 0)

    @pytest.mark.parametrize(
        "other",
        [
            b'[{"thread_id": "t", "run_fact": 1}]',
            b'{"thread_id": "t"}\n{"run_fact": 1}',
            b'{\n"thread_id": "t", "run_fact": 1}',
            b'{"cells": [{"source": "{\\"thread_id\\": 1, \\"run_fact\\": 2}"}]}',
        ],
    )
    def test_of_what_is_no_commit_is_another_kind_of_file(self, other: bytes, load: Any) -> None:
        with pytest.raises(NotAJournal):
            load(other + b"\n")

    def test_on_very_many_lines_ends_the_reading(self, load: Any) -> None:
        assert len(load(b"?\n" * (HOPELESS - 1) + line())) == 1
        with pytest.raises(NotAJournal):
            load(b"?\n" * HOPELESS + line())


class TestLineEnds:
    def test_blank_lines_and_crlf_and_bom_change_no_offset(self, load: Any) -> None:
        start = b"\xef\xbb\xbf" + line() + b"\r\n \t\r\n\n" + line()[:-1] + b"\r\n"
        assert found(load(start + b"?\n" + line())) == [(CORRUPT, 2, 6, len(start))]

    def test_damage_right_after_a_bom_is_at_the_start_of_the_file(self, load: Any) -> None:
        assert found(load(b"\xef\xbb\xbf?\n" + line())) == [(CORRUPT, 0, 1, 0)]

    @pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\n\n", b"\xef\xbb\xbf\r\n \t"])
    def test_nothing_but_blanks_is_an_empty_journal(self, data: bytes, load: Any) -> None:
        history = load(data)
        assert (len(history), history.problems) == (0, [])


TICKET = {
    "correlation_id": "c",
    "run_id": "r",
    "thread_id": "t",
    "snapshot_id": "s",
    "catalog_fingerprint": "f",
    "target": {"Pause": "Manual"},
    "deadline_ms": None,
}
AWAITING = {"run_id": "r", "phase": "Awaiting"}
TAKEN_TWICE = [{"key": "k", "scope": "Thread", "merge": "Exclusive", "action": {"Set": n}} for n in (1, 2)]


class TestInvalidCommits:
    @pytest.mark.parametrize(
        "bad",
        [
            line(run_id=""),
            line(run_fact=AWAITING),
            line(resume_ticket=TICKET),
            line(run_fact=AWAITING, resume_ticket={**TICKET, "run_id": "other"}),
            line(run_fact=AWAITING, resume_ticket={**TICKET, "thread_id": "other"}),
        ],
        ids=["run id", "no ticket", "stray ticket", "ticket of another run", "ticket of another thread"],
    )
    def test_are_kept_and_reported(self, bad: bytes, load: Any) -> None:
        history = load(line() + b"\n" + bad + line())
        assert len(history) == 3
        assert found(history) == [(INVALID, 2, 3, len(line()) + 1)]

    def test_an_empty_thread_id_is_a_thread(self, load: Any) -> None:
        assert found(load(line(thread_id=""))) == [(INVALID, 1, 1, 0)]

    def test_valid_ones_are_not(self, load: Any) -> None:
        assert found(load(line(run_fact=AWAITING, resume_ticket=TICKET))) == []

    def test_a_batch_that_the_rule_rejects_is_reported_once(self, load: Any) -> None:
        assert [kind for kind, *_ in found(load(line(state=TAKEN_TWICE)))] == [ProblemKind.CONFLICT_ON_DISK]
        both = found(load(line(run_id="", state=TAKEN_TWICE)))
        assert sorted(kind for kind, *_ in both) == [ProblemKind.CONFLICT_ON_DISK, INVALID]
