"""What the parts of the window share: library and servers, slow work, messages, and file dialogs."""

from dataclasses import dataclass

from app.background import Background
from app.long_work import LongWork
from app.window.file_questions import FileQuestions
from app.window.messages import WindowMessages
from app.workbench import Workbench


@dataclass(frozen=True, kw_only=True)
class Services:
    """One instance of each for the whole window."""

    workbench: Workbench
    background: Background
    long_work: LongWork
    messages: WindowMessages
    files: FileQuestions
