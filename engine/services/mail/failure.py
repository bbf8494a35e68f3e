"""Errors of a mail server and its connections as ``TargetError``."""

import asyncio
import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

from engine.errors import ErrorClass, TargetError
from engine.services.mail.imap.client import ImapRejected
from engine.services.mail.imap.responses import BadResponse
from engine.target.host import Host

_REFUSED = ("AUTHENTICATIONFAILED", "AUTHORIZATIONFAILED", "PRIVACYREQUIRED", "EXPIRED")
LOST = (OSError, asyncio.IncompleteReadError, BadResponse, EOFError)


@contextmanager
def as_target_error(host: Host, doing: str) -> Iterator[None]:
    """Raise errors of the block as a ``TargetError`` that names the host and what failed (``doing``, such as ``logging
    in``)."""
    try:
        yield
    except ImapRejected as error:
        kind = ErrorClass.REJECTED if error.code.split(" ")[0] in _REFUSED else ErrorClass.OTHER
        text = f"mail server {host} refused {doing}: {error.text or 'it gave no reason'}"
        raise TargetError(kind, text, code=error.code.split(" ")[0], undone=True) from None
    except TimeoutError:
        text = f"mail server {host} did not answer in time, {doing}"
        raise TargetError(ErrorClass.TIMEOUT, text, usable=False) from None
    except ssl.SSLCertVerificationError as error:
        text = (
            f"the certificate of mail server {host} is not valid ({error.verify_message}); give sslrootcert=FILE, or"
            " trust_server_certificate=yes"
        )
        raise TargetError(ErrorClass.REJECTED, text, usable=False) from None
    except LOST as error:
        text = f"the connection to mail server {host} was lost, {doing} ({words_of(error)})"
        raise TargetError(ErrorClass.CONNECTION_LOST, text, usable=False) from None


def words_of(error: BaseException) -> str:
    """The reason of a lost connection, the same for all users."""
    if isinstance(error, asyncio.IncompleteReadError):
        return "the server closed it"
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)  # asyncio's own text has the address in it
    return str(error) or type(error).__name__
