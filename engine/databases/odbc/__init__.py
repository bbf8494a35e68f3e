"""What every database that is reached through ODBC has in common: drivers, connections, cuts, probes, statements.

``engine.databases.mariadb`` and ``engine.databases.mssql`` build on it; each brings a ``dialect.Dialect``. Loading this
package loads pyodbc, and raises ``UserError`` where the ODBC driver manager that it needs is not installed.
"""

import sys

from engine.errors import UserError

try:
    import pyodbc
except ImportError as error:
    _INSTALL = "brew install unixodbc" if sys.platform == "darwin" else "apt install unixodbc, or dnf install unixODBC"
    raise UserError(
        f"the ODBC driver manager, which SQL Server, MariaDB and MySQL targets need, can't be loaded ({error});"
        f" install it with: {_INSTALL}"
    ) from error

# A pool would hand a connection on that was cut, and hide what connecting costs.
pyodbc.pooling = False
