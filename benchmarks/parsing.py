"""What reading a line costs with each parser, as ratios: run `python -m benchmarks.parsing`."""

from __future__ import annotations

import argparse
import importlib
import json
import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from benchmarks import gen
from benchmarks.measuring import Case, in_turns, ratio, table, versions
from statekit import ThreadCommit, load_history, wire
from statekit.commit import OPAQUE_FIELDS

CELLS = 200

LABELS = {
    "json": "json.loads",
    "json pairs": "json.loads that reports repeated fields",
    "orjson": "orjson.loads",
    "msgspec": "msgspec.json.decode",
    "wire": "wire.decode_object: exact, depth and repeated fields checked",
    "building": "ThreadCommit.from_wire of what was decoded",
    "commit": "ThreadCommit.from_json, both together",
    "commit by json": "the same on the standard library's parser",
    "spaced": "ThreadCommit.from_json of lines with spaces",
    "load": "load_history, all results kept and indexed",
}


def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that would know of its repeated fields."""
    plain = dict(found)
    if len(plain) != len(found):
        raise ValueError("a repeated field")
    return plain


def commit_by_json(line: bytes) -> ThreadCommit:
    """A commit as it would be read without the fast parser."""
    return ThreadCommit.from_wire(json.loads(line, object_pairs_hook=pairs))


def each(lines: Sequence[bytes], read: Callable[[bytes], object]) -> Case:
    """A case that reads all lines and drops what it read."""

    def call() -> None:
        for line in lines:
            read(line)

    return call, len(lines)


def cases(lines: Sequence[bytes], path: Path) -> dict[str, Case]:
    """Every way of reading, over the same lines."""
    spaced = [json.dumps(json.loads(line), ensure_ascii=False).encode() for line in lines]
    decoded = [wire.decode_object(line, OPAQUE_FIELDS) for line in lines]

    def build() -> None:
        for node in decoded:
            ThreadCommit.from_wire(node)

    found: dict[str, Case] = {
        "json": each(lines, json.loads),
        "json pairs": each(lines, lambda line: json.loads(line, object_pairs_hook=pairs)),
        "msgspec": each(lines, msgspec.json.decode),
        "wire": each(lines, lambda line: wire.decode_object(line, OPAQUE_FIELDS)),
        "building": (build, len(lines)),
        "commit": each(lines, ThreadCommit.from_json),
        "commit by json": each(lines, commit_by_json),
        "spaced": each(spaced, ThreadCommit.from_json),
        "load": (lambda: load_history(path), len(lines)),
    }
    if find_spec("orjson"):
        found["orjson"] = each(lines, importlib.import_module("orjson").loads)
    return found


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parsing", description=__doc__)
    parser.add_argument("--transitions", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=9, help="how often each case takes its turn")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.ndjson"
        lines = [gen.dumps(commit) for commit in gen.history(options.transitions, CELLS)]
        path.write_bytes(b"\n".join(lines) + b"\n")
        taken = in_turns(cases(lines, path), options.rounds)
    compact = sum(msgspec.json.encode(msgspec.json.decode(line)) == line for line in lines)
    print(versions(*(name for name in ("msgspec", "orjson") if find_spec(name))))
    print(f"{compact / len(lines):.1%} of the lines are their own compact encoding")
    print(table(["1 = json.loads", ""], [[LABELS[n], ratio(taken[n] / taken["json"])] for n in LABELS if n in taken]))


if __name__ == "__main__":
    main()
