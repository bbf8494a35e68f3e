from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.error_counts import ErrorCounts

CLASSES = ("connection_lost", "timeout", "deadlock")
TOLD = st.lists(
    st.tuples(st.integers(1, 4), st.integers(0, 30), st.dictionaries(st.sampled_from(CLASSES), st.integers(1, 9)))
)


@given(TOLD)
def test_all_queries_find_the_same_errors(told: list[tuple[int, int, dict[str, int]]]) -> None:
    errors = ErrorCounts()
    for client, second, counts in told:
        errors.add(client, second, counts)
    whole = sum(sum(counts.values()) for _, _, counts in told)
    assert errors.by_second(31).sum() == whole
    assert sum(errors.by_class().values()) == whole
    assert sum(errors.by_second(31, client=client).sum() for client in range(1, 5)) == whole
    assert sum(errors.by_second(31, error_class=name).sum() for name in errors.classes) == whole


def test_errors_by_second_and_most_frequent_class_first() -> None:
    errors = ErrorCounts()
    errors.add(1, 2, {"timeout": 1, "deadlock": 3})
    errors.add(2, 3, {"timeout": 1})
    assert errors.by_second(5).tolist() == [0, 0, 4, 1, 0]
    assert errors.by_second(3, error_class="timeout").tolist() == [0, 0, 1]
    assert list(errors.by_class().items()) == [("deadlock", 3), ("timeout", 2)]
    assert errors.by_class(2) == {"timeout": 1}


@given(TOLD, st.integers(0, 30), st.integers(0, 30), st.integers(1, 4))
def test_a_clients_errors_between_seconds(
    told: list[tuple[int, int, dict[str, int]]], first: int, end: int, client: int
) -> None:
    errors = ErrorCounts()
    inside: dict[str, int] = {}
    seconds = []
    for number, second, counts in told:
        errors.add(number, second, counts)
        if number == client and first <= second < end:
            seconds += [second for name in counts if name != "deadlock"]
            for name, count in counts.items():
                inside[name] = inside.get(name, 0) + count

    assert errors.between(first, end, client) == inside
    assert errors.first_second(first, end, client, without="deadlock") == min(seconds, default=None)
