"""The options that only SQL Server targets have: authentication, and how the current primary is found.

Called by ``engine.target.target``, by its URLs and by the target's draft.
"""

import re
from dataclasses import dataclass

from engine.errors import BadInput
from engine.target.host import Host, check_printable
from engine.target.kinds import STRICT, VERIFY_FULL

SQL_LOGIN, INTEGRATED = "sql", "integrated"
AUTHENTICATIONS = (SQL_LOGIN, INTEGRATED)
TRUSTING = "encrypt=yes with trust_server_certificate=yes"
"""The options of a target's URL that encrypt and check no certificate."""
READ_WRITE, READ_ONLY = "ReadWrite", "ReadOnly"
APPLICATION_INTENTS = (READ_WRITE, READ_ONLY)
_FREETDS = re.compile("freetds|tdsodbc", re.IGNORECASE)
_BEFORE_STRICT = re.compile(r"ODBC Driver 1[0-7] for SQL Server|SQL Server( Native Client .*)?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class SqlServerOptions:
    """How a SQL Server target is connected to, beside host, user and encryption.

    ``authentication`` is ``sql`` (user and password) or ``integrated`` (whoever runs Spindle, by Windows or Kerberos).
    ``multi_subnet_failover`` asks all addresses of an availability group's listener at once. ``failover_partner`` is
    the mirror of a mirrored database, written as SQL Server does: ``db2\\prod`` or ``db2,1433``.
    ``application_intent`` can only be ``ReadWrite``: a readable secondary takes no orders.
    """

    authentication: str = SQL_LOGIN
    multi_subnet_failover: bool = False
    failover_partner: str = ""
    application_intent: str = READ_WRITE

    def __post_init__(self) -> None:
        if self.authentication not in AUTHENTICATIONS:
            raise BadInput(f"authentication is '{self.authentication}'; give one of {', '.join(AUTHENTICATIONS)}.")
        if self.application_intent not in APPLICATION_INTENTS:
            raise BadInput(f"application_intent is '{self.application_intent}'; give {READ_WRITE}.")
        if self.application_intent == READ_ONLY:
            raise BadInput(
                "application_intent is ReadOnly, which leads to a secondary that accepts no orders; give ReadWrite."
            )
        check_printable("failover_partner", self.failover_partner)
        if self.failover_partner != self.failover_partner.strip() or " " in self.failover_partner:
            raise BadInput(
                f"failover_partner is '{self.failover_partner}'; give one server without spaces, such as db2,1433."
            )
        if self.failover_partner and self.multi_subnet_failover:
            raise BadInput(
                "failover_partner and multi_subnet_failover can't be combined; use the first for a mirrored database,"
                " the second for a listener."
            )

    def check_hosts(self, hosts: tuple[Host, ...]) -> None:
        """Raises ``BadInput`` for a host that does not work with these options."""
        for host in hosts:
            if self.multi_subnet_failover and host.instance and not host.port:
                raise BadInput(
                    f"host {host} names an instance without a port, which SQL Server's drivers refuse with"
                    f" multi_subnet_failover; give the listener's port, such as {host.name}:1433."
                )

    def check_driver(self, driver: str, tls: str) -> None:
        """Raises ``BadInput`` for an ODBC driver that is known not to support the options."""
        if tls == STRICT and _BEFORE_STRICT.fullmatch(driver):
            raise BadInput(f"driver '{driver}' does not support strict encryption; use ODBC Driver 18 for SQL Server.")
        if not _FREETDS.fullmatch(driver):
            return
        if tls in (VERIFY_FULL, STRICT):
            raise BadInput(
                f"driver '{driver}' can't check the server's certificate; use ODBC Driver 18 for SQL Server, or trust"
                f" the certificate ({TRUSTING})."
            )
        if self.multi_subnet_failover or self.failover_partner:
            option = "multi_subnet_failover" if self.multi_subnet_failover else "failover_partner"
            raise BadInput(
                f"driver '{driver}' does not support {option}; use ODBC Driver 18 for SQL Server, or name the servers"
                " one after the other as the hosts instead."
            )
