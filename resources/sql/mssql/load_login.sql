-- The log-in of the load, on one server: nothing but the right to connect. $(sid) is the same on every server, so that
-- the database's user is its own wherever the database goes.

IF SUSER_ID($(name_text)) IS NULL
    CREATE LOGIN $(name) WITH PASSWORD = $(password), SID = $(sid), DEFAULT_DATABASE = master,
        CHECK_EXPIRATION = OFF, CHECK_POLICY = ON
GO
