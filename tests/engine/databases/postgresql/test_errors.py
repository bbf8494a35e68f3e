import pytest

from engine.databases.postgresql.errors import classified_error, connect_error, connect_timeout, first_line, last_line
from engine.errors import ErrorClass
from engine.target.target import Host, Target

HOST = Host("db1.example", 5433)
TARGET = Target(kind="postgresql", hosts=(HOST,), database="shop", user="ann")
_TRIED = 'connection to server at "db1.example" (10.0.0.1), port 5433 failed: '


@pytest.mark.parametrize(
    ("sqlstate", "usable", "expected"),
    [
        ("40P01", True, (ErrorClass.DEADLOCK, True)),
        ("40001", True, (ErrorClass.DEADLOCK, True)),
        ("57014", True, (ErrorClass.TIMEOUT, True)),
        ("55P03", True, (ErrorClass.TIMEOUT, True)),
        ("57P01", True, (ErrorClass.CONNECTION_LOST, False)),
        ("57P02", True, (ErrorClass.CONNECTION_LOST, False)),
        ("57P03", True, (ErrorClass.CONNECTION_LOST, False)),
        ("08006", True, (ErrorClass.CONNECTION_LOST, False)),
        ("25006", True, (ErrorClass.CONNECTION_LOST, False)),
        ("28P01", True, (ErrorClass.REJECTED, True)),
        ("3D000", True, (ErrorClass.MISSING_DATABASE, True)),
        ("23503", True, (ErrorClass.OTHER, True)),
        ("23503", False, (ErrorClass.CONNECTION_LOST, False)),
        ("", False, (ErrorClass.CONNECTION_LOST, False)),
        ("", True, (ErrorClass.OTHER, True)),
    ],
)
def test_a_statements_error_is_classed_by_its_sqlstate(
    sqlstate: str, usable: bool, expected: tuple[ErrorClass, bool]
) -> None:
    error = classified_error("ERROR:  something\nDETAIL:  more", sqlstate, usable=usable)
    assert (error.error_class, error.usable) == expected
    assert (str(error), error.code) == ("something", sqlstate)


@pytest.mark.parametrize(
    ("sqlstate", "usable", "undone"),
    [("25006", True, True), ("23503", True, True), ("57P01", True, False), ("08006", True, False), ("", False, False)],
)
def test_undone_requires_a_living_connection(sqlstate: str, usable: bool, undone: bool) -> None:
    assert classified_error("ERROR:  something", sqlstate, usable=usable).undone is undone


@pytest.mark.parametrize(
    ("said", "error_class", "told"),
    [
        (
            'FATAL:  password authentication failed for user "ann"',
            ErrorClass.REJECTED,
            "check the user and the password",
        ),
        ("fe_sendauth: no password supplied", ErrorClass.REJECTED, "check the user and the password"),
        ('FATAL:  no pg_hba.conf entry for host "10.0.0.9", user "ann"', ErrorClass.REJECTED, "no pg_hba.conf entry"),
        ('FATAL:  role "ann" does not exist', ErrorClass.REJECTED, "rejected user 'ann'"),
        ('FATAL:  role "ann" is not permitted to log in', ErrorClass.REJECTED, "rejected user 'ann'"),
        ('FATAL:  database "shop" does not exist', ErrorClass.MISSING_DATABASE, "build it first"),
        ("Connection refused\n\tIs the server running on that host?", ErrorClass.CONNECTION_LOST, "port 5433"),
        ("received invalid response to SSL negotiation: d", ErrorClass.CONNECTION_LOST, "not as PostgreSQL does"),
        ("timeout expired", ErrorClass.TIMEOUT, "timeout expired"),
        ("session is read-only", ErrorClass.CONNECTION_LOST, "accepts no writes"),
        ("FATAL:  the database system is starting up", ErrorClass.CONNECTION_LOST, "is starting up"),
        ("FATAL:  sorry, too many clients already", ErrorClass.CONNECTION_LOST, "too many clients"),
        ("FATAL:  Datenbank »shop« existiert nicht", ErrorClass.CONNECTION_LOST, "Datenbank »shop« existiert nicht"),
    ],
)
def test_a_refused_connection_is_one_sentence_with_host_cause_and_class(
    said: str, error_class: ErrorClass, told: str
) -> None:
    error = connect_error(_TRIED + said, HOST, TARGET)
    assert error.error_class is error_class
    assert told in str(error)
    assert "db1.example" in str(error)
    assert "\n" not in str(error)
    assert not error.usable


def test_last_addresss_cause_is_reported() -> None:
    message = (
        f'{_TRIED}Connection refused\n\tIs the server running on that host?\n{_TRIED}FATAL:  role "ann" does not exist'
    )
    assert connect_error(message, HOST, TARGET).error_class is ErrorClass.REJECTED


def test_a_host_that_is_silent_is_named_with_its_port() -> None:
    error = connect_timeout(HOST)
    assert (error.error_class, error.usable) == (ErrorClass.TIMEOUT, False)
    assert "db1.example" in str(error)
    assert "5433" in str(error)


@pytest.mark.parametrize("message", ["", "\n", "  \n "])
def test_empty_message_is_accepted(message: str) -> None:
    assert first_line(message) == ""
    assert last_line(message) == "no reason given"
