"""The users of a mail server's target: their addresses, logins and passwords."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.errors import UserError
from engine.secrets import Secret
from engine.target.target import Target

_COLUMNS = ("address", "password")


@dataclass(frozen=True)
class Account:
    """One user's address, the name to log in with, and the password."""

    address: str
    login: str
    password: Secret


class Accounts:
    """The accounts of a target, numbered from 0. Raises ``UserError`` for a file of accounts that can't be used."""

    def __init__(self, target: Target, secret: Secret | None) -> None:
        self._target = target
        self._secret = secret
        self._given = read_accounts(target.mail.accounts) if target.mail.accounts else None

    def account(self, number: int) -> Account:
        """Raises ``UserError`` where there is none of this number, or no password is known."""
        if self._given is not None:
            if number >= len(self._given):
                raise UserError(
                    f"{self._target.mail.accounts} has {len(self._given)} accounts, and number {number + 1} is needed;"
                    " add accounts, or use fewer mailboxes."
                )
            return self._given[number]
        if self._secret is None:
            raise UserError(
                f"no password is known for the users of {self._target.url}; keep one for it, as of any target, or give"
                " accounts=FILE."
            )
        return Account(self.address(number), self.address(number), self._secret)

    def address(self, number: int) -> str:
        """The address of a user; those beyond the file of accounts have none, and raise ``UserError``."""
        if self._given is not None:
            return self.account(number).address
        return f"{self._target.user}{number + 1}@{self._target.database}"


@cache
def read_accounts(path: str) -> Sequence[Account]:
    """The accounts of a CSV file with the columns address, password and, where it is not the address, login."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise UserError(
                    f"accounts file {path} has no column {missing[0]}; its first line is to be address,login,password."
                )
            accounts = [_account(path, line, row) for line, row in enumerate(reader, start=2)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no CSV of UTF-8"
        raise UserError(f"accounts file {path} can't be read ({why}); give a CSV file of accounts.") from None
    if not accounts:
        raise UserError(f"accounts file {path} has no accounts; give a line for each user.")
    return accounts


def _account(path: str, line: int, row: dict[str, str | None]) -> Account:
    address, password = row["address"] or "", row["password"] or ""
    if "@" not in address:
        raise UserError(f"line {line} of accounts file {path} has no address; write one such as anna@example.org.")
    if not password:
        raise UserError(f"line {line} of accounts file {path} has no password for {address}; add it.")
    return Account(address, row.get("login") or address, Secret(password))
