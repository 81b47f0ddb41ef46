"""Hypothesis strategies shared by the tests: JSON values, keys, commands, batches, commits and whole threads.

Import it as `from strategies import commits`: pytest puts the folder of the tests on the path.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from statekit.command import Command, Remove, Set
from statekit.commit import ThreadCommit
from statekit.run import EndCause, EndKind, ErrorKind, Phase, PhaseKind, RunDisposition
from statekit.ticket import (
    InputReason,
    Pause,
    PauseReason,
    RemoteInput,
    ResumeTicket,
    Target,
    ToolCall,
    ToolReason,
)
from statekit.value import Held
from statekit.vocabulary import MergePolicy, Scope

Json = Any

# A surrogate has no UTF-8 form, so it is the one character that JSON text cannot hold.
texts: st.SearchStrategy[str] = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
"""Any text that JSON can say: empty, control characters, quotes and characters beyond the BMP included."""

integers: st.SearchStrategy[int] = st.integers(-(2**63), 2**64 - 1) | st.sampled_from(
    [-(2**63), -(2**53) - 1, -1, 0, 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1]
)
"""The integers that statekit writes, those that a float cannot hold included."""

floats: st.SearchStrategy[float] = st.floats(allow_nan=False, allow_infinity=False)

scalars: st.SearchStrategy[Json] = st.none() | st.booleans() | integers | floats | texts


def _containers(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.lists(inner, max_size=4) | st.dictionaries(field_names, inner, max_size=4)


# Few names on purpose: two objects should often share a field.
field_names: st.SearchStrategy[str] = st.sampled_from(["a", "b", "tags", "é", ""]) | texts

json_values: st.SearchStrategy[Json] = st.recursive(scalars, _containers, max_leaves=8)
"""All of JSON, nested."""

json_objects: st.SearchStrategy[dict[str, Json]] = st.dictionaries(field_names, json_values, max_size=4)

# Few keys on purpose: commands should often meet in one cell; some are prefixes of others.
keys: st.SearchStrategy[str] = st.sampled_from(["", "a", "a/", "a/b", "a/é", "b", "\U0001f600", "\uffee"]) | texts

scopes: st.SearchStrategy[Scope] = st.sampled_from(list(Scope))
policies: st.SearchStrategy[MergePolicy] = st.sampled_from(list(MergePolicy))
ids: st.SearchStrategy[str] = st.sampled_from(["r-1", "r-2", "r-é"]) | texts.filter(bool)
"""Run, thread and call ids, never empty."""


@st.composite
def commands(
    draw: st.DrawFn,
    keys: st.SearchStrategy[str] = keys,
    values: st.SearchStrategy[Json] = json_values | json_objects,
    run_ids: st.SearchStrategy[str | None] = st.none() | ids,
) -> Command:
    """Any command: every scope, policy and action, with or without an owner."""
    action = draw(st.builds(Set, values) | st.builds(Remove))
    return Command(draw(keys), draw(scopes), draw(policies), action, draw(run_ids))


def batches(max_size: int = 8) -> st.SearchStrategy[list[Command]]:
    """Any list of commands, those that the batch rule rejects included."""
    return st.lists(commands(), max_size=max_size)


def valid_batches(max_size: int = 4) -> st.SearchStrategy[list[Command]]:
    """Lists of commands that the batch rule accepts."""
    return batches(max_size).map(_without_conflicts)


def _without_conflicts(batch: list[Command]) -> list[Command]:
    taken: set[tuple[Scope, str]] = set()
    kept = []
    for command in batch:
        if isinstance(command.action, Set) and command.merge is MergePolicy.EXCLUSIVE:
            if (command.scope, command.key) in taken:
                continue
            taken.add((command.scope, command.key))
        kept.append(command)
    return kept


end_causes: st.SearchStrategy[EndCause] = (
    st.sampled_from([EndKind.NATURAL_END, EndKind.MAX_STEPS, EndKind.CANCELLED, EndKind.INDETERMINATE]).map(EndCause)
    | st.builds(EndCause, st.just(EndKind.STOPPED), reason=texts)
    | st.builds(
        EndCause,
        st.just(EndKind.ERROR),
        error=st.sampled_from([ErrorKind.CAPABILITY_BOUND, ErrorKind.STATE_CONFLICT]),
    )
    | st.builds(EndCause, st.just(EndKind.ERROR), error=st.just(ErrorKind.INFERENCE), code=texts, message=texts)
)
"""Every reason a run can end for."""

targets: st.SearchStrategy[Target] = (
    st.builds(ToolCall, st.sampled_from(list(ToolReason)), texts, texts, st.builds(Held, json_values))
    | st.builds(RemoteInput, st.sampled_from(list(InputReason)), texts)
    | st.builds(Pause, st.sampled_from(list(PauseReason)))
)
"""Everything a run can wait for."""


def tickets(
    run_ids: st.SearchStrategy[str] = ids, thread_ids: st.SearchStrategy[str] = ids
) -> st.SearchStrategy[ResumeTicket]:
    """Tickets with every target, with and without their optional fields."""
    return st.builds(
        ResumeTicket,
        correlation_id=texts,
        run_id=run_ids,
        thread_id=thread_ids,
        snapshot_id=texts,
        catalog_fingerprint=texts,
        target=targets,
        deadline_ms=st.none() | st.integers(0, 2**64 - 1),
        data_subject_id=st.none() | texts,
        delegation_origin=st.none() | st.builds(Held, json_values.filter(lambda value: value is not None)),
    )


events: st.SearchStrategy[dict[str, Json]] = st.fixed_dictionaries(
    {"kind": texts | json_values, "payload": json_values}, optional={"note": json_values}
)
"""A caller's own events, an unknown field included."""


