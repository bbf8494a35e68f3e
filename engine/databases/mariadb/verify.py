"""How the objects of a store in MariaDB or MySQL are found, to verify it."""

from engine.databases.checking import ObjectQueries

OBJECTS = ObjectQueries(
    table=("information_schema.tables WHERE table_schema = database() AND engine = 'InnoDB' AND table_name = '{name}'"),
    index=(
        "information_schema.statistics WHERE table_schema = database() AND seq_in_index = 1 AND table_name = '{table}'"
        " AND index_name = IF('{name}' = '{table}_pkey', 'PRIMARY', '{name}')"
    ),
    reference=(
        "information_schema.referential_constraints WHERE constraint_schema = database() AND constraint_name = '{name}'"
    ),
    procedure="information_schema.routines WHERE routine_schema = database() AND routine_name = '{name}'",
    trigger="information_schema.triggers WHERE trigger_schema = database() AND trigger_name = '{name}'",
)
