"""A run's result as the terminal prints it, in the layout of the published tables, and the details of `spindle library
show`."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.table import Table

from app.cli.terminal import one_line
from app.cli.text_page import TextPage, plain_table
from engine.analysis.driver_totals import label_of
from engine.analysis.headline import Headline, headline_of
from engine.analysis.latency.response_limits import LimitRow, limit_rows
from engine.analysis.latency.step_times import TimesColumns, TimesRow, time_rows
from engine.analysis.specification import MixRow, measured_mix, verdict_sentences
from engine.analysis.stages.table import StageTable, shortfall_sentences, stage_sentences, stage_table
from engine.audit.report import AuditReport
from engine.draft.wording import closed_loop_sentence
from engine.figure_text import decimal, duration, milliseconds, percent, planned_length, spaced, whole
from engine.plan.pace import pace_of
from engine.plan.plan import RunPlan
from engine.record.clock import RunClock
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS, Figures, Totals
from engine.report.audit_text import audit_sentences
from engine.report.load_machine_table import load_machine_sentences
from engine.telemetry.event import RunEvent
from engine.telemetry.workstation_text import event_label
from engine.workload.registry import find_workload

_MB = 1_000_000
_NARROW = 100
_ROLLBACKS = "rollback %"
_RECONNECTS = "reconnects"
_COLUMNS = (_ROLLBACKS, "mean ms", "p50", "p95", "p99", "max", "errors", _RECONNECTS)
_LEFT_OUT_WHEN_NARROW = ("p50", _RECONNECTS)
_MIX = ("mix", "share")
_MIX_COLUMNS = (*_MIX, " ")


def result_text(record: RunRecord, width: int | None = None, events: Sequence[RunEvent] = ()) -> str:
    """Text of ``width`` columns, without a trailing newline; ``None``: lines are not wrapped. ``events`` are the
    run's."""
    page = TextPage(width)
    page.line(_head(record))
    if record.totals is not None:
        page.table(_table(headline_of(record.plan.workload), record.totals, narrow=page.width < _NARROW))
        for sentence in _by_store(record):
            page.line()
            page.sentence(sentence)
        if rows := time_rows(record.totals, is_open_loop=record.plan.is_open_loop):
            page.line()
            page.table(_times_table(rows))
            page.line()
            page.sentence(closed_loop_sentence(record.plan))
        for sentence in shortfall_sentences(record.plan, record.totals):
            page.sentence(sentence)
        if limits := limit_rows(record.totals):
            page.line()
            page.table(_limits_table(limits, measured_mix(record.totals)))
        for sentence in verdict_sentences(record.plan, record.totals):
            page.line()
            page.sentence(sentence)
        if record.totals.stages:
            page.line()
            page.table(_stages_table(stage_table(record.totals.stages, headline_of(record.plan.workload))))
        for sentence in stage_sentences(record.totals.stages, headline_of(record.plan.workload), events):
            page.line()
            page.sentence(sentence)
        page.line(f"\n{_errors(record.totals)}")
    return page.text()


def details_text(record: RunRecord, events: Iterable[RunEvent], *, ledger_bytes: int = 0) -> str:
    """The plan, note, servers, workstation, audit and events of a run, one per line."""
    lines = [
        *(("plan", sentence) for sentence in _plans(record.plan)),
        ("note", one_line(record.note)),
        ("tags", ", ".join(record.tags)),
        ("set", one_line(record.run_set)),
        ("configuration", one_line(record.configuration)),
        ("failure", record.failure),
        *(("server", _server(record.plan, server)) for server in record.environment.get("servers") or ()),
        *(("load", server.get("load_account") or "") for server in record.environment.get("servers") or ()),
        *(("driver", server.get("driver") or "") for server in record.environment.get("servers") or ()),
        ("driven by", _workstation(record.environment.get("workstation") or {})),
        *(("driven by", sentence) for sentence in load_machine_sentences(record)),
        *(("client", sentence) for load in record.loads for sentence in _driver(load)),
        *(("audit", sentence) for sentence in _audit(record)),
        ("ledgers", f"{ledger_bytes / _MB:.1f} MB" if ledger_bytes else ""),
        ("imported", str(record.environment.get("imported_from") or "")),
    ]
    printed = [f"{label:<10} {text}" for label, text in lines if text]
    return "\n".join([*printed, "", *_events(record, events)]).rstrip()


