from engine.draft.draft_history import DraftHistory, changed_paths
from engine.draft.fault_draft import FaultDraft
from engine.draft.plan_draft import PlanDraft
from engine.draft.target_draft import TargetDraft


def _typed(history: DraftHistory, draft: PlanDraft, field: str, *texts: str) -> None:
    for text in texts:
        draft.typed[field] = text
        history.record(draft)


def test_undo_and_redo_restore_the_draft() -> None:
    draft = PlanDraft()
    history = DraftHistory(draft)
    draft.targets.append(TargetDraft(kind="postgresql", hosts="db1"))
    draft.typed["threads"] = "32"
    history.record(draft)
    assert history.undo() == PlanDraft()
    assert not history.can_undo
    assert history.redo() == draft
    assert not history.can_redo


def test_typing_in_one_field_is_one_undo_step() -> None:
    draft = PlanDraft()
    history = DraftHistory(draft)
    _typed(history, draft, "threads", "3", "32", "320")
    _typed(history, draft, "note", "a", "ab")
    assert history.undo() == PlanDraft(typed={"threads": "320"})
    assert history.undo() == PlanDraft()
    assert history.undo() is None


def test_leaving_a_field_begins_a_new_undo_step() -> None:
    draft = PlanDraft()
    history = DraftHistory(draft)
    _typed(history, draft, "threads", "16")
    history.end_step()
    _typed(history, draft, "threads", "32")
    assert history.undo() == PlanDraft(typed={"threads": "16"})


def test_edit_after_undo_clears_redo() -> None:
    draft = PlanDraft()
    history = DraftHistory(draft)
    _typed(history, draft, "threads", "32")
    back = history.undo()
    assert back is not None
    _typed(history, back, "minutes", "30")
    assert not history.can_redo
    assert history.undo() == PlanDraft()


def test_later_edits_do_not_change_recorded_drafts() -> None:
    draft = PlanDraft(faults=[FaultDraft("0:10", "Failover")])
    history = DraftHistory(draft)
    draft.faults[0].done.statement = "select 1"
    draft.targets[0].sql_server.encrypt = "no"
    history.record(draft)
    assert history.undo() == PlanDraft(faults=[FaultDraft("0:10", "Failover")])


def test_the_history_is_bounded() -> None:
    draft = PlanDraft()
    history = DraftHistory(draft)
    for number in range(1_000):
        _typed(history, draft, "threads" if number % 2 else "note", str(number))
    steps = 0
    while history.undo() is not None:
        steps += 1
    assert steps == 200


def test_differences_are_named_by_field() -> None:
    other = PlanDraft(targets=[TargetDraft(hosts="db1")], faults=[FaultDraft()], typed={"threads": "9"})
    changed = changed_paths(PlanDraft(), other)
    assert changed[:2] == ["targets.0.hosts", "threads"]
    assert "faults.0.at" in changed
    assert changed_paths(other, other) == []
