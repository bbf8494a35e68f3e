import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from engine.draft.sql_server_draft import SqlServerDraft
from engine.draft.target_draft import TargetDraft
from engine.secrets import Secret
from engine.target.installed_drivers import InstalledDrivers
from engine.target.kinds import kind_facts
from engine.target.target import EMBEDDED, MAIL, MANUAL, MARIADB, MSSQL, MYSQL, POSTGRESQL, PROBE, STORAGE
from tests.widgets.accessibility import nameless_controls
from widgets.parts.look import Look
from widgets.wizard.target_form import TargetForm


@pytest.fixture
def form(qtbot: QtBot) -> TargetForm:
    made = TargetForm(Look())
    qtbot.addWidget(made)
    made.show()
    return made


def test_typing_edits_the_target_and_kind_selects_fields(qtbot: QtBot, form: TargetForm) -> None:
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
    assert [form.tls.itemData(place) for place in range(form.tls.count())] == list(kind_facts(POSTGRESQL).tls_modes)
    for mode in kind_facts(POSTGRESQL).tls_modes:
        form.load(TargetDraft(kind=POSTGRESQL, tls=mode), None, False)
        assert form.tls.currentText() == mode
        assert form.form.rows["tls"].note.text


def test_the_machine_of_a_file_is_chosen_from_those_whose_storage_can_be_driven(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft(kind=STORAGE, file="/data/f")
    with qtbot.waitSignal(form.machines_requested):
        form.load(target, None, False)
    form.offer_machines({"db1": "", "win1": "machine is 'win1', which runs Windows, where fio can't be driven."})
    form.machine.fill_menu()
    entries = {each.text(): each for each in form.machine.menu.actions()}
    assert list(entries) == ["This machine", "db1"]
    entries["db1"].trigger()
    assert target.machine == form.machine.text() == "db1"
    form.machine.clear()
    qtbot.keyClicks(form.machine, "win1")
    assert form.form.rows["machine"].note.text.startswith("Machine is 'win1', which runs Windows")


def test_password_is_hidden_and_separate_from_the_target(qtbot: QtBot, form: TargetForm) -> None:
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


def test_url_entered_as_hosts_fills_the_fields(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft(kind=POSTGRESQL, label="array A")
    form.load(target, None, False)
    qtbot.keyClicks(form.hosts, "postgresql://me:hidden@db1,db2:5433/ds3?sslmode=require")
    with qtbot.waitSignal(form.password_typed) as typed:
        qtbot.keyClick(form.hosts, Qt.Key.Key_Return)
    assert typed.args[0] == Secret("hidden")
    assert target == TargetDraft(
        kind=POSTGRESQL, hosts="db1:5432, db2:5433", database="ds3", user="me", tls="require", label="array A"
    )


def test_invalid_url_stays_in_the_field(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft(kind=POSTGRESQL)
    form.load(target, None, False)
    qtbot.keyClicks(form.hosts, "http://db1")
    qtbot.keyClick(form.hosts, Qt.Key.Key_Return)
    assert target.hosts == "http://db1"


def test_every_field_has_a_name(form: TargetForm) -> None:
    form.load(TargetDraft(kind=POSTGRESQL), None, False)
    assert nameless_controls(form) == []


def test_embedded_server_forms_have_explanations(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft()
    form.load(target, None, False)
    assert form.shape.isVisible()
    assert not form.failover.isVisible()
    qtbot.keyClick(form.shape, Qt.Key.Key_Down)
    assert target.shape == "pair"
    assert "failover without any setup" in form.form.rows["shape"].note.text
    assert form.failover.isVisible()
    for mode in (PROBE, MANUAL):
        qtbot.keyClick(form.failover, Qt.Key.Key_Down)
        assert target.failover == mode
    assert "Nothing is promoted" in form.form.rows["failover"].note.text
    qtbot.keyClick(form.kind, Qt.Key.Key_Down)
    assert not form.shape.isVisible()
    assert not form.failover.isVisible()


DRIVERS = {
    MSSQL: InstalledDrivers(kind=MSSQL, names=("ODBC Driver 18 for SQL Server", "FreeTDS")),
    MARIADB: InstalledDrivers(kind=MARIADB, hint="No ODBC driver for MariaDB is installed; install one."),
}


def _names(form: TargetForm) -> set[str]:
    return {name for name, row in form.form.rows.items() if row.holder.isVisible()}


def test_each_kind_shows_its_own_fields(form: TargetForm) -> None:
    server = {"kind", "hosts", "database", "user", "password", "label"}
    sql_server = {"authentication", "encrypt", "trust_server_certificate", "multi_subnet_failover", "failover_partner"}
    expected = {
        EMBEDDED: {"kind", "shape", "database", "label"},
        POSTGRESQL: server | {"tls"},
        MARIADB: server | {"tls", "driver"},
        MYSQL: server | {"tls", "driver"},
        MSSQL: server | sql_server | {"driver", "application_intent"},
    }
    for kind, names in expected.items():
        form.load(TargetDraft(kind=kind, hosts="db1"), None, False)
        assert _names(form) == names
    assert nameless_controls(form) == []


def test_integrated_login_has_no_password_field(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft(kind=MSSQL, hosts="db1")
    form.load(target, None, False)
    qtbot.keyClick(form.sql_server.authentication, Qt.Key.Key_Down)
    assert target.sql_server.authentication == "integrated"
    assert not {"user", "password"} & _names(form)
    assert "the account that runs Spindle" in form.form.rows["authentication"].note.text


def test_trusting_the_certificate_shows_a_warning(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft(kind=MSSQL, hosts="db1")
    form.load(target, None, False)
    note = form.form.rows["trust_server_certificate"].note
    assert not form.sql_server.trust.isChecked()
    assert "a trusted authority" in note.text
    qtbot.keyClick(form.sql_server.trust, Qt.Key.Key_Space)
    assert target.sql_server.trust_server_certificate
    assert "The server is not verified" in note.text
    qtbot.keyClick(form.sql_server.encrypt, Qt.Key.Key_Down)
    form.show_errors(target.validate())
    assert "Strict encryption always checks" in note.text
    assert note.is_wrong


def test_unsupported_tls_mode_is_replaced_on_kind_change(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft(kind=POSTGRESQL, hosts="db1", tls="allow")
    form.load(target, None, False)
    for _ in range(2):
        qtbot.keyClick(form.kind, Qt.Key.Key_Down)
    assert (target.kind, target.tls, form.tls.currentText()) == (MARIADB, "prefer", "prefer")


def test_installed_drivers_are_requested_when_a_kind_needs_a_driver(qtbot: QtBot, form: TargetForm) -> None:
    with qtbot.assertNotEmitted(form.drivers_requested):
        form.load(TargetDraft(kind=POSTGRESQL, hosts="db1"), None, False)
    with qtbot.waitSignal(form.drivers_requested):
        qtbot.keyClick(form.kind, Qt.Key.Key_Down)
    note = form.form.rows["driver"].note
    assert note.text.startswith("Looking for")
    form.show_drivers(DRIVERS)
    assert note.text == "ODBC Driver 18 for SQL Server is used."
    form.hide()
    with qtbot.waitSignal(form.drivers_requested):
        form.show()


def test_driver_is_selected_by_name(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft(kind=MSSQL, hosts="db1")
    form.load(target, None, False)
    form.show_drivers(DRIVERS)
    for _ in range(2):
        qtbot.keyClick(form.driver.field, Qt.Key.Key_Down)
    assert target.driver == "FreeTDS"
    assert form.form.rows["driver"].note.text.startswith("Driver 'FreeTDS' can't check the server's certificate")
    qtbot.keyClick(form.sql_server.trust, Qt.Key.Key_Space)
    assert form.form.rows["driver"].note.text == "FreeTDS is used."
    target.driver = "My own"
    form.load(target, None, False)
    assert form.driver.field.currentText() == "My own (not installed)"
    assert "No driver of this name" in form.form.rows["driver"].note.text


def test_missing_driver_shows_how_to_install_one(form: TargetForm) -> None:
    form.load(TargetDraft(kind=MARIADB, hosts="db1"), None, False)
    form.show_drivers(DRIVERS)
    note = form.form.rows["driver"].note
    assert (note.text, note.is_wrong) == (DRIVERS[MARIADB].hint, False)


def test_url_of_a_sql_server_fills_the_fields(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft(kind=POSTGRESQL, hosts="")
    form.load(target, None, False)
    url = r"mssql://me:hidden@db1\prod/ds3?encrypt=no&failover_partner=db2&driver=My%20own"
    qtbot.keyClicks(form.hosts, url)
    qtbot.keyClick(form.hosts, Qt.Key.Key_Return)
    assert target == TargetDraft(
        kind=MSSQL,
        hosts=r"db1\prod",
        database="ds3",
        user="me",
        driver="My own",
        sql_server=SqlServerDraft(encrypt="no", failover_partner="db2"),
    )
    assert form.password.text() == "hidden"


def test_ca_file_is_shown_if_the_certificate_is_verified(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft(kind=MYSQL, hosts="db1", tls="require")
    form.load(target, None, False)
    assert not form.ca_file.isVisible()
    qtbot.keyClick(form.tls, Qt.Key.Key_Down)
    assert form.ca_file.isVisible()
    qtbot.keyClicks(form.ca_file, "/ca.pem")
    assert (target.tls, target.ca_file) == ("verify-ca", "/ca.pem")
    form.load(TargetDraft(kind=POSTGRESQL, hosts="db1", tls="verify-ca"), None, False)
    assert not form.ca_file.isVisible()
    form.hosts.clear()
    qtbot.keyClicks(form.hosts, "mariadb://db1/ds2?sslmode=verify-full&sslrootcert=other.pem")
    qtbot.keyClick(form.hosts, Qt.Key.Key_Return)
    assert (form.ca_file.isVisible(), form.ca_file.text()) == (True, "other.pem")


def test_a_mail_server_has_a_domain_and_a_certificate_that_can_be_trusted(qtbot: QtBot, form: TargetForm) -> None:
    target = TargetDraft(kind=MAIL, hosts="mx", database="example.org", tls="starttls")
    form.load(target, None, False)
    mail = {"trust_certificate", "ca_file", "delivery", "accounts"}
    assert _names(form) == {"kind", "hosts", "database", "user", "password", "tls", "label"} | mail
    assert form.form.rows["database"].label.text() == "&Domain"
    assert form.database.accessibleName() == "Domain"
    assert nameless_controls(form) == []
    form.mail.trust.click()
    assert target.target().mail.trusts_certificate
    assert "anyone in between" in form.form.rows["trust_certificate"].note.text
    assert "ca_file" not in _names(form)
    form.tls.setCurrentIndex(form.tls.findData("disable"))
    form.form.edited.emit()
    assert "trust_certificate" not in _names(form)
    form.load(TargetDraft(kind=POSTGRESQL, hosts="db1"), None, False)
    assert form.form.rows["database"].label.text() == "&Database"
