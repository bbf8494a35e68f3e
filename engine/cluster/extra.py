"""The optional packages that several load machines need: ``pip install '.[cluster]'``."""

from importlib.util import find_spec

from engine.errors import UserError

_PACKAGES = ("cryptography", "distributed")


def check_cluster_packages() -> None:
    """Raise ``UserError`` when packages of the extra ``cluster`` are not installed; imports none of them."""
    missing = [each for each in _PACKAGES if find_spec(each) is None]
    if missing:
        raise UserError(
            f"load machines need {' and '.join(missing)}, which {'are' if len(missing) > 1 else 'is'} not installed;"
            " install the extra into Spindle's environment on every machine: pip install '.[cluster]'."
        )
