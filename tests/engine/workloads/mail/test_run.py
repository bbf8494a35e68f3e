"""Runs of mail against a Dovecot that is killed, frozen and full, and what their audits find."""

import imaplib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.audit.report import AuditReport, Verdict
from engine.conduct.after_run import audit_after_run
from engine.conduct.conductor import Conductor
from engine.conduct.preflight import check_plan
from engine.conduct.targets import Targets
from engine.databases.database import Timeouts
from engine.driver.sinks import Sink
from engine.errors import UserError
from engine.library.library import Library
from engine.places import find_places
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Sample
from engine.workload.registry import MAIL
from engine.workloads.mail.transactions import TASK
from tests.dovecot import DOMAIN, PASSWORD, Dovecot, dovecot
from tests.engine.driver.runs import OVER_SECONDS

pytestmark = pytest.mark.slow
SECOND = 1 / 60


class Watch(Sink):
    """Keeps what a run emits, and acts once when so many tasks are done."""

    def __init__(self, after_tasks: int = 0, act: Callable[[], object] | None = None) -> None:
        self.samples: list[Sample] = []
        self.events: list[RunEvent] = []
        self._after_tasks = after_tasks
        self._act = act

    def write_sample(self, sample: Sample) -> None:
        self.samples.append(sample)
        if self._act is not None and self.tasks >= self._after_tasks:
            act, self._act = self._act, None
            threading.Thread(target=act, daemon=True).start()

    def write_event(self, event: RunEvent) -> None:
        self.events.append(event)

    @property
    def tasks(self) -> int:
        return sum(sample.of(TASK).n for sample in self.samples)


class Mail:
    """A library, and the runs on a server with eight mailboxes."""

    def __init__(self, home: Path, server: Dovecot) -> None:
        self.server = server
        self.library = Library.open(home / "library.sqlite", notify=print)
        secrets = {server.target.secret_name: server.secret}
        self.targets = Targets(find_places(home), secrets=secrets, find=lambda _: None, notify=print)
        self._conductor: Conductor | None = None

    def plan(self, **changed: Any) -> RunPlan:
        values: dict[str, Any] = {
            "targets": (self.server.target,),
            "workload": MAIL,
            "threads": 8,
            "ramp_rate": 100,
            "warmup_minutes": 0,
            "minutes": 4 * SECOND,
            "parameters": {"rate_factor": 300.0},
        }
        return RunPlan(**(values | changed))

    def build(self, scale: str = "8x0.05MB") -> None:
        store = self.targets.resolve(self.server.target).store(Timeouts(), MAIL)
        if store.state() is None:
            store.build(scale, 1, replace=False, report_progress=lambda _: None, cancelled=lambda: False)

    def run(self, watch: Watch, timeouts: Timeouts | None = None, **changed: Any) -> RunRecord:
        self.targets.timeouts = timeouts or Timeouts()
        conductor = self._conductor = Conductor(
            self.plan(**changed), library=self.library, targets=self.targets, notify=print
        )
        conductor.reset_changed(report_progress=lambda _: None, cancelled=lambda: False)
        conductor.prepare(report_progress=lambda _: None, cancelled=lambda: False)
        conductor.start([watch])
        assert conductor.run.wait(OVER_SECONDS)
        return conductor.finish()

    def audit(self, record: RunRecord) -> AuditReport:
        return audit_after_run(
            self.library, record.run_id, self.targets.resolve, report_progress=lambda _: None, cancelled=lambda: False
        )

    def close(self) -> None:
        if self._conductor is not None:
            self._conductor.close()


@pytest.fixture
def mail(tmp_path: Path, mail_server: Dovecot) -> Iterator[Mail]:
    mail = Mail(tmp_path, mail_server)
    with mail.library, mail.targets:
        mail.build()
        yield mail
        mail.close()


