"""What the settings hold, as values, also when an older or another version wrote it."""

from app.settings import Settings
from app.stored_settings import mark_kinds_of, mark_kinds_texts, recovery_settings_of
from engine.analysis.recovery.settings import RecoverySettings
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS, MarkKind


def test_kinds_of_marks_come_back_as_they_were() -> None:
    kinds = [
        MarkKind(label="Switch off", key="F6", is_fault=True),
        MarkKind(label="Switch on", key="F8", ends_fault=True),
        MarkKind(label="Remark", asks_text=True),
    ]
    assert mark_kinds_of(Settings(mark_kinds=mark_kinds_texts(kinds))) == kinds


def test_a_kind_whose_key_the_window_uses_by_now_stays_without_the_key() -> None:
    stored = mark_kinds_texts([MarkKind(label="Switch off", key="F5", is_fault=True)])
    assert mark_kinds_of(Settings(mark_kinds=stored)) == [MarkKind(label="Switch off", is_fault=True)]


def test_a_fault_that_was_made_a_mere_moment_stays_one() -> None:
    kinds = [MarkKind(label="Failover", key="F10")]
    assert mark_kinds_of(Settings(mark_kinds=mark_kinds_texts(kinds))) == kinds


def test_kinds_that_were_kept_before_there_were_faults_are_what_they_say() -> None:
    texts = [{"label": kind.label, "key": kind.key, "asks_text": kind.asks_text} for kind in DEFAULT_MARK_KINDS]
    assert mark_kinds_of(Settings(mark_kinds=texts)) == list(DEFAULT_MARK_KINDS)
    assert mark_kinds_of(Settings(mark_kinds=[{"label": "Fan swapped"}])) == [MarkKind(label="Fan swapped")]


def test_the_way_to_judge_comes_back_and_what_cannot_be_is_the_usual_way() -> None:
    settings = RecoverySettings(threshold_pct=90, hold_seconds=10, baseline_seconds=120)
    assert recovery_settings_of(Settings(recovery=settings.to_dict())) == settings
    assert recovery_settings_of(Settings(recovery={"threshold_pct": 400})) == RecoverySettings()
    assert recovery_settings_of(Settings(recovery={"colour": "red"})) == RecoverySettings()
    assert recovery_settings_of(Settings()) == RecoverySettings()
