"""Published results to compare with: those in ``resources/references``, and the user's own, which are in the
library."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import Any, Self

import resources
from engine.analysis.comparing.economics import BillOfMaterials, Item, money_of
from engine.analysis.comparing.variability import variability_pct
from engine.analysis.headline import Headline, headline_of
from engine.errors import BadInput
from engine.files.csv_table import Row, read_rows, seconds_of, whole_of
from engine.record.totals import ClientTotals, Totals
from engine.workload.registry import DVD_STORE

_FILES = ("r630", "ftserver", "cost_per_opm", "scaling", "mixed")
_TEXTS = ("name", "source", "note", "currency")
_RATES = ("headline_rate", "headline_rate_before", "headline_rate_lowest")
_RATES_IN_WORDS = dict(zip(_RATES, ("{label}", "running {label} before", "lowest running {label}"), strict=True))
_SECONDS = ("stabilised_seconds", "back_seconds")
_COLUMNS = ("workload", *_TEXTS, *_SECONDS, "clients", "cost")
_ASKED = {"name": "what it is called", "source": "where it was published"}


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A published result with its figures as printed; ``None`` where nothing was printed.

    ``workload`` is the id of the one that was driven. ``headline_rate`` is that of all clients,
    ``client_headline_rates`` that of each client in order. ``factors`` are what it was measured
    with, such as ``server``, ``storage``, ``databases``, ``think_time_ms``: texts by name. ``cost`` is the price of the
    configuration in ``currency``, a sign such as ``$`` or a code such as ``EUR``. A failover test has the running rate
    before and at its lowest, ``stabilised_seconds`` from the event to the lowest and ``back_seconds`` from there to the
    level before, as in ``engine.analysis.recovery.published``. Those that are ``is_shipped`` are read-only. Raises
    ``BadInput`` for invalid values.
    """

    name: str
    source: str
    workload: str = DVD_STORE
    headline_rate: float | None = None
    client_headline_rates: tuple[float, ...] = ()
    factors: Mapping[str, str] = field(default_factory=dict)
    cost: Decimal | None = None
    currency: str = "$"
    headline_rate_before: float | None = None
    headline_rate_lowest: float | None = None
    stabilised_seconds: float | None = None
    back_seconds: float | None = None
    note: str = ""
    is_shipped: bool = False

    def __post_init__(self) -> None:
        for name, asked in _ASKED.items():
            if not getattr(self, name).strip():
                raise BadInput(f"{name} of a reference is empty; give {asked}.")
        if self.headline_rate is None and not self.client_headline_rates and self.headline_rate_before is None:
            rate, before = map(self.headline.key, ("headline_rate", "headline_rate_before"))
            raise BadInput(f"reference '{self.name}' has no figure; give its {rate}, its clients or its {before}.")
        for name in (*_RATES, *_SECONDS):
            value = getattr(self, name)
            if value is not None and not 0 <= value < 10**15:
                raise BadInput(
                    f"{self.headline.key(name)} of reference '{self.name}' is {value}; give a number from 0."
                )
        self.bill()

    @property
    def headline(self) -> Headline:
        """What its rates count. Raises ``BadInput`` for a workload that is not there."""
        return headline_of(self.workload)

    @property
    def totals(self) -> Totals:
        """The figures in the form of a run's totals; everything else is unknown."""
        clients = (
            ClientTotals(label=f"client {number}", headline_rate=rate)
            for number, rate in enumerate(self.client_headline_rates, start=1)
        )
        return Totals(headline_rate=self.total_headline_rate, clients=tuple(clients))

    @property
    def total_headline_rate(self) -> float | None:
        """The headline rate of all clients: as printed, else the sum of those of the clients."""
        return (
            sum(self.client_headline_rates)
            if self.headline_rate is None and self.client_headline_rates
            else self.headline_rate
        )

    @property
    def variability_pct(self) -> float | None:
        """The variability of its clients; ``None`` when they weren't printed."""
        return variability_pct(self.client_headline_rates)

    def bill(self) -> BillOfMaterials | None:
        """Its cost as a bill with one item, for ``engine.analysis.comparing.economics``; ``None`` when none was
        printed."""
        if self.cost is None:
            return None
        return BillOfMaterials(name=self.name, currency=self.currency, items=(Item(name=self.name, price=self.cost),))

    def to_dict(self) -> dict[str, Any]:
        """The reference as plain values for JSON; the cost is a text, so that it stays exact.

        The names of rates are made of the metric's id; the workload is only named if it is not the DVD Store.
        """
        return {
            **({} if self.workload == DVD_STORE else {"workload": self.workload}),
            **{name: getattr(self, name) for name in _TEXTS},
            **{self.headline.key(name): getattr(self, name) for name in _RATES},
            **{name: getattr(self, name) for name in _SECONDS},
            "clients": list(self.client_headline_rates),
            "cost": None if self.cost is None else str(self.cost),
            "factors": dict(self.factors),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], *, is_shipped: bool = False) -> Self:
        """The reference from the values of ``to_dict`` or from a table of a references file. Raises ``BadInput``."""
        cost, workload = plain.get("cost"), plain.get("workload", DVD_STORE)
        key = headline_of(workload).key
        return cls(
            workload=workload,
            **{name: plain[name] for name in (*_TEXTS, *_SECONDS) if name in plain},
            **{name: plain[key(name)] for name in _RATES if key(name) in plain},
            client_headline_rates=tuple(plain.get("clients", ())),
            cost=None if cost is None else Decimal(cost),
            factors={name: str(value) for name, value in plain.get("factors", {}).items()},
            is_shipped=is_shipped,
        )


