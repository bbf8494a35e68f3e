"""A management controller as far as the power needs one: RMCP+ sessions over UDP, and DCMI's power reading.

pyghmi speaks the protocol, which is another program than the ipmitool that asks. It runs as a process of its own, since
it keeps sessions and sockets for as long as its process: ``python -m tests.doubles.ipmi_controller PORT WATTS``.
"""

import os
import struct
import subprocess
import sys
from types import TracebackType
from typing import Any, Self

USER, PASSWORD = "root", "calvin-and-hobbes"
_DCMI, _GET_POWER_READING = 0x2C, 0x02
_INVALID_COMMAND = 0xC1
_LOOPBACK = "::ffff:127.0.0.1"


class IpmiController:
    """Listens on a port of loopback while it is entered; a power reading shows ``watts``."""

    def __init__(self, port: int, watts: int) -> None:
        self._command = (sys.executable, "-m", "tests.doubles.ipmi_controller", str(port), str(watts))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        environment = os.environ | {"PYTHONWARNINGS": "ignore"}
        self._process = subprocess.Popen(self._command, env=environment, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"listening\n"
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.communicate()


def listen(port: int, watts: int) -> None:
    from pyghmi.ipmi.bmc import Bmc

    class Controller(Bmc):  # type: ignore[misc, unused-ignore]
        def handle_raw_request(self, request: dict[str, Any], session: Any) -> None:
            if (request["netfn"], request["command"]) != (_DCMI, _GET_POWER_READING):
                session.send_ipmi_response(code=_INVALID_COMMAND)
                return
            # Now, the least, the most and the average watts; a time stamp, the period in ms, and that it is measured.
            reading = struct.pack("<HHHHIIB", watts, 10, 488, 150, 1_700_000_000, 120_960_000, 0x40)
            session.send_ipmi_response(data=[0xDC, *reading])

    controller = Controller({USER: PASSWORD}, port=port, address=_LOOPBACK)
    print("listening", flush=True)
    controller.listen()


if __name__ == "__main__":
    listen(int(sys.argv[1]), int(sys.argv[2]))
