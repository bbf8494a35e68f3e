"""A real Dovecot for the tests, from the distribution's packages: IMAP, LMTP and submission on ports of its own.

It runs without root: as the account that runs the tests, or, where that is root, as ``nobody``.
"""

import asyncio
import imaplib
import os
import pwd
import shutil
import signal
import smtplib
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from engine.lab.node import pick_port
from engine.secrets import Secret
from engine.target.target import Target

DOVECOT = "/usr/sbin/dovecot"
PASSWORD = "a mail password"
DOMAIN = "mail.test"
_START_SECONDS = 120.0

_CONFIGURATION = """
base_dir = {base}/run
state_dir = {base}/state
log_path = {base}/dovecot.log
mail_location = mdbox:~/mail
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
default_process_limit = 2000
default_client_limit = 4000
first_valid_uid = 0
first_valid_gid = 0
ssl = {ssl}
{certificate}
disable_plaintext_auth = no
auth_cache_size = 4M
auth_verbose = no
mail_max_userip_connections = 0
mail_fsync = always
listen = 127.0.0.1
protocols = imap lmtp submission
submission_relay_host = 127.0.0.1
submission_relay_port = {relay_port}
hostname = {domain}
{quota}
passdb {{
  driver = passwd-file
  args = username_format=%u {base}/passwd
}}
userdb {{
  driver = passwd-file
  args = username_format=%u {base}/passwd
}}
service anvil {{
  chroot =
  client_limit = 8000
}}
service auth {{
  client_limit = 8000
}}
service imap-urlauth-login {{
  chroot =
  process_limit = 1
}}
service imap-login {{
  chroot =
  service_count = 0
  process_min_avail = 1
  process_limit = 4
  inet_listener imap {{
    port = {imap_port}
  }}
  inet_listener imaps {{
    port = {imaps_port}
    ssl = yes
  }}
}}
service submission-login {{
  chroot =
  service_count = 0
  process_limit = 2
  inet_listener submission {{
    port = {submission_port}
  }}
  inet_listener submissions {{
    port = {submissions_port}
    ssl = yes
  }}
}}
service lmtp {{
  client_limit = 1
  process_limit = 100
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {lmtp_port}
  }}
}}
service imap {{
  process_limit = 2000
}}
service stats {{
  chroot =
}}
"""


def _free_ports(count: int) -> list[int]:
    """Ports that no connection is given by the system: one would keep a server from starting again."""
    ports: set[int] = set()
    while len(ports) < count:
        ports.add(pick_port(None))
    return list(ports)