@cache
def shipped_references() -> tuple[Reference, ...]:
    """The references that come with Spindle, in the order of their files."""
    found: list[Reference] = []
    for name in _FILES:
        file = tomllib.loads(resources.read_text("references", f"{name}.toml"))
        for each in file["references"]:
            factors = file.get("factors", {}) | each.get("factors", {})
            plain = {"source": file["source"], **each, "factors": factors}
            found.append(Reference.from_dict(plain, is_shipped=True))
    return tuple(found)


def read_references(text: str, source: str) -> list[Reference]:
    """References from a CSV table, one in each row.

    Columns: ``name``, ``source`` and any of ``workload`` (its id; the DVD Store without it), ``opm``, ``clients`` (the
    rate of each, separated by semicolons, slashes or spaces), ``cost``, ``currency``, ``opm_before``, ``opm_lowest``,
    ``stabilised_seconds``, ``back_seconds``, ``note``; of another workload its metric stands for ``opm``, such as
    ``nopm``. Every other column is a factor. Raises ``BadInput`` that names ``source`` and the line.
    """
    found = []
    for row in read_rows(text, source, required=("name", "source")):
        try:
            found.append(_of_row(row))
        except BadInput as error:
            raise BadInput(f"{source}, line {row.line}: {error}") from None
    return found


def typed_reference(typed: Mapping[str, str], factors: Mapping[str, str]) -> Reference:
    """A reference from texts by column name, typed or read from a table; empty ones are left out. Rates are named
    with the metric's id or as the fields. Raises ``BadInput``."""
    own = {name: text.strip() for name, text in typed.items() if text.strip()}
    headline = headline_of(own.get("workload", DVD_STORE))
    own |= {headline.key(name): own[name] for name in _RATES if name in own}
    plain: dict[str, Any] = {name: own[name] for name in ("workload", *_TEXTS) if name in own}
    for rate, words in _RATES_IN_WORDS.items():
        if (name := headline.key(rate)) in own:
            plain[name] = _rate_of(own[name], words.format(label=headline.label), headline)
    plain |= {name: seconds_of(own[name], name.replace("_", " ")) for name in _SECONDS if name in own}
    plain["clients"] = client_headline_rates_of(own.get("clients", ""), headline)
    if "cost" in own:
        plain["cost"] = money_of(own["cost"], "cost")
    return Reference.from_dict({"name": "", "source": "", **plain, "factors": factors})


def client_headline_rates_of(text: str, headline: Headline) -> tuple[float, ...]:
    """The rate of each client from text, separated by semicolons, slashes or spaces: ``5,567; 6,055``. Raises
    ``BadInput``, which names the metric."""
    words = f"{headline.label} of each client"
    return tuple(_rate_of(each, words, headline) for each in text.replace(";", " ").replace("/", " ").split())


def _rate_of(text: str, words: str, headline: Headline) -> float:
    """A rate as it was published; only a metric with decimals has any."""
    return float(money_of(text, words)) if headline.metric.has_decimals else whole_of(text, words)


def find_reference(references: Iterable[Reference], name: str) -> Reference | None:
    """The reference with that name, in any case."""
    return next((each for each in references if each.name.casefold() == name.strip().casefold()), None)


def _of_row(row: Row) -> Reference:
    folded = {name: name.casefold() for name in row.cells}
    workload = next((text.strip() for name, text in row.cells.items() if folded[name] == "workload"), "")
    columns = (*_COLUMNS, *map(headline_of(workload or DVD_STORE).key, _RATES))
    own = {folded[name]: text for name, text in row.cells.items() if folded[name] in columns}
    factors = {name: text for name, text in row.cells.items() if folded[name] not in columns and name and text}
    return typed_reference(own, factors)
