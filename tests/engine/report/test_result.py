"""A run as JSON and CSV, read back as a script would."""

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.analysis.totals import RunTotals
from engine.histogram import bucket_of, pack
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunRecord, RunState
from engine.report.result import phase_of, result, write_csv
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Sample
from engine.workloads.dvdstore.sizing import DbSize
from tests.doubles.samples import dvd_sample, with_histogram

PLAN = RunPlan(name="plan's", clients=2, warmup_minutes=0.1, minutes=0.1, parameters={"db_size": DbSize(10, "MB")})
PHASES = Phases(warming_up_from=1, measuring_from=2, measuring_to=4)
SAMPLES = [
    dvd_sample(client=1, second=0, down=1),
    dvd_sample(client=1, second=1, orders=1, order_us=9_000, histogram=pack({bucket_of(9_000): 1})),
    dvd_sample(client=1, second=2, orders=2, order_us=6_000, order_us_max=4_000, histogram=pack({2_000: 1, 3_000: 1})),
    dvd_sample(client=1, second=4, errors={"timeout": 2, "deadlock": 1}),
    dvd_sample(client=2, second=3, orders=1, order_us=1_000, order_us_max=1_000, histogram=pack({1_000: 1})),
]
EVENTS = [RunEvent(at_seconds=2.5, kind=EventKind.CLIENT_LOST, label="client ds2 #2 lost", client=2, detail="signal 9")]
RECORD = RunRecord(
    run_id="20260102-030405-abcd",
    plan=PLAN,
    client_labels=tuple(client.label for client in PLAN.client_plans()),
    state=RunState.COMPLETED,
    started_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    ended_at=datetime(2026, 1, 2, 3, 5, 5, tzinfo=UTC),
    phases=PHASES,
    environment={"workstation": {"processors": 2}, "servers": []},
    totals=replace(RunTotals("dvdstore", PLAN.client_plans(), PHASES).add_all(SAMPLES).totals(), processes=()),
    name="a name",
    note="a note with an é",
    tags=("one", "two"),
)
KEYS = {
    "run_id", "name", "state", "started_at", "ended_at", "plan", "environment", "opm", "opm_peak", "orders", "rt_ms",
    "clients",
}  # fmt: skip
CLIENT_KEYS = {
    "label", "target", "opm", "orders", "new_customers", "logins", "browses", "purchases", "rollbacks", "rollback_pct",
    "retries", "errors", "reconnects", "rt_ms", "rt_login_ms", "rt_new_customer_ms", "rt_browse_ms", "rt_purchase_ms",
}  # fmt: skip
RT_KEYS = {"mean", "p50", "p95", "p99", "max"}


def read_json(record: RunRecord) -> dict[str, Any]:
    return json.loads(json.dumps(result(record, EVENTS)))


def read_csv(record: RunRecord, samples: list[Sample]) -> list[dict[str, str]]:
    file = io.StringIO(newline="")
    write_csv(file, record, samples)
    file.seek(0)
    return list(csv.DictReader(file))


def test_the_json_has_all_that_scripts_rely_on() -> None:
    found = read_json(RECORD)

    assert found.keys() >= KEYS
    assert found["rt_ms"].keys() == RT_KEYS
    for client in found["clients"]:
        assert client.keys() >= CLIENT_KEYS
        assert client["rt_ms"].keys() == RT_KEYS
    assert (found["run_id"], found["name"], found["state"]) == ("20260102-030405-abcd", "a name", "completed")
    assert found["note"] == "a note with an é"
    assert found["tags"] == ["one", "two"]
    assert datetime.fromisoformat(found["started_at"]) == RECORD.started_at
    assert datetime.fromisoformat(found["ended_at"]) == RECORD.ended_at
    assert RunPlan.from_dict(found["plan"]) == PLAN
    assert found["phases"] == {"warming_up_from": 1, "measuring_from": 2, "measuring_to": 4}
    assert found["environment"] == {"workstation": {"processors": 2}, "servers": []}
    assert (found["orders"], found["opm"], found["measured_seconds"]) == (3, 90, 2)
    assert [(client["label"], client["orders"]) for client in found["clients"]] == [("ds2 #1", 2), ("ds2 #2", 1)]


def test_the_events_are_in_the_json() -> None:
    assert read_json(RECORD)["events"] == [
        {
            "at_seconds": 2.5,
            "since_measuring_seconds": 0.5,
            "kind": "client lost",
            "code": "",
            "data": {},
            "label": "client ds2 #2 lost",
            "client": 2,
            "detail": "signal 9",
            "by_hand": False,
            "is_fault": False,
        }
    ]


