import json
import subprocess
import sys
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest
from pypdf import PdfReader

from engine.library.library import Library
from engine.plan.plan import RunPlan
from engine.target.target import Target
from tests.app.conftest import Spindle
from tests.app.runs import a_run, keep
from tests.texts import plain

REFERENCE = "R630, 4 databases, HDD, 20 ms"
RECOMPUTE = Path(__file__).with_name("recompute_set.py")
SHORT = ("--warmup", "0", "--minutes", "0.03", "--ramp-rate", "100", "--think-time-ms", "50")


def tables_of(path: Path) -> dict[str, list[list[str]]]:
    """The tables of an HTML document by their captions: the texts of the cells, with ordinary spaces."""
    root = html5lib.parse(path.read_text(encoding="utf-8"), namespaceHTMLElements=False)
    found = {}
    for table in root.iter("table"):
        caption = table.find("caption")
        rows = [[_text(cell) for cell in row if cell.tag in ("th", "td")] for row in table.iter("tr")]
        found["" if caption is None else _text(caption)] = rows
    return found


def _text(element: Element) -> str:
    return " ".join(plain("".join(element.itertext())).split())


def three_runs(home: Path) -> list[str]:
    records = [a_run(minutes_later=later, name=f"run {later}") for later in range(3)]
    keep(home, *records)
    return [record.run_id for record in records]


def test_set_report_table_equals_values_recomputed_from_runs(store: str, spindle: Spindle, tmp_path: Path) -> None:
    ran = spindle("run", "--target", store, *SHORT, "--clients", "2", "--threads", "2", "--repeat", "3", "--quiet")
    assert ran.code == 0, ran.err
    (made,) = json.loads(spindle("set", "list", "--json").out)
    run_ids = [run["run_id"] for run in made["runs"]]
    for run_id in run_ids:
        assert spindle("library", "export", run_id, "--csv", str(tmp_path / f"{run_id}.csv")).code == 0
    out = tmp_path / "set.html"
    reported = spindle("report", made["name"], "--out", str(out))
    assert reported.code == 0, reported.err

    recomputed = subprocess.run(
        [sys.executable, str(RECOMPUTE), *(str(tmp_path / f"{run_id}.csv") for run_id in run_ids)],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    by_hand = json.loads(recomputed.stdout)
    _, *rows = tables_of(out)["OPM of each client"]
    assert {label: int(opm.replace(" ", "")) for label, opm in rows} == by_hand["clients"] | {"Total": by_hand["total"]}
    places = {row[0]: row[-1] for row in tables_of(out)["The runs of the set"][1:]}
    assert made["median"]["name"] in [name for name, place in places.items() if "median" in place]
    text = " ".join(plain(out.read_text(encoding="utf-8")).split())
    assert f"Variability of the clients: {by_hand['variability_pct']:.2f} %." in text
    assert f"{made['median']['name']} is the median run of 3." in text


def test_every_kind_is_written_in_both_formats(spindle: Spindle, home: Path, tmp_path: Path) -> None:
    run_ids = three_runs(home)
    assert spindle("set", "make", "SSD", *run_ids).code == 0
    for number, named in enumerate((["last"], ["SSD"], run_ids)):
        for ending in ("html", "pdf"):
            out = tmp_path / f"{number}.{ending}"
            code, _, err = spindle("report", *named, "--out", str(out))
            assert code == 0, err
            assert str(out) in err
            assert out.read_bytes().startswith(b"%PDF" if ending == "pdf" else b"<!")


def test_options_reach_the_document(spindle: Spindle, home: Path, tmp_path: Path) -> None:
    run_ids = three_runs(home)
    (tmp_path / "notes.md").write_text("# Why\n\nWe **compared**.", encoding="utf-8")
    (tmp_path / "logo.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', encoding="utf-8"
    )
    out = tmp_path / "report.html"
    code, _, err = spindle(
        *("report", run_ids[0], "--out", str(out), "--reference", REFERENCE, "--title", "Quarter <3>"),
        *("--notes", str(tmp_path / "notes.md"), "--logo", str(tmp_path / "logo.svg")),
        *("--opm-per-target", "100", "--response-ms", "5", "--response", "mean", "--factor", "databases"),
    )
    assert code == 0, err
    text = out.read_text(encoding="utf-8")
    assert "Quarter &lt;3&gt;" in text
    assert "<strong>compared</strong>" in text
    assert "data:image/svg+xml" in text
    tables = tables_of(out)
    assert REFERENCE in [row[0] for row in tables["OPM of all clients"]]
    assert tables["The service level by number of targets"][1][-1] == "yes"
    assert "Scaling with databases" in text


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("last", "--out", "report.docx"), "ends in .html or .pdf"),
        (("--out", "report.html"), "nothing to report"),
        (("last", "--out", "nowhere/report.html"), "can't be written"),
        (("last", "--out", "report.html", "--notes", "nothing.md"), "nothing.md can't be read"),
        (("last", "--out", "report.html", "--logo", "bad.png"), "neither PNG nor SVG"),
        (("last", "--out", "report.html", "--opm-per-target", "-1"), "rate per target is -1"),
        (("last", "--out", "report.html", "--kind", "recovery"), "has no fault"),
        (("last", "--out", "report.html", "--reference", REFERENCE, "--factor", "ram"), "factor is 'ram'"),
    ],
)
def test_unwritable_report_is_one_sentence_and_leaves_no_file(
    spindle: Spindle, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], expected: str
) -> None:
    three_runs(home)
    place = tmp_path / "place"
    place.mkdir()
    (tmp_path / "bad.png").write_bytes(b"no picture")
    monkeypatch.chdir(place)
    code, _, err = spindle("report", *(word.replace("bad.png", "../bad.png") for word in words))
    assert code == 2
    assert expected in err
    assert "Traceback" not in err
    assert list(place.iterdir()) == []


