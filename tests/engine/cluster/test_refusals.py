"""Who may connect to a run: the agents of its machines by their certificates, and nobody else."""

import asyncio
import socket
import ssl
from asyncio.selector_events import BaseSelectorEventLoop
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest import mock

import pytest

from engine.cluster import certificates
from engine.cluster.certificates import CertificateFolder
from engine.cluster.controller import Controller
from engine.cluster.messages import Hello, Refused, Welcome
from engine.cluster.starter import CONTROLLER, TlsFiles
from engine.cluster.stream.frames import Frame, packed, read_frame
from engine.cluster.stream.tls import client_context
from engine.workstation import application_version
from tests.waiting import wait_until

HELLO = Hello(run_id="run", machine="lg1", session="first", received=0, spindle=application_version())


@dataclass
class Listening:
    """A controller of run ``run`` on lg1, the certificates of its lab, and whom it refused."""

    controller: Controller
    members: CertificateFolder
    folder: Path
    refused: list[str] = field(default_factory=list)

    def connect(self, tls: ssl.SSLContext, hello: object = HELLO) -> object:
        """The answer to a hello; raises what the connection does."""
        return asyncio.run(self._connect(tls, hello))

    async def _connect(self, tls: ssl.SSLContext, hello: object) -> object:
        async with asyncio.timeout(30):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.controller.port, ssl=tls)
            try:
                writer.write(Frame(0, 0, packed(hello)).packed())
                return (await read_frame(reader)).message()
            finally:
                writer.transport.abort()

    def reasons(self) -> list[str]:
        wait_until(lambda: self.refused, "the refusal is said")
        return self.refused


@pytest.fixture
def aborted(monkeypatch: pytest.MonkeyPatch) -> list[OSError]:
    """What the system reports of the first connection, which has ended before it was accepted; taken once reported."""
    errors: list[OSError] = [ConnectionAbortedError("Software caused connection abort")]
    accept = BaseSelectorEventLoop.sock_accept

    async def sock_accept(loop: BaseSelectorEventLoop, listener: socket.socket) -> tuple[socket.socket, object]:
        if errors:
            raise errors.pop()
        return await accept(loop, listener)

    monkeypatch.setattr(BaseSelectorEventLoop, "sock_accept", sock_accept)
    return errors


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[Listening]:
    members = CertificateFolder(tmp_path / "lab")
    members.make(["lg1", "lg2"])
    refused: list[str] = []
    controller = Controller(
        "run", {"lg1": [1]}, {1: "a"}, members.files(CONTROLLER), lambda _, reason: refused.append(reason)
    )
    yield Listening(controller, members, tmp_path, refused)
    controller.close()


def without_certificate(files: TlsFiles) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(files.ca)
    return context


def test_the_agent_of_a_machine_of_the_run_is_welcome(listening: Listening) -> None:
    assert listening.connect(client_context(listening.members.files("lg1"))) == Welcome(received=0)
    assert listening.refused == []


def test_a_connection_that_ended_before_it_was_accepted_keeps_no_other_away(
    aborted: list[OSError], listening: Listening
) -> None:
    assert listening.connect(client_context(listening.members.files("lg1"))) == Welcome(received=0)
    assert aborted == []


def test_a_certificate_of_another_authority_is_refused(listening: Listening) -> None:
    others = CertificateFolder(listening.folder / "others")
    others.make(["lg1"])
    stranger = replace(others.files("lg1"), ca=listening.members.files("lg1").ca)
    with pytest.raises(OSError):  # noqa: PT011 - which one depends on who closes first
        listening.connect(client_context(stranger))
    assert "its certificate is not of this lab's CA" in listening.reasons()[0]


def test_none_is_refused(listening: Listening) -> None:
    with pytest.raises(OSError):  # noqa: PT011 - which one depends on who closes first
        listening.connect(without_certificate(listening.members.files("lg1")))
    assert listening.reasons() == ["it showed no certificate"]


def test_an_expired_one_is_refused(listening: Listening) -> None:
    with mock.patch.object(certificates, "datetime", wraps=datetime) as clock:
        clock.now.side_effect = lambda zone: datetime.now(UTC) - timedelta(days=365 * 3)
        listening.members.make(["lg3"])
    with pytest.raises(OSError):  # noqa: PT011 - which one depends on who closes first
        listening.connect(client_context(listening.members.files("lg3")))
    assert listening.reasons() == ["its certificate has expired"]


def test_an_old_version_of_tls_is_refused(listening: Listening) -> None:
    old = client_context(listening.members.files("lg1"))
    old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_2
    with pytest.raises(OSError):  # noqa: PT011 - which one depends on who closes first
        listening.connect(old)
    assert listening.reasons() == ["it does not speak TLS 1.3"]


@pytest.mark.parametrize(
    ("member", "hello", "reason"),
    [
        ("lg2", HELLO, "its certificate is of 'lg2', not of 'lg1'"),
        ("lg2", replace(HELLO, machine="lg2"), "'lg2' does not belong to this run"),
        ("lg1", replace(HELLO, run_id="another"), "'lg1' does not belong to this run"),
        ("lg1", replace(HELLO, spindle="0.0.1"), "'lg1' has Spindle 0.0.1"),
    ],
    ids=["another's name", "another machine", "another run", "another version"],
)
def test_a_member_that_is_not_expected_gets_the_reason(
    listening: Listening, member: str, hello: Hello, reason: str
) -> None:
    answer = listening.connect(client_context(listening.members.files(member)), hello)
    assert isinstance(answer, Refused)
    assert answer.reason.startswith(reason)
    assert listening.reasons() == [answer.reason]


def test_a_second_agent_of_a_machine_is_refused(listening: Listening) -> None:
    tls = client_context(listening.members.files("lg1"))
    assert isinstance(listening.connect(tls), Welcome)
    assert isinstance(listening.connect(tls), Welcome)  # the same agent, which connects again
    answer = listening.connect(tls, replace(HELLO, session="second"))
    assert answer == Refused("lg1 has an agent of this run already")


def test_what_is_no_hello_gets_no_answer(listening: Listening) -> None:
    with pytest.raises(ConnectionError):
        listening.connect(client_context(listening.members.files("lg1")), "hello")
    assert listening.refused == []
