SELECT s.id, o.note FROM samples s JOIN notes o ON o.sample = s.id ORDER BY 1, 2
: integer text
= 1	one
= 1	uno
= 2	two
SELECT s.id, o.note FROM samples s LEFT JOIN notes o ON o.sample = s.id ORDER BY 1, 2
: integer text
= 1	one
= 1	uno
= 2	two
= 3	\N
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT s.id, o.note FROM samples s RIGHT JOIN notes o ON o.sample = s.id ORDER BY 1, 2
: integer text
= 1	one
= 1	uno
= 2	two
= \N	far
= \N	none
SELECT s.id, o.note FROM samples s FULL JOIN notes o ON o.sample = s.id ORDER BY 1, 2
: integer text
= 1	one
= 1	uno
= 2	two
= 3	\N
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
= \N	far
= \N	none
SELECT count(*) FROM samples CROSS JOIN notes
: bigint
= 45
SELECT count(*) FROM samples, notes WHERE sample = samples.id
: bigint
= 3
SELECT a.id, b.id FROM samples a JOIN samples b USING (i) ORDER BY 1, 2
: integer integer
= 1	1
= 2	2
= 2	3
= 3	2
= 3	3
= 4	4
= 6	6
= 7	7
= 8	8
= 9	9
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) x(k, v) NATURAL JOIN (VALUES (1, 'z'), (3, 'y')) y(k, w)
: integer text text
= 1	a	z
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) x(k, v) NATURAL FULL JOIN (VALUES (1, 'z'), (3, 'y')) y(k, w) ORDER BY k
: integer text text
= 1	a	z
= 2	b	\N
= 3	\N	y
SELECT k, x.k, y.k FROM (VALUES (1), (2)) x(k) FULL JOIN (VALUES (2), (3)) y(k) USING (k) ORDER BY 1
: integer integer integer
= 1	1	\N
= 2	2	2
= 3	\N	3
SELECT s.id, l.m FROM samples s CROSS JOIN LATERAL (SELECT max(note) AS m FROM notes o WHERE o.sample = s.id) l ORDER BY 1
: integer text
= 1	uno
= 2	two
= 3	\N
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT s.id, l.note FROM samples s LEFT JOIN LATERAL (SELECT note FROM notes o WHERE o.sample = s.id ORDER BY note LIMIT 1) l ON true ORDER BY 1
: integer text
= 1	one
= 2	two
= 3	\N
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT s.id, g FROM samples s, generate_series(1, s.id) g WHERE s.id < 4 ORDER BY 1, 2
: integer integer
= 1	1
= 2	1
= 2	2
= 3	1
= 3	2
= 3	3
SELECT s.id, o.note FROM samples s JOIN notes o ON o.sample < s.id AND s.id < 4 ORDER BY 1, 2
: integer text
= 2	one
= 2	uno
= 3	one
= 3	two
= 3	uno
SELECT a.id FROM samples a JOIN (samples b JOIN notes o ON o.sample = b.id) ON a.id = b.id ORDER BY 1
: integer
= 1
= 1
= 2
SELECT x.id FROM samples x WHERE EXISTS (SELECT 1 FROM notes o WHERE o.sample = x.id) ORDER BY 1
: integer
= 1
= 2
SELECT x.id FROM samples x WHERE NOT EXISTS (SELECT 1 FROM notes o WHERE o.sample = x.id) ORDER BY 1
: integer
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE id IN (SELECT sample FROM notes) ORDER BY 1
: integer
= 1
= 2
SELECT id FROM samples WHERE id NOT IN (SELECT sample FROM notes WHERE sample IS NOT NULL) ORDER BY 1
: integer
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE id NOT IN (SELECT sample FROM notes) ORDER BY 1
: integer
SELECT id FROM samples WHERE i > ALL (SELECT i FROM samples WHERE i < 3) ORDER BY 1
: integer
= 4
= 7
= 9
SELECT id FROM samples WHERE i = ANY (SELECT i FROM samples WHERE id < 3) ORDER BY 1
: integer
= 1
= 2
= 3
SELECT id FROM samples WHERE i > SOME (SELECT i FROM samples WHERE id < 3) ORDER BY 1
: integer
= 2
= 3
= 4
= 7
= 9
SELECT id, (SELECT max(note) FROM notes o WHERE o.sample = s.id) FROM samples s ORDER BY 1
: integer text
= 1	uno
= 2	two
= 3	\N
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT id, (SELECT note FROM notes) FROM samples
! 21000
SELECT id FROM samples WHERE (id, i) IN (SELECT id, i FROM samples WHERE id < 3) ORDER BY 1
: integer
= 1
= 2
SELECT id FROM samples s WHERE i = (SELECT max(i) FROM samples WHERE f = s.f) ORDER BY 1
: integer
= 4
= 7
SELECT (SELECT 1 WHERE false), EXISTS (SELECT 1), NOT EXISTS (SELECT 1 WHERE false)
: integer boolean boolean
= \N	t	t
WITH a AS (SELECT id FROM samples WHERE id < 3), b AS (SELECT id + 10 AS id FROM a) SELECT * FROM a UNION ALL SELECT * FROM b ORDER BY 1
: integer
= 1
= 2
= 11
= 12
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n), count(*) FROM t
: bigint bigint
= 15	5
WITH RECURSIVE t(n) AS (VALUES (1) UNION SELECT n * 2 % 7 FROM t) SELECT n FROM t ORDER BY n
: integer
= 1
= 2
= 4
WITH a AS MATERIALIZED (SELECT 1 AS x), b AS NOT MATERIALIZED (SELECT 2 AS x) SELECT * FROM a, b
: integer integer
= 1	2
WITH RECURSIVE up(id, path) AS (SELECT 1, ARRAY[1] UNION ALL SELECT id + 1, path || (id + 1) FROM up WHERE id < 3) SELECT * FROM up
: integer integer[]
= 1	{1}
= 2	{1,2}
= 3	{1,2,3}
SELECT id FROM samples WHERE id < 3 UNION SELECT sample FROM notes ORDER BY 1
: integer
= 1
= 2
= 99
= \N
SELECT id FROM samples UNION ALL SELECT sample FROM notes ORDER BY 1
: integer
= 1
= 1
= 1
= 2
= 2
= 3
= 4
= 5
= 6
= 7
= 8
= 9
= 99
= \N
SELECT id FROM samples INTERSECT SELECT sample FROM notes ORDER BY 1
: integer
= 1
= 2
SELECT id FROM samples EXCEPT SELECT sample FROM notes ORDER BY 1
: integer
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT id % 2 FROM samples INTERSECT ALL SELECT id % 2 FROM samples WHERE id < 4 ORDER BY 1
: integer
= 0
= 1
= 1
SELECT id % 2 FROM samples EXCEPT ALL SELECT id % 2 FROM samples WHERE id < 4 ORDER BY 1
: integer
= 0
= 0
= 0
= 1
= 1
= 1
SELECT 1 UNION SELECT 2 INTERSECT SELECT 2 ORDER BY 1
: integer
= 1
= 2
(SELECT 1 UNION SELECT 2) EXCEPT SELECT 2
: integer
= 1
SELECT 1 AS a UNION ALL SELECT 2.5 ORDER BY a
: numeric
= 1
= 2.5
SELECT NULL UNION SELECT 1 ORDER BY 1
: integer
= 1
= \N
SELECT 1 UNION SELECT 'x'
! 22P02
SELECT 1, 2 UNION SELECT 1
! 42601
VALUES (1, 'a'), (2, 'b')
: integer text
= 1	a
= 2	b
SELECT * FROM (VALUES (1, 'a'), (2, NULL)) AS t (n, s) ORDER BY n DESC
: integer text
= 2	\N
= 1	a
TABLE notes ORDER BY number
: bigint integer text
= 1	1	one
= 2	1	uno
= 3	2	two
= 4	99	far
= 5	\N	none
SELECT s.* FROM samples s WHERE false
: integer integer smallint bigint numeric double_precision real text boolean date timestamp_without_time_zone timestamp_with_time_zone json bigint[]
SELECT s.id AS "Id", s.i "I" FROM samples s WHERE id = 1
: integer integer
= 1	1
SELECT id FROM samples ORDER BY i, id LIMIT 3 OFFSET 1
: integer
= 8
= 1
= 2
SELECT id FROM samples ORDER BY i DESC, id LIMIT 3
: integer
= 5
= 7
= 4
SELECT id FROM samples ORDER BY i DESC NULLS LAST, id FETCH FIRST 3 ROWS ONLY
: integer
= 7
= 4
= 9
SELECT id FROM samples ORDER BY i FETCH FIRST 3 ROWS WITH TIES
: integer
= 6
= 8
= 1
SELECT id, -id AS id2 FROM samples ORDER BY id2 LIMIT 2
: integer integer
= 9	-9
= 8	-8
SELECT id AS i FROM samples ORDER BY i LIMIT 2
: integer
= 1
= 2
SELECT id FROM samples ORDER BY 2
! 42P10
SELECT id FROM samples LIMIT -1
! 2201W
SELECT id FROM samples ORDER BY id LIMIT ALL
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
SELECT id FROM samples ORDER BY id LIMIT NULL
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
SELECT nope FROM samples
! 42703
SELECT id FROM nope
! 42P01
SELECT nope(1)
! 42883
SELECT s.id FROM samples
! 42P01
SELECT id FROM samples a, samples b
! 42702
SELECT 1 WHERE 'x' = 1
! 22P02
SELECT 1 WHERE 1
! 42804
SELECT 1 AND 2
! 42804
SELECT CASE WHEN true THEN 1 ELSE 'x' END
! 22P02
SELECT 'a' + 'b'
! 42725
SELECT id FROM samples WHERE i = t
! 42883
SELECT id FROM samples WHERE i = ''
! 22P02
SELECT id FROM samples WHERE i IS NULL ORDER BY id
: integer
= 5
SELECT id FROM samples WHERE NOT f ORDER BY id
: integer
= 2
= 4
= 8
= 9
SELECT id FROM samples WHERE f ORDER BY id
: integer
= 1
= 3
= 6
= 7
SELECT id FROM samples WHERE f IS NOT TRUE ORDER BY id
: integer
= 2
= 4
= 5
= 8
= 9
SELECT id FROM samples WHERE i IN (1, 2, NULL) ORDER BY id
: integer
= 1
= 2
= 3
SELECT id FROM samples WHERE i NOT IN (1, 2, NULL) ORDER BY id
: integer
SELECT samples FROM samples WHERE id = 2
: samples
= (2,2,1,20,2.500,1.5,2.5,abc,f,2020-02-29,"2020-02-29 23:59:59.5","2020-02-29 23:59:59.5+00","{""a"": 2, ""b"": null}","{2,3}")
~ a whole row is a struct
>: record
>= (2,2,1,20,2.500,1.5,2.5,abc,f,2020-02-29,"2020-02-29 23:59:59.5","2020-02-29 23:59:59.5+00","{""a"": 2, ""b"": null}","{2,3}")
SELECT (s).id FROM samples s WHERE id = 2
! 42809
~ DuckDB takes id for a field of the column s
>! 0A000
SELECT DISTINCT i FROM samples ORDER BY i NULLS FIRST
: integer
= \N
= -7
= 0
= 1
= 2
= 3
= 5
= 9
SELECT id, i FROM samples ORDER BY (i IS NULL), i, id
: integer integer
= 6	-7
= 8	0
= 1	1
= 2	2
= 3	2
= 9	3
= 4	5
= 7	9
= 5	\N
SELECT id FROM samples ORDER BY lower(t) DESC NULLS LAST, id
: integer
= 7
= 8
= 3
= 1
= 2
= 6
= 9
= 4
= 5
SELECT count(*) FROM samples TABLESAMPLE SYSTEM (100)
: bigint
= 9
SELECT id FROM samples FOR UPDATE
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
~ FOR UPDATE is refused
>! 0A000
SELECT FROM samples
: 
= 
= 
= 
= 
= 
= 
= 
= 
= 
~ a SELECT without columns is refused
>! 0A000
SELECT * FROM ROWS FROM (generate_series(1, 2), generate_series(1, 3)) AS t(a, b)
: integer integer
= 1	1
= 2	2
= \N	3
~ ROWS FROM is refused
>! 0A000
WITH RECURSIVE t(n, h) AS (SELECT 1, 1.5 UNION ALL SELECT n + 1, h / 2 FROM t WHERE n < 4) SELECT n, round(h, 3), n / 2 FROM t ORDER BY n
: integer numeric integer
= 1	1.500	0
= 2	0.750	1
= 3	0.375	1
= 4	0.188	2
WITH RECURSIVE t(n, path) AS (SELECT 1, ARRAY[1] UNION ALL SELECT n + 1, path || (n + 1) FROM t WHERE n < 3) SELECT path FROM t ORDER BY n
: integer[]
= {1}
= {1,2}
= {1,2,3}
SELECT a > 1, b, count(*) FROM (VALUES (1, 1), (2, 1), (3, 2)) v(a, b) GROUP BY CUBE (a > 1, b) ORDER BY 1, 2, 3
: boolean integer bigint
= f	1	1
= f	\N	1
= t	1	1
= t	2	1
= t	\N	2
= \N	1	2
= \N	2	1
= \N	\N	3
SELECT s.id, q.x FROM samples s, LATERAL (SELECT s.i + 1 AS x) q ORDER BY 1
: integer integer
= 1	2
= 2	3
= 3	3
= 4	6
= 5	\N
= 6	-6
= 7	10
= 8	1
= 9	4
SELECT s.id, q.x FROM samples s CROSS JOIN LATERAL (SELECT s.id) q(x) ORDER BY 1
: integer integer
= 1	1
= 2	2
= 3	3
= 4	4
= 5	5
= 6	6
= 7	7
= 8	8
= 9	9
SELECT * FROM samples s CROSS JOIN LATERAL (SELECT s.j) q(x) WHERE id = 1
: integer integer smallint bigint numeric double_precision real text boolean date timestamp_without_time_zone timestamp_with_time_zone json bigint[] json
= 1	1	1	10	1.500	0.5	1.5	Abc	t	2020-01-01	2020-01-01 10:00:00	2020-01-01 10:00:00+00	{"a": 1, "b": "x", "c": ["p", "q"]}	{1,2}	{"a": 1, "b": "x", "c": ["p", "q"]}
SELECT * FROM samples s LEFT JOIN LATERAL (SELECT s.j, s.i + 1 AS z, s.n) q ON true WHERE id = 1
: integer integer smallint bigint numeric double_precision real text boolean date timestamp_without_time_zone timestamp_with_time_zone json bigint[] json integer numeric
= 1	1	1	10	1.500	0.5	1.5	Abc	t	2020-01-01	2020-01-01 10:00:00	2020-01-01 10:00:00+00	{"a": 1, "b": "x", "c": ["p", "q"]}	{1,2}	{"a": 1, "b": "x", "c": ["p", "q"]}	2	1.500
SELECT q.*, q.x || '{"a": 5}' FROM (SELECT j::jsonb AS j FROM samples) s, LATERAL (SELECT s.j UNION ALL SELECT NULL) q(x) WHERE false
: jsonb jsonb
WITH s (x) AS (SELECT id FROM samples WHERE id < 3) SELECT q.z, q.y FROM s AS r CROSS JOIN LATERAL (SELECT x::bigint, x + r.id + 1 AS b FROM samples AS r WHERE r.id = 1) AS q (z, y) ORDER BY 1
: bigint integer
= 1	3
= 2	4
SELECT id FROM samples x WHERE x IS NOT NULL ORDER BY id
: integer
= 1
= 2
= 3
= 4
= 6
= 7
= 8
= 9
SELECT id FROM samples x WHERE x IS NULL ORDER BY id
: integer
SELECT id FROM samples x WHERE NOT (x IS NULL) ORDER BY id
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
SELECT samples IS NOT NULL, samples IS NULL FROM samples WHERE id IN (1, 5) ORDER BY id
: boolean boolean
= t	f
= f	f
SELECT s IS NULL, s IS NOT NULL FROM (SELECT NULL::int, NULL::int) s
: boolean boolean
= t	f
SELECT s.id, number FROM samples s LEFT JOIN notes n ON n.sample = s.id WHERE n IS NULL ORDER BY 1
: integer bigint
= 5	\N
SELECT s.id, number FROM samples s LEFT JOIN notes n ON n.sample = s.id WHERE n IS NOT NULL ORDER BY 1, 2
: integer bigint
= 1	1
= 1	2
= 2	3
= 3	\N
= 4	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT s.id, number FROM samples s LEFT JOIN notes n ON n.sample = s.id WHERE NOT n IS NULL ORDER BY 1, 2
: integer bigint
= 1	1
= 1	2
= 2	3
= 3	\N
= 4	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT id FROM samples s WHERE EXISTS (SELECT 1 FROM notes n WHERE n.sample = s.id AND s IS NOT NULL) ORDER BY id
: integer
= 1
= 2
SELECT number FROM notes n FULL JOIN samples s ON s.id = n.sample WHERE s IS NULL ORDER BY 1
: bigint
= 4
= 5
= \N
WITH n AS (SELECT * FROM notes WHERE number > 2) SELECT s.id, n.note FROM samples s LEFT JOIN n ON n.sample = s.id WHERE n IS NULL ORDER BY 1
: integer text
= 5	\N
SELECT n IS NULL FROM (SELECT 1 AS n, NULL::int AS m) n
: boolean
= f
SELECT v IS NULL, v IS NOT NULL FROM (VALUES (1, NULL), (NULL, NULL), (1, 2)) v (a, b)
: boolean boolean
= f	f
= t	f
= f	t
SELECT count(*) FROM samples s WHERE (s) IS NOT NULL
: bigint
= 8
SELECT id, CASE WHEN n IS NULL THEN 'none' ELSE 'some' END FROM samples s LEFT JOIN (SELECT sample, note FROM notes) n ON n.sample = s.id ORDER BY 1, 2
: integer text
= 1	some
= 1	some
= 2	some
= 3	some
= 4	some
= 5	none
= 6	some
= 7	some
= 8	some
= 9	some
SELECT g IS NULL FROM generate_series(1, 2) g
: boolean
= f
= f
SELECT id FROM samples s, LATERAL (SELECT s.i, s.s) x WHERE x IS NULL
: integer
= 5
SELECT a.* FROM (VALUES (1, 'x')) AS a (o, w) WHERE w <> ALL (SELECT '' FROM samples AS s)
: integer text
= 1	x
SELECT * FROM unnest(ARRAY[1, 2]) AS u (e) WHERE EXISTS (SELECT '' FROM samples)
: integer
= 1
= 2
SELECT id FROM (VALUES (7, 'x')) AS samples (id, w) WHERE EXISTS (SELECT '' FROM samples)
: integer
= 7
SELECT s.id, n.number, o.number FROM samples AS s, notes AS n RIGHT JOIN notes AS o ON false WHERE s.id = 1 ORDER BY 3
: integer bigint bigint
= 1	\N	1
= 1	\N	2
= 1	\N	3
= 1	\N	4
= 1	\N	5
SELECT count(*) FROM (samples AS s JOIN notes ON true), notes AS n RIGHT JOIN notes AS o ON 1 = 2
: bigint
= 225
SELECT count(*) FROM samples, unnest('{1,NULL,2}'::bigint[]) AS r (x) RIGHT JOIN notes AS r2 ON r.x = r2.number
: bigint
= 45
SELECT count(*) FROM samples, unnest('{1,NULL,2}'::bigint[]) AS r (x) FULL JOIN notes AS r2 ON r.x = r2.number
: bigint
= 54
SELECT count(*) FROM samples s, unnest(s.a) AS r (x) LEFT JOIN notes AS r2 ON r.x = r2.number
: bigint
= 13
SELECT s.id, x, n FROM samples s, unnest(s.a) WITH ORDINALITY AS r (x, n) LEFT JOIN notes AS r2 ON r.x = r2.number ORDER BY 1, 2, 3
! 42702
SELECT count(*) FROM samples s, unnest(a) x, unnest(a) y
: bigint
= 27
SELECT count(*) FROM unnest(ARRAY[1, 2]) x, unnest(ARRAY[3]) y RIGHT JOIN notes ON y = number
: bigint
= 10
SELECT count(*) FROM samples s CROSS JOIN unnest(a) x LEFT JOIN notes ON x = number
: bigint
= 13
WITH t (y, u) AS (SELECT 5, NULL::uuid) SELECT * FROM t a LEFT JOIN t b USING (u) FULL JOIN t c ON b.u = c.u
: uuid integer integer integer uuid
= \N	5	\N	\N	\N
= \N	\N	\N	5	\N
WITH t (y, u) AS (SELECT 5, NULL::uuid) SELECT u FROM t a JOIN t b USING (u)
: uuid
SELECT id, y FROM samples r LEFT JOIN LATERAL (SELECT concat(f) FROM notes WHERE concat(f) = 't' LIMIT 1) x (y) ON true, LATERAL (SELECT 1 WHERE concat(f) = 'f') z (f) ORDER BY id
: integer text
= 2	\N
= 4	\N
= 8	\N
= 9	\N
SELECT s.id, u.u FROM samples s, unnest(s.a) WITH ORDINALITY AS u ORDER BY s.id, u.u
: integer bigint
= 1	1
= 1	2
= 2	2
= 2	3
= 4	4
= 6	2
= 7	7
= 7	8
= 7	9
= 8	-10
= 8	10
= 9	9
= 9	9
SELECT s.id, u.u, u.ordinality FROM samples s CROSS JOIN LATERAL unnest(s.a) WITH ORDINALITY AS u ORDER BY s.id, u.ordinality
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
SELECT s.id, u.v, ordinality FROM samples s, unnest(s.a) WITH ORDINALITY AS u (v) ORDER BY s.id, ordinality
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
SELECT s.id, unnest FROM samples s, unnest(s.a) WITH ORDINALITY ORDER BY s.id, ordinality
: integer bigint
= 1	1
= 1	2
= 2	2
= 2	3
= 4	4
= 6	2
= 7	7
= 7	8
= 7	9
= 8	10
= 8	-10
= 9	9
= 9	9
SELECT * FROM (SELECT id, a FROM samples WHERE id < 3) AS s, unnest(s.a) WITH ORDINALITY AS u ORDER BY 1, 4
: integer bigint[] bigint bigint
= 1	{1,2}	1	1
= 1	{1,2}	2	2
= 2	{2,3}	2	1
= 2	{2,3}	3	2
SELECT s.id, u.u FROM samples s, unnest(s.a) WITH ORDINALITY AS U WHERE s.id = 1 ORDER BY U.ordinality
: integer bigint
= 1	1
= 1	2
SELECT id FROM samples a JOIN samples b USING (id) JOIN samples c ON c.id = b.id
! 42702
SELECT a.id FROM samples a JOIN samples b USING (id), samples c WHERE id = 1
! 42702
SELECT a.id FROM samples a JOIN samples b USING (id) JOIN samples c ON id = c.id
! 42702
SELECT count(*) FROM samples a JOIN samples b USING (id), samples c GROUP BY id
! 42702
SELECT a.id AS id FROM samples a JOIN samples b USING (id) JOIN samples c ON c.id = b.id ORDER BY id
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
SELECT a.id AS id FROM samples a JOIN samples b USING (id) JOIN samples c ON c.id = b.id ORDER BY -id
! 42702
SELECT count(id) FROM samples a JOIN samples b USING (id) JOIN samples c USING (id)
: bigint
= 9
SELECT count(*) FROM samples a JOIN samples b ON true JOIN samples c USING (id)
! 42702
SELECT (SELECT count(*) FROM notes n WHERE n.sample = id) FROM samples a JOIN samples b USING (id), samples c
! 42702
SELECT count(*) FROM (SELECT id FROM samples) a NATURAL JOIN (SELECT id FROM samples) b, samples c WHERE id > 1
! 42702
SELECT count(*) FROM samples a JOIN samples b USING (id), notes n JOIN samples c ON n.sample = id
: bigint
= 27
SELECT count(*) FROM samples a JOIN samples b USING (id) JOIN notes n ON n.sample = id JOIN samples c ON true
: bigint
= 27
SELECT count(*) FROM samples a JOIN samples b USING (id) JOIN samples c ON true JOIN samples d USING (id)
! 42702
SELECT count(*) FROM samples a JOIN (SELECT 1 AS id, 2 AS id) b USING (id)
! 42702
SELECT count(*) FROM samples a JOIN samples b ON true NATURAL JOIN (SELECT 1 AS id) c
! 42702
SELECT count(*) FROM samples a, samples b JOIN samples c USING (id)
: bigint
= 81
SELECT * FROM notes n, (SELECT 1 AS sample) b JOIN (SELECT 1 AS sample) c USING (sample) ORDER BY 1
: bigint integer text integer
= 1	1	one	1
= 2	1	uno	1
= 3	2	two	1
= 4	99	far	1
= 5	\N	none	1
SELECT * FROM notes n, (SELECT 1 AS sample) b NATURAL JOIN (SELECT 1 AS sample) c ORDER BY 1
: bigint integer text integer
= 1	1	one	1
= 2	1	uno	1
= 3	2	two	1
= 4	99	far	1
= 5	\N	none	1
SELECT sample FROM notes n, (SELECT 1 AS sample) b NATURAL JOIN (SELECT 1 AS sample) c
! 42702
SELECT b.sample FROM notes n, (SELECT 1 AS sample) b NATURAL JOIN (SELECT 1 AS sample) c WHERE n.sample = 2
: integer
= 1
SELECT count(*) FROM (SELECT 1 AS a, 2 AS b) x, (SELECT 1 AS a) y NATURAL JOIN (SELECT 1 AS a, 3 AS b) z
: bigint
= 1
SELECT * FROM (SELECT 1 AS a, 2 AS b) x NATURAL JOIN (SELECT 1 AS a, 3 AS c) y, (SELECT 4 AS d) z NATURAL JOIN (SELECT 1 AS a, 4 AS d) w
: integer integer integer integer integer
= 1	2	3	4	1
SELECT * FROM (VALUES (1)) a(x) JOIN (VALUES (1::bigint)) b(x) USING (x)
: bigint
= 1
SELECT x FROM (VALUES (1)) a(x) JOIN (VALUES (1::bigint)) b(x) USING (x)
: bigint
= 1
SELECT x + 2147483647 FROM (VALUES (1)) a(x) JOIN (VALUES (1::bigint)) b(x) USING (x)
: bigint
= 2147483648
SELECT x + 2147483647 FROM (VALUES (1)) a(x) LEFT JOIN (VALUES (1::bigint)) b(x) USING (x)
: bigint
= 2147483648
SELECT x FROM (VALUES (1.5::real)) a(x) JOIN (VALUES (1.5::float8)) b(x) USING (x)
: double_precision
= 1.5
SELECT x / 2 FROM (VALUES (3)) a(x) RIGHT JOIN (VALUES (3.0)) b(x) USING (x)
: numeric
= 1.5000000000000000
SELECT x / 2 FROM (VALUES (3)) a(x) LEFT JOIN (VALUES (3.0)) b(x) USING (x)
: numeric
= 1.5000000000000000
SELECT x / 2 FROM (VALUES (3)) a(x) JOIN (VALUES (3.0)) b(x) USING (x)
: numeric
= 1.5000000000000000
SELECT sum(x), avg(x) FROM (VALUES (3)) a(x) JOIN (VALUES (3.5), (3.0)) b(x) USING (x)
: numeric numeric
= 3.0	3.0000000000000000
SELECT x, a.x, b.x FROM (VALUES (3)) a(x) JOIN (VALUES (3.0)) b(x) USING (x)
: numeric integer numeric
= 3.0	3	3.0
SELECT i.sample, pg_typeof(number)::text FROM notes i JOIN (VALUES (1)) b(number) USING (number)
: integer text
= 1	bigint
SELECT number, pg_typeof(number)::text FROM notes i RIGHT JOIN (VALUES (1)) b(number) USING (number)
: bigint text
= 1	bigint
SELECT x::text FROM (VALUES ('a'::varchar)) a(x) JOIN (VALUES ('a'::text)) b(x) USING (x)
: text
= a
SELECT x FROM (VALUES (date '2020-01-01')) a(x) JOIN (VALUES (timestamp '2020-01-01')) b(x) USING (x)
: timestamp_without_time_zone
= 2020-01-01 00:00:00
SELECT x FROM (VALUES (date '2020-01-01')) a(x) LEFT JOIN (VALUES (timestamptz '2020-01-01 00:00+00')) b(x) USING (x)
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
SELECT x, count(*) FROM (VALUES (3)) a(x) JOIN (VALUES (3.0)) b(x) USING (x) GROUP BY x HAVING x / 2 > 1
: numeric bigint
= 3.0	1
SELECT (SELECT x / 2) FROM (VALUES (3)) a(x) JOIN (VALUES (3.0)) b(x) USING (x)
: numeric
= 1.5000000000000000
SELECT x AS y, x FROM (VALUES (3)) a(x) JOIN (VALUES (3.0)) b(x) USING (x) ORDER BY x
: numeric numeric
= 3.0	3.0
SELECT x FROM (VALUES (3), (4)) a(x) JOIN (VALUES (3.0), (4.0)) b(x) USING (x) ORDER BY x DESC
: numeric
= 4.0
= 3.0
SELECT x + 1 AS z FROM (VALUES (3), (4)) a(x) JOIN (VALUES (3.0), (4.0)) b(x) USING (x) ORDER BY z DESC
: numeric
= 5.0
= 4.0
SELECT x, count(*) FROM (VALUES (3), (4)) a(x) JOIN (VALUES (3.0), (4.0)) b(x) USING (x) GROUP BY 1 ORDER BY 1
: numeric bigint
= 3.0	1
= 4.0	1
SELECT x, count(*) FROM (VALUES (3), (4)) a(x) JOIN (VALUES (3.0), (4.0)) b(x) USING (x) GROUP BY x ORDER BY count(*), x
: numeric bigint
= 3.0	1
= 4.0	1
SELECT DISTINCT x FROM (VALUES (3), (4)) a(x) JOIN (VALUES (3.0), (4.0)) b(x) USING (x) ORDER BY x
: numeric
= 3.0
= 4.0
SELECT q.x / 2 FROM (SELECT x FROM (VALUES (3)) a(x) JOIN (VALUES (3.0)) b(x) USING (x)) q
: numeric
= 1.5000000000000000
SELECT q.* FROM (SELECT * FROM (VALUES (3)) a(x) JOIN (VALUES (3.0)) b(x) USING (x)) q
: numeric
= 3.0
SELECT x, rank() OVER (ORDER BY x) FROM (VALUES (3), (4)) a(x) JOIN (VALUES (3.0), (4.0)) b(x) USING (x) ORDER BY x
: numeric bigint
= 3.0	1
= 4.0	2
SELECT x FROM (VALUES (3)) a(x) JOIN (VALUES (3.0)) b(x) USING (x) JOIN (VALUES (3::bigint)) c(x) USING (x)
: numeric
= 3.0
SELECT x FROM (VALUES (3)) a(x) NATURAL JOIN (VALUES (3.0)) b(x)
: numeric
= 3.0
SELECT * FROM (VALUES (3, 'a')) a(x, y) NATURAL JOIN (VALUES (3.0, 'a'::varchar)) b(x, y)
: numeric text
= 3.0	a
SELECT (SELECT max(x) FROM (VALUES (1), (9)) c(z) WHERE z > x) FROM (VALUES (3)) a(x) JOIN (VALUES (3.0)) b(x) USING (x)
! 42803
SELECT number, s.i FROM notes n JOIN (SELECT id AS number, i FROM samples) s USING (number) ORDER BY number
: bigint integer
= 1	1
= 2	2
= 3	2
= 4	5
= 5	\N
SELECT number / 2, s.i FROM (SELECT id AS number, i FROM samples) s LEFT JOIN notes n USING (number) ORDER BY number
: bigint integer
= 0	1
= 1	2
= 1	2
= 2	5
= 2	\N
= 3	-7
= 3	9
= 4	0
= 4	3
SELECT number FROM (SELECT id AS number, i FROM samples) s FULL JOIN notes n USING (number) WHERE number > 3 ORDER BY 1
: bigint
= 4
= 5
= 6
= 7
= 8
= 9
SELECT x FROM (VALUES (3)) a(x) JOIN (VALUES (3.0)) b(x) USING (x) WHERE x / 2 > 1.2 LIMIT 1
: numeric
= 3.0
