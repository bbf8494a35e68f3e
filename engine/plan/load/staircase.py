"""The staircase: a stage after the other with more users each, until one of its end conditions is met.

The published cycles add 10 users every 2 minutes until the 95th percentile exceeds 50 ms or the throughput no longer
grows by 2 per cent. ``engine.analysis.stages.ending`` decides which condition is met.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from engine.errors import BadInput
from engine.figure_text import counted
from engine.parameters.typed_text import read_number, time_text, write_number
from engine.parameters.values import Number, ValueType, Whole, did_you_mean
from engine.plan.load.stage import MOST_STAGES, MOST_USERS, RATE, SECONDS, Stage, kept_fields, rate_text, whole_seconds

_EXAMPLE = "'10:2:00', or '10:2:00 p95 50 growth 2 settle 0:30 most 250'"
_STEP = re.compile(r"\s*(?P<step>[\d.]+)(?:/(?P<per>min|s))?:(?P<seconds>\S+)", re.IGNORECASE)
_OPTION = re.compile(r"\s+(?P<name>p95|growth|settle|most)\s+(?P<value>\S+)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Staircase:
    """Stages of ``seconds`` each; every one has ``users`` more than the one before, or a ``rate`` higher by so much.

    It ends after the stage whose 95th percentile exceeds ``p95_limit_ms``, or whose throughput exceeds that of the
    stage before by less than ``least_growth_pct`` (0 turns a condition off), or in which the workstation was the limit;
    at the latest after the stage with ``most`` users or that rate, ``None`` for all users of the plan. ``per`` is as in
    a ``Stage``.
    """

    seconds: int
    users: int | None = None
    rate: float | None = None
    p95_limit_ms: float = 50.0
    least_growth_pct: float = 2.0
    settle_seconds: int | None = None
    most: float | None = None
    per: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        if (self.users is None) == (self.rate is None):
            raise BadInput("a staircase needs either users or a rate to add at each step; give one of them.")
        SECONDS.checked("seconds of a step", self.seconds)
        for key, kind in (("p95_limit_ms", Number(0, 3_600_000)), ("least_growth_pct", Number(0, 1_000))):
            object.__setattr__(self, key, kind.checked(key, getattr(self, key)))
        if self.users is not None:
            Whole(1, MOST_USERS).checked("users of a step", self.users)
        else:
            object.__setattr__(self, "rate", RATE.checked("rate of a step", self.rate))
            if self.most is None:
                raise BadInput("a staircase of rates would never end; give it a limit, such as 'most 60000'.")
        if self.most is not None and not self.step <= self.most <= RATE.most:
            raise BadInput(f"most is {self.most!r}; give at least the {write_number(self.step)} of the first step.")
        self._stage(1)  # refuses a settling time that is too long

    @property
    def step(self) -> float:
        """The users, or the rate, that each step adds."""
        return self.users if self.users is not None else self.rate or 0.0

    def stages(self, users: int) -> tuple[Stage, ...]:
        """All its stages, for a plan of so many users; raises ``BadInput`` when there is not one, or too many."""
        most = users if self.most is None else self.most
        count = int(most // self.step)
        if not count:
            raise BadInput(
                f"staircase adds {counted(self.users or 0, 'user')} at each step, and the plan has"
                f" {counted(users, 'user')}; give it {self.users} users or more."
            )
        if count > MOST_STAGES:
            raise BadInput(
                f"staircase has {count} steps up to {write_number(most)}; use at most {MOST_STAGES}: give larger steps."
            )
        return tuple(self._stage(number) for number in range(1, count + 1))

    def _stage(self, number: int) -> Stage:
        return Stage(
            seconds=self.seconds,
            users=None if self.users is None else self.users * number,
            rate=None if self.rate is None else self.rate * number,
            settle_seconds=self.settle_seconds,
            per=self.per,
        )

    def to_dict(self) -> dict[str, Any]:
        """The staircase for JSON and TOML, without what is left open."""
        values = ((name, getattr(self, name)) for name in kept_fields(type(self)))
        return {name: value for name, value in values if value is not None}

    @classmethod
    def from_dict(cls, plain: Mapping[Any, Any]) -> Self:
        """Read a staircase; raises ``BadInput``."""
        known = kept_fields(cls)
        for key in plain:
            if key not in known:
                raise BadInput(f"staircase key '{key}' is not known; {did_you_mean(str(key), known)}.")
        return cls(**{"seconds": 0, **plain})

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read ``10:2:00 p95 50 growth 2 settle 0:30 most 250``; raises ``BadInput``."""
        match = _STEP.fullmatch(_OPTION.sub("", text).rstrip())
        if match is None:
            raise BadInput(f"staircase is '{text.strip()}'; write the step and how long it lasts, such as {_EXAMPLE}.")
        options = {each["name"].lower(): each["value"] for each in _OPTION.finditer(text)}
        values: dict[str, Any] = {"seconds": whole_seconds(match["seconds"])}
        values["rate" if match["per"] else "users"] = read_number("step of the staircase", match["step"])
        values["per"] = (match["per"] or "").lower()
        for name, key in (("p95", "p95_limit_ms"), ("growth", "least_growth_pct"), ("most", "most")):
            if name in options:
                values[key] = read_number(name, options[name])
        if "settle" in options:
            values["settle_seconds"] = whole_seconds(options["settle"])
        return cls(**values)

    def to_text(self) -> str:
        """The text that ``from_text`` reads back."""
        step = write_number(self.step) if self.rate is None else rate_text(self.rate, self.per)
        limits = f"p95 {write_number(self.p95_limit_ms)} growth {write_number(self.least_growth_pct)}"
        settle = "" if self.settle_seconds is None else f" settle {time_text(self.settle_seconds)}"
        most = "" if self.most is None else f" most {write_number(self.most)}"
        return f"{step}:{time_text(self.seconds)} {limits}{settle}{most}"


class StaircaseType(ValueType):
    """A staircase."""

    def checked(self, name: str, value: object) -> Staircase:
        if isinstance(value, Staircase):
            return value
        if isinstance(value, str):
            return self.read(name, value)
        if not isinstance(value, Mapping):
            raise BadInput(f"{name} is {value!r}; give a table, or a text such as {_EXAMPLE}.")
        return Staircase.from_dict(value)

    def read(self, name: str, text: str) -> Staircase:
        return Staircase.from_text(text)

    def write(self, value: Staircase) -> str:
        return value.to_text()

    def plain(self, value: Staircase) -> dict[str, Any]:
        return value.to_dict()
