from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.analysis.comparing.configuration import Configuration
from engine.errors import BadInput, Cancelled, UserError
from engine.library.library import Library
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from engine.report.document import Document, DocumentKind, Logo
from engine.report.making import ReportRequest, kind_of, make_document
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Count, Sample
from tests.doubles.samples import dvd_sample
from tests.engine.library.examples import a_record
from tests.engine.report.reported import a_reported_run, blocks_of, rows_of, samples_of, table_of, texts_of, titles

REFERENCE = "R630, 4 databases, HDD, 20 ms"
FAULT = RunEvent(at_seconds=8.0, kind=EventKind.MARK, label="Enclosure pulled", is_fault=True)
LOGO = Logo(content=b"\x89PNG\r\n\x1a\n", format="png")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library.sqlite", notify=print) as opened:
        yield opened


def keep(library: Library, run_id: str, orders: int, *events: RunEvent, state: RunState = RunState.COMPLETED) -> str:
    record = a_reported_run((orders,), run_id=run_id, name=f"{orders} a second", state=state).record
    library.add_imported(record, samples_of((orders,)), events)
    return record.run_id


@pytest.fixture
def run_ids(library: Library) -> list[str]:
    return [keep(library, f"20261121-0430{each}-aaaa", each) for each in (30, 10, 20)]


def made(library: Library, *named: str, **asked: object) -> Document:
    request = ReportRequest(named=named, **asked)  # type: ignore[arg-type]
    return make_document(library, request, on_progress=lambda *_: None, cancelled=lambda: False)


def test_one_run_makes_a_run_s_document(library: Library, run_ids: list[str]) -> None:
    document = made(library, run_ids[0])
    assert (document.kind, document.title) == (DocumentKind.RUN, "30 a second")


def test_one_set_makes_a_set_s_document_named_whole_or_by_its_beginning(library: Library, run_ids: list[str]) -> None:
    library.sets.make("SSD, 20 ms", run_ids)
    for name in ("ssd, 20 MS", "SSD"):
        document = made(library, name)
        assert (document.kind, document.title) == (DocumentKind.SET, "SSD, 20 ms")
        assert texts_of(blocks_of(document.sections))[0] == "20 a second is the median run of 3."


def test_a_run_in_a_set_makes_its_set_s_document_when_that_is_asked_for(library: Library, run_ids: list[str]) -> None:
    library.sets.make("SSD, 20 ms", run_ids)
    assert made(library, run_ids[0], kind=DocumentKind.SET).title == "SSD, 20 ms"


def test_runs_make_a_set_for_one_document_without_being_one(library: Library, run_ids: list[str]) -> None:
    document = made(library, *run_ids, kind=DocumentKind.SET)
    assert document.subtitle == "3 runs, of which 3 count"
    assert library.sets.all() == []


def test_other_requests_are_comparisons(library: Library, run_ids: list[str]) -> None:
    library.sets.make("SSD, 20 ms", run_ids[:2])
    assert made(library, *run_ids).subtitle == "3 runs"
    assert made(library, "SSD, 20 ms", run_ids[2]).subtitle == "1 set, 1 run"
    assert made(library, run_ids[0], references=(REFERENCE,)).subtitle == "1 run, 1 published result"
    assert made(library, references=(REFERENCE, "$10,994.88 configuration")).subtitle == "2 published results"


def test_the_window_can_ask_for_the_kind_before(library: Library, run_ids: list[str]) -> None:
    library.sets.make("SSD, 20 ms", run_ids)
    assert kind_of(library, ReportRequest(named=("last",))) is DocumentKind.RUN
    assert kind_of(library, ReportRequest(named=("SSD, 20 ms",))) is DocumentKind.SET
    assert kind_of(library, ReportRequest(named=("last",), references=(REFERENCE,))) is DocumentKind.COMPARISON


def test_a_run_with_a_fault_has_its_evidence(library: Library) -> None:
    mark = RunEvent(at_seconds=5.0, kind=EventKind.MARK, label="Enclosure pulled", is_fault=True)
    run_id = keep(library, "20261121-043099-aaaa", 40, mark)
    assert made(library, run_id, kind=DocumentKind.RECOVERY).kind is DocumentKind.RECOVERY
    assert "Faults" in titles(made(library, run_id).sections)


def test_a_run_without_a_fault_has_none(library: Library, run_ids: list[str]) -> None:
    with pytest.raises(BadInput, match="has no fault"):
        made(library, run_ids[0], kind=DocumentKind.RECOVERY)


def test_title_notes_and_logo_are_the_user_s(library: Library, run_ids: list[str]) -> None:
    document = made(library, *run_ids, title="Quarter 3", notes="# Why", logo=LOGO)
    assert (document.title, document.notes, document.logo) == ("Quarter 3", "# Why", LOGO)


