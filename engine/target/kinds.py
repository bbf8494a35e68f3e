"""The kinds of targets: name, default port and user, and encryption of each.

Called by ``engine.target.target`` and its URLs, and wherever kinds differ.
"""

import difflib
from dataclasses import dataclass

from engine.errors import BadInput
from engine.subject import Subject

EMBEDDED = "embedded"
POSTGRESQL = "postgresql"
MARIADB = "mariadb"
MYSQL = "mysql"
MSSQL = "mssql"
MAIL = "mail"
STORAGE = "storage"

NO_TLS = "none"
"""The mode of what is no connection."""
DISABLE, REQUIRE, VERIFY_FULL, STRICT = "disable", "require", "verify-full", "strict"
_POSTGRESQL_TLS = (DISABLE, "allow", "prefer", REQUIRE, "verify-ca", VERIFY_FULL)
_MARIADB_TLS = (DISABLE, "prefer", REQUIRE, "verify-ca", VERIFY_FULL)
VERIFYING_TLS = ("verify-ca", VERIFY_FULL)
"""The modes in which the server's certificate is checked."""
STARTTLS, IMPLICIT_TLS = "starttls", "tls"
_MAIL_TLS = (STARTTLS, IMPLICIT_TLS, DISABLE)
_MSSQL_TLS = (VERIFY_FULL, REQUIRE, STRICT, DISABLE)


@dataclass(frozen=True, kw_only=True)
class KindFacts:
    """The properties of a kind.

    ``subject`` says what targets of the kind are. ``builds_missing``: a run builds a store that is missing;
    ``removes_made``: and removes it at its end.
    ``product`` is its name in sentences; ``maintenance_database`` exists on every server of a DBMS, also before a
    store's own does; ``port``, ``user`` and ``tls`` are the defaults; ``tls_modes`` are those that it supports.
    ``is_odbc``: Spindle connects through an ODBC driver. ``takes_ca_file``: a target can name the certificate authority
    that its server's certificate is checked with.
    """

    kind: str
    product: str
    subject: Subject = Subject.DATABASE
    maintenance_database: str = ""
    builds_missing: bool = False
    removes_made: bool = False
    port: int = 0
    user: str = ""
    tls: str = "prefer"
    tls_modes: tuple[str, ...] = _POSTGRESQL_TLS
    is_odbc: bool = False
    takes_ca_file: bool = False

    @property
    def url_form(self) -> str:
        """The form of a target's URL."""
        if self.kind == EMBEDDED:
            return f"{EMBEDDED}:///database"
        if self.subject is not Subject.DATABASE:
            return self.subject.target_form
        return f"{self.kind}://user@host:port/database"


_FACTS = {
    facts.kind: facts
    for facts in (
        KindFacts(kind=EMBEDDED, product="the embedded server", builds_missing=True, maintenance_database="postgres"),
        KindFacts(kind=POSTGRESQL, product="PostgreSQL", maintenance_database="postgres", port=5432, user="postgres"),
        *(
            KindFacts(
                kind=kind,
                product=product,
                maintenance_database="information_schema",
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
            maintenance_database="master",
            port=1433,
            user="sa",
            tls=VERIFY_FULL,
            tls_modes=_MSSQL_TLS,
            is_odbc=True,
        ),
        KindFacts(
            kind=MAIL,
            product="mail server",
            subject=Subject.MAIL,
            port=143,
            user="user",
            tls=STARTTLS,
            tls_modes=_MAIL_TLS,
            takes_ca_file=True,
        ),
        KindFacts(
            kind=STORAGE,
            product="storage",
            subject=Subject.STORAGE,
            builds_missing=True,
            removes_made=True,
            tls=NO_TLS,
            tls_modes=(NO_TLS,),
        ),
    )
}
KINDS = tuple(_FACTS)
SERVER_URL_FORM = (
    "postgresql://user@host:port/database, or the same with mariadb://, mysql:// or mssql://, or"
    f" {Subject.MAIL.target_form}"
)
ANY_URL_FORM = f"{SERVER_URL_FORM}, or {Subject.STORAGE.target_form}"
_SCHEMES = {kind: kind for kind in KINDS} | {"postgres": POSTGRESQL, "sqlserver": MSSQL}


def kind_facts(kind: str) -> KindFacts:
    """The properties of a kind; raises ``BadInput`` for an unknown one."""
    if kind not in _FACTS:
        raise BadInput(_unknown(kind))
    return _FACTS[kind]


def kind_of_scheme(scheme: str) -> str:
    """The kind with this URL scheme; raises ``BadInput`` for an unknown one."""
    if scheme.lower() not in _SCHEMES:
        raise BadInput(_unknown(scheme))
    return _SCHEMES[scheme.lower()]


def _unknown(scheme: str) -> str:
    near = difflib.get_close_matches(scheme.lower(), _SCHEMES, n=1, cutoff=0.65)
    *others, last = (f"{kind}://" for kind in KINDS)
    hint = f"did you mean {near[0]}://" if near else f"Spindle supports {', '.join(others)} and {last} targets"
    return f"target scheme '{scheme}' is not known; {hint}."
