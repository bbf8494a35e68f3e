"""Its calls."""

from engine.target.kinds import POSTGRESQL

from ...calls import toy_calls

CALLS = toy_calls(POSTGRESQL)
