"""Runs diskspd on Windows, on this machine or over SSH: checks the file's place, measures, and returns the output.
diskspd prints nothing while it runs. Its result at the end has I/Os by second, and latencies of the whole time.
"""

import math
import queue
import re
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.errors import BadInput, Cancelled, UserError
from engine.figure_text import whole
from engine.machines.access import SshAccess
from engine.machines.powershell import powershell, quoted
from engine.machines.ssh import FAILED, ssh_arguments, ssh_problem
from engine.services.storage.access import Access
from engine.services.storage.checks import ROOM_FACTOR
from engine.services.storage.diskspd.command import PROGRAM, diskspd_arguments

_PATH = re.compile(r"[A-Za-z]:\\[^\x00-\x1f\"*?<>|:]*[^\x00-\x1f\"*?<>|:\\]")
_CHECK_SECONDS = 0.2
_ANSWER_SECONDS = 60.0
_CHECK_SCRIPT = r"""
$ErrorActionPreference = 'Stop'
$path = $PATH
$folder = Split-Path -Parent $path
if (!(Test-Path -LiteralPath $folder -PathType Container)) { 'folder=no'; exit 0 }
'folder=yes'
if (Test-Path -LiteralPath $path) { 'exists=yes' }
'free_mb=' + [Math]::Floor((New-Object IO.DriveInfo $path.Substring(0, 2)).AvailableFreeSpace / 1MB)
$names = @{ 'PG_VERSION' = 'postgres'; 'ibdata1' = 'mysqld|mariadbd'; 'aria_log_control' = 'mysqld|mariadbd'
            'master.mdf' = 'sqlservr' }
for ($at = $folder; $at; $at = Split-Path -Parent $at) {
  foreach ($name in $names.Keys) {
    if (Test-Path -LiteralPath (Join-Path $at $name)) {
      if (Get-Process | Where-Object { $_.Name -match ('^(' + $names[$name] + ')$') }) { 'database=' + $at; exit 0 }
    }
  }
}
"""
_RUN_SCRIPT = r"""
$ErrorActionPreference = 'Stop'
[Console]::OutputEncoding = New-Object Text.UTF8Encoding $false
$process = New-Object Diagnostics.Process
$process.StartInfo.FileName = $PROGRAM
$process.StartInfo.Arguments = $ARGUMENTS
$process.StartInfo.UseShellExecute = $false
$process.StartInfo.RedirectStandardOutput = $true
$code = 1
try {
  [void]$process.Start()
  $printed = $process.StandardOutput.ReadToEndAsync()
  $asked = [Console]::OpenStandardInput().ReadAsync((New-Object byte[] 1), 0, 1)
  while (!$process.WaitForExit(200)) { if ($asked.IsCompleted) { $process.Kill(); $process.WaitForExit() } }
  [Console]::Out.Write($printed.Result)
  $code = $process.ExitCode
} finally {
  Remove-Item -LiteralPath $PATH -Force -ErrorAction SilentlyContinue
}
exit $code
"""
"""Runs diskspd until it ends; if the script's input ends first, diskspd is killed. The file is removed in any case."""


@dataclass(frozen=True)
class WindowsPlace:
    """The machine on which diskspd runs: that of the ``ssh`` access, or this one without it."""

    ssh: SshAccess | None = None

    @property
    def name(self) -> str:
        return "this machine" if self.ssh is None else self.ssh.host

    def start(self, script: str) -> "subprocess.Popen[str]":
        """Start a script; raises ``UserError``."""
        command = powershell(script)
        words = command.split(" ") if self.ssh is None else ssh_arguments(self.ssh, command)
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8", errors="replace")
        except OSError as error:
            raise UserError(f"{words[0]} can't be started here ({error.strerror}); diskspd runs on Windows.") from error

    def failure(self, code: int, messages: str) -> UserError:
        """Why a script has ended with a code."""
        if self.ssh is not None and code == FAILED:
            return ssh_problem(self.ssh, messages)
        if "cannot find the file" in messages or "Start" in messages:
            return UserError(
                f"diskspd can't be started on {self.name}; get it from https://github.com/microsoft/diskspd, and put"
                f" {PROGRAM} into a folder of PATH, or give its path."
            )
        said = " ".join(messages.split())[:300] or "without a message"
        return UserError(f"diskspd on {self.name} ended with exit code {code} ({said}); see to the disk.")


