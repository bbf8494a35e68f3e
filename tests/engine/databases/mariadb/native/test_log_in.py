"""Logging in to a scripted server: what the client answers, and the message when it can't."""

import base64
import hashlib
import struct
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.databases.database import Timeouts
from engine.databases.mariadb.native import passwords
from engine.databases.mariadb.native.ed25519 import signature
from engine.databases.mariadb.native.packets import Malformed
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.workloads.dvdstore.bindings.mariadb.calls import CALLS
from tests.doubles.mysql_packets import LONG, column, end, error, ok, result
from tests.doubles.mysql_script import CAPABILITIES, CHALLENGE, Conversation, greeting, scripted_server
from tests.engine.workloads.dvdstore.sessions import open_session

pytest.importorskip("engine.databases.exchange._exchange", reason="set up without a C compiler")

_PASSWORD = Secret("rosebud")
_TIMEOUTS = Timeouts(connect_seconds=20.0)
_OK = ok()
Script = Callable[[Conversation], None]


def refusal(script: Script, timeouts: Timeouts = _TIMEOUTS) -> TargetError:
    """What is said of a server that follows a script."""
    with scripted_server(script) as target, pytest.raises(TargetError) as caught:
        open_session(target, _PASSWORD, timeouts).close()
    assert not caught.value.usable
    assert "rosebud" not in str(caught.value)
    return caught.value


def greeted(*said: bytes) -> Script:
    """A server that greets, and then says something for each packet of the client's."""

    def script(client: Conversation) -> None:
        client.say(greeting())
        for content in said:
            client.hear()
            client.say(content)
        client.hear()

    return script


def log_in(client: Conversation) -> None:
    client.say(greeting())
    client.hear()
    client.say(_OK)


def prepare(client: Conversation, number: int) -> None:
    """Prepare the statement that is asked for; it has no parameters, as the server has it."""
    client.hear()
    client.say(b"\0" + struct.pack("<IHHxH", number, 0, 0, 0))


def test_a_session_is_made_as_the_protocol_has_it() -> None:
    heard: list[bytes] = []

    def script(client: Conversation) -> None:
        client.say(greeting())
        heard.append(client.hear())
        client.say(_OK)
        heard.append(client.hear())
        client.say(_OK)
        for number in range(len(CALLS.calls)):
            prepare(client, 10 + number)
        heard.append(client.hear())
        client.say(*result([LONG, LONG], []))
        heard.append(client.hear())

    with scripted_server(script) as target:
        open_session(target, _PASSWORD, _TIMEOUTS).close()
    response, settings, look, last = heard
    assert response[32:].startswith(b"user\0\x14" + passwords.answer(passwords.NATIVE, b"rosebud", CHALLENGE))
    assert b"ds2\0mysql_native_password\0" in response
    assert b"rosebud" not in response
    assert not int.from_bytes(response[:4], "little") & (1 << 24 | 1 << 7), "no files of ours, ends are EOF packets"
    assert settings.startswith(b"\x03SET ")
    prices = next(place for place, each in enumerate(CALLS.calls) if each == "prices")
    assert look[:5] == b"\x17" + struct.pack("<I", 10 + prices)
    assert last == b"\x01"


@pytest.mark.parametrize(
    ("first", "error_class", "text"),
    [
        (error(1040, "Too many connections", None), ErrorClass.CONNECTION_LOST, "Too many connections"),
        (error(1130, "Host '::1' is not allowed", None), ErrorClass.REJECTED, "is not allowed"),
        (greeting(version=9), ErrorClass.CONNECTION_LOST, "of another protocol"),
        (greeting(capabilities=CAPABILITIES & ~(1 << 19)), ErrorClass.CONNECTION_LOST, "too old"),
        (greeting()[:40], ErrorClass.CONNECTION_LOST, "too short"),
        (b"\n8.0.15 without an end", ErrorClass.CONNECTION_LOST, "has no end"),
        (b"\xff", ErrorClass.CONNECTION_LOST, "too short"),
        (b"", ErrorClass.CONNECTION_LOST, "too short"),
    ],
)
def test_invalid_greeting_is_an_error(first: bytes, error_class: ErrorClass, text: str) -> None:
    told = refusal(lambda client: client.say(first))
    assert text in str(told)
    assert told.error_class is error_class


