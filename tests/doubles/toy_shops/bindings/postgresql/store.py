"""Its store."""

from engine.target.kinds import POSTGRESQL

from ...store import toy_store

STORE = toy_store(POSTGRESQL)
