"""The batch rule and the apply rule, against an oracle that is written from the model's text alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from statekit.command import Command, Remove, Set
from statekit.errors import MergeConflict
from statekit.merge import apply_command, merges, validate_batch
from statekit.value import same
from statekit.vocabulary import MergePolicy, Scope
from strategies import batches, commands, json_objects, json_values

D, C, E = MergePolicy.DISJOINT, MergePolicy.COMMUTATIVE, MergePolicy.EXCLUSIVE
REMOVE = object()

Step = tuple[MergePolicy, Any]


def command(step: Step, key: str = "k", scope: Scope = Scope.THREAD, run_id: str | None = None) -> Command:
    merge, value = step
    return Command(key, scope, merge, Remove() if value is REMOVE else Set(value), run_id)


def conflict(batch: list[Command]) -> tuple[int, int] | None:
    try:
        validate_batch(batch)
    except MergeConflict as error:
        found = error
    else:
        return None
    assert (found.scope, found.key) == batch[found.second].address
    return found.first, found.second


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([(E, 1), (E, 2)], (0, 1)),
        ([(E, 1), (E, 1)], (0, 1)),
        ([(E, None), (E, None)], (0, 1)),
        ([(E, {"a": 1}), (E, {"b": 1})], (0, 1)),
        ([(E, 1), (E, REMOVE), (E, 2)], (0, 2)),
        ([(E, 1), (D, REMOVE), (E, 2)], (0, 2)),
        ([(E, 1), (D, 2), (E, 3)], (0, 2)),
        ([(E, 1), (C, {}), (E, 3)], (0, 2)),
        ([(D, 1), (E, 2), (E, 3)], (1, 2)),
        ([(E, REMOVE), (E, 1), (E, 2)], (1, 2)),
        ([(E, 1), (E, 2), (E, 3)], (0, 1)),
        ([], None),
        ([(E, 1)], None),
        ([(E, 1), (E, REMOVE)], None),
        ([(E, REMOVE), (E, 1)], None),
        ([(E, REMOVE), (E, REMOVE)], None),
        ([(E, 1), (D, 2)], None),
        ([(D, 1), (E, 2)], None),
        ([(E, 1), (C, {})], None),
        ([(C, {}), (E, 1)], None),
        ([(D, 1), (E, 2), (D, 3)], None),
        ([(D, 1), (D, 2)], None),
        ([(C, 1), (C, 2)], None),
    ],
)
def test_only_a_second_exclusive_set_conflicts(steps: list[Step], expected: tuple[int, int] | None) -> None:
    assert conflict([command(step) for step in steps]) == expected


def test_cells_conflict_apart() -> None:
    assert conflict([command((E, 1), key="a"), command((E, 1), key="b"), command((E, 1), key="")]) is None
    assert conflict([command((E, 1), scope=scope) for scope in Scope]) is None
    assert conflict([command((E, 1), key="é"), command((E, 1), key="e\u0301")]) is None


def test_the_owner_of_a_command_makes_no_other_cell() -> None:
    assert conflict(
        [command((E, 1), scope=Scope.RUN, run_id="r-1"), command((E, 2), scope=Scope.RUN, run_id="r-2")]
    ) == (0, 1)


def test_the_first_conflicting_command_is_told() -> None:
    batch = [command((E, 1), key="a"), command((E, 1), key="b"), command((E, 2), key="b"), command((E, 2), key="a")]
    assert conflict(batch) == (1, 2)


def test_any_iterable_is_a_batch() -> None:
    with pytest.raises(MergeConflict):
        validate_batch(command((E, value)) for value in range(2))
    validate_batch(iter(()))


def conflict_by_the_text(batch: list[Command]) -> tuple[int, int] | None:
    """The rule of the state model, word by word."""
    for second, later in enumerate(batch):
        if isinstance(later.action, Remove) or later.merge.value != "Exclusive":
            continue
        for first in range(second):
            earlier = batch[first]
            if (
                isinstance(earlier.action, Set)
                and earlier.merge.value == "Exclusive"
                and (earlier.scope.value, earlier.key) == (later.scope.value, later.key)
            ):
                return first, second
    return None


@given(batches(max_size=20))
def test_batches_conflict_as_the_text_of_the_rule_says(batch: list[Command]) -> None:
    assert conflict(batch) == conflict_by_the_text(batch)


@pytest.mark.parametrize(
    ("existing", "step", "expected"),
    [
        ({"a": 1, "b": 2}, (C, {"b": 3, "c": 4}), {"a": 1, "b": 3, "c": 4}),
        ({"a": {"x": 1}}, (C, {"a": {"y": 2}}), {"a": {"y": 2}}),
        ({"a": 1}, (C, {"a": None}), {"a": None}),
        ({"a": 1}, (C, {}), {"a": 1}),
        ({}, (C, {"a": 1}), {"a": 1}),
        ({"a": 1}, (C, [1]), [1]),
        ({"a": 1}, (C, None), None),
        ([1], (C, {"a": 1}), {"a": 1}),
        ([1], (C, [2]), [2]),
        (None, (C, {"a": 1}), {"a": 1}),
        (1, (C, 2), 2),
        ({"a": 1}, (D, {"b": 2}), {"b": 2}),
        ({"a": 1}, (E, {"b": 2}), {"b": 2}),
        ({"a": 1}, (C, REMOVE), REMOVE),
        ({"a": 1}, (D, REMOVE), REMOVE),
        ({"a": 1}, (E, REMOVE), REMOVE),
        (REMOVE, (D, REMOVE), REMOVE),
        (REMOVE, (C, REMOVE), REMOVE),
        (REMOVE, (C, {"a": 1}), {"a": 1}),
        (REMOVE, (E, 1), 1),
        (REMOVE, (D, None), None),
    ],
)
def test_one_command_changes_its_cell(existing: Any, step: Step, expected: Any) -> None:
    address, other = (Scope.THREAD, "k"), (Scope.SHARED, "k")
    cells: dict[tuple[Scope, str], Any] = {other: {"kept": 1}}
    if existing is not REMOVE:
        cells[address] = existing
    apply_command(cells, command(step))
    if expected is REMOVE:
        assert address not in cells
    else:
        assert same(cells[address], expected)
    assert same(cells[other], {"kept": 1})


def test_a_merge_leaves_both_values_as_they_were() -> None:
    existing: dict[str, Any] = {"a": {"x": 1}}
    step = command((C, {"b": {"y": 2}}))
    cells: dict[tuple[Scope, str], Any] = {(Scope.THREAD, "k"): existing}
    apply_command(cells, step)
    assert existing == {"a": {"x": 1}}
    assert step.action == Set({"b": {"y": 2}})
    assert cells[Scope.THREAD, "k"] is not existing


def applied(existing: Any, step: Command) -> Any:
    """The apply rule of the state model, word by word."""
    if isinstance(step.action, Remove):
        return REMOVE
    incoming = step.action.value
    if step.merge.value == "Commutative" and isinstance(existing, dict) and isinstance(incoming, dict):
        merged = dict(existing)
        for name in incoming:
            merged[name] = incoming[name]
        return merged
    return incoming


@given(json_values | json_objects, commands())
def test_a_command_changes_a_cell_as_the_text_of_the_rule_says(existing: Any, step: Command) -> None:
    cells = {step.address: existing}
    expected = applied(existing, step)
    merging = merges(step, existing)
    apply_command(cells, step)
    assert same([cells[step.address]] if step.address in cells else [], [] if expected is REMOVE else [expected])
    assert merging is (
        step.merge is C
        and isinstance(existing, dict)
        and isinstance(step.action, Set)
        and isinstance(step.action.value, dict)
    )


@given(batches(max_size=20))
def test_a_batch_folds_as_the_text_of_the_rule_says(batch: list[Command]) -> None:
    cells: dict[Any, Any] = {}
    expected: dict[Any, Any] = {}
    for step in batch:
        apply_command(cells, step)
        outcome = applied(expected.get(step.address, REMOVE), step)
        expected.pop(step.address, None)
        if outcome is not REMOVE:
            expected[step.address] = outcome
    assert cells.keys() == expected.keys()
    assert all(same(cells[address], expected[address]) for address in expected)
