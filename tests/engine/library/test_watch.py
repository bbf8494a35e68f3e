import pytest

from engine.errors import Cancelled
from engine.library.watch import Watch


def test_watch_reports_each_finished_step():
    told = []
    done = [(step, list(told)) for step in Watch(told.append, None).over("abcd", 4)]
    assert done == [("a", []), ("b", [0.25]), ("c", [0.25, 0.5]), ("d", [0.25, 0.5, 0.75])]
    assert told[-1] == 1


def test_watch_begins_no_step_after_cancelling():
    done = []
    steps = Watch(None, lambda: len(done) == 2).over("abcd", 4)
    done += [next(steps), next(steps)]
    with pytest.raises(Cancelled):
        next(steps)


def test_part_reports_its_share_of_the_whole():
    told = []
    whole = Watch(told.append, None)
    for number in range(2):
        list(whole.part(number, 2).over("ab", 2))
    assert told == [0.25, 0.5, 0.75, 1]


def test_a_part_is_cancelled_with_the_whole():
    with pytest.raises(Cancelled):
        list(Watch(None, lambda: True).part(0, 2).over("ab", 2))