def _head(record: RunRecord) -> str:
    plan = record.plan
    workload = find_workload(plan.workload)
    load = "" if plan.profile is None else f", {plan.profile.in_words()}"
    seconds = (record.totals or NO_TOTALS).measured_seconds
    measured = f", measured {duration(seconds)}" if seconds else ""
    started_at = record.started_at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    return (
        f"\n{one_line(record.name)}  ·  run {record.run_id}  ·  {record.state}{measured}\n"
        f"started {started_at}, {_store(plan)}, {plan.threads} {workload.wording.who[1]} per client,"
        f" {pace_of(plan)}{load}\n"
    )


def _table(headline: Headline, totals: Totals, *, narrow: bool) -> Table:
    left_out = {
        *(_LEFT_OUT_WHEN_NARROW if narrow else ()),
        *(() if headline.is_transactional else (_ROLLBACKS,)),
        *(() if headline.has_users else (_RECONNECTS,)),
    }
    columns = [name for name in (headline.label, headline.many, *_COLUMNS) if name not in left_out]
    table = plain_table(("client", *columns), numbers=columns, folding=("client",))
    for client in totals.clients:
        figures = _figures(headline, client)
        table.add_row(one_line(client.label), *(figures[name] for name in columns))
    if len(totals.clients) > 1:
        figures = _figures(headline, totals)
        table.add_row("total", *(figures[name] for name in columns))
    return table


def _times_table(rows: Sequence[TimesRow]) -> Table:
    """The transactions (the headline's with a schedule as served, and all as intended) and their steps."""
    columns = TimesColumns(rows)
    numbers = ("count", "mean", *columns.percentiles, "max")
    table = plain_table(("response time, ms", *numbers), numbers=numbers)
    for row in rows:
        table.add_row(row.name, whole(row.count), *map(decimal, columns.of(row)))
    return table


def _limits_table(rows: Iterable[LimitRow], mix: Iterable[MixRow]) -> Table:
    """The limits of response times and, where the workload specifies a mix, each type's share of it."""
    by_type = {each.transaction: each for each in mix}
    numbers = ("limit of p90", "p90", *(_MIX if by_type else ()))
    table = plain_table(("limits, ms", "limit of p90", "p90", "", *(_MIX_COLUMNS if by_type else ())), numbers=numbers)
    for row in rows:
        share = by_type.get(row.transaction)
        of_mix = ("", "", "") if share is None else (percent(share.specified_pct), share.text, share.verdict)
        table.add_row(row.name, whole(row.limit_ms), decimal(row.p90_ms), row.verdict, *(of_mix if by_type else ()))
    return table


def _by_store(record: RunRecord) -> list[str]:
    """The headline by the stores' own numbers, where they count it."""
    name = find_workload(record.plan.workload).headline.by_store_label
    after_run = (record.totals or NO_TOTALS).after_run or {}
    by_store = {store.url: after_run.get(store.url, {}).get(name) for store in record.plan.stores()}
    named = [
        f"{store.database} {whole(int(by_store[store.url]))}" for store in record.plan.stores() if by_store[store.url]
    ]
    return [f"{name}: {', '.join(named)}"] if named else []


def _stages_table(stages: StageTable) -> Table:
    """The stages of the load, with their minimum, maximum and average."""
    table = plain_table(("stage", *stages.columns), numbers=stages.columns)
    for row in (*stages.rows, *stages.extremes):
        table.add_row(*row)
    return table


def _figures(headline: Headline, figures: Figures) -> dict[str, str]:
    times = figures.times
    texts = (
        decimal(figures.rollback_pct, 2),
        *map(decimal, (times.mean, times.p50, times.p95, times.p99, times.max)),
        whole(figures.error_count),
        whole(figures.counts.get("reconnects")),
    )
    counted = {headline.label: headline.text(figures.headline_rate), headline.many: whole(figures.count)}
    return counted | dict(zip(_COLUMNS, texts, strict=True))


