from widgets.parts.chart.layers import label_tops

_TOP, _HEIGHT = 0.0, 10.0


def test_labels_stand_above_their_lines_where_there_is_room() -> None:
    assert label_tops([30.0, 60.0], _TOP, _HEIGHT) == [19.0, 49.0]


def test_label_of_a_line_close_below_another_stands_below_it() -> None:
    assert label_tops([30.0, 35.0], _TOP, _HEIGHT) == [19.0, 36.0]


def test_label_without_room_above_stands_below_all_lines_that_would_cross_it() -> None:
    assert label_tops([5.0, 10.0], _TOP, _HEIGHT) == [11.0, 11.0]
    assert label_tops([5.0, 10.0, 20.0], _TOP, _HEIGHT) == [21.0, 21.0, 21.0]
    assert label_tops([5.0, 40.0], _TOP, _HEIGHT) == [6.0, 29.0]


def test_no_lines_need_no_labels() -> None:
    assert label_tops([], _TOP, _HEIGHT) == []
