import pytest

from engine.faults.countdown import LONGEST_SECONDS, countdown


def test_countdown_beeps_each_second_and_ends_with_pull() -> None:
    beeps = countdown(3)
    assert [(beep.after_seconds, beep.left_seconds, beep.pull) for beep in beeps] == [
        (0.0, 3, False),
        (1.0, 2, False),
        (2.0, 1, False),
        (3.0, 0, True),
    ]


@pytest.mark.parametrize(("seconds", "beeps"), [(0, 1), (-5, 1), (10_000, LONGEST_SECONDS + 1)])
def test_how_long_it_can_be(seconds: int, beeps: int) -> None:
    assert len(countdown(seconds)) == beeps
    assert [beep.pull for beep in countdown(seconds)].count(True) == 1
