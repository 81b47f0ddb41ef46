"""Keys with static addresses: defaults, folds, and what a class must say when it is defined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from types import new_class
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar
from uuid import UUID

import pytest
import typing_extensions
from pydantic import BaseModel, Field

from statekit.command import Command
from statekit.errors import ContractError, StateError
from statekit.keys import FoldStateKey, StateCell, StateKey
from statekit.store import Store
from statekit.value import Json
from statekit.vocabulary import MergePolicy, Scope
from tests.keys.sample import Colour, Opaque, Pet, Review, store_of

V = TypeVar("V")


class ReviewKey(StateKey[Review]):
    KEY = "review_state"
    SCOPE = Scope.THREAD


class CounterKey(FoldStateKey[int, int]):
    KEY = "counter"
    SCOPE = Scope.RUN
    MERGE = MergePolicy.EXCLUSIVE

    @staticmethod
    def apply(value: int, update: int) -> int:
        return value + update


def test_a_key_reads_and_writes_whole_values() -> None:
    assert ReviewKey.address() == (Scope.THREAD, "review_state")
    command = ReviewKey.write(Review(approved=True))
    assert command == Command.set(Scope.THREAD, MergePolicy.DISJOINT, "review_state", {"approved": True, "notes": []})
    assert ReviewKey.load(Store.rebuild([command])) == Review(approved=True)
    assert ReviewKey.load(Store.rebuild([command, ReviewKey.remove()])) == Review()
    assert ReviewKey.decode({"approved": True}) == Review(approved=True)
    assert ReviewKey.cell().declared == "Review"


def test_a_present_value_of_the_wrong_shape_never_becomes_the_default() -> None:
    store = store_of({"approved": "yes"}, "review_state")
    with pytest.raises(StateError, match=r"\$\.approved"):
        ReviewKey.load(store)
    assert ReviewKey.load_or_default(store) == Review()
    assert ReviewKey.load_or_default(store_of({"approved": True}, "review_state")) == Review(approved=True)


def test_a_default_is_made_new_at_each_load() -> None:
    first = ReviewKey.load(Store())
    first.notes.append("mine")
    assert ReviewKey.load(Store()).notes == []
    lenient = ReviewKey.load_or_default(store_of(1, "review_state"))
    lenient.notes.append("mine")
    assert ReviewKey.load_or_default(store_of(1, "review_state")).notes == []


def test_null_is_a_value_of_an_optional_and_an_error_of_anything_else() -> None:
    class Maybe(StateKey[int | None]):
        KEY = "k"
        SCOPE = Scope.THREAD

    assert Maybe.load(Store()) is None
    assert Maybe.load(store_of(None)) is None
    with pytest.raises(StateError):
        ReviewKey.load(store_of(None, "review_state"))


def test_a_broken_contract_is_no_state_error() -> None:
    broken = Review.model_construct(approved="yes")
    with pytest.raises(ContractError, match="review_state") as caught:
        ReviewKey.write(broken)
    assert not issubclass(ContractError, StateError)
    assert isinstance(caught.value.__cause__, StateError)
    with pytest.raises(StateError, match=r"\$\.approved"):
        ReviewKey.try_write(broken)


def test_a_fold_applies_one_update_to_what_is_there() -> None:
    store = Store()
    for update in (5, -2):
        command = CounterKey.commit(store, update)
        assert (command.merge, command.scope) == (MergePolicy.EXCLUSIVE, Scope.RUN)
        store.apply(command)
    assert CounterKey.load(store) == 3


def test_a_fold_fails_closed() -> None:
    store = Store.rebuild([Command.set(Scope.RUN, MergePolicy.DISJOINT, "counter", "3")])
    with pytest.raises(StateError):
        CounterKey.commit(store, 1)
    with pytest.raises(ContractError):
        CounterKey.commit(Store.rebuild([CounterKey.write(2**64 - 1)]), 1)


@pytest.mark.parametrize("key", [StateKey, FoldStateKey, ReviewKey, CounterKey])
def test_a_key_is_never_constructed(key: type[Any]) -> None:
    with pytest.raises(TypeError, match=rf"{key.__name__} is a class to use as it is"):
        key()
    with pytest.raises(TypeError, match="class to use as it is"):
        key("argument", name="value")


def define(base: Any, **body: object) -> Any:
    return new_class("MyKey", (base,), exec_body=lambda namespace: namespace.update(body))


ADDRESS = {"KEY": "k", "SCOPE": Scope.RUN}


@dataclass
class Settings:
    name: str = ""


class Strict(BaseModel):
    a: int


class Total(typing_extensions.TypedDict):
    a: int


class Partial(typing_extensions.TypedDict, total=False):
    a: int


class Pair(NamedTuple):
    a: int = 1


@pytest.mark.parametrize(
    ("type_", "default"),
    [
        (int, 0),
        (bool, False),
        (str, ""),
        (bytes, b""),
        (list[int], []),
        (dict[str, list[int]], {}),
        (tuple[int, ...], ()),
        (set[str], set()),
        (Counter[str], Counter()),
        (Decimal, Decimal(0)),
        (int | None, None),
        (Annotated[dict[str, int], "note"], {}),
        (Annotated[int | None, "note"], None),
        (Pet | None, None),
        (Review, Review()),
        (Settings, Settings()),
        (Partial, {}),
        (Pair, Pair(1)),
    ],
)
def test_the_default_is_the_type_called_with_no_arguments(type_: Any, default: object) -> None:
    loaded = define(StateKey[type_], **ADDRESS).load(Store())
    assert loaded == default
    assert type(loaded) is type(default)


@pytest.mark.parametrize(
    "type_",
    [Strict, Total, Pet, Colour, Any, Literal["a"], datetime, UUID, tuple[int, int], Annotated[int, Field(ge=1)]],
)
def test_a_type_without_a_default_fails_when_the_key_is_defined(type_: Any) -> None:
    with pytest.raises(TypeError, match=r"MyKey needs a type with a default, and .* has none \(.*; give every field"):
        define(StateKey[type_], **ADDRESS)


@pytest.mark.parametrize(
    ("base", "body", "reason"),
    [
        (StateKey[int], {"SCOPE": Scope.RUN}, 'MyKey needs KEY, a str; add a line such as KEY = "review_state"'),
        (StateKey[int], {"KEY": 3, "SCOPE": Scope.RUN}, "MyKey needs KEY, a str"),
        (StateKey[int], {"KEY": "\ud800", "SCOPE": Scope.RUN}, "MyKey needs a KEY that JSON can say"),
        (StateKey[int], {"KEY": "k"}, "MyKey needs SCOPE, a Scope; add a line such as SCOPE = Scope.THREAD"),
        (StateKey[int], {"KEY": "k", "SCOPE": "Run"}, "MyKey needs SCOPE, a Scope"),
        (StateKey[int], {**ADDRESS, "MERGE": "Disjoint"}, "MyKey needs MERGE, a MergePolicy"),
        (StateKey, ADDRESS, r"MyKey names no type; derive it as in class MyKey\(StateKey\[int\]\)"),
        (StateKey[Opaque], ADDRESS, "Opaque is no type that a cell can have"),
        (StateKey["Nowhere"], ADDRESS, "Nowhere refers to a name that is not defined yet"),  # type: ignore[name-defined]
        (FoldStateKey[int, int], ADDRESS, r"MyKey needs apply; add a static method apply\(value, update\)"),
    ],
)
def test_a_key_that_is_wrong_fails_when_it_is_defined(base: Any, body: dict[str, object], reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        define(base, **body)


class Listed(StateKey[list[V]], Generic[V]):
    SCOPE = Scope.SHARED


class Summed(FoldStateKey[list[V], V], Generic[V]):
    SCOPE = Scope.RUN

    @staticmethod
    def apply(value: list[V], update: V) -> list[V]:
        return [*value, update]


def test_a_generic_key_between_needs_no_key_and_names_no_cell() -> None:
    with pytest.raises(TypeError, match="Listed names no cell yet"):
        Listed.load(Store())
    with pytest.raises(TypeError, match="MyKey names no type"):
        define(Listed, KEY="k")


def test_a_type_is_found_through_generic_classes() -> None:
    class Names(Listed[str]):
        KEY = "names"

    class Readings(Summed[float]):
        KEY = "readings"

    assert (Names.cell().declared, Names.address()) == ("list[str]", (Scope.SHARED, "names"))
    assert Readings.load(Store.rebuild([Readings.commit(Store(), 1.5)])) == [1.5]


def test_a_class_of_a_key_is_a_key_of_its_own() -> None:
    class Second(CounterKey):
        KEY = "second"

    assert Second.address() == (Scope.RUN, "second")
    assert CounterKey.address() == (Scope.RUN, "counter")
    assert Second.commit(Store(), 2).key == "second"


FORMS: list[Callable[[Store], Any]] = [
    StateCell(Review, scope=Scope.THREAD, merge=MergePolicy.DISJOINT, key="review_state").load,
    ReviewKey.load,
    lambda store: ReviewKey.decode(store[ReviewKey.address()]),
]


@pytest.mark.parametrize("value", [{"approved": 1}, [], None, {"notes": [None], "approved": "x"}])
def test_every_typed_form_fails_the_same_way(value: Json) -> None:
    store = store_of(value, "review_state")
    found = []
    for read in FORMS:
        with pytest.raises(StateError) as caught:
            read(store)
        found.append((str(caught.value), caught.value.errors))
    assert found[0] == found[1] == found[2]
