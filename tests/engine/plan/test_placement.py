from hypothesis import given
from hypothesis import strategies as st

from engine.plan.load_machines import LoadMachine
from engine.plan.placement import placed_by_processors, placed_evenly

PROCESSORS = st.dictionaries(st.sampled_from(["a", "b", "c", "d", "e"]), st.integers(1, 256), min_size=1)


def test_evenly_the_first_ones_have_one_more() -> None:
    assert placed_evenly(["a", "b", "c"], 8) == (LoadMachine("a", 3), LoadMachine("b", 3), LoadMachine("c", 2))
    assert placed_evenly(["a", "b", "c"], 1) == (LoadMachine("a", 1),)
    assert placed_evenly([], 4) == ()


def test_by_processors() -> None:
    assert placed_by_processors({"a": 16, "b": 4}, 10) == (LoadMachine("a", 8), LoadMachine("b", 2))
    assert placed_by_processors({"a": 64, "b": 1}, 4) == (LoadMachine("a", 4),)


@given(processors=PROCESSORS, clients=st.integers(1, 256))
def test_every_client_is_placed_and_none_is_off_by_one(processors: dict[str, int], clients: int) -> None:
    placed = {each.name: each.clients for each in placed_by_processors(processors, clients)}
    assert sum(placed.values()) == clients
    for name, count in processors.items():
        assert abs(placed.get(name, 0) - clients * count / sum(processors.values())) < 1
