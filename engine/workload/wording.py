"""What screens say of a workload where the general words would not do."""

from dataclasses import dataclass

from engine.figure_text import capitalised


@dataclass(frozen=True, kw_only=True)
class Wording:
    """Sentences and phrases of a workload; the defaults suit any.

    ``unit`` is what a user does one of at a time, ``users`` how it behaves. ``page`` is the title of the wizard's page
    about the stores, and ``store`` says there what a store is; empty: a database of the workload. ``stores`` is what
    one and several of them are called, ``part`` and ``entries`` what it consists of and what these have. ``build``,
    ``verify`` and ``reset`` say what these do to each store, ``replace`` what becomes of an earlier one;
    ``reset_first`` offers a reset before the run. ``written`` is what a run writes, and ``undone`` what a reset before
    the run does.

    ``kept`` says what becomes of what a run writes.

    ``who`` is what one and several of those are called that do one ``unit`` after the other. ``placed`` is what has
    happened with a transaction that counts, and ``missed`` what is said of those that an outage cost. ``unaudited``
    says why nothing is looked for after the run; empty: an audit looks for what was acknowledged.

    Of the figures: ``counted`` says which transactions the headline counts, ``running`` what its running average is,
    ``timed`` what a response time covers, and ``untimed`` what is in none. ``in_doubt`` is a call whose outcome may
    stay unknown; empty: the headline's transaction. ``recorded`` is what the ledger records, one and several of them;
    ``None``: the headline's transactions. ``recorded_of`` is whose one of them is; empty: nobody's. ``received`` says
    what the rows and bytes are that samples count. ``slowing`` says why the rate of a small store falls during a run.
    """

    unit: str = "transaction"
    users: str = "Users are closed-loop: each waits for its transaction, thinks, and begins the next."
    page: str = "Database"
    store: str = ""
    stores: tuple[str, str] = ("store", "stores")
    part: str = "Table"
    entries: str = "Rows"
    build: str = "Creates the database if it is missing, then the store's tables, rows and indexes."
    replace: str = "Builds each new store beside the old one, which is replaced when the new one is complete."
    verify: str = "Checks what each store holds."
    reset: str = "Resets each store to what was built."
    reset_first: str = "Reset the stores before the run"
    written: str = "rows"
    undone: str = "the stores are reset to what was built"
    kept: str = "what the run adds stays in them"
    who: tuple[str, str] = ("user", "users")
    placed: str = "completed"
    missed: str = "missed"
    unaudited: str = ""
    counted: str = "Those that the server answered."
    running: str = "the running average at its end"
    timed: str = "Of a transaction: from sending its request until its answer has come, without the think time"
    untimed: str = "The think time of a transaction is in no response time."
    in_doubt: str = ""
    recorded: tuple[str, str] | None = None
    recorded_of: str = "customer"
    received: str = "Returned by the servers' answers"
    slowing: str = "a small store slows down as runs add to it"

    @property
    def open_loop(self) -> str:
        """How users behave at a rate, in the place of ``users``."""
        return (
            f"{capitalised(self.unit)}s are due at a rate, whether or not answers come: a user that is free begins what"
            " is due next."
        )


GENERAL = Wording()
