import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from engine.errors import BadInput
from engine.faults.injections import FaultKind
from engine.plan.file import read_plan_file, write_plan_file
from engine.plan.plan import RunPlan
from tests.engine.plans import PLANS


def _refused(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        read_plan_file(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    return message


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    return tmp_path / "plan.toml"


@given(plan=PLANS)
def test_a_written_plan_reads_back_equal(plan: RunPlan) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.toml"
        write_plan_file(path, plan)
        assert read_plan_file(path) == plan


def test_a_plan_written_by_hand(plan_file: Path) -> None:
    plan_file.write_text(
        """
        name = "Two stores"
        targets = ["postgresql://bench@db1/ds2", {url = "embedded:///ds2", label = "practice"}]
        threads = 8
        think_time_ms = 20     # a whole number is as good as a fraction
        minutes = 0.5
        db_size = "40 GB"
        """
    )
    plan = read_plan_file(plan_file)
    assert [target.url for target in plan.targets] == ["postgresql://bench@db1:5432/ds2", "embedded:///ds2"]
    assert plan.targets[1].label == "practice"
    assert (plan.threads, plan.think_time_ms, plan.measured_seconds, str(plan.scale)) == (8, 20.0, 30, "40GB")


def test_reset_and_audit_are_kept_and_an_older_file_leaves_them_open(plan_file: Path) -> None:
    plan_file.write_text("reset = true\naudit = false\n")
    assert (read_plan_file(plan_file).reset, read_plan_file(plan_file).audit) == (True, False)
    plan_file.write_text("threads = 8\n")
    assert (read_plan_file(plan_file).reset, read_plan_file(plan_file).audit) == (None, None)
    write_plan_file(plan_file, RunPlan(), overwrite=True)
    assert "reset" not in plan_file.read_text()
    plan_file.write_text('reset = "yes"\n')
    assert "reset is 'yes'; give true or false." in _refused(plan_file)


def test_planned_marks_are_tables(plan_file: Path) -> None:
    plan_file.write_text(
        """
        minutes = 30
        [[faults]]
        at_seconds = 300
        label = "Enclosure pulled"
        [[faults]]
        kind = "mark"
        at_seconds = 420.5
        label = "Restored"
        """
    )
    faults = read_plan_file(plan_file).faults
    assert [(fault.at_seconds, fault.label, fault.kind) for fault in faults] == [
        (300, "Enclosure pulled", FaultKind.MARK),
        (420.5, "Restored", FaultKind.MARK),
    ]


def test_an_empty_file_is_the_plan_of_defaults(plan_file: Path) -> None:
    plan_file.write_text("")
    assert read_plan_file(plan_file) == RunPlan()


def test_a_byte_order_mark_does_not_matter(plan_file: Path) -> None:
    plan_file.write_text("threads = 3", encoding="utf-8-sig")
    assert read_plan_file(plan_file).threads == 3


def test_a_missing_file(plan_file: Path) -> None:
    assert "does not exist" in _refused(plan_file)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert "can't be read" in _refused(tmp_path)


def test_what_is_no_toml_is_named_by_its_line(plan_file: Path) -> None:
    plan_file.write_text("threads = 2\nminutes 5\n")
    assert "line 2" in _refused(plan_file)


@pytest.mark.parametrize("text", ["threads = " + "1" * 5_000, "tags = " + "[" * 5_000])
def test_values_beyond_the_parser_are_refused(plan_file: Path, text: str) -> None:
    plan_file.write_text(text)
    assert "can't be read" in _refused(plan_file)


def test_bytes_that_are_no_text(plan_file: Path) -> None:
    plan_file.write_bytes(b"name = '\xff\xfe'")
    assert "UTF-8" in _refused(plan_file)


def test_an_unknown_key_names_the_nearest(plan_file: Path) -> None:
    plan_file.write_text("think_time = 20")
    message = _refused(plan_file)
    assert "'think_time'" in message
    assert "'think_time_ms'" in message


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("threads = 0", "threads"),
        ("threads = 5000", "threads"),
        ("threads = '8'", "threads"),
        ("think_time_ms = -1", "think_time_ms"),
        ("minutes = nan", "minutes"),
        ("minutes = inf", "minutes"),
        ("warmup_minutes = true", "warmup_minutes"),
        ("ramp_rate = 2024-01-01", "ramp_rate"),
        ("db_size = '10TB'", "db_size"),
        ("tags = 'one'", "tags"),
        ("tags = [1]", "tags"),
        ("name = 7", "name"),
        ("targets = []", "target"),
        ("targets = [7]", "url"),
        ("targets = [{url = 'embedded:///ds2', lable = 'x'}]", "'label'"),
        ("targets = [{url = 'embedded:///ds2', label = 1}]", "label"),
        ("format_version = 3", "newer"),
    ],
)
def test_a_wrong_value_names_its_field(plan_file: Path, text: str, field: str) -> None:
    plan_file.write_text(text)
    assert field in _refused(plan_file)


@pytest.mark.parametrize(
    "text",
    [
        'targets = ["postgresql://me:hunter2@db/ds2"]',
        'targets = "postgresql://me:hunter2@db/ds2"',
        'targets = ["postgresql://me:hunter2@db/ds2"] oops',
        'targets = ["me:hunter2@db"]',
    ],
)
def test_a_password_in_a_plan_is_refused_and_not_repeated(plan_file: Path, text: str) -> None:
    plan_file.write_text(text)
    assert "hunter2" not in _refused(plan_file)


def test_a_newer_version_is_named_before_its_new_keys(plan_file: Path) -> None:
    plan_file.write_text("format_version = 3\nshards = 4")
    assert "newer" in _refused(plan_file)


def test_an_existing_file_is_kept_unless_its_replacement_is_requested(plan_file: Path) -> None:
    plan_file.write_text("# mine")
    with pytest.raises(BadInput, match="exists"):
        write_plan_file(plan_file, RunPlan())
    assert plan_file.read_text() == "# mine"
    write_plan_file(plan_file, RunPlan(threads=4), overwrite=True)
    assert read_plan_file(plan_file).threads == 4


def test_a_place_that_can_not_be_written(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="can't be written"):
        write_plan_file(tmp_path / "nowhere" / "plan.toml", RunPlan())
