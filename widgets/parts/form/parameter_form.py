"""A form whose rows are made from parameters: the field that fits the type, with label, unit, help and mnemonic.

Called by the wizard's pages. The fields hold texts by the parameters' keys, as a draft does.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from engine.figure_text import spaced
from engine.parameters.parameter import Choice, Flag, Minutes, Parameter
from widgets.parts.form.fields import NumberField, TimeField, choice_field, fill_field, on_edit, read_field
from widgets.parts.form.row import Form
from widgets.parts.look import Look

_MINUTE_SECONDS = 60
_YES, _NO = Flag().write(True), Flag().write(False)


class ParameterForm(Form):
    """Rows of parameters among others; ``fill`` and ``read_into`` are those others'."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._parameters: dict[str, Parameter] = {}
        self._exchanged: list[str] = []

    def add_parameter(
        self, parameter: Parameter, field: QWidget | None = None, *, holder: QWidget | None = None
    ) -> QWidget:
        """The row of a parameter at the end; the field is made unless it is given."""
        field = field or _field_of(parameter, self)
        self.add(
            parameter.key,
            parameter.label,
            field,
            beside=parameter.type.is_number or holder is not None,
            holder=holder,
            bound=False,
            help_text=_help(parameter),
            mnemonic=parameter.mnemonic,
        )
        self._parameters[parameter.key] = parameter
        on_edit(field, self._emit_edited)
        return field

    def show_parameters(
        self,
        parameters: Iterable[Parameter],
        *,
        keep: bool = False,
        fields: Mapping[str, Callable[[], QWidget]] = MappingProxyType({}),
    ) -> None:
        """Rows of these parameters at the end, in the place of those that this has shown before, or after them.

        ``fields`` make the fields of some, by their keys.
        """
        for key in () if keep else self._exchanged:
            self.remove(key)
            del self._parameters[key]
        self._exchanged = self._exchanged if keep else []
        for parameter in parameters:
            make = fields.get(parameter.key)
            self.add_parameter(parameter, make() if make is not None else None)
            self._exchanged.append(parameter.key)

    def fill_typed(self, typed: Mapping[str, str]) -> None:
        """Show what is typed, by the parameters' keys; a field whose key is missing stays as it is."""
        for key in self._parameters.keys() & typed.keys():
            field = self.rows[key].field
            fill_field(field, typed[key] == _YES if isinstance(field, QCheckBox) else typed[key])

    def typed(self) -> dict[str, str]:
        """What stands in the parameters' fields, by their keys."""
        values = {key: read_field(self.rows[key].field) for key in self._parameters}
        return {key: value if isinstance(value, str) else _YES if value else _NO for key, value in values.items()}


def _help(parameter: Parameter) -> str:
    """The help, and what to know of a field that holds a list or may be empty."""
    commas = " Separated by commas." if parameter.type.is_list else ""
    empty = f" Empty: {parameter.default_help}." if parameter.default is None and parameter.default_help else ""
    says = parameter.help
    if isinstance(parameter.type, Choice):
        for text, title in parameter.type.titles.items():
            says = says.replace(text, title)
    return spaced(f"{says}{commas}{empty}")


def _field_of(parameter: Parameter, parent: QWidget) -> QWidget:
    match parameter.type:
        case Minutes():
            step_seconds = parameter.step * _MINUTE_SECONDS
            return TimeField(bare_seconds=_MINUTE_SECONDS, step_seconds=step_seconds, parent=parent)
        case Flag():
            return QCheckBox(parent)
        case Choice(texts=texts):
            box = choice_field(parent)
            for text in texts:
                box.addItem(parameter.shown(text), text)
            return box
        case _ if parameter.type.is_number:
            return NumberField(parameter.unit, step=parameter.step, parent=parent)
        case _:
            return QLineEdit(parent)
