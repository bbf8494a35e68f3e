import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.draft.layout_draft import FilesDraft, LayoutDraft
from engine.errors import BadInput
from engine.target.store_layout import MOST_FILES, FilegroupLayout, LogLayout
from engine.workloads.dvdstore.layout import layout_for
from engine.workloads.dvdstore.sizing import DbSize

SUGGESTED = layout_for(DbSize(10, "GB"))


def test_default_draft_is_the_suggested_layout() -> None:
    for size in (DbSize(10, "MB"), DbSize(10, "GB")):
        assert LayoutDraft().layout(layout_for(size)) == layout_for(size)
        assert LayoutDraft().validate(layout_for(size)) == {}


def test_entered_values_override_suggestions() -> None:
    draft = LayoutDraft(
        customers=FilesDraft(folder=" D:\\data ", files="4", size_mb="4000"),
        log=FilesDraft(folder="E:\\log", files="7"),
        backup_folder="F:\\backup",
        bulk_folder="\\\\nas\\bulk",
        bulk_folder_here="/mnt/bulk",
    )
    layout = draft.layout(SUGGESTED)
    suggested = SUGGESTED
    assert layout.customers == FilegroupLayout(folder="D:\\data", files=4, size_mb=4000)
    assert layout.log == LogLayout(folder="E:\\log", size_mb=suggested.log.size_mb)
    assert (layout.orders, layout.indexes, layout.misc) == (suggested.orders, suggested.indexes, suggested.misc)
    assert (layout.backup_folder, layout.bulk_folder, layout.bulk_folder_here) == (
        "F:\\backup",
        "\\\\nas\\bulk",
        "/mnt/bulk",
    )


@pytest.mark.parametrize(
    ("draft", "field", "words"),
    [
        (LayoutDraft(orders=FilesDraft(files="9")), "orders", f"give 1 to {MOST_FILES}"),
        (LayoutDraft(orders=FilesDraft(files="two")), "orders", "Files of orders is 'two'; give a whole number"),
        (LayoutDraft(misc=FilesDraft(size_mb="0")), "misc", "has 0 MiB"),
        (LayoutDraft(log=FilesDraft(size_mb="-1")), "log", "The log has -1 MiB"),
        (LayoutDraft(log=FilesDraft(folder="data")), "log", "give a full path on the server"),
        (
            LayoutDraft(customers=FilesDraft(folder="D:\\x"), backup_folder="/x"),
            "backup_folder",
            "mixes Windows and Linux folders",
        ),
        (LayoutDraft(bulk_folder="/x"), "bulk_folder", "for only one of server and this machine"),
        (LayoutDraft(bulk_folder_here="/x"), "bulk_folder", "for only one of server and this machine"),
    ],
)
def test_a_wrong_row_has_its_sentence(draft: LayoutDraft, field: str, words: str) -> None:
    errors = draft.validate(SUGGESTED)
    assert list(errors) == [field]
    assert words in errors[field]
    with pytest.raises(BadInput):
        draft.layout(SUGGESTED)


_TEXTS = st.sampled_from(["", "4", "D:\\data", "ä ;"])


@given(st.builds(LayoutDraft, orders=st.builds(FilesDraft, _TEXTS, _TEXTS, _TEXTS), backup_folder=_TEXTS))
def test_draft_round_trips_as_entered(draft: LayoutDraft) -> None:
    assert LayoutDraft.from_dict(draft.to_dict()) == draft


def test_invalid_stored_layout_is_empty() -> None:
    assert LayoutDraft.from_dict({"orders": 3, "log": {"folder": 5}, "backup_folder": None}) == LayoutDraft()
