import pyodbc
import pytest

from engine.databases.failure import Failure
from engine.databases.odbc.failure import failure_of
from engine.secrets import Secret


@pytest.mark.parametrize(
    ("arguments", "failure"),
    [
        (
            ("28000", "[28000] [ma-3.1.15]Access denied for user 'a' (1045) (SQLDriverConnect)"),
            Failure(
                sqlstate="28000", native=1045, message="[ma-3.1.15]Access denied for user 'a' (1045) (SQLDriverConnect)"
            ),
        ),
        (
            ("42000", "[42000] [M][SQL Server]Too (many) things (50001) (SQLExecDirectW); [01000] [M]Ended. (3621)"),
            Failure(
                sqlstate="42000",
                native=50001,
                message="[M][SQL Server]Too (many) things (50001) (SQLExecDirectW); [01000] [M]Ended. (3621)",
            ),
        ),
        (
            ("08S01", "[08S01] two\nlines\n (-7) (SQLExecute)"),
            Failure(sqlstate="08S01", native=-7, message="two\nlines\n (-7) (SQLExecute)"),
        ),
        (
            ("Attempt to use a closed connection.",),
            Failure(sqlstate="HY000", native=0, message="Attempt to use a closed connection."),
        ),
        ((), Failure(sqlstate="HY000", native=0, message="")),
    ],
)
def test_the_first_record_gives_state_and_number(arguments: tuple[str, ...], failure: Failure) -> None:
    assert failure_of(pyodbc.Error(*arguments)) == failure


def test_password_in_a_drivers_message_is_masked() -> None:
    error = pyodbc.Error("01000", "[01000] [unixODBC]Can't open lib 'X;PWD={s3cret' : file not found (0)")
    message = failure_of(error, [Secret("s3cret")]).message
    assert message == "[unixODBC]Can't open lib 'X;PWD={•••' : file not found (0)"
