"""Error messages on the terminal, and the exit codes."""

import errno
import logging
import re
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from app.remedy_text import terminal_text
from engine.errors import BadInput, Cancelled, TargetError, UnknownName, UserError

COMPLETED, FAILED, BAD_INPUT, ORDERS_LOST, NOT_KEPT, STOPPED = 0, 1, 2, 3, 4, 130
_LOG_BYTES = 1_000_000
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_CREDENTIALS = re.compile(r"(//?[^/:@\s]*):\S*@")
_log = logging.getLogger(__name__)


def keep_log(path: Path) -> None:
    """Write warnings and internal errors to the home's log; the file is created with its first line."""
    handler = _LateFile(path, maxBytes=_LOG_BYTES, backupCount=2, encoding="utf-8", delay=True)
    handler.setFormatter(_Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.raiseExceptions = False  # an unwritable log must not fill the terminal with tracebacks
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


def without_passwords(text: str) -> str:
    """The text with the password of every URL in it masked; for user input that is repeated in a message."""
    return _CREDENTIALS.sub(r"\1:•••@", text)


def print_notice(text: str) -> None:
    """Print one sentence to standard error."""
    print(f"spindle: {without_passwords(text)}", file=sys.stderr, flush=True)


def report_error(error: BaseException) -> int:
    """Print an error in one sentence; returns its exit code."""
    match error:
        case BadInput() | UnknownName():
            print_notice(terminal_text(error))
            return BAD_INPUT
        case UserError() | TargetError():
            print_notice(terminal_text(error))
            return FAILED
        case Cancelled() | KeyboardInterrupt():
            print_notice(str(error) or "stopped.")
            return STOPPED
        case OSError() if error.errno in _NO_ROOM:
            print_notice(f"no space left to write ({error.strerror}); free some, or write elsewhere.")
            return FAILED
        case _:
            _log.error("unexpected error", exc_info=error)
            what = " ".join(f"{type(error).__name__}: {error}".split())
            print_notice(f"internal error ({what}); {_where_the_details_are()}.")
            return FAILED


class _LateFile(RotatingFileHandler):
    def _open(self) -> Any:
        Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True)
        return super()._open()


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return without_passwords(super().format(record))


def _where_the_details_are() -> str:
    files = [handler.baseFilename for handler in logging.getLogger().handlers if isinstance(handler, _LateFile)]
    written = [name for name in files if Path(name).is_file()]
    return f"see {written[0]} for details" if written else "no log could be written"
