from decimal import Decimal

from app.cli.configuration_text import configuration_text
from engine.analysis.comparing.configuration import Configuration
from engine.analysis.comparing.economics import Item
from engine.analysis.host.power import DeviceWatts
from engine.library.configurations import ConfigurationUse

UNUSED = ConfigurationUse(run_ids=(), set_names=())


def test_bill_total_is_exact_to_the_cent() -> None:
    configuration = Configuration(
        name="R630, SSD",
        note="as bought",
        items=(
            Item(name="R630 [b]", count=1, price=Decimal("5000.00")),
            Item(name="SSD", count=8, price=Decimal("749.36")),
        ),
        watts=(
            DeviceWatts(device="server", active_watts=390, idle_watts=180),
            DeviceWatts(device="jbod", idle_watts=9),
        ),
        factors={"storage": "SSD"},
    )
    use = ConfigurationUse(run_ids=("a", "b"), set_names=("evening",))
    lines = [" ".join(line.split()) for line in configuration_text(configuration, use).splitlines()]
    assert "SSD 8 $749.36 $5 994.88" in lines
    assert "R630 [b] 1 $5 000.00 $5 000.00" in lines
    assert "total $10 994.88" in lines
    assert "total – 189.0" in lines
    assert "Not known: active watts of jbod." in lines
    assert "storage SSD" in lines
    assert lines[-1] == "used by set 'evening', 2 runs"


def test_unknown_fields_are_left_out() -> None:
    assert configuration_text(Configuration(name="R740"), UNUSED) == "\nR740\n\nused by no run and no set yet"
