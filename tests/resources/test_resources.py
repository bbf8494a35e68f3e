import pytest
from fontTools.ttLib import TTFont

from resources import font_path, read_text

FONTS = ("SourceSans3-Regular", "SourceSans3-SemiBold", "SourceSans3-Italic")


@pytest.mark.parametrize("name", FONTS)
def test_the_fonts_of_documents_have_what_documents_write(name: str) -> None:
    with TTFont(font_path(name)) as font:
        letters = font.getBestCmap()
        assert all(ord(letter) in letters for letter in "0OPMäßéЖΩ −–…×÷≥·“”\u202f\u00a0")


def test_the_licence_of_the_fonts_goes_with_them() -> None:
    assert "SIL Open Font License" in read_text("fonts", "SourceSans3-LICENSE.txt")
