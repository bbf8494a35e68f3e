"""Totals of what is stored are those of the samples, in whichever form they are stored."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.analysis.totals import RunTotals
from engine.library.library import Library
from engine.library.totals import totals_of
from engine.record.record import Phases
from engine.telemetry.sample import Sample
from tests.engine.analysis.samples import SECONDS, runs
from tests.engine.library.examples import a_finished_record
from tests.engine.library.rows_left import keep_rows

STAGES = "9 users 4s, 20 users 3s settle 1s, 9 users 60s settle 0s"
PLANS = a_finished_record().plan.client_plans()


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs(), st.integers(0, 5), st.integers(1, SECONDS), st.booleans())
def test_totals_of_rows_and_of_blocks_are_those_of_the_samples(
    tmp_path: Path, samples: list[Sample], first: int, seconds: int, has_stages: bool
) -> None:
    failing = [replace(each, errors={"timeout": 1 + each.second}) for each in samples]
    phases = Phases(warming_up_from=0, measuring_from=first, measuring_to=first + seconds)
    record = a_finished_record()
    if has_stages:
        record = replace(record, plan=record.plan.changed({"stages": STAGES}))
    expected = RunTotals("dvdstore", PLANS, phases, record.plan.profile).add_all(failing).totals()

    with Library.open(tmp_path / "library.sqlite", notify=pytest.fail) as library:
        keep_rows(library.path, record, failing)
        assert totals_of(library, record.run_id, PLANS, phases) == expected
        library.packer.pack(record.run_id)
        assert totals_of(library, record.run_id, PLANS, phases) == expected