def test_a_run_that_is_not_there_is_bad_input(spindle: Spindle, home: Path, tmp_path: Path) -> None:
    three_runs(home)
    code, _, err = spindle("report", "nosuch", "--out", str(tmp_path / "report.html"))
    assert code == 2
    assert "run 'nosuch' is not in the library" in err


@pytest.mark.parametrize("ending", ["html", "pdf"])
def test_no_password_no_user_and_no_path_is_in_a_document(
    spindle: Spindle, home: Path, tmp_path: Path, ending: str
) -> None:
    target, _ = Target.parse("postgresql://walburga:hunter2@db1/ds2")
    plan = RunPlan(targets=(target,), clients=2, threads=8, minutes=0.1)
    server = {
        "product": "PostgreSQL", "version": "18.6", "target": target.url, "host": "/var/walburga/socket:5432",
        "load_account": "The users connected as walburga.", "settings": {"data": "/var/walburga/data", "jit": "on"},
    }  # fmt: skip
    environment = {"servers": [server], "workstation": {"system": "Linux", "home": "/home/walburga"}}
    records = [a_run(plan=plan, minutes_later=later, environment=environment, name="db1") for later in range(2)]
    keep(home, *records)
    for kind in ("comparison", "set"):
        out = tmp_path / f"{kind}.{ending}"
        assert spindle("report", *(record.run_id for record in records), "--kind", kind, "--out", str(out)).code == 0
        content = out.read_bytes() if ending == "html" else _pdf_text(out)
        assert b"jit" in content
        for hidden in (b"walburga", b"hunter2", b"/var/", b"/home/", str(home).encode()):
            assert hidden not in content


def _pdf_text(path: Path) -> bytes:
    """All texts of a PDF, whose streams pypdf unpacks."""
    return "\n".join(page.extract_text() for page in PdfReader(path).pages).encode()


def test_report_does_not_change_the_library(spindle: Spindle, home: Path, tmp_path: Path) -> None:
    run_ids = three_runs(home)
    spindle("report", *run_ids, "--kind", "set", "--out", str(tmp_path / "set.html"))
    with Library.open(home / "library.sqlite", notify=print) as library:
        assert library.sets.all() == []
        assert len(library.runs()) == 3