def test_every_message_of_a_run_is_found_and_a_deleted_one_is_lost(mail: Mail) -> None:
    watch = Watch()
    record = mail.run(watch)
    assert record.state is RunState.COMPLETED
    assert watch.tasks > 0
    assert not any(sample.errors for sample in watch.samples)
    totals = record.totals
    assert totals is not None
    assert totals.count is not None
    assert totals.due is not None
    left = totals.due - totals.count - watch.samples[-1].queue
    # The eight users are not counted as waiting for a connection when they leave, and may end a task or two between
    # the reading of the queue and that of the counts.
    assert abs(left) <= 16
    (audit,) = mail.audit(record).stores
    assert audit.verdict is Verdict.CLEAN, audit
    assert audit.counts.present > 0
    with imaplib.IMAP4("127.0.0.1", mail.server.imap_port) as other:
        other.login(f"user1@{DOMAIN}", PASSWORD)
        other.select("INBOX")
        sent = other.search(None, "HEADER", "X-Spindle-To", '""')[1][0].split()
        for message in sent:
            other.store(message.decode(), "+FLAGS", r"\Deleted")
        other.expunge()
    (audit,) = mail.audit(record).stores
    assert sent
    assert audit.verdict is Verdict.LOST
    assert audit.counts.lost == len(sent)
    assert "sent by user" in audit.examples["lost"][0].place


def test_a_server_that_is_killed_and_comes_back_loses_nothing_unreported(mail: Mail) -> None:
    def kill() -> None:
        mail.server.kill()
        mail.server.start()

    watch = Watch(after_tasks=20, act=kill)
    record = mail.run(watch, minutes=20 * SECOND)
    kinds = [event.kind for event in watch.events]
    assert EventKind.CONNECTION_LOST in kinds
    assert EventKind.CONNECTION_BACK in kinds
    assert sum(sample.reconnects for sample in watch.samples) >= 8
    last = max(sample.second for sample in watch.samples if sample.of(TASK).n)
    lost_at = next(event.at_seconds for event in watch.events if event.kind is EventKind.CONNECTION_LOST)
    assert last > lost_at
    (audit,) = mail.audit(record).stores
    assert audit.verdict is Verdict.CLEAN, audit
    assert audit.counts.lost == 0


def test_a_server_that_is_frozen_is_cut_off_in_time_and_used_again(mail: Mail) -> None:
    def freeze() -> None:
        mail.server.freeze()
        threading.Timer(5.0, mail.server.thaw).start()

    watch = Watch(after_tasks=20, act=freeze)
    record = mail.run(watch, Timeouts(connect_seconds=2.0, statement_seconds=1.0), minutes=20 * SECOND)
    errors = {name for sample in watch.samples for name in sample.errors}
    assert "timeout" in errors
    assert EventKind.CONNECTION_BACK in [event.kind for event in watch.events]
    (audit,) = mail.audit(record).stores
    assert audit.counts.lost == 0


def test_more_users_than_mailboxes_are_refused(mail: Mail) -> None:
    with pytest.raises(UserError, match=r"9 users on mail domain 'mail\.test', which has 8 mailboxes of 0\.05 MB"):
        check_plan(
            mail.plan(threads=9),
            mail.targets.resolve,
            Timeouts(),
            report_progress=lambda _: None,
            cancelled=lambda: False,
        )


QUOTA = """
mail_plugins = quota
protocol imap {
  mail_plugins = quota imap_quota
}
plugin {
  quota = count:User quota
  quota_vsizes = yes
  quota_rule = *:storage=56K
}
"""


def test_messages_that_full_mailboxes_refuse_are_counted_as_errors_and_not_as_lost(tmp_path: Path) -> None:
    with dovecot(4, quota=QUOTA) as server:
        full = Mail(tmp_path, server)
        with full.library, full.targets:
            full.build("4x0.05MB")
            watch = Watch()
            record = full.run(watch, threads=4, minutes=8 * SECOND)
            assert sum(sample.errors.get("other", 0) for sample in watch.samples)
            labels = [event.label for event in watch.events if event.kind is EventKind.TARGET_ERROR]
            assert any("Quota exceeded" in label for label in labels), labels
            assert not any(PASSWORD in label for label in labels)
            (audit,) = full.audit(record).stores
            assert audit.counts.lost == 0
            full.close()
