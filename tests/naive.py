"""What a history means, folded command by command in plain Python: the expected values of the tests of the past.

Nothing here goes through the merging, the store or the timelines of the package.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from copy import deepcopy
from itertools import cycle
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from statekit.command import Command, Remove, Set
from statekit.commit import ThreadCommit
from statekit.history import History
from statekit.run import EndCause, EndKind, Phase, PhaseKind, RunDisposition
from statekit.transition import Transition
from statekit.value import Held
from statekit.vocabulary import Address, MergePolicy, Scope, store_order
from strategies import commands, json_values, scalars

Json = Any
Cells = dict[Address, Json]

HISTORIES = Path(__file__).parent / "data" / "histories"
NOTHING = object()
"""What a naive state answers for an absent cell."""


def exact(value: Json) -> str:
    """A text that two values share exactly when they are the same JSON: `1`, `1.0` and `true` differ."""
    return json.dumps(_unsigned(value), sort_keys=True)


def _unsigned(value: Json) -> Json:
    # The one pair of numbers that counts as the same although JSON spells it in two ways.
    if isinstance(value, dict):
        return {name: _unsigned(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_unsigned(item) for item in value]
    return 0.0 if type(value) is float and value == 0 else value


def exact_cells(cells: Iterable[tuple[Address, Json]]) -> list[tuple[str, str, str]]:
    """Cells in the order they come, comparable by `==`."""
    return [(scope.value, key, exact(value)) for (scope, key), value in cells]


def in_order(cells: Cells) -> list[tuple[str, str, str]]:
    """Naive cells in the order of a store, comparable by `==`."""
    ranks = ["Run", "Thread", "Shared", "Profile"]
    ordered = sorted(cells.items(), key=lambda cell: (ranks.index(cell[0][0].value), cell[0][1].encode()))
    return exact_cells(ordered)


def apply(cells: Cells, command: Command) -> None:
    """Change naive cells as a command says."""
    address = (command.scope, command.key)
    if isinstance(command.action, Remove):
        cells.pop(address, None)
        return
    value = command.action.value
    old = cells.get(address)
    if command.merge.value == "Commutative" and isinstance(old, dict) and isinstance(value, dict):
        value = old | value
    cells[address] = value


def states(batches: Iterable[Iterable[Command]], run: str | None = None) -> list[Cells]:
    """The cells at every position, from 0, in the whole history or in the view of one run."""
    cells: Cells = {}
    found: list[Cells] = [{}]
    for batch in batches:
        for command in batch:
            hidden = run is not None and command.scope.value == "Run" and command.run_id != run
            if not hidden:
                apply(cells, command)
        found.append(deepcopy(cells))
    return found


def changes(before: Cells, after: Cells) -> list[tuple[Address, str]]:
    """The cells that differ, with how they differ, in the order of a store."""
    found = []
    for address in sorted({*before, *after}, key=store_order):
        old, new = before.get(address, NOTHING), after.get(address, NOTHING)
        if old is NOTHING or new is NOTHING or exact(old) != exact(new):
            found.append((address, "added" if old is NOTHING else "removed" if new is NOTHING else "changed"))
    return found


def committed(batch: Iterable[Command], run_id: str = "r-1", *, ended: bool = False) -> ThreadCommit:
    """A commit with its batch as it is: owners are not stamped, conflicts are let through."""
    phase = Phase(PhaseKind.ENDED, EndCause(EndKind.NATURAL_END)) if ended else Phase.RUNNING
    return ThreadCommit("t", RunDisposition(run_id, phase), tuple(batch), Held([]), Held([]))


def history_of(batches: Iterable[Iterable[Command]], run_ids: Iterable[str] = ("r-1",)) -> History:
    """The history of some batches, committed by runs that take turns."""
    turns = enumerate(zip(batches, cycle(run_ids), strict=False), start=1)
    return History("t", [Transition(place, place, committed(batch, run_id)) for place, (batch, run_id) in turns])


def put(value: Json, key: str = "k", scope: Scope = Scope.THREAD) -> Command:
    """A command that replaces a cell's value."""
    return Command(key, scope, MergePolicy.DISJOINT, Set(value))


def fold_in(value: Json, key: str = "k", scope: Scope = Scope.THREAD) -> Command:
    """A command that merges into a cell's object."""
    return Command(key, scope, MergePolicy.COMMUTATIVE, Set(value))


def drop(key: str = "k", scope: Scope = Scope.THREAD) -> Command:
    """A command that removes a cell."""
    return Command(key, scope, MergePolicy.DISJOINT, Remove())


# Few cells, fields and values on purpose: writes should meet, merge, and often write what is there already.
few_values: st.SearchStrategy[Json] = (
    st.dictionaries(st.sampled_from(["a", "b", "c"]), scalars | st.sampled_from([0, 1, True, None]), max_size=3)
    | st.sampled_from([0, 1, 1.0, True, None, "", []])
    | json_values
)
few_keys: st.SearchStrategy[str] = st.sampled_from(["a", "b", "é/c"])
few_runs: st.SearchStrategy[str | None] = st.sampled_from([None, "r-1", "r-2"])
pasts: st.SearchStrategy[list[list[Command]]] = st.lists(
    st.lists(commands(few_keys, few_values, few_runs), max_size=4), max_size=12
)
"""The batches of one thread, those that the batch rule rejects included."""

addresses: st.SearchStrategy[Address] = st.tuples(st.sampled_from(list(Scope)), few_keys)
