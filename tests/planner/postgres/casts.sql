SELECT '12'::int, ' 12 '::int, '-5'::bigint, '1.5'::numeric, '1e3'::double precision
: integer integer bigint numeric double_precision
= 12	12	-5	1.5	1000
SELECT '1.5'::int
! 22P02
SELECT 'x'::int
! 22P02
SELECT ''::int
! 22P02
SELECT 1.5::int, 2.5::int, -1.5::int, 2.5::double precision::int, 3.5::double precision::int
: integer integer integer integer integer
= 2	3	-2	2	4
SELECT 3000000000::int
! 22003
SELECT 1e10::int
! 22003
SELECT 70000::smallint
! 22003
SELECT 1::boolean, 0::boolean, 't'::boolean, 'yes'::boolean, 'off'::boolean
: boolean boolean boolean boolean boolean
= t	f	t	t	f
SELECT 'maybe'::boolean
! 22P02
SELECT true::int, false::int, true::text, f::text FROM samples ORDER BY id
: integer integer text text
= 1	0	true	true
= 1	0	true	false
= 1	0	true	true
= 1	0	true	false
= 1	0	true	\N
= 1	0	true	true
= 1	0	true	true
= 1	0	true	false
= 1	0	true	false
SELECT 1::text, 1.50::text, 1.5::double precision::text, 1e20::double precision::text, 1e15::double precision::text, 0.00001::double precision::text
: text text text text text text
= 1	1.50	1.5	1e+20	1e+15	1e-05
SELECT d::text, n::text, r::text FROM samples ORDER BY id
: text text text
= 0.5	1.500	1.5
= 1.5	2.500	2.5
= 2.5	-2.500	0.1
= -2.5	10.001	1e+10
= \N	\N	\N
= 0	0.000	0
= 1e+20	999999.999	3
= 0.1	-0.005	-1.25
= 123456.789	33.333	7
SELECT day::text, at::text, tz::text FROM samples ORDER BY id
: text text text
= 2020-01-01	2020-01-01 10:00:00	2020-01-01 10:00:00+00
= 2020-02-29	2020-02-29 23:59:59.5	2020-02-29 23:59:59.5+00
= 2020-03-15	2020-03-15 00:00:00	2020-03-15 01:30:00+00
= 2020-12-31	2020-12-31 12:30:15.123456	2020-12-31 12:30:15.123456+00
= \N	\N	\N
= 1999-12-31	1999-12-31 23:00:00	1999-12-31 23:00:00+00
= 2020-06-15	2020-06-15 06:07:08.009	2020-06-15 06:07:08.009+00
= 1970-01-01	1970-01-01 00:00:00	1970-01-01 00:00:00+00
= 2020-07-04	2020-07-04 16:45:30	2020-07-04 16:45:30+00
SELECT '2020-02-30'::date
! 22008
SELECT '2020-02-28'::date, '20200228'::date, 'Feb 28, 2020'::date, '2020-02-28 10:11:12'::date
: date date date date
= 2020-02-28	2020-02-28	2020-02-28	2020-02-28
~ dates are read in digits only
>! 22007
SELECT date '2020-02-28', timestamp '2020-02-28 10:11:12.5', timestamptz '2020-02-28 10:11:12+02', time '10:11:12', interval '1 day'
: date timestamp_without_time_zone timestamp_with_time_zone time_without_time_zone interval
= 2020-02-28	2020-02-28 10:11:12.5	2020-02-28 08:11:12+00	10:11:12	1 day
SELECT '2020-02-28 10:11:12'::timestamp::date, '2020-02-28'::date::timestamp, '2020-02-28 23:00:00-05'::timestamptz::date
: date timestamp_without_time_zone date
= 2020-02-28	2020-02-28 00:00:00	2020-02-29
SELECT '10:11:12.5'::time, '2020-01-01 10:11:12'::timestamp::time
: time_without_time_zone time_without_time_zone
= 10:11:12.5	10:11:12
SELECT '1 day 2 hours'::interval, '1 mon'::interval::text, '90 minutes'::interval, '1:30'::interval, 'P1DT2H'::interval
: interval text interval interval interval
= 1 day 02:00:00	1 mon	01:30:00	01:30:00	1 day 02:00:00
SELECT 'abc'::varchar(2), 'abc'::char(2), 'abc'::text, cast('abc' AS varchar), 'abc'::name
: character_varying character text character_varying name
= ab	ab	abc	abc	abc
SELECT CAST(1 AS numeric), CAST('5' AS numeric(10, 2)), 5::numeric::int
: numeric numeric integer
= 1	5.00	5
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
: uuid
= a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11
SELECT 'A0EEBC999C0B4EF8BB6D6BB9BD380A11'::uuid
: uuid
= a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11
SELECT 'nope'::uuid
! 22P02
SELECT '{1,2,3}'::int[], ARRAY[1,2]::text[], '{a,"b c",NULL}'::text[]
: integer[] text[] text[]
= {1,2,3}	{1,2}	{a,"b c",NULL}
SELECT '\x414243'::bytea, 'abc'::bytea, '\x4142'::bytea::text
: bytea bytea text
= \\x414243	\\x616263	\\x4142
SELECT '{"a": 1}'::json, '{"b":1,"a":2}'::jsonb, '[1,  2]'::jsonb, '"x"'::jsonb
: json jsonb jsonb jsonb
= {"a": 1}	{"a": 2, "b": 1}	[1, 2]	"x"
SELECT '{bad'::json
! 22P02
SELECT 'infinity'::timestamp > now()::timestamp, 'epoch'::timestamp
: boolean timestamp_without_time_zone
= t	1970-01-01 00:00:00
SELECT 65::"char", 'x'::"char"
: "char" "char"
= A	x
SELECT 1::oid, '5'::int8, 5::int2, 1.5::float4, 1.5::float8, 1::bool, 'x'::bpchar
: oid bigint smallint real double_precision boolean character
= 1	5	5	1.5	1.5	t	x
SELECT 0.1::real, 0.1::real::double precision, 1.0::real = 1.0, 16777217::real
: real double_precision boolean real
= 0.1	0.10000000149011612	t	1.6777216e+07
SELECT 123456789.123456789::double precision, 1e100::double precision, (0.1 + 0.2)::text, 0.1::double precision + 0.2
: double_precision double_precision text double_precision
= 123456789.12345679	1e+100	0.3	0.30000000000000004
SELECT int '5', float8 '1.5', bool 'true', numeric '1.50'
: integer double_precision boolean numeric
= 5	1.5	t	1.50
SELECT '5' + 3, '2.5' * 2.0, 3 < '10'
: integer numeric boolean
= 8	5.00	t
SELECT '2020-01-01' < date '2020-02-01', date '2020-01-01' + 1, '2020-01-03'::date - '2020-01-01'::date
: boolean date integer
= t	2020-01-02	2
SELECT -5::text, (-5)::text
! 42883
SELECT t::int FROM samples WHERE id = 1
! 22P02
SELECT i::text || 'x', i::double precision, i::numeric, b::int FROM samples WHERE id < 3 ORDER BY id
: text double_precision numeric integer
= 1x	1	1	10
= 2x	2	2	20
SELECT id FROM samples WHERE t::text = 'Abc' ORDER BY id
: integer
= 1
SELECT 1::int4, 'now'::timestamp IS NOT NULL
: integer boolean
= 1	t
~ now, today and infinity are not times
>! 22007
SELECT '12:30'::time - '10:00'::time, '1 day'::interval * 2.5, '1 hour'::interval / 4
: interval interval interval
= 02:30:00	2 days 12:00:00	00:15:00
SELECT pg_typeof(1), pg_typeof('x'::text), pg_typeof(1.5), pg_typeof(now()), pg_typeof(ARRAY[1])
: regtype regtype regtype regtype regtype
= integer	text	numeric	timestamp with time zone	integer[]
SELECT x = ANY (ARRAY[x]) FROM (SELECT '00000000-0000-0000-0000-000000000001'::uuid AS x) q
: boolean
= t
SELECT CASE WHEN x = x THEN x END, pg_typeof(x) FROM (SELECT '00000000-0000-0000-0000-000000000001'::uuid AS x) q
: uuid regtype
= 00000000-0000-0000-0000-000000000001	uuid
SELECT x BETWEEN x AND x, x IN (x), coalesce(x, x), nullif(x, x), greatest(x, x), min(x::text) FROM (SELECT '00000000-0000-0000-0000-000000000001'::uuid AS x) q GROUP BY x
: boolean boolean uuid uuid uuid text
= t	t	00000000-0000-0000-0000-000000000001	\N	00000000-0000-0000-0000-000000000001	00000000-0000-0000-0000-000000000001
SELECT x FROM (SELECT '00000000-0000-0000-0000-000000000001'::uuid AS x) q UNION SELECT x FROM (SELECT '00000000-0000-0000-0000-000000000001'::uuid AS x) q
: uuid
= 00000000-0000-0000-0000-000000000001
SELECT 1e10::numeric(4,1)
! 22003
SELECT 12345.6::numeric(4,1)
! 22003
SELECT n::numeric(4,1) FROM samples WHERE id = 7
! 22003
SELECT d::numeric(4,1) FROM samples WHERE id = 9
! 22003
SELECT '12345.6'::numeric(4,1)
! 22003
SELECT b::numeric(4,1) FROM samples WHERE id = 4
! 22003
SELECT t::numeric(4,1) FROM (VALUES ('12345.6')) v(t)
! 22003
SELECT t::int FROM (VALUES ('12345678901')) v(t)
! 22003
SELECT t::smallint FROM (VALUES ('x')) v(t)
! 22P02
SELECT x <= NULL::uuid, x = '00000000-0000-0000-0000-000000000001', x IN ('00000000-0000-0000-0000-00000000000A'), x::text, ARRAY[x], pg_typeof(x), '{00000000-0000-0000-0000-00000000000A}'::uuid[] FROM (VALUES ('00000000-0000-0000-0000-00000000000A'::uuid)) v(x)
: boolean boolean boolean text uuid[] regtype uuid[]
= \N	f	t	00000000-0000-0000-0000-00000000000a	{00000000-0000-0000-0000-00000000000a}	uuid	{00000000-0000-0000-0000-00000000000a}
SELECT x = ANY ('{00000000-0000-0000-0000-00000000000A}'::uuid[]), x = ANY (ARRAY[x]), x = ANY ('{00000000-0000-0000-0000-00000000000A}') FROM (VALUES ('00000000-0000-0000-0000-00000000000A'::uuid)) v(x)
: boolean boolean boolean
= t	t	t
SELECT 'zz'::uuid
! 22P02
SELECT t::uuid FROM (VALUES ('zz')) v(t)
! 22P02
SELECT $1::uuid = ANY ($2::uuid[])
$ uuid uuid[]
: boolean
SELECT n::timestamp FROM samples
! 42846
SELECT n::timestamptz FROM samples
! 42846
SELECT n::date FROM samples
! 42846
SELECT n::interval FROM samples
! 42846
SELECT n::time FROM samples
! 42846
SELECT i::timestamp FROM samples
! 42846
SELECT d::date FROM samples
! 42846
SELECT d::timestamp FROM samples
! 42846
SELECT i::interval FROM samples
! 42846
SELECT at::integer FROM samples
! 42846
SELECT day::integer FROM samples
! 42846
SELECT day::numeric FROM samples
! 42846
SELECT f::numeric FROM samples
! 42846
SELECT f::bigint FROM samples
! 42846
SELECT f::double precision FROM samples
! 42846
SELECT n::boolean FROM samples
! 42846
SELECT b::boolean FROM samples
! 42846
SELECT s::boolean FROM samples
! 42846
SELECT i::bytea FROM samples
! 42846
SELECT i::uuid FROM samples
! 42846
SELECT f::date FROM samples
! 42846
SELECT at::boolean FROM samples
! 42846
SELECT day::time FROM samples
! 42846
SELECT at::interval FROM samples
! 42846
SELECT a::integer FROM samples
! 42846
SELECT i::bigint[] FROM samples
! 42846
SELECT a::date FROM samples
! 42846
SELECT j::integer FROM samples
! 42846
SELECT j::date FROM samples
! 42846
SELECT tz::interval FROM samples
! 42846
SELECT '1 day'::interval::integer
! 42846
SELECT '1 day'::interval::date
! 42846
SELECT '1 day'::interval::time
: time_without_time_zone
= 00:00:00
SELECT '00:10'::time::interval
: interval
= 00:10:00
SELECT '00:10'::time::timestamp
! 42846
SELECT '00:10'::time::date
! 42846
SELECT '\x00'::bytea::integer
! 42846
SELECT '\x00'::bytea::json
! 42846
SELECT n::real, n::double precision, r::numeric, d::text::numeric FROM samples WHERE id < 4 ORDER BY id
: real double_precision numeric numeric
= 1.5	1.5	1.5	0.5
= 2.5	2.5	2.5	1.5
= -2.5	-2.5	0.1	2.5
SELECT x::text FROM unnest(ARRAY[1e10, 1e6, -1234567.5, 999999, 16777216, 1.5e15, 1e16, 1e-5, 'NaN']::real[]) AS v (x)
: text
= 1e+10
= 1e+06
= -1.2345675e+06
= 999999
= 1.6777216e+07
= 1.5e+15
= 1e+16
= 1e-05
= NaN
SELECT x::uuid FROM (VALUES ('6f1b3b0e6a0a4a519d0c3f5f2f9b8a00'), ('{6F1b-3b0e-6a0a-4a51-9d0c-3f5f-2f9b-8a00}'), (NULL)) AS v (x)
: uuid
= 6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a00
= 6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a00
= \N
SELECT x::uuid FROM (VALUES ('6f1b3b-0e6a0a4a51-9d0c3f5f-2f9b8a-00')) AS v (x)
! 22P02
SELECT '6f1b3b-0e6a0a4a51-9d0c3f5f-2f9b8a-00'::uuid
! 22P02
SELECT coalesce(NULL::uuid, '{6F1B3B0E6a0a-4a51-9d0c3f5f-2f9b8a01}')
: uuid
= 6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01
SELECT CASE WHEN id = 0 THEN NULL::uuid ELSE '6F1B3B0E-6A0A-4A51-9D0C-3F5F2F9B8A01' END FROM (SELECT 1 AS id) q
: uuid
= 6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01
SELECT greatest('7f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid, '6F1B3B0E-6A0A-4A51-9D0C-3F5F2F9B8A01')
: uuid
= 7f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01
SELECT '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid UNION SELECT '6F1B3B0E-6A0A-4A51-9D0C-3F5F2F9B8A01'
: uuid
= 6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01
SELECT array_append(ARRAY[]::uuid[], '6F1B3B0E-6A0A-4A51-9D0C-3F5F2F9B8A01')
: uuid[]
= {6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01}
SELECT lag('6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid, 1, '6F1B3B0E-6A0A-4A51-9D0C-3F5F2F9B8A01') OVER ()
: uuid
= 6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01
SELECT coalesce(NULL::uuid, 'x')
! 22P02
SELECT lag('6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid, 1, 'x') OVER ()
! 22P02
SELECT x::uuid[] FROM (VALUES ('{6F1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a00,NULL}'), ('{}'), (NULL)) AS v (x)
: uuid[]
= {6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a00,NULL}
= {}
= \N
SELECT x::uuid[] FROM (VALUES (ARRAY['6F1b3b0e6a0a4a519d0c3f5f2f9b8a00', NULL])) AS v (x)
: uuid[]
= {6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a00,NULL}
SELECT x::uuid[] FROM (VALUES (ARRAY['6F1b3b0e6a0a4a519d0c3f5f2f9b8a0'])) AS v (x)
! 22P02
SELECT '{6F1b3b0e6a0a4a519d0c3f5f2f9b8a00}'::uuid[]
: uuid[]
= {6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a00}
SELECT x::uuid::text FROM (VALUES ('6F1b3b0e6a0a4a519d0c3f5f2f9b8a00')) AS v (x)
: text
= 6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a00
SELECT int8 '5', uuid '6F1b3b0e6a0a4a519d0c3f5f2f9b8a00', "int4" '6', oid '7', name 'x'
: bigint uuid integer oid name
= 5	6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a00	6	7	x
SELECT int8 '5'::text, 1 + int4 '6'
: text integer
= 5	7
SELECT t 'x' FROM samples
! 42704
SELECT nothing 'x'
! 42704
SELECT 0::smallint::inet
! 42846
SELECT 2147483647::inet
! 42846
SELECT 1.5::numeric::oid
! 42846
SELECT 1::real::oid
! 42846
SELECT '2020-01-01'::date::oid
! 42846
SELECT true::regclass
! 42846
SELECT '1'::json::oid
! 42846
SELECT '1'::jsonb::oid
! 42846
SELECT '{1}'::int[]::oid
! 42846
SELECT 1::oid::float8
! 42846
SELECT 1::oid::numeric
! 42846
SELECT 1::oid::timestamp
! 42846
SELECT 1::oid::uuid
! 42846
SELECT 1::oid::json
! 42846
SELECT 1::oid::bigint, 1::oid::int, 1::bigint::oid, 1::smallint::oid, 1::oid::text, '1'::oid, 1::oid::regclass::oid, 1259::regclass::oid, 'pg_class'::regclass::oid, 'pg_class'::regclass::int
: bigint integer oid oid text oid oid oid oid integer
= 1	1	1	1	1	1	1	1259	1259	1259
SELECT 1::oid::smallint
! 42846
SELECT 'int4'::regtype::oid, 'int4'::regtype::text, 23::regtype::oid
: oid text oid
= 23	integer	23
SELECT 'int4'::regtype::regclass
! 42846
SELECT 65::"char"::int
: integer
= 65
SELECT 1.5::"char"
! 42846
SELECT 'a'::"char"::text, 'abc'::name::text, 1::name, now()::name is not null, 'a'::text::name
: text text name boolean name
= a	abc	1	t	a
SELECT 'a'::"char"::bigint
! 42846
SELECT oid::int, relname::text, relnamespace::regnamespace::text, relkind::text FROM pg_class WHERE relname = 'pg_class'
: integer text text text
= 1259	pg_class	pg_catalog	r
SELECT attrelid::regclass::text, atttypid::regtype::text FROM pg_attribute WHERE attrelid = 'pg_class'::regclass AND attname = 'relname'
: text text
= pg_class	name
SELECT indkey::int2[], indkey::text FROM pg_index LIMIT 0
: smallint[] text
SELECT proargtypes::oid[] FROM pg_proc LIMIT 0
: oid[]
SELECT array[1,2]::oid[], array['a']::name[], array[1.5]::oid[]
! 42846
SELECT (-1)::integer::oid, 4294967295::oid, ' 12 '::oid, '-1'::oid, (-5)::smallint::oid, 4294967295::oid::int, 7::oid::int
: oid oid oid oid oid integer integer
= 4294967295	4294967295	12	4294967295	4294967291	-1	7
SELECT 4294967296::oid
! 22003
SELECT 99999999999::bigint::oid
! 22003
SELECT (-1)::bigint::oid
! 22003
SELECT '4294967296'::oid
! 22003
SELECT (-1)::regclass::oid
: oid
= 4294967295
SELECT 99999999999::regclass
! 22003
SELECT i::oid FROM samples ORDER BY id
: oid
= 1
= 2
= 2
= 5
= \N
= 4294967289
= 9
= 0
= 3
SELECT 65::"char", 0::"char", 'abc'::"char", ''::"char", 'a'::"char"::int, ''::"char"::int, i::"char"::int FROM samples WHERE id = 1
: "char" "char" "char" "char" integer integer integer
= A		a		97	0	1
SELECT 300::"char"
! 22003
SELECT 'é'::"char"
: "char"
= \\303
~ a "char" of a byte above 127 is refused
>! 0A000
SELECT relkind::int FROM pg_class WHERE relname = 'samples'
: integer
= 114
SELECT date('2020-01-01'::text), date(NULL), date(nullif(NULL, NULL)), date(t) FROM samples WHERE id = 5
: date date date date
= 2020-01-01	\N	\N	\N
SELECT date(t) FROM samples WHERE id = 1
! 22007
SELECT date(tz), count(*) FROM samples WHERE id < 4 GROUP BY date(tz) ORDER BY date(tz)
: date bigint
= 2020-01-01	1
= 2020-02-29	1
= 2020-03-15	1
SET TimeZone = 'America/New_York'; SELECT date(tz), tz::date, date(at), date(day) FROM samples WHERE id < 5 ORDER BY id
: date date date date
= 2020-01-01	2020-01-01	2020-01-01	2020-01-01
= 2020-02-29	2020-02-29	2020-02-29	2020-02-29
= 2020-03-14	2020-03-14	2020-03-15	2020-03-15
= 2020-12-31	2020-12-31	2020-12-31	2020-12-31
SELECT max(to_regtype('text')::oid::bigint), count(to_regclass('pg_class')::oid) FROM samples
: bigint bigint
= 25	9
SELECT to_regtype('int4')::text, to_regtype('nope')::oid FROM samples LIMIT 1
: text oid
= integer	\N
