"""The ways in which a machine is reached: an access is a host, a URL or a port, with the settings that are needed to
use it.

Each is a frozen type that checks its values when it is made, and raises ``BadInput`` that names the field, the
value and the remedy. None holds a secret: ``secret_name`` is the name under which ``engine.secrets`` has it. The fields
are described once, where they are declared; forms, options of the command line and the file are made from that.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from typing import Any, ClassVar, get_args

from engine.errors import BadInput
from engine.machines.addresses import (
    DeviceName,
    Fingerprint,
    HostName,
    HttpsPlace,
    MetricsUrl,
    ObjectIdentifier,
    OneLine,
    UserName,
    bracketed,
    redfish_secret_name,
)
from engine.parameters.parameter import Choice, Number, Parameter, Texts, ValueType, Whole, did_you_mean

_PORT = Whole(1, 65_535)


class AccessKind(StrEnum):
    """The ways of reaching a machine."""

    LOCAL = "local"
    SSH = "ssh"
    REDFISH = "redfish"
    IPMI = "ipmi"
    SERIAL_METER = "serial_meter"
    SNMP = "snmp"
    PROMETHEUS = "prometheus"
    WINRM = "winrm"


class SystemKind(StrEnum):
    """The operating system behind an SSH access, which decides how its counters are read."""

    LINUX = "linux"
    WINDOWS = "windows"
    ESXI = "esxi"


class MeterModel(StrEnum):
    """The serial power meters whose protocol is known."""

    EXTECH_380803 = "extech_380803"


def _described(label: str, type_: ValueType, help_: str, *, default: Any = MISSING, option: str = "") -> Any:
    """A field of an access with the metadata for forms and the command line; a field without a default is required."""
    return field(default=default, metadata={"label": label, "type": type_, "help": help_, "option": option})


@dataclass(frozen=True, kw_only=True)
class _Access:
    """The base of all accesses; ``access_parameters`` describes the fields of each type.

    ``title`` names the way, ``summary`` says what is reached by it. ``credential`` is what it asks for, such as a
    password; empty for an access that has no secret.
    """

    kind: ClassVar[AccessKind]
    title: ClassVar[str]
    summary: ClassVar[str]
    credential: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for parameter in access_parameters(type(self)):
            object.__setattr__(self, parameter.key, parameter.checked(getattr(self, parameter.key)))

    @property
    def place(self) -> str:
        """The place that is reached, in a few words for a list or a sentence."""
        raise NotImplementedError

    @property
    def secret_name(self) -> str:
        """The name under which the secret is kept; empty for an access that has none."""
        return ""


@dataclass(frozen=True, kw_only=True)
class LocalAccess(_Access):
    """This workstation itself, read without a connection."""

    kind: ClassVar = AccessKind.LOCAL
    title: ClassVar = "This workstation"
    summary: ClassVar = "The machine that Spindle runs on"

    @property
    def place(self) -> str:
        return "this workstation"


@dataclass(frozen=True, kw_only=True)
class SshAccess(_Access):
    """The system's own ssh: its keys, agent, configuration and known hosts, and never a password.

    Without ``user`` and ``port`` ssh's own configuration decides.
    """

    kind: ClassVar = AccessKind.SSH
    title: ClassVar = "SSH"
    summary: ClassVar = "A machine over the system's ssh, with its keys and known hosts"
    host: str = _described("Host", HostName(), "Name or address, or an alias of the ssh configuration.")
    user: str = _described(
        "User", UserName(may_be_empty=True), "The account there; empty for ssh's own choice.", default=""
    )
    port: int | None = _described(
        "Port", _PORT, "The port of the SSH server; empty for ssh's own choice.", default=None
    )
    system: SystemKind = _described(
        "System",
        Choice(tuple(SystemKind), {"linux": "Linux", "windows": "Windows", "esxi": "ESXi"}),
        "The operating system there, which decides how it is read.",
        default="linux",
    )
    config_file: str = _described(
        "Configuration file", OneLine(), "A file to use in place of your own ssh configuration (ssh -F).", default=""
    )
    spindle: str = _described(
        "Spindle's command",
        OneLine(),
        "How a load machine starts Spindle, such as /opt/spindle/.venv/bin/spindle; empty: spindle.",
        default="",
    )

    @property
    def place(self) -> str:
        """``root@r630:22`` as it is typed; user and port only when they are given."""
        user, port = (f"{self.user}@" if self.user else ""), (f":{self.port}" if self.port is not None else "")
        return user + bracketed(self.host) + port


@dataclass(frozen=True, kw_only=True)
class RedfishAccess(_Access):
    """A management controller by DMTF's Redfish over HTTPS.

    The certificate is checked against the system's authorities, or against ``ca_file``, or it is the one whose SHA-256
    is ``fingerprint``. ``system`` and ``chassis`` are needed when the controller manages several.
    """

    kind: ClassVar = AccessKind.REDFISH
    title: ClassVar = "Redfish"
    summary: ClassVar = "A management controller: power, temperature, resets"
    credential: ClassVar = "password"
    url: str = _described("URL", HttpsPlace(), "The management controller's address, such as https://bmc.lab.")
    user: str = _described(
        "User", UserName("the controller's user, without a password"), "A user of the management controller."
    )
    ca_file: str = _described(
        "Authority's file", OneLine(), "The certificate of the authority that signed the controller's own.", default=""
    )
    fingerprint: str = _described(
        "Fingerprint", Fingerprint(), "The SHA-256 of the controller's own certificate, to trust just that.", default=""
    )
    system: str = _described("System", OneLine(), "Which system faults act on, if it manages several.", default="")
    chassis: str = _described("Chassis", OneLine(), "Which chassis' power is read, if it has several.", default="")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fingerprint and self.ca_file:
            raise BadInput("fingerprint and ca_file are two ways to check one certificate; give one of them.")

    @property
    def place(self) -> str:
        return self.url

    @property
    def secret_name(self) -> str:
        return redfish_secret_name(self.url, self.user)


@dataclass(frozen=True, kw_only=True)
class IpmiAccess(_Access):
    """A management controller by IPMI 2.0 over the network, by the program ``ipmitool``."""

    kind: ClassVar = AccessKind.IPMI
    title: ClassVar = "IPMI"
    summary: ClassVar = "A management controller by ipmitool: power"
    credential: ClassVar = "password"
    host: str = _described("Host", HostName(), "Name or address of the management controller.")
    port: int = _described("Port", _PORT, "The UDP port of its IPMI.", default=623)
    user: str = _described(
        "User", UserName("the controller's user, without a password"), "A user of the management controller."
    )

    @property
    def place(self) -> str:
        return bracketed(self.host) + ("" if self.port == 623 else f":{self.port}")

    @property
    def secret_name(self) -> str:
        return f"ipmi://{self.user}@{bracketed(self.host)}:{self.port}"


@dataclass(frozen=True, kw_only=True)
class SerialMeterAccess(_Access):
    """A power meter on a serial port of this workstation."""

    kind: ClassVar = AccessKind.SERIAL_METER
    title: ClassVar = "Serial meter"
    summary: ClassVar = "A power meter on a serial port of this workstation"
    port: str = _described("Serial port", DeviceName(), "Such as /dev/ttyUSB0 or COM3.")
    model: MeterModel = _described(
        "Model",
        Choice(tuple(MeterModel), {"extech_380803": "Extech 380803"}),
        "The meter's model, which decides its protocol.",
        default="extech_380803",
    )

    @property
    def place(self) -> str:
        return self.port


@dataclass(frozen=True, kw_only=True)
class SnmpAccess(_Access):
    """A power distribution unit or another device by SNMP version 2c: one object that tells the power."""

    kind: ClassVar = AccessKind.SNMP
    title: ClassVar = "SNMP"
    summary: ClassVar = "A power distribution unit"
    credential: ClassVar = "community"
    host: str = _described("Host", HostName(), "Name or address of the power distribution unit.")
    port: int = _described("Port", _PORT, "The UDP port of its SNMP agent.", default=161)
    oid: str = _described("OID", ObjectIdentifier(), "The object that tells the power of the outlet or the unit.")
    factor: float = _described(
        "Factor", Number(1e-6, 1e6), "Watts of one unit of that object: 10 for hundredths of a kW.", default=1.0
    )

    @property
    def place(self) -> str:
        return bracketed(self.host) + ("" if self.port == 161 else f":{self.port}")

    @property
    def secret_name(self) -> str:
        return f"snmp://{bracketed(self.host)}:{self.port}"


@dataclass(frozen=True, kw_only=True)
class PrometheusAccess(_Access):
    """An exporter of metrics in Prometheus' text format; ``rules`` name metrics beyond those known by themselves."""

    kind: ClassVar = AccessKind.PROMETHEUS
    title: ClassVar = "Prometheus"
    summary: ClassVar = "An exporter, such as node_exporter or windows_exporter"
    url: str = _described("URL", MetricsUrl(), "The exporter's address, such as http://db1:9100/metrics.")
    rules: tuple[str, ...] = _described(
        "Rules",
        Texts(),
        "Metrics to read besides those of node_exporter and windows_exporter.",
        default=(),
        option="rule",
    )

    @property
    def place(self) -> str:
        return self.url


