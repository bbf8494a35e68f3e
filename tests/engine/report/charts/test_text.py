from engine.report.charts.text import shortened, text_width_pt


def test_a_text_is_as_wide_as_its_letters() -> None:
    assert text_width_pt("OPM OPM") > text_width_pt("OPM") > 0
    assert text_width_pt("") == 0


def test_a_dollar_is_only_a_letter() -> None:
    assert text_width_pt("$5 and $6") > text_width_pt("5 and 6")


def test_what_does_not_fit_ends_in_dots() -> None:
    label = "Enclosure pulled and put back"
    fitted = shortened(label, 60)
    assert fitted.endswith("…")
    assert label.startswith(fitted[:-1])
    assert text_width_pt(fitted) <= 60
    assert shortened(label, 1_000) == label
