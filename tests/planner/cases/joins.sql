-- INNER JOIN
SELECT p.name, o.number FROM people p JOIN orders o ON p.name = o.name
| compose SELECT "p"."name", "o"."number" FROM "r0" AS "p" JOIN "r1" AS "o" ON "p"."name" = "o"."name"
|   r0: scan people; columns name; on 3 partitions
|     or lookup by name = r1.name, for at most 10000 keys
|   r1: scan orders; columns name, number; on 3 partitions
|     or range by name = r0.name, for at most 64 keys
| row by row, if at most 256 rows are read
=> ann, NULL
=> ann, 1
=> ann, 2
=> bob, 1
=> bob, 7

-- a condition on each side
SELECT p.age, o.amount FROM people p JOIN orders o ON p.name = o.name WHERE p.name = 'ann' AND o.name = 'ann' AND o.number = 1
| compose SELECT "p"."age", "o"."amount" FROM "r0" AS "p" JOIN "r1" AS "o" ON "p"."name" = "o"."name" WHERE "p"."name" = 'ann' AND "o"."name" = 'ann' AND "o"."number" = 1
|   r0: lookup people; name = 'ann' and name = 'ann'; columns name, age; on 1 partition
|   r1: lookup orders; name = 'ann' and name = 'ann' and number = 1; columns name, number, amount; on 1 partition
| residual p.name = 'ann' AND o.name = 'ann' AND o.number = 1
| row by row, if at most 256 rows are read
=> 30, 9.50

-- conditions in ON count for an inner join
SELECT p.age, o.amount FROM people p JOIN orders o ON p.name = o.name AND p.name = 'ann'
| compose SELECT "p"."age", "o"."amount" FROM "r0" AS "p" JOIN "r1" AS "o" ON "p"."name" = "o"."name" AND "p"."name" = 'ann'
|   r0: lookup people; name = 'ann'; columns name, age; on 1 partition
|   r1: range orders; name = 'ann'; columns name, amount; on 3 partitions
| row by row, if at most 256 rows are read
=> 30, 1.25
=> 30, 5.00
=> 30, 9.50

-- conditions in ON do not filter the preserved side of a left join
SELECT p.name, o.number FROM people p LEFT JOIN orders o ON p.name = o.name AND p.name = 'ann' AND o.number = 1
| compose SELECT "p"."name", "o"."number" FROM "r0" AS "p" LEFT JOIN "r1" AS "o" ON "p"."name" = "o"."name" AND "p"."name" = 'ann' AND "o"."number" = 1
|   r0: scan people; columns name; on 3 partitions
|   r1: lookup orders; name = 'ann' and number = 1; columns name, number; on 1 partition
=> NULL, NULL
=> , NULL
=> ann, 1
=> bob, NULL
=> cid, NULL
=> dan, NULL

-- RIGHT JOIN
SELECT p.name, o.name FROM people p RIGHT JOIN orders o ON p.name = o.name AND p.name = 'ann'
| compose SELECT "p"."name", "o"."name" FROM "r0" AS "p" RIGHT JOIN "r1" AS "o" ON "p"."name" = "o"."name" AND "p"."name" = 'ann'
|   r0: lookup people; name = 'ann'; columns name; on 1 partition
|   r1: scan orders; columns name; on 3 partitions
=> NULL, bob
=> NULL, bob
=> NULL, eve
=> ann, ann
=> ann, ann
=> ann, ann

-- FULL JOIN
SELECT p.name, o.name FROM people p FULL JOIN orders o ON p.name = o.name
| compose SELECT "p"."name", "o"."name" FROM "r0" AS "p" FULL JOIN "r1" AS "o" ON "p"."name" = "o"."name"
|   r0: scan people; columns name; on 3 partitions
|   r1: scan orders; columns name; on 3 partitions
=> NULL, NULL
=> NULL, eve
=> , NULL
=> ann, ann
=> ann, ann
=> ann, ann
=> bob, bob
=> bob, bob
=> cid, NULL
=> dan, NULL

