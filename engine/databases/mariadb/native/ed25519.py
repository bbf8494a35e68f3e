"""Ed25519 signatures (RFC 8032), with which MariaDB's login method of that name answers: the password is the seed.

Once a connection and of a public challenge: so it is plain arithmetic, of a few milliseconds.
"""

import hashlib

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_BASE_Y = 4 * pow(5, -1, _P) % _P
_BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202
# x, y, z and x * y / z.
_Point = tuple[int, int, int, int]
_BASE: _Point = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % _P)
_NEUTRAL: _Point = (0, 1, 1, 0)


def signature(seed: bytes, message: bytes) -> bytes:
    """R and S, 64 bytes; the seed may be of any length, as MariaDB has it."""
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | (1 << 254)
    public = _packed(_times(scalar, _BASE))
    nonce = _number(digest[32:] + message)
    commitment = _packed(_times(nonce, _BASE))
    proof = (nonce + _number(commitment + public + message) * scalar) % _ORDER
    return commitment + proof.to_bytes(32, "little")


def _number(data: bytes) -> int:
    return int.from_bytes(hashlib.sha512(data).digest(), "little") % _ORDER


def _sum(one: _Point, other: _Point) -> _Point:
    """RFC 8032, 5.1.4."""
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a, b = (y1 - x1) * (y2 - x2) % _P, (y1 + x1) * (y2 + x2) % _P
    c, d = 2 * t1 * t2 * _D % _P, 2 * z1 * z2 % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(scalar: int, point: _Point) -> _Point:
    product = _NEUTRAL
    while scalar:
        if scalar & 1:
            product = _sum(product, point)
        point = _sum(point, point)
        scalar >>= 1
    return product


def _packed(point: _Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, -1, _P)
    return (y * inverse % _P | (x * inverse % _P & 1) << 255).to_bytes(32, "little")
