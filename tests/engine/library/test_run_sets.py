import pytest

from engine.analysis.comparing.configuration import Configuration
from engine.errors import BadInput, UserError
from engine.library.library import Library
from engine.record.record import RunRecord
from tests.engine.library.examples import a_finished_record


@pytest.fixture
def records(library: Library) -> list[RunRecord]:
    """Four kept runs, the oldest first."""
    made = [a_finished_record(after_seconds=60 * number) for number in range(4)]
    for record in made:
        library.add_imported(record, [], [])
    return made


@pytest.fixture
def ids(records: list[RunRecord]) -> list[str]:
    return [record.run_id for record in records]


def test_a_set_keeps_its_runs_in_the_order_in_which_they_came(library: Library, ids: list[str]) -> None:
    made = library.sets.make(" SSD, 20 ms ", [ids[2], ids[0], ids[2]], note="at night")
    assert (made.name, made.run_ids, made.note) == ("SSD, 20 ms", (ids[2], ids[0]), "at night")
    grown = library.sets.add("ssd", [ids[0], ids[1]])
    assert grown.run_ids == (ids[2], ids[0], ids[1])
    assert library.sets.get("SSD") == library.sets.all()[0] == library.sets.of_run(ids[1]) == grown
    assert [record.run_id for record in library.sets.records("SSD")] == list(grown.run_ids)
    assert library.sets.remove("SSD", [ids[0]]).run_ids == (ids[2], ids[1])
    assert library.sets.of_run(ids[0]) is None


def test_every_record_knows_its_set(library: Library, ids: list[str]) -> None:
    library.sets.make("one", ids[:2])
    assert [record.run_set for record in library.runs()] == ["", "", "one", "one"]
    assert [record.run_id for record in library.runs(run_set="ONE")] == [ids[1], ids[0]]
    assert library.runs(run_set="on") == []
    assert library.run(ids[0]).run_set == "one"


def test_a_run_is_in_one_set_at_most_and_then_nothing_is_added(library: Library, ids: list[str]) -> None:
    library.sets.make("one", ids[:1])
    library.sets.make("other", ids[1:2])
    with pytest.raises(UserError, match=f"run '{ids[0]}' is in set 'one'; remove it from that set first"):
        library.sets.add("other", [ids[2], ids[0]])
    assert library.sets.get("other").run_ids == (ids[1],)
    with pytest.raises(UserError, match="is in set 'one'"):
        library.sets.make("third", [ids[2], ids[0]])
    assert [run_set.name for run_set in library.sets.all()] == ["other", "one"]


def test_set_names_are_unique_in_any_case(library: Library) -> None:
    library.sets.make("one")
    with pytest.raises(BadInput, match="already in use"):
        library.sets.make("ONE")
    library.sets.make("two")
    with pytest.raises(BadInput, match="already in use"):
        library.sets.rename("two", "One")
    assert library.sets.rename("two", "TWO").name == "TWO"
    with pytest.raises(BadInput, match="name of the set is ''"):
        library.sets.rename("TWO", " ")


def test_set_with_an_existing_name_is_numbered_on_request(library: Library) -> None:
    names = [library.sets.make(name, numbered=True).name for name in ("one", "ONE", "one 2", "one", "a\tb\n" * 50)]
    assert names[:4] == ["one", "ONE 2", "one 2 2", "one 3"]
    assert names[4].startswith("a b a b")
    assert len(names[4]) <= 120


def test_a_deleted_run_is_in_its_set_again_when_it_is_restored(library: Library, ids: list[str]) -> None:
    library.sets.make("one", ids[:3])
    library.delete(ids[1])
    assert library.sets.get("one").run_ids == (ids[0], ids[2])
    assert len(library.sets.records("one")) == 2
    library.bin.restore(ids[1])
    assert library.sets.get("one").run_ids == tuple(ids[:3])
    library.delete(ids[1])
    library.bin.empty()
    assert library.sets.get("one").run_ids == (ids[0], ids[2])


def test_a_set_is_dissolved_and_its_runs_stay(library: Library, ids: list[str]) -> None:
    made = library.sets.make("one", ids[:2])
    assert library.sets.delete("one") == made
    assert library.sets.all() == []
    assert len(library.runs()) == 4
    assert library.sets.make("other", ids[:1]).run_ids == (ids[0],)


def test_set_note_and_configuration_are_set_and_removed(library: Library, ids: list[str]) -> None:
    library.configurations.save(Configuration(name="R630"))
    made = library.sets.make("one", ids[:1], configuration="r630")
    assert made.configuration == "R630"
    library.sets.set_configuration("one", "")
    library.sets.set_note("one", "again")
    found = library.sets.get("one")
    assert (found.configuration, found.note) == ("", "again")
    with pytest.raises(UserError, match="configuration 'R740' is not in the library"):
        library.sets.set_configuration("one", "R740")


def test_missing_set_or_run_is_an_error(library: Library, ids: list[str]) -> None:
    library.sets.make("one", ids[:1])
    with pytest.raises(UserError, match="set 'two' is not in the library"):
        library.sets.add("two", ids[:1])
    with pytest.raises(UserError, match="run 'nothing' is not in the library"):
        library.sets.make("two", ["nothing"])
    with pytest.raises(UserError, match=f"run '{ids[1]}' is not in set 'one'"):
        library.sets.remove("one", [ids[1]])
    assert [run_set.name for run_set in library.sets.all()] == ["one"]
