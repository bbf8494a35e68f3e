"""Watts by SNMP version 2c: one object of a power distribution unit, such as the power of an outlet.

Values of such units are often in steps of 10 W and more, too coarse for one server. The community is a secret, and
stays in this process.
"""

import asyncio
import math
from typing import Any

from pysnmp.error import PySnmpError
from pysnmp.hlapi.v1arch.asyncio import (
    CommunityData,
    SnmpDispatcher,
    Udp6TransportTarget,
    UdpTransportTarget,
    get_cmd,
)
from pysnmp.proto.rfc1905 import EndOfMibView, NoSuchInstance, NoSuchObject

from engine.collect.clock import utc_now
from engine.collect.polling import PolledSource
from engine.collect.source import SourceReading
from engine.errors import UserError
from engine.machines.access import SnmpAccess
from engine.secrets import Secret
from engine.telemetry.host import HostValue
from engine.telemetry.host_figure import HostFigure

_USUAL_COMMUNITY = "public"
_VERSION_2C = 1
_ANSWER_SECONDS = 1.0
_REPETITIONS = 2
_MISSING = (NoSuchObject, NoSuchInstance, EndOfMibView)


def snmp_source(
    access: SnmpAccess, community: Secret | None, *, machine: str, interval_seconds: float = 1.0
) -> PolledSource:
    """Reads the object of the access; its number times the factor is the watts."""
    return PolledSource(
        name="SNMP",
        interval_seconds=interval_seconds,
        open_reader=lambda _: _Agent(access, community, machine),
    )


class _Agent:
    """The agent of one unit, asked from one thread, which has an event loop for it."""

    def __init__(self, access: SnmpAccess, community: Secret | None, machine: str) -> None:
        self._access = access
        self._what = f"{machine}: the SNMP agent at {access.place}"
        name = _USUAL_COMMUNITY if community is None else community.reveal()
        self._community = CommunityData(name, mpModel=_VERSION_2C)
        self._runner = asyncio.Runner()
        self._dispatcher: Any = None
        self._target: Any = None

    def close(self) -> None:
        if self._dispatcher is not None:
            self._runner.run(self._end())
        self._runner.close()

    def read(self) -> SourceReading:
        asked = utc_now()
        try:
            error, status, value = self._runner.run(self._ask())
        except (PySnmpError, OSError) as failure:
            raise UserError(f"{self._what} can't be asked ({failure}); check its address.") from failure
        if error is not None:
            raise UserError(
                f"{self._what} does not answer; check its address, that it allows SNMP 2c from here, and the community."
            )
        if status or isinstance(value, _MISSING):
            raise UserError(f"{self._what} has no object {self._access.oid}; look it up in the unit's MIB.")
        watts = HostValue.of(HostFigure.POWER, self._access.factor * self._number(value))
        return SourceReading(values=(watts,), here_utc_seconds=asked)

    async def _ask(self) -> tuple[object | None, int, Any]:
        """What hinders an answer, the answer's error status, and the object's value."""
        access = self._access
        if self._dispatcher is None:
            self._dispatcher = SnmpDispatcher()
            transport = Udp6TransportTarget if ":" in access.host else UdpTransportTarget
            self._target = await transport.create(
                (access.host, access.port), timeout=_ANSWER_SECONDS, retries=_REPETITIONS
            )
        error, status, _, values = await get_cmd(self._dispatcher, self._community, self._target, (access.oid, None))
        return error, int(status), values[0][1] if values else None

    async def _end(self) -> None:
        self._dispatcher.close()

    def _number(self, value: Any) -> float:
        try:
            number = float(str(value.prettyPrint()))
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise UserError(
                f"{self._what} has {value.prettyPrint()[:40]!r} as {self._access.oid}, which is not a number; name the"
                " object that tells the power."
            )
        return number
