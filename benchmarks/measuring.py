"""Times taken in turns, so that a busy machine slows every contestant alike, and tables of their ratios."""

from __future__ import annotations

import gc
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from statistics import median
from time import perf_counter

Case = tuple[Callable[[], object], int]
"""What to call, and how many operations one call does."""


@contextmanager
def collector_off() -> Iterator[None]:
    """No collection falls into a measurement by chance."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def in_turns(cases: Mapping[str, Case], rounds: int) -> dict[str, float]:
    """The median seconds of one operation of each case, every round calling each case once."""
    taken: dict[str, list[float]] = {name: [] for name in cases}
    with collector_off():
        for call, _ in cases.values():
            call()
        for _ in range(rounds):
            for name, (call, operations) in cases.items():
                start = perf_counter()
                call()
                taken[name].append((perf_counter() - start) / operations)
    return {name: median(times) for name, times in taken.items()}


def ratio(value: float) -> str:
    """A ratio with about two digits that mean something."""
    return f"{value:,.0f}" if value >= 20 else f"{value:.1f}" if value >= 2 else f"{value:.2f}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [list(head), ["---", *("---:" for _ in head[1:])], *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def versions(*packages: str) -> str:
    """What the figures were taken with."""
    installed = [f"{package} {version(package)}" for package in packages]
    return ", ".join([f"Python {platform.python_version()}", *installed])
