SELECT id FROM samples WHERE t LIKE ANY (ARRAY['a%', '%c']) ORDER BY id
: integer
= 1
= 2
= 6
SELECT id FROM samples WHERE t LIKE ANY ('{a%,%c}') ORDER BY id
: integer
= 1
= 2
= 6
SELECT id FROM samples WHERE t LIKE ALL (ARRAY['a%', '%c']) ORDER BY id
: integer
= 2
SELECT id FROM samples WHERE t ILIKE ANY (ARRAY['A%', '%C']) ORDER BY id
: integer
= 1
= 2
= 6
SELECT id FROM samples WHERE t ILIKE ALL (ARRAY['A%', '%C']) ORDER BY id
: integer
= 1
= 2
SELECT id FROM samples WHERE t NOT LIKE ALL (ARRAY['a%', '%c']) ORDER BY id
: integer
= 3
= 4
= 7
= 8
= 9
SELECT id FROM samples WHERE t NOT LIKE ANY (ARRAY['a%', '%c']) ORDER BY id
: integer
= 1
= 3
= 4
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE t NOT ILIKE ALL (ARRAY['A%', '%C']) ORDER BY id
: integer
= 3
= 4
= 7
= 8
= 9
SELECT id FROM samples WHERE NOT (t LIKE ANY (ARRAY['a%', '%c'])) ORDER BY id
: integer
= 3
= 4
= 7
= 8
= 9
SELECT id, t LIKE ANY (ARRAY['a%', NULL]) FROM samples ORDER BY id
: integer boolean
= 1	\N
= 2	t
= 3	\N
= 4	\N
= 5	\N
= 6	t
= 7	\N
= 8	\N
= 9	\N
SELECT id, t LIKE ALL (ARRAY['a%', NULL]) FROM samples ORDER BY id
: integer boolean
= 1	f
= 2	\N
= 3	f
= 4	f
= 5	\N
= 6	\N
= 7	f
= 8	f
= 9	f
SELECT id, t LIKE ANY (ARRAY[]::text[]), t LIKE ALL (ARRAY[]::text[]) FROM samples ORDER BY id
: integer boolean boolean
= 1	f	t
= 2	f	t
= 3	f	t
= 4	f	t
= 5	f	t
= 6	f	t
= 7	f	t
= 8	f	t
= 9	f	t
SELECT id, t LIKE ANY (NULL::text[]) FROM samples ORDER BY id
: integer boolean
= 1	\N
= 2	\N
= 3	\N
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT id, t NOT LIKE ALL (ARRAY['a%', NULL]) FROM samples ORDER BY id
: integer boolean
= 1	\N
= 2	f
= 3	\N
= 4	\N
= 5	\N
= 6	f
= 7	\N
= 8	\N
= 9	\N
SELECT id FROM samples WHERE t LIKE ANY ($1) ORDER BY id
$ text[]
: integer
SELECT id FROM samples WHERE t NOT ILIKE ALL ($1) ORDER BY id
$ text[]
: integer
SELECT id FROM samples WHERE t ~ ANY (ARRAY['^a', 'c$']) ORDER BY id
: integer
= 1
= 2
= 6
SELECT id FROM samples WHERE t ~* ALL (ARRAY['^a', 'c$']) ORDER BY id
: integer
= 1
= 2
SELECT id FROM samples WHERE t LIKE SOME (ARRAY['a%', '%c']) ORDER BY id
: integer
= 1
= 2
= 6
SELECT id FROM samples WHERE t LIKE ANY (SELECT note FROM notes) ORDER BY id
: integer
SELECT 'a_b' LIKE ANY (ARRAY['a\_b']), 'axb' LIKE ANY (ARRAY['a\_b'])
: boolean boolean
= t	f
SELECT 'x' LIKE ANY (string_to_array('x,y', ','))
: boolean
= t
SELECT id FROM samples WHERE i = ANY (ARRAY[1, 2]) AND t LIKE ANY (ARRAY['A%']) ORDER BY id
: integer
= 1
SELECT id FROM samples WHERE i > ALL (ARRAY[1, 2]) ORDER BY id
: integer
= 4
= 7
= 9
SELECT id FROM samples WHERE i < ANY ('{1,2}') ORDER BY id
: integer
= 1
= 6
= 8
SELECT id FROM samples WHERE i <> ALL ('{1,2}') ORDER BY id
: integer
= 4
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE i <> ALL (ARRAY[1, NULL]) ORDER BY id
: integer
SELECT id FROM samples WHERE i = ANY (a) ORDER BY id
: integer
= 1
= 2
= 7
SELECT EXISTS (SELECT FROM samples)
: boolean
= t
SELECT EXISTS (SELECT FROM samples WHERE id > 100)
: boolean
= f
SELECT NOT EXISTS (SELECT FROM samples WHERE id > 100)
: boolean
= t
SELECT id FROM samples s WHERE EXISTS (SELECT FROM notes n WHERE n.sample = s.id) ORDER BY id
: integer
= 1
= 2
SELECT id FROM samples s WHERE NOT EXISTS (SELECT FROM notes n WHERE n.sample = s.id) ORDER BY id
: integer
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT true AS select
: boolean
= t
SELECT 1 AS from, 2 AS where, 3 AS table, 4 AS order, 5 AS group
: integer integer integer integer integer
= 1	2	3	4	5
SELECT 1 AS user, 2 AS limit, 3 AS union, 4 AS all, 5 AS case, 6 AS end, 7 AS when
: integer integer integer integer integer integer integer
= 1	2	3	4	5	6	7
SELECT 1 AS "select", 2 "from"
: integer integer
= 1	2
SELECT s.id AS select FROM samples s ORDER BY 1 LIMIT 1
: integer
= 1
SELECT x.select FROM (SELECT 1 AS select) x
: integer
= 1
SELECT 1 AS and, 2 AS or, 3 AS not, 4 AS null, 5 AS true, 6 AS false, 7 AS in, 8 AS is, 9 AS like, 10 AS distinct
: integer integer integer integer integer integer integer integer integer integer
= 1	2	3	4	5	6	7	8	9	10
SELECT 1 AS values, 2 AS with, 3 AS window, 4 AS having, 5 AS offset, 6 AS fetch, 7 AS for, 8 AS on, 9 AS join, 10 AS using
: integer integer integer integer integer integer integer integer integer integer
= 1	2	3	4	5	6	7	8	9	10
SELECT 1 AS analyze, 2 AS array, 3 AS asc, 4 AS desc, 5 AS both, 6 AS cast, 7 AS check, 8 AS collate, 9 AS column, 10 AS create
: integer integer integer integer integer integer integer integer integer integer
= 1	2	3	4	5	6	7	8	9	10
SELECT 1 AS current_date, 2 AS current_user, 3 AS default, 4 AS do, 5 AS else, 6 AS except, 7 AS grant, 8 AS into, 9 AS lateral, 10 AS primary
: integer integer integer integer integer integer integer integer integer integer
= 1	2	3	4	5	6	7	8	9	10
SELECT * FROM (SELECT id FROM samples ORDER BY s FETCH FIRST 1 ROWS WITH TIES) x ORDER BY 1
: integer
= 8
= 9
SELECT * FROM (SELECT id, s FROM samples ORDER BY s FETCH FIRST 2 ROWS WITH TIES) x ORDER BY 1
: integer smallint
= 8	-1
= 9	-1
SELECT * FROM (SELECT id, s FROM samples ORDER BY s, id OFFSET 1 FETCH NEXT 2 ROWS WITH TIES) x ORDER BY 1
: integer smallint
= 1	1
= 9	-1
SELECT * FROM (SELECT id, s FROM samples ORDER BY s DESC FETCH FIRST 2 ROWS WITH TIES) x ORDER BY 1
: integer smallint
= 5	\N
= 6	3
= 7	3
SELECT * FROM (SELECT id, s FROM samples ORDER BY s DESC NULLS LAST, id FETCH FIRST 2 ROWS WITH TIES) x ORDER BY 1
: integer smallint
= 6	3
= 7	3
SELECT * FROM (SELECT id FROM samples FETCH FIRST 2 ROWS WITH TIES) x ORDER BY 1
! 42601
SELECT * FROM (SELECT id FROM samples ORDER BY id FETCH FIRST ROW WITH TIES) x ORDER BY 1
: integer
= 1
SELECT id FROM samples ORDER BY id FETCH FIRST ROW ONLY
: integer
= 1
SELECT * FROM (SELECT s, count(*) FROM samples GROUP BY s ORDER BY count(*) DESC FETCH FIRST 1 ROW WITH TIES) x ORDER BY 1
: smallint bigint
= -1	2
= 1	2
= 2	2
= 3	2
SELECT * FROM (SELECT s, count(*) AS c FROM samples GROUP BY s ORDER BY c DESC FETCH FIRST 1 ROW WITH TIES) x ORDER BY 1
: smallint bigint
= -1	2
= 1	2
= 2	2
= 3	2
SELECT * FROM (SELECT id, s FROM samples ORDER BY 2 FETCH FIRST 2 ROWS WITH TIES) x ORDER BY 1
: integer smallint
= 8	-1
= 9	-1
SELECT * FROM (SELECT id, s FROM samples ORDER BY s FETCH FIRST 2 ROWS WITH TIES) x ORDER BY id
: integer smallint
= 8	-1
= 9	-1
SELECT * FROM (SELECT id, s FROM samples ORDER BY s FETCH FIRST 0 ROWS WITH TIES) x ORDER BY 1
: integer smallint
SELECT id, s FROM samples ORDER BY s FETCH FIRST 50 PERCENT ROWS ONLY
! 42601
SELECT * FROM (SELECT id, s FROM samples ORDER BY s FETCH FIRST (1 + 1) ROWS WITH TIES) x ORDER BY 1
: integer smallint
= 8	-1
= 9	-1
SELECT * FROM (SELECT id, s FROM samples ORDER BY s FETCH FIRST $1 ROWS WITH TIES) x ORDER BY 1
$ bigint
: integer smallint
SELECT * FROM unnest(ARRAY[1, 2], ARRAY['a', 'b', 'c'])
: integer text
= 1	a
= 2	b
= \N	c
SELECT * FROM unnest(ARRAY[1, 2], ARRAY['a', 'b', 'c']) AS u (x, y)
: integer text
= 1	a
= 2	b
= \N	c
SELECT u.x, u.y FROM unnest(ARRAY[1, 2], ARRAY['a', 'b', 'c']) u (x, y) ORDER BY u.y
: integer text
= 1	a
= 2	b
= \N	c
SELECT * FROM unnest(ARRAY[1, 2], ARRAY['a', 'b', 'c']) WITH ORDINALITY AS u (x, y, n)
: integer text bigint
= 1	a	1
= 2	b	2
= \N	c	3
SELECT * FROM unnest(ARRAY[]::int[], NULL::text[])
: integer text
SELECT * FROM unnest(ARRAY[1, 2], ARRAY[3, 4], ARRAY[5, 6]) AS u (a, b, c)
: integer integer integer
= 1	3	5
= 2	4	6
SELECT * FROM unnest($1::int[], $2::text[]) AS u (x, y)
$ integer[] text[]
: integer text
SELECT s.id, u.* FROM samples s, unnest(s.a, ARRAY['p', 'q']) AS u (x, y) WHERE s.id < 4 ORDER BY 1, 3
: integer bigint text
= 1	1	p
= 1	2	q
= 2	2	p
= 2	3	q
= 3	\N	p
= 3	\N	q
SELECT * FROM samples s JOIN unnest(ARRAY[1, 2], ARRAY['a', 'b']) AS u (k, v) ON s.id = u.k WHERE s.id = 1
: integer integer smallint bigint numeric double_precision real text boolean date timestamp_without_time_zone timestamp_with_time_zone json bigint[] integer text
= 1	1	1	10	1.500	0.5	1.5	Abc	t	2020-01-01	2020-01-01 10:00:00	2020-01-01 10:00:00+00	{"a": 1, "b": "x", "c": ["p", "q"]}	{1,2}	1	a
SELECT unnest(ARRAY[1, 2]), unnest(ARRAY['a', 'b', 'c'])
: integer text
= 1	a
= 2	b
= \N	c
SELECT * FROM unnest(ARRAY[1, 2]) WITH ORDINALITY AS u (x, n)
: integer bigint
= 1	1
= 2	2
SELECT * FROM unnest(ARRAY[1, 2]) AS x
: integer
= 1
= 2
SELECT x FROM unnest(ARRAY[1, 2]) AS x
: integer
= 1
= 2
SELECT * FROM unnest('{1,2}'::int[])
: integer
= 1
= 2
SELECT (date '2020-01-01', date '2020-02-01') OVERLAPS (date '2020-01-15', date '2020-03-01')
: boolean
= t
SELECT (date '2020-01-01', date '2020-02-01') OVERLAPS (date '2020-02-01', date '2020-03-01')
: boolean
= f
SELECT (date '2020-01-01', interval '100 days') OVERLAPS (date '2020-02-01', interval '1 day')
: boolean
= t
SELECT (timestamp '2020-01-01', timestamp '2020-01-01') OVERLAPS (timestamp '2020-01-01', timestamp '2020-01-02')
: boolean
= t
SELECT (timestamp '2020-01-02', timestamp '2020-01-01') OVERLAPS (timestamp '2020-01-01', timestamp '2020-01-03')
: boolean
= t
SELECT (timestamp '2020-01-01', NULL) OVERLAPS (timestamp '2020-01-01', timestamp '2020-01-03')
: boolean
= \N
SELECT (timestamp '2020-01-01', NULL) OVERLAPS (timestamp '2021-01-01', timestamp '2021-01-03')
: boolean
= \N
SELECT (time '10:00', time '12:00') OVERLAPS (time '11:00', interval '30 minutes')
: boolean
= t
SELECT id FROM samples WHERE (at, interval '1 day') OVERLAPS (timestamp '2020-03-01', timestamp '2020-07-01') ORDER BY id
: integer
= 2
= 3
= 7
SELECT id, (day, day + 30) OVERLAPS (date '2020-03-01', date '2020-07-01') FROM samples ORDER BY id
: integer boolean
= 1	f
= 2	t
= 3	t
= 4	f
= 5	\N
= 6	f
= 7	t
= 8	f
= 9	f
SELECT NOT (date '2020-01-01', date '2020-02-01') OVERLAPS (date '2020-01-15', date '2020-03-01')
: boolean
= f
SELECT count(*) FROM samples TABLESAMPLE BERNOULLI (100)
: bigint
= 9
SELECT count(*) FROM samples TABLESAMPLE BERNOULLI (0)
: bigint
= 0
SELECT count(*) FROM samples TABLESAMPLE SYSTEM (100)
: bigint
= 9
SELECT count(*) FROM samples s TABLESAMPLE BERNOULLI (100) WHERE s.id > 3
: bigint
= 6
SELECT count(*) FROM samples TABLESAMPLE BERNOULLI (101)
! 2202H
SELECT count(*) FROM samples TABLESAMPLE foo (10)
! 42704
SELECT count(*) FROM samples TABLESAMPLE BERNOULLI (NULL)
! 2202H
SELECT count(*) <= 9 FROM samples TABLESAMPLE BERNOULLI (50)
: boolean
= t
SELECT count(*) FROM (SELECT 1) x TABLESAMPLE BERNOULLI (50)
! 42601
SELECT s.id, n.note FROM samples s TABLESAMPLE BERNOULLI (100) JOIN notes n TABLESAMPLE SYSTEM (100) ON n.sample = s.id ORDER BY 1, 2
: integer text
= 1	one
= 1	uno
= 2	two
SELECT id FROM samples WHERE t !~ ALL (ARRAY['^a', '^A']) ORDER BY id
: integer
= 3
= 4
= 7
= 8
= 9
SELECT id FROM samples WHERE t !~ ANY (ARRAY['^a', '^A']) ORDER BY id
: integer
= 1
= 2
= 3
= 4
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE t !~* ANY (ARRAY['^a', 'c$']) ORDER BY id
: integer
= 3
= 4
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE t !~~ ALL (ARRAY['a%', 'A%']) ORDER BY id
: integer
= 3
= 4
= 7
= 8
= 9
SELECT id FROM samples WHERE t !~~ ANY (ARRAY['a%', 'A%']) ORDER BY id
: integer
= 1
= 2
= 3
= 4
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE t !~~* ANY (ARRAY['a%', '%c']) ORDER BY id
: integer
= 3
= 4
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE NOT t ~ ANY (ARRAY['^a', '^A']) ORDER BY id
: integer
= 3
= 4
= 7
= 8
= 9
SELECT id FROM samples WHERE NOT (t ~ ALL (ARRAY['^a', 'c$'])) ORDER BY id
: integer
= 1
= 3
= 4
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE NOT t LIKE ANY (ARRAY['a%', 'A%']) ORDER BY id
: integer
= 3
= 4
= 7
= 8
= 9
SELECT id FROM samples WHERE t !~ ALL (string_to_array('^a,^A', ',')) ORDER BY id
: integer
= 3
= 4
= 7
= 8
= 9
SELECT id FROM samples ORDER BY id LIMIT 2, 1
! 42601
SELECT id FROM samples ORDER BY id LIMIT 2 OFFSET 1
: integer
= 2
= 3
SELECT pg_typeof($1::int + 1)
$ integer
: regtype
SELECT pg_typeof($1::int), $2::interval
$ integer interval
: regtype interval
