from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.plan.plan import RunPlan
from engine.target.target import POSTGRESQL, Host, Target
from engine.workloads.dvdstore.ds2.parameters import ds2_config_of, parse_ds2_arguments, parse_ds2_config, plan_from_ds2
from engine.workloads.dvdstore.sizing import DbSize

CONFIG = """
# the quarterly test
Target = db1;db2:5433
N_THREADS=8
ramp_rate =20
run_time=10
warmup_time=2
db_size= 40GB
think_time=0.085
pct_newcustomers=0

; what follows is DS2's default
n_searches=3
search_batch_size=5
n_line_items=5
virt_dir=ds2
page_type=php
windows_perf_host=
detailed_view=Y
"""

WHOLE_PLANS = st.builds(
    RunPlan,
    targets=st.lists(
        st.builds(
            Target,
            kind=st.just(POSTGRESQL),
            user=st.just("postgres"),
            hosts=st.tuples(
                st.builds(Host, name=st.text("abz019.-", min_size=1, max_size=8), port=st.integers(1, 65_535))
            ),
            database=st.just("store"),
        ),
        min_size=1,
        max_size=3,
    ).map(tuple),
    threads=st.integers(1, 1_000),
    think_time_ms=st.integers(0, 4_999).map(float),
    ramp_rate=st.integers(1, 10_000).map(float),
    warmup_minutes=st.integers(0, 1_440).map(float),
    minutes=st.integers(0, 525_600).map(float),
    parameters=st.fixed_dictionaries(
        {
            "db_size": st.builds(DbSize, st.integers(1, 1_000), st.sampled_from(["MB", "GB"])),
            "pct_new_customers": st.integers(0, 100).map(float),
            "n_searches": st.integers(1, 100),
            "search_batch_size": st.integers(1, 1_000),
            "n_line_items": st.integers(1, 10),
        }
    ),
)


def test_a_parameter_file_makes_the_plan() -> None:
    plan, warnings, secrets = plan_from_ds2(parse_ds2_config(CONFIG, "DriverConfig.txt"))
    assert [target.url for target in plan.targets] == [
        "postgresql://postgres@db1:5432/ds2",
        "postgresql://postgres@db2:5433/ds2",
    ]
    assert (plan.threads, plan.ramp_rate, plan.minutes, plan.warmup_minutes) == (8, 20.0, 10.0, 2.0)
    assert (plan.think_time_ms, plan.parameters["pct_new_customers"], str(plan.scale)) == (85.0, 0.0, "40GB")
    assert len(warnings) == 1
    for unused in ("virt_dir", "page_type", "detailed_view"):
        assert unused in warnings[0]
    assert "windows_perf_host" not in warnings[0]
    assert secrets == {}


def test_missing_parameters_have_ds2s_defaults() -> None:
    plan, warnings, _ = plan_from_ds2({})
    assert [target.url for target in plan.targets] == ["postgresql://postgres@localhost:5432/ds2"]
    assert (plan.threads, plan.ramp_rate, plan.minutes, plan.warmup_minutes) == (1, 10.0, 0.0, 1.0)
    assert (plan.think_time_ms, plan.parameters["pct_new_customers"], str(plan.scale)) == (0.0, 20.0, "10MB")
    assert [plan.parameters[key] for key in ("n_searches", "search_batch_size", "n_line_items")] == [3, 5, 5]
    assert warnings == []


def test_arguments_and_their_file_from_left_to_right(tmp_path: Path) -> None:
    config = tmp_path / "config.txt"
    config.write_text("n_threads=4\nrun_time=7\n")
    parameters = parse_ds2_arguments(["--n_threads=2", f"--config_file={config}", "--RUN_TIME=9"])
    assert parameters == {"n_threads": "4", "run_time": "9"}


def test_a_url_is_a_target_too_and_its_password_goes_apart() -> None:
    plan, _, secrets = plan_from_ds2(parse_ds2_arguments(["--target=postgresql://me:hunter2@db/store;other"]))
    assert [target.url for target in plan.targets] == [
        "postgresql://me@db:5432/store",
        "postgresql://postgres@other:5432/ds2",
    ]
    assert secrets[plan.targets[0].secret_name].reveal() == "hunter2"
    assert "hunter2" not in repr(plan)


