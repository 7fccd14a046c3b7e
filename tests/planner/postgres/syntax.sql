SELECT ()
! 42601
SELECT q FROM (VALUES (1),NULL) t(q)
! 42601
VALUES 1
! 42601
VALUES (1), 2
! 42601
SELECT 1 FROM samples, VALUES (1)
! 42601
SELECT left(), current_schema()
! 42883
SELECT values FROM samples
! 42703
SELECT 1 AS values, 2 AS x
: integer integer
= 1	2
SELECT x FROM (VALUES (1), (2)) AS v (x), (VALUES (3)) w
: integer
= 1
= 2
SELECT ARRAY(VALUES (1), (2)), 3
: integer[] integer
= {1,2}	3
SELECT 1 WHERE 1 IN (VALUES (1), (2)) AND 2 = ANY (VALUES (2))
: integer
= 1
SELECT f, GROUPING() FROM samples GROUP BY CUBE (f)
! 42601
SELECT count(ORDER BY id) FROM samples
! 42601
SELECT coalesce(), greatest()
! 42601
SELECT substring()
! 42883
SELECT trim()
! 42601
SELECT 'a' FROM samples s WHERE id IN ()
! 42601
SELECT row(), count(*) FILTER () FROM samples
! 42601
SELECT sum(id) OVER () FROM samples GROUP BY GROUPING SETS ((), id)
: bigint
= 45
= 45
= 45
= 45
= 45
= 45
= 45
= 45
= 45
= 45
SELECT a FROM unnest(ARRAY[1]) AS a(NULL)
! 42601
SELECT a FROM unnest(ARRAY[1]) a(1)
! 42601
WITH w(1) AS (SELECT 1) SELECT 1
! 42601
SELECT CAST(1 AS numeric(10,2)), '1'::varchar(3), x FROM (SELECT 1) AS t ("order")
! 42703
SELECT [1]
! 42601
SELECT 1, [2]
! 42601
SELECT ARRAY[[1],[2]], (ARRAY[1])[1], ARRAY[1][1]
! 42601
SELECT , 1
! 42601
SELECT 1 FROM samples WHERE , id
! 42601
SELECT (1
! 42601
SELECT round(,1)
! 42601
SELECT id FROM samples ORDER BY ()
! 42601
SELECT count(*), i FROM samples WHERE id = 1 GROUP BY GROUPING SETS ((), (i)) ORDER BY 2
: bigint integer
= 1	1
= 1	\N
SELECT ('a' AS)
! 42601
SELECT 1 a, NULL. d
! 42601
SELECT 'a'.b
! 42601
SELECT current_timestamp(NULL)
! 42601
SELECT current_time(1+1)
! 42601
SELECT now(1)
! 42883
SELECT count(*) FROM samples TABLESAMPLE BERNOULLI (100)
: bigint
= 9
SELECT count(*) FROM samples TABLESAMPLE BERNOULLI (101)
! 2202H
SELECT count(*) FROM samples TABLESAMPLE BERNOULLI (NULL)
! 2202H
SELECT array_agg(2) WITHIN GROUP (ORDER BY t) FROM samples
! 42883
SELECT sum(2) WITHIN GROUP (ORDER BY i) FROM samples
! 42883
SELECT upper(t) WITHIN GROUP (ORDER BY i) FROM samples
! 42883
SELECT (NULL)[1]
! 42804
SELECT ((NULL,NULL))[1]
! 42804
SELECT (row(1,2))[1]
! 42804
SELECT (row(1,2))[1:2]
! 42804
SELECT (NULL)[1:2]
! 42804
SELECT i IS TRUE FROM samples ORDER BY id
! 42804
SELECT i IS NOT UNKNOWN FROM samples ORDER BY id
! 42804
SELECT NULL IS UNKNOWN, true IS UNKNOWN, 'true' IS UNKNOWN
: boolean boolean boolean
= t	f	f
SELECT t IS UNKNOWN FROM samples ORDER BY id
! 42804
SELECT 1 < 2 = true
! 42601
SELECT 1 = 2 = true
! 42601
SELECT 1 < 2 < 3
! 42601
SELECT true = 1 < 2
! 42601
SELECT (1 < 2) = true, true = (1 < 2)
: boolean boolean
= t	t
SELECT 1 <> 2 IS TRUE
: boolean
= t
SELECT 'a' LIKE 'a' = true
: boolean
= t
SELECT true = 'a' LIKE 'a'
: boolean
= t
SELECT 1 BETWEEN 0 AND 2 = true
: boolean
= t
SELECT 1 IN (1) = true
: boolean
= t
SELECT true = 1 IN (1)
: boolean
= t
SELECT 1 IS NULL = false
: boolean
= t
SELECT false = 1 IS NULL
! 42883
SELECT NOT 1 = 2, NOT 1 < 2 IS TRUE
: boolean boolean
= t	f
SELECT 1 < 2 AND 3 > 2 OR 2 = 2
: boolean
= t
SELECT 1 = ANY (ARRAY[1]) = true
: boolean
= t
SELECT 1 IS DISTINCT FROM 2 = true
! 42883
SELECT 1 = 1 IS DISTINCT FROM true
: boolean
= f
