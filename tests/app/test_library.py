import json
from pathlib import Path

from tests.app.conftest import Spindle
from tests.app.runs import a_run, keep


def shown(spindle: Spindle, reference: str = "last") -> dict[str, object]:
    record: dict[str, object] = json.loads(spindle("library", "show", reference, "--json").out)
    return record


def test_a_run_is_renamed_noted_and_tagged(spindle: Spindle, home: Path) -> None:
    keep(home, a_run())
    assert spindle("library", "rename", "last", "after the patch").code == 0
    assert spindle("library", "note", "last", "two\nlines").code == 0
    assert spindle("library", "tag", "last", "nightly", "db1").code == 0
    assert spindle("library", "tag", "last", "--remove", "db1").code == 0
    run = shown(spindle)
    assert (run["name"], run["note"], run["tags"]) == ("after the patch", "two\nlines", ["nightly"])


def test_an_empty_tag_changes_nothing(spindle: Spindle, home: Path) -> None:
    keep(home, a_run())
    code, _, err = spindle("library", "tag", "last", "good", " ")
    assert code == 2
    assert "tag is ''" in err
    assert shown(spindle)["tags"] == []


def test_help_explains_run_references(spindle: Spindle) -> None:
    for name in ("show", "export", "rename", "note", "tag", "delete"):
        assert "an id, the beginning of one, or `last`" in " ".join(spindle("library", name, "--help").out.split())
