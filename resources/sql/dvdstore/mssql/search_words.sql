-- The searches by the words of titles and actors, over the table of words, where there is no full-text index. The hints
-- begin with the products of the first word.

CREATE PROCEDURE dbo.browse_by_actor
    @first_name nvarchar(50),
    @last_name nvarchar(50),
    @batch_size int
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @first varchar(50) = @first_name;
    DECLARE @last varchar(50) = @last_name;
    SELECT TOP (@batch_size)
        p.prod_id, p.category, p.title, p.actor, CAST(p.price * 100 AS int) AS price_cents, p.special, p.common_prod_id
    FROM dbo.product_words AS a
    INNER JOIN dbo.product_words AS b ON b.of_title = 0 AND b.word = @last AND b.prod_id = a.prod_id
    INNER JOIN dbo.products AS p ON p.prod_id = a.prod_id
    WHERE a.of_title = 0 AND a.word = @first
    OPTION (LOOP JOIN, FORCE ORDER, KEEPFIXED PLAN);
END
GO
CREATE PROCEDURE dbo.browse_by_title
    @word nvarchar(50),
    @other_word nvarchar(50),
    @batch_size int
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @first varchar(50) = @word;
    DECLARE @last varchar(50) = @other_word;
    SELECT TOP (@batch_size)
        p.prod_id, p.category, p.title, p.actor, CAST(p.price * 100 AS int) AS price_cents, p.special, p.common_prod_id
    FROM dbo.product_words AS a
    INNER JOIN dbo.product_words AS b ON b.of_title = 1 AND b.word = @last AND b.prod_id = a.prod_id
    INNER JOIN dbo.products AS p ON p.prod_id = a.prod_id
    WHERE a.of_title = 1 AND a.word = @first
    OPTION (LOOP JOIN, FORCE ORDER, KEEPFIXED PLAN);
END
GO
