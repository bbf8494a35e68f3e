"""Hypothesis strategies for plans and what they hold, shared by the tests that write and read them."""

from dataclasses import replace

from hypothesis import strategies as st

from engine.faults.injections import (
    RESET_TYPES,
    CommandInjection,
    Injection,
    LabInjection,
    RedfishInjection,
    SqlInjection,
    SshInjection,
)
from engine.faults.lab_actions import WORDS, LabAction
from engine.faults.planned import PlannedFault
from engine.parameters.typed_text import LATEST_SECONDS
from engine.plan.load_machines import MOST_CLIENTS
from engine.plan.parameters import MOST_THREADS
from engine.plan.plan import RunPlan
from engine.target.kinds import kind_facts
from engine.target.sql_server_options import INTEGRATED, SqlServerOptions
from engine.target.target import EMBEDDED, FAILOVER_MODES, MARIADB, MSSQL, MYSQL, POSTGRESQL, Host, Target
from engine.workloads.dvdstore.sizing import DbSize

# Whole categories of Unicode take Hypothesis a second to list on a fresh machine; these are the ones that bite.
PRINTABLE = "aZ09éß漢🙂 \"'\\#=%@:/?[]{};,.+-_$"
NAMES = st.text(PRINTABLE, min_size=1, max_size=12)
HOSTS = st.builds(
    Host,
    name=st.one_of(
        st.text("az09.-_", min_size=1, max_size=12),
        st.ip_addresses(v=6).map(str),
        st.text("/az:@,", min_size=1, max_size=12),
    ),
    port=st.integers(1, 65_535),
)
_INSTANCE_NAMES = st.text("AZaz_é漢", min_size=1, max_size=3).flatmap(
    lambda start: st.text("az09_$#é", max_size=13).map(lambda rest: start + rest)
)
SQL_SERVER_HOSTS = st.one_of(
    HOSTS.filter(lambda host: not host.name.isdecimal()),
    st.builds(
        Host,
        name=st.one_of(st.text("az.-", min_size=1, max_size=12), st.ip_addresses(v=6).map(str)),
        port=st.integers(0, 65_535),
        instance=_INSTANCE_NAMES,
    ),
)
DRIVERS = st.one_of(st.just(""), st.sampled_from(["ODBC Driver 18 for SQL Server", "a driver}; of=mine&more", "漢"]))


@st.composite
def _sql_server(draw: st.DrawFn) -> Target:
    partner = draw(st.one_of(st.just(""), st.sampled_from(["db2", "db2\\prod", "db2,1433", "tcp:db2&x=y"])))
    options = SqlServerOptions(
        authentication=draw(st.sampled_from(["sql", INTEGRATED])),
        multi_subnet_failover=not partner and draw(st.booleans()),
        failover_partner=partner,
    )
    hosts = HOSTS.filter(lambda host: not host.name.isdecimal()) if options.multi_subnet_failover else SQL_SERVER_HOSTS
    return Target(
        kind=MSSQL,
        hosts=tuple(draw(st.lists(hosts, min_size=1, max_size=3))),
        database=draw(NAMES),
        user="" if options.authentication == INTEGRATED else draw(NAMES),
        tls=draw(st.sampled_from(kind_facts(MSSQL).tls_modes)),
        label=draw(st.one_of(st.just(""), NAMES)),
        driver=draw(DRIVERS),
        sql_server=options,
    )


TARGETS = st.one_of(
    _sql_server(),
    st.builds(
        Target,
        kind=st.sampled_from([MARIADB, MYSQL]),
        hosts=st.lists(HOSTS, min_size=1, max_size=3).map(tuple),
        database=NAMES,
        user=NAMES,
        tls=st.sampled_from(kind_facts(MARIADB).tls_modes),
        label=st.one_of(st.just(""), NAMES),
        driver=DRIVERS,
    ),
    st.builds(Target, kind=st.just(EMBEDDED), database=NAMES, label=st.one_of(st.just(""), NAMES)),
    st.builds(
        Target,
        kind=st.just(EMBEDDED),
        database=NAMES,
        nodes=st.sampled_from([2, 3]),
        sync=st.booleans(),
        failover=st.sampled_from(FAILOVER_MODES),
    ),
    st.builds(
        Target,
        kind=st.just(POSTGRESQL),
        hosts=st.lists(HOSTS, min_size=1, max_size=3).map(tuple),
        database=NAMES,
        user=NAMES,
        tls=st.sampled_from(["prefer", "require", "verify-full"]),
        label=st.one_of(st.just(""), NAMES),
    ),
)
TEXTS = st.text(PRINTABLE + "\0\t\n\r\x1f\x7f\x85\ufeff\u2028", max_size=40)


LABELS = NAMES.filter(lambda text: bool(text.strip()))
_WORDS = st.one_of(LABELS, st.sampled_from(["for", "then", "on", "of", "repeat", "within", "called", "5s", "'", '"']))
_PLACES = st.sampled_from(["r630", "db-1.example", "10.0.0.7", "fe80::1"])
_USERS = st.sampled_from(["root", "admin", "for", "ä-b"])
_MACHINES = st.sampled_from(["db1", "for", "é-b.x_"])
_TIMEOUTS = st.one_of(st.just(30.0), st.just(60.0), st.floats(0.1, 3_600))


