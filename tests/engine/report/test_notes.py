from html5lib import parse
from hypothesis import given
from hypothesis import strategies as st

from engine.report.notes import note_html, note_tokens

_HTML = "{http://www.w3.org/1999/xhtml}"


def test_markdown_with_tables_is_read() -> None:
    html = note_html("Seen *twice*:\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n", 2)
    assert "<em>twice</em>" in html
    assert "<td>1</td>" in html


def test_html_and_scripts_stand_as_they_were_typed() -> None:
    html = note_html("<script>alert(1)</script> [x](javascript:alert(1))", 2)
    assert "&lt;script&gt;" in html
    assert "<script" not in html
    assert "href" not in html


def test_picture_is_replaced_by_its_alternative_text() -> None:
    html = note_html('![the "rack" <b>](https://example.org/rack.png)', 2)
    assert "<img" not in html
    assert "example.org" not in html
    assert "the &quot;rack&quot; &lt;b&gt;" in html


def test_heading_levels_have_no_gap() -> None:
    tags = [token.tag for token in note_tokens("# A\n\n### B\n\n# C", 2) if token.type == "heading_open"]
    assert tags == ["h2", "h3", "h2"]
    assert "<h3>A</h3>" in note_html("###### A", 3)


@given(st.text("#*_`<>&![]()\"'ab\n |-:/"))
def test_notes_never_contain_active_elements(text: str) -> None:
    tree = parse(note_html(text, 2))
    assert not {f"{_HTML}script", f"{_HTML}img", f"{_HTML}iframe"} & {each.tag for each in tree.iter()}
