import click
import pytest
from click.testing import CliRunner

from app.cli.lazy_group import LazyCommand, LazyGroup
from engine.errors import BadInput

LINE = "A line that is as long as it may be, and that nothing cuts: " + "word " * 8


def a_group() -> click.Group:
    lazy_commands = {
        "tag": LazyCommand("app.cli.library", LINE),
        "broken": LazyCommand("no.such.module", "Fails when it is loaded."),
    }
    return LazyGroup("group", lazy_commands=lazy_commands)


def test_the_help_lists_every_line_whole_and_loads_nothing() -> None:
    shown = CliRunner().invoke(a_group(), ["--help"])
    assert shown.exit_code == 0
    assert LINE.strip() in " ".join(shown.output.split())
    assert "Fails when it is loaded." in shown.output


def test_a_command_is_loaded_when_it_is_called() -> None:
    shown = CliRunner().invoke(a_group(), ["tag", "--help"])
    assert "Remove the tags instead." in shown.output
    assert isinstance(CliRunner().invoke(a_group(), ["broken"]).exception, ModuleNotFoundError)


@pytest.mark.parametrize(
    ("typed", "expected"), [("tga", "'group tga' is not known; did you mean 'tag'"), ("zebra", "see group --help")]
)
def test_an_unknown_command_names_the_nearest(typed: str, expected: str) -> None:
    error = CliRunner().invoke(a_group(), [typed], prog_name="group").exception
    assert isinstance(error, BadInput)
    assert expected in str(error)


def test_unknown_option_is_reported_by_click() -> None:
    shown = CliRunner().invoke(a_group(), ["--hlep"])
    assert shown.exit_code == 2
    assert "--hlep" in shown.output
