import base64
import re
from dataclasses import replace
from xml.etree.ElementTree import Element

import html5lib
import pytest

from engine.report.document import Logo, Section, Text
from engine.report.html import html_of
from tests.engine.report.charted import HOSTILE, a_document

_HTML = "{http://www.w3.org/1999/xhtml}"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


@pytest.fixture(scope="module")
def page() -> str:
    return html_of(a_document(notes="# Seen\n\n<b>by</b> *us*", logo=Logo(content=PNG, format="png")))


def elements(page: str, tag: str) -> list[Element]:
    return list(html5lib.parse(page).iter(_HTML + tag))


def test_html_is_valid(page: str) -> None:
    html5lib.HTMLParser(strict=True).parse(page)
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')


def test_the_same_document_is_the_same_page() -> None:
    assert html_of(a_document()) == html_of(a_document())


def test_html_has_no_external_resources(page: str) -> None:
    assert not elements(page, "script")
    assert not elements(page, "link")
    addresses = re.findall(r'(?:src|href|action|data)="([^"]*)"', page) + re.findall(r"url\(([^)]*)\)", page)
    assert addresses
    assert all(each.startswith(("#", "data:image/png;base64,")) for each in addresses)
    assert "@import" not in page
    assert "default-src 'none'" in page


def test_typed_text_is_escaped(page: str) -> None:
    assert HOSTILE not in page
    assert "<script>" not in page
    everything = "".join(html5lib.parse(page).itertext())
    assert everything.count(HOSTILE) == 2 + 1 + 3 + 1  # title and heading, warning, rows, paragraph


def test_no_two_elements_have_the_same_id(page: str) -> None:
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(set(ids)) == len(ids)
    assert set(re.findall(r'aria-labelledby="([^"]+)"', page)) <= set(ids)


def test_tables_have_header_cells(page: str) -> None:
    heads = elements(page, "th")
    assert {each.get("scope") for each in heads} == {"col", "row"}
    assert [each.text for each in elements(page, "caption")] == ["Clients"]
    numbers = [each for each in elements(page, "td") if each.get("class") == "number"]
    assert [each.text for each in numbers] == ["46\u202f001", "46\u202f002", "46\u202f003", "186\u202f604"]


def test_charts_have_alternative_text(page: str) -> None:
    drawings = list(html5lib.parse(page).iter("{http://www.w3.org/2000/svg}svg"))
    assert [each.get("role") for each in drawings] == ["img"] * 4
    assert {each.get("aria-label") for each in drawings} == {"Curves of two clients.", "Bars of two results."}


def test_charts_follow_light_and_dark(page: str) -> None:
    drawing = page[page.index("<svg") : page.index("</svg>")]
    assert "var(--chart-text)" in drawing
    assert "#fe" not in drawing
    assert page.count("--chart-text: #15181c") == 2  # on the screen and in print
    assert page.count("--chart-text: #eceef0") == 1


def test_a_level_2_section_stands_in_the_chapter_before(page: str) -> None:
    assert [each.text for each in elements(page, "h2")] == ["Seen", "Result"]
    assert [each.text for each in elements(page, "h3")] == ["Part"]


def test_many_chapters_have_a_list_of_contents() -> None:
    sections = tuple(Section(title=f"Chapter {number}", blocks=(Text(text="x"),)) for number in range(5))
    page = html_of(a_document(sections=sections))
    links = [each.get("href") for each in elements(page, "a")]
    assert links == [f"#{each.get('id')}" for each in elements(page, "h2")]


def test_a_footer_can_not_leave_the_style_sheet() -> None:
    page = html_of(a_document(footer='"; } </style><script>alert(1)</script>'))
    html5lib.HTMLParser(strict=True).parse(page)
    assert not elements(page, "script")


def test_an_svg_logo_is_a_picture_and_never_part_of_the_page() -> None:
    logo = Logo(content=b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>", format="svg")
    page = html_of(replace(a_document(), logo=logo))
    assert not elements(page, "script")
    assert elements(page, "img")[0].get("src").startswith("data:image/svg+xml;base64,")
