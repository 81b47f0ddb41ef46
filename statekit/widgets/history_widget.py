"""What the widgets over one history share: a position, answers to the page, and a static form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets

from statekit.history import History


class Position(traitlets.TraitType[int, int]):
    """A position in the widget's history; raises `PositionError` for one outside of it."""

    default_value = 0

    def validate(self, obj: Any, value: Any) -> int:
        """The position as a plain integer."""
        position: int = obj.history.check_position(value)
        return position


class HistoryWidget(anywidget.AnyWidget):
    """A widget over one history, at one position of it."""

    position = Position().tag(sync=True)

    def __init__(self, history: History, **traits: Any) -> None:
        self._history = history
        self._owns_layout = "layout" not in traits
        super().__init__(**traits)
        self.on_msg(lambda _widget, content, _buffers: self.receive(content))

    @property
    def history(self) -> History:
        """The history it shows."""
        return self._history

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the page is told when it asks, as plain data; None for a question this widget does not know."""
        raise NotImplementedError

    def static_html(self) -> str:
        """The form for where there is no kernel: HTML with inline styles only and every text escaped."""
        raise NotImplementedError

    def receive(self, question: object) -> None:
        """Answer a message of the page."""
        answer = self.answer(question) if isinstance(question, dict) else None
        if answer is not None:
            self.send(answer)

    def accept(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The trait values of a page's message that can be set, with the position brought into the history."""
        accepted = dict(values)
        match accepted.get("position"):
            case int(position):
                accepted["position"] = min(max(position, 0), len(self._history))
            case _:
                accepted.pop("position", None)
        return accepted

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Take over trait values that the page set."""
        accepted = self.accept(sync_data)
        super().set_state(accepted)
        corrected = [name for name in sync_data if name not in accepted or accepted[name] != sync_data[name]]
        if corrected:
            self.send_state(corrected)

    def close(self) -> None:
        """Close the widget, and the layout that was made for it."""
        layout = self.layout
        super().close()
        if self._owns_layout:
            layout.close()

    def __repr__(self) -> str:
        history = self._history
        return f"{type(self).__name__}({history.thread_id!r}, {len(history)} transitions, at {self.position})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle
        return {**data, "text/plain": repr(self), "text/html": self.static_html()}, metadata
