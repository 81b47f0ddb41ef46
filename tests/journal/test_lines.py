"""Where NDJSON comes from: gzip streams, whole, cut short or damaged, and lines too long to be held."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statekit.errors import CorruptJournal, JournalError
from statekit.journal import load_history
from statekit.journal.lines import MAX_LINE, BrokenStream, Line, chunks, split_lines
from statekit.journal.ndjson import open_ndjson
from statekit.transition import ProblemKind
from tests.journal.sample import HISTORIES, found, line

TORN, CORRUPT = ProblemKind.TORN_TAIL, ProblemKind.CORRUPT


class TestGzip:
    def test_reads_as_the_file_in_it(self, support_42: bytes, load: Any) -> None:
        plain, packed = load(support_42), load(gzip.compress(support_42))
        assert [transition.commit for transition in packed] == [transition.commit for transition in plain]
        assert packed.problems == []

    def test_many_members_and_zero_padding(self, load: Any) -> None:
        data = gzip.compress(line() + line()[:10]) + b"\0" * 7 + gzip.compress(line()[10:]) + b"\0" * 600
        history = load(data)
        assert (len(history), history.problems) == (2, [])

    def test_of_nothing_is_an_empty_journal(self, load: Any) -> None:
        assert len(load(gzip.compress(b""))) == 0

    def test_a_torn_tail_inside(self, load: Any) -> None:
        assert found(load(gzip.compress(line() + line()[:20]))) == [(TORN, 1, 2, len(line()))]

    def test_cut_at_every_byte(self, load: Any) -> None:
        lines = [line(note=str(zlib.crc32(bytes([n])) ** 9)) for n in range(12)]
        packed = gzip.compress(b"".join(lines))
        outcomes = set()
        for length in range(2, len(packed)):
            # What is there of the content is what the standard library unpacks of so many bytes.
            content = zlib.decompressobj(wbits=31).decompress(packed[:length])
            whole = content.count(b"\n")
            outcomes.add(whole)
            if not whole and content != lines[0][:-1]:
                with pytest.raises(CorruptJournal) as caught:
                    load(packed[:length])
                assert (caught.value.line, caught.value.offset) == (1, 0)
                continue
            history = load(packed[:length])
            rest = content[content.rfind(b"\n") + 1 :]
            assert len(history) == whole + (whole < len(lines) and rest == lines[whole][:-1])
            assert [problem[0] for problem in found(history)] == [TORN]
            assert history.problems[0].line == whole + 1
            assert history.problems[0].offset == len(content) - len(rest)
        assert outcomes == set(range(len(lines) + 1))

    def test_gives_all_that_a_cut_stream_holds(self) -> None:
        packed = gzip.compress(b"abc\n" * 50_000)
        for length in range(2, len(packed)):
            pieces: list[bytes] = []
            with pytest.raises(BrokenStream) as caught:
                pieces.extend(chunks(io.BytesIO(packed[:length])))
            assert caught.value.cut_short
            assert b"".join(pieces) == zlib.decompressobj(wbits=31).decompress(packed[:length])

    def test_a_wrong_checksum_is_corruption_after_everything(self, support_42: bytes, load: Any) -> None:
        packed = bytearray(gzip.compress(support_42))
        packed[-6] ^= 1
        history = load(bytes(packed))
        assert len(history) == 36
        assert found(history) == [(CORRUPT, 36, 37, len(support_42))]

    def test_what_comes_before_a_damaged_block_is_read(self, load: Any) -> None:
        packer = zlib.compressobj(wbits=31)
        good = packer.compress(line() + line() + line()[:30]) + packer.flush(zlib.Z_FULL_FLUSH)
        # A block of type 3 does not exist.
        history = load(good + b"\xff" + packer.compress(line()) + packer.flush())
        assert len(history) == 2
        assert found(history) == [(CORRUPT, 2, 3, 2 * len(line()))]

    def test_damage_before_the_first_line_leaves_no_journal(self, load: Any) -> None:
        with pytest.raises(CorruptJournal, match="damaged") as caught:
            load(gzip.compress(line())[:10] + b"\xff" * 10)
        assert (caught.value.line, caught.value.offset) == (1, 0)

    def test_what_follows_the_last_member_and_is_none(self, load: Any) -> None:
        assert found(load(gzip.compress(line()) + b"more")) == [(CORRUPT, 1, 2, len(line()))]


class TestLongLines:
    def test_are_passed_over_and_counted(self) -> None:
        pieces = [b"ab\ncdefg", b"hij", b"k\nl", b"mn\nop"]
        assert list(split_lines(pieces, limit=4)) == [
            Line(1, 0, b"ab", ended=True),
            Line(2, 3, None, ended=True),
            Line(3, 13, b"lmn", ended=True),
            Line(4, 17, b"op", ended=False),
        ]

    def test_of_exactly_the_limit_are_read(self) -> None:
        assert [found.text for found in split_lines([b"abcd\nabcde\nabcd"], limit=4)] == [b"abcd", None, b"abcd"]

    def test_are_reported_and_what_follows_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "long.ndjson.gz"
        block = b" " * 2**20
        with gzip.open(path, "wb", compresslevel=1) as file:
            file.write(line() + b'{"')
            for _ in range(MAX_LINE // len(block)):
                file.write(block)
            file.write(b"\n" + line())
        history = load_history(path)
        assert [transition.sequence for transition in history] == [1, 3]
        assert found(history) == [(CORRUPT, 1, 2, len(line()))]


TWO_THREADS = (HISTORIES / "two-threads.ndjson").read_bytes()
PACKED = gzip.compress(TWO_THREADS)


@given(st.lists(st.tuples(st.integers(0, len(PACKED) - 1), st.integers(1, 255)), min_size=1, max_size=3))
def test_any_mutation_of_a_packed_file_is_read_or_refused(edits: list[tuple[int, int]]) -> None:
    data = bytearray(PACKED)
    for place, flip in edits:
        data[place] ^= flip
    try:
        journal = open_ndjson("some", io.BytesIO(bytes(data)))
    except JournalError:
        return
    complete = sum(len(journal.history(thread)) for thread in journal.threads()) == 77
    assert complete or journal.problems
