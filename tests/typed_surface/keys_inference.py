"""What mypy must infer for the typed forms; checked by `test_typing_keys.py`, never run."""

from __future__ import annotations

from typing import Generic, TypeVar, assert_type

from pydantic import TypeAdapter

from statekit.command import Command
from statekit.keys import FoldStateKey, StateCell, StateFamily, StateKey
from statekit.store import Store
from statekit.vocabulary import MergePolicy, Scope

V = TypeVar("V")
store = Store()

number = StateCell(int, scope=Scope.RUN, merge=MergePolicy.DISJOINT, key="n")
assert_type(number, StateCell[int])
assert_type(number.load(store), int | None)
assert_type(number.decode(1), int)
assert_type(number.write(1), Command)
number.write("1")  # type: ignore[arg-type]
number.key = "m"  # type: ignore[misc]

names = StateCell(dict[str, list[int]], scope=Scope.RUN, merge=MergePolicy.DISJOINT, key="n")
assert_type(names.load(store), dict[str, list[int]] | None)

adapter: TypeAdapter[int | str | None] = TypeAdapter(int | str | None)
adapted = StateCell(adapter, scope=Scope.RUN, merge=MergePolicy.DISJOINT, key="n")
assert_type(adapted, StateCell[int | str | None])
assert_type(adapted.decode(None), int | str | None)
StateCell(int | None, scope=Scope.RUN, merge=MergePolicy.DISJOINT, key="n")  # type: ignore[arg-type]
StateCell(int, Scope.RUN, MergePolicy.DISJOINT, "n")  # type: ignore[call-arg]

family = StateCell.family(int, scope=Scope.RUN, merge=MergePolicy.DISJOINT, template="n/{id}")
assert_type(family, StateFamily[int])
assert_type(family.at(id=7), StateCell[int])
assert_type(family.match("n/7"), dict[str, str] | None)
assert_type(
    StateCell.family(adapter, scope=Scope.RUN, merge=MergePolicy.DISJOINT, template="n/{id}"),
    StateFamily[int | str | None],
)


class Names(StateKey[list[str]]):
    KEY = "names"
    SCOPE = Scope.THREAD


assert_type(Names.load(store), list[str])
assert_type(Names.load_or_default(store), list[str])
assert_type(Names.decode([]), list[str])
assert_type(Names.cell(), StateCell[list[str]])
assert_type(Names.address(), tuple[Scope, str])
Names.write([1])  # type: ignore[list-item]
Names.try_write("a")  # type: ignore[arg-type]


class Maybe(StateKey[int | None]):
    KEY = "maybe"
    SCOPE = Scope.THREAD


assert_type(Maybe.load(store), int | None)


class WrongScope(StateKey[int]):
    KEY = "wrong"
    SCOPE = "Thread"  # type: ignore[assignment]


class Counter(FoldStateKey[int, str]):
    KEY = "counter"
    SCOPE = Scope.RUN

    @staticmethod
    def apply(value: int, update: str) -> int:
        return value + len(update)


assert_type(Counter.load(store), int)
assert_type(Counter.commit(store, "abc"), Command)
Counter.commit(store, 1)  # type: ignore[arg-type]


class WrongApply(FoldStateKey[int, str]):
    KEY = "wrong"
    SCOPE = Scope.RUN

    @staticmethod
    def apply(value: int, update: int) -> int:  # type: ignore[override]
        return value + update


class Listed(StateKey[list[V]], Generic[V]):
    SCOPE = Scope.SHARED


class Listing(Listed[float]):
    KEY = "listing"


assert_type(Listing.load(store), list[float])