def _lab(action: LabAction, node: int | None, value: float, timeout_seconds: float) -> LabInjection:
    given = value if WORDS[action].value else None
    return LabInjection(action=action, node=node, value=given, timeout_seconds=timeout_seconds)


INJECTIONS: st.SearchStrategy[Injection] = st.one_of(
    st.builds(
        _lab, st.sampled_from(LabAction), st.one_of(st.none(), st.integers(1, 3)), st.floats(0.001, 100_000), _TIMEOUTS
    ),
    st.builds(
        CommandInjection, arguments=st.lists(_WORDS, min_size=1, max_size=4).map(tuple), timeout_seconds=_TIMEOUTS
    ),
    st.builds(CommandInjection, arguments=st.tuples(_WORDS), shell=st.just(True)),
    st.builds(
        SshInjection,
        host=_PLACES,
        command=_WORDS,
        user=st.one_of(st.just(""), _USERS),
        port=st.one_of(st.none(), st.integers(1, 65_535)),
        timeout_seconds=_TIMEOUTS,
    ),
    st.builds(SshInjection, machine=_MACHINES, command=_WORDS, timeout_seconds=_TIMEOUTS),
    st.builds(
        RedfishInjection,
        reset_type=st.sampled_from(RESET_TYPES),
        machine=_MACHINES,
        system=st.one_of(st.just(""), st.sampled_from(["1", "as"])),
    ),
    st.builds(
        SqlInjection,
        statement=_WORDS,
        host=st.one_of(st.integers(1, 9).map(str), _PLACES),
        target=st.integers(1, 3),
        timeout_seconds=_TIMEOUTS,
    ),
    st.builds(
        RedfishInjection,
        reset_type=st.sampled_from(RESET_TYPES),
        url=st.sampled_from(["https://bmc", "https://bmc:8443", "https://[fe80::1]"]),
        user=_USERS,
        system=st.one_of(st.just(""), st.sampled_from(["1", "as", "System.Embedded.1"])),
        fingerprint=st.one_of(st.just(""), st.just("ab" * 32)),
        timeout_seconds=_TIMEOUTS,
    ),
)


@st.composite
def _injected(draw: st.DrawFn, latest_seconds: float) -> PlannedFault:
    lasts = draw(st.one_of(st.none(), st.floats(0.001, 5)))
    at_seconds = draw(st.floats(0, latest_seconds))
    return PlannedFault(
        at_seconds=at_seconds,
        label=draw(st.one_of(st.just(""), LABELS)),
        injection=draw(INJECTIONS),
        end_after_seconds=lasts,
        end=None if lasts is None else draw(INJECTIONS),
        steady_by_seconds=draw(st.one_of(st.none(), st.floats(at_seconds, latest_seconds))),
        repeat=draw(st.integers(1, 3)),
        every_seconds=draw(st.floats(5.002, 10)),
    )


def _faults(latest_seconds: float) -> st.SearchStrategy[tuple[PlannedFault, ...]]:
    mark = st.builds(PlannedFault, at_seconds=st.floats(0, latest_seconds), label=LABELS, is_fault=st.booleans())
    return st.lists(st.one_of(mark, _injected(latest_seconds)), max_size=3).map(tuple)


FAULTS = _faults(LATEST_SECONDS - 60)


def of_one_lab(targets: list[Target]) -> tuple[Target, ...]:
    """The targets, those on the embedded server in the shape of the first of them."""
    first = next((each for each in targets if each.kind == EMBEDDED), None)
    if first is None:
        return tuple(targets)
    shape = {"nodes": first.nodes, "sync": first.sync, "failover": first.failover}
    return tuple(replace(each, **shape) if each.kind == EMBEDDED else each for each in targets)


PLANS = st.builds(
    RunPlan,
    name=TEXTS,
    note=TEXTS,
    tags=st.lists(TEXTS, max_size=3).map(tuple),
    targets=st.lists(TARGETS, min_size=1, max_size=4).map(of_one_lab),
    clients=st.integers(1, 8),
    databases=st.integers(1, MOST_CLIENTS // 32),
    threads=st.integers(1, MOST_THREADS),
    think_time_ms=st.floats(0, 3_600_000),
    ramp_rate=st.floats(0.01, 10_000),
    warmup_minutes=st.floats(0, 1_440),
    minutes=st.one_of(st.just(0.0), st.floats(1, 525_600)),
    faults=_faults(30),
    seed=st.integers(0, 2**63 - 1),
    reset=st.sampled_from([None, True, False]),
    audit=st.sampled_from([None, True, False]),
    parameters=st.fixed_dictionaries(
        {
            "db_size": st.one_of(st.none(), st.builds(DbSize, st.integers(1, 1_000), st.sampled_from(["MB", "GB"]))),
            "pct_new_customers": st.floats(0, 100),
            "n_searches": st.integers(1, 100),
            "search_batch_size": st.integers(1, 1_000),
            "n_line_items": st.integers(1, 10),
        }
    ),
)
