"""Notebook widgets over a history; they need ipywidgets and anywidget."""

try:
    from statekit.widgets.stepper import ReplayStepper
    from statekit.widgets.table import HistoryTable
except ModuleNotFoundError as missing:
    message = f"statekit.widgets needs {missing.name}: pip install 'statekit[widgets]'"
    raise ModuleNotFoundError(message, name=missing.name) from missing

__all__ = ["HistoryTable", "ReplayStepper"]
