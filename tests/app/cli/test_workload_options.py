"""Options of parameters that several workloads have: each is read and described as that of the chosen workload."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from app.cli.workload_options import fitted, plan_options, scale_options
from engine.errors import BadInput
from engine.plan.plan import RunPlan
from engine.plan.workloads import unusable_workloads, usable_workloads
from engine.workload.registry import find_workload
from tests.engine.workload.toy import TOY, install, installed

# Another workload whose parameters have the keys of Wholesale's, with types, ranges and defaults of its own.
OTHER = (
    TOY.replace('id="toy"', 'id="other"')
    .replace('"shops"', '"warehouses"')
    .replace('key="blend"', 'key="mix"')
    .replace('key="rolled_back"', 'key="specified_times"')
)
Plan = Callable[..., RunPlan]


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.fixture
def other(packages: Path) -> Iterator[str]:
    with installed(packages, "other", OTHER):
        yield "other"


def _command(options: Callable[[Any], Any]) -> tuple[click.Command, dict[str, Any]]:
    given: dict[str, Any] = {}

    @click.command()
    @options
    def command(**fields: object) -> None:
        given.update({key: value for key, value in fields.items() if value not in (None, ())})

    return command, given


def _planned(*words: str) -> RunPlan:
    command, given = _command(plan_options)
    done = CliRunner().invoke(command, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return RunPlan().changed(fitted(given, given.get("workload", "dvdstore")))


def _help(options: Callable[[Any], Any]) -> str:
    command, _ = _command(options)
    return " ".join(CliRunner().invoke(command, ["--help"], catch_exceptions=False).output.split())


def test_a_shared_option_is_read_as_the_parameter_of_the_chosen_workload(other: str) -> None:
    ours = _planned("--workload", "wholesale", "--warehouses", "12", "--mix", "hammerdb", "--specified-times", "yes")
    assert ours.parameters["warehouses"] == find_workload("wholesale").scale.read("12")
    assert (ours.parameters["mix"], ours.parameters["specified_times"]) == ("hammerdb", True)
    theirs = _planned("--workload", other, "--warehouses", "12", "--mix", "drawn", "--specified-times", "2.5")
    assert (theirs.parameters["warehouses"], theirs.parameters["mix"]) == (12, "drawn")
    assert theirs.parameters["specified_times"] == 2.5


def test_what_is_not_given_has_the_default_of_the_chosen_workload(other: str) -> None:
    assert _planned("--workload", "wholesale").parameters["warehouses"] is None
    assert _planned("--workload", other).parameters["warehouses"] == 10


def test_a_flag_that_is_a_number_elsewhere_needs_no_value(other: str) -> None:
    assert _planned("--workload", "wholesale", "--specified-times").parameters["specified_times"] is True


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("--workload", "other", "--warehouses", "20000"),
            "--warehouses is 20000; give a whole number from 1",
        ),
        (("--workload", "other", "--mix", "hammerdb"), "--mix is 'hammerdb'; give one of specified, drawn."),
        (("--workload", "wholesale", "--mix", "drawn"), "--mix is 'drawn'; "),
        (("--workload", "other", "--warehouses", "many"), "--warehouses is 'many'; give a whole number"),
        (("--workload", "wholesale", "--warehouses", "many"), "--warehouses is 'many'; give a whole number from 1"),
        (("--warehouses", "3"), "--warehouses is 3, and workload dvdstore has no such option; leave it out, or give"),
    ],
)
@pytest.mark.usefixtures("other")
def test_a_value_out_of_the_chosen_workloads_range_is_refused(words: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        _planned(*words)
    assert str(refused.value).startswith(sentence)


@pytest.mark.usefixtures("other")
def test_help_tells_what_a_shared_option_is_for_each_workload() -> None:
    text = _help(plan_options)
    assert "With wholesale: About 100 MB each" in text
    assert "With other: 1 to 10000. How large the database is. [default: 10]" in text
    assert "With other: specified, drawn. Which shares. [default: specified]" in text
    assert "With other: 0 to 100. Share. [default: 1 %]" in text
    building = _help(scale_options)
    assert building.count("--warehouses") == 1
    assert "[default: 1] With other: 1 to 10000. How large the database is. [default: 1]" in building


def test_parameters_that_are_the_same_are_described_once(packages: Path) -> None:
    with installed(packages, "toy", TOY), installed(packages, "twin", TOY.replace('id="toy"', 'id="twin"')):
        text = _help(plan_options)
    assert text.count("Which shares. [default: specified]") == 1
    assert "With twin" not in text


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import nothing_that_exists\n", "ModuleNotFoundError: No module named 'nothing_that_exists'"),
        ("raise SystemExit('no licence')\n", "SystemExit: no licence"),
        ("TOY = 'a text'\n", "broken_workload:TOY is no Workload"),
        (TOY, "its id is 'toy'"),
        (TOY.replace('id="toy"', 'id="broken"').replace('key="blend"', 'key="threads"'), "its parameter 'threads'"),
    ],
    ids=["import", "exit", "no workload", "id", "key"],
)
def test_a_package_that_is_broken_is_reported_in_one_sentence_and_harms_no_other(
    packages: Path, source: str, why: str
) -> None:
    with installed(packages, "toy", TOY), installed(packages, "broken", source):
        assert [each.id for each in usable_workloads()] == [
            "dvdstore",
            "wholesale",
            "brokerage",
            "mail",
            "storage",
            "toy",
        ]
        sentence = unusable_workloads()["broken"]
        assert why in sentence
        assert sentence.startswith("workload 'broken' can't be ")
        assert sentence.endswith("; update or remove the package that it comes with.")
        assert _planned("--workload", "toy").workload == "toy"
        text = _help(plan_options)
        assert "What is run: dvdstore, wholesale, brokerage, mail, storage, toy. broken can't be loaded." in text
        with pytest.raises(BadInput, match="workload 'broken' can't be"):
            _planned("--workload", "broken")


def test_an_entry_point_that_leads_nowhere_is_a_broken_package(packages: Path) -> None:
    install(packages, "gone", "no_such_module:WORKLOAD")
    assert list(unusable_workloads()) == ["gone"]
