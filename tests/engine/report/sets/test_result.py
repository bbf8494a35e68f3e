import csv
import io
import json
from datetime import UTC, datetime

from engine.analysis.comparing.run_set import RunSet
from engine.record.record import RunState
from engine.report.sets.result import set_result, write_set_csv
from tests.app.runs import a_run, samples_of
from tests.totals import totals_with


def a_set(*run_ids: str) -> RunSet:
    made_at = datetime(2026, 11, 21, 5, tzinfo=UTC)
    return RunSet(name="evening", note="n", made_at=made_at, run_ids=run_ids, configuration="R630")


def test_a_set_in_plain_values_names_its_median_best_worst_and_what_is_left_out() -> None:
    totals = a_run().totals
    assert totals is not None
    records = [
        a_run(minutes_later=number, name=f"evening, run {number}", totals=totals_with(totals, opm=opm))
        for number, opm in enumerate((300, 100, 200))
    ]
    records.append(a_run(minutes_later=3, name="evening, run 3", state=RunState.STOPPED))
    plain = set_result(a_set(*(record.run_id for record in records)), records)
    assert json.loads(json.dumps(plain)) == plain
    assert (plain["name"], plain["configuration"], plain["opm"]) == ("evening", "R630", 200)
    assert plain["median"] == {"run_id": records[2].run_id, "name": "evening, run 2", "opm": 200}
    assert (plain["best"]["opm"], plain["worst"]["opm"], plain["spread_opm"]) == (300, 100, 200)
    assert plain["left_out"] == [{"run_id": records[3].run_id, "reason": "it was stopped"}]
    assert "evening, run 3" in plain["sentence"]
    assert [run["run_id"] for run in plain["runs"]] == [record.run_id for record in records]


def test_a_set_without_runs_has_unknown_figures() -> None:
    plain = set_result(a_set(), [])
    assert (plain["opm"], plain["median"], plain["spread_pct"], plain["runs"]) == (None, None, None, [])


def test_results_that_hold_more_are_taken_as_they_are() -> None:
    record = a_run()
    assert set_result(a_set(record.run_id), [record], [{"run_id": "more"}])["runs"] == [{"run_id": "more"}]


def test_the_rows_of_every_run_bear_its_id() -> None:
    records = [a_run(minutes_later=number, clients=2) for number in range(2)]
    written = io.StringIO()
    write_set_csv(written, ((record, samples_of(2)) for record in records))
    rows = list(csv.DictReader(io.StringIO(written.getvalue())))
    for record in records:
        own = [row for row in rows if row["run_id"] == record.run_id]
        assert sum(int(row["orders"]) for row in own) == sum(sample.of("order").n for sample in samples_of(2))
        measured = sum(int(row["orders"]) for row in own if row["phase"] == "measuring")
        assert record.totals is not None
        assert 60 * measured // record.totals.measured_seconds == record.totals.headline_rate
