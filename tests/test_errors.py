"""Every error carries its data, says one sentence, pickles, and stands where the tree says."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from typing import Any

import pytest

from statekit import errors
from statekit.errors import (
    CommitRejected,
    ContractError,
    CorruptJournal,
    JournalBusy,
    JournalError,
    JournalReadOnly,
    MergeConflict,
    Mismatch,
    NotAJournal,
    PositionError,
    StateError,
    StatekitError,
    UnknownThread,
    ValidationError,
    WireError,
)
from statekit.vocabulary import Scope

MISMATCH = Mismatch("$.tags[0]", "text", "an integer")

EXAMPLES: list[tuple[StatekitError, dict[str, Any]]] = [
    (StatekitError("it went wrong"), {}),
    (
        StateError("k", Scope.RUN, "no", [MISMATCH]),
        {"key": "k", "scope": Scope.RUN, "detail": "no", "errors": [MISMATCH]},
    ),
    (StateError(None, None, "no"), {"key": None, "scope": None, "detail": "no", "errors": []}),
    (ContractError("k", Scope.SHARED, "a set"), {"key": "k", "scope": Scope.SHARED, "detail": "a set"}),
    (PositionError(-1, 36), {"position": -1, "length": 36, "first": 0}),
    (PositionError(0, 36, 1), {"position": 0, "length": 36, "first": 1}),
    (ValidationError("the thread id is empty"), {}),
    (WireError("trailing comma", "$.state[0]", 17), {"detail": "trailing comma", "path": "$.state[0]", "offset": 17}),
    (WireError("trailing comma"), {"detail": "trailing comma", "path": "$", "offset": None}),
    (MergeConflict(Scope.PROFILE, "é", 2, 5), {"scope": Scope.PROFILE, "key": "é", "first": 2, "second": 5}),
    (JournalError("it went wrong"), {}),
    (NotAJournal("a.png", "an image"), {"target": "a.png", "detail": "an image"}),
    (UnknownThread("j", "t", ["a", "b"]), {"target": "j", "thread_id": "t", "threads": ["a", "b"]}),
    (UnknownThread("j", None, []), {"target": "j", "thread_id": None, "threads": []}),
    (CorruptJournal("j", "not JSON", 3, 90), {"target": "j", "detail": "not JSON", "line": 3, "offset": 90}),
    (CorruptJournal("j", "no table"), {"target": "j", "detail": "no table", "line": None, "offset": None}),
    (CommitRejected("the run has ended"), {"reason": "the run has ended"}),
    (JournalBusy("j", "process 7"), {"target": "j", "holder": "process 7"}),
    (JournalBusy("j"), {"target": "j", "holder": None}),
    (JournalReadOnly("j"), {"target": "j"}),
]
EACH = pytest.mark.parametrize(("error", "data"), EXAMPLES, ids=[repr(error)[:50] for error, _ in EXAMPLES])

PUBLIC = {
    cls
    for _, cls in inspect.getmembers(errors, inspect.isclass)
    if issubclass(cls, Exception) and cls.__module__ == errors.__name__
}


def test_every_error_class_has_an_example() -> None:
    assert {type(error) for error, _ in EXAMPLES} == PUBLIC


@EACH
def test_an_error_carries_its_data(error: StatekitError, data: dict[str, Any]) -> None:
    assert vars(error) == data


@EACH
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_error_pickles_with_its_data_and_sentence(error: StatekitError, data: dict[str, Any], protocol: int) -> None:
    again = pickle.loads(pickle.dumps(error, protocol))
    assert type(again) is type(error)
    assert vars(again) == data
    assert str(again) == str(error)
    assert again.args == error.args


@EACH
def test_an_error_copies(error: StatekitError, data: dict[str, Any]) -> None:
    again = copy.deepcopy(error)
    assert (type(again), vars(again), str(again)) == (type(error), data, str(error))


def test_notes_survive_pickling() -> None:
    error = CommitRejected("the run has ended")
    error.add_note("while importing")
    assert pickle.loads(pickle.dumps(error)).__notes__ == ["while importing"]


@EACH
def test_an_error_says_one_sentence(error: StatekitError, data: dict[str, Any]) -> None:
    assert str(error)
    assert "\n" not in str(error)
    assert not str(error).endswith(".")
    for name in ("key", "detail", "reason", "target", "thread_id"):
        if isinstance(data.get(name), str):
            assert data[name] in str(error)


def test_a_conflict_names_both_commands_and_the_cell() -> None:
    assert re.search(r"\b2\b.*\b5\b.*'k'.*Profile", str(MergeConflict(Scope.PROFILE, "k", 2, 5)))


def test_an_unknown_thread_lists_twenty_threads_and_counts_the_rest() -> None:
    sentence = str(UnknownThread("j", "t", [f"thread-{n}" for n in range(25)]))
    assert "'thread-19'" in sentence
    assert "'thread-20'" not in sentence
    assert "and 5 more" in sentence


def test_a_state_error_can_be_told_its_cell() -> None:
    error = StateError(None, None, "no", [MISMATCH]).at(Scope.SHARED, "k")
    assert vars(error) == {"key": "k", "scope": Scope.SHARED, "detail": "no", "errors": [MISMATCH]}
    assert "Shared cell 'k'" in str(error)


def drawn_tree() -> dict[str, str]:
    """Each class of the docstring's drawing with the class it hangs from."""
    parents: dict[str, str] = {}
    branch: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        drawn = re.match(r"    ((?:\|   |    )*)(\+-- )?([A-Z]\w+)( {2,}|$)", line)
        if drawn is None:
            continue
        depth = len(drawn[1]) // 4 + bool(drawn[2])
        del branch[depth:]
        parents[drawn[3]] = branch[-1] if branch else "Exception"
        branch.append(drawn[3])
    return parents


def test_the_drawn_tree_is_the_class_hierarchy() -> None:
    real = {cls.__name__: cls.__bases__[0].__name__ for cls in PUBLIC}
    assert drawn_tree() == real


def test_the_drawing_tells_the_builtin_bases() -> None:
    also = dict(re.findall(r"([A-Z]\w+) +[^\n]*\(also an? (\w+)\)", errors.__doc__ or ""))
    real = {cls.__name__: cls.__bases__[1].__name__ for cls in PUBLIC if len(cls.__bases__) > 1}
    assert also == real


def test_a_conflict_is_a_validation_error_is_a_value_error() -> None:
    assert issubclass(MergeConflict, ValidationError)
    assert issubclass(WireError, ValidationError)
    assert issubclass(ValidationError, ValueError)
    assert issubclass(PositionError, IndexError)


def test_a_broken_contract_escapes_those_who_expect_state_errors() -> None:
    assert not issubclass(ContractError, StateError)
    assert not issubclass(StateError, ValueError)
