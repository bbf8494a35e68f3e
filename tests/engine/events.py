"""Events of runs as the driver emits them, for tests that read events."""

from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.workstation_text import limit_sentence


def warning(
    at_seconds: float, code: EventCode, label: str = "", *, client: int | None = None, number: int = 0, **data: object
) -> RunEvent:
    return RunEvent(
        at_seconds=at_seconds,
        kind=EventKind.WARNING,
        code=code,
        data=data,
        label=label or code.value,
        client=client,
        number=number,
    )


def limit(
    at_seconds: float,
    code: EventCode,
    how: str,
    *,
    lasted_seconds: float | None = None,
    busy_pct: int | None = None,
    number: int = 0,
) -> RunEvent:
    """A time in which the workstation was in the run's way, or is."""
    data = {"lasted_seconds": lasted_seconds, "how": how, "busy_pct": busy_pct}
    return warning(at_seconds, code, limit_sentence(code, data), number=number, **data)


def suspended(at_seconds: float, seconds: float, *, number: int = 0) -> RunEvent:
    label = f"the workstation was suspended for {seconds:.1f} s"
    return warning(at_seconds, EventCode.WORKSTATION_SUSPENDED, label, number=number, seconds=seconds)


def connections_lost(at_seconds: float, users: int, client: int, *, number: int = 0) -> RunEvent:
    return RunEvent(
        at_seconds=at_seconds,
        kind=EventKind.CONNECTION_LOST,
        code=EventCode.CONNECTIONS_LOST,
        data={"users": users},
        label=f"connection lost ×{users}",
        client=client,
        number=number,
    )


def server_error(at_seconds: float, error_class: str, text: str, client: int, *, number: int = 0) -> RunEvent:
    return RunEvent(
        at_seconds=at_seconds,
        kind=EventKind.TARGET_ERROR,
        code=EventCode.SERVER_ERROR,
        data={"error_class": error_class, "text": text},
        label=f"{error_class}: {text}",
        client=client,
        number=number,
    )
