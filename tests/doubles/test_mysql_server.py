"""The MySQL servers of the tests start, say which version they are, and come back after a kill."""

import pytest

from tests.doubles.mysql_server import MYSQL_57, MYSQL_80, running_mysql


@pytest.mark.parametrize("version", [MYSQL_57, MYSQL_80])
def test_it_is_the_version_it_was_asked_for_and_comes_back_after_a_kill(version: str) -> None:
    with running_mysql(version) as server:
        assert server.version == version
        port = server.port
        server.kill()
        server.start()
        assert (server.port, server.pid is None) == (port, False)
