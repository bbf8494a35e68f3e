"""How the objects of a store in PostgreSQL are found, to verify it."""

from engine.databases.checking import ObjectQueries

_PUBLIC = "'public'::regnamespace"

OBJECTS = ObjectQueries(
    table=f"pg_class WHERE relkind = 'r' AND relnamespace = {_PUBLIC} AND relname = '{{name}}'",
    index=(
        f"pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE i.indisvalid AND c.relnamespace = {_PUBLIC}"
        " AND c.relname = '{name}'"
    ),
    reference=f"pg_constraint WHERE convalidated AND connamespace = {_PUBLIC} AND conname = '{{name}}'",
    procedure=f"pg_proc WHERE pronamespace = {_PUBLIC} AND proname = '{{name}}'",
    trigger="pg_trigger WHERE tgenabled IN ('O', 'A') AND NOT tgisinternal AND tgname = '{name}'",
    triggers_have_functions=True,
)
