"""What a workload's mailboxes are, as data: how many there are, and the messages that each begins with."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

ARCHIVE, TRASH, CALENDAR_FOLDER = "Spindle Archive", "Spindle Trash", "Spindle Calendar"
FOLDERS = (ARCHIVE, TRASH, CALENDAR_FOLDER)
"""The folders beside INBOX that users have; all messages in them are Spindle's."""


@dataclass(frozen=True, kw_only=True)
class MailboxDefinition:
    """The mailboxes of a ``workload``, by its id; ``version`` rises when their messages change.

    ``mailboxes`` is how many there are of a scale, ``sizes`` the sizes in bytes of the messages in the INBOX of a user,
    by the scale, the seed and the user's number from 0.
    """

    workload: str
    version: int
    mailboxes: Callable[[str], int]
    sizes: Callable[[str, int, int], Iterable[int]]
