-- the prefix of a key
SELECT number, amount FROM orders WHERE name = 'ann'
| stream
|   range orders; name = 'ann'; columns number, amount; on 3 partitions
| row by row, if at most 256 rows are read
=> NULL, 5.00
=> 1, 9.50
=> 2, 1.25

-- the prefix, then a range
SELECT number FROM orders WHERE name = 'ann' AND number > 1
| stream
|   range orders; name = 'ann' and number > 1; columns number; on 3 partitions
| row by row, if at most 256 rows are read
=> 2

-- the prefix, then BETWEEN
SELECT number FROM orders WHERE name = 'ann' AND number BETWEEN 1 AND 2
| stream
|   range orders; name = 'ann' and number >= 1 and number <= 2; columns number; on 3 partitions
| row by row, if at most 256 rows are read
=> 1
=> 2

-- the prefix, then several bounds, of which the tightest count
SELECT number FROM orders WHERE name = 'ann' AND number > 0 AND number >= 2 AND number < 9
| stream
|   range orders; name = 'ann' and number > 0 and number >= 2 and number < 9; columns number; on 3 partitions
| row by row, if at most 256 rows are read
=> 2

-- bounds that no number meets
SELECT number FROM orders WHERE name = 'ann' AND number > 5 AND number < 3
| stream
|   nothing of orders; no row can match; on no partition
| row by row, if at most 256 rows are read

-- a range of texts
SELECT name FROM people WHERE name >= 'b' AND name < 'd'
| stream
|   range people; name >= 'b' and name < 'd'; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> bob
=> cid

-- a range, sides swapped
SELECT name FROM people WHERE 'b' < name
| stream
|   range people; name > 'b'; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> bob
=> cid
=> dan

-- an upper bound excludes NULL
SELECT name FROM people WHERE name <= 'b'
| stream
|   range people; name <= 'b'; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> 
=> ann

-- an integer column and a bound with a fraction
SELECT item FROM stock WHERE item > 1.5 AND item <= 2.5
| stream
|   range stock; item > 1.5 and item <= 2.5; columns item; on 3 partitions
| row by row, if at most 256 rows are read
=> 2
=> 2
=> 2

-- a bound that every integer meets
SELECT item FROM stock WHERE item < 99999999999
| stream
|   range stock; item < 99999999999; columns item; on 3 partitions
| row by row, if at most 256 rows are read
=> 1
=> 1
=> 1
=> 2
=> 2
=> 2
=> 3
=> 3
=> 3

-- a bound that no integer meets
SELECT item FROM stock WHERE item > 99999999999
| stream
|   range stock; item > 99999999999; columns item; on no partition
| row by row, if at most 256 rows are read

-- ours: a range of times with a date
SELECT name FROM visits WHERE at >= date '1970-01-02'
| stream
|   range visits; at >= CAST('1970-01-02' AS DATE); columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> ann
=> eve

-- a range with parameters
$ ["ann", 2]
SELECT number FROM orders WHERE name = $1 AND number <= $2
| stream
|   range orders; name = $1 and number <= $2; columns number; on 3 partitions
| row by row, if at most 256 rows are read
=> 1
=> 2

-- IN on a prefix is not a range
SELECT number FROM orders WHERE name IN ('ann', 'bob') AND number > 1
| stream
|   range orders; name in ('ann', 'bob') and number > 1; columns number; on 3 partitions
| row by row, if at most 256 rows are read
=> 2
=> 7

-- a condition on the second key column remains
SELECT item FROM stock WHERE item BETWEEN 2 AND 3 AND day = '1970-01-01'
| stream
|   range stock; item >= 2 and item <= 3; filter day = '1970-01-01'; columns item; on 3 partitions
| row by row, if at most 256 rows are read
=> 2
=> 3

-- NOT of an equality gives two ranges
SELECT name FROM people WHERE NOT name = 'ann'
| stream
|   range people; (name < 'ann') or (name > 'ann'); columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> 
=> bob
=> cid
=> dan

-- a second key column alone is a scan
SELECT name FROM orders WHERE number = 1
| stream
|   scan orders; filter number = 1; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> ann
=> bob

-- IS NULL on the last key column
SELECT number FROM orders WHERE name = 'ann' AND number IS NULL
| stream
|   lookup orders; name = 'ann' and number is null; columns number; on 1 partition
| row by row, if at most 256 rows are read
=> NULL

-- ours: a condition on partitions, which DuckDB's tables lack
SELECT count(*) FROM people WHERE _partition IN (0, 1, 2)
| count
|   scan people; _partition in (0, 1, 2); columns _partition; on 3 partitions
| row by row, if at most 256 rows are read, or column by column, if at most 65536 rows are in memory
=> 6

