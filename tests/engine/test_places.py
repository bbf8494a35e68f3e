"""Where Spindle keeps its things: a home of choice, the environment's, or the user's data folder."""

from pathlib import Path

import platformdirs
import pytest

from engine.lab.folder import is_root
from engine.places import HOME_VARIABLE, find_places


def test_given_home_contains_all_paths(tmp_path: Path) -> None:
    places = find_places(tmp_path, environment={HOME_VARIABLE: "/elsewhere"})

    assert places.home == tmp_path
    for path in (places.lab, places.library, places.log):
        assert path.is_relative_to(tmp_path)
    assert len({places.lab, places.library, places.log}) == 3


def test_the_environment_names_a_home(tmp_path: Path) -> None:
    assert find_places(environment={HOME_VARIABLE: str(tmp_path)}) == find_places(tmp_path, environment={})


def test_a_home_is_kept_wherever_the_program_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert find_places(Path("here"), environment={}).home == tmp_path / "here"
    assert find_places(Path("~/there"), environment={}).home == Path("~/there").expanduser()


@pytest.mark.parametrize("environment", [{}, {HOME_VARIABLE: ""}])
def test_default_home_is_the_users_data_folder(environment: dict[str, str]) -> None:
    places = find_places(environment=environment)

    assert places.home == Path(platformdirs.user_data_dir("spindle", appauthor=False))
    assert places.library.parent == places.home
    # As root the embedded server runs under another account, which could not enter root's own data folder.
    assert places.lab.is_relative_to(places.home) is not is_root()


def test_find_places_creates_nothing(tmp_path: Path) -> None:
    find_places(tmp_path / "new", environment={})

    assert not (tmp_path / "new").exists()
