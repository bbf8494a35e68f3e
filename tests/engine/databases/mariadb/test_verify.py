from tests.doubles.mariadb_server import running_server
from tests.engine.databases.contract.places import Place
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest


def test_every_word_is_long_enough_for_default_full_text_search(reader: Place) -> None:
    (check,) = [check for check in reader.verify() if "full-text" in check.what]
    assert (check.expected, check.found, check.ok) == ("0", "0", True)


def test_raised_minimum_word_length_fails_verify() -> None:
    with running_server("--innodb-ft-min-token-size=5") as server:
        place = Place(MariaDBUnderTest(server), "ds2")
        place.build()
        assert place.failed_checks() == {"words too short for the full-text indexes"}
