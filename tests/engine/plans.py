"""Hypothesis strategies for plans and what they hold, shared by the tests that write and read them."""

from hypothesis import strategies as st

from engine.dvdstore.sizing import DbSize
from engine.faults.planned import LATEST_SECONDS, PlannedFault
from engine.plan import MOST_CLIENTS, MOST_THREADS, RunPlan
from engine.target import EMBEDDED, POSTGRESQL, Host, Target

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
TARGETS = st.one_of(
    st.builds(Target, kind=st.just(EMBEDDED), database=NAMES, label=st.one_of(st.just(""), NAMES)),
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


def _faults(latest_seconds: float) -> st.SearchStrategy[tuple[PlannedFault, ...]]:
    fault = st.builds(PlannedFault, at_seconds=st.floats(0, latest_seconds), label=LABELS)
    return st.lists(fault, max_size=3).map(tuple)


LABELS = NAMES.filter(lambda text: bool(text.strip()))
FAULTS = _faults(LATEST_SECONDS)
PLANS = st.builds(
    RunPlan,
    name=TEXTS,
    note=TEXTS,
    tags=st.lists(TEXTS, max_size=3).map(tuple),
    targets=st.lists(TARGETS, min_size=1, max_size=4).map(tuple),
    clients=st.integers(1, 8),
    databases=st.integers(1, MOST_CLIENTS // 32),
    db_size=st.one_of(st.none(), st.builds(DbSize, st.integers(1, 1_000), st.sampled_from(["MB", "GB"]))),
    threads=st.integers(1, MOST_THREADS),
    think_time_ms=st.floats(0, 3_600_000),
    ramp_rate=st.floats(0.01, 10_000),
    warmup_minutes=st.floats(0, 1_440),
    minutes=st.one_of(st.just(0.0), st.floats(1, 525_600)),
    faults=_faults(59.9),
    pct_new_customers=st.floats(0, 100),
    n_searches=st.integers(1, 100),
    search_batch_size=st.integers(1, 1_000),
    n_line_items=st.integers(1, 10),
    seed=st.integers(0, 2**63 - 1),
)
