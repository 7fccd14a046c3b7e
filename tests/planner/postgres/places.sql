SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY random()) AS r FROM samples) q WHERE r <= 3
: bigint
= 3
SELECT id FROM samples WHERE i > 1 WINDOW w AS (ORDER BY i, id) ORDER BY row_number() OVER w DESC
: integer
= 7
= 4
= 9
= 3
= 2
SELECT id, sum(i) OVER w FROM samples WINDOW w AS (PARTITION BY f ORDER BY id) ORDER BY first_value(id) OVER w, sum(i) OVER w DESC, id
: integer bigint
= 7	5
= 3	3
= 1	1
= 6	-4
= 9	10
= 4	7
= 8	7
= 2	2
= 5	\N
SELECT max(sum(i)) FROM samples GROUP BY f
! 42803
SELECT avg(max(i) FILTER (WHERE i > 0)) FROM samples
! 42803
SELECT sum(sum(i)) OVER (ORDER BY f) FROM samples GROUP BY f ORDER BY 1
: numeric
= 10
= 15
= 15
SELECT id FROM samples WHERE EXISTS (SELECT 1 FROM notes GROUP BY sample HAVING sample = max(samples.id)) ORDER BY id
! 42803
SELECT (SELECT max(samples.i) FROM notes LIMIT 1) FROM samples
: integer
= 9
SELECT count(*) FROM samples WHERE i > (SELECT avg(i) FROM samples)
: bigint
= 5
SELECT x, sum(x) OVER w FROM (VALUES (1), (2)) t(x) WINDOW w AS (ORDER BY x) ORDER BY first_value(x) OVER w, sum(x) OVER w DESC
: integer bigint
= 2	3
= 1	1
SELECT sum(count(*)) FROM (VALUES (1)) v(a)
! 42803
SELECT sum(count(*)) OVER () FROM (VALUES (1)) v(a)
: numeric
= 1
SELECT 'a' ORDER BY 'a'
! 42601
SELECT 'a' ORDER BY NULL
! 42601
SELECT 'a' ORDER BY true
! 42601
SELECT 'a' ORDER BY 1.5
! 42601
SELECT 'a' ORDER BY 'a'::text
: text
= a
SELECT 'a' ORDER BY ('a')
! 42601
SELECT a FROM (VALUES (1)) v(a) GROUP BY 'a'
! 42601
SELECT count(*) FROM (VALUES (1)) v(a) GROUP BY 1.5
! 42601
SELECT count(*) FROM (VALUES (1)) v(a) GROUP BY NULL
! 42601
SELECT DISTINCT ON ('a') a FROM (VALUES (1)) v(a)
! 42601
SELECT a FROM (VALUES (1)) v(a) WHERE count(*) > 0
! 42803
SELECT a FROM (VALUES (1)) v(a) WHERE row_number() OVER () > 0
! 42P20
SELECT a FROM (VALUES (1)) v(a) GROUP BY a HAVING row_number() OVER () > 0
! 42P20
SELECT a FROM (VALUES (1)) v(a) GROUP BY count(*)
! 42803
SELECT a FROM (VALUES (1)) v(a) GROUP BY row_number() OVER ()
! 42P20
SELECT v.a FROM (VALUES (1)) v(a) JOIN (VALUES (1)) w(a) ON count(*) = 1
! 42803
SELECT v.a FROM (VALUES (1)) v(a) JOIN (VALUES (1)) w(a) ON row_number() OVER () = 1
! 42P20
SELECT a FROM (VALUES (1)) v(a) LIMIT count(*)
! 42803
SELECT a FROM (VALUES (1)) v(a) LIMIT row_number() OVER ()
! 42P20
SELECT a FROM (VALUES (1)) v(a) OFFSET count(*)
! 42803
SELECT sum(a) FILTER (WHERE count(*) > 0) FROM (VALUES (1)) v(a)
! 42803
SELECT sum(a) FILTER (WHERE row_number() OVER () > 0) FROM (VALUES (1)) v(a)
! 42P20
SELECT sum(row_number() OVER ()) FROM (VALUES (1)) v(a)
! 42803
SELECT sum(a) OVER (ORDER BY sum(a) OVER ()) FROM (VALUES (1)) v(a)
! 42P20
SELECT sum(sum(a) OVER ()) OVER () FROM (VALUES (1)) v(a)
! 42P20
SELECT sum(a) OVER (PARTITION BY rank() OVER (ORDER BY a)) FROM (VALUES (1)) v(a)
! 42P20
SELECT sum(a) OVER w FROM (VALUES (1)) v(a) WINDOW w AS (ORDER BY rank() OVER ())
! 42P20
SELECT sum(a) OVER (ROWS count(*) OVER () PRECEDING) FROM (VALUES (1)) v(a)
! 42P20
SELECT * FROM generate_series(1, count(*))
! 42803
SELECT * FROM (VALUES (1)) v(a), generate_series(1, sum(a))
! 42803
VALUES (count(*))
! 42803
VALUES (row_number() OVER ())
! 42P20
SELECT sum(a) OVER x FROM (VALUES (1)) v(a)
! 42704
SELECT sum(a) OVER (x) FROM (VALUES (1)) v(a) WINDOW w AS ()
! 42704
SELECT sum(a) OVER (w PARTITION BY a) FROM (VALUES (1)) v(a) WINDOW w AS ()
! 42P20
SELECT sum(a) OVER (w ORDER BY a) FROM (VALUES (1)) v(a) WINDOW w AS (ORDER BY a)
! 42P20
SELECT sum(a) OVER (w ORDER BY a) FROM (VALUES (1)) v(a) WINDOW w AS (PARTITION BY a)
: bigint
= 1
SELECT sum(a) OVER (w) FROM (VALUES (1)) v(a) WINDOW w AS (ORDER BY a ROWS 1 PRECEDING)
! 42P20
SELECT sum(a) OVER w FROM (VALUES (1)) v(a) WINDOW w AS (ORDER BY a ROWS 1 PRECEDING)
: bigint
= 1
SELECT sum(a) OVER (w) FROM (VALUES (1)) v(a) WINDOW w AS (), w AS ()
! 42P20
SELECT sum(a) OVER b FROM (VALUES (1)) v(a) WINDOW b AS (c), c AS ()
! 42704
SELECT sum(a) OVER c FROM (VALUES (1), (2)) v(a) WINDOW b AS (PARTITION BY a), c AS (b ORDER BY a)
: bigint
= 1
= 2
SELECT a FROM (VALUES (2), (1)) v(a) WINDOW w AS (ORDER BY a) ORDER BY rank() OVER w DESC
: integer
= 2
= 1
SELECT a FROM (VALUES (2), (1)) v(a) WINDOW w AS (ORDER BY a) ORDER BY rank() OVER (w ROWS 1 PRECEDING) DESC
: integer
= 2
= 1
SELECT a FROM (VALUES (2), (1)) v(a) WINDOW w AS (ORDER BY a) ORDER BY a, 1 + rank() OVER w
: integer
= 1
= 2
SELECT nth_value(a, 0) OVER () FROM (VALUES (1)) v(a)
! 22016
SELECT nth_value(a, NULL) OVER () FROM (VALUES (1)) v(a)
: integer
= \N
SELECT nth_value(a, a) OVER (ORDER BY a) FROM (VALUES (1), (0)) v(a)
! 22016
SELECT nth_value(a, 0) OVER () FROM (VALUES (1)) v(a) WHERE false
: integer
SELECT ntile(0) OVER () FROM (VALUES (1)) v(a)
! 22014
SELECT ntile(NULL) OVER () FROM (VALUES (1)) v(a)
: integer
= \N
SELECT ntile(0) OVER () FROM (VALUES (1)) v(a) WHERE false
: integer
SELECT string_agg(v, '') FROM (VALUES ('\xff'::bytea)) t(v)
: bytea
= \\xff
SELECT string_agg(v, NULL) FROM (VALUES ('\x61'::bytea), ('\x62')) t(v)
: bytea
= \\x6162
SELECT string_agg(v, '\x00'::bytea ORDER BY v) FROM (VALUES ('\x02'::bytea), ('\x01')) t(v)
: bytea
= \\x010002
SELECT string_agg(v, '\x00'::bytea ORDER BY v DESC) FROM (VALUES ('\x02'::bytea), ('\x01'), (NULL)) t(v)
: bytea
= \\x020001
SELECT string_agg(DISTINCT v, '\x00'::bytea) FROM (VALUES ('\x02'::bytea), ('\x01'), ('\x01')) t(v)
: bytea
= \\x010002
SELECT string_agg(v, '\x00'::bytea) FILTER (WHERE v > '\x01') FROM (VALUES ('\x02'::bytea), ('\x01')) t(v)
: bytea
= \\x02
SELECT string_agg(v, s ORDER BY v) FROM (VALUES ('\x02'::bytea, '\xaa'::bytea), ('\x01', '\xbb'), ('\x03', NULL)) t(v, s)
: bytea
= \\x01aa0203
SELECT string_agg(v, '\x2c') FROM (VALUES ('\x02'::bytea)) t(v) WHERE false
: bytea
= \N
SELECT string_agg(v, '\x2c'::bytea) OVER (ORDER BY v) FROM (VALUES ('\x02'::bytea), ('\x01')) t(v)
: bytea
= \\x01
= \\x012c02
SELECT string_agg(v, s ORDER BY v) FROM (VALUES ('a', ','), ('b', NULL), ('c', ';')) t(v, s)
: text
= ab;c
SELECT string_agg(v, NULL) FROM (VALUES ('a'), ('b')) t(v)
: text
= ab
SELECT string_agg(v, NULL::text) FROM (VALUES ('a'), (NULL), ('b')) t(v)
: text
= ab
SELECT string_agg(v, ',') FROM (VALUES (1)) t(v)
! 42883
SELECT string_agg(v, ',') FROM (VALUES ('a'::bytea), ('b')) t(v)
: bytea
= \\x612c62
SELECT string_agg('a', 'b')
: text
= a
SELECT string_agg(NULL, 'b')
: text
= \N
SELECT pg_typeof(count(*)) FROM (VALUES (1), (2)) t(v)
: regtype
= bigint
SELECT pg_typeof(sum(v)) FROM (VALUES (1), (2)) t(v)
: regtype
= bigint
SELECT pg_typeof(sum(v)) FROM (VALUES (1), (2)) t(v) GROUP BY v
: regtype
= bigint
= bigint
SELECT pg_typeof(sum(v) OVER ()) FROM (VALUES (1), (2)) t(v)
: regtype
= bigint
= bigint
SELECT pg_typeof(unnest(ARRAY[1, 2]))
: regtype
= integer
= integer
SELECT pg_typeof(max(v)), count(*) FROM (VALUES ('a'), ('b')) t(v)
: regtype bigint
= text	2
SELECT pg_typeof(string_agg(v, ',')) || 'x' FROM (VALUES ('a'), ('b')) t(v)
: text
= textx
SELECT pg_typeof(array_agg(v)) FROM (VALUES (1), (2)) t(v)
: regtype
= integer[]
SELECT pg_catalog.generate_series(1, 2)
: integer
= 1
= 2
SELECT pg_catalog.generate_series(1, n) FROM (VALUES (2)) t(n)
: integer
= 1
= 2
SELECT pg_catalog.unnest(ARRAY[1, 2])
: integer
= 1
= 2
SELECT pg_catalog.count(*), pg_catalog.sum(n), pg_catalog.avg(n) FROM (VALUES (2)) t(n)
: bigint bigint numeric
= 1	2	2.0000000000000000
SELECT pg_catalog.string_agg(n, ',' ORDER BY n) FROM (VALUES ('b'), ('a')) t(n)
: text
= a,b
SELECT pg_catalog.row_number() OVER (ORDER BY n), pg_catalog.sum(n) OVER () FROM (VALUES (2)) t(n)
: bigint bigint
= 1	2
SELECT pg_catalog.count(*) FILTER (WHERE n > 2) FROM (VALUES (2)) t(n)
: bigint
= 0
SELECT pg_catalog.upper('a'), pg_catalog.round(2.5), pg_catalog.substr('abc', 2), pg_catalog.mod(5, 3)
: text numeric text integer
= A	3	bc	2
SELECT pg_catalog.date_trunc('day', timestamp '2020-01-02 03:04:05')
: timestamp_without_time_zone
= 2020-01-02 00:00:00
SELECT * FROM pg_catalog.generate_series(1, 2)
: integer
= 1
= 2
SELECT pg_catalog.regexp_split_to_table('a b', ' ')
: text
= a
= b
SELECT pg_catalog.regexp_replace('abc', 'b', 'x'), pg_catalog.to_char(1.5, '9.9'), pg_catalog.left('abc', 2)
: text text text
= axc	 1.5	ab
SELECT nosuch.count(*)
! 3F000
WITH r(a) AS (SELECT a FROM r) SELECT * FROM r
! 42P01
SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY random()) AS r FROM (VALUES (1), (2), (3), (4)) v(x)) q WHERE r <= 3
: bigint
= 3
SELECT count(*), max(r) FROM (SELECT x, row_number() OVER (PARTITION BY x % 2 ORDER BY random()) AS r FROM (VALUES (1), (2), (3), (4)) v(x)) q
: bigint bigint
= 4	2
SELECT count(*), max(r) FROM (SELECT *, row_number() OVER (ORDER BY random()) AS r FROM (VALUES (1), (2), (3), (4)) v(x)) q
: bigint bigint
= 4	4
SELECT x FROM (VALUES (1)) v(x) ORDER BY row_number() OVER (ORDER BY random())
: integer
= 1
SELECT count(*), max(r) FROM (SELECT rank() OVER w AS r FROM generate_series(1, 20) g(x) WINDOW w AS (ORDER BY random())) q
: bigint bigint
= 20	20
SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY random(), x) AS r FROM generate_series(1, 5) x) q
: bigint
= 5
SELECT nosuch(1)
! 42883
SELECT upper(1, 2)
! 42883
SELECT string_agg(1)
! 42883
SELECT array_length(1)
! 42883
SELECT regexp_match(1, 2)
! 42883
SELECT to_char(true, 'a')
! 42883
SELECT array_to_string(1, 'a')
! 42883
SELECT array_position(1, 1)
! 42883
SELECT lpad(true, 1)
! 42883
SELECT split_part('a', 1, 1)
! 42883
SELECT bool_and(1)
! 42883
SELECT json_agg(1, 2)
! 42883
SELECT array_append(1, 1)
! 42883
SELECT date_part(1, now())
! 42883
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY 'a'::text)
! 42883
SELECT s.id FROM samples s CROSS JOIN LATERAL (LOCK samples at NOWAIT) AS w
! 42601
SELECT s.id FROM samples s CROSS JOIN LATERAL (samples n JOIN notes m ON true) AS w
! 42601
SELECT w.* FROM samples s CROSS JOIN LATERAL (VALUES (s.id)) AS w(x) WHERE s.id = 1
: integer
= 1
SELECT ARRAY(SELECT id FROM samples ORDER BY id, 2)
! 42P10
SELECT ARRAY(SELECT id FROM samples ORDER BY 2)
! 42P10
SELECT ARRAY(SELECT id FROM samples ORDER BY 1 DESC)
: integer[]
= {9,8,7,6,5,4,3,2,1}
SELECT ARRAY(SELECT id FROM samples ORDER BY i, 1 DESC)
: integer[]
= {6,8,1,3,2,9,4,7,5}
SELECT ARRAY(SELECT id FROM samples GROUP BY 2)
! 42P10
SELECT ARRAY(SELECT DISTINCT id FROM samples ORDER BY 3)
! 42P10
SELECT (SELECT id FROM samples ORDER BY id, 2 LIMIT 1)
! 42P10
SELECT id FROM samples ORDER BY 0
! 42P10
SELECT id FROM samples ORDER BY 2
! 42P10
SELECT id, * FROM samples ORDER BY 20
! 42P10
SELECT * FROM samples ORDER BY 14, 1
: integer integer smallint bigint numeric double_precision real text boolean date timestamp_without_time_zone timestamp_with_time_zone json bigint[]
= 3	2	2	-30	-2.500	2.5	0.1	b	t	2020-03-15	2020-03-15 00:00:00	2020-03-15 01:30:00+00	{"c": []}	{}
= 1	1	1	10	1.500	0.5	1.5	Abc	t	2020-01-01	2020-01-01 10:00:00	2020-01-01 10:00:00+00	{"a": 1, "b": "x", "c": ["p", "q"]}	{1,2}
= 6	-7	3	0	0.000	0	0	aB	t	1999-12-31	1999-12-31 23:00:00	1999-12-31 23:00:00+00	"text"	{2}
= 2	2	1	20	2.500	1.5	2.5	abc	f	2020-02-29	2020-02-29 23:59:59.5	2020-02-29 23:59:59.5+00	{"a": 2, "b": null}	{2,3}
= 4	5	2	9007199254740993	10.001	-2.5	1e+10		f	2020-12-31	2020-12-31 12:30:15.123456	2020-12-31 12:30:15.123456+00	[1, 2]	{4}
= 7	9	3	70	999999.999	1e+20	3	ä	t	2020-06-15	2020-06-15 06:07:08.009	2020-06-15 06:07:08.009+00	{"a": 7.5}	{7,8,9}
= 9	3	-1	90	33.333	123456.789	7	 x 	f	2020-07-04	2020-07-04 16:45:30	2020-07-04 16:45:30+00	{"b": "x", "a": 0}	{9,9}
= 8	0	-1	80	-0.005	0.1	-1.25	Zed	f	1970-01-01	1970-01-01 00:00:00	1970-01-01 00:00:00+00	null	{10,-10}
= 5	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N
SELECT * FROM samples ORDER BY 15
! 42P10
SELECT DISTINCT ON (2) id FROM samples
! 42P10
SELECT id FROM samples UNION SELECT 1 ORDER BY 2
! 42P10
(SELECT id FROM samples) ORDER BY 2
! 42P10
SELECT id FROM samples ORDER BY -1
! 42P10
SELECT count(*) OVER (ORDER BY 5) FROM samples
: bigint
= 9
= 9
= 9
= 9
= 9
= 9
= 9
= 9
= 9
SELECT upper(DISTINCT t) FROM samples
! 42809
SELECT abs(DISTINCT i) FROM samples
! 42809
SELECT concat(DISTINCT t, 'a') FROM samples
! 42809
SELECT jsonb_build_array(DISTINCT t) FROM samples
! 42809
SELECT upper(ALL t) FROM samples ORDER BY id
: text
= ABC
= ABC
= B
= 
= \N
= AB
= Ä
= ZED
=  X 
SELECT upper(t ORDER BY t) FROM samples
! 42809
SELECT json_build_object('a', 1 ORDER BY 1)
! 42809
SELECT upper(t) FILTER (WHERE true) FROM samples
! 42809
SELECT row_number() FILTER (WHERE true) OVER () FROM samples
! 0A000
SELECT row_number(DISTINCT i) OVER () FROM samples
! 42883
