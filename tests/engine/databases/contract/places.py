"""A database of the server under test, as the contract's tests handle it; and what a pristine store holds."""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from functools import cache, partial
from typing import Any

from engine.databases.database import BuildReport, Store, Timeouts
from engine.databases.definition import Check
from engine.databases.progress import Progress
from engine.workload.rows.block import Block
from engine.workload.rows.columns import Kind
from engine.workloads.dvdstore.rows import StoreRows
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.databases.contract.under_test import DatabaseUnderTest, Run
from tests.engine.workloads.dvdstore.sessions import DvdStoreSession, open_session, store_at

SIZE = DbSize(1, "MB")
SEED = 7
Contents = dict[str, Counter[tuple[Any, ...]]]


def silent(_progress: Progress) -> None:
    """Ignores progress."""


def never() -> bool:
    """For work that nobody cancels."""
    return False


class Place:
    """A database by its name, which need not exist yet."""

    lease_seconds = 5.0

    def __init__(self, dbms: DatabaseUnderTest, name: str) -> None:
        self.dbms = dbms
        self.name = name
        self.target = dbms.target(name)
        self._opened: list[DvdStoreSession] = []

    @property
    def store(self) -> Store:
        return self.opener()

    @property
    def opener(self) -> Callable[[], Store]:
        return partial(store_at, self.target, self.dbms.secret, Timeouts())

    def build(
        self,
        size: DbSize = SIZE,
        seed: int = SEED,
        *,
        replace: bool = False,
        delete_first: bool = False,
        report_progress: Callable[[Progress], None] = silent,
        cancelled: Callable[[], bool] = never,
    ) -> BuildReport:
        return self.store.build(
            str(size),
            seed,
            replace=replace,
            delete_first=delete_first,
            report_progress=report_progress,
            cancelled=cancelled,
        )

    def verify(self) -> list[Check]:
        return self.store.verify(report_progress=silent, cancelled=never)

    def failed_checks(self) -> set[str]:
        return {check.what for check in self.verify() if not check.ok}

    def reset(self) -> None:
        self.store.reset(report_progress=silent, cancelled=never)

    def open(self, timeouts: Timeouts | None = None) -> DvdStoreSession:
        """A session that is closed when the test is over."""
        session = open_session(self.target, self.dbms.secret, timeouts)
        self._opened.append(session)
        return session

    def close(self) -> None:
        for session in self._opened:
            session.close()

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        return self.dbms.run(self.name, statement)

    def value(self, statement: str) -> Any:
        ((value,),) = self.run(statement)
        return value

    def set_stock(self, product: int, stock: int) -> None:
        """Give a product this stock; by a new row, because an update to so little would be topped up."""
        sales = sum(sales for (sales,) in self.run(f"SELECT sales FROM inventory WHERE prod_id = {product}"))
        self.run(f"DELETE FROM inventory WHERE prod_id = {product}")
        self.run(f"INSERT INTO inventory (prod_id, quan_in_stock, sales) VALUES ({product}, {stock}, {sales})")

    def stock_and_sales(self, product: int) -> tuple[Any, ...]:
        (row,) = self.run(f"SELECT quan_in_stock, sales FROM inventory WHERE prod_id = {product}")
        return row

    def rows(self, table: str) -> Counter[tuple[Any, ...]]:
        """All rows of a table with the schema's columns; amounts are cents."""
        return _rows(self.run, table)

    def contents(self) -> Contents:
        with self.dbms.transaction(self.name) as run:
            return {table: _rows(run, table) for table in TABLES}


def added(before: Contents, after: Contents) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of each table that are there after and were not before; a table without any is left out."""
    rows = {table: sorted((after[table] - before[table]).elements()) for table in TABLES}
    return {table: new for table, new in rows.items() if new}


@cache
def generated(size: DbSize, seed: int) -> Contents:
    """What the row generator says that a store holds."""
    rows = StoreRows(size, seed)
    rows.inventory_sales()
    return {table: Counter(row for block in rows.blocks(table) for row in block_rows(block)) for table in TABLES}


def block_rows(block: Block) -> list[tuple[Any, ...]]:
    """A block of the generator's as rows of plain values; amounts are cents, and an empty text is ``None``."""
    columns = []
    for column in TABLES[block.table]:
        values = block.columns[column.name].tolist()
        columns.append([value.decode() or None for value in values] if column.kind is Kind.TEXT else values)
    return list(zip(*columns, strict=True))


def _rows(run: Run, table: str) -> Counter[tuple[Any, ...]]:
    columns = TABLES[table]
    rows = run(f"SELECT {', '.join(column.name for column in columns)} FROM {table}")
    has_amounts = any(column.kind is Kind.MONEY for column in columns)
    return Counter([tuple(map(plain, row)) for row in rows] if has_amounts else rows)


def plain(value: Any) -> Any:
    """A value as a driver gives it as one to compare; an amount in cents."""
    return int(value * 100) if isinstance(value, Decimal) else value
