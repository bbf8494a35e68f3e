"""A run with one load, of which the data are made already."""

from engine.analysis.loads_data import LoadsData
from engine.analysis.run_data import RunData


def loads_of(run: RunData) -> LoadsData:
    """The run in the form in which pages of runs in progress take it."""
    loads = LoadsData(run.plan, run_id=run.run_id, name=run.name)
    loads.loads = (run,)
    return loads
