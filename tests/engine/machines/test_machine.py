import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.machines.access import (
    ACCESS_TYPES,
    Access,
    AccessKind,
    IpmiAccess,
    LocalAccess,
    PrometheusAccess,
    RedfishAccess,
    SerialMeterAccess,
    SnmpAccess,
    SshAccess,
    WinRmAccess,
    access_from_dict,
    access_parameters,
    access_to_dict,
)
from engine.machines.machine import Machine, Role, read_role
from tests.engine.machines.accesses import ACCESSES


@given(ACCESSES)
def test_an_access_survives_being_stored(access: Access) -> None:
    plain = access_to_dict(access)
    assert access_from_dict(plain) == access
    assert AccessKind(plain["kind"]) is access.kind


@given(ACCESSES)
def test_an_access_survives_being_shown_in_a_form(access: Access) -> None:
    parameters = access_parameters(type(access))
    typed = {each.key: each.write(getattr(access, each.key)) for each in parameters}
    assert type(access)(**{each.key: each.read(typed[each.key]) for each in parameters}) == access


@pytest.mark.parametrize("access", ACCESS_TYPES.values())
def test_a_form_has_what_it_needs_of_every_field(access: type[Access]) -> None:
    parameters = access_parameters(access)
    assert [each.key for each in parameters] == [each.name for each in dataclasses.fields(access)]
    assert all(each.label and each.help.endswith(".") for each in parameters)
    assert access.title


@pytest.mark.parametrize(
    ("plain", "sentence"),
    [
        (7, 'an access is a table, such as {kind = "ssh", host = "db1"}.'),
        ({"kind": "ssj"}, "kind is 'ssj'; did you mean 'ssh'."),
        ({"host": "a"}, "kind is None; give one of"),
        ({"kind": "ssh"}, "an access of kind ssh has no host; give it one."),
        ({"kind": "ssh", "host": "a", "usr": "b"}, "usr is not known for SSH; did you mean 'user'."),
        ({"kind": "ssh", "host": "-oX"}, "host is '-oX'; give a host name or address, such as r630."),
        ({"kind": "ssh", "host": 7}, "host is 7; give a text in quotes."),
        ({"kind": "ssh", "host": "a", "user": "b:c"}, "give a user name without spaces, colons or a password."),
        ({"kind": "ssh", "host": "a", "port": 70_000}, "port is 70000; give a whole number from 1 to 65535."),
        ({"kind": "ssh", "host": "a", "system": "windws"}, "system is 'windws'; did you mean 'windows'."),
        ({"kind": "ssh", "host": "a", "config_file": "a\nb"}, "remove the control characters."),
        ({"kind": "redfish", "url": "http://bmc", "user": "a"}, "a password goes over HTTPS only."),
        ({"kind": "redfish", "url": "https://a:b@bmc", "user": "a"}, "url contains more than a host;"),
        ({"kind": "redfish", "url": "https://bmc", "user": "a", "fingerprint": "12"}, "give the 64 hexadecimal digits"),
        (
            {"kind": "redfish", "url": "https://bmc", "user": "a", "fingerprint": "ab" * 32, "ca_file": "/ca"},
            "fingerprint and ca_file are two ways to check one certificate; give one of them.",
        ),
        ({"kind": "ipmi", "host": "bmc", "user": ""}, "give the controller's user, without a password."),
        ({"kind": "serial_meter", "port": " "}, "port is empty; give the serial port, such as /dev/ttyUSB0 or COM3."),
        ({"kind": "serial_meter", "port": "/dev/x", "model": "wt310"}, "model is 'wt310'; "),
        ({"kind": "snmp", "host": "pdu", "oid": "power"}, "oid is 'power'; give it in digits, such as 1.3.6"),
        ({"kind": "snmp", "host": "pdu", "oid": "1.3", "factor": 0}, "factor is 0; give a number from 1e-06"),
        ({"kind": "prometheus", "url": "ftp://db1"}, "url is 'ftp://db1'; write http://host:port, or with a path"),
        ({"kind": "prometheus", "url": "http://db1", "rules": "x"}, "rules is not a list; give a list"),
    ],
)
def test_an_access_that_can_not_be_is_refused_with_the_remedy(plain: Any, sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        access_from_dict(plain)
    assert sentence in str(refused.value)


def test_urls_are_kept_in_one_form() -> None:
    assert PrometheusAccess(url="http://db1:9100/").url == "http://db1:9100/metrics"
    assert PrometheusAccess(url="https://[fe80::1]:9182/own").url == "https://[fe80::1]:9182/own"
    assert RedfishAccess(url="https://BMC:443/", user="admin").url == "https://bmc"


def test_secrets_have_names_that_tell_them_apart() -> None:
    assert RedfishAccess(url="https://bmc", user="admin").secret_name == "https://admin@bmc:443"
    assert IpmiAccess(host="bmc", user="admin").secret_name == "ipmi://admin@bmc:623"
    assert SnmpAccess(host="fe80::1", oid="1.3.6").secret_name == "snmp://[fe80::1]:161"
    assert WinRmAccess(host="db1", user="lab\\admin").secret_name == "winrm://lab\\admin@db1"
    for without in (LocalAccess(), SshAccess(host="a"), SerialMeterAccess(port="/dev/x")):
        assert without.secret_name == ""


def test_a_place_is_written_as_it_is_typed() -> None:
    assert SshAccess(host="fe80::1", user="root", port=22).place == "root@[fe80::1]:22"
    assert SshAccess(host="db1").place == "db1"
    assert SnmpAccess(host="pdu", port=1161, oid="1.3.6").place == "pdu:1161"


def test_a_machine_finds_its_access_by_type() -> None:
    ssh = SshAccess(host="db1")
    machine = Machine(name="db1", roles=(Role.DATABASE_SERVER,), accesses=(LocalAccess(), ssh))
    assert machine.access_of(SshAccess) is ssh
    with pytest.raises(BadInput, match=r"'db1', which can't be reached by Redfish \(it has This workstation, SSH\)"):
        machine.access_of(RedfishAccess)


@pytest.mark.parametrize("name", ["", "1db", "a b", "a/b", "a" * 64, ".a", 7])
def test_a_name_that_files_and_faults_can_not_hold_is_refused(name: Any) -> None:
    with pytest.raises(BadInput, match="give a letter first"):
        Machine(name=name)


@given(st.sampled_from(Role), st.sampled_from([" ", "_", "-"]))
def test_roles_are_read_as_people_write_them(role: Role, between: str) -> None:
    assert read_role(role.label.replace(" ", between).upper()) is role


def test_an_unknown_role_is_refused_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="role is 'databse server'; did you mean 'database server'"):
        Machine(name="db1", roles=("databse server",))  # type: ignore[arg-type]


def test_the_same_access_twice_is_refused() -> None:
    with pytest.raises(BadInput, match="machine 'db1' has SSH at db1 twice"):
        Machine(name="db1", accesses=(SshAccess(host="db1"), SshAccess(host="db1")))
