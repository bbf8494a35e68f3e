from engine.workloads.dvdstore import people


def test_there_are_51_states_and_ten_other_countries() -> None:
    assert len(set(people.STATES)) == 51
    assert {len(state) for state in people.STATES} == {2}
    assert len(set(people.COUNTRIES)) == 10
    assert people.US_COUNTRY not in people.COUNTRIES


def test_ranges_match_the_workload() -> None:
    assert (people.LEAST_AGE, people.LEAST_AGE + people.AGES - 1) == (18, 90)
    assert people.INCOME_STEP * people.INCOMES == 100_000
    assert (people.LEAST_ZIP, people.LEAST_ZIP + people.ZIPS - 1) == (10_000, 99_999)
    assert people.LEAST_HOUSE_NUMBER + people.HOUSE_NUMBERS == 10_000
