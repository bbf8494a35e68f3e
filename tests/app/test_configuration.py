import json
from pathlib import Path

from tests.app.conftest import Spindle
from tests.app.runs import a_run, keep
from tests.texts import plain

BILL = 'name,count,price\nR630,1,"$5,000.00"\nSSD,8,749.36\n'


def test_a_bill_from_a_spreadsheet_with_watts_and_factors(spindle: Spindle, home: Path, tmp_path: Path) -> None:
    keep(home, a_run(), a_run(minutes_later=1))
    bill = tmp_path / "bill.csv"
    bill.write_text(BILL, encoding="utf-8")
    saved = spindle(
        *("configuration", "set", "R630, SSD", str(bill), "--watts", "server=390/180", "--watts", "jbod=210/90"),
        *("--factor", "storage=SSD", "--factor", "processors=2", "--note", "as bought"),
    )
    assert saved.code == 0, saved.err
    assert "10 994.88" in plain(saved.out)
    assert "600.0" in saved.out

    assert spindle("set", "make", "evening", "last").code == 0
    assert spindle("configuration", "use", "r630", "--set", "eve").code == 0
    assert spindle("library", "show", "last", "--json").out.count('"configuration": "R630, SSD"') == 1
    refused = spindle("configuration", "delete", "r630")
    assert (refused.code, "is used by set 'evening'" in refused.err) == (1, True)
    assert spindle("configuration", "clear", "--set", "eve").code == 0
    assert spindle("configuration", "delete", "r630").code == 0
    assert "holds no configuration" in spindle("configuration", "list").err


def test_configuration_parts_are_changed_separately(spindle: Spindle, tmp_path: Path) -> None:
    bill = tmp_path / "bill.CSV"
    bill.write_text(BILL, encoding="utf-8")
    spindle("configuration", "set", "R630", "--watts", "server=390/180", "--factor", "storage=HDD")
    spindle("configuration", "set", "r630", str(bill), "--watts", "server=400", "--currency", "€")
    spindle("configuration", "set", "r630", "--factor", "storage=SSD", "--note", "new disks")
    found = json.loads(spindle("configuration", "show", "r630", "--json").out)
    assert found["items"][1] == {"name": "SSD", "count": 8, "price": "749.36"}
    assert (found["currency"], found["note"]) == ("€", "new disks")
    assert (found["watts"], found["factors"]) == ([{"device": "server", "active": 400.0}], {"storage": "SSD"})


def test_configuration_toml_round_trip(spindle: Spindle, tmp_path: Path) -> None:
    bill, written = tmp_path / "bill.csv", tmp_path / "written.toml"
    bill.write_text(BILL, encoding="utf-8")
    spindle("configuration", "set", "R630", str(bill), "--watts", "server=390/180", "--factor", "storage=SSD")
    written.write_text(spindle("configuration", "show", "R630", "--toml").out, encoding="utf-8")
    assert spindle("configuration", "set", "copy", str(written)).code == 0
    first, second = json.loads(spindle("configuration", "list", "--json").out)
    assert (first.pop("name"), second.pop("name")) == ("copy", "R630")
    assert first == second
    assert spindle("configuration", "rename", "copy", "R640").code == 0
    assert "R640" in spindle("configuration", "list").out


def test_invalid_options_are_rejected(spindle: Spindle, tmp_path: Path) -> None:
    sheet = tmp_path / "bill.xlsx"
    sheet.write_bytes(b"PK")
    for arguments, expected in (
        (("set", "R630", str(sheet)), "is neither a .toml nor a .csv file"),
        (("set", "R630", "/no/such.csv"), "/no/such.csv can't be read"),
        (("set", " "), "name of the configuration is empty"),
        (("set", "R630", "--watts", "server"), "write it as DEVICE=ACTIVE/IDLE"),
        (("clear",), "neither a run nor a set was named"),
    ):
        code, out, err = spindle("configuration", *arguments)
        assert (code, out) == (2, ""), arguments
        assert expected in err


def test_a_configuration_names_machines_which_its_runs_read(spindle: Spindle) -> None:
    spindle("machine", "add", "ssh", "db1", "--host", "db1.lab")
    refused = spindle("configuration", "set", "R630", "--machine", "bd1")
    assert (refused.code, "did you mean 'db1'" in refused.err) == (2, True)
    assert "machines db1\n" in spindle("configuration", "set", "R630", "--machine", "db1").out
    assert json.loads(spindle("configuration", "show", "R630", "--json").out)["machines"] == ["db1"]
    spindle("machine", "remove", "db1")
    refused = spindle("run", "--configuration", "R630")
    assert (refused.code, "machine is 'db1', which is not in the inventory" in refused.err) == (2, True)
