"""Typed cells at addresses that are built at run time, and families of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from pydantic import TypeAdapter

from statekit.command import Command, Set
from statekit.errors import StateError
from statekit.store import Store
from statekit.template import Template
from statekit.typed import DeclaredType
from statekit.value import Json
from statekit.vocabulary import MergePolicy, Scope

T = TypeVar("T")
V = TypeVar("V")


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class StateCell(Generic[T]):
    """One cell whose values have a type.

    `type_` is a type or a `TypeAdapter`. Raises `TypeError` for a type that pydantic has no schema for.

    >>> cell = StateCell(int, scope=Scope.THREAD, merge=MergePolicy.DISJOINT, key="outcome/7/score")
    >>> cell.load(Store.rebuild([cell.write(3)])), cell.load(Store())
    (3, None)
    """

    scope: Scope
    merge: MergePolicy
    key: str
    _type: DeclaredType[T]

    def __init__(self, type_: type[T] | TypeAdapter[T], *, scope: Scope, merge: MergePolicy, key: str) -> None:
        self._fill(DeclaredType(type_), scope, merge, key)

    @classmethod
    def over(cls, declared: DeclaredType[T], scope: Scope, merge: MergePolicy, key: str) -> Self:
        """The cell of a type that is declared already."""
        cell = cls.__new__(cls)
        cell._fill(declared, scope, merge, key)
        return cell

    def _fill(self, declared: DeclaredType[T], scope: Scope, merge: MergePolicy, key: str) -> None:
        # A cell that cannot make a command is refused here and not at its first write.
        Command.remove(scope, merge, key)
        for name, value in {"scope": scope, "merge": merge, "key": key, "_type": declared}.items():
            object.__setattr__(self, name, value)

    @staticmethod
    def family(type_: type[V] | TypeAdapter[V], *, scope: Scope, merge: MergePolicy, template: str) -> StateFamily[V]:
        """The cells whose keys follow a template, such as `review/{review_id}/state`."""
        return StateFamily(type_, scope=scope, merge=merge, template=template)

    @property
    def declared(self) -> str:
        """The name of the type."""
        return self._type.name

    def load(self, store: Store) -> T | None:
        """The value, new each time, or None when the cell is absent; raises `StateError` when the shape is wrong."""
        try:
            value = store.borrow(self.scope, self.key)
        except KeyError:
            return None
        try:
            return self._type.load(value)
        except StateError as error:
            raise error.at(self.scope, self.key) from error.__cause__

    def decode(self, value: Json) -> T:
        """A JSON value as this cell would load it; raises `StateError` when the shape is wrong."""
        try:
            return self._type.decode(value)
        except StateError as error:
            raise error.at(self.scope, self.key) from error.__cause__

    def write(self, value: T) -> Command:
        """The command that sets the cell; raises `StateError` for a value that would not load back equal."""
        try:
            return Command(self.key, self.scope, self.merge, Set.adopt(self._type.encode(value)))
        except StateError as error:
            raise error.at(self.scope, self.key) from error.__cause__

    def remove(self) -> Command:
        """The command that removes the cell."""
        return Command.remove(self.scope, self.merge, self.key)

    def __repr__(self) -> str:
        return f"StateCell({self.declared}, scope={self.scope.value}, merge={self.merge.value}, key={self.key!r})"


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class StateFamily(Generic[T]):
    """Cells of one type whose keys follow a template; raises `ValueError` for a template that is none.

    >>> reviews = StateFamily(bool, scope=Scope.THREAD, merge=MergePolicy.DISJOINT, template="review/{review_id}")
    >>> reviews.at(review_id=7), reviews.match("review/7")
    (StateCell(bool, scope=Thread, merge=Disjoint, key='review/7'), {'review_id': '7'})
    """

    scope: Scope
    merge: MergePolicy
    template: str
    _type: DeclaredType[T]
    _keys: Template

    def __init__(self, type_: type[T] | TypeAdapter[T], *, scope: Scope, merge: MergePolicy, template: str) -> None:
        parts = {"_keys": Template(template), "_type": DeclaredType(type_)}
        Command.remove(scope, merge, template)
        for name, value in {**parts, "scope": scope, "merge": merge, "template": template}.items():
            object.__setattr__(self, name, value)

    @property
    def declared(self) -> str:
        """The name of the type."""
        return self._type.name

    def at(self, /, **names: object) -> StateCell[T]:
        """The cell for these names, taken as text; raises `ValueError` for names that its key would not give back."""
        return StateCell.over(self._type, self.scope, self.merge, self._keys.fill(names))

    def match(self, key: str) -> dict[str, str] | None:
        """The names in a key, or None when it is no key of this family."""
        return self._keys.match(key)

    def __repr__(self) -> str:
        return (
            f"StateFamily({self.declared}, scope={self.scope.value}, merge={self.merge.value}, "
            f"template={self.template!r})"
        )
