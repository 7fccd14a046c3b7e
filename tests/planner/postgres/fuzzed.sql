SELECT * FROM (VALUES (1), (2) UNION ALL (SELECT 3)) AS r (x)
: integer
= 1
= 2
= 3
SELECT * FROM (VALUES (1), (2) UNION ALL SELECT 3 ORDER BY 1 DESC LIMIT 2) AS r (x)
: integer
= 3
= 2
SELECT * FROM (VALUES (1), ((SELECT max(y) FROM (VALUES (3) UNION SELECT 4) q (y)))) AS r (x)
: integer
= 1
= 4
SELECT id, count(*) FROM samples GROUP BY DISTINCT id ORDER BY id LIMIT 2
: integer bigint
= 1	1
= 2	1
SELECT count(*) OVER (), id FROM samples GROUP BY DISTINCT id, i ORDER BY id LIMIT 1
: bigint integer
= 9	1
SELECT count() FROM samples
! 42809
SELECT count() OVER () FROM samples
! 42809
SELECT count(*), count(id), count(DISTINCT id), count(*) FILTER (WHERE id > 3), count(*) OVER () FROM samples
: bigint bigint bigint bigint bigint
= 9	9	9	6	1
SELECT (CASE WHEN id = 3 THEN '"a"'::jsonb ELSE '-2'::jsonb END), count(*) FROM samples GROUP BY 1 ORDER BY 2
: jsonb bigint
= "a"	1
= -2	8
SELECT (CASE id WHEN NULL::integer THEN '"a"'::jsonb ELSE '[2]'::jsonb END), NULL::interval, count(*) FROM samples GROUP BY 1, 2
: jsonb interval bigint
= [2]	\N	9
SELECT (('1'::jsonb)), count(*) FROM samples GROUP BY (('1'::jsonb))
: jsonb bigint
= 1	9
SELECT '[]'::jsonb #- ARRAY['a', '0'], '{}'::jsonb #- ARRAY['a'], jsonb_set('[]', '{a}', '1', false), '[]'::jsonb #- ARRAY['a', NULL]
: jsonb jsonb jsonb jsonb
= []	{}	[]	[]
SELECT jsonb_set('[]', '{a}', '1', true)
! 22P02
SELECT '[1]'::jsonb #- ARRAY['a', '0']
! 22P02
SELECT ltrim('\x00ff00'::bytea, '\x00'::bytea), rtrim('\x00ff00'::bytea, '\x00'::bytea), btrim('\x00ff00'::bytea, '\x00'::bytea), btrim('\x0102'::bytea, ''::bytea), ltrim(NULL::bytea, '\x00'::bytea)
: bytea bytea bytea bytea bytea
= \\xff00	\\x00ff	\\xff	\\x0102	\N
SELECT trim(both '\x00'::bytea from '\x00ff00'::bytea), trim(leading '\x00'::bytea from '\x00ff00'::bytea), trim(trailing '\x00'::bytea from '\x00ff00'::bytea)
: bytea bytea bytea
= \\xff	\\xff00	\\x00ff
SELECT position('\xff'::bytea in '\x00ff'::bytea), position('\x01'::bytea in '\x00ff'::bytea), position(''::bytea in '\x00'::bytea), position(NULL::bytea in '\x00'::bytea)
: integer integer integer integer
= 2	0	1	\N
SELECT make_interval(secs => 'NaN')
! 22008
SELECT make_interval(secs => '-Infinity')
! 22008
SELECT make_interval(secs => 12.5, hours => 3)
: interval
= 03:00:12.5
SELECT r.x, r.number FROM LATERAL string_to_table('a,b', ',') WITH ORDINALITY AS r (x, number) LEFT JOIN samples ON samples.t = r.x
: text bigint
= a	1
= b	2
SELECT p.x FROM LATERAL string_to_table('a,b', ',') p (x) JOIN samples s ON p.x = s.t
: text
= b
SELECT a.id, p.x FROM samples a LEFT JOIN (json_each_text('{"a": 1, "b": 2}') AS p (x) JOIN samples b ON p.x = b.t) ON a.id = 2 ORDER BY 1
: integer text
= 1	\N
= 2	b
= 3	\N
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT a.id, p.x, p.n FROM samples a LEFT JOIN (generate_series(1::bigint, 2) WITH ORDINALITY AS p (x, n) JOIN samples b ON p.x = b.id) ON a.id = p.x ORDER BY 1
: integer bigint bigint
= 1	1	1
= 2	2	2
= 3	\N	\N
= 4	\N	\N
= 5	\N	\N
= 6	\N	\N
= 7	\N	\N
= 8	\N	\N
= 9	\N	\N
SELECT p.x FROM (string_to_table('a,b', ',') AS p (x) JOIN samples b ON p.y = b.t)
! 42703
SELECT bool_and(DISTINCT f), bool_or(DISTINCT i > 1), every(DISTINCT f) FROM samples
: boolean boolean boolean
= f	t	f
SELECT trunc(1.5, NULL::integer), round(1.5, NULL::integer), trunc(2.5, NULL), round(1.25, NULL)
: numeric numeric numeric numeric
= \N	\N	\N	\N
SELECT round(n, NULL), trunc(n, NULL::integer) FROM samples WHERE id < 3 ORDER BY id
: numeric numeric
= \N	\N
= \N	\N
SELECT id, make_interval(i, i, 2, 3, i, i) FROM samples ORDER BY id
: integer interval
= 1	1 year 1 mon 17 days 01:01:00
= 2	2 years 2 mons 17 days 02:02:00
= 3	2 years 2 mons 17 days 02:02:00
= 4	5 years 5 mons 17 days 05:05:00
= 5	\N
= 6	-7 years -7 mons +17 days -07:07:00
= 7	9 years 9 mons 17 days 09:09:00
= 8	17 days
= 9	3 years 3 mons 17 days 03:03:00
SELECT parse_ident('a.b', true), parse_ident('"A".b')
: text[] text[]
= {a,b}	{A,b}
SELECT parse_ident('a.b =', true)
! 22023
SELECT parse_ident('a.b =', false)
: text[]
= {a,b}
~ parse_ident() that is not strict is not supported
>! 0A000
SELECT regexp_replace('abcabc', 'a', 'x', x, x, 'i') FROM generate_series(1, 2) s (x)
: text
= xbcabc
= abcabc
SELECT regexp_replace('aaa', 'a', 'x', id, id, 'i') FROM samples WHERE id < 3 ORDER BY id
: text
= xaa
= aax
SELECT sum(justify_days(interval '40 day' * id)), sum(justify_hours(NULL::interval)) FROM samples
: interval interval
= 4 years 9 mons 90 days	\N
SELECT id % 2, max(upper(upper(upper(upper(upper(upper(t))))))), sum(justify_interval(interval '40 hour' * id)) FROM samples GROUP BY 1 ORDER BY 1
: integer text interval
= 0	ZED	32 days 32:00:00
= 1	Ä	40 days 40:00:00
SELECT (1, 2), ROW(1, 2), ((1, 2))
: record record record
= (1,2)	(1,2)	(1,2)
SELECT 2.5 = interval '1 day'
! 42883
SELECT count(w.*) FROM (SELECT 2.5 = interval '1 day') AS w
! 42883
SELECT 2 = '1 day'::interval
! 42883
SELECT 2 = ARRAY[1]
! 42883
SELECT 1 WHERE 1 - (VALUES (1))
! 42804
SELECT ARRAY[1] || (VALUES (NULL::integer))
: integer[]
= {1,NULL}
SELECT count(*) FROM (VALUES (0)) v(x) HAVING min(x) > 1 AND 10/min(nullif(NULL, x)) IN (SELECT 5)
: bigint
SELECT to_char(timestamp '2020-02-09 13:04:05', ''), to_char(1, ''), to_char(interval '1 day', ''), to_char(timestamp '2020-01-01', 'TZ'), to_char(date '2020-01-01', '')
: text text text text text
= \N		\N		\N
SELECT to_char(at, t), to_char(tz, t) FROM (VALUES (timestamp '2020-02-09 13:04:05', timestamptz '2020-02-09 13:04:05+00', ''), (timestamp '2020-02-09 13:04:05', timestamptz '2020-02-09 13:04:05+00', 'YYYY TZ')) v (at, tz, t)
: text text
= \N	\N
= 2020 	2020 UTC
SELECT * FROM unnest(('1', '2'), ARRAY[2])
! 42883
SELECT v, pg_typeof(v) FROM (VALUES ('1'::jsonb), (('1.0'))) t (v)
: jsonb regtype
= 1	jsonb
= 1.0	jsonb
SELECT * FROM notes c LEFT JOIN (notes AS n LEFT JOIN samples AS q ON n.number = q.id) ON c.number = q.s WHERE c.number = 1 ORDER BY q.id
: bigint integer text bigint integer text integer integer smallint bigint numeric double_precision real text boolean date timestamp_without_time_zone timestamp_with_time_zone json bigint[]
= 1	1	one	1	1	one	1	1	1	10	1.500	0.5	1.5	Abc	t	2020-01-01	2020-01-01 10:00:00	2020-01-01 10:00:00+00	{"a": 1, "b": "x", "c": ["p", "q"]}	{1,2}
= 1	1	one	2	1	uno	2	2	1	20	2.500	1.5	2.5	abc	f	2020-02-29	2020-02-29 23:59:59.5	2020-02-29 23:59:59.5+00	{"a": 2, "b": null}	{2,3}
SELECT q.*, c.note FROM notes c LEFT JOIN ((notes AS n JOIN notes m ON n.note = m.note) LEFT JOIN samples AS q ON n.number = q.id) ON c.number = q.s WHERE c.number = 1 ORDER BY q.id
: integer integer smallint bigint numeric double_precision real text boolean date timestamp_without_time_zone timestamp_with_time_zone json bigint[] text
= 1	1	1	10	1.500	0.5	1.5	Abc	t	2020-01-01	2020-01-01 10:00:00	2020-01-01 10:00:00+00	{"a": 1, "b": "x", "c": ["p", "q"]}	{1,2}	one
= 2	2	1	20	2.500	1.5	2.5	abc	f	2020-02-29	2020-02-29 23:59:59.5	2020-02-29 23:59:59.5+00	{"a": 2, "b": null}	{2,3}	one
SELECT (CASE WHEN id > 99 THEN (SELECT (i || '-01-01')::timestamp) END) FROM samples WHERE id < 3 GROUP BY 1
: timestamp_without_time_zone
= \N
SELECT (CASE WHEN id > 99 THEN (SELECT (i || '-01-01')::timestamp) END), count(*) FROM samples WHERE id < 3 GROUP BY ROLLUP (1)
: timestamp_without_time_zone bigint
= \N	2
= \N	2
SELECT i, count(day) FROM samples GROUP BY samples.i, 1 ORDER BY 1, 2
: integer bigint
= -7	1
= 0	1
= 1	1
= 2	2
= 3	1
= 5	1
= 9	1
= \N	0
SELECT 'b'::varchar(x)
! 42601
SELECT NULL UNION ALL SELECT 'b'::varchar(x)
! 42601
SELECT (f, id) IN (SELECT f, id FROM samples WHERE id = t.id) FROM samples t WHERE id = 1
: boolean
= t
SELECT * FROM (SELECT id, s FROM samples ORDER BY s FETCH FIRST (nullif(NULL, 1 + 1)) ROWS WITH TIES) x ORDER BY id
: integer smallint
= 1	1
= 2	1
= 3	2
= 4	2
= 5	\N
= 6	3
= 7	3
= 8	-1
= 9	-1
SELECT x FROM pg_am, generate_series('1970-01-01'::timestamp, '1970-02-01'::timestamp, '1 month 2 days'::interval) AS v (x) LIMIT 1
: timestamp_without_time_zone
= 1970-01-01 00:00:00
SELECT mode() WITHIN GROUP (ORDER BY u), pg_typeof(mode() WITHIN GROUP (ORDER BY u)) FROM (VALUES ('6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid)) v(u)
: uuid regtype
= 6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01	uuid
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY u) FROM (VALUES ('{"a":1}'::text)) v(u)
: text
= {"a":1}
SELECT interval '1:30' minute to tz
! 42601
SELECT interval '1:30' minute to second, interval '1 2' day to hour, interval '1-2' year to month
: interval interval interval
= 00:01:30	1 day 02:00:00	1 year 2 mons
SELECT interval '1:30' second to minute
! 42601
SELECT interval '1:30' minute AS x, interval '1' year to_null
: interval interval
= 01:30:00	1 year
(1) EXCEPT SELECT 2
! 42601
SELECT 1 UNION (2)
! 42601
(SELECT 1) UNION (VALUES (2)) ORDER BY 1
: integer
= 1
= 2
SELECT pg_typeof(-4e16::numeric + NULL), pg_typeof(NULL * 1.5), 1.5 + NULL, NULL / 2.5, 2.5 % NULL
: regtype regtype numeric numeric numeric
= numeric	numeric	\N	\N	\N
SELECT '{1,NULL}'::bigint[] @> '{1,NULL}'::bigint[], '{NULL}'::bigint[] <@ '{1}'::float8[]
! 42883
SELECT ARRAY[1] && ARRAY[2::bigint]
! 42883
SELECT '{"a":1}'::jsonb @> '{}', ARRAY[ARRAY[1]] @> ARRAY[1], ARRAY[]::int[] <@ ARRAY[1]
: boolean boolean boolean
= t	t	t
SELECT 'abc' ^@ 'ab'
: boolean
= t
SELECT 1 WHERE 'a' LIKE '1'::jsonb
! 42883
SELECT 1.5::numeric(38,2.5)
! 22P02
SELECT * FROM length(('\x6a6f'), 'UTF8') AS w
: integer
= 2
SELECT ('1') + 1, pg_typeof(coalesce(('2'), 1)), ('a') || 'b', (('2020-01-01'))::date, date_part(('year'), date '2020-01-01')
: integer regtype text date double_precision
= 2	integer	ab	2020-01-01	2020
SELECT interval '1 day' * 'NaN'::float8
! 22008
SELECT interval '1 hour' * 1e16::float8
! 22008
SELECT interval '1 hour' / 3, interval '1 day' / 0.5, interval '1 mon 1 day 1:00' * 2.5, NULL * interval '1 day'
: interval interval interval interval
= 00:20:00	2 days	2 mons 17 days 14:30:00	\N
SELECT id FROM samples ORDER BY ('a')
! 42601
SELECT pg_typeof(nullif(2, r)), pg_typeof(nullif(r, 2)), pg_typeof(nullif(2, d)), pg_typeof(nullif(2::bigint, r)), pg_typeof(nullif(1.5, r)), pg_typeof(nullif(r, d)) FROM samples WHERE id = 1
: regtype regtype regtype regtype regtype regtype
= double precision	real	double precision	double precision	double precision	real
SELECT nullif(2, r), nullif(3, r), nullif(1.5, r) FROM samples WHERE id IN (1, 7) ORDER BY id
: double_precision double_precision double_precision
= 2	3	\N
= 2	\N	1.5
SELECT age(xmin) >= 0 FROM pg_am WHERE amname = 'heap'
: boolean
= t
SELECT a.amname, p.* FROM pg_am a, jsonb_each_text('{"a":2}'::jsonb) AS p (name, x) WHERE amname = 'heap'
: name text text
= heap	a	2
SELECT a.amname, p.* FROM pg_am a, jsonb_each_text('{"a":2}'::jsonb) WITH ORDINALITY AS p (name, x, n) WHERE amname = 'heap'
: name text text bigint
= heap	a	2	1
SELECT a.amname, p.key, p.value FROM pg_am a, LATERAL json_each(json_build_object('x', a.amname)) AS p WHERE amname = 'heap'
: name text json
= heap	x	"heap"
SELECT '01:02:03'::interval d to number
! 42601
