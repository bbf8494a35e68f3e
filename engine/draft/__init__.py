"""The wizard's fields as they were typed, right or wrong, and the plan that they make when all are right."""

from engine.draft.fault_draft import FaultDraft
from engine.draft.plan_draft import LABELS, PlanDraft
from engine.draft.target_draft import KINDS, TargetDraft, TargetKind, kind_of

__all__ = ["KINDS", "LABELS", "FaultDraft", "PlanDraft", "TargetDraft", "TargetKind", "kind_of"]
