-- a constant applies to both sides of an equality
SELECT p.age, o.number FROM people p JOIN orders o ON p.name = o.name WHERE p.name = 'bob'
| compose SELECT "p"."age", "o"."number" FROM "r0" AS "p" JOIN "r1" AS "o" ON "p"."name" = "o"."name" WHERE "p"."name" = 'bob'
|   r0: lookup people; name = 'bob'; columns name, age; on 1 partition
|   r1: range orders; name = 'bob'; columns name, number; on 3 partitions
| residual p.name = 'bob'
| row by row, if at most 256 rows are read
=> NULL, 1
=> NULL, 7

-- USING applies a constant to both sides
SELECT age, number FROM people JOIN orders USING (name) WHERE name = 'bob'
| compose SELECT "people"."age", "orders"."number" FROM "r0" AS "people" JOIN "r1" AS "orders" USING ("name") WHERE "name" = 'bob'
|   r0: lookup people; name = 'bob'; columns name, age; on 1 partition
|   r1: range orders; name = 'bob'; columns name, number; on 3 partitions
| residual name = 'bob'
=> NULL, 1
=> NULL, 7

-- USING of a full join
SELECT name, age, number FROM people FULL JOIN orders USING (name) WHERE name = 'eve'
| compose SELECT "name", "people"."age", "orders"."number" FROM "r0" AS "people" FULL JOIN "r1" AS "orders" USING ("name") WHERE "name" = 'eve'
|   r0: lookup people; name = 'eve'; columns name, age; on 1 partition
|   r1: range orders; name = 'eve'; columns name, number; on 3 partitions
| residual name = 'eve'
=> eve, NULL, 3

-- few rows of one store are used to look up the other's
SELECT p.name, p.age FROM orders o JOIN people p ON p.name = o.name WHERE o.number = 3 OR o.number = 7
| compose SELECT "p"."name", "p"."age" FROM "r0" AS "o" JOIN "r1" AS "p" ON "p"."name" = "o"."name" WHERE "o"."number" = 3 OR "o"."number" = 7
|   r0: scan orders; filter number in (3, 7); columns name, number; on 3 partitions
|     or lookup by name = r1.name, for at most 10000 keys
|   r1: scan people; columns name, age; on 3 partitions
|     or lookup by name = r0.name, for at most 10000 keys
| residual o.number = 3 OR o.number = 7
| row by row, if at most 256 rows are read
=> bob, NULL

-- a left join
SELECT o.name, p.age FROM orders o LEFT JOIN people p ON p.name = o.name WHERE o.paid
| compose SELECT "o"."name", "p"."age" FROM "r0" AS "o" LEFT JOIN "r1" AS "p" ON "p"."name" = "o"."name" WHERE "o"."paid"
|   r0: scan orders; filter paid = true; columns name, paid; on 3 partitions
|   r1: scan people; columns name, age; on 3 partitions
|     or lookup by name = r0.name, for at most 10000 keys
| residual o.paid
| row by row, if at most 256 rows are read
=> ann, 30
=> ann, 30
=> bob, NULL

-- the left side of a left join is read whole
SELECT p.name, o.number FROM people p LEFT JOIN orders o ON p.name = o.name AND o.number = 1
| compose SELECT "p"."name", "o"."number" FROM "r0" AS "p" LEFT JOIN "r1" AS "o" ON "p"."name" = "o"."name" AND "o"."number" = 1
|   r0: scan people; columns name; on 3 partitions
|   r1: scan orders; filter number = 1; columns name, number; on 3 partitions
|     or lookup by name = r0.name, for at most 10000 keys
| row by row, if at most 256 rows are read
=> NULL, NULL
=> , NULL
=> ann, 1
=> bob, 1
=> cid, NULL
=> dan, NULL

-- IN with a subquery
SELECT name, age FROM people WHERE name IN (SELECT name FROM orders WHERE number = 1)
| compose SELECT "people"."name", "people"."age" FROM "r1" AS "people" WHERE "people"."name" IN (SELECT "orders"."name" FROM "r0" AS "orders" WHERE "orders"."number" = 1)
|   r0: scan orders; filter number = 1; columns name, number; on 3 partitions
|   r1: scan people; columns name, age; on 3 partitions
|     or lookup by name = r0.name, for at most 10000 keys
| residual people.name IN (SELECT orders.name FROM orders WHERE orders.number = 1); orders.number = 1
=> ann, 30
=> bob, NULL

-- EXISTS
SELECT name, age FROM people p WHERE EXISTS (SELECT 1 FROM orders o WHERE o.name = p.name AND o.number = 1)
| compose SELECT "p"."name", "p"."age" FROM "r1" AS "p" WHERE EXISTS(SELECT 1 AS "?column?" FROM "r0" AS "o" WHERE "o"."name" = "p"."name" AND "o"."number" = 1)
|   r0: scan orders; filter number = 1; columns name, number; on 3 partitions
|     or lookup by name = r1.name, for at most 10000 keys
|   r1: scan people; columns name, age; on 3 partitions
|     or lookup by name = r0.name, for at most 10000 keys
| residual EXISTS(SELECT 1 AS "?column?" FROM orders AS o WHERE o.name = p.name AND o.number = 1); o.name = p.name AND o.number = 1
=> ann, 30
=> bob, NULL

-- NOT EXISTS narrows the subquery
SELECT name FROM people p WHERE age > 25 AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.name = p.name AND o.number = 1)
| compose SELECT "p"."name" FROM "r1" AS "p" WHERE "p"."age" > 25 AND NOT EXISTS(SELECT 1 AS "?column?" FROM "r0" AS "o" WHERE "o"."name" = "p"."name" AND "o"."number" = 1)
|   r0: scan orders; filter number = 1; columns name, number; on 3 partitions
|     or lookup by name = r1.name, for at most 10000 keys
|   r1: scan people; filter age > 25; columns name, age; on 3 partitions
| residual p.age > 25 AND NOT EXISTS(SELECT 1 AS "?column?" FROM orders AS o WHERE o.name = p.name AND o.number = 1); o.name = p.name AND o.number = 1
=> dan

