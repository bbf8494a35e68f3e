"""How the results of the calls are read, on every DBMS; see ``engine.databases.exchange.calls.Result``."""

from collections.abc import Callable
from operator import methodcaller

from engine.databases.database import Rows
from engine.databases.exchange.calls import Result

number: Callable[[Result], int | None] = methodcaller("integer", 0, 0)
rows: Callable[[Result], Rows] = methodcaller("rows")
