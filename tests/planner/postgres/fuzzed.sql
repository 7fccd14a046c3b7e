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
