"""Nesting to 127 levels, and no crash from hostile text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from statekit import wire
from statekit.command import Command
from statekit.commit import ThreadCommit
from statekit.errors import WireError
from tests.wire.sample import COMMAND


def arrays(depth: int) -> str:
    return "[" * depth + "]" * depth


def objects(depth: int) -> str:
    return '{"a":' * (depth - 1) + "{}" + "}" * (depth - 1)


def alternating(first: str) -> Callable[[int], str]:
    def text(depth: int) -> str:
        opened = [first if level % 2 == 0 else "{["[first == "{"] for level in range(depth)]
        inner = "".join('{"a":' if bracket == "{" else "[" for bracket in opened)
        return inner + "1" + "".join("}" if bracket == "{" else "]" for bracket in reversed(opened))

    return text


def beside_siblings(depth: int) -> str:
    return "[[],{}," + arrays(depth - 1) + ',{"a":[]}]'


NESTINGS: dict[str, Callable[[int], str]] = {
    "arrays": arrays,
    "objects": objects,
    "arrays first": alternating("["),
    "objects first": alternating("{"),
    "siblings": beside_siblings,
    "objects in the middle": lambda depth: "[" * 60 + objects(depth - 60) + "]" * 60,
}


@pytest.mark.parametrize("nest", NESTINGS.values(), ids=NESTINGS)
def test_nesting_is_read_to_127_levels_and_refused_beyond(nest: Callable[[int], str]) -> None:
    for codec in (wire.decode, lambda text: wire.decode_object(text, frozenset())):
        for text in (nest(127), f"\n{nest(127)} "):
            assert json.loads(text) == codec(text)
        for depth in (128, 129, 190, 253, 254, 255, 256, 400, 1000, 5000):
            with pytest.raises(WireError, match="127"):
                codec(nest(depth))
    with pytest.raises(WireError):
        wire.decode(nest(127)[:-1])


@pytest.mark.parametrize("nest", NESTINGS.values(), ids=NESTINGS)
def test_nesting_is_written_to_127_levels_and_refused_beyond(nest: Callable[[int], str]) -> None:
    assert wire.decode(wire.encode(json.loads(nest(127)))) == json.loads(nest(127))
    for depth in (128, 129, 254):
        with pytest.raises(WireError, match="127"):
            wire.encode(json.loads(nest(depth)))


@pytest.mark.parametrize("nest", NESTINGS.values(), ids=NESTINGS)
def test_a_command_counts_its_own_levels(nest: Callable[[int], str]) -> None:
    def command(depth: int) -> str:
        return COMMAND.replace('"Set":1', f'"Set":{nest(depth)}')

    assert json.loads(Command.from_json(command(125)).to_json()) == json.loads(command(125))
    for depth in (126, 127, 250, 5000):
        with pytest.raises(WireError):
            Command.from_json(command(depth))


@pytest.mark.parametrize(
    "text",
    [
        '"' + "[" * 1000 + '"',
        '"' + "{[" * 1000 + '"',
        '["\\"' + "[" * 1000 + '"]',
        '["\\\\",' + "[" * 126 + "]" * 126 + ',"\\\\"]',
        '{"' + "[{" * 1000 + '": ["' + "]}" * 1000 + '"]}',
        '["' + '\\"[' * 1000 + '", "]"]',
        '["\\\\\\"' + "[" * 500 + '"]',
        '["é[' + "[" * 500 + '\\u005b"]',
    ],
    ids=range(8),
)
def test_brackets_inside_strings_do_not_count(text: str) -> None:
    assert wire.decode(text) == json.loads(text)


def test_a_string_that_ends_in_a_backslash_does_not_hide_the_nesting_behind_it() -> None:
    with pytest.raises(WireError, match="127"):
        wire.decode('["\\\\",' + "[" * 127 + "]" * 127 + "]")


def test_many_containers_side_by_side_are_not_deep() -> None:
    text = "[" + ",".join(['{"a":[]}'] * 100_000) + "]"
    assert len(wire.decode(text)) == 100_000


HOSTILE: dict[str, str | bytes] = {
    "unclosed arrays": "[" * 100_000,
    "unclosed objects": '{"a":' * 100_000,
    "unclosed mixed": '[{"a":' * 100_000,
    "closed only": "]" * 100_000,
    "brackets that do not pair": "[}" * 100_000,
    "brackets that cross": "[{" * 200 + "]}" * 200,
    "deep then broken": "[" * 100_000 + "x",
    "deep and closed": "[" * 100_000 + "]" * 100_000,
    "deep in the middle": "[1," + "[" * 1000 + "]" * 1000 + "]x",
    "an unterminated string": '"' + "a" * 1_000_000,
    "an unterminated string of brackets": '"' + "[" * 1_000_000,
    "an unterminated string behind brackets": "[" * 200 + '"' + "a" * 1_000_000,
    "escapes that never end": "[" * 200 + '"' + "\\" * 999_999,
    "escaped quotes that never end": "[" * 200 + '"' + '\\"' * 500_000,
    "a quote at the end": "[" * 200 + '"' * 999_999,
    "strings that never start": '"' * 1_000_000,
    "quotes and brackets": '["' * 300_000,
    "half an escape at the end": "[" * 200 + '"\\',
    "unterminated keys": '{"' * 300_000,
    "a long number": "1" * 1_000_000,
    "a long fraction": "1." + "1" * 1_000_000 + "e999",
    "a long exponent": "1e" + "9" * 1_000_000,
    "minus signs": "-" * 1_000_000,
    "commas": "[" + "," * 1_000_000,
    "spaces": " " * 1_000_000,
    "invalid bytes": b"[" * 200 + b"\xff" * 1_000_000,
    "nul bytes": b"\x00" * 100_000,
    "utf-16": '{"a":1}'.encode("utf-16-le") * 1000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_refused_and_never_crashes(text: str | bytes) -> None:
    for read in (
        wire.decode,
        lambda data: wire.decode_object(data, frozenset()),
        Command.from_json,
        ThreadCommit.from_json,
    ):
        with pytest.raises(WireError):
            read(text)


BIG: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "one long string of escapes": (
        '["' + "\\n" * 500_000 + '",' + "[]," * 200 + "1]",
        lambda value: value[0] == "\n" * 500_000,
    ),
    "many short strings": ("[" + '"[",' * 300_000 + "[]]", lambda value: len(value) == 300_001),
    "one field repeated": ('{"a":{},' + '"a":[],' * 200_000 + '"a":1}', lambda value: value == {"a": 1}),
    "many fields": (
        "{" + ",".join(f'"{n}":[]' for n in range(100_000)) + "}",
        lambda value: len(value) == 100_000,
    ),
    "spaces between": ("[" + " " * 1_000_000 + "]", lambda value: value == []),
    "a long text": ('"' + "é" * 1_000_000 + '"', lambda value: len(value) == 1_000_000),
    "quotes escaped among brackets": ('["' + '[\\"]' * 250_000 + '"]', lambda value: len(value[0]) == 750_000),
}


@pytest.mark.parametrize(("text", "holds"), BIG.values(), ids=BIG)
def test_big_text_is_read_whole(text: str, holds: Callable[[Any], bool]) -> None:
    assert holds(wire.decode(text))
    assert holds(wire.decode_object(text, frozenset()))


def test_a_command_with_a_million_repeated_unknown_fields_is_read() -> None:
    assert Command.from_json(COMMAND.replace("{", "{" + '"x":1,' * 300_000, 1)) == Command.from_json(COMMAND)
