SELECT 7 OPERATOR(pg_catalog./) 2, 7 OPERATOR(pg_catalog.%) 2, 7 OPERATOR(pg_catalog.*) 2, 7 OPERATOR(pg_catalog.-) 2, 7 OPERATOR(pg_catalog.+) 2
: integer integer integer integer integer
= 3	1	14	5	9
SELECT 1 OPERATOR(pg_catalog.=) 1, 1 OPERATOR(pg_catalog.<>) 1, 1 OPERATOR(pg_catalog.!=) 1, 1 OPERATOR(pg_catalog.<) 1, 1 OPERATOR(pg_catalog.<=) 1, 1 OPERATOR(pg_catalog.>) 1, 1 OPERATOR(pg_catalog.>=) 1
: boolean boolean boolean boolean boolean boolean boolean
= t	f	f	f	t	f	t
SELECT 'a' OPERATOR(pg_catalog.||) 'b', 'Ab' OPERATOR(pg_catalog.~) 'a', 'Ab' OPERATOR(pg_catalog.~*) 'a', 'Ab' OPERATOR(pg_catalog.!~) 'a', 'Ab' OPERATOR(pg_catalog.!~*) 'a'
: text boolean boolean boolean boolean
= ab	f	t	t	f
SELECT 'Ab' OPERATOR(pg_catalog.~~) 'a%', 'Ab' OPERATOR(pg_catalog.~~*) 'a%', 'Ab' OPERATOR(pg_catalog.!~~) 'a%', 'Ab' OPERATOR(pg_catalog.!~~*) 'a%'
: boolean boolean boolean boolean
= f	t	t	f
SELECT ARRAY[1, 2] OPERATOR(pg_catalog.@>) ARRAY[2], ARRAY[1] OPERATOR(pg_catalog.<@) ARRAY[2], ARRAY[1] OPERATOR(pg_catalog.&&) ARRAY[1, 2]
: boolean boolean boolean
= t	f	t
SELECT id FROM samples WHERE ROW(i, s) IN (ROW(1, 1), (2, 1)) ORDER BY id
: integer
= 1
= 2
SELECT id FROM samples WHERE (i, s) IN (ROW(1, 1), ROW(2, 2)) ORDER BY id
: integer
= 1
= 3
SELECT id FROM samples WHERE ROW(i, s) NOT IN (ROW(1, 1), ROW(2, 1)) ORDER BY id
: integer
= 3
= 4
= 6
= 7
= 8
= 9
SELECT id, (i, t) = ROW(1, 'Abc'), ROW(i, t) < (2, 'b') FROM samples ORDER BY id
: integer boolean boolean
= 1	t	t
= 2	f	t
= 3	f	f
= 4	f	f
= 5	\N	\N
= 6	f	t
= 7	f	f
= 8	f	t
= 9	f	f
SELECT (DATE '2020-01-01') OVERLAPS (DATE '2020-01-01', DATE '2020-01-02')
! 42601
SELECT (DATE '2020-01-01', DATE '2020-01-02', DATE '2020-01-03') OVERLAPS (DATE '2020-01-01', DATE '2020-01-02')
! 42601
SELECT (DATE '2020-01-01', DATE '2020-01-02') OVERLAPS (DATE '2020-01-01', DATE '2020-01-02', DATE '2020-01-03')
! 42601
SELECT (ARRAY[1, 2])[1:2][1:1], (ARRAY[1, 2])[1:2][1:NULL], (ARRAY[[1, 2], [3, 4]])[1:1][1:2][1:1]
: integer[] integer[] integer[]
= {}	\N	{}
SELECT id, a[1:1][1:1] FROM samples ORDER BY id
: integer bigint[]
= 1	{}
= 2	{}
= 3	{}
= 4	{}
= 5	\N
= 6	{}
= 7	{}
= 8	{}
= 9	{}
SELECT array_positions('1 2 1'::int2vector, 1::int2), array_positions(ARRAY[1, 2, 1], 1)
: integer[] integer[]
= {0,2}	{1,3}
SELECT array_position('5 6'::oidvector, 6::oid), array_position(ARRAY[5, 6], 6)
: integer integer
= 1	2
SELECT array_positions()
! 42883
SET TimeZone = 'America/New_York'; SELECT ARRAY[tz]::timestamp[], ARRAY[at]::timestamptz[] FROM samples WHERE id = 1
: timestamp_without_time_zone[] timestamp_with_time_zone[]
= {"2020-01-01 05:00:00"}	{"2020-01-01 10:00:00-05"}
~ a cast between arrays of times with and without a zone
>! 0A000
SET TimeZone = 'America/New_York'; SELECT ARRAY[at]::date[], ARRAY[day]::timestamp[] FROM samples WHERE id = 1
: date[] timestamp_without_time_zone[]
= {2020-01-01}	{"2020-01-01 00:00:00"}
SET TimeZone = 'Europe/Berlin'; SELECT ARRAY[at]::date[], ARRAY[day]::timestamp[] FROM samples WHERE id = 1
: date[] timestamp_without_time_zone[]
= {2020-01-01}	{"2020-01-01 00:00:00"}
SELECT coalesce(a, ARRAY[ARRAY[1]]) FROM samples WHERE id = 5
: bigint[]
= {{1}}
~ arrays of different dimensions in one column
>! 0A000
SELECT CASE WHEN id = 5 THEN a ELSE ARRAY[ARRAY[1]] END FROM samples WHERE id < 6
: bigint[]
= {{1}}
= {{1}}
= {{1}}
= {{1}}
= \N
~ arrays of different dimensions in one column
>! 0A000
SELECT ARRAY[1] UNION ALL SELECT ARRAY[ARRAY[2]]
: integer[]
= {1}
= {{2}}
~ arrays of different dimensions in one column
>! 0A000
SELECT count(*) FROM samples WHERE id = (1.5::float8 + 1.5)::int
: bigint
= 1
SELECT count(*) FROM samples WHERE id = (2::bigint)::smallint + 1
: bigint
= 1
SELECT count(*) FROM samples WHERE id = ('2'::text)::int
: bigint
= 1
SELECT id FROM samples WHERE id = ((1 + 1)::text || '')::int
: integer
= 2
SELECT count(*) FROM notes WHERE number = (now()::date - now()::date)::bigint + 2
: bigint
= 1
SELECT count(*) FROM samples WHERE id BETWEEN (1::float8 * 2)::int AND (2.5::float8 * 2)::int
: bigint
= 4
SELECT x FROM (SELECT i AS x, count(*) AS n FROM samples GROUP BY 1) d WHERE x > 1 ORDER BY x
: integer
= 2
= 3
= 5
= 9
SELECT n FROM (SELECT count(*) AS n, i AS x FROM samples GROUP BY 2) d WHERE x > 1 ORDER BY n, x
: bigint
= 1
= 1
= 1
= 2
SELECT * FROM (SELECT s, i AS x, count(*) AS n FROM samples GROUP BY 2, 1) d WHERE x = 2 AND s = 1
: smallint integer bigint
= 1	2	1
SELECT * FROM (SELECT s, min(i) AS i FROM samples GROUP BY s) d WHERE i = 1 ORDER BY s
: smallint integer
= 1	1
SELECT * FROM (SELECT s, count(*) AS i FROM samples GROUP BY s) d WHERE s = 1 AND i > 1
: smallint bigint
= 1	2
SELECT ARRAY[t, '08002b:010203']::macaddr[] FROM (VALUES ('08:00:2B:01:02:03'), (NULL)) v(t)
: macaddr[]
= {08:00:2b:01:02:03,08:00:2b:01:02:03}
= {NULL,08:00:2b:01:02:03}
SELECT ARRAY[ARRAY[t], ARRAY['0800.2b01.0203']]::macaddr[] FROM (VALUES ('08:00:2B:01:02:03')) v(t)
: macaddr[]
= {{08:00:2b:01:02:03},{08:00:2b:01:02:03}}
SELECT ARRAY[t]::macaddr[] FROM (VALUES ('08:00:2B:01:02')) v(t)
! 22P02
SELECT ARRAY[t]::uuid[] FROM (VALUES ('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11')) v(t)
: uuid[]
= {a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}
SELECT string_to_array(t, ' ')::macaddr[] FROM (VALUES ('08:00:2B:01:02:03 08002b010204')) v(t)
: macaddr[]
= {08:00:2b:01:02:03,08:00:2b:01:02:04}
