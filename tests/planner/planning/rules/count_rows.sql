-- all rows
SELECT count(*) FROM people
< compose SELECT COUNT(*) AS "count" FROM "r0" AS "people"
<   r0: scan people; columns _partition; on 3 partitions
> count
>   scan people; columns _partition; on 3 partitions

-- rows that a filter selects
SELECT count(*) AS n FROM people WHERE age > 6
< compose SELECT COUNT(*) AS "n" FROM "r0" AS "people"
<   r0: scan people; filter age > 6; columns age; on 3 partitions
> count
>   scan people; filter age > 6; columns _partition; on 3 partitions

-- DuckDB counts values that are not NULL
SELECT count(age) FROM people
= compose SELECT COUNT("age") AS "count" FROM "r0" AS "people"
=   r0: scan people; columns age; on 3 partitions

-- a condition that the read cannot apply
SELECT count(*) FROM people WHERE length(name) = 3
= compose SELECT COUNT(*) AS "count" FROM "r0" AS "people" WHERE CAST(LENGTH("name") AS INT) = 3
=   r0: scan people; columns name; on 3 partitions
= residual LENGTH(name) = 3

-- two numbers
SELECT count(*), count(*) FROM people
= compose SELECT COUNT(*) AS "count", COUNT(*) AS "count" FROM "r0" AS "people"
=   r0: scan people; columns _partition; on 3 partitions

-- groups
SELECT count(*) FROM people GROUP BY city
= compose SELECT COUNT(*) AS "count" FROM "r0" AS "people" GROUP BY "city"
=   r0: scan people; columns city; on 3 partitions

-- an OFFSET that drops the only row
SELECT count(*) FROM people OFFSET 1
= compose SELECT COUNT(*) AS "count" FROM "r0" AS "people" OFFSET 1
=   r0: scan people; columns _partition; on 3 partitions
