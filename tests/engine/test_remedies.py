import pickle

import pytest

from engine.errors import ErrorClass, TargetError, UserError
from engine.remedies import Remedy, RemedyKind

BUILD = Remedy(kind=RemedyKind.BUILD_STORE, target="postgresql://me@db1/ds2")


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
