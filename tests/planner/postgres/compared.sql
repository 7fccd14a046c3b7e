SELECT 1 = '1.5'
! 22P02
SELECT i = '1.5' FROM samples
! 22P02
SELECT 1 = 'x'
! 22P02
SELECT 1 + 1 = '1.5'
! 22P02
SELECT id FROM samples WHERE id = '1.5'
! 22P02
SELECT i + 1 = '1.5' FROM samples
! 22P02
SELECT 1 < '1.5'
! 22P02
SELECT 1 IN ('1.5')
! 22P02
SELECT 1 IN (1, '1.5')
! 22P02
SELECT 1 BETWEEN '0.5' AND '2'
! 22P02
SELECT '1.5' IN (1, 2)
! 22P02
SELECT 1.5 = '1.5'
: boolean
= t
SELECT 1::bigint = '1.5'
! 22P02
SELECT CASE 1 WHEN '1.5' THEN 2 END
! 22P02
SELECT nullif(1, '1.5')
! 22P02
SELECT 1 IS DISTINCT FROM '1.5'
! 22P02
SELECT 1 = ANY (ARRAY['1.5'])
! 42883
SELECT true = 'x'
! 22P02
SELECT length('abc') = '3.0'
! 22P02
SELECT -((-2147483648)::int)
! 22003
SELECT - i FROM (SELECT (-2147483648)::int AS i) s
! 22003
SELECT -((-32768)::smallint)
! 22003
SELECT -((-9223372036854775808)::bigint)
! 22003
SELECT -(-32768::smallint)
! 22003
SELECT - s FROM samples ORDER BY id
: smallint
= -1
= -1
= -2
= -2
= \N
= -3
= -3
= 1
= 1
SELECT - 2147483648, -9223372036854775808
: integer bigint
= -2147483648	-9223372036854775808
SELECT (-9223372036854775808)::bigint % -1
: bigint
= 0
SELECT (-2147483648)::int % -1
: integer
= 0
SELECT (-32768)::smallint % (-1)::smallint
: smallint
= 0
SELECT b % -1 FROM samples ORDER BY id
: bigint
= 0
= 0
= 0
= 0
= \N
= 0
= 0
= 0
= 0
SELECT mod((-9223372036854775808)::bigint, -1)
: bigint
= 0
SELECT mod((-9223372036854775808)::bigint, (-1)::bigint)
: bigint
= 0
SELECT (-9223372036854775808)::bigint / -1
! 22003
SELECT abs((-2147483648)::int)
! 22003
SELECT abs((-32768)::smallint)
! 22003
SELECT abs((-9223372036854775808)::bigint)
! 22003
SELECT ARRAY[1, true]
! 42804
SELECT ARRAY[true, 'x']
! 22P02
SELECT ARRAY[1, 'x']
! 22P02
SELECT ARRAY[1, '2']
: integer[]
= {1,2}
SELECT ARRAY[1, '2.5']
! 22P02
SELECT ARRAY[1.0, 2.5, '3.0']
: numeric[]
= {1.0,2.5,3.0}
SELECT ARRAY['2020-01-01'::date, 1]
! 42804
SELECT ARRAY['a'::text, 1]
! 42804
SELECT ARRAY[1, 'a'::text]
! 42804
SELECT ARRAY['2020-01-01'::date, '2020-01-02']
: date[]
= {2020-01-01,2020-01-02}
SELECT nullif(1, true)
! 42883
SELECT nullif(true, 1)
! 42883
SELECT nullif('2020-01-01'::date, 1)
! 42883
SELECT nullif('a'::text, 1)
! 42883
SELECT nullif(1, 'a'::text)
! 42883
SELECT 1 = true
! 42883
SELECT i = f FROM samples
! 42883
SELECT nullif(i, f) FROM samples
! 42883
SELECT nullif(i, n) FROM samples ORDER BY id
: numeric
= 1
= 2
= 2
= 5
= \N
= -7
= 9
= 0
= 3
SELECT CASE 1 WHEN true THEN 2 END
! 42883
SELECT 1 IN (true)
! 42883
SELECT nullif(d, r), nullif(r, d), nullif(i, d), nullif(n, i), nullif(s, b), nullif(n, d) FROM samples ORDER BY id
: double_precision real double_precision numeric smallint double_precision
= 0.5	1.5	1	1.500	1	1.5
= 1.5	2.5	2	2.500	1	2.5
= 2.5	0.1	2	-2.500	2	-2.5
= -2.5	1e+10	5	10.001	2	10.001
= \N	\N	\N	\N	\N	\N
= \N	\N	-7	0.000	3	\N
= 1e+20	3	9	999999.999	3	999999.999
= 0.1	-1.25	0	-0.005	-1	-0.005
= 123456.789	7	3	33.333	-1	33.333
SELECT nullif(1, '1'), nullif('1', 1), nullif(1, NULL), nullif(day, at) FROM samples WHERE id = 1
: integer integer integer date
= \N	\N	1	2020-01-01
SELECT (1, 2) = ('1', '2.5')
! 22P02
SELECT (1, 2) IN (('1', '2'), (3, 'x'))
! 22P02
SELECT id FROM samples WHERE i IN (SELECT note FROM notes)
! 42883
SELECT CASE i WHEN '1' THEN 'x' WHEN '2' THEN 'y' END FROM samples WHERE id < 4 ORDER BY id
: text
= x
= y
= y
SELECT CASE day WHEN '2020-01-01' THEN 'x' END FROM samples WHERE id < 4 ORDER BY id
: text
= x
= \N
= \N
SELECT CASE day WHEN 'x' THEN 'x' END FROM samples WHERE id < 4 ORDER BY id
! 22007
SELECT day IS DISTINCT FROM '2020-1-1', tz IS NOT DISTINCT FROM 'epoch' FROM samples WHERE id < 4 ORDER BY id
: boolean boolean
= f	f
= t	f
= t	f
SELECT f = 'yes', f = 'off' FROM samples WHERE id < 4 ORDER BY id
: boolean boolean
= t	f
= f	t
= t	f
SELECT f = 'maybe' FROM samples
! 22P02
SELECT f IS DISTINCT FROM 'x' FROM samples
! 22P02
SELECT d = 'nan', d = '1e400' FROM samples
! 22003
SELECT n > ' 1.5 ', i = ' 2 ', b = '9007199254740993' FROM samples WHERE id < 5 ORDER BY id
: boolean boolean boolean
= f	f	f
= t	t	f
= f	t	f
= t	f	t
SELECT s = '99999' FROM samples
! 22003
SELECT i = '9999999999' FROM samples
! 22003
SELECT '0.001'::numeric <> ALL (ARRAY[3::numeric(8,2), floor('0'::numeric)])
: boolean
= t
SELECT '0.001'::numeric > ANY (ARRAY[floor('0'::numeric) + 0::numeric(8,2)]), ARRAY['0.001'::numeric] && ARRAY[floor('0'::numeric) + 0::numeric(8,2)], ARRAY['0.001'::numeric] = ARRAY[floor('0'::numeric) + 0::numeric(8,2)]
: boolean boolean boolean
= t	f	f
SELECT '0.001'::numeric = ANY (SELECT sum(0::numeric(8,2)) FROM samples), '0.001'::numeric NOT IN (SELECT sum(0::numeric(8,2)) FROM samples), '0.001'::numeric > (SELECT sum(0::numeric(8,2)) FROM samples)
: boolean boolean boolean
= f	t	t
SELECT '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid = t FROM samples
! 42883
SELECT '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid IN (t, 'x') FROM samples
! 42883
SELECT '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid < '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a02'
: boolean
= t
SELECT '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid = 1
! 42883
SELECT '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid LIKE '6%'
! 42883
SELECT '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid ~ '6'
! 42883
SELECT j LIKE '%' FROM samples
! 42883
SELECT j::jsonb = t FROM samples
! 42883
SELECT '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid || 'a'
: text
= 6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01a
SELECT '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid || '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid
! 42883
SELECT min(u) FROM (SELECT '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid AS u) q
! 42883
SELECT max(j) FROM samples
! 42883
SELECT count(DISTINCT u), array_agg(u) FROM (SELECT '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid AS u) q
: bigint uuid[]
= 1	{6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01}
SELECT lower(u) FROM (SELECT '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid AS u) q
! 42883
SELECT length(j) FROM samples
! 42883
SELECT string_agg(u, ',') FROM (SELECT '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid AS u) q
! 42883
SELECT quote_literal(u), concat(u, 'x'), u::text || 'a' FROM (SELECT '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::uuid AS u) q
: text text text
= '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'	6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01x	6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01a
SELECT (true OR false, 1) = (false, 1)
: boolean
= f
SELECT (1 < 2, 1) = (true, 1)
: boolean
= t
SELECT (NOT true, 1) = (false, 1)
: boolean
= t
SELECT id, (i > 1 OR i < 0, 1) = (false, 1) FROM samples ORDER BY id
: integer boolean
= 1	t
= 2	f
= 3	f
= 4	f
= 5	\N
= 6	f
= 7	f
= 8	t
= 9	f
SELECT id, (i > 1, 1) < (true, 1) FROM samples ORDER BY id
: integer boolean
= 1	t
= 2	f
= 3	f
= 4	f
= 5	\N
= 6	t
= 7	f
= 8	t
= 9	f
SELECT id, (i IS NULL, 1) = (false, 1) FROM samples ORDER BY id
: integer boolean
= 1	t
= 2	t
= 3	t
= 4	t
= 5	f
= 6	t
= 7	t
= 8	t
= 9	t
SELECT id FROM samples WHERE (i > 1 OR i < 0, 1) IN ((true, 1)) ORDER BY id
: integer
= 2
= 3
= 4
= 6
= 7
= 9
SELECT ROW(1, 'a'::text) IS DISTINCT FROM ROW(1, 1)
! 42883
SELECT (NULL::numeric[], 1) IN (VALUES (NULL, 1))
! 42883
SELECT (NULL::text[], 1) IN (VALUES ('{1}'::jsonb[], 1))
! 42883
SELECT (-1, 1) IN (VALUES (true::boolean, 1))
! 42883
SELECT (1, 'a') IN (VALUES (NULL, 'a'), (1.5, 'a'))
: boolean
= \N
SELECT CASE NULL WHEN ARRAY[1, 2] THEN 1 END
! 42883
SELECT CASE 'a' WHEN 1 THEN 1 END
! 42883
