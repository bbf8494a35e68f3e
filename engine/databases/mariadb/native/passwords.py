"""What each login method of MySQL and MariaDB answers a server's challenge with; the password itself is never shown.

The methods are plugins of the servers, described in MySQL's source documentation ("Authentication Methods") and in
MariaDB's "Clients & Connectors" documentation.
"""

import base64
import hashlib
import secrets
from collections.abc import Callable
from itertools import cycle

from engine.databases.mariadb.native.ed25519 import signature
from engine.databases.mariadb.native.packets import Malformed

NATIVE, CACHING_SHA2, SHA256, ED25519, OLD = (
    "mysql_native_password", "caching_sha2_password", "sha256_password", "client_ed25519", "mysql_old_password",
)  # fmt: skip
_INTEGER, _BIT_STRING, _SEQUENCE = 0x02, 0x03, 0x30
_SHA1_SIZE = 20


def _native(password: bytes, challenge: bytes) -> bytes:
    once = hashlib.sha1(password, usedforsecurity=False).digest()
    twice = hashlib.sha1(once, usedforsecurity=False).digest()
    return _xor(once, hashlib.sha1(challenge[:20] + twice, usedforsecurity=False).digest())


def _caching_sha2(password: bytes, challenge: bytes) -> bytes:
    once = hashlib.sha256(password).digest()
    twice = hashlib.sha256(once).digest()
    return _xor(once, hashlib.sha256(twice + challenge[:20]).digest())


_ANSWERS: dict[str, Callable[[bytes, bytes], bytes]] = {
    NATIVE: _native,
    CACHING_SHA2: _caching_sha2,
    ED25519: lambda password, challenge: signature(password, challenge[:32]),
}
KNOWN = frozenset({*_ANSWERS, SHA256})
"""The methods by which one can log in here."""


def answer(method: str, password: bytes, challenge: bytes) -> bytes:
    """The first answer to a challenge, for a method that has one; an empty password has an empty answer."""
    return _ANSWERS[method](password, challenge) if password else b""


def encrypted(password: bytes, challenge: bytes, key: bytes) -> bytes:
    """The password for the server that has the other half of ``key``, a public RSA key in PEM (PKCS #1, OAEP).

    Raises ``Malformed`` when it is none.
    """
    modulus, exponent = _public_key(key)
    covered = _xor(password + b"\0", bytes(byte for byte, _ in zip(cycle(challenge[:20]), password + b"\0")))
    size = (modulus.bit_length() + 7) // 8
    padded = _oaep(covered, size)
    return pow(int.from_bytes(padded, "big"), exponent, modulus).to_bytes(size, "big")


def _oaep(message: bytes, size: int) -> bytes:
    """RFC 8017, 7.1.1, with SHA-1 and an empty label."""
    capacity = size - 2 * _SHA1_SIZE - 2 - len(message)
    if capacity < 0:
        raise Malformed("the server's key is too short for the password")
    block = hashlib.sha1(usedforsecurity=False).digest() + bytes(capacity) + b"\1" + message
    seed = secrets.token_bytes(_SHA1_SIZE)
    masked_block = _xor(block, _mask(seed, len(block)))
    masked_seed = _xor(seed, _mask(masked_block, _SHA1_SIZE))
    return b"\0" + masked_seed + masked_block


def _mask(seed: bytes, size: int) -> bytes:
    """RFC 8017, B.2.1."""
    blocks = range(-(-size // _SHA1_SIZE))
    digests = [hashlib.sha1(seed + number.to_bytes(4, "big"), usedforsecurity=False).digest() for number in blocks]
    return b"".join(digests)[:size]


def _public_key(pem: bytes) -> tuple[int, int]:
    """Modulus and exponent of a SubjectPublicKeyInfo (RFC 5280) with a key of RSA's."""
    lines = [line for line in pem.strip(b"\0").splitlines() if not line.startswith(b"-----")]
    try:
        key_info = _contents(base64.b64decode(b"".join(lines), validate=True), _SEQUENCE)[0]
        _, after_algorithm = _contents(key_info, _SEQUENCE)
        bits, _ = _contents(after_algorithm, _BIT_STRING)
        modulus, rest = _contents(_contents(bits[1:], _SEQUENCE)[0], _INTEGER)
        exponent, _ = _contents(rest, _INTEGER)
    except (ValueError, IndexError) as error:
        raise Malformed("what the server sent is no RSA key") from error
    if not 1024 <= 8 * len(modulus) <= 16_384 + 8 or len(exponent) > 8:
        raise Malformed("the server's RSA key is of no usual size")
    return int.from_bytes(modulus, "big"), int.from_bytes(exponent, "big")


def _contents(der: bytes, tag: int) -> tuple[bytes, bytes]:
    """What is in the first element, which has a tag, and what stands behind it (X.690, 8.1)."""
    size, start = der[1], 2
    if size & 0x80:
        start += size & 0x7F
        size = int.from_bytes(der[2:start], "big")
    if der[0] != tag or len(der) < start + size:
        raise ValueError("another element is here")
    return der[start : start + size], der[start + size :]


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
