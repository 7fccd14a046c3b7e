SELECT 1 ORDER BY 1,
! 42601
SELECT 1 ORDER BY DESC
! 42601
SELECT 1 ORDER BY ASC
! 42601
SELECT 1 ORDER BY NULLS FIRST
! 42601
SELECT 1 ORDER BY
! 42601
SELECT 1 GROUP BY 1,
! 42601
SELECT 1,
! 42601
SELECT ,1
! 42601
SELECT 1,,2
! 42601
SELECT 1, FROM samples
! 42601
SELECT id, FROM samples
! 42601
SELECT id FROM samples,
! 42601
SELECT id FROM samples, WHERE id = 1
! 42601
SELECT id FROM samples WHERE id IN (1,)
! 42601
SELECT id FROM samples WHERE id IN (,1)
! 42601
SELECT abs(1,)
! 42601
SELECT ARRAY[1,]
! 42601
SELECT ARRAY[,1]
! 42601
SELECT (1,2,)
! 42601
SELECT ROW(1,)
! 42601
VALUES (1,),(2)
! 42601
VALUES (1),
! 42601
SELECT 1 FROM samples ORDER BY id, LIMIT 1
! 42601
SELECT 1 FROM samples GROUP BY id, ORDER BY 1
! 42601
SELECT 1 FROM samples GROUP BY id, HAVING true
! 42601
SELECT 1 FROM samples JOIN notes USING (sample,)
! 42601
SELECT count(*) OVER (PARTITION BY id, ORDER BY id) FROM samples
! 42601
SELECT count(*) OVER (ORDER BY id, ROWS 1 PRECEDING) FROM samples
! 42601
SELECT count(*) OVER (ORDER BY DESC) FROM samples
! 42601
SELECT string_agg(t, ',' ORDER BY DESC) FROM samples
! 42601
SELECT array_agg(id ORDER BY id,) FROM samples
! 42601
WITH x AS (SELECT 1), SELECT 1
! 42601
WITH x AS (SELECT 1), y AS (SELECT 2), SELECT 1
! 42601
SELECT 1, UNION SELECT 2
! 42601
SELECT DISTINCT ON (id,) id FROM samples
! 42601
SELECT 1 FROM samples GROUP BY ROLLUP (id,)
! 42601
SELECT numeric '1.5'::numeric(3,)
! 42601
SELECT abs(-1)[1]
! 42601
SELECT array_append('{1}'::int[], 2)[1]
! 42601
SELECT (array_append('{1}'::int[], 2))[1]
: integer
= 1
SELECT ARRAY(SELECT 1)[1]
! 42601
SELECT (ARRAY(SELECT 1))[1]
: integer
= 1
SELECT ARRAY[1,2][1]
! 42601
SELECT coalesce(a, a)[1] FROM samples
! 42601
SELECT CAST(a AS int[])[1] FROM samples
! 42601
SELECT array_agg(id)[1] FROM samples
! 42601
SELECT array_agg(id) FILTER (WHERE true)[1] FROM samples
! 42601
SELECT array_agg(id) OVER ()[1] FROM samples
! 42601
SELECT row(1)[1]
! 42601
SELECT pg_catalog.array_append('{1}'::int[], 2)[1]
! 42601
SELECT "array_append"('{1}'::int[], 2)[1]
! 42601
SELECT '{1.5}'::numeric(3,1)[]
: numeric[]
= {1.5}
SELECT '{1.5}'::numeric(3,1)[1]
: numeric[]
= {1.5}
SELECT CAST('{1.5}' AS numeric(3,1)[1])
: numeric[]
= {1.5}
SELECT CAST('{a}' AS varchar(3)[])
: character_varying[]
= {a}
SELECT '{a}'::pg_catalog.varchar(3)[2]
: character_varying[]
= {a}
SELECT varchar(3) 'a'
: character_varying
= a
SELECT NOT (ARRAY[true])[1]
: boolean
= f
SELECT 1 BETWEEN SYMMETRIC (ARRAY[1])[1] AND (ARRAY[1])[1]
: boolean
= t
SELECT now() AT TIME ZONE (ARRAY['UTC'])[1] IS NULL
: boolean
= f
SELECT 'a' SIMILAR TO (ARRAY['a'])[1]
: boolean
= t
SELECT 'a' LIKE (ARRAY['a'])[1] ESCAPE (ARRAY['a'])[1]
! 22025
SELECT count(*) OVER (ORDER BY id GROUPS (ARRAY[1])[1] PRECEDING) FROM samples
: bigint
= 1
= 2
= 2
= 2
= 2
= 2
= 2
= 2
= 2
SELECT count(*) OVER (ORDER BY id ROWS (ARRAY[1])[1] PRECEDING) FROM samples
: bigint
= 1
= 2
= 2
= 2
= 2
= 2
= 2
= 2
= 2
SELECT trim(BOTH (ARRAY['a'])[1] FROM 'aba')
: text
= b
SELECT trim((ARRAY['a'])[1])
: text
= a
SELECT overlay('abc' PLACING (ARRAY['x'])[1] FROM (ARRAY[1])[1] FOR (ARRAY[1])[1])
: text
= xbc
SELECT substring('abc' FROM (ARRAY[1])[1] FOR (ARRAY[1])[1])
: text
= a
SELECT position((ARRAY['a'])[1] IN (ARRAY['a'])[1])
: integer
= 1
SELECT CASE (ARRAY[1])[1] WHEN (ARRAY[1])[1] THEN (ARRAY[1])[1] ELSE (ARRAY[1])[1] END
: integer
= 1
SELECT 1 OPERATOR(pg_catalog.+) (ARRAY[1])[1]
: integer
= 2
SELECT 1 LIMIT (ARRAY[1])[1] OFFSET (ARRAY[0])[1]
: integer
= 1
SELECT DISTINCT (ARRAY[1])[1]
: integer
= 1
SELECT ALL (ARRAY[1])[1]
: integer
= 1
SELECT DISTINCT ON (id) (a)[1] FROM samples ORDER BY id
: bigint
= 1
= 2
= \N
= 4
= \N
= 2
= 7
= 10
= 9
SELECT 1 IS DISTINCT FROM (ARRAY[1])[1]
: boolean
= f
SELECT x FROM unnest(ARRAY[1,2]) AS t (x)
: integer
= 1
= 2
SELECT regexp_match('abc', 'b')[1]
! 42601
SELECT (regexp_match('abc', 'b'))[1]
: text
= b
SELECT string_to_array('a,b', ',')[1]
! 42601
SELECT left('abc', 1)[1]
! 42601
SELECT now()[1]
! 42601
SELECT (SELECT ARRAY[1])[1]
: integer
= 1
SELECT (samples.a)[1] FROM samples ORDER BY id
: bigint
= 1
= 2
= \N
= 4
= \N
= 2
= 7
= 10
= 9
SELECT EXISTS (SELECT 1)[1]
! 42601
SELECT 1 WHERE 1 IN (1)[1]
! 42601
SELECT jsonb_build_object('a', 1)['a']
! 42601
SELECT (jsonb_build_object('a', 1))['a']
: jsonb
= 1
SELECT ('{1}'::int[])[1]
: integer
= 1
SELECT '{1}'::int[][1]
: integer[]
= {1}
SELECT CURRENT_TIMESTAMP(3)[1]
! 42601
SELECT $1[1]
! 42804
SELECT 'a'[1]
! 42601
SELECT 1[1]
! 42601
SELECT (CASE WHEN true THEN ARRAY[1] END)[1]
: integer
= 1
SELECT CASE WHEN true THEN ARRAY[1] END[1]
! 42601
SELECT ARRAY((SELECT 1) LIMIT 1)
: integer[]
= {1}
SELECT ARRAY((SELECT 1) ORDER BY 1 LIMIT 1)
: integer[]
= {1}
SELECT ARRAY((SELECT 1))
: integer[]
= {1}
SELECT ARRAY(((SELECT 1)) LIMIT 1)
: integer[]
= {1}
SELECT ARRAY((VALUES (1),(2)) LIMIT 1)
: integer[]
= {1}
SELECT ARRAY((SELECT 1) UNION ALL (SELECT 2) LIMIT 1)
: integer[]
= {1}
SELECT EXISTS((SELECT 1) LIMIT 1)
: boolean
= t
SELECT ((SELECT 1) LIMIT 1)
: integer
= 1
SELECT 1 IN ((SELECT 1) LIMIT 1)
: boolean
= t
SELECT 1 = ANY ((SELECT 1) LIMIT 1)
: boolean
= t
SELECT * FROM ((SELECT 1) LIMIT 1) AS t
: integer
= 1
WITH x AS ((SELECT 1) LIMIT 1) SELECT * FROM x
: integer
= 1
SELECT 1.5.5
! 42601
SELECT 1..2
! 42601
SELECT .5.5
! 42601
SELECT 1.5 .5
! 42601
SELECT SOME (ARRAY[1])
! 42601
SELECT ANY (ARRAY[1])
! 42601
SELECT some(1)
! 42601
SELECT 1 WHERE some(ARRAY[true])
! 42601
SELECT 1 + ANY (ARRAY[1])
! 42809
SELECT 'a' || ANY (ARRAY['a'])
! 42809
SELECT 1 = SOME (ARRAY[1])
: boolean
= t
VALUES (1, 2), (3)
! 42601
SELECT * FROM (VALUES (1, 2), (3)) AS v
! 42601
SELECT 1 IN (VALUES (1), (2, 3))
! 42601
VALUES (1), (2, 3)
! 42601
SELECT id IS NOT TRUE FROM samples
! 42804
SELECT i IS TRUE FROM samples
! 42804
SELECT 1 IS FALSE
! 42804
SELECT f IS TRUE, f IS NOT FALSE, f IS UNKNOWN, NULL IS TRUE, (i > 1) IS NOT TRUE, i IS NULL FROM samples ORDER BY id
: boolean boolean boolean boolean boolean boolean
= t	t	f	f	t	f
= f	f	f	f	f	f
= t	t	f	f	f	f
= f	f	f	f	f	f
= f	t	t	f	t	t
= t	t	f	f	t	f
= t	t	f	f	f	f
= f	f	f	f	t	f
= f	f	f	f	f	f
SELECT t IS TRUE FROM samples
! 42804
SELECT id FROM samples ORDER BY id LIMIT i
! 42P10
SELECT id FROM samples ORDER BY id FETCH FIRST (1 + 1) ROWS ONLY
: integer
= 1
= 2
SELECT greatest('{"a": 1}'::json, '{"a": 1}'::json)
! 42883
SELECT least('{"a": 1}'::json, '1')
! 42883
SELECT greatest('{"a": 1}'::jsonb, '1')
: jsonb
= {"a": 1}
SELECT * FROM power(1, count(1))
! 42803
SELECT * FROM samples s JOIN unnest(ARRAY[1], ARRAY['a']) AS u (k, x, v) ON s.id = u.k
! 42P10
SELECT * FROM unnest(ARRAY[1], ARRAY['a']) AS u (k, x, v)
! 42P10
SELECT * FROM generate_series(1, 2) AS g (a, b)
! 42P10
SELECT string_agg(t, 1) FROM samples
! 42883
SELECT string_agg(i, ',') FROM samples
! 42883
SELECT d || i FROM samples
! 42883
SELECT 1 || 2.5
! 42883
SELECT 1::jsonb
! 42846
SELECT NOT (SELECT 'a')
! 42804
SELECT NOT NULL, NOT 'f'
: boolean boolean
= \N	t
SELECT timestamp '2020-01-01 10:00' AT TIME ZONE '00:00:01'
: timestamp_with_time_zone
= 2020-01-01 10:00:01+00
SELECT percentile_cont(ARRAY[0.25]) WITHIN GROUP (ORDER BY d) FROM samples
: double_precision[]
= {0.07500000000000001}
SELECT ARRAY(SELECT row(NULL))
: record[]
= {()}
