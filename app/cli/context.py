"""What every command needs: the home's folders, the library, the targets and their passwords.

The library and the drivers are imported on first use, since help and small commands need neither.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from app.cli.problems import print_notice
from app.cli.workload_options import fitted
from app.preferences import require_library_folder, timeouts_of
from app.settings import stored_settings
from engine.errors import BadInput, UserError
from engine.places import Places
from engine.plan.databases import embedded_target
from engine.plan.plan import RunPlan
from engine.secrets import Secret, find_secret
from engine.target.kinds import ANY_URL_FORM
from engine.target.target import Target
from engine.workload.registry import DVD_STORE

if TYPE_CHECKING:
    from engine.conduct.targets import Targets
    from engine.library.library import Library


COMMAND_LINE = "command line"
"""What a store's lease says of work that was begun here."""


@dataclass
class Context:
    """One call of the program. ``secrets`` holds the passwords from URLs, by ``Target.secret_name``."""

    places: Places
    secrets: dict[str, Secret] = field(default_factory=dict)

    def open_library(self) -> "Library":
        """The library, after pending work of earlier processes was done; possibly read-only. Raises ``UserError``."""
        from engine.conduct.interrupted import settle_library
        from engine.library.library import Library

        require_library_folder(self.places)
        library = Library.open(self.places.library, notify=print_notice)
        if not library.read_only:
            try:
                for sentence in settle_library(library).sentences():
                    print_notice(sentence)
            except UserError as trouble:  # the library can still be read
                print_notice(str(trouble))
        return library

    def open_library_to_write(self) -> "Library":
        """As ``open_library``, for commands that need to write their result. Raises ``UserError``."""
        library = self.open_library()
        if library.read_only:
            library.close()
            raise UserError(f"there is no room for a run in the library ({library.read_only}); see --home.")
        return library

    def open_targets(self) -> "Targets":
        """The targets; closed at the end, so that the embedded server can stop."""
        from engine.conduct.targets import Targets

        command = click.get_current_context(silent=True)
        who = command.command_path if command is not None else ""
        return Targets(
            self.places,
            secrets=self.secrets,
            find=_find_password,
            notify=print_notice,
            who=who,
            timeouts=timeouts_of(stored_settings(self.places.settings)),
        )

    def parse_targets(self, urls: Iterable[str], workload: str = DVD_STORE) -> tuple[Target, ...]:
        """Targets from URLs, each possibly a list separated by ``;`` as in DVD Store 2; without any, the embedded
        server's usual database of a workload.

        Raises ``BadInput``.
        """
        targets = []
        for url in (each.strip() for urls_of_one in urls for each in urls_of_one.split(";")):
            if not url:
                raise BadInput(f"a target is empty; write {ANY_URL_FORM}.")
            target, password = Target.parse(url)
            if password is not None:
                self.secrets[target.secret_name] = password
            targets.append(target)
        return tuple(targets) or (embedded_target(workload),)

    def parse_store_plan(self, urls: Iterable[str], **options: Any) -> RunPlan:
        """As much of a plan as work on its stores needs: the targets, and the ``options`` that are given.

        These are the plan's fields and its workload's parameters, by their keys; not given is ``None``. Raises
        ``BadInput``.
        """
        given = {key: value for key, value in options.items() if value is not None}
        workload = given.get("workload", DVD_STORE)
        plan = RunPlan(targets=self.parse_targets(urls, workload), workload=workload)
        return plan.changed(fitted(given, workload))


def _find_password(name: str) -> Secret | None:
    return find_secret(name, ask=_ask if sys.stdin.isatty() and sys.stderr.isatty() else None)


def _ask(name: str) -> str:
    answer: str = click.prompt(
        f"Password for {name} (empty: none)", default="", hide_input=True, show_default=False, err=True
    )
    return answer


pass_context = click.make_pass_decorator(Context)
