import pickle

import pytest

from engine.errors import BadInput, ErrorClass, Remedy, RemedyKind, TargetError, UserError

BUILD = Remedy(kind=RemedyKind.BUILD_STORE, target="postgresql://me@db1/ds2")


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


def test_error_without_front_end_is_a_whole_sentence() -> None:
    assert str(UserError("Database 'ds2' holds no store", remedy=BUILD)) == (
        "Database 'ds2' holds no store; build it first."
    )
    assert str(UserError("threads is 0; give 1 to 1000.")) == "threads is 0; give 1 to 1000."


@pytest.mark.parametrize("kind", RemedyKind)
def test_every_kind_ends_a_sentence_in_plain_words(kind: RemedyKind) -> None:
    remedy = Remedy(kind=kind, target="postgresql://me@db1/ds2", size="1GB", wanted="40GB", name="night")
    assert remedy.plain
    assert not set(remedy.plain) & set("{}")
    assert "spindle" not in remedy.plain
    assert "--" not in remedy.plain


@pytest.mark.parametrize(
    "error",
    [
        UserError("Database 'ds2' holds no store", remedy=BUILD),
        TargetError(ErrorClass.MISSING_DATABASE, "Database 'ds2' does not exist", usable=False, remedy=BUILD),
    ],
)
def test_remedy_round_trips_as_a_message(error: UserError | TargetError) -> None:
    arrived = pickle.loads(pickle.dumps(error))
    assert (arrived.cause, arrived.remedy, str(arrived)) == (error.cause, BUILD, str(error))
    assert Remedy.from_message(BUILD.to_message()) == BUILD
