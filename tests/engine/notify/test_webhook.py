"""Notices of runs, posted to a real server; its URL is seen nowhere."""

import shutil
import socket
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import keyring
import pytest

from engine.errors import BadInput, UserError
from engine.notify.notices import CampaignNotice, RunNotice
from engine.notify.webhook import Webhook, find_webhook
from engine.plan.plan import RunPlan
from engine.record.record import RunState
from engine.record.totals import Totals
from engine.secrets import KEYRING_SERVICE
from tests.app.runs import a_run
from tests.doubles.memory_keyring import MemoryKeyring
from tests.doubles.redfish_server import make_certificate
from tests.doubles.samples import OPM
from tests.doubles.webhook_server import TOKEN, WebhookServer
from tests.texts import lacks
from tests.totals import totals_with

NOTICE = RunNotice(run="R630 SSD #2", state="completed", metric=OPM.metric, value=186_604, run_id="20261121-1403")


@pytest.fixture
def server() -> Iterator[WebhookServer]:
    with WebhookServer() as running:
        yield running


@pytest.fixture
def memory() -> Iterator[MemoryKeyring]:
    before, memory = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


def refused(webhook: Webhook, **more: float) -> str:
    """Why a notice was not taken; the URL is in none of it."""
    with pytest.raises(UserError) as caught:
        webhook.post(NOTICE, **more)
    shown = "".join(traceback.format_exception(caught.value)) + repr(webhook) + repr(vars(webhook))
    assert TOKEN not in shown
    return str(caught.value)


def test_a_notice_is_a_small_document_that_chat_tools_show(server: WebhookServer) -> None:
    Webhook.parse(server.url).post(NOTICE)
    (notice,) = server.notices
    assert lacks(notice.pop("text"), "R630 SSD #2", "completed", "186 604 OPM") == []
    assert notice == {
        "run": "R630 SSD #2",
        "state": "completed",
        "opm": 186_604,
        "run_id": "20261121-1403",
        "path": f"/hooks/{TOKEN}",
    }
    assert server.content_types == ["application/json; charset=utf-8"]


def test_notice_of_a_campaign_says_its_result_and_why_it_failed(server: WebhookServer) -> None:
    ended = CampaignNotice(campaign="R630, SSD", state="failed", runs=3, result="Median of 3 runs: 900 OPM.")
    Webhook.parse(server.url).post(replace(ended, failure="Wait for ping r630: no answer."))
    Webhook.parse(server.url).post(
        CampaignNotice.not_started("night", UserError("postgresql://me:hunter2@db1/ds2 does not answer."))
    )
    first, second = server.notices
    assert first.pop("path") == second.pop("path")
    assert first == {
        "text": "Spindle campaign R630, SSD: failed, 3 runs completed. Median of 3 runs: 900 OPM. Wait for ping r630:"
        " no answer.",
        "campaign": "R630, SSD",
        "state": "failed",
        "runs": 3,
        "result": "Median of 3 runs: 900 OPM.",
        "failure": "Wait for ping r630: no answer.",
    }
    assert (second["campaign"], second["state"], second["runs"]) == ("night", "failed", 0)
    assert "hunter2" not in str(second)


def test_notice_of_a_failure_has_no_password() -> None:
    record = a_run(
        name="pair",
        state=RunState.FAILED,
        failure="Client ds2 lost postgresql://me:hunter2@db1/ds2.",
        totals=totals_with(opm=41_215.6),
        audit={"verdict": "orders lost"},
    )
    notice = RunNotice.of(record)
    assert (notice.run, notice.state, notice.value, notice.run_id) == ("pair", "failed", 41_216, record.run_id)
    assert (
        lacks(notice.sentence, "pair", "failed", "41 216 OPM", "ds2 lost postgresql://me:", "audit: orders lost") == []
    )
    assert "hunter2" not in str(notice.to_dict())
    assert RunNotice.of(a_run(totals=None)).to_dict()["opm"] is None


