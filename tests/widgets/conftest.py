"""The workload of a third party, for the tests of forms and pages."""

from tests.engine.workload.toy import toy

__all__ = ["toy"]
