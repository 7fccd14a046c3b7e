SELECT 'a'::varchar(5, 'c')
! 42601
SELECT 12345::varchar(2, dat)
! 42601
SELECT 'a'::varchar(2, 2)
! 42601
SELECT 'a'::varchar()
! 42601
SELECT 'a'::pg_catalog.varchar()
! 42601
SELECT 'ab'::pg_catalog.varchar(1)
: character_varying
= a
SELECT 'ab'::pg_catalog.varchar(1, 2)
! 22023
SELECT 'ab'::varchar('1')
! 42601
SELECT 'ab'::pg_catalog.varchar('1')
: character_varying
= a
SELECT 'ab'::varchar(1.5)
! 42601
SELECT 'ab'::varchar(-1)
! 42601
SELECT 'ab'::varchar(0)
! 22023
SELECT 'ab'::char(0)
! 22023
SELECT 'ab'::pg_catalog.bpchar(0)
! 22023
SELECT 'ab'::bpchar(1)
: character
= a
SELECT 'ab'::varchar(x)
! 42601
SELECT 'ab'::char varying(1)
: character_varying
= a
SELECT 'ab'::character varying(1)
: character_varying
= a
SELECT 'ab'::character(1)
: character
= a
SELECT 'ab'::nchar(1)
: character
= a
SELECT ARRAY[NULL]::text(0)[]
! 42601
SELECT 'a'::text(3)
! 42601
SELECT 'a'::text()
! 42601
SELECT 1::int(3)
! 42601
SELECT 1::integer(3)
! 42601
SELECT 1::int4(3)
! 42601
SELECT 1::bigint(3)
! 42601
SELECT 1::boolean(3)
! 42601
SELECT true::bool(3)
! 42601
SELECT 1::real(3)
! 42601
SELECT 1::float(3)
: real
= 1
SELECT 1::float(24)
: real
= 1
SELECT 1::float(25)
: double_precision
= 1
SELECT 1::float(0)
! 22023
SELECT 1::float(54)
! 22023
SELECT 1::float(x)
! 42601
SELECT 1::float()
! 42601
SELECT 1::double
! 42704
SELECT 1::double precision
: double_precision
= 1
SELECT 1::double(3)
! 42704
SELECT 1::double precision(3)
! 42601
SELECT 1::numeric()
! 42601
SELECT 1::numeric(3,1)
: numeric
= 1.0
SELECT 1::numeric(3,1,1)
! 22023
SELECT 1::numeric(3.5)
! 22P02
SELECT 1::numeric(x)
! 22P02
SELECT 1::numeric(1+1)
! 42601
SELECT 1::numeric(5)
: numeric
= 1
SELECT 1::decimal(5,2)
: numeric
= 1.00
SELECT 1::dec(5,2)
: numeric
= 1.00
SELECT 1::pg_catalog.numeric(5,2)
: numeric
= 1.00
SELECT 1::"numeric"(5,2)
: numeric
= 1.00
SELECT NULL::int[][1, 2]
! 42601
SELECT NULL::int[1]
: integer[]
= \N
SELECT NULL::int[1][2]
: integer[]
= \N
SELECT NULL::int[x]
! 42601
SELECT '{1}'::int[][(2)]
! 42601
SELECT '{1}'::int[-1]
! 42601
SELECT '{1}'::int['1']
! 42601
SELECT '{1}'::int[1:2]
! 42601
SELECT '{1}'::int[1.5]
! 42601
SELECT '{1}'::int array
: integer[]
= {1}
SELECT '{1}'::int array[1]
: integer[]
= {1}
SELECT '{1}'::int array[]
! 42601
SELECT '{1}'::int array[1][2]
! 42601
SELECT '{1}'::int[99999999999]
! 42601
SELECT '2020-01-01'::timestamp(x)
! 42601
SELECT '2020-01-01'::timestamp()
! 42601
SELECT '2020-01-01'::timestamp(3)
: timestamp_without_time_zone
= 2020-01-01 00:00:00
SELECT '2020-01-01'::timestamp(9)
: timestamp_without_time_zone
= 2020-01-01 00:00:00
SELECT '2020-01-01'::timestamp(-1)
! 42601
SELECT '2020-01-01'::timestamp(1,2)
! 42601
SELECT '2020-01-01'::timestamptz()
! 42601
SELECT '2020-01-01'::timestamptz(1)
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
SELECT '2020-01-01'::timestamptz(x)
! 22P02
SELECT '2020-01-01'::timestamp(0) with time zone
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
SELECT '2020-01-01'::timestamp with time zone(0)
! 42601
SELECT '2020-01-01'::timestamp without time zone
: timestamp_without_time_zone
= 2020-01-01 00:00:00
SELECT '2020-01-01'::timestamp with time
! 42601
SELECT '2020-01-01'::timestamp time
: timestamp_without_time_zone
= 2020-01-01 00:00:00
SELECT '10:00'::time(0)
: time_without_time_zone
= 10:00:00
SELECT '10:00'::time(x)
! 42601
SELECT '2020-01-01'::date(1)
! 42601
SELECT '2020-01-01'::date()
! 42601
SELECT '01:02:03'::interval hour to number
! 42601
SELECT '01:02:03'::interval hour to second
: interval
= 01:02:03
SELECT '01:02:03'::interval(1)
: interval
= 01:02:03
SELECT '01:02:03'::interval(x)
! 42601
SELECT '01:02:03'::interval(1) second
! 42601
SELECT '01:02:03'::interval year to day
! 42601
SELECT '01:02:03'::interval minute(2)
! 42601
SELECT '01:02:03'::interval a
: interval
= 01:02:03
SELECT interval '1 year 2 mons'::interval year, interval '1 day 02:03:04' n
: interval interval
= 1 year	1 day 02:03:04
SELECT '1'::"Text"
! 42704
SELECT '1'::"text"
: text
= 1
SELECT '1'::"TEXT"
! 42704
SELECT '1'::"int4"
: integer
= 1
SELECT '1'::"integer"
! 42704
SELECT '1'::"int"
! 42704
SELECT '1'::"varchar"(1)
: character_varying
= 1
SELECT '1'::"char"(1)
! 42601
SELECT '1'::foo
! 42704
SELECT '1'::foo(1)
! 42704
SELECT '1'::public.text
! 42704
SELECT '1'::pg_catalog.text
: text
= 1
SELECT '1'::pg_catalog.int4
: integer
= 1
SELECT '1'::pg_catalog.integer
! 42704
SELECT '1'::pg_catalog.foo
! 42704
SELECT '1'::json(1)
! 42601
SELECT '1'::jsonb()
! 42601
SELECT 'a'::bytea(1)
! 42601
SELECT 'a'::bytea()
! 42601
SELECT '08002b010203'::macaddr(1)
! 42601
SELECT '1'::oid(1)
! 42601
SELECT '1'::name(1)
! 42601
SELECT cast('a' AS varchar(1, 2))
! 42601
SELECT cast('a' AS text(1))
! 42601
SELECT cast('a' AS int[x])
! 42601
SELECT cast('a' AS)
! 42601
SELECT cast('a' AS varchar())
! 42601
SELECT cast('2020-01-01' AS timestamp(x))
! 42601
SELECT cast('1' AS int foo)
! 42601
SELECT varchar(2,1) 'abc'
! 42601
SELECT timestamp(0) '2020-01-01 10:00:00.6'
: timestamp_without_time_zone
= 2020-01-01 10:00:01
SELECT timestamp(x) '2020-01-01 10:00:00.6'
! 42601
SELECT text(1) 'abc'
! 42601
SELECT text() 'abc'
! 42601
SELECT numeric(3,1) '1.25'
: numeric
= 1.3
SELECT numeric() '1.25'
! 42601
SELECT int4 '1'
: integer
= 1
SELECT int4(1) '1'
! 42601
SELECT int(1) '1'
! 42601
SELECT double '1'
! 42704
SELECT double precision '1'
: double_precision
= 1
SELECT foo '1'
! 42704
SELECT int[] '{1}'
! 42601
SELECT interval(0) '1.6 seconds'
: interval
= 00:00:02
SELECT interval(x) '1.6 seconds'
! 42601
SELECT '1'::int int
: integer
= 1
SELECT '1'::tinyint
! 42704
SELECT '1'::uinteger
! 42704
SELECT '1'::datetime
! 42704
SELECT '1'::blob
! 42704
SELECT '1'::string
! 42704
SELECT '1'::long
! 42704
SELECT '1'::nvarchar(1)
! 42704
SELECT '1'::timestamp_ns
! 42704
SELECT '1'::uuid(1)
! 42601
SELECT '1'::array<int>
! 42601
SELECT '1'::timestampntz
! 42704
SELECT '1'::varbinary
! 42704
SELECT '1'::binary
! 42704
SELECT '1'::int128
! 42704
SELECT '1'::bigdecimal
! 42704
SELECT '1'::int8 multirange
: bigint
= 1
SELECT '1'::int::text::varchar(1)
: character_varying
= 1
SELECT '1'::null
! 42601
SELECT '1'::smalldatetime
! 42704
SELECT '1'::bpchar
: character
= 1
SELECT '1'::timestamp with local time zone
! 42601
SELECT 'a'::text COLLATE "C"
: text
= a
SELECT ARRAY[1]::int[1]
: integer[]
= {1}
SELECT (ARRAY[1,2]::int[])[1]
: integer
= 1
SELECT ARRAY[1,2]::int[] [1]
: integer[]
= {1,2}
SELECT cast(1 AS int) AS a
: integer
= 1
SELECT cast(cast(1 AS text) AS varchar(3))
: character_varying
= 1
SELECT cast((SELECT 1 AS x) AS text)
: text
= 1
SELECT (SELECT cast(1 AS text) AS x)
: text
= 1
SELECT 1::pg_catalog.int4::text
: text
= 1
SELECT 1::"pg_catalog"."int4"
: integer
= 1
SELECT '1'::"pg_catalog".numeric(3,1)
: numeric
= 1.0
SELECT '1'::double   precision
: double_precision
= 1
SELECT '{1}'::double precision[]
: double_precision[]
= {1}
SELECT '{1}'::double precision[][]
: double_precision[]
= {1}
SELECT '{1}'::varchar(3)[]
: character_varying[]
= {1}
SELECT '{1}'::numeric(3,1)[2]
: numeric[]
= {1.0}
SELECT '{1}'::timestamp(3) without time zone[]
! 22007
SELECT '{"1 day"}'::interval[]
: interval[]
= {"1 day"}
SELECT '{"1 day"}'::interval day[]
: interval[]
= {"1 day"}
SELECT '{1}'::int[]::text[]::varchar(1)[]
: character_varying[]
= {1}
SELECT 1::varchar(+1)
! 42601
SELECT 'x'::varchar(1)::varchar(2)
: character_varying
= x
SELECT 1::int % 2
: integer
= 1
SELECT 1::int[1:2]
! 42601
SELECT 'ab'::national character varying(1)
: character_varying
= a
~ words of types are not supported
>! 0A000
SELECT 'ab'::nchar varying(1)
: character_varying
= a
~ words of types are not supported
>! 0A000
SELECT '01:02:03.45'::interval second(1)
: interval
= 01:02:03.5
~ digits of seconds with fields are not supported
>! 0A000
SELECT '01:02:03'::interval minute to second(2)
: interval
= 01:02:03
~ digits of seconds with fields are not supported
>! 0A000
SELECT '1'::setof int
: integer
= 1
~ words of types are not supported
>! 0A000
SELECT '1'::int unsigned
: integer
= 1
~ the name of a column needs AS
>! 0A000
SELECT 1::numeric(1, -1)
: numeric
= 0
~ negative scales are not supported
>! 0A000
SELECT '1'::tinyint, '1'::hugeint
! 42704
SELECT '1'::map(int, int)
! 42704
SELECT '1'::mediumint
! 42704
SELECT id, i::float(1) FROM samples ORDER BY id
: integer real
= 1	1
= 2	2
= 3	2
= 4	5
= 5	\N
= 6	-7
= 7	9
= 8	0
= 9	3
SELECT '1.26'::numeric((4))
: numeric
= 1
SELECT '1.26'::numeric((4),(1))
: numeric
= 1.3
SELECT 'ab'::"varchar"((1))
: character_varying
= a
SELECT 1::"numeric"((5))
: numeric
= 1
SELECT 1::numeric(NULL)
! 42601
SELECT 1::numeric((5)+1)
! 42601
SELECT 1::numeric(((5))
! 42601
