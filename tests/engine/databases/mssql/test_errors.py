from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.databases.mssql.errors import call_error, connect_error, numbers_of, plain, sort_failure
from engine.errors import ErrorClass
from engine.target.sql_server_options import INTEGRATED, SqlServerOptions
from engine.target.target import Host, Target

HOST = Host("sql1.example", 1433)
TARGET = Target(kind="mssql", hosts=(HOST,), database="shop", user="ann")
LOST, TIMEOUT, DEADLOCK = ErrorClass.CONNECTION_LOST, ErrorClass.TIMEOUT, ErrorClass.DEADLOCK
OTHER, REJECTED, MISSING = ErrorClass.OTHER, ErrorClass.REJECTED, ErrorClass.MISSING_DATABASE
FULL_TEXT_ERRORS = (7601, 7607, 7609, 7619, 7630, 7643, 7645, 9954, 9955, 30046, 30049, 30053)
KNOWN_UNDONE = (
    1205, 1222, 3906, 3960, 547, 2627, 2601, 515, 229, 2812, 9002, 1105, 40544, 3930, 3998, 8622, 50_000,
    *FULL_TEXT_ERRORS,
)  # fmt: skip
ROLE_ERRORS = (976, 978, 979, 982, 983, 988, 921, 922, 927, 942, 952, 596, 3948, 3971, 3988, 6005, 9001, 4221)
AZURE_ERRORS = (10936, 40540, 40549, 40550, 40551, 40552, 40553, 40143, 40197, 40501, 40613, 40642, 10928, 10929, 49918)
SOCKET_ERRORS = (10053, 10054, 10060, 10061)
FREETDS_ERRORS = (20002, 20004, 20006, 20009, 20017, 20020, 20047)


def _written(*records: tuple[str, int, str], function: str = "SQLExecDirectW") -> str:
    first, *others = (
        f"[{state}] [Microsoft][ODBC Driver 18 for SQL Server][SQL Server]{text} ({native})"
        for state, native, text in records
    )
    return "; ".join([f"{first} ({function})", *others])


@pytest.mark.parametrize(
    ("sqlstate", "native", "expected"),
    [
        ("40001", 1205, (DEADLOCK, True, True)),
        ("42000", 3960, (DEADLOCK, True, True)),
        ("HYT00", 0, (TIMEOUT, False, False)),
        ("HYT01", 0, (TIMEOUT, False, False)),
        ("HY008", 0, (TIMEOUT, False, False)),
        ("S1T00", 20003, (TIMEOUT, False, False)),
        ("42000", 1222, (TIMEOUT, True, True)),
        ("HYT00", 1222, (TIMEOUT, True, True)),
        *(("42000", number, (OTHER, True, True)) for number in (8622, *FULL_TEXT_ERRORS)),
        ("25000", 3906, (LOST, False, True)),
        ("23000", 547, (OTHER, True, True)),
        ("23000", 2627, (OTHER, True, True)),
        ("42000", 229, (OTHER, True, True)),
        ("42000", 2812, (OTHER, True, True)),
        ("42000", 50_000, (OTHER, True, True)),
        ("42000", 911, (MISSING, True, True)),
        ("42000", 4060, (MISSING, True, True)),
        ("28000", 18456, (REJECTED, True, True)),
        ("08S01", 0, (LOST, False, False)),
        ("08S01", 10054, (LOST, False, False)),
        ("08001", 258, (LOST, False, False)),
        ("08003", 0, (LOST, False, False)),
        ("01000", 10054, (LOST, False, False)),
        ("IMC01", 0, (LOST, False, False)),
        ("IMC06", 0, (LOST, False, False)),
        ("42000", 701, (OTHER, False, False)),
        ("42000", 8645, (OTHER, False, False)),
        ("HY000", 0, (OTHER, False, False)),
        ("42000", 31337, (OTHER, False, False)),
        ("HY000", 851968, (OTHER, False, False)),
        *(("42000", number, (LOST, False, False)) for number in (*ROLE_ERRORS, *AZURE_ERRORS)),
        *(("01000", number, (LOST, False, False)) for number in SOCKET_ERRORS),
        *(("HY000", number, (LOST, False, False)) for number in FREETDS_ERRORS),
    ],
)
def test_a_calls_error_is_classed_and_known_to_be_undone_or_not(
    sqlstate: str, native: int, expected: tuple[ErrorClass, bool, bool]
) -> None:
    error = call_error(sqlstate, native, _written((sqlstate, native, "Something.")), usable=True)
    assert (error.error_class, error.usable, error.undone) == expected
    assert str(error) == "Something"
    assert error.code == (str(native) if native else sqlstate)


