"""Its store."""

from engine.target.kinds import MARIADB

from ...store import toy_store

STORE = toy_store(MARIADB)
