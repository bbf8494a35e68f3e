"""What the tests of the row generator share: stores of any size, and text columns as Python texts."""

import numpy as np
from hypothesis import strategies as st

from engine.workloads.dvdstore.sizing import DbSize

SEEDS = st.integers(0, 2**63 - 1)


def sizes() -> st.SearchStrategy[DbSize]:
    """Sizes of all three classes, the largest too."""
    return st.one_of(
        st.builds(DbSize, st.integers(1, 3_000), st.just("MB")),
        st.builds(DbSize, st.integers(1, 1_000), st.just("GB")),
    )


def texts(column: np.ndarray) -> list[str]:
    return [text.decode("ascii") for text in column.tolist()]