def test_what_runs_were_measured_on_comes_with_them(library: Library, run_ids: list[str]) -> None:
    library.configurations.save(Configuration(name="small", factors={"processors": "1"}))
    library.configurations.save(Configuration(name="large", factors={"processors": "2"}))
    library.configurations.point_runs(run_ids[:1], "small")
    library.configurations.point_runs(run_ids[1:2], "large")
    assert "Scaling with processors" in titles(made(library, *run_ids[:2]).sections)


@pytest.mark.parametrize(
    ("named", "asked", "told"),
    [
        (("20261121-043030", "20261121-043010"), {"kind": DocumentKind.RUN}, "about one run"),
        (("20261121-043030",), {"kind": DocumentKind.RUN, "references": (REFERENCE,)}, "references belong in"),
        ((), {"kind": DocumentKind.SET}, "about one set"),
        (("20261121-043030", "20261121-043030"), {}, "named 2 times"),
        (("20261121-043030",), {"kind": DocumentKind.COMPARISON}, "2 to 8 results"),
    ],
)
def test_impossible_document_is_an_error(
    library: Library, run_ids: list[str], named: tuple[str, ...], asked: dict[str, object], told: str
) -> None:
    with pytest.raises(BadInput, match=told):
        made(library, *named, **asked)


def test_missing_run_or_set_is_an_error(library: Library, run_ids: list[str]) -> None:
    with pytest.raises(UserError, match="is in no set"):
        made(library, run_ids[0], kind=DocumentKind.SET)
    with pytest.raises(UserError, match="run 'nosuch' is not in the library"):
        made(library, "nosuch")
    with pytest.raises(UserError, match="nosuch"):
        made(library, references=("nosuch", REFERENCE))


def test_the_progress_is_that_of_all_runs(library: Library, run_ids: list[str]) -> None:
    told: list[tuple[str, float]] = []
    request = ReportRequest(named=tuple(run_ids))
    make_document(library, request, on_progress=lambda *news: told.append(news), cancelled=lambda: False)
    assert next(doing for doing, _ in told) == "Reading the run 1 of 3"
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_making_can_be_cancelled(library: Library, run_ids: list[str]) -> None:
    with pytest.raises(Cancelled):
        make_document(library, ReportRequest(named=tuple(run_ids)), on_progress=lambda *_: None, cancelled=lambda: True)


def test_a_run_that_failed_before_it_measured_has_a_document(library: Library) -> None:
    record: RunRecord = replace(
        a_reported_run((1,), run_id="20261121-043001-bbbb", plan=RunPlan(), state=RunState.FAILED).record,
        totals=None,
    )
    library.add_imported(record, [], [])
    assert made(library, record.run_id).kind is DocumentKind.RUN


@pytest.mark.parametrize("kind", [DocumentKind.RUN, DocumentKind.RECOVERY])
def test_the_progress_of_one_run_and_its_response_times_ends_once(library: Library, kind: DocumentKind) -> None:
    fault_id = keep(library, "20261121-043010-aaaa", 10, FAULT)
    told: list[tuple[str, float]] = []
    request = ReportRequest(named=(fault_id,), kind=kind)
    make_document(library, request, on_progress=lambda *news: told.append(news), cancelled=lambda: False)
    assert {doing for doing, _ in told} <= {"Reading the run", "Reading response times"}
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert max(shares) <= 1.0


def test_the_progress_of_a_mixed_run_is_that_of_its_loads(library: Library) -> None:
    plan = RunPlan.from_dict({"load": [{"workload": "wholesale"}]})
    labels = tuple(client.label for client in plan.client_plans())
    samples = [
        *(dvd_sample(client=1, second=each, orders=10, order_us=9_000) for each in range(20)),
        *(Sample(client=2, second=each, transactions={"new_order": Count(7, 700, 100)}) for each in range(20)),
    ]
    library.add_imported(
        a_record(run_id="20261121-043010-aaaa", plan=plan, client_labels=labels, state=RunState.COMPLETED), samples, []
    )
    told: list[tuple[str, float]] = []
    request = ReportRequest(named=("20261121-043010-aaaa",))
    make_document(library, request, on_progress=lambda *news: told.append(news), cancelled=lambda: False)
    assert list(dict.fromkeys(doing for doing, _ in told)) == [
        f"Reading {what} {load} of 2" for load in (1, 2) for what in ("the run", "response times")
    ]
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_run_s_fault_stands_in_a_comparison_beside_a_published_failover(library: Library) -> None:
    fault_id = keep(library, "20261121-043010-aaaa", 10, FAULT)
    document = made(library, fault_id, references=("ftServer, 8 vCPUs, enclosure pulled",))
    rows = rows_of(table_of(blocks_of(document.sections), "The running OPM through a failover"))
    assert [row[0] for row in rows] == ["10 a second", "ftServer, 8 vCPUs, enclosure pulled"]
    assert rows[0][1:4] == ("600", "600", "0.00 %")
