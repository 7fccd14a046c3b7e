-- a correlated subquery in SELECT
SELECT name, (SELECT count(*) FROM orders o WHERE o.name = p.name) FROM people p
| compose SELECT "p"."name", (SELECT COUNT(*) AS "count" FROM "r0" AS "o" WHERE "o"."name" = "p"."name") AS "count" FROM "r1" AS "p"
|   r0: scan orders; columns name; on 3 partitions
|     or range by name = r1.name, for at most 64 keys
|   r1: scan people; columns name; on 3 partitions
| residual o.name = p.name
=> NULL, 0
=> , 0
=> ann, 3
=> bob, 2
=> cid, 0
=> dan, 0

-- EXISTS
SELECT name FROM people p WHERE EXISTS (SELECT 1 FROM orders o WHERE o.name = p.name AND o.number = 1)
| compose SELECT "p"."name" FROM "r1" AS "p" WHERE EXISTS(SELECT 1 AS "?column?" FROM "r0" AS "o" WHERE "o"."name" = "p"."name" AND "o"."number" = 1)
|   r0: scan orders; filter number = 1; columns name, number; on 3 partitions
|     or lookup by name = r1.name, for at most 10000 keys
|   r1: scan people; columns name; on 3 partitions
|     or lookup by name = r0.name, for at most 10000 keys
| residual EXISTS(SELECT 1 AS "?column?" FROM orders AS o WHERE o.name = p.name AND o.number = 1); o.name = p.name AND o.number = 1
=> ann
=> bob

-- IN a subquery
SELECT name FROM people WHERE name IN (SELECT name FROM orders)
| compose SELECT "people"."name" FROM "r1" AS "people" WHERE "people"."name" IN (SELECT "orders"."name" FROM "r0" AS "orders")
|   r0: scan orders; columns name; on 3 partitions
|   r1: scan people; columns name; on 3 partitions
|     or lookup by name = r0.name, for at most 10000 keys
| residual people.name IN (SELECT orders.name FROM orders)
=> ann
=> bob

-- NOT IN a subquery with NULL
SELECT name FROM people WHERE age NOT IN (SELECT number FROM orders)
| compose SELECT "people"."name" FROM "r1" AS "people" WHERE NOT "people"."age" IN (SELECT "orders"."number" FROM "r0" AS "orders")
|   r0: scan orders; columns name, number; on 3 partitions
|   r1: scan people; columns name, age; on 3 partitions
| residual NOT people.age IN (SELECT orders.number FROM orders)

-- a derived table that renames columns
SELECT t.a FROM (SELECT name, age FROM people WHERE name = 'ann') AS t (a, b)
| compose SELECT "t"."a" FROM (SELECT "people"."name", "people"."age" FROM "r0" AS "people" WHERE "people"."name" = 'ann') AS "t"("a", "b")
|   r0: lookup people; name = 'ann'; columns name, age; on 1 partition
| residual people.name = 'ann'
=> ann

-- an alias that renames columns, with conditions on them
SELECT age FROM people AS p (age, name) WHERE age = 'ann'
| compose SELECT "age" FROM "r0" AS "p"("age", "name") WHERE "age" = 'ann'
|   r0: lookup people; name = 'ann'; columns name, age, score, city; on 1 partition
| residual age = 'ann'
=> ann

-- ours: pseudo-columns of a derived table are ordinary columns
SELECT * FROM (SELECT name, _partition FROM people) x WHERE name = 'bob'
| compose SELECT "x"."name", "x"."_partition" FROM (SELECT "people"."name", "people"."_partition" FROM "r0" AS "people") AS "x" WHERE "x"."name" = 'bob'
|   r0: lookup people; name = 'bob'; columns name, _partition; on 1 partition
| residual x.name = 'bob'
=> bob, 1

-- ours: a star does not include pseudo-columns
SELECT *, _epoch FROM people WHERE name = 'ann'
| stream
|   lookup people; name = 'ann'; columns name, age, score, city, _epoch; on 1 partition
| row by row, if at most 256 rows are read
=> ann, 30, 1.5, Oslo, 0

-- ours: a qualified star does not include pseudo-columns
SELECT p.*, p._epoch, o.number FROM people p JOIN orders o ON p.name = o.name WHERE o.number = 7
| compose SELECT "p"."name", "p"."age", "p"."score", "p"."city", "p"."_epoch", "o"."number" FROM "r0" AS "p" JOIN "r1" AS "o" ON "p"."name" = "o"."name" WHERE "o"."number" = 7
|   r0: scan people; columns name, age, score, city, _epoch; on 3 partitions
|     or lookup by name = r1.name, for at most 10000 keys
|   r1: scan orders; filter number = 7; columns name, number, _epoch; on 3 partitions
|     or lookup by name = r0.name, for at most 10000 keys
| residual o.number = 7
| row by row, if at most 256 rows are read
=> bob, NULL, 2.0, Rome, 0, 7

