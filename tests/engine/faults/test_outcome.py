from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from engine.faults.outcome import OUTPUT_LIMIT, AuditLine, Outcome, current_user, shortened
from engine.secrets import Secret

ASKED = datetime(2026, 11, 21, 8, 12, 40, 100_000, tzinfo=UTC)
BEGAN = datetime(2026, 11, 21, 8, 12, 40, 150_000, tzinfo=UTC)
DONE = datetime(2026, 11, 21, 8, 12, 41, tzinfo=UTC)


def a_line(outcome: Outcome | None) -> AuditLine:
    done_at = None if outcome is None else DONE
    return AuditLine(who="alice", what="Run x.", asked_at=ASKED, began_at=BEGAN, done_at=done_at, outcome=outcome)


def test_line_has_target_action_time_and_outcome() -> None:
    assert a_line(None).text() == (
        "by alice; Run x; asked 2026-11-21T08:12:40.100Z; began 2026-11-21T08:12:40.150Z; under way"
    )
    assert a_line(Outcome(output="one / two", exit_code=3, failure="it failed")).text() == (
        "by alice; Run x; asked 2026-11-21T08:12:40.100Z; began 2026-11-21T08:12:40.150Z;"
        " done 2026-11-21T08:12:41.000Z; exit code 3; it failed; output: one / two"
    )


def test_secrets_in_it_are_covered() -> None:
    outcome = Outcome(output="login with tiger at postgresql://me:lion@db1/ds2")
    text = a_line(outcome).text([Secret("tiger"), Secret("")])
    assert text.endswith("output: login with ••• at postgresql://me:•••@db1/ds2")


@given(st.text(max_size=200), st.integers(1, 60), st.integers(0, 5))
def test_output_is_one_line_of_limited_length(text: str, times: int, left_out: int) -> None:
    short = shortened(text * times, left_out=left_out)
    assert short.isprintable()
    assert len(short) <= OUTPUT_LIMIT + len(" … (1000000 characters more)")
    assert short.endswith("characters more)") or not left_out


def test_outcome_names_a_requester() -> None:
    assert current_user()
