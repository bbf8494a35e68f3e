"""The one way to tell the user that something went wrong on the terminal, and the exit code that goes with it."""

import logging
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path

from engine.errors import BadInput, Cancelled, TargetError, UserError

COMPLETED, FAILED, BAD_INPUT, STOPPED = 0, 1, 2, 130
_LOG_BYTES = 1_000_000
_log = logging.getLogger(__name__)


def keep_log(path: Path) -> None:
    """Write warnings and our own errors to the home's log; without a writable one there is none."""
    handler: logging.Handler
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=2, encoding="utf-8", delay=True)
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


def say(text: str) -> None:
    """One sentence on the terminal's error channel, where it disturbs no output."""
    print(f"spindle: {text}", file=sys.stderr, flush=True)


def explain(error: BaseException) -> int:
    """Tell what happened in one sentence; the exit code for it."""
    match error:
        case BadInput():
            say(str(error))
            return BAD_INPUT
        case UserError() | TargetError():
            say(str(error))
            return FAILED
        case Cancelled() | KeyboardInterrupt():
            say("stopped.")
            return STOPPED
        case _:
            _log.error("unexpected error", exc_info=error)
            say(f"this is a fault of Spindle's own ({type(error).__name__}: {error}); the log has the details.")
            return FAILED
