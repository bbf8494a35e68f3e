"""The ports on which runs listen for their agents."""

import socket

import pytest

from engine.cluster.ports import ANY_PORT, PortRange
from engine.errors import BadInput, UserError


@pytest.mark.parametrize("text", ["0", "8790", "8790-8799", "1-65535"])
def test_ports_are_read_as_they_are_written(text: str) -> None:
    assert str(PortRange.read("--agent-ports", text)) == text


@pytest.mark.parametrize("text", ["", "x", "-1", "0-5", "9-8", "1-65536", "1-2-3", "²"])
def test_what_is_no_range_of_ports_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"--agent-ports is '.*'; give a port or a range, such as 8790-8799, or 0"):
        PortRange.read("--agent-ports", text)


def test_a_run_takes_the_first_port_that_is_free() -> None:
    with ANY_PORT.listen() as taken:
        first = taken.getsockname()[1]
        with pytest.raises(UserError, match=rf"no run can listen for its agents on port {first} of this machine \("):
            PortRange(first, first).listen()
        with PortRange(first, min(first + 20, 65_535)).listen() as next_one:
            assert first < next_one.getsockname()[1] <= first + 20
            with socket.create_connection(("127.0.0.1", next_one.getsockname()[1]), 5):
                pass
