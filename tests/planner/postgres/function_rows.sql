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
SELECT n, pg_typeof(n)::text FROM generate_series(1, 2) AS g(n)
: integer text
= 1	integer
= 2	integer
SELECT g, pg_typeof(g)::text FROM generate_series(1, 2) AS g
: integer text
= 1	integer
= 2	integer
SELECT * FROM generate_series(1, 2::bigint) AS g(n)
: bigint
= 1
= 2
SELECT sum(n), avg(n), count(n) FROM generate_series(1, 2) AS g(n)
: bigint numeric bigint
= 3	1.5000000000000000	2
SELECT n, ordinality FROM generate_series(1, 2) WITH ORDINALITY AS g(n)
: integer bigint
= 1	1
= 2	2
SELECT DISTINCT n % 2 AS m FROM generate_series(1, 4) AS g(n) ORDER BY m
: integer
= 0
= 1
SELECT DISTINCT n FROM generate_series(1, 4) AS g(n) ORDER BY n DESC
: integer
= 4
= 3
= 2
= 1
SELECT n, count(*) FROM generate_series(1, 4) AS g(n) GROUP BY n ORDER BY n
: integer bigint
= 1	1
= 2	1
= 3	1
= 4	1
SELECT a.n, b.m FROM generate_series(1, 2) a(n), generate_series(1, a.n) b(m) ORDER BY 1, 2
: integer integer
= 1	1
= 2	1
= 2	2
SELECT (SELECT max(m) FROM generate_series(1, n) b(m)) FROM generate_series(1, 2) a(n) ORDER BY 1
: integer
= 1
= 2
SELECT i, n FROM samples s JOIN generate_series(1, 2) g(n) ON s.id = g.n ORDER BY 1
! 42702
SELECT * FROM samples JOIN generate_series(1, 2) AS s (id) USING (id) ORDER BY id
: integer integer smallint bigint numeric double_precision real text boolean date timestamp_without_time_zone timestamp_with_time_zone json bigint[]
= 1	1	1	10	1.500	0.5	1.5	Abc	t	2020-01-01	2020-01-01 10:00:00	2020-01-01 10:00:00+00	{"a": 1, "b": "x", "c": ["p", "q"]}	{1,2}
= 2	2	1	20	2.500	1.5	2.5	abc	f	2020-02-29	2020-02-29 23:59:59.5	2020-02-29 23:59:59.5+00	{"a": 2, "b": null}	{2,3}
SELECT d::date FROM generate_series(date '2020-01-01', date '2020-01-03', '1 day') AS d
: date
= 2020-01-01
= 2020-01-02
= 2020-01-03
SELECT x FROM (SELECT n AS x FROM generate_series(1, 2) g(n)) q UNION ALL SELECT 5
: integer
= 1
= 2
= 5
WITH r AS (SELECT * FROM generate_series(1, 3) g(n)) SELECT sum(n) FROM r
: bigint
= 6
SELECT 2147483647 + n FROM generate_series(1, 1) g(n)
! 22003
SELECT row(n) FROM generate_series(1, 2) g(n)
: record
= (1)
= (2)
SELECT to_json(g) FROM generate_series(1, 2) g
: json
= 1
= 2
SELECT n FROM generate_series(1, 3) g(n) ORDER BY -n LIMIT 2
: integer
= 3
= 2
SELECT array_agg(n) FROM generate_series(1, 3) g(n)
: integer[]
= {1,2,3}
SELECT n::text || 'a', lpad(n::text, 3, '0') FROM generate_series(1, 2) g(n)
: text text
= 1a	001
= 2a	002
SELECT rank() OVER (ORDER BY n) FROM generate_series(1, 2) g(n)
: bigint
= 1
= 2
SELECT substr('abc', n) FROM generate_series(1, 3) g(n)
: text
= abc
= bc
= c
SELECT generate_series(1, 3)
: integer
= 1
= 2
= 3
SELECT pg_typeof(generate_series(1, 1))::text
: text
= integer
SELECT sum(x) FROM (SELECT generate_series(1, 3) AS x) q
: bigint
= 6
SELECT generate_series(1, i) FROM samples WHERE id < 4 ORDER BY 1
: integer
= 1
= 1
= 1
= 2
= 2
SELECT generate_series(1, 3::bigint), generate_series(date '2020-01-01', date '2020-01-02', '1 day')
: bigint timestamp_with_time_zone
= 1	2020-01-01 00:00:00+00
= 2	2020-01-02 00:00:00+00
= 3	\N
SELECT generate_series(3, 1, -1), generate_series(1, 0)
: integer integer
= 3	\N
= 2	\N
= 1	\N
SELECT ARRAY(SELECT generate_series(1, 3))
: integer[]
= {1,2,3}
SELECT generate_series(1, 3) + 1
: integer
= 2
= 3
= 4
SELECT generate_series(1, NULL)
: integer
SELECT generate_series('1', 3)
: integer
= 1
= 2
= 3
SELECT generate_series(timestamp '2020-01-01', timestamp '2020-01-02', interval '12 hours')
: timestamp_without_time_zone
= 2020-01-01 00:00:00
= 2020-01-01 12:00:00
= 2020-01-02 00:00:00
SELECT id, generate_series(1, 2) AS n FROM samples WHERE id < 3 ORDER BY id, n
: integer integer
= 1	1
= 1	2
= 2	1
= 2	2
