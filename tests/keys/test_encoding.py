"""Encoding never lies: what would not load back equal is refused, with its place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, NamedTuple
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, SecretStr

from statekit.commit import ThreadCommit
from statekit.errors import StateError
from statekit.run import RunDisposition
from statekit.store import Store
from statekit.value import Json
from statekit.vocabulary import Scope
from tests.keys.sample import Colour, Number, Review, cell, failures


class Base(BaseModel):
    x: int = 1


class Derived(Base):
    y: int = 2


class Renamed(Base):
    pass


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Sign(Enum):
    PLUS = "+"
    MINUS = "-"


class Blob(BaseModel):
    data: bytes


class NonFinite(BaseModel):
    model_config = ConfigDict(ser_json_inf_nan="strings")
    x: float


class Dropped(BaseModel):
    n: int = Field(default=0, exclude_if=lambda value: value == 5)


class Labelled(NamedTuple):
    label: str


LIES: list[tuple[Any, Any]] = [
    (Any, {1: 2}),
    (Any, {"a": [{None: 1}]}),
    (int, True),
    (float, True),
    (set[int], {True}),
    (list[int], [1, True]),
    (tuple[int, ...], (True,)),
    (dict[str, int], {"a": False}),
    (Any, datetime(2026, 1, 1)),
    (Any, date(2026, 1, 1)),
    (Any, Decimal("1.5")),
    (Any, UUID(int=1)),
    (Any, Colour.RED),
    (Any, b"bytes"),
    (Any, {1, 2}),
    (Any, Review()),
    (Any, Labelled("a")),
    (Any, object()),
    (Any, lambda: None),
    (SecretStr, SecretStr("hidden")),
    (Any, math.nan),
    (Any, [math.inf]),
    (float, math.nan),
    (float, -math.inf),
    (float | None, math.nan),
    (NonFinite, NonFinite(x=math.inf)),
    (NonFinite, NonFinite(x=math.nan)),
    (dict[float, int], {math.inf: 1}),
    (dict[float, int], {math.nan: 1}),
    (complex, complex(0, math.inf)),
    (dict[int, int], {2**64: 1}),
    (dict[int, int], {-(2**63) - 1: 1}),
    (float, 2**53 + 1),
    (int, 2**64),
    (int, -(2**63) - 1),
    (Any, {"a": 2**64}),
    (str, "\ud800"),
    (Any, ["\udfff"]),
    (Any, {"\ud800": 1}),
    (dict[str, int], {"\ud800": 1}),
    (int, "1"),
    (int, None),
    (list[int], (1, 2)),
    (Base, Derived()),
    (list[Base], [Derived()]),
    (Base, Renamed()),
    (Open, Open(extra=date(2026, 1, 1))),
    (Annotated[Sign, PlainSerializer(lambda _: "+")], Sign.MINUS),
    (Base, Base.model_construct(x="1")),
    (Review, Review.model_construct(approved=1)),
    (Review, {"approved": True, "notes": []}),
    (Blob, Blob(data=b"\xff")),
    (Dropped, Dropped(n=5)),
    (Decimal, Decimal("NaN")),
    (Decimal, Decimal("sNaN")),
    (Number, 1),
    (date | str, "2026-01-01"),
    (Annotated[int, Field(ge=1)], 0),
]


@pytest.mark.parametrize(("type_", "value"), LIES, ids=[f"{type_} {value!r:.40}" for type_, value in LIES])
def test_what_would_not_load_back_equal_is_refused(type_: Any, value: object) -> None:
    with pytest.raises(StateError) as caught:
        cell(type_).write(value)
    assert (caught.value.key, caught.value.scope) == ("k", Scope.THREAD)
    assert "\n" not in str(caught.value)
    assert "https://" not in str(caught.value)


@pytest.mark.parametrize("type_", [Any, list[Any], Review])
def test_a_cycle_is_refused(type_: Any) -> None:
    loop: list[Any] = []
    loop.append(loop)
    value = Review.model_construct(notes=loop) if type_ is Review else loop
    with pytest.raises(StateError):
        cell(type_).write(value)


def nested(levels: int) -> Json:
    value: Json = 0
    for _ in range(levels):
        value = [value]
    return value


def test_a_value_nests_so_deep_that_its_commit_can_still_be_read() -> None:
    command = cell(Any).write(nested(123))
    line = ThreadCommit.assemble("t", RunDisposition.running("r"), state=[command]).to_json()
    assert ThreadCommit.from_json(line).commands == (command,)
    with pytest.raises(StateError, match="deeper than 123 levels; a line of a history nests to 127"):
        cell(Any).write(nested(124))


@pytest.mark.parametrize("levels", [128, 300, 100_000])
def test_a_value_of_any_depth_is_a_state_error(levels: int) -> None:
    with pytest.raises(StateError):
        cell(Any).write(nested(levels))


def test_a_refusal_says_where_in_the_value() -> None:
    with pytest.raises(StateError) as caught:
        cell(Any).write({"a": [1, datetime(2026, 1, 1)]})
    assert caught.value.errors == [
        ("$.a[1]", "a value that loads back equal", "an object of type datetime that loads back as str")
    ]
    with pytest.raises(StateError) as caught:
        cell(Review).write(Review.model_construct(approved="yes", notes=[]))
    assert caught.value.errors == [("$.approved", "a boolean", 'text "yes"')]


def test_refusals_come_in_the_order_of_the_value() -> None:
    names = [f"field-{number}" for number in range(20)]
    with pytest.raises(StateError) as caught:
        cell(Any).write({name: date(2026, 1, 1) for name in names})
    assert [mismatch.path for mismatch in caught.value.errors] == [f'$["{name}"]' for name in names]
    assert [path for path, _, _ in failures(dict[str, Number], dict.fromkeys(names, True))] == [
        f'$["{name}"]' for name in names
    ]


def test_bytes_that_are_no_text_say_what_to_set() -> None:
    with pytest.raises(StateError, match="set ser_json_bytes and val_json_bytes to 'base64'"):
        cell(Blob).write(Blob(data=b"\xff"))


def test_what_a_type_excludes_need_not_come_back() -> None:
    class Cached(BaseModel):
        n: int
        cache: int = Field(default=0, exclude=True)

    assert cell(Cached).write(Cached(n=1, cache=7)).to_json().endswith('{"Set":{"n":1}}}')


def test_a_tuple_is_the_array_it_is_written_as() -> None:
    assert cell(Any).decode([1, [2]]) == [1, [2]]
    assert cell(Any).write((1, (2,))).to_json().endswith('{"Set":[1,[2]]}}')
    assert cell(Sequence[int]).write((1, 2)).to_json().endswith('{"Set":[1,2]}}')


def test_an_object_that_only_knows_identity_is_equal_by_type() -> None:
    class Handle:
        def __init__(self, name: str) -> None:
            self.name = name

        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
            from pydantic_core import core_schema

            return core_schema.no_info_after_validator_function(
                cls, core_schema.str_schema(), serialization=core_schema.plain_serializer_function_ser_schema(str)
            )

        def __str__(self) -> str:
            return self.name

    loaded = cell(Handle).load(Store.rebuild([cell(Handle).write(Handle("a"))]))
    assert isinstance(loaded, Handle)
    assert loaded.name == "a"
