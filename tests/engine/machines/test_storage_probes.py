import pytest

from engine.errors import BadInput
from engine.machines.storage_probes import PROBE_LOADS, StorageProbe
from engine.plan.plan import RunPlan


@pytest.mark.parametrize(
    ("text", "probe"),
    [
        ("/data", StorageProbe(folder="/data")),
        ("/data/@db1", StorageProbe(folder="/data", machine="db1")),
        ("/data@db1=mixed", StorageProbe(folder="/data", machine="db1", load="mixed")),
        ("/=read", StorageProbe(folder="/", load="read")),
        ("/a@b/c@db1=log", StorageProbe(folder="/a@b/c", machine="db1")),
    ],
)
def test_a_probe_is_read_from_its_text_and_written_as_one(text: str, probe: StorageProbe) -> None:
    assert StorageProbe.from_text(text) == probe
    assert StorageProbe.from_text(probe.to_text()) == probe


@pytest.mark.parametrize(
    ("text", "words"), [("data", "folder is 'data'"), ("/data=lag", "did you mean 'log'"), ("/d@=log@x", "load is")]
)
def test_a_wrong_probe_is_refused_in_a_sentence_with_an_example(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=rf"storage_probes has '{text}', whose .*{words}.*; write FOLDER"):
        RunPlan(storage_probes=(text,))  # type: ignore[arg-type]


def test_a_plan_keeps_its_probes_and_one_without_stays_as_it_was() -> None:
    plan = RunPlan(storage_probes=("/log@db1", "/data=write"))  # type: ignore[arg-type]
    assert plan.to_dict()["storage_probes"] == ["/log@db1=log", "/data=write"]
    assert RunPlan.from_dict(plan.to_dict()) == plan
    assert "storage_probes" not in RunPlan().to_dict()


def test_every_load_of_a_probe_can_be_driven() -> None:
    from engine.services.storage.volume import _ACCESSES

    assert PROBE_LOADS.keys() == _ACCESSES.keys()
