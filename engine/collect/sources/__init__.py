"""The sources of readings, one module each, and which of them read a machine by a way to reach it."""

from engine.collect.source import Source
from engine.errors import UserError
from engine.machines.access import (
    Access,
    IpmiAccess,
    LocalAccess,
    PrometheusAccess,
    RedfishAccess,
    SerialMeterAccess,
    SnmpAccess,
    SshAccess,
    SystemKind,
    WinRmAccess,
)
from engine.secrets import Secret


def sources_of(
    access: Access, secret: Secret | None, *, machine: str, interval_seconds: float = 1.0
) -> tuple[Source, ...]:
    """The sources that read ``machine`` (its name in the inventory) by one of its accesses.

    ``interval_seconds`` is what is asked for; a source that is slower has its own. Nothing is connected yet, and only
    the modules that are needed are loaded. Raises ``UserError`` for an access that nothing reads.
    """
    match access:
        case LocalAccess():
            return _local_sources(machine, interval_seconds)
        case PrometheusAccess():
            from engine.collect.sources.prometheus import PrometheusSource

            return (PrometheusSource(access, machine=machine, interval_seconds=interval_seconds),)
        case RedfishAccess():
            from engine.collect.sources.redfish_power import redfish_source

            return (redfish_source(access, secret, machine=machine, interval_seconds=interval_seconds),)
        case SshAccess():
            return (_ssh_source(access, machine, interval_seconds),)
        case WinRmAccess():
            from engine.collect.sources.winrm import winrm_source

            return (winrm_source(access, secret, machine=machine, interval_seconds=interval_seconds),)
        case IpmiAccess():
            from engine.collect.sources.ipmi_power import ipmi_source

            return (ipmi_source(access, secret, machine=machine, interval_seconds=interval_seconds),)
        case SerialMeterAccess():
            from engine.collect.sources.extech_meter import extech_source

            return (extech_source(access, machine=machine, interval_seconds=interval_seconds),)
        case SnmpAccess():
            from engine.collect.sources.snmp_pdu import snmp_source

            return (snmp_source(access, secret, machine=machine, interval_seconds=interval_seconds),)
        case _:
            raise UserError(f"{machine}: nothing reads a machine by {access.title}.")


def _ssh_source(access: SshAccess, machine: str, interval_seconds: float) -> Source:
    match access.system:
        case SystemKind.LINUX:
            from engine.collect.sources.linux_ssh import LinuxSshSource

            return LinuxSshSource(access, machine=machine, interval_seconds=interval_seconds)
        case SystemKind.WINDOWS:
            from engine.collect.sources.windows_ssh import WindowsSshSource

            return WindowsSshSource(access, machine=machine, interval_seconds=interval_seconds)
        case SystemKind.ESXI:
            from engine.collect.sources.esxtop_ssh import EsxtopSource

            return EsxtopSource(access, machine=machine, interval_seconds=interval_seconds)


def _local_sources(machine: str, interval_seconds: float) -> tuple[Source, ...]:
    """This workstation's system, and its processors' power where it may be read."""
    from engine.collect.sources.local import LocalSource
    from engine.collect.sources.rapl import can_read_rapl, rapl_source

    rapl = (rapl_source(machine=machine, interval_seconds=interval_seconds),) if can_read_rapl() else ()
    return (LocalSource(interval_seconds=interval_seconds), *rapl)