@given(
    sqlstate=st.sampled_from(["42000", "HY000", "23000", "01000", "08S01", "HYT00", "40001", "25000", "IMC02", ""]),
    numbers=st.lists(st.sampled_from([*KNOWN_UNDONE, *ROLE_ERRORS, 701, 0, 3621, 31337]), min_size=1, max_size=4),
    usable=st.booleans(),
)
def test_possibly_committed_purchase_is_never_undone(sqlstate: str, numbers: list[int], usable: bool) -> None:
    message = _written(*((sqlstate, number, "Something.") for number in numbers))
    error = call_error(sqlstate, numbers[0], message, usable=usable)
    telling = [number for number in numbers if number not in (0, 3621)]
    all_known = bool(telling) and all(number in KNOWN_UNDONE for number in telling)
    is_lock_wait = set(telling) == {1222}  # which the server ends, whatever state a driver gives it
    from_the_server = sqlstate not in ("08S01", "IMC02") and (sqlstate != "HYT00" or is_lock_wait)
    assert error.undone == (usable and all_known and from_the_server)
    assert error.undone or not error.usable, "a session in doubt is not gone on with"


def test_the_gravest_record_decides_wherever_it_stands() -> None:
    records = [
        ("42000", 1205, "a deadlock."),
        ("HY000", 596, "kill state."),
        ("01000", 3621, "The statement has been terminated."),
    ]
    for order in permutations(records):
        error = call_error(order[0][0], order[0][1], _written(*order), usable=True)
        assert (error.error_class, error.usable, error.undone, error.code) == (LOST, False, False, "596")


@pytest.mark.parametrize("number", [547, 2627, 1205, 0, 31337])
def test_any_error_on_a_lost_connection_leaves_the_call_in_doubt(number: int) -> None:
    error = call_error("42000", number, _written(("42000", number, "Something.")), usable=False)
    assert (error.error_class, error.usable, error.undone) == (LOST, False, False)


def test_statement_terminated_message_is_skipped() -> None:
    records = [("23000", 2627, "Violation of PRIMARY KEY."), ("01000", 3621, "The statement has been terminated.")]
    error = call_error("23000", 2627, _written(*records), usable=True)
    assert (error.error_class, error.usable, error.undone, error.code) == (OTHER, True, True, "2627")
    assert str(error) == "Violation of PRIMARY KEY"


