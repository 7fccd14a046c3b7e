select '{"a":1}'::json = '{"a":1}'
! 42883
select '{"a":1}'::json = '{"a":1}'::json
! 42883
select '{"a":1}'::jsonb = '{"a":1}'::json
! 42883
select '{"a":1}'::jsonb = '{"a":1}'::text
! 42883
select '1'::jsonb = 1
! 42883
select distinct '1'::json
! 42883
select x from (values ('1'::json)) t(x) group by x
! 42883
select x from (values ('1'::json)) t(x) order by x
! 42883
select '1'::json union select '2'::json
! 42883
select '1'::json union all select '2'::json
: json
= 1
= 2
select count(distinct x) from (values ('1'::json)) t(x)
! 42883
select row_number() over (order by x) from (values ('1'::json)) t(x)
! 42883
select row_number() over (partition by x) from (values ('1'::json)) t(x)
! 42883
select array_agg(distinct x) from (values ('2'::jsonb),('1'),('1.0')) t(x)
: jsonb[]
= {1,2}
select v from (values ('[]'::jsonb),('null'),('""'),('0'),('true'),('false'),('{}'),('[1]'),('[[]]'),('[null]'),('{"a":1}'),('{"b":0}'),('{"aa":0}'),('{"a":0,"b":1}'),('[1,2]'),('"b"'),('"aa"'),('-1'),('1.5')) t(v) order by v
: jsonb
= []
= null
= ""
= "aa"
= "b"
= -1
= 0
= 1.5
= false
= true
= [null]
= [1]
= [[]]
= [1, 2]
= {}
= {"a": 1}
= {"aa": 0}
= {"b": 0}
= {"a": 0, "b": 1}
select v from (values ('[]'::jsonb),('null'),('""'),('0'),('true'),('false'),('{}'),('[1]'),('[[]]'),('[null]'),('{"a":1}'),('{"b":0}'),('{"aa":0}'),('{"a":0,"b":1}'),('[1,2]'),('"b"'),('"aa"'),('-1'),('1.5')) t(v) order by 1 desc
: jsonb
= {"a": 0, "b": 1}
= {"b": 0}
= {"aa": 0}
= {"a": 1}
= {}
= [1, 2]
= [[]]
= [1]
= [null]
= true
= false
= 1.5
= 0
= -1
= "b"
= "aa"
= ""
= null
= []
select v as w from (values ('2'::jsonb),('10'),(null)) t(v) order by w nulls first
: jsonb
= \N
= 2
= 10
select v, count(*) from (values ('1'::jsonb),('1.0'),('2'),(null),(null)) t(v) group by v order by v
: jsonb bigint
= 1	2
= 2	1
= \N	2
select v, count(*) from (values ('1'::jsonb),('1.0'),('2'),(null),(null)) t(v) group by 1 order by 2, 1
: jsonb bigint
= 2	1
= 1	2
= \N	2
select v as w, count(*) from (values ('1'::jsonb),('1.0'),('2')) t(v) group by w order by w
: jsonb bigint
= 1	2
= 2	1
select v -> 'a', count(*) from (values ('{"a":1}'::jsonb),('{"a":1.0}'),('{"a":2}')) t(v) group by v -> 'a' order by 1
: jsonb bigint
= 1	2
= 2	1
select t.v, count(*) from (values ('1'::jsonb),('1.0'),('2')) t(v) group by v having t.v > '1' order by v
: jsonb bigint
= 2	1
select v, count(*) from (values ('1'::jsonb),('1.0'),('2')) t(v) group by rollup(v) order by v
: jsonb bigint
= 1	2
= 2	1
= \N	3
select v, x, sum(x) from (values ('1'::jsonb, 1),('1.0',2),('2',3)) t(v, x) group by grouping sets ((v),(x),()) order by 1,2,3
: jsonb integer bigint
= 1	\N	3
= 2	\N	3
= \N	1	1
= \N	2	2
= \N	3	3
= \N	\N	6
select distinct v from (values ('1'::jsonb),('1.0'),('2')) t(v) order by v
: jsonb
= 1
= 2
select distinct v from (values ('1'::jsonb),('1.0'),('2')) t(v)
: jsonb
= 1
= 2
select distinct * from (values ('1'::jsonb, 1),('1.0', 1),('2', 1)) t(v,x) order by v desc
: jsonb integer
= 2	1
= 1	1
select distinct v, 1 from (values ('1'::jsonb),('1.0'),('2')) t(v)
: jsonb integer
= 1	1
= 2	1
select distinct on (v) v, x from (values ('1'::jsonb,2),('1.0',1),('2',3)) t(v,x) order by v, x
: jsonb integer
= 1.0	1
= 2	3
select distinct on (1) v, x from (values ('1'::jsonb,2),('1.0',1),('2',3)) t(v,x) order by 1, 2
: jsonb integer
= 1.0	1
= 2	3
select '1'::jsonb union select '1.0' union select '2' order by 1
: jsonb
= 1
= 2
select v from (values ('1'::jsonb),('3')) t(v) union select v from (values ('1.0'::jsonb),('2')) s(v) order by v desc
: jsonb
= 3
= 2
= 1
select v from (values ('1'::jsonb),('3')) t(v) union all select v from (values ('1.0'::jsonb),('20')) s(v) order by v desc
: jsonb
= 20
= 3
= 1
= 1.0
select v from (values ('1'::jsonb),('3')) t(v) intersect select v from (values ('1.0'::jsonb),('2')) s(v)
: jsonb
= 1
select v from (values ('1'::jsonb),('3')) t(v) except select v from (values ('1.0'::jsonb),('2')) s(v)
: jsonb
= 3
select v from (values ('1'::jsonb),('3')) t(v) union select v from (values ('1.0'::jsonb),('2')) s(v) order by v desc limit 2
: jsonb
= 3
= 2
select count(*) from (select v from (values ('1'::jsonb),('3')) t(v) union select '1.0') s
: bigint
= 2
select * from (values ('1'::jsonb),('3')) a(v) join (values ('1.0'::jsonb),('2')) b(v) on a.v = b.v
: jsonb jsonb
= 1	1.0
select * from (values ('1'::jsonb),('3')) a(v) left join (values ('1.0'::jsonb),('2')) b(v) on a.v = b.v order by a.v
: jsonb jsonb
= 1	1.0
= 3	\N
select * from (values ('1'::jsonb),('3')) a(v) where v in (select w from (values ('1.0'::jsonb)) b(w))
: jsonb
= 1
select * from (values ('1'::jsonb),('3')) a(v) where v in ('1.00', '5')
: jsonb
= 1
select * from (values ('1'::jsonb),('3')) a(v) where v = any (array['1.00'::jsonb, '5'])
: jsonb
= 1
select * from (values ('1'::jsonb),('3')) a(v) where v = any ('{1.00,5}'::jsonb[])
: jsonb
= 1
select * from (values ('1'::jsonb),('3')) a(v) where v <> all (array['1.00'::jsonb, '5'])
: jsonb
= 3
select * from (values ('1'::jsonb),('3')) a(v) where v not in (select '1.0'::jsonb union select '7')
: jsonb
= 3
select * from (values ('1'::jsonb),('3')) a(v) where exists (select 1 from (values ('1.0'::jsonb)) b(w) where a.v = b.w)
: jsonb
= 1
select case v when '1.0' then 'one' when '2' then 'two' else 'x' end from (values ('1'::jsonb),('2.00'),('3')) a(v)
: text
= one
= two
= x
select nullif('1'::jsonb, '1.0'), nullif('1'::jsonb, '2')
: jsonb jsonb
= \N	1
select v is distinct from '1.0', v is not distinct from '1.0' from (values ('1'::jsonb),('3'),(null)) a(v)
: boolean boolean
= f	t
= t	f
= t	f
select '2'::jsonb between '1' and '10', '3'::jsonb between '5' and '4'
: boolean boolean
= t	f
select ('1'::jsonb, 2) = ('1.0', 2), ('1'::jsonb, 2) < ('1.0', 3)
: boolean boolean
= t	t
select v, rank() over (order by v), dense_rank() over (order by v desc), count(*) over (partition by v) from (values ('1'::jsonb),('1.0'),('10'),('2')) a(v) order by 2, 1
: jsonb bigint bigint bigint
= 1	1	3	2
= 1.0	1	3	2
= 2	3	2	1
= 10	4	1	1
select array_agg(v order by v desc) from (values ('1'::jsonb),('10'),('2')) a(v)
: jsonb[]
= {10,2,1}
select count(distinct v), count(v) from (values ('1'::jsonb),('1.0'),(null)) a(v)
: bigint bigint
= 1	2
select string_agg(distinct v::text, ',') from (values ('1'::jsonb),('1'),(null)) a(v)
: text
= 1
select array['1'::jsonb] = array['1.0'::jsonb], array['2'::jsonb] < array['10'::jsonb]
: boolean boolean
= t	t
select j ->> 'a' from (select '{"a":5}'::json j union all select '{"a":6}') x
: text
= 5
= 6
select '1'::jsonb < '2', '"a"'::jsonb < '"b"', '"B"'::jsonb < '"a"', '[1,2]'::jsonb > '[3]', '{"a":1}'::jsonb > '[1,2,3]', 'true'::jsonb > 'false', '"é"'::jsonb > '"z"', '"10"'::jsonb < '"9"'
: boolean boolean boolean boolean boolean boolean boolean boolean
= t	t	t	t	t	t	t	t
select '0'::jsonb = '-0', '1e2'::jsonb = '100', '1e-2'::jsonb = '0.01', '-1.5'::jsonb < '-1.4', '-10'::jsonb < '-9', '1e20'::jsonb > '99999999999999999999', '0.001'::jsonb < '0.01'
: boolean boolean boolean boolean boolean boolean boolean
= t	t	t	t	t	t	t
select distinct j ->> 'a' from (values ('{"a":1}'::jsonb), ('{"a":1.0}')) t(j)
: text
= 1
= 1.0
select j -> 'a' as k, count(*) from (values ('{"a":1}'::jsonb), ('{"a":1.0}'), ('{"b":2}')) t(j) group by k order by k
: jsonb bigint
= 1	2
= \N	1
select j -> 'a', max(j ->> 'a') from (values ('{"a":1}'::jsonb), ('{"a":1}'), ('{"a":2}')) t(j) group by 1 having count(*) > 1
: jsonb text
= 1	1
select '{"a":1}'::jsonb union all select '{"b":1, "a":2}'
: jsonb
= {"a": 1}
= {"a": 2, "b": 1}
select j from (values ('{"a":1}'::jsonb)) t(j) where j is null or j = '{"a": 1}' or j <> '{}'
: jsonb
= {"a": 1}
select '1'::jsonb in ('1.0', '2'), '1'::jsonb not in ('2'), '1'::jsonb in (select '1.00'::jsonb)
: boolean boolean boolean
= t	t	t
select lag(v) over (order by v), first_value(v) over (order by v desc) from (values ('1'::jsonb),('10'),('2')) t(v) order by v
: jsonb jsonb
= \N	10
= 1	10
= 2	10
select v, sum(x) over (partition by v order by x) from (values ('1'::jsonb,1),('1.0',2),('2',3)) t(v,x) order by x
: jsonb bigint
= 1	1
= 1.0	3
= 2	3
select v from (select v from (values ('1'::jsonb),('1.0'),('2')) t(v) group by v) s order by v
: jsonb
= 1
= 2
with c as (select v, count(*) n from (values ('1'::jsonb),('1.0'),('2')) t(v) group by v) select * from c a join c b on a.v = b.v and a.n = b.n order by a.v
: jsonb bigint jsonb bigint
= 1	2	1	2
= 2	1	2	1
select s.v, (select count(*) from (values ('1.00'::jsonb)) u(w) where u.w = s.v) from (values ('1'::jsonb),('2')) s(v) order by s.v
: jsonb bigint
= 1	1
= 2	0
select a.v from (values ('1'::jsonb),('2')) a(v) join (values ('1.0'::jsonb)) b(v) using (v)
: jsonb
= 1
~ USING of a jsonb is refused
>! 0A000
select '{"a":1}'::jsonb @@ '$.a == 1'
: boolean
= t
select mode() within group (order by v) from (values ('1'::jsonb),('1.0'),('2')) t(v)
: jsonb
= 1
~ mode() of jsonb is refused
>! 0A000
select count(*) from (values ('1'::jsonb),('1.0')) t(v) group by v
: bigint
= 2
select v from (values ('1'::jsonb),('1.0')) t(v) group by v, v
: jsonb
= 1
select mode() within group (order by v) from (values ('1'::json)) t(v)
! 42883
select distinct on (v -> 'a') v from (values ('{"a":1}'::jsonb), ('{"a":1.0}')) t(v) order by v -> 'a', v
: jsonb
= {"a": 1}
select v ->> 'a' as a, count(*) from (values ('{"a":1}'::jsonb), ('{"a":1.0}')) t(v) group by a order by a
: text bigint
= 1	1
= 1.0	1
select v -> 'a', v ->> 'b', count(*) from (values ('{"a":1,"b":2}'::jsonb), ('{"a":1.0,"b":2}')) t(v) group by v -> 'a', v ->> 'b'
: jsonb text bigint
= 1	2	2
select v, string_agg(x, ',' order by x) from (values ('1'::jsonb, 'a'),('1.0','b'),('2', 'c')) t(v, x) group by v order by v
: jsonb text
= 1	a,b
= 2	c
select v || '{"z":1}', count(*) from (values ('{"a":1}'::jsonb),('{"a":1.0}')) t(v) group by v
: jsonb bigint
= {"a": 1, "z": 1}	2
select v -> 'a' from (values ('{"a":1}'::jsonb),('{"a":1.0}')) t(v) group by v
: jsonb
= 1
select coalesce(v, '5') from (values ('1'::jsonb),(null)) t(v) group by v order by v
: jsonb
= 1
= 5
select v from (values ('1'::jsonb),('1.0')) t(v) group by cube(v) order by v
: jsonb
= 1
= \N
select v, grouping(v) from (values ('1'::jsonb),('1.0')) t(v) group by rollup(v) order by v
: jsonb integer
= 1	0
= \N	1
select a.v from (values ('1'::jsonb),('2')) a(v) natural join (values ('1.0'::jsonb)) b(v)
: jsonb
= 1
~ USING of a jsonb is refused
>! 0A000
select a.v from (values ('1'::json),('2')) a(v) join (values ('1.0'::json)) b(v) using (v)
! 42883
select v from (values ('1'::jsonb)) a(v) intersect all select v from (values ('1'::jsonb)) a(v)
: jsonb
= 1
~ INTERSECT ALL of jsonb is refused
>! 0A000
select v from (values ('1'::jsonb)) a(v) union select null order by 1
: jsonb
= 1
= \N
select 1, v from (values ('1'::jsonb)) a(v) union select 1, v from (values ('1.0'::jsonb)) a(v)
: integer jsonb
= 1	1
(select v from (values ('1'::jsonb),('5')) a(v) order by v desc limit 1) union (select v from (values ('5.0'::jsonb)) a(v))
: jsonb
= 5
with recursive r(v, n) as (select '1'::jsonb, 1 union all select v, n + 1 from r where n < 3) select * from r order by n
: jsonb integer
= 1	1
= 1	2
= 1	3
with recursive r(v, n) as (select '1'::jsonb, 1 union select v, n + 1 from r where n < 3) select * from r order by n
: jsonb integer
= 1	1
= 1	2
= 1	3
~ UNION in WITH RECURSIVE of jsonb is refused
>! 0A000
select v from (select v from (values ('1'::jsonb)) a(v) union select '2') s where v > '1'
: jsonb
= 2
select * from (values ('1'::jsonb, 1)) a(v, x) where (v, x) in (('1.0', 1))
: jsonb integer
= 1	1
select * from (values ('1'::jsonb, 1)) a(v, x) where (v, x) in (select '1.0'::jsonb, 1)
: jsonb integer
= 1	1
~ (…) IN (SELECT …) with a jsonb is refused
>! 0A000
select * from (values ('1'::jsonb, 1)) a(v, x) where v = (select '1.0'::jsonb)
: jsonb integer
= 1	1
select * from (values ('1'::jsonb, 1)) a(v, x) where v = any (select '1.0'::jsonb)
: jsonb integer
= 1	1
select * from (values ('1'::jsonb, 1)) a(v, x) where v > all (select '0.0'::jsonb union all select '-1')
: jsonb integer
= 1	1
select '[1]'::jsonb = array[1]
! 42883
select v is null, v is not null, not (v = '1') from (values ('1'::jsonb)) a(v)
: boolean boolean boolean
= f	t	f
select '{"a":"x"}'::jsonb ->> 'a' = 'x', '{"a":"x"}'::jsonb -> 'a' = '"x"', '{"a":1}'::jsonb -> 'a' < '2'
: boolean boolean boolean
= t	t	t
SELECT '{"price": 12345678901234567.89, "v": 1.10}'::json ->> 'price'
: text
= 12345678901234567.89
SELECT '{"v": 1.10}'::json ->> 'v', '[1.50]'::jsonb ->> 0
: text text
= 1.10	1.50
SELECT ('{"price": 12345678901234567.89}'::jsonb -> 'price')::numeric(20, 2)
: numeric
= 12345678901234567.89
SELECT '[98765432109876543210]'::jsonb ->> 0, ('{"n": 0.1000}'::jsonb)['n']::text
: text text
= 98765432109876543210	0.1000
SELECT '{"a":1,"b":2}'::jsonb = '{"b":2,"a":1}'::jsonb
: boolean
= t
SELECT '1.0'::jsonb = '1'::jsonb, '[1.10]'::jsonb = '[1.1]'::jsonb
: boolean boolean
= t	t
SELECT count(*) FROM (SELECT v FROM (VALUES ('{"a":1, "b":2}'::jsonb), ('{"b": 2,"a": 1}')) t(v) GROUP BY v) g
: bigint
= 1
SELECT v FROM (VALUES ('2'::jsonb), ('10'), ('1')) t(v) ORDER BY v
: jsonb
= 1
= 2
= 10
SELECT '2'::jsonb > '10'::jsonb
: boolean
= f
SELECT '{"a": 1.0}'::jsonb @> '{"a": 1}'::jsonb
: boolean
= t
SELECT count(DISTINCT v) FROM (VALUES ('[1, 2.0]'::jsonb), ('[1,2]'), ('[2,1]')) t(v)
: bigint
= 2
SELECT '{"d": 1, "d": 2}'::json ->> 'd'
: text
= 2
SELECT '{"": 4}'::json ->> ''
: text
= 4
SELECT '{"a": {"b": 1}}'::jsonb #> ARRAY['a', NULL], '{"a": 1}'::json #>> ARRAY[NULL]
: jsonb text
= \N	\N
SELECT 5::bigint ->> 'a'
! 42883
SELECT b -> 'x' FROM samples
! 42883
SELECT '{"a": "x\u0000y"}'::json ->> 'a'
! 22P05
SELECT '[1]'::jsonb = array[1]
! 42883
SELECT '1'::jsonb = 1
! 42883
SELECT '1'::jsonb < 1.5
! 42883
SELECT '1'::jsonb = '1'::text
! 42883
SELECT '1'::jsonb = '1'
: boolean
= t
SELECT '1'::jsonb = NULL
: boolean
= \N
SELECT '1'::jsonb IN ('1', NULL)
: boolean
= t
SELECT '1'::jsonb IN (1, 2)
! 42883
SELECT '1'::jsonb = ANY (ARRAY['1'::jsonb])
: boolean
= t
SELECT '1'::jsonb = ANY ('{1}')
: boolean
= t
SELECT '1'::jsonb = ANY (ARRAY[1])
! 42883
SELECT j::jsonb = j::jsonb FROM samples WHERE id = 1
: boolean
= t
SELECT j::jsonb = (SELECT '1'::jsonb) FROM samples WHERE id = 1
: boolean
= f
SELECT j::jsonb = (SELECT 1) FROM samples WHERE id = 1
! 42883
SELECT j::jsonb = t FROM samples WHERE id = 1
! 42883
SELECT j::jsonb -> 'a' = '1' FROM samples WHERE id = 1
: boolean
= t
SELECT j::jsonb BETWEEN '1' AND '2' FROM samples WHERE id = 1
: boolean
= f
SELECT nullif('1'::jsonb, '1')
: jsonb
= \N
SELECT nullif('1'::jsonb, 1)
! 42883
SELECT CASE '1'::jsonb WHEN '1' THEN 1 END
: integer
= 1
