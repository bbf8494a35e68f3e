"""Which words of the DVD Store a text has: a run of another workload has none."""

import re

_OF_THE_DVD_STORE = re.compile(
    r"\bOPM\b|(?<!new-)\borders? (?:a|per) minute|(?<!new-)\borders/min|\bDVD\b|\bDS2\b|dvdstore"
    r"|\blog-?ins?\b|\bregistration|\bsearch(?:es)?\b|\bpurchases?\b|new[ _]customers?|\bbrowses?\b"
    r"|price look-up|insufficient stock|customers' histories",
    re.IGNORECASE,
)


def words_of_the_dvd_store(text: str) -> list[str]:
    """What the text says of the DVD Store, each with a little of what is around it; in any case of letters."""
    return [text[max(0, found.start() - 40) : found.end() + 20] for found in _OF_THE_DVD_STORE.finditer(text)]
