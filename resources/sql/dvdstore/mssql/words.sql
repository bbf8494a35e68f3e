-- The words of titles and actors, for searches where the server has no full-text search: each is found by the whole
-- word, in any case, as the full-text index finds it. A title or a name is two words.

CREATE TABLE $(schema).product_words (
    of_title bit NOT NULL,
    word varchar(50) COLLATE Latin1_General_100_CI_AS NOT NULL,
    prod_id int NOT NULL,
    CONSTRAINT product_words_pkey PRIMARY KEY CLUSTERED (of_title, word, prod_id) ON $(indexes)
) ON $(indexes)
GO
INSERT INTO $(schema).product_words WITH (TABLOCK) (of_title, word, prod_id)
SELECT DISTINCT w.of_title, w.word, w.prod_id
FROM (
    SELECT
        CAST(1 AS bit) AS of_title, SUBSTRING(p.title, 1, CHARINDEX(' ', CONCAT(p.title, ' ')) - 1) AS word, p.prod_id
    FROM $(schema).products AS p
    UNION ALL
    SELECT CAST(1 AS bit), SUBSTRING(p.title, CHARINDEX(' ', CONCAT(p.title, ' ')) + 1, 50), p.prod_id
    FROM $(schema).products AS p
    UNION ALL
    SELECT CAST(0 AS bit), SUBSTRING(p.actor, 1, CHARINDEX(' ', CONCAT(p.actor, ' ')) - 1), p.prod_id
    FROM $(schema).products AS p
    UNION ALL
    SELECT CAST(0 AS bit), SUBSTRING(p.actor, CHARINDEX(' ', CONCAT(p.actor, ' ')) + 1, 50), p.prod_id
    FROM $(schema).products AS p
) AS w
WHERE w.word <> ''
GO
