"""SQL scripts of PostgreSQL cut into statements."""

import resources


def script(name: str) -> str:
    """A script of PostgreSQL's own, for the tables that every store has."""
    return resources.read_text("sql", "postgresql", f"{name}.sql")


def paragraphs(text: str) -> list[list[str]]:
    """The statements of a script that holds no procedure's body: those between two empty lines belong together."""
    return [found for part in text.split("\n\n") if (found := _statements(part))]


def statements(text: str) -> list[str]:
    """All statements of a script that holds no procedure's body, in their order."""
    return [statement for paragraph in paragraphs(text) for statement in paragraph]


def _statements(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("--")]
    return [statement.strip() for statement in "\n".join(lines).split(";") if statement.strip()]
