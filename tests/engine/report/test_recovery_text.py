from engine.analysis.headline import headline_of
from engine.analysis.recovery.figures import Recovery
from engine.analysis.recovery.judging import recovery_of
from engine.analysis.recovery.spread import recovery_spread
from engine.report.fault_repetitions import spread_rows
from engine.report.recovery_rows import RecoveryRow, recovery_rows
from engine.report.recovery_text import recovery_sentences, recovery_table
from engine.telemetry.event import EventCode
from tests.engine.analysis.faulted import Orders, constant, fault, run_of
from tests.engine.analysis.recovery.test_published import published_case
from tests.engine.events import limit
from tests.texts import lacks, one_with, plain

OUTAGE = [*constant(60, 2_000), *constant(3, 0), *constant(5, 1_000), *constant(60, 2_000)]


def recovery(*clients: Orders, at: int | None = None) -> Recovery:
    return recovery_of(run_of(*clients), fault(60.4, label="Enclosure pulled"), at=at)


def rows_of(of: Recovery) -> list[RecoveryRow]:
    return recovery_rows(of, of.total)


RELAPSE = [*constant(60, 2_000), *constant(3, 0), *constant(20, 2_000), *constant(150, 1_000), *constant(60, 2_000)]


def test_relapse_is_in_headline_rows_and_table() -> None:
    busy = limit(80.0, EventCode.WORKSTATION_BUSY, "up to 99 % in use", lasted_seconds=150, busy_pct=99, number=9)
    run = run_of(RELAPSE)
    run.put_event(busy)
    found = recovery_of(run, fault(60.4, label="Enclosure pulled"))
    rows = {row.figure: plain(row.value) for row in rows_of(found) if row.group == "Relapses"}

    assert lacks(recovery_sentences(found)[0], "2.6 s", "relapse at 1:23", "2:30 min", "50 %", "99 % busy") == []
    assert rows == {
        "Relapse 1": "at 1:23 for 2:30 min",
        "… 1: lowest second": "50.0 %",
        "… 1: orders missed": "150 000",
        "… 1: limited by": "workstation 99 % busy",
        "Last relapse over after": "2:53 min",
    }
    assert plain(recovery_table([found])[0][4]) == "at 1:23 for 2:30 min"
    assert plain(recovery_table([recovery_of(run, fault(60.4), at=100)])[0][4]) == "at 1:23 for 17 s, not over"
    assert recovery_table([recovery_of(run, fault(60.4), at=62)])[0][4] == "–"


def test_outage_has_sentences_on_state_outage_cost_and_running_opm() -> None:
    state, outage, cost, running = recovery_sentences(recovery(OUTAGE))
    assert lacks(state, "recovered", "7.6 s") == []
    assert lacks(outage, "black-out 3 s", "brown-out 5 s", "detection lag 0.0 s") == []
    assert lacks(cost, "11 000 orders", "5.5 s") == []
    assert lacks(running, "120 000", "110 294", "8.09 %", "7.6 s", "not back") == []


def test_published_case_has_its_figures_in_sentences() -> None:
    sentences = recovery_sentences(recovery_of(published_case(), fault(1_200)))
    running = one_with(sentences, "running OPM")
    assert lacks(running, "76 129", "76 010", "0.16 %", "12 s", "26 s later") == []
    assert lacks(one_with(sentences, "brown-out"), "no black-out", "brown-out 12 s") == []


def test_sentences_during_the_fault_are_provisional() -> None:
    sentences = recovery_sentences(recovery(OUTAGE, OUTAGE, at=66))
    assert lacks(sentences[0], "not yet 95 %", "5 s") == []
    assert lacks(one_with(sentences, "missed"), "18 000 orders", "so far", "4.5 s") == []
    assert lacks(one_with(sentences, "slowest"), "ds2 #1", "not recovered") == []


def test_fault_without_effect_has_a_short_sentence() -> None:
    state, running = recovery_sentences(recovery(constant(130)))
    assert lacks(state, "no effect", "95 %") == []
    assert lacks(running, "did not fall", "6 000") == []


def test_rows_have_each_known_figure_once() -> None:
    rows = rows_of(recovery(OUTAGE))
    values = {(row.group, row.figure): plain(row.value) for row in rows}

    assert len(values) == len(rows)
    assert values["Baseline", "OPM before"] == "120 000"
    assert values["As felt", "Recovered after"] == "7.6 s"
    assert values["As felt", "Last order before at"] == "0:59"
    assert values["As felt", "Lowest window (OPM)"] == "45.0 % (54 000)"
    assert values["As published", "Drop"] == "8.09 %"
    assert values["As published", "Back after another"] == "–"
    assert values["As TPC-E defines it", "Business recovery"] == "2.6 s (provisional)"
    assert values["Response times", "During"] == "–"
    assert values["Calls and users", "Errors"] == "0"
    assert ("As felt", "Black-out by the probe") not in values


def test_refused_baseline_has_a_row() -> None:
    rows = {row.figure: row.value for row in rows_of(recovery([50, 150] * 60))}

    assert plain(rows["Refused"]).startswith("The 60 s before the fault were not steady")
    assert rows["Orders missed"] == "–"


def test_table_has_a_row_for_each_fault() -> None:
    line = recovery_table([recovery(OUTAGE)])[0]

    assert [plain(each) for each in line] == [
        "1:00.4", "Enclosure pulled", "recovered", "7.6 s", "none", "3 s", "11 000", "8.09 %",
    ]  # fmt: skip


def test_spread_rows_have_median_worst_and_values() -> None:
    late = [*constant(60, 2_000), *constant(60, 500)]
    alike = spread_rows(headline_of("dvdstore"), recovery_spread([recovery(OUTAGE)] * 2))
    rows = {row[0]: [plain(row[1]), plain(row[2]), *map(plain, row[3])] for row in alike}
    assert rows["Recovered after"] == ["7.6 s"] * 4
    assert rows["OPM before"] == ["120 000 OPM"] * 4
    assert "Back at the level before after" not in rows

    mixed = {
        row[0]: row[1:]
        for row in spread_rows(headline_of("dvdstore"), recovery_spread([recovery(OUTAGE), recovery(late)]))
    }
    assert mixed["Recovered after"][1:] == ("not recovered", ("7.6\u202fs", "not recovered"))


def test_figure_that_rounds_to_zero_has_no_sign() -> None:
    drifted = recovery([100] * 59 + [99] + [100] * 70)
    drift = next(plain(row.value) for row in rows_of(drifted) if row.figure == "Drift")
    assert drifted.total.baseline.drift_pct is not None
    assert drifted.total.baseline.drift_pct < 0
    assert drift == "0.0 %"
