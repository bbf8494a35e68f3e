"""Its calls."""

from engine.target.kinds import MARIADB

from ...calls import toy_calls

CALLS = toy_calls(MARIADB)
