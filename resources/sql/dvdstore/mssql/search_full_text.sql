-- The searches by the words of titles and actors, over the full-text index.

-- A search condition takes any text between double quotes but a double quote, and an asterisk before the second would
-- make it the beginning of a word; and what has neither letter nor digit is no word to the full-text engine, which
-- calls a condition without words an error. Here it is a word that nothing has.
-- Without FORCESEEK the optimizer, believing in many matches, reads the whole table beside the full-text index.
CREATE PROCEDURE dbo.browse_by_actor
    @first_name nvarchar(50),
    @last_name nvarchar(50),
    @batch_size int
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @condition nvarchar(120) =
        N'"' + REPLACE(REPLACE(@first_name, N'"', N' '), N'*', N' ')
        + N'" AND "' + REPLACE(REPLACE(@last_name, N'"', N' '), N'*', N' ') + N'"';
    IF PATINDEX(N'%[0-9a-z]%', @first_name COLLATE Latin1_General_CI_AI) = 0
        OR PATINDEX(N'%[0-9a-z]%', @last_name COLLATE Latin1_General_CI_AI) = 0
        SELECT @condition = N'"nothing"', @batch_size = 0;
    SELECT TOP (@batch_size)
        p.prod_id, p.category, p.title, p.actor, CAST(p.price * 100 AS int) AS price_cents, p.special, p.common_prod_id
    FROM dbo.products AS p WITH (FORCESEEK)
    WHERE CONTAINS (actor, @condition);
END
GO

CREATE PROCEDURE dbo.browse_by_title
    @word nvarchar(50),
    @other_word nvarchar(50),
    @batch_size int
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @condition nvarchar(120) =
        N'"' + REPLACE(REPLACE(@word, N'"', N' '), N'*', N' ')
        + N'" AND "' + REPLACE(REPLACE(@other_word, N'"', N' '), N'*', N' ') + N'"';
    IF PATINDEX(N'%[0-9a-z]%', @word COLLATE Latin1_General_CI_AI) = 0
        OR PATINDEX(N'%[0-9a-z]%', @other_word COLLATE Latin1_General_CI_AI) = 0
        SELECT @condition = N'"nothing"', @batch_size = 0;
    SELECT TOP (@batch_size)
        p.prod_id, p.category, p.title, p.actor, CAST(p.price * 100 AS int) AS price_cents, p.special, p.common_prod_id
    FROM dbo.products AS p WITH (FORCESEEK)
    WHERE CONTAINS (title, @condition);
END
GO
