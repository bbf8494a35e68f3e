"""Third page: the load, as one of the published ones or of one's own, and what it can reach."""

from collections.abc import Iterable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from engine.analysis.little import connections, highest_opm
from engine.draft import LABELS, PlanDraft
from engine.errors import BadInput
from engine.figure_text import UNKNOWN, capitalised, whole
from engine.presets import PRESETS
from widgets.parts.form_fields import NumberField, TimeField, choice_field
from widgets.parts.form_row import Form
from widgets.parts.look import Look
from widgets.wizard.page import WizardPage

_OWN = "own"
# Field, unit, what an arrow key adds, help.
_LOAD = (
    ("threads", "", 1, "Emulated users of each client, each on its own connection."),
    ("think_time_ms", "ms", 10, "Mean pause of a user after each order."),
    ("ramp_rate", "users/s", 1, "How fast each client's users connect."),
)
# The same, with what an arrow key adds in minutes.
_TIMES = (
    ("warmup_minutes", 1, "Not counted: caches fill, the load settles."),
    ("minutes", 5, "How long is measured; 0 runs until stopped. 30 is 30 minutes; or 90s, 1:30."),
)
_MIX = (
    ("pct_new_customers", "%", 5, "Share of orders by customers who register first."),
    ("n_searches", "", 1, "Mean number of searches before an order."),
    ("search_batch_size", "rows", 1, "Mean number of rows that a search asks for."),
    ("n_line_items", "", 1, "Mean number of lines of an order."),
    ("seed", "", 1, "Same seed, same choices of the users."),
)


class LoadPage(WizardPage):
    """The presets fill the fields; a field that is changed afterwards makes the load one's own."""

    title = "Load"

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        lead = "Users are closed-loop: each waits for its order, thinks, and places the next."
        names = tuple(name for name, *_ in (*_LOAD, *_TIMES, *_MIX))
        super().__init__(look, lead, names, parent)
        self.preset = choice_field(self)
        self.preset.addItem("Own load", _OWN)
        for preset in PRESETS:
            self.preset.addItem(preset.name, preset.name)
            self.preset.setItemData(self.preset.count() - 1, preset.describes, Qt.ItemDataRole.ToolTipRole)
        self.form = Form(look, self)
        self.form.add("preset", "Preset", self.preset, bound=False)
        self._add_numbers(_LOAD)
        for name, minutes, says in _TIMES:
            field = TimeField(bare_seconds=60, step_seconds=60 * minutes, parent=self)
            self.form.add(name, LABELS[name], field, beside=True, help_text=says)
        self._add_numbers(_MIX)
        self.reach = QLabel(self)
        self.reach.setWordWrap(True)
        self.body.addWidget(self.form)
        self.body.addWidget(self.reach)
        self.body.addStretch(1)
        self.form.edited.connect(self._read)
        self.preset.activated.connect(self._take_preset)

    def load(self, draft: PlanDraft) -> None:
        super().load(draft)
        self.form.fill(draft)
        self._show_preset()
        self._show_reach()

    def show_errors(self, errors: Mapping[str, str]) -> None:
        self.form.show_errors(errors)
        self._show_reach()

    def first_control(self) -> QWidget:
        return self.preset

    def focus_field(self, path: str) -> None:
        self.form.rows[path].field.setFocus()

    def _add_numbers(self, fields: Iterable[tuple[str, str, int, str]]) -> None:
        for name, unit, step, says in fields:
            self.form.add(name, LABELS[name], NumberField(unit, step=step, parent=self), beside=True, help_text=says)

    def _read(self) -> None:
        self.form.read_into(self.draft)
        self._show_preset()
        self.edited.emit()

    def _take_preset(self, number: int) -> None:
        if number == 0:
            return
        preset = PRESETS[number - 1]
        self.draft.take(preset.values)
        self.form.fill(self.draft)
        self._show_preset()
        self.edited.emit()

    def _show_preset(self) -> None:
        """The preset whose values stand in the fields, however they came there."""
        for number, preset in enumerate(PRESETS, start=1):
            if self.draft.has(preset.values):
                self.preset.setCurrentIndex(number)
                self.form.rows["preset"].set_help(f"{capitalised(preset.describes)}.")
                return
        self.preset.setCurrentIndex(0)
        self.form.rows["preset"].set_help("")

    def _show_reach(self) -> None:
        try:
            plan = self.draft.plan()
        except BadInput:
            self.reach.setText(f"Connections: {UNKNOWN} · highest OPM by think time: {UNKNOWN}")
            return
        highest = highest_opm(plan)
        bound = f"{whole(highest)}, by Little's law" if highest is not None else "no bound without think time"
        self.reach.setText(f"Connections: {whole(connections(plan))} · highest OPM by think time: {bound}")
