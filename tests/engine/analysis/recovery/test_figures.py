import json

from hypothesis import given, settings

from engine.analysis.recovery.figures import Felt
from engine.analysis.recovery.judging import recoveries_of
from tests.engine.analysis.faulted_runs import SETTINGS, Told, told_runs


@settings(max_examples=15)
@given(told_runs())
def test_to_dict_contains_every_figure(told: Told) -> None:
    for recovery in recoveries_of(told.whole(), SETTINGS):
        plain = recovery.to_dict()

        assert json.loads(json.dumps(plain, allow_nan=False)) == plain
        assert plain["state"] == recovery.state.value
        assert plain["felt"]["relapses"] == recovery.total.felt.relapses
        assert len(plain["clients"]) == told.clients


def test_blackout_seconds_prefers_the_probe() -> None:
    assert Felt().blackout_seconds == 0.0
