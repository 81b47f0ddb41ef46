"""Typed keys: classes that name one static address, its type and how it merges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

from pydantic import ValidationError

from statekit.annotation import argument_of, default_maker, is_open
from statekit.cell import StateCell, StateFamily
from statekit.command import Command
from statekit.errors import ContractError, StateError
from statekit.store import Store
from statekit.typed import FOREIGN_ERRORS, DeclaredType
from statekit.value import Json
from statekit.vocabulary import Address, MergePolicy, Scope

__all__ = ["FoldStateKey", "StateCell", "StateFamily", "StateKey"]

T = TypeVar("T")
U = TypeVar("U")


class StateKey(Generic[T]):
    """One static address whose values have a type with a default; a class, never an instance.

    A subclass names the type, `KEY` and `SCOPE`, and `MERGE` unless it is `Disjoint`; one that lacks any of them, or
    whose type called without arguments gives no value that can be stored, raises `TypeError` when it is defined.

    >>> class Counter(StateKey[int]):
    ...     KEY, SCOPE = "counter", Scope.RUN
    >>> Counter.load(Store()), Counter.load(Store.rebuild([Counter.write(3)]))
    (0, 3)
    """

    KEY: ClassVar[str]
    SCOPE: ClassVar[Scope]
    MERGE: ClassVar[MergePolicy] = MergePolicy.DISJOINT

    _cell: ClassVar[StateCell[Any] | None] = None
    _default: ClassVar[Callable[[], Any]]

    def __new__(cls, *arguments: object, **names: object) -> Self:
        """Raise `TypeError`: everything is asked of the class itself."""
        raise TypeError(f"{cls.__name__} is a class to use as it is, as in {cls.__name__}.load(store)")

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        generic = bool(cls.__dict__.get("__parameters__"))
        cls._cell = None if generic else cls._check()

    @classmethod
    def _check(cls) -> StateCell[Any]:
        form = argument_of(cls, StateKey)
        if is_open(form):
            raise TypeError(f"{cls.__name__} names no type; derive it as in class {cls.__name__}(StateKey[int])")
        for name, kind, example in _PARTS:
            if not isinstance(getattr(cls, name, None), kind):
                needs = f"{cls.__name__} needs {name}, a {kind.__name__}"
                raise TypeError(f"{needs}; add a line such as {name} = {example}")
        declared: DeclaredType[Any] = DeclaredType(form)
        cls._default = _default_of(cls.__name__, form, declared)
        try:
            return StateCell.over(declared, cls.SCOPE, cls.MERGE, cls.KEY)
        except StateError as error:
            raise TypeError(f"{cls.__name__} needs a KEY that JSON can say: {error.detail}") from error

    @classmethod
    def cell(cls) -> StateCell[T]:
        """The cell that this key names; raises `TypeError` for a generic key that names none yet."""
        if cls._cell is None:
            raise TypeError(f"{cls.__name__} names no cell yet; derive a class with a type, KEY and SCOPE from it")
        return cls._cell

    @classmethod
    def address(cls) -> Address:
        """The scope and key."""
        cell = cls.cell()
        return cell.scope, cell.key

    @classmethod
    def load(cls, store: Store) -> T:
        """The value, or the type's default when absent, new each time; raises `StateError` when the shape is wrong."""
        cell = cls.cell()
        value: Any = cell.load(store) if (cell.scope, cell.key) in store else cls._default()
        return value  # type: ignore[no-any-return]

    @classmethod
    def load_or_default(cls, store: Store) -> T:
        """The value, or the type's default when it is absent or its shape is wrong."""
        try:
            return cls.load(store)
        except StateError:
            default: T = cls._default()
            return default

    @classmethod
    def decode(cls, value: Json) -> T:
        """A JSON value as this key would load it; raises `StateError` when the shape is wrong."""
        return cls.cell().decode(value)

    @classmethod
    def write(cls, value: T) -> Command:
        """The command that sets the whole value.

        Raises `ContractError`, which no `except StateError` catches, for a value that would not load back equal.
        """
        try:
            return cls.try_write(value)
        except StateError as error:
            raise ContractError(cls.KEY, cls.SCOPE, error.detail) from error

    @classmethod
    def try_write(cls, value: T) -> Command:
        """The command that sets the whole value; raises `StateError` for one that would not load back equal."""
        return cls.cell().write(value)

    @classmethod
    def remove(cls) -> Command:
        """The command that removes the cell."""
        return cls.cell().remove()


class FoldStateKey(StateKey[T], Generic[T, U]):
    """A `StateKey` that is written by typed updates; a subclass also gives `apply`.

    >>> class Counter(FoldStateKey[int, int]):
    ...     KEY, SCOPE = "counter", Scope.RUN
    ...     @staticmethod
    ...     def apply(value: int, update: int) -> int:
    ...         return value + update
    >>> Counter.load(Store.rebuild([Counter.commit(Store(), 5)]))
    5
    """

    @classmethod
    def _check(cls) -> StateCell[Any]:
        if cls.apply is FoldStateKey.apply:
            raise TypeError(f"{cls.__name__} needs apply; add a static method apply(value, update) -> value")
        return super()._check()

    @staticmethod
    def apply(value: T, update: U) -> T:
        """The value after one update; total and deterministic, or a replay cannot be trusted."""
        raise NotImplementedError

    @classmethod
    def commit(cls, store: Store, update: U) -> Command:
        """The command that sets the value of a store folded with one update.

        Raises `StateError` when the value in the store has the wrong shape, `ContractError` when the folded one would
        not load back equal.
        """
        return cls.write(cls.apply(cls.load(store), update))


_PARTS: Final = (
    ("KEY", str, '"review_state"'),
    ("SCOPE", Scope, "Scope.THREAD"),
    ("MERGE", MergePolicy, "MergePolicy.DISJOINT"),
)


def _default_of(key: str, form: Any, declared: DeclaredType[Any]) -> Callable[[], Any]:
    make = default_maker(form)
    try:
        declared.encode(make())
    except (*FOREIGN_ERRORS, StateError) as error:
        raise TypeError(
            f"{key} needs a type with a default, and {declared.name} has none ({_reason(error)}); "
            f"give every field of it a default, or declare {declared.name} | None"
        ) from error
    return make


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, found['loc']))}: {found['msg']}" for found in error.errors())
    return error.detail if isinstance(error, StateError) else str(error)
