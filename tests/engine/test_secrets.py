import pickle
from collections.abc import Iterator

import keyring
import keyring.backend
import keyring.errors
import pytest

from engine.secrets import (
    KEYRING_SERVICE,
    PASSWORD_VARIABLE,
    REDFISH_PASSWORD_VARIABLE,
    Secret,
    find_secret,
    masked,
)

NAME = "postgresql://me@db:5432"


class MemoryKeyring(keyring.backend.KeyringBackend):
    """A keyring that keeps its passwords as long as a test lasts; a locked one refuses to tell them."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise keyring.errors.KeyringLocked("locked")
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def memory() -> Iterator[MemoryKeyring]:
    before = keyring.get_keyring()
    memory = MemoryKeyring()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


def _never_asked(name: str) -> str:
    pytest.fail(f"asked for {name}")


def test_secret_is_not_shown_by_str_and_repr() -> None:
    secret = Secret("hunter2")
    for shown in (repr(secret), str(secret), f"{secret}", f"{secret!r:>20}", "%s" % secret, repr({"password": secret})):  # noqa: UP031
        assert "hunter2" not in shown
    assert secret.reveal() == "hunter2"


def test_secrets_can_be_pickled_and_compared() -> None:
    assert Secret("a") == pickle.loads(pickle.dumps(Secret("a")))
    assert len({Secret("a"), Secret("a"), Secret("b")}) == 2
    assert Secret("a") != "a"


def test_find_secret_prefers_the_environment(memory: MemoryKeyring) -> None:
    memory.set_password(KEYRING_SERVICE, NAME, "kept")
    found = find_secret(NAME, environment={PASSWORD_VARIABLE: "given"}, ask=_never_asked)
    assert found == Secret("given")


def test_find_secret_then_uses_the_keyring(memory: MemoryKeyring) -> None:
    memory.set_password(KEYRING_SERVICE, NAME, "kept")
    memory.set_password(KEYRING_SERVICE, "postgresql://you@db:5432", "yours")
    assert find_secret(NAME, environment={}, ask=_never_asked) == Secret("kept")


@pytest.mark.parametrize("locked", [False, True])
def test_find_secret_asks_last(memory: MemoryKeyring, locked: bool) -> None:
    memory.locked = locked
    asked: list[str] = []

    def ask(name: str) -> str:
        asked.append(name)
        return "typed"

    assert find_secret(NAME, environment={}, ask=ask) == Secret("typed")
    assert asked == [NAME]


def test_find_secret_with_an_empty_answer_is_none(memory: MemoryKeyring) -> None:
    assert find_secret(NAME, environment={}, ask=lambda _: "") is None
    assert find_secret(NAME, environment={}) is None


def test_a_management_controller_is_never_sent_the_databases_password(memory: MemoryKeyring) -> None:
    environment = {PASSWORD_VARIABLE: "hunter2"}
    assert find_secret("https://admin@bmc:443", environment=environment) is None
    environment[REDFISH_PASSWORD_VARIABLE] = "calvin"
    assert find_secret("https://admin@bmc:443", environment=environment) == Secret("calvin")
    assert find_secret(NAME, environment=environment) == Secret("hunter2")


def test_secrets_are_masked_in_a_text() -> None:
    text = "hunter2 is in postgresql://me:lion@db/ds2 and https://bmc"
    assert masked(text, [Secret("hunter2"), Secret("")]) == "••• is in postgresql://me:•••@db/ds2 and https://bmc"
