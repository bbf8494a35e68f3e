import pytest

from engine.collect.sources import sources_of
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

SECRET = Secret("s3cret-that-must-not-be-seen")


@pytest.mark.parametrize(
    ("access", "name", "interval_seconds", "is_average"),
    [
        (LocalAccess(), "local", 1.0, False),
        (PrometheusAccess(url="http://db1:9100"), "Prometheus", 1.0, False),
        (RedfishAccess(url="https://bmc", user="root"), "Redfish", 5.0, True),
        (SshAccess(host="db1", system=SystemKind.WINDOWS), "typeperf over SSH", 1.0, False),
        (SshAccess(host="esx1", system=SystemKind.ESXI), "esxtop over SSH", 2.0, False),
        (WinRmAccess(host="db1", user="admin"), "WinRM", 2.0, False),
        (IpmiAccess(host="bmc", user="root"), "IPMI", 5.0, True),
        (SerialMeterAccess(port="/dev/ttyUSB0"), "Extech 380803", 1.0, False),
        (SnmpAccess(host="pdu", oid="1.3.6.1"), "SNMP", 1.0, False),
    ],
)
def test_the_source_of_each_access(access: Access, name: str, interval_seconds: float, is_average: bool) -> None:
    source = sources_of(access, SECRET, machine="db1")[0]
    assert (source.name, source.interval_seconds, source.is_average) == (name, interval_seconds, is_average)
    assert SECRET.reveal() not in repr(vars(source) if hasattr(source, "__dict__") else source)


def test_a_longer_interval_is_kept() -> None:
    (source,) = sources_of(SnmpAccess(host="pdu", oid="1.3.6.1"), None, machine="rack", interval_seconds=10)
    assert source.interval_seconds == 10
