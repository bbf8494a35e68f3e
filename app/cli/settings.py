"""`spindle settings`: what the settings' dialog of the window shows, on the command line."""

import click
import psutil

from app.cli.context import Context, pass_context
from app.cli.problems import COMPLETED, print_notice
from app.preferences import PREFERENCES, find_preference
from app.settings import SettingsFile, read_settings
from engine.errors import UserError
from engine.places import Places


@click.command("settings")
@click.argument("name", required=False)
@click.argument("value", required=False)
@pass_context
def settings_command(context: Context, name: str | None, value: str | None) -> int:
    """List the settings of this home, print one, or set one: VALUE "" sets a folder back to the usual one.

    The time-outs and the library's folder are also those of commands; the others are the window's.

    \b
    Examples:
      spindle settings
      spindle settings statement-time-out 60s
      spindle settings library-folder /srv/benchmarks
    """
    settings, trouble = read_settings(context.places.settings)
    if trouble:
        print_notice(trouble)
    if name is None:
        width = max(len(each.name) for each in PREFERENCES)
        for each in PREFERENCES:
            options = f" ({', '.join(each.choices)})" if each.choices else ""
            print(f"{each.name:{width}}  {each.text(settings) or '–'}{each.unit and ' ' + each.unit}{options}")
        return COMPLETED
    preference = find_preference(name)
    if value is None:
        print(preference.text(settings))
        return COMPLETED
    preference.store(settings, value)
    _refuse_beside_window(context.places)
    SettingsFile(context.places.settings).snapshot(settings)()
    return COMPLETED


def _refuse_beside_window(places: Places) -> None:
    """Raise ``UserError`` while a window works on this library: it would write its own settings over these."""
    lock = places.library.parent / "window.lock"
    try:
        number = int(lock.read_text(encoding="utf-8", errors="replace").splitlines()[0])
    except (OSError, ValueError, IndexError):
        return
    if psutil.pid_exists(number):
        raise UserError("a window is open on this library; change the setting there, or close it first.")
