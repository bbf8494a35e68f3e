"""Executes the injections of a run, each on a thread of its own, and writes its audit line.

``Run`` passes on what is due. There is an executor for each kind of injection; the run's events are written through
``RunLog``, which ``Run`` implements.
"""

import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from engine.errors import TargetError, UserError
from engine.faults.fault_schedule import Armed
from engine.faults.injections import FaultKind, Injection
from engine.faults.marks import LONGEST_LABEL
from engine.faults.outcome import AuditLine, Outcome, current_user, shortened
from engine.faults.sentences import injection_sentence
from engine.secrets import Secret, masked
from engine.telemetry.event import EventKind

_log = logging.getLogger(__name__)
_STEADY_POLL_SECONDS = 0.5
_ROUND = re.compile(r" \(\d+ of \d+\)(?=$|: failed$)", re.ASCII)
_LONGEST_LABEL = LONGEST_LABEL - len(" (1000 of 1000): failed")
Executor = Callable[[Any], Outcome]
"""Executes an injection of its kind within its time-out; raises ``UserError`` or ``TargetError`` if it can't."""


class RunLog(Protocol):
    """Records injections in the run; thread-safe. Raises ``UserError`` if the run is over."""

    def add_injection(self, label: str, detail: str = "", *, at_monotonic: float, is_fault: bool = True) -> int: ...

    def change_injection(
        self, number: int, *, label: str | None = None, detail: str | None = None, is_fault: bool | None = None
    ) -> None: ...

    def end_fault(self, label: str, detail: str = "", *, at_monotonic: float) -> int: ...

    def add_event(self, kind: EventKind, label: str, *, detail: str = "") -> None: ...


@dataclass(frozen=True, kw_only=True)
class InjectionTools:
    """What a run needs to execute injections.

    ``executors`` execute them, by their kind; ``is_steady`` says whether the run's baseline is steady now; ``secrets``
    are masked wherever they occur in the output of an injection.
    """

    executors: Mapping[FaultKind, Executor] = field(default_factory=dict)
    is_steady: Callable[[], bool] = lambda: True
    secrets: Callable[[], Iterable[Secret]] = tuple


