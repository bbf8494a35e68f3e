"""The keywords with which other programs are started, on this system and by the flags of the others."""

import subprocess
import sys

import pytest

from engine.child_programs import in_own_session, without_console

_CREATE_NEW_PROCESS_GROUP, _CREATE_NO_WINDOW = 0x200, 0x8000000  # processthreadsapi, "Process Creation Flags"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no sessions")
def test_a_program_leads_a_session_of_its_own() -> None:
    asked = [sys.executable, "-c", "import os; print(os.getsid(0) == os.getpid() == os.getpgid(0))"]
    assert subprocess.check_output(asked, text=True, **in_own_session()) == "True\n"
    assert subprocess.check_output(asked, text=True, **without_console()) == "False\n"


def test_on_windows_no_console_is_opened_or_shared() -> None:
    assert in_own_session("win32") == {"creationflags": _CREATE_NEW_PROCESS_GROUP | _CREATE_NO_WINDOW}
    assert without_console("win32") == {"creationflags": _CREATE_NO_WINDOW}
    assert without_console("darwin") == {}