@pytest.mark.parametrize(
    ("records", "error_class", "told"),
    [
        ([("28000", 18456, "Login failed for user 'ann'.")], REJECTED, "rejected user 'ann'"),
        ([("28000", 18452, "Login failed. The login is from an untrusted domain")], REJECTED, "untrusted domain"),
        ([("28000", 18486, "The account is currently locked out.")], REJECTED, "locked out"),
        (
            [
                ("42000", 4060, 'Cannot open database "shop" requested by the login. The login failed.'),
                ("28000", 18456, "Login failed for user 'ann'."),
            ],
            MISSING,
            "'shop' does not exist on sql1.example:1433, or is not open yet, or user 'ann' may not open it",
        ),
        (
            [
                ("42000", 4060, 'Cannot open database "shop" requested by the login.'),
                ("42000", 983, "Unable to access availability database 'shop'."),
                ("28000", 18456, "Login failed for user 'ann'."),
            ],
            LOST,
            "No connection to sql1.example:1433",
        ),
        ([("42000", 978, "The target database ('shop') is in an availability group")], LOST, "availability group"),
        ([("HYT00", 0, "Login timeout expired")], TIMEOUT, "sql1.example:1433 did not answer in time"),
        ([("08001", 10061, "TCP Provider: No connection could be made.")], LOST, "does it listen on TCP/IP"),
        (
            [("08001", -1, "SSL Provider: [error:1416F086:SSL routines::certificate verify failed:self signed]")],
            REJECTED,
            "or trust the server's if the network is yours",
        ),
        (
            [("08001", -2146893019, "SSL Provider: The certificate chain was issued by an authority not trusted.")],
            REJECTED,
            "or trust the server's if the network is yours",
        ),
        ([("HY000", 851968, "SSPI Provider: No Kerberos credentials available")], REJECTED, "Kerberos"),
        ([("42000", 50_000, "the database holds no complete store")], OTHER, "holds no complete store"),
        ([("HY000", 17197, "Login failed due to timeout")], LOST, "Login failed due to timeout"),
        ([("HY000", 31337, "an error of a version to come")], LOST, "an error of a version to come"),
    ],
)
def test_a_refused_connection_is_one_sentence_with_host_cause_and_class(
    records: list[tuple[str, int, str]], error_class: ErrorClass, told: str
) -> None:
    message = _written(*records, function="SQLDriverConnect")
    error = connect_error(records[0][0], records[0][1], message, HOST, TARGET)
    assert error.error_class is error_class
    assert told in str(error)
    assert "sql1.example" in str(error)
    assert "Microsoft]" not in str(error)
    assert (error.usable, error.undone) == (False, False)


def test_integrated_login_error_names_the_account_of_spindle() -> None:
    target = Target(kind="mssql", hosts=(HOST,), sql_server=SqlServerOptions(authentication=INTEGRATED))
    error = connect_error("28000", 18456, _written(("28000", 18456, "Login failed.")), HOST, target)
    assert "rejected the account that runs Spindle" in str(error)
    assert "password" not in str(error)


@given(st.lists(st.tuples(st.integers(-(2**31), 2**31 - 1), st.text("ab [].;'()12", max_size=20)), min_size=1))
def test_the_numbers_of_all_records_are_read_whatever_their_texts(records: list[tuple[int, str]]) -> None:
    message = _written(*(("42000", number, f"x{text}.") for number, text in records))
    numbers = [number for number, _ in records]
    if all("; [" not in text for _, text in records):
        assert numbers_of(message) == numbers
    else:
        assert set(numbers) <= set(numbers_of(message))


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("[08S01] [FreeTDS][SQL Server]Unable to connect. (20009) (SQLDriverConnect)", "Unable to connect"),
        ("[HY000] [Microsoft][ODBC Driver 17 for SQL Server]two\nlines (0) (SQLExecute)", "two lines"),
        ("", "no reason given"),
        ("plain words", "plain words"),
        ("[42000] [A][B][C]text (with) [brackets] (5) (SQLFetch); [01000] [A]more (6)", "text (with) [brackets]"),
    ],
)
def test_first_records_message_is_used(message: str, text: str) -> None:
    assert plain(message) == text


@pytest.mark.parametrize("text", ["Attempt to use a closed connection.", "The cursor's connection has been closed."])
def test_pyodbcs_closed_connection_error_is_a_lost_connection(text: str) -> None:
    error = call_error("HY000", 0, text, usable=True)
    assert (error.error_class, error.usable, error.undone) == (LOST, False, False)


def test_a_message_without_records_is_sorted_by_its_number() -> None:
    assert sort_failure("42000", 1205, "deadlocked").error_class is DEADLOCK
    assert sort_failure("", 0, "").error_class is OTHER
