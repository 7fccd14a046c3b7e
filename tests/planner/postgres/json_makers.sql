select json_object('{a,1,b}')
! 2202E
select json_object('{a,NULL}'), json_object('{}')
: json json
= {"a" : null}	{}
select json_object('{NULL,a}')
! 22004
select json_object('{{a,b,c}}')
! 2202E
select json_object('{a,b}','{1}')
! 2202E
select json_object('{a,b}','{1,NULL}'), jsonb_object('{b,a}','{1,"x y"}')
: json jsonb
= {"a" : "1", "b" : null}	{"a": "x y", "b": "1"}
select json_object(array['a','b']), json_object(array['a'], array['b']), jsonb_object(array[['a','b'],['c','d']])
: json json jsonb
= {"a" : "b"}	{"a" : "b"}	{"a": "b", "c": "d"}
select json_object('{{a,1},{b,2}}'), jsonb_object('{{"a b",1},{b,"x,y"}}')
: json jsonb
= {"a" : "1", "b" : "2"}	{"b": "x,y", "a b": "1"}
select json_object('{{{a,1}},{{b,2}}}')
! 2202E
select json_build_object('a')
! 22023
select json_build_object(NULL, 1)
! 22023
select json_build_object(1.50, 2.50, true, false, date '2020-01-01', timestamp '2020-01-02 03:04:05.6', 'x', timestamptz '2020-01-02 03:04:05+00', 'y', time '01:02', 'z', ARRAY[[1,2],[3,4]], 'n', NULL)
: json
= {"1.50" : 2.50, "true" : false, "2020-01-01" : "2020-01-02T03:04:05.6", "x" : "2020-01-02T03:04:05+00:00", "y" : "01:02:00", "z" : [[1,2],[3,4]], "n" : null}
select json_build_object(ARRAY[1], 2)
! 22023
select json_build_object('{}'::json, 2)
! 22023
select json_build_object(row(1), 2)
! 22023
select json_build_array(), json_build_object(), jsonb_build_array(), jsonb_build_object()
: json json jsonb jsonb
= []	{}	[]	{}
select json_agg(x) from (values (array[1,2]),(array[3])) t(x)
: json
= [[1,2], \n [3]]
select json_agg(t) from (values (1,'a'),(2,'b')) t(x,y)
: json
= [{"x":1,"y":"a"}, \n {"x":2,"y":"b"}]
select json_agg(x) from (values ('{"a" : 1}'::json),('[1]')) t(x)
: json
= [{"a" : 1}, [1]]
select json_agg(x) from (values (1)) t(x) where false
: json
= \N
select json_object_agg(x, y) from (values (1,'a'),(1,'b')) t(x,y)
: json
= { "1" : "a", "1" : "b" }
select jsonb_object_agg(x, y) from (values (1,'a'),(1,'b')) t(x,y)
: jsonb
= {"1": "b"}
select json_object_agg(x, y) from (values (NULL,'a')) t(x,y)
! 22023
select jsonb_object_agg(x, y) from (values (NULL,'a')) t(x,y)
! 22023
select to_json('x')
! 42804
select to_json(null)
! 42804
select to_json('a"b\c/'||chr(9)||chr(1)||chr(127)||'é')
: json
= "a\\"b\\\\c/\\t\\u0001é"
select to_json(1e20::float8), to_json(1e-7::float8), to_json(1.5::real), to_json(1.50)
: json json json json
= 1e+20	1e-07	1.5	1.50
select to_json(ARRAY['a',NULL]), to_json(ARRAY[[1],[2]]), array_to_json(array[[1,2],[3,4]])
: json json json
= ["a",null]	[[1],[2]]	[[1,2],[3,4]]
select to_json(timestamp '2020-01-02 03:04:05'), to_json(timestamptz '0044-03-15 00:00:00+00 BC'), to_json(date '0044-03-15 BC')
: json json json
= "2020-01-02T03:04:05"	"0044-03-15T00:00:00+00:00 BC"	"0044-03-15 BC"
select to_jsonb('{"b":1,"a":1.10}'::json), to_json('{"b":1,"a":1.10}'::jsonb), to_jsonb('x'::text), to_jsonb(1.10)
: jsonb json jsonb jsonb
= {"a": 1.10, "b": 1}	{"a": 1.10, "b": 1}	"x"	1.10
select jsonb_agg(v order by v desc), json_agg(v order by v) from (values ('1'::jsonb),('10'),('2')) a(v)
: jsonb json
= [10, 2, 1]	[1, 2, 10]
select jsonb_agg(distinct v), json_agg(distinct v) from (values ('1'::jsonb),('10'),('1.0')) a(v)
: jsonb json
= [1, 10]	[1, 10]
select row_to_json(r) from (select 1 as a, 'x' as b, null as c, 1.50 as d, array[1,2] as e, '{"z" : 1}'::json as f, timestamp '2020-01-01' as g) r
: json
= {"a":1,"b":"x","c":null,"d":1.50,"e":[1,2],"f":{"z" : 1},"g":"2020-01-01T00:00:00"}
select row_to_json(t.*) from (values (1,'a')) t(a,b)
: json
= {"a":1,"b":"a"}
select to_json(t) from (values (1,'a')) t(a,b)
: json
= {"a":1,"b":"a"}
select to_jsonb(t) from (values (1,'a')) t(b,a)
: jsonb
= {"a": "a", "b": 1}
select row_to_json(row(1,2))
: json
= {"f1":1,"f2":2}
select row_to_json(1)
! 42883
select json_build_object('r', r) from (select 1 as a) r
: json
= {"r" : {"a":1}}
select json_agg(r order by a desc) from (values (1),(2)) r(a)
: json
= [{"a":2}, \n {"a":1}]
select json_agg(x) filter (where x > 1) from (values (1),(2),(3)) t(x)
: json
= [2, 3]
select json_agg(x) over (order by x) from (values (1),(2),(3)) t(x) order by x
: json
= [1]
= [1, 2]
= [1, 2, 3]
select json_object_agg(x, x*2) filter (where x > 1), jsonb_object_agg(x, x order by x) from (values (1),(2),(3)) t(x)
: json jsonb
= { "2" : 4, "3" : 6 }	{"1": 1, "2": 2, "3": 3}
select jsonb_object_agg(x::text, null::int) from (values (1),(2)) t(x)
: jsonb
= {"1": null, "2": null}
select a.x, row_to_json(b) from (values (1),(2)) a(x) left join (values (1,'q')) b(x, y) on a.x = b.x order by a.x
: integer json
= 1	{"x":1,"y":"q"}
= 2	\N
select a.x, json_agg(b) from (values (1),(2)) a(x) left join (values (1,'q')) b(x, y) on a.x = b.x group by a.x order by a.x
: integer json
= 1	[{"x":1,"y":"q"}]
= 2	[null]
select jsonb_agg(value order by value desc) from jsonb_array_elements('[1, 10, 2, "x", null]')
: jsonb
= [10, 2, 1, "x", null]
select jsonb_object_agg(key, value) from jsonb_each('{"b":1,"a":{"c":2.0}}')
: jsonb
= {"a": {"c": 2.0}, "b": 1}
select pg_typeof('{}'::json), pg_typeof('{}'::jsonb), pg_typeof('{}'::jsonb -> 'a'), pg_typeof('{}'::json -> 'a'), pg_typeof('{}'::jsonb ->> 'a'), pg_typeof('{}'::jsonb || '{}'), pg_typeof('{}'::jsonb - 'a'), pg_typeof('{}'::jsonb #- '{a}'), pg_typeof(to_jsonb(1)), pg_typeof(json_agg(1)), pg_typeof(jsonb_object_agg('a',1)), pg_typeof('{}'::jsonb @> '{}'), pg_typeof(array['{}'::jsonb])
: regtype regtype regtype regtype regtype regtype regtype regtype regtype regtype regtype regtype regtype
= json	jsonb	jsonb	json	text	jsonb	jsonb	jsonb	jsonb	json	jsonb	boolean	jsonb[]
select to_json(true), to_json(interval '1 day'), to_json('\xab'::bytea), to_json(uuid '6ba7b810-9dad-11d1-80b4-00c04fd430c8'), to_json(time '01:02:03.5'), to_json(array[true,null]), to_json(array[1.5::float8, 'NaN']), to_json(array[date '2020-01-01'])
: json json json json json json json json
= true	"1 day"	"\\\\xab"	"6ba7b810-9dad-11d1-80b4-00c04fd430c8"	"01:02:03.5"	[true,null]	[1.5,"NaN"]	["2020-01-01"]
select to_json(9223372036854775807), to_json(-1.50), to_json(0.1::real), to_json(1e15::float8), to_json(123456789.123::float8), to_json('1 "q" \ x'::text), to_json(E'a\nb\x1f'::text)
: json json json json json json json
= 9223372036854775807	-1.50	0.1	1e+15	123456789.123	"1 \\"q\\" \\\\ x"	"a\\nb\\u001f"
select json_build_object('a', '{"x" : 1}'::json, 'b', '{"x":1}'::jsonb, 'c', array['{"x" : 1}'::json])
: json
= {"a" : {"x" : 1}, "b" : {"x": 1}, "c" : [{"x" : 1}]}
select jsonb_build_object('b', 1, 'a', '{"z" : 1, "y":2}'::json, 'b', 2)
: jsonb
= {"a": {"y": 2, "z": 1}, "b": 2}
select json_build_array(1, 'a', null, 1.50, true, '{"a":1}'::jsonb, array[1,2], date '2020-01-01'), jsonb_build_array(1, null, 'x', 1.50)
: json jsonb
= [1, "a", null, 1.50, true, {"a": 1}, [1,2], "2020-01-01"]	[1, null, "x", 1.50]
select json_build_object('a', 1) ->> 'a', json_build_object('a', json_build_array(1,2)) #>> '{a,1}'
: text text
= 1	2
select json_build_object(1::bigint, 1, 2.5::float8, 2, 'x'::varchar, 3, '2020-01-01'::date, 4)
: json
= {"1" : 1, "2.5" : 2, "x" : 3, "2020-01-01" : 4}
select array_to_json(array['a','b']), array_to_json(array[1,null]), array_to_json('{}'::int[])
: json json json
= ["a","b"]	[1,null]	[]
select json_agg(json_build_object('k', v)) from (values (1),(2)) t(v)
: json
= [{"k" : 1}, {"k" : 2}]
select x, jsonb_agg(y order by y) from (values (1,'a'),(1,'b'),(2,'c')) t(x,y) group by x order by x
: integer jsonb
= 1	["a", "b"]
= 2	["c"]
select jsonb_pretty(jsonb_agg(y)) from (values (1,'a')) t(x,y)
: text
= [\n    "a"\n]
select json_agg(y) from (values (1,'a'),(2,null)) t(x,y)
: json
= ["a", null]
select json_agg(null), json_agg('x'), jsonb_agg('x'), json_build_array('x', null)
! 42804
select to_jsonb(row(1,'a')), to_json(row(1,row(2,'b')))
: jsonb json
= {"f1": 1, "f2": "a"}	{"f1":1,"f2":{"f1":2,"f2":"b"}}
select row_to_json(row('{"a" : 1}'::json, '{"a" : 1}'::jsonb))
: json
= {"f1":{"a" : 1},"f2":{"a": 1}}
select to_json(array[row(1,2)])
: json
= [{"f1":1,"f2":2}]
select json_build_array('x', null), json_build_object('a', null, 'b', 'x')
: json json
= ["x", null]	{"a" : null, "b" : "x"}
select json_object_agg('k', 'v'), jsonb_object_agg('k', null)
: json jsonb
= { "k" : "v" }	{"k": null}
select json_agg('x')
! 42804
select jsonb_agg(null)
! 42804
select jsonb_agg(v) from (values ('{"a":1,"b":2}'::jsonb), ('{"a":1.0,"b":2}')) t(v) group by v -> 'a'
: jsonb
= [{"a": 1, "b": 2}, {"a": 1.0, "b": 2}]
select json_agg(t.*) from (values (1,'a')) t(x,y)
: json
= [{"x":1,"y":"a"}]
select jsonb_agg(t) from (values (1,'a')) t(x,y)
: jsonb
= [{"x": 1, "y": "a"}]
select jsonb_agg(to_jsonb(t) - 'x') from (values (1,'a')) t(x,y)
: jsonb
= [{"y": "a"}]
select row_to_json(t) ->> 'y', to_jsonb(t) -> 'x' from (values (1,'a')) t(x,y)
: text jsonb
= a	1
select json_build_object('rows', json_agg(t order by t.x)) from (values (1,'a'),(2,'b')) t(x,y)
: json
= {"rows" : [{"x":1,"y":"a"}, \n {"x":2,"y":"b"}]}
select (select json_agg(s) from (select x * 10 as x) s) from (values (1),(2)) t(x) order by x
: json
= [{"x":10}]
= [{"x":20}]
select coalesce(json_agg(x), '[]') from (values (1)) t(x) where false
: json
= []
select coalesce(jsonb_agg(x) filter (where x > 5), '[]'::jsonb) from (values (1)) t(x)
: jsonb
= []
select to_json(current_date) = null
! 42883
select jsonb_build_object('d', date '2020-02-29', 't', timestamp '2020-02-29 01:02:03.45', 'z', timestamptz '2020-02-29 01:02:03+00')
: jsonb
= {"d": "2020-02-29", "t": "2020-02-29T01:02:03.45", "z": "2020-02-29T01:02:03+00:00"}
SELECT json_build_object(1, 2)
: json
= {"1" : 2}
SELECT json_object('{a,b}', '{1,2}')
: json
= {"a" : "1", "b" : "2"}
SELECT json_object('{a,1,b,2}'), json_object('{{a,1},{b,2}}')
: json json
= {"a" : "1", "b" : "2"}	{"a" : "1", "b" : "2"}
SELECT row_to_json(r) FROM (SELECT 'NaN'::float8 AS x) r
: json
= {"x":"NaN"}
SELECT row_to_json(t.*) FROM (VALUES (1, 'a')) t(a, b)
: json
= {"a":1,"b":"a"}
SELECT pg_typeof(jsonb_agg(1)), pg_typeof(jsonb_build_array(1))
: regtype regtype
= jsonb	jsonb
SELECT json_build_object('n', 1, 2, true), json_build_object(i, t) FROM samples WHERE id = 1
: json json
= {"n" : 1, "2" : true}	{"1" : "Abc"}
SELECT json_agg(trim_array('{}'::bigint[], x)) FROM (VALUES (0), (NULL)) v(x)
: json
= [[], null]
SELECT json_agg(x) FROM (VALUES (NULL::int[]), (NULL), ('{1}'), (NULL), ('{2}')) v(x)
: json
= [null, null, \n [1], null, \n [2]]
SELECT json_agg(v) FROM (VALUES (1), (2)) v(x)
: json
= [{"x":1}, \n {"x":2}]
SELECT json_agg(CASE WHEN x > 1 THEN row(x) END) FROM (VALUES (1), (2), (3), (1)) v(x)
: json
= [null, \n {"f1":2}, \n {"f1":3}, null]
SELECT (('2020-02-29 23:59:59.5'::timestamp, '1 day'::interval) OVERLAPS ('2020-03-01'::timestamp, '2020-03-02'::timestamp))
: boolean
= t
