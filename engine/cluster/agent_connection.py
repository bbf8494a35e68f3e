"""The agent's end of the stream: a thread that connects, answers heartbeats, and connects again when it must."""

import asyncio
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress

from engine.cluster.mailbox import Mailbox
from engine.cluster.messages import SILENT_SECONDS, Hello, Ping, Pong, Refused, Welcome
from engine.cluster.starter import CONTROLLER, AgentStart
from engine.cluster.stream.frames import BrokenStream, Frame, packed, read_frame
from engine.cluster.stream.stream import Stream
from engine.cluster.stream.tls import client_context, peer_name
from engine.collect.clock import utc_now
from engine.workstation import application_version

_CONNECT_SECONDS = 2.0
_PAUSE_SECONDS = 0.25
_DRAIN_SECONDS = 5.0


class AgentConnection:
    """Puts the run's messages into ``inbox``, and ``Refused`` when the run refuses the agent.

    ``utc`` returns the machine's time of day. ``start`` starts the thread. ``is_refused`` says that nothing listens at
    the run's address any more: the run has ended.
    """

    def __init__(self, start: AgentStart, inbox: Mailbox, utc: Callable[[], float] = utc_now) -> None:
        self._start = start
        self._inbox = inbox
        self._utc = utc
        self._addresses = list(start.controller_addresses)
        self._found_at = ""
        self.is_refused = False
        self._session = uuid.uuid4().hex
        self._tls = client_context(start.certificates)
        self._loop = asyncio.new_event_loop()
        self._stream = Stream(self._loop, self._inbox.put, self._answer)
        self._is_stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="agent-stream", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def heard_at(self) -> float:
        """The monotonic time at which something last came from the run; before that, the time of the agent's start."""
        return self._stream.heard_at

    def send(self, message: object) -> None:
        """Send the run a message; does not wait."""
        self._stream.send(message)

    def stop(self) -> None:
        """Send what is waiting, for a few seconds at most, and end the thread."""
        with suppress(RuntimeError):  # the thread has failed, and its loop has ended
            self._loop.call_soon_threadsafe(self._is_stopping.set)
        self._thread.join(2 * _DRAIN_SECONDS)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        tasks = [asyncio.create_task(self._stay_connected()), asyncio.create_task(self._watch())]
        await self._is_stopping.wait()
        await self._stream.drain(_DRAIN_SECONDS)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _stay_connected(self) -> None:
        while True:
            for address in tuple(self._addresses):
                try:
                    if not await self._connect(address):
                        return
                except (OSError, TimeoutError) as error:  # ``ConnectionError`` and ``ssl.SSLError`` among them
                    if address == self._found_at:
                        self.is_refused = isinstance(error, ConnectionRefusedError)
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _connect(self, address: str) -> bool:
        """Use one connection as long as it lasts; returns whether another one may be tried."""
        async with asyncio.timeout(_CONNECT_SECONDS):
            reader, writer = await asyncio.open_connection(address, self._start.port, ssl=self._tls)
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                answer = await self._introduce(reader, writer)
            if isinstance(answer, Refused):
                self._inbox.put(answer)
                return False
            if not isinstance(answer, Welcome):
                raise BrokenStream("no welcome")
            self._found_at = address
            self._addresses.sort(key=lambda each: each != address)  # it is tried first the next time
            await self._stream.carry(reader, writer, answer.received)
        finally:
            writer.transport.abort()
        return True

    async def _introduce(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> object:
        """Say who this is; returns the answer."""
        name = peer_name(writer.get_extra_info("ssl_object"))
        if name != CONTROLLER:
            return Refused(f"the certificate at the run's address is of '{name}', not of the controller")
        hello = Hello(
            run_id=self._start.run_id,
            machine=self._start.machine,
            session=self._session,
            received=self._stream.received,
            spindle=application_version(),
        )
        writer.write(Frame(0, 0, packed(hello)).packed())
        return (await read_frame(reader)).message()

    async def _watch(self) -> None:
        """Give up a connection on which nothing arrives: a new one may take another route, or work sooner."""
        while True:
            await asyncio.sleep(_PAUSE_SECONDS)
            if self._stream.is_connected and time.monotonic() - self._stream.heard_at > SILENT_SECONDS:
                self._stream.abort()

    def _answer(self, message: object, received_at: float) -> None:
        if isinstance(message, Ping):
            sent_at = time.monotonic()
            self._stream.send_control(Pong(message.sent_at, received_at, sent_at, self._utc()))
