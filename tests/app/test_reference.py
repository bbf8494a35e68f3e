import json
from pathlib import Path

from tests.app.conftest import Spindle
from tests.texts import plain


def test_the_published_results_are_listed_with_their_sources(spindle: Spindle) -> None:
    text = plain(spindle("reference", "list").out)
    for figure in (
        "20 736",
        "29.1",
        "24 085",
        "42.8",
        "186 604",
        "242 265",
        "76 129 → 76 010, 12 s, 26 s",
        "$10 994.88",
    ):
        assert figure in text
    assert "[1] Published DVD Store 2.1 test of an R630 with SQL Server 2014" in text
    assert all(each["source"] and each["is_shipped"] for each in json.loads(spindle("reference", "list", "--json").out))


def test_one_is_added_by_options_shown_replaced_and_removed(spindle: Spindle) -> None:
    own = ("reference", "add", "--name", "R740", "--source", "our report", "--clients", "45,000; 45,000")
    assert spindle(*own, "--cost", "$9,000.00", "--factor", "databases=2", "--note", "n").code == 0
    shown = plain(spindle("reference", "show", "r740").out)
    for line in (
        "OPM              90 000",
        "clients          45 000 / 45 000",
        "cost             $9 000.00",
        "databases        2",
    ):
        assert line in shown
    assert "[6] own" in spindle("reference", "list").out
    again = spindle(*own)
    assert (again.code, "is already there" in again.err) == (2, True)
    assert spindle(*own, "--opm", "1", "--replace").code == 0
    assert "OPM              1\n" in spindle("reference", "show", "r740").out
    assert spindle("reference", "remove", "r740").code == 0
    assert spindle("reference", "show", "r740").code == 2


def test_a_table_is_added_whole_or_not_at_all(spindle: Spindle, tmp_path: Path) -> None:
    table = tmp_path / "own.csv"
    table.write_text("name,source,opm,storage\nA,s,1,SSD\nB,s,many,\n", encoding="utf-8")
    code, _, err = spindle("reference", "add", str(table))
    assert (code, "own.csv, line 3: OPM is 'many'" in err) == (2, True)
    assert len(json.loads(spindle("reference", "list", "--json").out)) == 14
    table.write_text("name,source,opm,storage\nA,s,1,SSD\nB,s,2,\n", encoding="utf-8")
    assert spindle("reference", "add", str(table)).err == "spindle: added 'A', 'B'.\n"


def test_invalid_options_are_rejected(spindle: Spindle) -> None:
    for arguments, code, expected in (
        (("add",), 2, "a reference comes from a CSV or from options"),
        (("add", "a.csv", "--name", "n"), 2, "a reference comes from a CSV or from options"),
        (("add", "--name", "n"), 2, "source of a reference is empty"),
        (("remove", "Scaling series, 1 unit"), 1, "comes with Spindle and can't be removed"),
    ):
        outcome = spindle("reference", *arguments)
        assert (outcome.code, outcome.out) == (code, "")
        assert expected in outcome.err
