import pytest

from engine.errors import BadInput
from engine.faults.fault_text import parse_fault
from engine.faults.fitting import check_fits
from engine.target.target import EMBEDDED, FAST, POSTGRESQL, Host, Target

SERVER = Target(kind=POSTGRESQL, hosts=(Host("db1", 5432),), user="me")
SINGLE = Target(kind=EMBEDDED)
FILE, DOMAIN = (Target.parse(url)[0] for url in ("storage:///data/f", "mail://me@mx1/a.org"))
PAIR = Target(kind=EMBEDDED, nodes=2, sync=True, failover=FAST)


@pytest.mark.parametrize(
    ("text", "stores"),
    [
        ("T+1s kill primary", (SINGLE,)),
        ("T+1s kill primary for 5s", (SINGLE,)),
        ("T+1s kill primary for 5s", (PAIR,)),
        ("T+1s switchover", (SERVER, PAIR)),
        ("T+1s kill primary of node 2 for 5s then rejoin", (PAIR,)),
        ("T+1s sql 'SELECT 1' of target 2", (SERVER, PAIR)),
        ("T+1s run /bin/true", (SERVER,)),
        ("T+1s run /bin/true", (FILE,)),
        ("T+1s sql 'SELECT 1' of target 2", (FILE, SERVER)),
        ("T+1s mark Enclosure pulled", (SERVER,)),
    ],
)
def test_what_the_targets_can_have_fits(text: str, stores: tuple[Target, ...]) -> None:
    check_fits(parse_fault(text), stores)


@pytest.mark.parametrize(
    ("text", "stores", "parts"),
    [
        ("T+1s kill primary", (SERVER,), "the run drives no embedded server"),
        ("T+1s switchover", (SINGLE,), "'switchover' needs a standby"),
        ("T+1s freeze primary of node 3", (PAIR,), "node 3 does not exist; give one from 1 to 2"),
        ("T+1s kill backend for 5s then rejoin", (SINGLE,), "'rejoin' needs a standby"),
        ("T+1s sql 'SELECT 1' of target 2", (SERVER,), "target is 2, and the plan has 1"),
        ("T+1s kill primary", (FILE,), "^the run drives storage; inject a command, an SSH command or a Redfish reset"),
        ("T+1s sql 'SELECT 1'", (DOMAIN,), "^target 1 is a mail server; inject a command, an SSH command or a Redfish"),
        ("T+1s sql 'SELECT 1' of target 2", (SERVER, FILE), "^target 2 is storage; inject a command"),
        ("T+1s kill primary", (SERVER, FILE), "the run drives no embedded server"),
    ],
)
def test_unfitting_injections_are_reported(text: str, stores: tuple[Target, ...], parts: str) -> None:
    with pytest.raises(BadInput, match=parts):
        check_fits(parse_fault(text), stores)
