import sys
import threading
import time
from collections.abc import Iterator

import psutil
import pytest

from engine.collect import program as program_module
from engine.collect.program import StreamedProgram
from engine.errors import UserError

NEVER = threading.Event()


def shell(script: str) -> StreamedProgram:
    return StreamedProgram(("sh", "-c", script), what="the shell")


@pytest.fixture
def cat() -> Iterator[StreamedProgram]:
    program = StreamedProgram(("cat",), what="cat")
    yield program
    program.close()


def test_lines_are_answered_as_they_are_asked_for(cat: StreamedProgram) -> None:
    for text in ("one", "zwölf"):
        cat.write(text)
        line = cat.line(NEVER, 60)
        assert line is not None
        assert line.text == text


def test_the_end_is_reported_with_what_the_program_wrote_about_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_module, "_TERMINATE_SECONDS", 60.0)  # for its exit code and its last words
    program = shell("echo here; echo 'Host key verification failed.' >&2; exit 255")
    assert program.line(NEVER, 60)
    for _ in range(2):
        with pytest.raises(UserError, match=r"^the shell ended with exit code 255: Host key verification failed\.$"):
            program.line(NEVER, 60)
    program.close()


def test_silence_is_an_error_and_a_stop_is_none(cat: StreamedProgram) -> None:
    with pytest.raises(UserError, match=r"cat sent nothing for 0\.05 s"):
        cat.line(NEVER, 0.05)
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()
    assert cat.line(stop, 30) is None


def test_a_program_that_is_missing() -> None:
    with pytest.raises(UserError, match=r"^esxtop: no-such-program can't be started \(No such file"):
        StreamedProgram(("no-such-program",), what="esxtop")


def test_a_program_that_ignores_its_end_and_floods_us_is_killed() -> None:
    script = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: print('x' * 1000)"
    program = StreamedProgram((sys.executable, "-c", script), what="flood")
    assert program.line(NEVER, 60)
    process = psutil.Process(program.pid)
    began = time.monotonic()
    program.close()
    assert not process.is_running()
    assert time.monotonic() - began < 60