@dataclass(frozen=True, kw_only=True)
class WinRmAccess(_Access):
    """Windows Remote Management; needs the optional package pypsrp."""

    kind: ClassVar = AccessKind.WINRM
    title: ClassVar = "WinRM"
    summary: ClassVar = "A Windows machine without an SSH server"
    credential: ClassVar = "password"
    host: str = _described("Host", HostName(), "Name or address of the Windows machine.")
    user: str = _described("User", UserName("the Windows account, without a password"), "An account there.")

    @property
    def place(self) -> str:
        return f"{self.user}@{bracketed(self.host)}"

    @property
    def secret_name(self) -> str:
        return f"winrm://{self.user}@{bracketed(self.host)}"


Access = (
    SshAccess
    | RedfishAccess
    | IpmiAccess
    | SerialMeterAccess
    | SnmpAccess
    | PrometheusAccess
    | WinRmAccess
    | LocalAccess
)
ACCESS_TYPES: dict[AccessKind, type[Access]] = {each.kind: each for each in get_args(Access)}
"""The types of accesses by kind, in the order of a form."""


def access_parameters(access: type[_Access]) -> tuple[Parameter, ...]:
    """The fields of a type of access, in the order of a form; a required one has an empty default."""
    return tuple(
        Parameter(
            key=each.name,
            default="" if each.default is MISSING else each.default,
            metavar="N" if each.metadata["type"].is_number else each.name.rpartition("_")[2].upper(),
            **each.metadata,
        )
        for each in fields(access)
    )


