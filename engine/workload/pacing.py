"""Pacing: what holds users back between transactions other than their think times.

In a run with stages, users are active or inactive by their numbers. In an open loop transactions are due at a rate,
whether or not answers come: a free user takes the one that is due next, waits for its moment if that is still to come,
and its response time begins at that moment. What is due and not begun is the queue.

A run without stages and without a rate has no pacing. All moments are those of the clock that is passed.
"""

import math
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Protocol

POISSON, EVEN = "poisson", "even"
ARRIVALS = {POISSON: "Poisson", EVEN: "even"}
"""How arrivals are shown, by their names in plans."""


@dataclass(frozen=True, kw_only=True)
class PacedStage:
    """A client's load for ``seconds`` of the run: so many active ``users`` and their mean think time; or ``rate``, the
    transactions a second that are due from all clients together."""

    seconds: float
    users: int = 0
    think_seconds: float = 0.0
    rate: float = 0.0


@dataclass(frozen=True, kw_only=True)
class PacingPlan:
    """The stages of a client, the first of which begins with the warm-up, and the last of which has no end.

    ``client`` counts from 0 to ``clients``, which share a rate; ``arrivals`` are one of ``ARRIVALS``. With
    ``is_per_user``, ``users`` and ``rate`` are given in each stage: each active user has transactions due at that rate,
    Poisson arrivals of its own, which no other user takes from it.
    """

    stages: tuple[PacedStage, ...]
    client: int
    clients: int
    arrivals: str = POISSON
    is_per_user: bool = False

    @property
    def is_open_loop(self) -> bool:
        return self.stages[0].rate > 0


class Pacing(Protocol):
    """The pacing of all users of a client. From any thread."""

    def think_seconds(self, now: float) -> float:
        """The mean think time now."""
        ...

    def inactive_seconds(self, user: int, now: float) -> float:
        """For how long a user, numbered from 0 within its client, is inactive from now on; 0 is not at all."""
        ...

    def next_due(self, user: int) -> float | None:
        """Take the next transaction of a user: the moment at which it is due; ``None`` in a closed loop."""
        ...

    def queue(self, now: float) -> list[float]:
        """The moments at which what is due and not begun has become due."""
        ...

    def begin(self, starts: float, changes: Sequence[float]) -> None:
        """The load begins at a moment; ``changes`` are the moments at which one stage ends and the next begins."""
        ...


def new_pacing(plan: PacingPlan, random: Random) -> Pacing:
    """The pacing of a client; ``random`` draws the arrivals of an open loop."""
    if plan.is_per_user:
        return UserPacing(plan, random)
    return OpenPacing(plan, random) if plan.is_open_loop else StagedPacing(plan)


class StagedPacing:
    """Implements ``Pacing`` for stages of a closed loop: the users with the lowest numbers are active."""

    def __init__(self, plan: PacingPlan) -> None:
        self._stages = plan.stages
        self._ends: tuple[float, ...] = (math.inf,) * len(plan.stages)

    def begin(self, starts: float, changes: Sequence[float]) -> None:
        self._ends = (*changes, math.inf)

    def think_seconds(self, now: float) -> float:
        return self._stages[self._at(now)].think_seconds

    def inactive_seconds(self, user: int, now: float) -> float:
        begins = now
        for place in range(self._at(now), len(self._stages)):
            if user < self._stages[place].users:
                return begins - now
            begins = self._ends[place]
        return math.inf

    def next_due(self, user: int) -> float | None:
        return None

    def queue(self, now: float) -> list[float]:
        return []

    def _at(self, now: float) -> int:
        return next(place for place, ends in enumerate(self._ends) if now < ends)


class OpenPacing:
    """Implements ``Pacing`` for an open loop."""

    def __init__(self, plan: PacingPlan, random: Random) -> None:
        self._rates = [stage.rate for stage in plan.stages]
        self._random = random if plan.arrivals == POISSON else None
        self._clients = plan.clients
        # The number of transactions that all clients have due before this client's next one, of even arrivals exactly.
        self._reached = -1.0 * plan.clients + plan.client if self._random is None else 0.0
        self._lock = threading.Lock()
        self._due: deque[float] = deque()
        self._segments: list[tuple[float, float, float]] = []  # begin, number due before it, rate

    def begin(self, starts: float, changes: Sequence[float]) -> None:
        with self._lock:
            number = 0.0
            begins = [starts, *changes]
            for place, (begin, rate) in enumerate(zip(begins, self._rates, strict=True)):
                self._segments.append((begin, number, rate))
                if place + 1 < len(begins):
                    number += rate * (begins[place + 1] - begin)

    def think_seconds(self, now: float) -> float:
        return 0.0

    def inactive_seconds(self, user: int, now: float) -> float:
        return 0.0

    def next_due(self, user: int) -> float | None:
        with self._lock:
            return self._due.popleft() if self._due else self._draw()

    def queue(self, now: float) -> list[float]:
        with self._lock:
            if not self._segments:
                return []
            while not self._due or self._due[-1] <= now:
                self._due.append(self._draw())
            return [due for due in self._due if due <= now]

    def _draw(self) -> float:
        """The moment of this client's next arrival.

        Of all arrivals of the run, numbered from 0, client c of n has those whose number modulo n is c if they come
        evenly. Poisson arrivals of a rate, divided among n clients, are as many independent Poisson arrivals of an nth
        of the rate, whose gaps are exponential; a change of the rate stretches the gap (a time-rescaled process).
        """
        gap = 1.0 if self._random is None else self._random.expovariate(1.0)
        self._reached += gap * self._clients
        for (begin, number, rate), (_, until, _) in pairwise([*self._segments, (0.0, math.inf, 0.0)]):
            if self._reached < until:
                return begin + (self._reached - number) / rate
        raise AssertionError("the last stage has no end")


class UserPacing(StagedPacing):
    """Implements ``Pacing`` where each user has its own transactions due, as a person has its own work.

    While a user is busy, what becomes due for it waits in its own queue. A user that is inactive has nothing due.
    """

    def __init__(self, plan: PacingPlan, random: Random) -> None:
        super().__init__(plan)
        self._rates = [stage.rate for stage in plan.stages]
        self._random = random
        self._lock = threading.Lock()
        self._starts = math.inf
        self._due: dict[int, deque[float]] = {}
        self._newest: dict[int, float] = {}

    def begin(self, starts: float, changes: Sequence[float]) -> None:
        with self._lock:
            super().begin(starts, changes)
            self._starts = starts

    def think_seconds(self, now: float) -> float:
        return 0.0

    def next_due(self, user: int) -> float | None:
        with self._lock:
            due = self._due.setdefault(user, deque())
            return due.popleft() if due else self._draw(user)

    def queue(self, now: float) -> list[float]:
        with self._lock:
            if self._starts == math.inf:
                return []
            for user, due in self._due.items():
                while not due or due[-1] <= now:
                    due.append(self._draw(user))
            return [moment for due in self._due.values() for moment in due if moment <= now]

    def _draw(self, user: int) -> float:
        """The moment of the user's next arrival after its newest; exponential gaps at the rate of the stage, in the
        time in which it is active."""
        moment = max(self._newest.get(user, self._starts), self._starts)
        gap = self._random.expovariate(1.0)
        while True:
            place = self._at(moment)
            ends = self._ends[place]
            within = gap / self._rates[place] if user < self._stages[place].users else math.inf
            if moment + within < ends or ends == math.inf:
                self._newest[user] = moment + within
                return moment + within
            if user < self._stages[place].users:
                gap -= (ends - moment) * self._rates[place]
            moment = ends
