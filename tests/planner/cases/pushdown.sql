-- number of rows
SELECT count(*) FROM people
| count
|   scan people; columns _partition; on 3 partitions
| row by row, if at most 256 rows are read, or column by column, if at most 65536 rows are in memory
=> 6

-- number of rows, with a filter
SELECT count(*) AS n FROM people WHERE age > 6
| count
|   scan people; filter age > 6; columns _partition; on 3 partitions
| row by row, if at most 256 rows are read, or column by column, if at most 65536 rows are in memory
=> 4

-- number of rows of a range
SELECT count(*) FROM orders WHERE name = 'ann'
| count
|   range orders; name = 'ann'; columns _partition; on 3 partitions
| row by row, if at most 256 rows are read
=> 3

-- least and greatest key
SELECT min(name), max(name) FROM people
| compose SELECT MIN("name") AS "min", MAX("name") AS "max" FROM "r0" AS "people"
|   r0: range people; name is not null; ends of name; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> , dan

-- greatest key of a range
SELECT max(item) FROM stock WHERE item < 3
| compose SELECT MAX("item") AS "max" FROM "r0" AS "stock"
|   r0: range stock; item < 3 and item is not null; ends of item; columns item; on 3 partitions
| row by row, if at most 256 rows are read
=> 2

-- the greatest key of filtered rows
SELECT max(name) FROM people WHERE age < 25
| compose SELECT MAX("name") AS "max" FROM "r0" AS "people"
|   r0: range people; name is not null; filter age < 25; ends of name; columns name, age; on 3 partitions
| row by row, if at most 256 rows are read
=> cid

-- first rows, NULLs last
SELECT name FROM people ORDER BY name LIMIT 3
| stream; limit 3
|   scan people; first 3 by name asc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> 
=> ann
=> bob

-- first rows, NULLs first
SELECT name FROM people ORDER BY name NULLS FIRST LIMIT 3
| stream; limit 3
|   scan people; first 3 by name asc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> NULL
=> 
=> ann

-- last rows
SELECT name FROM people ORDER BY name DESC LIMIT 3
| stream; limit 3
|   scan people; first 3 by name desc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> NULL
=> dan
=> cid

-- last rows, NULLs last
SELECT name FROM people ORDER BY name DESC NULLS LAST LIMIT 2 OFFSET 1
| stream; limit 2; offset 1
|   scan people; first 3 by name desc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> cid
=> bob

-- first rows after a filter
SELECT name, age FROM people WHERE age > 6 ORDER BY name LIMIT 2
| stream; limit 2
|   scan people; filter age > 6; first 2 by name asc; columns name, age; on 3 partitions
| row by row, if at most 256 rows are read
=> , 7
=> ann, 30

-- first rows of a composite key
SELECT name, number FROM orders ORDER BY name, number LIMIT 4
| stream; limit 4
|   scan orders; first 4 by name, number asc; columns name, number; on 3 partitions
| row by row, if at most 256 rows are read
=> ann, 1
=> ann, 2
=> ann, NULL
=> bob, 1

-- last rows of a composite key, with NULLs where the key has them
SELECT name, number FROM orders ORDER BY name DESC, number DESC NULLS LAST LIMIT 4
| stream; limit 4
|   scan orders; first 4 by name, number desc; columns name, number; on 3 partitions
| row by row, if at most 256 rows are read
=> eve, 3
=> bob, 7
=> bob, 1
=> ann, 2

-- rows are sorted if NULLs stand elsewhere than in the key
SELECT name, number FROM orders ORDER BY name DESC, number DESC LIMIT 4
| compose SELECT "name", "number" FROM "r0" AS "orders" ORDER BY "name" DESC NULLS FIRST, "number" DESC NULLS FIRST LIMIT 4
|   r0: scan orders; columns name, number; on 3 partitions
| row by row, if at most 256 rows are read, or column by column, if at most 65536 rows are in memory
=> eve, 3
=> bob, 7
=> bob, 1
=> ann, NULL

-- first rows after a prefix
SELECT number FROM orders WHERE name = 'ann' ORDER BY number DESC LIMIT 2
| stream; limit 2
|   range orders; name = 'ann'; first 2 by number desc; columns number; on 3 partitions
| row by row, if at most 256 rows are read
=> NULL
=> 2