-- CROSS JOIN
SELECT p.name, c.clicks FROM people p CROSS JOIN clicks c WHERE p.name = 'ann' AND c.name = 'bob'
| compose SELECT "p"."name", "c"."clicks" FROM "r0" AS "p" CROSS JOIN "r1" AS "c" WHERE "p"."name" = 'ann' AND "c"."name" = 'bob'
|   r0: lookup people; name = 'ann'; columns name; on 1 partition
|   r1: window lookup clicks; name = 'bob'; columns name, clicks; on 1 partition
| residual p.name = 'ann' AND c.name = 'bob'
| row by row, if at most 256 rows are read
=> ann, 0
=> ann, 1

-- a comma in FROM
SELECT a.name, b.name FROM people a, people b WHERE a.name = 'ann' AND b.name = 'bob'
| compose SELECT "a"."name", "b"."name" FROM "r0" AS "a", "r1" AS "b" WHERE "a"."name" = 'ann' AND "b"."name" = 'bob'
|   r0: lookup people; name = 'ann'; columns name; on 1 partition
|   r1: lookup people; name = 'bob'; columns name; on 1 partition
| residual a.name = 'ann' AND b.name = 'bob'
| row by row, if at most 256 rows are read
=> ann, bob

-- the columns of USING come first, and only once
SELECT * FROM people JOIN orders USING (name) WHERE number = 7
| compose SELECT "name", "people"."age", "people"."score", "people"."city", "orders"."number", "orders"."amount", "orders"."paid", "orders"."due" FROM "r0" AS "people" JOIN "r1" AS "orders" USING ("name") WHERE "orders"."number" = 7
|   r0: scan people; columns name, age, score, city; on 3 partitions
|     or lookup by name = r1.name, for at most 10000 keys
|   r1: scan orders; filter number = 7; columns name, number, amount, paid, due; on 3 partitions
|     or lookup by name = r0.name, for at most 10000 keys
| residual orders.number = 7
=> bob, NULL, 2.0, Rome, 7, 3.00, True, NULL

-- USING in a full join gives the value of the side that has one
SELECT name, age, number FROM people FULL JOIN orders USING (name) WHERE name IN ('eve', 'dan')
| compose SELECT "name", "people"."age", "orders"."number" FROM "r0" AS "people" FULL JOIN "r1" AS "orders" USING ("name") WHERE "name" IN ('eve', 'dan')
|   r0: lookup people; name in ('eve', 'dan'); columns name, age; on the partitions of 2 keys
|   r1: range orders; name in ('eve', 'dan'); columns name, number; on 3 partitions
| residual name IN ('eve', 'dan')
=> dan, 41, NULL
=> eve, NULL, 3

-- ours: USING a column that is not the first of its table, which DuckDB leaves in place
SELECT * FROM visits JOIN people USING (name)
| compose SELECT "name", "visits"."at", "people"."age", "people"."score", "people"."city" FROM "r0" AS "visits" JOIN "r1" AS "people" USING ("name")
|   r0: scan visits; columns at, name; on 3 partitions
|   r1: scan people; columns name, age, score, city; on 3 partitions
|     or lookup by name = r0.name, for at most 10000 keys
=> ann, 0, 30, 1.5, Oslo
=> ann, 86400000000, 30, 1.5, Oslo
=> bob, 43200000000, NULL, 2.0, Rome

-- NATURAL
SELECT * FROM people NATURAL JOIN orders WHERE number = 7
| compose SELECT "name", "people"."age", "people"."score", "people"."city", "orders"."number", "orders"."amount", "orders"."paid", "orders"."due" FROM "r0" AS "people" JOIN "r1" AS "orders" USING ("name") WHERE "orders"."number" = 7
|   r0: scan people; columns name, age, score, city; on 3 partitions
|     or lookup by name = r1.name, for at most 10000 keys
|   r1: scan orders; filter number = 7; columns name, number, amount, paid, due; on 3 partitions
|     or lookup by name = r0.name, for at most 10000 keys
| residual orders.number = 7
=> bob, NULL, 2.0, Rome, 7, 3.00, True, NULL

