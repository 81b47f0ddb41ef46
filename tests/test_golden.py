"""The golden vectors: what the reference implementation accepts, and what it makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from statekit import wire
from statekit.command import Command
from statekit.commit import ThreadCommit
from statekit.errors import MergeConflict, StatekitError, ValidationError
from statekit.merge import validate_batch
from statekit.store import Store

GOLDEN = Path(__file__).parent / "data" / "golden"

Vector = dict[str, Any]
Outcome = tuple[str, Any]

ERROR: Outcome = ("err", None)


def vectors(name: str) -> list[Vector]:
    lines = (GOLDEN / f"{name}.ndjson").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def strict(value: Any) -> Any:
    """A value that equals another one only when both are the same JSON: 1 is not 1.0 is not true."""
    if isinstance(value, dict):
        return {name: strict(item) for name, item in value.items()}
    if isinstance(value, list):
        return [strict(item) for item in value]
    return type(value).__name__, value


def value_text(text: str | bytes) -> str:
    return wire.encode(wire.decode(text)).decode()


def command_text(text: str | bytes) -> str:
    return Command.from_json(text).to_json()


def commit_text(text: str | bytes) -> str:
    commit = ThreadCommit.from_json(text)
    commit.validate()
    return commit.to_json()


CANONICAL: dict[str, Callable[[str | bytes], str]] = {
    "values": value_text,
    "commands": command_text,
    "thread_commits": commit_text,
}
TEXT_VECTORS = [(name, vector) for name in CANONICAL for vector in vectors(name)]


def outcome(name: str, vector: Vector) -> Outcome:
    try:
        return "ok", strict(json.loads(CANONICAL[name](vector["text"])))
    except StatekitError:
        return ERROR


def expected(vector: Vector) -> Outcome:
    return ("ok", strict(json.loads(vector["ok"]))) if "ok" in vector else ERROR


# The deliberate differences, as rules that a vector's own text decides.


def is_struct_as_array(name: str, vector: Vector) -> bool:
    return name in ("commands", "thread_commits") and "ok" in vector and isinstance(json.loads(vector["text"]), list)


def is_integer_beyond_64_bits(name: str, vector: Vector) -> bool:
    is_integer = name == "values" and re.fullmatch(r"-?(0|[1-9]\d*)", vector["text"]) is not None
    return is_integer and not -(2**63) <= int(vector["text"]) <= 2**64 - 1


def is_negative_zero(name: str, vector: Vector) -> bool:
    return name == "values" and vector["text"] == "-0"


DIFFERENCES = (is_struct_as_array, is_integer_beyond_64_bits, is_negative_zero)


def differing(rule: Callable[[str, Vector], bool]) -> list[tuple[str, Vector]]:
    found = [(name, vector) for name, vector in TEXT_VECTORS if rule(name, vector)]
    assert found, f"no vector is about {rule.__name__}"
    return found


def is_excluded(name: str, vector: Vector) -> bool:
    return any(rule(name, vector) for rule in DIFFERENCES)


AGREEING = [(name, vector) for name, vector in TEXT_VECTORS if not is_excluded(name, vector)]


@pytest.mark.parametrize(("name", "vector"), AGREEING, ids=[f"{name}-{v['text'][:40]!a}" for name, v in AGREEING])
def test_a_text_means_what_the_reference_says(name: str, vector: Vector) -> None:
    assert outcome(name, vector) == expected(vector)


@pytest.mark.parametrize("name", CANONICAL)
def test_a_text_means_the_same_as_bytes_and_with_spaces_around(name: str) -> None:
    texts = [vector["text"] for kind, vector in AGREEING if kind == name and "ok" in vector]
    assert texts
    for text in texts:
        spaced = "\t " + text + "\r\n"
        assert strict(json.loads(CANONICAL[name](spaced))) == strict(json.loads(CANONICAL[name](text)))
        assert strict(json.loads(CANONICAL[name](text.encode()))) == strict(json.loads(CANONICAL[name](text)))


@pytest.mark.parametrize("name", CANONICAL)
def test_a_canonical_text_is_its_own_canonical_text(name: str) -> None:
    canonical = [vector["ok"] for kind, vector in AGREEING if kind == name and "ok" in vector]
    assert canonical
    for text in canonical:
        assert strict(json.loads(CANONICAL[name](text))) == strict(json.loads(text))


def test_batches_conflict_where_the_reference_says() -> None:
    wrong = []
    for index, vector in enumerate(vectors("batches")):
        commands = [Command.from_json(json.dumps(command)) for command in vector["commands"]]
        try:
            validate_batch(commands)
            conflict = None
        except MergeConflict as error:
            conflict = {"scope": error.scope.value, "key": error.key}
        if conflict != vector["conflict"]:
            wrong.append((index, conflict, vector["conflict"]))
    assert wrong == []


def test_the_conflicts_of_the_batch_vectors_name_two_exclusive_sets_of_their_cell() -> None:
    conflicting = [vector for vector in vectors("batches") if vector["conflict"] is not None]
    assert conflicting
    for vector in conflicting:
        with pytest.raises(MergeConflict) as caught:
            validate_batch([Command.from_json(json.dumps(command)) for command in vector["commands"]])
        assert caught.value.first < caught.value.second
        for index in (caught.value.first, caught.value.second):
            command = vector["commands"][index]
            assert (command["scope"], command["key"]) == (vector["conflict"]["scope"], vector["conflict"]["key"])
            assert command["merge"] == "Exclusive"
            assert "Set" in command["action"]


def test_replays_give_the_entries_that_the_reference_gives() -> None:
    wrong = []
    for index, vector in enumerate(vectors("replays")):
        store = Store.rebuild(Command.from_json(json.dumps(command)) for command in vector["commands"])
        entries = [[scope.value, key, value] for (scope, key), value in store.items()]
        if strict(entries) != strict(vector["entries"]):
            wrong.append((index, entries, vector["entries"]))
    assert wrong == []


def test_difference_a_struct_written_as_an_array_is_an_error() -> None:
    for name, vector in differing(is_struct_as_array):
        with pytest.raises(ValidationError, match="expected an object, got an array"):
            CANONICAL[name](vector["text"])


def test_difference_an_integer_beyond_64_bits_stays_exact() -> None:
    for _, vector in differing(is_integer_beyond_64_bits):
        value = wire.decode(vector["text"])
        assert type(value) is int
        assert str(value) == vector["text"]
        assert value_text(vector["text"]) == vector["text"]


def test_difference_minus_zero_may_read_as_zero() -> None:
    for _, vector in differing(is_negative_zero):
        value = wire.decode(vector["text"])
        assert type(value) in (int, float)
        assert value == 0


def test_difference_nesting_deeper_than_127_is_refused_as_there() -> None:
    # Here the README records an agreement, so nothing is excluded: the vectors themselves must hold both sides.
    brackets = re.compile(r'"[^"]*"|[^\[\]{}]')
    deep: dict[int, set[str]] = {}
    for name, vector in TEXT_VECTORS:
        depth = len(brackets.sub("", vector["text"])) // 2
        if name == "values" and depth > 100:
            deep.setdefault(depth, set()).add(outcome(name, vector)[0])
            assert not is_excluded(name, vector)
    assert deep[127] == {"ok"}
    assert deep[128] == {"err"}
    assert {depth for depth, outcomes in deep.items() if "ok" in outcomes} == {d for d in deep if d <= 127}


def test_the_exclusion_is_not_wider_than_it_needs_to_be() -> None:
    excluded = [(name, vector) for name, vector in TEXT_VECTORS if is_excluded(name, vector)]
    needless = [
        vector["text"]
        for name, vector in excluded
        # What may differ is let off whether it does or not; the others must differ.
        if not is_negative_zero(name, vector) and outcome(name, vector) == expected(vector)
    ]
    assert needless == []
    for name, vector in excluded:
        assert sum(rule(name, vector) for rule in DIFFERENCES) == 1
    assert len(AGREEING) + len(excluded) == len(TEXT_VECTORS)


def test_the_comparison_of_these_tests_is_strict() -> None:
    assert strict(1) != strict(1.0)
    assert strict(1) != strict(True)
    assert strict([0]) != strict([False])
    assert strict({"a": [1.0]}) != strict({"a": [1]})
    assert strict(None) != strict(False)
    assert strict({"a": 1, "b": [None]}) == strict({"b": [None], "a": 1})
