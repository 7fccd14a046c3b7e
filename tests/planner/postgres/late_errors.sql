SELECT date_trunc('isodow', NULL::timestamptz), nope FROM samples
! 42703
SELECT date_trunc('isodow', NULL::timestamptz), row_to_json(t) FROM samples
! 42883
SELECT date_trunc('isodow', NULL::timestamptz), i FROM samples GROUP BY d
! 42803
SELECT width_bucket(3, '{NULL,3}'::integer[]), nope FROM samples
! 42703
SELECT nope, '1x'::integer FROM samples
! 42703
SELECT id FROM samples WHERE nope = 1 AND id = '1x'
! 42703
SELECT nope, id + 'x' FROM samples
! 42703
SELECT 1 / 0, nope FROM samples
! 42703
SELECT foo(1), id + 'x' FROM samples
! 42883
SELECT '1x'::integer, i FROM samples GROUP BY id
! 22P02
SELECT id + 'x', i FROM samples GROUP BY id
! 22P02
SELECT id + 'x', t + 1 FROM samples
! 22P02
SELECT nope, (SELECT '1x'::integer) FROM samples
! 42703
SELECT '1x'::integer FROM samples JOIN notes ON nope = 1
! 42703
SELECT nope FROM samples WHERE id = '1x'
! 42703
SELECT 'x'::text::integer, nope FROM samples
! 42703
SELECT id FROM samples LIMIT 'x'
! 22P02
SELECT nope FROM samples LIMIT 'x'
! 42703
SELECT id FROM samples LIMIT -1
! 2201W
SELECT '1x'::integer FROM samples LIMIT 'x'
! 22P02
SELECT id, nope FROM samples LIMIT -1
! 42703
SELECT 'a' ~ '(', nope FROM samples
! 42703
SELECT to_char(day, NULL), nope FROM samples
! 42703
SELECT t ~ '(', i FROM samples GROUP BY d
! 42803
SELECT extract(foo FROM at), nope FROM samples
! 42703
SELECT extract(foo FROM at), i FROM samples GROUP BY d
! 42803
SELECT extract(foo FROM at), t + 1 FROM samples
! 42883
SELECT t + 1, extract(foo FROM at) FROM samples
! 42883
SELECT at AT TIME ZONE 'nope', t + 1 FROM samples
! 42883
SELECT at AT TIME ZONE 'nope', i FROM samples GROUP BY d
! 42803
SELECT at AT TIME ZONE 'nope', foo(1) FROM samples
! 42883
SELECT encode('a'::bytea, 'nope'), t + 1 FROM samples
! 42883
SELECT '\xzz'::bytea, t + 1 FROM samples
! 22023
SELECT j -> 'a', '{bad'::json, t + 1 FROM samples
! 22P02
SELECT foo(1), 'nope'::regclass
! 42883
SELECT foo(1), a || 'Zed' FROM samples
! 42883
SELECT 1 FROM samples WHERE day = 'x' AND t + 1 = 2
! 22007
SELECT nope FROM samples WHERE day = 'x'
! 42703
SELECT 1 FROM samples s, nope WHERE day = 'x'
! 42P01
SELECT day = 'x' FROM samples UNION SELECT 1
! 22007
SELECT 1 UNION SELECT day = 'x' FROM samples
! 22007
SELECT 'x' UNION SELECT 1
! 22P02
SELECT 'x' UNION SELECT nope FROM samples
! 42703
SELECT sum(id) FROM samples WHERE sum(id) > 1 AND day = 'x'
! 42803
SELECT rank() OVER (ORDER BY '1x'::integer) FROM samples WHERE rank() OVER () > 1
! 42P20
SELECT sum(sum(id)), '1x'::integer FROM samples
! 42803
SELECT foo(1), CASE WHEN true THEN 1 ELSE '1x' END
! 42883
SELECT foo(1), id IN (1, 'x') FROM samples
! 42883
SELECT make_date(2020, 13, 1), foo(1)
! 42883
SELECT chr(0), foo(1)
! 42883
SELECT sqrt(-1), foo(1)
! 42883
SELECT ARRAY((SELECT id FROM samples ORDER BY 1) ORDER BY 1)
! 42601
SELECT ARRAY(SELECT id FROM samples WHERE id < 3 ORDER BY 1)
: integer[]
= {1,2}
SELECT ARRAY((SELECT id FROM samples WHERE id < 3) ORDER BY 1)
: integer[]
= {1,2}
SELECT ARRAY((SELECT id FROM samples WHERE id < 3 LIMIT 1) LIMIT 2)
! 42601
(SELECT id FROM samples WHERE id < 3 ORDER BY 1) ORDER BY 1
! 42601
(SELECT id FROM samples WHERE id < 3 ORDER BY 1 LIMIT 1) ORDER BY 1
! 42601
(SELECT id FROM samples WHERE id < 3 ORDER BY 1) LIMIT 1
: integer
= 1
(SELECT id FROM samples WHERE id < 3 LIMIT 1) LIMIT 1
! 42601
((SELECT id FROM samples WHERE id < 3 OFFSET 1) OFFSET 1)
! 42601
SELECT * FROM ((SELECT id FROM samples WHERE id < 3 ORDER BY 1) ORDER BY 1) q
! 42601
SELECT (SELECT 1 ORDER BY 1) + ((SELECT 1 ORDER BY 1) )
: integer
= 2
SELECT ((SELECT 1 ORDER BY 1) ORDER BY 1)
! 42601
SELECT 1 WHERE 1 IN ((SELECT 1 ORDER BY 1) ORDER BY 1)
! 42601
SELECT 1 WHERE EXISTS ((SELECT 1 ORDER BY 1) ORDER BY 1)
! 42601
WITH c AS ((SELECT 1 ORDER BY 1) ORDER BY 1) SELECT * FROM c
! 42601
SELECT ARRAY(VALUES (1))
: integer[]
= {1}
SELECT ARRAY((VALUES (1)))
: integer[]
= {1}
SELECT 3 >= SOME (VALUES (3))
: boolean
= t
SELECT 3 IN (VALUES (3))
: boolean
= t
SELECT id FROM samples s WHERE s.i > ANY (VALUES (s.s), (s.id)) ORDER BY 1
: integer
= 2
= 4
= 7
= 8
= 9
SELECT id FROM samples s WHERE s.i IN (VALUES (s.s), (s.id)) ORDER BY 1
: integer
= 1
= 2
= 3
SELECT EXISTS (VALUES (1))
: boolean
= t
SELECT (VALUES (1))
: integer
= 1
WITH v AS (VALUES (1), (2) ORDER BY 1 DESC LIMIT 1) SELECT * FROM v
: integer
= 2
VALUES (1) UNION VALUES (2) ORDER BY 1
: integer
= 1
= 2
SELECT ARRAY(VALUES (1) UNION VALUES (2) ORDER BY 1)
: integer[]
= {1,2}
SELECT ARRAY((SELECT id FROM samples WHERE id < 4 ORDER BY 1 LIMIT 2) LIMIT 1)
! 42601
SELECT 3 IN ((SELECT id FROM samples) ORDER BY 1 LIMIT 1)
: boolean
= f
SELECT 3 = ANY ((SELECT id FROM samples) ORDER BY 1 LIMIT 1)
: boolean
= f
SELECT ((SELECT id FROM samples) ORDER BY 1 LIMIT 1)
: integer
= 1
SELECT ARRAY((SELECT id FROM samples ORDER BY 1) ORDER BY 1 LIMIT 1)
! 42601
SELECT ARRAY(((SELECT id FROM samples WHERE id < 3)) ORDER BY id DESC)
: integer[]
= {2,1}
SELECT ARRAY(((SELECT id FROM samples WHERE id < 3) ORDER BY id DESC))
: integer[]
= {2,1}
SELECT ARRAY((SELECT id FROM samples WHERE id < 3) ORDER BY nope)
! 42703
SELECT array_agg(x ORDER BY x) FROM (VALUES (2), (1)) v (x)
: integer[]
= {1,2}
SELECT ARRAY[(SELECT 1)], ARRAY[1, 2]
: integer[] integer[]
= {1}	{1,2}
SELECT ARRAY(SELECT ROW(1, 2))
: record[]
= {"(1,2)"}
SELECT date_trunc('isodow', NULL::timestamptz)
: timestamp_with_time_zone
= \N
SELECT date_trunc('isodow', tz) FROM samples WHERE id = 5
: timestamp_with_time_zone
= \N
SELECT date_trunc('isodow', tz) FROM samples WHERE id = 4
! 22023
SELECT date_trunc('isodow', tz) FROM samples WHERE id = 99
: timestamp_with_time_zone
SELECT extract(foo FROM NULL::timestamp)
: numeric
= \N
SELECT extract(foo FROM at) FROM samples WHERE id = 99
: numeric
SELECT extract(foo FROM at) FROM samples WHERE id = 1
! 22023
SELECT extract(foo FROM at) FROM samples WHERE id = 5
: numeric
= \N
SELECT extract(foo FROM interval '1 day')
! 22023
SELECT extract(foo FROM day) FROM samples WHERE id = 99
: numeric
SELECT date_part('foo', day) FROM samples WHERE id = 99
: double_precision
SELECT at AT TIME ZONE 'nope' FROM samples WHERE id = 99
: timestamp_with_time_zone
SELECT at AT TIME ZONE 'nope' FROM samples WHERE id = 5
: timestamp_with_time_zone
= \N
SELECT tz AT TIME ZONE 'nope' FROM samples WHERE id = 1
! 22023
SELECT NULL::timestamp AT TIME ZONE 'nope'
: timestamp_with_time_zone
= \N
SELECT '2020-01-01'::timestamp AT TIME ZONE 'nope'
! 22023
SELECT json_build_object('a') FROM samples WHERE id = 99
: json
SELECT json_build_object('a') FROM samples WHERE id = 1
! 22023
SELECT json_build_object('a')
! 22023
SELECT json_build_object('a', 1, NULL)
! 22023
SELECT json_build_object(a, 1) FROM samples WHERE id = 1
! 22023
SELECT json_build_object(a, 1) FROM samples WHERE id = 99
: json
SELECT json_object('{{{a}}}')
! 2202E
SELECT jsonb_object(NULL::text[])
: jsonb
= \N
SELECT CASE WHEN id > 99 THEN extract(foo FROM at) END FROM samples WHERE id = 1
: numeric
= \N
SELECT coalesce(1.5, extract(foo FROM at)) FROM samples WHERE id = 1
: numeric
= 1.5
SELECT count(*) FROM samples WHERE id > 99 AND extract(foo FROM at) > 1
: bigint
= 0
SELECT max(extract(foo FROM at)) FROM samples WHERE id = 5
: numeric
= \N
SELECT max(extract(foo FROM at)) FROM samples
! 22023
SELECT sum(extract(foo FROM at)) FILTER (WHERE id > 99) FROM samples
: numeric
= \N
SELECT date_trunc('foo', at), count(*) FROM samples GROUP BY 1
! 22023
SELECT date_trunc('foo', at) FROM samples GROUP BY d
! 42803
SELECT date_trunc('foo', at), at FROM samples GROUP BY date_trunc('foo', at)
! 42803
SELECT (SELECT date_trunc('foo', at)) FROM samples GROUP BY date_trunc('foo', at)
! 42803
SELECT to_char(interval '1 day', 'MON')
! 22007
SELECT rank() OVER (ORDER BY extract(foo FROM at)) FROM samples WHERE id = 5
: bigint
= 1
SELECT id FROM samples WHERE extract(foo FROM at) = 1 AND id = 99
: integer
SELECT id FROM samples WHERE date_trunc('foo', at) = at AND id = 99
: integer
SELECT id FROM samples WHERE at = date_trunc('foo', timestamp '2020-01-01')
! 22023
SELECT pg_typeof(extract(foo FROM at)), pg_typeof(date_trunc('foo', day)), pg_typeof(json_build_object('a')) FROM samples WHERE id = 1
! 22023
SELECT extract(foo FROM at) FROM samples WHERE id = 99 UNION ALL SELECT 1
: numeric
= 1
