import pytest

# Before any test imports them, so that their asserts say what they compared.
pytest.register_assert_rewrite(
    *(f"tests.engine.workloads.{name}" for name in ("blocks", "tallies", "brokerage", "wholesale"))
)
