"""Messages sent by submission and SMTP, encrypted or not, found in the mailboxes; and users of a file of accounts.

Dovecot's submission service relays to an MTA; here that is aiosmtpd, which delivers by LMTP to the same Dovecot.
"""

import asyncio
import imaplib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from engine.databases.async_system import AsyncSession
from engine.databases.database import Timeouts
from engine.errors import ErrorClass, TargetError, UserError
from engine.secrets import Secret
from engine.services.mail.accounts import Accounts
from engine.services.mail.session import open_session
from engine.target.target import Target
from tests.dovecot import DOMAIN, PASSWORD, Dovecot, certificate, dovecot, relay

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def encrypted() -> Iterator[tuple[Dovecot, Path]]:
    """A Dovecot with two accounts, STARTTLS, TLS and a relay behind its submission, and its certificate."""
    with certificate() as (path, settings), dovecot(2, ssl="yes", certificate=settings) as server, relay(server):
        yield server, path


def target_of(server: Dovecot, port: int, **options: object) -> Target:
    chosen = "&".join(f"{name}={value}" for name, value in options.items())
    return Target.parse(f"mail://user@127.0.0.1:{port}/{DOMAIN}?{chosen}")[0]


async def end(session: AsyncSession) -> None:
    """Cut a session's connections, and let the loop close them."""
    session.cut()
    for _ in range(5):
        await asyncio.sleep(0)


def send(target: Target, run: int, *, secret: Secret | None = None, size: int = 5_000) -> tuple[str, ...]:
    """Send a message from the first user to both; returns what was refused."""

    async def work() -> tuple[str, ...]:
        session = await open_session(target, secret, Timeouts(), 0)
        try:
            refusals: tuple[str, ...] = await session.call("send", ((0, 1), run, 1, size))
        finally:
            await end(session)
        return refusals

    return asyncio.run(work())


def received(server: Dovecot, run: int) -> list[int]:
    """The users in whose INBOX there is a message of a run."""
    found = []
    for user in (1, 2):
        with imaplib.IMAP4("127.0.0.1", server.imap_port) as other:
            other.login(f"user{user}@{DOMAIN}", PASSWORD)
            other.select("INBOX", readonly=True)
            if other.search(None, "HEADER", "Message-ID", f"{run}")[1][0]:
                found.append(user)
    return found


@pytest.mark.parametrize(
    ("run", "tls", "delivery"),
    [
        (700_001, "disable", "submission"),
        (700_002, "starttls", "submission"),
        (700_003, "tls", "submission"),
        (700_004, "disable", "smtp"),
    ],
)
def test_a_message_reaches_every_recipient(encrypted: tuple[Dovecot, Path], run: int, tls: str, delivery: str) -> None:
    server, ca_file = encrypted
    is_implicit = tls == "tls"
    submission_port = server.submissions_port if is_implicit else server.submission_port
    target = target_of(
        server,
        server.imaps_port if is_implicit else server.imap_port,
        tls=tls,
        **({} if tls == "disable" else {"sslrootcert": ca_file}),
        delivery=delivery,
        delivery_port=submission_port if delivery == "submission" else server.relay_port,
    )
    assert send(target, run, secret=server.secret, size=60_000) == ("", "")
    assert received(server, run) == [1, 2]