@pytest.mark.parametrize(
    ("said", "error_class", "text"),
    [
        (error(1045, "Access denied", "28000"), ErrorClass.REJECTED, "rejected user 'user' (Access denied)"),
        (error(1862, "Your password has expired."), ErrorClass.REJECTED, "Your password has expired"),
        (error(1049, "Unknown database 'ds2'"), ErrorClass.MISSING_DATABASE, "does not exist on 127.0.0.1"),
        (b"\xfemysql_clear_password\0", ErrorClass.REJECTED, "by the method 'mysql_clear_password'"),
        (b"\xfe", ErrorClass.REJECTED, "by the method 'mysql_old_password'"),
        (b"\xfeno end", ErrorClass.CONNECTION_LOST, "has no end"),
        (b"\xfemysql_native_password\0short\0", ErrorClass.CONNECTION_LOST, "challenge is too short"),
        (b"\xfeclient_ed25519\0" + bytes(21), ErrorClass.CONNECTION_LOST, "challenge is too short"),
        (b"\1\4", ErrorClass.CONNECTION_LOST, "not known"),
        (b"\1\3", ErrorClass.CONNECTION_LOST, "not known"),
        (b"\x02what", ErrorClass.CONNECTION_LOST, "not known"),
        (b"", ErrorClass.CONNECTION_LOST, "not known"),
    ],
)
def test_failed_log_in_is_an_error(said: bytes, error_class: ErrorClass, text: str) -> None:
    told = refusal(greeted(said))
    assert text in str(told)
    assert told.error_class is error_class


@pytest.mark.parametrize(
    "key",
    [
        b"",
        b"no key",
        b"-----BEGIN PUBLIC KEY-----\n!!!!\n-----END PUBLIC KEY-----\n",
        b"-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----\n",
        b"-----BEGIN PUBLIC KEY-----\nMIT/////\n-----END PUBLIC KEY-----\n",
    ],
)
def test_a_password_is_encrypted_with_nothing_but_a_key(key: bytes) -> None:
    switch = b"\xfecaching_sha2_password\0" + CHALLENGE + b"\0"
    assert "no RSA key" in str(refusal(greeted(switch, b"\1\4", b"\1" + key)))


def test_endless_authentication_is_ended() -> None:
    def script(client: Conversation) -> None:
        client.say(greeting())
        while True:
            client.hear()
            client.say(b"\xfemysql_native_password\0" + CHALLENGE + b"\0")

    began = time.monotonic()
    assert "asks for the password again and again" in str(refusal(script))
    assert time.monotonic() - began < _TIMEOUTS.connect_seconds


def test_packet_out_of_sequence_is_an_error() -> None:
    def script(client: Conversation) -> None:
        client.say(greeting())
        client.hear()
        client.number += 1
        client.say(_OK)
        client.hear()

    assert "out of order" in str(refusal(script))


def test_packet_of_16_mib_is_reported() -> None:
    assert "16 MiB" in str(refusal(lambda client: client.socket.sendall(b"\xff\xff\xff\0")))


def test_silent_server_times_out() -> None:
    def script(client: Conversation) -> None:
        client.hear()

    assert refusal(script, Timeouts(connect_seconds=1.0)).error_class is ErrorClass.TIMEOUT


def test_connection_closed_during_log_in_is_an_error() -> None:
    def script(client: Conversation) -> None:
        client.say(greeting())
        client.hear()  # what is not read when a socket is closed resets the connection

    assert "closed the connection" in str(refusal(script))


def test_missing_tls_is_reported() -> None:
    with scripted_server(greeted()) as target, pytest.raises(TargetError, match="has no TLS, and sslmode is require"):
        open_session(replace(target, tls="require"), _PASSWORD, _TIMEOUTS)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ([b"\xfb/etc/passwd"], "a result that is none"),
        ([b"\1", error(1927, "Connection was killed")], "Connection was killed"),
        ([error(1193, "Unknown system variable 'x'")], "Unknown system variable"),
    ],
)
def test_refused_session_settings_are_reported(said: list[bytes], text: str) -> None:
    def script(client: Conversation) -> None:
        log_in(client)
        client.hear()
        client.say(*said)
        client.hear()

    assert text in str(refusal(script))


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ([b"\0\1"], "too short"),
        ([b"\1" + bytes(11)], "was not prepared"),
        ([b"\0" + struct.pack("<IHHxH", 1, 0, 1, 0), column(LONG), column(LONG)], "have no end"),
        ([b"\0" + struct.pack("<IHHxH", 1, 0, 2, 0), error(1927, "Connection was killed")], "Connection was killed"),
        ([error(1305, "PROCEDURE ds2.login does not exist", "42000")], "ds2.login does not exist"),
    ],
)
def test_refused_prepare_is_reported(said: list[bytes], text: str) -> None:
    def script(client: Conversation) -> None:
        log_in(client)
        client.hear()
        client.say(_OK)
        client.hear()
        client.say(*said)
        client.hear()

    assert text in str(refusal(script))


