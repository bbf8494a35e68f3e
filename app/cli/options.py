"""What options share: putting them over a plan, and refusing before a run what would only fail after it."""

import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.errors import BadInput
from engine.plan import RunPlan

duration_help = "Minutes to measure; fractions count in whole seconds, 0 runs until stopped. [0]"


def overridden(plan: RunPlan, fields: Mapping[str, Any]) -> RunPlan:
    """The plan with every option that was given; raises ``BadInput``."""
    given = {name: value for name, value in fields.items() if value is not None and value != ()}
    return replace(plan, **given)


def refuse_unwritable(path: str | None) -> None:
    """A result that can't be written must be known before the run, not after it. Raises ``BadInput``."""
    if path is None or path == "-":
        return
    file = Path(path)
    try:
        with file.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise BadInput(f"{path} can't be written ({error.strerror}); name another file.") from error


def opened(path: str) -> Any:
    """A file to write, or the standard output for ``-``; for a ``with`` statement."""
    return nullcontext(sys.stdout) if path == "-" else Path(path).open("w", encoding="utf-8", newline="")