-- ours: one partition
SELECT name, _partition FROM people WHERE _partition = 1
| stream
|   scan people; _partition = 1; columns name, _partition; on 1 partition
| row by row, if at most 256 rows are read
=> bob, 1
=> dan, 1

-- ours: a range of partitions
SELECT name FROM people WHERE _partition >= 1 AND _partition < 2
| stream
|   scan people; _partition >= 1 and _partition < 2; columns name; on 1 partition
| row by row, if at most 256 rows are read
=> bob
=> dan

-- ours: a partition that does not exist
SELECT name FROM people WHERE _partition = 9
| stream
|   scan people; _partition = 9; columns name; on no partition
| row by row, if at most 256 rows are read

-- ours: a lookup in the wrong partition
SELECT name FROM people WHERE name = 'bob' AND _partition = 0
| stream
|   lookup people; name = 'bob' and _partition = 0; columns name; on 1 partition
| row by row, if at most 256 rows are read

-- no condition is a scan
SELECT city FROM people
| stream
|   scan people; columns city; on 3 partitions
| row by row, if at most 256 rows are read
=> NULL
=> Bern
=> Oslo
=> Oslo
=> Rome
=> Rome

-- a LIKE pattern as a parameter
$ ["a%"]
SELECT name FROM people WHERE name LIKE $1
| compose SELECT "name" FROM "r0" AS "people" WHERE "name" LIKE CAST($1 AS TEXT) ESCAPE '\'
|   r0: range people; name >= the start of $1 and name < the end of $1; columns name; on 3 partitions
| residual name LIKE $1
=> ann

-- a pattern as a parameter whose wildcard comes first
$ ["%n"]
SELECT name FROM people WHERE name LIKE $1
| compose SELECT "name" FROM "r0" AS "people" WHERE "name" LIKE CAST($1 AS TEXT) ESCAPE '\'
|   r0: range people; name >= the start of $1 and name < the end of $1; columns name; on 3 partitions
| residual name LIKE $1
=> ann
=> dan

-- a pattern as a parameter without a wildcard
$ ["ann"]
SELECT name FROM people WHERE name LIKE $1
| compose SELECT "name" FROM "r0" AS "people" WHERE "name" LIKE CAST($1 AS TEXT) ESCAPE '\'
|   r0: range people; name >= the start of $1 and name < the end of $1; columns name; on 3 partitions
| residual name LIKE $1
=> ann

-- a pattern as a parameter that is NULL
$ [null]
SELECT name FROM people WHERE name LIKE $1
| compose SELECT "name" FROM "r0" AS "people" WHERE "name" LIKE CAST($1 AS TEXT) ESCAPE '\'
|   r0: range people; name >= the start of $1 and name < the end of $1; columns name; on 3 partitions
| residual name LIKE $1

-- an escaped wildcard
SELECT name FROM people WHERE name LIKE 'a\_b%'
| stream
|   range people; name >= 'a_b' and name < 'a_c'; columns name; on 3 partitions
| row by row, if at most 256 rows are read

-- another escape character
SELECT name FROM people WHERE name LIKE 'a!!n%' ESCAPE '!'
| stream
|   range people; name >= 'a!n' and name < 'a!o'; columns name; on 3 partitions
| row by row, if at most 256 rows are read

-- an escape character that is a wildcard
SELECT name FROM people WHERE name LIKE 'a%%' ESCAPE '%'
| inline lookup people; name = 'a%'; columns name; on 1 partition

-- NOT LIKE with an escape
SELECT name FROM people WHERE name NOT LIKE 'a!_%' ESCAPE '!'
| compose SELECT "name" FROM "r0" AS "people" WHERE "name" NOT LIKE 'a!_%' ESCAPE '!'
|   r0: scan people; columns name; on 3 partitions
| residual name NOT LIKE 'a!_%' ESCAPE '!'
=> 
=> ann
=> bob
=> cid
=> dan

-- starts_with and a parameter
$ ["a"]
SELECT name FROM people WHERE starts_with(name, $1)
| stream
|   range people; name >= the start of $1 and name < the end of $1; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> ann

-- every text starts with an empty one
$ [""]
SELECT name FROM people WHERE name ^@ $1
| stream
|   range people; name >= the start of $1 and name < the end of $1; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> 
=> ann
=> bob
=> cid
=> dan

-- no text follows the last character
$ ["\udbff\udfff"]
SELECT name FROM people WHERE starts_with(name, $1)
| stream
|   range people; name >= the start of $1 and name < the end of $1; columns name; on 3 partitions
| row by row, if at most 256 rows are read
