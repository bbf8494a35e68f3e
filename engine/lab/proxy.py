"""A small TCP proxy in front of each node: it forwards the data and emulates a network that is cut, silent or slow.

One thread of the keeper serves all proxies, so that neither privileges nor other programs are needed. Called by the
lab's ``wiring`` from the keeper's main thread; connections are only accessed in the proxies' thread.
"""

import errno
import heapq
import itertools
import logging
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from engine.lab.configuration import HOST
from engine.lab.network import Route
from engine.lab.tunnel import Flow, Tunnel, break_off

_BACKLOG = 1024
_PIECE_BYTES = 64 * 1024
_CALL_TIMEOUT_SECONDS = 10.0
_OUT_OF_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)

_log = logging.getLogger("engine.lab.proxy")


class Proxy:
    """A listening port and the port that its connections are carried to; ``upstream`` ``None`` resets them."""

    def __init__(self, listener: socket.socket, route: Route, upstream: int | None) -> None:
        self.listener = listener
        self.route = route
        self.upstream = upstream
        self.is_watched = False
        self.tunnels: set[Tunnel] = set()

    @property
    def port(self) -> int:
        port: int = self.listener.getsockname()[1]
        return port


class ProxyLoop:
    """The thread that serves the proxies. Its methods are called from other threads and return when it is done."""

    def __init__(self) -> None:
        self.selector: selectors.BaseSelector = selectors.DefaultSelector()
        self.piece = bytearray(_PIECE_BYTES)
        self._proxies: set[Proxy] = set()
        self._waiting: list[tuple[float, int, Flow]] = []
        self._numbers = itertools.count()
        self._calls: deque[Callable[[], None]] = deque()
        self._wakened, self._waker = socket.socketpair()
        self._wakened.setblocking(False)
        self._is_ended = False
        self._thread = threading.Thread(target=self._serve, name="lab-proxies", daemon=True)
        self._thread.start()

    def add(self, port: int, route: Route, upstream: int | None) -> Proxy:
        """Listen on a port. Raises ``OSError`` when that is taken."""
        listener = socket.create_server((HOST, port), backlog=_BACKLOG)
        listener.setblocking(False)
        proxy = Proxy(listener, route, upstream)
        self._call(lambda: self._begin(proxy))
        return proxy

    def remove(self, proxy: Proxy) -> None:
        """Listen no more, and reset the proxy's connections."""
        self._call(lambda: self._drop(proxy))

    def redirect(self, proxy: Proxy, upstream: int | None, route: Route) -> None:
        """Carry the proxy's connections elsewhere from now on; those that are open are reset."""

        def change() -> None:
            proxy.upstream, proxy.route = upstream, route
            _reset_all(proxy)
            self._apply_route(proxy)

        self._call(change)

    def apply(self, change: Callable[[], None]) -> None:
        """Change conditions of networks, and do to the open connections what follows from it."""

        def changed() -> None:
            change()
            for proxy in self._proxies:
                self._apply_route(proxy)

        self._call(changed)

    def close(self) -> None:
        """End the thread; every port is free then and every connection reset."""

        def end() -> None:
            for proxy in list(self._proxies):
                self._drop(proxy)
            self._is_ended = True

        self._call(end)
        self._thread.join(_CALL_TIMEOUT_SECONDS)
        self.selector.close()
        self._waker.close()
        self._wakened.close()

    def release_at(self, moment: float, flow: Flow) -> None:
        """Have the flow send on at a moment; called in the thread."""
        heapq.heappush(self._waiting, (moment, next(self._numbers), flow))

    def _call(self, work: Callable[[], None]) -> None:
        done = threading.Event()
        errors: list[BaseException] = []

        def work_done() -> None:
            try:
                work()
            except Exception as error:  # the thread's door: the caller gets it, and the proxies serve on
                errors.append(error)
            finally:
                done.set()

        self._calls.append(work_done)
        self._waker.send(b"!")
        if not done.wait(_CALL_TIMEOUT_SECONDS):
            raise TimeoutError("the lab's proxies did not obey in time")
        if errors:
            raise errors[0]

    def _serve(self) -> None:
        self.selector.register(self._wakened, selectors.EVENT_READ, self._run_calls)
        while not self._is_ended:
            timeout = max(self._waiting[0][0] - time.monotonic(), 0.0) if self._waiting else None
            for key, events in self.selector.select(timeout):
                try:
                    key.data(events)
                except Exception:  # one connection's trouble must not end the others
                    _log.exception("a proxied connection")
            self._release_due()

    def _release_due(self) -> None:
        now = time.monotonic()
        while self._waiting and self._waiting[0][0] <= now:
            heapq.heappop(self._waiting)[2].send_pending()

    def _run_calls(self, _events: int) -> None:
        with suppress(BlockingIOError):
            self._wakened.recv(4096)
        while self._calls:
            self._calls.popleft()()

    def _begin(self, proxy: Proxy) -> None:
        self._proxies.add(proxy)
        self._apply_route(proxy)

    def _drop(self, proxy: Proxy) -> None:
        self._proxies.discard(proxy)
        if proxy.is_watched:
            self.selector.unregister(proxy.listener)
        proxy.listener.close()
        _reset_all(proxy)

    def _apply_route(self, proxy: Proxy) -> None:
        """Apply the present state of the proxy's networks; through a silent one no connection is accepted."""
        if proxy.route.is_cut:
            _reset_all(proxy)
        for tunnel in list(proxy.tunnels):
            tunnel.apply_route()
        if proxy.is_watched and proxy.route.is_silent:
            self.selector.unregister(proxy.listener)
        elif not (proxy.is_watched or proxy.route.is_silent):
            self.selector.register(proxy.listener, selectors.EVENT_READ, lambda _events: self._accept(proxy))
        proxy.is_watched = not proxy.route.is_silent

    def _accept(self, proxy: Proxy) -> None:
        try:
            client, _ = proxy.listener.accept()
        except OSError as error:
            if error.errno in _OUT_OF_DESCRIPTORS:
                time.sleep(0.01)  # it is asked again at once, until a connection has ended
            return
        if proxy.upstream is None or proxy.route.is_cut:
            break_off(client)
            return
        proxy.tunnels.add(Tunnel(self, proxy.route, client, proxy.upstream, proxy.tunnels.discard))


def _reset_all(proxy: Proxy) -> None:
    for tunnel in list(proxy.tunnels):
        tunnel.close(reset=True)
