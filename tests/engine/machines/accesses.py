"""Hypothesis strategies for accesses and machines, shared by the tests that write and read them."""

from hypothesis import strategies as st

from engine.machines.access import (
    Access,
    IpmiAccess,
    LocalAccess,
    MeterModel,
    PrometheusAccess,
    RedfishAccess,
    SerialMeterAccess,
    SnmpAccess,
    SshAccess,
    SystemKind,
    WinRmAccess,
)
from engine.machines.machine import Machine, Role

_HOSTS = st.sampled_from(["r630", "db-1.example", "10.0.0.7", "fe80::1"])
_USERS = st.sampled_from(["root", "admin", "ä-b", "lab\\me"])
_PATHS = st.one_of(st.just(""), st.text("a/ é\\.,\"'#=", min_size=1, max_size=12))
_URLS = st.sampled_from(["https://bmc", "https://bmc:8443", "https://[fe80::1]"])
ACCESSES: st.SearchStrategy[Access] = st.one_of(
    st.builds(LocalAccess),
    st.builds(
        SshAccess,
        host=_HOSTS,
        user=st.one_of(st.just(""), _USERS),
        port=st.one_of(st.none(), st.integers(1, 65_535)),
        system=st.sampled_from(SystemKind),
        config_file=_PATHS,
    ),
    st.builds(RedfishAccess, url=_URLS, user=_USERS, ca_file=_PATHS, system=_PATHS, chassis=_PATHS),
    st.builds(RedfishAccess, url=_URLS, user=_USERS, fingerprint=st.just("ab" * 32)),
    st.builds(IpmiAccess, host=_HOSTS, user=_USERS),
    st.builds(SerialMeterAccess, port=st.sampled_from(["/dev/ttyUSB0", "COM3"]), model=st.sampled_from(MeterModel)),
    st.builds(
        SnmpAccess, host=_HOSTS, port=st.integers(1, 65_535), oid=st.just("1.3.6.1.4"), factor=st.floats(1e-6, 1e6)
    ),
    st.builds(
        PrometheusAccess,
        url=st.sampled_from(["http://db1:9100", "https://[fe80::1]:9182/own"]),
        rules=st.lists(st.text('a{}=", é_', min_size=1, max_size=12).filter(str.strip).map(str.strip), max_size=2),
    ),
    st.builds(WinRmAccess, host=_HOSTS, user=_USERS),
)
MACHINES = st.builds(
    Machine,
    name=st.from_regex(r"[a-z][a-z0-9_.-]{0,8}", fullmatch=True),
    roles=st.lists(st.sampled_from(Role), max_size=2).map(tuple),
    accesses=st.lists(ACCESSES, max_size=3, unique=True).map(tuple),
)
