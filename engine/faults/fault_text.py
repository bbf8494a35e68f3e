"""Faults as people type them, for ``--fault``, ``--mark`` and plan files: ``T+0:40 freeze primary for 5s``.

A fault is a moment after measuring began, what is done, and perhaps clauses at the end:

    T+TIME [once steady by TIME] WHAT [within TIME] [for TIME [then WHAT [within TIME]]]
        [repeat N every TIME] [called LABEL]

WHAT is ``mark TEXT``, or an injection as in ``engine.faults.injection_text``. What stands in quotation marks is never a
clause. Everything raises ``BadInput`` that names the nearest word known.
"""

import re

from engine.errors import BadInput
from engine.faults.injection_text import CLAUSES, injection_text, read_injection
from engine.faults.planned import PlannedFault
from engine.faults.typed_words import Word, quoted, split_words
from engine.parameters.typed_text import duration_of, duration_text, seconds_of, time_text

_FROM_BEGINNING = "t+"
# The label of a mark is read as typed, unless it is one word that begins with a quotation mark.
_QUOTED_LABEL = re.compile(r"""(?=["'])(?:'[^']*'|"[^"]*"|[^\s"'])+""")
_PASSWORD = re.compile(r"[^\s/]*:[^\s/]*@")


def parse_mark(text: str) -> PlannedFault:
    """Read a mark as it is typed: ``5:00 Enclosure pulled``; the time is m:ss, h:mm:ss or seconds."""
    time, *label = text.split(maxsplit=1) or [""]
    try:
        return PlannedFault(at_seconds=seconds_of(time), label="".join(label))
    except BadInput as error:
        raise BadInput(f"mark '{text}' can't be read: {error}") from error


def mark_text(mark: PlannedFault) -> str:
    """A mark as it is typed; ``parse_mark`` reads it back."""
    return f"{time_text(mark.at_seconds)} {mark.label}"


def parse_fault(text: str) -> PlannedFault:
    """Read a fault as it is typed; a mark typed so is one that the run is to recover from."""
    time, *rest = text.split(maxsplit=1) or [""]
    try:
        return parse_what("".join(rest), _moment(time))
    except BadInput as error:
        shown = _PASSWORD.sub("…@", text)
        raise BadInput(f"fault '{shown}' can't be read: {error}") from error


def fault_text(fault: PlannedFault) -> str:
    """A fault as it is typed; ``parse_fault`` reads it back, unless it is a mark that is no fault."""
    return f"T+{time_text(fault.at_seconds)} {what_text(fault)}"


def what_text(fault: PlannedFault) -> str:
    """What is done, as it is typed, without its moment."""
    injection = fault.injection
    if injection is None:
        return f"mark {quoted(fault.label) if _QUOTED_LABEL.fullmatch(fault.label) else fault.label}"
    words = []
    if fault.steady_by_seconds is not None:
        words.append(f"once steady by {time_text(fault.steady_by_seconds)}")
    words.append(injection_text(injection))
    if fault.end_after_seconds is not None and fault.end is not None:
        words.append(f"for {duration_text(fault.end_after_seconds)} then {injection_text(fault.end)}")
    if fault.repeat > 1:
        words.append(f"repeat {fault.repeat} every {duration_text(fault.every_seconds)}")
    if fault.label != PlannedFault(at_seconds=0, injection=injection).label:
        words.append(f"called {quoted(fault.label, CLAUSES)}")
    return " ".join(words)


def parse_what(what: str, at_seconds: float) -> PlannedFault:
    """Read a fault whose moment is known from what is typed behind it: ``freeze primary for 5s``."""
    what = what.strip()
    first = what.split(maxsplit=1)
    if first and first[0].lower() == "mark":
        label = "".join(first[1:])
        if _QUOTED_LABEL.fullmatch(label):
            label = split_words(label)[0].value
        return PlannedFault(at_seconds=at_seconds, label=label, is_fault=True)
    words = split_words(what)
    steady_by, words = _steady_clause(words)
    label, repeat, every, words = _last_clauses(words)
    words, end_words = _split_at_then(words)
    after, words = _for_clause(words)
    if end_words and after is None:
        raise BadInput("'then' must follow a duration; write for 5s then …")
    return PlannedFault(
        at_seconds=at_seconds,
        label=label,
        injection=read_injection(what, words),
        end_after_seconds=after,
        end=read_injection(what, end_words) if end_words else None,
        steady_by_seconds=steady_by,
        repeat=repeat,
        every_seconds=every,
    )


def _moment(text: str) -> float:
    return duration_of(text[len(_FROM_BEGINNING) :] if text.lower().startswith(_FROM_BEGINNING) else text)


def _steady_clause(words: list[Word]) -> tuple[float | None, list[Word]]:
    if len(words) >= 4 and words[0].is_word("once") and words[1].is_word("steady") and words[2].is_word("by"):
        return _moment(words[3].value), words[4:]
    if words and words[0].is_word("once"):
        raise BadInput("'once' must be followed by steady by, as in: once steady by 2:00.")
    return None, words


def _last_clauses(words: list[Word]) -> tuple[str, int, float, list[Word]]:
    """Label, rounds and the time between them from the clauses at the end; and the words before those."""
    label, repeat, every = "", 1, 0.0
    while True:
        if len(words) >= 2 and words[-2].is_word("called"):
            label, words = words[-1].value, words[:-2]
        elif len(words) >= 4 and words[-2].is_word("every") and (at := _repeat_at(words)) is not None:
            repeat, every, words = _rounds(words[at + 1].value), duration_of(words[-1].value), words[:at]
        elif any(word.is_word("repeat") for word in words[-3:]):
            raise BadInput("'repeat' is incomplete; write repeat 3 every 60s.")
        else:
            return label, repeat, every, words


def _repeat_at(words: list[Word]) -> int | None:
    for at in (len(words) - 4, len(words) - 5):
        if at >= 0 and words[at].is_word("repeat") and (at == len(words) - 4 or words[at + 2].is_word("times")):
            return at
    return None


def _rounds(text: str) -> int:
    if not re.fullmatch(r"\d{1,4}", text, re.ASCII):
        raise BadInput(f"repeat is '{text}'; give a whole number, as in repeat 3 every 60s.")
    return int(text)


def _split_at_then(words: list[Word]) -> tuple[list[Word], list[Word]]:
    for at, word in enumerate(words):
        if word.is_word("then"):
            if at + 1 == len(words):
                raise BadInput("nothing follows 'then'; say what ends it.")
            return words[:at], words[at + 1 :]
    return words, []


def _for_clause(words: list[Word]) -> tuple[float | None, list[Word]]:
    if len(words) >= 2 and words[-2].is_word("for"):
        return duration_of(words[-1].value), words[:-2]
    return None, words
