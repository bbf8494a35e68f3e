"""The window's webhook: set in a dialog, stored in the keyring, called at the end of every run and campaign."""

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.campaigns.runner import CampaignRunner
from app.live.run import LiveRun
from app.services import Services
from app.settings import Settings
from engine.errors import Cancelled, UserError
from engine.figure_text import capitalised
from engine.notify.notices import CampaignNotice, Notice, RunNotice
from engine.notify.webhook import Webhook, find_webhook
from engine.record.record import RunRecord
from engine.report.campaign.tree import CampaignTree
from widgets.parts.look import Look
from widgets.parts.webhook_dialog import WebhookDialog

_TEST = RunNotice(run="Webhook test", state="completed")
_TOPIC = "webhook"
T = TypeVar("T")


class Webhooks(QObject):
    """The keyring may wait or ask for its own password, so it is opened when a run or campaign begins, while the user
    is present, and only if the settings say that it holds a URL. Of a campaign its end is posted, not its runs."""

    changed = Signal()

    def __init__(
        self,
        live_run: LiveRun,
        campaigns: CampaignRunner,
        services: Services,
        settings: Settings,
        look: Look,
        window: QWidget,
        parent: QObject | None,
    ) -> None:
        super().__init__(parent)
        self._live_run = live_run
        self._services = services
        self._settings = settings
        self._look = look
        self._window = window
        self._webhook: Webhook | None = None
        self._has_looked = False
        self._dialog: WebhookDialog | None = None
        live_run.preparing.connect(lambda _doing, _share: self._look_for_url())
        live_run.ended.connect(self._on_ended)
        live_run.not_stored.connect(self._on_not_stored)
        live_run.failed.connect(self._on_failed)
        campaigns.began.connect(self._look_for_url)
        campaigns.ended.connect(self._on_campaign_ended)
        campaigns.failed.connect(self._on_campaign_failed)

    def ask(self) -> None:
        """Open the dialog."""
        if self._dialog is not None:
            return
        self._dialog = dialog = WebhookDialog(self._look, self._window, is_kept=self._is_kept)
        dialog.test_requested.connect(self._on_test)
        dialog.save_requested.connect(self._on_save)
        dialog.remove_requested.connect(self._on_remove)
        dialog.finished.connect(self._on_dialog_closed)
        dialog.open()

    @property
    def _is_kept(self) -> bool:
        return self._settings.webhook or self._webhook is not None

    def _look_for_url(self) -> None:
        if not self._has_looked:
            self._has_looked = True
            self._services.background.start(lambda _job: self._find(), done=self._on_found, failed=self._on_trouble)

    def _find(self) -> Webhook | None:
        return self._webhook or find_webhook(with_keyring=self._settings.webhook)

    def _on_found(self, webhook: Webhook | None) -> None:
        self._webhook = self._webhook or webhook
        if self._webhook is None and self._settings.webhook:
            self._services.messages.show_warning(
                "The webhook's URL can't be read from the keyring; no notice will be sent."
            )

    def _on_ended(self, record: RunRecord) -> None:
        if not self._live_run.is_followed:
            self._send(RunNotice.of(record))

    def _on_not_stored(self, record: RunRecord) -> None:
        self._send(RunNotice.of(record, is_kept=False))

    def _on_failed(self, error: BaseException) -> None:
        name = self._live_run.plan.name if self._live_run.plan is not None else ""
        if isinstance(error, Exception):
            self._send(RunNotice.not_started(name, error))

    def _on_campaign_ended(self, tree: CampaignTree) -> None:
        self._send(CampaignNotice.of(tree))

    def _on_campaign_failed(self, name: str, error: BaseException) -> None:
        if isinstance(error, Exception) and not isinstance(error, Cancelled):
            self._send(CampaignNotice.not_started(name, error))

    def _send(self, notice: Notice) -> None:
        webhook = self._webhook
        if webhook is not None:
            self._services.background.start(lambda _job: webhook.post(notice), failed=self._on_trouble)

    def _on_trouble(self, error: BaseException) -> None:
        self._services.messages.show_error(error, topic=_TOPIC)

    def _on_test(self, text: str) -> None:
        def work() -> str:
            webhook = Webhook.parse(text) if text else self._find()
            if webhook is None:
                raise UserError("The URL can't be read from the keyring; type it again.")
            webhook.post(_TEST)
            return f"{webhook.host} has taken it."

        self._do("Sending …", work, lambda sentence: self._show_result(sentence, ok=True))

    def _on_save(self, text: str) -> None:
        def work() -> tuple[Webhook, bool]:
            webhook = Webhook.parse(text)
            try:
                webhook.keep()
            except UserError:
                return webhook, False
            return webhook, True

        self._do("Saving …", work, lambda saved: self._on_saved(*saved))

    def _on_saved(self, webhook: Webhook, is_in_keyring: bool) -> None:
        self._put(webhook, is_in_keyring=is_in_keyring)
        self._has_looked = True
        if is_in_keyring:
            self._show_result("Kept in the system's keyring.", ok=True)
        else:
            self._show_result("This system has no keyring; the URL is used until the window is closed.", ok=False)

    def _on_remove(self) -> None:
        was_in_keyring = self._settings.webhook

        def work() -> None:
            if was_in_keyring:
                Webhook.forget()

        self._do("Removing …", work, lambda _: self._on_removed())

    def _on_removed(self) -> None:
        self._put(None, is_in_keyring=False)
        self._show_result("Removed.", ok=True)

    def _put(self, webhook: Webhook | None, *, is_in_keyring: bool) -> None:
        self._webhook = webhook
        self._settings.webhook = is_in_keyring
        self.changed.emit()
        if self._dialog is not None:
            self._dialog.set_stored(webhook is not None)

    def _do(self, doing: str, work: Callable[[], T], done: Callable[[T], None]) -> None:
        """Runs in the background; the dialog may be closed meanwhile."""
        if self._dialog is not None:
            self._dialog.show_busy(doing)
        self._services.background.start(lambda _job: work(), done=done, failed=self._on_refused)

    def _on_refused(self, error: BaseException) -> None:
        if isinstance(error, UserError):
            self._show_result(capitalised(str(error)), ok=False)
        else:
            self._services.messages.show_error(error)

    def _show_result(self, sentence: str, *, ok: bool) -> None:
        if self._dialog is not None:
            self._dialog.show_result(sentence, ok=ok)

    def _on_dialog_closed(self, _result: int) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None
