"""Repeated fields: refused in a wire object, and the last one wins inside a value."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from statekit import wire
from statekit.command import Command, Set
from statekit.commit import ThreadCommit
from statekit.errors import WireError
from statekit.value import same
from tests.wire.sample import AWAITING, COMMAND, EVENT, TICKET, TICKET_IDS, all_parts, commit, with_ticket

OLDER = (
    f'{{{TICKET_IDS},"deadline_ms":null,"initiator":1,"reason":"ToolPermission","call_id":"c",'
    '"pending_tool":{"tool_id":"x","arguments":1}}'
)
STOPPED = '{"run_id":"r","phase":{"Ended":{"Stopped":"why"}}}'
INFERENCE = '{"run_id":"r","phase":{"Ended":{"Error":{"Inference":{"code":"x","message":"y"}}}}}'


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