-- a correlated scalar subquery
SELECT o.number, (SELECT age FROM people p WHERE p.name = o.name) FROM orders o WHERE o.name = 'ann'
| compose SELECT "o"."number", (SELECT "p"."age" FROM "r0" AS "p" WHERE "p"."name" = "o"."name") AS "age" FROM "r1" AS "o" WHERE "o"."name" = 'ann'
|   r0: scan people; columns name, age; on 3 partitions
|     or lookup by name = r1.name, for at most 10000 keys
|   r1: range orders; name = 'ann'; columns name, number; on 3 partitions
| residual o.name = 'ann'; p.name = o.name
=> NULL, 30
=> 1, 30
=> 2, 30

-- a whole key from two columns
SELECT v.name, s.amount FROM visits v JOIN stock s ON s.day = v.at::date AND s.item = 1 WHERE v.name = 'bob'
| compose SELECT "v"."name", "s"."amount" FROM "r0" AS "v" JOIN "r1" AS "s" ON "s"."day" = CAST("v"."at" AS DATE) AND "s"."item" = 1 WHERE "v"."name" = 'bob'
|   r0: scan visits; filter name = 'bob'; columns at, name; on 3 partitions
|   r1: range stock; item = 1; columns item, day, amount; on 3 partitions
| residual v.name = 'bob'
=> bob, 10

-- rows without a match
SELECT p.name FROM people p LEFT JOIN orders o ON p.name = o.name WHERE o.name IS NULL
| compose SELECT "p"."name" FROM "r0" AS "p" LEFT JOIN "r1" AS "o" ON "p"."name" = "o"."name" WHERE "o"."name" IS NULL
|   r0: scan people; columns name; on 3 partitions
|   r1: scan orders; columns name; on 3 partitions
|     or range by name = r0.name, for at most 64 keys
| residual o.name IS NULL
=> NULL
=> 
=> cid
=> dan

-- a list of rows in a subquery
SELECT item, amount FROM stock WHERE (item, day) IN (SELECT s.item, s.day FROM stock s WHERE s.amount = 21)
| compose SELECT "stock"."item", "stock"."amount" FROM "r1" AS "stock" WHERE ("stock"."item", "stock"."day") IN (SELECT "s"."item", "s"."day" FROM "r0" AS "s" WHERE "s"."amount" = 21)
|   r0: scan stock; filter amount = 21; columns item, day, amount; on 3 partitions
|   r1: scan stock; columns item, day, amount; on 3 partitions
|     or lookup by item = r0.item and day = r0.day, for at most 10000 keys
| residual (stock.item, stock.day) IN (SELECT s.item, s.day FROM stock AS s WHERE s.amount = 21); s.amount = 21
=> 2, 21

-- an aggregate has a row even if no row meets the condition
SELECT p.name FROM people p WHERE EXISTS (SELECT 1 FROM orders o WHERE o.name = p.name HAVING count(*) = 0)
| compose SELECT "p"."name" FROM "r1" AS "p" WHERE EXISTS(SELECT 1 AS "?column?" FROM "r0" AS "o" WHERE "o"."name" = "p"."name" HAVING COUNT(*) = 0)
|   r0: scan orders; columns name; on 3 partitions
|     or range by name = r1.name, for at most 64 keys
|   r1: scan people; columns name; on 3 partitions
| residual EXISTS(SELECT 1 AS "?column?" FROM orders AS o WHERE o.name = p.name HAVING COUNT(*) = 0); o.name = p.name
=> NULL
=> 
=> cid
=> dan

-- times of the other rows limit the windows
SELECT o.number, c.clicks FROM orders o JOIN clicks c ON c.name = o.name AND c.window_start <= o.due AND o.due < c.window_end WHERE o.name = 'ann'
| compose SELECT "o"."number", "c"."clicks" FROM "r0" AS "o" JOIN "r1" AS "c" ON "c"."name" = "o"."name" AND "c"."window_start" <= "o"."due" AND "o"."due" < "c"."window_end" WHERE "o"."name" = 'ann'
|   r0: range orders; name = 'ann'; columns name, number, due; on 3 partitions
|   r1: window lookup clicks; name = 'ann'; columns name, window_start, window_end, clicks; on 1 partition
|     or lookup by window_start <= r0.due and window_end > r0.due, for at most 10000 keys
| residual o.name = 'ann'
| row by row, if at most 256 rows are read
=> 1, 0
=> 2, 10

-- times of a left join; a NULL is in no window
SELECT o.number, c.clicks FROM orders o LEFT JOIN clicks c ON c.name = o.name AND o.due BETWEEN c.window_start AND c.window_end
| compose SELECT "o"."number", "c"."clicks" FROM "r0" AS "o" LEFT JOIN "r1" AS "c" ON "c"."name" = "o"."name" AND "o"."due" BETWEEN "c"."window_start" AND "c"."window_end"
|   r0: scan orders; columns name, number, due; on 3 partitions
|   r1: scan clicks; columns name, window_start, window_end, clicks; on 3 partitions
|     or lookup by name = r0.name and window_start <= r0.due and window_end >= r0.due, for at most 10000 keys
| row by row, if at most 256 rows are read
=> NULL, NULL
=> 1, 0
=> 1, 1
=> 2, 0
=> 2, 10
=> 3, NULL
=> 7, NULL
