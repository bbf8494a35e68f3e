-- Who uses the store: one row, whose token is empty while nobody does. See engine/databases/lease.py.

IF OBJECT_ID(N'dbo.spindle_lease', N'U') IS NULL
    CREATE TABLE dbo.spindle_lease (
        one bit NOT NULL CONSTRAINT df_spindle_lease_one DEFAULT 1 CONSTRAINT spindle_lease_pkey PRIMARY KEY
            CONSTRAINT ck_spindle_lease_one CHECK (one = 1),
        token varchar(64) NOT NULL CONSTRAINT df_spindle_lease_token DEFAULT '',
        user_name nvarchar(200) NOT NULL CONSTRAINT df_spindle_lease_user DEFAULT N'',
        host_name nvarchar(200) NOT NULL CONSTRAINT df_spindle_lease_host DEFAULT N'',
        process_id bigint NOT NULL CONSTRAINT df_spindle_lease_process DEFAULT 0,
        process_key nvarchar(200) NOT NULL CONSTRAINT df_spindle_lease_process_key DEFAULT N'',
        program nvarchar(200) NOT NULL CONSTRAINT df_spindle_lease_program DEFAULT N'',
        purpose nvarchar(200) NOT NULL CONSTRAINT df_spindle_lease_purpose DEFAULT N'',
        lasts_seconds float NOT NULL CONSTRAINT df_spindle_lease_lasts DEFAULT 0,
        generation bigint NOT NULL CONSTRAINT df_spindle_lease_generation DEFAULT 0,
        since datetime2(6) NOT NULL CONSTRAINT df_spindle_lease_since DEFAULT SYSUTCDATETIME(),
        heartbeat_at datetime2(6) NOT NULL CONSTRAINT df_spindle_lease_heartbeat DEFAULT SYSUTCDATETIME()
    )
GO
INSERT INTO dbo.spindle_lease (one)
SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM dbo.spindle_lease)
GO