-- first rows, with an expression that only DuckDB computes
SELECT upper(name) FROM people ORDER BY name LIMIT 2
| compose SELECT PG_SG_UPPER("name") AS "upper" FROM "r0" AS "people" ORDER BY "name" LIMIT 2
|   r0: scan people; first 2 by name asc; columns name; on 3 partitions
=> 
=> ANN

-- last windows of a key
SELECT window_start, clicks FROM clicks WHERE name = 'ann' ORDER BY window_start DESC LIMIT 2
| stream; limit 2
|   window lookup clicks; name = 'ann'; first 2 by window_start desc; columns window_start, clicks; on 1 partition
| row by row, if at most 256 rows are read
=> 10800000000, 30
=> 7200000000, 20

-- any rows
SELECT count(*) FROM (SELECT name FROM people LIMIT 2) x
| compose SELECT COUNT(*) AS "count" FROM (SELECT "people"."name" FROM "r0" AS "people" LIMIT 2) AS "x"
|   r0: scan people; columns name; on 3 partitions
=> 2

-- a condition on a derived table
$ ["ann"]
SELECT * FROM (SELECT name AS n, age FROM people WHERE age > 3) s WHERE s.n = $1
| compose SELECT * FROM (SELECT "people"."name" AS "n", "people"."age" FROM "r0" AS "people" WHERE "people"."age" > 3) AS "s" WHERE "s"."n" = CAST($1 AS TEXT)
|   r0: lookup people; name = $1; filter age > 3; columns name, age; on 1 partition
| residual s.n = $1; people.age > 3
=> ann, 30

-- a condition on a common table expression
WITH x AS (SELECT * FROM people) SELECT age FROM x WHERE name = 'ann'
| compose WITH "x" AS (SELECT * FROM "r0" AS "people") SELECT "x"."age" FROM "x" WHERE "x"."name" = 'ann'
|   r0: lookup people; name = 'ann'; columns name, age, score, city; on 1 partition
| residual x.name = 'ann'
=> 30

-- a condition through both
WITH x (k, v) AS (SELECT name, age FROM people), y AS (SELECT k FROM x WHERE v > 3) SELECT * FROM y WHERE k > 'a'
| compose WITH "x"("k", "v") AS (SELECT "people"."name", "people"."age" FROM "r0" AS "people"), "y" AS (SELECT "x"."k" FROM "x" WHERE "x"."v" > 3) SELECT * FROM "y" WHERE "y"."k" > 'a'
|   r0: range people; name > 'a'; filter age > 3; columns name, age; on 3 partitions
| residual y.k > 'a'; x.v > 3
=> ann
=> cid
=> dan

-- a condition on a column of GROUP BY
SELECT * FROM (SELECT name, count(*) AS c FROM orders GROUP BY 1) s WHERE name = 'ann' AND c > 1
| compose SELECT * FROM (SELECT "orders"."name", COUNT(*) AS "c" FROM "r0" AS "orders" GROUP BY 1) AS "s" WHERE "s"."name" = 'ann' AND "s"."c" > 1
|   r0: range orders; name = 'ann'; columns name; on 3 partitions
| residual s.name = 'ann' AND s.c > 1
=> ann, 3

-- a condition on an aggregate is not pushed down
SELECT * FROM (SELECT city, max(name) AS name FROM people GROUP BY city) s WHERE name = 'ann'
| compose SELECT * FROM (SELECT "people"."city", MAX("people"."name") AS "name" FROM "r0" AS "people" GROUP BY "people"."city") AS "s" WHERE "s"."name" = 'ann'
|   r0: scan people; columns name, city; on 3 partitions
| residual s.name = 'ann'

-- a condition on rows that a window function has numbered is not pushed down
SELECT * FROM (SELECT name, row_number() OVER (ORDER BY name) AS n FROM people) s WHERE name = 'ann'
| compose SELECT * FROM (SELECT "people"."name", ROW_NUMBER() OVER (ORDER BY "people"."name") AS "n" FROM "r0" AS "people") AS "s" WHERE "s"."name" = 'ann'
|   r0: scan people; columns name; on 3 partitions
| residual s.name = 'ann'
=> ann, 2