@st.composite
def dispositions(draw: st.DrawFn, thread_id: str, run_id: str, *, may_end: bool = True) -> RunDisposition:
    """Any valid state of one run of one thread."""
    kind = draw(st.sampled_from([kind for kind in PhaseKind if may_end or kind is not PhaseKind.ENDED]))
    if kind is PhaseKind.RUNNING:
        return RunDisposition(run_id, Phase.RUNNING)
    if kind is PhaseKind.AWAITING:
        return RunDisposition(run_id, Phase.AWAITING, draw(tickets(st.just(run_id), st.just(thread_id))))
    return RunDisposition(run_id, Phase(PhaseKind.ENDED, draw(end_causes)))


@st.composite
def commits(
    draw: st.DrawFn,
    thread_ids: st.SearchStrategy[str] = ids,
    run_ids: st.SearchStrategy[str] = ids,
    *,
    may_end: bool = True,
    max_commands: int = 4,
) -> ThreadCommit:
    """Valid commits: running, awaiting with their ticket, or ended."""
    thread_id = draw(thread_ids)
    return ThreadCommit.assemble(
        thread_id,
        draw(dispositions(thread_id, draw(run_ids), may_end=may_end)),
        state_changed=draw(st.booleans()),
        messages=draw(st.lists(json_values, max_size=1)),
        state=draw(valid_batches(max_commands)),
        extra_events=draw(st.lists(events, max_size=1)),
    )


@st.composite
def threads(draw: st.DrawFn, thread_id: str = "t", min_size: int = 0, max_size: int = 8) -> list[ThreadCommit]:
    """The commits of one thread in order: up to three runs take turns, and none goes on after its end."""
    open_runs = ["r-1", "r-2", "r-é"]
    history: list[ThreadCommit] = []
    for left in range(draw(st.integers(min_size, max_size)), 0, -1):
        # The last open run may only end with the thread, or `min_size` could not be kept.
        may_end = len(open_runs) > 1 or left == 1
        commit = draw(commits(st.just(thread_id), st.sampled_from(open_runs), may_end=may_end, max_commands=3))
        if commit.phase.kind is PhaseKind.ENDED:
            open_runs.remove(commit.run_id)
        history.append(commit)
    return history
