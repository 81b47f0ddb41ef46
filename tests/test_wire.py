"""The one JSON codec: exact numbers, refused texts with their byte, repeated fields, depth, and no crash from input."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from statekit import wire
from statekit.command import Command, Set
from statekit.commit import ThreadCommit
from statekit.errors import WireError
from statekit.value import copy_value, same
from strategies import json_values, texts

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


# Repeated fields


def commit(**replaced: str) -> str:
    parts = {
        "thread_id": '"t"',
        "run_fact": '{"run_id":"r","phase":"Running"}',
        "messages": "[]",
        "state": "[]",
        "events": "[]",
        "resume_ticket": "null",
        **replaced,
    }
    return "{" + ",".join(f'"{name}":{value}' for name, value in parts.items()) + "}"


COMMAND = '{"key":"k","scope":"Run","merge":"Disjoint","run_id":"r","action":{"Set":1}}'
EVENT = '{"kind":"k","payload":1}'
TICKET_IDS = '"correlation_id":"c","run_id":"r","thread_id":"t","snapshot_id":"s","catalog_fingerprint":"f"'
TOOL_CALL = '{"ToolCall":{"reason":"Permission","call_id":"c","tool":{"tool_id":"x","arguments":[]}}}'
TICKET = f'{{{TICKET_IDS},"target":{TOOL_CALL},"deadline_ms":null,"data_subject_id":"d","delegation_origin":1}}'
OLDER = (
    f'{{{TICKET_IDS},"deadline_ms":null,"initiator":1,"reason":"ToolPermission","call_id":"c",'
    '"pending_tool":{"tool_id":"x","arguments":1}}'
)
STOPPED = '{"run_id":"r","phase":{"Ended":{"Stopped":"why"}}}'
INFERENCE = '{"run_id":"r","phase":{"Ended":{"Error":{"Inference":{"code":"x","message":"y"}}}}}'
AWAITING = '{"run_id":"r","phase":"Awaiting"}'


def with_ticket(ticket: str) -> str:
    return commit(run_fact=AWAITING, resume_ticket=ticket)


# Each level: a text that is accepted, and the spelling of the field in it that is then given twice.
LEVELS: list[tuple[str, str, str]] = [
    *[("commit", commit(), name) for name in ("thread_id", "run_fact", "messages", "state", "events", "resume_ticket")],
    *[("run_fact", commit(), name) for name in ("run_id", "phase")],
    ("phase", commit(run_fact=STOPPED), "Ended"),
    ("cause", commit(run_fact=STOPPED), "Stopped"),
    ("error", commit(run_fact=INFERENCE), "Error"),
    *[("inference", commit(run_fact=INFERENCE), name) for name in ("Inference", "code", "message")],
    *[("command", commit(state=f"[{COMMAND}]"), name) for name in ("key", "scope", "merge", "action")],
    ("action", commit(state=f"[{COMMAND}]"), "Set"),
    *[("event", commit(events=f"[{EVENT}]"), name) for name in ("kind", "payload")],
    *[
        ("ticket", with_ticket(TICKET), name)
        for name in ("correlation_id", "snapshot_id", "catalog_fingerprint", "target", "deadline_ms")
    ],
    *[("ticket", with_ticket(TICKET), name) for name in ("data_subject_id", "delegation_origin")],
    *[("target", with_ticket(TICKET), name) for name in ("ToolCall", "reason", "call_id", "tool")],
    *[("tool", with_ticket(TICKET), name) for name in ("tool_id", "arguments")],
    *[("older ticket", with_ticket(OLDER), name) for name in ("initiator", "reason", "call_id", "pending_tool")],
    *[("older tool", with_ticket(OLDER), name) for name in ("tool_id", "arguments")],
]


def member_of(text: str, name: str) -> str:
    """The text `"name":value` of the first field of that name."""
    start = text.index(f'"{name}":')
    value_start = start + len(name) + 3
    _, length = json.JSONDecoder().raw_decode(text[value_start:])
    return text[start : value_start + length]


def escaped(name: str) -> str:
    return f"{name[:-1]}\\u{ord(name[-1]):04x}"


@pytest.mark.parametrize(("level", "text", "name"), LEVELS, ids=[f"{level}.{name}" for level, _, name in LEVELS])
def test_a_repeated_field_of_a_wire_object_is_refused(level: str, text: str, name: str) -> None:
    ThreadCommit.from_json(text)
    field = member_of(text, name)
    value = field[len(name) + 3 :]
    for again in (
        f"{field},{field}",
        f"{field}, {field}",
        f'{field},"{escaped(name)}":{value}',
        f'"{escaped(name)}":{value},{field}',
    ):
        with pytest.raises(WireError):
            ThreadCommit.from_json(text.replace(field, again, 1))


@pytest.mark.parametrize("name", ["key", "scope", "merge", "run_id", "action", "Set"])
@pytest.mark.parametrize("codec", [str, str.encode], ids=["str", "bytes"])
def test_a_repeated_field_of_a_command_alone_is_refused(name: str, codec: Callable[[str], str | bytes]) -> None:
    Command.from_json(codec(COMMAND))
    field = member_of(COMMAND, name)
    value = field[len(name) + 3 :]
    for again in (f"{field},{field}", f'{field},\n"{escaped(name)}":{value}'):
        with pytest.raises(WireError):
            Command.from_json(codec(COMMAND.replace(field, again, 1)))


def test_a_repeated_field_is_named_with_its_place() -> None:
    with pytest.raises(WireError) as caught:
        ThreadCommit.from_json(
            commit(state=f"[{COMMAND},{COMMAND.replace('{', chr(123) + chr(34) + 'key' + chr(34) + ':1,', 1)}]")
        )
    assert caught.value.path == "$.state[1]"
    assert "'key'" in str(caught.value)


def test_the_text_of_a_string_repeats_nothing() -> None:
    inside = COMMAND.replace('{"Set":1}', '{"Set":"\\"key\\":1,\\"key\\":2"}')
    assert Command.from_json(inside).action == Set('"key":1,"key":2')


@pytest.mark.parametrize(
    "text",
    [
        COMMAND.replace("{", '{"future":1,"future":2,', 1),
        COMMAND.replace("{", '{"future":1, "f\\u0075ture":1,', 1),
        COMMAND.replace("{", '{"future":{"key":1,"key":1},', 1),
        COMMAND.replace("{", '{"future":[[{"a":1,"a":1}]],', 1),
    ],
)
def test_a_repeated_unknown_field_of_a_command_is_ignored(text: str) -> None:
    assert Command.from_json(text) == Command.from_json(COMMAND)
    assert ThreadCommit.from_json(commit(state=f"[{text}]")) == ThreadCommit.from_json(commit(state=f"[{COMMAND}]"))


@pytest.mark.parametrize("unknown", ['"outbox":[],"outbox":[]', '"outbox":{"key":1,"key":1}', '"a":1,"\\u0061":2'])
def test_a_repeated_unknown_field_of_a_commit_its_fact_or_ticket_is_ignored(unknown: str) -> None:
    for text in (commit(), with_ticket(TICKET), with_ticket(OLDER)):
        assert ThreadCommit.from_json("{" + unknown + "," + text[1:]) == ThreadCommit.from_json(text)
    fact = AWAITING.replace("{", "{" + unknown + ",", 1)
    ticket = TICKET.replace("{", "{" + unknown + ",", 1)
    expected = ThreadCommit.from_json(with_ticket(TICKET))
    assert ThreadCommit.from_json(commit(run_fact=fact, resume_ticket=ticket)) == expected


REPEATED_INSIDE: list[tuple[str, Any]] = [
    ('{"a":1,"a":2}', {"a": 2}),
    ('{"a":1,"a":1}', {"a": 1}),
    ('{"a":1,"\\u0061":2}', {"a": 2}),
    ('{"a":2,"b":0,"a":{"c":1,"c":[]}}', {"a": {"c": []}, "b": 0}),
    ('[[{"a":[{"b":1,"b":2}],"a":[{"b":3,"b":4}]}]]', [[{"a": [{"b": 4}]}]]),
    ('{"key":1,"key":2,"Set":3,"Set":4,"scope":5,"scope":6}', {"key": 2, "Set": 4, "scope": 6}),
    ('{"":1,"":2}', {"": 2}),
    ('{"é":1,"\\u00e9":2}', {"é": 2}),
]


def spaced(text: str) -> str:
    return text.replace(":", " : ").replace(",", " ,\n")


@pytest.mark.parametrize("layout", [str, spaced], ids=["compact", "spaced"])
@pytest.mark.parametrize(("text", "value"), REPEATED_INSIDE)
def test_inside_a_value_the_last_of_repeated_fields_wins(text: str, value: Any, layout: Callable[[str], str]) -> None:
    text = layout(text)
    assert same(wire.decode(text), value)
    command = Command.from_json(COMMAND.replace('"Set":1', f'"Set":{text}'))
    assert isinstance(command.action, Set)
    assert same(command.action.value, value)

    carried = ThreadCommit.from_json(
        commit(
            run_fact=AWAITING,
            messages=f"[{text},[{text}]]",
            events=f'[{{"kind":"k","payload":{text}}}]',
            resume_ticket=TICKET.replace('"arguments":[]', f'"arguments":{text}').replace(
                '"delegation_origin":1', f'"delegation_origin":{text}'
            ),
        )
    )
    again = json.loads(carried.to_json())
    assert same(carried.messages, [value, [value]])
    assert same(carried.events, [{"kind": "k", "payload": value}])
    assert same(again["resume_ticket"]["target"]["ToolCall"]["tool"]["arguments"], value)
    assert same(again["resume_ticket"]["delegation_origin"], value)


def all_parts(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [value, *(part for item in inner for part in all_parts(item))]


@pytest.mark.parametrize(
    "event",
    [
        '{"kind":"k","payload":1,"note":{"a":1,"a":[2]}}',
        '{"kind":{"a":1,"a":[2]},"payload":1}',
        '{"kind":"k","payload":1,"note":1,"note":[2]}',
        '{"kind":"k","payload":1,"note":[{"a":{"b":1,"b":[2]}}]}',
        '{"kind":"k","payload":{"a":1,"a":[2]}}',
    ],
)
def test_what_an_event_carries_is_made_of_exact_types_and_copied_out(event: str) -> None:
    parsed = ThreadCommit.from_json(commit(events=f"[{event}]"))
    assert {type(part) for part in all_parts(parsed.events)} <= {dict, list, str, int}
    assert same(parsed.events, [json.loads(event)])
    before = parsed.to_json()
    for part in all_parts(parsed.events):
        if isinstance(part, list):
            part.append("mutated")
        elif isinstance(part, dict):
            part["mutated"] = True
    assert parsed.to_json() == before


def test_objects_with_repeated_fields_tell_which() -> None:
    node = wire.decode_object('{"a":1,"a":2,"b":{"c":1,"c":1},"d":0}', frozenset())
    with pytest.raises(WireError, match="'a' is given twice"):
        wire.fields(node, frozenset({"a"}), "$")
    assert wire.fields(node, frozenset({"b", "d"}), "$")["a"] == 2
    with pytest.raises(WireError, match=r"\$\.b: .*'c' is given twice"):
        wire.fields(node["b"], frozenset({"c"}), "$.b")


def test_below_an_opaque_field_repeated_fields_are_plain_values() -> None:
    node = wire.decode_object('{"a":{"b":1,"b":2},"c":[{"a":[{"d":1,"d":2}]}]}', frozenset({"a"}))
    assert type(node["a"]) is dict
    assert same(node, {"a": {"b": 2}, "c": [{"a": [{"d": 2}]}]})


# Depth


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


# Laws


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
