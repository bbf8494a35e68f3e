"""The configuration that runs are measured on: its bill of materials, its watts, and its factors.

A configuration has a name, is stored in the library and can be used by many runs and sets. It is written by hand as
TOML; its bill can be read from a spreadsheet's CSV.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Self

from engine.analysis.comparing.economics import BillOfMaterials, Item, money_of
from engine.analysis.host.power import DeviceWatts, power_figures
from engine.errors import BadInput
from engine.files.csv_table import read_rows, whole_of
from engine.machines.machine import checked_name
from engine.parameters.values import Texts

_KEYS = ("name", "note", "currency", "items", "watts", "machines", "factors")
_ITEM_KEYS = ("name", "count", "price")
_WATTS_KEYS = ("device", "active", "idle")
_CURRENCY = BillOfMaterials(name="").currency


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """``bill`` is what it costs, without items if that is unknown; it has the configuration's name.

    ``watts`` are the typed ones, by device. ``machines`` are names of the inventory: a run on the configuration reads
    them unless its plan names others. ``factors`` are what it is compared by, as texts by name: ``processors``,
    ``storage``. Raises ``BadInput`` for invalid values.
    """

    name: str
    note: str = ""
    currency: str = _CURRENCY
    items: tuple[Item, ...] = ()
    watts: tuple[DeviceWatts, ...] = ()
    machines: tuple[str, ...] = ()
    factors: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise BadInput("name of the configuration is empty; give one such as 'R630 with SSDs'.")
        for factor, value in self.factors.items():
            if not factor.strip() or not value.strip():
                raise BadInput(f"factor '{factor}' of '{self.name}' is '{value}'; give both a name and a value.")
        for machine in self.machines:
            checked_name("machines", machine)
        power_figures(self.watts, None)
        self.bill()

    def bill(self) -> BillOfMaterials:
        """The bill of materials, for ``engine.analysis.comparing.economics``."""
        return BillOfMaterials(name=self.name, currency=self.currency, items=self.items)

    def to_dict(self) -> dict[str, Any]:
        """The configuration as plain values for JSON and TOML, without empty ones; prices are texts, so that they stay
        exact."""
        plain = {
            "name": self.name,
            "note": self.note,
            "currency": self.currency,
            "items": [{"name": each.name, "count": each.count, "price": str(each.price)} for each in self.items],
            "watts": [_plain_watts(each) for each in self.watts],
            "machines": list(self.machines),
            "factors": dict(self.factors),
        }
        return {key: value for key, value in plain.items() if value}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """The configuration from the values of ``to_dict`` or from a TOML file. Raises ``BadInput`` that names the
        key."""
        _check_keys("the configuration", plain, _KEYS)
        factors = plain.get("factors", {})
        if not isinstance(factors, Mapping):
            raise BadInput("factors is not a table; write [factors] and below it lines such as processors = 2.")
        return cls(
            name=_text("name", plain.get("name", "")),
            note=_text("note", plain.get("note", "")),
            currency=_text("currency", plain.get("currency", _CURRENCY)),
            items=tuple(_item(each) for each in _tables("items", plain)),
            watts=tuple(_watts(each) for each in _tables("watts", plain)),
            machines=Texts().checked("machines", plain.get("machines", [])),
            factors={str(name): str(value) for name, value in factors.items()},
        )


def read_configuration(text: str, source: str, *, name: str) -> Configuration:
    """The configuration in a TOML text, with ``name``, or with its own name if that is empty.

    Raises ``BadInput`` that names ``source``.
    """
    try:
        plain = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{source} is not TOML: {error}; fix that line.") from None
    try:
        return Configuration.from_dict(plain | ({"name": name} if name.strip() else {}))
    except BadInput as error:
        raise BadInput(f"{source}: {error}") from None


def read_items(text: str, source: str) -> tuple[Item, ...]:
    """The items of a bill from a CSV table with the columns ``name``, ``count`` and ``price`` (of one item).

    Raises ``BadInput`` that names ``source`` and the line.
    """
    items = []
    for row in read_rows(text, source, required=_ITEM_KEYS):
        cells = {name.casefold(): cell for name, cell in row.cells.items()}
        try:
            items.append(
                Item(
                    name=cells["name"],
                    count=whole_of(cells["count"], "count"),
                    price=money_of(cells["price"], "price"),
                )
            )
        except BadInput as error:
            raise BadInput(f"{source}, line {row.line}: {error}") from None
    return tuple(items)


def watts_of(text: str) -> DeviceWatts:
    """Watts from text: ``server=390/180`` for active and idle, ``server=390`` for active only. Raises ``BadInput``."""
    device, equals, typed = text.partition("=")
    active, _, idle = typed.partition("/")
    if not equals:
        raise BadInput(f"watts is '{text}'; write it as DEVICE=ACTIVE/IDLE, such as server=390/180.")
    return DeviceWatts(
        device=device.strip(), active_watts=_typed_watts(active, text), idle_watts=_typed_watts(idle, text)
    )


def factor_of(text: str) -> tuple[str, str]:
    """A factor from text: ``processors=2``. Raises ``BadInput``."""
    name, _, value = (part.strip() for part in text.partition("="))
    if not name or not value:
        raise BadInput(f"factor is '{text}'; write it as NAME=VALUE, such as processors=2.")
    return name, value


def _plain_watts(watts: DeviceWatts) -> dict[str, Any]:
    known = {"active": watts.active_watts, "idle": watts.idle_watts}
    return {"device": watts.device} | {key: value for key, value in known.items() if value is not None}


def _item(plain: Mapping[str, Any]) -> Item:
    _check_keys("an item", plain, _ITEM_KEYS)
    name, count = _text("name", plain.get("name", "")), plain.get("count", 1)
    if not isinstance(count, int) or isinstance(count, bool):
        raise BadInput(f"the count of '{name}' is {count}; give a whole number.")
    if "price" not in plain:
        raise BadInput(f"item '{name}' has no price; give its unit price.")
    return Item(name=name, count=count, price=money_of(str(plain["price"]), f"the price of '{name}'"))


def _watts(plain: Mapping[str, Any]) -> DeviceWatts:
    _check_keys("a device's watts", plain, _WATTS_KEYS)
    device = _text("device", plain.get("device", ""))
    known = {
        f"{key}_watts": _typed_watts(str(plain[key]), f"{device}: {key} = {plain[key]}")
        for key in ("active", "idle")
        if key in plain
    }
    return DeviceWatts(device=device, **known)


def _typed_watts(text: str, typed: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        raise BadInput(f"watts are '{typed}'; give a number of watts.") from None


def _tables(key: str, plain: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    tables = plain.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(each, Mapping) for each in tables):
        raise BadInput(f"{key} is not a list of tables; write [[{key}]] above each.")
    return tables


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{key} is {value}; write it as text in quotes.")
    return value


def _check_keys(what: str, plain: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in plain:
        if key not in known:
            raise BadInput(f"{what} has no '{key}'; it can have {', '.join(known)}.")
