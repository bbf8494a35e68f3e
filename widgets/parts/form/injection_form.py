"""The fields of an injection: its kind, the parameters of that kind, and its end.

Called by the wizard, for planned faults, and by the live page, for an injection now.
"""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QCompleter, QLineEdit, QVBoxLayout, QWidget

from engine.draft.injection_choices import INJECTION_KINDS, ActionChoice, InjectionKind, action_choices
from engine.draft.injection_draft import FIELD_LABELS, InjectionDraft
from engine.errors import BadInput
from engine.faults.injection_text import named_machine
from engine.faults.injections import RESET_TYPES, RedfishInjection, machine_place
from engine.figure_text import capitalised
from engine.machines.access import RedfishAccess, SshAccess
from engine.machines.inventory import Inventory
from engine.secrets import Secret
from widgets.parts.form.fields import NumberField, TimeField, choice_field
from widgets.parts.form.row import Form
from widgets.parts.look import Look

_MARK, _LAB, _REDFISH, _TEXT = "mark", "lab", "redfish", "text"
_MOST_NODES = 3
_HELP = {
    "typed": "As on the command line: freeze primary for 5s.",
    "statement": "Such as SELECT pg_promote(), or ALTER AVAILABILITY GROUP ag1 FAILOVER.",
    "host": "A host's number from 1 in its target, or its name.",
    "target": "The store's number from 1 in the plan.",
    "place": "Such as root@r630, root@r630:22, or machine:db1 of the inventory.",
    "url": "Such as https://r630-bmc, or machine:db1 of the inventory.",
    "user": "The controller's user.",
    "system": "Only when the controller manages several.",
    "fingerprint": "Pins the certificate; empty: checked against the authorities.",
    "ca_file": "A certificate authority other than the system's.",
    "timeout_seconds": "When to give up.",
    "steady_by": "Empty: does not wait.",
    "repeat": "Number of times in total.",
    "every": "From one start to the next.",
}
_EXAMPLES = {
    "statement": "SELECT pg_promote()",
    "host": "1, or a name",
    "target": "1",
    "place": "root@r630 or machine:db1",
    "url": "https://… or machine:…",
    "system": "if it manages several",
    "fingerprint": "empty: by authorities",
    "ca_file": "the system's",
    "end": "rejoin",
    "password": "empty: environment or keyring",
}
_MOST_ROWS_OF_A_COLUMN = 5
_TEXTS = ("typed", "statement", "host", "target", "place", "command", "url", "user", "system", "fingerprint", "ca_file")
_OF_CONTROLLER = {"user", "fingerprint", "ca_file"}
_OF_PLAN = ("steady_by", "repeat", "every")
_CHOSEN_ELSEWHERE = ("kind", "action")


