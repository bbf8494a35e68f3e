"""Third page: the load, as one of the published ones or of one's own, and what it can reach."""

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from engine.analysis.little import connections, highest_opm
from engine.draft import LABELS, PlanDraft
from engine.draft.saved import LOAD_FIELDS, own_preset, renamed, with_saved, without
from engine.errors import BadInput
from engine.figure_text import UNKNOWN, capitalised, whole
from engine.plan.presets import PRESETS, Preset
from widgets.parts.form.fields import NumberField, TimeField, choice_field
from widgets.parts.form.row import Form
from widgets.parts.look import Look
from widgets.parts.saved_menu import SavedMenu
from widgets.wizard.page import WizardPage

_OWN = "own"
_PRESETS_IN_SIGHT = 20
# Field, unit, what an arrow key adds, help.
_LOAD = (
    ("threads", "", 1, "Users of each client, each on its own connection."),
    ("think_time_ms", "ms", 10, "Mean pause of a user after each order."),
    ("ramp_rate", "users/s", 1, "How fast each client's users connect."),
)
# The same, with what an arrow key adds in minutes.
_TIMES = (
    ("warmup_minutes", 1, "Not counted: caches fill, the load settles."),
    ("minutes", 5, "0 runs until stopped. 30 is 30 minutes; 90s and 1:30 work too."),
)
_MIX = (
    ("pct_new_customers", "%", 5, "Share of orders by customers who register first."),
    ("n_searches", "", 1, "Mean number of searches before an order."),
    ("search_batch_size", "", 1, "Mean number of rows requested by a search."),
    ("n_line_items", "", 1, "Mean number of lines of an order."),
    ("seed", "", 1, "Same seed, same choices of the users."),
)
_MNEMONICS = {
    "threads": "u",
    "think_time_ms": "t",
    "ramp_rate": "m",
    "warmup_minutes": "w",
    "minutes": "n",
    "pct_new_customers": "c",
    "n_searches": "h",
    "search_batch_size": "e",
    "n_line_items": "l",
    "seed": "d",
}


class LoadPage(WizardPage):
    """The presets fill the fields; a field that is changed afterwards makes the load one's own.

    ``presets_changed`` tells that the user's own presets did.
    """

    title = "Load"
    presets_changed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        lead = "Users are closed-loop: each waits for its order, thinks, and places the next."
        names = tuple(name for name, *_ in (*_LOAD, *_TIMES, *_MIX))
        super().__init__(look, lead, names, parent)
        self.preset = choice_field(self)
        self.preset.setMaxVisibleItems(_PRESETS_IN_SIGHT)
        self.saved = SavedMenu("preset", lists=False, parent=self)
        self.own_presets: list[Preset] = []
        self.form = Form(look, self)
        holder = QWidget(self)
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.preset, 1)
        row.addWidget(self.saved)
        self.form.add("preset", "Preset", self.preset, holder=holder, bound=False, mnemonic="p")
        self._add_numbers(_LOAD)
        for name, minutes, says in _TIMES:
            field = TimeField(bare_seconds=60, step_seconds=60 * minutes, parent=self)
            self.form.add(name, LABELS[name], field, beside=True, help_text=says, mnemonic=_MNEMONICS[name])
        self._add_numbers(_MIX)
        self.reach = QLabel(self)
        self.reach.setWordWrap(True)
        self.body.addWidget(self.form)
        self.body.addWidget(self.reach)
        self.body.addStretch(1)
        self.form.edited.connect(self._read)
        self.preset.activated.connect(self._take_preset)
        self.saved.save_requested.connect(self._save)
        self.saved.rename_requested.connect(self._rename)
        self.saved.delete_requested.connect(self._delete)
        self.show_presets(())

    def load(self, draft: PlanDraft) -> None:
        super().load(draft)
        self.form.fill(draft)
        self._show_preset()
        self._show_reach()

    def show_errors(self, errors: Mapping[str, str]) -> None:
        self.form.show_errors(errors)
        self._show_reach()

    def show_presets(self, own: Sequence[Preset]) -> None:
        """Offer the user's own presets after those that come with Spindle."""
        self.own_presets = list(own)
        self.preset.clear()
        self.preset.addItem("Custom load", _OWN)
        for number, preset in enumerate(self._presets()):
            if number == len(PRESETS):
                self.preset.insertSeparator(self.preset.count())
            self.preset.addItem(preset.name, preset.name)
            self.preset.setItemData(self.preset.count() - 1, preset.describes, Qt.ItemDataRole.ToolTipRole)
        names = [preset.name for preset in own]
        self.saved.show_names(names, reserved=[_OWN, *(preset.name for preset in PRESETS)])
        self._show_preset()

    def first_control(self) -> QWidget:
        return self.preset

    def focus_field(self, path: str) -> None:
        self.form.rows[path].field.setFocus()

    def _add_numbers(self, fields: Iterable[tuple[str, str, int, str]]) -> None:
        for name, unit, step, says in fields:
            field = NumberField(unit, step=step, parent=self)
            self.form.add(name, LABELS[name], field, beside=True, help_text=says, mnemonic=_MNEMONICS[name])

    def _read(self) -> None:
        self.form.read_into(self.draft)
        self._show_preset()
        self.edited.emit()

    def _presets(self) -> list[Preset]:
        return [*PRESETS, *self.own_presets]

    def _take_preset(self) -> None:
        name = self.preset.currentData()
        preset = next((each for each in self._presets() if each.name == name), None)
        if preset is None:
            return
        self.draft.take(preset.values)
        self.form.fill(self.draft)
        self._show_preset()
        self.edited.emit()

    def _show_preset(self) -> None:
        """The preset whose values stand in the fields, however they came there."""
        shown = next((preset for preset in self._presets() if self.draft.has(preset.values)), None)
        self.preset.setCurrentIndex(self.preset.findData(shown.name if shown is not None else _OWN))
        says = f"{capitalised(shown.describes)}." if shown is not None else "None of the presets."
        self.form.rows["preset"].set_help(says)
        try:
            load = self.draft.values(LOAD_FIELDS)
        except BadInput:
            load = {}
        name = shown.name if shown in self.own_presets else f"{load['threads']} users" if load else ""
        self.saved.show_saveable(name, is_saveable=bool(load))

    def _save(self, name: str) -> None:
        self._change(with_saved(self.own_presets, own_preset(name, self.draft.values(LOAD_FIELDS))))

    def _rename(self, name: str, new_name: str) -> None:
        self._change(renamed(self.own_presets, name, new_name))

    def _delete(self, name: str) -> None:
        self._change(without(self.own_presets, name))

    def _change(self, own: Sequence[Preset]) -> None:
        self.show_presets(own)
        self.presets_changed.emit()

    def _show_reach(self) -> None:
        try:
            plan = self.draft.plan()
        except BadInput:
            self.reach.setText(f"Connections: {UNKNOWN} · highest OPM by think time: {UNKNOWN}")
            return
        highest = highest_opm(plan)
        bound = f"{whole(highest)}, by Little's law" if highest is not None else "no limit without think time"
        self.reach.setText(f"Connections: {whole(connections(plan))} · highest OPM by think time: {bound}")
