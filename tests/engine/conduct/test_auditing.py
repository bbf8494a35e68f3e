"""What was lost at which fault."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.audit.report import FaultLoss
from engine.conduct.auditing import FaultMoment, losses_at

MOMENTS = st.lists(st.integers(0, 200), max_size=20)


def faults(*moments: float) -> list[FaultMoment]:
    return [FaultMoment(at_seconds=moment, label=f"fault {moment:g}") for moment in moments]


def test_the_recovery_point_is_the_age_of_the_oldest_loss() -> None:
    assert losses_at(faults(40.0, 100.0), np.array([39.5, 39.9, 40.2, 99.0])) == (
        FaultLoss(at_seconds=40.0, label="fault 40", gone=3, oldest_age_seconds=0.5),
        FaultLoss(at_seconds=100.0, label="fault 100", gone=1, oldest_age_seconds=1.0),
    )


def test_fault_with_only_later_losses_has_recovery_point_zero() -> None:
    (loss,) = losses_at(faults(40.0), np.array([41.0, 47.5]))
    assert (loss.gone, loss.oldest_age_seconds) == (2, 0.0)


def test_no_faults_or_losses_have_no_recovery_point() -> None:
    assert losses_at([], np.array([1.0])) == ()
    assert losses_at(faults(5.0), np.empty(0))[0].gone == 0


def test_losses_of_a_lagging_standby_count_for_the_servers_end() -> None:
    lagged, ended = losses_at(faults(5.0, 5.5), np.array([4.8, 5.1, 5.2, 5.6]))
    assert (lagged.gone, ended.gone) == (1, 3)
    assert ended.oldest_age_seconds == 0.4


def test_losses_after_a_network_fault_count_for_it() -> None:
    first, second = losses_at(faults(40.0, 100.0), np.array([41.0, 47.0, 85.0]))
    assert (first.gone, second.gone) == (2, 1)


@given(moments=MOMENTS, at=st.lists(st.integers(0, 200), min_size=1, max_size=4, unique=True).map(sorted))
def test_each_loss_counts_for_the_next_or_nearest_fault(moments: list[int], at: list[int]) -> None:
    losses = losses_at(faults(*at), np.array(moments, dtype=float))
    assert [loss.at_seconds for loss in losses] == at
    charged = [
        min((fault for fault in at if moment <= fault <= moment + 10), default=None)
        or min(at, key=lambda fault: abs(fault - moment))
        for moment in moments
    ]
    assert [loss.gone for loss in losses] == [charged.count(fault) for fault in at]
    for loss in losses:
        oldest = min(
            (moment for moment, fault in zip(moments, charged, strict=True) if fault == loss.at_seconds), default=at[-1]
        )
        assert loss.oldest_age_seconds == max(0, loss.at_seconds - oldest)
