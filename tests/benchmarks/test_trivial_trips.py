"""What a user of the trips does otherwise than any emulated user."""

from engine.dvdstore.user import Call
from tests.benchmarks.trivial_trips import instead, marked

_LOGIN = Call("login", ("user1", "password"))
_SEARCH = Call("browse_by_category", (3, 5))
_PURCHASE = Call("purchase", (7, [(1, 2)], 1000, 83, 1083))


def test_an_order_without_anything_trivial_is_left_as_it_is() -> None:
    assert [instead(call, 1, 0) for call in (_LOGIN, _SEARCH, _PURCHASE)] == ["", "", ""]


def test_of_another_one_the_entry_one_search_and_the_purchase_are_replaced() -> None:
    assert [instead(call, 1, 1) for call in (_LOGIN, _SEARCH, _PURCHASE)] == ["first read", "hot read", "hot write"]
    assert instead(_SEARCH, 2, 1) == ""
    assert instead(Call("prices", ([1],)), 1, 1) == ""


def test_a_purchase_is_marked_by_a_total_that_is_a_cent_short() -> None:
    _, _, net, tax, total = marked(_PURCHASE).arguments
    assert net + tax == total + 1
    assert marked(_SEARCH) == _SEARCH
