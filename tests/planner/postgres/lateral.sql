SELECT (SELECT 1, 2)
! 42601
SELECT 1 WHERE (SELECT 1, true)
! 42601
SELECT ARRAY(SELECT 1, 2)
! 42601
SELECT (SELECT 1, 2) = (SELECT 1, 2)
! 42601
SELECT 1 = (SELECT 1, 2)
! 42601
SELECT 1 IN ((SELECT 1, 2))
! 42601
SELECT 1 LIMIT (SELECT 1, 2)
! 42601
SELECT EXISTS (SELECT 1, 2), NOT EXISTS (VALUES (1, 2))
: boolean boolean
= t	f
SELECT (VALUES (1, 2))
! 42601
SELECT coalesce((SELECT 1, 2), 3)
! 42601
SELECT ((SELECT 1, 2))
! 42601
SELECT (SELECT * FROM (VALUES (1, 2)) v(a, b))
! 42601
SELECT v.* FROM (VALUES (1)) v(a) ORDER BY (SELECT 1, 2)
! 42601
SELECT (SELECT v FROM (VALUES (1, 2)) v(a, b))
: record
= (1,2)
SELECT * FROM LATERAL string_to_table('a,b', ',') ORDER BY 1
: text
= a
= b
SELECT string_to_table FROM LATERAL string_to_table('a,b', ',') ORDER BY 1
: text
= a
= b
SELECT * FROM (VALUES ('a,b')) v(s), LATERAL string_to_table(v.s, ',') ORDER BY 2
: text text
= a,b	a
= a,b	b
SELECT * FROM LATERAL generate_series(1::bigint, 2) ORDER BY 1
: bigint
= 1
= 2
SELECT generate_series.generate_series FROM LATERAL generate_series(1::bigint, 2) ORDER BY 1
: bigint
= 1
= 2
SELECT generate_series.* FROM generate_series(1::bigint, 2) ORDER BY 1
: bigint
= 1
= 2
SELECT * FROM LATERAL regexp_split_to_table('a b', ' ') ORDER BY 1
: text
= a
= b
SELECT * FROM LATERAL unnest(ARRAY[1,2]) ORDER BY 1
: integer
= 1
= 2
SELECT unnest FROM LATERAL unnest(ARRAY[1,2]) ORDER BY 1
: integer
= 1
= 2
SELECT * FROM LATERAL generate_series(1::bigint, 2) WITH ORDINALITY ORDER BY 1
: bigint bigint
= 1	1
= 2	2
SELECT * FROM LATERAL json_each('{"a":1}') ORDER BY 1
: text json
= a	1
SELECT * FROM LATERAL upper('a')
: text
= A
SELECT * FROM generate_series(1::bigint, 2), generate_series(1::bigint, 2)
! 42712
SELECT generate_series.* FROM LATERAL generate_series(1::bigint, 2) ORDER BY 1
: bigint
= 1
= 2
SELECT * FROM unnest(ARRAY[1]) CROSS JOIN LATERAL generate_subscripts(ARRAY[5,6], 1) ORDER BY 2
: integer integer
= 1	1
= 1	2
SELECT * FROM LATERAL v
! 42601
SELECT * FROM (VALUES (1)) LATERAL upper('a')
! 42601
SELECT * FROM (VALUES (ARRAY[1,2])) v(a), LATERAL unnest(a) WITH ORDINALITY AS u ORDER BY 2
: integer[] integer bigint
= {1,2}	1	1
= {1,2}	2	2
SELECT * FROM (VALUES (ARRAY[1,2])) v(a) LEFT JOIN LATERAL unnest(v.a) AS u(x) ON x > 1
: integer[] integer
= {1,2}	2
SELECT * FROM (VALUES ('{"a":1}'::jsonb)) v(a), LATERAL jsonb_each(a) AS u(x, y)
: jsonb text jsonb
= {"a": 1}	a	1
SELECT * FROM (VALUES (1), (2)) v(a), LATERAL generate_series(1::bigint, v.a) AS s ORDER BY 1, 2
: integer bigint
= 1	1
= 2	1
= 2	2
SELECT * FROM (VALUES (1), (2)) v(a) JOIN LATERAL (SELECT v.a + 1) AS s(b) ON true ORDER BY 1, 2
: integer integer
= 1	2
= 2	3
SELECT * FROM (VALUES (1), (2)) v(a) CROSS JOIN LATERAL pg_catalog.generate_series(1::bigint, v.a) AS s ORDER BY 1, 2
: integer bigint
= 1	1
= 2	1
= 2	2
SELECT * FROM (VALUES ('a1b2')) v(a), LATERAL regexp_matches(v.a, '[0-9]', 'g') AS m ORDER BY 2
: text text[]
= a1b2	{1}
= a1b2	{2}
SELECT * FROM (VALUES ('a1b2')) v(a), LATERAL regexp_matches(v.a, '[0-9]', 'g') ORDER BY 2
: text text[]
= a1b2	{1}
= a1b2	{2}
SELECT * FROM LATERAL lower('A') AS l(x) , LATERAL upper(l.x) u
: text text
= a	A
SELECT * FROM unnest(ARRAY[1]) CROSS JOIN generate_subscripts(ARRAY[5,6], 1) ORDER BY 2
: integer integer
= 1	1
= 1	2
SELECT * FROM unnest(ARRAY[1]), generate_subscripts(ARRAY[5,6], 1) ORDER BY 2
: integer integer
= 1	1
= 1	2
SELECT * FROM (VALUES (1)) x LATERAL upper('a')
! 42601
SELECT * FROM (VALUES (1)) x LATERAL (SELECT 1) y
! 42601
SELECT * FROM (VALUES (1)) x, LATERAL (SELECT 1) y
: integer integer
= 1	1
SELECT * FROM (VALUES (1)) x, LATERAL (VALUES (1)) y
: integer integer
= 1	1
SELECT * FROM (VALUES (1)) x, LATERAL ((SELECT x.column1)) y
: integer integer
= 1	1
SELECT * FROM generate_subscripts(ARRAY[5,6], 1) ORDER BY 1
: integer
= 1
= 2
SELECT generate_subscripts.* FROM generate_subscripts(ARRAY[5,6], 1) ORDER BY 1
: integer
= 1
= 2
SELECT * FROM upper('a'), lower('B')
: text text
= A	b
SELECT upper.upper, lower FROM upper('a'), lower('B')
: text text
= A	b
SELECT * FROM string_to_table('a', ','), regexp_split_to_table('b', ',')
: text text
= a	b
SELECT * FROM json_array_elements('[1]'), jsonb_object_keys('{"a":1}')
: json text
= 1	a
SELECT * FROM regexp_matches('a', 'a'), unnest(ARRAY[1])
: text[] integer
= {a}	1
SELECT * FROM unnest(ARRAY[1], ARRAY[2]), upper('a')
: integer integer text
= 1	2	A
SELECT * FROM unnest(ARRAY[1], ARRAY[2]), unnest(ARRAY[1])
! 42712
SELECT x, number, b FROM (VALUES (1, '["a", "b"]')) s(i, j), (jsonb_array_elements(s.j::jsonb) WITH ORDINALITY AS q (x, number) JOIN (VALUES (1), (2)) r(b) ON r.b = q.number) ORDER BY 2
: jsonb bigint integer
= "a"	1	1
= "b"	2	2
SELECT i, x, b FROM (VALUES (1, '["a", "b"]'), (2, '[]')) s(i, j) LEFT JOIN (LATERAL jsonb_array_elements_text(j::jsonb) WITH ORDINALITY AS q (x, number) FULL JOIN (VALUES (1), (2), (3)) r(b) ON r.b = q.number) ON b > i ORDER BY 1, 2, 3
: integer text integer
= 1	b	2
= 1	\N	3
= 2	\N	3
SELECT x, y FROM (VALUES ('aba', 1)) s(t, i), (regexp_matches(s.t, 'a', 'g') AS q (x) JOIN (VALUES (1), (2)) r(y) ON true) ORDER BY 1, 2
: text[] integer
= {a}	1
= {a}	1
= {a}	2
= {a}	2
SELECT x, y FROM (VALUES ('a,b', 1)) s(t, i), (split_part(s.t, ',', 2) AS q (x) JOIN (VALUES ('b', 2)) r(z, y) ON q.x = r.z)
: text integer
= b	2
SELECT x, y FROM (split_part('a,b', ',', 2) AS q (x) JOIN (VALUES ('b', 2)) r(z, y) ON q.x = r.z)
: text integer
= b	2
SELECT x, y FROM (regexp_matches('aba', 'a', 'g') AS q (x) JOIN (VALUES (1), (2)) r(y) ON true) ORDER BY 1, 2
: text[] integer
= {a}	1
= {a}	1
= {a}	2
= {a}	2
