from tests.doubles.mariadb_server import running_server
from tests.engine.databases.contract.places import Place
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest


def test_every_word_is_long_enough_for_the_full_text_search_of_a_server_as_it_comes(reader: Place) -> None:
    (check,) = [check for check in reader.verify() if "full-text" in check.what]
    assert (check.expected, check.found, check.ok) == ("0", "0", True)


def test_a_server_whose_least_word_was_raised_is_found_out() -> None:
    with running_server("--innodb-ft-min-token-size=5") as server:
        place = Place(MariaDBUnderTest(server), "ds2")
        place.build()
        assert place.failed_checks() == {"words too short for the full-text indexes"}
