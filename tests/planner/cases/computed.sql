-- a range whose end is computed from a parameter
$ [1]
SELECT name, age FROM people WHERE age = 3 AND name BETWEEN 'a' || 'n' AND 'b' || '~' LIMIT $1 + 4
| stream; limit $1 + 4
|   range people; name >= 'a' || 'n' and name <= 'b' || '~'; filter age = 3; any $1 + 4 rows; columns name, age; on 3 partitions
| value $2: 'a' || 'n'
| value $3: 'b' || '~'
| value $4: $1 + 4
| row by row, if at most 256 rows are read

-- a key that is computed
$ ["nn"]
SELECT name, age FROM people WHERE name = 'a' || $1
| inline lookup people; name = 'a' || $1; columns name, age; on 1 partition
| value $2: 'a' || $1
=> ann, 30

-- a list with computed members
SELECT name FROM people WHERE name IN ('ann', lower('BOB'), left('carol', 5))
| stream
|   lookup people; name in ('ann', LOWER('BOB'), LEFT('carol', 5)); columns name; on the partitions of 3 keys
| value $1: LOWER('BOB')
| value $2: LEFT('carol', 5)
| row by row, if at most 256 rows are read
=> ann
=> bob

-- an array that is computed
$ ["ann,bob"]
SELECT name FROM people WHERE name = ANY (string_to_array($1, ','))
| stream
|   lookup people; name = any (STRING_TO_ARRAY($1, ',')); columns name; on the partitions of the keys
| value $2: STRING_TO_ARRAY($1, ',')
| row by row, if at most 256 rows are read
=> ann
=> bob

-- a pattern that is computed
$ ["a"]
SELECT name FROM people WHERE name LIKE $1 || '%'
| compose SELECT "name" FROM "r0" AS "people" WHERE "name" LIKE CAST($2 AS TEXT) ESCAPE '\'
|   r0: range people; name >= the start of $1 || '%' and name < the end of $1 || '%'; columns name; on 3 partitions
| value $2: $1 || '%'
| residual name LIKE $1 || '%'
=> ann

-- a value that DuckDB computes
SELECT name FROM people WHERE name > trim(' b ') AND name < replace('c-c', '-', '')
| stream
|   range people; name > TRIM(' b ') and name < REPLACE('c-c', '-', ''); columns name; on 3 partitions
| value $1: TRIM(' b ')
| value $2: REPLACE('c-c', '-', '')
| row by row, if at most 256 rows are read
=> bob

-- days by date_trunc
$ [7200000000]
SELECT name, clicks FROM clicks WHERE name = 'ann' AND window_start >= date_trunc('day', to_timestamp($1::bigint / 1000000)) AND window_start < date_trunc('day', timestamptz '1970-01-01 10:00+00') + interval '1 day'
| stream
|   window lookup clicks; name = 'ann' and window_start >= DATE_TRUNC('day', TO_TIMESTAMP(CAST($1 AS BIGINT) / 1000000)) and window_start < DATE_TRUNC('day', CAST('1970-01-01 10:00+00' AS TIMESTAMPTZ)) + INTERVAL '1 day'; columns name, clicks; on 1 partition
| value $2: DATE_TRUNC('day', TO_TIMESTAMP(CAST($1 AS BIGINT) / 1000000))
| value $3: DATE_TRUNC('day', CAST('1970-01-01 10:00+00' AS TIMESTAMPTZ)) + INTERVAL '1 day'
| row by row, if at most 256 rows are read
=> ann, 0
=> ann, 10
=> ann, 20
=> ann, 30

-- a number of another type
$ [1.5]
SELECT name FROM people WHERE age > $1::double precision * 2
| stream
|   scan people; filter age > CAST($1 AS DOUBLE PRECISION) * 2; columns name; on 3 partitions
| value $2: CAST($1 AS DOUBLE PRECISION) * 2
| row by row, if at most 256 rows are read
=> NULL
=> 
=> ann
=> cid
=> dan

-- equal expressions are computed once
$ ["an"]
SELECT a.name FROM people a JOIN people b ON a.name = b.name WHERE a.name = $1 || 'n' OR b.name = $1 || 'n'
| compose SELECT "a"."name" FROM "r0" AS "a" JOIN "r1" AS "b" ON "a"."name" = "b"."name" WHERE "a"."name" = CAST($2 AS TEXT) OR "b"."name" = CAST($2 AS TEXT)
|   r0: lookup people; name = $1 || 'n'; columns name; on 1 partition
|   r1: lookup people; name = $1 || 'n'; columns name; on 1 partition
| value $2: $1 || 'n'
| residual a.name = $1 || 'n' OR b.name = $1 || 'n'
=> ann

-- one time for the whole statement
SELECT count(*), min(now() - now()) FROM clicks WHERE window_start < now()
| compose SELECT COUNT(*) AS "count", MIN(CAST($1 AS TIMESTAMPTZ) - CAST($1 AS TIMESTAMPTZ)) AS "min" FROM "r0" AS "clicks"
|   r0: window range clicks; window_start < CURRENT_TIMESTAMP; columns window_start, clicks; on 3 partitions
| value $1: CURRENT_TIMESTAMP
=> 6, (0, 0, 0)

-- limits
$ [1]
SELECT name FROM people ORDER BY name LIMIT $1 * 2 OFFSET 3 - $1
| stream; limit $1 * 2; offset 3 - $1
|   scan people; first $1 * 2 + 3 - $1 by name asc; columns name; on 3 partitions
| value $2: $1 * 2
| value $3: 3 - $1
| row by row, if at most 256 rows are read
=> bob
=> cid

-- a value that fails, where no row needs it
$ [0]
SELECT name FROM people WHERE $1::int <> 0 AND age = 10 / $1::int
| compose SELECT "name" FROM "r0" AS "people" WHERE CAST(CAST($1 AS INT) AS INT) <> 0 AND "age" = CAST($2 AS INT)
|   r0: scan people; filter age = 10 / CAST($1 AS INT); columns name, age; on 3 partitions
| value $2: 10 / CAST($1 AS INT)
| residual CAST($1 AS INT) <> 0 AND age = 10 / CAST($1 AS INT)

-- chance is no value
SELECT count(*) FROM people WHERE age = random() * 0 - 1
| compose SELECT COUNT(*) AS "count" FROM "r0" AS "people" WHERE "age" = (CASE WHEN NOT ISFINITE(RANDOM() * 0 - 1) AND ISFINITE(RANDOM()) THEN PG_SG_ERROR('stategate error 22003 value out of range: overflow') ELSE RANDOM() * 0 - 1 END)
|   r0: scan people; columns age; on 3 partitions
| residual age = RANDOM() * 0 - 1
=> 0
