-- An error, of number 50000, on a new connection where a procedure is missing or this user may not execute it.
-- $(procedures) is the rows of their names.

IF EXISTS (
    SELECT 1
    FROM (VALUES $(procedures)) AS needed (name)
    WHERE COALESCE(HAS_PERMS_BY_NAME(needed.name, N'OBJECT', N'EXECUTE'), 0) = 0
)
    RAISERROR (N'the database holds no complete store whose procedures this user may execute', 16, 1);
