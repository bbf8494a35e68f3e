"""Every kind of bad input gives one sentence and the right exit code; nothing is started and no password is shown."""

import os
import socket
import sqlite3
from pathlib import Path

import psycopg
import pytest

from app.cli.main import run_program
from engine.lab.server import EmbeddedServer
from tests.app.calling import Outcome, in_process, in_terminal
from tests.app.conftest import STORE, Spindle
from tests.app.runs import a_run, keep

BAD_OPTIONS = {
    "--target=oracle://h/ds2": "scheme 'oracle'",
    "--target=postgresl://h/ds2": "did you mean postgresql://",
    "--target=postgresql://h:0/ds2": "port 0",
    "--target=postgresql://h:70000/ds2": "port 70000",
    "--target=postgresql://me:hemlig@h:abc/ds2": "port of host h",
    "--target=postgresql://h/ds2;": "target is empty",
    "--threads=0": "--users is 0",
    "--users=0": "--users is 0",
    "--threads=-1": "--users is -1",
    "--threads=5000": "--users is 5000",
    "--threads=abc": "--users is 'abc'; give a whole number.",
    "--rate=abc": "--rate is 'abc'; give a number.",
    "--think-time-ms=0,5": "--think-time-ms is '0,5'; write it with a decimal point.",
    "--ramp-rate=fast": "--ramp-rate is 'fast'; give a number.",
    "--seed=1.5": "--seed is '1.5'; give a whole number.",
    "--warmup=soon": "--warmup is 'soon'; give minutes such as 30, or 90s, or 1:30.",
    "--repeat=many": "--repeat is 'many'; give a whole number.",
    "--repeat=0": "--repeat is 0; give a whole number from 1 to 100.",
    "--think-time-ms=-1": "--think-time-ms is -1",
    "--ramp-rate=0": "--ramp-rate is 0",
    "--minutes=nan": "--minutes is 'nan'; give minutes such as 30, or 90s, or 1:30.",
    "--minutes=inf": "--minutes is 'inf'; give minutes",
    "--minutes=-1": "--minutes is -1",
    "--warmup=-1": "--warmup is -1",
    "--pct-new-customers=101": "--pct-new-customers is 101",
    "--databases=0": "--databases is 0",
    "--clients=300": "--clients is 300",
    "--db-size=5XB": "--db-size is '5XB'",
    "--mark=5:00": "mark '5:00' can't be read: a mark's label is ''",
    "--mark=soon Enclosure pulled": "time is 'soon'; write minutes and seconds such as 5:00",
    "--thread=4": "'--threads'",
    "--arrivals=even": "--arrivals is even, and the plan has no rate; give --rate, or leave it out.",
    "--ds2-config=/no/such.cfg": "/no/such.cfg can't be read",
    "--json=/tmp": "'/tmp' is a directory",
    "--json=/no/such/folder.json": "/no/such/folder.json can't be written",
    "--csv=postgresql://me:hemlig@h/ds2": "can't be written",
    "postgresql://me:hemlig@h/ds2": "give a target's URL with --target",
    "/no/such.toml": "/no/such.toml does not exist",
}

BAD_WORKLOADS = {
    "run --workload wholsale": "workload is 'wholsale'; did you mean 'wholesale'.",
    "build --workload dvd": "workload is 'dvd'; did you mean 'dvdstore'.",
    "verify --workload wholsale": "did you mean 'wholesale'",
    "reset --workload wholsale": "did you mean 'wholesale'",
    "drop --yes --workload wholsale": "did you mean 'wholesale'",
    "demo --headless --workload wholsale": "did you mean 'wholesale'",
    "run --workload wholesale --warehouses 0": "warehouses is '0'; give a whole number from 1 to 10000.",
    "build --workload wholesale --warehouses 10001": "warehouses is '10001'; give a whole number from 1 to 10000.",
    "run --workload wholesale --mix specifed": "mix is 'specifed'; did you mean 'specified'.",
    "run --workload wholesale --warehous 3": "Did you mean",
    "run --workload wholesale --searches 5": "--searches is 5, and workload wholesale has no such option; leave it out,"
    " or give --workload dvdstore.",
    "run --workload wholesale --db-size 10MB": "--db-size is 10MB, and workload wholesale has no such option",
    "build --workload wholesale --db-size 10MB": "--db-size is 10MB, and workload wholesale has no such option",
    "run --warehouses 4": "--warehouses is 4, and workload dvdstore has no such option; leave it out, or give"
    " --workload wholesale.",
    "run --specified-times": "--specified-times is yes, and workload dvdstore has no such option",
    "build --warehouses 4": "--warehouses is 4, and workload dvdstore has no such option",
}


