import pytest

from engine.databases.failure import Failure
from engine.databases.mariadb.errors import classified_error, connect_error, server_message
from engine.errors import ErrorClass
from engine.target.target import MARIADB, MYSQL, Host, Target

HOST = Host("db1", 3306)
LOST, OTHER = ErrorClass.CONNECTION_LOST, ErrorClass.OTHER


def failure(native: int, text: str = "words", sqlstate: str = "HY000") -> Failure:
    message = f"[ma-3.1.15][10.11.19-MariaDB]{text}" + (f" ({native}) (SQLExecDirectW)" if native else "")
    return Failure(sqlstate=sqlstate, native=native, message=message)


@pytest.mark.parametrize(
    ("native", "error_class", "usable", "undone"),
    [
        (1213, ErrorClass.DEADLOCK, True, True),
        (3101, ErrorClass.DEADLOCK, True, True),
        (1205, ErrorClass.TIMEOUT, True, True),
        (1969, ErrorClass.TIMEOUT, True, True),
        (3024, ErrorClass.TIMEOUT, True, True),
        (1317, ErrorClass.TIMEOUT, True, True),
        (1044, ErrorClass.REJECTED, True, True),
        (1045, ErrorClass.REJECTED, True, True),
        (1049, ErrorClass.MISSING_DATABASE, True, True),
        (1452, OTHER, True, True),
        (1305, OTHER, True, True),
        (1040, LOST, False, False),
        (1047, LOST, False, False),
        (1053, LOST, False, False),
        (1927, LOST, False, False),
        (2006, LOST, False, False),
        (2013, LOST, False, False),
        (5013, LOST, False, False),
        (5014, LOST, False, False),
        (2026, LOST, False, False),
        (1836, LOST, False, True),
        (1792, LOST, False, True),
        (1180, OTHER, True, False),
    ],
)
def test_a_call_s_error_is_sorted_by_its_number(
    native: int, error_class: ErrorClass, usable: bool, undone: bool
) -> None:
    error = classified_error(failure(native), usable=True)
    assert (error.error_class, error.usable, error.undone, error.code) == (error_class, usable, undone, str(native))


def test_read_only_leads_to_another_server_and_other_options_of_1290_do_not() -> None:
    text = "The MariaDB server is running with the --{} option so it cannot execute this statement"
    read_only = classified_error(failure(1290, text.format("read-only")), usable=True)
    assert (read_only.error_class, read_only.usable, read_only.undone) == (LOST, False, True)
    other = classified_error(failure(1290, text.format("secure-file-priv")), usable=True)
    assert (other.error_class, other.usable) == (OTHER, True)


def test_error_without_number_is_classified_by_sqlstate() -> None:
    assert classified_error(failure(0, sqlstate="08S01"), usable=False).error_class is LOST
    timed_out = classified_error(failure(0, sqlstate="HYT00"), usable=True)
    assert (timed_out.error_class, timed_out.code) == (ErrorClass.TIMEOUT, "HYT00")


def test_what_is_not_known_is_other_while_the_connection_stands_and_lost_when_it_does_not() -> None:
    assert classified_error(failure(9999), usable=True).error_class is OTHER
    gone = classified_error(failure(9999), usable=False)
    assert (gone.error_class, gone.usable, gone.undone) == (LOST, False, False)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("[ma-3.1.15][10.11.19-MariaDB-0+deb12u1]x (y) (1644) (SQLExecDirectW)", "x (y)"),
        ("[ma-3.1.15]Can't connect to 'db1' (115) (2002) (SQLDriverConnect)", "Can't connect to 'db1' (115)"),
        ("[ma-3.1.15]first (1) (SQLExecute); [HY000] [ma-3.1.15]second (2)", "first"),
        ("plain words", "plain words"),
    ],
)  # fmt: skip
def test_servers_message_is_kept(message: str, expected: str) -> None:
    assert server_message(Failure(sqlstate="HY000", native=1, message=message)) == expected


@pytest.mark.parametrize(
    ("refusal", "error_class", "sentence"),
    [
        (failure(1045, "Access denied for user 'me'"), ErrorClass.REJECTED, "rejected user 'me' (Access denied"),
        (failure(1130), ErrorClass.REJECTED, "rejected user 'me'"),
        (failure(1049, "Unknown database"), ErrorClass.MISSING_DATABASE, "Database 'ds2' does not exist on db1:3306"),
        (failure(2002, "Can't connect to 'db1' (115)"), LOST, "refused the connection on port 3306. Is MariaDB"),
        (failure(2002, "Can't connect to 'db1' (111)"), LOST, "refused the connection on port 3306"),
        (failure(2002, "Can't connect to 'db1' (110)"), ErrorClass.TIMEOUT, "did not answer on port 3306 in time"),
        (failure(2013, "Lost connection at 'handshake', system error: 110"), ErrorClass.TIMEOUT, "did not answer"),
        (failure(0, sqlstate="HYT00"), ErrorClass.TIMEOUT, "did not answer on port 3306"),
        (failure(1242), ErrorClass.REJECTED, "has no TLS, and sslmode is require"),
        (failure(1040, "Too many connections."), LOST, "No connection to db1:3306: Too many connections."),
    ],
)  # fmt: skip
def test_a_refusal_is_one_sentence_with_host_and_mend(refusal: Failure, error_class: ErrorClass, sentence: str) -> None:
    target = Target(kind=MARIADB, hosts=(HOST,), database="ds2", user="me", tls="require")
    error = connect_error(refusal, HOST, target)
    assert (error.error_class, error.usable, error.undone) == (error_class, False, False)
    assert sentence in str(error)


def test_a_refusal_names_the_product_of_the_target_s_kind() -> None:
    target = Target(kind=MYSQL, hosts=(HOST,), database="ds2", user="me")
    assert "Is MySQL running" in str(connect_error(failure(2002, "no (111)"), HOST, target))


def test_failure_without_message_shows_its_numbers() -> None:
    silent = Failure(sqlstate="00000", native=0, message="[ma-3.1.15][5.7.22] (0)")
    assert server_message(silent) == "the driver gave no reason (SQLSTATE 00000, number 0)"
    assert str(classified_error(silent, usable=True)) == server_message(silent)
