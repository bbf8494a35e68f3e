"""A stage of a plan's load: how long it lasts, and how many users are active in it or at which rate work is due."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from engine.errors import BadInput
from engine.figure_text import counted
from engine.parameters.typed_text import LATEST_SECONDS, duration_of, read_number, time_text, write_number
from engine.parameters.values import Number, ValueType, Whole, did_you_mean

MOST_STAGES = 500
MOST_USERS = 256_000
RATE = Number(0.01, 10_000_000)
SECONDS = Whole(1, int(LATEST_SECONDS))
_SETTLE_SECONDS = Whole(0, int(LATEST_SECONDS))
_LONGEST_USUAL_SETTLING_SECONDS = 30
_USUAL_SETTLING_SHARE = 4
_THINK_TIME = Number(0, 3_600_000)
_EXAMPLE = "'10 users 2:00, 20 users 2:00' or '6000/min 5:00'"
_LOAD = re.compile(r"(?P<users>[^\s/]+)\s+users?|(?P<rate>[^\s/]+)\s*/\s*(?P<per>min|s)\b", re.IGNORECASE)
_OPTION = re.compile(r"\s+(?P<name>think|settle)\s+(?P<value>\S+(?:\s+ms\b)?)", re.IGNORECASE)


def rate_text(rate: float, per: str) -> str:
    """``6000/min``, ``2.5/s``."""
    return f"{write_number(rate)}/{per or 'min'}"


def kept_fields(kind: type) -> tuple[str, ...]:
    """The fields that are stored; how a rate was typed is known from the workload."""
    return tuple(each.name for each in fields(kind) if each.compare)


def usual_settling_seconds(seconds: int) -> int:
    """The settling time of a stage that gives none: a quarter of the stage, at most 30 s."""
    return min(_LONGEST_USUAL_SETTLING_SECONDS, seconds // _USUAL_SETTLING_SHARE)


@dataclass(frozen=True, kw_only=True)
class Stage:
    """``users`` of all clients together are active for ``seconds``, or transactions are due at a ``rate``, in units of
    the workload's headline metric. Exactly one of the two is given.

    ``per`` is how a rate was typed, ``min`` or ``s``, which has to be as the metric is; empty: as the metric is.
    The first ``settle_seconds`` do not count; ``None`` is ``usual_settling_seconds``. ``think_time_ms`` takes the place
    of the plan's. Raises ``BadInput`` for a stage that can't be run.
    """

    seconds: int
    users: int | None = None
    rate: float | None = None
    think_time_ms: float | None = None
    settle_seconds: int | None = None
    per: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        if (self.users is None) == (self.rate is None):
            raise BadInput("a stage needs either users or a rate; give one of them.")
        SECONDS.checked("seconds of a stage", self.seconds)
        if self.users is not None:
            Whole(1, MOST_USERS).checked("users of a stage", self.users)
        else:
            object.__setattr__(self, "rate", RATE.checked("rate of a stage", self.rate))
        if self.think_time_ms is not None:
            checked = _THINK_TIME.checked("think time of a stage", self.think_time_ms)
            object.__setattr__(self, "think_time_ms", checked)
            if self.rate is not None:
                raise BadInput(f"stage '{self.load_text}' has a rate and a think time; leave out the think time.")
        if self.settle_seconds is not None:
            _SETTLE_SECONDS.checked("settling time of a stage", self.settle_seconds)
        if self.settling_seconds >= self.seconds:
            raise BadInput(
                f"stage '{self.load_text}' lasts {time_text(self.seconds)}, and its settling time is"
                f" {time_text(self.settling_seconds)}; give a longer stage or a shorter settling time."
            )

    @property
    def settling_seconds(self) -> int:
        """How long its figures do not count."""
        return usual_settling_seconds(self.seconds) if self.settle_seconds is None else self.settle_seconds

    @property
    def load(self) -> float:
        """Its users, or its rate."""
        return self.users if self.users is not None else self.rate or 0.0

    @property
    def load_text(self) -> str:
        """``20 users`` or ``6000/min``."""
        return counted(self.users, "user") if self.users is not None else rate_text(self.rate or 0, self.per)

    def to_dict(self) -> dict[str, Any]:
        """The stage for JSON and TOML, without what is left open."""
        values = ((name, getattr(self, name)) for name in kept_fields(type(self)))
        return {name: value for name, value in values if value is not None}

    @classmethod
    def from_dict(cls, plain: Any) -> Self:
        """Read a stage; raises ``BadInput``."""
        known = kept_fields(cls)
        if not isinstance(plain, Mapping):
            raise BadInput(f"a stage is {plain!r}; give a table such as {{users = 10, seconds = 120}}.")
        for key in plain:
            if key not in known:
                raise BadInput(f"stage key '{key}' is not known; {did_you_mean(str(key), known)}.")
        return cls(**{"seconds": 0, **plain})

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read ``20 users 2:00 think 20 ms settle 0:30``; raises ``BadInput``."""
        options = {match["name"].lower(): match["value"] for match in _OPTION.finditer(text)}
        rest = _OPTION.sub("", text).strip()
        match = _LOAD.match(rest)
        if match is None:
            raise BadInput(f"stage '{text.strip()}' can't be read; write stages such as {_EXAMPLE}.")
        time = rest[match.end() :].strip()
        if not time:
            raise BadInput(f"stage '{text.strip()}' does not say how long it lasts; write stages such as {_EXAMPLE}.")
        values: dict[str, Any] = {"seconds": whole_seconds(time)}
        if match["users"] is not None:
            values["users"] = read_number("users of a stage", match["users"])
        else:
            values["rate"] = read_number("rate of a stage", match["rate"])
            values["per"] = match["per"].lower()
        if "think" in options:
            number = re.sub(r"\s*ms$", "", options["think"], flags=re.IGNORECASE)
            values["think_time_ms"] = read_number("think time of a stage", number)
        if "settle" in options:
            values["settle_seconds"] = whole_seconds(options["settle"])
        return cls(**values)

    def to_text(self) -> str:
        """The text that ``from_text`` reads back."""
        load = self.load_text if self.users is None else f"{self.users} user{'' if self.users == 1 else 's'}"
        think = "" if self.think_time_ms is None else f" think {write_number(self.think_time_ms)}"
        settle = "" if self.settle_seconds is None else f" settle {time_text(self.settle_seconds)}"
        return f"{load} {time_text(self.seconds)}{think}{settle}"


