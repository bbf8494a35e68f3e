-- The record of the store: which workload's it is, what was built, and how many rows. See engine/databases/store_record.py.

CREATE TABLE IF NOT EXISTS spindle_store (
    one tinyint NOT NULL PRIMARY KEY DEFAULT 1 CHECK (one = 1),
    format integer NOT NULL,
    state varchar(8) NOT NULL CHECK (state IN ('building', 'complete')),
    workload varchar(64) NOT NULL,
    workload_version integer NOT NULL,
    scale varchar(64) NOT NULL,
    seed bigint NOT NULL,
    counts varchar(2000) NOT NULL DEFAULT '{}',
    made_database tinyint NOT NULL,
    salt varchar(64) NOT NULL,
    built_at datetime(6) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What the probe of a run changes to learn whether the server commits: a row that nothing else reads or writes.
CREATE TABLE IF NOT EXISTS spindle_probe (
    one tinyint NOT NULL PRIMARY KEY DEFAULT 1 CHECK (one = 1),
    commits bigint NOT NULL DEFAULT 0
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT IGNORE INTO spindle_probe (one) VALUES (1);
