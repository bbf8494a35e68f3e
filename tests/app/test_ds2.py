import json
from pathlib import Path

from engine.target.target import Target
from tests.app.calling import in_process
from tests.app.conftest import STORE, Spindle


def test_the_output_of_a_run_is_imported_with_the_same_totals(store: str, tmp_path: Path, spindle: Spindle) -> None:
    host = str(Target.parse(store)[0].hosts[0])
    code, out, err = in_process(
        *("ds2", f"--target={host};{host}", f"--database_name={STORE}", "--n_threads=2", "--ramp_rate=100"),
        *("--run_time=0.05", "--warmup_time=0.025", "--db_size=1MB", "--think_time=0.02", "--report_rate=1"),
    )
    assert code == 0, err
    path = tmp_path / "ds2.log"
    path.write_text(out, encoding="utf-8")
    original = json.loads(spindle("library", "show", "last", "--json").out)
    assert spindle("library", "import", str(path), "--tag", "again").code == 0
    (imported,) = json.loads(spindle("library", "list", "--tag", "again", "--json").out)

    same = ("orders", "opm", "rollbacks", "new_customers", "logins", "browses", "purchases", "measured_seconds")
    assert {name: imported[name] for name in same} == {name: original[name] for name in same}
    for theirs, ours in zip(imported["clients"], original["clients"], strict=True):
        assert (theirs["orders"], theirs["opm"], theirs["rollbacks"]) == (
            ours["orders"],
            ours["opm"],
            ours["rollbacks"],
        )
    assert abs(imported["rt_ms"]["mean"] - original["rt_ms"]["mean"]) <= 0.5
    assert imported["state"] == "completed"
    for field in ("threads", "think_time_ms", "minutes", "warmup_minutes", "db_size", "ramp_rate"):
        assert imported["plan"][field] == original["plan"][field]


def test_ignored_parameters_and_long_think_times_have_warnings(spindle: Spindle, store: str) -> None:
    host = str(Target.parse(store)[0].hosts[0])
    code, _, err = spindle(
        *("ds2", f"--target={host}", "--database_name=nowhere", "--think_time=20", "--detailed_view=Y"),
        "--report_rate=5",
    )
    assert code == 1
    assert "reports often quote milliseconds" in err
    assert "Spindle does not use: detailed_view." in err
    assert "'nowhere' does not exist" in err


def test_a_parameter_file_is_read(spindle: Spindle, store: str, tmp_path: Path) -> None:
    config = tmp_path / "ds2.cfg"
    config.write_text(f"target={Target.parse(store)[0].hosts[0]}\ndatabase_name=elsewhere\n", encoding="utf-8")
    code, _, err = spindle("ds2", f"--config_file={config}", "--n_threads=2")
    assert code == 1
    assert "'elsewhere' does not exist" in err
