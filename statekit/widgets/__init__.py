"""Notebook widgets over a history; they need ipywidgets and anywidget."""

from statekit.errors import extra_needed

try:
    from statekit.widgets.stepper import ReplayStepper
    from statekit.widgets.table import HistoryTable
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(extra_needed("statekit.widgets", missing.name, "widgets"), name=missing.name) from missing

__all__ = ["HistoryTable", "ReplayStepper"]