def whole_seconds(text: str) -> int:
    """The whole seconds that a time means, a fraction rounded up; raises ``BadInput``."""
    return -int(-duration_of(text) // 1)


class Stages(ValueType):
    """Stages, one after the other; typed with commas between them."""

    def checked(self, name: str, value: object) -> tuple[Stage, ...]:
        if isinstance(value, str):
            value = self.read(name, value)
        if not isinstance(value, list | tuple) or not value:
            raise BadInput(f"{name} is {value!r}; give a list of stages, such as {_EXAMPLE}.")
        if len(value) > MOST_STAGES:
            raise BadInput(f"{name} has {len(value)} stages; use at most {MOST_STAGES}.")
        return tuple(_checked_stages(name, value))

    def read(self, name: str, text: str) -> tuple[Stage, ...]:
        try:
            return tuple(Stage.from_text(each) for each in text.split(","))
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from error

    def write(self, value: Iterable[Stage]) -> str:
        return ", ".join(stage.to_text() for stage in value)

    def plain(self, value: Iterable[Stage]) -> list[dict[str, Any]]:
        return [stage.to_dict() for stage in value]


def _checked_stages(name: str, values: Iterable[object]) -> Iterator[Stage]:
    for number, each in enumerate(values, start=1):
        try:
            yield each if isinstance(each, Stage) else Stage.from_dict(each)
        except BadInput as error:
            raise BadInput(f"{name}, number {number}: {error}") from error
