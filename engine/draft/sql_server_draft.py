"""What is typed of a SQL Server target beside host, user and driver: login, encryption, listener.

Called by a target's draft and edited by its form.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from engine.errors import BadInput
from engine.target.host import Host
from engine.target.kinds import DISABLE, REQUIRE, STRICT, VERIFY_FULL
from engine.target.sql_server_options import INTEGRATED, READ_WRITE, SQL_LOGIN, TRUSTING, SqlServerOptions
from engine.target.target import MSSQL, Target

AUTHENTICATION_TITLES = {SQL_LOGIN: "SQL Server login", INTEGRATED: "Integrated (Windows or Kerberos)"}
ENCRYPT_TITLES = {"yes": "Encrypted", "strict": "Strict (TDS 8)", "no": "Not encrypted"}
_MODES = {"yes": VERIFY_FULL, "strict": STRICT, "no": DISABLE}
_NAMES = {
    "multi_subnet_failover": "Listener",
    "failover_partner": "Failover partner",
    "application_intent": "Application intent",
    TRUSTING: "Encrypted, with “Trust the server's certificate”",
}


@dataclass
class SqlServerDraft:
    """The fields; ``encrypt`` is ``yes``, ``strict`` or ``no``, the two ticks are apart from it and from each other."""

    authentication: str = SQL_LOGIN
    encrypt: str = "yes"
    trust_server_certificate: bool = False
    multi_subnet_failover: bool = False
    failover_partner: str = ""
    application_intent: str = READ_WRITE

    @classmethod
    def from_target(cls, target: Target) -> Self:
        """The fields of a SQL Server target; as made for any other kind."""
        if target.kind != MSSQL:
            return cls()
        encrypt = next((word for word, mode in _MODES.items() if mode == target.tls), "yes")
        options = target.sql_server
        return cls(
            authentication=options.authentication,
            encrypt=encrypt,
            trust_server_certificate=target.tls == REQUIRE,
            multi_subnet_failover=options.multi_subnet_failover,
            failover_partner=options.failover_partner,
            application_intent=options.application_intent,
        )

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Read kept fields; what is missing or of another kind has its default."""
        kinds = {field.name: type(field.default) for field in fields(cls)}
        return cls(**{name: plain[name] for name, kind in kinds.items() if isinstance(plain.get(name), kind)})

    def options(self) -> SqlServerOptions:
        """The options; raises ``BadInput``."""
        return SqlServerOptions(
            authentication=self.authentication,
            multi_subnet_failover=self.multi_subnet_failover,
            failover_partner=self.failover_partner.strip(),
            application_intent=self.application_intent,
        )

    def tls(self) -> str:
        """The target's TLS mode; raises ``BadInput``."""
        if self.encrypt not in _MODES:
            raise BadInput(f"encryption is '{self.encrypt}'; give one of {', '.join(_MODES)}.")
        if not self.trust_server_certificate:
            return _MODES[self.encrypt]
        if self.encrypt == "strict":
            raise BadInput(
                "strict encryption always checks the certificate; clear this tick, or choose another encryption."
            )
        if self.encrypt == "no":
            raise BadInput(
                "without encryption there is no certificate to trust; clear this tick, or choose encryption."
            )
        return REQUIRE

    def readers(self, hosts: Callable[[], tuple[Host, ...]], driver: str) -> dict[str, Callable[[], object]]:
        """What each field is checked with, by its name; ``hosts`` reads them, and raises when they are wrong."""
        return {
            "authentication": lambda: SqlServerOptions(authentication=self.authentication),
            "trust_server_certificate": self.tls,
            "multi_subnet_failover": lambda: self._check_listener(hosts),
            "failover_partner": lambda: SqlServerOptions(
                failover_partner=self.failover_partner.strip(), multi_subnet_failover=self.multi_subnet_failover
            ),
            "application_intent": lambda: SqlServerOptions(application_intent=self.application_intent),
            "driver": lambda: self.check_driver(driver),
        }

    def _check_listener(self, hosts: Callable[[], tuple[Host, ...]]) -> None:
        try:
            found = hosts()
        except BadInput:
            return  # the error is shown at the hosts
        SqlServerOptions(multi_subnet_failover=self.multi_subnet_failover).check_hosts(found)

    def check_driver(self, driver: str) -> None:
        """Raises ``BadInput`` for a driver that can't do what is chosen; of choices that are wrong it says nothing."""
        try:
            options, tls = self.options(), self.tls()
        except BadInput:
            return  # the error is shown at the field that is wrong
        options.check_driver(driver, tls)


def on_screen(sentence: str) -> str:
    """A sentence with the fields' names on the screen instead of those in a URL."""
    for name, title in _NAMES.items():
        sentence = sentence.replace(name, title)
    return sentence
