"""A slow link between this network namespace and another: ``python -m tests.engine.cluster.slow_link …``.

It carries IP packets between two TUN devices, each after a delay with jitter, and drops some, as Linux' netem does,
which is not in every kernel.
"""

import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import sys
import time

_SET_INTERFACE = 0x400454CA
_TUN, _NO_INFORMATION = 0x0001, 0x1000
_NETWORK = 0x40000000
_PACKET_BYTES = 65_536


def main(namespace: str, here: str, there: str, delay_ms: float, jitter_ms: float, lost_share: float) -> None:
    """Carry packets until the process is ended; prints a line when it begins."""
    ends = [_open(here)]
    with open(f"/run/netns/{namespace}") as entrance:
        if ctypes.CDLL(None, use_errno=True).setns(entrance.fileno(), _NETWORK):
            raise OSError(ctypes.get_errno(), "setns")
    ends.append(_open(there))
    print("carrying", flush=True)
    waiting: list[tuple[float, int, int, bytes]] = []
    chance, number = random.Random(1), 0
    while True:
        pause = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        for end in select.select(ends, [], [], pause)[0]:
            packet = os.read(end, _PACKET_BYTES)
            number += 1
            if chance.random() >= lost_share:
                due = time.monotonic() + (delay_ms + chance.uniform(-jitter_ms, jitter_ms)) / 1000
                heapq.heappush(waiting, (due, number, ends[1 - ends.index(end)], packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, to, packet = heapq.heappop(waiting)
            os.write(to, packet)


def _open(device: str) -> int:
    file = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(file, _SET_INTERFACE, struct.pack("16sH", device.encode(), _TUN | _NO_INFORMATION))
    return file


if __name__ == "__main__":
    main(*sys.argv[1:4], *map(float, sys.argv[4:7]))
