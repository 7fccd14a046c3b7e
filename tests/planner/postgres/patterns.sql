SELECT regexp_substr('abcabd', 'b(.)', 1, 2, '', 1), regexp_substr('abcabd', 'b(.)', 1, 3)
: text text
= d	\N
SELECT regexp_match('abc', 'x'), regexp_match(NULL, 'x'), regexp_match('abc', NULL)
: text[] text[] text[]
= \N	\N	\N
SELECT t, (regexp_match(t, p))[1] FROM (VALUES ('a1', '\d'), ('b', '\w'), (NULL, 'x'), ('c', NULL)) v(t, p) ORDER BY t
: text text
= a1	1
= b	b
= c	\N
= \N	\N
SELECT 'ab' ~ p, 'ab' !~ p, 'AB' ~* p, 'AB' !~* p FROM (VALUES ('a|x'), ('^b'), (NULL), ('(a)\1')) v(p) ORDER BY p
: boolean boolean boolean boolean
= f	t	f	t
= f	t	f	t
= t	f	t	f
= \N	\N	\N	\N
SELECT 'ab' ~ ANY(ARRAY['^b', 'b$']), 'ab' ~ ALL(ARRAY['^b', 'b$']), 'ab' !~ ANY(ARRAY['^b','b$']), 'é' ~ ANY (ARRAY['\W', '^\w$'])
: boolean boolean boolean boolean
= t	f	t	t
SELECT 'ab' ~ ANY(p), 'ab' ~* ALL(p) FROM (VALUES (ARRAY['^b', 'b$']), (ARRAY['(a)\1', NULL])) v(p) ORDER BY 1, 2
: boolean boolean
= t	f
= \N	f
SELECT substring('foobar', p) FROM (VALUES ('o.b'), ('o(.)b'), ('x'), (NULL)) v(p) ORDER BY 1
: text
= o
= oob
= \N
= \N
SELECT substring('foobar' FROM '#"o_b#"' FOR '#'), substring('foobar' SIMILAR '%#"o_b#"%' ESCAPE '#'), substring('foobar' FROM '%#"o_b#"%' FOR '#'), substring('abcdefg' SIMILAR 'a#"%#"g' ESCAPE '#'), substring('abcdefg' FROM 'a#"%#"x|g' FOR '#'), substring('abcdefg' SIMILAR 'a*#"%#"g*' ESCAPE '#')
: text text text text text text
= \N	oob	oob	bcdef	bcdef	abcdefg
SELECT substring('foobar' FOR 2 FROM 3), substring('foobar' FROM 2 FOR 3), substring('foobar' FOR 3), substring('foobar', 2), substr('foobar', 2, 2), substring('foobar' FROM 'o(.)' ), substring(NULL FROM 1)
: text text text text text text text
= ob	oob	foo	oobar	oo	o	\N
SELECT substring('abc' SIMILAR 'a' ESCAPE 'xx')
! 22025
SELECT substring('abc' SIMILAR '#"a#"b#"c' ESCAPE '#')
! 2200C
SELECT 'a' SIMILAR TO 'a' ESCAPE 'xx'
! 22025
SELECT 'a\b' SIMILAR TO 'a\b' ESCAPE '', '5' SIMILAR TO '#d' ESCAPE '#', 'abc' SIMILAR TO 'a%', 'abc' NOT SIMILAR TO 'a%', 'abc' SIMILAR TO 'a|abc', 'abc' SIMILAR TO '(a|b)%', 'a.c' SIMILAR TO 'a.c', 'abc' SIMILAR TO 'a.c', 'abc' SIMILAR TO NULL, NULL SIMILAR TO 'a', 'abc' SIMILAR TO 'a_c' ESCAPE NULL
: boolean boolean boolean boolean boolean boolean boolean boolean boolean boolean boolean
= t	t	t	f	t	t	t	f	\N	\N	\N
SELECT 'abc' SIMILAR TO p, 'abc' SIMILAR TO p || '%', 'a%' SIMILAR TO 'a' || '!' || '%' ESCAPE '!' FROM (VALUES ('ab_'), ('a'), (NULL)) v(p) ORDER BY p
: boolean boolean boolean
= f	t	t
= t	t	t
= \N	\N	t
SELECT x SIMILAR TO '[a-c_%]+' , x SIMILAR TO '[^a]%', x SIMILAR TO '_{2,3}', x SIMILAR TO '(a(b)?)+' FROM (VALUES ('a_%'), ('ab'), ('abab'), ('xyz'), ('')) v(x) ORDER BY x
: boolean boolean boolean boolean
= f	f	f	f
= t	f	t	f
= t	f	t	t
= t	f	f	t
= f	t	t	f
SELECT regexp_matches('foobarbequebaz', '(ba.)(.)', 'g')
: text[]
= {bar,b}
SELECT * FROM regexp_matches('foobarbequebaz', '(ba.)(.)', 'g') AS m
: text[]
= {bar,b}
SELECT * FROM regexp_matches('foobarbequebaz', 'ba.', 'g')
: text[]
= {bar}
= {baz}
SELECT (regexp_matches('foobarbequebaz', '(ba.)(.)', 'g'))[2]
: text
= b
SELECT v.t, m[1] FROM (VALUES ('a1b2'), ('c3')) v(t), regexp_matches(v.t, '[a-z]\d', 'g') m ORDER BY 1, 2
: text text
= a1b2	a1
= a1b2	b2
= c3	c3
SELECT v.t, m FROM (VALUES ('a1b2'), ('c3'), ('')) v(t), regexp_split_to_table(v.t, '\d') m ORDER BY 1, 2
: text text
= 	
= a1b2	
= a1b2	a
= a1b2	b
= c3	
= c3	c
SELECT regexp_split_to_table('hey you', '\s*'), 1
: text integer
= h	1
= e	1
= y	1
= y	1
= o	1
= u	1
SELECT regexp_split_to_array('', ''), regexp_split_to_array('aXbXc', 'X*'), regexp_split_to_array('über ähnlich', '\W+'), regexp_split_to_array('abc', '', 'i'), regexp_split_to_array('aXbxc', 'x', 'i')
: text[] text[] text[] text[] text[]
= {""}	{a,b,c}	{über,ähnlich}	{a,b,c}	{a,b,c}
SELECT regexp_split_to_array('abc', 'b', 'g')
! 22023
SELECT regexp_match('abc', 'b', 'g')
! 22023
SELECT regexp_match('abc', 'b', 'z')
! 22023
SELECT regexp_like('aBc', 'b', 'i'), regexp_like('abc', 'B'), regexp_count('abcabc', 'b'), regexp_count('abcabc', 'b', 3), regexp_count('abcABC', 'b', 1, 'i'), regexp_instr('abcabc', 'c'), regexp_instr('abcabc', 'c', 4), regexp_instr('abcabc', 'c', 1, 2), regexp_instr('abcabc', 'c', 1, 2, 1), regexp_instr('abcabc', '(b)(c)', 1, 2, 0, '', 2)
: boolean boolean integer integer integer integer integer integer integer integer
= t	f	2	1	2	3	6	6	7	6
SELECT regexp_replace('abcabc', 'b', 'X'), regexp_replace('abcabc', 'b', 'X', 'g'), regexp_replace('abcabc', 'b', 'X', 3), regexp_replace('abcabc', 'b', 'X', 1, 2), regexp_replace('abcabc', 'B', 'X', 1, 0, 'i'), regexp_replace('abc', '(b)(c)', '\2\1\&\\')
: text text text text text text
= aXcabc	aXcaXc	abcaXc	abcaXc	aXcaXc	acbbc\\
SELECT regexp_replace('abc', 'b', 'X', 0)
! 22023
SELECT regexp_replace('abc', 'b', 'X', 1, -1)
! 22023
SELECT regexp_replace('abc', 'b', 'X', '1')
! 22023
SELECT regexp_count('abc', 'b', 0)
! 22023
SELECT regexp_instr('abc', 'b', 1, 0)
! 22023
SELECT regexp_instr('abc', 'b', 1, 1, 2)
! 22023
SELECT regexp_substr('abc', 'b', 1, 1, '', -1)
! 22023
SELECT 'abc' ~ '('
! 2201B
SELECT 'abc' ~ '['
! 2201B
SELECT 'abc' ~ 'a{2'
! 2201B
SELECT 'abc' ~ 'a{2,1}'
! 2201B
SELECT 'abc' ~ '*a'
! 2201B
SELECT 'abc' ~ '\'
! 2201B
SELECT 'abc' ~ '[z-a]'
! 2201B
SELECT 'abc' ~ '[[:foo:]]'
! 2201B
SELECT 'abc' ~ '\1'
! 2201B
SELECT 'abc' ~ '(?z)a'
! 2201B
SELECT regexp_match('x', 'a', 'i'), regexp_match('A', 'a', 'i'), regexp_match(E'a\nb', '^b', 'n'), regexp_match(E'a\nb', 'a.b', 'n'), regexp_match(E'a\nb', 'a.b', 's'), regexp_match('a b', 'a b', 'x'), regexp_match('a.b', 'a.b', 'q')
: text[] text[] text[] text[] text[] text[] text[]
= \N	{A}	{b}	\N	{"a\nb"}	\N	{a.b}
SELECT 'é' ~ '[[:alpha:]]', 'é' ~ '\w', 'é' ~ '\W', 'é' ~ '\y', 'É' ~* 'é', 'ß' ~ '\w', '٣' ~ '\d', '٣' ~ '\w', ' ' ~ '\s', '日本' ~ '^\w+$'
: boolean boolean boolean boolean boolean boolean boolean boolean boolean boolean
= t	t	f	t	t	t	f	t	t	t
SELECT regexp_replace('naïve café', '\w+', 'X', 'g'), regexp_replace('aab abb', '(a|ab)(b|)', '[\1]', 'g'), regexp_replace('ab', 'a|ab', 'X'), regexp_match('category', 'cat|category')
: text text text text[]
= X X	[a][ab] [ab]	X	{category}
SELECT id FROM samples WHERE t ~ '^a' ORDER BY id
: integer
= 2
= 6
SELECT 'ab' SIMILAR TO 'a' || 'b', 'x' || 'ab' SIMILAR TO 'xa' || 'b' AND true
: boolean boolean
= t	t
SELECT 'foo' LIKE 'foo' ESCAPE 'xx'
! 22025
SELECT 'foo' LIKE p ESCAPE e FROM (VALUES ('f!_o', '!'), ('f%', '!'), ('f', NULL)) v(p, e) ORDER BY p
: boolean
= \N
= f
= t
SELECT substring('x' FROM 'a' || 'b'), substring('xab' FROM '(a)' || 'b')
: text text
= \N	a
SELECT regexp_match('n12', '(' || '[0-9]+' || ')')
: text[]
= {12}
SELECT regexp_matches('a', 'b') IS NULL
: boolean
SELECT count(*) FROM regexp_matches('a', 'b')
: bigint
= 0
SELECT regexp_match('aaa' || repeat('b', 3), 'a+?b'), regexp_match('abc', '(?:a|ab)(?:c|bcd)?')
: text[] text[]
= {aaab}	{abc}
SELECT count(*) FROM (SELECT regexp_replace(i::text, '(\d)(\d)', '\2\1') r FROM generate_series(1, 3000) i) x WHERE r ~ '^1'
: bigint
= 300
SELECT substring('foobar' FROM 'foo|foobar')
: text
= foobar
SELECT '5' SIMILAR TO '\d', 'ab' SIMILAR TO '\w\w'
: boolean boolean
= t	t
SELECT regexp_split_to_table('hey you', '\s*')
: text
= h
= e
= y
= y
= o
= u
SELECT id, regexp_match(t, t), t ~ t, t ~* upper(t), t SIMILAR TO t, regexp_replace(t, t, 'x'), regexp_split_to_array(t, t) FROM samples WHERE t ~ '^[\w ]*$' ORDER BY id
: integer text[] boolean boolean boolean text text[]
= 1	{Abc}	t	t	t	x	{"",""}
= 2	{abc}	t	t	t	x	{"",""}
= 3	{b}	t	t	t	x	{"",""}
= 4	{""}	t	t	t	x	{""}
= 6	{aB}	t	t	t	x	{"",""}
= 7	{ä}	t	t	t	x	{"",""}
= 8	{Zed}	t	t	t	x	{"",""}
= 9	{" x "}	t	t	t	x	{"",""}
SELECT t FROM samples WHERE t ~ '^(?:a|b)' OR t ~ '^[[:upper:]]' ORDER BY id
: text
= Abc
= abc
= b
= aB
= Zed
SELECT t FROM samples WHERE t ~ '^a?b' ORDER BY id
: text
= abc
= b
SELECT t FROM samples WHERE t ~ '^ab+' ORDER BY id
: text
= abc
SELECT t FROM samples WHERE t ~ '^(?i)a' ORDER BY id
! 2201B
SELECT t FROM samples WHERE t ~ '(?i)^a' ORDER BY id
: text
= Abc
= abc
= aB
SELECT t FROM samples WHERE t ~ '***=^a' ORDER BY id
: text
SELECT t FROM samples WHERE t !~ '^a' ORDER BY id
: text
= Abc
= b
= 
= ä
= Zed
=  x 
SELECT t FROM samples WHERE t SIMILAR TO 'a%' ORDER BY id
: text
= abc
= aB
SELECT t ~ 'b|^a', count(*) FROM samples GROUP BY 1 ORDER BY 1
: boolean bigint
= f	4
= t	4
= \N	1
SELECT CASE WHEN t ~ '^\d+$' THEN t::int END FROM samples ORDER BY id
: integer
= \N
= \N
= \N
= \N
= \N
= \N
= \N
= \N
= \N
SELECT substring(t FROM 1 FOR 1), substring(t, 2), count(*) FROM samples GROUP BY 1, 2 ORDER BY 1, 2
: text text bigint
= 		1
=  	x 	1
= A	bc	1
= Z	ed	1
= a	B	1
= a	bc	1
= b		1
= ä		1
= \N	\N	1
SELECT regexp_replace(t, '(.)', '\1\1', 'g') FROM samples ORDER BY id
: text
= AAbbcc
= aabbcc
= bb
= 
= \N
= aaBB
= ää
= ZZeedd
=   xx  
SELECT regexp_replace(t, '.', 'x', i) FROM samples WHERE i > 0 AND i < 4 ORDER BY id
: text
= xbc
= axc
= b
=  xx
SELECT 'ab' LIKE p ESCAPE e FROM (VALUES ('a!_', '!'), ('a!b', 'x'), ('a_', '')) v(p, e) ORDER BY p
: boolean
= f
= f
= t
SELECT $1 ~ $2, regexp_match($3, $4), substring($5, $6), $7 SIMILAR TO $8, $9 LIKE $10
$ text text text text text text text text text text
: boolean text[] text boolean boolean
SELECT regexp_match('abbb', $1), 'abbb' ~ $1
$ text
: text[] boolean
SELECT substring('foobar', $1), substring('foobar' FROM $2 FOR $3)
$ text text text
: text text
SELECT right('abc', -2147483648), right('abc', (-2147483648)::integer), left('abc', -2147483648), right('abc', -2147483647)
: text text text text
= abc	abc		
SELECT id, right(t, CASE WHEN id < 3 THEN -2147483648 ELSE -1 END) FROM samples ORDER BY id
: integer text
= 1	Abc
= 2	abc
= 3	
= 4	
= 5	\N
= 6	B
= 7	
= 8	ed
= 9	x 
SELECT number FROM notes WHERE note = right('some', -2147483648) OR note = right('note', $1)
$ integer
: bigint
SELECT 'a%b' LIKE 'aé%b' ESCAPE 'é', 'axb' NOT LIKE 'aé%b' ESCAPE 'é', 'é' LIKE 'éé' ESCAPE 'é', '\' LIKE '\' ESCAPE 'é', '%' LIKE 'é%' ESCAPE 'é'
: boolean boolean boolean boolean boolean
= t	t	t	t	t
SELECT 'A%B' ILIKE 'aé%b' ESCAPE 'é', 'A%' ILIKE 'ab%' ESCAPE 'b', 'A%' ILIKE 'ab%' ESCAPE 'B', 'A%' ILIKE 'aB%' ESCAPE 'B', 'B' ILIKE 'bb' ESCAPE 'b', 'a%' NOT ILIKE 'ab%' ESCAPE 'b'
: boolean boolean boolean boolean boolean boolean
= t	t	f	t	t	f
SELECT 'a😀%b' LIKE 'a_😀%b' ESCAPE '😀', '😀' LIKE '_', '😀' SIMILAR TO '😀😀' ESCAPE '😀', 'a\b' LIKE 'a\b' ESCAPE '', 'a\b' ILIKE 'A\B' ESCAPE 'x'
: boolean boolean boolean boolean boolean
= t	t	t	t	t
SELECT id, t LIKE 'é%é' || coalesce(t, '') ESCAPE 'é', t ILIKE '%' || upper(t) || '%' ESCAPE 'é', t LIKE '%' ESCAPE t FROM samples WHERE length(t) = 1 OR t IS NULL ORDER BY id
: integer boolean boolean boolean
= 3	f	t	t
= 5	\N	\N	\N
= 7	f	t	t
SELECT 'a%' LIKE p ESCAPE e, 'A%' ILIKE p ESCAPE e FROM (VALUES ('aé%', 'é'), ('a\%', '\'), ('a%', ''), ('aa%', 'a'), ('aA%', 'A'), (NULL, 'a'), ('a%', NULL)) v(p, e) ORDER BY p, e
: boolean boolean
= t	t
= \N	\N
= t	t
= t	t
= t	t
= t	t
= \N	\N
SELECT 'a' LIKE p ESCAPE 'ab' FROM (VALUES ('a')) v(p)
! 22025
SELECT 'a' LIKE 'a' ESCAPE e FROM (VALUES ('éé')) v(e)
! 22025
SELECT count(*) FROM samples WHERE t LIKE 'fé%%' ESCAPE 'é' OR t ILIKE 'FOOF%' ESCAPE 'f'
: bigint
= 0
SELECT regexp_match('x ab', '(?<=\ma)b'), regexp_match(e'x\nab', '(?n)(?<=^a)b'), regexp_match('ab aab', '(?<=\Ya)b'), regexp_match('xab b', '(?<!x(?=ab)a)b'), 'x ab' ~ '(?<=\ya)b'
: text[] text[] text[] text[] boolean
= {b}	{b}	{b}	{b}	t
SELECT regexp_match('abbbbbc', '(a|b)(?:\1{2}){2}c'), regexp_match('ac', '(?:a|(b))(?:\1){0,2}c'), regexp_match('ac', '(?:a|(b))\1{0,2}c'), regexp_match('a', '(a*?)\1|a'), regexp_instr(' c_aa', '(?:(c{0,2}?)\1|c)', 1, 2, 1, '', 1)
: text[] text[] text[] text[] integer
= {b}	{NULL}	\N	{NULL}	0
