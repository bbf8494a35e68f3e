"""The mailboxes of a workload as data: how many there are, and the messages that each holds at first."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

ARCHIVE, TRASH, CALENDAR_FOLDER = "Spindle Archive", "Spindle Trash", "Spindle Calendar"
FOLDERS = (ARCHIVE, TRASH, CALENDAR_FOLDER)
"""The folders of each user besides INBOX; all messages in them are Spindle's."""


@dataclass(frozen=True, kw_only=True)
class MailboxDefinition:
    """The mailboxes of a ``workload``, by its id; ``version`` rises when their messages change. ``mailboxes`` returns
    how many a scale has, ``sizes`` the sizes in bytes of the messages in a user's INBOX for a scale, a seed and the
    user's number from 0.
    """

    workload: str
    version: int
    mailboxes: Callable[[str], int]
    sizes: Callable[[str, int, int], Iterable[int]]
