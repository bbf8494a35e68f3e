-- The user of the load in the store's database, who is granted the procedures, and nothing else. They and the tables
-- have one owner, so that it needs no right to any table. A user who came with a database from elsewhere may belong to no
-- log-in of this server.

IF DATABASE_PRINCIPAL_ID($(name_text)) IS NULL
    CREATE USER $(name) FOR LOGIN $(name)
ELSE IF EXISTS (
    SELECT 1 FROM sys.database_principals AS u WHERE u.name = $(name_text) AND u.sid <> SUSER_SID($(name_text))
)
    ALTER USER $(name) WITH LOGIN = $(name)
GO
