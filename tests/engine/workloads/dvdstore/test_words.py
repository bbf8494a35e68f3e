import subprocess
import sys
from collections.abc import Callable

import pytest

from engine.workloads.dvdstore import words

LISTS = [(words.title_words, 1_000), (words.first_names, 200), (words.last_names, 200)]

# Stop words of four letters and more: shorter ones can't be in the lists.
INNODB = "about from that this what when where will with"
POSTGRESQL_ENGLISH = """
    myself ours ourselves your yours yourself yourselves himself hers herself itself they them their theirs themselves
    what which whom this that these those were been being have having does doing because until while with about against
    between into through during before after above below from down over under again further then once here there when
    where both each more most other some such only same than very will just should
"""
SQL_SERVER_SYSTEM = """
    about after also another because been before being between both came come could does each else from have here
    himself into just like make many might more most much must never only other over said same should since some still
    such take than that their them then there these they this those through under very want well were what when where
    which while will with would your
"""
STOP_WORDS = set(f"{INNODB} {POSTGRESQL_ENGLISH} {SQL_SERVER_SYSTEM}".upper().split())


@pytest.mark.parametrize(("read", "count"), LISTS)
def test_word_lists_have_distinct_plain_words(read: Callable[[], tuple[str, ...]], count: int) -> None:
    listed = read()
    assert len(listed) == len(set(listed)) == count
    assert [word for word in listed if not (word.isascii() and word.isalpha() and word.isupper())] == []
    assert [word for word in listed if not 4 <= len(word) <= 12] == []


@pytest.mark.parametrize(("read", "_count"), LISTS)
def test_words_are_no_full_text_stopwords(read: Callable[[], tuple[str, ...]], _count: int) -> None:
    assert STOP_WORDS.isdisjoint(read())


def test_no_word_is_in_two_lists() -> None:
    assert len({*words.title_words(), *words.first_names(), *words.last_names()}) == 1_400


def test_titles_follow_the_words_in_turn_and_begin_again_after_a_million() -> None:
    listed = words.title_words()
    assert words.title_of(1) == (listed[0], listed[0])
    assert words.title_of(1_000) == (listed[0], listed[999])
    assert words.title_of(1_001) == (listed[1], listed[0])
    assert words.title_of(1_000_000) == (listed[999], listed[999])
    assert words.title_of(1_000_001) == words.title_of(1)


def test_client_processes_pick_without_loading_numpy() -> None:
    script = """
import random, sys
from engine.workloads.dvdstore import picks
from engine.workloads.dvdstore.sizing import DbSize
rng, size = random.Random(1), DbSize(10, "MB")
picks.new_customer(rng), picks.cart(rng, size, 5), picks.title_words(rng, size), picks.actor(rng)
sys.exit("numpy" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0