def measure(
    place: WindowsPlace,
    access: Access,
    *,
    seconds: int,
    warmup_seconds: int,
    program: str,
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> str:
    """Measure, and return diskspd's output. The file is new, and removed at the end, also when cancelled.

    Raises ``UserError`` or ``Cancelled``.
    """
    check_path(access.path)
    _check(place, access)
    words = diskspd_arguments(access, seconds=seconds, warmup_seconds=warmup_seconds)
    values = {"PROGRAM": quoted(program), "ARGUMENTS": quoted(_line(words)), "PATH": quoted(access.path)}
    began = time.monotonic()
    with place.start(_filled(_RUN_SCRIPT, values)) as process:
        results: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
        reader = threading.Thread(target=lambda: results.put(_read(process)), name="diskspd", daemon=True)
        reader.start()
        is_cancelled = False
        while reader.is_alive():
            reader.join(_CHECK_SECONDS)
            if cancelled() and not is_cancelled:
                is_cancelled = True
                assert process.stdin is not None
                process.stdin.close()
            share = min(0.99, (time.monotonic() - began) / (seconds + warmup_seconds))
            doing = f"diskspd on {place.name} writes its file and measures; it prints its result at its end"
            report_progress(Progress(doing=doing, share=share))
        printed, messages = results.get()
    if is_cancelled:
        raise Cancelled
    if process.returncode:
        raise place.failure(process.returncode, messages)
    return printed


def check_path(path: str) -> None:
    """Raise ``BadInput`` unless it is the full path of a file: diskspd takes a drive alone for a raw device."""
    if not _PATH.fullmatch(path):
        raise BadInput(f"file is '{path}'; give the whole path of a file that does not exist, such as E:\\spindle.dat.")


def _check(place: WindowsPlace, access: Access) -> None:
    with place.start(_filled(_CHECK_SCRIPT, {"PATH": quoted(access.path)})) as process:
        try:
            printed, messages = process.communicate("", timeout=_ANSWER_SECONDS)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise UserError(f"{place.name} did not answer within {_ANSWER_SECONDS:.0f} s; try it by hand.") from error
    if process.returncode:
        raise place.failure(process.returncode, messages)
    found = dict(line.strip().split("=", 1) for line in printed.splitlines() if "=" in line)
    where = f"{access.path} on {place.name}"
    if found.get("folder") != "yes":
        raise UserError(f"the folder of {where} does not exist; give the path of a file in one that does.")
    if "exists" in found:
        raise UserError(f"{where} is there already, and would be overwritten; give the path of a new file.")
    if "database" in found:
        raise UserError(
            f"{where} is in {found['database']}, the data directory of a database whose server is running; give a path"
            " outside of it."
        )
    needed_mb, free_mb = math.ceil(ROOM_FACTOR * access.file_mb), int(found.get("free_mb", "0"))
    if free_mb < needed_mb:
        raise UserError(
            f"a file of {whole(access.file_mb)} MB needs {whole(needed_mb)} MB of room, and the disk of {where} has"
            f" {whole(free_mb)} MB; give a smaller file, or another disk."
        )


def _line(words: list[str]) -> str:
    """Arguments as one line; only the path may contain spaces."""
    return " ".join(f'"{word}"' if " " in word else word for word in words)


def _filled(script: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\$([A-Z]+)\b", lambda found: values[found[1]], script)


def _read(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """The output and the error messages of a process. A few lines of messages do not fill their pipe, so they are read
    last."""
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdout.read(), process.stderr.read()
