SELECT NULL::text FROM (VALUES (1)) t(i) WHERE (NULL::integer >= SOME (VALUES (3)))
: text
SELECT 3 >= SOME (VALUES (3)), 3 = ALL (VALUES (3),(4)), 3 > ANY (VALUES (1) UNION SELECT 2), 1 IN (VALUES (3)), EXISTS (VALUES (1)), (VALUES (3))
: boolean boolean boolean boolean boolean integer
= t	f	t	f	t	3
SELECT ARRAY(VALUES (1),(2) ORDER BY 1 DESC), ARRAY(VALUES (3))
: integer[] integer[]
= {2,1}	{3}
SELECT * FROM (VALUES (3),(1) ORDER BY 1) v(x)
: integer
= 1
= 3
VALUES (3),(1) ORDER BY 1
: integer
= 1
= 3
VALUES (3),(1) ORDER BY column1 LIMIT 1
: integer
= 1
VALUES (3),(1) x
! 42601
VALUES (3,'a'),(1,'b') UNION ALL VALUES (2,'c') ORDER BY 1 DESC OFFSET 1
: integer text
= 2	c
= 1	b
SELECT 1 IN (VALUES (3),(1) ORDER BY 1 LIMIT 1)
: boolean
= t
SELECT (VALUES (3),(1) ORDER BY 1 LIMIT 1)
: integer
= 1
SELECT (VALUES (3),(1))
! 21000
SELECT (VALUES (3, 1))
! 42601
SELECT x, y FROM (VALUES (1),(2)) v(x), LATERAL (VALUES (x), (x+10)) w(y) ORDER BY 1,2
: integer integer
= 1	1
= 1	11
= 2	2
= 2	12
SELECT x, y FROM (VALUES (1),(2)) v(x), LATERAL (VALUES (x), (x+10) ORDER BY 1 DESC LIMIT 1) w(y) ORDER BY 1,2
: integer integer
= 1	11
= 2	12
SELECT x, column1 FROM (VALUES (1),(2)) v(x), LATERAL (VALUES (x), (x+10)) w ORDER BY 1,2
: integer integer
= 1	1
= 1	11
= 2	2
= 2	12
SELECT x, (VALUES (x+1)) FROM (VALUES (1),(2)) v(x) ORDER BY 1
: integer integer
= 1	2
= 2	3
SELECT x FROM (VALUES (1),(2)) v(x) WHERE (x, 1) IN (VALUES (1,1),(3,4)) ORDER BY 1
: integer
= 1
SELECT x FROM (VALUES (1),(2)) v(x) WHERE (x, 1) IN (VALUES (1,x),(3,4)) ORDER BY 1
: integer
= 1
WITH a AS (VALUES (1),(2) ORDER BY 1 DESC LIMIT 1) SELECT * FROM a
: integer
= 2
WITH a(z) AS (VALUES (1),(2)) SELECT * FROM a ORDER BY 1
: integer
= 1
= 2
(VALUES (1),(2)) ORDER BY 1 DESC
: integer
= 2
= 1
((VALUES (1),(2))) LIMIT 1
: integer
= 1
SELECT * FROM ((VALUES (1),(2))) v(x) ORDER BY 1
: integer
= 1
= 2
SELECT * FROM ((VALUES (1),(2)) UNION VALUES (3)) v(x) ORDER BY 1
: integer
= 1
= 2
= 3
SELECT * FROM (VALUES (1),(2)) AS v(x) JOIN (VALUES (2)) AS w(x) USING (x)
: integer
= 2
SELECT '2020-01-01'::date = ANY (VALUES ('2020-01-01'::date)), 'a' IN (VALUES ('a'), ('b')), NOT 1 IN (VALUES (NULL::int))
: boolean boolean boolean
= t	t	\N
WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n+1 FROM t WHERE n < 3) SELECT * FROM t ORDER BY 1
: integer
= 1
= 2
= 3
VALUES (1, 2), (3)
! 42601
VALUES (1), ('a')
! 22P02
VALUES ('2020-01-01'::timestamptz), (NULL) ORDER BY 1
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
= \N
VALUES (1) FETCH FIRST 1 ROWS ONLY
: integer
= 1
SELECT VALUES (1)
! 42601
SELECT 1 WHERE 1 = (VALUES (1))
: integer
= 1
VALUES (1) EXCEPT VALUES (1)
: integer
SELECT (SELECT * FROM (VALUES (1)) v(zz)), ARRAY(SELECT * FROM (VALUES (1)) v(zz)), (SELECT v.* FROM (VALUES (1)) v(zz))
: integer integer[] integer
= 1	{1}	1
SELECT * FROM ((VALUES (1),(2) ORDER BY 1 DESC LIMIT 1)) v(x)
: integer
= 2
SELECT * FROM (VALUES (1),(2)) v(x) NATURAL JOIN (VALUES (2) LIMIT 1) w(x)
: integer
= 2
SELECT * FROM ((VALUES (1),(2)) a(x) JOIN (VALUES (2)) b(y) ON x = y)
: integer integer
= 2	2
SELECT extract(year FROM (VALUES ('2020-01-01'::date))), 1 IS DISTINCT FROM (VALUES (1))
: numeric boolean
= 2020	f
SELECT * FROM (VALUES (1) UNION ALL VALUES (2) ORDER BY 1) v
: integer
= 1
= 2
