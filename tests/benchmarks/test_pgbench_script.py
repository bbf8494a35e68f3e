"""The script's chances, drawn by pgbench's own expressions as far as they can be read without it."""

import re

from engine.workloads.dvdstore import catalogue
from engine.workloads.dvdstore.sizing import DbSize
from engine.workloads.dvdstore.user import Mix
from tests.benchmarks import pgbench_script

_MIX = Mix(
    size=DbSize(20, "MB"), think_time_ms=20, pct_new_customers=12.5, n_searches=3, search_batch_size=5, n_line_items=5
)


def _chosen(ticket: int) -> int:
    """The product of a ticket, by the CASE of the script: its operators mean the same here for positive numbers."""
    found = re.search(r"\\set p1 CASE WHEN :ticket < (\d+) THEN :ticket \+ 1 ELSE (.*) END", pgbench_script.cart(_MIX))
    assert found is not None
    if ticket < int(found[1]):
        return ticket + 1
    return int(eval(found[2].replace(":ticket", str(ticket)).replace("/", "//")))


def test_tickets_map_to_the_emulated_users_products() -> None:
    tickets = catalogue.tickets(_MIX.size)
    assert f"\\set ticket random(0, {tickets - 1})" in pgbench_script.cart(_MIX)
    assert [_chosen(ticket) for ticket in range(tickets)] == [
        catalogue.product_of_ticket(ticket, _MIX.size) for ticket in range(tickets)
    ]


def test_the_order_has_the_chances_of_the_mix() -> None:
    script = pgbench_script.order_script(_MIX, seed=1)
    assert "\\if :chance <= 125000\n" in script
    assert "\\set browses random(1, 5)" in script
    assert script.count("\\set batch random(1, 9)") == 5
    assert "\\set lines least(random(1, 9), 10)" in script
    assert script.count("CALL purchase(") == 1
    assert "\\set think random(0, 40000)" in script


def test_every_text_is_a_parameter() -> None:
    calls = [line for line in pgbench_script.order_script(_MIX, seed=1).splitlines() if "browse_by" in line]
    calls += [line for line in pgbench_script.new_customer().splitlines() if "SELECT" in line]
    assert calls
    assert not [line for line in calls if "'" in line.replace("'newuser'", "")]
