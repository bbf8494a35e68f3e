"""The system under test of each kind of target; what it needs is loaded only when it is asked for."""

from engine.databases import database_of
from engine.databases.database import System
from engine.target.kinds import MAIL, STORAGE


def system_of(kind: str) -> System:
    """The system of a target's kind; raises ``BadInput`` for an unknown kind."""
    if kind == MAIL:
        from engine.services.mail.system import MailServer

        return MailServer()
    if kind == STORAGE:
        from engine.services.storage.system import Storage

        return Storage()
    return database_of(kind)
