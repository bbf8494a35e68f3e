"""Campaigns for tests: one of every kind of step, and a strategy for any."""

from typing import Any

from hypothesis import strategies as st

from engine.campaign.plan import CampaignPlan

RUN_PLAN: dict[str, Any] = {"minutes": 0.5, "warmup_minutes": 0.0, "threads": 2, "targets": ["embedded:///ds2"]}
ACT = "shell 'true'"
PREPARED = [
    {"kind": "reset"},
    {"kind": "act", "do": ACT},
    {"kind": "wait", "for": "port 127.0.0.1:1", "deadline_seconds": 30},
    {"kind": "idle", "minutes": 0.5},
]


def campaign(*steps: dict[str, Any], name: str = "tested", **plan: Any) -> CampaignPlan:
    return CampaignPlan.from_dict({"name": name, "plan": RUN_PLAN | plan, "steps": list(steps)})


def cycle(repeat: int = 2) -> dict[str, Any]:
    return {"kind": "cycle", "repeat": repeat, "steps": [*PREPARED, {"kind": "run"}]}


def sweep(**over: list[Any]) -> dict[str, Any]:
    return {"kind": "sweep", "over": over, "steps": [{"kind": "reset"}, {"kind": "run", "repeat": 2}]}


def search(**changed: Any) -> dict[str, Any]:
    values = {"kind": "search", "field": "threads", "from": 1, "to": 64, "hold": ["p95_ms <= 20"]}
    return values | {"steps": [{"kind": "reset"}, {"kind": "run"}]} | changed


_HOSTS = st.sampled_from(["r630", "10.0.0.7", "db-1.lab", "machine:db1", "machine"])
_PLACES = st.sampled_from(["", " on root@r630", " on r630:2222", " on machine:db1"])
CONDITIONS = st.one_of(
    _HOSTS.map(lambda host: f"ping {host}"),
    st.builds(lambda host, port: f"port {host}:{port}", _HOSTS, st.integers(1, 65_535)),
    st.builds(lambda place: f"service postgresql@15-main{place}", _PLACES),
    st.builds(lambda below, place: f"load below {below / 10:g}{place}", st.integers(1, 999), _PLACES),
    st.sampled_from(["sql", "sql 'SELECT 1 FROM x'", "sql 'SELECT now()' on host2 of target 2", "replication",
                     "replication within 2.5"]),
)  # fmt: skip
_FAILURES = st.sampled_from(["stop", "continue"])
_LEAVES = st.one_of(
    st.builds(lambda at: {"kind": "reset", "at_failure": at}, _FAILURES),
    st.builds(
        lambda do, at: {"kind": "act", "do": do, "at_failure": at},
        st.sampled_from([ACT, "kill primary", "ssh root@r630 'reboot'", "sql 'SELECT 1' on host1 within 5s"]),
        _FAILURES,
    ),
    st.builds(lambda text, seconds: {"kind": "wait", "for": text, "deadline_seconds": seconds},
              CONDITIONS, st.integers(1, 600)),
    st.builds(lambda minutes, machines: {"kind": "idle", "minutes": minutes, "watts_of": machines},
              st.integers(1, 60), st.lists(st.sampled_from(("server", "storage")), unique=True)),
    st.builds(lambda repeat, users: {"kind": "run", "repeat": repeat, "with": {"threads": users}},
              st.integers(1, 5), st.integers(1, 9)),
)  # fmt: skip
_INNER = st.lists(_LEAVES, max_size=3).map(lambda leaves: [*leaves, {"kind": "run"}])
STEPS = st.one_of(
    _LEAVES,
    st.builds(lambda steps, repeat: {"kind": "cycle", "steps": steps, "repeat": repeat}, _INNER, st.integers(1, 4)),
    st.builds(
        lambda steps, users: {"kind": "sweep", "steps": steps, "over": {"threads": users, "think_time_ms": [0, 20]}},
        _INNER, st.lists(st.integers(1, 99), min_size=1, max_size=4, unique=True),
    ),
    st.builds(lambda steps, most: search(steps=steps, to=most), _INNER, st.integers(2, 99)),
)  # fmt: skip
CAMPAIGNS = st.lists(STEPS, min_size=1, max_size=4).map(lambda steps: campaign(*steps))
