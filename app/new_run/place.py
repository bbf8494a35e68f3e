"""The New run place: connects the wizard with the work on stores, plan files and targets, and keeps its draft."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from app.background import Job
from app.new_run import jobs as wizard_jobs
from app.new_run.jobs import StoreWorkResult
from app.remedy_text import window_text
from app.services import Services
from app.window.file_questions import Purpose
from app.window.main_window import Place
from engine.conduct.store_work import PlannedReplacement
from engine.draft.equivalent_command import plan_file_name
from engine.draft.plan_draft import PlanDraft
from engine.errors import TargetError, UserError
from engine.machines.inventory import Inventory, read_inventory
from engine.machines.storage_access import why_not_driven
from engine.plan.file import read_plan_file, write_plan_file
from engine.plan.plan import RunPlan
from engine.secrets import Secret
from engine.target.store_layout import StoreLayout
from engine.target.target import Target
from widgets.parts.look import Look
from widgets.parts.message_bar import Severity
from widgets.wizard.footer import RecentPlan
from widgets.wizard.replace_question import ReplaceQuestion
from widgets.wizard.wizard import Wizard

_PLAN_FILES = "Plan files (*.toml)"
_PLAN_TOPIC = "opening a plan"
_MOST_RECENT = 10


class _Machines(NamedTuple):
    """The inventory, and what the wizard offers of it by the machines' names: how each is read, and why the storage of
    some can't be driven; by the configurations' names their machines, and the load machines with their processors."""

    inventory: Inventory
    ways: dict[str, str]
    not_driven: dict[str, str]
    of_configurations: dict[str, tuple[str, ...]]
    load_machines: dict[str, int]


class NewRunPlace(QObject):
    """``start_requested`` carries the plan. ``draft_changed``: the draft or the list of recent plans is to be saved."""

    start_requested = Signal(object)
    draft_changed = Signal()

    def __init__(self, look: Look, draft: PlanDraft, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._job: Job[Any] | None = None
        self.recent_plans: list[str] = []
        self.widget = Wizard(look, draft)
        self._connect()

    def fill(self, plan: RunPlan, source: str = "") -> None:
        """Fill the wizard with a plan, as from the file ``source``; the earlier draft can be restored."""
        before = self.widget.draft
        self.widget.fill(plan)
        opened = source or (f"the plan “{plan.name}”" if plan.name else "the plan")
        self._services.messages.offer(
            f"Opened {opened}.", "Undo", lambda: self.widget.put(before), Severity.SUCCESS, topic=_PLAN_TOPIC
        )

    def _connect(self) -> None:
        wizard = self.widget
        wizard.start_requested.connect(self._on_start)
        wizard.test_requested.connect(self._on_test)
        wizard.targets.drivers_requested.connect(self._on_drivers)
        wizard.database.build_requested.connect(self._on_build)
        wizard.database.verify_requested.connect(self._on_verify)
        wizard.database.reset_requested.connect(self._on_reset)
        wizard.database.work.cancel_requested.connect(self._on_cancel)
        wizard.review.save_plan_requested.connect(self._on_save_plan)
        wizard.footer.open_plan.clicked.connect(self._on_open_plan)
        wizard.footer.recent_requested.connect(self._on_recent)
        wizard.footer.recent_chosen.connect(lambda path: self.open_plan(Path(path)))
        wizard.review.copy_requested.connect(self._on_copy)
        wizard.targets.password_entered.connect(self._on_password)
        wizard.machines_requested.connect(self._on_machines)
        wizard.draft_changed.connect(self.draft_changed)

    def _on_start(self, plan: RunPlan, secrets: Mapping[str, Secret]) -> None:
        self._services.workbench.remember(secrets)
        self._services.messages.drop(_PLAN_TOPIC)
        self.start_requested.emit(plan)

    def _on_test(self, question: int, target: Target, workload: str) -> None:
        self._services.workbench.remember(self.widget.secrets())
        self._services.background.start(
            lambda _job: wizard_jobs.probe_target(self._services.workbench.targets().resolve, target, workload),
            done=lambda result: self.widget.show_test(question, result),
        )

    def _on_machines(self) -> None:
        """The machines, how they are read, why the storage of some can't be driven, the configurations that name some,
        and the load machines, as they are now."""
        workbench, wizard = self._services.workbench, self.widget

        def work(_job: Job[Any]) -> _Machines:
            from engine.cluster.state import load_machines_of  # which loads OpenSSL

            inventory = read_inventory(workbench.places.machines)
            ways = {each.name: ", ".join(access.title for access in each.accesses) for each in inventory}
            kept = workbench.library().configurations.all()
            named = {each.name: each.machines for each in kept if each.machines}
            not_driven = {each.name: why_not_driven(each) for each in inventory}
            driving = load_machines_of(inventory, workbench.places.cluster)
            return _Machines(inventory, ways, not_driven, named, driving)

        def show(found: _Machines) -> None:
            wizard.targets.editor.offer_machines(found.not_driven)
            wizard.review.machines.offer(found.ways, found.of_configurations)
            wizard.load.offer_machines(found.load_machines)
            wizard.know_machines(found.inventory)

        self._services.background.start(work, done=show, failed=self._services.messages.show_error)

    def _on_drivers(self) -> None:
        self._services.background.start(
            lambda _job: wizard_jobs.installed_drivers(), done=self.widget.targets.show_drivers
        )

    def _on_build(self, plan: RunPlan, replace: bool, layout: StoreLayout | None) -> None:
        def build(delete_first: Sequence[Target] = ()) -> None:
            work = partial(wizard_jobs.build_stores, replace=replace, layout=layout, delete_first=delete_first)
            self._work("building", partial(work, notify=self._services.workbench.notify), plan)

        if replace:
            self._look(plan, lambda found: self._ask(found, wizard_jobs.called(plan), build))
        else:
            build()

    def _look(self, plan: RunPlan, done: Callable[[list[PlannedReplacement]], None]) -> None:
        """Look up which stores would be replaced."""
        self._services.workbench.remember(self.widget.secrets())
        self.widget.database.work.show_job(f"looking at the {wizard_jobs.called(plan)[1]}", 0.0)
        self._services.background.start(
            lambda _job: wizard_jobs.stores_in_the_way(self._services.workbench.targets().resolve, plan),
            done=done,
            failed=self._on_failed,
        )

    def _ask(
        self, found: Sequence[PlannedReplacement], words: tuple[str, str], build: Callable[[Sequence[Target]], None]
    ) -> None:
        """Build at once when no store is in the way; otherwise ask the user first."""
        if not found:
            build(())
            return
        deletes = sum(each.replacement.must_delete_first for each in found)

        def answer(goes_on: bool) -> None:
            chosen = question.deletes_first and not deletes
            question.deleteLater()
            if goes_on:
                build([each.planned for each in found if chosen or each.replacement.must_delete_first])
            else:
                self.widget.database.work.show_result("Nothing was changed.", ok=True)

        sentences = [each.sentence for each in found]
        question = ReplaceQuestion(sentences, deletes=deletes, words=words, parent=self.widget)
        question.answered.connect(answer)
        question.open()

    def _on_verify(self, plan: RunPlan) -> None:
        self._work("verifying", wizard_jobs.verify_stores, plan)

    def _on_reset(self, plan: RunPlan) -> None:
        self._work("resetting", partial(wizard_jobs.reset_stores, notify=self._services.workbench.notify), plan)

    def _work(self, doing: str, work: Callable[..., StoreWorkResult], plan: RunPlan) -> None:
        """Work on stores, one at a time; the result is a sentence on the wizard's page."""
        self._services.workbench.remember(self.widget.secrets())
        self._job = self._services.long_work.start(
            f"{doing} {_stores(plan)}",
            lambda job: work(
                self._services.workbench.targets().resolve,
                plan,
                on_progress=job.report_progress,
                cancelled=job.cancelled,
            ),
            done=self._on_worked,
            failed=self._on_failed,
            progressed=self.widget.database.work.show_job,
            cancelled=self._on_cancelled,
            place=Place.NEW_RUN,
            beside=self.widget.database.work,
            sentence=lambda result: result.sentence,
        )

    def _on_worked(self, result: StoreWorkResult) -> None:
        self._show_result(result.sentence, ok=result.ok)

    def _on_cancelled(self) -> None:
        """Only for work that changes nothing: a build and a reset return what they left behind."""
        self._show_result("Cancelled.", ok=None)

    def _show_result(self, sentence: str, *, ok: bool | None) -> None:
        """On the wizard's page, and as a message if that is hidden; ``ok`` is ``None`` for what was cancelled."""
        self.widget.database.work.show_result(sentence, ok=ok)
        if not self.widget.database.work.isVisible():
            tone = Severity.INFO if ok is None else Severity.SUCCESS if ok else Severity.WARNING
            self._services.messages.show(sentence, tone)

    def _on_failed(self, error: BaseException) -> None:
        match error:
            case UserError() | TargetError():
                self._show_result(window_text(error), ok=False)
            case _:
                self.widget.database.work.show_result("Internal error; the details are in the dialog.", ok=False)
                self._services.messages.show_error(error)

    def _on_cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _on_save_plan(self, plan: RunPlan) -> None:
        def save(path: Path) -> None:
            self._services.background.start(
                lambda _job: write_plan_file(path, plan, overwrite=True), done=lambda _: self._on_saved(path)
            )

        name = plan_file_name(plan)
        self._services.files.ask_save("Save the plan", name, _PLAN_FILES, save, purpose=Purpose.PLANS)

    def _on_saved(self, path: Path) -> None:
        self._remember(path)
        self._services.messages.show(f"Plan saved as {path}.", Severity.SUCCESS)

    def _on_open_plan(self) -> None:
        self._services.files.ask_open(
            "Open a plan file", _PLAN_FILES, lambda paths: self.open_plan(paths[0]), purpose=Purpose.PLANS
        )

    def open_plan(self, path: Path) -> None:
        """Fill the wizard from a plan file."""
        self._services.background.start(
            lambda _job: read_plan_file(path),
            done=lambda plan: self.take_plan(path, plan),
            failed=partial(self._services.messages.show_error, topic=_PLAN_TOPIC),
        )

    def take_plan(self, path: Path, plan: RunPlan) -> None:
        """Fill the wizard with a plan that was read from a file, and add the file to the recent ones."""
        self.fill(plan, path.name)
        self._remember(path)

    def _remember(self, path: Path) -> None:
        """Put a plan file at the head of the recent ones."""
        recent = str(path.absolute())
        self.recent_plans = [recent, *(each for each in self.recent_plans if each != recent)][:_MOST_RECENT]
        self.draft_changed.emit()

    def _on_recent(self) -> None:
        """Offer the recent plan files at once, and again when it is known which of them exist."""
        paths = tuple(self.recent_plans)
        self.widget.footer.show_recent([RecentPlan(path=path, exists=True) for path in paths])
        self._services.background.start(
            lambda _job: [RecentPlan(path=path, exists=Path(path).is_file()) for path in paths],
            done=self.widget.footer.show_recent,
        )

    def _on_copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._services.messages.show("Command line copied.", Severity.SUCCESS)

    def _on_password(self, name: str, secret: Secret, keep: bool) -> None:
        self._services.workbench.remember({name: secret})
        if keep:
            self._services.background.start(
                lambda _job: self._services.workbench.keep(name, secret),
                done=lambda _: self._services.messages.show(
                    f"Password for {name} stored in the keyring.", Severity.SUCCESS
                ),
            )


def _stores(plan: RunPlan) -> str:
    one, many = wizard_jobs.called(plan)
    return f"a {one}" if len(plan.stores()) == 1 else f"{len(plan.stores())} {many}"
