-- IN on a prefix is one range for each value
SELECT number FROM orders WHERE name IN ('bob', 'eve') AND number > 1
| stream
|   range orders; name in ('bob', 'eve') and number > 1; columns number; on 3 partitions
| row by row, if at most 256 rows are read
=> 3
=> 7

-- a list of rows of the whole key
SELECT amount FROM stock WHERE (item, day) IN ((1, '1970-01-01'), (2, '1970-01-02'))
| stream
|   lookup stock; (item, day) in ((1, '1970-01-01'), (2, '1970-01-02')); columns amount; on the partitions of 2 keys
| row by row, if at most 256 rows are read
=> 10
=> 21

-- a list of rows with the columns in another order
SELECT amount FROM stock WHERE (day, item) IN (('1970-01-01', 1), ('1970-01-02', 2))
| stream
|   lookup stock; (day, item) in (('1970-01-01', 1), ('1970-01-02', 2)); columns amount; on the partitions of 2 keys
| row by row, if at most 256 rows are read
=> 10
=> 21

-- a list of rows with ROW
SELECT amount FROM stock WHERE ROW(item, day) = ROW(1, date '1970-01-02')
| inline lookup stock; item = 1 and day = CAST('1970-01-02' AS DATE); columns amount; on 1 partition
=> 11

-- OR of whole keys
SELECT amount FROM stock WHERE (item = 1 AND day = '1970-01-01') OR (item = 2 AND day = '1970-01-02')
| stream
|   lookup stock; (item = 1 and day = '1970-01-01') or (item = 2 and day = '1970-01-02'); columns amount; on the partitions of 2 keys
| row by row, if at most 256 rows are read
=> 10
=> 21

-- keyset paging
SELECT item, day FROM stock WHERE (item, day) > (1, date '1970-01-02') ORDER BY item, day LIMIT 3
| stream; limit 3
|   range stock; (item > 1) or (item = 1 and day > CAST('1970-01-02' AS DATE)); first 3 by item, day asc; columns item, day; on 3 partitions
| row by row, if at most 256 rows are read
=> 1, 2
=> 2, 0
=> 2, 1

-- keyset paging backward
SELECT item, day FROM stock WHERE (item, day) < (3, date '1970-01-02') ORDER BY item DESC, day DESC NULLS LAST LIMIT 3
| stream; limit 3
|   range stock; (item < 3) or (item = 3 and day < CAST('1970-01-02' AS DATE)); first 3 by item, day desc; columns item, day; on 3 partitions
| row by row, if at most 256 rows are read
=> 3, 0
=> 2, 2
=> 2, 1

-- ours: rows with NULL are neither greater nor less
SELECT name, number FROM orders WHERE (name, number) > ('ann', 1)
| stream
|   range orders; (name > 'ann') or (name = 'ann' and number > 1); columns name, number; on 3 partitions
| row by row, if at most 256 rows are read
=> ann, 2
=> bob, 1
=> bob, 7
=> eve, 3

-- OR of ranges
SELECT name FROM people WHERE name < 'b' OR name > 'c'
| stream
|   range people; (name < 'b') or (name > 'c'); columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> 
=> ann
=> cid
=> dan

-- overlapping alternatives are read once
SELECT name FROM people WHERE name > 'b' OR name > 'c' OR name = 'cid'
| stream
|   range people; (name > 'b') or (name > 'c') or (name = 'cid'); columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> bob
=> cid
=> dan

-- an alternative that cannot be read as a condition makes a scan
SELECT name FROM people WHERE name = 'ann' OR length(name) = 3 AND age < 30
| compose SELECT "name" FROM "r0" AS "people" WHERE "name" = 'ann' OR CAST(LENGTH("name") AS INT) = 3 AND "age" < 30
|   r0: scan people; filter (name = 'ann') or (age < 30); columns name, age; on 3 partitions
| residual name = 'ann' OR LENGTH(name) = 3 AND age < 30
=> ann
=> cid

-- LIKE with a prefix
SELECT name FROM people WHERE name LIKE 'a%'
| stream
|   range people; name >= 'a' and name < 'b'; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> ann

-- LIKE with a prefix and a suffix
SELECT name FROM people WHERE name LIKE 'a%n'
| compose SELECT "name" FROM "r0" AS "people" WHERE "name" LIKE 'a%n'
|   r0: range people; name >= 'a' and name < 'b'; columns name; on 3 partitions
| residual name LIKE 'a%n'
=> ann

-- LIKE without a wildcard is =
SELECT age FROM people WHERE name LIKE 'ann'
| inline lookup people; name = 'ann'; columns age; on 1 partition
=> 30

-- a regular expression with a prefix
SELECT name FROM people WHERE name ~ '^an+'
| compose SELECT "name" FROM "r0" AS "people" WHERE REGEXP_MATCHES("name", '\Aa(?:n)+')
|   r0: range people; name >= 'an' and name < 'ao'; columns name; on 3 partitions
| residual name ~ '^an+'
=> ann

-- NULL in a key
SELECT number FROM orders WHERE name = 'ann' AND number IS NULL
| stream
|   lookup orders; name = 'ann' and number is null; columns number; on 1 partition
| row by row, if at most 256 rows are read
=> NULL

-- NULL or a value
SELECT age FROM people WHERE name IS NULL OR name = 'ann'
| stream
|   lookup people; (name = 'ann' or name is null); columns age; on the partitions of 2 keys
| row by row, if at most 256 rows are read
=> 30
=> 5

-- a cast that changes nothing
SELECT amount FROM stock WHERE item::bigint = 1 AND day = '1970-01-01'
| inline lookup stock; item = 1 and day = '1970-01-01'; columns amount; on 1 partition
=> 10

