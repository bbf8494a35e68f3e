"""The SQL of a PostgreSQL store, as its builder and its reset take it from ``resources``."""

import resources


def script(name: str) -> str:
    return resources.read_text("sql", "postgresql", f"{name}.sql")


def paragraphs(name: str) -> list[list[str]]:
    """The statements of a script that holds no procedure's body: those between two empty lines belong together."""
    return [found for text in script(name).split("\n\n") if (found := _statements(text))]


def statements(name: str) -> list[str]:
    """All statements of a script that holds no procedure's body, in their order."""
    return [statement for paragraph in paragraphs(name) for statement in paragraph]


def _statements(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("--")]
    return [statement.strip() for statement in "\n".join(lines).split(";") if statement.strip()]
