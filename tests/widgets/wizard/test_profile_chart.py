"""The load profile of the wizard's Load page."""

import pytest
from pytestqt.qtbot import QtBot

from engine.draft.plan_draft import PlanDraft
from engine.plan.load.profile import LoadProfile
from engine.plan.load.stage import Stage
from widgets.parts.look import Look
from widgets.wizard.load_page import LoadPage
from widgets.wizard.profile_chart import ProfileChart

PROFILE = LoadProfile(
    stages=(Stage(users=10, seconds=60), Stage(users=20, seconds=120, settle_seconds=60), Stage(users=5, seconds=60))
)


def test_bars_are_as_wide_as_stages_are_long_and_as_high_as_their_load(qtbot: QtBot) -> None:
    chart = ProfileChart(Look())
    qtbot.addWidget(chart)
    chart.resize(500, chart.sizeHint().height())
    chart.show_profile(PROFILE)
    first, second, third = (chart.bar(span) for span in PROFILE.spans(0))

    assert first.right() == pytest.approx(second.left())
    assert second.width() == pytest.approx(2 * first.width())
    assert second.height() == pytest.approx(2 * first.height()) == pytest.approx(4 * third.height())
    assert first.bottom() == pytest.approx(third.bottom())
    assert chart.accessibleDescription() == (
        "3 stages of 5 to 20 users in 4 min: 10 users for 1 min, 20 users for 2 min, 5 users for 1 min."
    )


def test_settling_time_is_drawn_in_another_tint(qtbot: QtBot) -> None:
    look = Look()
    chart = ProfileChart(look)
    qtbot.addWidget(chart)
    chart.resize(500, chart.sizeHint().height())
    chart.show_profile(PROFILE)
    bar = chart.bar(list(PROFILE.spans(0))[1])
    image = chart.grab().toImage()

    def colour_at(share: float) -> str:
        return image.pixelColor(int(bar.left() + share * bar.width()), int(bar.center().y())).name()

    assert (colour_at(0.25), colour_at(0.75)) == (look.colours.chosen, look.colours.heat)


def test_page_draws_the_stages_that_are_typed_and_takes_the_run_time_from_them(qtbot: QtBot) -> None:
    page = LoadPage(Look())
    qtbot.addWidget(page)
    page.load(PlanDraft())
    page.show_errors({})
    assert page.profile.isHidden()
    assert page.form.rows["minutes"].field.isEnabled()

    page.load(PlanDraft(typed={"stages": "2 users 1:00, 4 users 1:00"}))
    page.show_errors({})
    assert not page.profile.isHidden()
    assert not page.form.rows["minutes"].field.isEnabled()
    assert page.profile.toolTip() == "2 stages of 2 to 4 users"

    page.load(PlanDraft(typed={"stages": "2 users 1:00, 4 clients"}))
    page.show_errors(page.draft.validate())
    assert page.profile.isHidden()
