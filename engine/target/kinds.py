"""The kinds of targets: what each is called, where it listens, who logs in, and how its connections are encrypted.

Called by ``engine.target.target`` and its URLs, and by whoever shows or asks for something that differs between kinds.
"""

import difflib
from dataclasses import dataclass

from engine.errors import BadInput

EMBEDDED = "embedded"
POSTGRESQL = "postgresql"
MARIADB = "mariadb"
MYSQL = "mysql"
MSSQL = "mssql"

DISABLE, REQUIRE, VERIFY_FULL, STRICT = "disable", "require", "verify-full", "strict"
_POSTGRESQL_TLS = (DISABLE, "allow", "prefer", REQUIRE, "verify-ca", VERIFY_FULL)
_MARIADB_TLS = (DISABLE, "prefer", REQUIRE, "verify-ca", VERIFY_FULL)
VERIFYING_TLS = ("verify-ca", VERIFY_FULL)
"""The modes in which the server's certificate is checked."""
_MSSQL_TLS = (VERIFY_FULL, REQUIRE, STRICT, DISABLE)


@dataclass(frozen=True, kw_only=True)
class KindFacts:
    """What is the same for all targets of a kind.

    ``product`` is its name in sentences; ``port``, ``user`` and ``tls`` are taken when a target names none;
    ``tls_modes`` are those that it has. ``is_odbc``: Spindle reaches it through an ODBC driver.
    ``takes_ca_file``: a target can name the certificate authority that its server's certificate is checked with.
    """

    kind: str
    product: str
    port: int = 0
    user: str = ""
    tls: str = "prefer"
    tls_modes: tuple[str, ...] = _POSTGRESQL_TLS
    is_odbc: bool = False
    takes_ca_file: bool = False

    @property
    def url_form(self) -> str:
        """How a target of this kind is written."""
        if self.kind == EMBEDDED:
            return f"{EMBEDDED}:///database"
        return f"{self.kind}://user@host:port/database"


_FACTS = {
    facts.kind: facts
    for facts in (
        KindFacts(kind=EMBEDDED, product="the embedded server"),
        KindFacts(kind=POSTGRESQL, product="PostgreSQL", port=5432, user="postgres"),
        *(
            KindFacts(
                kind=kind,
                product=product,
                port=3306,
                user="root",
                tls_modes=_MARIADB_TLS,
                is_odbc=True,
                takes_ca_file=True,
            )
            for kind, product in ((MARIADB, "MariaDB"), (MYSQL, "MySQL"))
        ),
        KindFacts(
            kind=MSSQL,
            product="SQL Server",
            port=1433,
            user="sa",
            tls=VERIFY_FULL,
            tls_modes=_MSSQL_TLS,
            is_odbc=True,
        ),
    )
}
KINDS = tuple(_FACTS)
SERVER_KINDS = tuple(kind for kind in KINDS if kind != EMBEDDED)
ANY_URL_FORM = "postgresql://user@host:port/database, or the same with mariadb://, mysql:// or mssql://"
_SCHEMES = {kind: kind for kind in KINDS} | {"postgres": POSTGRESQL, "sqlserver": MSSQL}


def kind_facts(kind: str) -> KindFacts:
    """What is known of a kind; raises ``BadInput`` for one that is none."""
    if kind not in _FACTS:
        raise BadInput(_unknown(kind))
    return _FACTS[kind]


def kind_of_scheme(scheme: str) -> str:
    """The kind that a URL's scheme stands for; raises ``BadInput`` for one that is not known."""
    if scheme.lower() not in _SCHEMES:
        raise BadInput(_unknown(scheme))
    return _SCHEMES[scheme.lower()]


def _unknown(scheme: str) -> str:
    near = difflib.get_close_matches(scheme.lower(), _SCHEMES, n=1)
    *others, last = (f"{kind}://" for kind in KINDS)
    hint = f"did you mean {near[0]}://" if near else f"Spindle supports {', '.join(others)} and {last} targets"
    return f"target scheme '{scheme}' is not known; {hint}."
