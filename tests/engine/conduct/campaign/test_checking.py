"""What is known to be wrong with a campaign before its first step, and which passwords are asked for then."""

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.conduct.campaign.checking import check_campaign
from engine.conduct.targets import Targets
from engine.errors import UserError
from engine.library.library import Library
from engine.places import find_places
from tests.engine.campaign.examples import campaign

ACT = {"kind": "act", "do": "shell 'true'"}
RUN = {"kind": "run"}


class Checked:
    """A library, targets whose passwords nobody knows, and what was asked and told."""

    def __init__(self, home: Path) -> None:
        self.asked: list[str] = []
        self.told: list[str] = []
        self._library = Library.open(home / "library.sqlite", notify=print)
        self._targets = Targets(find_places(home), secrets={}, find=self._find, notify=print)

    def _find(self, name: str) -> None:
        self.asked.append(name)

    def check(
        self, *steps: dict[str, Any], target: str, is_resumed: bool = False, configuration: str = "", **plan: Any
    ) -> None:
        check_campaign(
            replace(campaign(*steps, targets=[target], **plan), configuration=configuration),
            self._library,
            self._targets,
            notify=self.told.append,
            report_progress=lambda _progress: None,
            cancelled=lambda: False,
            is_resumed=is_resumed,
        )

    def close(self) -> None:
        self._targets.close()
        self._library.close()


@pytest.fixture
def checked(tmp_path: Path) -> Iterator[Checked]:
    found = Checked(tmp_path)
    yield found
    found.close()


@pytest.fixture
def down() -> Iterator[str]:
    """The URL of a server that is down: a port that is taken and not listened on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"postgresql://me@127.0.0.1:{taken.getsockname()[1]}/ds2"


def test_a_server_that_is_down_is_named_with_its_step(checked: Checked, down: str) -> None:
    with pytest.raises(UserError, match=r"step 2 \(run\): .*127\.0\.0\.1"):
        checked.check({"kind": "idle", "minutes": 1}, RUN, ACT, target=down)
    assert len(checked.asked) == 1
    assert checked.told == []


def test_a_server_that_an_action_may_start_is_only_reported(checked: Checked, down: str) -> None:
    checked.check(ACT, RUN, target=down)
    (sentence,) = checked.told
    assert sentence.startswith("Database 'ds2' on 127.0.0.1 can't be checked yet: ")


def test_a_campaign_that_is_resumed_may_find_its_server_restarting(checked: Checked, down: str) -> None:
    checked.check(RUN, ACT, target=down, is_resumed=True)
    assert len(checked.told) == 1
    with pytest.raises(UserError):
        checked.check(RUN, target=down, is_resumed=True)


def test_watts_are_of_machines_that_have_a_meter(checked: Checked) -> None:
    step = {"kind": "idle", "minutes": 1, "watts_of": ["workstation"]}
    with pytest.raises(UserError, match=r"^step 1 \(idle\): machine 'workstation' has no access that tells its watts"):
        checked.check(step, target="embedded:///ds2")
    with pytest.raises(UserError, match=r"^step 1 \(idle\): machine is 'sever', which is not in the inventory"):
        checked.check(step | {"watts_of": ["sever"]}, target="embedded:///ds2")


def test_no_password_is_asked_for_the_embedded_server(checked: Checked) -> None:
    checked.check({"kind": "idle", "minutes": 1}, target="embedded:///ds2")
    assert checked.asked == []


def test_a_machine_that_is_not_in_the_inventory_is_named_with_its_step(checked: Checked, down: str) -> None:
    with pytest.raises(UserError, match=r"step 1 \(run\): machine is 'db1', which is not in the inventory"):
        checked.check(RUN, target=down, machines=["workstation", "db1"])


def test_a_configuration_that_is_not_there_is_refused(checked: Checked, down: str) -> None:
    with pytest.raises(UserError, match="configuration 'R630' is not in the library"):
        checked.check(RUN, target=down, configuration="R630")
    assert checked.asked == []
