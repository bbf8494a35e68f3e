"""The wizard's fields as they were typed, right or wrong, and the plan that they make when all are right."""

from engine.draft.fault_draft import FaultDraft
from engine.draft.injection_choices import INJECTION_KINDS, ActionChoice, InjectionKind, action_choices, lab_nodes
from engine.draft.injection_draft import FIELD_LABELS, InjectionDraft
from engine.draft.lab_choices import FAILOVER_HELP, FAILOVER_TITLES, LAB_CHOICES, LabChoice, lab_choice, lab_choice_of
from engine.draft.layout_draft import FILE_TITLES, FOLDER_TITLES, FilesDraft, LayoutDraft
from engine.draft.load_draft import LoadDraft, load_parameters
from engine.draft.plan_draft import FURTHER_LOADS, PlanDraft
from engine.draft.sql_server_draft import AUTHENTICATION_TITLES, ENCRYPT_TITLES, SqlServerDraft, on_screen
from engine.draft.target_draft import KINDS, TargetDraft, TargetKind, kind_of

__all__ = [
    "AUTHENTICATION_TITLES",
    "ENCRYPT_TITLES",
    "FAILOVER_HELP",
    "FAILOVER_TITLES",
    "FIELD_LABELS",
    "FILE_TITLES",
    "FOLDER_TITLES",
    "FURTHER_LOADS",
    "INJECTION_KINDS",
    "KINDS",
    "LAB_CHOICES",
    "ActionChoice",
    "FaultDraft",
    "FilesDraft",
    "InjectionDraft",
    "InjectionKind",
    "LabChoice",
    "LayoutDraft",
    "LoadDraft",
    "PlanDraft",
    "SqlServerDraft",
    "TargetDraft",
    "TargetKind",
    "action_choices",
    "kind_of",
    "lab_choice",
    "lab_choice_of",
    "lab_nodes",
    "load_parameters",
    "on_screen",
]
