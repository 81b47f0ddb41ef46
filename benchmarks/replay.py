"""What looking into the past costs, as ratios: run `python -m benchmarks.replay`, and read README.md beside it."""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import tracemalloc
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import gen
from benchmarks.measuring import Case, collector_off, in_turns, ratio, table, versions
from benchmarks.refold import plain_batches, refold
from statekit import History, Replay, Transition, load_history
from statekit.value import copy_value

CELLS = 200
SAMPLES = 40
"""How many random positions one call looks at."""

Figures = dict[str, float]


def written(transitions: int, folder: Path) -> Path:
    """The file of a generated history."""
    path = folder / f"{transitions}.ndjson"
    with path.open("wb") as file:
        file.writelines(gen.dumps(commit) + b"\n" for commit in gen.history(transitions, CELLS))
    return path


def look_at_all(history: History) -> None:
    """Look at every cell, and at some positions before its end: a cell that is absent need not be put together."""
    for address in history.cells:
        for position, _ in history.writes(*address)[-20:]:
            history.held(*address, position)


class Bench:
    """One history, its baseline, and the random places that every case looks at."""

    def __init__(self, history: History, rounds: int) -> None:
        self.history = history
        self.rounds = rounds
        self.length = len(history)
        self.batches = plain_batches(history)
        self.last = refold(self.batches)
        chance = random.Random(1)  # noqa: S311  # places to look at, no secret
        self.places = [chance.randrange(1, self.length) for _ in range(SAMPLES)]
        self.addresses = chance.choices(history.cells, k=SAMPLES)
        present = list(self.last)
        self.present = chance.choices(present, k=SAMPLES)
        # A cell is put together once, when it is first looked at; `opening` shows what that costs.
        look_at_all(history)

    def at_places(self, look: Callable[[int], object]) -> Case:
        """A case that looks at every place once."""

        def call() -> None:
            for place in self.places:
                look(place)

        return call, SAMPLES

    def looking(self) -> Figures:
        """Each way of looking at a random position; the unit is the copy of one cell out of a plain dict."""
        history, middle = self.history, self.batches[: self.length // 2]
        wanted = dict(zip(self.places, self.addresses, strict=False))

        def one_cell(place: int) -> object:
            value = history.held(*wanted[place], place)
            return copy_value(value)

        def transition(place: int) -> object:
            step = history.transition(place)
            return [(history.held(*cell, place - 1), history.held(*cell, place)) for cell in step.addresses]

        cases = {
            "unit": (lambda: [copy_value(self.last[address]) for address in self.present], SAMPLES),
            "refold": (lambda: refold(middle), 1),
            "cell": self.at_places(one_cell),
            "names": self.at_places(lambda place: list(history.store_at(place))),
            "listing": self.at_places(lambda place: list(history.store_at(place).items())),
            "step": self.at_places(transition),
            "diff": self.at_places(lambda place: history.diff(place - 1, place)),
        }
        return in_turns(cases, self.rounds)

    def seeking(self) -> Figures:
        """A look at one cell, a seek, and a look at it there; every distance ends at the same positions."""
        replay = Replay(self.history)
        address = self.addresses[0]

        def seek(distance: int) -> Callable[[int], object]:
            def look(place: int) -> object:
                replay.seek(_away(place, distance, self.length))
                before = address in replay.store
                replay.seek(place)
                return before, address in replay.store

            return look

        distances = [1, 10, 1_000, self.length]
        return in_turns({str(far): self.at_places(seek(far)) for far in distances}, self.rounds)

    def opening(self) -> Figures:
        """Building a history, and the first listing of its state, beside one plain refold of everything."""
        transitions = list(self.history)
        fresh: list[History] = []

        def build() -> None:
            fresh[:] = [History("t-1", transitions)]

        cases = {
            "refold": (lambda: refold(self.batches), 1),
            "build": (build, 1),
            # The history that was built just before, which nobody has looked into.
            "first": (lambda: list(fresh[0].store_at(self.length).items()), 1),
        }
        return in_turns(cases, self.rounds)


def _away(place: int, distance: int, length: int) -> int:
    """A position that far from a place, or the end that is farther from it where there is none."""
    if place >= distance:
        return place - distance
    return place + distance if place + distance <= length else max(0, length, key=lambda end: abs(end - place))


def memory(transitions: Sequence[Transition], file_size: int) -> Figures:
    """Bytes of the index for each command, when built and when every cell has been looked at, and against the file."""
    commands = sum(len(transition.commands) for transition in transitions)
    with collector_off():
        tracemalloc.start()
        history = History("t-1", transitions)
        built = tracemalloc.get_traced_memory()[0]
        look_at_all(history)
        looked_at = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
    return {"built": built / commands, "looked_at": looked_at / commands, "of_file": looked_at / file_size}


def measure(size: int, folder: Path, rounds: int) -> dict[str, Any]:
    """All figures of one size: times in seconds for the ratios, memory in bytes."""
    path = written(size, folder)
    history = load_history(path)
    bench = Bench(history, rounds)
    writes = Counter(address for transition in history for address in transition.addresses)
    return {
        "transitions": size,
        "commands": sum(len(transition.commands) for transition in history),
        "cells": len(history.cells),
        "busiest_cell": max(writes.values()),
        "looking": bench.looking(),
        "seeking": bench.seeking(),
        "opening": bench.opening(),
        "memory": memory(list(history), path.stat().st_size),
    }


def rows(results: Sequence[dict[str, Any]]) -> list[list[str]]:
    """The table: each row's meaning is in README.md."""

    def row(label: str, figure: Callable[[dict[str, Any]], float]) -> list[str]:
        return [label, *(ratio(figure(result)) for result in results)]

    looks = {
        "cell": "one cell",
        "names": "names of a state's cells",
        "listing": "a whole state, copied",
        "step": "a step",
        "diff": "diff to the next",
    }
    found = [
        row("build ÷ one plain refold", lambda r: r["opening"]["build"] / r["opening"]["refold"]),
        row("first listing ÷ one plain refold", lambda r: r["opening"]["first"] / r["opening"]["refold"]),
    ]
    for name, label in looks.items():
        found.append(row(f"{label} ÷ dict lookup", lambda r, n=name: r["looking"][n] / r["looking"]["unit"]))
        found.append(row(f"refold ÷ {label}", lambda r, n=name: r["looking"]["refold"] / r["looking"][n]))
    for place, label in enumerate(["10", "1,000", "as far as can be"], start=1):
        found.append(row(f"seek by {label} ÷ seek by 1", lambda r, p=place: _far(r["seeking"], p)))
    found += [
        row("index, bytes a command", lambda r: r["memory"]["built"]),
        row("the same, all cells looked at", lambda r: r["memory"]["looked_at"]),
        row("the same ÷ file", lambda r: r["memory"]["of_file"]),
    ]
    return found


def _far(seeking: Figures, place: int) -> float:
    times = list(seeking.values())
    return times[min(place, len(times) - 1)] / times[0]


def main() -> None:
    """Measure, print the table, and keep the figures when asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.replay", description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000", help="transitions of each history, separated by commas")
    parser.add_argument("--rounds", type=int, default=15, help="how often each case takes its turn")
    parser.add_argument("--json", type=Path, help="a file for the figures behind the ratios")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        results = [measure(size, Path(folder), options.rounds) for size in sizes]
    print(versions("msgspec", "pydantic"))
    print(table(["", *(f"{size:,}" for size in sizes)], rows(results)))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
