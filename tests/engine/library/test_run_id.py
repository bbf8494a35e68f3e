import re
from datetime import UTC, datetime, timedelta, timezone

from engine.library.run_id import new_run_id


def test_an_id_is_the_start_in_utc_and_four_signs():
    berlin = timezone(timedelta(hours=1))
    assert re.fullmatch(r"20261121-043017-[a-z2-9]{4}", new_run_id(datetime(2026, 11, 21, 5, 30, 17, tzinfo=berlin)))


def test_ids_sort_by_the_start_and_differ_within_a_second():
    start = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)
    same_second = {new_run_id(start) for _ in range(20)}
    assert len(same_second) > 1
    assert max(same_second) < new_run_id(start + timedelta(seconds=1))
