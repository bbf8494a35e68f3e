import pytest

from engine.faults.fault_text import parse_fault
from engine.faults.sentences import can_hurt, fault_sentence, names_to_type
from engine.target.target import EMBEDDED, POSTGRESQL, Host, Target

PAIR = Target(kind=EMBEDDED, nodes=2, sync=True)
SERVER = Target(kind=POSTGRESQL, hosts=(Host("db1", 5432), Host("db2", 5433)), user="me")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("T+40s kill primary", "At 0:40 of measuring: Kill all processes of the primary (SIGKILL)."),
        (
            "T+40s freeze primary for 5s repeat 2 every 60s",
            "At 0:40 of measuring: Freeze all processes of the primary (SIGSTOP). After 5 s: Resume the frozen"
            " processes of every node (SIGCONT). Repeated: 2 times in all, every 60 s.",
        ),
        (
            "T+40s once steady by 2:00 delay network of node 2 by 50",
            "At 0:40 of measuring or later, once the baseline is steady (skipped if it is not steady by 2:00): Add"
            " 50 ms to every round trip to node 2.",
        ),
        ("T+1 run /bin/x --y", "At 0:01 of measuring: On this machine, run /bin/x --y (for at most 60 s)."),
        ("T+1 shell 'a | b'", "At 0:01 of measuring: In a shell on this machine, run a | b (for at most 60 s)."),
        ("T+1 ssh root@r630:22 'x y'", "At 0:01 of measuring: On root@r630:22, over ssh, run x y (for at most 60 s)."),
        (
            "T+1 sql 'select 1' on host2 of target 3 within 5s",
            "At 0:01 of measuring: On host 2 of target 3, execute select 1 (for at most 5 s).",
        ),
        (
            "T+1 redfish ForceOff https://bmc as admin system Blade2",
            "At 0:01 of measuring: Have the management controller at https://bmc reset its server Blade2: ForceOff.",
        ),
        ("T+5:00 mark Pulled", "At 5:00 of measuring: Mark “Pulled”; Spindle takes no action."),
    ],
)
def test_what_will_happen_as_a_sentence(text: str, sentence: str) -> None:
    assert fault_sentence(parse_fault(text)) == sentence


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


def test_the_names_to_type_are_of_what_is_hurt_each_once() -> None:
    texts = [
        "T+1 kill primary",
        "T+2 sql 'select 1' on host2",
        "T+3 sql 'select 1' on host1 of target 2",
        "T+4 ssh root@r630 x for 5s then ssh root@r630 y",
        "T+5 redfish On https://bmc:8443 as x",
        "T+6 run x",
        "T+7 sql 'select 1' on elsewhere",
    ]
    faults = [parse_fault(text) for text in texts]
    assert names_to_type(faults, (SERVER, PAIR)) == ("db2", "embedded", "r630", "bmc:8443", "db1", "elsewhere")
    assert names_to_type(faults[:1], (PAIR,)) == ()