-- a whole row
SELECT p FROM people p WHERE name = 'cid'
| compose SELECT "p" FROM "r0" AS "p"
|   r0: lookup people; name = 'cid'; columns name, age, score, city; on 1 partition
=> {'name': 'cid', 'age': 20, 'score': None, 'city': None}

-- a common table expression
WITH old AS (SELECT * FROM people WHERE name = 'ann') SELECT age FROM old
| compose WITH "old" AS (SELECT * FROM "r0" AS "people" WHERE "people"."name" = 'ann') SELECT "old"."age" FROM "old"
|   r0: lookup people; name = 'ann'; columns name, age, score, city; on 1 partition
| residual people.name = 'ann'
=> 30

-- a common table expression that hides a store
WITH people AS (SELECT 1 AS x) SELECT * FROM people
| compose WITH "people" AS (SELECT 1 AS "x") SELECT * FROM "people"
=> 1

-- a recursive common table expression
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 4) SELECT * FROM r
| compose WITH RECURSIVE "r"("n") AS (SELECT 1 AS "?column?" UNION ALL SELECT "r"."n" + 1 AS "?column?" FROM "r" WHERE "r"."n" < 4) SELECT * FROM "r" AS "r#2"
| residual r.n < 4
=> 1
=> 2
=> 3
=> 4

-- UNION
SELECT name FROM people UNION SELECT name FROM orders
| compose SELECT "people"."name" FROM "r0" AS "people" UNION SELECT "orders"."name" FROM "r1" AS "orders"
|   r0: scan people; columns name; on 3 partitions
|   r1: scan orders; columns name; on 3 partitions
=> NULL
=> 
=> ann
=> bob
=> cid
=> dan
=> eve

-- UNION ALL, EXCEPT, INTERSECT
(SELECT name FROM people EXCEPT SELECT name FROM orders) UNION ALL (SELECT name FROM people INTERSECT SELECT name FROM clicks)
| compose (SELECT "people"."name" FROM "r0" AS "people" EXCEPT SELECT "orders"."name" FROM "r1" AS "orders") UNION ALL (SELECT "people#2"."name" FROM "r2" AS "people#2" INTERSECT SELECT "clicks"."name" FROM "r3" AS "clicks")
|   r0: scan people; columns name; on 3 partitions
|   r1: scan orders; columns name; on 3 partitions
|   r2: scan people; columns name; on 3 partitions
|   r3: scan clicks; columns name, clicks; on 3 partitions
=> NULL
=> 
=> ann
=> bob
=> cid
=> dan

-- GROUP BY reads only the columns that it needs
SELECT city, count(*) AS n FROM people GROUP BY city ORDER BY n DESC, city
| compose SELECT "city", COUNT(*) AS "n" FROM "r0" AS "people" GROUP BY "city" ORDER BY "n" DESC NULLS FIRST, "city"
|   r0: scan people; columns city; on 3 partitions
| row by row, if at most 256 rows are read, or column by column, if at most 65536 rows are in memory
=> Oslo, 2
=> Rome, 2
=> Bern, 1
=> NULL, 1

-- HAVING
SELECT city FROM people GROUP BY city HAVING count(*) > 1
| compose SELECT "city" FROM "r0" AS "people" GROUP BY "city" HAVING COUNT(*) > 1
|   r0: scan people; columns city; on 3 partitions
=> Oslo
=> Rome

-- FILTER and DISTINCT
SELECT count(*) FILTER (WHERE age > 6), count(DISTINCT city) FROM people
| compose SELECT COUNT(*) FILTER(WHERE "age" > 6) AS "count", COUNT(DISTINCT "city") AS "count" FROM "r0" AS "people"
|   r0: scan people; columns age, city; on 3 partitions
=> 4, 3

-- ROLLUP
SELECT city, sum(age) FROM people WHERE city IS NOT NULL GROUP BY ROLLUP (city)
| compose SELECT "city", CAST(SUM("age") AS BIGINT) AS "sum" FROM "r0" AS "people" GROUP BY ROLLUP ("city")
|   r0: scan people; filter city is not null; columns age, city; on 3 partitions
=> NULL, 83
=> Bern, 5
=> Oslo, 71
=> Rome, 7

-- DISTINCT ON
SELECT DISTINCT ON (city) city, name FROM people ORDER BY city, age
| compose SELECT DISTINCT ON ("city") "city", "name" FROM "r0" AS "people" ORDER BY "city", "age"
|   r0: scan people; columns name, age, city; on 3 partitions
=> Bern, NULL
=> Oslo, ann
=> Rome, 
=> NULL, cid

-- window functions
SELECT name, row_number() OVER (ORDER BY age), lag(age) OVER w FROM people WINDOW w AS (ORDER BY age)
| compose SELECT "name", ROW_NUMBER() OVER (ORDER BY "age") AS "row_number", LAG("age") OVER (ORDER BY "age") AS "lag" FROM "r0" AS "people"
|   r0: scan people; columns name, age; on 3 partitions
=> NULL, 1, NULL
=> , 2, 5
=> ann, 4, 20
=> bob, 6, 41
=> cid, 3, 7
=> dan, 5, 30

