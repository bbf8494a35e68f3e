import pickle

import pytest

from engine.errors import BadInput, ErrorClass, TargetError, UserError


@pytest.mark.parametrize("usable", [True, False])
def test_target_error_can_be_pickled(usable: bool) -> None:
    error = TargetError(ErrorClass.DEADLOCK, "deadlock detected", code="40P01", usable=usable, undone=not usable)
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is TargetError
    assert str(arrived) == "deadlock detected"
    assert (arrived.error_class, arrived.code) == (ErrorClass.DEADLOCK, "40P01")
    assert (arrived.usable, arrived.undone) == (usable, not usable)


def test_bad_input_can_be_pickled() -> None:
    arrived = pickle.loads(pickle.dumps(BadInput("threads is 0; give 1 to 1000.")))
    assert isinstance(arrived, UserError)
    assert str(arrived) == "threads is 0; give 1 to 1000."


def test_error_classes_are_the_names_of_the_error_counts() -> None:
    assert {f"{error_class}" for error_class in ErrorClass} == {
        "connection_lost",
        "timeout",
        "deadlock",
        "rejected",
        "missing_database",
        "other",
    }
