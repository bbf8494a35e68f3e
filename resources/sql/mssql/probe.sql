-- Whether database ? takes writes here, and which server this is; asked in master. What is committed is a property of
-- the database, put on and taken off again: a primary whose synchronous secondary does not answer commits nothing until
-- it gives the secondary up. tempdb is made anew at every start, and everybody may see when: with the server's name that
-- tells one running server from another. The role in an availability group is shown only to who has VIEW SERVER STATE;
-- to others, a secondary is still a database that can't be updated.

SET NOCOUNT ON;
DECLARE @database sysname = ?;
DECLARE @role nvarchar(60);
DECLARE @takes_writes bit;
DECLARE @property sysname = CONCAT(N'spindle_probe_', @@SPID);
DECLARE @add nvarchar(300) = QUOTENAME(@database) + N'.sys.sp_addextendedproperty';
DECLARE @drop nvarchar(300) = QUOTENAME(@database) + N'.sys.sp_dropextendedproperty';
IF HAS_PERMS_BY_NAME(NULL, NULL, N'VIEW SERVER STATE') = 1
    SELECT @role = ars.role_desc
    FROM sys.databases AS d
    JOIN sys.dm_hadr_availability_replica_states AS ars ON ars.replica_id = d.replica_id
    WHERE d.name = @database AND ars.is_local = 1;
SET @takes_writes = CASE
    WHEN COALESCE(@role, N'PRIMARY') = N'PRIMARY'
        AND CONVERT(nvarchar(128), DATABASEPROPERTYEX(@database, 'Status')) = N'ONLINE'
        AND CONVERT(nvarchar(128), DATABASEPROPERTYEX(@database, 'Updateability')) = N'READ_WRITE'
    THEN 1 ELSE 0 END;
IF @takes_writes = 1 AND HAS_PERMS_BY_NAME(QUOTENAME(@database), N'DATABASE', N'ALTER') = 1
BEGIN
    BEGIN TRANSACTION;
    EXEC @add @name = @property, @value = 1;
    EXEC @drop @name = @property;
    COMMIT TRANSACTION;
END;
SELECT
    @takes_writes AS takes_writes,
    CONCAT(CONVERT(nvarchar(128), SERVERPROPERTY('ServerName')), N' ', CONVERT(nvarchar(30), d.create_date, 126))
        AS server
FROM sys.databases AS d
WHERE d.name = N'tempdb';
