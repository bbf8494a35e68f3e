"""JSON columns that a list of runs needn't read: of thousands of runs, few are looked at."""

import json
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

from engine.plan.plan import RunPlan

_PLANS = 512


class LazyJson(Mapping[str, Any]):
    """A stored JSON object that is parsed when it is first asked for something; it equals any mapping of the same."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __getitem__(self, key: str) -> Any:
        return self._parsed[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parsed)

    def __len__(self) -> int:
        return len(self._parsed)

    def __repr__(self) -> str:
        return repr(self._parsed)

    @cached_property
    def _parsed(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self._text)
        return parsed


@lru_cache(maxsize=_PLANS)
def stored_plan(text: str) -> RunPlan:
    """A plan from its JSON; runs of one plan share it. Raises ``BadInput`` for one that this version can't read."""
    return RunPlan.from_dict(json.loads(text))
