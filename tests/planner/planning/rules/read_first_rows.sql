-- rows as they are stored
SELECT name FROM people ORDER BY name LIMIT 2
< compose SELECT "name" FROM "r0" AS "people" ORDER BY "name" LIMIT 2
<   r0: scan people; columns name; on 3 partitions
> stream; limit 2
>   scan people; first 2 by name asc; columns name; on 3 partitions

-- a column that is computed
SELECT upper(name) AS upper FROM people ORDER BY name DESC LIMIT 3 OFFSET 1
< compose SELECT PG_SG_UPPER("name") AS "upper" FROM "r0" AS "people" ORDER BY "name" DESC NULLS FIRST LIMIT 3 OFFSET 1
<   r0: scan people; columns name; on 3 partitions
> compose SELECT PG_SG_UPPER("name") AS "upper" FROM "r0" AS "people" ORDER BY "name" DESC NULLS FIRST LIMIT 3 OFFSET 1
>   r0: scan people; first 4 by name desc; columns name; on 3 partitions

-- the newest windows of a key
SELECT clicks FROM clicks WHERE name = 'ann' ORDER BY window_start DESC LIMIT 2
< compose SELECT "clicks" FROM "r0" AS "clicks" ORDER BY "window_start" DESC NULLS FIRST LIMIT 2
<   r0: window lookup clicks; name = 'ann'; columns name, window_start, clicks; on 1 partition
> stream; limit 2
>   window lookup clicks; name = 'ann'; first 2 by window_start desc; columns clicks, window_start; on 1 partition

-- an aggregate needs all rows
SELECT max(name) AS name FROM people ORDER BY name LIMIT 1
= compose SELECT MAX("name") AS "name" FROM "r0" AS "people" ORDER BY "name" LIMIT 1
=   r0: scan people; columns name; on 3 partitions

-- two directions
SELECT item, day FROM stock ORDER BY item, day DESC LIMIT 4
= compose SELECT "item", "day" FROM "r0" AS "stock" ORDER BY "item", "day" DESC NULLS FIRST LIMIT 4
=   r0: scan stock; columns item, day; on 3 partitions

-- an order without LIMIT
SELECT name FROM people ORDER BY name
= compose SELECT "name" FROM "r0" AS "people" ORDER BY "name"
=   r0: scan people; columns name; on 3 partitions

-- more rows than are merged
SELECT name FROM people ORDER BY name LIMIT 20001
= compose SELECT "name" FROM "r0" AS "people" ORDER BY "name" LIMIT 20001
=   r0: scan people; columns name; on 3 partitions

-- a result column of the key's name
SELECT city AS name FROM people ORDER BY name LIMIT 2
= compose SELECT "city" AS "name" FROM "r0" AS "people" ORDER BY "name" LIMIT 2
=   r0: scan people; columns name, city; on 3 partitions

-- a number that only the parameter gives
$ ["a", 2]
SELECT name FROM people WHERE name > $1 ORDER BY name LIMIT $2 OFFSET 3
< compose SELECT "name" FROM "r0" AS "people" ORDER BY "name" LIMIT CAST($2 AS BIGINT) OFFSET 3
<   r0: range people; name > $1; columns name; on 3 partitions
> stream; limit $2; offset 3
>   range people; name > $1; first $2 + 3 by name asc; columns name; on 3 partitions

-- a number that is computed
$ [1]
SELECT name FROM people ORDER BY name LIMIT $1 + 1
< compose SELECT "name" FROM "r0" AS "people" ORDER BY "name" LIMIT CAST($2 AS INT)
<   r0: scan people; columns name; on 3 partitions
< value $2: $1 + 1
> stream; limit $1 + 1
>   scan people; first $1 + 1 by name asc; columns name; on 3 partitions
> value $2: $1 + 1

-- the newest windows of all keys
SELECT name, clicks FROM clicks ORDER BY window_start DESC, name LIMIT 2 OFFSET 1
< compose SELECT "name", "clicks" FROM "r0" AS "clicks" ORDER BY "window_start" DESC NULLS FIRST, "name" LIMIT 2 OFFSET 1
<   r0: scan clicks; columns name, window_start, clicks; on 3 partitions
> compose SELECT "name", "clicks" FROM "r0" AS "clicks" ORDER BY "window_start" DESC NULLS FIRST, "name" LIMIT 2 OFFSET 1
>   r0: scan clicks; newest 3 by window_start; columns name, window_start, clicks; on 3 partitions

-- the oldest by their ends
$ [2]
SELECT upper(name) FROM clicks WHERE name > 'a' ORDER BY window_end LIMIT $1
< compose SELECT PG_SG_UPPER("name") AS "upper" FROM "r0" AS "clicks" ORDER BY "window_end" LIMIT CAST($1 AS BIGINT)
<   r0: window range clicks; name > 'a'; columns name, window_end, clicks; on 3 partitions
> compose SELECT PG_SG_UPPER("name") AS "upper" FROM "r0" AS "clicks" ORDER BY "window_end" LIMIT CAST($1 AS BIGINT)
>   r0: window range clicks; name > 'a'; oldest $1 by window_end; columns name, window_end, clicks; on 3 partitions

-- a condition on a value
SELECT name FROM clicks WHERE clicks > 10 ORDER BY window_end LIMIT 2
= compose SELECT "name" FROM "r0" AS "clicks" ORDER BY "window_end" LIMIT 2
=   r0: scan clicks; filter clicks > 10; columns name, window_end, clicks; on 3 partitions

-- windows in another order first
SELECT clicks FROM clicks ORDER BY clicks, window_start LIMIT 2
= compose SELECT "clicks" FROM "r0" AS "clicks" ORDER BY "clicks", "window_start" LIMIT 2
=   r0: scan clicks; columns window_start, clicks; on 3 partitions
