-- A password that is not known any more is renewed with the policy off for a moment, or the password's history and least
-- age would refuse it; Windows' policy then holds again. A log-in of that name with another SID is somebody else's, and
-- keeps its password.

IF EXISTS (SELECT 1 FROM sys.sql_logins AS l WHERE l.name = $(name_text) AND l.sid = $(sid))
BEGIN
    ALTER LOGIN $(name) WITH CHECK_POLICY = OFF;
    ALTER LOGIN $(name) WITH PASSWORD = $(password);
    ALTER LOGIN $(name) WITH CHECK_POLICY = ON;
END
GO
