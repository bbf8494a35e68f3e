import re
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.faults.fault_text import fault_text, mark_text, parse_fault, parse_mark
from engine.faults.injections import (
    CommandInjection,
    FaultKind,
    LabInjection,
    RedfishInjection,
    SqlInjection,
    SshInjection,
)
from engine.faults.lab_actions import LabAction
from engine.faults.planned import PlannedFault
from tests.engine.plans import FAULTS, PRINTABLE

KILL = LabInjection(action=LabAction.KILL_PRIMARY)
FREEZE = LabInjection(action=LabAction.FREEZE_PRIMARY)


@given(FAULTS)
def test_a_fault_survives_being_typed(faults: tuple[PlannedFault, ...]) -> None:
    for fault in faults:
        if fault.is_fault or fault.kind is not FaultKind.MARK:
            assert parse_fault(fault_text(fault)) == fault
        else:
            assert parse_mark(mark_text(fault)) == fault


@example("''", "T+40s ")
@given(st.text(PRINTABLE + " \n", max_size=40), st.sampled_from(["", "T+40s ", "T+1:00 ssh r630 ", "5 sql "]))
def test_any_text_is_read_or_refused_in_one_sentence(text: str, before: str) -> None:
    typed = before + text
    try:
        fault = parse_fault(typed)
    except BadInput as error:
        parts = str(error)
    else:
        parts = f"fault '{typed}' can't be read: not so."
        assert parse_fault(fault_text(fault)) == fault
    assert re.match(r"fault '.*' can't be read: .", parts, re.DOTALL)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("T+40s kill primary", PlannedFault(at_seconds=40, injection=KILL)),
        ("0:40 Kill-Primary", PlannedFault(at_seconds=40, injection=KILL)),
        ("T+0:40 freeze primary for 5s", PlannedFault(at_seconds=40, injection=FREEZE, end_after_seconds=5)),
        (
            "T+40s freeze primary of node 2 for 500ms then fence and promote",
            PlannedFault(
                at_seconds=40,
                injection=replace(FREEZE, node=2),
                end_after_seconds=0.5,
                end=LabInjection(action=LabAction.FENCE_AND_PROMOTE),
            ),
        ),
        (
            "T+1m delay network of node 2 by 50ms for 10s",
            PlannedFault(
                at_seconds=60,
                injection=LabInjection(action=LabAction.DELAY_NETWORK, node=2, value=50),
                end_after_seconds=10,
            ),
        ),
        (
            "T+60s sql select pg_promote() on host2",
            PlannedFault(at_seconds=60, injection=SqlInjection(statement="select pg_promote()", host="2")),
        ),
        (
            "T+60s sql \"select 'on host2'\" on db-2 of target 3 within 5s",
            PlannedFault(
                at_seconds=60,
                injection=SqlInjection(statement="select 'on host2'", host="db-2", target=3, timeout_seconds=5),
            ),
        ),
        (
            "T+30s run /path/tool --x 'for 5s'",
            PlannedFault(at_seconds=30, injection=CommandInjection(arguments=("/path/tool", "--x", "for 5s"))),
        ),
        (
            "T+30s shell 'sync | cat'",
            PlannedFault(at_seconds=30, injection=CommandInjection(arguments=("sync | cat",), shell=True)),
        ),
        (
            "T+30s ssh root@r630 'ip link set eth0 down' for 20s then ssh root@r630 'ip link set eth0 up'",
            PlannedFault(
                at_seconds=30,
                injection=SshInjection(host="r630", user="root", command="ip link set eth0 down"),
                end_after_seconds=20,
                end=SshInjection(host="r630", user="root", command="ip link set eth0 up"),
            ),
        ),
        (
            "T+30s ssh [fe80::1]:2222 uptime",
            PlannedFault(at_seconds=30, injection=SshInjection(host="fe80::1", port=2222, command="uptime")),
        ),
        (
            "T+30s redfish forceoff https://bmc/ as admin called 'Power off'",
            PlannedFault(
                at_seconds=30,
                label="Power off",
                injection=RedfishInjection(reset_type="ForceOff", url="https://bmc", user="admin"),
            ),
        ),
        (
            "T+40s once steady by 2:00 kill primary repeat 3 every 60s",
            PlannedFault(at_seconds=40, injection=KILL, steady_by_seconds=120, repeat=3, every_seconds=60),
        ),
        (
            "T+40s kill primary repeat 3 times every 1:00 called Again",
            PlannedFault(at_seconds=40, label="Again", injection=KILL, repeat=3, every_seconds=60),
        ),
        ("T+5:00 mark Enclosure pulled", PlannedFault(at_seconds=300, label="Enclosure pulled", is_fault=True)),
        ("T+5:00 mark don't panic for 5s", PlannedFault(at_seconds=300, label="don't panic for 5s", is_fault=True)),
    ],
)
def test_a_fault_as_it_is_typed(text: str, fault: PlannedFault) -> None:
    assert parse_fault(text) == fault


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", "time is ''; write seconds such as 40s"),
        ("kill primary", "time is 'kill'"),
        ("T+40s", "it has no action; write, for example, T+40s kill primary"),
        ("T+40s once steady by 1:00 mark Pulled", "a mark is set by a person during a run"),
        ("T+40s kil primary", "did you mean 'kill primary'?"),
        ("T+40s freeze primry for 5s", "did you mean 'freeze primary'?"),
        ("T+40s shh r630 reboot", "did you mean 'ssh'?"),
        ("T+40s redfsh ForceOff https://bmc as x", "did you mean 'redfish'?"),
        ("T+40s freeze primary for ever", "time is 'ever'"),
        ("T+40s switchover for 5s", "'switchover' has no end of its own"),
        ("T+40s run x for 5s", "and no end; say what ends it"),
        ("T+40s kill primary then rejoin", "write for 5s then"),
        ("T+40s kill primary for 5s then", "nothing follows 'then'"),
        ("T+40s kill primary repeat 3", "write repeat 3 every 60s"),
        ("T+40s kill primary repeat three every 60s", "repeat is 'three'"),
        ("T+40s once steady kill primary", "must be followed by steady by"),
        ("T+40s delay network", "'delay network' needs a number above 0"),
        ("T+40s delay network by much", "value is 'much'"),
        ("T+40s kill primary of node two", "node is 'two'"),
        ("T+40s kill primary of node 9", "node 9 does not exist"),
        ("T+40s run", "it has no command"),
        ("T+40s run 'x", "a quotation mark is not closed in: 'x"),
        ("T+40s ssh r630", "'ssh' needs a host and a command"),
        ("T+40s ssh root@r630:ssh x", "port is 'ssh'"),
        ("T+40s ssh -oProxyCommand=x y", "host is '-oProxyCommand=x'"),
        ("T+40s sql on host2", "'sql' names no statement"),
        ("T+40s sql select 1 of target two", "target is 'two'"),
        ("T+40s redfish ForceOff", "'redfish' needs a reset type and a controller"),
        ("T+40s redfish ForceOff https://bmc", "write as admin"),
        ("T+40s redfish PowerOff https://bmc as x", "reset_type is 'PowerOff'; did you mean 'ForceOff'"),
        ("T+40s redfish On http://bmc as x", "a password goes over HTTPS only"),
        ("T+40s redfish On https://bmc as x pined y", "did you mean 'pinned'"),
        ("T+40s redfish On https://bmc as x pinned y", "fingerprint is 'y'"),
        ("T+5:00 mark", "label is ''"),
    ],
)
def test_invalid_fault_text_names_the_expected_form(text: str, parts: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_fault(text)
    assert str(refused.value).startswith(f"fault '{text}' can't be read: ")
    assert parts in str(refused.value)


@pytest.mark.parametrize("text", ["T+1 ssh root:tiger@r630 x", "T+1 redfish On https://me:tiger@bmc as me"])
def test_a_password_in_a_place_is_refused(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_fault(text)
    assert "tiger" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "at_seconds", "label"),
    [
        ("5:00 Enclosure pulled", 300.0, "Enclosure pulled"),
        ("  1:02:41   Failover  to b ", 3761.0, "Failover to b"),
        ("90 9:00 is next", 90.0, "9:00 is next"),
        ("0 now", 0.0, "now"),
        ("0:07.25\tthen", 7.25, "then"),
        ("100:00 late", 6000.0, "late"),
    ],
)
def test_a_mark_as_it_is_typed(text: str, at_seconds: float, label: str) -> None:
    assert parse_mark(text) == PlannedFault(at_seconds=at_seconds, label=label)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", "time is ''; write minutes and seconds such as 5:00"),
        ("Enclosure pulled", "time is 'Enclosure'"),
        ("5:00", "label is ''"),
        ("5:7 x", "time is '5:7'"),
        ("5:60 x", "time is '5:60'"),
        ("1:60:00 x", "time is '1:60:00'"),
        ("-5 x", "time is '-5'"),
        ("1e3 x", "time is '1e3'"),
        ("5:00.1234 x", "time is"),
        ("٣ x", "time is"),
        ("99999999 x", "at_seconds is 99999999.0; give the seconds after measuring begins"),
    ],
)
def test_invalid_mark_text_names_the_expected_form(text: str, parts: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_mark(text)
    assert str(refused.value).startswith(f"mark '{text}' can't be read: ")
    assert parts in str(refused.value)
