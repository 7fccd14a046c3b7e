-- whole key
SELECT * FROM people WHERE name = 'ann'
| inline lookup people; name = 'ann'; columns name, age, score, city; on 1 partition
=> ann, 30, 1.5, Oslo

-- whole key, sides swapped, in parentheses
SELECT age FROM people WHERE (('ann') = (name))
| inline lookup people; name = 'ann'; columns age; on 1 partition
=> 30

-- whole key as a parameter
$ ["ann"]
SELECT age, city FROM people WHERE name = $1
| inline lookup people; name = $1; columns age, city; on 1 partition
=> 30, Oslo

-- a missing key
SELECT * FROM people WHERE name = 'zoe'
| inline lookup people; name = 'zoe'; columns name, age, score, city; on 1 partition

-- the empty text is a key
SELECT age FROM people WHERE name = ''
| inline lookup people; name = ''; columns age; on 1 partition
=> 7

-- NULL equals nothing
SELECT * FROM people WHERE name = NULL
| stream
|   nothing of people; no row can match; on no partition
| row by row, if at most 256 rows are read

-- a NULL parameter equals nothing
$ [null]
SELECT * FROM people WHERE name = $1
| inline lookup people; name = $1; columns name, age, score, city; on 1 partition

-- IN
SELECT name, age FROM people WHERE name IN ('ann', 'bob', 'zoe', 'ann', NULL)
| stream
|   lookup people; name in ('ann', 'bob', 'zoe', 'ann', NULL); columns name, age; on the partitions of 5 keys
| row by row, if at most 256 rows are read
=> ann, 30
=> bob, NULL

-- composite key
SELECT amount FROM orders WHERE name = 'ann' AND number = 2
| inline lookup orders; name = 'ann' and number = 2; columns amount; on 1 partition
=> 1.25

-- composite key, IN × IN
SELECT * FROM orders WHERE name IN ('ann', 'bob') AND number IN (1, 7)
| stream
|   lookup orders; name in ('ann', 'bob') and number in (1, 7); columns name, number, amount, paid, due; on the partitions of 4 keys
| row by row, if at most 256 rows are read
=> ann, 1, 9.50, True, 0
=> bob, 1, NULL, NULL, 7200000000
=> bob, 7, 3.00, True, NULL

-- composite key with a parameter used twice
$ ["ann", 1]
SELECT amount, $2 + 1 FROM orders WHERE name = $1 AND number = $2
| compose SELECT "amount", CAST($2 AS INT) + 1 AS "?column?" FROM "r0" AS "orders"
|   r0: lookup orders; name = $1 and number = $2; columns name, number, amount; on 1 partition
=> 9.50, 2

-- OR of one column
SELECT age FROM people WHERE name = 'ann' OR name = 'bob' OR name IN ('cid')
| stream
|   lookup people; name in ('ann', 'bob', 'cid'); columns age; on the partitions of 3 keys
| row by row, if at most 256 rows are read
=> NULL
=> 20
=> 30

-- OR of two columns is a scan
SELECT name FROM people WHERE name = 'ann' OR age = 7
| stream
|   scan people; filter (name = 'ann') or (age = 7); columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> 
=> ann

-- the lookup and a residual
SELECT name FROM people WHERE name IN ('ann', 'bob') AND age > 5
| stream
|   lookup people; name in ('ann', 'bob'); filter age > 5; columns name; on the partitions of 2 keys
| row by row, if at most 256 rows are read
=> ann

-- a contradiction
SELECT * FROM people WHERE name = 'ann' AND name = 'bob'
| stream
|   nothing of people; no row can match; on no partition
| row by row, if at most 256 rows are read

-- ANY of an array
SELECT age FROM people WHERE name = ANY(ARRAY['ann', 'cid'])
| stream
|   lookup people; name in ('ann', 'cid'); columns age; on the partitions of 2 keys
| row by row, if at most 256 rows are read
=> 20
=> 30

-- ours: ANY of an array literal, which DuckDB does not read
SELECT age FROM people WHERE name = ANY('{ann,"cid",NULL}')
| stream
|   lookup people; name in ('ann', 'cid', NULL); columns age; on the partitions of 3 keys
| row by row, if at most 256 rows are read
=> 20
=> 30

-- ours: ANY of a cast array literal, which DuckDB does not read
SELECT age FROM people WHERE name = ANY('{ann,cid}'::text[])
| stream
|   lookup people; name in ('ann', 'cid'); columns age; on the partitions of 2 keys
| row by row, if at most 256 rows are read
=> 20
=> 30