def assert_error(outcome: Outcome, code: int, *words: str) -> None:
    """Exactly one sentence with these words on standard error, and no other output."""
    assert outcome.code == code, outcome
    assert outcome.out == ""
    assert len(outcome.err.splitlines()) == 1, outcome.err
    assert outcome.err.startswith("spindle: ")
    for word in words:
        assert word in outcome.err
    assert "hemlig" not in outcome.err


def test_a_target_given_twice_is_told_before_the_run(spindle: Spindle) -> None:
    target = ("--target", "postgresql://me@127.0.0.1:1/ds2")
    warning, *_ = spindle("run", *target, *target).err.splitlines()
    assert warning.startswith("spindle: Targets 1 and 2 are the same store, which then gets the users of both.")
    assert "are the same" not in spindle("run", *target).err


@pytest.mark.parametrize(("option", "expected"), BAD_OPTIONS.items())
def test_invalid_run_option_is_rejected(spindle: Spindle, home: Path, option: str, expected: str) -> None:
    assert_error(spindle("run", option), 2, expected)
    assert not (home / "library.sqlite").exists()
    assert not (home / "lab").exists()


@pytest.mark.parametrize(("words", "expected"), BAD_WORKLOADS.items())
def test_what_does_not_fit_a_workload_is_rejected(spindle: Spindle, home: Path, words: str, expected: str) -> None:
    assert_error(spindle(*words.split()), 2, expected)
    assert not (home / "library.sqlite").exists()
    assert not (home / "lab").exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("thraeds = 4", "did you mean 'threads'"),
        ("threads == 4", "is not TOML"),
        ('threads = "4"', "threads is '4'"),
        ('workload = "wholsale"', "did you mean 'wholesale'"),
        ('workload = "wholesale"\n[parameters]\nwarehouse = 4', "did you mean 'warehouses'"),
        (
            'workload = "wholesale"\n[parameters]\nn_searches = 4',
            "'n_searches' is not a parameter of",
        ),
        ("[parameters]\nwarehouses = 4", "'warehouses' is not a parameter of workload dvdstore"),
        ('targets = ["postgresql://me:hemlig@h/ds2"]', "contains a password"),
    ],
)
def test_invalid_plan_file_is_rejected(spindle: Spindle, tmp_path: Path, text: str, expected: str) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(text, encoding="utf-8")
    assert_error(spindle("run", str(plan)), 2, str(plan), expected)


def test_ds2_parameter_file_with_a_typo_is_rejected(spindle: Spindle, tmp_path: Path) -> None:
    config = tmp_path / "ds2.cfg"
    config.write_text("run_time=1\nn_thrads=4\n", encoding="utf-8")
    assert_error(spindle("run", "--ds2-config", str(config)), 2, "line 2", "did you mean 'n_threads'")


def test_two_plans_at_once_are_rejected(spindle: Spindle, tmp_path: Path) -> None:
    assert_error(spindle("run", "a.toml", "--ds2-config", "b.cfg"), 2, "a.toml", "b.cfg", "two plans")


