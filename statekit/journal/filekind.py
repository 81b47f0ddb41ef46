"""What a file that is no journal looks like, said in a few words."""

from __future__ import annotations

from typing import Final

from statekit import wire
from statekit.errors import WireError

HEAD = 64 * 2**10
"""How many bytes of a file are enough to tell what it is."""

_MAGIC: Final = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"RIFF", "a RIFF file (WebP, WAV or AVI)"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (or a document that is one)"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"\x89HDF\r\n", "an HDF5 file"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ\0", "an xz file"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"\x7fELF", "an ELF program"),
    (b"\x1f\x8b", "a gzip file"),
    (b"SQLite format 3\0", "a SQLite database"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
)
_BLANK = b" \t\r\n"
_SEPARATORS = (b",", b";", b"\t", b"|")


def by_magic(head: bytes) -> str | None:
    """What the first bytes of a file mark it as, if anything.

    >>> by_magic(b"%PDF-1.7")
    'a PDF document'
    """
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    return "a tar archive" if head[257:262] == b"ustar" else None


def looks_like(head: bytes) -> str:
    """What a file seems to be by its first bytes; a file that holds no commit is asked this.

    >>> looks_like(b"id,name\\n1,Ada\\n")
    'a CSV table'
    """
    marked = by_magic(head)
    if marked is not None:
        return marked
    if b"\0" in head or not _is_utf8(head):
        return "binary data, or text that is not UTF-8"
    text = head.removeprefix(b"\xef\xbb\xbf").strip(_BLANK)
    if text.startswith(b"["):
        return "a JSON array"
    if text.startswith(b"{"):
        return _object_kind(text)
    if text.startswith(b"<"):
        return "an XML or HTML document"
    return "a CSV table" if _is_table(text) else "plain text"


def _is_utf8(head: bytes) -> bool:
    try:
        head.decode()
    except UnicodeDecodeError as error:
        # A head may end inside a character.
        return len(head) == HEAD and error.end == len(head) and error.start > len(head) - 4
    return True


def _object_kind(text: bytes) -> str:
    if b'"cell_type"' in text or b'"nbformat"' in text:
        return "a Jupyter notebook"
    first, *others = [line for line in text.split(b"\n") if line.strip(_BLANK)]
    if others and _is_json(first):
        return "lines of JSON that are no commits"
    return "one JSON document"


def _is_table(text: bytes) -> bool:
    lines = [line for line in text.split(b"\n")[:3] if line.strip(_BLANK)]
    return len(lines) > 1 and any(
        lines[0].count(separator) > 0 and lines[0].count(separator) == lines[1].count(separator)
        for separator in _SEPARATORS
    )


def _is_json(text: bytes) -> bool:
    try:
        wire.decode(text)
    except WireError:
        return False
    return True
