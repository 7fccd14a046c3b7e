SELECT (row(1, 2)).f1
: integer
= 1
SELECT row(1, NULL, 'x y', '')
: record
= (1,,"x y","")
SELECT t FROM (VALUES (1, 'a b')) t(n, s)
: record
= (1,"a b")
SELECT t.* IS NULL FROM (VALUES (NULL::int)) t(a)
: boolean
= t
SELECT (row('x', 3.5)).f2, (row(ARRAY[1, 2])).f1[2]
: numeric integer
= 3.5	2
SELECT (row('a', true)).f2
: boolean
= t
SELECT t::text FROM (VALUES (1, NULL)) t(a, b)
: text
= (1,)
SELECT (row(1,2)).f3
! 42703
SELECT row(1, row(2, NULL), ARRAY['a b', NULL], true, 1.50, date '2020-01-02', 0.5::float8, '\x01'::bytea)
: record
= (1,"(2,)","{""a b"",NULL}",t,1.50,2020-01-02,0.5,"\\\\x01")
SELECT ROW(), (1, 'a'), row(1)::text, row('a"b\c', '(', ',', ' ')
: record record text record
= ()	(1,a)	(1)	("a""b\\\\c","(",","," ")
SELECT pg_typeof(row(1,2)), row(1,2) = row(1,2), row(1,NULL) = row(1,2), row(1,2) < row(1,3)
: regtype boolean boolean boolean
= record	t	\N	t
SELECT x FROM (SELECT row(id, t) AS x FROM samples) q ORDER BY 1
: record
= (1,Abc)
= (2,abc)
= (3,b)
= (4,"")
= (5,)
= (6,aB)
= (7,ä)
= (8,Zed)
= (9," x ")
SELECT x::text FROM (VALUES (row(1, 'a b')), (row(2, NULL))) v(x)
: text
= (1,"a b")
= (2,)
SELECT (x).f2 FROM (SELECT row(id, t) AS x FROM samples) q ORDER BY 1
: text
= 
=  x 
= Abc
= Zed
= aB
= abc
= b
= ä
= \N
SELECT n FROM notes n ORDER BY number
: notes
= (1,1,one)
= (2,1,uno)
= (3,2,two)
= (4,99,far)
= (5,,none)
~ a whole row of a store is a record, not of the store's type; ROW(t.*) is refused
>: record
>= (1,1,one)
>= (2,1,uno)
>= (3,2,two)
>= (4,99,far)
>= (5,,none)
SELECT n::text, n.* IS NULL, n IS NOT NULL, (n).note, count(n) OVER () FROM notes n ORDER BY number
: text boolean boolean text bigint
= (1,1,one)	f	t	one	5
= (2,1,uno)	f	t	uno	5
= (3,2,two)	f	t	two	5
= (4,99,far)	f	t	far	5
= (5,,none)	f	f	none	5
SELECT ARRAY[row(1, 'a'), row(2, NULL)], array_agg(row(number, note) ORDER BY number) FROM notes
: record[] record[]
= {"(1,a)","(2,)"}	{"(1,one)","(2,uno)","(3,two)","(4,far)","(5,none)"}
SELECT array_agg(n ORDER BY number) FROM notes n
: notes[]
= {"(1,1,one)","(2,1,uno)","(3,2,two)","(4,99,far)","(5,,none)"}
~ a whole row of a store is a record, not of the store's type; ROW(t.*) is refused
>: record[]
>= {"(1,1,one)","(2,1,uno)","(3,2,two)","(4,99,far)","(5,,none)"}
SELECT ARRAY[row(1, 'a b')]::text, array_to_string(ARRAY[row(1, 2)], ';'), 'x' || row(1, 2), concat(row(1,2), 'y')
: text text text text
= {"(1,\\"a b\\")"}	(1,2)	x(1,2)	(1,2)y
SELECT row_to_json(n), row_to_json(n.*), to_json(row(1, 'a')), row_to_json(row(1, NULL)) FROM notes n ORDER BY number
: json json json json
= {"number":1,"sample":1,"note":"one"}	{"number":1,"sample":1,"note":"one"}	{"f1":1,"f2":"a"}	{"f1":1,"f2":null}
= {"number":2,"sample":1,"note":"uno"}	{"number":2,"sample":1,"note":"uno"}	{"f1":1,"f2":"a"}	{"f1":1,"f2":null}
= {"number":3,"sample":2,"note":"two"}	{"number":3,"sample":2,"note":"two"}	{"f1":1,"f2":"a"}	{"f1":1,"f2":null}
= {"number":4,"sample":99,"note":"far"}	{"number":4,"sample":99,"note":"far"}	{"f1":1,"f2":"a"}	{"f1":1,"f2":null}
= {"number":5,"sample":null,"note":"none"}	{"number":5,"sample":null,"note":"none"}	{"f1":1,"f2":"a"}	{"f1":1,"f2":null}
SELECT count(n.*), count(n) FROM notes n
: bigint bigint
= 5	5
SELECT row(n.*) FROM notes n ORDER BY number
: record
= (1,1,one)
= (2,1,uno)
= (3,2,two)
= (4,99,far)
= (5,,none)
~ a whole row of a store is a record, not of the store's type; ROW(t.*) is refused
>! 0A000
SELECT (row(1, ARRAY[[1,2],[3,4]])).f2[2][1]
: integer
= 3
SELECT CASE WHEN true THEN row(1, 2) END
: record
= (1,2)
SELECT coalesce(NULL, row(1, 'x'))
: record
= (1,x)
SELECT s, s IS NULL FROM samples s WHERE id = 5
: smallint boolean
= \N	t
SELECT (SELECT row(1, 'a'))
: record
= (1,a)
SELECT q FROM (SELECT 1 AS a, 'x y' AS b) q
: record
= (1,"x y")
SELECT row(id, i) IN (SELECT number, sample FROM notes) FROM samples ORDER BY id
: boolean
= t
= f
= t
= f
= \N
= f
= f
= f
= f
SELECT DISTINCT row(s) FROM samples ORDER BY 1
: record
= (-1)
= (1)
= (2)
= (3)
= ()
SELECT id FROM samples ORDER BY row(s, id)
: integer
= 8
= 9
= 1
= 2
= 3
= 4
= 6
= 7
= 5
SELECT row(s, count(*)) FROM samples GROUP BY s ORDER BY 1
: record
= (-1,2)
= (1,2)
= (2,2)
= (3,2)
= (,1)
SELECT unnest(ARRAY[row(1, 2), row(3, 4)])
: record
= (1,2)
= (3,4)
SELECT (CASE WHEN id > 2 THEN row(id, t) END)::text FROM samples ORDER BY id
: text
= \N
= \N
= (3,b)
= (4,"")
= (5,)
= (6,aB)
= (7,ä)
= (8,Zed)
= (9," x ")
SELECT coalesce(x, row(0, 'z')) FROM (VALUES (row(1, 'a')), (NULL)) v(x)
: record
= (1,a)
= (0,z)
SELECT row(1, NULL)::text || 'x', format('%s', row(1, 2)), quote_literal(row(1, 'a'))
: text text text
= (1,)x	(1,2)	'(1,a)'
SELECT (v).*, v FROM (VALUES (1, 'a')) v(n, s)
: integer text record
= 1	a	(1,a)
SELECT row(1, 'a') UNION ALL SELECT row(2, NULL)
: record
= (1,a)
= (2,)
SELECT t, t.a FROM (VALUES (1, row(2, 'x y'))) t(a, b)
: record integer
= (1,"(2,""x y"")")	1
SELECT row('{"a": 1}'::json, '5b7ee97c-7f1e-4d3a-9ee1-000000000001'::uuid, interval '1 day', 1e20::real, timestamptz '2020-01-01 00:00+00')
: record
= ("{""a"": 1}",5b7ee97c-7f1e-4d3a-9ee1-000000000001,"1 day",1e+20,"2020-01-01 00:00:00+00")
SELECT json_agg(n) IS NOT NULL, to_jsonb(n) ->> 'note' FROM notes n WHERE number = 1 GROUP BY n.number, n.sample, n.note, n
: boolean text
= t	one
SELECT row((1,1), interval '1 day')
: record
= ("(1,1)","1 day")
SELECT row((1,1), interval '1 day')::text
: text
= ("(1,1)","1 day")
SELECT row((1,1), 2)
: record
= ("(1,1)",2)
SELECT row(ARRAY[(1,2)], interval '1 day')
: record
= ("{""(1,2)""}","1 day")
SELECT row((1,1), time '10:00')
: record
= ("(1,1)",10:00:00)
SELECT row((1,1), '\x01'::bytea)
: record
= ("(1,1)","\\\\x01")
SELECT row((1,1), '1.50'::numeric)
: record
= ("(1,1)",1.50)
SELECT row((1,1), '{"a":1}'::jsonb)
: record
= ("(1,1)","{""a"": 1}")
SELECT row(('a b','c,d'), true)
: record
= ("(""a b"",""c,d"")",t)
SELECT row(row(true), 'x', '{1,2}'::int[])
: record
= ("(t)",x,"{1,2}")
SELECT unnest(ARRAY[row(row(1), interval '1 day')])
: record
= ("(1)","1 day")
SELECT to_json(row((1,1), interval '1 day'))
: json
= {"f1":{"f1":1,"f2":1},"f2":"1 day"}
SELECT (1, (2, 3)) = (1, (2, 3))
: boolean
= t
SELECT row(samples) FROM samples WHERE id = 1
: record
= ("(1,1,1,10,1.500,0.5,1.5,Abc,t,2020-01-01,""2020-01-01 10:00:00"",""2020-01-01 10:00:00+00"",""{""""a"""": 1, """"b"""": """"x"""", """"c"""": [""""p"""", """"q""""]}"",""{1,2}"")")
SELECT row(samples, 1) FROM samples WHERE id = 1
: record
= ("(1,1,1,10,1.500,0.5,1.5,Abc,t,2020-01-01,""2020-01-01 10:00:00"",""2020-01-01 10:00:00+00"",""{""""a"""": 1, """"b"""": """"x"""", """"c"""": [""""p"""", """"q""""]}"",""{1,2}"")",1)
SELECT (samples, at) FROM samples WHERE id = 1
: record
= ("(1,1,1,10,1.500,0.5,1.5,Abc,t,2020-01-01,""2020-01-01 10:00:00"",""2020-01-01 10:00:00+00"",""{""""a"""": 1, """"b"""": """"x"""", """"c"""": [""""p"""", """"q""""]}"",""{1,2}"")","2020-01-01 10:00:00")
SELECT array_agg(row(1, 2))
: record[]
= {"(1,2)"}
SELECT greatest(row(1,2), row(3,4))
: record
= (3,4)
SELECT lag((i, t)) OVER (ORDER BY id) FROM samples ORDER BY id
: record
= \N
= (1,Abc)
= (2,abc)
= (2,b)
= (5,"")
= (,)
= (-7,aB)
= (9,ä)
= (0,Zed)
SELECT first_value((i, t)) OVER (ORDER BY id) FROM samples ORDER BY id
: record
= (1,Abc)
= (1,Abc)
= (1,Abc)
= (1,Abc)
= (1,Abc)
= (1,Abc)
= (1,Abc)
= (1,Abc)
= (1,Abc)
SELECT array_agg((i, t) ORDER BY id) FROM samples
: record[]
= {"(1,Abc)","(2,abc)","(2,b)","(5,\\"\\")","(,)","(-7,aB)","(9,ä)","(0,Zed)","(3,\\" x \\")"}
SELECT array_agg(DISTINCT (s, f) ORDER BY (s, f)) FROM samples
: record[]
= {"(-1,f)","(1,f)","(1,t)","(2,f)","(2,t)","(3,t)","(,)"}
SELECT count((i, t)), count(DISTINCT (s, f)) FROM samples
: bigint bigint
= 9	7
SELECT nullif((1, 2), (1, 2)), nullif((1, 2), (1, 3))
: record record
= \N	(1,2)
SELECT count(*) FILTER (WHERE (i, t) = (1, 'Abc')) FROM samples
: bigint
= 1
SELECT abs(CASE WHEN (1, 2) < (1, 3) THEN -1 END)
: integer
= 1
SELECT coalesce((i, t) = (1, 'Abc'), false) FROM samples ORDER BY id
: boolean
= t
= f
= f
= f
= f
= f
= f
= f
= f
SELECT count(*) FROM samples GROUP BY ROLLUP ((s, f)) ORDER BY 1
: bigint
= 1
= 1
= 1
= 1
= 1
= 2
= 2
= 9
