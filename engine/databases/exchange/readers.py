"""How the results of calls are read, on every DBMS; see ``engine.databases.exchange.calls.Result``.

None of these is a function of Python's: between two answers the server has the processor, and the caches.
"""

from collections.abc import Callable
from operator import methodcaller

from engine.databases.exchange.calls import Result, Rows

number: Callable[[Result], int | None] = methodcaller("integer", 0, 0)
pairs: Callable[[Result], dict[int, int]] = methodcaller("integer_pairs")
rows: Callable[[Result], Rows] = methodcaller("rows")
number_and_rows: Callable[[Result], tuple[int | None, Rows]] = methodcaller("integer_and_rows")
