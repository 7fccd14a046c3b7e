SELECT 'abcdef'::varchar(5), 'abcdef'::char(5), 'ab'::char, 'a'::bpchar, 'abc'::character varying
: character_varying character character character character_varying
= abcde	abcde	a	a	abc
SELECT 'abc'::pg_catalog.varchar(2), 'abc'::nchar(2), 'abc'::bpchar(2)
: character_varying character character
= ab	ab	ab
SELECT 12345::varchar(2), true::varchar(2), 1.5::varchar, i::varchar(1) FROM samples ORDER BY id
: character_varying character_varying character_varying character_varying
= 12	tr	1.5	1
= 12	tr	1.5	2
= 12	tr	1.5	2
= 12	tr	1.5	5
= 12	tr	1.5	\N
= 12	tr	1.5	-
= 12	tr	1.5	9
= 12	tr	1.5	0
= 12	tr	1.5	3
SELECT 'abc'::varchar(2)::varchar(5)
: character_varying
= ab
SELECT ARRAY['abc', NULL]::varchar(2)[], '{abc}'::varchar[]
: character_varying[] character_varying[]
= {ab,NULL}	{abc}
SELECT 'a'::varchar(0)
! 22023
SELECT 'a'::char(0)
! 22023
SELECT 'a'::varchar(10485761)
! 22023
SELECT pg_typeof('a'::varchar(5)), pg_typeof('a'::char(5)), pg_typeof(ARRAY['a'::varchar])
: regtype regtype regtype
= character varying	character	character varying[]
SELECT coalesce(v, 'x'), coalesce(v, t), coalesce(t, v), coalesce(v, NULL) FROM (SELECT 'a'::varchar(5) AS v, 'b'::text AS t) x
: character_varying character_varying text character_varying
= a	a	b	a
SELECT CASE WHEN t = 'b' THEN v END, CASE WHEN t = 'b' THEN v ELSE t END, CASE WHEN t = 'b' THEN t ELSE v END FROM (SELECT 'a'::varchar(5) AS v, 'b'::text AS t) x
: character_varying text character_varying
= a	a	b
SELECT nullif(v, 'x'), greatest(v, v), greatest(t, v), least(v, t) FROM (SELECT 'a'::varchar(5) AS v, 'b'::text AS t) x
: text character_varying text character_varying
= a	a	b	a
SELECT v || v, v || t, upper(v), left(v, 1), length(v), trim(v), reverse(v), replace(v, 'a', 'b') FROM (SELECT 'a'::varchar(5) AS v, 'b'::text AS t) x
: text text text text integer text text text
= aa	ab	A	a	1	a	a	b
SELECT min(v), max(v), array_agg(v), string_agg(v, ','), count(v) FROM (SELECT 'a'::varchar(5) AS v) x
: text text character_varying[] text bigint
= a	a	{a}	a	1
SELECT lag(v) OVER (), first_value(v) OVER (), lead(v, 1, 'z') OVER () FROM (SELECT 'a'::varchar(5) AS v) x
: character_varying character_varying character_varying
= \N	a	z
SELECT ARRAY[v, v], ARRAY[v, 'x'], (ARRAY[v, t])[1], (SELECT v) FROM (SELECT 'a'::varchar(5) AS v, 'b'::text AS t) x
: character_varying[] character_varying[] character_varying character_varying
= {a,a}	{a,x}	a	a
SELECT concat(v, t), substr(v, 1, 1), split_part(v, ',', 1), v = t, v LIKE 'a%', v IN ('a', 'b') FROM (SELECT 'a'::varchar(5) AS v, 'b'::text AS t) x
: text text text boolean boolean boolean
= ab	a	a	f	t	t
SELECT 'a'::varchar(5) UNION ALL SELECT 'b'::varchar(9)
: character_varying
= a
= b
SELECT 'a'::varchar(5) UNION ALL SELECT 'b'::text
: character_varying
= a
= b
SELECT 'a'::text UNION ALL SELECT 'b'::varchar(5)
: text
= a
= b
SELECT 'a' UNION ALL SELECT 'b'::varchar(5)
: character_varying
= a
= b
SELECT NULL UNION ALL SELECT 'b'::varchar(5)
: character_varying
= \N
= b
SELECT 'a'::varchar UNION ALL SELECT 'b'
: character_varying
= a
= b
VALUES ('a'::varchar(3)), ('b'::varchar(4)), ('c')
: character_varying
= a
= b
= c
WITH r (x) AS (SELECT 'a'::varchar(5)) SELECT x, x || 'b' FROM r GROUP BY x
: character_varying text
= a	ab
SELECT t::varchar(3), count(*) FROM samples GROUP BY 1 ORDER BY 1
: character_varying bigint
= 	1
=  x 	1
= Abc	1
= Zed	1
= aB	1
= abc	1
= b	1
= ä	1
= \N	1
SELECT 'a'::varchar + 1
! 42883
SELECT CASE WHEN true THEN 'a'::varchar ELSE 1 END
! 42804
SELECT concat('a', 'b' LIKE 'a#_%' ESCAPE '#'), concat('b' NOT LIKE 'b' ESCAPE '#'), 'b' LIKE 'b' ESCAPE '#', ('b' ILIKE 'B' ESCAPE '#')::text
: text text boolean text
= af	f	t	true
SELECT n::integer, hashtext(left('abcdefghijklmnopqrstuvwxyz', n::integer)), hashtextextended(left('abcdefghijklmnopqrstuvwxyz', n::integer), n - 5) FROM generate_series(0, 26) AS s (n) ORDER BY 1
: integer integer bigint
= 0	-1477818771	276691182281719003
= 1	1075015857	-1030551645964221905
= 2	1718550461	7305084244763423141
= 3	-785388649	-6779628385149453730
= 4	-393934804	-8506387423880103258
= 5	-445659580	3076356108696143428
= 6	-1747460160	-7708154518206703230
= 7	501636814	4885142586847643005
= 8	-1960928205	5134089110059031058
= 9	-92131489	3055300566771027408
= 10	1948051852	5611187989223527744
= 11	-1483803693	-7191341819427680153
= 12	-1586087212	-9039814575907250350
= 13	405849808	-6736366346690951813
= 14	315215413	-8829346316355999650
= 15	-1389283689	7461322809431977943
= 16	-2079749669	-5336232341534872931
= 17	1648114242	8357314278531569648
= 18	-952297252	-3973227135680671793
= 19	-684650393	-1450700810122119993
= 20	766334193	3440611416653153347
= 21	2124303250	-1964185905883560976
= 22	-50608962	-6600376883459474366
= 23	-1149376136	-1103120781484181421
= 24	1251586959	-4584715258930518281
= 25	980150893	-7155571308048992724
= 26	167831483	1937080147781313682
SELECT x, hashtext(x), hashtextextended(x, -9223372036854775808) FROM (VALUES ('ä😀'), (NULL)) v(x) ORDER BY 1
: text integer bigint
= ä😀	1185430009	3512933421252242987
= \N	\N	\N
SELECT hashtext(1)
! 42883
