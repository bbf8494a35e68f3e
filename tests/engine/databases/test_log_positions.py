"""For how long a standby has been behind, by the positions of its primary's log."""

from engine.databases.log_positions import LogPositions


def test_the_lag_of_a_standby_that_stands_still_grows() -> None:
    positions = LogPositions()
    for second in range(10):
        positions.add(second, {"log": 100.0 * second})
    assert positions.lag_seconds(9, {"log": 900.0}) == 0
    assert positions.lag_seconds(9, {"log": 850.0}) == 0
    assert positions.lag_seconds(9, {"log": 350.0}) == 5
    positions.add(10, {"log": 5.0})  # another server, whose log is younger
    assert positions.lag_seconds(10, {"log": 0.0}) == 0


def test_a_standby_lags_when_it_lacks_the_transactions_of_any_server() -> None:
    positions = LogPositions()
    for second in range(10):
        positions.add(second, {"first": 5.0, "second": float(second)})
    assert positions.lag_seconds(9, {"first": 5.0, "second": 9.0, "its own": 3.0}) == 0
    assert positions.lag_seconds(9, {"first": 4.0, "second": 9.0}) == 9
    assert positions.lag_seconds(9, {"second": 9.0}) == 9
    assert positions.lag_seconds(6.5, {"first": 5.0, "second": 6.0}) == 0, "asked before the log was further"
