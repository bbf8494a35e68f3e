import pytest

from engine.report.chart_text import ChartText


@pytest.fixture
def text() -> ChartText:
    return ChartText("DejaVu Sans")


def test_a_text_is_as_wide_as_its_letters(text: ChartText) -> None:
    assert text.width_pt("OPM OPM") > text.width_pt("OPM") > 0
    assert text.width_pt("") == 0


def test_a_dollar_is_only_a_letter(text: ChartText) -> None:
    assert text.width_pt("$5 and $6") > text.width_pt("5 and 6")


def test_what_does_not_fit_ends_in_dots(text: ChartText) -> None:
    label = "Enclosure pulled and put back"
    shortened = text.shortened(label, 60)
    assert shortened.endswith("…")
    assert label.startswith(shortened[:-1])
    assert text.width_pt(shortened) <= 60
    assert text.shortened(label, 1_000) == label
