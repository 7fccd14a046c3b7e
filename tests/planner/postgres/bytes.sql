SELECT convert_from('\x6a6f', 'UTF8'), encode('\x6a6f', 'hex')
: text text
= jo	6a6f
SELECT md5('\x6a6f'), length('\x6a6f'::bytea), get_byte('\x6a6f', 0)
: text integer integer
= cf6c2e1e9f8ffc1b32803b1e650128e2	2	106
SELECT convert_from('\x41', 'UTF8') || 'b', get_byte('\x00ff', 1)
: text integer
= Ab	255
SELECT reverse('e' || U&'\0301' || 'x') = 'x' || U&'\0301' || 'e', reverse('🇩🇪') = '🇪🇩', reverse('abc'), reverse(''), reverse(NULL)
: boolean boolean text text text
= t	t	cba		\N
SELECT length('e' || U&'\0301'), left('e' || U&'\0301' || 'x', 1), right('xe' || U&'\0301', 1) = U&'\0301', substring('e' || U&'\0301' || 'x', 2, 1) = U&'\0301', lpad('x', 3, 'e' || U&'\0301'), strpos('e' || U&'\0301' || 'x', 'x'), overlay('e' || U&'\0301' || 'x' placing 'y' from 2 for 1)
: integer text boolean boolean text integer text
= 2	e	t	t	éx	3	eyx
SELECT lpad('🇩🇪', 3, 'x'), rpad('🇩🇪', 1), length('🇩🇪'), left('🇩🇪', 1) = '🇩', right('👨‍👩‍👧', 1), substr('👨‍👩‍👧', 2, 1) = U&'\200D', split_part('a👨‍👩‍👧b', '👩', 1), initcap('élan vital'), upper('straße'), char_length('👨‍👩‍👧'), ascii('é'), translate('e' || U&'\0301', 'e', 'a') = 'a' || U&'\0301', trim(both 'e' from 'e' || U&'\0301') = U&'\0301', replace('e' || U&'\0301', 'e', 'x') = 'x' || U&'\0301', starts_with('e' || U&'\0301', 'e'), position(U&'\0301' in 'e' || U&'\0301'), string_to_array('e' || U&'\0301' || 'x', NULL), array_length(regexp_split_to_array('👨‍👩‍👧', ''), 1)
: text text integer boolean text boolean text text text integer integer boolean boolean boolean boolean integer text[] integer
= x🇩🇪	🇩	2	t	👧	t	a👨‍	Élan Vital	STRAßE	5	233	t	t	t	t	2	{e,́,x}	5
SELECT encode(repeat('x', 60)::bytea, 'base64')
: text
= eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4\neHh4
SELECT length(encode(repeat('x', 120)::bytea, 'base64')), position(chr(10) IN encode(repeat('a', 58)::bytea, 'base64')), length(encode(repeat('a', 57)::bytea, 'base64')), length(encode(repeat('a', 114)::bytea, 'base64')), encode('', 'base64'), length(encode(repeat('a', 171)::bytea, 'base64'))
: integer integer integer integer text integer
= 162	77	77	154		231
SELECT decode(encode(repeat('x', 200)::bytea, 'base64'), 'base64') = repeat('x', 200)::bytea, decode('YW Jj', 'base64'), decode(E'YW\nJj', 'base64'), decode('', 'base64')
: boolean bytea bytea bytea
= t	\\x616263	\\x616263	\\x
SELECT decode('YW=', 'base64')
! 22023
SELECT decode('Y', 'base64')
! 22023
SELECT decode('Y$Jj', 'base64')
! 22023
SELECT decode('YQ==YQ==', 'base64')
: bytea
= \\x6161
SELECT decode('6 a6f', 'hex'), decode('6A6f', 'hex'), decode('', 'hex')
! 22023
SELECT decode('6a6', 'hex')
! 22023
SELECT decode('zz', 'hex')
! 22023
SELECT decode('a\\b\001', 'escape'), encode('\x00015c7f80ff41', 'escape'), encode('\x00ff', 'base64')
: bytea text text
= \\x615c6201	\\000\\\\\\200\\377A	AP8=
SELECT encode(t, f), decode(encode(t, f), f) = t FROM (VALUES ('\x00ff41'::bytea, 'hex'), ('\x00ff41', 'base64'), ('\x00ff41', 'escape'), ('\x41', NULL)) v(t, f) ORDER BY f
: text boolean
= AP9B	t
= \\000\\377A	t
= 00ff41	t
= \N	\N
SELECT encode('a', 'foo')
! 22023
SELECT encode('a', f) FROM (VALUES ('foo')) v(f)
! 22023
SELECT get_byte('\x00ff', 2)
! 2202E
SELECT get_byte('\x00ff'::bytea, 1), set_byte('\x00ff', 0, 65), set_byte('\x00ff'::bytea, 1, 256), get_bit('\x8001'::bytea, 8), set_bit('\xff'::bytea, 7, 0)
: integer bytea bytea integer bytea
= 255	\\x41ff	\\x0000	1	\\x7f
SELECT set_byte('\x01', 1, 0)
! 2202E
SELECT get_byte(decode('00ff', 'hex'), 1), get_byte(NULL, 0), get_byte('\x00', NULL)
: integer integer integer
= 255	\N	\N
SELECT length('\x6a6f', 'UTF8'), length('abc'), length('\x6a6f'), octet_length('\x6a6f'), bit_length('\x6a6f'), bit_length('\x6a6f'::bytea), octet_length('\x6a6f'::bytea)
: integer integer integer integer integer integer integer
= 2	3	6	6	48	16	2
SELECT md5('\x6a6f'::bytea), md5('jo'), sha256('\x6a6f'), sha224('jo'), sha384('jo'), sha512('jo'), sha256('jo'::bytea)
: text text bytea bytea bytea bytea bytea
= 674f33841e2309ffdd24c85dc3b999de	674f33841e2309ffdd24c85dc3b999de	\\xc278ec5a69c34aace42773e41b1163e6ce40c906f2a14f807d39d1b2a1c2dff5	\\xcb83e6d1deff0dc7efd56a4029dd23a6769e2b7b712bcacc9558e033	\\x9b032785b75b76e44bb4dcc81142c08a45d9f386866a3bf32206fef808f6ed55d88abf5b24bdbf8d0cb4ef799c41b117	\\x183a6c13d66e3cc8fbddb501e0b9aab63a09f9cb72676eba78636cb8a18b0a81305259161e76b776dab8f15d33db804325bfedd7339212b3351fb8f3cac049d8	\\xc278ec5a69c34aace42773e41b1163e6ce40c906f2a14f807d39d1b2a1c2dff5
SELECT convert_to('jo', 'UTF8'), convert_from('jo', 'UTF8'), convert_from(convert_to('é', 'UTF8'), 'utf-8'), convert_from('\xc3a9', 'UTF-8')
: bytea text text text
= \\x6a6f	jo	é	é
SELECT convert_from('\xff', 'UTF8')
! 22021
SELECT convert_from('\xe9', 'LATIN1')
: text
= é
SELECT convert_to('é', 'LATIN1')
: bytea
= \\xe9
SELECT substring('\x010203'::bytea, 2), substring('\x010203'::bytea from 2 for 1), substr('\x010203'::bytea, 2, 1), overlay('\x010203'::bytea placing '\xff' from 2 for 1), position('\x02'::bytea in '\x010203'), position('\x02' in '\x010203'::bytea), btrim('\x01020301'::bytea, '\x01'), ltrim('\x0102'::bytea, '\x01'), rtrim('\x0201'::bytea, '\x01')
: bytea bytea bytea bytea integer integer bytea bytea bytea
= \\x0203	\\x02	\\x02	\\x01ff03	2	2	\\x0203	\\x02	\\x02
SELECT '\x01'::bytea || '\x02', '\x01'::bytea || '\x02'::bytea, 'a'::bytea || 'b', '\x01' || '\x02'::bytea
: bytea bytea bytea bytea
= \\x0102	\\x0102	\\x6162	\\x0102
SELECT 'abc'::bytea, 'a\\b'::bytea, '\x 61 62'::bytea, 'é'::bytea
: bytea bytea bytea bytea
= \\x616263	\\x615c62	\\x6162	\\xc3a9
SELECT 'a\b'::bytea
! 22P02
SELECT '\x6'::bytea
! 22023
SELECT '\xzz'::bytea
! 22023
SELECT '\x61'::bytea = 'a', '\x61'::bytea LIKE 'a%', '\x61'::bytea < '\x62', 'a' = '\x61'::bytea, '\x61'::bytea IN ('a', 'b')
: boolean boolean boolean boolean boolean
= t	t	t	t	t
~ LIKE of bytes is missing
>! 0A000
SELECT format(f, 1) FROM (VALUES ('%s!')) t(f)
: text
= 1!
SELECT format('%' || 's', 'x'), format('a' || '%%')
: text text
= x	a%
SELECT format('%1$s %2$s %1$s', 'a', 'b'), format('%s %s', 'a', 'b'), format('%2$s %s', 'a', 'b', 'c'), format('|%10s|%-10s|', 'a', 'b'), format('|%*s|', 5, 'x'), format('|%-*s|', 5, 'x'), format('|%*s|', -5, 'x'), format('|%2$*1$s|', 4, 'x'), format('|%*2$s|', 'x', 4), format('%I %L %%', 'a b', 'it''s'), format('%I', 'select'), format('%L', NULL), format('%s', NULL), format('%s', 1.50), format('%s', true), format('%s', DATE '2020-01-02'), format('%10L', 'x'), format('%s', ARRAY[1,2])
! 22023
SELECT format('%s')
! 22023
SELECT format('%')
! 22023
SELECT format('%z', 1)
! 22023
SELECT format('%0$s', 1)
! 22023
SELECT format('%1', 1)
! 22023
SELECT format('%1$', 1)
! 22023
SELECT format('%3$s', 1, 2)
! 22023
SELECT format('%I', NULL)
! 22004
SELECT format(NULL, 1), format('x', 1, 2), format(NULL) IS NULL
: text text boolean
= \N	x	t
SELECT format(f, 'x', 'y') FROM (VALUES ('%2$s-%1$s'), ('%%'), (NULL), ('%L'), ('%I')) v(f) ORDER BY f
: text
= %
= y-x
= x
= 'x'
= \N
SELECT format(f, a, b) FROM (VALUES ('%s %s', 1, 'x'), ('%2$L', 2, NULL), ('%5s|%-5s|', 3, 'z')) v(f, a, b) ORDER BY f
: text
= NULL
=     3|z    |
= 1 x
SELECT format('%-5s|', 'ab'), format('%05s', 'a'), format('%+s', 'a'), format('%s%', 1)
! 22023
SELECT format('%s', '\x41'::bytea), format('%s', 1e10::float8), format('%L', 1), format('%I', 'A'), format('%1$s%1$L', 'x'), format('%-s|', 'a'), format('%1$-5s|', 'a')
: text text text text text text text
= \\x41	10000000000	'1'	"A"	x'x'	a|	a    |
SELECT format('no'), format(''), format('%%%s%%', 'x')
: text text text
= no		%x%
SELECT sha224('jo'), sha384('jo'), sha512('jo')
: bytea bytea bytea
= \\xcb83e6d1deff0dc7efd56a4029dd23a6769e2b7b712bcacc9558e033	\\x9b032785b75b76e44bb4dcc81142c08a45d9f386866a3bf32206fef808f6ed55d88abf5b24bdbf8d0cb4ef799c41b117	\\x183a6c13d66e3cc8fbddb501e0b9aab63a09f9cb72676eba78636cb8a18b0a81305259161e76b776dab8f15d33db804325bfedd7339212b3351fb8f3cac049d8
SELECT get_byte('\x00ff'::bytea, 1), set_byte('\x00ff', 0, 65), set_byte('\x00ff'::bytea, 1, 256), get_bit('\x8001'::bytea, 8), set_bit('\xff'::bytea, 7, 0), set_bit('\xff00'::bytea, 8, 1), get_bit('\x80'::bytea, 7)
: integer bytea bytea integer bytea bytea integer
= 255	\\x41ff	\\x0000	1	\\x7f	\\xff01	1
SELECT set_bit('\x01'::bytea, 0, 2)
! 22023
SELECT set_bit('\x01'::bytea, 8, 1)
! 2202E
SELECT substring('\x0102'::bytea, 1, -1)
! 22011
SELECT reverse(t), format('%s-%I', t, t) FROM samples WHERE t IS NOT NULL ORDER BY id
: text text
= cbA	Abc-"Abc"
= cba	abc-abc
= b	b-b
= 	-""
= Ba	aB-"aB"
= ä	ä-"ä"
= deZ	Zed-"Zed"
=  x 	 x -" x "
SELECT reverse('abc'::varchar(5)), reverse(1)
! 42883
SELECT md5('\x6a6f'::bytea), md5('jo'), md5('\x6a6f'), length('\x6a6f'::bytea), bit_length('\x6a6f'::bytea)
: text text text integer integer
= 674f33841e2309ffdd24c85dc3b999de	674f33841e2309ffdd24c85dc3b999de	cf6c2e1e9f8ffc1b32803b1e650128e2	2	16
SELECT encode(sha256('a'), 'hex'), encode(md5('a')::bytea, 'base64'), length(sha256('a')), decode(md5('a'), 'hex')
: text text integer bytea
= ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb	MGNjMTc1YjljMGYxYjZhODMxYzM5OWUyNjk3NzI2NjE=	32	\\x0cc175b9c0f1b6a831c399e269772661
SELECT convert_from(decode('w6k=', 'base64'), 'UTF8'), encode(convert_to('é', 'UTF8'), 'hex'), encode('é', 'hex'), encode('a\\b', 'escape')
: text text text text
= é	c3a9	c3a9	a\\\\b
SELECT encode('a\b', 'hex')
! 22P02
SELECT b, encode(b, 'base64') FROM (VALUES ('\x01ff'::bytea), (NULL), ('\x')) v(b) ORDER BY b
: bytea text
= \\x	
= \\x01ff	Af8=
= \N	\N
SELECT get_bit('101', 0)
: integer
= 1
~ bit strings are refused
>! 0A000
SELECT set_bit('\x00', 0, 1)
! 22P02
~ bit strings are refused
>! 0A000
SELECT encode('\x00'::bytea, $1), get_byte($2, $3), convert_from($4, $5)
$ text bytea integer bytea name
: text integer text
SELECT parse_ident('a.b', true), parse_ident('A."B c"')
: text[] text[]
= {a,b}	{a,"B c"}
SELECT lpad('x', 5, ''), rpad('abc', 2, ''), lpad(t, 5, note) from samples join notes on sample = id order by number
: text text text
= x	ab	onAbc
= x	ab	unAbc
= x	ab	twabc
SELECT lpad('x', 5, t), lpad(t, 3, ''), rpad('abc', 2, 'xy'), lpad('abc', -1, ''), lpad(null, 3, '') from samples order by id
: text text text text text
= AbcAx	Abc	ab		\N
= abcax	abc	ab		\N
= bbbbx	b	ab		\N
= x		ab		\N
= \N	\N	ab		\N
= aBaBx	aB	ab		\N
= ääääx	ä	ab		\N
= ZedZx	Zed	ab		\N
=  x  x	 x 	ab		\N
SELECT btrim('\x000100'::bytea,'\x00'::bytea), ltrim('\x000100'::bytea,'\x00'::bytea), rtrim('\x000100'::bytea,'\x00'::bytea)
: bytea bytea bytea
= \\x01	\\x0100	\\x0001
SELECT trim(both '\x00'::bytea from '\x000100'::bytea)
: bytea
= \\x01
select btrim(b, '\x00') from (values ('\x000100'::bytea)) t(b)
: bytea
= \\x01
SELECT position('\x02'::bytea in '\x0102'::bytea), position('\x05' in '\x0102'::bytea), position(''::bytea in '\x01'::bytea), position(b in '\x0102'), position('\x02' in b) from (values ('\x01'::bytea), ('\x02'), (null)) t(b)
: integer integer integer integer integer
= 2	0	1	1	0
= 2	0	1	2	1
= 2	0	1	\N	\N
SELECT strpos('abc', 'b'), position('b' in 'abc'), strpos(t, 'b') from samples order by id
: integer integer integer
= 2	2	2
= 2	2	2
= 2	2	1
= 2	2	0
= 2	2	\N
= 2	2	0
= 2	2	0
= 2	2	0
= 2	2	0
SELECT trim(leading '\x00' from '\x000100'::bytea), trim(trailing '\x00'::bytea from b), rtrim(b, '\x00'), ltrim(b, null) from (values ('\x000100'::bytea)) t(b)
: bytea bytea bytea bytea
= \\x0100	\\x0001	\\x0001	\N
SELECT trim('  a '), trim(both from ' a '), trim(leading 'x' from 'xxa'), trim(trailing from t), btrim('xyax', 'xy'), pg_typeof(btrim('a'::varchar)) from samples order by id
: text text text text text regtype
= a	a	a	Abc	a	text
= a	a	a	abc	a	text
= a	a	a	b	a	text
= a	a	a		a	text
= a	a	a	\N	a	text
= a	a	a	aB	a	text
= a	a	a	ä	a	text
= a	a	a	Zed	a	text
= a	a	a	 x	a	text
SELECT trim('\x00'::bytea)
! 42883
SELECT strpos('abc'::bytea, 'b'::bytea)
! 42883
