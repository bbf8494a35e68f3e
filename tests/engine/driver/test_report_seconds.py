from hypothesis import given
from hypothesis import strategies as st

from engine.driver.report_seconds import ReportSeconds


@given(
    offset=st.floats(0.0, 0.999),
    jitters=st.lists(st.floats(-0.3, 0.3), min_size=2, max_size=100),
)
def test_reports_that_come_about_every_second_are_of_one_second_each(offset: float, jitters: list[float]) -> None:
    seconds, ended, found = ReportSeconds(), 5 + offset, []
    for number, jitter in enumerate(jitters, start=1):
        began, ended = ended, 5 + offset + number + jitter
        found.append(seconds.of(began, ended))
    assert found == list(range(found[0], found[0] + len(jitters)))
    assert abs(found[0] + 0.5 - (5 + offset + 0.5)) <= 1


def test_after_a_pause_reports_are_of_the_seconds_in_which_they_lie() -> None:
    seconds = ReportSeconds()
    assert [seconds.of(0.0, 1.0), seconds.of(1.0, 2.0)] == [0, 1]
    assert seconds.of(9.0, 10.0) == 9
    assert seconds.next == 10


def test_a_second_without_a_report_is_never_given_to_one() -> None:
    seconds = ReportSeconds()
    assert seconds.of(0.0, 1.0) == 0
    assert seconds.skip() == 1
    assert seconds.of(1.2, 1.9) == 2
