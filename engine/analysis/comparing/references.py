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
from engine.csv_table import Row, read_rows, seconds_of, whole_of
from engine.errors import BadInput
from engine.record.totals import ClientTotals, Totals

_FILES = ("r630", "ftserver", "cost_per_opm", "scaling")
_TEXTS = ("name", "source", "note", "currency")
_WHOLE = ("opm", "opm_before", "opm_lowest")
_SECONDS = ("stabilised_seconds", "back_seconds")
_SPOKEN = {"opm": "OPM"}
_PLAIN = (*_TEXTS, *_WHOLE, *_SECONDS)
_COLUMNS = (*_PLAIN, "clients", "cost")
_ASKED = {"name": "what it is called", "source": "where it was published"}


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A published result with its figures as printed; ``None`` where nothing was printed.

    ``opm`` is that of all clients, ``client_opms`` that of each client in order. ``factors`` are what it was measured
    with, such as ``server``, ``storage``, ``databases``, ``think_time_ms``: texts by name. ``cost`` is the price of the
    configuration in ``currency``, a sign such as ``$`` or a code such as ``EUR``. A failover test has the running OPM
    before and at its lowest, ``stabilised_seconds`` from the event to the lowest and ``back_seconds`` from there to the
    level before, as in ``engine.analysis.recovery.published``. Those that are ``is_shipped`` are read-only. Raises
    ``BadInput`` for invalid values.
    """

    name: str
    source: str
    opm: int | None = None
    client_opms: tuple[int, ...] = ()
    factors: Mapping[str, str] = field(default_factory=dict)
    cost: Decimal | None = None
    currency: str = "$"
    opm_before: int | None = None
    opm_lowest: int | None = None
    stabilised_seconds: float | None = None
    back_seconds: float | None = None
    note: str = ""
    is_shipped: bool = False

    def __post_init__(self) -> None:
        for name, asked in _ASKED.items():
            if not getattr(self, name).strip():
                raise BadInput(f"{name} of a reference is empty; give {asked}.")
        if self.opm is None and not self.client_opms and self.opm_before is None:
            raise BadInput(f"reference '{self.name}' has no figure; give its opm, its clients or its opm_before.")
        for name in (*_WHOLE, *_SECONDS):
            value = getattr(self, name)
            if value is not None and not 0 <= value < 10**15:
                raise BadInput(f"{name} of reference '{self.name}' is {value}; give a number from 0.")
        self.bill()

    @property
    def totals(self) -> Totals:
        """The figures in the form of a run's totals; everything else is unknown."""
        clients = (
            ClientTotals(label=f"client {number}", headline=opm) for number, opm in enumerate(self.client_opms, start=1)
        )
        return Totals(headline=self.total_opm, clients=tuple(clients))

    @property
    def total_opm(self) -> int | None:
        """The OPM of all clients: as printed, else the sum of those of the clients."""
        return sum(self.client_opms) if self.opm is None and self.client_opms else self.opm

    @property
    def variability_pct(self) -> float | None:
        """The variability of its clients; ``None`` when they weren't printed."""
        return variability_pct(self.client_opms)

    def bill(self) -> BillOfMaterials | None:
        """Its cost as a bill with one item, for ``engine.analysis.comparing.economics``; ``None`` when none was
        printed."""
        if self.cost is None:
            return None
        return BillOfMaterials(name=self.name, currency=self.currency, items=(Item(name=self.name, price=self.cost),))

    def to_dict(self) -> dict[str, Any]:
        """The reference as plain values for JSON; the cost is a text, so that it stays exact."""
        return {
            **{name: getattr(self, name) for name in _PLAIN},
            "clients": list(self.client_opms),
            "cost": None if self.cost is None else str(self.cost),
            "factors": dict(self.factors),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], *, is_shipped: bool = False) -> Self:
        """The reference from the values of ``to_dict`` or from a table of a references file. Raises ``BadInput``."""
        cost = plain.get("cost")
        return cls(
            **{name: plain[name] for name in _PLAIN if name in plain},
            client_opms=tuple(plain.get("clients", ())),
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

    Columns: ``name``, ``source`` and any of ``opm``, ``clients`` (the OPM of each, separated by semicolons, slashes or
    spaces), ``cost``, ``currency``, ``opm_before``, ``opm_lowest``, ``stabilised_seconds``, ``back_seconds``, ``note``;
    every other column is a factor. Raises ``BadInput`` that names ``source`` and the line.
    """
    found = []
    for row in read_rows(text, source, required=("name", "source")):
        try:
            found.append(_of_row(row))
        except BadInput as error:
            raise BadInput(f"{source}, line {row.line}: {error}") from None
    return found


def typed_reference(typed: Mapping[str, str], factors: Mapping[str, str]) -> Reference:
    """A reference from texts by column name, typed or read from a table; empty ones are left out. Raises
    ``BadInput``."""
    own = {name: text.strip() for name, text in typed.items() if text.strip()}
    plain: dict[str, Any] = {name: own[name] for name in _TEXTS if name in own}
    plain |= {name: whole_of(own[name], _SPOKEN.get(name, name)) for name in _WHOLE if name in own}
    plain |= {name: seconds_of(own[name], name) for name in _SECONDS if name in own}
    plain["clients"] = client_opms_of(own.get("clients", ""))
    if "cost" in own:
        plain["cost"] = money_of(own["cost"], "cost")
    return Reference.from_dict({"name": "", "source": "", **plain, "factors": factors})


def client_opms_of(text: str) -> tuple[int, ...]:
    """The OPM of each client from text, separated by semicolons, slashes or spaces: ``5,567; 6,055``. Raises
    ``BadInput``."""
    return tuple(whole_of(each, "OPM of each client") for each in text.replace(";", " ").replace("/", " ").split())


def find_reference(references: Iterable[Reference], name: str) -> Reference | None:
    """The reference with that name, in any case."""
    return next((each for each in references if each.name.casefold() == name.strip().casefold()), None)


def _of_row(row: Row) -> Reference:
    folded = {name: name.casefold() for name in row.cells}
    own = {folded[name]: text for name, text in row.cells.items() if folded[name] in _COLUMNS}
    factors = {name: text for name, text in row.cells.items() if folded[name] not in _COLUMNS and name and text}
    return typed_reference(own, factors)
