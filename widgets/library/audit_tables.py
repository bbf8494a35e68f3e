"""Tables of an audit: counts, checks, examples. Called by the audit view."""

from collections.abc import Mapping, Sequence
from itertools import compress

from PySide6.QtWidgets import QWidget

from engine.analysis.headline import Headline
from engine.audit.report import AuditReport, OrderCounts, OrderExample, StoreAudit
from engine.figure_text import UNKNOWN, capitalised, whole
from engine.plain_table import PlainTable
from engine.record.clock import RunClock
from widgets.parts.table.text_model import TextModel, Texts
from widgets.parts.table.view import TableView

CLASSES = {
    "acknowledged": "Acknowledged",
    "present": "Present",
    "lost": "Lost",
    "replaced": "Replaced",
    "in_doubt_present": "In doubt, present",
    "in_doubt_absent": "In doubt, absent",
    "cut_off": "Cut off",
    "unknown": "Unknown",
}
_TIPS = {
    "Acknowledged": "{heading} that the server acknowledged",
    "Present": "Acknowledged, and on the server as they were placed",
    "Lost": "Acknowledged, and missing on the server",
    "Replaced": "Acknowledged, but the server holds another {one} under the same id",
    "In doubt, present": "No answer arrived; the {one} is on the server",
    "In doubt, absent": "No answer arrived; the {one} is not on the server",
    "Cut off": "On the server; its client ended before the answer came",
    "Unknown": "On the server, but acknowledged to no client",
}


class TextTable(TableView):
    """A table of texts as it is displayed."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._model = TextModel(self)
        self.setModel(self._model)
        self.setAlternatingRowColors(True)

    def show_texts(self, texts: Texts, tips: Mapping[str, str] | None = None) -> None:
        self._model.show_texts(texts, tips)
        self.fit_columns(("",) * len(texts.titles))


def count_texts(report: AuditReport, headline: Headline) -> Texts:
    """A row for each class, a column for each store, and one for all stores when there are several."""
    columns = [(store.database, store.counts) for store in report.stores]
    if len(columns) > 1:
        columns.append(("All stores", report.counts))
    rows = tuple((title, *(whole(_count(counts, name)) for _, counts in columns)) for name, title in CLASSES.items())
    return Texts((headline.heading, *(name for name, _ in columns)), rows)


def tips_of(headline: Headline) -> dict[str, str]:
    """What each class means, in the words of a run's ``headline``."""
    return {title: tip.format(heading=headline.heading, one=headline.one) for title, tip in _TIPS.items()}


def check_texts(stores: Sequence[StoreAudit]) -> Texts:
    """A row for each rule about a store's rows, with the number of rows that violate it."""
    rows = tuple(
        (capitalised(check.what), store.database, "none" if not check.wrong else whole(check.wrong))
        for store in stores
        for check in store.consistency
    )
    return Texts(("Check", "Store", "Found"), rows, words=2)


def example_texts(stores: Sequence[StoreAudit], headline: Headline, clock: RunClock) -> Texts:
    """What is listed of each irregular class, and how many are not listed; times are on the run's ``clock``.

    There are no columns for whose a transaction is and for its amount where the workload records neither.
    """
    whose = headline.wording.recorded_of
    has_amounts = any(
        each.net_cents is not None for store in stores for listed in store.examples.values() for each in listed
    )
    titles = ("Class", "Store", capitalised(headline.one), capitalised(whose), "Net amount", f"Time {clock.since}")
    shown = (True, True, True, bool(whose), has_amounts, True)
    rows = tuple(
        tuple(compress(row, shown))
        for store in stores
        for name, examples in store.examples.items()
        for row in _example_rows(store, name, examples, clock)
    )
    return Texts(tuple(compress(titles, shown)), rows, words=2)


def _order_text(example: OrderExample) -> str:
    """The id, and where it is unique: ``3005 in warehouse 1, district 4``."""
    order = UNKNOWN if example.order is None else str(example.order)
    return f"{order} in {example.place}" if example.place else order


def _example_rows(
    store: StoreAudit, name: str, examples: Sequence[OrderExample], clock: RunClock
) -> list[tuple[str, ...]]:
    title = CLASSES.get(name, name)
    rows: list[tuple[str, ...]] = [
        (
            title,
            store.database,
            _order_text(example),
            str(example.customer),
            UNKNOWN if example.net_cents is None else f"{example.net_cents / 100:.2f}",
            clock.moment(example.at_seconds),
        )
        for example in examples
    ]
    orders = _count(store.counts, name)
    if orders > len(examples):
        rows.append((f"{title}: {len(examples)} of {whole(orders)} shown", store.database, "…", "…", "…", "…"))
    return rows


def as_lines(texts: Texts) -> list[str]:
    """The table as lines with tabs and plain numbers, for the clipboard."""
    numbers = range(texts.words, len(texts.titles))
    return PlainTable.of(texts.titles, texts.rows, numbers).as_tabs().splitlines()


def _count(counts: OrderCounts, name: str) -> int:
    count: int = getattr(counts, name)
    return count