@contextmanager
def server_that_does_not_end(certificate_file: Path) -> Iterator[int]:
    """The port of an SMTP server with TLS that leaves the end of a connection to the client, as a frozen one does."""
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate_file, certificate_file.with_name("key.pem"))
    replies = {
        b"EHLO": b"250-here\r\n250 AUTH PLAIN",
        b"AUTH": b"235 welcome",
        b"DATA": b"354 go on",
        b"QUIT": b"221 bye",
    }

    def answer(listening: socket.socket) -> None:
        connection = tls.wrap_socket(listening.accept()[0], server_side=True)
        with connection, connection.makefile("rb") as lines, suppress(OSError):
            connection.sendall(b"220 here\r\n")
            for line in lines:
                verb = line[:4].upper()
                connection.sendall(replies.get(verb, b"250 done") + b"\r\n")
                if verb == b"DATA":
                    next(each for each in lines if each == b".\r\n")
                    connection.sendall(b"250 delivered\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=answer, args=(listening,))
        thread.start()
        yield listening.getsockname()[1]
        thread.join()


def test_the_connection_of_a_sent_message_is_closed_without_waiting_for_the_server(
    encrypted: tuple[Dovecot, Path],
) -> None:
    server, ca_file = encrypted

    async def open_after_sending(port: int) -> list[object]:
        target = target_of(server, server.imaps_port, tls="tls", sslrootcert=ca_file, delivery_port=port)
        session = await open_session(target, server.secret, Timeouts(), 0)
        try:
            await session.call("send", ((0, 1), 700_005, 1, 1_000))
            await asyncio.sleep(0)  # the loop closes what was aborted
            connections = psutil.Process().net_connections("tcp")
        finally:
            await end(session)
        return [each for each in connections if each.raddr and each.raddr.port == port]

    with server_that_does_not_end(ca_file) as port:
        assert asyncio.run(open_after_sending(port)) == []


def test_a_certificate_that_is_not_trusted_is_refused(encrypted: tuple[Dovecot, Path]) -> None:
    server, _ = encrypted
    target = target_of(server, server.imaps_port, tls="tls", delivery_port=server.submissions_port)
    with pytest.raises(TargetError, match="give sslrootcert=FILE, or trust_server_certificate=yes"):
        send(target, 1, secret=server.secret)


def test_submission_that_has_ended_loses_nothing_and_reports_it(encrypted: tuple[Dovecot, Path]) -> None:
    server, _ = encrypted
    target = target_of(server, server.imap_port, tls="disable", delivery_port=server.lmtp_port)
    with pytest.raises(TargetError) as caught:  # LMTP does not speak SMTP
        send(target, 600_002, secret=server.secret)
    assert PASSWORD not in str(caught.value)
    assert received(server, 600_002) == []


def test_users_of_a_file_of_accounts_log_in_with_their_own_names_and_passwords(
    mail_server: Dovecot, tmp_path: Path
) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text(
        f"address,login,password\nuser2@{DOMAIN},,{PASSWORD}\nuser1@{DOMAIN},user1@{DOMAIN},{PASSWORD}\n"
        f"user3@{DOMAIN},,wrong\n"
    )
    target = target_of(
        mail_server,
        mail_server.imap_port,
        tls="disable",
        delivery="lmtp",
        delivery_port=mail_server.lmtp_port,
        accounts=path,
    )
    accounts = Accounts(target, None)
    assert [accounts.account(each).login for each in (0, 1)] == [f"user2@{DOMAIN}", f"user1@{DOMAIN}"]
    assert send(target, 800_001) == ("", "")
    assert received(mail_server, 800_001) == [1, 2]

    async def log_in(user: int) -> None:
        await end(await open_session(target, None, Timeouts(), user))

    with pytest.raises(TargetError) as caught:
        asyncio.run(log_in(2))
    assert caught.value.error_class is ErrorClass.REJECTED
    assert "wrong" not in str(caught.value)
    with pytest.raises(TargetError, match=r"accounts\.csv has 3 accounts, and number 4 is needed"):
        asyncio.run(log_in(3))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "has no column address"),
        ("address,login\n", "has no column password"),
        ("address,password\n", "has no accounts"),
        ("address,password\nanna,x\n", "line 2 of accounts file .* has no address"),
        ("address,password\nanna@example.org\n", "line 2 .* has no password for anna@example.org"),
    ],
)
def test_a_bad_file_of_accounts_is_refused_in_a_sentence(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text(content)
    target = Target.parse(f"mail://user@mx.lab/example.org?accounts={path}")[0]
    with pytest.raises(UserError, match=says):
        Accounts(target, None)
