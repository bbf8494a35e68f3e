"""The controller's end of all streams of a run: it listens, accepts the agents of the run and refuses everyone else."""

import asyncio
import logging
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from engine.cluster.messages import Hello, Refused, Welcome
from engine.cluster.ports import ANY_PORT, PortRange
from engine.cluster.remote_agent import RemoteAgent
from engine.cluster.starter import TlsFiles
from engine.cluster.stream.frames import BrokenStream, Frame, packed, read_frame
from engine.cluster.stream.tls import peer_name, refusal_of, server_context
from engine.workstation import application_version

_CHECK_SECONDS = 0.2
_HANDSHAKE_SECONDS = 5.0
_MOST_HELLO_BYTES = 65_536
_MOST_REFUSALS = 100
_DRAIN_SECONDS = 3.0
_STOP_SECONDS = 10.0
_log = logging.getLogger(__name__)


class Controller:
    """Listens at ``port``, one of ``ports``, for the agents of run ``run_id`` on ``machines``, each with the numbers of
    its clients.

    ``on_refusal`` is called on the controller's thread with the address of a refused peer and the reason as a clause.
    Raises ``UserError`` if the certificates can't be used or no port is free.
    """

    def __init__(
        self,
        run_id: str,
        machines: Mapping[str, Sequence[int]],
        labels: Mapping[int, str],
        files: TlsFiles,
        on_refusal: Callable[[str, str], None],
        ports: PortRange = ANY_PORT,
    ) -> None:
        self._run_id = run_id
        self._labels = labels
        self._tls = server_context(files)
        self._on_refusal = on_refusal
        self._refused: set[tuple[str, str]] = set()
        self._loop = asyncio.new_event_loop()
        self.agents = {
            machine: RemoteAgent(self._loop, machine, clients, labels) for machine, clients in machines.items()
        }
        self._socket = ports.listen()
        self.port: int = self._socket.getsockname()[1]
        self._is_stopping = asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="cluster-controller", daemon=True)
        self._thread.start()

    def accept_another(self, machine: str) -> RemoteAgent:
        """Accept another agent of a machine whose first agent has ended; returns the new one, which is not connected
        yet."""
        ended = self.agents[machine]
        self.agents[machine] = RemoteAgent(self._loop, machine, ended.clients, self._labels)
        return self.agents[machine]

    def close(self) -> None:
        """Send what is waiting, for a few seconds, then close all connections and end the thread."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._is_stopping.set)
        self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        except Exception:
            _log.exception("the controller of load machines failed")
        finally:
            for agent in self.agents.values():
                agent.on_lost("the run does not listen any more")
            self._socket.close()
            self._loop.close()

    async def _serve(self) -> None:
        tasks = [asyncio.create_task(each) for each in (self._accept(), self._check(), self._is_stopping.wait())]
        try:
            ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()  # raises if it has failed
            await asyncio.gather(*(agent.stream.drain(_DRAIN_SECONDS) for agent in self.agents.values()))
        finally:
            for each in (*tasks, *self._connections):
                each.cancel()
            await asyncio.gather(*tasks, *self._connections, return_exceptions=True)

    async def _check(self) -> None:
        """Check for silent agents; time in which this thread itself did not run is not counted as their silence."""
        due = time.monotonic()
        while True:
            now = time.monotonic()
            if (late := now - due) > _CHECK_SECONDS:
                for agent in self.agents.values():
                    agent.stream.heard_at += late
            for agent in self.agents.values():
                agent.on_check(now)
            due = time.monotonic() + _CHECK_SECONDS
            await asyncio.sleep(_CHECK_SECONDS)

    async def _accept(self) -> None:
        while True:
            try:
                connection, address = await self._loop.sock_accept(self._socket)
            except OSError as error:  # that connection has ended already, or this process has no descriptor left
                _log.warning("a connection to the run could not be accepted: %s", error)
                await asyncio.sleep(_CHECK_SECONDS)
                continue
            task = self._loop.create_task(self._serve_connection(connection, str(address[0])))
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)

    async def _serve_connection(self, connection: socket.socket, address: str) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        reader = asyncio.StreamReader(loop=self._loop)
        protocol = asyncio.StreamReaderProtocol(reader, loop=self._loop)
        try:
            transport, _ = await self._loop.connect_accepted_socket(
                lambda: protocol, connection, ssl=self._tls, ssl_handshake_timeout=_HANDSHAKE_SECONDS
            )
        except ssl.SSLError as error:
            self._report_refusal(address, refusal_of(error))
            return
        except OSError:  # a connection that was opened and closed without data is ignored
            return
        writer = asyncio.StreamWriter(transport, protocol, reader, self._loop)
        try:
            async with asyncio.timeout(_HANDSHAKE_SECONDS):
                hello = (await read_frame(reader, _MOST_HELLO_BYTES)).message()
            agent = self._agent_of(hello, peer_name(writer.get_extra_info("ssl_object")))
            if isinstance(agent, Refused):
                self._report_refusal(address, agent.reason)
                writer.write(Frame(0, 0, packed(agent)).packed())
                await writer.drain()
                writer.close()
                return
            assert isinstance(hello, Hello)
            writer.write(Frame(0, 0, packed(Welcome(received=agent.stream.received))).packed())
            await agent.on_connection(hello, reader, writer)
        except (OSError, TimeoutError):  # the agent connects again; if it does not, it is silent
            return
        finally:
            if not writer.transport.is_closing():
                writer.transport.abort()

    def _report_refusal(self, address: str, reason: str) -> None:
        """Report a refused peer once, since it may try for ever."""
        if (address, reason) not in self._refused and len(self._refused) < _MOST_REFUSALS:
            self._refused.add((address, reason))
            self._on_refusal(address, reason)

    def _agent_of(self, hello: object, name: str) -> RemoteAgent | Refused:
        """The agent whose connection it is, if the certificate is that machine's."""
        if not isinstance(hello, Hello):
            raise BrokenStream("no hello")
        if hello.machine != name:
            return Refused(f"its certificate is of '{name}', not of '{hello.machine}'")
        if hello.run_id != self._run_id or name not in self.agents:
            return Refused(f"'{name}' does not belong to this run")
        if hello.spindle != application_version():
            return Refused(f"'{name}' has Spindle {hello.spindle}, this machine {application_version()}")
        agent = self.agents[name]
        refusal = agent.refusal_of(hello)
        return Refused(refusal) if refusal else agent