def test_the_user_and_the_database_of_plain_hosts() -> None:
    plan, _, _ = plan_from_ds2({"target": "db1", "database_name": "a/b"}, user="bench@corp")
    assert (plan.targets[0].user, plan.targets[0].database) == ("bench@corp", "a/b")


@pytest.mark.parametrize(("think_time", "warned"), [("4.9", False), ("5", True), ("20", True)])
def test_a_think_time_that_reads_like_milliseconds_is_warned_of(think_time: str, warned: bool) -> None:
    warnings = plan_from_ds2({"think_time": think_time}).warnings
    assert any("milliseconds" in warning for warning in warnings) is warned


def test_dvd_store_3s_parameters_are_declined_by_name() -> None:
    warnings = plan_from_ds2(parse_ds2_config("n_reviews=3\nds2_mode=Y", "ds3.txt")).warnings
    assert len(warnings) == 1
    assert "n_reviews, ds2_mode" in warnings[0]


def test_the_password_in_linux_perf_host_is_not_kept() -> None:
    parameters = parse_ds2_arguments(["--linux_perf_host=root:hunter2:db1"])
    assert "hunter2" not in repr(parameters)
    assert "hunter2" not in repr(plan_from_ds2(parameters))


@pytest.mark.parametrize(("old", "size"), [("db_size_str=S", "10MB"), ("db_size=m", "1GB"), ("db_size=20 gb", "20GB")])
def test_the_spellings_of_a_size(old: str, size: str) -> None:
    assert str(plan_from_ds2(parse_ds2_config(old, "old.txt")).plan.scale) == size


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--n_thread=8"], "'n_threads'"),
        (["n_threads=8"], "--name=value"),
        (["--n_threads"], "name=value"),
        (["--n_threads=eight"], "n_threads is 'eight'"),
        (["--n_threads=1.5"], "whole number"),
        (["--think_time=fast"], "think_time is 'fast'"),
        (["--think_time=nan"], "think_time"),
        (["--n_threads=0"], "threads is 0"),
        (["--target=;"], "no target"),
        (["--target=db:http"], "port"),
        (["--db_size=10"], "db_size"),
        (["--config_file=/nowhere/at.all"], "/nowhere/at.all"),
    ],
)
def test_wrong_arguments_are_named(arguments: list[str], words: str) -> None:
    with pytest.raises(BadInput) as caught:
        plan_from_ds2(parse_ds2_arguments(arguments))
    assert words in str(caught.value)


def test_a_wrong_line_is_named_by_file_and_number() -> None:
    with pytest.raises(BadInput, match=r"line 3 of my\.txt.*'run_time'"):
        parse_ds2_config("n_threads=1\n\nruntime=5\n", "my.txt")


@given(plan=WHOLE_PLANS)
def test_a_plan_survives_ds2s_spelling(plan: RunPlan) -> None:
    assert plan_from_ds2(parse_ds2_config(ds2_config_of(plan), "written")).plan == plan


def test_the_written_file_is_one_that_ds2_reads() -> None:
    plan = RunPlan(
        minutes=0.2,
        warmup_minutes=0.2,
        think_time_ms=20,
        ramp_rate=0.2,
        clients=2,
        parameters={"pct_new_customers": 12.5},
    )
    lines = ds2_config_of(plan).splitlines()
    assert "target=localhost;localhost" in lines
    assert {"run_time=1", "warmup_time=1", "think_time=0.02", "ramp_rate=1", "pct_newcustomers=12"} <= set(lines)
    assert all(line.count("=") == 1 and " " not in line and line == line.lower() for line in lines)


def test_stores_with_different_names_can_not_be_written_for_ds2() -> None:
    with pytest.raises(BadInput, match="ds2_1, ds2_2"):
        ds2_config_of(RunPlan(databases=2))


@pytest.mark.parametrize("line", ["linux_perf_host root:hunter2:db1", "linux_perf_host:root:hunter2:db1"])
def test_line_without_value_is_rejected_without_a_password(line: str) -> None:
    with pytest.raises(BadInput, match="'linux_perf_host' has no value") as caught:
        parse_ds2_config(line, "old.txt")
    assert "hunter2" not in str(caught.value)
