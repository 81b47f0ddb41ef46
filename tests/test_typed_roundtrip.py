"""A typed value that is written and loaded again is equal, for every kind of type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, NamedTuple, NotRequired
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from statekit.command import Command, Set
from statekit.errors import StateError
from statekit.keys import StateCell
from statekit.store import Store
from statekit.value import same
from statekit.vocabulary import MergePolicy, Scope
from strategies import integers, json_values, texts


class Colour(Enum):
    RED = "red"
    GREEN = "green"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Item(BaseModel):
    name: str
    price: Decimal = Decimal(0)
    colour: Colour = Colour.RED


class Order(BaseModel):
    model_config = ConfigDict(extra="allow", ser_json_bytes="base64", val_json_bytes="base64")

    number: int = Field(alias="orderNumber")
    items: list[Item] = []
    by_name: dict[str, Item | None] = {}
    seal: bytes = b""
    placed: datetime | None = None


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    tricks: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Point:
    x: float
    labels: tuple[str, ...] = ()
    colour: Colour = Colour.GREEN


@dataclass
class Path:
    points: list[Point] = field(default_factory=list)
    length: int = field(init=False, default=0)


class Movie(TypedDict):
    title: str
    seen: NotRequired[date]


class Span(NamedTuple):
    start: int
    label: str = "none"


floats = st.floats(allow_nan=False, allow_infinity=False)
offsets = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes)))
datetimes = st.datetimes() | st.datetimes(timezones=offsets)
decimals = st.decimals(allow_nan=False, allow_infinity=False)
colours = st.sampled_from(Colour)
items = st.builds(Item, name=texts, price=decimals, colour=colours)
points = st.builds(Point, x=floats, labels=st.lists(texts, max_size=3).map(tuple), colour=colours)
cats = st.builds(Cat, lives=integers)
dogs = st.builds(Dog, tricks=st.frozensets(texts, max_size=3))
orders = st.builds(
    Order,
    orderNumber=integers,
    items=st.lists(items, max_size=2),
    by_name=st.dictionaries(texts, st.none() | items, max_size=2),
    seal=st.binary(max_size=8),
    placed=st.none() | datetimes,
    remark=json_values,
)

KINDS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "bool": (bool, st.booleans()),
    "int": (int, integers),
    "float": (float, floats),
    "str": (str, texts),
    "none-able": (int | None, st.none() | integers),
    "any JSON": (Any, json_values),
    "list": (list[int], st.lists(integers)),
    "dict": (dict[str, float], st.dictionaries(texts, floats)),
    "dict by integer": (dict[int, str], st.dictionaries(st.integers(-(2**63), 2**64 - 1), texts)),
    "tuple": (tuple[int, str], st.tuples(integers, texts)),
    "tuple of any length": (tuple[int, ...], st.lists(integers).map(tuple)),
    "set": (set[str], st.sets(texts)),
    "frozenset": (frozenset[int], st.frozensets(integers)),
    "Enum": (Colour, colours),
    "IntEnum": (Level, st.sampled_from(Level)),
    "Literal": (Literal[1, True, "a"], st.sampled_from([1, True, "a"])),
    "datetime": (datetime, datetimes),
    "date": (date, st.dates()),
    "time": (time, st.times()),
    "Decimal": (Decimal, decimals),
    "UUID": (UUID, st.uuids()),
    "bytes": (bytes, st.binary()),
    "list of bytes": (list[bytes], st.lists(st.binary())),
    "nested models": (Order, orders),
    "list of models": (list[Item], st.lists(items, max_size=3)),
    "discriminated union": (Annotated[Cat | Dog, Field(discriminator="kind")], cats | dogs),
    "plain union": (int | str | None | list[Item], st.none() | integers | texts | st.lists(items, max_size=2)),
    "frozen dataclass": (Point, points),
    "dataclass": (Path, st.builds(Path, st.lists(points, max_size=2))),
    "set of dataclasses": (set[Point], st.sets(points, max_size=3)),
    "TypedDict": (Movie, st.fixed_dictionaries({"title": texts}, optional={"seen": st.dates()})),
    "NamedTuple": (Span, st.builds(Span, integers, texts)),
}


def cell(type_: Any) -> StateCell[Any]:
    return StateCell(type_, scope=Scope.THREAD, merge=MergePolicy.DISJOINT, key="k")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_loads_back_equal(kind: str) -> None:
    type_, values = KINDS[kind]
    typed = cell(type_)

    @given(values)
    def law(value: Any) -> None:
        loaded = typed.load(Store.rebuild([typed.write(value)]))
        assert loaded == value
        assert type(loaded) is type(value)

    law()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_survives_the_wire(kind: str) -> None:
    type_, values = KINDS[kind]
    typed = cell(type_)

    @given(values)
    def law(value: Any) -> None:
        command = typed.write(value)
        again = Command.from_json(command.to_json())
        assert again == command
        assert typed.load(Store.rebuild([again])) == value

    law()


@given(json_values)
def test_an_untyped_cell_holds_every_json_value_exactly(value: Any) -> None:
    typed = cell(Any)
    assert same(typed.load(Store.rebuild([typed.write(value)])), value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_json_value_that_loads_can_be_written_and_loads_equal(kind: str) -> None:
    type_, values = KINDS[kind]
    typed = cell(type_)

    @given(values.map(typed.write).map(stored) | json_values)
    def law(value: Any) -> None:
        try:
            loaded = typed.decode(value)
        except StateError:
            return
        assert typed.load(Store.rebuild([typed.write(loaded)])) == loaded

    law()


def stored(command: Command) -> Any:
    assert isinstance(command.action, Set)
    return command.action.value


@given(st.integers(0, 1), st.integers(0, 59))
def test_a_datetime_in_the_hour_that_a_clock_shows_twice_can_be_written(fold: int, minute: int) -> None:
    moment = datetime(2026, 10, 25, 2, minute, fold=fold, tzinfo=ZoneInfo("Europe/Berlin"))
    typed = cell(datetime)
    loaded = typed.load(Store.rebuild([typed.write(moment)]))
    assert isinstance(loaded, datetime)
    assert loaded.timestamp() == moment.timestamp()
    assert loaded.utcoffset() == moment.utcoffset()


SHARED: list[tuple[Any, Any, Callable[[Any], None]]] = [
    (list[list[int]], [[1]], lambda value: value[0].append(2)),
    (dict[str, list[int]], {"a": [1]}, lambda value: value["a"].append(2)),
    (Any, {"a": [{}]}, lambda value: value["a"][0].update(b=1)),
    (Order, Order(orderNumber=1, items=[Item(name="a")]), lambda value: value.items.clear()),
    (Path, Path([Point(1.0)]), lambda value: value.points.clear()),
    (set[int], {1}, lambda value: value.add(2)),
]


@pytest.mark.parametrize(("type_", "value", "change"), SHARED, ids=[str(type_) for type_, _, _ in SHARED])
def test_nothing_is_shared_with_what_is_written_or_loaded(
    type_: Any, value: Any, change: Callable[[Any], None]
) -> None:
    typed = cell(type_)
    command = typed.write(value)
    before = command.to_json()
    store = Store.rebuild([command])
    loaded = typed.load(store)
    change(loaded)
    change(typed.load(store))
    change(value)
    assert command.to_json() == before
    assert store[Scope.THREAD, "k"] == stored(Command.from_json(before))
    assert typed.load(store) != loaded
