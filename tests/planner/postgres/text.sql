SELECT 'a' || 'b', 'a' || 1, 1 || 'a', 'a' || NULL, 'x' || true, 'v=' || 1.50
: text text text text text text
= ab	a1	1a	\N	xtrue	v=1.50
SELECT concat('a', NULL, 1, true), concat_ws(',', 'a', NULL, 'b'), concat_ws('-', 1, 2.5)
: text text text
= a1t	a,b	1-2.5
SELECT length('häuser'), char_length('abc'), character_length('abc'), octet_length('ä'), bit_length('a'), length('\x0102'::bytea)
: integer integer integer integer integer integer
= 6	3	3	2	8	2
SELECT upper('äb'), lower('ÄB'), initcap('hello wORLD foo-bar')
: text text text
= ÄB	äb	Hello World Foo-Bar
SELECT substring('abcdef', 2, 3), substr('abcdef', 2), substring('abcdef' FROM 2 FOR 3), substring('abcdef' FROM 3), substring('abcdef' FOR 2)
: text text text text text
= bcd	bcdef	bcd	cdef	ab
SELECT substring('abcdef', -2, 5), substr('abcdef', 0, 3), substr('abcdef', -1)
: text text text
= ab	ab	abcdef
SELECT substring('abcdef', 2, -1)
! 22011
SELECT substring('foobar' FROM 'o.b'), substring('foobar' FROM 'o(.)b'), substring('foobar', 'x')
: text text text
= oob	o	\N
SELECT left('abcdef', 2), left('abcdef', -2), right('abcdef', 2), right('abcdef', -2), left('abc', 0), left('abc', 10)
: text text text text text text
= ab	abcd	ef	cdef		abc
SELECT lpad('ab', n, 'x'), rpad('ab', n), repeat('a', n) FROM (VALUES (NULL::integer), (3)) AS t (n) ORDER BY n
: text text text
= xab	ab 	aaa
= \N	\N	\N
SELECT lpad('a', 3), lpad('a', 3, 'xy'), rpad('a', 4, 'xy'), lpad('abcdef', 3), rpad('abc', 0, 'x'), lpad('a', -1, 'x')
: text text text text text text
=   a	xya	axyx	abc		
SELECT trim('  a  '), ltrim('xxaxx', 'x'), rtrim('xxaxx', 'x'), btrim('xyaxy', 'xy'), trim(both 'x' from 'xax'), trim(leading 'x' from 'xax'), trim(trailing from 'a  ')
: text text text text text text text
= a	axx	xxa	a	a	ax	a
SELECT position('b' IN 'abc'), strpos('abc', 'c'), strpos('abc', 'z'), position('' IN 'abc')
: integer integer integer integer
= 2	3	0	1
SELECT encode('\x00ff', 'hex'), encode('abc', 'base64'), sha256('\x61') = sha256('a'), md5('\x61')
: text text boolean text
= 00ff	YWJj	t	90f2b4b9ea4572c2a5e239ad3a257eb7
SELECT quote_literal('a\b'), format('|%L', 'a\b')
: text text
= E'a\\\\b'	|E'a\\\\b'
SELECT overlay('abcdef' PLACING 'XX' FROM 2 FOR 3), overlay('abcdef' PLACING 'XX' FROM 2)
: text text
= aXXef	aXXdef
SELECT replace('abcabc', 'b', 'X'), translate('12345', '143', 'ax'), reverse('abc'), repeat('ab', 3), repeat('x', -1)
: text text text text text
= aXcaXc	a2x5	cba	ababab	
SELECT split_part('a,b,c', ',', 2), split_part('a,b,c', ',', -1), split_part('a,b,c', ',', 9)
: text text text
= b	c	
SELECT split_part('a', ',', 0)
! 22023
SELECT ascii('a'), chr(65), chr(228), md5('abc'), to_hex(255), ascii('ä')
: integer text text text text integer
= 97	A	ä	900150983cd24fb0d6963f7d28e17f72	ff	228
SELECT chr(0)
! 54000
SELECT starts_with('abc', 'ab'), 'abc' ^@ 'ab'
: boolean boolean
= t	t
SELECT format('%s is %s', 'a', 1), format('%I.%I', 'Ab', 'c'), format('%L', 'it''s'), format('%%'), format('%2$s %1$s', 'a', 'b'), format('%-5s|%5s', 'a', 'b'), format('%s', NULL), format('%L', NULL)
: text text text text text text text text
= a is 1	"Ab".c	'it''s'	%	b a	a    |    b		NULL
SELECT quote_ident('abc'), quote_ident('Abc'), quote_literal('it''s'), quote_nullable(NULL), quote_ident('select')
: text text text text text
= abc	"Abc"	'it''s'	NULL	"select"
SELECT string_to_array('a,b,c', ','), string_to_array('a,b', ',', 'b'), string_to_array('abc', NULL), array_to_string(ARRAY[1,NULL,3], ','), array_to_string(ARRAY['a',NULL], ',', '*')
: text[] text[] text[] text text
= {a,b,c}	{a,NULL}	{a,b,c}	1,3	a,*
SELECT regexp_replace('foobar', 'o', 'X'), regexp_replace('foobar', 'o', 'X', 'g'), regexp_replace('FOO', 'o', 'x', 'gi'), regexp_replace('abc', '(b)', '[\1]'), regexp_replace('abc', 'b', '<\&>')
: text text text text text
= fXobar	fXXbar	Fxx	a[b]c	a<b>c
SELECT regexp_match('foobar', '(o+)(b)'), regexp_match('x', 'y'), regexp_matches('ab', 'a(.)')
: text[] text[] text[]
= {oo,b}	\N	{b}
SELECT regexp_split_to_array('a1b2c', '[0-9]'), regexp_count('banana', 'a'), regexp_substr('foobar', 'o+'), regexp_like('Foo', 'foo', 'i'), regexp_instr('foobar', 'b')
: text[] integer text boolean integer
= {a,b,c}	3	oo	t	4
SELECT regexp_split_to_table('a b c', ' ')
: text
= a
= b
= c
SELECT string_to_table('a,b', ',')
: text
= a
= b
SELECT 'abc' LIKE 'a%', 'abc' LIKE '_b_', 'abc' NOT LIKE 'b%', 'ABC' ILIKE 'a%', 'a%c' LIKE 'a\%c', 'a_c' LIKE 'a!_c' ESCAPE '!', 'abc' LIKE NULL
: boolean boolean boolean boolean boolean boolean boolean
= t	t	t	t	t	t	\N
SELECT 'abc' ~~ 'a%', 'abc' !~~ 'a%', 'ABC' ~~* 'a%', 'ABC' !~~* 'a%'
: boolean boolean boolean boolean
= t	f	t	f
SELECT 'abc' SIMILAR TO '(a|x)bc', 'abc' SIMILAR TO 'ab', 'abc' SIMILAR TO 'a%', 'abc' NOT SIMILAR TO 'x%', 'a_c' SIMILAR TO 'a\_c', 'abbbc' SIMILAR TO 'ab{2,3}c'
: boolean boolean boolean boolean boolean boolean
= t	f	t	t	t	t
SELECT 'abc' ~ 'b', 'abc' ~ '^b', 'ABC' ~* 'b', 'abc' !~ 'b', 'ABC' !~* 'b', 'a1' ~ '\d', 'ab' ~ '^(a|b)+$'
: boolean boolean boolean boolean boolean boolean boolean
= t	f	t	f	f	t	t
SELECT 'foo bar' ~ '\mbar\M', 'foobar' ~ '\ybar', 'a.b' ~ 'a\.b', 'é' ~ '[[:alpha:]]', 'x' ~ '[[:digit:]]'
: boolean boolean boolean boolean boolean
= t	f	t	t	f
SELECT 'abcabc' ~ '(abc)\1'
: boolean
= t
SELECT 'abc' ~ '('
! 2201B
SELECT 'a' < 'B', 'a' < 'b', 'Z' < 'a', 'ä' > 'z', '' < 'a', 'a ' = 'a'
: boolean boolean boolean boolean boolean boolean
= f	t	t	t	t	f
SELECT t FROM samples ORDER BY t
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
SELECT t FROM samples ORDER BY t DESC
: text
= \N
= ä
= b
= abc
= aB
= Zed
= Abc
=  x 
= 
SELECT t FROM samples ORDER BY t NULLS FIRST, id
: text
= \N
= 
=  x 
= Abc
= Zed
= aB
= abc
= b
= ä
SELECT upper(t), length(t), t || '!' FROM samples ORDER BY id
: text integer text
= ABC	3	Abc!
= ABC	3	abc!
= B	1	b!
= 	0	!
= \N	\N	\N
= AB	2	aB!
= Ä	1	ä!
= ZED	3	Zed!
=  X 	3	 x !
SELECT t FROM samples WHERE t LIKE 'a%' ORDER BY id
: text
= abc
= aB
SELECT t FROM samples WHERE t ILIKE 'a%' ORDER BY id
: text
= Abc
= abc
= aB
SELECT t FROM samples WHERE t ~ '^[A-Z]' ORDER BY id
: text
= Abc
= Zed
SELECT t FROM samples WHERE t COLLATE "C" > 'Z' ORDER BY id
: text
= abc
= b
= aB
= ä
= Zed
SELECT encode('abc'::bytea, 'hex'), encode('abc'::bytea, 'base64'), decode('616263', 'hex'), convert_from('\x616263'::bytea, 'UTF8'), convert_to('abc', 'UTF8')
: text text bytea text bytea
= 616263	YWJj	\\x616263	abc	\\x616263
SELECT sha256('abc'::bytea)
: bytea
= \\xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
SELECT E'a\nb', E'\\', U&'\0041', $$it's$$, 'it''s'
: text text text text text
= a\nb	\\	A	it's	it's
SELECT to_number('12,345.67', '99,999.99'), to_number('$1,234', 'L9,999')
: numeric numeric
= 12345.67	1234
~ it is not run, since $1 in a text looks like a parameter here
>: numeric numeric
SELECT parse_ident('a.b'), unistr('\0041'), normalize('a')
: text[] text text
= {a,b}	A	a
SELECT 'a' IN ('a', NULL), 'b' IN ('a', NULL), 'b' NOT IN ('a', NULL)
: boolean boolean boolean
= t	\N	\N
SELECT t, CASE t WHEN 'Abc' THEN 1 WHEN NULL THEN 2 ELSE 3 END FROM samples ORDER BY id
: text integer
= Abc	1
= abc	3
= b	3
= 	3
= \N	3
= aB	3
= ä	3
= Zed	3
=  x 	3
SELECT string_agg(t, ',' ORDER BY t), string_agg(DISTINCT t, '|'), string_agg(t, ', ' ORDER BY id DESC) FROM samples WHERE id < 6
: text text text
= ,Abc,abc,b	|Abc|abc|b	, b, abc, Abc
SELECT btrim(t), ltrim(t), t = '' FROM samples ORDER BY id
: text text boolean
= Abc	Abc	f
= abc	abc	f
= b	b	f
= 		t
= \N	\N	\N
= aB	aB	f
= ä	ä	f
= Zed	Zed	f
= x	x 	f
SELECT 'a' 'b' AS pasted
! 42601
SELECT 'abc' = ANY ('{abc,d}'), 5 = ALL (ARRAY[5,5]), 3 <> ALL ('{1,2}'), 2 > ANY (ARRAY[1,5]), 2 = ANY (ARRAY[NULL, 2])
: boolean boolean boolean boolean boolean
= t	t	t	t	t
SELECT substr('Zed', NULL), substr('Zed', NULL::int), substr('Zed', 1, NULL)
: text text text
= \N	\N	\N
SELECT substring('abc' from 1 for NULL), substring('abc' from NULL), substring('abc' from NULL for 2), substring('abc' for NULL)
: text text text text
= \N	\N	\N	\N
SELECT substr('Zed', CASE WHEN id = 1 THEN NULL::int ELSE 2 END) FROM samples ORDER BY id
: text
= \N
= ed
= ed
= ed
= ed
= ed
= ed
= ed
= ed
SELECT decode('abc','hex')
! 22023
SELECT decode('zz','hex')
! 22023
SELECT decode('a b','hex'), decode('ab cd', 'hex'), decode('', 'hex'), decode(NULL, 'hex'), decode(E'ab\n12', 'hex')
! 22023
SELECT decode('a b c','hex')
! 22023
SELECT decode('YWJj','base64')
: bytea
= \\x616263
SELECT decode('YWJ','base64')
! 22023
SELECT decode('Y*Jj','base64')
! 22023
SELECT decode('ab cd','hex'), decode(E'YW\nJj', 'base64'), decode('YWI=', 'base64')
: bytea bytea bytea
= \\xabcd	\\x616263	\\x6162
SELECT upper('ß'), upper('aßb'), upper('ß' || 'ß'), initcap('ß x')
: text text text text
= ß	AßB	ßß	ß X
SELECT initcap('ß'), initcap('ÀB éa'), upper('éß')
: text text text
= ß	Àb Éa	Éß
SELECT upper(5)
! 42883
SELECT chr(-1)
! 22023
SELECT chr(1114112)
! 54000
SELECT chr(55296)
! 54000
SELECT chr(65), chr(8364), chr(NULL)
: text text text
= A	€	\N
SELECT encode('\x00ff5c61c3a4'::bytea, 'escape'), decode('\001\\a\303\244', 'escape'), decode('aä', 'ESCAPE')
: text bytea bytea
= \\000\\377\\\\a\\303\\244	\\x015c61c3a4	\\x61c3a4
SELECT decode('a\bc', 'escape')
! 22P02
SELECT decode('00', 'octal')
! 22023
SELECT encode('\x00'::bytea, 'octal')
! 22023
SELECT w, n FROM regexp_split_to_table('a b c', ' ') WITH ORDINALITY AS s (w, n)
: text bigint
= a	1
= b	2
= c	3
SELECT split_part(NULL, 'a', 0), substring(NULL, 1, -1), lpad(NULL, 100000000), substring('a', NULL, -1), split_part('a', NULL, 0)
: text text text text text
= \N	\N	\N	\N	\N
SELECT concat('\x00ff'::bytea, ARRAY[1, 2]), format('%s %s', '\x00ff'::bytea, ARRAY[1, 2]), '\x00'::bytea || '\x01', '\x00'::bytea || lower('A'), 0.5::double precision || 'x'
: text text bytea text text
= \\x00ff{1,2}	\\x00ff {1,2}	\\x0001	\\x00a	0.5x
SELECT ROW(1, 'a b')::text, (1, 'a,b', NULL)::text, ROW('')::text, ROW()::text, ROW(NULL)::text, ROW(NULL, NULL)::text
: text text text text text text
= (1,"a b")	(1,"a,b",)	("")	()	()	(,)
SELECT ROW('(', ')', ',', '"', '\', 'a"b\c', ' x', E'\t', E'a\x0bb', E'\n', 'null', '{}')::text
: text
= ("(",")",",","""","\\\\","a""b\\\\c"," x","\t","ab","\n",null,{})
SELECT ROW(true, false, NULL::boolean, 1.50, 0.5::double precision, 1::double precision, 1e20::real, '\x00ff'::bytea)::text
: text
= (t,f,,1.50,0.5,1,1e+20,"\\\\x00ff")
SELECT ROW(ROW(1, 'a b'), ROW(ROW('"')), ROW(NULL))::text
: text
= ("(1,""a b"")","(""("""""""""""""""")"")","()")
SELECT ROW(date '2020-01-02', time '10:00', timestamp '2020-01-02 03:04:05.5', timestamptz '2020-01-02 03:04:05+00', interval '1 month 2 days')::text
: text
= (2020-01-02,10:00:00,"2020-01-02 03:04:05.5","2020-01-02 03:04:05+00","1 mon 2 days")
SELECT ROW('{"a": 1}'::json, ARRAY[1, 2], ARRAY['a b', NULL], ARRAY[]::integer[], '5b7ee97c-7f1e-4d3a-9ee1-000000000001'::uuid)::text
: text
= ("{""a"": 1}","{1,2}","{""a b"",NULL}",{},5b7ee97c-7f1e-4d3a-9ee1-000000000001)
SELECT ROW(t, f, day, at, n, a)::text FROM samples ORDER BY id
: text
= (Abc,t,2020-01-01,"2020-01-01 10:00:00",1.500,"{1,2}")
= (abc,f,2020-02-29,"2020-02-29 23:59:59.5",2.500,"{2,3}")
= (b,t,2020-03-15,"2020-03-15 00:00:00",-2.500,{})
= ("",f,2020-12-31,"2020-12-31 12:30:15.123456",10.001,{4})
= (,,,,,)
= (aB,t,1999-12-31,"1999-12-31 23:00:00",0.000,{2})
= (ä,t,2020-06-15,"2020-06-15 06:07:08.009",999999.999,"{7,8,9}")
= (Zed,f,1970-01-01,"1970-01-01 00:00:00",-0.005,"{10,-10}")
= (" x ",f,2020-07-04,"2020-07-04 16:45:30",33.333,"{9,9}")
SELECT concat(ROW(1, 'a b'), 'x'), concat_ws('-', ROW(1, 2), (3, 4)), ROW(1, 'a b') || 'x', 'x' || ROW(1, NULL), format('%s|%L', ROW(1, true), ROW(1, 'b c'))
: text text text text text
= (1,"a b")x	(1,2)-(3,4)	(1,"a b")x	x(1,)	(1,t)|'(1,"b c")'
SELECT quote_literal(ROW(1, 'a b')), quote_nullable(ROW(1, 2)), CAST((id, t) AS varchar), ROW(id, t)::varchar(4) FROM samples ORDER BY id
: text text character_varying character_varying
= '(1,"a b")'	'(1,2)'	(1,Abc)	(1,A
= '(1,"a b")'	'(1,2)'	(2,abc)	(2,a
= '(1,"a b")'	'(1,2)'	(3,b)	(3,b
= '(1,"a b")'	'(1,2)'	(4,"")	(4,"
= '(1,"a b")'	'(1,2)'	(5,)	(5,)
= '(1,"a b")'	'(1,2)'	(6,aB)	(6,a
= '(1,"a b")'	'(1,2)'	(7,ä)	(7,ä
= '(1,"a b")'	'(1,2)'	(8,Zed)	(8,Z
= '(1,"a b")'	'(1,2)'	(9," x ")	(9,"
SELECT ARRAY[E'a\x0bb', E'\t', '']::text
: text
= {"ab","\t",""}
SELECT string_agg(ROW(id, t)::text, ';' ORDER BY id) FROM samples
: text
= (1,Abc);(2,abc);(3,b);(4,"");(5,);(6,aB);(7,ä);(8,Zed);(9," x ")
SELECT concat(interval '1 month', true, 0.5::double precision), quote_literal(interval '1 month'), quote_literal(true)
: text text text
= 1 mont0.5	'1 mon'	'true'
SELECT ROW(count(*), max(t))::text FROM samples
: text
= (9,ä)
SELECT ROW(v.x, v.y)::text FROM (VALUES (1, 'a b'), (2, NULL)) v (x, y)
: text
= (1,"a b")
= (2,)
SELECT ARRAY[true, false]::text, ARRAY[0.5, 1]::double precision[]::text, ARRAY[interval '1 month']::text, ARRAY['\x00'::bytea]::text, array_to_string(ARRAY[true], ','), array_to_string(ARRAY[1.0::double precision, 2], ','), array_to_string(ARRAY[interval '1 month', NULL], ',', 'x'), ARRAY[true]::text[], ARRAY[1::double precision]::text[]
: text text text text text text text text[] text[]
= {t,f}	{0.5,1}	{"1 mon"}	{"\\\\x00"}	t	1,2	1 mon,x	{true}	{1}
SELECT n::text FROM notes n
: text
= (1,1,one)
= (2,1,uno)
= (3,2,two)
= (4,99,far)
= (5,,none)
~ the text of a whole row is refused
>: text
>= (3,2,two)
>= (1,1,one)
>= (2,1,uno)
>= (4,99,far)
>= (5,,none)
SELECT concat(n) FROM notes n
: text
= (1,1,one)
= (2,1,uno)
= (3,2,two)
= (4,99,far)
= (5,,none)
~ the text of a whole row is refused
>: text
>= (3,2,two)
>= (1,1,one)
>= (2,1,uno)
>= (4,99,far)
>= (5,,none)
SELECT n || 'x' FROM notes n
: text
= (1,1,one)x
= (2,1,uno)x
= (3,2,two)x
= (4,99,far)x
= (5,,none)x
~ the text of a whole row is refused
>: text
>= (3,2,two)x
>= (1,1,one)x
>= (2,1,uno)x
>= (4,99,far)x
>= (5,,none)x
SELECT format('%s', n) FROM notes n
: text
= (1,1,one)
= (2,1,uno)
= (3,2,two)
= (4,99,far)
= (5,,none)
~ the text of a whole row is refused
>: text
>= (3,2,two)
>= (1,1,one)
>= (2,1,uno)
>= (4,99,far)
>= (5,,none)
SELECT ROW(n)::text FROM notes n
: text
= ("(1,1,one)")
= ("(2,1,uno)")
= ("(3,2,two)")
= ("(4,99,far)")
= ("(5,,none)")
~ the text of a whole row is refused
>: text
>= ("(3,2,two)")
>= ("(1,1,one)")
>= ("(2,1,uno)")
>= ("(4,99,far)")
>= ("(5,,none)")
SELECT ROW(n.*)::text FROM notes n ORDER BY number
: text
= (1,1,one)
= (2,1,uno)
= (3,2,two)
= (4,99,far)
= (5,,none)
~ the text of a whole row is refused
>! 0A000
SELECT ARRAY[n]::text FROM notes n
: text
= {"(1,1,one)"}
= {"(2,1,uno)"}
= {"(3,2,two)"}
= {"(4,99,far)"}
= {"(5,,none)"}
~ the text of a whole row is refused
>: text
>= {"(3,2,two)"}
>= {"(1,1,one)"}
>= {"(2,1,uno)"}
>= {"(4,99,far)"}
>= {"(5,,none)"}
SELECT (SELECT n FROM notes n WHERE number = 1)::text
: text
= (1,1,one)
SELECT CASE WHEN true THEN ROW(1, 2) END::text
: text
= (1,2)
SELECT x::text FROM (VALUES (ROW(1, 2))) v (x)
: text
= (1,2)
SELECT ARRAY[ROW(1, 2)]::text
: text
= {"(1,2)"}
SELECT ARRAY[ROW(1, 2)]::text[]
: text[]
= {"(1,2)"}
SELECT array_to_string(ARRAY[ROW(1, 2)], ',')
: text
= (1,2)
SELECT unnest(ARRAY[ROW(1, 2)])::text
: text
= (1,2)
SELECT string_agg(DISTINCT t, t) FROM samples
: text
=  x  x AbcAbcZedZedaBaBabcabcbbää
~ string_agg(DISTINCT) with a separator of each row is refused
>! 0A000
SELECT string_agg(DISTINCT t, id::text ORDER BY t) FROM samples
: text
= 9 x 1Abc8Zed6aB2abc3b7ä
~ string_agg(DISTINCT) with a separator of each row is refused
>! 0A000
SELECT quote_literal(interval '1 month'), quote_nullable(1e10::real), quote_nullable(NULL::interval), quote_literal(ARRAY[1, 2]), quote_literal('\x0aff'::bytea)
: text text text text text
= '1 mon'	'1e+10'	NULL	'{1,2}'	E'\\\\x0aff'
SELECT 'a' LIKE t || '\' FROM samples
! 22025
SELECT concat(a @> '{1}', a <@ '{1}', a && '{1}', '{"k": 1}'::jsonb @> '{"k": 1}', t ~ 'a', t SIMILAR TO 'a') FROM samples ORDER BY id
: text
= tfttff
= fffttf
= ftftff
= ffftff
= t
= fffttf
= ffftff
= ffftff
= ffftff
SELECT (a @> '{1}') || 'x', string_agg(concat(a && '{1}'), ',' ORDER BY concat(a && '{1}')) FROM samples GROUP BY 1 ORDER BY 1
: text text
= falsex	f,f,f,f,f,f,f
= truex	t
= \N	
SELECT regexp_like('A', 'a', 'ic'), regexp_like('A', 'a', 'ci'), regexp_replace('aAb', 'a', 'x', 'gi'), regexp_replace('aAb', 'a', 'x', 'cgs')
: boolean boolean text text
= f	t	xxb	xAb
SELECT regexp_match('abc', 'b', 'g')
! 22023
SELECT regexp_like('abc', 'b', 'g')
! 22023
SELECT regexp_replace('abc', 'a b', 'x', 'x')
: text
= xc
SELECT regexp_count('abc', 'a b', 1, 'x')
: integer
= 1
SELECT unistr('d\0061t\+000061'), unistr('d\u0061\U00000061'), unistr('a\\b'), unistr('\D83D\DE00'), unistr(NULL)
: text text text text text
= data	daa	a\\b	😀	\N
SELECT unistr('a\b')
! 42601
SELECT unistr('\D83D')
! 42601
SELECT unistr('\DE00')
! 42601
SELECT unistr('\0000')
! 22023
SELECT unistr('\+110000')
! 22023
SELECT unistr('\u00')
! 42601
SELECT unistr(t) FROM samples ORDER BY id
: text
= Abc
= abc
= b
= 
= \N
= aB
= ä
= Zed
=  x 
SELECT unistr('\D83D\D83D')
! 42601
SELECT unistr('\D83Dx\DE00')
! 42601
