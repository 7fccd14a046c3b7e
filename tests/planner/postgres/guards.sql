SELECT sum(10 / x) FILTER (WHERE x <> 0) FROM (VALUES (0), (5), (2)) v(x)
: bigint
= 7
SELECT sum(t::int) FILTER (WHERE t ~ '^\d+$') FROM (VALUES ('a'), ('4')) v(t)
: bigint
= 4
SELECT max(sqrt(x)) FILTER (WHERE x >= 0) FROM (VALUES (-1), (4)) v(x)
: double_precision
= 2
SELECT sum(10 / x) FILTER (WHERE x <> 0) OVER () FROM (VALUES (0), (5)) v(x)
: bigint
= 2
= 2
SELECT avg(i / (s - 2)) FILTER (WHERE s > 2) FROM samples WHERE id IN (3, 6, 7)
: numeric
= 1.00000000000000000000
SELECT string_agg((d::date)::text, ',') FILTER (WHERE d LIKE '2%') FROM (VALUES ('2020-01-01'), ('none')) v(d)
: text
= 2020-01-01
SELECT array_agg(1 / x) FILTER (WHERE x = 1) FROM (VALUES (0), (1)) v(x)
: integer[]
= {1}
SELECT array_agg(10 / x ORDER BY 10 / x DESC) FILTER (WHERE x <> 0) FROM (VALUES (0), (5), (2)) v(x)
: integer[]
= {5,2}
SELECT array_agg(DISTINCT 10 / x ORDER BY 10 / x) FILTER (WHERE x <> 0) FROM (VALUES (0), (5), (2)) v(x)
: integer[]
= {2,5}
SELECT count(DISTINCT 10 / x), count(*) FILTER (WHERE x = 0) FROM (VALUES (5), (2)) v(x)
: bigint bigint
= 2	0
SELECT count(10 / nullif(x, 0)) FILTER (WHERE 10 / x > 1) FROM (VALUES (5), (2)) v(x)
: bigint
= 2
SELECT sum(10 / x) FILTER (WHERE x <> 0 AND 10 / x > 2), avg(10.0 / x) FILTER (WHERE x > 0) FROM (VALUES (0), (5), (2)) v(x)
: bigint numeric
= 5	3.5000000000000000
SELECT avg(x::numeric) FILTER (WHERE x ~ '^\d+$'), min(x::int) FILTER (WHERE x ~ '^\d+$') FROM (VALUES ('x'), ('3'), ('4')) v(x)
: numeric integer
= 3.5000000000000000	3
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY 10 / x) FILTER (WHERE x <> 0) FROM (VALUES (0), (5), (2)) v(x)
: integer
= 2
SELECT string_agg(x::text, ',' ORDER BY 10 / x) FILTER (WHERE x <> 0) FROM (VALUES (0), (5), (2)) v(x)
: text
= 5,2
SELECT bool_or(10 / x > 3) FILTER (WHERE x <> 0), every(10 / x > 3) FILTER (WHERE x <> 0) FROM (VALUES (0), (5), (2)) v(x)
: boolean boolean
= t	f
SELECT json_agg(10 / x ORDER BY x) FILTER (WHERE x <> 0) FROM (VALUES (0), (5), (2)) v(x)
: json
= [5, 2]
SELECT corr(10 / x, x) FILTER (WHERE x <> 0) FROM (VALUES (0), (5), (2)) v(x)
: double_precision
= -1
SELECT x, sum(10 / x) FILTER (WHERE x <> 0) OVER (ORDER BY x ROWS 1 PRECEDING) FROM (VALUES (0), (5), (2)) v(x) ORDER BY x
: integer bigint
= 0	\N
= 2	5
= 5	7
SELECT i, sum(10 / s) FILTER (WHERE s > 0) FROM samples GROUP BY i HAVING max(10 / (s + 1)) FILTER (WHERE s > 0) > 1 ORDER BY 1
: integer bigint
= -7	3
= 1	10
= 2	15
= 5	5
= 9	3
SELECT sum(10 / x) FILTER (WHERE x = 0) FROM (VALUES (0), (5)) v(x)
! 22012
SELECT sum(10 / x) FROM (VALUES (0), (5)) v(x)
! 22012
SELECT sum(10 / x) FILTER (WHERE x IN (SELECT 0)) FROM (VALUES (0), (5)) v(x)
! 22012
SELECT x, CASE WHEN x > 1 THEN (SELECT 10 / (x - 1)) END FROM (VALUES (1), (2)) v(x) ORDER BY x
: integer integer
= 1	\N
= 2	10
SELECT coalesce(x, (SELECT 1 / (x - x))) FROM (VALUES (1), (2)) v(x)
: integer
= 1
= 2
SELECT x FROM (VALUES (1), (2)) v(x) WHERE x = 1 OR EXISTS (SELECT 1 FROM (VALUES (1)) w(y) WHERE 10 / (x - 1) > y)
: integer
= 1
= 2
SELECT CASE WHEN t = 'n' THEN 0 ELSE (SELECT t::int + y FROM (VALUES (1)) w(y)) END FROM (VALUES ('n'), ('3')) v(t)
: integer
= 0
= 4
SELECT CASE x WHEN 1 THEN 0 WHEN 2 THEN (SELECT 10 / (x - 1)) ELSE (SELECT x / (x - 1)) END FROM (VALUES (1), (2), (3)) v(x)
: integer
= 0
= 10
= 1
SELECT CASE WHEN x = 1 THEN 0 WHEN (SELECT 10 / (x - 1)) > 5 THEN 1 ELSE 2 END FROM (VALUES (1), (2), (6)) v(x)
: integer
= 0
= 1
= 2
SELECT coalesce(nullif(x, 2), (SELECT max(10 / (v.x - 1)) FROM (VALUES (1), (2)) w(y) WHERE w.y = v.x)) FROM (VALUES (1), (2)) v(x)
! 42803
SELECT x FROM (VALUES (1), (2)) v(x) WHERE x > 1 AND (SELECT 10 / (x - 1)) > 5
: integer
= 2
SELECT x FROM (VALUES (1), (2)) v(x) WHERE (SELECT 10 / (x - 1)) > 5 AND x > 1
: integer
= 2
SELECT x FROM (VALUES (1), (2)) v(x) WHERE x <> 1 AND x IN (SELECT 2 / (v.x - 1))
: integer
= 2
SELECT x FROM (VALUES (1), (2)) v(x) WHERE x = 1 OR 10 > ALL (SELECT 5 / (x - 1) FROM (VALUES (1)) w(y))
: integer
= 1
= 2
SELECT x > 1 AND (SELECT 10 / (x - 1)) > 5 FROM (VALUES (1), (2)) v(x)
: boolean
= f
= t
SELECT x = 1 OR (SELECT 10 / (x - 1)) > 5 FROM (VALUES (1), (2)) v(x)
: boolean
= t
= t
SELECT s.id, CASE WHEN s.s > 1 THEN (SELECT sum(10 / (s.s - 1)) FROM notes n WHERE n.sample = s.id) END FROM samples s WHERE id < 4 ORDER BY 1
! 42803
SELECT id, CASE WHEN s > 1 THEN (SELECT count(*) / (s - 1) FROM notes n WHERE n.sample = id) END FROM samples WHERE id < 4 ORDER BY 1
: integer bigint
= 1	\N
= 2	\N
= 3	0
SELECT s.id, CASE WHEN s.s <> 1 THEN (SELECT sum(t.i) FROM samples t WHERE t.s / (s.s - 1) = 2) END FROM samples s WHERE s.s IS NOT NULL ORDER BY 1
: integer bigint
= 1	\N
= 2	\N
= 3	7
= 4	7
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT i, CASE WHEN i <> 0 THEN (SELECT 10 / v.i) END FROM samples v GROUP BY i ORDER BY 1
: integer integer
= -7	-1
= 0	\N
= 1	10
= 2	5
= 3	3
= 5	2
= 9	1
= \N	\N
SELECT x, CASE WHEN x <> 0 THEN (SELECT sum(10 / x) FILTER (WHERE y <> 0) FROM (VALUES (0), (1)) w(y)) END FROM (VALUES (0), (5)) v(x) ORDER BY 1
: integer bigint
= 0	\N
= 5	2
SELECT x, CASE WHEN x <> 0 THEN (SELECT CASE WHEN y > 1 THEN (SELECT 10 / x / (y - 1)) END FROM (VALUES (1)) w(y)) END FROM (VALUES (0), (5)) v(x) ORDER BY 1
: integer integer
= 0	\N
= 5	\N
SELECT x, CASE WHEN x <> 0 THEN (SELECT 10 / x FROM (VALUES (2)) v(y) WHERE y = 2) END FROM (VALUES (0), (5)) v(x) ORDER BY 1
: integer integer
= 0	\N
= 5	2
SELECT x, CASE WHEN x > 5 THEN (SELECT max(10 / (s - 1)) FROM samples) END FROM (VALUES (1)) v(x)
: integer integer
= 1	\N
~ a subquery that is not correlated is computed once
>! 22012
SELECT CASE WHEN x > 1 THEN (SELECT 10 / (x - 1) UNION ALL SELECT 1 LIMIT 1) END FROM (VALUES (1), (2)) v(x)
: integer
= \N
= 10
SELECT x, (SELECT 10 / x WHERE x <> 0) FROM (VALUES (0), (5)) v(x) ORDER BY 1
: integer integer
= 0	\N
= 5	2
SELECT CASE WHEN x > 1 THEN ARRAY(SELECT 10 / (x - 1)) END FROM (VALUES (1), (2)) v(x)
: integer[]
= \N
= {10}
SELECT x, CASE WHEN x > 5 THEN (SELECT 10 / (y - 1) FROM (VALUES (1)) w(y)) END FROM (VALUES (1), (2)) v(x)
! 22012
SELECT CASE WHEN a.x > 1 THEN (SELECT 10 / (a.x - 1) FROM (VALUES (1)) a(x) LIMIT 1) END FROM (VALUES (2)) a(x)
! 22012
SELECT CASE WHEN x > 1 THEN (SELECT 10 / (x - 1)) END, count(*) FROM (VALUES (2), (1)) v(x) GROUP BY x ORDER BY 1
: integer bigint
= 10	1
= \N	1
SELECT sum(CASE WHEN x > 1 THEN (SELECT 10 / (x - 1)) END) FROM (VALUES (2), (1)) v(x)
: bigint
= 10
SELECT x FROM (VALUES (1), (2)) v(x) ORDER BY CASE WHEN x > 1 THEN (SELECT 10 / (x - 1)) END
: integer
= 2
= 1
SELECT x <> 0 AND 10 / x > 2 FROM (VALUES (0), (5), (2)) v(x)
: boolean
= f
= f
= t
SELECT x = 0 OR 10 / x > 2 FROM (VALUES (0), (5), (2)) v(x)
: boolean
= t
= f
= t
SELECT x FROM (VALUES (0), (5), (2)) v(x) WHERE NOT (x = 0 OR 10 / x > 2)
: integer
= 5
SELECT x FROM (VALUES (0), (5), (2)) v(x) WHERE (x <> 0 AND 10 / x > 2) IS NOT TRUE
: integer
= 0
= 5
SELECT x FROM (VALUES (0), (5), (2)) v(x) ORDER BY x <> 0 AND 10 / x > 2, x
: integer
= 0
= 5
= 2
SELECT x IS NOT NULL AND x <> 0 AND 10 / x > 2 AND 10 / (x - 2) > 1 FROM (VALUES (0), (5), (2), (NULL)) v(x)
! 22012
SELECT count(*), x <> 0 AND 10 / x > 2 AS a FROM (VALUES (0), (5), (2)) v(x) GROUP BY x <> 0 AND 10 / x > 2 ORDER BY 1
: bigint boolean
= 1	t
= 2	f
SELECT t ~ '^\d+$' AND t::int > 3 FROM (VALUES ('a'), ('4')) v(t)
: boolean
= f
= t
SELECT bool_and(x <> 0 AND 10 / x > 1) FROM (VALUES (0), (5), (2)) v(x)
: boolean
= f
SELECT CASE WHEN (x = 0 OR 10 / x > 2) IS TRUE THEN 1 END FROM (VALUES (0), (5), (2)) v(x)
: integer
= 1
= \N
= 1
SELECT id, s <> 1 AND 10 / (s - 1) > 2 FROM samples WHERE id < 5 ORDER BY 1
: integer boolean
= 1	f
= 2	f
= 3	t
= 4	t
SELECT id FROM samples WHERE (s = 1 OR 10 / (s - 1) > 2) = true ORDER BY 1
: integer
= 1
= 2
= 3
= 4
= 6
= 7
SELECT (CASE WHEN (w LIKE '2020-%' AND (w::timestamptz) IN (SELECT w::timestamptz)) THEN 1 END) FROM (VALUES (''),('2020-01-01')) v(w)
: integer
= \N
= 1
SELECT w FROM (VALUES (''),('2020-01-01')) v(w) WHERE w LIKE '2020-%' AND (w::timestamptz) IN (SELECT w::timestamptz)
: text
= 2020-01-01
SELECT w FROM (VALUES (''),('2020-01-01')) v(w) WHERE w NOT LIKE '2020-%' OR (w::timestamptz) IN (SELECT w::timestamptz)
: text
= 
= 2020-01-01
SELECT w FROM (VALUES (''),('2020-01-01')) v(w) WHERE w NOT LIKE '2020-%' OR (w::timestamptz) IN (SELECT '2020-01-01'::timestamptz)
: text
= 
= 2020-01-01
SELECT w FROM (VALUES (''),('2020-01-01')) v(w) WHERE w LIKE '2020-%' AND (w::timestamptz) IN (SELECT '2020-01-01'::timestamptz)
: text
= 2020-01-01
SELECT w FROM (VALUES (''),('2020-01-01')) v(w) WHERE w LIKE '2020-%' AND (w::timestamptz) > ALL (SELECT '2019-01-01'::timestamptz)
: text
= 2020-01-01
SELECT w FROM (VALUES (''),('2020-01-01')) v(w) WHERE w NOT LIKE '2020-%' OR (w::timestamptz) > ANY (SELECT '2019-01-01'::timestamptz)
: text
= 
= 2020-01-01
SELECT w, CASE WHEN w LIKE '2020-%' THEN (w::timestamptz) > ANY (SELECT '2019-01-01'::timestamptz) END FROM (VALUES (''),('2020-01-01')) v(w)
: text boolean
= 	\N
= 2020-01-01	t
SELECT w, CASE WHEN w LIKE '2020-%' THEN (w::date, 1) IN (SELECT '2020-01-01'::date, 1) END FROM (VALUES (''),('2020-01-01')) v(w)
: text boolean
= 	\N
= 2020-01-01	t
SELECT w, CASE WHEN w LIKE '2020-%' THEN (w::date, 1) IN (SELECT w::date, 1) END FROM (VALUES (''),('2020-01-01')) v(w)
: text boolean
= 	\N
= 2020-01-01	t
SELECT w, coalesce(nullif(w LIKE '2020-%', true), w::date NOT IN (SELECT '2020-01-01'::date)) FROM (VALUES (''),('2020-01-01')) v(w)
: text boolean
= 	f
= 2020-01-01	f
SELECT w, coalesce(nullif(w LIKE '2020-%', true), w::date NOT IN (SELECT w::date)) FROM (VALUES (''),('2020-01-01')) v(w)
: text boolean
= 	f
= 2020-01-01	f
SELECT sum(10/x) FILTER (WHERE x <> 0 AND 10/x IN (SELECT 5)) FROM (VALUES (0),(2)) v(x)
: bigint
= 5
SELECT x FROM (VALUES (0),(2)) v(x) GROUP BY x HAVING x <> 0 AND 10/x IN (SELECT 5)
: integer
= 2
SELECT count(*) FROM (VALUES (0),(2)) v(x) HAVING min(x) > 1 AND 10/min(x) IN (SELECT 5)
: bigint
SELECT count(*) FROM (VALUES (1), (2)) s(id) JOIN (VALUES (1, 'Zed'), (2, '{1}')) r0(n, name) ON s.id = r0.n AND (NOT (r0.name IN ('{}', '{1}')) OR EXISTS (SELECT 1 FROM (VALUES (1)) q (y) WHERE (r0.name::bigint[]) IS NOT NULL AND y = 1))
: bigint
= 2
WITH r (x) AS (SELECT 1 FROM (VALUES (0), (5)) v(n) WHERE (NOT (n BETWEEN 1 AND 12) OR EXISTS (SELECT 1 FROM (VALUES (1)) q (y) WHERE (make_date(2020, n, 1)) IS NOT NULL AND y = 1))) SELECT count(*) FROM r
: bigint
= 2
SELECT w, percentile_cont(0) WITHIN GROUP (ORDER BY (CASE (x >= 0) WHEN true THEN (SELECT sqrt(x) FROM (VALUES (1)) q (y) WHERE y = 1) END)) FROM (VALUES ('a', -1), ('a', 4), ('b', -4)) v(w, x) GROUP BY w ORDER BY w
: text double_precision
= a	2
= b	\N
SELECT string_agg(x::text, (10 / x)::text) FILTER (WHERE x <> 0) FROM (VALUES (0), (5), (5)) v(x)
: text
= 525
SELECT sum(10 / x) FILTER (WHERE x IN (SELECT 5)), max(10 / x) FILTER (WHERE x = ANY (SELECT 5)), count(10 / x) FILTER (WHERE x > (SELECT 1)), avg(10 / x) FILTER (WHERE x IN (SELECT 5)), count(DISTINCT 10 / x) FILTER (WHERE x IN (SELECT 5)) FROM (VALUES (0), (5)) v(x)
: bigint integer bigint numeric bigint
= 2	2	1	2.0000000000000000	1
SELECT s, sum(100 / i) FILTER (WHERE EXISTS (SELECT 1 FROM notes q WHERE q.number = i)) FROM samples GROUP BY s ORDER BY s
: smallint bigint
= -1	33
= 1	150
= 2	70
= 3	\N
= \N	\N
SELECT sum(100 / i) FILTER (WHERE i IN (SELECT q.number FROM notes q)) OVER () FROM samples WHERE id < 4
: bigint
= 200
= 200
= 200
SELECT sum(10 / x) FILTER (WHERE x <> 0 AND x IN (SELECT 5)), count(*) FILTER (WHERE x IN (SELECT 5)) FROM (VALUES (0), (5)) v(x)
: bigint bigint
= 2	1
SELECT id, coalesce(CASE WHEN i <> 0 THEN NULL ELSE interval '1 day' END, make_interval(hours => 1 / i)) FROM samples WHERE id < 6 ORDER BY id
: integer interval
= 1	01:00:00
= 2	00:00:00
= 3	00:00:00
= 4	00:00:00
= 5	1 day
SELECT id, coalesce(CASE WHEN i = 0 THEN 1 END, 1 / i + 1 / i), coalesce(CASE WHEN i = 0 THEN 2 END, 1 / i), CASE WHEN i <> 0 THEN 1 / i END FROM samples t WHERE id < 6 ORDER BY id
: integer integer integer integer
= 1	2	1	1
= 2	0	0	0
= 3	0	0	0
= 4	0	0	0
= 5	\N	\N	\N
SELECT id FROM samples WHERE coalesce(CASE WHEN i = 0 THEN 1 END, 6 / i) > 0 AND coalesce(CASE WHEN i = 0 THEN 1 END, 6 / i) < 9 ORDER BY id
: integer
= 1
= 2
= 3
= 4
= 8
= 9
SELECT i, coalesce(CASE WHEN i = 0 THEN 1 END, sum(6 / nullif(i, 0)) + 6 / i + 6 / i, 7) FROM samples GROUP BY i ORDER BY i
: integer bigint
= -7	0
= 0	1
= 1	18
= 2	12
= 3	6
= 5	3
= 9	0
= \N	7
SELECT id, coalesce(nullif(i, 0), (SELECT 6 / t.i + 6 / t.i), 6 / i) FROM samples t WHERE id < 6 AND i <> 0 ORDER BY id
: integer integer
= 1	1
= 2	2
= 3	2
= 4	5
SELECT count(coalesce(CASE WHEN i = 0 THEN 1 END, 6 / i, 5 / i)), max(coalesce(CASE WHEN i = 0 THEN 1 END, 6 / i)) OVER () FROM samples GROUP BY i ORDER BY 1, 2
: bigint integer
= 0	6
= 1	6
= 1	6
= 1	6
= 1	6
= 1	6
= 1	6
= 2	6
SELECT regr_slope((CASE WHEN n BETWEEN -9 AND 9 THEN (SELECT n::smallint) END)::double precision, i::double precision) FROM samples
: double_precision
= 0.04895104895104895
SELECT corr((CASE WHEN n BETWEEN -9 AND 9 THEN (SELECT n::smallint) END)::double precision, i::double precision) IS NOT NULL FROM samples
: boolean
= t
SELECT count(*) FROM (VALUES (0)) v(x) HAVING min(x) > 1 AND 10/min(x) IN (2)
: bigint
SELECT x FROM (VALUES ('a'), ('1'), ('2')) v(x) WHERE x ~ '^\d+$' AND x::int IN (1, 5, 8)
: text
= 1
SELECT i FROM samples WHERE i <> 0 AND 10/i IN (2, 5) ORDER BY id
: integer
= 2
= 2
= 5
SELECT s, count(*) FROM samples GROUP BY s HAVING min(i) <> 0 AND 10/min(i) IN (2, 5) ORDER BY 1
: smallint bigint
= 2	2
SELECT x FROM (VALUES (0), (1), (2), (3)) v(x) WHERE x > 1 AND 10/x IN (2, 5)
: integer
= 2
SELECT x FROM (VALUES (0), (1), (2), (3)) v(x) WHERE x <> 0 AND 10/x IN (2, 5, 7, 8, 10)
: integer
= 1
= 2
SELECT x FROM (VALUES (0), (1), (2), (3)) v(x) WHERE x <> 0 AND 10/x = 5 AND 10/(x-1) NOT IN (1,2,3)
: integer
= 2
SELECT x FROM (VALUES (0), (1), (2), (3)) v(x) WHERE x = 0 OR 10/x IN (2, 5, 7) ORDER BY 1
: integer
= 0
= 2
SELECT x FROM (VALUES (0), (1), (2), (3)) v(x) WHERE (x = 0 OR 10/x IN (2, 5, 7)) AND (x = 1 OR 10/(x-1) IN (-10, 5, 10)) ORDER BY 1
: integer
= 0
= 2
SELECT x FROM (VALUES (0), (1), (2), (3)) v(x) WHERE x > 0 AND (x = 1 OR 10/(x-1) IN (10)) AND 10/x IN (5, 10) ORDER BY 1
: integer
= 1
= 2
SELECT x FROM (VALUES (0), (1), (2), (3)) v(x) WHERE CASE WHEN x > 0 THEN 10/x IN (2, 5, 7) END ORDER BY 1
: integer
= 2
SELECT x FROM (VALUES (0), (1), (2), (3)) v(x) WHERE x > 0 AND x < 5 AND 10/x IN (2, 5) AND 10/(x+1) IN (3)
: integer
= 2
SELECT x FROM (VALUES (0), (1), (2), (3)) v(x) WHERE x IN (1, 2) AND 10/x IN (10, 2, 5) AND (x::text || '1')::int IN (11)
: integer
= 1
SELECT a.x FROM (VALUES (0), (1), (2), (3)) a(x) JOIN (VALUES (0), (1), (2), (3)) b(x) ON a.x = b.x AND a.x <> 0 AND 10/a.x IN (2, 5, 7)
: integer
= 2
SELECT x > 0 AND 10/x IN (2, 5) FROM (VALUES (0), (1), (2), (3)) v(x)
: boolean
= f
= f
= t
= f
SELECT x = 0 OR 10/x IN (2, 5) FROM (VALUES (0), (1), (2), (3)) v(x)
: boolean
= t
= f
= t
= f
SELECT CASE WHEN x = 0 THEN false WHEN 10/x IN (5) THEN true END FROM (VALUES (0), (1), (2), (3)) v(x)
: boolean
= f
= \N
= t
= \N
