SELECT * FROM (VALUES (1)) a(x), (SELECT x + 1 AS y) b
! 42703
SELECT * FROM (VALUES (1)) a(x) CROSS JOIN (SELECT a.x AS y) b
! 42P01
SELECT q, r FROM (VALUES (1, 2)) t(q, r) WHERE q = (SELECT z FROM (SELECT q AS z) u, (SELECT z AS w) v)
! 42703
SELECT s.id FROM samples s JOIN (SELECT number + s.id AS f FROM notes) d ON true LIMIT 1
! 42P01
SELECT * FROM (VALUES (2)) a(x), (VALUES (x), (x + 1)) b(y)
! 42703
SELECT * FROM (VALUES (2)) a(x), LATERAL (VALUES (x), (x + 1)) b(y)
: integer integer
= 2	2
= 2	3
SELECT q, r, (SELECT z FROM (SELECT q AS r) x, (SELECT r AS z) y) AS z FROM (VALUES (1, 2), (3, 4)) t(q, r) ORDER BY 1
: integer integer integer
= 1	2	2
= 3	4	4
SELECT q, r, (SELECT z FROM (SELECT q AS r) x, LATERAL (SELECT r AS z) y) AS z FROM (VALUES (1, 2), (3, 4)) t(q, r) ORDER BY 1
: integer integer integer
= 1	2	1
= 3	4	3
SELECT q, (SELECT z FROM (SELECT q + 1 AS q) t, (SELECT t.q AS z) y) AS z FROM (VALUES (1), (3)) t(q) ORDER BY 1
: integer integer
= 1	1
= 3	3
SELECT q, (SELECT z FROM (SELECT q + 1 AS q) t, LATERAL (SELECT t.q AS z) y) AS z FROM (VALUES (1), (3)) t(q) ORDER BY 1
: integer integer
= 1	2
= 3	4
SELECT w.id FROM (SELECT 1 AS id, 2 AS id) w
! 42702
SELECT * FROM (SELECT 1 AS id, 2 AS id) w WHERE id = 2
! 42702
SELECT * FROM (SELECT 1 AS id, 2 AS id) w
: integer integer
= 1	2
SELECT w.*, 3 AS id FROM (SELECT 1 AS id, 2 AS id) w
: integer integer integer
= 1	2	3
SELECT * FROM (SELECT 1 AS id, 2 AS id, 3 AS x) w WHERE x = 3
: integer integer integer
= 1	2	3
SELECT * FROM (SELECT * FROM (SELECT 1 AS id, 2 AS id) v) w
: integer integer
= 1	2
SELECT * FROM (SELECT *, 5 AS id FROM (SELECT 1 AS id, 2 AS id) v) w, (SELECT 3 AS id) u
: integer integer integer integer
= 1	2	5	3
SELECT a, b FROM (SELECT 1 AS id, 2 AS id) w(a, b)
: integer integer
= 1	2
SELECT a, id FROM (SELECT 1 AS id, 2 AS id) w(a)
: integer integer
= 1	2
SELECT * FROM (SELECT 1 AS id, 2 AS id) w(id)
: integer integer
= 1	2
WITH w AS (SELECT 1 AS id, 2 AS id) SELECT count(*) FROM w JOIN (SELECT 2 AS k) v ON v.k = w.id
! 42702
WITH w AS (SELECT 1 AS id, 2 AS id) SELECT * FROM w, w v
: integer integer integer integer
= 1	2	1	2
WITH w AS (SELECT 1 AS id, 2 AS id) SELECT * FROM w JOIN (SELECT 1 AS k) v ON true
: integer integer integer
= 1	2	1
WITH w AS (SELECT 1 AS id, 2 AS id) SELECT a, id FROM w AS v(a)
: integer integer
= 1	2
WITH w(id, id) AS (VALUES (1, 2)) SELECT sum(id) FROM w
! 42702
WITH w(id, id) AS (VALUES (1, 2)) SELECT count(*) FROM w
: bigint
= 1
WITH w(id, id) AS (VALUES (1, 2)) SELECT * FROM w
: integer integer
= 1	2
WITH w(id, id) AS (VALUES (1, 2)) SELECT * FROM w UNION ALL SELECT * FROM w
: integer integer
= 1	2
= 1	2
SELECT x.* FROM (SELECT i, i FROM samples WHERE id < 3) x ORDER BY 1
: integer integer
= 1	1
= 2	2
SELECT x.i FROM (SELECT i, i FROM samples WHERE id < 3) x
! 42702
SELECT count(*) FROM (SELECT * FROM samples a, samples b) x
: bigint
= 81
SELECT count(i) FROM (SELECT * FROM samples a, samples b) x
! 42702
SELECT * FROM (SELECT a.id, b.id FROM samples a JOIN samples b ON a.i = b.id) x ORDER BY 1, 2
: integer integer
= 1	1
= 2	2
= 3	2
= 4	5
= 7	9
= 9	3
SELECT a AS c, b AS c FROM (VALUES (1, 2)) v(a, b) ORDER BY c
! 42702
SELECT a AS c, a AS c FROM (VALUES (1, 2)) v(a, b) ORDER BY c
: integer integer
= 1	1
SELECT a AS c, a AS c FROM (VALUES (1, 2)) v(a, b) GROUP BY c
: integer integer
= 1	1
SELECT a AS c, b AS c FROM (VALUES (1, 2)) v(a, b) GROUP BY c
! 42702
SELECT a AS c, b AS c FROM (VALUES (1, 2)) v(a, b) GROUP BY a, b, c
! 42702
SELECT DISTINCT ON (c) a AS c, b AS c FROM (VALUES (1, 2)) v(a, b)
! 42702
SELECT a + 1 AS c, (a) + 1 AS c FROM (VALUES (1, 2)) v(a, b) ORDER BY c
: integer integer
= 2	2
SELECT v.a AS c, a AS c FROM (VALUES (1, 2)) v(a, b) ORDER BY c
: integer integer
= 1	1
SELECT i, id AS i FROM samples ORDER BY i
! 42702
SELECT *, id AS i FROM samples ORDER BY i
! 42702
SELECT s.*, i AS i FROM samples s ORDER BY i, id LIMIT 0
: integer integer smallint bigint numeric double_precision real text boolean date timestamp_without_time_zone timestamp_with_time_zone json bigint[] integer
SELECT a.x FROM (VALUES (1)) a(x), (VALUES (2)) b(x) ORDER BY x
: integer
= 1
SELECT a.x FROM (VALUES (1), (3)) a(x), (VALUES (2)) b(x) ORDER BY x DESC
: integer
= 3
= 1
SELECT a.x FROM (VALUES (1)) a(x), (VALUES (2)) b(x) ORDER BY x + 1
! 42702
SELECT a.x FROM (VALUES (1)) a(x), (VALUES (2)) b(x) GROUP BY x
! 42702
SELECT a.x FROM (VALUES (1)) a(x), (VALUES (2)) b(x) GROUP BY a.x ORDER BY x
: integer
= 1
SELECT x FROM (VALUES (1)) a(x), (VALUES (2)) b(x)
! 42702
SELECT -id AS i FROM samples ORDER BY i LIMIT 3
: integer
= -9
= -8
= -7
SELECT -id AS i FROM samples ORDER BY -i LIMIT 3
: integer
= -7
= -4
= -9
SELECT -id AS i FROM samples s GROUP BY i, id ORDER BY 1
: integer
= -9
= -8
= -7
= -6
= -5
= -4
= -3
= -2
= -1
SELECT id AS i FROM samples WHERE i = 2 ORDER BY i
: integer
= 2
= 3
SELECT i AS id FROM samples WHERE id = 4
: integer
= 5
SELECT id AS k FROM samples WHERE k = 4
! 42703
SELECT id AS k FROM samples GROUP BY k HAVING k > 3
! 42703
SELECT id AS k, sum(i) FROM samples GROUP BY k HAVING id > 3 ORDER BY k
: integer bigint
= 4	5
= 5	\N
= 6	-7
= 7	9
= 8	0
= 9	3
SELECT id AS k, k + 1 FROM samples
! 42703
SELECT id AS k, row_number() OVER (ORDER BY k) FROM samples
! 42703
SELECT id AS i, row_number() OVER (ORDER BY i NULLS FIRST, id) AS r FROM samples ORDER BY r
: integer bigint
= 5	1
= 6	2
= 8	3
= 1	4
= 2	5
= 3	6
= 9	7
= 4	8
= 7	9
SELECT DISTINCT x % 2 AS a FROM (VALUES (1), (2)) v(x) ORDER BY x
! 42P10
SELECT DISTINCT x % 2 AS a FROM (VALUES (1), (2)) v(x) ORDER BY x % 2
: integer
= 0
= 1
SELECT DISTINCT x % 2 AS a FROM (VALUES (1), (2)) v(x) ORDER BY v.x % 2 DESC
: integer
= 1
= 0
SELECT DISTINCT x % 2 AS a FROM (VALUES (1), (2)) v(x) ORDER BY (x) % (2)
: integer
= 0
= 1
SELECT DISTINCT x AS a FROM (VALUES (1), (2)) v(x) ORDER BY x
: integer
= 1
= 2
SELECT DISTINCT x AS a FROM (VALUES (1), (2)) v(x) ORDER BY v.x DESC
: integer
= 2
= 1
SELECT DISTINCT x AS a FROM (VALUES (1), (2)) v(x) ORDER BY a + 1
! 42703
SELECT DISTINCT x AS a FROM (VALUES (1), (2)) v(x) ORDER BY x + 1
! 42P10
SELECT DISTINCT i FROM samples ORDER BY i, id
! 42P10
SELECT DISTINCT * FROM notes ORDER BY number
: bigint integer text
= 1	1	one
= 2	1	uno
= 3	2	two
= 4	99	far
= 5	\N	none
SELECT DISTINCT * FROM notes ORDER BY number + 1
! 42P10
SELECT DISTINCT n.* FROM notes n ORDER BY n.number
: bigint integer text
= 1	1	one
= 2	1	uno
= 3	2	two
= 4	99	far
= 5	\N	none
SELECT DISTINCT i, count(*) FROM samples GROUP BY i ORDER BY count(*), i
: integer bigint
= -7	1
= 0	1
= 1	1
= 3	1
= 5	1
= 9	1
= \N	1
= 2	2
SELECT DISTINCT i, count(*) FROM samples GROUP BY i ORDER BY sum(id)
! 42P10
SELECT DISTINCT i FROM samples UNION SELECT 1 ORDER BY i
: integer
= -7
= 0
= 1
= 2
= 3
= 5
= 9
= \N
SELECT DISTINCT i FROM samples ORDER BY random()
! 42P10
SELECT DISTINCT ON (a) a, b FROM (VALUES (1, 2)) v(a, b) ORDER BY b
! 42P10
SELECT DISTINCT ON (a) a, b FROM (VALUES (1, 2)) v(a, b) ORDER BY b, a
! 42P10
SELECT DISTINCT ON (a, b) a, b FROM (VALUES (1, 2)) v(a, b) ORDER BY b
: integer integer
= 1	2
SELECT DISTINCT ON (a, b) a, b FROM (VALUES (1, 2)) v(a, b) ORDER BY b, a + b, a
! 42P10
SELECT DISTINCT ON (a) b FROM (VALUES (1, 2)) v(a, b) ORDER BY v.a, a + b
: integer
= 2
SELECT DISTINCT ON (1) b AS x FROM (VALUES (1, 2), (1, 3)) v(a, b) ORDER BY x
: integer
= 2
= 3
SELECT DISTINCT ON (i) id FROM samples ORDER BY i, id DESC
: integer
= 6
= 8
= 1
= 3
= 9
= 4
= 7
= 5
SELECT DISTINCT ON (i % 2) id FROM samples ORDER BY i % 2, id DESC
: integer
= 6
= 8
= 9
= 5
SELECT DISTINCT ON (i % 2) id FROM samples ORDER BY i, id DESC
! 42P10
SELECT a FROM (VALUES (1, 2)) v(a, b) UNION SELECT 1 ORDER BY a + 1
! 0A000
SELECT a FROM (VALUES (1, 2)) v(a, b) UNION SELECT 1 ORDER BY b
! 42703
SELECT a FROM (VALUES (1, 2)) v(a, b) UNION SELECT 1 ORDER BY v.a
! 42P01
SELECT a, b AS a FROM (VALUES (1, 2)) v(a, b) UNION SELECT 1, 2 ORDER BY a
! 42702
SELECT a, b AS c FROM (VALUES (1, 2)) v(a, b) UNION SELECT 0, 2 ORDER BY a
: integer integer
= 0	2
= 1	2
(SELECT a FROM (VALUES (1, 2)) v(a, b) UNION SELECT 0) ORDER BY a
: integer
= 0
= 1
SELECT j.x, y, z FROM (VALUES (1, 2)) a(x, y) JOIN (VALUES (1, 3)) b(x, z) USING (x) AS j
: integer integer integer
= 1	2	3
SELECT j.*, a.*, b.* FROM (VALUES (1, 2)) a(x, y) JOIN (VALUES (1, 3)) b(x, z) USING (x) AS j
: integer integer integer integer integer
= 1	1	2	1	3
SELECT j.y FROM (VALUES (1, 2)) a(x, y) JOIN (VALUES (1, 3)) b(x, z) USING (x) AS j
! 42703
SELECT j.x, a.x, b.x FROM (VALUES (1, 2), (2, 2)) a(x, y) FULL JOIN (VALUES (1, 3), (3, 3)) b(x, z) USING (x) AS j ORDER BY j.x
: integer integer integer
= 1	1	1
= 2	2	\N
= 3	\N	3
SELECT j.x FROM (VALUES (1, 2), (2, 2)) a(x, y) RIGHT JOIN (VALUES (1, 3), (3, 3)) b(x, z) USING (x) AS j WHERE j.x > 1
: integer
= 3
SELECT j.x, c.x FROM (VALUES (1, 2)) a(x, y) JOIN (VALUES (1, 3)) b(x, z) USING (x) AS j, (VALUES (9)) c(x)
: integer integer
= 1	9
SELECT (SELECT j.x), (SELECT x) FROM (VALUES (1, 2), (2, 2)) a(x, y) FULL JOIN (VALUES (1, 3), (3, 3)) b(x, z) USING (x) AS j ORDER BY 1
: integer integer
= 1	1
= 2	2
= 3	3
SELECT (SELECT max(q) FROM (VALUES (1), (2)) v(q) WHERE q < x) FROM (VALUES (1, 2), (2, 2)) a(x, y) FULL JOIN (VALUES (1, 3), (3, 3)) b(x, z) USING (x) ORDER BY 1
: integer
= 1
= 2
= \N
SELECT (SELECT x) FROM (VALUES (1)) a(x) LEFT JOIN (VALUES (1::bigint)) b(x) USING (x)
: bigint
= 1
SELECT count(*) FROM samples a JOIN samples b USING (id, i) AS k WHERE k.id = 2 AND k.i = 2
: bigint
= 1
SELECT * FROM (VALUES (1, 2)) a(x, y) JOIN (VALUES (1, 3)) b(x, z) USING (x) AS j JOIN (VALUES (1)) j(q) ON true
! 42712
SELECT x FROM (VALUES (1, 2)) a(x, y) JOIN (VALUES (1, 3)) b(x, z) USING (x) AS a
! 42712
SELECT * FROM (VALUES (1, 2)) a(x, y) JOIN (VALUES (1, 3)) b(x, z) USING (x, x)
! 42701
SELECT * FROM (VALUES (1, 2)) a(x, y) JOIN (VALUES (1, 3)) b(x, z) USING (y)
! 42703
SELECT * FROM (VALUES (1, 2)) a(x, y) JOIN (VALUES (1, 3)) b(y, z) USING (y)
: integer integer integer
SELECT * FROM (VALUES (1, 2)) a(x, x) JOIN (VALUES (1, 3)) b(x, z) USING (x)
! 42702
SELECT * FROM (VALUES (1, 2)) a(x, x) NATURAL JOIN (VALUES (1, 3)) b(x, z)
! 42702
SELECT * FROM (VALUES (1, 2)) a(x, x) JOIN (VALUES (1, 3)) b(k, z) ON true
: integer integer integer integer
= 1	2	1	3
SELECT * FROM (VALUES (1)) t(a) RIGHT JOIN LATERAL (SELECT a) x ON true
! 42P10
SELECT * FROM (VALUES (1)) t(a) FULL JOIN LATERAL (SELECT t.a) x ON true
! 42P10
SELECT * FROM (VALUES (1)) t(a) LEFT JOIN LATERAL (SELECT t.a) x ON true
: integer integer
= 1	1
SELECT * FROM (VALUES (1)) t(a), (VALUES (2)) t(b)
! 42712
SELECT c FROM (VALUES (3)) z(b), (VALUES (1)) t(a) JOIN (VALUES (2)) u(c) ON z.b = 1
! 42P01
SELECT c FROM (VALUES (3)) z(b), (VALUES (1)) t(a) JOIN (VALUES (2)) u(c) ON b = 1
! 42703
SELECT c FROM (VALUES (1)) t(a) JOIN (VALUES (2)) u(c) ON z.b = 1, (VALUES (3)) z(b)
! 42P01
SELECT c FROM (VALUES (3)) z(b) JOIN (VALUES (1)) t(a) ON true JOIN (VALUES (2)) u(c) ON b = 3
: integer
= 2
SELECT (SELECT 1 AS y WHERE y = 1)
! 42703
SELECT 1 AS y HAVING y = 1
! 42703
SELECT * FROM samples s WHERE EXISTS (SELECT 1 FROM notes WHERE sample = s.id AND s.nope = 1)
! 42703
SELECT id FROM samples WHERE EXISTS (SELECT 1 FROM notes WHERE sample = id) ORDER BY 1
: integer
= 1
= 2
SELECT id FROM samples WHERE EXISTS (SELECT 1 FROM notes id WHERE sample = id) ORDER BY 1
: integer
= 1
= 2
SELECT id, (SELECT count(*) FROM notes id WHERE id.sample = samples.id) FROM samples ORDER BY 1 LIMIT 2
: integer bigint
= 1	2
= 2	1
SELECT (SELECT max(id) FROM samples s WHERE s.i = t.i) FROM samples t ORDER BY t.id
: integer
= 1
= 3
= 3
= 4
= \N
= 6
= 7
= 8
= 9
SELECT (SELECT max(s.id) FROM samples s WHERE i = samples.i) FROM samples ORDER BY id
: integer
= 1
= 3
= 3
= 4
= \N
= 6
= 7
= 8
= 9
SELECT (SELECT max(s.id) FROM samples s WHERE s.i = samples.i) FROM samples ORDER BY id
: integer
= 1
= 3
= 3
= 4
= \N
= 6
= 7
= 8
= 9
SELECT (SELECT (SELECT (SELECT s.id + t.number) FROM notes s WHERE s.number = 1)) FROM samples s, notes t WHERE s.id = 1
! 42703
SELECT (SELECT (SELECT (SELECT s.number + t.number) FROM notes s WHERE s.number = 1)) FROM samples s, notes t WHERE s.id = 1 ORDER BY 1
: bigint
= 2
= 3
= 4
= 5
= 6
SELECT (SELECT x FROM (SELECT (SELECT i) AS x FROM (SELECT id AS i FROM notes n WHERE number = 1) m) k) FROM samples ORDER BY id LIMIT 3
: integer
= 1
= 2
= 3
SELECT i, (SELECT sum(i) FROM (VALUES (1), (2)) v(k) WHERE k < id) FROM samples ORDER BY id LIMIT 3
! 42803
SELECT id FROM samples s ORDER BY (SELECT number FROM notes n WHERE n.sample = s.id LIMIT 0), id DESC LIMIT 3
: integer
= 9
= 8
= 7
SELECT id FROM samples s ORDER BY (SELECT count(*) FROM notes n WHERE n.sample = id) DESC, id LIMIT 3
: integer
= 1
= 2
= 3
SELECT id AS k FROM samples s ORDER BY (SELECT count(*) FROM notes n WHERE n.sample = k) DESC, id LIMIT 3
! 42703
SELECT i, count(*) FROM samples s GROUP BY i HAVING count(*) > (SELECT count(*) FROM notes n WHERE n.sample = i) ORDER BY 1
: integer bigint
= -7	1
= 0	1
= 2	2
= 3	1
= 5	1
= 9	1
= \N	1
SELECT i, count(*) FROM samples s GROUP BY i HAVING count(*) > (SELECT count(*) FROM notes n WHERE n.sample = id) ORDER BY 1
! 42803
SELECT (SELECT count(*) FROM notes n WHERE n.sample = s.i), count(*) FROM samples s GROUP BY i ORDER BY 1, 2
: bigint bigint
= 0	1
= 0	1
= 0	1
= 0	1
= 0	1
= 0	1
= 1	2
= 2	1
SELECT (SELECT count(*) FROM notes n WHERE n.sample = s.i) AS c, count(*) FROM samples s GROUP BY c ORDER BY 1, 2
: bigint bigint
= 0	6
= 1	2
= 2	1
SELECT a.id, b.number FROM samples a JOIN notes b ON b.number = (SELECT min(number) FROM notes c WHERE c.sample = a.id) ORDER BY 1
: integer bigint
= 1	1
= 2	3
SELECT a.id, b.number FROM samples a JOIN notes b ON b.number = (SELECT min(number) FROM notes b WHERE b.sample = a.id) ORDER BY 1
: integer bigint
= 1	1
= 2	3
SELECT a.id, b.number FROM samples a LEFT JOIN LATERAL (SELECT number FROM notes WHERE sample = a.id ORDER BY number LIMIT 1) b ON true ORDER BY 1
: integer bigint
= 1	1
= 2	3
= 3	\N
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT a.id, b.number FROM samples a LEFT JOIN LATERAL (SELECT number FROM notes a WHERE sample = a.number) b ON true ORDER BY 1
: integer bigint
= 1	1
= 2	1
= 3	1
= 4	1
= 5	1
= 6	1
= 7	1
= 8	1
= 9	1
SELECT a.id, c.m FROM samples a, LATERAL (SELECT b.number AS m FROM notes b WHERE b.sample = a.id) c ORDER BY 1, 2
: integer bigint
= 1	1
= 1	2
= 2	3
SELECT a.id, c.m FROM samples a, LATERAL (SELECT a.number AS m FROM notes a WHERE a.sample = id) c ORDER BY 1, 2
: integer bigint
= 1	1
= 1	2
= 2	3
SELECT a.id, d.m FROM samples a, LATERAL (SELECT b.number FROM notes b WHERE b.sample = a.id) c, LATERAL (SELECT c.number + a.id AS m) d ORDER BY 1, 2
: integer bigint
= 1	2
= 1	3
= 2	5
SELECT a.id, d.m FROM samples a, LATERAL (SELECT b.number FROM notes b WHERE b.sample = a.id) c, (SELECT c.number + a.id AS m) d ORDER BY 1, 2
! 42P01
SELECT u FROM samples s, unnest(a) u WHERE id = 7 ORDER BY 1
: bigint
= 7
= 8
= 9
SELECT u FROM samples u, unnest(u.a) a(u) WHERE id = 7 ORDER BY 1
: bigint
= 7
= 8
= 9
SELECT id, (SELECT max(g) FROM generate_series(1, id) g)::int FROM samples ORDER BY 1 LIMIT 3
: integer integer
= 1	1
= 2	2
= 3	3
SELECT id, (SELECT max(id) FROM generate_series(1, id) id)::int FROM samples ORDER BY 1 LIMIT 3
: integer integer
= 1	1
= 2	2
= 3	3
WITH samples AS (SELECT 7 AS k) SELECT * FROM samples
: integer
= 7
WITH samples AS (SELECT 7 AS k) SELECT * FROM samples s, public.samples t WHERE t.id = 1 AND false
: integer integer integer smallint bigint numeric double_precision real text boolean date timestamp_without_time_zone timestamp_with_time_zone json bigint[]
WITH samples AS (SELECT id FROM samples WHERE id < 3) SELECT * FROM samples ORDER BY 1
: integer
= 1
= 2
WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS x FROM a) SELECT a.x, b.x FROM a, b
: integer integer
= 1	2
WITH a AS (SELECT 1 AS x) SELECT (WITH a AS (SELECT a.x + 1 AS x FROM a) SELECT x FROM a) FROM a
: integer
= 2
WITH a AS (SELECT 1 AS x) SELECT (WITH a AS (SELECT 5 AS x) SELECT x FROM a), x FROM a
: integer integer
= 5	1
WITH a AS (SELECT 1 AS x) SELECT * FROM (WITH a AS (SELECT x + 1 AS x FROM a) SELECT x FROM a) b, a
: integer integer
= 2	1
WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a
! 42P01
WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a
! 42712
WITH a(x, y) AS (SELECT 1) SELECT * FROM a
! 42P10
WITH a AS (SELECT i FROM samples) SELECT count(*) FROM a, notes WHERE a.i = sample
: bigint
= 4
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r ORDER BY n
: integer
= 1
= 2
= 3
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT r.n + 1 AS m FROM r WHERE n < 3) SELECT n, r.n FROM r ORDER BY n
: integer integer
= 1	1
= 2	2
= 3	3
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT r.n + 1 AS m FROM r WHERE m < 3) SELECT n FROM r
! 42703
WITH RECURSIVE r(n, n) AS (SELECT 1, 2 UNION ALL SELECT n + 1, 3 FROM r WHERE n < 3) SELECT * FROM r
! 42702
WITH RECURSIVE samples AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM samples WHERE n < 3) SELECT * FROM samples ORDER BY n
: integer
= 1
= 2
= 3
SELECT (WITH w AS (SELECT s.id) SELECT id FROM w) FROM samples s ORDER BY 1 LIMIT 2
: integer
= 1
= 2
SELECT (WITH w AS (SELECT id AS x) SELECT x + id FROM w) FROM samples s ORDER BY 1 LIMIT 2
: integer
= 2
= 4
SELECT (SELECT id FROM (SELECT s.i AS id) q) FROM samples s ORDER BY s.id LIMIT 3
: integer
= 1
= 2
= 2
SELECT count(s) FROM samples s
: bigint
= 8
SELECT count(s.*) FROM samples s
: bigint
= 9
~ a whole row of a relation that has a column of its name is refused
>! 0A000
SELECT count(x) FROM samples s
! 42703
SELECT (SELECT count(s) FROM notes) FROM samples s LIMIT 1
! 21000
SELECT samples.id FROM samples s
! 42P01
SELECT public.samples.id FROM samples ORDER BY 1 LIMIT 1
: integer
= 1
SELECT public.s.id FROM samples s
! 42P01
SELECT pg_catalog.samples.id FROM samples
! 42P01
SELECT public.samples.id FROM samples WHERE EXISTS (SELECT 1 FROM notes samples WHERE public.samples.id = samples.sample) ORDER BY 1
: integer
= 1
= 2
SELECT nope.* FROM samples
! 42P01
SELECT s.nope FROM samples s
! 42703
SELECT nope FROM samples s
! 42703
SELECT a.b.c.d FROM samples a
! 0A000
SELECT *
! 42601
SELECT * FROM samples a JOIN samples b ON a.id = c.id
! 42P01
SELECT id FROM samples a JOIN notes b ON id = sample AND a.id = b.sample ORDER BY number
: integer
= 1
= 1
= 2
SELECT number AS id FROM notes WHERE EXISTS (SELECT 1 FROM samples WHERE id = sample) ORDER BY id
: bigint
= 1
= 2
= 3
SELECT (SELECT sample AS id FROM notes WHERE id = 1 AND number = 1) FROM samples WHERE id = 1
: integer
= 1
SELECT (SELECT sample AS i FROM notes WHERE i = 1 AND number = 1) FROM samples WHERE id = 1
: integer
= 1
SELECT (SELECT sample AS i FROM notes GROUP BY i, sample HAVING max(number) = 5) FROM samples WHERE id = 1
: integer
= \N
SELECT (SELECT max(number) AS i FROM notes GROUP BY sample ORDER BY i LIMIT 1) FROM samples WHERE id = 2
: bigint
= 2
SELECT (SELECT number AS i FROM notes ORDER BY i + number LIMIT 1) FROM samples WHERE id = 2
: bigint
= 1
SELECT (SELECT i AS x FROM notes WHERE number = 1) AS i, i AS x FROM samples ORDER BY id LIMIT 2
: integer integer
= 1	1
= 2	2
SELECT x.i FROM (SELECT id AS i, i AS id FROM samples) x WHERE x.id = 2 ORDER BY i
: integer
= 2
= 3
SELECT i FROM (SELECT id AS i, i AS id FROM samples) samples WHERE id = 2 ORDER BY samples.i
: integer
= 2
= 3
SELECT sum(id) FROM (SELECT id FROM samples UNION ALL SELECT number AS i FROM notes) u
: numeric
= 60
SELECT i FROM (SELECT id FROM samples UNION ALL SELECT number AS i FROM notes) u
! 42703
SELECT id FROM samples EXCEPT SELECT id FROM notes
! 42703
SELECT id FROM samples s WHERE id IN (SELECT sample FROM notes WHERE number = s.i) ORDER BY 1
: integer
= 1
SELECT id FROM samples s WHERE id IN (SELECT id FROM notes WHERE number = 1) ORDER BY 1
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
SELECT id FROM samples s WHERE id = ANY (SELECT sample FROM notes s WHERE s.number < 3) ORDER BY 1
: integer
= 1
SELECT id FROM samples s WHERE i > ALL (SELECT number FROM notes s WHERE s.sample = id) ORDER BY 1
: integer
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT CASE WHEN EXISTS (SELECT 1 FROM notes s WHERE s.sample = id) THEN id END FROM samples s ORDER BY id LIMIT 4
: integer
= 1
= 2
= \N
= \N
SELECT coalesce((SELECT min(s.number) FROM notes s WHERE s.sample = samples.id), -id) FROM samples ORDER BY id LIMIT 4
: bigint
= 1
= 3
= -3
= -4
SELECT sum(i) FILTER (WHERE EXISTS (SELECT 1 FROM notes i WHERE i.sample = samples.i)) FROM samples
: bigint
= 5
SELECT max((SELECT max(i.number) FROM notes i WHERE i.sample = samples.i)) FROM samples
: bigint
= 3
SELECT ARRAY(SELECT i.number FROM notes i WHERE i.sample = samples.id ORDER BY number) FROM samples ORDER BY id LIMIT 3
: bigint[]
= {1,2}
= {3}
= {}
SELECT id FROM samples LIMIT id
! 42P10
SELECT id FROM samples LIMIT (SELECT id)
! 42P10
SELECT r0.id FROM samples r0, notes r1 WHERE r0.id = r1.sample ORDER BY r1.number
: integer
= 1
= 1
= 2
SELECT "#1".id FROM samples "#1" WHERE EXISTS (SELECT 1 FROM notes "#1" WHERE "#1".sample = id) ORDER BY 1
: integer
= 1
= 2
SELECT (SELECT "a#2".x FROM (SELECT a.x + 1 AS x) a, (SELECT 9 AS x) "a#2") FROM (SELECT 1 AS x) a
: integer
= 9
SELECT "A".x, a.x FROM (SELECT 1 AS x) "A", (SELECT 2 AS x) a
: integer integer
= 1	2
SELECT (SELECT "T".x + t.x FROM (SELECT 10 AS x) "T") FROM (SELECT 1 AS x) t
: integer
= 11
SELECT * FROM (SELECT 1 AS "X", 2 AS x) a WHERE "X" < x
: integer integer
= 1	2
SELECT x FROM (SELECT 1 AS "X", 2 AS x) a, (SELECT 3 AS y) b
: integer
= 2
SELECT * FROM (SELECT 1 AS "id#2", 2 AS id, 3 AS id) a
: integer integer integer
= 1	2	3
SELECT a."id#2" FROM (SELECT 1 AS "id#2", 2 AS id, 3 AS id) a
: integer
= 1
SELECT 1 FROM samples GROUP BY samples.nope
! 42703
SELECT i FROM samples WINDOW w AS (ORDER BY nope)
! 42703
SELECT rank() OVER (PARTITION BY s.i ORDER BY id) FROM samples s, notes n WHERE n.number = 1 ORDER BY id
: bigint
= 1
= 1
= 2
= 1
= 1
= 1
= 1
= 1
= 1
SELECT max(id) OVER (PARTITION BY number) FROM samples JOIN notes ON sample = id ORDER BY number, id
: integer
= 1
= 1
= 2
SELECT count(x.*) FROM samples x
: bigint
= 9
