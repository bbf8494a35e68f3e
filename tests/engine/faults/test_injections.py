from typing import Any

import pytest
from hypothesis import given

from engine.errors import BadInput
from engine.faults.injections import (
    FaultKind,
    Injection,
    RedfishInjection,
    SshInjection,
    injection_from_dict,
    injection_to_dict,
)
from engine.machines.addresses import redfish_secret_name
from tests.engine.plans import INJECTIONS


@given(INJECTIONS)
def test_an_injection_survives_being_stored(injection: Injection) -> None:
    plain = injection_to_dict(injection)
    assert injection_from_dict(plain) == injection
    assert FaultKind(plain["kind"]) is injection.kind


@given(INJECTIONS)
def test_what_it_is_called_is_one_short_line(injection: Injection) -> None:
    assert injection.act.isprintable()
    assert 1 <= len(injection.act) <= 100


@pytest.mark.parametrize(
    ("plain", "parts"),
    [
        (7, "an injection is a table"),
        ({"kind": "mark"}, "kind is 'mark', which does nothing"),
        ({"kind": "lab", "action": "explode"}, "lab action 'explode' is not known"),
        ({"kind": "lab", "action": 5}, "action is 5; give a text in quotes"),
        ({"kind": "lab", "action": "thaw", "node": "2"}, "node is '2'"),
        ({"kind": "lab", "action": "thaw", "value": 5}, "'thaw' takes no number"),
        ({"kind": "lab", "action": "thaw", "timeout_seconds": 0}, "timeout_seconds is 0; give seconds from 0.1"),
        ({"kind": "command", "arguments": []}, "arguments is not a list of texts"),
        ({"kind": "command", "arguments": "/bin/x"}, "arguments is not a list of texts"),
        ({"kind": "command", "arguments": ["x\0"]}, "remove the control characters"),
        ({"kind": "command", "arguments": [" "]}, "begins with an empty text"),
        ({"kind": "command", "arguments": ["a", "b"], "shell": True}, "a shell takes one"),
        ({"kind": "command", "arguments": ["a"], "shell": 1}, "shell is 1"),
        ({"kind": "ssh", "host": "-x", "command": "y"}, "host is '-x'"),
        ({"kind": "ssh", "host": "a b", "command": "y"}, "host is 'a b'"),
        ({"kind": "ssh", "host": "a", "command": "y", "user": "-l"}, "user is '-l'"),
        ({"kind": "ssh", "host": "a", "command": " "}, "command is empty"),
        ({"kind": "ssh", "host": "a", "command": "y", "port": 0}, "port is 0"),
        ({"kind": "sql", "statement": ""}, "statement is empty"),
        ({"kind": "sql", "statement": "x", "host": ""}, "host is ''"),
        ({"kind": "sql", "statement": "x", "target": 0}, "target is 0"),
        ({"kind": "redfish", "reset_type": "On", "url": "http://bmc", "user": "x"}, "goes over HTTPS only"),
        ({"kind": "redfish", "reset_type": "On", "url": "https://bmc:x", "user": "x"}, "url can't be read"),
        ({"kind": "redfish", "reset_type": "On", "url": "https://bmc?x=1", "user": "x"}, "more than a host"),
        ({"kind": "redfish", "reset_type": "Onn", "url": "https://bmc", "user": "x"}, "did you mean 'On'"),
        ({"kind": "redfish", "reset_type": "On", "url": "https://bmc", "user": "x:y"}, "without a password"),
        ({"kind": "redfish", "reset_type": "On", "url": "https://bmc"}, "user is ''; give the controller's user"),
        ({"kind": "redfish", "reset_type": "On"}, "a fault of kind redfish has no url; give it one, or a machine."),
        ({"kind": "ssh", "command": "y"}, "a fault of kind ssh has no host; give it one, or a machine."),
        ({"kind": "ssh", "machine": "db1", "host": "a", "command": "y"}, "machine and host say two ways where"),
        ({"kind": "ssh", "machine": "1", "command": "y"}, "machine is '1'; give a letter first"),
        ({"kind": "redfish", "reset_type": "On", "machine": "a", "user": "b"}, "machine and user say two ways where"),
    ],
)
def test_an_injection_that_can_not_be_is_refused_with_its_reason(plain: Any, parts: str) -> None:
    with pytest.raises(BadInput) as refused:
        injection_from_dict(plain)
    assert parts in str(refused.value)


def test_a_certificate_is_checked_in_one_way() -> None:
    with pytest.raises(BadInput, match="two ways to check one certificate"):
        RedfishInjection(reset_type="On", url="https://bmc", user="x", fingerprint="AB:" * 31 + "AB", ca_file="/x.pem")


def test_a_controllers_password_has_a_name_of_its_own() -> None:
    plain = RedfishInjection(reset_type="On", url="https://BMC/", user="admin")
    assert plain.secret_name == "https://admin@bmc:443" == redfish_secret_name("https://bmc", "admin")
    ipv6 = RedfishInjection(reset_type="On", url="https://[fe80::1]:8443", user="admin")
    assert ipv6.secret_name == "https://admin@[fe80::1]:8443"


def test_a_place_is_written_as_it_is_typed() -> None:
    assert SshInjection(host="r630", command="x").place == "r630"
    assert SshInjection(host="fe80::1", user="root", port=22, command="x").place == "root@[fe80::1]:22"
