"""What is under test: each workload runs on targets of one subject, and each kind of target is of one."""

from enum import StrEnum


class Subject(StrEnum):
    """A database, a mail server, or a file on storage."""

    DATABASE = "database"
    MAIL = "mail"
    STORAGE = "storage"

    @property
    def several(self) -> str:
        """Several of them, as in ``workload mail runs on mail servers``."""
        return _WORDS[self][0]

    @property
    def one(self) -> str:
        """One of them, as in ``target … is a database``."""
        return _WORDS[self][1]

    @property
    def holder(self) -> str:
        """What of a target holds a store, as in ``database 'ds2' on db1``: ``Target.database`` is its name."""
        return _WORDS[self][2]

    @property
    def is_transactional(self) -> bool:
        """Whether what users do are transactions, which are rolled back, and repeated after a deadlock."""
        return self is Subject.DATABASE

    @property
    def is_store_itself(self) -> bool:
        """Whether a target of it is the store, as a file is; a database holds one."""
        return self is not Subject.DATABASE

    @property
    def target_form(self) -> str:
        """How a target of it is given."""
        return _WORDS[self][3]


_WORDS = {
    Subject.DATABASE: ("databases", "a database", "database", "postgresql://user@host/database"),
    Subject.MAIL: ("mail servers", "a mail server", "mail domain", "mail://user@host:port/domain"),
    Subject.STORAGE: ("storage", "storage", "file", "storage:///path/of/file"),
}
