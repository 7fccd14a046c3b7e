SELECT a FROM json_array_elements('[3]') AS a(x)
: json
= 3
SELECT a, a.x FROM json_array_elements('[3]') AS a(x)
: json json
= 3	3
SELECT a FROM unnest(ARRAY[1,2]) AS a(x)
: integer
= 1
= 2
SELECT a + 1 FROM unnest(ARRAY[1,2]) AS a(x)
: integer
= 2
= 3
SELECT (SELECT max(a) FROM unnest(ARRAY[1,2]) AS a(x)) FROM unnest(ARRAY[3]) AS a(y)
: integer
= 2
SELECT (SELECT max(a) FROM unnest(ARRAY[1,2]) AS a) FROM unnest(ARRAY[3]) AS a
: integer
= 2
SELECT (SELECT max(a.a) FROM unnest(ARRAY[1,2]) AS a) FROM unnest(ARRAY[3]) AS a
: integer
= 2
SELECT (SELECT max(a::text) FROM json_array_elements('[3]') AS a) FROM json_array_elements('[4]') AS a
: text
= 3
SELECT (SELECT max(json_array_elements::text) FROM json_array_elements('[3]')) FROM json_array_elements('[1]')
: text
= 3
SELECT (SELECT max(jsonb_array_elements::text) FROM jsonb_array_elements('[3]')) FROM jsonb_array_elements('[1]')
: text
= 3
SELECT (SELECT max(unnest) FROM unnest(ARRAY[3, 4])) FROM unnest(ARRAY[1, 2])
: integer
= 4
= 4
SELECT (SELECT max(json_object_keys) FROM json_object_keys('{"a":3}')) FROM json_object_keys('{"b":1}')
: text
= a
SELECT (SELECT max(regexp_split_to_table) FROM regexp_split_to_table('a b', ' ')) FROM regexp_split_to_table('c', ' ')
: text
= b
SELECT (SELECT max(upper) FROM upper('x')), upper FROM upper('y')
: text text
= X	Y
SELECT (SELECT max(json_array_elements_text) FROM json_array_elements_text('[3]')) FROM json_array_elements_text('[1]')
: text
= 3
SELECT (SELECT max(json_each::text) FROM json_each('{"a":3}')) FROM json_each('{"b":1}')
: text
= (a,3)
SELECT (SELECT max(a::text) FROM json_each('{"a":3}') AS a) FROM json_each('{"b":1}') AS a
: text
= (a,3)
SELECT (SELECT max(v) FROM json_array_elements_text('[3]') AS v) FROM json_array_elements_text('[1]') AS v
: text
= 3
SELECT json_array_elements, (SELECT json_array_elements::text FROM json_array_elements('[3]')) FROM json_array_elements('[1]')
: json text
= 1	3
SELECT x.json_array_elements::text FROM json_array_elements('[1]'), (SELECT json_array_elements FROM json_array_elements('[3]')) x
: text
= 3
SELECT json_array_elements::text FROM json_array_elements('[1]') WHERE EXISTS (SELECT FROM json_array_elements('[1]') WHERE json_array_elements::text = '1')
: text
= 1
SELECT count(a), sum(a), array_agg(a) FROM unnest(ARRAY[1,2]) AS a(x)
: bigint bigint integer[]
= 2	3	{1,2}
SELECT a, count(*) FROM unnest(ARRAY[1,2,2]) AS a(x) GROUP BY a ORDER BY a
: integer bigint
= 1	1
= 2	2
SELECT a, count(*) FROM unnest(ARRAY[1,2,2]) AS a(x) GROUP BY x ORDER BY a.x
: integer bigint
= 1	1
= 2	2
SELECT a FROM unnest(ARRAY[1,2,2]) AS a(x) WHERE a > 1 ORDER BY a DESC
: integer
= 2
= 2
SELECT DISTINCT a FROM unnest(ARRAY[1,2,2]) AS a(x) ORDER BY a
: integer
= 1
= 2
SELECT row_to_json(a) FROM unnest(ARRAY[1]) AS a(x)
! 42883
SELECT to_json(a) FROM unnest(ARRAY[1]) AS a(x)
: json
= 1
SELECT a FROM unnest(ARRAY[1,2]) WITH ORDINALITY AS a(x, n)
: record
= (1,1)
= (2,2)
SELECT id, u FROM samples, unnest(a) AS u(x) ORDER BY id, u
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
SELECT id, u FROM samples CROSS JOIN LATERAL unnest(a) AS u(x) ORDER BY id, u
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
SELECT id, u FROM samples s LEFT JOIN unnest(ARRAY[1, 2]) AS u(x) ON s.id = u ORDER BY id
: integer integer
= 1	1
= 2	2
= 3	\N
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT a IS NULL, a::text FROM unnest(ARRAY[1,NULL]) AS a(x)
: boolean text
= f	1
= t	\N
SELECT a.*, a FROM unnest(ARRAY[1,2]) AS a(x)
: integer integer
= 1	1
= 2	2
SELECT count(a.*) FROM unnest(ARRAY[1,2]) AS a(x)
: bigint
= 2
SELECT j -> 'b' FROM jsonb_array_elements('[{"b":1}]') AS j(v)
: jsonb
= 1
SELECT j ->> 'b' AS b FROM jsonb_array_elements('[{"b":1}]') AS j(v) ORDER BY j
: text
= 1
SELECT d.a FROM (SELECT a FROM unnest(ARRAY[1,2]) AS a(x)) d
: integer
= 1
= 2
WITH d AS (SELECT a FROM unnest(ARRAY[1,2]) AS a(x)) SELECT a + 1 FROM d
: integer
= 2
= 3
SELECT a FROM unnest(ARRAY[1,2]) AS a(x) UNION SELECT b FROM unnest(ARRAY[2,3]) AS b(x) ORDER BY a
: integer
= 1
= 2
= 3
SELECT a AS b FROM upper('b') AS a(x)
: text
= B
SELECT max(a) OVER (ORDER BY a) FROM unnest(ARRAY[1,2]) AS a(x)
: integer
= 1
= 2
SELECT u.u, u FROM unnest(ARRAY[1,2]) u
: integer integer
= 1	1
= 2	2
SELECT a.x, b FROM unnest(ARRAY[1,2]) AS a(x), LATERAL (SELECT a + 1) AS b(y)
: integer record
= 1	(2)
= 2	(3)
SELECT b.y FROM unnest(ARRAY[1,2]) AS a(x), LATERAL (SELECT a + 1) AS b(y)
: integer
= 2
= 3
SELECT (SELECT a + max(b) FROM unnest(ARRAY[5,6]) AS b(x)) FROM unnest(ARRAY[1,2]) AS a(x)
: integer
= 7
= 8
SELECT ARRAY(SELECT a FROM unnest(ARRAY[1,2]) AS a(x))
: integer[]
= {1,2}
SELECT x IN (SELECT a FROM unnest(ARRAY[1,2]) AS a(y)) FROM (VALUES (1), (5)) v(x)
: boolean
= t
= f
SELECT k FROM json_object_keys('{"a":1,"b":2}') AS k(n) ORDER BY k DESC
: text
= b
= a
SELECT "A" FROM unnest(ARRAY[1,2]) AS "A"("X")
: integer
= 1
= 2
SELECT current_date = c FROM date(current_date) AS c(d)
: boolean
= t
SELECT p FROM jsonb_path_query('[1,2]', '$[*]') AS p(v)
: jsonb
= 1
= 2
SELECT r FROM regexp_matches('ab', '(a)(b)') AS r(m)
: text[]
= {a,b}
SELECT r[1] FROM regexp_matches('ab', '(a)(b)') AS r(m)
: text
= a
SELECT u FROM unnest(ARRAY[1], ARRAY['a']) AS u(x, y)
: record
= (1,a)
SELECT u FROM upper('b') AS u
: text
= B
SELECT u FROM samples, upper(samples.t) AS u(x) WHERE id = 1
: text
= ABC
SELECT r FROM samples, regexp_matches(samples.t, '(b)(c)') AS r(m) WHERE id < 3 ORDER BY id
: real
= 1.5
= 2.5
SELECT upper FROM upper('a'), (SELECT 1) AS d
: text
= A
SELECT a FROM upper('b') WITH ORDINALITY AS a(x, n)
: record
= (B,1)
SELECT (SELECT max(u) FROM upper('x') AS u(a)) FROM upper('y') AS u(b)
: text
= X
SELECT (SELECT sum(unnest) FROM unnest(ARRAY[3, 4])) FROM unnest(ARRAY[1, 2])
: bigint
= 7
= 7
SELECT sum(g) OVER (ORDER BY g) FROM generate_series(1::bigint, 3) AS g(n)
: numeric
= 1
= 3
= 6
