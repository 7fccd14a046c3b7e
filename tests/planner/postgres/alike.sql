SELECT ALL (ARRAY[1])
: integer[]
= {1}
SELECT 1::"text; x"
! 42704
SELECT 1::"integer"
! 42704
SELECT 1::"int4"
: integer
= 1
SELECT 1::"Text"
! 42704
SELECT 1::"my type"
! 42704
SELECT 1::my_type
! 42704
SELECT 1::nope(3)
! 42704
SELECT 1a
! 42601
SELECT 1_000
! 42601
SELECT 0x1F
! 42601
SELECT mode() WITHIN GROUP (ORDER BY 'x') FROM samples
! 42804
SELECT mode() WITHIN GROUP (ORDER BY NULL) FROM samples
! 42804
SELECT coalesce(at::time, day) FROM samples
! 42846
SELECT coalesce(at::time, at) FROM samples
! 42846
SELECT coalesce(at::time, interval '1 day') FROM samples
! 42804
SELECT coalesce(j, t) FROM samples
! 42804
SELECT coalesce(j, j::jsonb) FROM samples
! 42846
SELECT coalesce(a, i) FROM samples
! 42804
SELECT coalesce(a, t) FROM samples
! 42804
SELECT coalesce(a, ARRAY['x']) FROM samples
! 42846
SELECT coalesce(a, ARRAY['x'::text]) FROM samples
! 42846
SELECT coalesce(a, ARRAY[1]) FROM samples ORDER BY id
: bigint[]
= {1,2}
= {2,3}
= {}
= {4}
= {1}
= {2}
= {7,8,9}
= {10,-10}
= {9,9}
SELECT ARRAY[ARRAY[1], ARRAY['x'::text]]
! 42846
SELECT ARRAY[ARRAY[1], ARRAY['x']]
! 42846
SELECT ARRAY[ARRAY[1], ARRAY['2']]
! 42846
SELECT greatest(i, t) FROM samples
! 42804
SELECT least(day, i) FROM samples
! 42804
SELECT nullif(i, t) FROM samples
! 42883
SELECT coalesce(t::varchar, t, t::name) FROM samples ORDER BY id
: name
= Abc
= abc
= b
= 
= \N
= aB
= ä
= Zed
=  x 
SELECT coalesce(id, (SELECT t)) FROM samples
! 42804
SELECT coalesce(id, (SELECT 'x')) FROM samples
! 42804
SELECT coalesce(oid, 1) IS NULL FROM pg_am LIMIT 1
: boolean
= f
SELECT coalesce(oid::regclass, 1) IS NULL FROM pg_class LIMIT 1
: boolean
= f
SELECT coalesce(oid::regclass, relname) IS NULL FROM pg_class LIMIT 1
! 42804
SELECT coalesce(oid::regclass::text, relname) IS NULL FROM pg_class LIMIT 1
: boolean
= f
SELECT coalesce(amname, 'x', 'y'::text) FROM pg_am LIMIT 0
: name
SELECT coalesce(row(1), 1)
! 42804
SELECT coalesce(row(1), 'x'::text)
! 42804
SELECT coalesce('\x01'::bytea, 'x'::text)
! 42804
SELECT coalesce(gen_random_uuid(), 'x'::text)
! 42804
SELECT coalesce('08:00:2b:01:02:03'::macaddr, 'x'::text)
! 42804
SELECT coalesce(indkey, indoption) IS NULL FROM pg_index LIMIT 0
: boolean
SELECT coalesce(indkey, ARRAY[1]) IS NULL FROM pg_index LIMIT 0
: boolean
SELECT coalesce(conkey, '{}') FROM pg_constraint LIMIT 0
: smallint[]
SELECT coalesce(proargtypes, proallargtypes) FROM pg_proc LIMIT 0
: oid[]
SELECT coalesce(proallargtypes, proargtypes) FROM pg_proc LIMIT 0
: oid[]
SELECT coalesce(relkind, 1) FROM pg_class LIMIT 0
! 42804
SELECT coalesce(relacl::text[], '{}') FROM pg_class LIMIT 0
: text[]
SELECT NULL::money
: money
= \N
~ type money is not supported
>! 0A000
SELECT NULL::point
: point
= \N
~ type point is not supported
>! 0A000
SELECT NULL::tsvector
: tsvector
= \N
~ type tsvector is not supported
>! 0A000
SELECT NULL::int4range
: int4range
= \N
~ type int4range is not supported
>! 0A000
SELECT NULL::jsonpath
: jsonpath
= \N
~ type jsonpath is not supported
>! 0A000
SELECT NULL::cidr
: cidr
= \N
~ type cidr is not supported
>! 0A000
SELECT NULL::cidr[]
: cidr[]
= \N
~ type cidr is not supported
>! 0A000
SELECT NULL::record
: record
= \N
~ type record is not supported
>! 0A000
SELECT NULL::nonsense
! 42704
SELECT NULL::nonsense[]
! 42704
SELECT NULL::information_schema.sql_identifier
: name
= \N
~ type sql_identifier is not supported
>! 0A000
SELECT NULL::pg_catalog.money
: money
= \N
~ type money is not supported
>! 0A000
SELECT NULL::cstring
: cstring
= \N
~ type cstring is not supported
>! 0A000
SELECT '{a}'::_text
: text[]
= {a}
SELECT '{1}'::_int4
: integer[]
= {1}
SELECT '{1}'::pg_catalog._int4
: integer[]
= {1}
SELECT '{1}'::_nope
! 42704
SELECT coalesce('1.2.3.4'::inet, 'a'::text)
! 42804
SELECT CASE WHEN true THEN '1.2.3.4'::inet ELSE 'a'::text END
! 42804
SELECT '1.2.3.4'::inet UNION SELECT 'a'::text
! 42804
SELECT ARRAY['1.2.3.4'::inet, 'a'::text]
! 42804
SELECT CASE WHEN true THEN 'r'::"char" ELSE 'b'::text END
! 42804
SELECT coalesce('{}'::json, '{}'::jsonb)
! 42846
SELECT coalesce('{}'::jsonb, '08:00:2b:01:02:03'::macaddr)
! 42846
SELECT CASE WHEN true THEN 1::oid ELSE 1.5::float8 END
! 42846
SELECT 1::oid UNION SELECT 1.5::float8
! 42846
SELECT greatest(1::oid, 2.5::float8)
! 42846
SELECT ARRAY[1::oid, 2.5]
! 42846
VALUES (1::oid), (2.5::float8)
! 42846
SELECT CASE WHEN true THEN 1::oid ELSE 1::numeric END
! 42846
SELECT coalesce(interval '1 day', '10:00'::time)
! 42804
SELECT coalesce('10:00'::time, interval '1 day')
! 42804
SELECT coalesce('10:00'::time, now())
! 42846
SELECT coalesce(1::bigint, 2::oid)
: oid
= 1
SELECT coalesce(2::oid, 1::bigint)
: oid
= 2
SELECT coalesce(1, 2::oid)
: oid
= 1
SELECT 1::bigint UNION SELECT 2::oid ORDER BY 1
: oid
= 1
= 2
