"""Journals: the media that hold histories, opened for reading.

What kind a target is, is told by its bytes and never by its name; a medium's module is imported when one is opened.
"""

from statekit.journal.opening import load_history, open_journal
from statekit.journal.protocol import Journal

__all__ = ["Journal", "load_history", "open_journal"]
