from engine.report.charts.palette import DARK, NAMED, PAPER, dashes, hatch, style_names, with_style_names


def test_lines_and_bars_differ_without_colour() -> None:
    assert len({dashes(number) for number in range(8)}) == 8
    assert len({hatch(number) for number in range(8)}) == 8


def test_hues_begin_anew_after_the_last() -> None:
    assert PAPER.hue(0) == PAPER.hue(len(PAPER.series)) != PAPER.hue(1)


def test_every_colour_has_a_name_in_the_style_sheet_and_no_two_the_same() -> None:
    assert style_names(PAPER).keys() == style_names(DARK).keys() == style_names(NAMED).keys()
    assert len(set(style_names(NAMED).values())) == len(style_names(NAMED))


def test_named_colours_become_names() -> None:
    drawn = f'<path style="stroke: {NAMED.text}; fill: {NAMED.series[7]}"/>'
    assert with_style_names(drawn) == '<path style="stroke: var(--chart-text); fill: var(--chart-series-8)"/>'
