"""The frames of a connection: a header with lengths and numbers, then a pickled message.

A frame with a number above 0 is one of the numbered messages, which are sent again until they are acknowledged. One
with number 0 belongs to the connection itself, such as a heartbeat. Every frame acknowledges what its sender has
received. Pickles are only read from a peer that has shown its certificate, see ``engine.cluster.stream.tls``.
"""

import pickle
import struct
from asyncio import IncompleteReadError, StreamReader
from typing import NamedTuple

HEADER = struct.Struct("<IQQ")
MOST_BYTES = 64 * 1024 * 1024


class BrokenStream(ConnectionError):  # noqa: N818 - it reads as what it is
    """The other side sent something that this version of Spindle never sends."""


class Frame(NamedTuple):
    """A message with its ``number``, and the highest number that its sender has received."""

    number: int
    acknowledged: int
    payload: bytes

    def message(self) -> object:
        return unpacked(self.payload)

    def packed(self) -> bytes:
        return HEADER.pack(len(self.payload), self.number, self.acknowledged) + self.payload


def packed(message: object) -> bytes:
    """The payload of a message."""
    return pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)


def unpacked(payload: bytes) -> object:
    """The message of a payload; raises ``BrokenStream`` if it can't be read, as from another version of Spindle."""
    try:
        message: object = pickle.loads(payload)  # noqa: S301 - from an authenticated peer, see above
    except Exception as error:
        raise BrokenStream(f"a message that can't be read ({type(error).__name__})") from error
    return message


async def read_frame(reader: StreamReader, most_bytes: int = MOST_BYTES) -> Frame:
    """The next frame. Raises ``ConnectionError`` when the connection ends or what comes is no frame."""
    try:
        length, number, acknowledged = HEADER.unpack(await reader.readexactly(HEADER.size))
        if length > most_bytes:
            raise BrokenStream(f"a frame of {length:,} bytes")
        return Frame(number, acknowledged, await reader.readexactly(length))
    except IncompleteReadError as error:
        raise ConnectionResetError("the connection has ended") from error
