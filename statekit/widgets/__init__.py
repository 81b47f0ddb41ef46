"""Notebook widgets over a history; they need ipywidgets and anywidget."""

from statekit.widgets.stepper import ReplayStepper
from statekit.widgets.table import HistoryTable

__all__ = ["HistoryTable", "ReplayStepper"]