def test_definitions_of_parameters_are_passed_over() -> None:
    def script(client: Conversation) -> None:
        log_in(client)
        client.hear()
        client.say(_OK)
        for number in range(len(CALLS.calls)):
            client.hear()
            client.say(b"\0" + struct.pack("<IHHxH", number, 1, 2, 0), column(LONG), column(LONG), end())
            client.say(column(LONG), end())
        client.hear()
        client.say(*result([LONG, LONG], []))
        client.hear()

    with scripted_server(script) as target:
        open_session(target, _PASSWORD, _TIMEOUTS).close()


# As other drivers' tests have them.
_SECRET_CHALLENGE = bytes([70, 114, 92, 94, 1, 38, 11, 116, 63, 114, 23, 101, 126, 103, 26, 95, 81, 17, 24, 21])
_SHA2_CHALLENGE = bytes([10, 47, 74, 111, 75, 73, 34, 48, 88, 76, 114, 74, 37, 13, 3, 80, 82, 2, 23, 21])


def test_native_passwords_are_answered_as_by_other_drivers() -> None:
    answer = bytes([53, 177, 140, 159, 251, 189, 127, 53, 109, 252, 172, 50, 211, 192, 240, 164, 26, 48, 207, 45])
    assert passwords.answer(passwords.NATIVE, b"secret", _SECRET_CHALLENGE) == answer


@pytest.mark.parametrize(
    ("password", "answer"),
    [
        (b"secret", "f490e76f66d9d86665ce54d98c78d0acfe2fb0b08b423da807144873d30b312c"),
        (b"secret2", "abc3934a012cf342e876071c8ee202de51785b430258a7a0138bc79c4d800bc6"),
    ],
)
def test_passwords_of_sha2_are_answered_as_by_other_drivers(password: bytes, answer: str) -> None:
    assert passwords.answer(passwords.CACHING_SHA2, password, _SHA2_CHALLENGE).hex() == answer


@pytest.mark.parametrize("method", [passwords.NATIVE, passwords.CACHING_SHA2, passwords.ED25519])
def test_no_password_is_answered_with_nothing(method: str) -> None:
    assert passwords.answer(method, b"", bytes(32)) == b""


# RFC 8032, 7.1: the seed, the message, the signature.
@pytest.mark.parametrize(
    ("seed", "message", "signed"),
    [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
            "d25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
            "387b2eaeb4302aeeb00d291612bb0c00",
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
            "4a7c15e9716ed28dc027beceea1ec40a",
        ),
    ],
)
def test_signatures_are_those_of_the_standard(seed: str, message: str, signed: str) -> None:
    assert signature(bytes.fromhex(seed), bytes.fromhex(message)).hex() == signed


def test_a_password_of_any_length_signs() -> None:
    assert len(passwords.answer(passwords.ED25519, b"x", hashlib.sha256(b"x").digest())) == 64


def test_rsa_key_too_short_for_the_password_is_reported() -> None:
    modulus = b"\2\x81\x81\0" + b"\xff" * 128
    numbers = modulus + b"\2\3\1\0\1"
    inner = b"\x30\x81" + bytes([len(numbers)]) + numbers
    bits = b"\3\x81" + bytes([len(inner) + 1]) + b"\0" + inner
    algorithm = b"\x30\0"
    key = b"\x30\x81" + bytes([len(algorithm + bits)]) + algorithm + bits
    pem = b"-----BEGIN PUBLIC KEY-----\r\n" + base64.encodebytes(key).replace(b"\n", b"\r\n") + b"-----END"
    assert len(passwords.encrypted(b"x" * 85, CHALLENGE, pem)) == 128
    with pytest.raises(Malformed, match="too short for the password"):
        passwords.encrypted(b"x" * 86, CHALLENGE, pem)