def test_a_run_that_the_library_could_not_store_is_reported_as_such() -> None:
    notice = RunNotice.of(a_run(name="nightly", totals=totals_with(opm=900.0)), is_kept=False)
    assert lacks(notice.sentence, "nightly", "900 OPM", "library could not store") == []
    assert notice.to_dict()["in_library"] is False
    assert "in_library" not in RunNotice.of(a_run(totals=None)).to_dict()


def test_a_run_that_could_not_begin_is_reported_as_failed() -> None:
    notice = RunNotice.not_started("nightly", UserError("host db1 refused the connection."))
    assert notice.state == "failed"
    assert lacks(notice.sentence, "nightly", "failed", "host db1 refused the connection") == []


@pytest.mark.parametrize("status", [301, 307, 404, 500])
def test_a_refusal_has_its_status_and_a_redirect_is_not_followed(server: WebhookServer, status: int) -> None:
    server.refusal = status
    assert lacks(refused(Webhook.parse(server.url)), "localhost", f"HTTP {status}") == []
    assert [notice["path"] for notice in server.notices] == [f"/hooks/{TOKEN}"]


def test_silent_service_takes_only_the_time_out(server: WebhookServer) -> None:
    server.silent.set()
    shown = refused(Webhook.parse(server.url), time_out_seconds=0.2)
    assert lacks(shown, "localhost", "no answer within 0.2 s") == []


def test_refused_connection_is_a_user_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert "Connection refused" in refused(Webhook.parse(f"http://127.0.0.1:{port}/hooks/{TOKEN}"))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the server's certificate")
def test_an_unknown_certificate_is_refused_before_anything_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = make_certificate(tmp_path)
    with WebhookServer(certificate) as server:
        webhook = Webhook.parse(server.url)
        assert "its certificate is not trusted" in refused(webhook)
        assert server.notices == []
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
        webhook.post(NOTICE)
        assert len(server.notices) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"/hooks/{TOKEN}",
        f"file:///etc/{TOKEN}",
        f"ftp://chat/{TOKEN}",
        f"https:///{TOKEN}",
        f"https://me:{TOKEN}@chat.example.com/hooks",
        f"https://chat.example.com:port/{TOKEN}",
        f"https://chat.example.com/hooks/ {TOKEN}",
        f"https://chat.example.com/hooks/{TOKEN}\nHost: elsewhere",
        f"https://[chat/{TOKEN}",
    ],
)
def test_invalid_url_is_rejected_without_repeating_it(text: str) -> None:
    with pytest.raises(BadInput, match=r"the notification URL .*; write one such as https://") as caught:
        Webhook.parse(text)
    assert TOKEN not in "".join(traceback.format_exception(caught.value))


def test_webhook_in_the_environment_precedes_the_keyring(memory: MemoryKeyring) -> None:
    assert find_webhook({}) is None
    Webhook.parse(f"https://kept.example.com/{TOKEN}").keep()
    assert [service for service, _ in memory.kept] == [KEYRING_SERVICE]
    kept = find_webhook({})
    assert kept is not None
    assert kept.host == "kept.example.com"
    other = find_webhook({"SPINDLE_NOTIFY_URL": f"https://set.example.com/{TOKEN}"})
    assert other is not None
    assert other.host == "set.example.com"
    Webhook.forget()
    assert find_webhook({}) is None
    with pytest.raises(UserError, match="the keyring holds no password for notify-url"):
        Webhook.forget()


def test_notice_of_a_mixed_run_has_the_headline_of_every_load() -> None:
    plan = RunPlan.from_dict({"load": [{"workload": "wholesale"}]})
    totals = replace(totals_with(opm=900.0), further_loads=(Totals(workload="wholesale", headline_rate=41.6),))
    audit = {"verdict": "clean", "stores": [], "further_loads": [{"verdict": "lost", "stores": []}]}
    notice = RunNotice.of(replace(a_run(name="both", totals=totals), plan=plan, client_labels=("a", "b"), audit=audit))
    assert notice.sentence == "Spindle run both: completed, DVD Store 2 900 OPM, Wholesale 42 NOPM. Audit: lost."
    assert notice.to_dict()["loads"] == [{"title": "DVD Store 2", "opm": 900}, {"title": "Wholesale", "nopm": 42}]