class InjectionForm(QWidget):
    """Edits an ``InjectionDraft`` in place; ``edited`` is emitted for edits of the user, not by ``load``.

    With ``is_planned`` there are rows for the kind, the action, waiting and repeating; without, kind and action are
    chosen elsewhere. The password of a management controller is only in ``secrets``, never in the draft.
    """

    edited = Signal()

    def __init__(self, look: Look, *, is_planned: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._draft = InjectionDraft()
        self._is_planned = is_planned
        self._has_room = False
        self._nodes = _MOST_NODES
        self._offered: tuple[str, ...] = ()
        self._actions: dict[str, ActionChoice] = {}
        self._kinds: dict[str, InjectionKind] = {kind.name: kind for kind in INJECTION_KINDS}
        self.form = Form(look, self)
        self.kind, self.action, self.node, self.reset_type = (choice_field(self) for _ in range(4))
        self.password = QLineEdit(self)
        self._add_rows()
        if not is_planned:
            self._make_low()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.form)
        self.form.edited.connect(self._read)
        self.password.textEdited.connect(self.edited)
        self.offer(_MOST_NODES, tuple(self._kinds))
        self._show_rows()

    def offer(self, nodes: int, kinds: Sequence[str]) -> None:
        """Offer these kinds, and the actions of an embedded server of this many nodes."""
        self._nodes = nodes or _MOST_NODES
        self._offered = tuple(kinds)
        fitting = [choice for choices in action_choices(self._nodes).values() for choice in choices]
        self._actions = {choice.name: choice for choice in fitting}
        self._fill()

    def offer_machines(self, inventory: Inventory) -> None:
        """Complete the names of machines where one is typed: those with SSH, those with a management controller."""
        for name, access in (("place", SshAccess), ("url", RedfishAccess)):
            field = self.form.rows[name].field
            assert isinstance(field, QLineEdit)
            completer = QCompleter([machine_place(each.name) for each in inventory if each.has(access)], field)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            # The field takes the text over in its own slot, without a signal that it was edited.
            completer.activated.connect(self._read, Qt.ConnectionType.QueuedConnection)
            field.setCompleter(completer)

    def load(self, draft: InjectionDraft) -> None:
        """Show this draft and edit it from now on."""
        self._draft = draft
        self.password.clear()
        self._fill()

    def show_errors(self, errors: Mapping[str, str]) -> None:
        """Show each error at its field, by the draft's names."""
        self.form.show_errors(errors)

    def set_two_columns(self, *, has_room: bool) -> None:
        """Whether there is room for two columns, which are used for many rows."""
        self._has_room = has_room
        self._arrange()

    def _arrange(self) -> None:
        count = sum(row.is_visible for row in self.form.rows.values())
        self.form.arrange(2 if self._has_room and count > _MOST_ROWS_OF_A_COLUMN else 1)

    def focus_field(self, name: str) -> None:
        """Move the focus to a field, or to the first one if that is hidden."""
        shown = [row.field for row in self.form.rows.values() if row.field.isVisibleTo(self)]
        row = self.form.rows.get(name)
        wanted = row.field if row is not None and row.field in shown else next(iter(shown), None)
        if wanted is not None:
            wanted.setFocus()

    def secrets(self) -> dict[str, Secret]:
        """The password typed for a management controller, by secret name."""
        if self._draft.kind != _REDFISH or not self.password.text() or named_machine(self._draft.url.strip()):
            return {}
        try:
            injection = self._draft.injection()
        except BadInput:
            return {}
        assert isinstance(injection, RedfishInjection)
        return {injection.secret_name: Secret(self.password.text())}

    def _add_rows(self) -> None:
        form = self.form
        form.add("kind", FIELD_LABELS["kind"], self.kind)
        form.add("action", FIELD_LABELS["action"], self.action)
        form.add("node", FIELD_LABELS["node"], self.node)
        form.add("value", FIELD_LABELS["value"], NumberField(step=10, parent=self), beside=True)
        for reset_type in RESET_TYPES:
            self.reset_type.addItem(reset_type, reset_type)
        form.add("reset_type", FIELD_LABELS["reset_type"], self.reset_type)
        for name in _TEXTS:
            form.add(name, FIELD_LABELS[name], QLineEdit(self), help_text=_HELP.get(name, ""))
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        says = "Kept in memory only; empty: SPINDLE_REDFISH_PASSWORD or the keyring."
        form.add("password", "Password", self.password, help_text=says, bound=False)
        end_after = TimeField(step_seconds=1, parent=self)
        form.add("end_after", FIELD_LABELS["end_after"], end_after, beside=True)
        form.add("end", FIELD_LABELS["end"], QLineEdit(self), help_text="As text, such as rejoin.")
        for name in ("steady_by", "repeat", "every", "timeout_seconds"):
            field = NumberField("times", parent=self) if name == "repeat" else TimeField(parent=self)
            form.add(name, FIELD_LABELS[name], field, beside=True, help_text=_HELP[name])

    def _make_low(self) -> None:
        """On the live page there is little room: help is in tool tips, and examples are in the empty fields."""
        for name, row in self.form.rows.items():
            if isinstance(row.field, QLineEdit) and not row.beside:
                row.put_help_into_tool_tip()
                row.field.setPlaceholderText(_EXAMPLES.get(name, ""))

    def _fill(self) -> None:
        """Show the draft and the choices; a value that is none of them is shown too, so that it can be corrected."""
        draft = self._draft
        nodes = [("as the action says", ""), *((f"node {n}", str(n)) for n in range(1, self._nodes + 1))]
        _refill(self.kind, [(self._kinds[name].title, name) for name in dict.fromkeys((*self._offered, draft.kind))])
        _refill(self.action, [(each.title, each.name) for each in self._actions.values()], draft.action)
        _refill(self.node, nodes, draft.node)
        self.form.fill(draft)
        self._show_rows()

    def _read(self) -> None:
        text = self._draft.text()
        self.form.read_into(self._draft)
        if self._draft.kind == _TEXT and not self._draft.typed:  # starts as the text form of the fields
            self._draft.typed = text
            self.form.fill(self._draft)
        self._show_rows()
        self.edited.emit()

    def _show_rows(self) -> None:
        """Show the rows that this kind and action need."""
        draft, kind = self._draft, self._kinds[self._draft.kind]
        action = self._actions.get(draft.action) if kind.name == _LAB else None
        is_done = kind.name not in (_MARK, _TEXT)
        undone_by_itself = action is not None and bool(action.end)
        shown = set(kind.fields) | {"kind"}
        if is_done:
            shown |= {"end_after", *_OF_PLAN}
            shown |= {"end"} if draft.end or (draft.end_after.strip() and not undone_by_itself) else set()
            shown |= set() if kind.name == _LAB else {"timeout_seconds"}
        if kind.name == _REDFISH:
            shown = shown - _OF_CONTROLLER if named_machine(draft.url.strip()) else shown | {"password"}
        if action is None or not action.value:
            shown.discard("value")
        if self._nodes == 1:
            shown.discard("node")
        if draft.repeat.strip() in ("", "1"):
            shown.discard("every")
        if not self._is_planned:
            shown -= {*_OF_PLAN, *_CHOSEN_ELSEWHERE}
        for name, row in self.form.rows.items():
            row.set_visible(name in shown)
        self._arrange()
        self._say(kind, action)

    def _say(self, kind: InjectionKind, action: ActionChoice | None) -> None:
        rows = self.form.rows
        rows["kind"].set_help(kind.says)
        rows["action"].set_help(action.sentence if action is not None else "")
        rows["value"].set_help(f"{capitalised(action.value)}." if action and action.value else "")
        rows["end_after"].set_help(f"Then: {action.end}." if action and action.end else "Empty: it is not ended.")


def _refill(box: QComboBox, items: Sequence[tuple[str, str]], shown: str | None = None) -> None:
    """Offer these items, and the value that is ``shown`` if it is not among them."""
    box.clear()
    for text, data in items:
        box.addItem(text, data)
    if shown is not None and box.findData(shown) < 0:
        box.addItem(shown.replace("_", " ").capitalize(), shown)
