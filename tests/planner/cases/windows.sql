-- windows of a key
SELECT window_start, clicks FROM clicks WHERE name = 'ann'
| stream
|   window lookup clicks; name = 'ann'; columns window_start, clicks; on 1 partition
| row by row, if at most 256 rows are read
=> 0, 0
=> 10800000000, 30
=> 3600000000, 10
=> 7200000000, 20

-- windows of a key by start
SELECT clicks FROM clicks WHERE name = 'ann' AND window_start >= '1970-01-01 01:00:00+00' AND window_start < '1970-01-01 03:00:00+00'
| stream
|   window lookup clicks; name = 'ann' and window_start >= '1970-01-01 01:00:00+00' and window_start < '1970-01-01 03:00:00+00'; columns clicks; on 1 partition
| row by row, if at most 256 rows are read
=> 10
=> 20

-- windows of a key by BETWEEN
SELECT clicks FROM clicks WHERE name = 'ann' AND window_start BETWEEN '1970-01-01 01:00:00+00' AND '1970-01-01 02:00:00+00'
| stream
|   window lookup clicks; name = 'ann' and window_start >= '1970-01-01 01:00:00+00' and window_start <= '1970-01-01 02:00:00+00'; columns clicks; on 1 partition
| row by row, if at most 256 rows are read
=> 10
=> 20

-- windows of a key by end
SELECT clicks FROM clicks WHERE name = 'ann' AND window_end > '1970-01-01 01:00:00+00' AND window_end <= '1970-01-01 03:00:00+00'
| stream
|   window lookup clicks; name = 'ann' and window_end > '1970-01-01 01:00:00+00' and window_end <= '1970-01-01 03:00:00+00'; columns clicks; on 1 partition
| row by row, if at most 256 rows are read
=> 10
=> 20

-- windows of a key by start and end
SELECT clicks FROM clicks WHERE name = 'ann' AND window_start >= '1970-01-01 01:00:00+00' AND window_end <= '1970-01-01 03:00:00+00'
| stream
|   window lookup clicks; name = 'ann' and window_start >= '1970-01-01 01:00:00+00' and window_end <= '1970-01-01 03:00:00+00'; columns clicks; on 1 partition
| row by row, if at most 256 rows are read
=> 10
=> 20

-- windows of a key by parameters
$ [3600000000, 10800000000]
SELECT clicks FROM clicks WHERE name = 'ann' AND window_start >= to_timestamp($1::bigint / 1000000) AND window_end <= to_timestamp($2::bigint / 1000000)
| stream
|   window lookup clicks; name = 'ann' and window_start >= TO_TIMESTAMP(CAST($1 AS BIGINT) / 1000000) and window_end <= TO_TIMESTAMP(CAST($2 AS BIGINT) / 1000000); columns clicks; on 1 partition
| value $3: TO_TIMESTAMP(CAST($1 AS BIGINT) / 1000000)
| value $4: TO_TIMESTAMP(CAST($2 AS BIGINT) / 1000000)
| row by row, if at most 256 rows are read
=> 10
=> 20

-- one window
SELECT clicks FROM clicks WHERE name = 'ann' AND window_start = '1970-01-01 02:00:00+00'
| stream
|   window lookup clicks; name = 'ann' and window_start = '1970-01-01 02:00:00+00'; columns clicks; on 1 partition
| row by row, if at most 256 rows are read
=> 20

-- one window by its end
SELECT clicks FROM clicks WHERE name = 'ann' AND window_end = '1970-01-01 02:00:00+00'
| stream
|   window lookup clicks; name = 'ann' and window_end = '1970-01-01 02:00:00+00'; columns clicks; on 1 partition
| row by row, if at most 256 rows are read
=> 10

-- several windows are read as one range
SELECT clicks FROM clicks WHERE name = 'ann' AND window_start IN ('1970-01-01 00:00:00+00', '1970-01-01 02:00:00+00')
| stream
|   window lookup clicks; name = 'ann' and window_start in ('1970-01-01 00:00:00+00', '1970-01-01 02:00:00+00'); columns clicks; on 1 partition
| row by row, if at most 256 rows are read
=> 0
=> 20

-- a time that no window has
SELECT clicks FROM clicks WHERE window_start = '1970-01-01 00:00:00.0005+00'
| stream
|   window range clicks; window_start = '1970-01-01 00:00:00.0005+00'; columns clicks; on 3 partitions
| row by row, if at most 256 rows are read

