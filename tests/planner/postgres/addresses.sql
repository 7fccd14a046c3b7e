SELECT '10.0.0.1/33'::inet
! 22P02
SELECT '10.0.0.1'::inet::text, '10.0.0.1/8'::inet::varchar, 'a' || '10.0.0.1'::inet, '::1'::inet || 'a', concat('10.0.0.1/32'::inet), format('%s', '::0001'::inet)
: text character_varying text text text text
= 10.0.0.1/32	10.0.0.1/8	a10.0.0.1/32	::1/128a	10.0.0.1	::1
SELECT concat('::FFFF:102:304'::inet, ' ', '10/8'::inet, ' ', '010.1.2/25'::inet, ' ', '1:0:0:2:0:0:0:3/64'::inet, ' ', '::0.0.0.5'::inet, ' ', '::1:0.0.0.5'::inet)
: text
= ::ffff:1.2.3.4 10.0.0.0/8 10.1.2.0/25 1:0:0:2::3/64 ::5 ::1:0:5
SELECT inet 'x'
! 22P02
SELECT CAST('10.0.0.256' AS inet)
! 22P02
SELECT inet('::1/129')
! 22P02
SELECT '::1/064'::inet
! 22P02
SELECT ' 1.2.3.4'::inet
! 22P02
SELECT '1.2.3'::inet
! 22P02
SELECT ''::inet
! 22P02
SELECT t::inet FROM samples
! 22P02
~ a cast from text to inet is not supported
>! 0A000
SELECT 1::inet
! 42846
SELECT '1.2.3.4'::inet::int
! 42846
SELECT '10.0.0.1/8'::cidr
! 22P02
~ type cidr is not supported
>! 0A000
SELECT '{10.0.0.1}'::cidr[]
: cidr[]
= {10.0.0.1/32}
~ type cidr is not supported
>! 0A000
SELECT ARRAY['10.0.0.1', 'x']::inet[]
! 22P02
SELECT '1.2.3.4'::inet = '1.2.3.4/32', '1.2.3.4'::inet <> '1.2.3.4/31', '1.2.3.4' = '001.2.3.4'::inet, '1.2.3.4'::inet IN ('1.2.3.4/32', '::1')
: boolean boolean boolean boolean
= t	t	t	t
SELECT '1.2.3.4'::inet = 'x'
! 22P02
SELECT '1.2.3.4'::inet IN ('1.2.3.4/33', '::1')
! 22P02
SELECT '1.2.3.4'::inet = ANY ('{1.2.3.4/32}'), '1.2.3.4'::inet = ANY (ARRAY['1.2.3.4'::inet])
: boolean boolean
= t	t
SELECT '1.2.3.4'::inet = ANY ('{x}')
! 22P02
SELECT '1.2.3.4'::inet < '1.2.3.5'::inet
: boolean
= t
~ the order of inet values is not supported
>! 0A000
SELECT '1.2.3.4'::inet BETWEEN '1.2.3.5' AND '::1'
: boolean
= f
~ the order of inet values is not supported
>! 0A000
SELECT max('1.2.3.4'::inet)::text
: text
= 1.2.3.4/32
~ max() of inet values is not supported
>! 0A000
SELECT greatest('1.2.3.4'::inet, '::1')::text
: text
= ::1/128
~ the order of inet values is not supported
>! 0A000
SELECT coalesce(NULL, '1.2.3.4'::inet, 'x')
! 22P02
SELECT concat(coalesce(NULL::inet, '::0001')), concat(CASE WHEN false THEN '1.2.3.4'::inet ELSE '::0001' END), nullif('1.2.3.4'::inet, '1.2.3.4/32') IS NULL
: text text boolean
= ::1	::1	t
SELECT count(*) FROM (SELECT '1.2.3.4'::inet UNION SELECT '1.2.3.4/32') AS u
: bigint
= 1
SELECT count(*) FROM (VALUES ('1.2.3.4'::inet), ('1.2.3.4/32')) AS v (a) GROUP BY a
: bigint
= 2
SELECT count(DISTINCT a) FROM (VALUES ('1.2.3.4'::inet), ('1.2.3.4/32')) AS v (a)
: bigint
= 1
SELECT 1 FROM (VALUES ('1.2.3.4'::inet), ('1.2.3.4/32')) AS v (a) ORDER BY a
: integer
= 1
= 1
~ the order of inet values is not supported
>! 0A000
SELECT rank() OVER (ORDER BY a) FROM (VALUES ('1.2.3.4'::inet), ('1.2.3.4/32')) AS v (a)
: bigint
= 1
= 1
~ the order of inet values is not supported
>! 0A000
SELECT a << '1.2.0.0/16'::inet FROM (VALUES ('1.2.3.4'::inet)) AS v (a)
: boolean
= t
~ an operator of inet values is not supported
>! 0A000
SELECT ('1.2.3.4'::inet + 1)::text
: text
= 1.2.3.5/32
~ an operator of inet values is not supported
>! 0A000
SELECT '1.2.3.4'::inet LIKE '1%'
! 42883
SELECT length('1.2.3.4'::inet)
! 42883
~ length() of inet values is not supported
>! 0A000
SELECT to_json('1.2.3.4/32'::inet), row('1.2.3.4/32'::inet)::text
: json text
= "1.2.3.4"	(1.2.3.4)
SELECT count(*) FROM pg_stat_activity WHERE client_addr = '256.0.0.1'
! 22P02
SELECT count(*) FROM pg_stat_activity WHERE client_addr = '10.0.0.1' AND false
: bigint
= 0
SELECT coalesce(client_addr::text, 'local') FROM pg_stat_activity WHERE false
: text
SELECT coalesce(client_addr, 'local') FROM pg_stat_activity WHERE false
! 22P02
SELECT concat(coalesce(client_addr, '127.0.0.1')) FROM pg_stat_activity WHERE false
: text
SELECT pid FROM pg_stat_activity WHERE false ORDER BY client_addr
: integer
~ the order of inet values is not supported
>! 0A000
SELECT '{10.0.0.1/32,NULL}'::inet[]::text, '{}'::inet[]::text, ARRAY['010.0.0.1', '::1/128']::inet[]::text, ARRAY['10.0.0.1/32'::inet]::text
: text text text text
= {10.0.0.1,NULL}	{}	{10.0.0.1,::1}	{10.0.0.1}
SELECT '{10.0.0.1,x}'::inet[]
! 22P02
