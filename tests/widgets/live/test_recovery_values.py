"""The texts of the recovery card."""

from dataclasses import replace

import pytest

from engine.analysis.headline import headline_of
from engine.analysis.recovery.figures import Recovery, RecoveryState
from engine.analysis.recovery.judging import recovery_of
from engine.audit.report import AuditReport, FaultLoss, OrderCounts, StoreAudit, Verdict
from engine.figure_text import UNKNOWN as DASH
from tests.doubles.faulted_runs import FAULT_AT, FaultedRun, a_fault
from tests.doubles.storage_samples import an_outage
from tests.engine.analysis.faulted import UNKNOWN, constant, fault, run_of, with_faults
from tests.texts import plain
from widgets.live.recovery_values import (
    SIGNS,
    LostOrders,
    baseline_sentence,
    clock_caption,
    clock_text,
    figures_of,
    lost_at,
    outcome_text,
    remarks_of,
)


def recovery_at(second: int) -> Recovery:
    run = FaultedRun(2).advance_to(second)
    return recovery_of(run, a_fault(90))


def values_of(recovery: Recovery) -> dict[str, str]:
    return {figure.caption: figure.value for figure in figures_of(recovery, LostOrders())}


def report(verdict: Verdict, lost: int, *faults: FaultLoss) -> AuditReport:
    store = StoreAudit(target="r630", database="ds2_1", verdict=verdict, counts=OrderCounts(present=10, lost=lost))
    return AuditReport(verdict=verdict, stores=(store,), faults=faults)


def test_each_state_has_a_unique_shape() -> None:
    assert len({shape for shape, _ in SIGNS.values()}) == len(RecoveryState)


@pytest.mark.parametrize(
    ("second", "text"),
    [(151, "so far 1 s"), (153, "so far 3 s"), (160, "so far 10 s"), (200, "after 16.6 s"), (300, "after 16.6 s")],
)
def test_clock_runs_until_recovery_and_then_shows_its_time(second: int, text: str) -> None:
    recovery = recovery_at(second)
    assert plain(f"{clock_caption(recovery)} {clock_text(recovery)}") == text


def test_long_outage_is_shown_in_minutes() -> None:
    run = FaultedRun(1, heals=False).advance_to(300)
    assert plain(clock_text(recovery_of(run, a_fault(90)))) == "2:30 min"


def test_relapse_has_its_own_clock_and_list_entry() -> None:
    run = with_faults(run_of([*constant(60), *constant(4, 0), *constant(8), *constant(6, 40), *constant(80)]), 60.4)
    recovery = recovery_of(run, run.events[1], at=77)
    assert recovery.state is RecoveryState.RELAPSED
    assert (clock_caption(recovery), plain(clock_text(recovery))) == ("for", "5 s")
    assert plain(outcome_text(recovery)) == "recovered after 3.6 s\nrelapse at 1:12 for 5 s, not over"

    over = recovery_of(run, run.events[1])
    assert (clock_caption(over), plain(clock_text(over))) == ("after", "3.6 s")
    assert plain(outcome_text(over)) == "recovered after 3.6 s\nrelapse at 1:12 for 6 s"
    assert outcome_text(recovery_of(run, run.events[1], at=62)) == "down"


def test_clock_stops_when_nothing_is_pending() -> None:
    faulted = FaultedRun(1, heals=False)
    faulted.advance_to(160)
    recovery = recovery_of(faulted.end(), a_fault(90))
    assert (recovery.state, clock_text(recovery)) == (RecoveryState.NOT_RECOVERED, "")


def test_the_figures_of_an_outage() -> None:
    values = values_of(recovery_at(220))
    assert values["black-out"] == "4\u202fs"
    assert values["brown-out"] == "12\u202fs"
    assert values["lowest OPM"] == "0"
    assert values["detection lag"] == "0.6\u202fs"
    assert values["users back"] == "64 of 64"
    assert values["lowest running"].endswith("\u202f%")
    assert "−" in values["lowest running"]


def test_no_lost_user_is_shown_as_none() -> None:
    run = with_faults(run_of(constant(120)), 60.0)
    assert values_of(recovery_of(run, run.events[1]))["users back"] == "no user lost"


def test_unknown_figures_are_not_zero() -> None:
    values = values_of(recovery_of(run_of(constant(60)), a_fault(1, 60.0)))
    assert values["lowest OPM"] == values["detection lag"] == values["users back"] == DASH


def test_lowest_second_is_a_percentage_if_a_client_is_unknown() -> None:
    ill = [*constant(60), UNKNOWN, UNKNOWN, UNKNOWN, *constant(30)]
    run = with_faults(run_of([*constant(60), 0, 0, 50, *constant(30)], ill), 60.0)
    assert values_of(recovery_of(run, run.events[1]))["lowest OPM"] == "0.0\u202f%"


def test_baseline_and_its_refusal_have_a_sentence() -> None:
    assert baseline_sentence(recovery_at(220)).startswith("Baseline 94")
    early = recovery_of(with_faults(run_of(constant(40)), 4.0), a_fault(1, 4.0))
    assert plain(baseline_sentence(early)) == "Only 4 s were measured before the fault; a baseline needs at least 10 s."
    assert early.sentence not in remarks_of(early)


def test_lost_orders_are_shown_after_the_run() -> None:
    fault = recovery_at(220)
    assert lost_at(fault, None, is_over=False).value == "at the end"
    assert lost_at(fault, None, is_over=True).value == "not audited"
    clean = report(Verdict.CLEAN, 0).to_dict()
    assert lost_at(fault, clean, is_over=True).value == "0"


def test_audit_losses_are_shown_per_fault() -> None:
    label = a_fault(90).label
    losses = [
        FaultLoss(at_seconds=at, label=label, gone=gone, oldest_age_seconds=0.2)
        for at, gone in ((FAULT_AT, 7), (300.0, 0))
    ]
    audit = report(Verdict.LOST, 7, *losses).to_dict()
    later = recovery_of(FaultedRun(1).advance_to(320), a_fault(91, 300.0))
    expected = lost_at(recovery_at(220), audit, is_over=True)
    assert expected.value == "7"
    assert "LOST: 7 of 17 acknowledged orders." in expected.tool_tip
    assert lost_at(later, audit, is_over=True).value == "0"


def test_impossible_audit_is_shown() -> None:
    audit = report(Verdict.NOT_POSSIBLE, 0).to_dict()
    assert lost_at(recovery_at(220), audit, is_over=True).value == "not possible"


def test_storage_can_lose_nothing_and_mail_loses_messages() -> None:
    recovery = recovery_of(an_outage(), fault(60.0))
    values = values_of(recovery)
    assert (values["I/Os not done"], values["threads back"], values["errors"]) == ("400", "4 of 4", "4")
    assert not [caption for caption in values if "lost" in caption or "users" in caption]
    assert "lost messages" in values_of(replace(recovery, headline=headline_of("mail")))
