-- Who uses the store: one row, whose token is empty while nobody does. See engine/databases/lease.py.

CREATE TABLE IF NOT EXISTS spindle_lease (
    one tinyint NOT NULL PRIMARY KEY DEFAULT 1 CHECK (one = 1),
    token varchar(64) NOT NULL DEFAULT '',
    user_name varchar(200) NOT NULL DEFAULT '',
    host_name varchar(200) NOT NULL DEFAULT '',
    process_id bigint NOT NULL DEFAULT 0,
    process_key varchar(200) NOT NULL DEFAULT '',
    program varchar(200) NOT NULL DEFAULT '',
    purpose varchar(200) NOT NULL DEFAULT '',
    lasts_seconds double NOT NULL DEFAULT 0,
    generation bigint NOT NULL DEFAULT 0,
    since datetime(6) NOT NULL DEFAULT '1970-01-02 00:00:00',
    heartbeat_at datetime(6) NOT NULL DEFAULT '1970-01-02 00:00:00'
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT IGNORE INTO spindle_lease (one) VALUES (1);
