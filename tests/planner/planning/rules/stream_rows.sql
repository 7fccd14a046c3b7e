-- columns
SELECT name, age FROM people WHERE name > 'b'
< compose SELECT "name", "age" FROM "r0" AS "people"
<   r0: range people; name > 'b'; columns name, age; on 3 partitions
> stream
>   range people; name > 'b'; columns name, age; on 3 partitions

-- LIMIT and OFFSET
SELECT name FROM people WHERE name > 'd' LIMIT 2 OFFSET 0
< compose SELECT "name" FROM "r0" AS "people" LIMIT 2 OFFSET 0
<   r0: range people; name > 'd'; columns name; on 3 partitions
> stream; limit 2
>   range people; name > 'd'; any 2 rows; columns name; on 3 partitions

-- a column that is only compared is read and not returned
SELECT name FROM people WHERE age > 20
< compose SELECT "name" FROM "r0" AS "people"
<   r0: scan people; filter age > 20; columns name, age; on 3 partitions
> stream
>   scan people; filter age > 20; columns name; on 3 partitions

-- in the order of the key
SELECT age FROM people ORDER BY name LIMIT 2
< compose SELECT "age" FROM "r0" AS "people" ORDER BY "name" LIMIT 2
<   r0: scan people; first 2 by name asc; columns name, age; on 3 partitions
> stream; limit 2
>   scan people; first 2 by name asc; columns age, name; on 3 partitions

-- in another order
SELECT name FROM people ORDER BY score LIMIT 2
= compose SELECT "name" FROM "r0" AS "people" ORDER BY "score" LIMIT 2
=   r0: scan people; columns name, score; on 3 partitions

-- an expression
SELECT upper(name) FROM people
= compose SELECT PG_SG_UPPER("name") AS "upper" FROM "r0" AS "people"
=   r0: scan people; columns name; on 3 partitions

-- a condition that the read cannot apply
SELECT name FROM people WHERE length(name) = 3
= compose SELECT "name" FROM "r0" AS "people" WHERE CAST(LENGTH("name") AS INT) = 3
=   r0: scan people; columns name; on 3 partitions
= residual LENGTH(name) = 3

-- a number that only the parameter gives
$ [9]
SELECT name FROM people WHERE name > 'b' LIMIT $1
< compose SELECT "name" FROM "r0" AS "people" LIMIT CAST($1 AS BIGINT)
<   r0: range people; name > 'b'; columns name; on 3 partitions
> stream; limit $1
>   range people; name > 'b'; any $1 rows; columns name; on 3 partitions
