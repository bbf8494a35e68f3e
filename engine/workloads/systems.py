"""The system under test of each kind of target; what it needs is loaded only when it is asked for."""

from engine.databases import database_of
from engine.databases.database import System
from engine.target.target import MAIL


def system_of(kind: str) -> System:
    """The system of a target's kind; raises ``BadInput`` for an unknown kind."""
    if kind == MAIL:
        from engine.services.mail import MailServer

        return MailServer()
    return database_of(kind)
