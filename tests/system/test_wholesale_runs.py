"""A whole run of Wholesale on the embedded server, and all that is said of it: in its own words, with none of another
workload's."""

import csv
import html
import io
import json
import re
from pathlib import Path

import pytest

from tests.own_words import words_of_the_dvd_store
from tests.system.conftest import Spindle

TARGET = ("--target", "embedded:///wholesale", "--workload", "wholesale")
LOAD = ("--clients", "2", "--threads", "3", "--think-time-ms", "50", "--ramp-rate", "20", "--warmup", "0")
SET = ("--minutes", "0.3", "--repeat", "2", "--name", "load", "--fault", "T+11s mark Pulled", "--audit")
ON_DVD_STORE = re.compile(
    r"What DVD Store 2's published tests.*?\.|DVD Store 2 prints a running average.*?was back\.", re.DOTALL
)
"""What the evidence of a recovery cites of the program's help on DVD Store's own published tests."""
LIMITED = {
    "New-Order": 5_000,
    "Payment": 5_000,
    "Order-Status": 5_000,
    "Delivery": 5_000,
    "Stock-Level": 20_000,
    "New-Order rolled back": 5_000,
}


def text_of(document: Path) -> str:
    """A document as a reader sees it: without style sheets, scripts and tags."""
    source = re.sub(r"(?s)<(style|script)\b.*?</\1>", " ", document.read_text(encoding="utf-8"))
    return html.unescape(re.sub(r"<[^>]+>", " ", source))


@pytest.fixture(scope="module")
def told(bare_home: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What was printed and written of a set of two runs, each with a fault, by its name."""
    spindle, folder = Spindle(bare_home), tmp_path_factory.mktemp("wholesale")
    printed = {
        "show": ("library", "show", "last"),
        "json": ("library", "export", "last", "--json", "-"),
        "csv": ("library", "export", "last", "--csv", "-"),
        "list": ("library", "list"),
        "sets": ("set", "list"),
        "set": ("set", "show", "load"),
        "set json": ("set", "show", "load", "--json"),
    }
    try:
        spindle.ends("build", *TARGET, "--warehouses", "1")
        run = spindle.start("run", *TARGET, *LOAD, *SET)
        assert run.exit_code() == 0, run.err
        found = {name: spindle.prints(*arguments) for name, arguments in printed.items()}
        first, last = (each["run_id"] for each in json.loads(found["set json"])["runs"])
        documents = {
            "run": (last,),
            "recovery": (last, "--kind", "recovery"),
            "of set": ("load",),
            "both": (first, last),
        }
        for name, arguments in documents.items():
            spindle.prints("report", *arguments, "--out", str(folder / f"{name}.html"))
            found[f"report {name}"] = ON_DVD_STORE.sub("", text_of(folder / f"{name}.html"))
        return {"run": run.out + run.err} | found
    finally:
        spindle.close()


def test_everything_is_said_in_the_words_of_the_workload(told: dict[str, str]) -> None:
    foreign = {name: words_of_the_dvd_store(text) for name, text in told.items()}
    assert {name: words for name, words in foreign.items() if words} == {}
    assert [name for name, text in told.items() if "nopm" not in text.lower() and name != "csv"] == []


def test_the_figures_have_the_keys_of_the_workload(told: dict[str, str]) -> None:
    result, runs = json.loads(told["json"]), json.loads(told["set json"])
    assert result["new_orders"] > 0
    assert result["nopm"] == 60 * result["new_orders"] // result["measured_seconds"]
    assert runs["nopm"] == runs["median"]["nopm"] <= runs["best"]["nopm"]
    assert runs["spread_nopm"] == runs["best"]["nopm"] - runs["worst"]["nopm"]
    (fault,) = result["faults"]
    assert fault["recovery"]["baseline"]["nopm"] == pytest.approx(
        60 * fault["recovery"]["baseline"]["new_orders_per_second"], abs=0.1
    )
    assert {"new_orders_not_taken", "lowest_second_nopm"} <= set(fault["recovery"]["felt"])
    assert {"nopm_before", "nopm_lowest"} <= set(fault["recovery"]["published"])
    rows = list(csv.DictReader(io.StringIO(told["csv"])))
    measured = sum(int(row["new_orders"]) for row in rows if row["phase"] == "measuring")
    assert measured == result["new_orders"]


def test_the_limits_of_the_response_times_are_judged_wherever_a_run_is_reported(told: dict[str, str]) -> None:
    result = json.loads(told["json"])
    assert {"p90", "p90_limit"} <= set(result["rt_rolled_back_ms"])
    for name in ("run", "show", "set", "report run"):
        text = " ".join(told[name].split())
        for transaction, limit_ms in LIMITED.items():
            assert re.search(rf"{transaction} {limit_ms // 1000}\s?000 [\d.]+ met", text, re.IGNORECASE), (
                name,
                transaction,
            )
