"""Faults on the command line: what the options say together, and what has to be typed before anything is started."""

import pytest

from app.cli.arming import arm, arm_campaign, faults_of
from engine.errors import BadInput
from engine.faults.fault_text import parse_fault
from engine.plan.plan import RunPlan
from tests.app.calling import in_terminal
from tests.app.conftest import Spindle
from tests.engine.campaign.examples import campaign

KILL = "T+40s kill primary"
HURTS = "T+1s run /bin/true"


def test_marks_and_faults_stand_side_by_side() -> None:
    faults = faults_of(["5:00 Pulled"], [KILL], None)
    assert [(fault.label, fault.is_fault) for fault in faults] == [("Pulled", False), ("Kill primary", True)]


@pytest.mark.parametrize("repeat", ["5 every 60s", "5 times every 1:00"])
def test_a_fault_is_repeated(repeat: str) -> None:
    assert faults_of([], [KILL], repeat) == (parse_fault(f"{KILL} repeat 5 every 60s"),)


@pytest.mark.parametrize(
    ("faults", "repeat", "expected"),
    [
        ([KILL], "5", "--repeat-fault is '5'; give a count and an interval"),
        ([KILL], "5 every never", "time is 'never'"),
        ([], "5 every 60s", "give a --fault"),
        (["T+1 mark x"], "5 every 60s", "repeat is only for injections"),
    ],
)
def test_unrepeatable_fault_is_rejected(faults: list[str], repeat: str, expected: str) -> None:
    with pytest.raises(BadInput) as refused:
        faults_of([], faults, repeat)
    assert expected in str(refused.value)


def test_lab_faults_and_marks_need_no_confirmation(capsys: pytest.CaptureFixture[str]) -> None:
    arm(RunPlan(faults=faults_of(["5:00 Pulled"], [KILL], None)), ())
    assert capsys.readouterr().err == "spindle: At 0:40 of measuring: Kill all processes of the primary (SIGKILL).\n"


def test_dangerous_fault_requires_the_target_name(store: str, spindle: Spindle) -> None:
    code, _, err = spindle("run", "--target", store, "--fault", HURTS)
    assert code == 2
    assert "On this machine, run /bin/true" in err
    assert "these faults can hurt 127.0.0.1; type its name: --yes-hurt 127.0.0.1." in err
    arm(RunPlan(faults=(parse_fault(HURTS),)), ("embedded",))


def test_everything_that_can_be_hurt_is_named_at_once() -> None:
    steps = ({"kind": "act", "do": "shell true"}, {"kind": "act", "do": "ssh root@r630 true"})
    with pytest.raises(BadInput) as refused:
        arm_campaign(campaign(*steps), ())
    assert str(refused.value).endswith(
        "can hurt embedded and r630; type their names: --yes-hurt embedded --yes-hurt r630."
    )
    arm_campaign(campaign(*steps), ("r630", "embedded"))


def test_terminal_asks_for_the_target_name(store: str) -> None:
    code, shown = in_terminal("run", "--target", store, "--fault", HURTS, typed={"to arm them": "127.0.0.2\r"})
    assert code == 2
    assert "Type its name to arm them" in shown
    assert "'127.0.0.2' is not 127.0.0.1; nothing was armed" in " ".join(shown.split())


def test_a_lab_and_a_target_are_not_driven_at_once(store: str, spindle: Spindle) -> None:
    code, _, err = spindle("run", "--target", store, "--lab", "pair")
    assert code == 2
    assert "--lab pair and --target are two targets" in err
