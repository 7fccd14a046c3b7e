SELECT macaddr '08:00:2B:01:02:03', '8-0-2b-1-2-3'::macaddr, CAST('08002b010203' AS macaddr), '0800.2b01.0203'::pg_catalog.macaddr
: macaddr macaddr macaddr macaddr
= 08:00:2b:01:02:03	08:00:2b:01:02:03	08:00:2b:01:02:03	08:00:2b:01:02:03
SELECT x::macaddr FROM (VALUES ('08002b:010203'), ('08002b-010203'), ('0800-2b01-0203'), (' 8:0:2b:1:2:3 '), (NULL)) AS v (x)
: macaddr
= 08:00:2b:01:02:03
= 08:00:2b:01:02:03
= 08:00:2b:01:02:03
= 08:00:2b:01:02:03
= \N
SELECT x::macaddr FROM (VALUES ('08:00:2b:01:02')) AS v (x)
! 22P02
SELECT 'x'::macaddr
! 22P02
SELECT ''::macaddr
! 22P02
SELECT '08:00-2b:01:02:03'::macaddr
! 22P02
SELECT '08:00:2b:01:02:103'::macaddr
! 22003
~ a number beyond ff is not an octet: 22P02
>! 22P02
SELECT m, m::text, m || '' FROM (VALUES ('08002b010203'::macaddr)) AS v (m)
: macaddr text text
= 08:00:2b:01:02:03	08:00:2b:01:02:03	08:00:2b:01:02:03
SELECT '{08002b010203,NULL}'::macaddr[], ARRAY['8:0:2b:1:2:3']::macaddr[], ARRAY[]::macaddr[]
: macaddr[] macaddr[] macaddr[]
= {08:00:2b:01:02:03,NULL}	{08:00:2b:01:02:03}	{}
SELECT x::macaddr[] FROM (VALUES ('{08002b010203,NULL}'), ('{}')) AS v (x)
: macaddr[]
= {08:00:2b:01:02:03,NULL}
= {}
SELECT m FROM (VALUES ('ff:00:00:00:00:00'::macaddr), ('0a:00:00:00:00:00'), ('9:0:0:0:0:0'), (NULL)) AS v (m) ORDER BY m
: macaddr
= 09:00:00:00:00:00
= 0a:00:00:00:00:00
= ff:00:00:00:00:00
= \N
SELECT m FROM (VALUES ('ff:00:00:00:00:00'::macaddr), ('0a:00:00:00:00:00'), (NULL)) AS v (m) ORDER BY m DESC
: macaddr
= \N
= ff:00:00:00:00:00
= 0a:00:00:00:00:00
SELECT m, count(*) FROM (VALUES ('08002b010203'::macaddr), ('8:0:2b:1:2:3')) AS v (m) GROUP BY m
: macaddr bigint
= 08:00:2b:01:02:03	2
SELECT DISTINCT m FROM (VALUES ('08002b010203'::macaddr), ('8:0:2b:1:2:3')) AS v (m)
: macaddr
= 08:00:2b:01:02:03
SELECT count(DISTINCT m), array_agg(m) FROM (VALUES ('08002b010203'::macaddr), ('8:0:2b:1:2:3')) AS v (m)
: bigint macaddr[]
= 1	{08:00:2b:01:02:03,08:00:2b:01:02:03}
SELECT m = '8:0:2b:1:2:3', m < '8:0:2b:1:2:4', m <> '8:0:2b:1:2:3', m IN ('8:0:2b:1:2:3'), m BETWEEN '0:0:0:0:0:0' AND 'ff:ff:ff:ff:ff:ff' FROM (VALUES ('08002b010203'::macaddr)) AS v (m)
: boolean boolean boolean boolean boolean
= t	t	f	t	t
SELECT m = ANY ('{8:0:2b:1:2:3}'), m IS NOT DISTINCT FROM '8:0:2b:1:2:3' FROM (VALUES ('08002b010203'::macaddr)) AS v (m)
: boolean boolean
= t	t
SELECT m = 'x' FROM (VALUES ('08002b010203'::macaddr)) AS v (m)
! 22P02
SELECT m = 'x'::text FROM (VALUES ('08002b010203'::macaddr)) AS v (m)
! 42883
SELECT m = 1 FROM (VALUES ('08002b010203'::macaddr)) AS v (m)
! 42883
SELECT m LIKE '08%' FROM (VALUES ('08002b010203'::macaddr)) AS v (m)
! 42883
SELECT min(m) FROM (VALUES ('08002b010203'::macaddr)) AS v (m)
! 42883
SELECT max(m) FROM (VALUES ('08002b010203'::macaddr)) AS v (m)
! 42883
SELECT lower(m) FROM (VALUES ('08002b010203'::macaddr)) AS v (m)
! 42883
SELECT m::uuid FROM (VALUES ('08002b010203'::macaddr)) AS v (m)
! 42846
SELECT m::integer FROM (VALUES ('08002b010203'::macaddr)) AS v (m)
! 42846
SELECT coalesce(m, '8:0:2b:1:2:3'), greatest(m, '8:0:2b:1:2:4'), nullif(m, '8:0:2b:1:2:3') FROM (VALUES ('08002b010203'::macaddr)) AS v (m)
: macaddr macaddr macaddr
= 08:00:2b:01:02:03	08:00:2b:01:02:04	\N
SELECT '08002b010203'::macaddr UNION SELECT '8:0:2b:1:2:3'
: macaddr
= 08:00:2b:01:02:03
SELECT CASE WHEN id = 1 THEN NULL::macaddr ELSE '8:0:2b:1:2:3' END FROM samples WHERE id < 3 ORDER BY id
: macaddr
= \N
= 08:00:2b:01:02:03
SELECT lag(m) OVER (ORDER BY m), rank() OVER (ORDER BY m) FROM (VALUES ('08002b010203'::macaddr), ('8:0:2b:1:2:4')) AS v (m)
: macaddr bigint
= \N	1
= 08:00:2b:01:02:03	2
SELECT json_agg(m), concat(m, 'x'), format('%s', m) FROM (VALUES ('08002b010203'::macaddr)) AS v (m) GROUP BY m
: json text text
= ["08:00:2b:01:02:03"]	08:00:2b:01:02:03x	08:00:2b:01:02:03
SELECT oid::bigint, typname::text, typlen, typarray::bigint, format_type(oid, NULL) FROM pg_type WHERE typname = 'macaddr'
: bigint text smallint bigint text
= 829	macaddr	6	1040	macaddr
SELECT NULL::macaddr, NULL::macaddr[]
: macaddr macaddr[]
= \N	\N
