"""A load of a stored mixed run reads as a run of its own with the same samples would."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from engine.analysis.comparing.loads import load_called, loads_in_common
from engine.analysis.verdicts.history import history_of
from engine.conduct.interrupted import settle_interrupted
from engine.errors import UserError
from engine.histogram import pack
from engine.library.changing import insert_run, insert_samples
from engine.library.connecting import connect, write_transaction
from engine.library.library import Library
from engine.library.totals import totals_of
from engine.library.whole_run import open_run, percentile_blocks
from engine.plan.plan import RunPlan
from engine.record.projection import projections_of
from engine.record.record import RunRecord, RunState, load_reference
from engine.record.totals_json import totals_from_dict, totals_to_dict
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Count, ProbeSample, Sample
from engine.workload.registry import find_workload
from tests.doubles.samples import dvd_sample
from tests.engine.library.examples import a_finished_record, a_record

SECONDS = 130
PLAN = RunPlan.from_dict(
    {
        "targets": ["postgresql://me@db1/ds2"],
        "clients": 2,
        "threads": 8,
        "load": [{"workload": "wholesale", "threads": 4}, {"workload": "brokerage", "clients": 2, "rate": 3}],
    }
)


def _sample(workload: str, client: int, second: int) -> Sample:
    if workload == "dvdstore":
        return dvd_sample(
            client=client,
            second=second,
            working=5,
            orders=client + second % 7,
            order_us=9_000 * second,
            order_us_max=77,
            histogram=pack({100 + client: 1 + second % 3}),
            rollbacks=second % 2,
            errors={"timeout": 1} if second % 9 == 8 else {},
        )
    counts = {
        each.id: Count(3 + (second + client) % 5, 700 * second, 900, pack({80 + second % 20: 2}))
        for each in find_workload(workload).transactions
    }
    return Sample(client=client, second=second, working=2, transactions=counts, backlog=second % 4, queue=second % 3)


def _samples() -> list[Sample]:
    workloads = {client.number: PLAN.loads[client.load].workload for client in PLAN.client_plans()}
    return [_sample(workload, number, each) for number, workload in workloads.items() for each in range(SECONDS)]


EVENTS = (
    RunEvent(at_seconds=80.0, kind=EventKind.MARK, label="pulled", number=1, is_fault=True),
    RunEvent(at_seconds=80.1, kind=EventKind.CONNECTION_LOST, label="lost", client=2, number=2),
    RunEvent(at_seconds=80.2, kind=EventKind.CONNECTION_LOST, label="lost", client=4, number=3),
)
PROBES = [ProbeSample(store=number, second=5, slots="w" * 10, host=f"h{number}") for number in (1, 2, 3)]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The mixed run, and beside it each of its loads as a run of its own."""
    with Library.open(tmp_path_factory.mktemp("mixed") / "library.sqlite", notify=pytest.fail) as opened:
        _keep(opened, _record("mixed", PLAN), _samples(), EVENTS, PROBES)
        for number, (load, of) in enumerate(zip(PLAN.loads, projections_of(PLAN), strict=True), start=1):
            samples = [own for each in _samples() if (own := of.sample(each)) is not None]
            events = [own for each in EVENTS if (own := of.event(each)) is not None]
            probes = [own for each in PROBES if (own := of.probe(each)) is not None]
            _keep(opened, _record(f"alone{number}", load), samples, events, probes)
        yield opened


def _record(run_id: str, plan: RunPlan) -> RunRecord:
    labels = tuple(client.label for client in plan.client_plans())
    return a_finished_record(run_id=run_id, plan=plan, client_labels=labels, totals=None, name="")


def _keep(
    library: Library,
    record: RunRecord,
    samples: Sequence[Sample],
    events: Sequence[RunEvent],
    probes: Sequence[ProbeSample],
) -> None:
    writer = library.start_run(replace(record, state=RunState.PREPARING, ended_at=None), notify=pytest.fail)
    for sample in samples:
        writer.write_sample(sample)
    for event in events:
        writer.write_event(event)
    for probe in probes:
        writer.write_probe(probe)
    assert writer.flush(20)
    totals = totals_of(library, record.run_id, record.plan.client_plans(), record.phases)
    assert record.ended_at is not None
    writer.finish(record.state, ended_at=record.ended_at, totals=totals, phases=record.phases, failure="")
    assert writer.close(60)


