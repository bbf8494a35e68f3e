"""What the program reads but does not run: SQL, word lists, presets, icons, templates. It imports nothing of
ours."""

from importlib.resources import files
from pathlib import Path


def read_text(*parts: str) -> str:
    """The text of a resource named by its folders and file, such as ``read_text("words", "titles.txt")``."""
    return files(__name__).joinpath(*parts).read_text(encoding="utf-8")


def read_icon(name: str) -> str:
    """The SVG of an icon; its strokes and fills are ``currentColor``."""
    return read_text("icons", f"{name}.svg")


def folder_of(*parts: str) -> Path:
    """The folder of resources that Qt reads by itself; Spindle is installed as files, never as one archive."""
    return Path(__file__).parent.joinpath(*parts)
