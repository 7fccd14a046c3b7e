SELECT * FROM (samples)
! 42601
SELECT * FROM (samples s)
! 42601
SELECT * FROM ((SELECT 1) x)
! 42601
SELECT q FROM (VALUES (1)) t(q), (LATERAL (SELECT t.q AS z) y)
! 42601
SELECT ARRAY((1))
! 42601
SELECT ARRAY(((SELECT 1)))
: integer[]
= {1}
SELECT ARRAY((WITH x AS (SELECT 1) SELECT * FROM x))
: integer[]
= {1}
SELECT sum(1) FILTER (null)
! 42601
SELECT sum(1) FILTER (WHERE true)
: bigint
= 1
SELECT sum(1) FILTER ()
! 42601
SELECT filter FROM (SELECT 1) x(filter)
: integer
= 1
SELECT make_interval(secs => 10.5, NULL)
! 42601
SELECT make_interval(1, secs => 10.5)
: interval
= 1 year 00:00:10.5
SELECT ARRAY[]
! 42P18
SELECT ARRAY[]::int[]
: integer[]
= {}
SELECT (ARRAY[])::int[]
: integer[]
= {}
SELECT cast(ARRAY[] AS int[])
: integer[]
= {}
SELECT ARRAY[ARRAY[]]::int[]
: integer[]
= {}
SELECT ARRAY[[]]::int[]
: integer[]
= {}
SELECT ARRAY[[]]
! 42P18
SELECT ARRAY[ARRAY[], ARRAY[]]::int[][]
: integer[]
= {}
SELECT 1 = ANY (ARRAY[])
! 42P18
SELECT 1 = ANY ('{}')
: boolean
= f
SELECT ARRAY[1] || ARRAY[]
! 42P18
SELECT array_fill(7, ARRAY[])
! 42P18
SELECT (ARRAY[])[1]
! 42P18
SELECT ARRAY[1] @> ARRAY[]
! 42P18
SELECT coalesce(ARRAY[], ARRAY[1])
! 42P18
SELECT i, count(*) FROM samples GROUP BY ROLLUP (1) ORDER BY 1, 2
: integer bigint
= -7	1
= 0	1
= 1	1
= 2	2
= 3	1
= 5	1
= 9	1
= \N	1
= \N	9
SELECT id FROM samples ORDER BY id FETCH FIRST (i) ROWS ONLY
! 42P10
SELECT id FROM samples ORDER BY id FETCH FIRST (1 + 1) ROWS WITH TIES
: integer
= 1
= 2
SELECT coalesce(v, '2020-01-01') FROM (VALUES (NULL)) v(t)
! 0A000
SELECT coalesce(v, NULL) FROM (VALUES (1)) v(t)
: record
= (1)
SELECT (VALUES ((1, 2)))
: record
= (1,2)
SELECT (SELECT (1, 2))
: record
= (1,2)
VALUES ((1, 2))
: record
= (1,2)
SELECT * FROM (VALUES ((1, 2))) v(a)
: record
= (1,2)
SELECT a::text FROM unnest(ARRAY[1]) AS a(x)
: text
= 1
SELECT a FROM unnest(ARRAY[1]) AS a(x)
: integer
= 1
SELECT a FROM unnest(ARRAY[1]) AS a
: integer
= 1
SELECT r[1] FROM regexp_matches('a', 'a') AS r(m)
: text
= a
SELECT r FROM regexp_matches('a', 'a') AS r(m)
: text[]
= {a}
SELECT json_array_elements::text FROM json_array_elements(NULL)
: text
SELECT json_array_elements FROM json_array_elements('[1]')
: json
= 1
SELECT j::text, j FROM json_array_elements('[1]') j
: text json
= 1	1
SELECT (a) FROM unnest(ARRAY[1]) AS a(x)
: integer
= 1
SELECT a + 1 FROM unnest(ARRAY[1]) AS a(x)
: integer
= 2
SELECT coalesce(a, 1), a::text::varchar FROM unnest(ARRAY[1]) AS a(x)
: integer character_varying
= 1	1
SELECT g::text FROM generate_series(1, 2) AS g(x)
: text
= 1
= 2
SELECT to_number('{}', '')
: numeric
= \N
SELECT to_number('1', '')
: numeric
= \N
SELECT to_char(1, '')
: text
= 
SELECT to_char(timestamp '2020-01-01', '')
: text
= \N
SELECT to_char(max(at)-min(at), '') FROM samples
: text
= \N
SELECT array_cat(ARRAY[]::int[], NULL)
: integer[]
= {}
SELECT row_number() OVER (PARTITION BY '1'::json)
! 42883
SELECT (1, 1.5) = (1, 4)
: boolean
= f
SELECT ('[1]'::jsonb)[3e38]
! 42804
SELECT ('[1]'::jsonb)[1.5]
! 42804
SELECT (ARRAY[1])[1.5]
: integer
= \N
SELECT (ARRAY[1])[3e38]
! 22003
SELECT extract(foo FROM NULL::jsonb)
! 42883
SELECT extract(year FROM NULL::jsonb)
! 42883
SELECT extract(year FROM 1)
! 42883
SELECT to_regclass('note 2')
! 42602
SELECT ARRAY[1] = ARRAY[1.5]
! 42883
SELECT ARRAY[1.5] = ARRAY[1]
! 42883
SELECT ARRAY[1] = ARRAY['a']
! 42883
SELECT ARRAY[1]::bigint[] = ARRAY[1]
! 42883
SELECT ROW(1, ROW(2, 'a b'))::text
: text
= (1,"(2,""a b"")")
SELECT ROW(1, ROW(2, ROW('x', NULL)))::text
: text
= (1,"(2,""(x,)"")")
SELECT ROW(1.50::numeric(5,2), 1.5::numeric(4,3))::text
: text
= (1.50,1.500)
SELECT substring(NULL, 1
! 42601
SELECT CASE sum(0) WHEN 14.6 THEN 1 ELSE 2 END, sum(1) NOT IN ()
! 42601
SELECT path || (VALUES (NULL::integer)) FROM (SELECT ARRAY[1] AS path) x
: integer[]
= {1,NULL}
SELECT 'note 2'::regclass
! 42602
SELECT 'note 2'::text::regclass
! 42602
SELECT to_regclass('')
! 42602
SELECT to_regproc('a b')
! 42602
SELECT to_regnamespace('a b')
! 42602
SELECT ('{"a":1}'::jsonb)['a'], ('[1,2]'::jsonb)[1], ('[1]'::jsonb)['0']
: jsonb jsonb jsonb
= 1	2	1
SELECT ('[1]'::jsonb)[true]
! 42804
SELECT ('[1]'::jsonb)[NULL]
: jsonb
= \N
SELECT ('[1]'::jsonb)[1:2]
! 42804
SELECT ('[1]'::jsonb)[9999999999]
! 42804
SELECT ('[1]'::jsonb)[-1]
: jsonb
= 1
SELECT ('[[1]]'::jsonb)[0][0]
: jsonb
= 1
SELECT date_part('year', '1'::jsonb)
! 42883
SELECT ARRAY[1] IN (ARRAY[1.5])
! 42883
SELECT ARRAY[1] BETWEEN ARRAY[0] AND ARRAY[1.5]
! 42883
SELECT nullif(ARRAY[1], ARRAY[1.5])
! 42883
SELECT ARRAY[1] IS DISTINCT FROM ARRAY[1.5]
! 42883
SELECT ARRAY[1] = NULL, ARRAY[1] = '{1}', ARRAY[1,NULL] = ARRAY[1,NULL]
: boolean boolean boolean
= \N	t	t
SELECT ARRAY[1.5] = ARRAY[1.50]
: boolean
= t
SELECT ARRAY[1.5::numeric(5,2)] = ARRAY[1.5]
: boolean
= t
SELECT ARRAY[1] = ARRAY[NULL]
! 42883
SELECT ARRAY[1] = ARRAY[NULL]::int[]
: boolean
= f
SELECT ARRAY[[1]] = ARRAY[1]
: boolean
= f
SELECT CASE ARRAY[1] WHEN ARRAY[1.5] THEN 1 END
! 42883
SELECT ARRAY[1::smallint] = ARRAY[1::smallint]
: boolean
= t
SELECT to_char(max(at), '') FROM samples
: text
= \N
SELECT to_char(max(i), '') FROM samples
: text
= 
SELECT to_number(max(t), '') FROM samples
: numeric
= \N
SELECT to_number('12', f) FROM (VALUES (''), ('99')) v(f)
: numeric
= \N
= 12
SELECT to_char(max(at) - min(at), '') FROM samples
: text
= \N
SELECT to_char(max(at) - min(at), 'x') FROM samples
: text
= x
SELECT extract(year FROM max(at)) FROM samples
: numeric
= 2020
SELECT round(max(NULL::numeric)), scale(max(n)) FROM samples
: numeric integer
= \N	3
~ the scale of each value of a numeric is not kept
>! 0A000
SELECT s.a::text, s FROM (SELECT 1 AS a) s
: text record
= 1	(1)
SELECT (SELECT a::text FROM unnest(ARRAY[1]) AS a(x))
: text
= 1
SELECT upper(a::text), a::text || 'b', CASE WHEN true THEN a END FROM unnest(ARRAY[1]) AS a(x)
: text text integer
= 1	1b	1
SELECT z.* FROM (SELECT a::text FROM unnest(ARRAY[1]) AS a(x)) z
: text
= 1
SELECT a::text FROM unnest(ARRAY[1]) AS a(x) GROUP BY a::text
: text
= 1
SELECT a::text FROM unnest(ARRAY[1]) AS a(x) ORDER BY a::text
: text
= 1
SELECT DISTINCT a::text FROM unnest(ARRAY[1]) AS a(x) ORDER BY a
: text
= 1
SELECT s::text FROM (SELECT 1 AS a) s
: text
= (1)
SELECT id FROM samples ORDER BY id FETCH FIRST (id) ROWS WITH TIES
! 42P10
~ a column there is refused before names are known
>! 0A000
SELECT pg_sleep(0)
: void
= 
~ not supported
>! 0A000
SELECT setseed(0.5)
: void
= 
~ not supported
>! 0A000
SELECT trim_scale(1.50), min_scale(1.50)
: numeric integer
= 1.5	1
~ not supported
>! 0A000
SELECT to_date('2020', '')
: date
= 0001-01-01 BC
SELECT to_date('{"a":[1,2]}', '$.a[*]')
: date
= 0001-01-01 BC
SELECT set_config('enable_sort', NULL, NULL), set_config('work_mem', NULL, false)
: text text
= on	4MB
SELECT current_setting('TimeZone', NULL), current_setting('nope', NULL)
: text text
= \N	\N
SELECT to_regclass('"note 2"')::text, to_regclass('samples')::text, to_regclass(' samples ')::text, to_regclass('pg_catalog . pg_class')::text
: text text text text
= \N	samples	samples	pg_class
SELECT to_regclass('1a')::text, to_regclass('a-b')::text, to_regclass('12')::text, to_regclass(NULL)::text
: text text text text
= \N	\N	\N	\N
SELECT id, + -5, +(1), + 1.5, +i FROM samples ORDER BY id
: integer integer integer numeric integer
= 1	-5	1	1.5	1
= 2	-5	1	1.5	2
= 3	-5	1	1.5	2
= 4	-5	1	1.5	5
= 5	-5	1	1.5	\N
= 6	-5	1	1.5	-7
= 7	-5	1	1.5	9
= 8	-5	1	1.5	0
= 9	-5	1	1.5	3
SELECT +n AS a FROM samples GROUP BY +n ORDER BY 1
: numeric
= -2.500
= -0.005
= 0.000
= 1.500
= 2.500
= 10.001
= 33.333
= 999999.999
= \N
SELECT mod(0.5, '3'), mod(5, '3'), mod('7', 4::bigint), mod(NULL, 2)
: numeric integer bigint integer
= 0.5	2	3	\N
SELECT interval(0, 'x') '1.6 seconds'
! 42601
SELECT interval(0) '1.6 seconds', interval '1' day
: interval interval
= 00:00:02	1 day
SELECT ROW(1, ROW(1, 2)) = ROW(1, ROW(1, NULL::int)), ROW(1, ROW(1, 2)) <> (1, ROW(1, 3))
: boolean boolean
= f	t
SELECT '{"a":1}'::jsonb @@ '$.a == 1'
: boolean
= t
SELECT d FROM samples WHERE (d, t) IN ((1.5, 'Abc')) ORDER BY id
: double_precision
SELECT interval FROM (SELECT 1) x(interval)
: integer
= 1
SELECT interval '3 days 03:00:01' / 3
: interval
= 1 day 01:00:00.333333
SELECT interval '1 mon' / 7, interval '1 day' / 7, interval '1 year 1 mon 1 day 00:00:00.000001' / 3
: interval interval interval
= 4 days 06:51:25.6896	03:25:42.857143	4 mons 10 days 08:00:00
SELECT interval '1 mon' * 0.3, interval '1 day' * 0.37, interval '-1 mon 3 days -00:00:01' * 1.37
: interval interval interval
= 9 days	08:52:48	-1 mons -7 days +00:14:22.63
SELECT interval '739416 days 12:27:23.21739' / 3
: interval
= 246472 days 04:09:07.73913
SELECT interval '10 years 3 mons 3 days 01:02:04.456789' / 3
: interval
= 3 years 5 mons 1 day 00:20:41.485596
SELECT interval '10 years 3 mons 3 days 01:02:04.456789' * 0.333333
: interval
= 3 years 4 mons 30 days 24:18:55.125955
SELECT interval '00:00:01' * 0.1234567
: interval
= 00:00:00.123457
SELECT interval '1 day' * 1e-7, interval '29 days' * 1.03
: interval interval
= 00:00:00.00864	29 days 20:52:48
SELECT interval '1 day' / 3.7, interval '1 month' / 1.1, interval '100 years' / 0.9
: interval interval interval
= 06:29:11.351351	27 days 06:32:43.6128	111 years 1 mon 10 days
SELECT i, interval '1 mon 17 days 05:06:07.891' * i / 7, interval '5 mons' / nullif(i, 0) FROM samples ORDER BY id
: integer interval interval
= 1	6 days 17:52:18.245458	5 mons
= 2	13 days 11:44:36.577314	2 mons 15 days
= 2	13 days 11:44:36.577314	2 mons 15 days
= 5	33 days 17:21:31.313686	1 mon
= \N	\N	\N
= -7	-1 mons -17 days -05:06:07.891	-21 days -10:17:08.5344
= 9	1 mon 30 days 16:50:44.468314	16 days 16:00:00.0288
= 0	00:00:00	\N
= 3	20 days 05:36:54.822772	1 mon 20 days
SELECT avg(x) FROM (VALUES (interval '1 day'), ('2 days 3 hours'), ('00:00:01')) v(x)
: interval
= 1 day 01:00:00.333333
SELECT avg(x) FROM (VALUES (interval '1 month'), ('2 months 3 days 01:02:03.456789'), ('10 years 00:00:01')) v(x)
: interval
= 3 years 5 mons 1 day 00:20:41.485596
SELECT avg(at - timestamp '2020-01-01') FROM samples
: interval
= -3089 days -09:27:08.420943
SELECT f, avg(at - timestamp '2020-01-01'), avg(at - timestamp '2020-01-01') FILTER (WHERE i > 2) FROM samples GROUP BY f ORDER BY f
: boolean interval interval
= f	-4413 days +07:18:56.155864	275 days 14:37:52.561728
= t	-1766 days -02:13:12.99775	166 days 06:07:08.009
= \N	\N	\N
SELECT id, avg(at - timestamp '2020-01-01') OVER (ORDER BY id) FROM samples ORDER BY id
: integer interval
= 1	10:00:00
= 2	29 days 28:59:59.75
= 3	44 days 19:19:59.833333
= 4	124 days 23:37:33.655864
= 5	124 days 23:37:33.655864
= 6	-1361 days -00:29:57.075309
= 7	-1106 days -11:23:46.227924
= 8	-3557 days -06:20:22.481077
= 9	-3089 days -09:27:08.420943
SELECT avg(NULL::interval), avg(x) FROM (SELECT interval '1 day' WHERE false) v(x)
: interval interval
= \N	\N
SELECT interval '1 day' / 0.0, NULL::interval / 0
! 22012
SELECT interval '-1 mon -3 days -00:00:01' / 7, interval '1 mon -40 days' / 3.3
: interval interval
= -4 days -17:08:34.403886	-3 days -00:43:38.189673
SELECT time '10:00:01' / 3, interval '178956970 years' / 2
: interval interval
= 03:20:00.333333	89478485 years
SELECT interval '1 year' / 1e-9
! 22008
SELECT avg(avg(at - timestamp '2020-01-01')) OVER () FROM samples GROUP BY f
: interval
= -3089 days -09:27:08.420943
= -3089 days -09:27:08.420943
= -3089 days -09:27:08.420943
SELECT to_char(avg(x), 'HH24:MI:SS.US') FROM (VALUES (interval '1 day'), ('00:00:01')) v(x)
: text
= 12:00:00.500000
SELECT ARRAY[1]::jsonb
! 42846
SELECT ARRAY['1'::json]::json
! 42846
SELECT '{int,int8}'::regtype[]::jsonb
! 42846
SELECT row(1)::jsonb
! 42846
SELECT row(1)::json
! 42846
SELECT coalesce(f,'OF') FROM samples ORDER BY id
: boolean
= t
= f
= t
= f
= f
= t
= t
= f
= f
SELECT coalesce(true,'OF'), coalesce(NULL::boolean, 'y'), CASE WHEN true THEN 'on' ELSE true END
: boolean boolean boolean
= t	t	t
SELECT ARRAY[true, 'off'], greatest(true, ' F ')
: boolean[] boolean
= {t,f}	t
SELECT coalesce(true, 'maybe')
! 22P02
SELECT nullif(f, 'on') FROM samples ORDER BY id
: boolean
= \N
= f
= \N
= f
= \N
= \N
= \N
= f
= f
SELECT f = 'Yes', f IN ('on', 'OFF') FROM samples ORDER BY id
: boolean boolean
= t	t
= f	t
= t	t
= f	t
= \N	\N
= t	t
= t	t
= f	t
= f	t
SELECT true UNION SELECT 'off' ORDER BY 1
: boolean
= f
= t
SELECT * FROM (VALUES (true), ('off'), ('ON')) v(x)
: boolean
= t
= f
= t
SELECT (1, (2, 3)) = (1, (2, 3)), (1, (2, 3)) = (1, (2, 4)), (1, (2, 3)) < (1, (2, 4))
: boolean boolean boolean
= t	f	t
SELECT (1, (2, 'a'::text)) = (1, (2, 'b'::text))
: boolean
= f
SELECT (1, (2, 3)) IN ((1, (2, 3)), (1, (2, 4)))
: boolean
= t
SELECT (i, (s, 1)) = (1, (1::smallint, 1)) FROM samples ORDER BY id
: boolean
= t
= f
= f
= f
= f
= f
= f
= f
= f
SELECT (1, (1, 2)) BETWEEN (1, (1, 1)) AND (2, (1, 1))
: boolean
= t
SELECT (1, NULL) = (1, 2), (1, 2.5) = (1, 2), (i, t) = (1, 'Abc') FROM samples ORDER BY id
: boolean boolean boolean
= \N	f	t
= \N	f	f
= \N	f	f
= \N	f	f
= \N	f	\N
= \N	f	f
= \N	f	f
= \N	f	f
= \N	f	f
SELECT (i, t) IN ((1, 'Abc'), (2, NULL)) FROM samples ORDER BY id
: boolean
= t
= \N
= \N
= f
= \N
= f
= f
= f
= f
SELECT (1, (2, 3)) = (1, (2, 3::bigint))
! 42804
~ columns of rows within rows have different types
>! 0A000
SELECT 65::"char"
: "char"
= A
SELECT - time '10:00'
: interval
= -10:00:00
~ a time of day has no minus
>! 0A000
SELECT 'abc' @@ 'abc'
: boolean
= t
~ text search is not supported
>! 0A000
SELECT avg(DISTINCT at - timestamp '2020-01-01') FROM samples
: interval
= -3089 days -09:27:08.420943
~ DISTINCT of intervals is not supported
>! 0A000
SELECT 'ab'::"char"::text, 'xy'::text::"char"::text, ''::"char"::text
: text text text
= a	x	
SELECT degrees(1e300::float8), degrees(1), degrees(0.1), degrees(-0.0::float8)
: double_precision double_precision double_precision double_precision
= 5.729577951308232e+301	57.29577951308232	5.729577951308232	-0
SELECT degrees(1e308::float8)
! 22003
SELECT degrees('inf'::float8), degrees('nan'::float8), degrees(NULL)
: double_precision double_precision double_precision
= Infinity	NaN	\N
SELECT cot('inf'::float8)
! 22003
SELECT tan('-inf'::float8)
! 22003
SELECT string_agg(DISTINCT '2020-01-01'::date::text, ',' ORDER BY '2020-01-01'::date::text)
: text
= 2020-01-01
SELECT degrees(1e300::float8)
: double_precision
= 5.729577951308232e+301
SELECT degrees(1e300::float8)::text
: text
= 5.729577951308232e+301
SELECT scale(1.50)
: integer
= 2
SELECT scale(2::numeric)
: integer
= 0
SELECT min_scale(1::numeric / 4)
: integer
= 2
SELECT gcd(x, 2) FROM generate_subscripts('{1}'::integer[], 1) AS t (x)
: integer
= 1
SELECT avg(x) FROM generate_subscripts('{}'::integer[], 3) WITH ORDINALITY AS "Q" (x, number)
: numeric
= \N
SELECT x || 1, n FROM string_to_table('a,b', ',') WITH ORDINALITY AS t (x, n)
: text bigint
= a1	1
= b1	2
SELECT jsonb_object('{{a,1},{b,2}}'::text[], '{a,b}'::text[])
! 2202E
SELECT json_object(ARRAY['a','b'], ARRAY[['1','2']])
! 2202E
SELECT least(j::jsonb, '-2'::jsonb) FROM samples ORDER BY 1
: jsonb
= null
= "text"
= -2
= -2
= -2
= -2
= -2
= -2
= -2
SELECT least(j::jsonb, '-2'::jsonb), count(*) FROM samples GROUP BY 1 ORDER BY 1 DESC
: jsonb bigint
= -2	7
= "text"	1
= null	1
SELECT CASE WHEN id > 3 THEN least(j::jsonb, '-2'::jsonb) ELSE j::jsonb END FROM samples ORDER BY 1
: jsonb
= null
= "text"
= -2
= -2
= -2
= -2
= {"c": []}
= {"a": 2, "b": null}
= {"a": 1, "b": "x", "c": ["p", "q"]}
SELECT note::numeric + 1 FROM (VALUES ('1'), ('2.5')) t(note)
: numeric
= 2
= 3.5
SELECT sum(note::numeric) FROM (VALUES ('1'), ('2.5')) t(note)
: numeric
= 3.5
SELECT ARRAY[note]::numeric[] FROM (VALUES ('1'), ('2.5')) t(note)
: numeric[]
= {1}
= {2.5}
SELECT concat_ws('-', note::numeric, 'x') FROM (VALUES ('1'), ('2.5')) t(note)
: text
= 1-x
= 2.5-x
SELECT degrees(id) FROM samples ORDER BY id
: double_precision
= 57.29577951308232
= 114.59155902616465
= 171.88733853924697
= 229.1831180523293
= 286.4788975654116
= 343.77467707849394
= 401.07045659157626
= 458.3662361046586
= 515.6620156177408
SELECT cot(0), cot(-0.0::float8), cot(1), cot(floor(id::float8)) FROM samples ORDER BY id
: double_precision double_precision double_precision double_precision
= Infinity	-Infinity	0.6420926159343306	0.6420926159343306
= Infinity	-Infinity	0.6420926159343306	-0.45765755436028577
= Infinity	-Infinity	0.6420926159343306	-7.015252551434534
= Infinity	-Infinity	0.6420926159343306	0.8636911544506167
= Infinity	-Infinity	0.6420926159343306	-0.2958129155327455
= Infinity	-Infinity	0.6420926159343306	-3.436353004180128
= Infinity	-Infinity	0.6420926159343306	1.1475154224051356
= Infinity	-Infinity	0.6420926159343306	-0.1470650639494805
= Infinity	-Infinity	0.6420926159343306	-2.210845410999195
SELECT exp('NaN'::double precision), exp('Infinity'::float8), exp('-Infinity'::float8)
: double_precision double_precision double_precision
= NaN	Infinity	0
SELECT array_position('{}'::text[], NULL::text, NULL::int), array_position(NULL::text[], 'a', NULL::int)
: integer integer
= \N	\N
SELECT array_position('{a}'::text[], 'a', NULL::int)
! 22004
