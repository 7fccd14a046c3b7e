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
SELECT sum(b) = 2.5, sum(b) > 18014398509482014.5, sum(b) < 18014398509482016.4, sum(b) BETWEEN 0.5 AND 1.5 FROM samples
: boolean boolean boolean boolean
= f	f	t	f
SELECT 2::numeric(38,0) < 2.5, 3::numeric(38,0) = 2.5, 3::numeric(38,0) > 2.5
: boolean boolean boolean
= t	f	t
SELECT sum(i) = 2.5, sum(i::bigint) IN (15, 14.6), sum(i::bigint) IN (14.6, 15.4), nullif(sum(i::bigint), 14.6), sum(i::bigint) IS DISTINCT FROM 14.6 FROM samples
: boolean boolean boolean numeric boolean
= f	t	f	15	t
SELECT 15 = ANY(ARRAY[14.6, 15.4]), sum(i::bigint) = ANY(ARRAY[14.6, 15.4]), (sum(i::bigint), 1) = (14.6, 1) FROM samples
: boolean boolean boolean
= f	f	f
SELECT count(*) FROM samples WHERE i::numeric(38,0) = 1.6
: bigint
= 0
SELECT count(*) FROM samples a JOIN samples c ON a.i::numeric(38,0) = c.n
: bigint
= 1
SELECT i::numeric(38,0) + 0.5, i::numeric(38,0) - 0.5, i::numeric(38,0) * 0.5, i::numeric(38,0) % 0.4 FROM samples WHERE id < 4 ORDER BY id
: numeric numeric numeric numeric
= 1.5	0.5	0.5	0.2
= 2.5	1.5	1.0	0.0
= 2.5	1.5	1.0	0.0
SELECT greatest(i::numeric(38,0), 1.6), least(i::numeric(38,0), 1.6) FROM samples WHERE id < 4 ORDER BY id
: numeric numeric
= 1.6	1
= 2	1.6
= 2	1.6
SELECT sum(i::bigint) NOT IN (14.6), CASE sum(i::bigint) WHEN 14.6 THEN 1 ELSE 2 END FROM samples
: boolean integer
= t	2
SELECT i::bigint = 1.5, i = 1.5, i < 1.5, b < 9007199254740993.5, b = 9007199254740993.0 FROM samples WHERE id IN (1, 4) ORDER BY id
: boolean boolean boolean boolean boolean
= f	f	t	t	f
= f	f	f	t	t
SELECT d = 1.5, r = 0.1, d > n, n = d, r = n, b = d, i < d, 9007199254740993 = 9007199254740993::double precision FROM samples WHERE id < 4 ORDER BY id
: boolean boolean boolean boolean boolean boolean boolean boolean
= f	f	f	f	t	f	f	t
= t	f	f	f	t	f	f	t
= f	f	t	f	f	f	t	t
SELECT n / 3 = 0.5, n / 3 = n / 3, (n / 3) * 3 = n FROM samples WHERE id = 1
: boolean boolean boolean
= t	t	t
SELECT pg_typeof(coalesce(r, 0.1)), coalesce(r, 0), CASE WHEN f THEN r ELSE n END, greatest(r, 1), coalesce(n, r), coalesce(r, d), nullif(r, 0.1) FROM samples WHERE id = 1
: regtype real real real real double_precision real
= real	1.5	1.5	1.5	1.5	1.5	1.5
SELECT sum(coalesce(r, 0)), sum(coalesce(r, n)), max(coalesce(r, i)), coalesce(r, i)::text FROM samples WHERE id = 1 GROUP BY r, i
: real real real text
= 1.5	1.5	1.5	1.5
SELECT id FROM samples WHERE r = 0.1 ORDER BY id
: integer
SELECT id FROM samples WHERE r = 0.1::real ORDER BY id
: integer
= 3
SELECT id FROM samples WHERE r <= 0.1 ORDER BY id
: integer
= 6
= 8
SELECT id FROM samples WHERE r > 0.1 ORDER BY id
: integer
= 1
= 2
= 3
= 4
= 7
= 9
SELECT id FROM samples WHERE r IN (0.1, 0.5, 1.5) ORDER BY id
: integer
= 1
= 3
SELECT id FROM samples WHERE r BETWEEN 0.1 AND 1.5 ORDER BY id
: integer
= 1
= 3
SELECT id FROM samples WHERE r = '0.1' ORDER BY id
: integer
= 3
SELECT id FROM samples WHERE r = ANY(ARRAY[0.1, 0.5]) ORDER BY id
: integer
SELECT id FROM samples WHERE r IS DISTINCT FROM 0.1 ORDER BY id
: integer
= 1
= 2
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE r <> 0.1 OR i IS NULL ORDER BY id
: integer
= 1
= 2
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE CASE r WHEN 0.1 THEN true ELSE false END ORDER BY id
: integer
SELECT a.id, c.id FROM samples a JOIN samples c ON a.r = c.n ORDER BY 1, 2
: integer integer
= 1	1
= 2	2
= 6	6
SELECT a.id, c.id FROM samples a JOIN samples c ON a.r = c.d ORDER BY 1, 2
: integer integer
= 1	2
= 2	3
= 6	6
SELECT id FROM samples WHERE r IN (SELECT 0.1) ORDER BY id
: integer
SELECT id FROM samples WHERE (r, 1) = (0.1, 1) ORDER BY id
: integer
SELECT id FROM samples WHERE n = 1.5::double precision OR n = 2.5::real ORDER BY id
: integer
= 1
= 2
SELECT id FROM samples WHERE n = 10.001::double precision ORDER BY id
: integer
= 4
SELECT id FROM samples WHERE b = 9007199254740992::double precision ORDER BY id
: integer
= 4
SELECT id FROM samples WHERE b = 9007199254740993.5 ORDER BY id
: integer
SELECT id FROM samples WHERE d = 123456.789 ORDER BY id
: integer
= 9
SELECT id FROM samples WHERE i = 1.5 OR i < 0.5 ORDER BY id
: integer
= 6
= 8
SELECT r UNION ALL SELECT 0.1
! 42703
SELECT r FROM samples WHERE id = 3 UNION ALL SELECT 0.1
: real
= 0.1
= 0.1
SELECT r FROM samples WHERE id = 3 UNION SELECT 0.1
: real
= 0.1
SELECT i FROM samples WHERE id = 3 UNION SELECT r FROM samples WHERE id = 2 ORDER BY 1
: real
= 2
= 2.5
SELECT ARRAY[r, 0.1] FROM samples WHERE id = 3
: real[]
= {0.1,0.1}
SELECT 0.1::real = 0.1, 0.1::real < 0.1, 0.1::real IN (0.1), 16777217 = 16777217::real, 16777217::real = 16777216
: boolean boolean boolean boolean boolean
= f	f	f	f	t
SELECT trunc(r), ceil(r), floor(r), round(r), trunc(d), trunc(i), trunc(s), abs(r) FROM samples WHERE id < 4 ORDER BY id
: double_precision double_precision double_precision double_precision double_precision double_precision double_precision real
= 1	2	1	2	0	1	1	1.5
= 2	3	2	2	1	2	1	2.5
= 0	1	0	0	2	2	2	0.1
SELECT mod(i, 2.5), mod(sum(b), 7), mod(b, 10) FROM samples WHERE id < 4 GROUP BY i, b, id ORDER BY id
: numeric numeric bigint
= 1.0	3	0
= 2.0	6	0
= 2.0	-2	0
SELECT avg(n) / 7, avg(n * 1000000) / 7, avg(b), avg(n) FROM samples WHERE n > 0
: numeric numeric numeric numeric
= 28572.780942857143	28572780942.85714286	1801439850948236.6000	200009.466600000000
SELECT (10000000000::numeric / 3) / 0
! 22012
SELECT nullif(0.1::real, 0.1), nullif(0.5::real, 0.5), nullif(r, d) FROM samples WHERE id = 1
: real real real
= 0.1	\N	1.5
SELECT id FROM samples WHERE 0.1 IN (SELECT r FROM samples) ORDER BY id
: integer
SELECT id FROM samples WHERE 0.1 = ANY(SELECT r FROM samples) ORDER BY id
: integer
SELECT id FROM samples WHERE r = ANY(SELECT 0.1) ORDER BY id
: integer
SELECT id FROM samples WHERE (r, i) IN ((0.1, 5), (1.5, 1)) ORDER BY id
: integer
= 1
SELECT id, avg(n) OVER (ORDER BY id), avg(b) OVER (ORDER BY id ROWS 1 PRECEDING) FROM samples ORDER BY id
: integer numeric numeric
= 1	1.50000000000000000000	10.0000000000000000
= 2	2.0000000000000000	15.0000000000000000
= 3	0.50000000000000000000	-5.0000000000000000
= 4	2.8752500000000000	4503599627370481.5000
= 5	2.8752500000000000	9007199254740993.0000
= 6	2.3002000000000000	0.00000000000000000000
= 7	166668.583333333333	35.0000000000000000
= 8	142858.785000000000	75.0000000000000000
= 9	125005.603500000000	85.0000000000000000
SELECT avg(n / 3), sum(n / 3) / count(*), avg(n / 3 / 7) FROM samples WHERE n > 0
: numeric numeric numeric
= 66669.82220000000000000667	66669.82220000000000000667	9524.26031428571420000381
SELECT 0.1::real IN (0.1, 0.5), 0.1::real IN (0.1), 0.1::real NOT IN (0.1), 0.1::real IN (0.1, NULL)
: boolean boolean boolean boolean
= t	f	t	t
SELECT trunc(i, 2), round(i, 2), round(i, -1), trunc(n, -1), round(n, -1), sum(trunc(n)), sum(trunc(i, 1)), avg(trunc(r)) FROM samples WHERE id < 3 GROUP BY i, n ORDER BY i
: numeric numeric numeric numeric numeric numeric numeric double_precision
= 1.00	1.00	0	0	0	1	1.0	1
= 2.00	2.00	0	0	0	2	2.0	2
SELECT avg(x), sum(x), max(x / 2) FROM generate_series(1::bigint, 4) AS g(x)
: numeric numeric bigint
= 2.5000000000000000	10	2
SELECT avg(x), x::text, x / 2 FROM generate_series(1::bigint, 4) g(x) GROUP BY x ORDER BY 2
: numeric text bigint
= 1.00000000000000000000	1	0
= 2.0000000000000000	2	1
= 3.0000000000000000	3	1
= 4.0000000000000000	4	2
SELECT avg(g), max(g) + 1 FROM generate_series(1::bigint, 4) g
: numeric bigint
= 2.5000000000000000	5
SELECT avg(x) FROM unnest(ARRAY[1.5, 2.5]) AS g(x)
: numeric
= 2.0000000000000000
SELECT avg(u), max(u) FROM samples, unnest(a) AS u
: numeric bigint
= 4.3076923076923077	10
SELECT u.x, u.y FROM unnest(ARRAY[1, 2], ARRAY['a', 'b']) AS u(x, y)
: integer text
= 1	a
= 2	b
SELECT x, n, x || 'c' FROM unnest(ARRAY['a', 'b']) WITH ORDINALITY AS u(x, n)
: text bigint text
= a	1	ac
= b	2	bc
SELECT x - 1, avg(x) OVER () FROM samples CROSS JOIN LATERAL unnest(a) WITH ORDINALITY AS u(x, n) ORDER BY id, n
! 42702
SELECT t + interval '1 day', t::date FROM generate_series(timestamp '2020-01-01', timestamp '2020-01-03', interval '1 day') AS s(t)
: timestamp_without_time_zone date
= 2020-01-02 00:00:00	2020-01-01
= 2020-01-03 00:00:00	2020-01-02
= 2020-01-04 00:00:00	2020-01-03
SELECT s.t, extract(day FROM t) FROM generate_series(timestamp '2020-01-01', timestamp '2020-01-03', interval '1 day') AS s(t)
: timestamp_without_time_zone numeric
= 2020-01-01 00:00:00	1
= 2020-01-02 00:00:00	2
= 2020-01-03 00:00:00	3
SELECT id, (SELECT avg(v) FROM unnest(a) v), (SELECT sum(v) / count(*) FROM unnest(a) AS w(v)) FROM samples ORDER BY id
: integer numeric numeric
= 1	1.5000000000000000	1.5000000000000000
= 2	2.5000000000000000	2.5000000000000000
= 3	\N	\N
= 4	4.0000000000000000	4.0000000000000000
= 5	\N	\N
= 6	2.0000000000000000	2.0000000000000000
= 7	8.0000000000000000	8.0000000000000000
= 8	0.00000000000000000000	0.00000000000000000000
= 9	9.0000000000000000	9.0000000000000000
SELECT u FROM unnest('{1,2}'::int[]) u WHERE u / 2 = 1
: integer
= 2
SELECT r2.* FROM string_to_table('a,b', ',') WITH ORDINALITY AS r2 (x, number)
: text bigint
= a	1
= b	2
SELECT u.*, u.n + 1 FROM unnest(ARRAY['a', 'b']) WITH ORDINALITY AS u (x, n)
: text bigint bigint
= a	1	2
= b	2	3
SELECT u.* FROM unnest(ARRAY[1, 2]) WITH ORDINALITY AS u
: integer bigint
= 1	1
= 2	2
SELECT n || '{}'::bigint[] FROM string_to_table('a,b', ',') WITH ORDINALITY AS r (x, n)
: bigint[]
= {1}
= {2}
SELECT s.id, u.* FROM samples s, unnest(s.a) WITH ORDINALITY AS u (x, n) ORDER BY 1, 3
: integer bigint bigint
= 1	1	1
= 1	2	2
= 2	2	1
= 2	3	2
= 4	4	1
= 6	2	1
= 7	7	1
= 7	8	2
= 7	9	3
= 8	10	1
= 8	-10	2
= 9	9	1
= 9	9	2
SELECT avg(n), sum(ordinality) FROM unnest(ARRAY[1, 2]) WITH ORDINALITY AS u (n)
: numeric numeric
= 1.5000000000000000	3
WITH a AS (SELECT NULL::integer FROM json_object_keys('{"a": 1}'::json) AS v (x) WHERE (NULL::integer, x) IN ((ascii(x), 'b'::text))) SELECT v.x FROM a CROSS JOIN (SELECT 1 AS x) AS v
: integer
SELECT id FROM samples WHERE id = SOME (ARRAY[1, 2]) AND i >= SOME (ARRAY[1, NULL]) ORDER BY 1
: integer
= 1
= 2
SELECT id FROM samples WHERE id = SOME (SELECT 2) OR t = SOME ('{b,c}') OR NOT id <> SOME (ARRAY[4]) ORDER BY 1
: integer
= 2
= 3
= 4
SELECT SOME (ARRAY[1])
! 42601
SELECT id = some (ARRAY[1, 2]), t LIKE SOME (ARRAY['a%', '%b']) FROM samples ORDER BY id
: boolean boolean
= t	f
= t	t
= f	t
= f	f
= f	\N
= f	t
= f	f
= f	f
= f	f
SELECT id FROM samples ORDER BY id FETCH FIRST -1 ROWS ONLY
! 2201W
SELECT id FROM samples ORDER BY id FETCH FIRST +2 ROWS ONLY
: integer
= 1
= 2
SELECT id FROM samples ORDER BY id FETCH FIRST -1 ROWS WITH TIES
! 2201W
SELECT id FROM samples ORDER BY id FETCH FIRST 1 + 1 ROWS ONLY
! 42601
SELECT id FROM samples ORDER BY id FETCH NEXT (1 + 1) ROWS ONLY
: integer
= 1
= 2
SELECT -id FROM samples WHERE id < 4 ORDER BY +1, id
: integer
= -1
= -2
= -3
SELECT -id FROM samples WHERE id < 4 ORDER BY 1, id
: integer
= -3
= -2
= -1
SELECT -id FROM samples WHERE id < 4 ORDER BY (+(-1)), id DESC
: integer
= -3
= -2
= -1
SELECT -id FROM samples WHERE id < 4 ORDER BY -(-1)
: integer
= -3
= -2
= -1
SELECT -id FROM samples WHERE id < 4 ORDER BY -1
! 42P10
SELECT count(*) FROM samples GROUP BY +1
: bigint
= 9
SELECT id, count(*) FROM samples GROUP BY +1
! 42803
SELECT DISTINCT ON (+1) -id FROM samples ORDER BY +1, id
: integer
= -1
SELECT DISTINCT ON (1) -id FROM samples WHERE id < 4 ORDER BY 1
: integer
= -3
= -2
= -1
SELECT id FROM samples WHERE id < 3 UNION ALL SELECT 3 ORDER BY +1
! 0A000
SELECT count(*) FROM samples GROUP BY ROLLUP (+1)
: bigint
= 9
= 9
SELECT count(*) FROM samples GROUP BY GROUPING SETS ((+1), ())
: bigint
= 9
= 9
