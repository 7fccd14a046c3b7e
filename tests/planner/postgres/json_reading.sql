select '{"a": {"b": 1}}'::jsonb #> ARRAY['a', NULL], '{"a": 1}'::json #>> ARRAY[NULL]
: jsonb text
= \N	\N
select '-0'::jsonb, '-0.00'::jsonb, '1e2'::jsonb,'1.50e1'::jsonb,'1e-3'::jsonb, '1.0e1'::jsonb
: jsonb jsonb jsonb jsonb jsonb jsonb
= 0	0.00	100	15.0	0.001	10
select '1e200000'::jsonb
! 22003
select '{"a":1,"b":"\u0000"}'::json -> 'a'
! 22P05
select '{"a":1,"b":"\ud800"}'::json -> 'a'
! 22P02
select '5'::jsonb -> 0, '5'::jsonb -> -1, '5'::json -> 0, '"x"'::jsonb ->> 0, '5'::jsonb #> '{0}', '5'::jsonb #> '{}', '5'::json #> '{}'
: jsonb jsonb json text jsonb jsonb json
= 5	5	\N	x	\N	5	5
select '[1,2]'::json #> '{""}', '[1,2]'::jsonb #> '{""}', '[1,2]'::json #> '{" 1"}', '[1,2]'::jsonb #> '{" 1"}','[1,2]'::jsonb #> '{"1 "}'
: json jsonb json jsonb jsonb
= \N	\N	2	2	\N
select '{"a":{"b":1}}'::json #> '{a,b,c}', '{"a":{"b":1}}'::jsonb #> '{a,b,0}', '{"a":null}'::jsonb #>> '{a}','{"a":null}'::jsonb #> '{a}'
: json jsonb text jsonb
= \N	\N	\N	null
select '{"a" : [1,  2]}'::json -> 'a', ' { "a" : 1 } '::json, '{"a" : [1,  2]}'::json #> '{}'
: json json json
= [1,  2]	 { "a" : 1 } 	{"a" : [1,  2]}
select json_object_keys('{"a":1,"a":2}'), json_object_keys('{"a":1,"a":2}')
: text text
= a	a
= a	a
select * from json_each('{"a":1,"a": {"b" :2}}')
: text json
= a	1
= a	{"b" :2}
select * from json_each('{"a":1,"a": {"b" :2}}') with ordinality
: text json bigint
= a	1	1
= a	{"b" :2}	2
select * from jsonb_each('{"bb":1,"a": {"b" :2}}') as x(k)
: text jsonb
= a	{"b": 2}
= bb	1
select * from jsonb_each_text('{"bb":1,"a": {"b" :2}, "c":null, "d":"x"}') as x(k, v)
: text text
= a	{"b": 2}
= c	\N
= d	x
= bb	1
select key, value -> 'b' from jsonb_each('{"bb":1,"a": {"b" :2}}')
: text jsonb
= a	2
= bb	\N
select json_array_length('5')
! 22023
select jsonb_array_length('{}')
! 22023
select json_array_elements('5')
! 22023
select jsonb_array_elements('{}')
! 22023
select jsonb_array_elements('5')
! 22023
select json_object_keys('[1]')
! 22023
select jsonb_object_keys('5')
! 22023
select * from json_each('[1]')
! 22023
select * from jsonb_each('5')
! 22023
select jsonb_pretty('{"a":[],"b":{},"c":[1,{"d":null}]}')
: text
= {\n    "a": [\n    ],\n    "b": {\n    },\n    "c": [\n        1,\n        {\n            "d": null\n        }\n    ]\n}
select jsonb_pretty('5')
: text
= 5
select json_strip_nulls('{"a" : null, "b" : [ null , {"c":null} ], "b":"x"}'), jsonb_strip_nulls('{"a":null,"b":[null,{"c":null}]}')
: json jsonb
= {"b":[null,{}],"b":"x"}	{"b": [null, {}]}
select '{"a":1}' -> 'a'
! 42725
select '[1]' -> 0
! 42725
select '{"a":1}'::json -> 1::bigint
! 42883
select '{"a":1}'::json -> 1.0
! 42883
select '{"a":1}'::json -> 1::smallint, '{"a":1}'::json -> 'a'::varchar, '{"a":1}'::json -> NULL
: json json json
= \N	1	\N
select '{"a":1}'::text -> 'a'
! 42883
select '{"a":1}'::json @> '{}'
! 42883
select '{"a":1}'::json || '{}'
: text
= {"a":1}{}
select '{"a":1}'::json - 'a'
! 42883
select '{"a":1}'::jsonb - 1::bigint
! 42883
select '{"a":1}'::jsonb + 1
! 42883
select - '{"a":1}'::jsonb
! 42883
select '{"a":1}'::jsonb like 'x'
! 42883
select '{"a":1}'::jsonb || 'x'::text
: text
= {"a": 1}x
select '{"a":1}'::jsonb || 1
! 42883
select '{"a":1}'::json || 'x'::text, 'x'::text || '{"a":1}'::jsonb
: text text
= {"a":1}x	x{"a": 1}
select '{"a":1}'::json || 1
! 42883
select 'null'::jsonb::int
! 22023
select '"1"'::jsonb::int
! 22023
select '[1]'::jsonb::numeric
! 22023
select '3000000000'::jsonb::int
! 22003
select '1e400'::jsonb::float8
! 22003
select 'true'::jsonb::bool, '1.5'::jsonb::text, '"a"'::jsonb::text, '1e5'::jsonb::int
: boolean text text integer
= t	1.5	"a"	100000
select '1'::jsonb::bool
! 22023
select '1'::json::int
! 42846
select 1::jsonb
! 42846
select min(x) from (values ('1'::jsonb)) t(x)
! 42883
select greatest('1'::jsonb, '2'), least('[]'::jsonb,'null','1')
: jsonb jsonb
= 2	[]
select ('[1,2]'::jsonb)[1.5]
! 42804
select ('[1,2]'::jsonb)[0:1]
! 42804
select ('[1,2]'::json)[0]
! 42804
select ('{"a":1}'::jsonb)[null]
: jsonb
= \N
select ('{"a":1}'::jsonb)['a'], ('{"a":[1,{"b":2}]}'::jsonb)['a'][1]['b'], ('[1,2]'::jsonb)[-1], ('[1,2]'::jsonb)['0'], ('{"a":1}'::jsonb)['b']
: jsonb jsonb jsonb jsonb jsonb
= 1	2	2	1	\N
select j ->> 'a' from (values ('{"a":5}'::json), (null)) x(j)
: text
= 5
= \N
select * from (values ('{"a":5}'::jsonb)) x(j) where j @> '{"a":5.0}'
: jsonb
= {"a": 5}
select * from (values ('{"a":5}'::jsonb)) x(j) where '{"a":5.0}' <@ j and j <@ '{"a":5, "b":6}'
: jsonb
= {"a": 5}
select '{"a":[1,2,{"x":[3]}]}'::jsonb @> '{"a":[{"x":[3]}]}', '[1,[2,3]]'::jsonb @> '[[3]]', '[1,2]'::jsonb @> '[1,1,1]', '"a"'::jsonb @> '"a"', '[]'::jsonb @> '[]', '{}'::jsonb @> '[]', '{"a":null}'::jsonb @> '{"a":null}'
: boolean boolean boolean boolean boolean boolean boolean
= t	t	t	t	t	f	t
select '{"a":1}'::jsonb ? 'a' and '{"a":1}'::jsonb ?| '{b,a}' and not '{"a":1}'::jsonb ?& '{a,b}', '["a",null]'::jsonb ?| array[null,'a'], '["a"]'::jsonb ?& array[null,'a']
: boolean boolean boolean
= t	t	t
select '{"a":1}'::json ? 'a'
! 42883
select 5 ? 'a'
! 42883
select 'x' ? 'a'
! 22P02
select '["x"]' ? 'x'
: boolean
= t
select '{"a":1}'::jsonb || null, null || '{"a":1}'::jsonb, '{"a":1}'::jsonb || '[1]' || '2'
: jsonb jsonb jsonb
= \N	\N	[{"a": 1}, 1, 2]
select '{"a":1,"b":2}'::jsonb - 'a' - 'b', '[1,2,3]'::jsonb - 0 - -1, '{"a":1,"b":2,"c":3}'::jsonb - '{a,b}'::text[], '["a",1]'::jsonb - 'a'
: jsonb jsonb jsonb jsonb
= {}	[2]	{"c": 3}	[1]
select '{"a":{"b":1,"c":2}}'::jsonb #- '{a,b}', '[1,[2,3]]'::jsonb #- '{1,0}'
: jsonb jsonb
= {"a": {"c": 2}}	[1, [3]]
select jsonb_set('{"b":1,"a":[1,2]}', '{a,0}', '{"z":1,"y":2}'), jsonb_set('{"a":1}', '{b}', '1.50', false), jsonb_set('{"a":1}', '{b}', '1.50'), jsonb_set('[1]', '{5}', '2'), jsonb_set('[1]', '{-5}', '2')
: jsonb jsonb jsonb jsonb jsonb
= {"a": [{"y": 2, "z": 1}, 2], "b": 1}	{"a": 1}	{"a": 1, "b": 1.50}	[1, 2]	[2, 1]
select jsonb_set('{"a":1}', '{a}', null), jsonb_set(null, '{a}', '1')
: jsonb jsonb
= \N	\N
select jsonb_insert('{"a":[0,1]}', '{a,1}', '"x"'), jsonb_insert('{"a":[0,1]}', '{a,1}', '"x"', true), jsonb_insert('{"b":1}', '{a}', '2')
: jsonb jsonb jsonb
= {"a": [0, "x", 1]}	{"a": [0, 1, "x"]}	{"a": 2, "b": 1}
select jsonb_insert('{"a":1}', '{a}', '2')
! 22023
select jsonb_extract_path('{"a":[1,{"b":2.50}]}', 'a', '1', 'b'), jsonb_extract_path_text('{"a":[1,{"b":"x"}]}', 'a', '1', 'b'), json_extract_path('{"a" : { "b" : 1}}', 'a'), json_extract_path_text('{"a":null}', 'a')
: jsonb text json text
= 2.50	x	{ "b" : 1}	\N
select json_extract_path('{"a":1}'::jsonb, 'a')
! 42883
select json_typeof(' "x"'), json_typeof('1.5'), jsonb_typeof('null'), jsonb_typeof('[]'), json_typeof(' { } '), json_typeof(null), jsonb_typeof('false')
: text text text text text text text
= string	number	null	array	object	\N	boolean
select value, value ->> 'a' from json_array_elements('[{"a":1.10}, {"a" : "x"}]')
: json text
= {"a":1.10}	1.10
= {"a" : "x"}	x
select x.value from jsonb_array_elements('[{"b":1,"a":2.0}, [1,  2]]') x
: jsonb
= {"a": 2.0, "b": 1}
= [1, 2]
select * from jsonb_array_elements_text('[1.50, "x", null, {"a":1}]') with ordinality as t(v, n)
: text bigint
= 1.50	1
= x	2
= \N	3
= {"a": 1}	4
select jsonb_array_elements('[1,2]'), jsonb_array_elements_text('["a","b"]')
: jsonb text
= 1	a
= 2	b
select * from json_array_elements('[1, [2,  3], "x"]') as e(v)
: json
= 1
= [2,  3]
= "x"
select t.x, e.key, e.value from (values (1, '{"a":1,"b":2}'::jsonb), (2, '{"c":3}'), (3, '{}')) t(x, j), jsonb_each(t.j) e order by 1, 2
: integer text jsonb
= 1	a	1
= 1	b	2
= 2	c	3
select t.x, e.key, e.value from (values (1, '{"a":1,"b":2}'::json), (2, '{"c":3}'), (3, '{}')) t(x, j) left join lateral json_each_text(t.j) e on true order by 1, 2
: integer text text
= 1	a	1
= 1	b	2
= 2	c	3
= 3	\N	\N
select t.x, e from (values (1, '[1,2]'::jsonb)) t(x, j) cross join lateral jsonb_array_elements(t.j) e order by 2 desc
: integer jsonb
= 1	2
= 1	1
select t.x, e.value, e.ordinality from (values (1, '[10,20]'::jsonb)) t(x, j) cross join lateral jsonb_array_elements(t.j) with ordinality e order by 2
: integer jsonb bigint
= 1	10	1
= 1	20	2
select key from jsonb_object_keys('{"b":1,"a":2}') as key order by key
: text
= a
= b
select * from jsonb_object_keys('{"bb":1,"a":2,"c":3}')
: text
= a
= c
= bb
select count(*), sum(value::int) from jsonb_each_text('{"a":1,"b":2}')
: bigint bigint
= 2	3
select sum(value::numeric) from jsonb_array_elements('[1.5, 2.5]')
: numeric
= 4.0
select sum((value ->> 'n')::int) from jsonb_array_elements('[{"n":1},{"n":2}]')
: bigint
= 3
select '{"a":1}'::jsonb::json, '{"b":1,"a":1}'::json::jsonb, '{"b":1, "a":1}'::json::text, '{"b":1, "a":1}'::text::jsonb, cast('[1, 2]' as jsonb)
: json jsonb text jsonb jsonb
= {"a": 1}	{"a": 1, "b": 1}	{"b":1, "a":1}	{"a": 1, "b": 1}	[1, 2]
select 'true'::jsonb::boolean, '2.5'::jsonb::float8, '2.5'::jsonb::real, '2.5'::jsonb::numeric(5,2), '"x"'::jsonb::text::text
: boolean double_precision real numeric text
= t	2.5	2.5	2.50	"x"
select '[1]'::jsonb::boolean
! 22023
select '99999'::jsonb::smallint
! 22003
select '"a'::jsonb
! 22P02
select ''::json
! 22P02
select '{"a":1,}'::json
! 22P02
select '[1 2]'::jsonb
! 22P02
select 'nan'::jsonb
! 22P02
select '{a:1}'::json
! 22P02
select '01'::json
! 22P02
select '"\x"'::json
! 22P02
select '{"a":"\ud83d\ude00", "b":"\u00e9\n\/"}'::jsonb, '{"a":"\ud83d\ude00", "b":"\u00e9\n\/"}'::json
: jsonb json
= {"a": "😀", "b": "é\\n/"}	{"a":"\\ud83d\\ude00", "b":"\\u00e9\\n\\/"}
select '{"a":"\ud83d\ude00", "b":"\u00e9\n\/"}'::json ->> 'b', '"\u0001\b\f"'::jsonb
: text jsonb
= é\n/	"\\u0001\\b\\f"
select '"\ud83d"'::jsonb
! 22P02
select '"\u0000"'::jsonb
! 22P05
select '"\u0000"'::json
: json
= "\\u0000"
select '"\\u0000"'::jsonb, '"\\u0000"'::json ->> 0, '["\\u0000"]'::json ->> 0
: jsonb text text
= "\\\\u0000"	\N	\\u0000
select '{"\u0000":1}'::json -> 'a'
! 22P05
select ' [ 1 , {"a" : null} ] '::jsonb, ' [ 1 , {"a" : null} ] '::json
: jsonb json
= [1, {"a": null}]	 [ 1 , {"a" : null} ] 
select '123456789012345678901234567890.123456789012345678901234567890'::jsonb, '[1E+2, 1e-10, 100e-2, 0e5, -1.0E3]'::jsonb
: jsonb jsonb
= 123456789012345678901234567890.123456789012345678901234567890	[100, 0.0000000001, 1.00, 0, -1000]
select upper(j ->> 'a'), (j ->> 'n')::int + 1 from (values ('{"a":"x","n":"4"}'::jsonb)) t(j)
: text integer
= X	5
select coalesce(j -> 'a', '5'), coalesce(j -> 'b', j -> 'a') from (values ('{"a":1.0}'::jsonb)) t(j)
: jsonb jsonb
= 1.0	1.0
select case when true then '{"b":1,"a":2}' else j end from (values ('{"a":1.0}'::jsonb)) t(j)
: jsonb
= {"a": 2, "b": 1}
select max(j) from (values ('1'::json)) t(j)
! 42883
select array_agg(j) from (values ('{"b":1,"a":2}'::jsonb)) t(j)
: jsonb[]
= {"{\\"a\\": 2, \\"b\\": 1}"}
select array['{"a": 1}'::jsonb, '[1,2]'], array['{"a":1}'::json]
: jsonb[] json[]
= {"{\\"a\\": 1}","[1, 2]"}	{"{\\"a\\":1}"}
select ('{"{\"b\":1,\"a\":2}",NULL}'::jsonb[])[1], '{1,2.0}'::json[]
: jsonb json[]
= {"a": 2, "b": 1}	{1,2.0}
select '{"a":1}'::jsonb::varchar, '[1]'::json::varchar(2), length('{"a":1}'::jsonb::text)
: character_varying character_varying integer
= {"a": 1}	[1	8
select jsonb_path_query('{"a":[1,2]}', '$.a[*]')
: jsonb
= 1
= 2
select jsonb_path_exists('{"a":1}', '$.a')
: boolean
= t
select '{"a":1}'::jsonb @? '$.a'
: boolean
= t
select jsonb_set_lax('{"a":1}', '{a}', null)
: jsonb
= {"a": null}
~ jsonb_set_lax() is refused
>! 0A000
select t.x, e.key, e.value from (values (1, '{"a":1,"b":2}'::json), (2, '{"c":3}'), (3, '{}')) t(x, j) left join json_each_text(t.j) e on true order by 1, 2
: integer text text
= 1	a	1
= 1	b	2
= 2	c	3
= 3	\N	\N
select t.x, e.a, e.n from (values (1, '[10,20]'::jsonb)) t(x, j) cross join lateral jsonb_array_elements(t.j) with ordinality e(a, n) order by 2
: integer jsonb bigint
= 1	10	1
= 1	20	2
select e.* from (values (1, '[10,20]'::jsonb)) t(x, j), lateral jsonb_array_elements(t.j) with ordinality e(a, n) order by 2
: jsonb bigint
= 10	1
= 20	2
select x, x.value from (select '{"a": ["b", "c"]}'::json as j) t, json_array_elements_text(j -> 'a') as x order by 1
: text text
= b	b
= c	c
select array_position(array['1'::jsonb], '1')
: integer
= 1
~ functions that compare the elements of a jsonb[] are refused
>! 0A000
select array['1'::jsonb] @> array['1.0'::jsonb]
: boolean
= t
~ functions that compare the elements of a jsonb[] are refused
>! 0A000
select sum(v) from (values ('1'::jsonb)) a(v)
! 42883
select v::int + 1, v::text || 'x' from (values ('1'::jsonb)) a(v)
: integer text
= 2	1x
select v + 1 from (values ('1'::jsonb)) a(v)
! 42883
select abs(v) from (values ('1'::jsonb)) a(v)
! 42883
select length(v) from (values ('1'::jsonb)) a(v)
! 42883
select upper(v) from (values ('1'::json)) a(v)
! 42883
select concat(v, 'x'), concat_ws('-', v, v) from (values ('{"b":1,"a":2}'::jsonb)) a(v)
: text text
= {"a": 2, "b": 1}x	{"a": 2, "b": 1}-{"a": 2, "b": 1}
select format('%s', v) from (values ('{"b":1,"a":2}'::jsonb)) a(v)
: text
= {"a": 2, "b": 1}
select quote_literal(v) from (values ('{"b":1,"a":2}'::jsonb)) a(v)
: text
= '{"a": 2, "b": 1}'
select v like '1' from (values ('1'::jsonb)) a(v)
! 42883
select md5(v::text) from (values ('{"b":1,"a":2}'::jsonb)) a(v)
: text
= 5e4d14d82c320bafb2f1286fe486d1f8
select jsonb_each('{"a":1}')
: record
= (a,1)
~ json_each is refused outside of FROM
>! 0A000
select (jsonb_each('{"a":1}')).key
: text
= a
~ json_each is refused outside of FROM
>! 0A000
select jsonb_array_length(v -> 'a'), json_array_length('[1,[2,3]]') from (values ('{"a":[1,2]}'::jsonb)) t(v)
: integer integer
= 2	2
select '{"a":{"b":{"c":"d"}}}'::jsonb #>> '{a,b,c}', '{"a":{"b":{"c":"d"}}}'::jsonb -> 'a' -> 'b' ->> 'c', '[[1,2],[3]]'::jsonb #> '{0,-1}'
: text text jsonb
= d	d	2
select '{"a b":1}'::json -> 'a b', '{"$.a":1}'::jsonb -> '$.a', '{"a.b":2}'::jsonb ->> 'a.b', '{"":3}'::jsonb -> '', '{"0":"x"}'::jsonb -> '0', '{"0":"x"}'::jsonb -> 0
: json jsonb text jsonb jsonb jsonb
= 1	1	2	3	"x"	\N
select '{"a":1}'::jsonb -> 'a' is null, ('{"a":null}'::jsonb -> 'a') is null, ('{"a":null}'::jsonb ->> 'a') is null
: boolean boolean boolean
= f	f	t
select '{"a":"x"}'::jsonb ->> 'a' || 'y', 'y' || ('{"a":"x"}'::jsonb ->> 'a')
: text text
= xy	yx
select 1 where '{"tags":["a","b"]}'::jsonb -> 'tags' ? 'a'
: integer
= 1
select (('{"a":"5"}'::jsonb ->> 'a')::int * 2), ('{"a":5}'::jsonb -> 'a')::int * 2
: integer integer
= 10	10
SELECT value::text FROM jsonb_each('{"b": 12345678901234567890.123}'::jsonb)
: text
= 12345678901234567890.123
SELECT '2.5'::jsonb::int, '3.5'::jsonb::smallint, '-2.5'::jsonb::bigint
: integer smallint bigint
= 3	4	-3
SELECT '{"d": 1, "d": 2}'::jsonb
: jsonb
= {"d": 2}
SELECT count(*) FROM jsonb_object_keys('{"d": 1, "d": 2, "e": 3}'::jsonb)
: bigint
= 2
SELECT '["a", "b"]'::jsonb ? 'b', '[5]'::jsonb ? '5', '"a"'::jsonb ? 'a'
: boolean boolean boolean
= t	f	t
SELECT '{"a": 1}'::jsonb ?| ARRAY['a', 'z']
: boolean
= t
SELECT '{"a":1}'::jsonb ?& ARRAY['a', 'b'], '["x", "y"]'::jsonb ?& '{x,y}'
: boolean boolean
= f	t
SELECT jsonb '{"b": [1,2], "a": {"c":null}}' ::text
: text
= {"a": {"c": null}, "b": [1, 2]}
