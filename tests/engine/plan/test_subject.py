import pytest

from engine.errors import BadInput
from engine.plan.checks import check_subject
from engine.target.target import Target
from engine.workload.registry import find_workload


def test_a_target_of_another_subject_than_the_workloads_is_refused_in_one_sentence() -> None:
    target, _ = Target.parse("postgresql://db1/ds2")
    check_subject(find_workload("dvdstore"), [target])
    with pytest.raises(
        BadInput,
        match=r"workload Mail runs on mail servers; target .* is a database; give mail://user@host:port/domain",
    ):
        check_subject(find_workload("mail"), [target])
