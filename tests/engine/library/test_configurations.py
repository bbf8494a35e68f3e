from dataclasses import replace
from decimal import Decimal

import pytest

from engine.analysis.comparing.configuration import Configuration
from engine.analysis.comparing.economics import Item
from engine.analysis.host.power import DeviceWatts
from engine.errors import BadInput, UserError
from engine.library.configurations import ConfigurationUse
from engine.library.library import Library
from tests.engine.library.examples import a_finished_record

R630 = Configuration(
    name="R630, SSD",
    items=(Item(name="SSD", count=8, price=Decimal("1374.36")),),
    watts=(DeviceWatts(device="server", active_watts=390, idle_watts=180),),
    factors={"storage": "SSD"},
)


@pytest.fixture
def ids(library: Library) -> list[str]:
    """Three kept runs, the oldest first."""
    made = [a_finished_record(after_seconds=60 * number) for number in range(3)]
    for record in made:
        library.add_imported(record, [], [])
    return [record.run_id for record in made]


def test_a_configuration_is_kept_to_the_cent(library: Library) -> None:
    assert library.configurations.save(R630) == library.configurations.get("r630") == R630
    assert library.configurations.all() == [R630]


def test_saved_configuration_changes_for_all_runs(library: Library, ids: list[str]) -> None:
    library.configurations.save(R630)
    library.configurations.point_runs(ids[:1], "R630")
    changed = replace(R630, name="r630, ssd", items=())
    library.configurations.save(changed)
    assert library.configurations.all() == [changed]
    assert library.configurations.of_run(ids[0]) == changed


def test_a_run_has_its_own_configuration_else_its_sets(library: Library, ids: list[str]) -> None:
    library.configurations.save(R630)
    library.configurations.save(Configuration(name="R740"))
    library.sets.make("one", ids[:2], configuration="R740")
    library.configurations.point_runs(ids[:1], "R630")
    assert [record.configuration for record in library.runs()] == ["", "R740", "R630, SSD"]
    found = [library.configurations.of_run(each) for each in ids]
    assert [None if each is None else each.name for each in found] == ["R630, SSD", "R740", None]
    library.configurations.point_runs(ids[:1], "")
    assert library.run(ids[0]).configuration == "R740"


def test_used_configuration_can_not_be_deleted(library: Library, ids: list[str]) -> None:
    library.configurations.save(R630)
    library.sets.make("one", ids[:1], configuration="R630")
    library.configurations.point_runs(ids, "R630")
    library.delete(ids[2])
    use = ConfigurationUse(run_ids=(ids[1], ids[0]), set_names=("one",))
    assert library.configurations.use("R630") == use
    with pytest.raises(UserError, match="configuration 'R630, SSD' is used by set 'one', 2 runs"):
        library.configurations.delete("R630")
    assert library.configurations.delete("R630", in_use=True) == use
    assert library.configurations.all() == []
    assert library.sets.get("one").configuration == ""
    assert library.configurations.of_run(ids[0]) is None


def test_unused_configuration_is_deleted(library: Library) -> None:
    library.configurations.save(R630)
    library.configurations.delete("R630")
    with pytest.raises(UserError, match="configuration 'R630' is not in the library; look it up"):
        library.configurations.get("R630")


def test_rename_changes_the_bills_name(library: Library, ids: list[str]) -> None:
    library.configurations.save(R630)
    library.configurations.save(Configuration(name="R740"))
    library.configurations.point_runs(ids[:1], "R630")
    with pytest.raises(BadInput, match="already in use"):
        library.configurations.rename("R630", "r740")
    assert library.configurations.rename("R630", "R630 with SSDs").bill().name == "R630 with SSDs"
    found = library.configurations.of_run(ids[0])
    assert found == replace(R630, name="R630 with SSDs")


def test_point_runs_changes_nothing_if_a_run_is_missing(library: Library, ids: list[str]) -> None:
    library.configurations.save(R630)
    with pytest.raises(UserError, match="run 'nothing' is not in the library"):
        library.configurations.point_runs([ids[0], "nothing"], "R630")
    assert library.configurations.of_run(ids[0]) is None