def required_fields(access: type[_Access]) -> tuple[str, ...]:
    """The names of the fields that have to be given."""
    return tuple(each.name for each in fields(access) if each.default is MISSING)


def access_to_dict(access: Access) -> dict[str, Any]:
    """The access as plain values for JSON and TOML, without what has its default."""
    plain: dict[str, Any] = {"kind": access.kind.value}
    for parameter in access_parameters(type(access)):
        value = getattr(access, parameter.key)
        if value != parameter.default:
            plain[parameter.key] = parameter.plain(value)
    return plain


def access_from_dict(plain: object) -> Access:
    """Read an access; raises ``BadInput`` that names an unknown key, a missing one or a wrong value."""
    if not isinstance(plain, Mapping):
        raise BadInput('an access is a table, such as {kind = "ssh", host = "db1"}.')
    kind = plain.get("kind")
    if not isinstance(kind, str) or kind not in tuple(AccessKind):
        raise BadInput(f"kind is {kind!r}; {did_you_mean(str(kind), AccessKind, 'give one of')}.")
    access = ACCESS_TYPES[AccessKind(kind)]
    known = tuple(each.name for each in fields(access))
    for key in plain:
        if key not in ("kind", *known):
            raise BadInput(f"{key} is not known for {access.title}; {did_you_mean(str(key), ('kind', *known))}.")
    for name in required_fields(access):
        if name not in plain:
            raise BadInput(f"an access of kind {kind} has no {name}; give it one.")
    return access(**{key: value for key, value in plain.items() if key != "kind"})
