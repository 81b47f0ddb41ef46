"""The one JSON codec: refused texts with their byte, and exact numbers."""

from __future__ import annotations

from typing import Any

import pytest

from statekit import wire
from statekit.command import Command, Set
from statekit.errors import WireError
from statekit.value import same

# Where the text stops being JSON, in bytes.
SYNTAX_ERRORS: list[tuple[str | bytes, int]] = [
    ("[1,]", 3),
    ('{"a":1,}', 7),
    ("[1 2]", 3),
    ('{"a" 1}', 5),
    ("[1]x", 3),
    ("[1]]", 3),
    ("{a:1}", 1),
    ("{1:2}", 1),
    ("'a'", 0),
    ("NaN", 0),
    ("[Infinity]", 1),
    ("-Infinity", 1),
    ("True", 0),
    ("[1}", 2),
    ("[1]  x", 5),
    ('{"a":1 "b":2}', 7),
    ("01", 1),
    ("+1", 0),
    (".5", 0),
    ("// c\n1", 0),
    ("\ufeff1", 0),
    (b"\xef\xbb\xbf1", 0),
    ('"a\nb"', 2),
    ('"a\x00b"', 2),
    ("\x00", 0),
    ('["é",]', 6),
    ('["日本" 1]', 10),
    (b"[\xff]", 1),
    ("\u00a01", 0),
]


@pytest.mark.parametrize(("text", "offset"), SYNTAX_ERRORS, ids=[ascii(text) for text, _ in SYNTAX_ERRORS])
def test_a_syntax_error_tells_its_byte(text: str | bytes, offset: int) -> None:
    with pytest.raises(WireError) as caught:
        wire.decode(text)
    assert caught.value.offset == offset
    assert f"at byte {offset}" in str(caught.value)


@pytest.mark.parametrize("text", ["[nan]", "[nul]", "[trUe]", "[falze]"])
def test_a_misspelled_literal_is_told_by_a_byte_of_it(text: str) -> None:
    with pytest.raises(WireError) as caught:
        wire.decode(text)
    assert caught.value.offset in range(1, len("false") + 2)


@pytest.mark.parametrize(
    "text", ["", " ", "[", "[1", '{"a"', '{"a":', '{"a":1', '"abc', '["é', "tru", '{"a":1,', "[[]"]
)
def test_a_text_that_stops_too_early_tells_where_it_stops(text: str) -> None:
    with pytest.raises(WireError) as caught:
        wire.decode(text)
    assert caught.value.offset == len(text.encode())


@pytest.mark.parametrize(
    ("data", "offset"), [(b'"\xff"', 1), (b'["a\xc3"]', 3), (b'{"\xed\xa0\x80": 1}', 2), (b'"\xc0\x80"', 1)]
)
def test_invalid_utf8_is_refused_with_its_byte(data: bytes, offset: int) -> None:
    with pytest.raises(WireError) as caught:
        wire.decode(data)
    assert caught.value.offset == offset


@pytest.mark.parametrize(
    ("text", "offset"), [("\ud800", 0), ('"a\udfff"', 2), ('"é\ud800"', 3), ('"日本\ud800"', 7)], ids=ascii
)
def test_a_lone_surrogate_in_text_is_refused_with_its_byte(text: str, offset: int) -> None:
    with pytest.raises(WireError) as caught:
        wire.decode(text)
    assert caught.value.offset == offset


@pytest.mark.parametrize("text", [None, 5, bytearray(b"{}"), {}], ids=ascii)
def test_what_is_no_text_is_a_mistake_of_the_caller(text: Any) -> None:
    with pytest.raises(TypeError, match=f"^JSON text is str or bytes, not {type(text).__name__}$"):
        Command.from_json(text)


@pytest.mark.parametrize(
    "text",
    [r'"\ud800"', r'"\udc00"', r'"\udc00\ud800"', r'"\ud800x"', r'["\ud800", 1]', r'{"\ud800": 1}', r'"\ud800A"'],
)
def test_an_escaped_lone_surrogate_is_refused(text: str) -> None:
    with pytest.raises(WireError):
        wire.decode(text)


@pytest.mark.parametrize(
    "text",
    ["1e400", "-1e400", "[1e309]", '{"a":{"b":-1e999}}', "1" * 400 + "e1", "1" * 400 + ".0", "NaN", "-NaN", "Infinity"],
)
def test_a_number_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(WireError):
        wire.decode(text)


def test_a_number_too_small_for_a_float_is_zero() -> None:
    assert same(wire.decode("1e-400"), 0.0)


@pytest.mark.parametrize(
    "text",
    [
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775809",
        "1" * 400,
        "-" + "7" * 4000,
    ],
    ids=len,
)
def test_an_integer_of_any_size_is_exact_both_ways(text: str) -> None:
    for spelled, inside in [(text, text), (f"[{text}]", f"[{text}]"), (f'{{ "a" : {text} }}', f'{{"a":{text}}}')]:
        assert wire.encode(wire.decode(spelled)).decode() == inside
    value = wire.decode(text)
    assert type(value) is int
    assert str(value) == text


@pytest.mark.parametrize("separator", ["", " "], ids=["compact", "spaced"])
def test_a_big_integer_inside_a_command_is_exact(separator: str) -> None:
    text = f'{{"key":"k",{separator}"scope":"Thread","merge":"Disjoint","action":{{"Set":[18446744073709551616]}}}}'
    command = Command.from_json(text)
    assert command.action == Set.adopt([18446744073709551616])
    assert command.to_json() == text.replace(" ", "")


@pytest.mark.parametrize("separator", ["", " "], ids=["compact", "spaced"])
def test_an_integer_too_long_to_convert_is_an_error_of_ours(separator: str) -> None:
    # The interpreter refuses to convert more than 4,300 digits, which must not escape as its own ValueError.
    for text in ("1" * 5000, f'{{"a":{separator}{"1" * 5000}}}'):
        with pytest.raises(WireError):
            wire.decode(text)
        with pytest.raises(WireError):
            wire.decode_object(text, frozenset())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("1.0", 1.0),
        ("1e2", 100.0),
        ("true", True),
        ('"1"', "1"),
        ("-0.0", -0.0),
        ("[0, 0.0, false]", [0, 0.0, False]),
        ('{"a": 1, "b": 1.0}', {"a": 1, "b": 1.0}),
        ('"\\u0000\\ud83d\\ude00"', "\x00\U0001f600"),
    ],
)
def test_numbers_keep_their_kind(text: str, value: Any) -> None:
    for codec in (wire.decode, lambda given_text: wire.decode_object(given_text, frozenset())):
        for data in (text, text.encode(), f" {text} "):
            assert same(codec(data), value)
