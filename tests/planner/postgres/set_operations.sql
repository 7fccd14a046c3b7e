SELECT 1 UNION SELECT 'a'
! 22P02
SELECT 'a' UNION SELECT 1
! 22P02
SELECT 1 UNION SELECT '2' ORDER BY 1
: integer
= 1
= 2
SELECT 1 UNION ALL SELECT 'a'
! 22P02
SELECT 1 EXCEPT SELECT 'a'
! 22P02
SELECT 1 INTERSECT SELECT 'a'
! 22P02
SELECT '1' INTERSECT SELECT 1
: integer
= 1
SELECT 1 UNION SELECT 'a'::text
! 42804
SELECT 1 UNION SELECT 2.5 ORDER BY 1
: numeric
= 1
= 2.5
SELECT 1 UNION SELECT 2.5::float8 ORDER BY 1
: double_precision
= 1
= 2.5
SELECT 1 UNION SELECT true
! 42804
SELECT 1 UNION SELECT date '2020-01-01'
! 42804
SELECT date '2020-01-01' UNION SELECT 'x'
! 22007
SELECT date '2020-01-01' UNION SELECT '2020-01-02' ORDER BY 1
: date
= 2020-01-01
= 2020-01-02
SELECT date '2020-01-01' UNION SELECT timestamp '2020-01-02' ORDER BY 1
: timestamp_without_time_zone
= 2020-01-01 00:00:00
= 2020-01-02 00:00:00
SELECT NULL UNION SELECT 1 ORDER BY 1
: integer
= 1
= \N
SELECT 'a' UNION SELECT 'b' ORDER BY 1
: text
= a
= b
SELECT 1 UNION SELECT NULL UNION SELECT 'a'
! 22P02
SELECT '1' UNION SELECT '2' UNION SELECT 3 ORDER BY 1
! 42804
SELECT 1 AS x, 'b' AS y UNION SELECT '2', 3 ORDER BY 1
! 22P02
SELECT id FROM samples UNION SELECT 'a'
! 22P02
SELECT id FROM samples UNION SELECT t FROM samples
! 42804
SELECT i FROM samples UNION SELECT d FROM samples ORDER BY 1
: double_precision
= -7
= -2.5
= 0
= 0.1
= 0.5
= 1
= 1.5
= 2
= 2.5
= 3
= 5
= 9
= 123456.789
= 1e+20
= \N
SELECT t FROM samples UNION SELECT 'a' ORDER BY 1
: text
= 
=  x 
= Abc
= Zed
= a
= aB
= abc
= b
= ä
= \N
SELECT x FROM (SELECT 1 AS x UNION SELECT 'a') q
! 22P02
VALUES (1), ('a')
! 22P02
VALUES (1), ('2')
: integer
= 1
= 2
SELECT * FROM (VALUES (1, 'a'), ('2', 'b')) v ORDER BY 1
: integer text
= 1	a
= 2	b
SELECT coalesce(1, 'a')
! 22P02
SELECT coalesce('1', 2)
: integer
= 1
SELECT coalesce(i, t) FROM samples
! 42804
SELECT CASE WHEN true THEN 1 ELSE 'a' END
! 22P02
SELECT CASE WHEN true THEN 1 ELSE '2' END
: integer
= 1
SELECT CASE WHEN true THEN i ELSE t END FROM samples
! 42804
SELECT CASE 1 WHEN 'a' THEN 1 END
! 22P02
SELECT ARRAY[1, 'a']
! 22P02
SELECT ARRAY[1, '2']
: integer[]
= {1,2}
SELECT ARRAY[1, 'a'::text]
! 42804
SELECT greatest(1, 'a')
! 22P02
SELECT least('1', 2)
: integer
= 1
SELECT nullif(1, 'a')
! 22P02
SELECT 1 IN ('a')
! 22P02
SELECT 1 IN ('1', 2)
: boolean
= t
SELECT id = 'a' FROM samples
! 22P02
SELECT id BETWEEN '1' AND 'x' FROM samples
! 22P02
SELECT 1 = ANY (ARRAY['a'])
! 42883
SELECT 1 = (SELECT 'a')
! 42883
SELECT i = t FROM samples
! 42883
SELECT true = 1
! 42883
SELECT date '2020-01-01' = 'x'
! 22007
SELECT lag(i, 1, 'a') OVER () FROM samples
! 22P02
SELECT sum(CASE WHEN f THEN 1 ELSE 'x' END) FROM samples
! 22P02
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT 'x') SELECT * FROM r
! 22P02
SELECT * FROM samples a JOIN samples b ON a.i = b.t
! 42883
SELECT true UNION SELECT 'maybe'
! 22P02
SELECT true UNION SELECT 'yes'
: boolean
= t
SELECT 1 UNION SELECT 1.5 UNION SELECT 'x'
! 22P02
SELECT '{"a":1}'::json UNION ALL SELECT '{'
! 22P02
SELECT '\x01'::bytea UNION SELECT 'a'
: bytea
= \\x01
= \\x61
VALUES ('a'), (1)
! 22P02
VALUES (NULL), ('2'), (3)
: integer
= \N
= 2
= 3
VALUES ('1', 'a'), (2, 'b')
: integer text
= 1	a
= 2	b
SELECT * FROM (VALUES ('1'), (2)) v (x)
: integer
= 1
= 2
SELECT x + 1 FROM (VALUES ('1'), (2)) v (x)
: integer
= 2
= 3
SELECT * FROM (VALUES (date '2020-01-01'), ('2020-01-02')) v (x)
: date
= 2020-01-01
= 2020-01-02
SELECT * FROM (VALUES (1), (true)) v
! 42804
SELECT * FROM (VALUES ('t'), (true)) v
: boolean
= t
= t
SELECT * FROM (VALUES (1), (2.5), ('3')) v (x)
: numeric
= 1
= 2.5
= 3
SELECT * FROM (VALUES (NULL), (NULL), ('x')) v (x)
: text
= \N
= \N
= x
SELECT i FROM samples WHERE i IN (VALUES ('1'), (2)) ORDER BY 1
: integer
= 1
= 2
= 2
VALUES ('2020-01-01'), (timestamp '2020-01-02 10:00')
: timestamp_without_time_zone
= 2020-01-01 00:00:00
= 2020-01-02 10:00:00
VALUES (1), ('a'::text)
! 42804
SELECT coalesce(1, true)
! 42804
SELECT CASE WHEN true THEN 1 ELSE true END
! 42804
SELECT greatest(true, 1)
! 42804
SELECT CASE WHEN id > 3 THEN f ELSE i END FROM samples
! 42804
SELECT coalesce(f, 'true'), coalesce(NULL, f), CASE WHEN f THEN f END, CASE WHEN f THEN 'f' ELSE f END FROM samples ORDER BY id
: boolean boolean boolean boolean
= t	t	t	f
= f	f	\N	f
= t	t	t	f
= f	f	\N	f
= t	\N	\N	\N
= t	t	t	f
= t	t	t	f
= f	f	\N	f
= f	f	\N	f
SELECT coalesce(f, t) FROM samples
! 42804
SELECT coalesce(f, j) FROM samples
! 42804
SELECT div(b, 2) FROM samples WHERE id = 1 UNION ALL SELECT n FROM samples WHERE id = 1
: numeric
= 5
= 1.500
VALUES (1) EXCEPT VALUES ('ä')
! 42804
VALUES (1) UNION VALUES ('2')
! 42804
VALUES (1) UNION SELECT '2'
: integer
= 1
= 2
VALUES (1), ('3') UNION SELECT '2' ORDER BY 1
: integer
= 1
= 2
= 3
VALUES ('a') UNION SELECT 'b' ORDER BY 1
: text
= a
= b
VALUES (NULL) UNION SELECT 1 ORDER BY 1
! 42804
SELECT 1 UNION (VALUES ('x'::text))
! 42804
VALUES (1), (2) UNION ALL VALUES (3.5) ORDER BY 1
: numeric
= 1
= 2
= 3.5
VALUES (date '2020-01-01') UNION SELECT '2020-01-02' ORDER BY 1
: date
= 2020-01-01
= 2020-01-02
VALUES (1, 'a') INTERSECT SELECT 1, 'a'
: integer text
= 1	a
SELECT * FROM (VALUES (1, 'a') UNION ALL VALUES (2, 'b')) v(x, y) ORDER BY 1
: integer text
= 1	a
= 2	b
SELECT i FROM samples UNION VALUES (100) ORDER BY 1
: integer
= -7
= 0
= 1
= 2
= 3
= 5
= 9
= 100
= \N
VALUES (1) UNION SELECT 'x'
! 22P02
WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT * FROM t
: integer
= 1
= 2
= 3
SELECT id FROM samples LIMIT 1 UNION ALL SELECT id FROM samples
! 42601
SELECT id FROM samples ORDER BY 1 UNION ALL SELECT id FROM samples
! 42601
(SELECT id FROM samples ORDER BY 1 LIMIT 1) UNION ALL SELECT id FROM samples ORDER BY 1 LIMIT 2
: integer
= 1
= 1
SELECT 1 UNION SELECT 2 LIMIT 1 OFFSET 0 UNION SELECT 3
! 42601