-- ANY of a parameter
$ [["ann", "bob", null]]
SELECT age FROM people WHERE name = ANY($1)
| stream
|   lookup people; name = any ($1); columns age; on the partitions of the keys
| row by row, if at most 256 rows are read
=> NULL
=> 30

-- ALL of a parameter
$ [["ann", "bob"]]
SELECT name FROM people WHERE name <> ALL($1)
| compose SELECT "name" FROM "r0" AS "people" WHERE "name" <> ALL (COALESCE(CAST($1 AS TEXT[]), [NULL]))
|   r0: scan people; columns name; on 3 partitions
| residual name <> ALL ($1)
=> 
=> cid
=> dan

-- ours: ALL of a parameter that is NULL, as PostgreSQL has it
$ [null]
SELECT name FROM people WHERE name <> ALL($1)
| compose SELECT "name" FROM "r0" AS "people" WHERE "name" <> ALL (COALESCE(CAST($1 AS TEXT[]), [NULL]))
|   r0: scan people; columns name; on 3 partitions
| residual name <> ALL ($1)

-- an integer column and a number with a fraction
SELECT * FROM stock WHERE item = 2.5 AND day = '1970-01-02'
| stream
|   nothing of stock; no row can match; on no partition
| row by row, if at most 256 rows are read

-- an integer column and a number that is whole after all
SELECT amount FROM stock WHERE item = 2.0 AND day = '1970-01-02'
| inline lookup stock; item = 2.0 and day = '1970-01-02'; columns amount; on 1 partition
=> 21

-- a number out of the range of integers
SELECT * FROM stock WHERE item = 99999999999 AND day = '1970-01-02'
| stream
|   nothing of stock; no row can match; on no partition
| row by row, if at most 256 rows are read

-- a date
SELECT amount FROM stock WHERE item = 1 AND day = date '1970-01-02'
| inline lookup stock; item = 1 and day = CAST('1970-01-02' AS DATE); columns amount; on 1 partition
=> 11

-- ours: a text literal for a timestamptz, in a column whose name DuckDB reserves
SELECT name FROM visits WHERE at = '1970-01-01 12:00:00+00'
| inline lookup visits; at = '1970-01-01 12:00:00+00'; columns name; on 1 partition
=> bob

-- ours: a date for a timestamptz
SELECT name FROM visits WHERE at = date '1970-01-02'
| inline lookup visits; at = CAST('1970-01-02' AS DATE); columns name; on 1 partition
=> ann

-- quoted and upper-case names
SELECT "Id", "Value" FROM "Mixed" WHERE "Id" = 2
| inline lookup Mixed; Id = 2; columns Id, Value; on 1 partition
=> 2, two

-- ours: a word that DuckDB reserves
SELECT upper(name), at FROM visits WHERE at >= '1970-01-01 12:00:00+00' ORDER BY at LIMIT 1
| compose SELECT PG_SG_UPPER("name") AS "upper", "at" FROM "r0" AS "visits" ORDER BY "at" LIMIT 1
|   r0: range visits; at >= '1970-01-01 12:00:00+00'; first 1 by at asc; columns at, name; on 3 partitions
=> BOB, 43200000000

-- names are folded to lower case
SELECT NAME, People.AGE FROM PEOPLE WHERE Name = 'ann'
| inline lookup people; name = 'ann'; columns name, age; on 1 partition
=> ann, 30

-- ours: schema-qualified names, which have another schema in DuckDB
SELECT public.people.age FROM public.people WHERE people.name = 'ann'
| inline lookup people; name = 'ann'; columns age; on 1 partition
=> 30

-- COLLATE "C" is our own order
SELECT age FROM people WHERE name COLLATE "C" = 'ann'
| inline lookup people; name = 'ann'; columns age; on 1 partition
=> 30

-- ours: text with escapes, which DuckDB reads differently
SELECT age FROM people WHERE name = E'\x61nn'
| inline lookup people; name = 'ann'; columns age; on 1 partition
=> 30

-- a function of the row needs DuckDB
SELECT upper(name) FROM people WHERE name = 'ann'
| compose SELECT PG_SG_UPPER("name") AS "upper" FROM "r0" AS "people"
|   r0: lookup people; name = 'ann'; columns name; on 1 partition
=> ANN
