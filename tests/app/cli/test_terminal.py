import io
import json
import os
import signal
import sys

import pytest
from rich.table import Table

from app.cli.terminal import never_paused, on_interrupt, one_line, print_json, print_table, progress_shown
from engine.databases.progress import Progress
from tests.app.calling import in_terminal

STEPS = """
import time
from app.cli.terminal import progress_shown
from engine.databases.progress import Progress
with progress_shown("building [b]ds2[/b]") as (tell, flag):
    for number in range(11):
        tell(Progress(doing=f"loading [/x] {number}", share=number / 10))
        time.sleep(0.05)
"""


def test_progress_in_a_pipe_prints_a_line_for_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_shown("building ds2") as (report_progress, _):
        for doing, share in (("looking", 0.0), ("loading [orders]", 0.5), ("loading [orders]", 0.6), ("built", 1.0)):
            report_progress(Progress(doing=doing, share=share))
    assert capsys.readouterr().err == "building ds2: loading [orders] (50%)\nbuilding ds2: built (100%)\n"


def test_progress_without_a_title_uses_the_step_description(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_shown("") as (report_progress, _):
        report_progress(Progress(doing="loading", share=0.5))
    assert capsys.readouterr().err == "loading (50%)\n"


def test_progress_bar_on_a_terminal_is_removed_at_the_end() -> None:
    code, shown = in_terminal(command=[sys.executable, "-c", STEPS], columns=80)
    assert code == 0
    assert "building [b]ds2[/b]" in shown
    assert "loading [/x]" in shown
    assert "%" in shown
    assert shown.rstrip().endswith("\x1b[2K")  # the bar's own line was wiped


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_cancels_the_work_instead_of_the_program(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with progress_shown("building") as (_, flag):
        assert not flag.is_set()
        os.kill(os.getpid(), number)
        assert flag.is_set()
    assert signal.getsignal(number) is before


def test_signal_handlers_are_restored_after_an_error() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="odd"), on_interrupt(lambda: None):
        raise ValueError("odd")
    assert signal.getsignal(signal.SIGINT) is before


def test_a_table_in_a_pipe_is_neither_cut_nor_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(box=None)
    table.add_column("name")
    table.add_row("long " * 100 + "[/b] end")
    print_table(table)
    _, row = capsys.readouterr().out.splitlines()
    assert row.strip() == "long " * 100 + "[/b] end"


def test_one_line_keeps_what_can_be_seen() -> None:
    assert one_line("a\nb\x1b[31m é漢") == "a b [31m é漢"


@pytest.mark.skipif(not hasattr(signal, "SIGTSTP"), reason="there is no Ctrl-Z here")
def test_suspending_is_ignored_while_watching_a_load() -> None:
    before = signal.getsignal(signal.SIGTSTP)
    with never_paused():
        assert signal.getsignal(signal.SIGTSTP) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGTSTP) is before


def test_json_is_printed_to_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"name": "Größe", "runs": [1, None]}
    print_json(value)
    printed = capsys.readouterr().out
    assert json.loads(printed) == value
    assert "Größe" in printed
    assert printed.count("\n") == 7
    file = io.StringIO()
    print_json(value, file)
    assert file.getvalue() == printed
    assert capsys.readouterr().out == ""
