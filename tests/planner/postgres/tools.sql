SELECT date_trunc('month', "samples"."tz") AS "tz", count(*) AS "count" FROM "samples" GROUP BY date_trunc('month', "samples"."tz") ORDER BY date_trunc('month', "samples"."tz") ASC
: timestamp_with_time_zone bigint
= 1970-01-01 00:00:00+00	1
= 1999-12-01 00:00:00+00	1
= 2020-01-01 00:00:00+00	1
= 2020-02-01 00:00:00+00	1
= 2020-03-01 00:00:00+00	1
= 2020-06-01 00:00:00+00	1
= 2020-07-01 00:00:00+00	1
= 2020-12-01 00:00:00+00	1
= \N	1
SELECT CAST("samples"."tz" AS date) AS "tz", sum("samples"."n") AS "sum" FROM "samples" WHERE ("samples"."tz" >= timestamp with time zone '2020-01-01 00:00:00.000Z' AND "samples"."tz" < timestamp with time zone '2021-01-01 00:00:00.000Z') GROUP BY CAST("samples"."tz" AS date) ORDER BY CAST("samples"."tz" AS date) ASC
: date numeric
= 2020-01-01	1.500
= 2020-02-29	2.500
= 2020-03-15	-2.500
= 2020-06-15	999999.999
= 2020-07-04	33.333
= 2020-12-31	10.001
SELECT "source"."f" AS "f", count(*) AS "count" FROM (SELECT "samples"."f" AS "f", "samples"."id" AS "id" FROM "samples") AS "source" GROUP BY "source"."f" ORDER BY "source"."f" ASC LIMIT 1048575
: boolean bigint
= f	4
= t	4
= \N	1
SELECT FLOOR((("samples"."n" - 0.0) / 10.0)) * 10.0 + 0.0 AS "n", count(*) AS "count" FROM "samples" GROUP BY 1 ORDER BY 1
: numeric bigint
= -10.0	2
= 0.0	3
= 10.0	1
= 30.0	1
= 999990.0	1
= \N	1
SELECT (CAST(extract(dow from "samples"."tz") AS integer) + 1) AS "tz", count(*) FROM "samples" GROUP BY 1 ORDER BY 1
: integer bigint
= 1	1
= 2	1
= 4	1
= 5	2
= 6	1
= 7	2
= \N	1
SELECT DATE_TRUNC('day', tz) AS __timestamp, f AS f, COUNT(*) AS count FROM samples WHERE tz >= TO_TIMESTAMP('2020-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') AND tz < TO_TIMESTAMP('2021-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') GROUP BY DATE_TRUNC('day', tz), f ORDER BY count DESC, __timestamp LIMIT 1000
: timestamp_with_time_zone boolean bigint
= 2020-01-01 00:00:00+00	t	1
= 2020-02-29 00:00:00+00	f	1
= 2020-03-15 00:00:00+00	t	1
= 2020-06-15 00:00:00+00	t	1
= 2020-07-04 00:00:00+00	f	1
= 2020-12-31 00:00:00+00	f	1
SELECT t AS t, sum(i) AS "SUM(i)", sum(sum(i)) OVER () AS total FROM samples WHERE t IN ('Abc', 'abc') GROUP BY t ORDER BY "SUM(i)" DESC LIMIT 100
: text bigint numeric
= abc	2	3
= Abc	1	3
SELECT CAST("samples"."f" AS TEXT) AS "f", SUM("samples"."n") AS "sum:n:ok" FROM "public"."samples" "samples" GROUP BY 1 ORDER BY 1
: text numeric
= false	45.829
= true	999998.999
= \N	\N
SELECT CAST(TRUNC(EXTRACT(YEAR FROM "samples"."tz")) AS INTEGER) AS "yr:tz:ok", SUM(1) AS "cnt" FROM "public"."samples" "samples" WHERE NOT ("samples"."tz" IS NULL) GROUP BY 1 ORDER BY 1
: integer bigint
= 1970	1
= 1999	1
= 2020	6
SELECT DATE_TRUNC( 'MONTH', CAST("samples"."tz" AS TIMESTAMP) ) AS "tmn", COUNT(DISTINCT "samples"."t") AS "ctd" FROM "public"."samples" "samples" GROUP BY 1 ORDER BY 1
: timestamp_without_time_zone bigint
= 1970-01-01 00:00:00	1
= 1999-12-01 00:00:00	1
= 2020-01-01 00:00:00	1
= 2020-02-01 00:00:00	1
= 2020-03-01 00:00:00	1
= 2020-06-01 00:00:00	1
= 2020-07-01 00:00:00	1
= 2020-12-01 00:00:00	1
= \N	0
SELECT "samples"."t" AS "t", AVG(CAST("samples"."i" AS DOUBLE PRECISION)) AS "avg" FROM "public"."samples" "samples" GROUP BY 1 HAVING (COUNT(1) > 0) ORDER BY 1
: text double_precision
= 	5
=  x 	3
= Abc	1
= Zed	0
= aB	-7
= abc	2
= b	2
= ä	9
= \N	\N
SELECT (CASE WHEN (0 = 0) THEN 'x' ELSE CAST(NULL AS TEXT) END) AS "c"
: text
= x
SELECT floor(extract(epoch from tz)/3600)*3600 AS "time", avg(d) AS value FROM samples WHERE tz BETWEEN '2020-01-01T00:00:00Z' AND '2021-01-01T00:00:00Z' GROUP BY 1 ORDER BY 1
: numeric double_precision
= 1577872800	0.5
= 1583017200	1.5
= 1584234000	2.5
= 1592200800	1e+20
= 1593878400	123456.789
= 1609416000	-2.5
SELECT tz AS "time", t AS metric, d FROM samples WHERE extract(epoch from tz) BETWEEN 0 AND 1600000000 ORDER BY tz
: timestamp_with_time_zone text double_precision
= 1970-01-01 00:00:00+00	Zed	0.1
= 1999-12-31 23:00:00+00	aB	0
= 2020-01-01 10:00:00+00	Abc	0.5
= 2020-02-29 23:59:59.5+00	abc	1.5
= 2020-03-15 01:30:00+00	b	2.5
= 2020-06-15 06:07:08.009+00	ä	1e+20
= 2020-07-04 16:45:30+00	 x 	123456.789
SELECT "_"."id", "_"."t" FROM "public"."samples" "_" WHERE "_"."t" = 'Abc' AND "_"."t" IS NOT NULL
: integer text
= 1	Abc
SELECT "rows"."f" AS "f", sum(cast("rows"."i" as decimal)) AS "a0" FROM (SELECT "f", "i" FROM "public"."samples" "$Table") "rows" GROUP BY "f" ORDER BY 1 LIMIT 1000001
: boolean numeric
= f	10
= t	5
= \N	\N
SELECT count(*) FILTER (WHERE i > 2)::float / nullif(count(*), 0) AS share FROM samples
: double_precision
= 0.3333333333333333
SELECT id, CASE WHEN i IS NULL THEN 'none' WHEN i > 3 THEN 'many' ELSE 'few' END FROM samples ORDER BY id
: integer text
= 1	few
= 2	few
= 3	few
= 4	many
= 5	none
= 6	few
= 7	many
= 8	few
= 9	few
SELECT coalesce(t, 'n/a') AS label, coalesce(sum(n), 0) FROM samples GROUP BY 1 ORDER BY 1
: text numeric
= 	10.001
=  x 	33.333
= Abc	1.500
= Zed	-0.005
= aB	0.000
= abc	2.500
= b	-2.500
= n/a	0
= ä	999999.999
SELECT to_char(date_trunc('month', tz), 'YYYY-MM') AS ym, count(*) FROM samples GROUP BY 1 ORDER BY 1
: text bigint
= 1970-01	1
= 1999-12	1
= 2020-01	1
= 2020-02	1
= 2020-03	1
= 2020-06	1
= 2020-07	1
= 2020-12	1
= \N	1
SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY d) AS p95 FROM samples WHERE d < 1000
: double_precision
= 2.25
SELECT (now() AT TIME ZONE 'UTC')::date = current_date
: boolean
= t
SELECT extract(epoch FROM (max(tz) - min(tz))) FROM samples
: numeric
= 1609417815.123456
SELECT width_bucket(i, 0, 10, 4) AS bucket, count(*) FROM samples WHERE i IS NOT NULL GROUP BY 1 ORDER BY 1
: integer bigint
= 0	1
= 1	4
= 2	1
= 3	1
= 4	1
SELECT concat(upper(left(t, 1)), lower(substring(t, 2))) FROM samples ORDER BY id
: text
= Abc
= Abc
= B
= 
= 
= Ab
= Ä
= Zed
=  x 
SELECT "samples"."id" FROM "samples" WHERE lower("samples"."t") LIKE '%b%' ORDER BY 1
: integer
= 1
= 2
= 3
= 6
SELECT "samples"."id" FROM "samples" WHERE ("samples"."t" <> 'Abc' OR "samples"."t" IS NULL) ORDER BY 1
: integer
= 2
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT DATE_PART('year', day)::int, DATE_PART('month', day)::int, count(1) FROM samples GROUP BY 1, 2 ORDER BY 1, 2
: integer integer bigint
= 1970	1	1
= 1999	12	1
= 2020	1	1
= 2020	2	1
= 2020	3	1
= 2020	6	1
= 2020	7	1
= 2020	12	1
= \N	\N	1
SELECT CAST(i AS varchar) || ' items' FROM samples ORDER BY id
: text
= 1 items
= 2 items
= 2 items
= 5 items
= \N
= -7 items
= 9 items
= 0 items
= 3 items
SELECT cast(extract(year from day) as varchar) || '-Q' || cast(extract(quarter from day) as varchar) FROM samples ORDER BY id
: text
= 2020-Q1
= 2020-Q1
= 2020-Q1
= 2020-Q4
= \N
= 1999-Q4
= 2020-Q2
= 1970-Q1
= 2020-Q3
SELECT TO_CHAR(day, 'Mon YYYY'), TO_CHAR(day, 'YYYY"W"IW') FROM samples ORDER BY id
: text text
= Jan 2020	2020W01
= Feb 2020	2020W09
= Mar 2020	2020W11
= Dec 2020	2020W53
= \N	\N
= Dec 1999	1999W52
= Jun 2020	2020W25
= Jan 1970	1970W01
= Jul 2020	2020W27
SELECT ("samples"."tz" + (INTERVAL '-30 day')) FROM "samples" ORDER BY id
: timestamp_with_time_zone
= 2019-12-02 10:00:00+00
= 2020-01-30 23:59:59.5+00
= 2020-02-14 01:30:00+00
= 2020-12-01 12:30:15.123456+00
= \N
= 1999-12-01 23:00:00+00
= 2020-05-16 06:07:08.009+00
= 1969-12-02 00:00:00+00
= 2020-06-04 16:45:30+00
SELECT date_trunc('week', "samples"."tz" + INTERVAL '1 day') - INTERVAL '1 day' FROM "samples" ORDER BY id
: timestamp_with_time_zone
= 2019-12-29 00:00:00+00
= 2020-02-23 00:00:00+00
= 2020-03-15 00:00:00+00
= 2020-12-27 00:00:00+00
= \N
= 1999-12-26 00:00:00+00
= 2020-06-14 00:00:00+00
= 1969-12-28 00:00:00+00
= 2020-06-28 00:00:00+00
SELECT current_user IS NOT NULL, version() LIKE 'PostgreSQL%', current_schema()
: boolean boolean name
= t	t	public
SELECT 1 AS "One", 'x' AS "Two three"
: integer text
= 1	x
SELECT 1; 
: integer
= 1
SELECT /* a comment /* nested */ here */ 1 -- to the end
: integer
= 1
SELECT to_regclass(1)
! 42883
SELECT to_regnamespace(0)
! 42883
SELECT to_regtype(1)
! 42883
SELECT to_regproc('now')::text, to_regproc('nope')::text
: text text
= now	\N
SELECT to_regproc('now')::oid > 0
: boolean
= t
SELECT pg_get_userbyid('a'::text)
! 42883
SELECT format_type('int4'::text, 1)
! 42883
SELECT s.i, t.typname::text FROM generate_series(1, 3) WITH ORDINALITY AS s(i, o), pg_type t WHERE t.typname = 'int4' AND o < 3 ORDER BY 1
: integer text
= 1	int4
= 2	int4
SELECT s.v, s.o, t.typname::text FROM upper('a') WITH ORDINALITY AS s(v, o), pg_type t WHERE t.typname = 'int4' ORDER BY 1
: text bigint text
= A	1	int4
