"""Each reason against a load machine is one sentence with the machine, the value and the remedy."""

import sys
from dataclasses import replace
from typing import Any

import pytest

from engine.cluster.connection import MachineAnswers
from engine.cluster.preflight import Needs, judge_machine
from engine.cluster.questions import local_facts
from engine.collect.clock_offset import Offset
from engine.target.host import Host
from engine.target.kinds import MARIADB, MSSQL, MYSQL, POSTGRESQL

OWN: dict[str, Any] = {
    "spindle": "0.1.0",
    "code": "aaa",
    "python": "3.11.2",
    "distributed": "2026.8.0",
    "psycopg": "3.3.9",
    "odbc_drivers": {MARIADB: ["MariaDB Unicode"]},
    "compiled": ["engine.audit._notes", "engine.driver._counting"],
    "loopback": "here",
}
FACTS = OWN | {"loopback": "there", "processors": 4, "free_processors": 3.5, "runs": []}
OFFSET = Offset(seconds=90.0, error_seconds=0.001, at_utc_seconds=0.0)
DB1 = Host("db1.lab", 5432)
NEEDS = Needs(kinds=[POSTGRESQL], hosts=[DB1])
REACHED = {("db1.lab", 5432): {"round_trip_ms": 0.4}}


def _refusals(needs: Needs = NEEDS, *, reached: Any = None, offset: Offset | None = OFFSET, **facts: Any) -> list[str]:
    answers = MachineAnswers(facts=FACTS | facts, offset=offset, reached=reached or REACHED)
    return list(judge_machine("load1", answers, OWN, needs).refusals)


def test_an_equal_machine_with_another_time_of_day_is_taken() -> None:
    assert _refusals() == []
    assert _refusals(python="3.11.9") == []


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (
            {"spindle": "0.2.0"},
            "load machine 'load1' has Spindle 0.2.0, and this machine has 0.1.0; install the same on both.",
        ),
        (
            {"code": "bbb"},
            "load machine 'load1' has other sources of Spindle 0.1.0 (bbb) than this machine (aaa); install the same on"
            " both.",
        ),
        (
            {"python": "3.12.1"},
            "load machine 'load1' has Python 3.12.1, and this machine has 3.11.2; install the same on both.",
        ),
        (
            {"psycopg": "3.2.1"},
            "the psycopg of load machine 'load1' is 3.2.1, and 3.3.9 on this machine; install the same on both.",
        ),
        (
            {"compiled": ["engine.audit._notes"]},
            "load machine 'load1' lacks the compiled _counting; install a C compiler there, and set Spindle up again.",
        ),
        ({"runs": ["r7"]}, "load machine 'load1' drives run r7; wait for its end, or stop it."),
    ],
)
def test_what_differs_is_refused(facts: dict[str, Any], sentence: str) -> None:
    assert _refusals(**facts) == [sentence]


def test_only_drivers_of_the_plans_kinds_matter() -> None:
    no_driver: dict[str, Any] = {"odbc_drivers": {MARIADB: []}}
    assert _refusals(**no_driver) == []
    assert _refusals(Needs(kinds=[MARIADB]), **no_driver) == [
        "the ODBC driver for MariaDB of load machine 'load1' is none, and MariaDB Unicode on this machine; install the"
        " same on both."
    ]


def test_a_machine_without_odbc_has_none_of_its_drivers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyodbc", None)
    for name in ("engine.databases.odbc", "engine.databases.odbc.drivers"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert local_facts()["odbc_drivers"] == {MARIADB: [], MYSQL: [], MSSQL: []}


def test_a_host_that_is_not_reached_is_refused() -> None:
    (sentence,) = _refusals(reached={("db1.lab", 5432): {"problem": "No route to host"}})
    assert sentence.startswith("load machine 'load1' can't reach db1.lab:5432 (No route to host); is the name known")


def test_this_machines_loopback_is_another_one_there() -> None:
    """Something else may listen on the same port there."""
    needs = Needs(kinds=[POSTGRESQL], hosts=[Host("127.0.0.1", 5433)])
    assert needs.places == [("127.0.0.1", 5433)]
    reached = {("127.0.0.1", 5433): {"round_trip_ms": 0.1}}
    assert _refusals(needs, reached=reached) == [
        "load machine 'load1' can't reach 127.0.0.1:5433, which is of this machine alone; give the target an address of"
        " the network."
    ]
    assert _refusals(needs, reached=reached, loopback="here") == []


@pytest.mark.parametrize(
    ("offset", "known"),
    [(None, "not known"), (Offset(seconds=0, error_seconds=0.0071, at_utc_seconds=0), "known within 7.1 ms")],
)
def test_a_clock_has_to_be_known(offset: Offset | None, known: str) -> None:
    (sentence,) = _refusals(offset=offset)
    assert sentence.startswith(f"the clock of load machine 'load1' is {known}, and 5 ms are needed; use a network")


def test_a_machine_that_does_not_answer_is_refused() -> None:
    found = judge_machine("load1", MachineAnswers(problem="it is not in the cluster"), OWN, NEEDS)
    assert found.refusals == ["load machine 'load1' can't be used: it is not in the cluster; start it first."]


def test_a_busy_machine_is_refused_unless_busy_ones_are_taken() -> None:
    answers = MachineAnswers(facts=FACTS | {"free_processors": 1.0}, offset=OFFSET, reached=REACHED)
    sentence = "load machine 'load1' has 1.0 of 4 processors free, and half of them are needed; end what runs there"
    found = judge_machine("load1", answers, OWN, NEEDS)
    assert found.refusals == [f"{sentence}, or start the cluster so that it takes busy machines."]
    assert found.warnings == ()
    found = judge_machine("load1", answers, OWN, replace(NEEDS, takes_busy=True))
    assert (found.refusals, found.warnings) == ([], [f"{sentence}."])


def test_an_instance_without_a_port_is_not_tried() -> None:
    assert Needs(hosts=[Host("sql1", 0, "prod"), DB1, DB1]).places == [("db1.lab", 5432)]
