import json
import tomllib
from decimal import Decimal

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.comparing.configuration import Configuration, factor_of, read_configuration, read_items, watts_of
from engine.analysis.comparing.economics import Item
from engine.analysis.host.power import DeviceWatts
from engine.errors import BadInput

PRINTABLE = st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"))
TEXTS = st.text(PRINTABLE, min_size=1, max_size=20).filter(str.strip)
WATTS = st.none() | st.floats(0, 1e5)
CONFIGURATIONS = st.builds(
    Configuration,
    name=TEXTS,
    note=st.text(PRINTABLE, max_size=20),
    currency=st.sampled_from(["$", "€", "CHF"]),
    items=st.lists(
        st.builds(Item, name=TEXTS, count=st.integers(1, 99), price=st.decimals(0, 10**6, places=2)), max_size=4
    ).map(tuple),
    watts=st.lists(
        st.builds(DeviceWatts, device=TEXTS, active_watts=WATTS, idle_watts=WATTS),
        max_size=3,
        unique_by=lambda watts: watts.device,
    ).map(tuple),
    factors=st.dictionaries(TEXTS, TEXTS, max_size=3),
)
WRITTEN = """
note = "as bought in May"
currency = "€"
[[items]]
name = "SSD"
count = 8
price = 1374.36
[[items]]
name = "R630"
price = "1,000.00"
[[watts]]
device = "server"
active = 390
idle = 180.5
[factors]
processors = 2
storage = "SSD"
"""


@given(CONFIGURATIONS)
def test_a_configuration_comes_back_from_json_and_toml_to_the_cent(configuration: Configuration) -> None:
    assert Configuration.from_dict(json.loads(json.dumps(configuration.to_dict()))) == configuration
    assert read_configuration(tomli_w.dumps(configuration.to_dict()), "a.toml", name="") == configuration


def test_configuration_is_read_from_toml() -> None:
    found = read_configuration(WRITTEN, "a.toml", name="R630, SSD")
    assert found == Configuration(
        name="R630, SSD",
        note="as bought in May",
        currency="€",
        items=(
            Item(name="SSD", count=8, price=Decimal("1374.36")),
            Item(name="R630", count=1, price=Decimal("1000.00")),
        ),
        watts=(DeviceWatts(device="server", active_watts=390, idle_watts=180.5),),
        factors={"processors": "2", "storage": "SSD"},
    )
    assert found.bill().total == Decimal("11994.88")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name = ", "a.toml is not TOML"),
        ("", "a.toml: name of the configuration is empty"),
        ("name = 3", "name is 3; write it as text"),
        ("name = 'n'\nprise = 3", "the configuration has no 'prise'; it can have name, note"),
        ("name = 'n'\nitems = 3", "items is not a list of tables"),
        ("name = 'n'\nitems = [3]", "items is not a list of tables"),
        ("name = 'n'\n[[items]]\nname = 'SSD'", "item 'SSD' has no price"),
        ("name = 'n'\n[[items]]\nname = 'SSD'\nprice = 'dear'", "the price of 'SSD' is 'dear'"),
        ("name = 'n'\n[[items]]\nname = 'SSD'\nprice = nan", "the price of 'SSD' is 'NaN'"),
        ("name = 'n'\n[[items]]\nname = 'SSD'\nprice = 1\ncount = 1.5", "the count of 'SSD' is 1.5"),
        ("name = 'n'\n[[items]]\nname = 'SSD'\nprice = 1\ncount = true", "the count of 'SSD' is True"),
        ("name = 'n'\n[[watts]]\ndevice = 's'\nactive = 'hot'", "watts are 's: active = hot'"),
        ("name = 'n'\n[[watts]]\ndevice = 's'\n[[watts]]\ndevice = 's'", "device 's' has watts 2 times"),
        ("name = 'n'\nfactors = 3", "factors is not a table"),
        ("name = 'n'\n[factors]\nprocessors = ''", "factor 'processors' of 'n' is ''"),
        ("name = 'n'\ncurrency = 'dollars'", "the currency of 'n' is 'dollars'"),
    ],
)
def test_invalid_configuration_is_rejected_with_a_sentence(text: str, told: str) -> None:
    with pytest.raises(BadInput, match=told) as caught:
        read_configuration(text, "a.toml", name="")
    assert "\n" not in str(caught.value)


def test_bill_is_read_from_csv() -> None:
    assert read_items('Name,Count,Price,Part\nSSD,8,"$1,374.36",x\n', "bill.csv") == (
        Item(name="SSD", count=8, price=Decimal("1374.36")),
    )
    with pytest.raises(BadInput, match=r"bill\.csv, line 3: price is '1\.374,36'"):
        read_items("name;count;price\nA;1;2\nSSD;8;1.374,36\n", "bill.csv")
    with pytest.raises(BadInput, match=r"bill\.csv, line 2: the count of 'SSD' is 0"):
        read_items("name,count,price\nSSD,0,1\n", "bill.csv")


def test_watts_and_factors_are_parsed() -> None:
    assert watts_of("server=390/180") == DeviceWatts(device="server", active_watts=390, idle_watts=180)
    assert watts_of(" jbod = 210 ") == DeviceWatts(device="jbod", active_watts=210)
    assert watts_of("jbod=/90") == DeviceWatts(device="jbod", idle_watts=90)
    assert factor_of(" processors = 2 ") == ("processors", "2")
    assert factor_of("size=a=b") == ("size", "a=b")
    for text in ("server", "server=hot", "=3"):
        with pytest.raises(BadInput):
            watts_of(text)
    for text in ("processors", "processors=", "=2"):
        with pytest.raises(BadInput, match="write it as NAME=VALUE"):
            factor_of(text)


def test_toml_keeps_prices_as_texts() -> None:
    found = Configuration(name="n", items=(Item(name="SSD", price=Decimal("0.10")),))
    assert tomllib.loads(tomli_w.dumps(found.to_dict()))["items"][0]["price"] == "0.10"
