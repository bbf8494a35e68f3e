import getpass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.faults.injections import CommandInjection, SqlInjection, SshInjection
from engine.faults.planned import PlannedFault
from engine.plan.plan import RunPlan
from engine.report.redaction import redactor
from engine.target.target import Target


def plan_of(*urls: str, faults: tuple[PlannedFault, ...] = ()) -> RunPlan:
    return RunPlan(targets=tuple(Target.parse(url)[0] for url in urls), minutes=10, faults=faults)


PLAN = plan_of("postgresql://telling_name@db1/shop")
HIDE = redactor(PLAN)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('password authentication failed for user "telling_name"', "password authentication failed for user …"),
        ("Login failed for user 'DOMAIN\\somebody'.", "Login failed for user …."),
        ("by telling_name; done", "by …; done"),
        ("postgresql://telling_name@db1:5432/shop", "postgresql://db1:5432/shop"),
        ("connection to server on socket /var/run/postgresql/.s.PGSQL.5432 failed",
         "connection to server on socket … failed"),
        ("C:\\Program Files\\PostgreSQL\\18\\data is full", "… is full"),
        ("\\\\nas\\runs\\evening was lost", "… was lost"),
        ("~/ledgers is full", "… is full"),
    ],
)  # fmt: skip
def test_user_names_and_paths_are_redacted(text: str, shown: str) -> None:
    assert HIDE(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "all users connected again",
        "4 users: first after 0.42 s, median 0.47 s",
        "No connection to db1\\prod:5432: Connection refused.",
        "186 orders/s and 95/99 %",
        "shop is on 10.0.0.7:5433 now",
        "not_telling_name_either",
    ],
)
def test_other_text_is_not_redacted(text: str) -> None:
    assert HIDE(text) == text


def test_the_workstations_user_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "petra")
    assert redactor(PLAN)("by petra; killed") == "by …; killed"


def test_unknown_workstation_user_does_not_prevent_redaction(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> str:
        raise OSError

    monkeypatch.setattr(getpass, "getuser", unknown)
    assert redactor(PLAN)("by telling_name") == "by …"


def test_user_name_equal_to_a_store_is_not_redacted() -> None:
    assert redactor(plan_of("postgresql://ds2@db1/ds2"))("ds2 is on db1 now") == "ds2 is on db1 now"


def test_commands_that_nobody_gave_a_label_are_reported_by_their_kind() -> None:
    faults = (
        PlannedFault(at_seconds=1, injection=CommandInjection(arguments=("/home/petra/pull.sh", "--bay", "5"))),
        PlannedFault(at_seconds=2, injection=SshInjection(host="db1", user="petra", command="reboot -f")),
        PlannedFault(at_seconds=3, injection=SqlInjection(statement="ALTER ROLE petra NOLOGIN", host="db1")),
    )
    redact = redactor(plan_of("postgresql://u@db1/shop", faults=faults))
    assert [redact(f"{fault.label} (round 2)") for fault in faults] == [
        "A command on the workstation (round 2)", "A command on db1, over ssh (round 2)", "SQL on host db1 (round 2)",
    ]  # fmt: skip


@given(st.text(max_size=60))
def test_no_text_ends_with_a_user_in_it(text: str) -> None:
    assert "telling_name" not in HIDE(f"{text} 'telling_name' {text}").split()
