SELECT id FROM samples WHERE t NOT LIKE 'a%' ORDER BY id
: integer
= 1
= 3
= 4
= 7
= 8
= 9
SELECT id FROM samples WHERE t !~~ 'a%' ORDER BY id
: integer
= 1
= 3
= 4
= 7
= 8
= 9
SELECT id FROM samples WHERE t NOT ILIKE 'a%' ORDER BY id
: integer
= 3
= 4
= 7
= 8
= 9
SELECT id FROM samples WHERE t !~~* 'A%' ORDER BY id
: integer
= 3
= 4
= 7
= 8
= 9
SELECT id FROM samples WHERE NOT (t NOT LIKE 'a%') ORDER BY id
: integer
= 2
= 6
SELECT id FROM samples WHERE t NOT LIKE 'a\%' ORDER BY id
: integer
= 1
= 2
= 3
= 4
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE t NOT LIKE 'a!%' ESCAPE '!' ORDER BY id
: integer
= 1
= 2
= 3
= 4
= 6
= 7
= 8
= 9
SELECT id, (t NOT LIKE 'A%') IS NOT TRUE FROM samples ORDER BY id
: integer boolean
= 1	t
= 2	f
= 3	f
= 4	f
= 5	t
= 6	f
= 7	f
= 8	f
= 9	f
SELECT id FROM samples WHERE t !~ '^a' ORDER BY id
: integer
= 1
= 3
= 4
= 7
= 8
= 9
SELECT id FROM samples WHERE t NOT SIMILAR TO 'a%' ORDER BY id
: integer
= 1
= 3
= 4
= 7
= 8
= 9
SELECT id, (i, t) IN ((1, 'Abc'), (NULL, 'b')) FROM samples ORDER BY id
: integer boolean
= 1	t
= 2	f
= 3	\N
= 4	f
= 5	\N
= 6	f
= 7	f
= 8	f
= 9	f
SELECT id FROM samples WHERE (i, t) NOT IN ((1, 'Abc'), (2, 'abc')) ORDER BY id
: integer
= 3
= 4
= 6
= 7
= 8
= 9
SELECT id, (i, s) IN ((1,1),(2,2),(3,3),(4,4),(5,5),(6,6),(7,7),(8,8),(9,9),(0,0),(11,1),(12,1),(13,1),(14,1),(15,1),(16,1),(NULL,2)) FROM samples ORDER BY id
: integer boolean
= 1	t
= 2	f
= 3	t
= 4	\N
= 5	\N
= 6	f
= 7	f
= 8	f
= 9	f
SELECT (1, 2) IN ((1, 2, 3))
! 42601
SELECT id FROM samples WHERE EXISTS (SELECT 1 FROM notes WHERE notes.sample = samples.id HAVING count(*) = 0) ORDER BY id
: integer
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT 1 LIMIT 5 PERCENT
! 42601
SELECT public.samples.id FROM public.samples ORDER BY 1
: integer
= 1
= 2
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT public.samples.* FROM samples ORDER BY public.samples.id
: integer integer smallint bigint numeric double_precision real text boolean date timestamp_without_time_zone timestamp_with_time_zone json bigint[]
= 1	1	1	10	1.500	0.5	1.5	Abc	t	2020-01-01	2020-01-01 10:00:00	2020-01-01 10:00:00+00	{"a": 1, "b": "x", "c": ["p", "q"]}	{1,2}
= 2	2	1	20	2.500	1.5	2.5	abc	f	2020-02-29	2020-02-29 23:59:59.5	2020-02-29 23:59:59.5+00	{"a": 2, "b": null}	{2,3}
= 3	2	2	-30	-2.500	2.5	0.1	b	t	2020-03-15	2020-03-15 00:00:00	2020-03-15 01:30:00+00	{"c": []}	{}
= 4	5	2	9007199254740993	10.001	-2.5	1e+10		f	2020-12-31	2020-12-31 12:30:15.123456	2020-12-31 12:30:15.123456+00	[1, 2]	{4}
= 5	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N
= 6	-7	3	0	0.000	0	0	aB	t	1999-12-31	1999-12-31 23:00:00	1999-12-31 23:00:00+00	"text"	{2}
= 7	9	3	70	999999.999	1e+20	3	ä	t	2020-06-15	2020-06-15 06:07:08.009	2020-06-15 06:07:08.009+00	{"a": 7.5}	{7,8,9}
= 8	0	-1	80	-0.005	0.1	-1.25	Zed	f	1970-01-01	1970-01-01 00:00:00	1970-01-01 00:00:00+00	null	{10,-10}
= 9	3	-1	90	33.333	123456.789	7	 x 	f	2020-07-04	2020-07-04 16:45:30	2020-07-04 16:45:30+00	{"b": "x", "a": 0}	{9,9}
SELECT count(*) FROM public.samples WHERE public.samples.id > 3
: bigint
= 6
SELECT public.samples.s, count(*) FROM public.samples GROUP BY public.samples.s HAVING max(public.samples.id) > 3 ORDER BY public.samples.s
: smallint bigint
= -1	2
= 2	2
= 3	2
= \N	1
SELECT public.samples.id, public.notes.note FROM public.samples JOIN public.notes ON public.samples.id = public.notes.sample ORDER BY 1, 2
: integer text
= 1	one
= 1	uno
= 2	two
SELECT public.samples.id FROM public.samples WHERE EXISTS (SELECT 1 FROM public.notes WHERE public.notes.sample = public.samples.id) ORDER BY 1
: integer
= 1
= 2
SELECT "public"."samples"."id" AS "id" FROM "public"."samples" WHERE "public"."samples"."t" NOT LIKE 'a%' ORDER BY "public"."samples"."id" ASC
: integer
= 1
= 3
= 4
= 7
= 8
= 9
SELECT row_number() OVER (PARTITION BY public.samples.s ORDER BY public.samples.id) FROM samples ORDER BY 1
: bigint
= 1
= 1
= 1
= 1
= 1
= 2
= 2
= 2
= 2
SELECT public.samples.id FROM public.samples a
! 42P01
SELECT public.a.id FROM public.samples a
! 42P01
SELECT nosuch.samples.id FROM public.samples
! 42P01
SELECT public.notes.id FROM public.samples
! 42P01
SELECT public.samples.nosuch FROM public.samples
! 42703
WITH samples AS (SELECT 1 AS id) SELECT public.samples.id FROM samples
! 42P01
SELECT ROW(NULL,NULL) IS NULL, ROW(1,NULL) IS NULL, ROW(1,NULL) IS NOT NULL, ROW(1,2) IS NOT NULL, ROW(NULL,NULL) IS NOT NULL
: boolean boolean boolean boolean boolean
= t	f	f	t	f
SELECT (NULL,NULL) IS NULL, NOT (1,NULL) IS NULL, ROW() IS NULL, ROW(NULL, ROW(NULL, NULL)) IS NULL
: boolean boolean boolean boolean
= t	t	t	f
SELECT id FROM samples WHERE (i, t) IS NULL ORDER BY id
: integer
= 5
SELECT id FROM samples WHERE (i, t) IS NOT NULL ORDER BY id
: integer
= 1
= 2
= 3
= 4
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE NOT ((i, t) IS NOT NULL) ORDER BY id
: integer
= 5
SELECT '0001-12-31 23:59:59 BC'::timestamp, '0044-03-15 BC'::date, '0044-03-15 01:02+01 BC'::timestamptz, '2020-01-01 AD'::date
: timestamp_without_time_zone date timestamp_with_time_zone date
= 0001-12-31 23:59:59 BC	0044-03-15 BC	0044-03-15 00:02:00+00 BC	2020-01-01
SELECT '2020-01-01 01:02 PM'::timestamp, '2020-01-01 12:00 am'::timestamp, '2020-01-01 01:02:03.1234567'::timestamp, '2020-01-01 23:59:60'::timestamp
: timestamp_without_time_zone timestamp_without_time_zone timestamp_without_time_zone timestamp_without_time_zone
= 2020-01-01 13:02:00	2020-01-01 00:00:00	2020-01-01 01:02:03.123457	2020-01-02 00:00:00
SELECT '1-2-03'::date, '1/2/2020'::date, '20200102'::date, '200102'::date, '2020.1.2'::date, '12345-01-01'::date
: date date date date date date
= 2003-01-02	2020-01-02	2020-01-02	2020-01-02	2020-01-02	12345-01-01
SELECT '0000-01-01'::date
! 22008
SELECT '99-01-01'::date
! 22008
SELECT '0'::date
! 22008
SELECT '7'::date
! 22007
SELECT '2020-01-01 02:00:00 a'::timestamp
! 22007
SELECT '2020-01-01 13:00 PM'::timestamp
! 22008
SELECT '2020-01-01 00:00+16'::timestamptz
! 22009
SELECT '4714-11-23 BC'::date
! 22008
SELECT id FROM samples WHERE at > '0044-03-15 01:02 BC' AND day > '20200101' ORDER BY id
: integer
= 2
= 3
= 4
= 7
= 9
SELECT lower(x)::timestamp, lower(x)::date, lower(x)::timestamptz FROM (VALUES ('0044-03-15 01:02 BC'), ('2020-01-01 01:02 PM'), ('20200102'), ('2020-01-01T01:02:03.5'), (NULL)) AS v (x)
: timestamp_without_time_zone date timestamp_with_time_zone
= 0044-03-15 01:02:00 BC	0044-03-15 BC	0044-03-15 01:02:00+00 BC
= 2020-01-01 13:02:00	2020-01-01	2020-01-01 13:02:00+00
= 2020-01-02 00:00:00	2020-01-02	2020-01-02 00:00:00+00
= 2020-01-01 01:02:03.5	2020-01-01	2020-01-01 01:02:03.5+00
= \N	\N	\N
SELECT lower(x)::interval FROM (VALUES ('1e+300')) AS v (x)
! 22007
SELECT lower(x)::interval FROM (VALUES ('9223372036854775807')) AS v (x)
! 22015
SELECT lower(x)::date FROM (VALUES ('13')) AS v (x)
! 22008
SELECT (x || '')::interval FROM (VALUES ('1 day'), ('1'), ('1-2'), ('P1D'), ('@ 1 hour ago'), (NULL)) AS v (x)
: interval
= 1 day
= 00:00:01
= 1 year 2 mons
= 1 day
= -01:00:00
= \N
SELECT x::bytea FROM (VALUES ('\x6162'), ('abc'), ('a\\b\001'), ('\x'), (NULL), ('\x61 62')) AS v (x)
: bytea
= \\x6162
= \\x616263
= \\x615c6201
= \\x
= \N
= \\x6162
SELECT (x || '')::bytea FROM (VALUES ('\x6')) AS v (x)
! 22023
SELECT (x || '')::bytea FROM (VALUES ('\6z')) AS v (x)
! 22P02
SELECT '\x6z'::bytea
! 22023
SELECT (x || '')::json FROM (VALUES ('[1,]')) AS v (x)
! 22P02
SELECT d::text::json FROM (VALUES ('NaN'::double precision)) AS v (d)
! 22P02
SELECT (x || '')::json FROM (VALUES ('"nan, ]"'), ('{"info": [1 , 2]}'), (NULL)) AS v (x)
: json
= "nan, ]"
= {"info": [1 , 2]}
= \N
SELECT (x || '')::bigint[], (x || '')::text[] FROM (VALUES ('{1,2}'), ('{}'), (' {1, NULL} ')) AS v (x)
: bigint[] text[]
= {1,2}	{1,2}
= {}	{}
= {1,NULL}	{1,NULL}
SELECT (x || '')::bigint[] FROM (VALUES ('[1,2]')) AS v (x)
! 22P02
SELECT (x || '')::bigint[] FROM (VALUES ('{1.5}')) AS v (x)
! 22P02
SELECT (x || '')::text[] FROM (VALUES ('{a,"b c",NULL,"NULL","\""}')) AS v (x)
: text[]
= {a,"b c",NULL,"NULL","\\""}
SELECT n IS NULL, n IS NOT NULL, NOT n IS NULL, NOT n IS NOT NULL FROM notes n ORDER BY n.number
: boolean boolean boolean boolean
= f	t	t	f
= f	t	t	f
= f	t	t	f
= f	t	t	f
= f	f	t	t
SELECT n.number, x IS NULL, x IS NOT NULL FROM notes n LEFT JOIN (SELECT id, t FROM samples) x ON x.id = n.sample ORDER BY n.number
: bigint boolean boolean
= 1	f	t
= 2	f	t
= 3	f	t
= 4	t	f
= 5	t	f
SELECT v IS NULL, v IS NOT NULL, (v) IS NULL FROM (VALUES (1, NULL), (NULL, NULL), (1, 2)) v (a, b)
: boolean boolean boolean
= f	f	f
= t	f	t
= f	t	f
SELECT q IS NULL, q IS NOT NULL FROM (SELECT 1 AS a, NULL AS b) q
: boolean boolean
= f	f
SELECT (SELECT q IS NOT NULL), (SELECT q IS NULL) FROM (SELECT 1 AS a, NULL AS b) q
: boolean boolean
= f	f
WITH c AS (SELECT NULL::integer AS a, NULL::text AS b) SELECT c IS NULL, c IS NOT NULL FROM c
: boolean boolean
= t	f
SELECT count(*) FROM notes n WHERE n IS NOT NULL
: bigint
= 4
SELECT number FROM notes n WHERE NOT n IS NOT NULL
: bigint
= 5
SELECT (n).note IS NULL, CASE WHEN n IS NULL THEN 1 WHEN n IS NOT NULL THEN 2 ELSE 3 END FROM notes n ORDER BY number
: boolean integer
= f	2
= f	2
= f	2
= f	2
= f	3
SELECT x IS NULL FROM unnest(ARRAY[1, NULL]) x
: boolean
= f
= t
SELECT n IS DISTINCT FROM NULL FROM notes n ORDER BY number
: boolean
= t
= t
= t
= t
= t
