"""The materialized cells of one thread's state.

A store is always rebuilt from commands. Values are copied out, so nothing a caller does to one reaches the store, and
a store that shows a position of a history reads each cell when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Self

from statekit.command import Command
from statekit.merge import apply_command
from statekit.value import Json, copy_value, same
from statekit.vocabulary import Address, Scope, store_order


class Store:
    """Cells by scope and key.

    >>> from statekit.vocabulary import MergePolicy
    >>> store = Store()
    >>> store.apply(Command.set(Scope.THREAD, MergePolicy.DISJOINT, "k", None))
    >>> (Scope.THREAD, "k") in store, store.get(Scope.THREAD, "absent", "fallback")
    (True, 'fallback')
    """

    __slots__ = ("_cells",)

    def __init__(self) -> None:
        self._cells: Mapping[Address, Json] = {}

    @classmethod
    def over(cls, cells: Mapping[Address, Json]) -> Self:
        """A store that shows `cells`, and takes them over when they are a dict.

        The first command applied to it makes it independent of any other mapping.
        """
        store = cls()
        store._cells = cells
        return store

    @classmethod
    def rebuild(cls, commands: Iterable[Command]) -> Self:
        """The store that results from applying commands in order to an empty one."""
        cells: dict[Address, Json] = {}
        for command in commands:
            apply_command(cells, command)
        return cls.over(cells)

    def apply(self, command: Command) -> None:
        """Change one cell as a command says; nothing else changes a store."""
        if not isinstance(self._cells, dict):
            self._cells = dict(self._cells)
        apply_command(self._cells, command)

    def get(self, scope: Scope, key: str, default: Json = None) -> Json:
        """A copy of a cell's value, or `default` when the cell is absent (a JSON null is present)."""
        try:
            return self[scope, key]
        except KeyError:
            return default

    def __getitem__(self, address: Address) -> Json:
        return copy_value(self._cells[address])

    def borrow(self, scope: Scope, key: str) -> Json:
        """A cell's value itself, to look at and never to change; raises `KeyError` when absent."""
        return self._cells[scope, key]

    def __contains__(self, address: object) -> bool:
        return address in self._cells

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Address]:
        return iter(self.addresses())

    def addresses(self) -> list[Address]:
        """The present cells, ordered by scope, then key."""
        return sorted(self._cells, key=store_order)

    def items(self) -> Iterator[tuple[Address, Json]]:
        """Every cell with a copy of its value, ordered by scope, then key."""
        return ((address, self[address]) for address in self.addresses())

    def scan_prefix(self, scope: Scope, prefix: str) -> Iterator[tuple[str, Json]]:
        """The cells of one scope whose keys start with a prefix, ordered by key."""
        return ((key, self[where, key]) for where, key in self.addresses() if where is scope and key.startswith(prefix))

    def project(self, allows: Callable[[str], bool]) -> Store:
        """A store of the cells whose keys are allowed."""
        return Store.over({address: value for address, value in self._cells.items() if allows(address[1])})

    def __copy__(self) -> Store:
        return Store.over(dict(self._cells))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Store):
            return NotImplemented
        return same(dict(self._cells), dict(other._cells))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Store({len(self)} cells)"