def _errors(totals: Totals) -> str:
    errors = totals.errors
    if errors is None:
        return "errors are not known"
    if not errors:
        return "no errors"
    return "errors: " + ", ".join(f"{whole(count)} {name}" for name, count in sorted(errors.items()))


def _plans(plan: RunPlan) -> list[str]:
    """The plan of each load, in a mixed run under its title."""
    titles = [f"{title}: " for title in plan.titles] if plan.is_mixed else [""]
    return [f"{title}{_plan(load)}" for title, load in zip(titles, plan.loads, strict=True)]


def _plan(plan: RunPlan) -> str:
    workload = find_workload(plan.workload)
    length = planned_length(plan.measured_seconds) if plan.measured_seconds else "until stopped"
    ramp = "" if workload.user is None else f", ramp {plan.ramp_rate:g} users/s"
    return (
        f"{len(plan.client_plans())} clients × {plan.threads} {workload.wording.who[1]}{ramp}, warm-up"
        f" {planned_length(plan.warmup_seconds)}, measuring {length},"
        f" {workload.in_words(plan.parameters)}, seed {plan.seed}"
    )


def _store(plan: RunPlan) -> str:
    workload = find_workload(plan.workload)
    unknown = f"unknown {workload.wording.stores[0]}"
    return unknown if plan.scale is None else workload.store_of(str(plan.scale))


def _server(plan: RunPlan, server: Any) -> str:
    size = (server.get("store") or {}).get("size")
    loads = [load for load in plan.loads if any(store.url == server.get("target") for store in load.stores())]
    workload = find_workload((loads or plan.loads)[0].workload)
    store = f"{size} {workload.wording.stores[0]}" if size is None else workload.store_of(str(size))
    return f"{server.get('product')} {server.get('version')}, {server.get('target')}, {store}"


def _audit(record: RunRecord) -> list[str]:
    if record.audit is None:
        return []
    return [spaced(sentence) for sentence in audit_sentences(AuditReport.from_dict(record.audit), record.plan)]


def _workstation(machine: Any) -> str:
    if not machine:
        return ""
    return (
        f"Spindle {machine.get('spindle')} on {machine.get('system')} {machine.get('release')},"
        f" {machine.get('processors')} × {machine.get('processor')}, {machine.get('memory_mb')} MB"
    )


def _driver(record: RunRecord) -> list[str]:
    """What each client process used, and how late its heartbeat was."""
    sentences, headline = [], headline_of(record.plan.workload)
    for summary in (record.totals or NO_TOTALS).processes or ():
        health = summary.health
        times = {"mean": health.heartbeat_mean_ms, "p99": health.heartbeat_p99_ms, "max": health.heartbeat_max_ms}
        late = ", ".join(f"{name} {milliseconds(time_ms)}" for name, time_ms in times.items())
        waited = f" answers waited {milliseconds(health.order_waited_ms)} ms {headline.a_unit},"
        waited = waited if headline.has_users else ""
        sentences.append(
            f"{one_line(label_of(summary, record.client_labels))}:"
            f" {summary.cpu_user_seconds + summary.cpu_system_seconds:.1f} s CPU, delay ms: {late},"
            f"{waited} longest collector pause {milliseconds(health.longest_gc_pause_ms)} ms,"
            f" late samples {whole(health.late_ticks)}"
        )
    return sentences


def _events(record: RunRecord, events: Iterable[RunEvent]) -> list[str]:
    clock = RunClock.of(record.phases)
    return [f"events, {clock.since}:", *(_event(event, record, clock) for event in events)]


def _event(event: RunEvent, record: RunRecord, clock: RunClock) -> str:
    who = "" if event.client is None else f"{one_line(record.client_labels[event.client - 1])}: "
    detail = f" ({event.detail})" if event.detail else ""
    said = one_line(event_label(event, is_over=record.state.is_final) + detail)
    return f"{clock.moment(event.at_seconds):>9}  {event.kind}: {who}{said}"
