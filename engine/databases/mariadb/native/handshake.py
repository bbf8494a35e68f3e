"""Logging in: the server's greeting, TLS if the target requires it, and the account's authentication method.

The messages are those of MySQL's source documentation, "Connection Phase".
"""

import ssl
import struct
from dataclasses import dataclass

from engine.databases.failure import Failure
from engine.databases.mariadb.ca_file import ca_file_of
from engine.databases.mariadb.errors import NOT_ENCRYPTED
from engine.databases.mariadb.native import passwords
from engine.databases.mariadb.native.packets import Channel, Malformed, Steps
from engine.databases.mariadb.native.replies import END, OK, Fields, Refused, checked
from engine.secrets import Secret
from engine.target.kinds import DISABLE, VERIFY_FULL, VERIFYING_TLS
from engine.target.target import Target

_VERSION = 10
_MORE = 0x01
_FAST_ENOUGH, _IN_FULL, _KEY_PLEASE = b"\3", b"\4", b"\2"
_KEY_PLEASE_SHA256 = b"\1"
_CHALLENGE_SIZES = {passwords.ED25519: 32}
_LEAST_CHALLENGE = 20
# A login takes one or two: another method, and the password in full.
_MOST_QUESTIONS = 10

_LONG_PASSWORD, _LONG_FLAG, _CONNECT_WITH_DB, _PROTOCOL_41, _TLS = 1 << 0, 1 << 2, 1 << 3, 1 << 9, 1 << 11
_TRANSACTIONS, _SECURE_CONNECTION, _MULTI_RESULTS, _PS_MULTI_RESULTS = 1 << 13, 1 << 15, 1 << 17, 1 << 18
_PLUGIN_AUTH, _CONNECT_ATTRIBUTES, _PLUGIN_AUTH_LENGTHS = 1 << 19, 1 << 20, 1 << 21
_NEEDED = _PROTOCOL_41 | _SECURE_CONNECTION | _PLUGIN_AUTH | _MULTI_RESULTS | _PS_MULTI_RESULTS
# What the exchange reads depends on it: CLIENT_DEPRECATE_EOF and files of this machine's are left out.
_WANTED = _NEEDED | _LONG_PASSWORD | _LONG_FLAG | _CONNECT_WITH_DB | _TRANSACTIONS
_IF_THERE = _CONNECT_ATTRIBUTES | _PLUGIN_AUTH_LENGTHS
_LONGEST_PACKET = 1 << 24
_UTF8MB4 = 45  # utf8mb4_general_ci, which all servers have
_ATTRIBUTES = {"program_name": "spindle", "_client_name": "spindle"}


class UnknownMethod(Exception):  # noqa: N818 - it says what the method is
    """The account is one of a login method that is not known here; the exception's text is its name."""


@dataclass(frozen=True)
class _Greeting:
    capabilities: int
    method: str
    challenge: bytes


def log_in(channel: Channel, target: Target, host_name: str, secret: Secret | None) -> Steps[None]:
    """Take the greeting and log in to the target's database.

    Raises ``Refused``, ``UnknownMethod``, ``Malformed``, or ``OSError`` when the connection, or TLS, fails.
    """
    greeting = _read_greeting(checked((yield from channel.receive())))
    capabilities = _WANTED | (_IF_THERE & greeting.capabilities)
    if target.tls != DISABLE and greeting.capabilities & _TLS:
        capabilities |= _TLS
        yield from channel.send(_head(capabilities))
        yield from channel.start_tls(_context(target), host_name)
    elif target.tls not in (DISABLE, "prefer"):
        raise Refused(Failure(sqlstate="08001", native=NOT_ENCRYPTED, message="the server has no TLS"))
    password = secret.reveal().encode() if secret else b""
    method = greeting.method if greeting.method in passwords.KNOWN else passwords.NATIVE
    first = _first_answer(method, password, greeting.challenge, is_encrypted=channel.cipher is not None)
    yield from channel.send(_response(capabilities, target, method, first))
    yield from _prove(channel, password, method, greeting.challenge)


