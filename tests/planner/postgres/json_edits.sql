SELECT '{"a":1}'::jsonb || '{"b":2}'::jsonb
: jsonb
= {"a": 1, "b": 2}
SELECT '{"a":1,"b":{"x":1}}'::jsonb || '{"b":{"y":2},"c":null}'::jsonb
: jsonb
= {"a": 1, "b": {"y": 2}, "c": null}
SELECT '[1,2]'::jsonb || '[3]'::jsonb
: jsonb
= [1, 2, 3]
SELECT '[1,2]'::jsonb || '3'::jsonb
: jsonb
= [1, 2, 3]
SELECT '1'::jsonb || '2'::jsonb
: jsonb
= [1, 2]
SELECT '{"a":1}'::jsonb || '[2]'::jsonb
: jsonb
= [{"a": 1}, 2]
SELECT '{"a":1}'::jsonb || '2'::jsonb
: jsonb
= [{"a": 1}, 2]
SELECT '"x"'::jsonb || '{"a":1}'::jsonb
: jsonb
= ["x", {"a": 1}]
SELECT '{"a":1}'::jsonb || '{"b":2}'
: jsonb
= {"a": 1, "b": 2}
SELECT '{"a":1}' || '{"b":2}'::jsonb
: jsonb
= {"a": 1, "b": 2}
SELECT '{"a":1}'::jsonb || NULL
: jsonb
= \N
SELECT j::jsonb || '{"z": 1.50}'::jsonb FROM samples ORDER BY id
: jsonb
= {"a": 1, "b": "x", "c": ["p", "q"], "z": 1.50}
= {"a": 2, "b": null, "z": 1.50}
= {"c": [], "z": 1.50}
= [1, 2, {"z": 1.50}]
= \N
= ["text", {"z": 1.50}]
= {"a": 7.5, "z": 1.50}
= [null, {"z": 1.50}]
= {"a": 0, "b": "x", "z": 1.50}
SELECT '{"a":1}'::jsonb || 'x'
! 22P02
SELECT '{"a":1,"b":2}'::jsonb - 'a'
: jsonb
= {"b": 2}
SELECT '{"a":1,"b":2}'::jsonb - ARRAY['a','c']
: jsonb
= {"b": 2}
SELECT '{"a":1,"b":2}'::jsonb - '{a,b}'::text[]
: jsonb
= {}
SELECT '["a","b","a",1]'::jsonb - 'a'
: jsonb
= ["b", 1]
SELECT '[1,2,3]'::jsonb - 1
: jsonb
= [1, 3]
SELECT '[1,2,3]'::jsonb - (-1)
: jsonb
= [1, 2]
SELECT '[1,2,3]'::jsonb - 7
: jsonb
= [1, 2, 3]
SELECT '{"a":1}'::jsonb - 1
! 22023
SELECT '1'::jsonb - 'a'
! 22023
SELECT '{"a":1}'::jsonb - NULL::text
: jsonb
= \N
SELECT j::jsonb - 'a' FROM samples WHERE id < 3 ORDER BY id
: jsonb
= {"b": "x", "c": ["p", "q"]}
= {"b": null}
SELECT '{"a":{"b":[1,2]}}'::jsonb #- '{a,b,0}'
: jsonb
= {"a": {"b": [2]}}
SELECT '{"a":{"b":[1,2]}}'::jsonb #- '{a,b,-1}'
: jsonb
= {"a": {"b": [1]}}
SELECT '{"a":{"b":[1,2]}}'::jsonb #- '{a,x}'
: jsonb
= {"a": {"b": [1, 2]}}
SELECT '{"a":{"b":[1,2]}}'::jsonb #- '{a}'
: jsonb
= {}
SELECT '{"a":{"b":[1,2]}}'::jsonb #- '{}'
: jsonb
= {"a": {"b": [1, 2]}}
SELECT '{"a":{"b":[1,2]}}'::jsonb #- ARRAY['a','b']
: jsonb
= {"a": {}}
SELECT '{"a":{"b":[1,2]}}'::jsonb #- '{a,b,x}'
! 22P02
SELECT '1'::jsonb #- '{a}'
! 22023
SELECT jsonb_set('{"a":1}', '{a}', '2')
: jsonb
= {"a": 2}
SELECT jsonb_set('{"a":1}', '{b}', '2')
: jsonb
= {"a": 1, "b": 2}
SELECT jsonb_set('{"a":1}', '{b}', '2', false)
: jsonb
= {"a": 1}
SELECT jsonb_set('{"a":{"b":1}}', '{a,b}', '{"c": 1.50}')
: jsonb
= {"a": {"b": {"c": 1.50}}}
SELECT jsonb_set('[1,2,3]', '{1}', '"x"')
: jsonb
= [1, "x", 3]
SELECT jsonb_set('[1,2,3]', '{-1}', '"x"')
: jsonb
= [1, 2, "x"]
SELECT jsonb_set('[1,2,3]', '{9}', '"x"')
: jsonb
= [1, 2, 3, "x"]
SELECT jsonb_set('[1,2,3]', '{-9}', '"x"')
: jsonb
= ["x", 1, 2, 3]
SELECT jsonb_set('[1,2,3]', '{9}', '"x"', false)
: jsonb
= [1, 2, 3]
SELECT jsonb_set('{"a":1}', '{a,b}', '2')
: jsonb
= {"a": 1}
SELECT jsonb_set('{"a":1}', '{x,b}', '2')
: jsonb
= {"a": 1}
SELECT jsonb_set('[1]', '{a}', '2')
! 22P02
SELECT jsonb_set('1', '{a}', '2')
! 22023
SELECT jsonb_set('{"a":1}', '{}', '2')
: jsonb
= {"a": 1}
SELECT jsonb_set('{"a":1}', NULL, '2')
: jsonb
= \N
SELECT jsonb_set('{"a":1}', '{a}', NULL)
: jsonb
= \N
SELECT jsonb_set('{"a":1}', ARRAY['a', NULL], '2')
! 22004
SELECT jsonb_set('{"a":[]}', ARRAY['a', NULL], '2')
! 22004
SELECT jsonb_set('{"a":1}', '{a}', 'x')
! 22P02
SELECT jsonb_set(j::jsonb, '{a}', to_jsonb(i)) FROM samples WHERE id < 4 ORDER BY id
: jsonb
= {"a": 1, "b": "x", "c": ["p", "q"]}
= {"a": 2, "b": null}
= {"a": 2, "c": []}
SELECT jsonb_set(j::jsonb, ARRAY[t], '1') FROM samples WHERE id < 3 ORDER BY id
: jsonb
= {"a": 1, "b": "x", "c": ["p", "q"], "Abc": 1}
= {"a": 2, "b": null, "abc": 1}
SELECT jsonb_insert('[0,1,2]', '{1}', '"x"')
: jsonb
= [0, "x", 1, 2]
SELECT jsonb_insert('[0,1,2]', '{1}', '"x"', true)
: jsonb
= [0, 1, "x", 2]
SELECT jsonb_insert('[0,1,2]', '{-1}', '"x"', true)
: jsonb
= [0, 1, 2, "x"]
SELECT jsonb_insert('[0,1,2]', '{-1}', '"x"')
: jsonb
= [0, 1, "x", 2]
SELECT jsonb_insert('[0,1,2]', '{9}', '"x"')
: jsonb
= [0, 1, 2, "x"]
SELECT jsonb_insert('[0,1,2]', '{-9}', '"x"')
: jsonb
= ["x", 0, 1, 2]
SELECT jsonb_insert('{"a":1}', '{b}', '2')
: jsonb
= {"a": 1, "b": 2}
SELECT jsonb_insert('{"a":1}', '{a}', '2')
! 22023
SELECT jsonb_insert('{"a":[1]}', '{a,0}', '2')
: jsonb
= {"a": [2, 1]}
SELECT * FROM jsonb_each('{"a":1,"b":"x","c":null,"d":{"e":[1]}}')
: text jsonb
= a	1
= b	"x"
= c	null
= d	{"e": [1]}
SELECT * FROM json_each('{"a":1,"b":"x"}') AS e
: text json
= a	1
= b	"x"
SELECT * FROM json_each_text('{"a":1,"b":"x"}') AS e (k, v)
: text text
= a	1
= b	x
SELECT e.key, e.value FROM jsonb_each('{"a":1,"b":"x"}') e WHERE key = 'b'
: text jsonb
= b	"x"
SELECT k, v FROM jsonb_each_text('{"a":1,"b":"x"}') AS e (k, v) ORDER BY k DESC
: text text
= b	x
= a	1
SELECT key, value ->> 'b' FROM jsonb_each('{"a": {"b": 5}}')
: text text
= a	5
SELECT s.id, e.key, e.value FROM samples s, json_each(s.j) e WHERE s.id IN (1, 2) ORDER BY 1, 2
: integer text json
= 1	a	1
= 1	b	"x"
= 1	c	["p", "q"]
= 2	a	2
= 2	b	null
SELECT s.id, e.key FROM samples s LEFT JOIN LATERAL json_each_text(s.j) AS e ON true WHERE s.id IN (1, 5) ORDER BY 1, 2
: integer text
= 1	a
= 1	b
= 1	c
= 5	\N
SELECT key FROM samples, json_each(j) WHERE id = 9 ORDER BY 1
: text
= a
= b
SELECT count(*) FROM jsonb_each('{}')
: bigint
= 0
SELECT * FROM jsonb_each(NULL)
: text jsonb
SELECT * FROM jsonb_each('[1]')
! 22023
SELECT * FROM jsonb_each('1')
! 22023
SELECT value FROM jsonb_each('{"x/y~z": 1, "": 2}') ORDER BY key
: jsonb
= 2
= 1
SELECT sum(value::int) FROM jsonb_each_text('{"a":1,"b":2}')
: bigint
= 3
SELECT jsonb_object_keys('{"a":1,"b":2}')
: text
= a
= b
SELECT json_object_keys('[1]')
! 22023
SELECT * FROM jsonb_each($1)
$ jsonb
: text jsonb
SELECT * FROM jsonb_each_text($1::jsonb) e (k, v)
$ jsonb
: text text
SELECT j::jsonb || $1 FROM samples
$ jsonb
: jsonb
SELECT j::jsonb - $1 FROM samples
$ text
: jsonb
SELECT j::jsonb #- $1 FROM samples
$ text[]
: jsonb
SELECT to_number($1, '999')
$ text
: numeric
SELECT regexp_matches($1, 'a')
$ text
: text[]
SELECT regexp_matches('foobarbequebaz', 'ba.', 'g')
: text[]
= {bar}
= {baz}
SELECT regexp_matches('foobarbequebaz', '(ba)(.)', 'g')
: text[]
= {ba,r}
= {ba,z}
SELECT regexp_matches('foobarbequebaz', '(ba)(.)')
: text[]
= {ba,r}
SELECT regexp_matches('foobarbequebaz', 'x')
: text[]
SELECT regexp_matches('FOO', 'o', 'gi')
: text[]
= {O}
= {O}
SELECT id, regexp_matches(t, '[a-z]', 'g') FROM samples ORDER BY id
: integer text[]
= 1	{b}
= 1	{c}
= 2	{a}
= 2	{b}
= 2	{c}
= 3	{b}
= 6	{a}
= 8	{e}
= 8	{d}
= 9	{x}
SELECT id, (regexp_matches(t, '([a-z])', 'g'))[1] FROM samples ORDER BY id
: integer text
= 1	b
= 1	c
= 2	a
= 2	b
= 2	c
= 3	b
= 6	a
= 8	e
= 8	d
= 9	x
SELECT m FROM regexp_matches('a1b2', '([a-z])(\d)', 'g') AS m
: text[]
= {a,1}
= {b,2}
SELECT m[1], m[2] FROM regexp_matches('a1b2', '([a-z])(\d)', 'g') AS m
: text text
= a	1
= b	2
SELECT s.id, m[1] FROM samples s, regexp_matches(s.t, '([a-z])', 'g') AS m ORDER BY 1, 2
: integer text
= 1	b
= 1	c
= 2	a
= 2	b
= 2	c
= 3	b
= 6	a
= 8	d
= 8	e
= 9	x
SELECT s.id, x.m[1] FROM samples s CROSS JOIN LATERAL regexp_matches(s.t, '([a-z])') AS x (m) ORDER BY 1, 2
: integer text
= 1	b
= 2	a
= 3	b
= 6	a
= 8	e
= 9	x
SELECT regexp_matches('ab', '(a)|(b)', 'g')
: text[]
= {a,NULL}
= {NULL,b}
SELECT regexp_matches('aXb', '(x)?b', 'i')
: text[]
= {X}
SELECT regexp_matches(NULL, 'a')
: text[]
SELECT regexp_match('foobar', 'o(.)')
: text[]
= {o}
SELECT array(SELECT (regexp_matches('a1b2', '\d', 'g'))[1])
: text[]
= {1,2}
SELECT to_number('12,454.8-', '99G999D9S')
: numeric
= -12454.8
SELECT to_number('1234.56', '9999.99')
: numeric
= 1234.56
SELECT to_number('-1234.56', 'S9999.99')
: numeric
= -1234.56
SELECT to_number('$1,234', 'L9,999')
: numeric
SELECT to_number('12', '99')
: numeric
= 12
SELECT to_number('  12', '99')
: numeric
= 1
SELECT to_number('1.5', '9D9')
: numeric
= 1.5
SELECT to_number('<12>', '99PR')
: numeric
= -12
~ PR in a template of numbers is not supported
>! 0A000
SELECT to_number('12-', '99MI')
: numeric
= -12
SELECT to_number('', '99')
! 22P02
SELECT to_number('abc', '99')
! 22P02
SELECT to_number(NULL, '99')
: numeric
= \N
SELECT to_number('123', '99')
: numeric
= 12
SELECT to_number('0012', '9999')
: numeric
= 12
SELECT to_number(n::text, '999999D999') FROM samples ORDER BY id
: numeric
= 1.500
= 2.500
= -2.500
= 10.001
= \N
= 0.000
= 999999.999
= -0.005
= 33.333
