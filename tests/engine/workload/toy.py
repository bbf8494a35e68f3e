"""A workload that nobody knows, as an installed package of a third party brings it; it can be planned, not run."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.workload import registry

TOY = """
from engine.workload.rows.estimate import estimate_of
from engine.parameters.parameter import Choice, Flag, Minutes, Number, Parameter, Part, Text, Whole
from engine.workload.rows.columns import integer
from engine.workload.transaction import Metric, TransactionType
from engine.workload.workload import Workload


def estimate(shops):
    return estimate_of(
        str(shops), {"shop": (integer("id"),)}, {"shop": shops}, {"shop": (("id",),)}
    )


TOY = Workload(
    id="toy",
    title="Toy",
    scale_key="shops",
    small_scale=1,
    usual_scale=1,
    estimate=estimate,
    transactions=(TransactionType(id="visit", label="Visit", plural="visits"),),
    headline=Metric(id="vpm", label="VPM", unit="visits/min", counts="visit"),
    user=None,
    bindings="toy_bindings",
    parameters=(
        Parameter(
            key="shops", label="Shops", type=Whole(1, 10_000), default=10, part=Part.DATABASE,
            help="How large the database is.", noun=("shop", "shops"),
        ),
        Parameter(
            key="blend", label="Blend", type=Choice(("specified", "drawn")), default="specified", help="Which shares.",
            mnemonic="x",
        ),
        Parameter(key="rolled_back", label="Rolled back", type=Number(0, 100), default=1.0, help="Share.", unit="%"),
        Parameter(key="keying_minutes", label="Keying time", type=Minutes(0, 10), default=0.5, help="Before each."),
        Parameter(key="waits", label="Waits", type=Flag(), default=False, help="Keying times as specified."),
        Parameter(key="prefix", label="Prefix", type=Text(), default="", help="Of names."),
    ),
)
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The id of a workload that is found by the entry point of an installed package."""
    monkeypatch.syspath_prepend(str(tmp_path))
    with installed(tmp_path, "toy", TOY):
        yield "toy"


@contextmanager
def installed(folder: Path, workload_id: str, source: str) -> Iterator[None]:
    """A package in a folder of ``sys.path``, with a module of this source, whose ``TOY`` is the workload of this id."""
    module = f"{workload_id}_workload"
    (folder / f"{module}.py").write_text(source)
    install(folder, workload_id, f"{module}:TOY")
    registry.find_workload.cache_clear()
    yield
    registry.find_workload.cache_clear()
    sys.modules.pop(module, None)


def install(folder: Path, workload_id: str, place: str) -> None:
    """Metadata in the folder that name a workload's place as an entry point."""
    info = folder / f"{workload_id}_workload-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {workload_id}-workload\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[spindle.workloads]\n{workload_id} = {place}\n")
