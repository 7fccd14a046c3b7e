SELECT DATE $$1999-01-01$$, TIMESTAMP $t$2020-01-01 10:00$t$, TIME $$10:00$$
: date timestamp_without_time_zone time_without_time_zone
SELECT interval $i$2 hours$i$, $$a$$ || $q$'b'$q$
: interval text
SELECT extract(year FROM timestamp $$2020-05-01$$), $$5$$::int + 1
: numeric integer
SELECT interval $$5$$ day, interval '5' day
: interval interval
SELECT regexp_matches('foobar', $re$(bar)$re$)
: text[]
= {bar}
SELECT 'foobar' ~ $re$(o)\1$re$, 'abc' LIKE $$a%$$, 'abc' SIMILAR TO $$a%$$
: boolean boolean boolean
= t	t	t
SELECT 1_000
! 42601
SELECT 0x1F
! 42601
SELECT 0b101
! 42601
SELECT 0o17
! 42601
SELECT 1a
! 42601
SELECT 1e
! 42601
SELECT 1.5e
! 42601
SELECT 1e+
! 42601
SELECT 1.a
! 42601
SELECT 12abc FROM (VALUES (1)) t
! 42601
SELECT 1 a, 1.5 b, .5 c, 1. d
: integer numeric numeric numeric
= 1	1.5	0.5	1
SELECT 1.5.5
! 42601
SELECT 1..2
! 42601
SELECT (ARRAY[1,2,3])[1:2], (ARRAY[1,2,3])[2:]
: integer[] integer[]
= {1,2}	{2,3}
SELECT 1é
! 42601
SELECT 1"a"
: integer
= 1
SELECT 1'a'
! 42601
SELECT 1AS x
! 42601
SELECT 1 AS1
: integer
= 1
SELECT 'x' 'y'
! 42601
SELECT 'x' AS 'y'
! 42601
SELECT U&'\0041' 'b'
! 42601
SELECT E'a' 'b'
! 42601
SELECT $$a$$ $$b$$
! 42601
SELECT 'x''y', 'x' || 'y'
: text text
= x'y	xy
SELECT 'foo' -- comment
: text
= foo
SELECT U&'\0041\+000042', U&'d!0061t\+000061' UESCAPE '!', U&'a\\b'
: text text text
= AB	dat\\+000061	a\\b
SELECT U&'\004'
! 42601
SELECT U&'\D83D\DE00', length(U&'\D83D\DE00')
: text integer
= 😀	1
SELECT U&'a' UESCAPE 'xx'
! 42601
SELECT U&'a' UESCAPE '0'
! 42601
SELECT U&'a!0061' UESCAPE '!' || 'b'
: text
= aab
SELECT E'a\nb', E'\x41\101\u0041\U00000041', E'\\', E'\'', E'a''b', E'\q'
: text text text text text text
= a\nb	AAAA	\\	'	a'b	q
SELECT E'\u00'
! 22025
SELECT E'\xzz'
: text
= xzz
SELECT e'x', E'\b\f\r\t' = chr(8)||chr(12)||chr(13)||chr(9)
: text boolean
= x	t
SELECT B'101', X'1F'
: bit bit
= 101	00011111
~ types of bits are refused
>! 0A000
SELECT '101'::bit, '101'::bit(3), '101'::bit varying, '101'::varbit(2)
: bit bit bit_varying bit_varying
= 1	101	101	10
~ types of bits are refused
>! 0A000
SELECT B'101' & B'110'
: bit
= 100
~ types of bits are refused
>! 0A000
SELECT '101'::bit(5)
: bit
= 10100
~ types of bits are refused
>! 0A000
SELECT '12'::bit
! 22P02
~ types of bits are refused
>! 0A000
SELECT 5::bit(4)
: bit
= 0101
~ types of bits are refused
>! 0A000
SELECT DATE E'1999-01-01', DATE U&'1999-01-01'
: date date
= 1999-01-01	1999-01-01
SELECT 1 AS "a b", $$it's$$, $a$x$$y$a$, $_1$z$_1$
: integer text text text
= 1	it's	x$$y	z
SELECT $$abc
! 42601
SELECT $a$abc$b$
! 42601
SELECT 'abc
! 42601
SELECT CAST($$5$$ AS int), int4 $$7$$, pg_typeof($$x$$), $${1,2}$$::int[]
: integer integer regtype integer[]
SELECT 1 + $$2$$, $$2020-01-01$$::date + 1, $$b$$ IN ($$a$$, $$b$$)
: integer date boolean
SELECT json $${"a": 1}$$ -> $$a$$, jsonb $$[1]$$
: json jsonb
= 1	[1]
SELECT bytea $$\x00ff$$, bool $$t$$, numeric $$1.50$$, uuid $$6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01$$
: bytea boolean numeric uuid
SELECT date '2020-01-01' 'x'
! 42601
SELECT 1 'x'
! 42601
SELECT * FROM (VALUES ('a' 'b')) v
! 42601
SELECT 100000000000000000000, 00012
: numeric integer
= 100000000000000000000	12
SELECT -1a
! 42601
SELECT $1a
! 42601
SELECT 1 IN(1)
: boolean
= t
SELECT 1OR 2
! 42601
SELECT 1FROM pg_class LIMIT 1
! 42601
SELECT 0x
! 42601
SELECT 0xG
! 42601
SELECT 1__0
! 42601
SELECT 1_
! 42601
SELECT _1
! 42703
SELECT 10e3e
! 42601
SELECT * FROM (VALUES (1)) t(a1b) WHERE a1b=1AND true
! 42601
SELECT 'a' COLLATE "C"
: text
= a
SELECT ''''
: text
= '
SELECT U&"d\0061t" FROM (VALUES (1)) v(dat)
: integer
= 1
SELECT x'1f'::int
: integer
= 31
~ types of bits are refused
>! 0A000
SELECT length(B'101'), B'101' = '101'
: integer boolean
= 3	t
~ types of bits are refused
>! 0A000