-- count alone reads only one narrow column
SELECT count(*) FROM people
| count
|   scan people; columns _partition; on 3 partitions
| row by row, if at most 256 rows are read, or column by column, if at most 65536 rows are in memory
=> 6

-- a statement without a store
SELECT 1 + 1, 'x' || 'y', NULL
| compose SELECT 1 + 1 AS "?column?", 'x' || 'y' AS "?column?", NULL AS "?column?"
=> 2, xy, NULL

-- ours: VALUES alone, whose columns DuckDB names differently
VALUES (1, 'a'), (2, 'b')
| compose SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS "_values"("column1", "column2")
=> 1, a
=> 2, b

-- CASE, COALESCE, LIKE
SELECT CASE WHEN age > 10 THEN 'old' ELSE 'young' END, coalesce(city, '?') FROM people WHERE name LIKE '%n'
| compose SELECT CASE WHEN "age" > 10 THEN 'old' ELSE 'young' END AS "case", COALESCE("city", '?') AS "coalesce" FROM "r0" AS "people" WHERE "name" LIKE '%n'
|   r0: range people; name is not null; columns name, age, city; on 3 partitions
| residual name LIKE '%n'
=> old, Oslo
=> old, Oslo

-- ours: varchar(n) truncates, but not in DuckDB
SELECT name::varchar(2) FROM people WHERE name::varchar(1) = 'a'
| compose SELECT LEFT(CAST("name" AS TEXT), 2) AS "name" FROM "r0" AS "people" WHERE LEFT(CAST("name" AS TEXT), 1) = 'a'
|   r0: scan people; columns name; on 3 partitions
| residual CAST(name AS VARCHAR(1)) = 'a'
=> an

-- the same parameter in two places
$ ["Rome"]
SELECT name FROM people WHERE city = $1 OR name = $1
| stream
|   scan people; filter (city = $1) or (name = $1); columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> 
=> bob

-- ours: a system relation
SELECT name, kind, partitions FROM stategate.stores WHERE name = 'clicks'
| compose SELECT "name", "kind", "partitions" FROM "r0" AS "stores" WHERE "name" = 'clicks'
|   r0: system stategate.stores
| residual name = 'clicks'
=> clicks, window, 3

-- ours: the relation of nodes
SELECT * FROM stategate.nodes
| compose SELECT * FROM "r0" AS "nodes"
|   r0: system stategate.nodes
=> local, 17, 17, True, False, , 1.0, NULL, NULL, NULL

-- a result with the name of its relation is no whole row
SELECT city, count(*) AS people FROM people GROUP BY city HAVING count(*) > 1 ORDER BY people, city
| compose SELECT "city", COUNT(*) AS "people" FROM "r0" AS "people" GROUP BY "city" HAVING COUNT(*) > 1 ORDER BY "people", "city"
|   r0: scan people; columns city; on 3 partitions
=> Oslo, 2
=> Rome, 2

-- a relation's name in an expression is a whole row
SELECT city, count(people) AS people FROM people GROUP BY city HAVING count(*) > 1 ORDER BY people, city
| compose SELECT "city", COUNT("people") AS "people" FROM "r0" AS "people" GROUP BY "city" HAVING COUNT(*) > 1 ORDER BY "people", "city"
|   r0: scan people; columns name, age, score, city; on 3 partitions
=> Oslo, 2
=> Rome, 2

-- any of an array with columns is compared one by one, without a subquery for each row
SELECT number FROM orders WHERE name = ANY (ARRAY['ann', name]) AND number = ANY (ARRAY[number, 1])
| compose SELECT "number" FROM "r0" AS "orders" WHERE ("name" = 'ann' OR "name" = "name") AND "number" = ANY(["number", 1])
|   r0: scan orders; columns name, number; on 3 partitions
| residual name = ANY(ARRAY['ann', name]) AND number = ANY(ARRAY[number, 1])
=> 1
=> 1
=> 2
=> 3
=> 7

-- so is each of them
SELECT number FROM orders WHERE name <> ALL (ARRAY[name || 'x', 'ann'])
| compose SELECT "number" FROM "r0" AS "orders" WHERE ("name" <> ("name" || 'x') AND "name" <> 'ann')
|   r0: scan orders; columns name, number; on 3 partitions
| residual name <> ALL (ARRAY[name || 'x', 'ann'])
=> 1
=> 3
=> 7

-- an array with columns of another type stays
SELECT age FROM people WHERE score = ANY (ARRAY[age, 1])
| compose SELECT "age" FROM "r0" AS "people" WHERE "score" = ANY(["age", 1])
|   r0: scan people; columns age, score; on 3 partitions
| residual score = ANY(ARRAY[age, 1])
