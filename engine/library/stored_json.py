"""JSON columns that are parsed only when needed: a list of thousands of runs shows few of them."""

import json
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

from engine.plan.plan import RunPlan

_PLANS = 512


class LazyJson(Mapping[str, Any]):
    """A stored JSON object that is parsed at the first access; it equals any mapping with the same items."""

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
    """A plan from its JSON; runs with the same JSON share one object. Raises ``BadInput`` for a plan that this version
    can't read."""
    return RunPlan.from_dict(json.loads(text))
