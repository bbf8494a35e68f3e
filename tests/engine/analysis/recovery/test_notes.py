import pytest

from engine.analysis.recovery.notes import notes_of, silent_clients
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.view import FaultView, view_of
from tests.engine.analysis.faulted import Orders, constant, fault, noisy, run_of, with_faults
from tests.texts import plain

OUTAGE = [*constant(60), *constant(5, 0), *constant(40)]


def view(*clients: Orders) -> FaultView:
    return view_of(run_of(*clients), fault(60.0), RecoverySettings())


def test_clean_outage_has_no_notes() -> None:
    assert notes_of(view(OUTAGE, OUTAGE)) == ()


@pytest.mark.parametrize(
    ("clients", "note"),
    [
        (
            (OUTAGE, [*constant(60), *constant(2, 0)]),
            "No data at the end from ds2 #2: the figures are of the other clients.",
        ),
        (
            (OUTAGE, [*constant(60), None, None, *constant(43)]),
            "2 seconds of clients are unknown; they count neither as orders nor as missed ones.",
        ),
        (
            (constant(100, 9_000), noisy(100, 100, 0.7)),
            "1 of 2 clients had no steady baseline of their own and are not assessed individually.",
        ),
        (
            (noisy(100, 10_000, 0.05),),
            "The baseline's seconds vary by 4.3\u202f%: without a lost connection, a single one is low only under "
            "83\u202f% of it.",
        ),
    ],
)
def test_notes_name_limitations(clients: tuple[Orders, ...], note: str) -> None:
    assert note in notes_of(view(*clients))


def test_notes_name_overlapping_faults() -> None:
    run = with_faults(run_of([*constant(60), *constant(60, 40)]), 60.0, 80.0)
    first, second = (view_of(run, event, RecoverySettings()) for event in run.sorted_events())

    assert tuple(map(plain, notes_of(first))) == ("The figures end at the next fault: Fault 2, 20 s later.",)
    assert notes_of(second) == (
        "The baseline is that before an earlier fault, Fault 1, since the recovery from it was too short.",
    )


def test_client_without_orders_is_not_silent() -> None:
    assert silent_clients(view(OUTAGE, [None] * 60)) == ()
    assert silent_clients(view(OUTAGE, constant(60))) == (2,)