@dataclass
class Dovecot:
    """A server in ``base`` with ``users`` accounts, ``user1`` and so on, all of one password; not started yet."""

    base: Path
    users: int
    ssl: str = "no"
    certificate: str = ""
    quota: str = ""

    def __post_init__(self) -> None:
        self.imap_port, self.imaps_port, self.lmtp_port, self.submission_port, *others = _free_ports(6)
        self.submissions_port, self.relay_port = others

    @property
    def target(self) -> Target:
        """The server with delivery by LMTP."""
        return Target.parse(f"{self.url}?tls=disable&delivery=lmtp&delivery_port={self.lmtp_port}")[0]

    @property
    def url(self) -> str:
        return f"mail://user@127.0.0.1:{self.imap_port}/{DOMAIN}"

    @property
    def secret(self) -> Secret:
        return Secret(PASSWORD)

    def write(self) -> None:
        """Write its configuration and its accounts."""
        account = pwd.getpwnam("nobody") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
        group = subprocess.run(["id", "-gn", account.pw_name], capture_output=True, text=True, check=True)
        self.base.mkdir(parents=True, exist_ok=True)
        (self.base / "dovecot.conf").write_text(
            _CONFIGURATION.format(
                base=self.base,
                user=account.pw_name,
                group=group.stdout.strip(),
                domain=DOMAIN,
                ssl=self.ssl,
                certificate=self.certificate,
                quota=self.quota,
                imap_port=self.imap_port,
                imaps_port=self.imaps_port,
                lmtp_port=self.lmtp_port,
                submission_port=self.submission_port,
                submissions_port=self.submissions_port,
                relay_port=self.relay_port,
            )
        )
        (self.base / "passwd").write_text(
            "".join(
                f"user{number}@{DOMAIN}:{{PLAIN}}{PASSWORD}:{account.pw_uid}:{account.pw_gid}::{self.base}/mail/{number}\n"
                for number in range(1, self.users + 1)
            )
        )
        if os.getuid() == 0:
            for path in (self.base, *self.base.rglob("*")):
                os.chown(path, account.pw_uid, account.pw_gid)

    def start(self) -> None:
        """Start it, in the background as a daemon; returns when it answers."""
        owner = self.base.stat()
        given: dict[str, Any] = {}
        if os.getuid() == 0:
            given = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
        subprocess.run([DOVECOT, "-c", str(self.base / "dovecot.conf")], check=True, timeout=_START_SECONDS, **given)
        until = time.monotonic() + _START_SECONDS
        while True:
            try:
                with imaplib.IMAP4("127.0.0.1", self.imap_port, timeout=5):
                    return
            except (OSError, imaplib.IMAP4.error):
                assert time.monotonic() < until, (self.base / "dovecot.log").read_text()
                time.sleep(0.05)

    def processes(self) -> list[psutil.Process]:
        """The server's processes, the first of them the master."""
        with suppress(psutil.NoSuchProcess, OSError):
            master = psutil.Process(int((self.base / "run" / "master.pid").read_text()))
            return [master, *master.children(recursive=True)]
        return []

    def kill(self) -> None:
        """Kill all its processes at once; returns when they have ended."""
        processes = self.processes()
        _signal(processes, signal.SIGKILL)
        psutil.wait_procs(processes, _START_SECONDS)
        (self.base / "run" / "master.pid").unlink(missing_ok=True)

    def freeze(self) -> None:
        _signal(self.processes(), signal.SIGSTOP)

    def thaw(self) -> None:
        _signal(self.processes(), signal.SIGCONT)


def _signal(processes: Iterable[psutil.Process], number: int) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)


class _Relay:
    """Takes messages by SMTP and delivers them by LMTP: what an MTA does between submission and the mailboxes."""

    def __init__(self, server: Dovecot) -> None:
        self._server = server

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's
        assert isinstance(envelope.content, bytes)
        await asyncio.to_thread(self._deliver, envelope.mail_from or "", envelope.rcpt_tos, envelope.content)
        return "250 delivered"

    def _deliver(self, sender: str, recipients: list[str], content: bytes) -> None:
        with smtplib.LMTP("127.0.0.1", self._server.lmtp_port) as lmtp:
            for each in recipients:  # smtplib expects one reply, LMTP gives one for each recipient
                lmtp.sendmail(sender, [each], content)


@contextmanager
def relay(server: Dovecot) -> Iterator[None]:
    """The MTA that Dovecot's submission service relays to; aiosmtpd stands for it, Postfix needs root."""
    controller = Controller(_Relay(server), hostname="127.0.0.1", port=server.relay_port, enable_SMTPUTF8=False)
    controller.start()
    try:
        yield
    finally:
        controller.stop()


@contextmanager
def certificate() -> Iterator[tuple[Path, str]]:
    """The certificate of a server on 127.0.0.1, and the settings of Dovecot with it and its key."""
    folder = Path(tempfile.mkdtemp(prefix="certificate-"))
    folder.chmod(0o755)
    key, path = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=mail",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(path),
        ],
        check=True,
        capture_output=True,
    )  # fmt: skip
    key.chmod(0o644)  # of the account that the server runs as
    try:
        yield path, f"ssl_cert = <{path}\nssl_key = <{key}"
    finally:
        shutil.rmtree(folder)


@contextmanager
def dovecot(users: int, **options: str) -> Iterator[Dovecot]:
    """A running server; it and its files are gone afterwards.

    They are in a folder with a short name, since a socket's path is at most 108 bytes long; in memory where that is
    possible.
    """
    memory = Path("/dev/shm")
    base = Path(tempfile.mkdtemp(prefix="dovecot-", dir=memory if memory.is_dir() else None))
    server = Dovecot(base, users, **options)
    try:
        server.write()
        server.start()
        yield server
    finally:
        server.kill()
        shutil.rmtree(base, ignore_errors=True)
