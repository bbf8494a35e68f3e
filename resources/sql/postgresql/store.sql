-- The record of the store: which workload's it is, what was built, and how many rows. See engine/databases/store_record.py.

CREATE TABLE spindle_store (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    format integer NOT NULL,
    state text NOT NULL CHECK (state IN ('building', 'complete')),
    workload text NOT NULL,
    workload_version integer NOT NULL,
    scale text NOT NULL,
    seed bigint NOT NULL,
    counts text NOT NULL DEFAULT '{}',
    made_database boolean NOT NULL,
    built_at timestamptz NOT NULL DEFAULT now()
);
