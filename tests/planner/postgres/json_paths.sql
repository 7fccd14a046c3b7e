select jsonb_path_query('{"a":[1,2,{"b":3}]}', '$.a[*]')
: jsonb
= 1
= 2
= {"b": 3}
select * from jsonb_path_query('{"a":[1,2,{"b":3}]}', '$.a[*].b')
: jsonb
= 3
select x from jsonb_path_query('[{"a":1},{"a":2},{"a":"x"}]', '$[*] ? (@.a > 1)') as x
: jsonb
= {"a": 2}
select jsonb_path_query_array('[1,2,3,4]', '$[*] ? (@ >= 2 && @ < 4)'), jsonb_path_query_array('[1,2,3,4]', '$[1 to 2]'), jsonb_path_query_array('[1,2,3,4]', '$[last]'), jsonb_path_query_array('[1,2,3,4]', '$[0, last - 1]'), jsonb_path_query_array('[1,2]', 'strict $[*] ? (@ == 1)')
: jsonb jsonb jsonb jsonb jsonb
= [2, 3]	[2, 3]	[4]	[1, 3]	[1]
select jsonb_path_query_first('{"a":[{"b":1.50}]}', '$.a.b'), jsonb_path_query_first('{"a":1}', '$.b'), jsonb_path_query_first('{"a":{"b":2}}', '$.*.b')
: jsonb jsonb jsonb
= 1.50	\N	2
select jsonb_path_exists('{"a":1}', '$.a'), jsonb_path_exists('{"a":1}', '$.b'), jsonb_path_exists('{"a":[1,5]}', '$.a[*] ? (@ > 3)')
: boolean boolean boolean
= t	f	t
select jsonb_path_match('{"a":1}', '$.a == 1'), jsonb_path_match('{"a":"x"}', '$.a > 1'), jsonb_path_match('{"a":null}', '$.a == null'), jsonb_path_match('{"a":[1,2]}', 'exists($.a[*] ? (@ == 2))')
: boolean boolean boolean boolean
= t	\N	t	t
select jsonb_path_match('{"a":1}', '$.a')
! 22038
select '{"a":1}'::jsonb @? '$.a', '{"a":1}'::jsonb @? '$.b', '{"a":1}'::jsonb @? 'strict $.b', '{"a":1}'::jsonb @@ '$.a == 1', '{"a":1}'::jsonb @@ '$.a', '{"a":1}'::jsonb @@ '$.a > 5 || $.a < 2'
: boolean boolean boolean boolean boolean boolean
= t	f	\N	t	\N	t
select jsonb_path_query('{"a":1}', 'strict $.b')
! 2203A
select jsonb_path_query('{"a":1}', 'strict $[0]')
! 22039
select jsonb_path_query('[1]', 'strict $[5]')
! 22033
select jsonb_path_query('[1]', 'strict $.a')
! 2203A
select jsonb_path_query('{"a":1}', '$.a +')
! 42601
select jsonb_path_query('{"a":1}', '$a')
! 42704
select jsonb_path_query('{"a":1}', '')
! 22P02
select jsonb_path_query_array('["abc","b",null,1]', '$[*] ? (@ starts with "a")'), jsonb_path_query_array('["abc",1,null,true,{},[]]', '$[*].type()'), jsonb_path_query_array('[[1,2],3]', '$[*].size()'), jsonb_path_query_array('[1.5,-2.5,-1]', '$[*].ceiling()'), jsonb_path_query_array('[1.5,-2.5]', '$[*].floor()'), jsonb_path_query_array('[1.5,-2.50]', '$.abs()'), jsonb_path_query_array('["1.5",2.50]', '$[*].double()')
: jsonb jsonb jsonb jsonb jsonb jsonb jsonb
= ["abc"]	["string", "number", "null", "boolean", "object", "array"]	[2, 1]	[2, -2, -1]	[1, -3]	[1.5, 2.50]	[1.5, 2.50]
select jsonb_path_query('"x"', '$.floor()')
! 22036
select jsonb_path_query('"x"', '$.double()')
! 22036
select jsonb_path_query_array('[1,2]', '$[*] + 1')
! 22038
select jsonb_path_query('[1,2]', '$[0] + 1'), jsonb_path_query('[1,2]', '-$[*]'), jsonb_path_query('[3,2]', '$[0] * $[1] - 1.50')
: jsonb jsonb jsonb
= 2	-1	4.50
= \N	-2	\N
select jsonb_path_query_array('{"b":1,"aa":2,"c":[3]}', '$.*'), jsonb_path_query_array('[{"a":1},{"b":2}]', '$.a'), jsonb_path_query_array('[[1,2],[3]]', '$[*][*]'), jsonb_path_query_array('[[1,2],[3]]', '$[0][0]')
: jsonb jsonb jsonb jsonb
= [1, [3], 2]	[1]	[1, 2, 3]	[1]
select jsonb_path_query_array('[1,"1",null,true]', '$[*] ? (@ == 1)'), jsonb_path_query_array('[1,"1",null,true]', '$[*] ? (@ != null)'), jsonb_path_query_array('[1,"1",null,true]', '$[*] ? (!(@ == 1))'), jsonb_path_query_array('[1,"1",null,true]', '$[*] ? ((@ > 0) is unknown)')
: jsonb jsonb jsonb jsonb
= [1]	[1, "1", true]	[null]	["1", true]
select jsonb_path_query('{"a b":1,"$x":2}', '$."a b"'), jsonb_path_query('{"a b":1,"$x":2}', '$."$x"')
: jsonb jsonb
= 1	2
select jsonb_path_query('{"a":{"b":[{"c":5},{"c":7}]}}', '$.a.b[*] ? (@.c > 5).c'), jsonb_path_query('{"a":1}', '$ ? (@.a == 1 && exists(@.a)).a')
: jsonb jsonb
= 7	1
select jsonb_path_query('{"a":1}'::json, '$.a')
! 42883
select v from (values ('{"n":1}'::jsonb), ('{"n":5}')) t(v) where v @? '$ ? (@.n > 3)' or v @@ '$.n == 9'
: jsonb
= {"n": 5}
select t.x, p from (values (1, '[10,20]'::jsonb)) t(x, j), jsonb_path_query(t.j, '$[*]') p order by p desc
: integer jsonb
= 1	20
= 1	10
select jsonb_path_query(null, '$.a')
: jsonb
select jsonb_path_exists('[1,2,3]', '$[*] ? (@ > 2)') and true
: boolean
= t
select '[1]'::jsonb @? '$[*]'::text
! 42883
select jsonb_path_query('1', '1 == 1'), jsonb_path_query('1', 'null == 1'), jsonb_path_query('1', '"a" == 1'), jsonb_path_query('1', '$ > 0 && $ < 2')
: jsonb jsonb jsonb jsonb
= true	false	null	true
select jsonb_path_query('[1,2,3]', '$[-1]'), jsonb_path_query('[1,2,3]', '$[1.9]'), jsonb_path_query('[1,2,3]', '$[0 to 10]')
: jsonb jsonb jsonb
= \N	2	1
= \N	\N	2
= \N	\N	3
select jsonb_path_query('{"a":1}', 'last')
! 42601
select jsonb_path_query('{"a":1}', '@')
! 42601
select jsonb_path_query('{"a":{"b":1}}', '$.**')
: jsonb
= {"a": {"b": 1}}
= {"b": 1}
= 1
~ this part of jsonpath is refused
>! 0A000
select jsonb_path_query('[7]', '$[0] / 2')
: jsonb
= 3.5000000000000000
~ this part of jsonpath is refused
>! 0A000
select jsonb_path_query('["abc"]', '$[*] ? (@ like_regex "^a")')
: jsonb
= "abc"
~ this part of jsonpath is refused
>! 0A000
select jsonb_path_query('{"a":1}', '$.keyvalue()')
: jsonb
= {"id": 0, "key": "a", "value": 1}
~ this part of jsonpath is refused
>! 0A000
select jsonb_path_query('{"a":1}', '$x', '{"x":1}')
: jsonb
= 1
~ this part of jsonpath is refused
>! 0A000
select jsonb_path_exists('{"a":1}', t::jsonpath) from (values ('$.a')) v(t)
: boolean
= t
~ this part of jsonpath is refused
>! 0A000
