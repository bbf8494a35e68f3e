"""What screens say of a workload where the general words would not do."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Wording:
    """Sentences and phrases of a workload; the defaults suit any.

    ``unit`` is what a user does one of at a time, ``users`` how it behaves. ``store`` says what a store is; empty: a
    database of the workload. ``verify`` and ``reset`` say what these do to each store, ``reset_first`` offers a reset
    before the run. ``written`` is what a run writes, and ``undone`` what a reset before the run does.
    """

    unit: str = "transaction"
    users: str = "Users are closed-loop: each waits for its transaction, thinks, and begins the next."
    store: str = ""
    verify: str = "Checks what each store holds."
    reset: str = "Resets each store to what was built."
    reset_first: str = "Reset the stores before the run"
    written: str = "rows"
    undone: str = "the stores are reset to what was built"


GENERAL = Wording()
