-- The record of the store: which workload's it is, what was built, and how many rows. See engine/databases/store_record.py.
-- $(schema) is where the store is made, $(misc) a filegroup.

CREATE TABLE $(schema).spindle_store (
    one bit NOT NULL CONSTRAINT df_spindle_store_one DEFAULT 1 CONSTRAINT spindle_store_pkey PRIMARY KEY
        CONSTRAINT ck_spindle_store_one CHECK (one = 1),
    format int NOT NULL,
    state varchar(10) NOT NULL CONSTRAINT ck_spindle_store_state CHECK (state IN ('building', 'complete')),
    workload varchar(64) NOT NULL,
    workload_version int NOT NULL,
    scale varchar(64) NOT NULL,
    seed bigint NOT NULL,
    counts varchar(2000) NOT NULL CONSTRAINT df_spindle_store_counts DEFAULT '{}',
    made_database bit NOT NULL,
    built_at datetime2(6) NOT NULL CONSTRAINT df_spindle_store_built_at DEFAULT SYSUTCDATETIME(),
    salt varbinary(32) NOT NULL,
    backup_file nvarchar(400) NULL,
    notes nvarchar(2000) NULL
) ON $(misc);
