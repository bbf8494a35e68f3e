"""Logging users in where no server is."""

import asyncio
import gc
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress

import pytest

from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.services.mail.accounts import Account
from engine.services.mail.connecting import log_in
from engine.target.target import Target

_ATTEMPTS = 40
_ACCOUNT = Account("user1@mail.test", "user1@mail.test", Secret("a mail password"))


@pytest.fixture
def nowhere() -> Iterator[Target]:
    """A target of two hosts, at ports that are taken and where nobody listens."""
    with socket.socket() as one, socket.socket() as other:
        ports = []
        for each in (one, other):
            each.bind(("127.0.0.1", 0))
            ports.append(each.getsockname()[1])
        yield Target.parse(f"mail://user@127.0.0.1:{ports[0]},127.0.0.1:{ports[1]}/mail.test?tls=disable")[0]


def test_attempts_that_fail_leave_nothing_to_the_garbage_collector(nowhere: Target) -> None:
    """While a server is away, all users try again and again: what they left was a full collection of 100 ms."""

    async def attempt() -> TargetError:
        with pytest.raises(TargetError) as refused:
            await log_in(nowhere, _ACCOUNT, 5.0, tls=None)
        return refused.value

    collected = 0

    def count(phase: str, info: Mapping[str, int]) -> None:
        nonlocal collected
        collected += info["collected"] if phase == "stop" else 0

    async def attempts() -> None:
        error = await attempt()
        assert error.error_class is ErrorClass.CONNECTION_LOST
        assert str(nowhere.hosts[1]) in error.cause
        del error
        gc.collect()
        gc.callbacks.append(count)
        for _ in range(_ATTEMPTS):
            with suppress(TargetError):
                await log_in(nowhere, _ACCOUNT, 5.0, tls=None)
        gc.collect()

    try:
        asyncio.run(attempts())
    finally:
        gc.callbacks.remove(count)
    assert collected < 3 * _ATTEMPTS
