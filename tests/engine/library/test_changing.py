import pytest

from engine.errors import BadInput, UserError
from tests.engine.library.examples import a_finished_record, a_record, some_events, some_samples


@pytest.fixture
def record(library):
    record = a_finished_record()
    library.add_imported(record, some_samples(), some_events())
    return record


def test_name_and_note_are_replaced(library, record):
    library.rename(record.run_id, "  after the patch ")
    library.set_note(record.run_id, "it helped\n")
    changed = library.run(record.run_id)
    assert (changed.name, changed.note) == ("after the patch", "it helped\n")


def test_tags_are_added_once_and_removed(library, record):
    library.add_tags(record.run_id, ["vm", " nightly ", "vm"])
    assert library.run(record.run_id).tags == ("nightly", "patched", "vm")
    library.remove_tags(record.run_id, ["nightly", "never given"])
    assert library.run(record.run_id).tags == ("patched", "vm")


@pytest.mark.parametrize("tag", ["", "   ", "x" * 65])
def test_invalid_tag_is_rejected(library, record, tag):
    with pytest.raises(BadInput, match="give one of 1 to 64 characters"):
        library.add_tags(record.run_id, ["good", tag])
    assert library.run(record.run_id).tags == record.tags


def test_deleted_run_is_hidden_until_restored(library, record):
    library.delete(record.run_id)
    assert library.runs() == []
    for refused in (library.run, library.events, library.series, library.delete):
        with pytest.raises(UserError, match="is not in the library"):
            refused(record.run_id)
    library.bin.restore(record.run_id)
    assert library.runs() == [record]
    assert list(library.samples(record.run_id)) == some_samples()
    with pytest.raises(UserError, match="is not among the deleted runs"):
        library.bin.restore(record.run_id)


def test_running_run_can_not_be_deleted(library, told):
    running = a_record()
    writer = library.start_run(running, notify=told.append)
    with pytest.raises(UserError, match="is still preparing; stop it before you delete it"):
        library.delete(running.run_id)
    assert writer.close(60)


def test_an_import_that_fails_leaves_nothing(library):
    def torn():
        yield from some_samples(seconds=2)
        raise ValueError("line 7 of the log")

    with pytest.raises(ValueError, match="line 7"):
        library.add_imported(a_finished_record(), torn(), [])
    assert library.runs() == []


def test_duplicate_run_id_is_rejected(library, record):
    with pytest.raises(UserError, match="is already in the library"):
        library.add_imported(record, [], [])
    assert list(library.samples(record.run_id)) == some_samples()


def test_an_audit_is_kept_and_replaced_by_a_later_one(library, record):
    assert library.run("last").audit is None
    library.set_audit(record.run_id, {"verdict": "lost", "lost": 3})
    library.set_audit(record.run_id, {"verdict": "clean", "age_seconds": None})
    assert library.run("last").audit == {"verdict": "clean", "age_seconds": None}
    with pytest.raises(UserError, match="is not in the library"):
        library.set_audit("nowhere", {})
