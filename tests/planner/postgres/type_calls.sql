SELECT int4(2.5), float8(3), text('a'), date('2020-01-02'), bpchar('1'), int8(3.5), bool('t'), int2(1), float4(1.5)
: integer double_precision text date character bigint boolean smallint real
= 3	3	a	2020-01-02	1	4	t	1	1.5
SELECT int4(x), text(x), int4('5') FROM (VALUES (2.5)) v(x)
: integer text integer
= 3	2.5	5
SELECT id, int4(n), text(i), float8(s) FROM samples WHERE int8(n) > 1 ORDER BY id
: integer integer text double_precision
= 1	2	1	1
= 2	3	2	1
= 4	10	5	2
= 7	1000000	9	3
= 9	33	3	-1
SELECT timestamptz('2020-01-01'), uuid('00000000-0000-0000-0000-000000000001')
: timestamp_with_time_zone uuid
= 2020-01-01 00:00:00+00	00000000-0000-0000-0000-000000000001
SELECT int4(1, 2)
! 42883
SELECT int4()
! 42883
SELECT text(5), text(true), name('abc')
: text text name
= 5	true	abc
SELECT int4('x')
! 22P02
SELECT int4(true), bool(1)
: integer boolean
= 1	t
SELECT '{int,int8}'::regtype[]::text, ARRAY['int'::regtype]::text[]
: text text[]
= {integer,bigint}	{integer}
SELECT information_schema._pg_numeric_scale(1700, 786438), information_schema._pg_numeric_precision(1700, 786438), information_schema._pg_numeric_precision(23, -1), information_schema._pg_char_max_length(1043, 14), information_schema._pg_char_octet_length(25, -1), information_schema._pg_datetime_precision(1184, -1), information_schema._pg_numeric_precision_radix(701, -1)
: integer integer integer integer integer integer integer
= 2	12	32	10	1073741824	6	2
SELECT oidvectortypes(proargtypes) FROM pg_proc WHERE proname = 'upper' AND pronargs = 1 AND proargtypes[0] = 'text'::regtype
: text
= text
SELECT pg_blocking_pids(1), pg_stat_get_live_tuples(0::oid)
: integer[] bigint
= {}	0
SELECT oid > 16383 FROM pg_database WHERE datname = current_database()
: boolean
= t
