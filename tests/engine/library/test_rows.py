from engine.library.rows import client_rows, packed_errors, unpacked_errors
from tests.engine.library.examples import a_record


def test_no_errors_are_stored_as_null():
    assert packed_errors({}) is None
    assert unpacked_errors(None) == {}


def test_clients_are_stored_with_the_plans_targets_unless_they_are_others():
    record = a_record(clients=2)
    assert [(row["number"], row["target"]) for row in client_rows(record, 1)] == [
        (1, "embedded:///ds2"),
        (2, "embedded:///ds2"),
    ]
    imported = a_record(clients=2, client_labels=("10.0.0.1", "10.0.0.2", "10.0.0.3"))
    assert [(row["label"], row["target"]) for row in client_rows(imported, 1)] == [
        ("10.0.0.1", ""),
        ("10.0.0.2", ""),
        ("10.0.0.3", ""),
    ]
