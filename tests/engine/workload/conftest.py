"""The workload of a third party, for the tests of parameters."""

from tests.engine.workload.toy import toy

__all__ = ["toy"]
