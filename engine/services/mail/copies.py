"""Finds the copies of sent messages in the mailboxes, for the audit of a run."""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from engine.services.mail import mailbox
from engine.services.mail.definition import FOLDERS
from engine.services.mail.imap.client import ImapClient
from engine.services.mail.session import INBOX

COPY_TYPE = np.dtype([("number", "<u4"), ("key", "<u4"), ("check", "<u4")])
"""A copy, by the three numbers that the ledger records: its number, the sender's number from 1, and the run's
number."""


async def copies_in(client: ImapClient, user: int, runs: Collection[int]) -> list[tuple[int, int, int]]:
    """The copies of the messages of these runs (by the runs' numbers) in a user's mailbox, in whatever folder they
    are."""
    copies = []
    for folder in (INBOX, *FOLDERS):
        for found in await mailbox.found_in(client, folder):
            identity = found.identity
            if identity is not None and identity.run in runs and user in identity.recipients:
                number = identity.number + identity.recipients.index(user)
                copies.append((number, identity.sender + 1, identity.run))
    return copies


def as_array(copies: Collection[tuple[int, int, int]]) -> npt.NDArray[np.void]:
    """The copies as ``COPY_TYPE``, by sender and number."""
    found = np.array(list(copies), COPY_TYPE)
    return found[np.lexsort([found["number"], found["key"]])]
