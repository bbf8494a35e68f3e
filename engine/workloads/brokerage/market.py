"""Companies, securities, their prices and news, by ranges that count from 0."""

from typing import Final

import numpy as np

from engine.workload.rows.randomness import Stream, below, streams_of
from engine.workload.rows.texts import Bytes, Text, as_text, capitals, joined_columns, table_of
from engine.workloads.brokerage.moments import BUILT_FROM, TRADING_SECONDS, trading_moments, working_days
from engine.workloads.brokerage.names import base_price_cents, code, company_name, company_of, industry_of, symbol
from engine.workloads.brokerage.schema import NEWS_BYTES
from engine.workloads.brokerage.sizing import COMPETITORS, DAILY_PRICES, NEWS, QUARTERS, Size
from engine.workloads.brokerage.words import EXCHANGES, FIRST_NAMES, LAST_NAMES, NEWS_SOURCES, NEWS_WORDS

_RATINGS = table_of(["AAA", "AA", "A", "BBB", "BB", "B"])
_FULL = table_of([f"{first} {last}" for first in FIRST_NAMES for last in LAST_NAMES])
_EXCHANGE_IDS = table_of([each[0] for each in EXCHANGES])
_SOURCES = table_of(NEWS_SOURCES)
_FOUNDED_FROM, _FOUNDED_DAYS = np.datetime64("1900-01-01", "D"), 365 * 110
_YEAR_DAYS = 365
_FIRST_YEAR: Final = 2020
_POOL_WORDS = 20_000
_HEADLINE, _SUMMARY = 60, 200
_SWING_CENTS = 3_00


