"""The closed sets that address a cell and say how its writes merge."""

from __future__ import annotations

from enum import Enum


class Scope(Enum):
    """Where a cell lives; the order of the members is the order of a store.

    >>> Scope("Thread").rank
    1
    """

    RUN = "Run"
    THREAD = "Thread"
    SHARED = "Shared"
    PROFILE = "Profile"

    # Members are singletons compared by identity, and every cell lookup hashes one.
    __hash__ = object.__hash__

    @property
    def rank(self) -> int:
        """The place of this scope in a store's order, from 0."""
        return _RANKS[self]


class MergePolicy(Enum):
    """What a second write to the same cell of one batch means."""

    DISJOINT = "Disjoint"
    COMMUTATIVE = "Commutative"
    EXCLUSIVE = "Exclusive"

    __hash__ = object.__hash__


Address = tuple[Scope, str]
"""What names one cell: its scope, then its key."""

_RANKS = {scope: rank for rank, scope in enumerate(Scope)}


def store_order(address: Address) -> tuple[int, str]:
    """Sort key of an address: scopes in their order, keys by their UTF-8 bytes.

    Code points sort as their UTF-8 bytes do, so a plain string comparison is enough.

    >>> store_order((Scope.SHARED, "k"))
    (2, 'k')
    """
    scope, key = address
    return _RANKS[scope], key
