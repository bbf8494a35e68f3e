import pytest

from engine.faults.fault_text import parse_fault
from engine.faults.sentences import can_hurt, fault_sentence, names_to_type
from engine.target.target import EMBEDDED, POSTGRESQL, Host, Target
from tests.texts import lacks

PAIR = Target(kind=EMBEDDED, nodes=2, sync=True)
SERVER = Target(kind=POSTGRESQL, hosts=(Host("db1", 5432), Host("db2", 5433)), user="me")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("T+40s kill primary", ("0:40", "kill", "primary", "SIGKILL")),
        (
            "T+40s freeze primary for 5s repeat 2 every 60s",
            ("0:40", "freeze", "primary", "SIGSTOP", "after 5 s", "resume", "SIGCONT", "2 times", "every 60 s"),
        ),
        (
            "T+40s once steady by 2:00 delay network of node 2 by 50",
            ("0:40", "or later", "steady", "by 2:00", "50 ms", "node 2"),
        ),
        ("T+1 run /bin/x --y", ("0:01", "this machine", "/bin/x --y", "at most 60 s")),
        ("T+1 shell 'a | b'", ("0:01", "shell", "this machine", "a | b", "at most 60 s")),
        ("T+1 ssh root@r630:22 'x y'", ("0:01", "root@r630:22", "ssh", "x y", "at most 60 s")),
        (
            "T+1 sql 'select 1' on host2 of target 3 within 5s",
            ("0:01", "host 2", "target 3", "select 1", "at most 5 s"),
        ),
        (
            "T+1 redfish ForceOff https://bmc as admin system Blade2",
            ("0:01", "https://bmc", "Blade2", "ForceOff"),
        ),
        ("T+1 ssh machine:r630-a 'x y'", ("the machine r630-a", "ssh", "x y", "at most 60 s")),
        ("T+1 redfish ForceOff machine:r630-a", ("controller of the machine r630-a", "ForceOff")),
        ("T+5:00 mark Pulled", ("5:00", "mark", "Pulled", "no action")),
    ],
)
def test_sentence_has_time_place_action_and_limits(text: str, parts: tuple[str, ...]) -> None:
    assert lacks(fault_sentence(parse_fault(text)), *parts) == []


@pytest.mark.parametrize(
    ("text", "hurts"),
    [
        ("T+1 mark x", False),
        ("T+1 kill primary", False),
        ("T+1 kill primary for 5s then run /bin/x", True),
        ("T+1 run /bin/x", True),
        ("T+1 sql 'select 1'", True),
        ("T+1 ssh r630 x", True),
        ("T+1 redfish On https://bmc as x", True),
    ],
)
def test_all_but_marks_and_the_lab_can_hurt(text: str, hurts: bool) -> None:
    assert can_hurt(parse_fault(text)) is hurts


@pytest.mark.parametrize(
    ("url", "name"),
    [("storage:///data/f", "workstation"), ("storage://db1/data/f", "db1"), ("mail://me@mx1/a.org", "mx1")],
)
def test_a_command_can_hurt_the_machine_of_the_first_target(url: str, name: str) -> None:
    store, _ = Target.parse(url)
    assert names_to_type([parse_fault("T+1 run x"), parse_fault("T+2 shell 'x | y'")], (store,)) == (name,)


def test_the_names_to_type_are_of_what_is_hurt_each_once() -> None:
    texts = [
        "T+1 kill primary",
        "T+2 sql 'select 1' on host2",
        "T+3 sql 'select 1' on host1 of target 2",
        "T+4 ssh root@r630 x for 5s then ssh root@r630 y",
        "T+5 redfish On https://bmc:8443 as x",
        "T+6 run x",
        "T+7 sql 'select 1' on elsewhere",
        "T+8 ssh machine:r630-a x for 5s then redfish On machine:r630-a",
    ]
    faults = [parse_fault(text) for text in texts]
    assert names_to_type(faults, (SERVER, PAIR)) == (
        *("db2", "embedded", "r630", "bmc:8443", "db1", "elsewhere", "r630-a"),
    )
    assert names_to_type(faults[:1], (PAIR,)) == ()