def test_the_faults_are_reported_with_what_is_known_of_the_recovery() -> None:
    first = RunEvent(
        at_seconds=1.5, number=4, is_fault=True, kind=EventKind.INJECTION, label="kill primary", detail="done at 1.5 s"
    )
    second = RunEvent(at_seconds=2.5, number=7, is_fault=True, kind=EventKind.MARK, label="Enclosure pulled")

    found = result(RECORD, [first, *EVENTS, second], {4: {"state": "recovered"}})

    assert [(fault["number"], fault["at_seconds"], fault["recovery"]) for fault in found["faults"]] == [
        (4, 1.5, {"state": "recovered"}),
        (7, 2.5, None),
    ]
    assert found["faults"][0]["label"] == "kill primary"
    assert found["faults"][0]["detail"] == "done at 1.5 s"
    assert len(found["events"]) == 2 + len(EVENTS)


def test_json_contains_the_audit() -> None:
    assert result(RECORD)["audit"] is None
    assert result(replace(RECORD, audit={"verdict": "clean"}))["audit"] == {"verdict": "clean"}


def test_a_run_without_totals_has_the_same_keys_with_nothing_in_them() -> None:
    interrupted = replace(RECORD, state=RunState.INTERRUPTED, totals=None, ended_at=None)

    found = read_json(interrupted)

    assert found.keys() >= KEYS
    assert [found[key] for key in ("ended_at", "opm", "opm_peak", "orders", "rt_ms", "clients")] == [None] * 5 + [[]]


def test_writing_a_result_changes_no_record() -> None:
    before = RECORD.totals

    result(RECORD)

    assert RECORD.totals == before


def test_the_csv_has_a_row_per_client_and_known_second() -> None:
    rows = read_csv(RECORD, SAMPLES)

    assert [(row["client"], row["label"], row["second"], row["phase"]) for row in rows] == [
        ("1", "ds2 #1", "0", "ramping"),
        ("1", "ds2 #1", "1", "warming up"),
        ("1", "ds2 #1", "2", "measuring"),
        ("1", "ds2 #1", "4", "stopping"),
        ("2", "ds2 #2", "3", "measuring"),
    ]
    assert [row["since_measuring_seconds"] for row in rows] == ["-2", "-1", "0", "2", "1"]
    never = read_csv(replace(RECORD, phases=Phases()), SAMPLES)
    assert {row["since_measuring_seconds"] for row in never} == {""}
    assert [row["orders"] for row in rows] == ["0", "1", "2", "0", "1"]
    assert [row["rt_mean_ms"] for row in rows] == ["", "9.0", "3.0", "", "1.0"]
    assert [row["rt_p50_ms"] for row in rows[:1]] == [""]
    assert rows[3]["errors"] == "deadlock=1;timeout=2"
    assert {row["errors"] for row in rows[:3]} == {""}


def test_every_count_of_a_sample_stands_in_its_row() -> None:
    sample = dvd_sample(client=1, second=0, purchases=3, rollbacks=2, in_doubt=1, reconnects=4, down=5, order_us_max=77)

    (row,) = read_csv(RECORD, [sample])

    found = {name: int(row[name]) for name in ("purchases", "rollbacks", "in_doubt", "reconnects", "down")}
    assert found == {"purchases": 3, "rollbacks": 2, "in_doubt": 1, "reconnects": 4, "down": 5}
    assert row["order_us_max"] == "77"


def test_a_label_with_commas_and_quotes_is_read_back() -> None:
    odd = replace(RECORD, client_labels=('a, "b"\n#1', "ds2 #2"))

    assert read_csv(odd, SAMPLES[:1])[0]["label"] == 'a, "b"\n#1'


@pytest.mark.parametrize(
    ("phases", "names"),
    [
        (Phases(), ["ramping"] * 5),
        (Phases(warming_up_from=2), ["ramping", "ramping", "warming up", "warming up", "warming up"]),
        (Phases(warming_up_from=1, measuring_from=1), ["ramping", *["measuring"] * 4]),
        (PHASES, ["ramping", "warming up", "measuring", "measuring", "stopping"]),
    ],
)
def test_phase_of_each_second(phases: Phases, names: list[str]) -> None:
    assert [phase_of(second, phases) for second in range(5)] == names


def test_a_run_without_users_starts_instead_of_ramping() -> None:
    assert [phase_of(second, PHASES, ramps=False) for second in range(2)] == ["starting", "warming up"]


def test_the_csv_has_the_times_as_intended_of_users_with_a_schedule() -> None:
    served = with_histogram(SAMPLES[2], pack({bucket_of(4_000): 99}))
    stalled = replace(served, overdue=pack({bucket_of(900_000): 2}))

    without, none_late, late = read_csv(RECORD, [served, replace(served, overdue=b""), stalled])

    assert [without[name] for name in ("overdue", "rt_intended_p99_ms")] == ["", ""]
    assert [none_late[name] for name in ("overdue", "rt_intended_p99_ms")] == ["0", none_late["rt_p99_ms"]]
    assert [float(late[name]) for name in ("overdue", "rt_p99_ms", "rt_intended_p95_ms")] == [2, 4.0, 4.002]
    assert float(late["rt_intended_p99_ms"]) == pytest.approx(900, rel=0.001)
