"""`--notify-url`: a chat tool gets a notice at the end of a run or campaign, and its URL is stored nowhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import Spindle
from tests.doubles.webhook_server import TOKEN, WebhookServer

SHORT = ("--warmup", "0", "--minutes", "0.02", "--ramp-rate", "100", "--think-time-ms", "20", "--quiet")


@pytest.fixture
def server() -> Iterator[WebhookServer]:
    with WebhookServer() as running:
        yield running


def test_run_notification_is_sent_and_its_url_is_not_stored(
    store: str, home: Path, spindle: Spindle, server: WebhookServer
) -> None:
    ended = spindle("run", "--target", store, *SHORT, "--name", "nightly", "--audit", "--notify-url", server.url)
    assert ended.code == 0, ended.err
    (notice,) = server.notices
    assert (notice["run"], notice["state"], notice["opm"] > 0) == ("nightly", "completed", True)
    assert notice["text"].startswith("Spindle run nightly: completed, ")
    assert notice["audit"] in notice["text"]
    assert f"run {notice['run_id']}" in spindle("library", "show", "last").out
    assert TOKEN not in ended.out + ended.err
    for path in home.rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes()


def test_each_run_of_a_set_is_notified_by_name(
    store: str, spindle: Spindle, server: WebhookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPINDLE_NOTIFY_URL", server.url)
    ended = spindle("run", "--target", store, *SHORT, "--name", "nightly", "--repeat", "2")
    assert ended.code == 0, ended.err
    assert [notice["run"] for notice in server.notices] == ["nightly, run 1", "nightly, run 2"]


def test_refused_notification_does_not_fail_the_run(store: str, spindle: Spindle, server: WebhookServer) -> None:
    server.refusal = 404
    ended = spindle("run", "--target", store, *SHORT, "--notify-url", server.url)
    assert ended.code == 0
    assert "The notification was not taken: localhost answered HTTP 404." in ended.err
    assert TOKEN not in ended.err


def test_run_that_fails_to_start_is_notified(spindle: Spindle, server: WebhookServer) -> None:
    ended = spindle("run", "--target", "postgresql://me@127.0.0.1:1/ds2", *SHORT, "--notify-url", server.url)
    assert ended.code == 1
    (notice,) = server.notices
    assert (notice["state"], notice["opm"]) == ("failed", None)
    assert "127.0.0.1" in notice["text"]


def test_the_end_of_a_campaign_is_notified_with_its_result(
    store: str, spindle: Spindle, server: WebhookServer, tmp_path: Path
) -> None:
    file = tmp_path / "night.toml"
    plan = f'[plan]\ntargets = ["{store}"]\nwarmup_minutes = 0.0\nminutes = 0.02\nramp_rate = 100\n'
    file.write_text(f'{plan}[[steps]]\nkind = "run"\nrepeat = 2\n')
    ended = spindle("campaign", "run", str(file), "--quiet", "--notify-url", server.url)
    assert ended.code == 0, ended.err
    (notice,) = server.notices
    assert (notice["campaign"], notice["state"], notice["runs"]) == ("night", "completed", 2)
    assert notice["result"].startswith("Median of 2 runs: ")
    assert notice["text"] == f"Spindle campaign night: completed, 2 runs completed. {notice['result']}"
    assert TOKEN not in ended.out + ended.err
    file.write_text(f'{plan.replace(store, "postgresql://me@127.0.0.1:1/ds2")}[[steps]]\nkind = "run"\n')
    assert spindle("campaign", "run", str(file), "--name", "lost", "--notify-url", server.url).code == 1
    assert (server.notices[-1]["campaign"], server.notices[-1]["state"]) == ("lost", "failed")


def test_invalid_notify_url_is_rejected_before_the_run(spindle: Spindle) -> None:
    ended = spindle("run", "--notify-url", f"chat.example.com/hooks/{TOKEN}")
    assert ended.code == 2
    assert "the notification URL is no web address" in ended.err
    assert TOKEN not in ended.err
