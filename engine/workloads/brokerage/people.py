"""Customers, their accounts, brokers, permissions and watch lists, by ranges that count from 0."""

import numpy as np

from engine.workload.rows.randomness import Stream, Whole, streams_of
from engine.workload.rows.texts import Text, capitals, digits, four_digits, joined_columns, table_of
from engine.workloads.brokerage.customer_names import Names
from engine.workloads.brokerage.fees import NATIONAL_TAXES, TAX_IDS
from engine.workloads.brokerage.fixed import ZIP_CODES, tax_rate_id, zip_code
from engine.workloads.brokerage.names import TAX_ID_DIGITS, TAX_ID_FACTOR, broker_name, symbol
from engine.workloads.brokerage.sizing import ACCOUNTS, ACCOUNTS_OF_BROKER, WATCHED, Size
from engine.workloads.brokerage.trades import Trades
from engine.workloads.brokerage.words import COUNTRIES, EXCHANGES, STREET_KINDS, STREETS

_BORN_FROM, _BORN_DAYS = np.datetime64("1935-01-01", "D"), 365 * 70
_PERMISSIONS = np.repeat([1, 2, 3], [30, 19, 1])  # of 50 accounts: 60 %, 38 % and 2 %
_PERMISSIONS_BEFORE = np.concatenate(([0], np.cumsum(_PERMISSIONS)))
_MOST_BALANCE_CENTS = 10_000_000
_STREETS = table_of([f" {street} {kind}" for street in STREETS for kind in STREET_KINDS])
_TAX_RATES = table_of([tax_rate_id(number) for number in range(TAX_IDS)])
_ZIPS = table_of([zip_code(place) for place in range(ZIP_CODES)])
_COUNTRIES = table_of(COUNTRIES)


