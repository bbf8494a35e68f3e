from dataclasses import replace
from decimal import Decimal

import pytest

from engine.analysis.comparing.references import Reference, shipped_references
from engine.errors import BadInput, UserError
from engine.library.library import Library

OWN = Reference(
    name="R740, 4 databases",
    source="our report of May",
    headline_rate=90_000,
    client_headline_rates=(45_000, 45_000),
    factors={"databases": "4"},
    cost=Decimal("10994.88"),
)


def test_own_references_follow_the_shipped_ones(library: Library, path, told) -> None:
    other = replace(OWN, name="A")
    assert library.references.add([OWN, other]) == [OWN, other]
    library.close()
    with Library.open(path, notify=told.append) as again:
        assert again.references.all() == [*shipped_references(), other, OWN]
        assert again.references.get("r740") == OWN
        assert again.references.get("R630, 4 databases, SSD").headline_rate == 186_604


def test_shipped_references_are_read_only(library: Library) -> None:
    name = shipped_references()[0].name
    with pytest.raises(UserError, match="comes with Spindle and can't be removed"):
        library.references.remove(name.upper())
    with pytest.raises(BadInput, match="which comes with Spindle; give another"):
        library.references.add([replace(OWN, name=name.lower())])
    assert library.references.all() == list(shipped_references())


def test_reference_of_an_existing_name_needs_overwrite(library: Library) -> None:
    library.references.add([OWN])
    changed = replace(OWN, name=OWN.name.upper(), headline_rate=1)
    with pytest.raises(BadInput, match="is already there"):
        library.references.add([replace(OWN, name="new"), changed])
    assert library.references.all()[len(shipped_references()) :] == [OWN]
    assert library.references.add([changed], overwrite=True) == [changed]
    assert library.references.all()[len(shipped_references()) :] == [changed]


def test_removed_reference_is_returned(library: Library) -> None:
    library.references.add([OWN])
    assert library.references.remove("R740") == OWN
    with pytest.raises(UserError, match="reference 'R740' is not in the library"):
        library.references.get("R740")
