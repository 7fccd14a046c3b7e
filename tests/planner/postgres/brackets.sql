((SELECT * FROM (VALUES (1, 'a'), (2, 'b')) t(n, s)))
: integer text
= 1	a
= 2	b
SELECT * FROM ((SELECT 0 AS x) a CROSS JOIN (SELECT 7 AS y) b) j
: integer integer
= 0	7
SELECT * FROM ((SELECT 1 AS a) x JOIN (SELECT 1 AS b) y ON a = b) z
: integer integer
= 1	1
SELECT z.a, z.b FROM ((SELECT 1 AS a) x JOIN (SELECT 1 AS b) y ON a = b) z
: integer integer
= 1	1
SELECT x.a FROM ((SELECT 1 AS a) x JOIN (SELECT 1 AS b) y ON a = b) z
! 42P01
SELECT p, q, b FROM ((SELECT 1 AS a) x JOIN (SELECT 1 AS a, 2 AS b) y USING (a)) z(p, q), (SELECT 3 AS b) w
: integer integer integer
= 1	2	3
SELECT p, q, w.b FROM ((SELECT 1 AS a) x JOIN (SELECT 1 AS a, 2 AS b) y USING (a)) z(p, q), (SELECT 3 AS b) w
: integer integer integer
= 1	2	3
SELECT * FROM ((SELECT 1 AS a) x JOIN (SELECT 1 AS a, 2 AS b) y USING (a)) z(p)
: integer integer
= 1	2
SELECT * FROM (samples s JOIN notes n ON s.id = n.sample) j WHERE number = 1
: integer integer smallint bigint numeric double_precision real text boolean date timestamp_without_time_zone timestamp_with_time_zone json bigint[] bigint integer text
= 1	1	1	10	1.500	0.5	1.5	Abc	t	2020-01-01	2020-01-01 10:00:00	2020-01-01 10:00:00+00	{"a": 1, "b": "x", "c": ["p", "q"]}	{1,2}	1	1	one
SELECT j.number, j.i FROM (samples s LEFT JOIN notes n ON s.id = n.sample) j WHERE note IS NULL ORDER BY id
: bigint integer
= \N	2
= \N	5
= \N	\N
= \N	-7
= \N	9
= \N	0
= \N	3
SELECT * FROM (notes n CROSS JOIN notes m) j WHERE number = 1
! 42702
SELECT count(*) FROM (notes n CROSS JOIN notes m) j
: bigint
= 25
SELECT count(*) FROM (notes n CROSS JOIN notes m) j(a, b, c, d, e, f) WHERE a = d
: bigint
= 5
SELECT * FROM (notes n NATURAL JOIN notes m) j ORDER BY number
: bigint integer text
= 1	1	one
= 2	1	uno
= 3	2	two
= 4	99	far
SELECT * FROM (notes)
! 42601
SELECT n.number, s.i FROM ((notes n JOIN samples s ON n.sample = s.id)) ORDER BY 1
: bigint integer
= 1	1
= 2	1
= 3	2
SELECT * FROM ((VALUES (1)) v(x) CROSS JOIN (VALUES (2)) w(y)) j(p)
: integer integer
= 1	2
SELECT v.x FROM ((VALUES (1)) v(x) CROSS JOIN (VALUES (2)) w(y))
: integer
= 1
SELECT number FROM notes a LEFT JOIN (notes b JOIN samples c ON b.sample = c.id) ON a.sample = c.id ORDER BY 1
! 42702
SELECT a.number, c.id FROM notes a LEFT JOIN (notes b JOIN samples c ON b.sample = c.id) ON a.sample = c.id ORDER BY 1, 2
: bigint integer
= 1	1
= 1	1
= 2	1
= 2	1
= 3	2
= 4	\N
= 5	\N
(SELECT i, id FROM samples LIMIT 1) ORDER BY id DESC
: integer integer
= 3	9
(SELECT i FROM samples ORDER BY id) ORDER BY i
! 42601
(SELECT i FROM samples LIMIT 2) LIMIT 1
! 42601
((SELECT i FROM samples) ORDER BY id DESC) LIMIT 2
: integer
= 3
= 0
SELECT ((SELECT 1))
: integer
= 1
SELECT ((SELECT max(id) FROM samples) + 1)
: integer
= 10
SELECT 1 WHERE 1 IN ((SELECT 1))
: integer
= 1
SELECT * FROM (((SELECT 1 AS a ORDER BY 1) LIMIT 1)) b
: integer
= 1
SELECT * FROM ((SELECT 1 AS a) UNION ALL (SELECT 2)) b ORDER BY a
: integer
= 1
= 2
SELECT 1 UNION ((SELECT 2 LIMIT 1)) ORDER BY 1
: integer
= 1
= 2
WITH x AS (SELECT 1 AS a) (SELECT * FROM x) ORDER BY a
: integer
= 1
SELECT EXISTS ((SELECT 1)), ARRAY((SELECT 1))
: boolean integer[]
= t	{1}
SELECT * x FROM notes
! 42601
SELECT current_schemas()
! 42883
SELECT 1 FROM pg_catalog..pg_class
! 42601
SELECT 1::varchar(upper('x'))
! 42601
SELECT 1::"text; x"
! 42704
SELECT percentile_cont() WITHIN GROUP (ORDER BY i) FROM (VALUES (1), (2)) t(i)
! 42883
SELECT a.i, count(*) FROM samples a GROUP BY a.i, i ORDER BY 1
: integer bigint
= -7	1
= 0	1
= 1	1
= 2	2
= 3	1
= 5	1
= 9	1
= \N	1
SELECT i, count(*) FROM samples GROUP BY samples.i, 1, i ORDER BY 1
: integer bigint
= -7	1
= 0	1
= 1	1
= 2	2
= 3	1
= 5	1
= 9	1
= \N	1
SELECT i, count(*) FROM samples GROUP BY i, ROLLUP(i, samples.i) ORDER BY 1, 2
: integer bigint
= -7	1
= -7	1
= -7	1
= 0	1
= 0	1
= 0	1
= 1	1
= 1	1
= 1	1
= 2	2
= 2	2
= 2	2
= 3	1
= 3	1
= 3	1
= 5	1
= 5	1
= 5	1
= 9	1
= 9	1
= 9	1
= \N	1
= \N	1
= \N	1
SELECT length(normalize('ä', NFC))
: integer
= 1
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i, i) FROM (VALUES (1), (2)) t(i)
! 42883
SELECT mode() WITHIN GROUP (ORDER BY i) FROM (VALUES (1), (2)) t(i)
: integer
= 1
SELECT percentile_disc() WITHIN GROUP (ORDER BY i) FROM (VALUES (1), (2)) t(i)
! 42883
SELECT percentile_disc(0.5, 2) WITHIN GROUP (ORDER BY i) FROM (VALUES (1), (2)) t(i)
! 42883
SELECT f, g FROM (VALUES (1, 1), (2, 5)) t(f, g) WHERE (f, 1) IN (SELECT f, g)
: integer integer
= 1	1
SELECT f FROM (VALUES (1, 1), (2, 5)) t(f, g) WHERE (f, 5) IN (SELECT a, b FROM (VALUES (2, 5), (1, 1)) u(a, b) WHERE b = t.g)
: integer
= 2
SELECT f, (f, g) IN (SELECT a, b FROM (VALUES (2, 5), (1, NULL)) u(a, b) WHERE a = t.f) FROM (VALUES (1, 1), (2, 5), (3, 3), (NULL, 1)) t(f, g) ORDER BY 1
: integer boolean
= 1	\N
= 2	t
= 3	f
= \N	f
SELECT f, (f, g) NOT IN (SELECT a, b FROM (VALUES (2, 5), (1, NULL)) u(a, b) WHERE a >= t.f) FROM (VALUES (1, 1), (2, 5), (3, 3), (NULL, 1)) t(f, g) ORDER BY 1
: integer boolean
= 1	\N
= 2	f
= 3	t
= \N	t
SELECT f, (f, g) = ANY (SELECT a, b FROM (VALUES (2, 5), (1, NULL)) u(a, b) WHERE a >= t.f) FROM (VALUES (1, 1), (2, 5), (3, 3), (NULL, 1)) t(f, g) ORDER BY 1
: integer boolean
= 1	\N
= 2	t
= 3	f
= \N	f
SELECT f, (f, g) <> ALL (SELECT a, b FROM (VALUES (2, 5), (1, NULL)) u(a, b) WHERE a >= t.f) FROM (VALUES (1, 1), (2, 5), (3, 3), (NULL, 1)) t(f, g) ORDER BY 1
: integer boolean
= 1	\N
= 2	f
= 3	t
= \N	t
SELECT f, (f, g) <> ALL (SELECT a, b FROM (VALUES (2, 5), (1, NULL)) u(a, b)) FROM (VALUES (1, 1), (2, 5), (3, 3), (NULL, 1)) t(f, g) ORDER BY 1
: integer boolean
= 1	\N
= 2	f
= 3	t
= \N	\N
SELECT id FROM samples s WHERE (id, i) IN (SELECT sample, s.i FROM notes) ORDER BY 1
: integer
= 1
= 2
SELECT id FROM samples s WHERE (id, 'two') IN (SELECT sample, note FROM notes n WHERE n.sample = s.id) ORDER BY 1
: integer
= 2
SELECT id FROM samples s WHERE (id, 'two') NOT IN (SELECT sample, note FROM notes n WHERE n.sample = s.id) ORDER BY 1
: integer
= 1
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT id FROM samples s WHERE NOT (id, 'two') IN (SELECT sample, note FROM notes n WHERE n.number < s.id) ORDER BY 1
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
SELECT id FROM samples s WHERE ROW(id, 'two') IN (SELECT sample, note FROM notes n WHERE n.number < s.id) ORDER BY 1
: integer
SELECT count(*) FROM samples s GROUP BY i HAVING (i, 1) IN (SELECT sample, n.number FROM notes n WHERE n.sample = s.i)
: bigint
= 1
SELECT i, (i, 1) IN (SELECT sample, n.number FROM notes n WHERE n.sample = i) FROM samples s GROUP BY i ORDER BY 1
: integer boolean
= -7	f
= 0	f
= 1	t
= 2	f
= 3	f
= 5	f
= 9	f
= \N	f
SELECT id FROM samples s ORDER BY (id, 'two') IN (SELECT sample, note FROM notes n WHERE n.sample = s.id) DESC, id LIMIT 2
: integer
= 2
= 1
SELECT s.id, n.number FROM samples s JOIN notes n ON (s.id, n.number) IN (SELECT m.sample, m.number FROM notes m WHERE m.number = n.number) ORDER BY 2
: integer bigint
= 1	1
= 1	2
= 2	3
SELECT id FROM samples s WHERE (id, (SELECT max(number) FROM notes n WHERE n.sample = s.id)) IN (SELECT sample, number FROM notes n WHERE n.sample = s.id) ORDER BY 1
: integer
= 1
= 2
SELECT id FROM samples s WHERE (id, i) IN (SELECT a, b FROM (VALUES (1, 1), (2, 2)) v(a, b) WHERE (a, b) IN (SELECT s.id, v.b)) ORDER BY 1
: integer
= 1
= 2
SELECT id FROM samples s WHERE (id, i) IN (VALUES (1, 1), (s.id, 2)) ORDER BY 1
: integer
= 1
= 2
= 3
SELECT id FROM samples s WHERE (id, i) IN (SELECT 1, 1 UNION ALL SELECT s.id, 2) ORDER BY 1
: integer
= 1
= 2
= 3
SELECT id FROM samples s WHERE (id, i) IN (SELECT s.id, s.i LIMIT 0) ORDER BY 1
: integer
SELECT (1,2) IN (SELECT 1)
! 42601
SELECT 1 IN (SELECT 1,2)
! 42601
SELECT 1 = ANY (SELECT 1,2)
! 42601
SELECT (1, 2) IN (SELECT 1, 2, 3)
! 42601
SELECT DISTINCT ON (k) k, generate_series(1, n)::int FROM (VALUES ('a', 2), ('b', 3)) v(k, n) ORDER BY k
: text integer
= a	1
= a	2
= b	1
= b	2
= b	3
SELECT DISTINCT ON (k) k, generate_series(1, n)::int g FROM (VALUES ('a', 2), ('b', 3)) v(k, n) ORDER BY k, g DESC
: text integer
= a	2
= b	3
SELECT DISTINCT ON (k) k, generate_series(1, n)::int g FROM (VALUES ('a', 2), ('b', 3), ('b', 1)) v(k, n) ORDER BY k, n
: text integer
= a	1
= a	2
= b	1
SELECT DISTINCT ON (k) k, generate_series(1, n)::int g FROM (VALUES ('a', 2), ('b', 3), ('b', 1)) v(k, n) ORDER BY k, n DESC LIMIT 3 OFFSET 1
: text integer
= a	2
= b	1
= b	2
SELECT DISTINCT ON (k) k, generate_series(1, n)::int FROM (VALUES ('a', 2), ('b', 3)) v(k, n)
: text integer
= a	1
= b	1
SELECT DISTINCT ON (k) k, unnest(a) FROM (VALUES (1, ARRAY[7, 8]), (2, ARRAY[9])) v(k, a) ORDER BY k
: integer integer
= 1	7
= 1	8
= 2	9
SELECT DISTINCT ON (k) *, unnest(a) u FROM (VALUES (1, ARRAY[7, 8]), (2, ARRAY[9])) v(k, a) ORDER BY k
: integer integer[] integer
= 1	{7,8}	7
= 1	{7,8}	8
= 2	{9}	9
SELECT DISTINCT ON (1) k AS x, unnest(a) + k FROM (VALUES (1, ARRAY[7, 8]), (2, ARRAY[9])) v(k, a) ORDER BY 1
: integer integer
= 1	8
= 1	9
= 2	11
SELECT DISTINCT ON (x) k AS x, unnest(a) + k FROM (VALUES (1, ARRAY[7, 8]), (2, ARRAY[9])) v(k, a) ORDER BY x DESC
: integer integer
= 2	11
= 1	8
= 1	9
SELECT DISTINCT ON (x) k AS x, unnest(a) + k FROM (VALUES (1, ARRAY[7, 8]), (2, ARRAY[9])) v(k, a) ORDER BY x DESC, 2
: integer integer
= 2	11
= 1	8
SELECT DISTINCT ON (i) i, unnest(a) FROM samples ORDER BY i, id DESC
: integer bigint
= -7	2
= 0	10
= 0	-10
= 1	1
= 1	2
= 3	9
= 3	9
= 5	4
= 9	7
= 9	8
= 9	9
SELECT DISTINCT ON (i) i, id, unnest(a), unnest(ARRAY[1]) FROM samples ORDER BY i, id DESC
: integer integer bigint integer
= -7	6	2	1
= 0	8	10	1
= 0	8	-10	\N
= 1	1	1	1
= 1	1	2	\N
= 2	3	\N	1
= 3	9	9	1
= 3	9	9	\N
= 5	4	4	1
= 9	7	7	1
= 9	7	8	\N
= 9	7	9	\N
= \N	5	\N	1
SELECT DISTINCT ON (i) i, count(*), unnest(ARRAY[1, 2]) FROM samples GROUP BY i ORDER BY i DESC
: integer bigint integer
= \N	1	1
= \N	1	2
= 9	1	1
= 9	1	2
= 5	1	1
= 5	1	2
= 3	1	1
= 3	1	2
= 2	2	1
= 2	2	2
= 1	1	1
= 1	1	2
= 0	1	1
= 0	1	2
= -7	1	1
= -7	1	2
SELECT DISTINCT ON (i) i, row_number() OVER (ORDER BY id), unnest(ARRAY[i, 2]) FROM samples ORDER BY i, 2
: integer bigint integer
= -7	6	-7
= -7	6	2
= 0	8	0
= 0	8	2
= 1	1	1
= 1	1	2
= 2	2	2
= 2	2	2
= 3	9	3
= 3	9	2
= 5	4	5
= 5	4	2
= 9	7	9
= 9	7	2
= \N	5	\N
= \N	5	2
SELECT x FROM (SELECT DISTINCT ON (k) k, unnest(a) x FROM (VALUES (1, ARRAY[7, 8]), (2, ARRAY[9])) v(k, a) ORDER BY k) q ORDER BY x
: integer
= 7
= 8
= 9
SELECT DISTINCT ON (i) i, string_to_table(t, 'b') FROM samples WHERE t IS NOT NULL ORDER BY i, id
: integer text
= -7	aB
= 0	Zed
= 1	A
= 1	c
= 2	a
= 2	c
= 3	 x 
= 9	ä
SELECT DISTINCT ON (i) regexp_split_to_table(t, 'b') || i FROM samples WHERE t IS NOT NULL ORDER BY i, id
: text
= aB-7
= Zed0
= A1
= c1
= a2
= c2
=  x 3
= 5
= ä9
