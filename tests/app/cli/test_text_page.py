from app.cli.text_page import TextPage, plain_table

LONG = "word " * 60


def test_lines_are_kept_and_sentences_wrap_at_the_width() -> None:
    page = TextPage(40)
    page.line(LONG)
    page.sentence(LONG)
    first, *rest = page.text().split("\n")
    assert first == LONG.rstrip()
    assert len(rest) > 5
    assert max(map(len, rest)) <= 40
    assert " ".join(rest).split() == LONG.split()


def test_file_output_is_not_wrapped() -> None:
    page = TextPage(None)
    page.sentence(LONG)
    assert page.text() == LONG.rstrip()


def test_markup_and_colours_are_printed_literally() -> None:
    page = TextPage(80)
    page.line("[red]:warning: 'x'[/red]")
    page.line()
    assert page.text() == "[red]:warning: 'x'[/red]"


def test_numbers_are_right_aligned_and_names_wrap() -> None:
    table = plain_table(["name", "OPM", "state"], numbers=["OPM"], folding=["name"])
    table.add_row("a-long-name-without-spaces", "7", "ok")
    table.add_row("b", "12 345", "failed")
    page = TextPage(30)
    page.table(table)
    lines = page.text().split("\n")
    assert lines[0].split() == ["name", "OPM", "state"]
    assert [line.index(figure) + len(figure) for line, figure in ((lines[1], "7"), (lines[-1], "12 345"))] == [22, 22]
    assert "".join(line.split()[0] for line in lines[1:-1]) == "a-long-name-without-spaces"


def test_columns_have_the_requested_gap() -> None:
    for gap in (1, 2):
        page = TextPage(None)
        page.table(plain_table(["a", "b"], gap=gap))
        assert page.text() == f"a{' ' * gap}b"
