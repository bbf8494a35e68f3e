"""Combines the probe's answers of a store's hosts: the sample of a second, and the events when the state changes."""

from hypothesis import given
from hypothesis import strategies as st

from engine.databases.database import ProbeAnswer
from engine.driver.probe_timeline import NO_RESULT, ProbeTimeline, SlotResult
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import ProbeSample

A, B = "a:5432", "b:5432"
SIGNS = {
    "w": SlotResult(ProbeAnswer(takes_writes=True, server="one")),
    "x": SlotResult(ProbeAnswer(takes_writes=True, server="two")),
    "r": SlotResult(ProbeAnswer(takes_writes=False, server="two")),
    "-": NO_RESULT,
}


def messages(*hosts: str) -> tuple[list[ProbeSample], list[RunEvent]]:
    """The samples and events of a store whose hosts showed these signs, a text for each; a blank was not asked."""
    timeline = ProbeTimeline(2, "ds2", [A, B][: len(hosts)])
    for number, symbols in enumerate(hosts):
        for slot, symbol in enumerate(symbols):
            if symbol != " ":
                timeline.record(number, slot, SIGNS[symbol])
    samples, events = [], []
    for second in range(max(map(len, hosts)) // 10):
        sample, of_second = timeline.take(second)
        samples.append(sample)
        events += of_second
    return samples, events


def test_store_has_the_state_of_its_best_host() -> None:
    samples, events = messages("w-r w-r w-", "r-- rw-rrr")  # a slot or two on the other host is no move
    assert samples == [ProbeSample(store=2, second=0, slots="w-r?wwrrwr", host=B)]
    assert events == []


def test_the_host_that_answered_last_is_kept_while_none_does() -> None:
    samples, _ = messages("w" * 10 + "-" * 10 + "-" * 10, "r" * 10 + "-" * 10 + "--------rr")
    assert [sample.host for sample in samples] == [A, A, B]


def test_outage_is_reported_at_begin_and_end() -> None:
    _, events = messages("wwwwwwww--" + "----------" + "--wwwwwwww")

    assert [(event.kind, event.at_seconds, event.label, event.detail) for event in events] == [
        (EventKind.PROBE, 0.9, "ds2 takes no writes", "no host answers, or commits"),
        (EventKind.PROBE, 2.3, "ds2 takes writes again", f"after 1.4 s, on {A}"),
    ]


def test_a_failover_names_both_hosts_and_the_one_that_is_read_only_meanwhile() -> None:
    _, events = messages("wwwww-----" + "----------", "rrrrrrrrrr" + "rrxxxxxxxx")

    assert [(event.at_seconds, event.label, event.detail) for event in events] == [
        (0.6, "ds2 takes no writes", f"{B}: read-only"),
        (1.3, "ds2 takes writes again", f"after 0.7 s, on {B}, before on {A}"),
    ]


def test_switch_without_an_outage_is_reported() -> None:
    _, events = messages("wwwww-rrrr" + "rrrrrrrrrr", "rrrrrrxxxx" + "xxxxxxxxxx")
    assert [(event.at_seconds, event.label, event.detail) for event in events] == [
        (0.7, f"ds2 is on {B} now", f"before on {A}")
    ]


def test_two_writable_servers_are_reported_once() -> None:
    _, events = messages("w" * 20, "rrrxxxxxxx" + "x" * 10)
    assert [(event.at_seconds, event.label) for event in events] == [(0.4, "ds2: 2 servers take writes at once")]
    assert f"{A} and {B}" in events[0].detail


def test_two_names_of_one_server_are_no_two_servers() -> None:
    assert messages("wwww--wwwwwwwww-wwww", "ww-wwwwwwwwwwwwwwwww")[1] == []


def test_late_probe_answer_is_dropped() -> None:
    timeline = ProbeTimeline(1, "ds2", [A])
    timeline.take(0)
    timeline.record(0, 3, SIGNS["w"])
    timeline.record(0, 10, SIGNS["w"])
    assert timeline.take(1)[0].slots == "w?????????"


@given(st.lists(st.text("wr- ", min_size=10, max_size=10), min_size=1, max_size=12))
def test_outages_and_returns_take_turns_and_stand_where_they_happened(seconds: list[str]) -> None:
    samples, events = messages("".join(seconds))
    symbols = "".join(sample.slots for sample in samples)
    assert symbols == "".join(seconds).replace(" ", "?")
    labels = [event.label for event in events]
    assert labels == (["ds2 takes no writes", "ds2 takes writes again"] * len(labels))[: len(labels)]
    for event in events:
        symbol = symbols[round(10 * event.at_seconds) - 1]
        assert (symbol == "w") == event.label.endswith("again")