-- windows of all keys by start
SELECT name, clicks FROM clicks WHERE window_start < '1970-01-01 01:00:00+00'
| stream
|   window range clicks; window_start < '1970-01-01 01:00:00+00'; columns name, clicks; on 3 partitions
| row by row, if at most 256 rows are read
=> ann, 0
=> bob, 0

-- windows of some keys
SELECT name, clicks FROM clicks WHERE name > 'a' AND window_start = timestamptz '1970-01-01 01:00:00+00'
| stream
|   window range clicks; name > 'a' and window_start = CAST('1970-01-01 01:00:00+00' AS TIMESTAMPTZ); columns name, clicks; on 3 partitions
| row by row, if at most 256 rows are read
=> ann, 10
=> bob, 1

-- a date as a bound
SELECT count(*) FROM clicks WHERE window_start >= date '1970-01-01'
| count
|   window range clicks; window_start >= CAST('1970-01-01' AS DATE); columns _partition; on 3 partitions
| row by row, if at most 256 rows are read
=> 6

-- a time with a zone
SELECT clicks FROM clicks WHERE name = 'ann' AND window_start = '1970-01-01 03:30:00+02:30'
| stream
|   window lookup clicks; name = 'ann' and window_start = '1970-01-01 03:30:00+02:30'; columns clicks; on 1 partition
| row by row, if at most 256 rows are read
=> 10

-- contradictory conditions
SELECT clicks FROM clicks WHERE name = 'ann' AND window_start > '1970-01-01 02:00:00+00' AND window_end < '1970-01-01 02:00:00+00'
| stream
|   window lookup clicks; name = 'ann' and window_start > '1970-01-01 02:00:00+00' and window_end < '1970-01-01 02:00:00+00'; columns clicks; on 1 partition
| row by row, if at most 256 rows are read

-- all windows
SELECT sum(clicks) FROM clicks
| compose SELECT SUM("clicks") AS "sum" FROM "r0" AS "clicks"
|   r0: scan clicks; columns clicks; on 3 partitions
| row by row, if at most 256 rows are read, or column by column, if at most 65536 rows are in memory
=> 61

-- a number of hours after a time, from a parameter
$ [2]
SELECT clicks FROM clicks WHERE name = 'ann' AND window_start >= timestamptz '1970-01-01 00:00:00+00' + $1 * interval '1 hour'
| stream
|   window lookup clicks; name = 'ann' and window_start >= CAST('1970-01-01 00:00:00+00' AS TIMESTAMPTZ) + $1 * INTERVAL '1 hour'; columns clicks; on 1 partition
| value $2: CAST('1970-01-01 00:00:00+00' AS TIMESTAMPTZ) + $1 * INTERVAL '1 hour'
| row by row, if at most 256 rows are read
=> 20
=> 30

-- a number of hours after a time, from a literal
SELECT clicks FROM clicks WHERE name = 'ann' AND window_start >= timestamptz '1970-01-01 00:00:00+00' + 2 * interval '1 hour'
| stream
|   window lookup clicks; name = 'ann' and window_start >= CAST('1970-01-01 00:00:00+00' AS TIMESTAMPTZ) + 2 * INTERVAL '1 hour'; columns clicks; on 1 partition
| value $1: CAST('1970-01-01 00:00:00+00' AS TIMESTAMPTZ) + 2 * INTERVAL '1 hour'
| row by row, if at most 256 rows are read
=> 20
=> 30

-- ours: an hour before a parameter, whose physical value DuckDB does not take for a time
$ [10800000000]
SELECT clicks FROM clicks WHERE window_start = $1::timestamptz - interval '1 hour'
| stream
|   window range clicks; window_start = CAST($1 AS TIMESTAMPTZ) - INTERVAL '1 hour'; columns clicks; on 3 partitions
| value $2: CAST($1 AS TIMESTAMPTZ) - INTERVAL '1 hour'
| row by row, if at most 256 rows are read
=> 20

-- a parameter that is NULL
$ [null]
SELECT clicks FROM clicks WHERE name = 'ann' AND window_start >= timestamptz '1970-01-01 00:00:00+00' + $1 * interval '1 hour'
| stream
|   window lookup clicks; name = 'ann' and window_start >= CAST('1970-01-01 00:00:00+00' AS TIMESTAMPTZ) + $1 * INTERVAL '1 hour'; columns clicks; on 1 partition
| value $2: CAST('1970-01-01 00:00:00+00' AS TIMESTAMPTZ) + $1 * INTERVAL '1 hour'
| row by row, if at most 256 rows are read