class Injector:
    """Executes injections. If the run ends before the end of a fault is due, the fault is ended at once."""

    def __init__(self, run_log: RunLog, tools: InjectionTools) -> None:
        self._run_log = run_log
        self._tools = tools
        self._threads: list[threading.Thread] = []
        self._waiting: dict[int, tuple[Armed, threading.Event]] = {}
        self._closing = threading.Event()
        self._lock = threading.Lock()

    def begin(self, armed: Armed) -> None:
        """Execute it now, or once the baseline is steady; returns at once."""
        held = None if armed.fault.steady_by_seconds is None else threading.Event()
        arguments = (armed, datetime.now(UTC), held)
        thread = threading.Thread(target=self._execute, args=arguments, name=f"injection-{armed.number}", daemon=True)
        with self._lock:
            if held is not None:
                self._waiting[armed.number] = armed, held
        thread.start()
        with self._lock:
            self._threads.append(thread)

    def abort(self, number: int) -> bool:
        """Leave one out that waits for a steady baseline; whether it was still waiting."""
        with self._lock:
            held = self._waiting.pop(number, None)
        if held is not None:
            held[1].set()
        return held is not None

    def held(self) -> tuple[Armed, ...]:
        """Those that wait for a steady baseline."""
        with self._lock:
            return tuple(armed for armed, _ in self._waiting.values())

    def close(self) -> None:
        """Leave out what waits, and end now what was to end later; returns at once."""
        self._closing.set()
        for armed in self.held():
            self.abort(armed.number)

    def join(self, seconds: float) -> bool:
        """Wait for what is under way; whether all of it is over."""
        deadline = time.monotonic() + seconds
        with self._lock:
            threads = tuple(self._threads)
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def _execute(self, armed: Armed, asked_at: datetime, held: threading.Event | None) -> None:
        try:
            reason = "" if held is None else self._await_steady(armed, held)
            if reason:
                self._run_log.add_event(EventKind.WARNING, f"not injected: {_label(armed)}", detail=reason)
            else:
                self._inject(armed, asked_at)
        except UserError:
            _log.warning("injection '%s' went on when its run was over", armed.fault.label)
        except Exception:
            _log.exception("an injection failed")

    def _await_steady(self, armed: Armed, held: threading.Event) -> str:
        """Wait for a steady baseline; empty when it came, else why it is not injected."""
        fault = armed.fault
        assert fault.steady_by_seconds is not None
        deadline = time.monotonic() + fault.steady_by_seconds - fault.at_seconds
        while not held.is_set() and not self._tools.is_steady():
            left = deadline - time.monotonic()
            if left <= 0:
                self.abort(armed.number)
                return "the baseline was not steady in time"
            held.wait(min(left, _STEADY_POLL_SECONDS))
        if self._closing.is_set():
            return "the run ended"
        return "" if self.abort(armed.number) else "it was aborted"

    def _inject(self, armed: Armed, asked_at: datetime) -> None:
        fault, label = armed.fault, masked(_label(armed), self._tools.secrets())
        assert fault.injection is not None
        began = time.monotonic()
        line = audit_line(fault.injection, asked_at)
        number = self._run_log.add_injection(
            label, self._covered(line), at_monotonic=began, is_fault=bool(fault.is_fault)
        )
        outcome = execute_injection(fault.injection, self._tools)
        line = audit_line(fault.injection, asked_at, began_at=line.began_at, outcome=outcome)
        self._run_log.change_injection(
            number,
            label=f"{label}: failed" if outcome.failure else None,
            detail=self._covered(line),
            is_fault=False if outcome.never_began else None,
        )
        if fault.end is not None and fault.end_after_seconds is not None and not outcome.never_began:
            self._closing.wait(max(0.0, began + fault.end_after_seconds - time.monotonic()))
            self._end(fault.end)

    def _end(self, injection: Injection) -> None:
        asked_at, began = datetime.now(UTC), time.monotonic()
        outcome = execute_injection(injection, self._tools)
        line = self._covered(audit_line(injection, asked_at, began_at=asked_at, outcome=outcome))
        if outcome.failure:
            self._run_log.add_event(EventKind.WARNING, f"{injection.act}: failed", detail=line)
        else:
            self._run_log.end_fault(injection.act, line, at_monotonic=began)

    def _covered(self, line: AuditLine) -> str:
        return line.text(self._tools.secrets())


def execute_injection(injection: Injection, tools: InjectionTools) -> Outcome:
    """Execute it, and make an outcome of whatever goes wrong: an injection never breaks its run."""
    executor = tools.executors.get(injection.kind)
    if executor is None:
        return Outcome.not_begun(f"this run can't do injections of kind {injection.kind}")
    try:
        return executor(injection)
    except (UserError, TargetError) as error:
        return Outcome(failure=shortened(str(error)))
    except Exception as error:
        _log.exception("an internal error in an injection")
        return Outcome(failure=f"Spindle itself failed: {type(error).__name__}")


def audit_line(
    injection: Injection,
    asked_at: datetime,
    *,
    began_at: datetime | None = None,
    outcome: Outcome | None = None,
) -> AuditLine:
    """The audit line of an injection by this user, as of now."""
    now = datetime.now(UTC)
    return AuditLine(
        who=current_user(),
        what=shortened(injection_sentence(injection)),
        asked_at=asked_at,
        began_at=began_at or now,
        done_at=None if outcome is None else now,
        outcome=outcome,
    )


def _label(armed: Armed) -> str:
    label, rounds = armed.fault.label[:_LONGEST_LABEL], armed.fault.repeat
    return label if rounds == 1 else f"{label} ({armed.round} of {rounds})"


def without_round(label: str) -> str:
    """What an injection is called, without which of its rounds it was."""
    return _ROUND.sub("", label)
