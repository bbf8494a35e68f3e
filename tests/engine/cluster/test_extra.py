import pytest

from engine.cluster.extra import check_cluster_packages
from engine.errors import UserError


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    check_cluster_packages()
    monkeypatch.setattr("engine.cluster.extra._PACKAGES", ("cryptography", "distributed_of_nobody"))
    with pytest.raises(UserError, match=r"need distributed_of_nobody, which is not .*pip install '\.\[clus"):
        check_cluster_packages()
