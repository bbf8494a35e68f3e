import pytest

from engine.errors import BadInput
from engine.faults.fault_text import parse_fault
from engine.faults.fitting import check_fits
from engine.target.target import EMBEDDED, FAST, POSTGRESQL, Host, Target

SERVER = Target(kind=POSTGRESQL, hosts=(Host("db1", 5432),), user="me")
SINGLE = Target(kind=EMBEDDED)
PAIR = Target(kind=EMBEDDED, nodes=2, sync=True, failover=FAST)


@pytest.mark.parametrize(
    ("text", "stores"),
    [
        ("T+1s kill primary", (SINGLE,)),
        ("T+1s switchover", (SERVER, PAIR)),
        ("T+1s kill primary of node 2 for 5s then rejoin", (PAIR,)),
        ("T+1s sql 'SELECT 1' of target 2", (SERVER, PAIR)),
        ("T+1s run /bin/true", (SERVER,)),
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
    ],
)
def test_unfitting_injections_are_reported(text: str, stores: tuple[Target, ...], parts: str) -> None:
    with pytest.raises(BadInput, match=parts):
        check_fits(parse_fault(text), stores)