def test_two_results_on_one_output_are_rejected(spindle: Spindle) -> None:
    assert_error(spindle("run", "--json", "-", "--csv", "-"), 2, "standard output")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("runn",), "'spindle runn' is not known; did you mean 'run'"),
        (("library", "shwo"), "did you mean 'show'"),
        (("xyzzy",), "see spindle --help"),
        (("build", "postgresql://me:hemlig@h/ds2"), "unexpected extra argument"),
        (("build", "--seed", "-1"), "seed is -1"),
        (("build", "--databases", "0"), "--databases is 0"),
        (("demo", "--minutes", "nan"), "--minutes is 'nan'"),
        (("drop",), "add --yes in a script"),
        (("drop", "--workload", "storage", "--target", "storage:///tmp/f"), "drop asks for the name of file '/tmp/f'"),
        (("completion", "tcsh"), "'tcsh'"),
        (("ds2", "--n_thrads=4"), "did you mean 'n_threads'"),
        (("ds2", "--n_threads=many"), "n_threads is 'many'"),
        (("ds2", "--report_rate=0"), "report_rate is '0'"),
        (("ds2", "--target=oracle://me:hemlig@h"), "scheme 'oracle'"),
        (("library", "list", "--limit", "0"), "--limit is 0; give a whole number"),
        (("library", "list", "--state", "done"), "'done'"),
        (("library", "import", "/no/such.log"), "/no/such.log can't be read"),
        (("library", "import", "/etc/hosts"), "holds no report of a DVD Store driver"),
        (("library", "export", "last"), "has nothing to write"),
        (("--home", "", "library", "list"), "--home is empty"),
        (("--home", "/etc/hosts", "library", "list"), "'/etc/hosts' is a file"),
    ],
)
def test_other_commands_reject_bad_input_in_one_sentence(
    spindle: Spindle, arguments: tuple[str, ...], expected: str
) -> None:
    assert_error(spindle(*arguments), 2, expected)


