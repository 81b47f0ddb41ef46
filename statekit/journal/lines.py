"""The lines of a file, plain or gzipped, with their numbers and byte offsets.

Offsets are those of the unpacked bytes: in a gzip file a line has no place of its own.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

MAX_LINE = 256 * 2**20
"""The longest line that is read, in bytes: a longer one is passed over without being held."""

GZIP_MAGIC = b"\x1f\x8b"

_CHUNK = 64 * 2**10
_GZIP_WINDOW = 31


class Line(NamedTuple):
    """One line, without its newline.

    `number` counts from 1, `text` is None when the line is too long to be held, `ended` is False for a last line
    that no newline ends.
    """

    number: int
    offset: int
    text: bytes | None
    ended: bool


class BrokenStream(Exception):
    """A gzip stream that cannot be unpacked further.

    `cut_short` tells a stream that ends early from a damaged one; `rest` is what there is of the line it broke in.
    """

    def __init__(self, detail: str, *, cut_short: bool = False) -> None:
        super().__init__(detail)
        self.cut_short = cut_short
        self.rest = Line(1, 0, b"", ended=False)


def chunks(file: BinaryIO) -> Iterator[bytes]:
    """The bytes of a file in pieces, unpacked when they begin as gzip does; raises `BrokenStream`."""
    first = file.read(_CHUNK)
    pieces = _pieces(first, file)
    return _unpacked(pieces) if first.startswith(GZIP_MAGIC) else pieces


def _pieces(first: bytes, file: BinaryIO) -> Iterator[bytes]:
    piece = first
    while piece:
        yield piece
        piece = file.read(_CHUNK)


def _unpacked(packed: Iterable[bytes]) -> Iterator[bytes]:
    member = zlib.decompressobj(wbits=_GZIP_WINDOW)
    for piece in packed:
        data = piece
        while data:
            if member.eof:
                # A file may hold several members, with zeros between and after them.
                data = data.lstrip(b"\0")
                if not data:
                    break
                member = zlib.decompressobj(wbits=_GZIP_WINDOW)
            before = member.copy()
            try:
                yield member.decompress(data, _CHUNK)
            except zlib.error as error:
                yield _up_to_damage(before, data)
                raise BrokenStream(f"the gzip stream is damaged ({error})") from None
            data = member.unused_data if member.eof else member.unconsumed_tail
    if not member.eof:
        yield member.flush()
        raise BrokenStream("the gzip stream ends early", cut_short=True)


def _up_to_damage(member: zlib._Decompress, data: bytes) -> bytes:
    # A call that fails gives nothing of what it unpacked, so the last good byte is found one by one.
    unpacked = bytearray()
    for place in range(len(data)):
        try:
            unpacked += member.decompress(data[place : place + 1])
        except zlib.error:
            break
    return bytes(unpacked)


def split_lines(pieces: Iterable[bytes], limit: int = MAX_LINE) -> Iterator[Line]:
    """The lines of a stream of bytes, none longer than `limit` bytes held; passes `BrokenStream` on with its rest.

    >>> [line.text for line in split_lines([b"a\\nb", b"c"])]
    [b'a', b'bc']
    """
    open_line = _OpenLine(limit)
    try:
        for piece in pieces:
            *ends, rest = piece.split(b"\n")
            for end in ends:
                open_line.add(end)
                yield open_line.close(ended=True)
            open_line.add(rest)
    except BrokenStream as broken:
        broken.rest = open_line.close(ended=False)
        raise
    if open_line.size:
        yield open_line.close(ended=False)


class _OpenLine:
    def __init__(self, limit: int) -> None:
        self.size = 0
        self._limit = limit
        self._number = 1
        self._offset = 0
        self._parts: list[bytes] = []

    def add(self, part: bytes) -> None:
        self.size += len(part)
        if self.size <= self._limit:
            self._parts.append(part)
        else:
            self._parts.clear()

    def close(self, *, ended: bool) -> Line:
        text = b"".join(self._parts) if self.size <= self._limit else None
        line = Line(self._number, self._offset, text, ended)
        self._number += 1
        self._offset += self.size + ended
        self.size = 0
        self._parts.clear()
        return line
