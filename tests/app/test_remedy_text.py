"""The remedies that window and command line show for an error: neither names controls of the other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from click import Context

import engine
import widgets
from app.cli.main import spindle
from app.remedy_text import terminal_text, window_text
from engine.errors import Notice, Remedy, RemedyKind, UserError

URL = "postgresql://me@db1/ds2?sslmode=require"
COMMAND = re.compile(rf"\bspindle ({'|'.join(spindle.list_commands(Context(spindle)))})\b")
NAMES = {"spindle check"}  # of what was tested, in a build server's results
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def _error_with(kind: RemedyKind) -> UserError:
    return UserError("Something is wrong", remedy=Remedy(kind=kind, target=URL, size="1GB", wanted="40GB", name="a b"))


@pytest.mark.parametrize("kind", RemedyKind)
def test_remedies_name_pages_in_the_window_and_commands_on_the_terminal(kind: RemedyKind) -> None:
    in_window, on_terminal = window_text(_error_with(kind)), terminal_text(_error_with(kind))
    for text in (in_window, on_terminal):
        assert text.startswith("Something is wrong; ")
        assert not set(text) & set("{}")
    assert not COMMAND.search(in_window)
    assert not OPTION.search(in_window)
    assert "page" not in on_terminal


def test_a_command_can_be_pasted_into_a_shell() -> None:
    assert terminal_text(_error_with(RemedyKind.BUILD_STORE)).endswith(
        f"; build it with: spindle build --target '{URL}'"
    )
    assert terminal_text(_error_with(RemedyKind.SHOW_SET)).endswith("; spindle set show 'a b' shows its runs.")


@pytest.mark.parametrize(
    "kind",
    [
        RemedyKind.BUILD_STORE,
        RemedyKind.FINISH_STORE,
        RemedyKind.REPLACE_STORE,
        RemedyKind.RESET_STORE,
        RemedyKind.FINISH_RESET,
        RemedyKind.MATCH_SIZE,
    ],
)
def test_commands_for_another_workloads_store_name_it(kind: RemedyKind) -> None:
    remedy = Remedy(kind=kind, target=URL, options="--warehouses 10", wanted_options="--warehouses 4")
    of = {name: terminal_text(UserError("Wrong", remedy=remedy.of(name))) for name in ("dvdstore", "wholesale")}
    assert of["wholesale"] == f"{of['dvdstore']} --workload wholesale"


def test_notice_text_has_remedy_like_an_error() -> None:
    notice = Notice(cause="Database ds2 holds 5 orders", remedy=Remedy(kind=RemedyKind.RESET_STORE, target=URL))
    assert window_text(notice).startswith("Database ds2 holds 5 orders; “Reset the stores before the run”")
    assert "spindle reset --target" in terminal_text(notice)


def _texts(file: Path) -> Iterator[str]:
    """The texts in a file's code; documentation is for those who read the code."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


@pytest.mark.parametrize("room", [engine, widgets], ids=["engine", "widgets"])
def test_shared_texts_name_no_command(room: ModuleType) -> None:
    found = [
        f"{file}: {text}"
        for place in room.__path__
        for file in sorted(Path(place).rglob("*.py"))
        for text in _texts(file)
        if COMMAND.search(text) and text not in NAMES
    ]
    assert found == []
