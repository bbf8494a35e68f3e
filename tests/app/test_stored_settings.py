"""What the settings hold, as values, also when an older or another version wrote it."""

from app.settings import Settings
from app.stored_settings import mark_kinds_of, mark_kinds_texts, recovery_settings_of
from engine.analysis.recovery.settings import RecoverySettings
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS, MarkKind


def test_mark_kinds_round_trip() -> None:
    kinds = [
        MarkKind(label="Switch off", key="F6", is_fault=True),
        MarkKind(label="Switch on", key="F8", ends_fault=True),
        MarkKind(label="Remark", asks_text=True),
    ]
    assert mark_kinds_of(Settings(mark_kinds=mark_kinds_texts(kinds))) == kinds


def test_mark_kind_with_a_key_used_by_the_window_loses_the_key() -> None:
    stored = mark_kinds_texts([MarkKind(label="Switch off", key="F5", is_fault=True)])
    assert mark_kinds_of(Settings(mark_kinds=stored)) == [MarkKind(label="Switch off", is_fault=True)]


def test_mark_kind_changed_to_no_fault_is_kept() -> None:
    kinds = [MarkKind(label="Failover", key="F10")]
    assert mark_kinds_of(Settings(mark_kinds=mark_kinds_texts(kinds))) == kinds


def test_older_mark_kinds_are_classified_by_name() -> None:
    texts = [{"label": kind.label, "key": kind.key, "asks_text": kind.asks_text} for kind in DEFAULT_MARK_KINDS]
    assert mark_kinds_of(Settings(mark_kinds=texts)) == list(DEFAULT_MARK_KINDS)
    assert mark_kinds_of(Settings(mark_kinds=[{"label": "Fan swapped"}])) == [MarkKind(label="Fan swapped")]


def test_recovery_settings_round_trip_with_defaults_for_invalid_values() -> None:
    settings = RecoverySettings(threshold_pct=90, hold_seconds=10, baseline_seconds=120)
    assert recovery_settings_of(Settings(recovery=settings.to_dict())) == settings
    assert recovery_settings_of(Settings(recovery={"threshold_pct": 400})) == RecoverySettings()
    assert recovery_settings_of(Settings(recovery={"colour": "red"})) == RecoverySettings()
    assert recovery_settings_of(Settings()) == RecoverySettings()
