"""Which members a real scheduler accepts, and the messages for those that it refuses."""

import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from engine.cluster import certificates
from engine.cluster.certificates import CertificateFolder
from engine.cluster.deployment import stop_cluster
from engine.cluster.scheduler_check import SchedulerAddress, check_scheduler, connect
from engine.cluster.starter import TlsFiles
from engine.cluster.state import read_state
from engine.errors import BadInput, UserError
from tests.engine.cluster.clusters import started

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cluster's folder with the certificates of one machine."""
    made = tmp_path_factory.mktemp("cluster")
    CertificateFolder(made).make(["load1"])
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[SchedulerAddress]:
    assert started(folder, []) == []
    state = read_state(folder)
    assert state is not None
    yield state.address
    assert stop_cluster(folder)


def _context(files: TlsFiles, *, shows: bool = True, latest: ssl.TLSVersion | None = None) -> ssl.SSLContext:
    """As ``check_scheduler`` has it, but for what the test is about."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(files.ca)
    if shows:
        context.load_cert_chain(files.certificate, files.key)
    if latest is not None:
        context.maximum_version = latest
    return context


def test_a_member_is_let_in(folder: Path, address: SchedulerAddress) -> None:
    check_scheduler(address, CertificateFolder(folder).files("load1"))


def test_a_client_without_a_certificate_is_refused(folder: Path, address: SchedulerAddress) -> None:
    with pytest.raises(UserError, match="refused the certificate of load1: it was shown none; make one on"):
        connect(address, _context(CertificateFolder(folder).files("load1"), shows=False), "load1")


def test_an_old_version_of_tls_is_refused(folder: Path, address: SchedulerAddress) -> None:
    old = _context(CertificateFolder(folder).files("load1"), latest=ssl.TLSVersion.TLSv1_2)
    with pytest.raises(UserError, match=r"refused the certificate of load1: the connection is older than TLS 1\.3;"):
        connect(address, old, "load1")


def test_a_strangers_certificate_is_refused_by_both_sides(
    folder: Path, address: SchedulerAddress, tmp_path: Path
) -> None:
    strangers = CertificateFolder(tmp_path)
    strangers.make(["load1"])
    stranger = strangers.files("load1")
    with pytest.raises(
        UserError, match=r"is not of the authority of this certificate .*; use the one that the scheduler's machine"
    ):
        check_scheduler(address, stranger)
    trusting = _context(stranger)
    trusting.load_verify_locations(CertificateFolder(folder).files("load1").ca)
    with pytest.raises(UserError, match="refused the certificate of load1: another authority has signed it; use the"):
        connect(address, trusting, "load1")


def test_an_expired_certificate_is_refused_by_both_sides(
    folder: Path, address: SchedulerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates, "MEMBER_YEARS", 0)
    monkeypatch.setattr(certificates, "_EARLIER", timedelta(days=2))
    CertificateFolder(folder).make(["late"])
    late = CertificateFolder(folder).files("late")
    with pytest.raises(UserError, match=r"the certificate of late: expired on .*; renew it"):
        check_scheduler(address, late)
    with pytest.raises(UserError, match="refused the certificate of late: it has expired, by the clock there; renew"):
        connect(address, _context(late), "late")


def test_only_the_scheduler_is_accepted_as_one(folder: Path) -> None:
    files = CertificateFolder(folder).files("load1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files.certificate, files.key)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(30)
        place = SchedulerAddress("127.0.0.1", listener.getsockname()[1])

        def serve() -> None:
            accepted, _ = listener.accept()
            with context.wrap_socket(accepted, server_side=True) as tls:
                tls.sendall(b"hello")
                tls.recv(1)

        server = threading.Thread(target=serve)
        server.start()
        with pytest.raises(UserError, match="is 'load1', not the scheduler; check the address"):
            check_scheduler(place, files)
        server.join()


def test_where_nobody_listens(folder: Path) -> None:
    with pytest.raises(
        UserError, match=r"127\.0\.0\.1:1 can't be reached \(Connection refused\); is the scheduler running"
    ):
        check_scheduler(SchedulerAddress("127.0.0.1", 1), CertificateFolder(folder).files("load1"))


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("tls://a.lab:1234", "a.lab", 1234),
        ("tls://a.lab", "a.lab", 8786),
        ("tls://[fe80::1]:99", "fe80::1", 99),
        ("tls://[fe80::1]", "fe80::1", 8786),
        (" tls://10.0.0.1:8786 ", "10.0.0.1", 8786),
    ],
)
def test_addresses(text: str, host: str, port: int) -> None:
    address = SchedulerAddress.parse(text)
    assert (address.host, address.port) == (host, port)
    assert SchedulerAddress.parse(str(address)) == address


@pytest.mark.parametrize("text", ["", "a:1", "tcp://a:1", "tls://", "tls://a:x", "tls://:1"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(BadInput, match=r"give its address, such as tls://controller\.lab:8786"):
        SchedulerAddress.parse(text)
