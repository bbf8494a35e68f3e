from typing import Any

import pytest

from engine.analysis.recovery.settings import RecoverySettings
from engine.errors import BadInput


def test_settings_defaults_match_the_help() -> None:
    settings = RecoverySettings()

    assert (settings.baseline_seconds, settings.least_baseline_seconds, settings.hold_seconds) == (60, 10, 5)
    assert (settings.threshold, settings.shares_pct) == (0.95, (50.0, 80.0, 95.0))


def test_settings_round_trip() -> None:
    settings = RecoverySettings(baseline_seconds=30, shares_pct=(90, 50), most_spread_pct=7.5)

    assert RecoverySettings.from_dict(settings.to_dict()) == settings
    assert settings.shares_pct == (50, 90)
    assert RecoverySettings.from_dict({}) == RecoverySettings()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"baseline_seconds": 9}, "baseline_seconds is 9; give whole seconds 10 to 3600 s."),
        ({"baseline_seconds": 60.5}, "baseline_seconds is 60.5; give whole seconds 10 to 3600 s."),
        ({"least_baseline_seconds": 5}, "least_baseline_seconds is 5; give whole seconds 10 to 3600 s."),
        ({"threshold_pct": 101}, "threshold_pct is 101; give a number 1 to 100 %."),
        ({"shares_pct": (0,)}, "shares_pct is 0; give a number 1 to 100 %."),
        ({"hold_seconds": True}, "hold_seconds is True; give whole seconds 1 to 60 s."),
        ({"onset_seconds": 2}, "onset_seconds is 2; give whole seconds 5 to 3600 s."),
        ({"most_drift_pct": "much"}, "most_drift_pct is 'much'; give a number 1 to 100 %."),
        ({"horizon_seconds": 60}, "horizon_seconds is 60; give whole seconds 120 to 86400 s."),
        ({"shares_pct": 95}, "shares_pct is 95; give a list of per cents, such as [50, 80, 95]."),
    ],
)
def test_invalid_setting_is_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput) as refused:
        RecoverySettings.from_dict(wrong)
    assert str(refused.value) == said


def test_unknown_setting_is_named() -> None:
    with pytest.raises(BadInput, match="recovery key 'hold' is not known; known keys are baseline_seconds"):
        RecoverySettings.from_dict({"hold": 5})
