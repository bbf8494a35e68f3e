import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from engine.draft import TargetDraft
from engine.secrets import Secret
from engine.target import EMBEDDED, MANUAL, POSTGRESQL, PROBE, TLS_MODES
from tests.widgets.accessibility import nameless_controls
from widgets.parts.look import Look
from widgets.wizard.target_form import TargetForm


@pytest.fixture
def form(qtbot: QtBot) -> TargetForm:
    made = TargetForm(Look())
    qtbot.addWidget(made)
    made.show()
    return made


def test_typing_edits_the_target_and_the_kind_shows_what_it_needs(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft()
    form.load(target, None, False)
    server_fields = (form.hosts, form.user, form.password, form.keep, form.tls)
    assert not any(field.isVisible() for field in server_fields)
    qtbot.keyClick(form.kind, Qt.Key.Key_Down)
    assert all(field.isVisible() for field in server_fields)
    assert (form.hosts.placeholderText(), form.user.placeholderText()) == ("db1:5432", "postgres")
    qtbot.keyClicks(form.hosts, "db1")
    for _ in range(2):
        qtbot.keyClick(form.tls, Qt.Key.Key_Down)
    assert target == TargetDraft(kind=POSTGRESQL, hosts="db1", tls="verify-ca")
    qtbot.keyClick(form.kind, Qt.Key.Key_Up)
    assert target == TargetDraft(kind=EMBEDDED, hosts="db1", tls="verify-ca")


def test_every_tls_mode_can_be_chosen(form: TargetForm) -> None:
    assert [form.tls.itemData(place) for place in range(form.tls.count())] == list(TLS_MODES)
    for mode in TLS_MODES:
        form.load(TargetDraft(kind=POSTGRESQL, tls=mode), None, False)
        assert form.tls.currentText() == mode
        assert form.form.rows["tls"].note.text


def test_a_password_is_hidden_and_told_apart_from_the_target(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft(kind=POSTGRESQL, hosts="db1")
    form.load(target, None, False)
    assert form.password.echoMode() is QLineEdit.EchoMode.Password
    with qtbot.waitSignal(form.password_typed) as typed:
        qtbot.keyClicks(form.password, "x")
    assert typed.args == [Secret("x"), False]
    with qtbot.waitSignal(form.password_typed) as typed:
        qtbot.keyClick(form.keep, Qt.Key.Key_Space)
    assert typed.args == [Secret("x"), True]
    assert target == TargetDraft(kind=POSTGRESQL, hosts="db1")
    form.load(TargetDraft(kind=POSTGRESQL), Secret("other"), False)
    assert (form.password.text(), form.keep.isChecked()) == ("other", False)


def test_a_whole_url_among_the_hosts_fills_the_fields(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft(kind=POSTGRESQL, label="array A")
    form.load(target, None, False)
    qtbot.keyClicks(form.hosts, "postgresql://me:hidden@db1,db2:5433/ds3?sslmode=require")
    with qtbot.waitSignal(form.password_typed) as typed:
        qtbot.keyClick(form.hosts, Qt.Key.Key_Return)
    assert typed.args[0] == Secret("hidden")
    assert target == TargetDraft(
        kind=POSTGRESQL, hosts="db1:5432, db2:5433", database="ds3", user="me", tls="require", label="array A"
    )


def test_a_url_that_is_none_stays_to_be_mended(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft(kind=POSTGRESQL)
    form.load(target, None, False)
    qtbot.keyClicks(form.hosts, "http://db1")
    qtbot.keyClick(form.hosts, Qt.Key.Key_Return)
    assert target.hosts == "http://db1"


def test_every_field_has_a_name(form: TargetForm) -> None:
    form.load(TargetDraft(kind=POSTGRESQL), None, False)
    assert nameless_controls(form) == []


def test_the_embedded_server_is_one_or_several_and_says_what_that_is_for(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft()
    form.load(target, None, False)
    assert form.shape.isVisible()
    assert not form.failover.isVisible()
    qtbot.keyClick(form.shape, Qt.Key.Key_Down)
    assert target.shape == "pair"
    assert "failover with nothing to set up" in form.form.rows["shape"].note.text
    assert form.failover.isVisible()
    for mode in (PROBE, MANUAL):
        qtbot.keyClick(form.failover, Qt.Key.Key_Down)
        assert target.failover == mode
    assert "Nobody promotes" in form.form.rows["failover"].note.text
    qtbot.keyClick(form.kind, Qt.Key.Key_Down)
    assert not form.shape.isVisible()
    assert not form.failover.isVisible()
