"""Makes the system notice a network that has fallen silent."""

import socket


def enable_keepalive(connected: socket.socket, seconds: float) -> None:
    """Make the system end the connection when the network has been silent for so long.

    Keep-alives detect it while an answer is awaited, the user time-out while data is sent: both are needed.
    """
    interval = max(1, round(seconds) // 3)
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (
        ("TCP_KEEPIDLE", interval),
        ("TCP_KEEPINTVL", interval),
        ("TCP_KEEPCNT", 2),
        ("TCP_USER_TIMEOUT", max(1, round(seconds)) * 1000),
    ):
        option = getattr(socket, name, None)  # not every system has all of them
        if option is not None:
            connected.setsockopt(socket.IPPROTO_TCP, option, value)
