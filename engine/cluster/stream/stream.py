"""One end of the stream between a run and an agent, over any number of connections one after the other.

Messages are numbered, acknowledged by whatever the other side sends next, and sent again after a reconnection; so each
arrives once and in order, or is known to be missing. Both sides send something at least once a second: the controller
asks for the agent's clocks, the agent answers. A side from which nothing comes is silent.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from engine.cluster.stream.frames import Frame, packed, read_frame
from engine.cluster.stream.numbering import Inbox, Outbox

HEARTBEAT_SECONDS = 1.0
_log = logging.getLogger(__name__)
# What was received is acknowledged after this time, unless something is sent before.
_ACKNOWLEDGE_SECONDS = 0.2
_DRAIN_POLL_SECONDS = 0.02
_MOST_AT_ONCE_BYTES = 256 * 1024
MOST_UNACKNOWLEDGED_BYTES = 64 * 1024 * 1024


@dataclass
class Traffic:
    """What a stream has received so far: frames, and bytes before encryption."""

    frames_in: int = 0
    bytes_in: int = 0


class Stream:
    """``receive`` is called with each numbered message, ``control`` with each other one and the moment of its receipt,
    both on the event loop's thread. ``send`` may be called from any thread, all other methods from that one only.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        receive: Callable[[object], None],
        control: Callable[[object, float], None],
        *,
        most_bytes: int = MOST_UNACKNOWLEDGED_BYTES,
    ) -> None:
        self.heard_at = time.monotonic()
        self.traffic = Traffic()
        self._loop = loop
        self._receive = receive
        self._control = control
        self._lock = threading.Lock()
        self._outbox = Outbox(most_bytes)
        self._inbox = Inbox()
        self._has_more = asyncio.Event()
        self._writer: asyncio.StreamWriter | None = None
        self._sent_to = 0
        self._acknowledged = 0
        self._will_acknowledge = False

    @property
    def received(self) -> int:
        """The highest number that was received; the other side needs it at a reconnection."""
        return self._inbox.received

    @property
    def waiting(self) -> int:
        """How many messages the other side has not acknowledged."""
        with self._lock:
            return self._outbox.waiting

    @property
    def is_connected(self) -> bool:
        return self._writer is not None

    def send(self, message: object) -> None:
        """Send a message; it waits here while there is no connection. Does not wait."""
        payload = packed(message)
        with self._lock:
            self._outbox.put(payload)
        with suppress(RuntimeError):  # the loop has ended: nothing is sent any more
            self._loop.call_soon_threadsafe(self._has_more.set)

    def send_control(self, message: object) -> None:
        """Send a message that is not numbered, at once; without effect while there is no connection."""
        if self._writer is not None:
            self._write(self._writer, Frame(0, self._inbox.received, packed(message)))

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, their_received: int) -> None:
        """Use a connection until it ends, from the message after ``their_received`` on.

        An earlier connection that is still in use is given up. Raises ``ConnectionError`` or ``OSError``, why it ended.
        """
        self.abort()
        self._writer = writer
        self.heard_at = time.monotonic()
        self._sent_to = their_received
        self._has_more.set()
        sending = asyncio.create_task(self._send_waiting(writer))
        try:
            with self._lock:
                self._outbox.acknowledge(their_received)
            while True:
                self._take(await read_frame(reader))
        finally:
            sending.cancel()
            with suppress(asyncio.CancelledError, OSError):
                await sending
            writer.transport.abort()
            if self._writer is writer:
                self._writer = None

    def abort(self) -> None:
        """Give up the present connection, if there is one."""
        if self._writer is not None:
            self._writer.transport.abort()
            self._writer = None

    async def drain(self, within_seconds: float) -> None:
        """Wait until everything is acknowledged, as long as there is a connection and time."""
        self.send_control(None)
        deadline = time.monotonic() + within_seconds
        while self.waiting and self.is_connected and time.monotonic() < deadline:
            await asyncio.sleep(_DRAIN_POLL_SECONDS)

    def _take(self, frame: Frame) -> None:
        now, missing = time.monotonic(), self._inbox.missing
        self.heard_at = now
        self.traffic.frames_in += 1
        self.traffic.bytes_in += len(frame.payload)
        with self._lock:
            self._outbox.acknowledge(frame.acknowledged)
        if not frame.number:
            self._control(frame.message(), now)
        elif self._inbox.take(frame.number):
            if self._inbox.missing > missing:
                _log.warning("the other side had no room for %d messages", self._inbox.missing - missing)
            self._receive(frame.message())
            if not self._will_acknowledge:
                self._will_acknowledge = True
                self._loop.call_later(_ACKNOWLEDGE_SECONDS, self._acknowledge)

    def _acknowledge(self) -> None:
        self._will_acknowledge = False
        if self._acknowledged < self._inbox.received:
            self.send_control(None)

    async def _send_waiting(self, writer: asyncio.StreamWriter) -> None:
        while True:
            await self._has_more.wait()
            self._has_more.clear()
            with self._lock:
                waiting = list(self._outbox.after(self._sent_to))
            unsent_bytes = 0
            for number, payload in waiting:
                self._sent_to = number
                self._write(writer, Frame(number, self._inbox.received, payload))
                unsent_bytes += len(payload)
                if unsent_bytes >= _MOST_AT_ONCE_BYTES:
                    unsent_bytes = 0
                    await writer.drain()
            await writer.drain()

    def _write(self, writer: asyncio.StreamWriter, frame: Frame) -> None:
        writer.write(frame.packed())
        self._acknowledged = frame.acknowledged
