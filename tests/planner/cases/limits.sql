-- by key, ascending
SELECT name FROM people ORDER BY name LIMIT 2
| stream; limit 2
|   scan people; first 2 by name asc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> 
=> ann

-- by key, descending: NULL comes first
SELECT name FROM people ORDER BY name DESC LIMIT 2
| stream; limit 2
|   scan people; first 2 by name desc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> NULL
=> dan

-- NULLS FIRST
SELECT name FROM people ORDER BY name NULLS FIRST LIMIT 2
| stream; limit 2
|   scan people; first 2 by name asc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> NULL
=> 

-- NULLS LAST
SELECT name FROM people ORDER BY name DESC NULLS LAST LIMIT 2
| stream; limit 2
|   scan people; first 2 by name desc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> dan
=> cid

-- first rows with an offset
SELECT name FROM people ORDER BY name LIMIT 2 OFFSET 1
| stream; limit 2; offset 1
|   scan people; first 3 by name asc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> ann
=> bob

-- first rows of a range
SELECT name FROM people WHERE name > 'a' ORDER BY name LIMIT 1
| stream; limit 1
|   range people; name > 'a'; first 1 by name asc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> ann

-- rows with a residual cannot be cut early
SELECT name FROM people WHERE age > 6 ORDER BY name LIMIT 1
| stream; limit 1
|   scan people; filter age > 6; first 1 by name asc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> 

-- the first rows in another order need all rows
SELECT name, age FROM people ORDER BY age LIMIT 2
| compose SELECT "name", "age" FROM "r0" AS "people" ORDER BY "age" LIMIT 2
|   r0: scan people; columns name, age; on 3 partitions
| row by row, if at most 256 rows are read, or column by column, if at most 65536 rows are in memory
=> NULL, 5
=> , 7

-- a result column that hides the key needs all rows
SELECT city AS name FROM people ORDER BY name LIMIT 2
| compose SELECT "city" AS "name" FROM "r0" AS "people" ORDER BY "name" LIMIT 2
|   r0: scan people; columns name, city; on 3 partitions
| row by row, if at most 256 rows are read, or column by column, if at most 65536 rows are in memory
=> Bern
=> Oslo

-- rows are not cut before a function multiplies them
SELECT name, unnest(ARRAY[1, 2]) AS n FROM people ORDER BY name, n LIMIT 3
| compose SELECT "name", UNNEST([1, 2]) AS "n" FROM "r0" AS "people" ORDER BY "name", "n" LIMIT 3
|   r0: scan people; columns name; on 3 partitions
=> , 1
=> , 2
=> ann, 1

-- an aggregate reads everything
SELECT max(name) AS name FROM people ORDER BY name LIMIT 1
| compose SELECT MAX("name") AS "name" FROM "r0" AS "people" ORDER BY "name" LIMIT 1
|   r0: scan people; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> dan

-- LIMIT 0
SELECT name FROM people LIMIT 0
| stream; limit 0
|   scan people; any 0 rows; columns name; on 3 partitions
| row by row, if at most 256 rows are read

-- an offset past the end
SELECT name FROM people WHERE name = 'ann' LIMIT 5 OFFSET 3
| stream; limit 5; offset 3
|   lookup people; name = 'ann'; any 8 rows; columns name; on 1 partition
| row by row, if at most 256 rows are read

-- LIMIT as a parameter
$ [2]
SELECT name FROM people ORDER BY name LIMIT $1
| stream; limit $1
|   scan people; first $1 by name asc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> 
=> ann

-- LIMIT ALL
SELECT name FROM people ORDER BY name LIMIT ALL
| compose SELECT "name" FROM "r0" AS "people" ORDER BY "name" LIMIT ALL
|   r0: scan people; columns name; on 3 partitions
=> 
=> ann
=> bob
=> cid
=> dan
=> NULL

-- FETCH FIRST
SELECT name FROM people ORDER BY name FETCH FIRST 2 ROWS ONLY
| compose SELECT "name" FROM "r0" AS "people" ORDER BY "name" LIMIT 2
|   r0: scan people; columns name; on 3 partitions
=> 
=> ann

-- DuckDB cuts rows of composite keys
SELECT name, number FROM orders ORDER BY name, number LIMIT 3
| stream; limit 3
|   scan orders; first 3 by name, number asc; columns name, number; on 3 partitions
| row by row, if at most 256 rows are read
=> ann, 1
=> ann, 2
=> ann, NULL

-- a page after a key, with all numbers as parameters
$ ["a", 2, 1]
SELECT name, age FROM people WHERE name > $1 ORDER BY name LIMIT $2 OFFSET $3
| stream; limit $2; offset $3
|   range people; name > $1; first $2 + $3 by name asc; columns name, age; on 3 partitions
| row by row, if at most 256 rows are read
=> bob, NULL
=> cid, 20

-- LIMIT NULL does not limit
$ [null]
SELECT name FROM people ORDER BY name LIMIT $1
| stream; limit $1
|   scan people; first $1 by name asc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> 
=> ann
=> bob
=> cid
=> dan
=> NULL

-- OFFSET NULL skips nothing
$ [2, null]
SELECT name FROM people ORDER BY name LIMIT $1 OFFSET $2
| stream; limit $1; offset $2
|   scan people; first $1 + $2 by name asc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> 
=> ann

-- a parameter in LIMIT, and a key order that puts NULLs last
$ [3]
SELECT name, number FROM orders WHERE name = 'ann' ORDER BY number LIMIT $1
| stream; limit $1
|   range orders; name = 'ann'; first $1 by number asc; columns name, number; on 3 partitions
| row by row, if at most 256 rows are read
=> ann, 1
=> ann, 2
=> ann, NULL

-- a parameter in LIMIT of rows that the SELECT list computes
$ [2]
SELECT name || '!' AS shouted FROM people ORDER BY name LIMIT $1
| compose SELECT "name" || '!' AS "shouted" FROM "r0" AS "people" ORDER BY "name" LIMIT CAST($1 AS BIGINT)
|   r0: scan people; first $1 by name asc; columns name; on 3 partitions
=> !
=> ann!

-- a parameter with a cast in LIMIT
$ [1]
SELECT name FROM people ORDER BY name LIMIT $1::int
| stream; limit $1
|   scan people; first $1 by name asc; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> 

-- LIMIT 0 as a parameter
$ [0]
SELECT name FROM people ORDER BY name LIMIT $1
| stream; limit $1
|   scan people; first $1 by name asc; columns name; on 3 partitions
| row by row, if at most 256 rows are read

-- a negative LIMIT
$ [-1]
SELECT name FROM people ORDER BY name LIMIT $1
! 2201W - LIMIT must not be negative

-- a negative OFFSET
$ [1, -1]
SELECT name FROM people ORDER BY name LIMIT $1 OFFSET $2
! 2201X - OFFSET must not be negative

-- any rows, and no more of them than a parameter says
$ [0, 9]
SELECT name FROM people LIMIT $1 OFFSET $2
| stream; limit $1; offset $2
|   scan people; any $1 + $2 rows; columns name; on 3 partitions
| row by row, if at most 256 rows are read
