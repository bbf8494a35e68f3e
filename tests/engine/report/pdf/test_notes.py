from reportlab.platypus import Preformatted, Table

from engine.report.pdf.notes import note_flowables
from engine.report.pdf.text import styles
from tests.engine.report.pages import page_texts, reader_of
from tests.engine.report.pdf.test_tables import FRAME_PT

NOTES = """\
# Seen

Some *emphasis* and **weight**, `code`, [a link](https://example.org) ![the rack](https://example.org/x.png)
<script>alert(1)</script>

1. first
2. second
   - inner

> quoted

    a line as it is

| a | b |
|---|--:|
| 1 | 2 |
"""


def text_of(markdown: str) -> str:
    return page_texts(reader_of(list(note_flowables(markdown, styles(), FRAME_PT))))[0]


def test_note_flowables_keep_the_order() -> None:
    text = text_of(NOTES)
    sentence = "emphasis and weight, code, a link the rack <script>alert(1)</script>"
    parts = ("Seen", sentence, "1.", "first", "2.", "second", "•", "inner", "quoted", "a line as it is")
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "example.org" not in text


def test_listings_and_tables_are_set_as_such() -> None:
    made = list(note_flowables("```\nx  y\n```\n\n| a |\n|---|\n| 1 |\n", styles(), FRAME_PT))
    assert [type(each) for each in made if isinstance(each, Preformatted)] == [Preformatted]
    assert "1" in page_texts(reader_of(made))[0]
    assert any(isinstance(each, Table) for each in getattr(made[-1], "_content", made))


def test_a_list_goes_on_counting_after_an_inner_one() -> None:
    text = text_of("1. a\n   1. x\n2. b\n")
    assert [line.partition(" ")[0] for line in map(str.strip, text.splitlines()) if line[:1].isdigit()] == [
        "1.",
        "1.",
        "2.",
    ]


def test_empty_notes_have_no_flowables() -> None:
    assert list(note_flowables("", styles(), FRAME_PT)) == []
