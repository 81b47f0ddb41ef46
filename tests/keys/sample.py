"""Types and cells that several of these tests are about."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from statekit.errors import Mismatch, StateError
from statekit.keys import StateCell
from statekit.store import Store
from statekit.value import Json
from statekit.vocabulary import MergePolicy, Scope


class Review(BaseModel):
    approved: bool = False
    notes: list[str] = []


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    name: str


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]


class Number(IntEnum):
    ONE = 1


class Colour(Enum):
    RED = "red"


def cell(type_: Any, key: str = "k") -> StateCell[Any]:
    return StateCell(type_, scope=Scope.THREAD, merge=MergePolicy.DISJOINT, key=key)


def store_of(value: Json, key: str = "k") -> Store:
    return Store.over({(Scope.THREAD, key): value})


class Opaque:
    pass


def failures(type_: Any, value: Json) -> list[Mismatch]:
    with pytest.raises(StateError) as caught:
        cell(type_).load(store_of(value))
    return caught.value.errors
