SELECT make_interval(days => i) FROM samples ORDER BY id
: interval
= 1 day
= 2 days
= 2 days
= 5 days
= \N
= -7 days
= 9 days
= 00:00:00
= 3 days
SELECT make_interval(0, 0, 0, i) FROM samples ORDER BY id
: interval
= 1 day
= 2 days
= 2 days
= 5 days
= \N
= -7 days
= 9 days
= 00:00:00
= 3 days
SELECT make_interval(hours => 2, mins => i) FROM samples ORDER BY id
: interval
= 02:01:00
= 02:02:00
= 02:02:00
= 02:05:00
= \N
= 01:53:00
= 02:09:00
= 02:00:00
= 02:03:00
SELECT make_interval(secs => d) FROM samples WHERE id < 4 ORDER BY id
: interval
= 00:00:00.5
= 00:00:01.5
= 00:00:02.5
SELECT make_interval(days => $1)
$ integer
: interval
SELECT array_to_string(a, ',', t) FROM samples ORDER BY id
: text
= 1,2
= 2,3
= 
= 4
= \N
= 2
= 7,8,9
= 10,-10
= 9,9
SELECT array_to_string(a, $1, $2) FROM samples
$ text text
: text
SELECT jsonb_array_elements($1)
$ jsonb
: jsonb
SELECT jsonb_array_elements($1::jsonb)
$ jsonb
: jsonb
SELECT round($1, 2)
$ numeric
: numeric
SELECT round($1 / 3, 2)
$ integer
: numeric
SELECT age('2020-01-01', '2019-01-01')
: interval
= 1 year
SELECT justify_days('35 days')
: interval
= 1 mon 5 days
SELECT date_part('year', $1::date)
$ date
: double_precision
SELECT regexp_split_to_array(t, 'b', 'i') FROM samples ORDER BY id
: text[]
= {A,c}
= {a,c}
= {"",""}
= {""}
= \N
= {a,""}
= {ä}
= {Zed}
= {" x "}
SELECT generate_series($1::date, $2::date, '1 day')
$ date date
: timestamp_with_time_zone
SELECT generate_series('2020-01-01'::date, '2020-01-03', '1 day')
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
= 2020-01-02 00:00:00+00
= 2020-01-03 00:00:00+00
SELECT generate_series(timestamp '2020-01-01', '2020-01-03', interval '1 day')
: timestamp_without_time_zone
= 2020-01-01 00:00:00
= 2020-01-02 00:00:00
= 2020-01-03 00:00:00
SELECT * FROM generate_series($1::timestamptz, $2, $3)
$ timestamp_with_time_zone timestamp_with_time_zone interval
: timestamp_with_time_zone
SELECT * FROM generate_series(timestamptz '2020-01-01', now(), '1 day') LIMIT 1
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
SELECT lpad($1, $2)
$ text integer
: text
SELECT date_bin('15 minutes', at, '2001-01-01') FROM samples ORDER BY id
: timestamp_without_time_zone
= 2020-01-01 10:00:00
= 2020-02-29 23:45:00
= 2020-03-15 00:00:00
= 2020-12-31 12:30:00
= \N
= 1999-12-31 23:00:00
= 2020-06-15 06:00:00
= 1970-01-01 00:00:00
= 2020-07-04 16:45:00
SELECT date_bin('15 minutes', tz, timestamptz '2001-01-01') FROM samples ORDER BY id
: timestamp_with_time_zone
= 2020-01-01 10:00:00+00
= 2020-02-29 23:45:00+00
= 2020-03-15 01:30:00+00
= 2020-12-31 12:30:00+00
= \N
= 1999-12-31 23:00:00+00
= 2020-06-15 06:00:00+00
= 1970-01-01 00:00:00+00
= 2020-07-04 16:45:00+00
SELECT make_date('2020', 1, 1)
: date
= 2020-01-01
SELECT power('2', 3)
: double_precision
= 8
SELECT lpad('5', '3', '0')
: text
= 005
SELECT abs('-5')
: double_precision
= 5
SELECT sqrt('4')
: double_precision
= 2
SELECT extract(epoch FROM $1::interval)
$ interval
: numeric
SELECT ntile($1) OVER (ORDER BY id) FROM samples
$ integer
: integer
SELECT lag(i, $1) OVER (ORDER BY id) FROM samples
$ integer
: integer
SELECT lag(i, 1, $1) OVER (ORDER BY id) FROM samples
$ integer
: integer
SELECT sum(i + $1) FROM samples
$ integer
: bigint
SELECT width_bucket($1, 0, 10, 5)
$ double_precision
: integer
SELECT width_bucket(d, $1, $2, $3) FROM samples
$ double_precision double_precision integer
: integer
SELECT string_agg(t, $1) FROM samples
$ text
: text
SELECT string_agg(t, $1 ORDER BY id) FROM samples
$ text
: text
SELECT to_timestamp($1)
$ double_precision
: timestamp_with_time_zone
SELECT to_timestamp($1, 'YYYY-MM-DD')
$ text
: timestamp_with_time_zone
SELECT to_date($1, 'YYYY-MM-DD')
$ text
: date
SELECT split_part($1, $2, $3)
$ text text integer
: text
SELECT mod($1, 5), mod(i, $1) FROM samples
$ integer
: integer integer
SELECT trim($1), btrim($1, $2), upper($1)
$ text text
: text text text
SELECT position($1 IN t) FROM samples
$ text
: integer
SELECT strpos(t, $1) FROM samples
$ text
: integer
SELECT starts_with(t, $1) FROM samples
$ text
: boolean
SELECT array_append(a, $1), $1 = ANY (a), array_position(a, $1) FROM samples
$ bigint
: bigint[] boolean integer
SELECT cardinality($1::int[])
$ integer[]
: integer
SELECT date_part($1, at) FROM samples
$ text
: double_precision
SELECT date_trunc($1, at) FROM samples
$ text
: timestamp_without_time_zone
SELECT CASE WHEN i > $1 THEN $2 ELSE 'x' END FROM samples
$ integer text
: text
SELECT id FROM samples WHERE day >= $1::date AND day < $1::date + interval '1 month'
$ date
: integer
SELECT id FROM samples WHERE tz > now() - $1::interval
$ interval
: integer
SELECT id FROM samples WHERE extract(year FROM day) = $1
$ numeric
: integer
SELECT id FROM samples WHERE date_trunc('month', at) = $1
$ timestamp_without_time_zone
: integer
SELECT id FROM samples WHERE lower(t) = lower($1)
$ text
: integer
SELECT id FROM samples WHERE t ILIKE '%' || $1 || '%'
$ text
: integer
SELECT id FROM samples WHERE i BETWEEN $1 AND $2 LIMIT $3 OFFSET $4
$ integer integer bigint bigint
: integer
SELECT id FROM samples WHERE (i, s) = ($1, $2)
$ integer smallint
: integer
SELECT id FROM samples WHERE i = $1 + 1
$ integer
: integer
SELECT id FROM samples WHERE coalesce(i, $1) = $2
$ integer integer
: integer
SELECT json_build_object('a', $1::int)
$ integer
: json
SELECT j -> $1, j ->> $2 FROM samples
$ text text
: json text
SELECT overlay('abcdef' placing 'xx' from 0)
! 22011
SELECT overlay('abcdef' placing 'xx' from -1 for 2)
! 22011
SELECT overlay('abcdef' placing 'xx' from 2 for -5), overlay('abcdef' placing 'xx' from 3 for -1), overlay('abcdef' placing 'xx' from 2 for NULL), overlay(NULL placing 'xx' from 0), overlay('abcdef' placing 'xx' from 9)
: text text text text text
= axxabcdef	abxxbcdef	\N	\N	abcdefxx
SELECT id, overlay(t placing 'x' from i) FROM samples WHERE i > 0 OR i IS NULL ORDER BY id
: integer text
= 1	xbc
= 2	axc
= 3	bx
= 4	x
= 5	\N
= 7	äx
= 9	 xx
SELECT width_bucket(5, 0, 10, 0)
! 2201G
SELECT width_bucket(5, 3, 3, 5)
! 2201G
SELECT width_bucket('NaN'::float8, 0, 10, 5)
! 2201G
SELECT width_bucket(5, 0, 'Infinity'::float8, 5)
! 2201G
SELECT width_bucket(5, NULL, 10, 0), width_bucket(NULL, 3, 3, 5), width_bucket(5.5, 10, 0, 4), width_bucket(i, 0, 10, 5) FROM samples ORDER BY id
: integer integer integer integer
= \N	\N	2	1
= \N	\N	2	2
= \N	\N	2	2
= \N	\N	2	3
= \N	\N	2	\N
= \N	\N	2	0
= \N	\N	2	5
= \N	\N	2	1
= \N	\N	2	2
SELECT trim_array(ARRAY[1,2,3], 4)
! 2202E
SELECT trim_array(ARRAY[1,2,3], -1)
! 2202E
SELECT trim_array(ARRAY[1,2,3], 3), trim_array(ARRAY[1,2,3], 0), trim_array(NULL::int[], 9), trim_array(ARRAY[1], NULL)
: integer[] integer[] integer[] integer[]
= {}	{1,2,3}	\N	\N
SELECT array_fill(7, ARRAY[NULL]::int[])
! 22004
SELECT array_fill(7, NULL)
! 22004
SELECT array_fill(7, ARRAY[-1])
! 54000
SELECT array_fill(7, ARRAY[]::int[])
: integer[]
= {}
SELECT split_part('a,b', '', 1), split_part('a,b', '', -1), split_part('a,b', '', 2), split_part(NULL, '', 2), split_part('a,b', '', NULL), split_part('a,b', ',', -2)
: text text text text text text
= a,b	a,b		\N	\N	a
SELECT quote_literal(1), quote_literal(2.5::float8), quote_literal(1::float8), quote_literal(true), quote_nullable(7), quote_nullable(NULL), quote_literal(date '2020-01-01')
: text text text text text text text
= '1'	'2.5'	'1'	'true'	'7'	NULL	'2020-01-01'
SELECT array_position(ARRAY[1,2,1], 1, 2), array_position(ARRAY[1,2,1], 1, -5), array_position(ARRAY[1,2], 1, 2), array_position(NULL::int[], 1, 1), array_position(ARRAY[1,NULL,NULL], NULL, 3)
: integer integer integer integer integer
= 3	1	\N	\N	3
SELECT array_position(ARRAY[1,2,1], 1, NULL)
! 22004
SELECT repeat(NULL, 2), repeat('a', NULL)
: text text
= \N	\N
SELECT json_array_length('{}')
! 22023
SELECT json_array_length('1')
! 22023
SELECT jsonb_array_length('{"a":1}')
! 22023
SELECT json_array_length('[1,[2,3]]'), json_array_length('[]'), json_array_length(NULL)
: integer integer integer
= 2	0	\N
SELECT chr(1114112)
! 54000
SELECT acosh(0.5)
! 22003
SELECT atanh(2)
! 22003
SELECT atanh(1), acosh(1), atanh(-1), acosh(NULL)
: double_precision double_precision double_precision double_precision
= Infinity	0	-Infinity	\N
SELECT id FROM samples ORDER BY id OFFSET -1
! 2201X
SELECT id FROM samples ORDER BY id LIMIT 1 OFFSET -1
! 2201X
SELECT id FROM samples ORDER BY id LIMIT -1 OFFSET 1
! 2201W
SELECT count(*) FROM samples OFFSET (1 - 2)
! 2201X
SELECT id, to_hex(-1), to_hex(-1::bigint), to_hex(2147483647), to_hex(i), to_hex(b) FROM samples WHERE id IN (1, 3, 6) ORDER BY id
: integer text text text text text
= 1	ffffffff	ffffffffffffffff	7fffffff	1	a
= 3	ffffffff	ffffffffffffffff	7fffffff	2	ffffffffffffffe2
= 6	ffffffff	ffffffffffffffff	7fffffff	fffffff9	0
SELECT format('%I', NULL)
! 22004
SELECT format('%I', t) FROM samples
! 22004
SELECT format('%I', t) FROM samples WHERE id < 4 ORDER BY id
: text
= "Abc"
= abc
= b
SELECT format('%5s|%-5s|%2s|%3L|%-7I|', 'a', 'b', 'abc', NULL, 'A b')
: text
=     a|b    |abc|NULL|"A b"  |
SELECT format('%5s|', NULL)
: text
=      |
SELECT (day, interval '1 day') OVERLAPS (date '2020-01-01', date '2020-02-01'), (date '2020-01-01', date '2020-02-01') OVERLAPS (day, interval '1 day') FROM samples ORDER BY id
: boolean boolean
= t	t
= f	f
= f	f
= f	f
= \N	\N
= f	f
= f	f
= f	f
= f	f
SELECT (at, interval '-1 day') OVERLAPS (at - interval '12 hours', interval '1 hour') FROM samples ORDER BY id
: boolean
= t
= t
= t
= t
= \N
= t
= t
= t
= t
SELECT (at, NULL::interval) OVERLAPS (at, interval '1 hour'), (at, NULL) OVERLAPS (at, at) FROM samples ORDER BY id
: boolean boolean
= \N	\N
= \N	\N
= \N	\N
= \N	\N
= \N	\N
= \N	\N
= \N	\N
= \N	\N
= \N	\N
SELECT (time '10:00', interval '1 hour') OVERLAPS (time '10:30', time '12:00')
: boolean
= t
SELECT date_bin('0 minutes', at, at) FROM samples
! 22008
SELECT date_bin('-1 minutes', at, at) FROM samples
! 22008
SELECT date_bin('1 month', at, at) FROM samples
! 0A000
SELECT date_bin('1 month', tz, tz), 1 FROM samples
! 0A000
SELECT date_bin('1 year -1 days', now(), now())
! 0A000
SELECT date_bin('0 minutes', now(), now())
! 22008
SELECT date_bin('0 minutes', NULL, at) FROM samples WHERE id = 1
: timestamp_without_time_zone
= \N
SELECT date_bin('15 minutes', at, '2001-01-01'), date_bin('36 hours', tz, '2001-01-01 00:02:30+00') FROM samples ORDER BY id
: timestamp_without_time_zone timestamp_with_time_zone
= 2020-01-01 10:00:00	2020-01-01 00:02:30+00
= 2020-02-29 23:45:00	2020-02-28 12:02:30+00
= 2020-03-15 00:00:00	2020-03-14 12:02:30+00
= 2020-12-31 12:30:00	2020-12-30 12:02:30+00
= \N	\N
= 1999-12-31 23:00:00	1999-12-30 12:02:30+00
= 2020-06-15 06:00:00	2020-06-14 00:02:30+00
= 1970-01-01 00:00:00	1969-12-31 12:02:30+00
= 2020-07-04 16:45:00	2020-07-03 12:02:30+00
SELECT date_bin('1 day', day, '2001-01-01') FROM samples ORDER BY id
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
= 2020-02-29 00:00:00+00
= 2020-03-15 00:00:00+00
= 2020-12-31 00:00:00+00
= \N
= 1999-12-31 00:00:00+00
= 2020-06-15 00:00:00+00
= 1970-01-01 00:00:00+00
= 2020-07-04 00:00:00+00
SELECT date_bin(NULL, at, at) FROM samples WHERE id = 1
: timestamp_without_time_zone
= \N
SELECT parse_ident('a b')
! 22023
SELECT parse_ident('a.b'), parse_ident('A.B '), parse_ident('"a b"."C"'), parse_ident(' a . _b1$ '), parse_ident('"a""b".ä'), parse_ident(NULL)
: text[] text[] text[] text[] text[] text[]
= {a,b}	{a,b}	{"a b",C}	{a,_b1$}	{"a\\"b",ä}	\N
SELECT parse_ident('a.')
! 22023
SELECT parse_ident('')
! 22023
SELECT parse_ident('1a')
! 22023
SELECT parse_ident('a."b')
! 22023
SELECT parse_ident('a..b')
! 22023
SELECT parse_ident('""')
! 22023
SELECT parse_ident('.a')
! 22023
SELECT parse_ident('a-b')
! 22023
SELECT parse_ident(t) FROM samples WHERE id < 4 ORDER BY id
: text[]
= {abc}
= {abc}
= {b}
WITH a (x) AS (VALUES (1)), b AS (SELECT least(x, x, x) AS l, greatest(x, 2, x, x, x) AS g FROM a) SELECT * FROM b AS p, b AS q
: integer integer integer integer
= 1	2	1	2
SELECT row_number()
! 42809
SELECT id FROM samples WHERE lag(i) > 1
! 42809
SELECT string_agg(t) FROM samples
! 42883
SELECT extract(hour FROM $1)
! 42725
SELECT extract(hour FROM ($1))
! 42725
SELECT $1::timestamp, extract(hour FROM $1)
$ timestamp_without_time_zone
: timestamp_without_time_zone numeric
SELECT extract(hour FROM $1::text)
! 42883
SELECT date_part('hour', $1)
! 42725
SELECT date_part($1, $2)
! 42725
SELECT date_trunc('hour', $1)
! 42725
SELECT date_trunc('hour', $1, 'UTC')
$ timestamp_with_time_zone
: timestamp_with_time_zone
SELECT isfinite($1)
! 42725
SELECT to_char($1, 'YYYY')
! 42725
SELECT sum($1)
! 42725
SELECT avg($1)
! 42725
SELECT mod($1, $2)
! 42725
SELECT $1 + $2
! 42725
SELECT $1 - NULL
! 42725
SELECT -$1
! 42725
SELECT $1 % '2'
! 42725
SELECT $1 ^ $2
$ double_precision double_precision
: double_precision
SELECT sum(i | NULL), max(i | NULL), sum(i & 1), sum(~i) FROM samples
: bigint integer bigint bigint
= \N	\N	5	-23
SELECT ARRAY[]::jsonb
! 42P18
SELECT ARRAY[]::text
! 42P18
SELECT ARRAY[ARRAY[]]::int[]
: integer[]
= {}
SELECT ARRAY['int'::regtype, 'text']::text[]
: text[]
= {integer,text}
SELECT ARRAY['int'::regtype]::text[]
: text[]
= {integer}
SELECT ARRAY['int'::regtype, NULL]::text[]
: text[]
= {integer,NULL}
SELECT 'int'::regtype::text, ARRAY['samples'::regclass, 'notes']::text[]
: text text[]
= integer	{samples,notes}
SELECT '{1}'::jsonb[] >= NULL
: boolean
= \N
SELECT '{1}'::jsonb[] = NULL
: boolean
= \N
SELECT NULL < '{1}'::jsonb[]
: boolean
= \N
SELECT '{1}'::jsonb[] = '{1}'
: boolean
= t
SELECT '{1}'::jsonb[] = ARRAY['1'::jsonb]
: boolean
= t
SELECT (ARRAY[row(1, 2), row(3, 4)])[1]
: record
= (1,2)
SELECT lag(i, 1.5) OVER (ORDER BY id) FROM samples
! 42883
SELECT ntile(1.5) OVER (ORDER BY id) FROM samples
! 42883
SELECT concat_ws(1, 'a', 1)
! 42883
SELECT concat_ws('[1]'::jsonb, 'a', 1)
! 42883
SELECT format(1, 'a')
! 42883
SELECT format('{}'::jsonb, 'a')
! 42883
SELECT format(t), concat_ws(t, t, i), concat_ws('-', i, t), concat_ws(NULL, i) FROM samples ORDER BY id
: text text text text
= Abc	AbcAbc1	1-Abc	\N
= abc	abcabc2	2-abc	\N
= b	bb2	2-b	\N
= 	5	5-	\N
= \N	\N		\N
= aB	aBaB-7	-7-aB	\N
= ä	ää9	9-ä	\N
= Zed	ZedZed0	0-Zed	\N
=  x 	 x  x 3	3- x 	\N
SELECT json_build_object('a', 1, 'b')
! 22023
SELECT json_build_object(DISTINCT 'a', 1)
! 42809
SELECT jsonb_build_array(1, 'a', NULL, now() IS NULL)
: jsonb
= [1, "a", null, false]
SELECT num_nulls(1, NULL, 'a'), num_nonnulls(1, NULL)
: integer integer
= 1	1
SELECT json_extract_path('{"a":1}', 'a', 1)
! 42883
SELECT json_extract_path('{"a":{"b":1}}', 'a', 'b'), jsonb_extract_path_text('{"a":1}', 'a')
: json text
= 1	1
SELECT jsonb_extract_path(1, 'a')
! 42883
