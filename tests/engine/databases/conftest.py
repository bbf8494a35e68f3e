"""Databases for the tests of this package. Each test file has its own ``dbms``: the server that is under test.

One with tests that kill it has ``mortal`` too: a server of the same kind that may be killed.
"""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.target.target import Host
from tests.engine.databases.contract.places import SEED, SIZE, Place
from tests.engine.databases.contract.under_test import DatabaseUnderTest, MortalDatabase

_PRISTINE = "contract_pristine"
_SCRATCH = "contract_scratch"
_MORTAL = "contract_mortal"


@pytest.fixture(scope="module")
def pristine(dbms: DatabaseUnderTest) -> Iterator[Place]:
    """A store as it was built, for tests that change nothing and leave no session open."""
    place = Place(dbms, _PRISTINE)
    place.build(SIZE, SEED)
    yield place
    dbms.drop(_PRISTINE)


@pytest.fixture
def reader(dbms: DatabaseUnderTest, pristine: Place) -> Iterator[Place]:
    """The pristine store again, whose sessions are closed after the test."""
    place = Place(dbms, pristine.name)
    yield place
    place.close()


@pytest.fixture
def scratch(dbms: DatabaseUnderTest) -> Iterator[Place]:
    """A database that does not exist yet, and is removed after the test."""
    place = Place(dbms, _SCRATCH)
    yield place
    place.close()
    dbms.drop(_SCRATCH)


@pytest.fixture
def place(pristine: Place, scratch: Place) -> Place:
    """A store of its own for one test, which may do to it what it likes."""
    scratch.dbms.copy(pristine.name, scratch.name)
    return scratch


@pytest.fixture(scope="module")
def mortal_store(mortal: MortalDatabase) -> Iterator[Place]:
    """A store on a server that may be killed; a test may leave orders in it."""
    place = Place(mortal, _MORTAL)
    place.build(SIZE, SEED)
    yield place
    mortal.drop(_MORTAL)


@pytest.fixture
def dying(mortal: MortalDatabase, mortal_store: Place) -> Iterator[Place]:
    """That store for one test, after which its sessions are closed and its server runs again."""
    place = Place(mortal, mortal_store.name)
    yield place
    place.close()
    mortal.start()


@pytest.fixture
def refusing() -> Iterator[Host]:
    """A port that is taken, so that nobody else gets it, and that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield Host("127.0.0.1", taken.getsockname()[1])


@pytest.fixture
def silent_host() -> Iterator[Host]:
    """A port that accepts connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Host("127.0.0.1", listener.getsockname()[1])


@pytest.fixture
def background() -> Iterator[ThreadPoolExecutor]:
    """A thread for a call that hangs."""
    with ThreadPoolExecutor(1) as pool:
        yield pool