@pytest.mark.parametrize("load", [1, 2, 3])
def test_everything_of_a_load_is_what_a_run_of_its_own_has(library: Library, load: int) -> None:
    own, alone = f"mixed.{load}", f"alone{load}"
    assert library.run(own).totals == library.run(alone).totals
    assert library.run(own).client_labels == library.run(alone).client_labels
    assert library.run(own).plan == library.run(alone).plan
    assert list(library.samples(own)) == list(library.samples(alone))
    assert library.events(own) == library.events(alone)
    assert library.probes(own) == library.probes(alone)
    assert library.errors_by_second(own) == library.errors_by_second(alone)
    nothing = dict.fromkeys(range(1, len(library.run(own).client_labels) + 1), -1)
    assert library.samples_after(own, nothing) == library.samples_after(alone, nothing)

    def opened(run_id: str) -> tuple[object, ...]:
        _, data = open_run(library, run_id, on_progress=lambda *_: None, cancelled=lambda: False)
        rates = data.series.by_second(data.headline.names.n).tolist()
        return data.figures(), [data.figures(client.number) for client in data.clients], data.limit_rows(), rates

    assert opened(own) == opened(alone)
    assert _percentiles(library, own) == _percentiles(library, alone)


def _percentiles(library: Library, run_id: str) -> list[str]:
    """The response times by second; as text, since unknown ones equal nothing."""
    blocks = percentile_blocks(library, run_id, on_progress=lambda *_: None, cancelled=lambda: False)
    return [repr(block) for block in blocks]


def test_totals_of_a_mixed_run_survive_json_and_name_each_load(library: Library) -> None:
    totals = library.run("mixed").totals
    assert totals is not None
    assert totals_from_dict("dvdstore", totals_to_dict(totals)) == totals
    assert [each.workload for each in totals.loads] == ["dvdstore", "wholesale", "brokerage"]


def test_load_is_found_by_the_beginning_of_the_run_and_a_wrong_one_is_refused(library: Library) -> None:
    assert library.run("mix.2").plan.workload == "wholesale"
    assert library.run("mix.2").run_id == load_reference("mixed", 1)
    assert library.run("alone1.1") == library.run("alone1")
    with pytest.raises(UserError, match="run 'mixed' has 3 loads"):
        library.run("mixed.4")
    with pytest.raises(UserError, match=r"run 'none\.2' is not in the library"):
        library.run("none.2")


def test_load_is_found_by_its_name(library: Library) -> None:
    assert library.run("mixed.wholesale") == library.run("mixed.2")
    assert library.run("mix.DVD Store 2") == library.run("mixed.dvd-store-2") == library.run("mixed.dvdstore")
    assert library.run("alone2.wholesale") == library.run("alone2")
    with pytest.raises(UserError, match="load is 'wholesail'; did you mean 'wholesale'"):
        library.run("mixed.wholesail")
    with pytest.raises(UserError, match=r"run 'none\.wholesale' is not in the library"):
        library.run("none.wholesale")


def test_runs_are_compared_by_a_load_that_all_of_them_have(library: Library) -> None:
    mixed, alone = library.run("mixed"), library.run("alone2")
    assert loads_in_common([mixed, mixed]) == list(mixed.plan.titles)
    assert loads_in_common([mixed, alone]) == ["Wholesale"]
    assert load_called(mixed, "Wholesale") == library.run("mixed.2")
    assert load_called(alone, "Wholesale") == alone
    assert loads_in_common([library.run("alone1"), alone]) == []


def test_history_of_a_load_has_this_load_of_the_runs_of_the_same_mixed_plan(library: Library) -> None:
    history = history_of(library.run("mixed.2"), library.runs())
    totals = library.run("mixed.2").totals
    assert totals is not None
    assert [(run.run_id, run.value) for run in history.runs] == [("mixed.2", totals.headline_rate)]


def test_note_and_tags_of_a_load_are_those_of_the_run(library: Library) -> None:
    library.set_note("mixed.2", "both")
    assert library.run("mixed").note == library.run("mixed.1").note == "both"


def test_mixed_run_that_was_killed_is_settled_with_the_totals_of_each_load(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library.sqlite", notify=pytest.fail) as library:
        record = a_record(
            run_id="killed", plan=PLAN, client_labels=tuple(client.label for client in PLAN.client_plans())
        )
        phases = replace(a_finished_record().phases, measuring_to=None)
        engine = connect(library.path)
        with write_transaction(engine) as connection:
            key = insert_run(connection, replace(record, state=RunState.MEASURING, phases=phases), None)
            insert_samples(connection, key, _samples())
        engine.dispose()
        (settled,) = settle_interrupted(library)
        assert settled.totals is not None
        assert [each.measured_seconds for each in settled.totals.loads] == [SECONDS - 64] * 3
        assert all(each.headline_rate for each in settled.totals.loads)
