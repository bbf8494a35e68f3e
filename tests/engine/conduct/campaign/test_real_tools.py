"""What an action of a campaign leaves in the journal when it fails."""

from pathlib import Path

from engine.conduct.campaign.real_tools import RealTools
from engine.conduct.campaign.running import RunSetting, RunView
from engine.conduct.campaign.stopping import Stopping
from engine.conduct.conductor import Conductor
from engine.conduct.targets import Targets
from engine.databases.lease import Claim
from engine.faults.injection_text import parse_injection
from engine.library.library import Library
from engine.places import find_places
from engine.secrets import Secret
from tests.engine.campaign.examples import campaign


def no_run(_conductor: Conductor) -> RunView:
    raise AssertionError("an action makes no run")


def test_a_failed_action_says_why_without_a_known_password(tmp_path: Path) -> None:
    script = tmp_path / "restart"
    script.write_text("#!/bin/sh\necho 'no such service, asked with tiger-in-the-tank'\nexit 7\n")
    script.chmod(0o755)
    targets = Targets(
        find_places(tmp_path), secrets={"db1": Secret("tiger-in-the-tank")}, find=lambda _name: None, notify=print
    )
    with Library.open(tmp_path / "library.sqlite", notify=print) as library, targets:
        setting = RunSetting(
            library=library,
            targets=targets,
            configuration="",
            claim=Claim(purpose="a campaign", program="a test"),
            notify=print,
            view_of=no_run,
            stopping=Stopping(),
        )
        plan = campaign({"kind": "run"}, targets=["postgresql://me@db1/ds2"]).plan
        acted = RealTools(setting, "night").act(plan, parse_injection(f"run {script}"))
    assert acted.failure.startswith("It failed (exit code 7). Output: no such service, asked with ")
    assert "tiger" not in acted.failure + acted.audit
