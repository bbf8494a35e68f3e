"""The client of IMAP against a Dovecot, with the standard library's imaplib as a second opinion."""

import asyncio
import imaplib
from collections.abc import Awaitable, Callable

import pytest

from engine.services.mail.imap.client import ImapClient, ImapRejected
from tests.dovecot import DOMAIN, PASSWORD, Dovecot

MESSAGES = [
    b"Subject: %d\r\nMessage-ID: <%d@x>\r\n\r\nA body (with {5} braces)\r\n" % (each, each) for each in range(1, 6)
]
USER = f"user1@{DOMAIN}"


def do(server: Dovecot, work: Callable[[ImapClient], Awaitable[object]], user: str = USER) -> None:
    async def logged_in() -> None:
        client = await ImapClient.connect("127.0.0.1", server.imap_port)
        try:
            await client.login(user, PASSWORD)
            await work(client)
            await client.logout()
        finally:
            client.abort()

    asyncio.run(logged_in())


def second_opinion(server: Dovecot, mailbox: str) -> dict[bytes, bytes]:
    """The UIDs and whole messages of a mailbox by imaplib, with their flags before them."""
    with imaplib.IMAP4("127.0.0.1", server.imap_port) as client:
        client.login(USER, PASSWORD)
        client.select(f'"{mailbox}"', readonly=True)
        _, found = client.uid("FETCH", "1:*", "(UID FLAGS BODY.PEEK[])")
        return {bytes(each[1]): bytes(each[0]) for each in found if isinstance(each, tuple)}


@pytest.mark.slow
def test_what_the_client_does_imaplib_finds(mail_server: Dovecot) -> None:
    async def work(client: ImapClient) -> None:
        await client.create('A "folder"')
        await client.append("INBOX", MESSAGES, b"()")
        mailbox = await client.select("INBOX")
        assert mailbox.exists == len(MESSAGES)
        assert mailbox.uid_next > 5
        uids = await client.search(b"UNSEEN")
        assert len(uids) == len(MESSAGES)
        (fetched,) = await client.fetch(str(uids[0]), b"(UID BODY[])")
        assert fetched[b"BODY[]"] == MESSAGES[0]
        assert await client.search(b"UNSEEN") == uids[1:]
        await client.move(str(uids[1]), 'A "folder"')
        await client.copy(str(uids[0]), 'A "folder"')
        await client.expunge(str(uids[2]))
        await client.store(str(uids[3]), rb"+FLAGS (\Flagged)")
        assert client.exists == 3
        assert await client.status('A "folder"') == 2
        assert 'A "folder"' in await client.mailboxes("*")

    do(mail_server, work)
    inbox = second_opinion(mail_server, "INBOX")
    assert set(inbox) == {MESSAGES[0], MESSAGES[3], MESSAGES[4]}
    assert b"\\Seen" in inbox[MESSAGES[0]]
    assert b"\\Flagged" in inbox[MESSAGES[3]]
    assert set(second_opinion(mail_server, 'A \\"folder\\"')) == set(MESSAGES[:2])


@pytest.mark.slow
def test_what_stands_for_extensions_that_a_server_lacks_does_the_same(mail_server: Dovecot) -> None:
    async def work(client: ImapClient) -> None:
        client.capabilities = frozenset({"IMAP4REV1"})
        await client.create("Plain")
        await client.append("INBOX", MESSAGES)
        before = (await client.select("INBOX")).exists
        newest = (await client.search(b"ALL"))[-1]
        await client.move(str(newest), "Plain")
        assert client.exists == before - 1
        assert await client.status("Plain") == 1

    do(mail_server, work, f"user2@{DOMAIN}")


@pytest.mark.slow
def test_a_wrong_password_is_rejected_and_stands_nowhere(mail_server: Dovecot) -> None:
    async def work() -> None:
        client = await ImapClient.connect("127.0.0.1", mail_server.imap_port)
        with pytest.raises(ImapRejected) as caught:
            await client.login(USER, "hunter2")
        assert caught.value.code == "AUTHENTICATIONFAILED"
        assert "hunter2" not in str(caught.value)
        client.abort()

    asyncio.run(work())


@pytest.mark.slow
def test_a_command_that_is_rejected_leaves_the_connection_usable(mail_server: Dovecot) -> None:
    async def work(client: ImapClient) -> None:
        with pytest.raises(ImapRejected, match="doesn't exist"):
            await client.select("nowhere")
        await client.noop()

    do(mail_server, work)