-- a condition on rows that LIMIT has chosen is not pushed down
SELECT * FROM (SELECT name FROM people ORDER BY name LIMIT 2) s WHERE name = 'ann'
| compose SELECT * FROM (SELECT "people"."name" FROM "r0" AS "people" ORDER BY "people"."name" LIMIT 2) AS "s" WHERE "s"."name" = 'ann'
|   r0: scan people; columns name; on 3 partitions
| residual s.name = 'ann'
=> ann

-- a condition on a common table expression that is read twice is not pushed down
WITH x AS (SELECT name FROM people) SELECT a.name FROM x a JOIN x b ON a.name > b.name WHERE a.name = 'ann'
| compose WITH "x" AS (SELECT "people"."name" FROM "r0" AS "people") SELECT "a"."name" FROM "x" AS "a" JOIN "x" AS "b" ON "a"."name" > "b"."name" WHERE "a"."name" = 'ann'
|   r0: scan people; columns name; on 3 partitions
| residual a.name = 'ann'
=> ann

-- a derived table in a join
SELECT o.number, s.age FROM orders o JOIN (SELECT name, age FROM people) s ON s.name = o.name AND s.name = 'ann' WHERE o.number = 1
| compose SELECT "o"."number", "s"."age" FROM "r1" AS "o" JOIN (SELECT "people"."name", "people"."age" FROM "r0" AS "people") AS "s" ON "s"."name" = "o"."name" AND "s"."name" = 'ann' WHERE "o"."number" = 1
|   r0: lookup people; name = 'ann'; columns name, age; on 1 partition
|   r1: scan orders; filter number = 1; columns name, number; on 3 partitions
| residual o.number = 1
=> 1, 30

-- rows of NULLs that an outer join may add
SELECT o.number, s.age FROM orders o LEFT JOIN (SELECT name, age FROM people) s ON s.name = o.name WHERE s.name IS NULL
| compose SELECT "o"."number", "s"."age" FROM "r1" AS "o" LEFT JOIN (SELECT "people"."name", "people"."age" FROM "r0" AS "people") AS "s" ON "s"."name" = "o"."name" WHERE "s"."name" IS NULL
|   r0: scan people; columns name, age; on 3 partitions
|   r1: scan orders; columns name, number; on 3 partitions
| residual s.name IS NULL
=> 3, NULL

-- a condition on a group of a derived table, by its place
SELECT n FROM (SELECT count(*) AS n, name FROM orders GROUP BY 2) d WHERE name = 'ann'
| compose SELECT "d"."n" FROM (SELECT COUNT(*) AS "n", "orders"."name" FROM "r0" AS "orders" GROUP BY 2) AS "d" WHERE "d"."name" = 'ann'
|   r0: range orders; name = 'ann'; columns name; on 3 partitions
| residual d.name = 'ann'
=> 3

-- a condition on a group of a derived table, by its name
SELECT n FROM (SELECT count(*) AS n, name FROM orders GROUP BY name) d WHERE name = 'ann'
| compose SELECT "d"."n" FROM (SELECT COUNT(*) AS "n", "orders"."name" FROM "r0" AS "orders" GROUP BY "orders"."name") AS "d" WHERE "d"."name" = 'ann'
|   r0: range orders; name = 'ann'; columns name; on 3 partitions
| residual d.name = 'ann'
=> 3

-- a condition on an aggregate of a derived table stays above it
SELECT name FROM (SELECT count(*) AS n, name FROM orders GROUP BY name) d WHERE n = 3
| compose SELECT "d"."name" FROM (SELECT COUNT(*) AS "n", "orders"."name" FROM "r0" AS "orders" GROUP BY "orders"."name") AS "d" WHERE "d"."n" = 3
|   r0: scan orders; columns name; on 3 partitions
| residual d.n = 3
=> ann

-- a condition on a column of a grouped derived table that is no group stays above it
SELECT name FROM (SELECT max(name) AS name, number FROM orders GROUP BY number) d WHERE name = 'bob'
| compose SELECT "d"."name" FROM (SELECT MAX("orders"."name") AS "name", "orders"."number" FROM "r0" AS "orders" GROUP BY "orders"."number") AS "d" WHERE "d"."name" = 'bob'
|   r0: scan orders; columns name, number; on 3 partitions
| residual d.name = 'bob'
=> bob
=> bob
