SELECT '{"a": {"b": 1}}'::json -> 'a', '{"a": {"b": 1}}'::json ->> 'a', '[1,2]'::json -> 0, '[1,2]'::json ->> 1, '[1,2,3]'::json -> -1
: json text json text json
= {"b": 1}	{"b": 1}	1	2	3
SELECT '{"a": "x"}'::json ->> 'a', '{"a": null}'::json ->> 'a', '{"a": 1}'::json ->> 'z', '{"a": null}'::json -> 'a'
: text text text json
= x	\N	\N	null
SELECT '{"a": {"b": [10, 20]}}'::json #> '{a,b}', '{"a": {"b": [10, 20]}}'::json #>> '{a,b,1}'
: json text
= [10, 20]	20
SELECT '{"a": {"b": [10, 20]}}'::jsonb -> 'a' -> 'b' ->> 0, ('{"a": 5}'::jsonb ->> 'a')::int + 1
: text integer
= 10	6
SELECT '{"a": 1, "b": 2}'::jsonb @> '{"a": 1}', '{"a": 1}'::jsonb <@ '{"a": 1, "b": 2}', '[1,2,3]'::jsonb @> '[3]', '{"a":[1,2]}'::jsonb @> '{"a":[2]}'
: boolean boolean boolean boolean
= t	t	t	t
SELECT '{"a": 1}'::jsonb ? 'a', '{"a": 1}'::jsonb ? 'b', '["a"]'::jsonb ? 'a', '{"a":1}'::jsonb ?| ARRAY['a','z'], '{"a":1}'::jsonb ?& ARRAY['a','z']
: boolean boolean boolean boolean boolean
= t	f	t	t	f
SELECT '{"a": 1}'::jsonb || '{"b": 2}'::jsonb, '{"a": 1, "b": 2}'::jsonb - 'a', '[1,2]'::jsonb || '[3]'::jsonb
: jsonb jsonb jsonb
= {"a": 1, "b": 2}	{"b": 2}	[1, 2, 3]
SELECT json_typeof('[]'), json_typeof('1'), jsonb_typeof('"x"'::jsonb), jsonb_typeof('null'), json_typeof('true'), json_typeof('{}')
: text text text text text text
= array	number	string	null	boolean	object
SELECT json_array_length('[1,2,3]'), jsonb_array_length('[]'::jsonb)
: integer integer
= 3	0
SELECT json_extract_path('{"a": {"b": 1}}', 'a', 'b'), json_extract_path_text('{"a": {"b": "x"}}', 'a', 'b'), jsonb_extract_path_text('{"a": [5]}'::jsonb, 'a', '0')
: json text text
= 1	x	5
SELECT json_build_object('a', 1, 'b', 'x'), json_build_array(1, 'a', NULL), jsonb_build_object('a', 1, 'b', true)
: json json jsonb
= {"a" : 1, "b" : "x"}	[1, "a", null]	{"a": 1, "b": true}
SELECT to_json('a'::text), to_json(1), to_jsonb(ARRAY[1,2]), to_jsonb(true), array_to_json(ARRAY[1,2])
: json json jsonb jsonb json
= "a"	1	[1, 2]	true	[1,2]
SELECT json_agg(i ORDER BY id), jsonb_agg(i ORDER BY id) FROM samples WHERE id < 4
: json jsonb
= [1, 2, 2]	[1, 2, 2]
SELECT json_object_agg(id, i ORDER BY id), jsonb_object_agg(t, i) FROM samples WHERE id < 3
: json jsonb
= { "1" : 1, "2" : 2 }	{"Abc": 1, "abc": 2}
SELECT * FROM json_array_elements('[1, "a", null]')
: json
= 1
= "a"
= null
SELECT * FROM jsonb_array_elements_text('["a", 1]'::jsonb)
: text
= a
= 1
SELECT * FROM json_object_keys('{"b": 1, "a": 2}')
: text
= b
= a
SELECT * FROM json_each_text('{"b": 1, "a": 2}')
: text text
= b	1
= a	2
SELECT key, value FROM jsonb_each('{"b": 1, "a": 2}'::jsonb)
: text jsonb
= a	2
= b	1
SELECT json_array_elements_text('["a","b"]')
: text
= a
= b
SELECT j -> 'a', j ->> 'a', j ->> 'b', j #>> '{c,0}' FROM samples ORDER BY id
: json text text text
= 1	1	x	p
= 2	2	\N	\N
= \N	\N	\N	\N
= \N	\N	\N	\N
= \N	\N	\N	\N
= \N	\N	\N	\N
= 7.5	7.5	\N	\N
= \N	\N	\N	\N
= 0	0	x	\N
SELECT (j ->> 'a')::int + 1, (j ->> 'a')::numeric FROM samples ORDER BY id
! 22P02
SELECT id FROM samples WHERE j ->> 'b' = 'x' ORDER BY id
: integer
= 1
= 9
SELECT id FROM samples WHERE j::jsonb @> '{"a": 1}' ORDER BY id
: integer
= 1
SELECT jsonb_pretty('{"a": [1]}'::jsonb), jsonb_set('{"a": 1}'::jsonb, '{a}', '2'), jsonb_strip_nulls('{"a": null}'::jsonb)
: text jsonb jsonb
= {\n    "a": [\n        1\n    ]\n}	{"a": 2}	{}
SELECT '{"a":1}'::jsonb = '{"a": 1}'::jsonb, '{"a":1}'::jsonb #- '{a}'
: boolean jsonb
= t	{}
SELECT jsonb_path_exists('{"a": 1}'::jsonb, '$.a'), jsonb_path_query_first('{"a": [1, 2]}'::jsonb, '$.a[1]')
: boolean jsonb
= t	2
SELECT row_to_json(r) FROM (SELECT 1 AS a, 'x' AS b) r
: json
= {"a":1,"b":"x"}
SELECT jsonb_object_keys('{"b": 1, "a": 2}'::jsonb)
: text
= a
= b
SELECT j FROM samples ORDER BY id
: json
= {"a": 1, "b": "x", "c": ["p", "q"]}
= {"a": 2, "b": null}
= {"c": []}
= [1, 2]
= \N
= "text"
= {"a": 7.5}
= null
= {"b": "x", "a": 0}
SELECT s.id, e.value FROM samples s, LATERAL json_array_elements_text(s.j::json -> 'c') AS e(value) ORDER BY 1, 2
: integer text
= 1	p
= 1	q
SELECT json_typeof(j -> 'a'), json_array_length(j -> 'a'), coalesce(j -> 'z', '1'), json_typeof(j -> 'a' -> 0) FROM (SELECT '{"a": ["x"]}'::json AS j) t
: text integer json text
= array	1	1	string
SELECT x, x.value FROM (SELECT '{"a": ["b", "c"]}'::json AS j) t, json_array_elements_text(j -> 'a') AS x ORDER BY 1
: text text
= b	b
= c	c
SELECT to_json('NaN'::float8), to_jsonb('-Infinity'::real), json_build_array('NaN'::float8, 1.5::float8, NULL::float8)
: json jsonb json
= "NaN"	"-Infinity"	["NaN", 1.5, null]
SELECT json_build_object('a', 'Infinity'::float8, 'b', interval '1 month 2 days', 'c', 'NaN'::real)
: json
= {"a" : "Infinity", "b" : "1 mon 2 days", "c" : "NaN"}
SELECT json_agg(d / 0.5 ORDER BY id) FROM samples WHERE id < 4
: json
= [1, 3, 5]
SELECT json_agg('NaN'::float8), json_object_agg('k' || id, 'Infinity'::float8) FROM samples WHERE id = 1
: json json
= ["NaN"]	{ "k1" : "Infinity" }
SELECT to_json(interval '1 month 2 days'), to_json('\xAB'::bytea), json_agg(interval '1 mon') FROM samples WHERE id = 1
: json json json
= "1 mon 2 days"	"\\\\xab"	["1 mon"]
SELECT to_json(r), to_json(d) FROM samples ORDER BY id
: json json
= 1.5	0.5
= 2.5	1.5
= 0.1	2.5
= 1e+10	-2.5
= \N	\N
= 0	0
= 3	1e+20
= -1.25	0.1
= 7	123456.789
SELECT to_json(ROW(1, 2))
: json
= {"f1":1,"f2":2}
SELECT to_json(ROW(1, 'a', NULL)), row_to_json(ROW(id, t)), to_jsonb(ROW(id, ROW(2, 'x'))) FROM samples WHERE id = 1
: json json jsonb
= {"f1":1,"f2":"a","f3":null}	{"f1":1,"f2":"Abc"}	{"f1": 1, "f2": {"f1": 2, "f2": "x"}}
SELECT json_build_array(ROW(1, 2), 3), json_build_object('k', ROW(1, 0.5::float8)), json_agg(ROW(id, t)) FROM samples WHERE id = 1
: json json json
= [{"f1":1,"f2":2}, 3]	{"k" : {"f1":1,"f2":0.5}}	[{"f1":1,"f2":"Abc"}]