-- ours: NATURAL does not join by pseudo-columns
SELECT name, number, people._partition FROM people NATURAL JOIN orders
| compose SELECT "name", "orders"."number", "people"."_partition" FROM "r0" AS "people" JOIN "r1" AS "orders" USING ("name")
|   r0: scan people; columns name, _partition; on 3 partitions
|     or lookup by name = r1.name, for at most 10000 keys
|   r1: scan orders; columns name, number, _partition; on 3 partitions
|     or range by name = r0.name, for at most 64 keys
=> ann, NULL, 0
=> ann, 1, 0
=> ann, 2, 0
=> bob, 1, 1
=> bob, 7, 1

-- the same store twice, both with stars
SELECT a.*, b.* FROM people a JOIN people b ON a.city = b.city AND a.name < b.name
| compose SELECT "a".*, "b".* FROM "r0" AS "a" JOIN "r1" AS "b" ON "a"."city" = "b"."city" AND "a"."name" < "b"."name"
|   r0: scan people; columns name, age, score, city; on 3 partitions
|   r1: scan people; columns name, age, score, city; on 3 partitions
=> , 7, 0.5, Rome, bob, NULL, 2.0, Rome
=> ann, 30, 1.5, Oslo, dan, 41, 0.0, Oslo

-- a join in parentheses
SELECT p.name, o.number FROM (people p JOIN orders o ON p.name = o.name) WHERE o.number = 2
| compose SELECT "p"."name", "o"."number" FROM "r0" AS "p" JOIN "r1" AS "o" ON "p"."name" = "o"."name" WHERE "o"."number" = 2
|   r0: scan people; columns name; on 3 partitions
|     or lookup by name = r1.name, for at most 10000 keys
|   r1: scan orders; filter number = 2; columns name, number; on 3 partitions
|     or lookup by name = r0.name, for at most 10000 keys
| residual o.number = 2
| row by row, if at most 256 rows are read
=> ann, 2

-- three stores
SELECT p.name, o.number, c.clicks FROM people p JOIN orders o USING (name) JOIN clicks c USING (name) WHERE c.clicks = 10
| compose SELECT "p"."name", "o"."number", "c"."clicks" FROM "r0" AS "p" JOIN "r1" AS "o" USING ("name") JOIN "r2" AS "c" USING ("name") WHERE "c"."clicks" = 10
|   r0: scan people; columns name; on 3 partitions
|     or lookup by name = r1.name, for at most 10000 keys
|     or lookup by name = r2.name, for at most 10000 keys
|   r1: scan orders; columns name, number; on 3 partitions
|     or range by name = r0.name, for at most 64 keys
|     or range by name = r2.name, for at most 64 keys
|   r2: scan clicks; filter clicks = 10; columns name, clicks; on 3 partitions
|     or lookup by name = r0.name, for at most 10000 keys
|     or lookup by name = r1.name, for at most 10000 keys
| residual c.clicks = 10
=> ann, NULL, 10
=> ann, 1, 10
=> ann, 2, 10

-- LATERAL
SELECT p.name, x.n FROM people p, LATERAL (SELECT max(number) AS n FROM orders o WHERE o.name = p.name) x
| compose SELECT "p"."name", "x"."n" FROM "r1" AS "p", LATERAL (SELECT MAX("o"."number") AS "n" FROM "r0" AS "o" WHERE "o"."name" = "p"."name") AS "x"
|   r0: scan orders; columns name, number; on 3 partitions
|     or range by name = r1.name, for at most 64 keys
|   r1: scan people; columns name; on 3 partitions
| residual o.name = p.name
=> NULL, NULL
=> , NULL
=> ann, 2
=> bob, 7
=> cid, NULL
=> dan, NULL

-- VALUES
SELECT p.age, v.n FROM people p JOIN (VALUES ('ann', 1), ('bob', 2)) v (name, n) ON p.name = v.name
| compose SELECT "p"."age", "v"."n" FROM "r0" AS "p" JOIN (VALUES ('ann', 1), ('bob', 2)) AS "v"("name", "n") ON "p"."name" = "v"."name"
|   r0: scan people; columns name, age; on 3 partitions
=> NULL, 2
=> 30, 1
