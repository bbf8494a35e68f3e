-- The replicas of the availability group that database ? is in: the group's name, the replica's server, its mode of
-- commit and of failover, its role and the database's synchronization there, and 1 for the replica that answers. The
-- primary knows of all; a secondary knows its own state only. For who has VIEW SERVER STATE.

SELECT
    ag.name, ar.replica_server_name, ar.availability_mode_desc, ar.failover_mode_desc,
    COALESCE(ars.role_desc, N'UNKNOWN') AS role_desc,
    COALESCE(drs.synchronization_state_desc, N'UNKNOWN') AS synchronization_state_desc,
    CONVERT(int, COALESCE(ars.is_local, 0)) AS is_local
FROM sys.databases AS d
JOIN sys.availability_replicas AS own ON own.replica_id = d.replica_id
JOIN sys.availability_groups AS ag ON ag.group_id = own.group_id
JOIN sys.availability_replicas AS ar ON ar.group_id = own.group_id
LEFT JOIN sys.dm_hadr_availability_replica_states AS ars ON ars.replica_id = ar.replica_id
LEFT JOIN sys.dm_hadr_database_replica_states AS drs
    ON drs.replica_id = ar.replica_id AND drs.group_database_id = d.group_database_id
WHERE d.name = ?
ORDER BY ar.replica_server_name;