class Market:
    """The rows of the market's tables; companies and securities count from 0."""

    def __init__(self, size: Size, seed: int) -> None:
        self._size, self._seed = size, seed
        self._pool = _text_pool(streams_of(seed, "news_item")("words"))

    def companies(self, first: int, rows: int) -> dict[str, np.ndarray]:
        numbers, stream = range(first, first + rows), streams_of(self._seed, "company")
        founded = stream("co_open_date").below(_FOUNDED_DAYS, first, rows).astype("timedelta64[D]")
        return {
            "co_id": np.array(numbers) + 1,
            "co_st_id": np.full(rows, b"ACTV", "S4"),
            "co_name": table_of([company_name(each) for each in numbers]),
            "co_in_id": table_of([code(industry_of(each)) for each in numbers]),
            "co_sp_rate": _RATINGS[stream("co_sp_rate").below(len(_RATINGS), first, rows)],
            "co_ceo": _FULL[stream("co_ceo").below(len(_FULL), first, rows)],
            "co_ad_id": len(EXCHANGES) + np.array(numbers) + 1,
            "co_desc": self._text(stream("co_desc"), first, rows, 100),
            "co_open_date": _FOUNDED_FROM + founded,
        }

    def competitors(self, first: int, rows: int) -> dict[str, np.ndarray]:
        """Three competitors of each company: the companies that follow it, each with its own industry."""
        company, place = np.divmod(np.arange(first, first + rows), COMPETITORS)
        other = (company + place + 1) % self._size.companies
        return {
            "cp_co_id": company + 1,
            "cp_comp_co_id": other + 1,
            "cp_in_id": table_of([code(industry_of(int(each))) for each in other]),
        }

    def securities(self, first: int, rows: int) -> dict[str, np.ndarray]:
        numbers, stream = np.arange(first, first + rows), streams_of(self._seed, "security")
        companies = [company_of(int(each)) for each in numbers]
        price = base_price_cents(numbers)
        listed = _FOUNDED_FROM + (_FOUNDED_DAYS + stream("s_start_date").below(_YEAR_DAYS, first, rows)).astype(
            "timedelta64[D]"
        )
        dividend = stream("s_dividend").below(2_00, first, rows)
        return {
            "s_symb": table_of([symbol(int(each)) for each in numbers]),
            "s_issue": table_of([issue for _, issue in companies]),
            "s_st_id": np.full(rows, b"ACTV", "S4"),
            "s_name": table_of([f"{company_name(company)} {issue}" for company, issue in companies]),
            "s_ex_id": _EXCHANGE_IDS[numbers % len(EXCHANGES)],
            "s_co_id": np.array([company for company, _ in companies]) + 1,
            "s_num_out": 4_000_000 + stream("s_num_out").below(4_000_000_000, first, rows),
            "s_start_date": listed,
            "s_exch_date": listed,
            "s_pe": 1_00 + stream("s_pe").below(119_00, first, rows),
            "s_52wk_high": price + stream("high").below(_SWING_CENTS, first, rows),
            "s_52wk_high_date": _within_a_year(stream("s_52wk_high_date"), first, rows),
            "s_52wk_low": price - stream("low").below(_SWING_CENTS, first, rows),
            "s_52wk_low_date": _within_a_year(stream("s_52wk_low_date"), first, rows),
            "s_dividend": dividend,
            "s_yield": dividend * 100 // price,
        }

    def last_trades(self, first: int, rows: int) -> dict[str, np.ndarray]:
        numbers = np.arange(first, first + rows)
        price = base_price_cents(numbers)
        return {
            "lt_s_symb": table_of([symbol(int(each)) for each in numbers]),
            "lt_dts": trading_moments(np.full(rows, self._size.days * TRADING_SECONDS - 1)),
            "lt_price": price,
            "lt_open_price": price,
            "lt_vol": np.zeros(rows, np.int64),
        }

    def daily_prices(self, first: int, rows: int) -> dict[str, np.ndarray]:
        """Prices of the working days of the five years before the first trading day, by security."""
        security, day = np.divmod(np.arange(first, first + rows), DAILY_PRICES)
        stream = streams_of(self._seed, "daily_market")
        close = base_price_cents(security) + stream("dm_close").below(2 * _SWING_CENTS, first, rows) - _SWING_CENTS
        symbols = table_of([symbol(each) for each in range(int(security[0]), int(security[-1]) + 1)])
        return {
            "dm_date": working_days(day - DAILY_PRICES),
            "dm_s_symb": symbols[security - security[0]],
            "dm_close": close,
            "dm_high": close + stream("dm_high").below(_SWING_CENTS, first, rows),
            "dm_low": close - stream("dm_low").below(_SWING_CENTS, first, rows),
            "dm_vol": 1_000 + stream("dm_vol").below(10_000, first, rows),
        }

    def financials(self, first: int, rows: int) -> dict[str, np.ndarray]:
        """The quarters of five years for each company."""
        company, quarter = np.divmod(np.arange(first, first + rows), QUARTERS)
        stream = streams_of(self._seed, "financial")
        year, of_year = _FIRST_YEAR + quarter // 4, quarter % 4
        begins = np.array(
            [f"{int(each)}-{1 + 3 * int(part):02}-01" for each, part in zip(year, of_year, strict=True)],
            "datetime64[D]",
        )
        revenue = 100_000_00 + stream("fi_revenue").below(16_000_000_00 // 4, first, rows) * 4
        earned = revenue * (5 + stream("fi_net_earn").below(25, first, rows)) // 100
        shares = 4_000_000 + stream("fi_out_basic").below(4_000_000, first, rows)
        assets = 1_000_000_00 + stream("fi_assets").below(4_000_000_00, first, rows)
        return {
            "fi_co_id": company + 1,
            "fi_year": year,
            "fi_qtr": of_year + 1,
            "fi_qtr_start_date": begins,
            "fi_revenue": revenue,
            "fi_net_earn": earned,
            "fi_basic_eps": earned // shares,
            "fi_dilut_eps": earned // (shares + shares // 10),
            "fi_margin": earned * 100 // revenue,
            "fi_inventory": assets // 7,
            "fi_assets": assets,
            "fi_liability": assets // 3,
            "fi_out_basic": shares,
            "fi_out_dilut": shares + shares // 10,
        }

    def news(self, first: int, rows: int) -> dict[str, np.ndarray]:
        stream = streams_of(self._seed, "news_item")
        moment = stream("ni_dts").below(self._size.days * TRADING_SECONDS, first, rows)
        return {
            "ni_id": np.arange(first + 1, first + rows + 1),
            "ni_headline": self._text(stream("ni_headline"), first, rows, _HEADLINE),
            "ni_summary": self._text(stream("ni_summary"), first, rows, _SUMMARY),
            "ni_item": self._text(stream("ni_item"), first, rows, NEWS_BYTES - 1),
            "ni_dts": trading_moments(moment),
            "ni_source": _SOURCES[stream("ni_source").below(len(_SOURCES), first, rows)],
            "ni_author": _FULL[stream("ni_author").below(len(_FULL), first, rows)],
        }

    def news_references(self, first: int, rows: int) -> dict[str, np.ndarray]:
        numbers = np.arange(first, first + rows)
        return {"nx_ni_id": numbers + 1, "nx_co_id": numbers // NEWS + 1}

    def _text(self, stream: Stream, first: int, rows: int, width: int) -> Text:
        """Texts of a width: each is a different piece of the same word list, and begins with a capital letter."""
        begin = stream.below(len(self._pool) - width, first, rows)
        letters = np.lib.stride_tricks.sliding_window_view(self._pool, width)[begin]
        blank = letters == ord(" ")
        blank[:, 1:-1] = False
        letters[blank] = ord("a")
        return joined_columns(capitals(stream.words(first + 2**40, rows), 1), as_text(letters), rows=rows)


def _text_pool(stream: Stream) -> Bytes:
    chosen = below(stream.words(0, _POOL_WORDS), len(NEWS_WORDS))
    return np.frombuffer(" ".join(NEWS_WORDS[each] for each in chosen).encode(), np.uint8)


def _within_a_year(stream: Stream, first: int, rows: int) -> np.ndarray:
    days: np.ndarray = BUILT_FROM - (1 + stream.below(_YEAR_DAYS, first, rows)).astype("timedelta64[D]")
    return days