def test_empty_home_variable_is_ignored(spindle: Spindle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPINDLE_HOME", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert spindle("library", "list").code == 0
    assert (tmp_path / "data" / "spindle" / "library.sqlite").exists()


def test_target_that_refuses_connections_is_reported(spindle: Spindle) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # bound, and never listening
        port = nobody.getsockname()[1]
        outcome = spindle("run", "--target", f"postgresql://me:hemlig@127.0.0.1:{port}/ds2")
    assert_error(outcome, 1, "127.0.0.1 refused the connection", str(port))


def test_silent_target_is_reported(spindle: Spindle) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        outcome = spindle("run", "--target", f"postgresql://me:hemlig@127.0.0.1:{port}/ds2")
    assert_error(outcome, 1, "did not answer", str(port))


def test_unresolvable_host_is_reported(spindle: Spindle) -> None:
    name = "x" * 64  # longer than a name may be: no server of names is asked
    assert_error(spindle("run", "--target", f"postgresql://me:hemlig@{name}/ds2"), 1, name)


def test_wrong_password_is_reported(spindle: Spindle, built_store: str) -> None:
    url = built_store.replace("postgres@", "postgres:hemlig@")
    assert_error(spindle("run", "--target", url), 1, "rejected user 'postgres'", "check the user and the password")


def test_missing_database_is_reported(spindle: Spindle, store: str) -> None:
    url = store.replace(STORE, "nowhere")
    assert_error(spindle("run", "--target", url), 1, "'nowhere' does not exist", "spindle build --target")


def test_database_without_a_store_is_reported(spindle: Spindle, store: str) -> None:
    url = store.replace(STORE, "postgres")
    assert_error(spindle("run", "--target", url), 1, "holds no store", "spindle build --target")


def test_store_of_another_size_is_reported(spindle: Spindle, store: str) -> None:
    outcome = spindle("run", "--target", store, "--db-size", "10MB")
    assert_error(outcome, 1, "holds a 1MB store, and the plan expects one of 10MB", "--db-size 1MB")


@pytest.mark.parametrize("command", ["run", "verify", "reset", "drop --yes", "build --replace --warehouses 1"])
def test_store_of_another_workload_is_reported(spindle: Spindle, store: str, command: str) -> None:
    outcome = spindle(*command.split(), "--target", store, "--workload", "wholesale")
    assert_error(
        outcome,
        1,
        f"Database '{STORE}' holds a store of workload 'dvdstore', not 'wholesale'; give --workload dvdstore, or",
        "spindle drop --target",
    )


def test_wholesale_store_of_another_scale_is_reported(spindle: Spindle, store: str) -> None:
    of_wholesale = ("--target", store.replace(STORE, "one_warehouse"), "--workload", "wholesale")
    assert_error(spindle("run", *of_wholesale), 1, "'one_warehouse' does not exist", "--workload wholesale")
    assert spindle("build", *of_wholesale).code == 0
    outcome = spindle("run", *of_wholesale, "--warehouses", "4")
    assert_error(
        outcome,
        1,
        "holds a store of 1 warehouse, and the plan expects one of 4 warehouses; give --warehouses 1, or rebuild it",
        "spindle build --replace --warehouses 4 --target",
        "' --workload wholesale",
    )
    assert_error(spindle("build", *of_wholesale), 1, "already holds", "spindle reset --target", "--workload wholesale")
    assert spindle("drop", "--yes", *of_wholesale).code == 0


def test_partly_built_store_is_reported(spindle: Spindle, store: str, embedded_server: EmbeddedServer) -> None:
    password = embedded_server.secret.reveal()
    partly = store.replace(STORE, "partly_built")
    assert spindle("build", "--target", partly, "--db-size", "1MB").code == 0
    with psycopg.connect(partly, password=password, autocommit=True) as connection:
        connection.execute("UPDATE spindle_store SET state = 'building'")
    assert_error(spindle("run", "--target", partly), 1, "only partly built", "spindle build --target")


def test_write_test_of_a_result_file_leaves_no_file(spindle: Spindle, tmp_path: Path, store: str) -> None:
    result = tmp_path / "result.json"
    url = store.replace(STORE, "nowhere")
    assert spindle("run", "--target", url, "--json", str(result)).code == 1
    assert not result.exists()


def test_the_wrong_name_at_drop_drops_nothing(store: str, spindle: Spindle) -> None:
    code, shown = in_terminal("drop", "--target", store, typed={"to drop it": "ds2\n"})
    assert code == 2
    assert f"'ds2' is not '{STORE}'; nothing was dropped." in shown
    assert spindle("verify", "--target", store).code == 0


def test_missing_run_is_rejected(spindle: Spindle, home: Path) -> None:
    keep(home, a_run(run_id="20261121-043017-aaaa"), a_run(run_id="20261121-043017-aaab"))
    assert_error(spindle("library", "show", "20261121-043017-aaac"), 2, "did you mean")
    assert_error(spindle("library", "show", "20261121"), 2, "can mean 2 runs")
    assert_error(spindle("library", "restore", "20261121"), 2, "20261121")
    assert_error(spindle("set", "show", "night"), 2, "set 'night' is not in the library")
    assert_error(spindle("check", "20261121-043017-aaac", "--fail-if", "opm < 1"), 2, "20261121-043017-aaac")


def test_home_that_is_a_file_is_rejected(spindle: Spindle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("SPINDLE_HOME", str(file))
    assert_error(spindle("library", "list"), 1, "can't be written", "SPINDLE_HOME")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_home_is_rejected(spindle: Spindle, home: Path) -> None:
    home.mkdir(mode=0o555)
    assert_error(spindle("library", "list"), 1, "can't be written", "permission denied")


def test_a_damaged_library_is_set_aside(spindle: Spindle, home: Path) -> None:
    home.mkdir()
    (home / "library.sqlite").write_bytes(b"no database " * 500)
    code, out, err = spindle("library", "list")
    assert (code, out) == (0, "")
    assert "was damaged" in err
    (aside,) = home.glob("library.corrupt-*.sqlite")
    assert aside.name in err
    assert aside.read_bytes() == b"no database " * 500


def test_library_of_a_newer_version_is_not_changed(spindle: Spindle, home: Path) -> None:
    spindle("library", "list")
    with sqlite3.connect(home / "library.sqlite") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    assert_error(spindle("run"), 1, "newer Spindle")
    assert not (home / "lab").exists()


def test_bad_input_has_the_same_message_from_the_process(home: Path) -> None:
    assert_error(in_process("run", "--threads", "0"), 2, "--users is 0; give a whole number from 1 to 1000.")


def test_run_program_always_exits(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run_program(["run", "--threads", "0"])
    assert ended.value.code == 2
    assert "--users is 0" in capsys.readouterr().err
