"""Mailboxes as a store on a Dovecot: built, used, verified, reset and dropped."""

import asyncio
import imaplib

import pytest

from engine.databases.database import BuildReport, Timeouts
from engine.errors import Cancelled, TargetError, UserError
from engine.secrets import Secret
from engine.services.mail.session import open_session
from engine.services.mail.store import MailStore
from engine.services.mail.system import MailServer
from engine.target.target import Target
from engine.workload.registry import MAIL
from engine.workloads.bindings import store_of
from tests.dovecot import DOMAIN, PASSWORD, Dovecot, certificate, dovecot

pytestmark = pytest.mark.slow
SCALE = "4x0.05MB"
FOLDER = "Spindle Trash"
_ANSWER_SECONDS = 30.0


def store_on(server: Dovecot, password: str = PASSWORD) -> MailStore:
    return MailStore(server.target, Secret(password), Timeouts(), store_of(MAIL, "mail"))


def build(store: MailStore, *, stop: bool = False) -> BuildReport:
    return store.build(SCALE, 1, replace=False, report_progress=lambda _: None, cancelled=lambda: stop)


def use(server: Dovecot) -> None:
    """What a run does to the mailbox of user 2 of 4, and one message that is not Spindle's."""

    async def work() -> None:
        session = await open_session(server.target, server.secret, Timeouts(), 1)
        assert await session.call("send", ((0, 1), 77, 1, 5_000)) == ("", "")
        (unseen,) = await session.call("check", ())
        assert await session.call("read", (unseen, 0.0)) == unseen
        assert await session.call("check", ()) == []
        await session.call("move", (0, 0.0, FOLDER))
        await session.call("append", ("Spindle Calendar", 77, 3, 2_000))
        session.close()
        await asyncio.sleep(0)

    asyncio.run(work())
    with imaplib.IMAP4("127.0.0.1", server.imap_port) as other:
        other.login(f"user2@{DOMAIN}", PASSWORD)
        other.append("INBOX", "", "", b"Subject: my own\r\n\r\nkeep me\r\n")


def test_a_store_is_built_used_verified_reset_and_dropped(mail_server: Dovecot) -> None:
    store = store_on(mail_server)
    assert store.state() is None
    with pytest.raises(UserError, match=f"Mail domain '{DOMAIN}' holds no store"):
        store.verify(report_progress=lambda _: None, cancelled=lambda: False)
    with pytest.raises(Cancelled):
        build(store, stop=True)
    partly = store.state()
    assert partly is not None
    assert not partly.complete

    report = build(store)
    assert report.rows["mailboxes"] == 4
    assert report.bytes_streamed >= 4 * 50_000
    state = store.state()
    assert state is not None
    assert state.is_pristine
    with pytest.raises(UserError, match="already holds"):
        build(store)

    use(mail_server)
    used = store.state()
    assert used is not None
    assert used.beyond == {"messages": 4}  # two copies of the one that was sent, an appointment, and a foreign one
    assert all(check.ok for check in store.verify(report_progress=lambda _: None, cancelled=lambda: False))

    store.reset(report_progress=lambda _: None, cancelled=lambda: False)
    after = store.state()
    assert after is not None
    assert after.beyond == {"messages": 1}
    assert after.as_built_at > state.as_built_at
    checks = store.verify(report_progress=lambda _: None, cancelled=lambda: False)
    assert all(check.ok for check in checks), checks

    with imaplib.IMAP4("127.0.0.1", mail_server.imap_port) as other:
        other.login(f"user1@{DOMAIN}", PASSWORD)
        other.select("INBOX")
        other.store("1", "+FLAGS", r"\Deleted")
        other.expunge()
    wrong = [check for check in store.verify(report_progress=lambda _: None, cancelled=lambda: False) if not check.ok]
    assert len(wrong) == 2
    assert "user1" in wrong[1].found

    assert "4 mailboxes" in store.drop()
    assert store.state() is None
    with imaplib.IMAP4("127.0.0.1", mail_server.imap_port) as other:
        other.login(f"user2@{DOMAIN}", PASSWORD)
        assert other.select("INBOX")[1] == [b"1"]  # what is not Spindle's is left
    with pytest.raises(UserError, match=r"user2@mail\.test holds 1 message that Spindle did not store"):
        build(store)


def test_a_wrong_password_is_one_sentence_without_it(mail_server: Dovecot) -> None:
    with pytest.raises(TargetError) as caught:
        store_on(mail_server, "hunter2").state()
    assert "refused logging a user in" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_the_server_says_what_it_is(mail_server: Dovecot) -> None:
    found = store_on(mail_server).server()
    assert found.writable
    assert "Dovecot" in found.version
    assert found.settings["delivery"] == f"lmtp to 127.0.0.1:{mail_server.lmtp_port}"


def test_the_probe_sees_that_a_server_is_killed_frozen_and_back(mail_server: Dovecot) -> None:
    store = store_on(mail_server)
    with imaplib.IMAP4("127.0.0.1", mail_server.imap_port) as other:
        other.login(f"user2@{DOMAIN}", PASSWORD)
        if other.select("INBOX")[1] != [b"0"]:  # the message of its own that another test has left
            other.store("1:*", "+FLAGS", r"\Deleted")
            other.expunge()
    if store.state() is None:
        build(store)
    (host,) = mail_server.target.hosts
    prober = MailServer().prober(mail_server.target, host, mail_server.secret)
    try:
        answer = next(filter(None, (prober.probe(_ANSWER_SECONDS) for _ in range(10))))
        assert answer.takes_writes
        mail_server.freeze()
        assert prober.probe(0.2) is None
        mail_server.thaw()
        assert any(prober.probe(_ANSWER_SECONDS) for _ in range(10))
        mail_server.kill()
        with pytest.raises(TargetError):
            prober.probe(1.0)
        mail_server.start()
        assert any(prober.probe(_ANSWER_SECONDS) for _ in range(10))
    finally:
        prober.close()


@pytest.mark.parametrize("form", ["?tls=starttls&sslrootcert={ca}", "?trust_server_certificate=yes", ""])
def test_a_connection_is_encrypted_and_its_certificate_is_checked(form: str) -> None:
    with certificate() as (path, settings), dovecot(1, ssl="yes", certificate=settings) as server:
        target, _ = Target.parse(server.url + form.format(ca=path))
        store = MailStore(target, server.secret, Timeouts(), store_of(MAIL, "mail"))
        if form:
            assert store.server().settings["encryption"] == "starttls"
        else:
            with pytest.raises(TargetError, match="give sslrootcert=FILE, or trust_server_certificate=yes"):
                store.server()
