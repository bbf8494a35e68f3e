from collections.abc import Iterator

import pytest

from tests.dovecot import Dovecot, dovecot


@pytest.fixture(scope="module")
def mail_server() -> Iterator[Dovecot]:
    """A Dovecot with eight accounts."""
    with dovecot(8) as server:
        yield server
