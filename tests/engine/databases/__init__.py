import pytest

# Before any test imports it, from whichever folder: its asserts say what they compared only if they are rewritten then.
pytest.register_assert_rewrite("tests.engine.databases.contract")
