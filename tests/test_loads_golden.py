"""Typed loads against the vectors of the reference implementation, and where Python deliberately differs."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from statekit import wire
from statekit.command import Set
from statekit.errors import StateError
from statekit.keys import StateCell
from statekit.value import Json, same
from statekit.vocabulary import MergePolicy, Scope

VECTORS = [
    wire.decode(line)
    for line in (Path(__file__).parent / "data" / "golden" / "loads.ndjson").read_bytes().splitlines()
    if line.strip()
]

U32 = Annotated[int, Field(ge=0, lt=2**32)]
U64 = Annotated[int, Field(ge=0, lt=2**64)]
I64 = Annotated[int, Field(ge=-(2**63), lt=2**63)]


class ReviewState(BaseModel):
    approved: bool


class Account(BaseModel):
    name: str
    age: U32
    balance: I64
    score: float
    tags: list[str]
    note: str | None = None
    limits: dict[str, I64]


class Sealed(BaseModel):
    model_config = ConfigDict(extra="forbid")

    revision: U64


class Stage(Enum):
    DRAFT = "Draft"
    PUBLISHED = "Published"


TYPES: dict[str, Any] = {
    "ReviewState": ReviewState,
    "Account": Account,
    "Sealed": Sealed,
    "Stage": Stage,
    "u64": U64,
    "i64": I64,
    "f64": float,
    "bool": bool,
    "string": str,
    "list[i64]": list[I64],
    "optional[i64]": I64 | None,
    "map[string,i64]": dict[str, I64],
}

STRUCTS = {"ReviewState", "Account", "Sealed"}


def is_struct_as_array(vector: dict[str, Json]) -> bool:
    return vector["type"] in STRUCTS and "ok" in vector and isinstance(wire.decode(vector["text"]), list)


def is_enum_as_map(vector: dict[str, Json]) -> bool:
    return vector["type"] == "Stage" and "ok" in vector and isinstance(wire.decode(vector["text"]), dict)


def is_beyond_64_bits(vector: dict[str, Json]) -> bool:
    value = wire.decode(vector["text"])
    return type(value) is int and not -(2**63) <= value < 2**64


DIFFERENT = [vector for vector in VECTORS if is_struct_as_array(vector) or is_enum_as_map(vector)]
ACCEPTED = [vector for vector in VECTORS if "ok" in vector and vector not in DIFFERENT]
REFUSED = [vector for vector in VECTORS if "err" in vector]


def name(vector: dict[str, Json]) -> str:
    return f"{vector['type']} {vector['text']}"


def cell(vector: dict[str, Json]) -> StateCell[Any]:
    adapter: TypeAdapter[Any] = TypeAdapter(TYPES[vector["type"]])
    return StateCell(adapter, scope=Scope.THREAD, merge=MergePolicy.DISJOINT, key="k")


def test_every_vector_is_tested_once() -> None:
    assert len(ACCEPTED) + len(REFUSED) + len(DIFFERENT) == len(VECTORS) == 105
    assert {vector["type"] for vector in VECTORS} == TYPES.keys()


@pytest.mark.parametrize("vector", ACCEPTED, ids=name)
def test_an_accepted_value_loads_and_is_written_as_the_reference_writes_it(vector: dict[str, Json]) -> None:
    typed = cell(vector)
    command = typed.write(typed.decode(wire.decode(vector["text"])))
    assert isinstance(command.action, Set)
    assert same(command.action.value, vector["ok"])


@pytest.mark.parametrize("vector", REFUSED, ids=name)
def test_a_refused_value_is_a_state_error_that_names_the_place(vector: dict[str, Json]) -> None:
    with pytest.raises(StateError) as caught:
        cell(vector).decode(wire.decode(vector["text"]))
    assert (caught.value.scope, caught.value.key) == (Scope.THREAD, "k")
    assert caught.value.errors
    assert all(mismatch.path.startswith("$") for mismatch in caught.value.errors)


def test_difference_a_struct_written_as_an_array_is_an_error() -> None:
    vectors = [vector for vector in VECTORS if is_struct_as_array(vector)]
    assert vectors
    for vector in vectors:
        with pytest.raises(StateError, match="expected an object, got an array"):
            cell(vector).decode(wire.decode(vector["text"]))


def test_difference_an_enum_written_as_a_map_is_an_error() -> None:
    vectors = [vector for vector in VECTORS if is_enum_as_map(vector)]
    assert vectors
    for vector in vectors:
        with pytest.raises(StateError, match="got an object"):
            cell(vector).decode(wire.decode(vector["text"]))


def test_difference_an_integer_beyond_64_bits_stays_exact_and_fails_as_a_64_bit_integer() -> None:
    vectors = [vector for vector in VECTORS if is_beyond_64_bits(vector)]
    assert vectors
    for vector in vectors:
        value = wire.decode(vector["text"])
        assert str(value) == vector["text"]
        assert StateCell(int, scope=Scope.THREAD, merge=MergePolicy.DISJOINT, key="k").decode(value) == value
        with pytest.raises(StateError, match="got an integer"):
            cell(vector).decode(value)
