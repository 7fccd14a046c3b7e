-- an inner join by the whole key
SELECT o.number, p.age FROM orders o JOIN people p ON p.name = o.name WHERE o.number = 7
< compose SELECT "o"."number", "p"."age" FROM "r0" AS "o" JOIN "r1" AS "p" ON "p"."name" = "o"."name" WHERE "o"."number" = 7
<   r0: scan orders; filter number = 7; columns name, number; on 3 partitions
<   r1: scan people; columns name, age; on 3 partitions
< residual o.number = 7
> compose SELECT "o"."number", "p"."age" FROM "r0" AS "o" JOIN "r1" AS "p" ON "p"."name" = "o"."name" WHERE "o"."number" = 7
>   r0: scan orders; filter number = 7; columns name, number; on 3 partitions
>     or lookup by name = r1.name, for at most 10000 keys
>   r1: scan people; columns name, age; on 3 partitions
>     or lookup by name = r0.name, for at most 10000 keys
> residual o.number = 7

-- a part of the key
SELECT p.name, o.number FROM people p JOIN orders o ON o.name = p.name WHERE p.age = 30
< compose SELECT "p"."name", "o"."number" FROM "r0" AS "p" JOIN "r1" AS "o" ON "o"."name" = "p"."name" WHERE "p"."age" = 30
<   r0: scan people; filter age = 30; columns name, age; on 3 partitions
<   r1: scan orders; columns name, number; on 3 partitions
< residual p.age = 30
> compose SELECT "p"."name", "o"."number" FROM "r0" AS "p" JOIN "r1" AS "o" ON "o"."name" = "p"."name" WHERE "p"."age" = 30
>   r0: scan people; filter age = 30; columns name, age; on 3 partitions
>     or lookup by name = r1.name, for at most 10000 keys
>   r1: scan orders; columns name, number; on 3 partitions
>     or range by name = r0.name, for at most 64 keys
> residual p.age = 30

-- a subquery
SELECT age FROM people WHERE name IN (SELECT name FROM orders WHERE number = 1)
< compose SELECT "people"."age" FROM "r1" AS "people" WHERE "people"."name" IN (SELECT "orders"."name" FROM "r0" AS "orders" WHERE "orders"."number" = 1)
<   r0: scan orders; filter number = 1; columns name, number; on 3 partitions
<   r1: scan people; columns name, age; on 3 partitions
< residual people.name IN (SELECT orders.name FROM orders WHERE orders.number = 1); orders.number = 1
> compose SELECT "people"."age" FROM "r1" AS "people" WHERE "people"."name" IN (SELECT "orders"."name" FROM "r0" AS "orders" WHERE "orders"."number" = 1)
>   r0: scan orders; filter number = 1; columns name, number; on 3 partitions
>   r1: scan people; columns name, age; on 3 partitions
>     or lookup by name = r0.name, for at most 10000 keys
> residual people.name IN (SELECT orders.name FROM orders WHERE orders.number = 1); orders.number = 1

-- a join by another column
SELECT p.name, v.at FROM people p JOIN visits v ON v.name = p.name
< compose SELECT "p"."name", "v"."at" FROM "r0" AS "p" JOIN "r1" AS "v" ON "v"."name" = "p"."name"
<   r0: scan people; columns name; on 3 partitions
<   r1: scan visits; columns at, name; on 3 partitions
> compose SELECT "p"."name", "v"."at" FROM "r0" AS "p" JOIN "r1" AS "v" ON "v"."name" = "p"."name"
>   r0: scan people; columns name; on 3 partitions
>     or lookup by name = r1.name, for at most 10000 keys
>   r1: scan visits; columns at, name; on 3 partitions

-- the key is known already
SELECT p.age, o.number FROM people p JOIN orders o ON p.name = o.name WHERE p.name = 'bob'
= compose SELECT "p"."age", "o"."number" FROM "r0" AS "p" JOIN "r1" AS "o" ON "p"."name" = "o"."name" WHERE "p"."name" = 'bob'
=   r0: lookup people; name = 'bob'; columns name, age; on 1 partition
=   r1: range orders; name = 'bob'; columns name, number; on 3 partitions
= residual p.name = 'bob'

-- times of the other relation limit the windows
SELECT c.clicks FROM orders o JOIN clicks c ON c.name = o.name AND c.window_start <= o.due AND o.due < c.window_end
< compose SELECT "c"."clicks" FROM "r0" AS "o" JOIN "r1" AS "c" ON "c"."name" = "o"."name" AND "c"."window_start" <= "o"."due" AND "o"."due" < "c"."window_end"
<   r0: scan orders; columns name, due; on 3 partitions
<   r1: scan clicks; columns name, window_start, window_end, clicks; on 3 partitions
> compose SELECT "c"."clicks" FROM "r0" AS "o" JOIN "r1" AS "c" ON "c"."name" = "o"."name" AND "c"."window_start" <= "o"."due" AND "o"."due" < "c"."window_end"
>   r0: scan orders; columns name, due; on 3 partitions
>     or range by name = r1.name, for at most 64 keys
>   r1: scan clicks; columns name, window_start, window_end, clicks; on 3 partitions
>     or lookup by name = r0.name and window_start <= r0.due and window_end > r0.due, for at most 10000 keys