def _read_greeting(packet: bytes) -> _Greeting:
    fields = Fields(packet)
    if fields.integer(1) != _VERSION:
        raise Malformed("the greeting is of another protocol")
    fields.terminated()  # the server's version
    fields.integer(4)
    challenge = fields.take(8)
    fields.integer(1)
    capabilities = fields.integer(2)
    fields.integer(3)  # character set and status
    capabilities |= fields.integer(2) << 16
    size = fields.integer(1)
    fields.take(10)
    if capabilities & _NEEDED != _NEEDED:
        raise Malformed("the server, or a proxy before it, is too old for calls with results")
    challenge += fields.take(max(13, size - 8))
    method = fields.rest().split(b"\0", 1)[0].decode("ascii", errors="replace")
    return _Greeting(capabilities, method, challenge)


def _prove(channel: Channel, password: bytes, method: str, challenge: bytes) -> Steps[None]:
    """Answer the server's authentication requests until it accepts the login."""
    for _ in range(_MOST_QUESTIONS):
        packet = checked((yield from channel.receive()))
        if packet[:1] == bytes([OK]):
            return
        if packet == bytes([END]):
            raise UnknownMethod(passwords.OLD)
        if packet[:1] == bytes([END]):
            fields = Fields(packet, at=1)
            method = fields.terminated().decode("ascii", errors="replace")
            challenge = fields.rest()
            first = _first_answer(method, password, challenge, is_encrypted=channel.cipher is not None)
            yield from channel.send(first)
        elif packet[:1] == bytes([_MORE]):
            yield from _answer_more(channel, packet[1:], password, method, challenge)
        else:
            raise Malformed("the login goes on in a way that is not known")
    raise Malformed("the server asks for the password again and again")


def _first_answer(method: str, password: bytes, challenge: bytes, *, is_encrypted: bool) -> bytes:
    if method not in passwords.KNOWN:
        raise UnknownMethod(method)
    if len(challenge) < _CHALLENGE_SIZES.get(method, _LEAST_CHALLENGE):
        raise Malformed("the challenge is too short")
    if method != passwords.SHA256:
        return passwords.answer(method, password, challenge)
    return password + b"\0" if is_encrypted or not password else _KEY_PLEASE_SHA256


def _answer_more(channel: Channel, data: bytes, password: bytes, method: str, challenge: bytes) -> Steps[None]:
    """The further requests of the two SHA-256 methods."""
    if method == passwords.CACHING_SHA2 and data == _FAST_ENOUGH:
        return
    if method == passwords.CACHING_SHA2 and data == _IN_FULL:
        if channel.cipher is not None:
            yield from channel.send(password + b"\0")
            return
        yield from channel.send(_KEY_PLEASE)
        packet = checked((yield from channel.receive()))
        if packet[:1] != bytes([_MORE]):
            raise Malformed("the server has no key for the password")
        data = packet[1:]
    elif method != passwords.SHA256:
        raise Malformed("the login goes on in a way that is not known")
    yield from channel.send(passwords.encrypted(password, challenge, data))


def _head(capabilities: int) -> bytes:
    return struct.pack("<IIB23x", capabilities, _LONGEST_PACKET, _UTF8MB4)


def _response(capabilities: int, target: Target, method: str, first: bytes) -> bytes:
    parts = [
        _head(capabilities),
        target.user.encode() + b"\0",
        _with_length(first),
        target.database.encode() + b"\0",
        method.encode() + b"\0",
    ]
    if capabilities & _CONNECT_ATTRIBUTES:
        texts = [text.encode() for pair in _ATTRIBUTES.items() for text in pair]
        parts.append(_with_length(b"".join(map(_with_length, texts))))
    return b"".join(parts)


def _with_length(text: bytes) -> bytes:
    """A text behind its length; only a long password, which is sent over TLS alone, has one of three bytes."""
    size = len(text)
    return (bytes([size]) if size < 251 else b"\xfc" + size.to_bytes(2, "little")) + text


def _context(target: Target) -> ssl.SSLContext:
    """Only the two modes that verify look at the certificate, and only the last one at the host's name in it."""
    context = ssl.create_default_context(cafile=ca_file_of(target) or None)
    context.check_hostname = target.tls == VERIFY_FULL
    if target.tls not in VERIFYING_TLS:
        context.verify_mode = ssl.CERT_NONE
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # those that MySQL makes for itself lack extensions
    return context
