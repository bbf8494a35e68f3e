-- The log-in of the load, on one server: nothing but the right to connect. $(sid) is the same on every server, so that
-- the database's user is its own wherever the database goes. A password that is not known any more is renewed with the
-- policy off for a moment, or the password's history and least age would refuse it; Windows' policy then holds again. A
-- log-in of that name with another SID is somebody else's, and keeps its password.

IF SUSER_ID($(name_text)) IS NULL
    CREATE LOGIN $(name) WITH PASSWORD = $(password), SID = $(sid), DEFAULT_DATABASE = master,
        CHECK_EXPIRATION = OFF, CHECK_POLICY = ON
GO
IF EXISTS (
    SELECT 1 FROM sys.sql_logins AS l
    WHERE l.name = $(name_text) AND l.sid = $(sid) AND ISNULL(PWDCOMPARE($(password), l.password_hash), 0) = 0
)
BEGIN
    ALTER LOGIN $(name) WITH CHECK_POLICY = OFF;
    ALTER LOGIN $(name) WITH PASSWORD = $(password);
    ALTER LOGIN $(name) WITH CHECK_POLICY = ON;
END
GO
