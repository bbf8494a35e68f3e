"""Tables of a PDF: as wide as their content, with the heading on every page. Called by ``pdf.blocks``.

A table that is too wide gets a smaller font; if that does not suffice, it is split into several tables that all begin
with the first column.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import CondPageBreak, Flowable, KeepTogether, Paragraph, Table, TableStyle

from engine.report.document import DataTable
from engine.report.pdf.text import BODY, FAINT, MUTED, STRONG, TEXT, markup, width_pt

_GAP_PT = 13.0
_LEAST_TEXT_PT = 76.0
_SIZES = (7.5, 7.1, 6.7, 6.3)
_LONGEST_WORD_PT = 110.0  # up to this width a word, such as a run's id, is not broken
_RELUCTANCE_PT, _ROW_PT = 78.0, 17.0
_TOGETHER_ROWS, _BEGINNING_ROWS = 26, 3
_TOGETHER_PT = (_TOGETHER_ROWS + 2) * _ROW_PT


@dataclass(frozen=True)
class _Setting:
    """A table's columns at one font size: the minimum and the natural width of each, in points."""

    size: float
    least: tuple[float, ...]
    natural: tuple[float, ...]

    def widths(self, frame_pt: float) -> list[float] | None:
        """The columns' widths, or ``None`` when they do not fit: what is missing is taken from the columns that can
        shrink."""
        short = sum(self.natural) - frame_pt
        if short <= 0:
            return list(self.natural)
        spare = [natural - least for natural, least in zip(self.natural, self.least, strict=True)]
        if short > sum(spare):
            return None
        return [natural - short * own / sum(spare) for natural, own in zip(self.natural, spare, strict=True)]


def table_flowables(table: DataTable, styles: dict[str, ParagraphStyle], frame_pt: float) -> Iterator[Flowable]:
    """The caption, the table (or its parts) and the note."""
    parts = list(_parts(table, styles, frame_pt))
    for number, part in enumerate(parts, start=1):
        caption = table.caption if number == 1 else f"{table.caption} (continued)"
        shown = _table(part, styles, frame_pt)
        made = [Paragraph(markup(caption, STRONG), styles["table_caption"]), shown]
        made.append(Paragraph(markup(table.note if number == len(parts) else ""), styles["note"]))
        _, height_pt = shown.wrap(frame_pt, 0)
        if height_pt <= _TOGETHER_PT:
            yield KeepTogether(made)
        else:
            yield CondPageBreak(_RELUCTANCE_PT)
            yield from made


def table_min_height_pt(table: DataTable) -> float:
    """The height that the begin of a table needs on its page: of a short table all of it."""
    rows = len(table.rows) if len(table.rows) <= _TOGETHER_ROWS else _BEGINNING_ROWS
    return _RELUCTANCE_PT + rows * _ROW_PT


def _parts(table: DataTable, styles: dict[str, ParagraphStyle], frame_pt: float) -> Iterator[DataTable]:
    """The table, or several with as many columns each as fit."""
    columns = list(range(1, len(table.columns)))
    while columns:
        taken = len(columns)
        while taken > 1 and _fitting(_of_columns(table, [0, *columns[:taken]]), styles, frame_pt) is None:
            taken -= 1
        yield _of_columns(table, [0, *columns[:taken]])
        columns = columns[taken:]
    if len(table.columns) == 1:
        yield table


def _of_columns(table: DataTable, places: Sequence[int]) -> DataTable:
    return replace(
        table,
        columns=tuple(table.columns[place] for place in places),
        rows=tuple(tuple(row[place] for place in places) for row in table.rows),
        total=None if table.total is None else tuple(table.total[place] for place in places),
    )


def _fitting(table: DataTable, styles: dict[str, ParagraphStyle], frame_pt: float) -> _Setting | None:
    """The setting with the largest font in which the table fits."""
    for size in _SIZES:
        setting = _setting(table, styles, size)
        if setting.widths(frame_pt) is not None:
            return setting
    return None


def _setting(table: DataTable, styles: dict[str, ParagraphStyle], size: float) -> _Setting:
    cell = ParagraphStyle("measured", parent=styles["cell"], fontSize=size)
    strong = ParagraphStyle("measured_total", parent=cell, fontName=STRONG)
    least, natural = [], []
    for place, column in enumerate(table.columns):
        widest = max((width_pt(row[place], cell) for row in table.rows), default=0.0)
        if table.total is not None:
            widest = max(widest, width_pt(table.total[place], strong))
        title = max(width_pt(word, cell) for word in (column.title or " ").split(" "))
        narrowest = widest if column.is_number else min(widest, max(_LEAST_TEXT_PT, _word_pt(table, place, cell)))
        gap = 0.0 if place == len(table.columns) - 1 else _GAP_PT
        least.append(max(narrowest, title) + gap + 1)
        natural.append(max(widest, title, min(width_pt(column.title, cell), _LEAST_TEXT_PT)) + gap + 1)
    return _Setting(size, tuple(least), tuple(natural))


def _word_pt(table: DataTable, place: int, cell: ParagraphStyle) -> float:
    """The width of the longest word of a column, unless it is so long that it has to be broken."""
    words = {word for row in table.rows for word in row[place].split()}
    return max((width for word in words if (width := width_pt(word, cell)) <= _LONGEST_WORD_PT), default=0.0)


def _table(table: DataTable, styles: dict[str, ParagraphStyle], frame_pt: float) -> Table:
    setting = _fitting(table, styles, frame_pt) or _setting(table, styles, _SIZES[-1])
    widths = setting.widths(frame_pt) or [frame_pt * each / sum(setting.least) for each in setting.least]
    heads = [
        Paragraph(markup(column.title), styles["head_right" if column.is_number else "head"])
        for column in table.columns
    ]
    rows = [_cells(table, row, styles, setting.size, BODY) for row in table.rows]
    if table.total is not None:
        rows.append(_cells(table, table.total, styles, setting.size, STRONG))
    made = Table([heads, *rows], colWidths=widths, repeatRows=1, hAlign="LEFT", splitInRow=1)
    made.setStyle(_rules(table))
    return made


def _cells(
    table: DataTable, row: tuple[str, ...], styles: dict[str, ParagraphStyle], size: float, font: str
) -> list[Paragraph]:
    made = []
    for column, text in zip(table.columns, row, strict=True):
        style = styles["cell_right" if column.is_number else "cell"]
        sized = ParagraphStyle("sized", parent=style, fontName=font, fontSize=size, leading=size * 1.35)
        made.append(Paragraph(markup(text, font), sized))
    return made


def _rules(table: DataTable) -> TableStyle:
    """Rules above and below, none at the sides."""
    rules: list[Any] = [
        ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ("RIGHTPADDING", (0, 0), (-2, -1), _GAP_PT),
        ("RIGHTPADDING", (-1, 0), (-1, -1), 0),
        ("TOPPADDING", (0, 0), (-1, -1), 2.2),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 3.2),
        ("VALIGN", (0, 0), (-1, 0), "BOTTOM"),
        ("VALIGN", (0, 1), (-1, -1), "TOP"),
        ("LINEABOVE", (0, 0), (-1, 0), 0.9, TEXT),
        ("LINEBELOW", (0, 0), (-1, 0), 0.5, MUTED),
        ("LINEBELOW", (0, 1), (-1, -2), 0.3, FAINT),
        ("LINEBELOW", (0, -1), (-1, -1), 0.9, TEXT),
    ]
    if table.total is not None:
        rules.append(("LINEABOVE", (0, -1), (-1, -1), 0.6, TEXT))
    return TableStyle(rules)
