"""The rows that do not depend on the scale of a Brokerage store: trade types, fees, taxes, sectors, places."""

from collections.abc import Callable, Sequence
from datetime import time
from typing import Any

import numpy as np

from engine.workload.rows.columns import Column, Kind
from engine.workload.rows.texts import table_of
from engine.workloads.brokerage.fees import (
    CHARGES,
    COMMISSION_RATES,
    MOST_QUANTITY,
    NATIONAL_TAXES,
    QUANTITY_LIMITS,
    TAX_IDS,
    TIERS,
)
from engine.workloads.brokerage.names import INDUSTRIES, code, industry_name, industry_sector
from engine.workloads.brokerage.schema import TABLES
from engine.workloads.brokerage.sizing import Size
from engine.workloads.brokerage.words import (
    DIVISIONS,
    EXCHANGES,
    SECTORS,
    STATUSES,
    TOWN_BEGINNINGS,
    TOWN_ENDINGS,
    TRADE_TYPES,
)

ZIP_CODES = 14_741
_FIRST_ZIP, _ZIP_STEP = 10_000, 6
_OPENS, _CLOSES = time(9, 30), time(16)
_TAXES = {True: (400, 17), False: (50, 1)}
Row = tuple[Any, ...]


def zip_code(place: int) -> str:
    """The postal code of a place; places count from 0."""
    return str(_FIRST_ZIP + _ZIP_STEP * place)


def tax_rate_id(number: int) -> str:
    """The id of a tax rate; tax rates count from 0."""
    return f"{'N' if number < NATIONAL_TAXES else 'R'}{number:03}"


def fixed_columns(table: str, size: Size) -> dict[str, np.ndarray]:
    """All rows of one of the ``FIXED`` tables."""
    rows = FIXED[table](size)
    return {column.name: _column(column, [row[at] for row in rows]) for at, column in enumerate(TABLES[table])}


def _column(column: Column, values: Sequence[Any]) -> np.ndarray:
    return table_of(values) if column.kind is Kind.TEXT else np.array(values, np.int64)


def _exchanges(size: Size) -> list[Row]:
    listed = np.bincount(np.arange(size.securities) % len(EXCHANGES), minlength=len(EXCHANGES))
    opens, closes = (100 * moment.hour + moment.minute for moment in (_OPENS, _CLOSES))
    return [
        (each, name, int(listed[at]), opens, closes, describes, at + 1)
        for at, (each, name, describes) in enumerate(EXCHANGES)
    ]


def _zip_codes(_size: Size) -> list[Row]:
    return [
        (
            zip_code(place),
            TOWN_BEGINNINGS[place % len(TOWN_BEGINNINGS)] + TOWN_ENDINGS[place // 7 % len(TOWN_ENDINGS)],
            DIVISIONS[place * len(DIVISIONS) // ZIP_CODES],
        )
        for place in range(ZIP_CODES)
    ]


def _tax_rates(_size: Size) -> list[Row]:
    rows: list[Row] = []
    for number in range(TAX_IDS):
        is_national = number < NATIONAL_TAXES
        base, step = _TAXES[is_national]
        kind = "National" if is_national else "Regional"
        rows.append((tax_rate_id(number), f"{kind} income tax {number + 1}", base + step * number))
    return rows


def _charges(_size: Size) -> list[Row]:
    return [(kind[0], tier + 1, int(CHARGES[at, tier])) for at, kind in enumerate(TRADE_TYPES) for tier in range(TIERS)]


def _commission_rates(_size: Size) -> list[Row]:
    ends = (*(limit - 1 for limit in QUANTITY_LIMITS[1:]), MOST_QUANTITY)
    return [
        (tier + 1, TRADE_TYPES[kind][0], EXCHANGES[exchange][0], QUANTITY_LIMITS[amount], ends[amount], int(hundredths))
        for (tier, kind, exchange, amount), hundredths in np.ndenumerate(COMMISSION_RATES)
    ]


FIXED: dict[str, Callable[[Size], list[Row]]] = {
    "status_type": lambda _size: [*STATUSES],
    "trade_type": lambda _size: [(each, name, int(sells), int(now)) for each, name, sells, now in TRADE_TYPES],
    "zip_code": _zip_codes,
    "exchange": _exchanges,
    "sector": lambda _size: [(code(at), name) for at, name in enumerate(SECTORS, 1)],
    "industry": lambda _size: [
        (code(each), industry_name(each), code(industry_sector(each))) for each in range(1, INDUSTRIES + 1)
    ],
    "taxrate": _tax_rates,
    "charge": _charges,
    "commission_rate": _commission_rates,
}
"""The function that makes the rows of each of these tables."""
