"""Laws of the codec: what is written reads back, and any bytes are a value or an error."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from statekit import wire
from statekit.command import Command
from statekit.commit import ThreadCommit
from statekit.errors import WireError
from statekit.value import copy_value, same
from strategies import json_values, texts
from tests.wire.sample import COMMAND, EVENT, TICKET, all_parts, with_ticket


@given(json_values)
@example([2**64, -(2**63) - 1, 10**400])
@example({"a": -0.0, "b": 5e-324, "c": 1.7976931348623157e308})
def test_what_is_written_reads_back_the_same(value: Any) -> None:
    data = wire.encode(value)
    assert same(wire.decode(data), value)
    assert same(wire.decode(data.decode()), value)
    assert same(wire.decode_object(data, frozenset()), value)
    assert same(json.loads(data), value)


@given(json_values)
def test_any_spelling_reads_the_same(value: Any) -> None:
    for text in (
        json.dumps(value),
        json.dumps(value, ensure_ascii=False),
        json.dumps(value, indent=1),
        json.dumps(value, separators=(",", ":"), sort_keys=True),
    ):
        assert same(wire.decode(text), value)
        assert same(copy_value(wire.decode_object(text, frozenset())), value)


@given(json_values)
def test_what_is_written_is_compact_and_takes_one_line(value: Any) -> None:
    data = wire.encode(value)
    assert b"\n" not in data
    assert len(data) <= len(json.dumps(value, separators=(",", ":"), ensure_ascii=True))


def by_stdlib(data: bytes) -> Any:
    """What the standard library reads, made strict where it is lax; raises ValueError."""

    def refuse(name: str) -> Any:
        raise ValueError(name)

    def number(text: str) -> float:
        if math.isinf(float(text)):
            raise ValueError(text)
        return float(text)

    text = data.decode("utf-8")
    value = json.loads(text, parse_constant=refuse, parse_float=number)
    # Lone surrogates pass there, as escapes.
    json.dumps(value, ensure_ascii=False).encode()
    return value


def agrees_with_stdlib(data: bytes) -> None:
    try:
        expected = by_stdlib(data)
    except ValueError:
        with pytest.raises(WireError):
            wire.decode(data)
    else:
        assert same(without_zero_sign(wire.decode(data)), without_zero_sign(expected))


def without_zero_sign(value: Any) -> Any:
    # The one number that may read either way: `-0` is 0 or -0.0.
    if isinstance(value, dict):
        return {name: without_zero_sign(item) for name, item in value.items()}
    if isinstance(value, list):
        return [without_zero_sign(item) for item in value]
    return "zero" if type(value) in (int, float) and value == 0 else value


@given(st.binary(max_size=60))
def test_any_bytes_are_a_value_or_an_error(data: bytes) -> None:
    agrees_with_stdlib(data)


@given(texts | st.text(alphabet='[]{}",:\\u0123eE+-.ntf \n', max_size=40))
@example('"\\u00e9\\ud83d\\ude00"')
@example("1E+2")
def test_any_text_is_a_value_or_an_error(text: str) -> None:
    agrees_with_stdlib(text.encode())


@given(json_values, st.data())
def test_damaged_json_is_a_value_or_an_error(value: Any, data: st.DataObject) -> None:
    text = bytearray(json.dumps(value, ensure_ascii=data.draw(st.booleans())).encode())
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 3)))
    text[start:end] = data.draw(
        st.binary(max_size=2) | st.sampled_from([b"", b'"', b"\\", b",", b"]", b"}", b"0", b" "])
    )
    agrees_with_stdlib(bytes(text))


@given(st.data())
def test_a_damaged_commit_is_a_commit_or_an_error(data: st.DataObject) -> None:
    text = (
        with_ticket(TICKET).replace('"state":[]', f'"state":[{COMMAND}]').replace('"events":[]', f'"events":[{EVENT}]')
    )
    parts = all_parts(whole := json.loads(text))
    holder = data.draw(st.sampled_from([part for part in parts if isinstance(part, (dict, list)) and part]))
    spot = data.draw(st.sampled_from(list(holder if isinstance(holder, dict) else range(len(holder)))))
    holder[spot] = data.draw(json_values)
    damaged = json.dumps(whole)
    try:
        parsed = ThreadCommit.from_json(damaged)
    except WireError:
        return
    assert ThreadCommit.from_json(parsed.to_json()) == parsed


@given(json_values)
def test_any_value_is_a_command_or_an_error(value: Any) -> None:
    for text in (
        json.dumps(value),
        COMMAND.replace('{"Set":1}', json.dumps(value)),
        f'{{"Ended":{json.dumps(value)}}}',
    ):
        try:
            parsed = Command.from_json(text)
        except WireError:
            continue
        assert Command.from_json(parsed.to_json()) == parsed


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "a boolean"),
        (1, "an integer"),
        (1.0, "a number"),
        ("", "text"),
        ([], "an array"),
        ({}, "an object"),
    ],
)
def test_an_error_says_what_it_got_in_words_of_json(value: Any, words: str) -> None:
    if not isinstance(value, dict):
        with pytest.raises(WireError, match=f"expected an object, got {words}"):
            wire.fields(value, frozenset(), "$")
    assert wire.kind_of(value) == words
