-- What the server's sessions have waited for since its start, in ms by wait type without those of idle threads, and the
-- counters of its buffer and logs; to who has VIEW SERVER STATE. Counters named per second count since the start.

SET NOCOUNT ON;
SELECT 'wait' AS kind, RTRIM(w.wait_type) AS name, CONVERT(float, w.wait_time_ms) AS value
FROM sys.dm_os_wait_stats AS w
WHERE w.wait_time_ms > 0
    AND (
        w.wait_type LIKE N'LCK[_]M[_]%'
        OR w.wait_type LIKE N'PAGEIOLATCH[_]%'
        OR w.wait_type LIKE N'PAGELATCH[_]%'
        OR w.wait_type LIKE N'LATCH[_]%'
        OR w.wait_type LIKE N'CX%'
        OR w.wait_type IN (
            N'WRITELOG', N'LOGBUFFER', N'IO_COMPLETION', N'ASYNC_IO_COMPLETION', N'SOS_SCHEDULER_YIELD',
            N'RESOURCE_SEMAPHORE', N'THREADPOOL', N'ASYNC_NETWORK_IO', N'HADR_SYNC_COMMIT'
        )
    )
UNION ALL
SELECT 'counter' AS kind, RTRIM(c.counter_name) AS name, CONVERT(float, c.cntr_value) AS value
FROM sys.dm_os_performance_counters AS c
WHERE (c.counter_name IN (N'Log Bytes Flushed/sec', N'Transactions/sec') AND c.instance_name = N'_Total')
    OR (c.counter_name IN (N'Page lookups/sec', N'Page reads/sec') AND c.object_name LIKE N'%:Buffer Manager%')
UNION ALL
SELECT 'lag' AS kind, r.replica_server_name AS name, CONVERT(float, s.secondary_lag_seconds) AS value
FROM sys.dm_hadr_database_replica_states AS s
JOIN sys.availability_replicas AS r ON r.replica_id = s.replica_id
WHERE s.is_local = 0 AND s.database_id = DB_ID();