class People:
    """The rows of ``customer``, ``customer_taxrate``, ``broker``, ``customer_account``, ``account_permission``,
    ``watch_list``, ``watch_item`` and ``address``."""

    def __init__(self, size: Size, seed: int, names: Names, trades: Trades) -> None:
        self._size, self._names, self._trades = size, names, trades
        self._seed = seed
        self._symbols = table_of([symbol(each) for each in range(size.securities)])

    def customers(self, first: int, rows: int) -> dict[str, np.ndarray]:
        numbers, stream = np.arange(first, first + rows), streams_of(self._seed, "customer")
        born = stream("c_dob").below(_BORN_DAYS, first, rows).astype("timedelta64[D]")
        tax_ids = _tax_ids(numbers)
        return {
            "c_id": numbers + 1,
            "c_tax_id": tax_ids,
            "c_st_id": _same("ACTV", rows),
            "c_l_name": self._names.last(numbers),
            "c_f_name": self._names.first(numbers),
            "c_m_name": capitals(stream("c_m_name").words(first, rows), 1),
            "c_gndr": table_of(["F", "M"])[stream("c_gndr").below(2, first, rows)],
            "c_tier": self._names.tiers(numbers),
            "c_dob": _BORN_FROM + born,
            "c_ad_id": len(EXCHANGES) + self._size.companies + numbers + 1,
            **{
                name: column
                for phone in (1, 2, 3)
                for name, column in _phone(stream(f"c_local_{phone}"), phone, first, rows).items()
            },
            "c_email_1": joined_columns(b"c", tax_ids, b"@mail.example", rows=rows),
            "c_email_2": joined_columns(b"c", tax_ids, b"@post.example", rows=rows),
        }

    def tax_rates(self, first: int, rows: int) -> dict[str, np.ndarray]:
        """Two tax rates of each customer: a national and a regional one."""
        numbers = np.arange(first, first + rows)
        stream, places = streams_of(self._seed, "customer_taxrate")("cx_tx_id"), numbers.astype(np.uint64)
        national = stream.below_at(NATIONAL_TAXES, places)
        regional = NATIONAL_TAXES + stream.below_at(TAX_IDS - NATIONAL_TAXES, places)
        return {
            "cx_tx_id": _TAX_RATES[np.where(numbers % 2 == 0, national, regional)],
            "cx_c_id": numbers // 2 + 1,
        }

    def brokers(self, first: int, rows: int) -> dict[str, np.ndarray]:
        """The trades and commissions of a broker are those of its accounts (TPC-E specification, clause 7.3.2)."""
        numbers = range(first, first + rows)
        totals = [self._trades.commissions_of(each * ACCOUNTS_OF_BROKER, ACCOUNTS_OF_BROKER) for each in numbers]
        return {
            "b_id": np.array(numbers) + 1,
            "b_st_id": _same("ACTV", rows),
            "b_name": table_of([broker_name(each) for each in numbers]),
            "b_num_trades": np.array([trades for trades, _ in totals]),
            "b_comm_total": np.array([cents for _, cents in totals]),
        }

    def accounts(self, first: int, rows: int) -> dict[str, np.ndarray]:
        numbers, stream = np.arange(first, first + rows), streams_of(self._seed, "customer_account")
        customers = numbers // ACCOUNTS
        return {
            "ca_id": numbers + 1,
            "ca_b_id": numbers // ACCOUNTS_OF_BROKER + 1,
            "ca_c_id": customers + 1,
            "ca_name": joined_columns(
                b"Account ", four_digits(numbers % ACCOUNTS + 1), b" of ", self._names.full(customers), rows=rows
            ),
            "ca_tax_st": stream("ca_tax_st").below(3, first, rows),
            "ca_bal": stream("ca_bal").below(_MOST_BALANCE_CENTS, first, rows),
        }

    def permissions(self, first: int, rows: int) -> dict[str, np.ndarray]:
        """Permissions for the customer of each account, and in some accounts for the customers with the next
        numbers."""
        fifties, place = np.divmod(np.arange(first, first + rows), int(_PERMISSIONS_BEFORE[-1]))
        in_fifty = np.searchsorted(_PERMISSIONS_BEFORE, place, side="right") - 1
        account = fifties * len(_PERMISSIONS) + in_fifty
        other = place - _PERMISSIONS_BEFORE[in_fifty]
        person = (account // ACCOUNTS + other * 7) % self._size.customers
        return {
            "ap_ca_id": account + 1,
            "ap_acl": table_of(["0000", "0001", "0011"])[other],
            "ap_tax_id": _tax_ids(person),
            "ap_l_name": self._names.last(person),
            "ap_f_name": self._names.first(person),
        }

    def watch_lists(self, first: int, rows: int) -> dict[str, np.ndarray]:
        numbers = np.arange(first + 1, first + rows + 1)
        return {"wl_id": numbers, "wl_c_id": numbers}

    def watch_items(self, first: int, rows: int) -> dict[str, np.ndarray]:
        """A hundred securities of each list, evenly spaced with a random first one."""
        watch_list, place = np.divmod(np.arange(first, first + rows), WATCHED)
        stream, lists = streams_of(self._seed, "watch_item"), watch_list.astype(np.uint64)
        begin = stream("begin").below_at(self._size.securities, lists)
        step = 1 + stream("step").below_at(self._size.securities // WATCHED, lists)
        return {
            "wi_wl_id": watch_list + 1,
            "wi_s_symb": self._symbols[(begin + place * step) % self._size.securities],
        }

    def addresses(self, first: int, rows: int) -> dict[str, np.ndarray]:
        """The addresses of the exchanges, then of the companies, then of the customers."""
        stream = streams_of(self._seed, "address")
        house = digits(stream("ad_line1").words(first, rows), 3)
        street = _STREETS[stream("street").below(len(_STREETS), first, rows)]
        place = stream("ad_zc_code").below(ZIP_CODES, first, rows)
        has_flat = stream("ad_line2").below(3, first, rows) == 0
        flat = joined_columns(b"Flat ", digits(stream("flat").words(first, rows), 2), rows=rows)
        return {
            "ad_id": np.arange(first + 1, first + rows + 1),
            "ad_line1": joined_columns(house, street, rows=rows),
            "ad_line2": np.where(has_flat, flat, b"").astype(flat.dtype),
            "ad_zc_code": _ZIPS[place],
            "ad_ctry": _COUNTRIES[stream("ad_ctry").below(len(COUNTRIES), first, rows)],
        }


def _tax_ids(customers: Whole) -> Text:
    """``names.tax_id`` for an array of customers, which count from 0."""
    high, low = np.divmod(customers + 1, 1_000)
    # In two parts, since the product may overflow 64 bits.
    factor, modulus = TAX_ID_FACTOR, 10**TAX_ID_DIGITS
    numbers = (high * (factor * 1_000 % modulus) + low * factor) % modulus
    upper, rest = np.divmod(numbers, 10**8)
    return joined_columns(
        four_digits(upper), four_digits(rest // 10_000), four_digits(rest % 10_000), rows=len(customers)
    )


def _phone(stream: Stream, number: int, first: int, rows: int) -> dict[str, np.ndarray]:
    words = stream.words(first, rows)
    return {
        f"c_ctry_{number}": _same("01", rows),
        f"c_area_{number}": digits(words, 3),
        f"c_local_{number}": digits(stream.words(first + 2**40, rows), 7),
        f"c_ext_{number}": digits(stream.words(first + 2**41, rows), 2),
    }


def _same(text: str, rows: int) -> Text:
    return np.full(rows, text.encode(), f"S{len(text)}")