-- computed constants
SELECT amount FROM stock WHERE item = 1 + 1 AND day = date '1970-01-01'
| inline lookup stock; item = 1 + 1 and day = CAST('1970-01-01' AS DATE); columns amount; on 1 partition
| value $1: 1 + 1
=> 20

-- not equal
SELECT name FROM people WHERE name <> 'bob'
| stream
|   range people; (name < 'bob') or (name > 'bob'); columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> 
=> ann
=> cid
=> dan

-- a contradiction of ranges
SELECT name FROM people WHERE name > 'c' AND name < 'b'
| stream
|   nothing of people; no row can match; on no partition
| row by row, if at most 256 rows are read

-- a condition that is always false
SELECT name FROM people WHERE 1 = 0
| stream
|   nothing of people; no row can match; on no partition
| row by row, if at most 256 rows are read

-- a filter on values needs no DuckDB
SELECT name FROM people WHERE age >= 20 AND city <> 'Rome'
| stream
|   scan people; filter (age >= 20 and city < 'Rome') or (age >= 20 and city > 'Rome'); columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> ann
=> dan

-- a filter on doubles
SELECT name FROM people WHERE score > 0.5
| stream
|   scan people; filter score > 0.5; columns name; on 3 partitions
| row by row, if at most 256 rows are read
=> ann
=> bob

-- a filter on booleans
SELECT name, number FROM orders WHERE NOT paid
| stream
|   scan orders; filter paid = false; columns name, number; on 3 partitions
| row by row, if at most 256 rows are read
=> ann, 2
=> eve, 3

-- a key and a filter
SELECT name FROM people WHERE name IN ('ann', 'bob') AND age > 5
| stream
|   lookup people; name in ('ann', 'bob'); filter age > 5; columns name; on the partitions of 2 keys
| row by row, if at most 256 rows are read
=> ann

-- a day of windows
SELECT name, clicks FROM clicks WHERE window_start::date = '1970-01-01' AND clicks < 10
| stream
|   window range clicks; window_start >= the start of '1970-01-01' and window_start < the end of '1970-01-01'; filter clicks < 10; columns name, clicks; on 3 partitions
| row by row, if at most 256 rows are read
=> ann, 0
=> bob, 0
=> bob, 1

-- an hour of windows
SELECT name, clicks FROM clicks WHERE date_trunc('hour', window_start) = timestamptz '1970-01-01 01:00:00+00'
| stream
|   window range clicks; window_start >= the start of CAST('1970-01-01 01:00:00+00' AS TIMESTAMPTZ) and window_start < the end of CAST('1970-01-01 01:00:00+00' AS TIMESTAMPTZ); columns name, clicks; on 3 partitions
| row by row, if at most 256 rows are read
=> ann, 10
=> bob, 1

-- windows by a shifted start
SELECT name, clicks FROM clicks WHERE window_start + interval '1 hour' <= timestamptz '1970-01-01 01:00:00+00'
| stream
|   window range clicks; window_start <= CAST('1970-01-01 01:00:00+00' AS TIMESTAMPTZ); columns name, clicks; on 3 partitions
| row by row, if at most 256 rows are read
=> ann, 0
=> bob, 0

-- a bound computed from the clock
SELECT count(*) FROM clicks WHERE window_start >= now() - interval '1 hour'
| count
|   window range clicks; window_start >= CURRENT_TIMESTAMP - INTERVAL '1 hour'; columns _partition; on 3 partitions
| value $1: CURRENT_TIMESTAMP - INTERVAL '1 hour'
| row by row, if at most 256 rows are read
=> 0

-- several windows of several keys
SELECT name, clicks FROM clicks WHERE name IN ('ann', 'bob') AND window_start IN (timestamptz '1970-01-01 00:00:00+00', timestamptz '1970-01-01 02:00:00+00')
| stream
|   window lookup clicks; name in ('ann', 'bob') and window_start in (CAST('1970-01-01 00:00:00+00' AS TIMESTAMPTZ), CAST('1970-01-01 02:00:00+00' AS TIMESTAMPTZ)); columns name, clicks; on the partitions of 2 keys
| row by row, if at most 256 rows are read
=> ann, 0
=> ann, 20
=> bob, 0

-- OR of times
SELECT name, clicks FROM clicks WHERE window_start < timestamptz '1970-01-01 01:00:00+00' OR window_start > timestamptz '1970-01-01 02:00:00+00'
| stream
|   window range clicks; (window_start < CAST('1970-01-01 01:00:00+00' AS TIMESTAMPTZ)) or (window_start > CAST('1970-01-01 02:00:00+00' AS TIMESTAMPTZ)); columns name, clicks; on 3 partitions
| row by row, if at most 256 rows are read
=> ann, 0
=> ann, 30
=> bob, 0

-- a list of rows with parameters
$ [1, 2, 1]
SELECT amount FROM stock WHERE (item, day) IN (($1, date '1970-01-01'), ($2, date '1970-01-02')) AND item >= $3
| stream
|   lookup stock; (item, day) in (($1, CAST('1970-01-01' AS DATE)), ($2, CAST('1970-01-02' AS DATE))) and item >= $3; columns amount; on the partitions of 2 keys
| row by row, if at most 256 rows are read
=> 10
=> 21

-- keyset paging with parameters
$ [1]
SELECT item, day FROM stock WHERE (item, day) > ($1, date '1970-01-02') ORDER BY item, day LIMIT 2
| stream; limit 2
|   range stock; (item > $1) or (item = $1 and day > CAST('1970-01-02' AS DATE)); first 2 by item, day asc; columns item, day; on 3 partitions
| row by row, if at most 256 rows are read
=> 1, 2
=> 2, 0
