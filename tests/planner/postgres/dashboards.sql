SELECT date_trunc('month', tz) AS month, count(*) FROM samples WHERE tz >= timestamptz '2020-01-01' - interval '1 month' GROUP BY 1 ORDER BY 1
: timestamp_with_time_zone bigint
= 2020-01-01 00:00:00+00	1
= 2020-02-01 00:00:00+00	1
= 2020-03-01 00:00:00+00	1
= 2020-06-01 00:00:00+00	1
= 2020-07-01 00:00:00+00	1
= 2020-12-01 00:00:00+00	1
SELECT CAST(date_trunc('week', at) AS date) AS w, sum(i) FROM samples GROUP BY CAST(date_trunc('week', at) AS date) ORDER BY 1
: date bigint
= 1969-12-29	0
= 1999-12-27	-7
= 2019-12-30	1
= 2020-02-24	2
= 2020-03-09	2
= 2020-06-15	9
= 2020-06-29	3
= 2020-12-28	5
= \N	\N
SELECT (CAST(date_trunc('week', (at + INTERVAL '1 day')) AS timestamp) + INTERVAL '-1 day') AS w, count(*) FROM samples GROUP BY 1 ORDER BY 1
: timestamp_without_time_zone bigint
= 1969-12-28 00:00:00	1
= 1999-12-26 00:00:00	1
= 2019-12-29 00:00:00	1
= 2020-02-23 00:00:00	1
= 2020-03-15 00:00:00	1
= 2020-06-14 00:00:00	1
= 2020-06-28 00:00:00	1
= 2020-12-27 00:00:00	1
= \N	1
SELECT floor(extract(epoch FROM tz) / 300) * 300 AS "time", avg(d) AS v FROM samples WHERE tz BETWEEN '2020-01-01T00:00:00Z' AND '2020-12-31T00:00:00Z' GROUP BY 1 ORDER BY 1
: numeric double_precision
= 1577872800	0.5
= 1583020500	1.5
= 1584235800	2.5
= 1592201100	1e+20
= 1593881100	123456.789
SELECT extract(epoch FROM tz) AS "time", i FROM samples WHERE extract(epoch FROM tz) >= 1577836800 ORDER BY 1
: numeric integer
= 1577872800.000000	1
= 1583020799.500000	2
= 1584235800.000000	2
= 1592201228.009000	9
= 1593881130.000000	3
= 1609417815.123456	5
SELECT to_timestamp(1577836800) , to_timestamp(1577836800.5)
: timestamp_with_time_zone timestamp_with_time_zone
= 2020-01-01 00:00:00+00	2020-01-01 00:00:00.5+00
SELECT day::date, at::date, tz::date FROM samples ORDER BY id
: date date date
= 2020-01-01	2020-01-01	2020-01-01
= 2020-02-29	2020-02-29	2020-02-29
= 2020-03-15	2020-03-15	2020-03-15
= 2020-12-31	2020-12-31	2020-12-31
= \N	\N	\N
= 1999-12-31	1999-12-31	1999-12-31
= 2020-06-15	2020-06-15	2020-06-15
= 1970-01-01	1970-01-01	1970-01-01
= 2020-07-04	2020-07-04	2020-07-04
SELECT g::date AS d, count(s.id) FROM generate_series('2020-01-01'::date, '2020-01-05'::date, interval '1 day') g LEFT JOIN samples s ON s.day = g::date GROUP BY 1 ORDER BY 1
: date bigint
= 2020-01-01	1
= 2020-01-02	0
= 2020-01-03	0
= 2020-01-04	0
= 2020-01-05	0
SELECT g AS d FROM generate_series(timestamp '2020-01-01', timestamp '2020-01-02', '6 hours') AS g
: timestamp_without_time_zone
= 2020-01-01 00:00:00
= 2020-01-01 06:00:00
= 2020-01-01 12:00:00
= 2020-01-01 18:00:00
= 2020-01-02 00:00:00
SELECT g FROM generate_series(timestamptz '2020-01-01', timestamptz '2020-03-01', interval '1 month') AS g
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
= 2020-02-01 00:00:00+00
= 2020-03-01 00:00:00+00
SELECT s, count(*) FILTER (WHERE i > 1) AS big, count(*) FILTER (WHERE f) AS t FROM samples GROUP BY s ORDER BY s
: smallint bigint bigint
= -1	1	0
= 1	1	1
= 2	2	1
= 3	1	2
= \N	0	0
SELECT s, f, count(*), grouping(s), grouping(s, f) FROM samples GROUP BY GROUPING SETS ((s), (f), ()) ORDER BY 1, 2, 3, 4
: smallint boolean bigint integer integer
= -1	\N	2	0	1
= 1	\N	2	0	1
= 2	\N	2	0	1
= 3	\N	2	0	1
= \N	f	4	1	2
= \N	t	4	1	2
= \N	\N	1	0	1
= \N	\N	1	1	2
= \N	\N	9	1	3
SELECT s, f, sum(i) FROM samples GROUP BY CUBE (s, f) ORDER BY 1, 2, 3, 4
! 42P10
SELECT DISTINCT ON (s) s, id FROM samples ORDER BY s, id DESC
: smallint integer
= -1	9
= 1	2
= 2	4
= 3	7
= \N	5
SELECT s, string_agg(t, ',' ORDER BY id DESC) FROM samples GROUP BY s ORDER BY s
: smallint text
= -1	 x ,Zed
= 1	abc,Abc
= 2	,b
= 3	ä,aB
= \N	\N
SELECT s, array_agg(t ORDER BY id) FROM samples GROUP BY s ORDER BY s
: smallint text[]
= -1	{Zed," x "}
= 1	{Abc,abc}
= 2	{b,""}
= 3	{aB,ä}
= \N	{NULL}
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i), percentile_disc(0.5) WITHIN GROUP (ORDER BY i) FROM samples
: double_precision integer
= 2	2
SELECT percentile_cont(ARRAY[0.25, 0.5]) WITHIN GROUP (ORDER BY d) FROM samples
: double_precision[]
= {0.07500000000000001,1}
SELECT s.id, l.note FROM samples s CROSS JOIN LATERAL (SELECT note FROM notes n WHERE n.sample = s.id ORDER BY note LIMIT 1) l ORDER BY 1
: integer text
= 1	one
= 2	two
SELECT s.id, l.c FROM samples s LEFT JOIN LATERAL (SELECT count(*) AS c FROM notes n WHERE n.sample = s.id) l ON true ORDER BY 1
: integer bigint
= 1	2
= 2	1
= 3	0
= 4	0
= 5	0
= 6	0
= 7	0
= 8	0
= 9	0
SELECT "source"."s" AS "s", COUNT(*) AS "count" FROM (SELECT "public"."samples"."s" AS "s", "public"."samples"."i" AS "i" FROM "public"."samples") "source" WHERE "source"."i" > 0 GROUP BY "source"."s" ORDER BY "count" DESC, "source"."s" ASC LIMIT 2000
: smallint bigint
= 1	2
= 2	2
= -1	1
= 3	1
SELECT CAST(extract(dow FROM day) AS integer) + 1 AS dow, count(*) FROM samples GROUP BY 1 ORDER BY 1
: integer bigint
= 1	1
= 2	1
= 4	1
= 5	2
= 6	1
= 7	2
= \N	1
SELECT extract(isodow FROM day), extract(hour FROM at), extract(quarter FROM at), extract(week FROM day), extract(doy FROM day) FROM samples ORDER BY id
: numeric numeric numeric numeric numeric
= 3	10	1	1	1
= 6	23	1	9	60
= 7	0	1	11	75
= 4	12	4	53	366
= \N	\N	\N	\N	\N
= 5	23	4	52	365
= 1	6	2	25	167
= 4	0	1	1	1
= 6	16	3	27	186
SELECT to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(at, 'Dy, DD Mon YYYY'), to_char(day, 'IYYY-"W"IW') FROM samples ORDER BY id
: text text text
= 2020-01-01T10:00:00Z	Wed, 01 Jan 2020	2020-W01
= 2020-02-29T23:59:59Z	Sat, 29 Feb 2020	2020-W09
= 2020-03-15T00:00:00Z	Sun, 15 Mar 2020	2020-W11
= 2020-12-31T12:30:15Z	Thu, 31 Dec 2020	2020-W53
= \N	\N	\N
= 1999-12-31T23:00:00Z	Fri, 31 Dec 1999	1999-W52
= 2020-06-15T06:07:08Z	Mon, 15 Jun 2020	2020-W25
= 1970-01-01T00:00:00Z	Thu, 01 Jan 1970	1970-W01
= 2020-07-04T16:45:30Z	Sat, 04 Jul 2020	2020-W27
SELECT at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Oslo' FROM samples ORDER BY id
: timestamp_without_time_zone
= 2020-01-01 11:00:00
= 2020-03-01 00:59:59.5
= 2020-03-15 01:00:00
= 2020-12-31 13:30:15.123456
= \N
= 2000-01-01 00:00:00
= 2020-06-15 08:07:08.009
= 1970-01-01 01:00:00
= 2020-07-04 18:45:30
SELECT date_trunc('day', tz AT TIME ZONE 'America/New_York') AS d, count(*) FROM samples GROUP BY 1 ORDER BY 1
: timestamp_without_time_zone bigint
= 1969-12-31 00:00:00	1
= 1999-12-31 00:00:00	1
= 2020-01-01 00:00:00	1
= 2020-02-29 00:00:00	1
= 2020-03-14 00:00:00	1
= 2020-06-15 00:00:00	1
= 2020-07-04 00:00:00	1
= 2020-12-31 00:00:00	1
= \N	1
SELECT date_trunc('day', tz, 'Europe/Oslo') FROM samples ORDER BY id
: timestamp_with_time_zone
= 2019-12-31 23:00:00+00
= 2020-02-29 23:00:00+00
= 2020-03-14 23:00:00+00
= 2020-12-30 23:00:00+00
= \N
= 1999-12-31 23:00:00+00
= 2020-06-14 22:00:00+00
= 1969-12-31 23:00:00+00
= 2020-07-03 22:00:00+00
SELECT date_part('year', age(timestamp '2021-01-01', at)) FROM samples ORDER BY id
: double_precision
= 0
= 0
= 0
= 0
= \N
= 21
= 0
= 51
= 0
SELECT id, i, sum(i) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running, rank() OVER (ORDER BY i DESC NULLS LAST) FROM samples ORDER BY id
: integer integer bigint bigint
= 1	1	1	6
= 2	2	3	4
= 3	2	5	4
= 4	5	10	2
= 5	\N	10	9
= 6	-7	3	8
= 7	9	12	1
= 8	0	12	7
= 9	3	15	3
SELECT id, i - lag(i, 1, 0) OVER w AS diff, first_value(i) OVER w FROM samples WINDOW w AS (ORDER BY id) ORDER BY id
: integer integer integer
= 1	1	1
= 2	1	1
= 3	0	1
= 4	3	1
= 5	\N	1
= 6	\N	1
= 7	16	1
= 8	-9	1
= 9	3	1
SELECT width_bucket(d, 0, 10, 5) AS b, count(*) FROM samples GROUP BY 1 ORDER BY 1
: integer bigint
= 0	1
= 1	4
= 2	1
= 6	2
= \N	1
SELECT CASE WHEN i < 2 THEN 'low' WHEN i < 5 THEN 'mid' ELSE 'high' END AS bucket, count(*) FROM samples GROUP BY 1 ORDER BY 1
: text bigint
= high	3
= low	3
= mid	3
SELECT round(avg(n), 2), round(avg(d)::numeric, 2), max(tz) - min(tz) FROM samples
: numeric numeric interval
= 125005.60	12500000000000000000.00	18627 days 12:30:15.123456
SELECT count(DISTINCT s), count(DISTINCT (s, f)) FROM samples
: bigint bigint
= 4	7
SELECT coalesce(nullif(t, ''), 'none') AS t, sum(coalesce(i, 0)) FROM samples GROUP BY 1 ORDER BY 1
: text bigint
=  x 	3
= Abc	1
= Zed	0
= aB	-7
= abc	2
= b	2
= none	5
= ä	9
SELECT floor((i / 2.0)) * 2 AS bin, count(*) FROM samples GROUP BY 1 ORDER BY 1
: numeric bigint
= -8	1
= 0	2
= 2	3
= 4	1
= 8	1
= \N	1
SELECT 100.0 * sum(CASE WHEN f THEN 1 ELSE 0 END) / nullif(count(*), 0) FROM samples
: numeric
= 44.4444444444444444
SELECT t FROM samples WHERE lower(t) LIKE lower('A%') ORDER BY id
: text
= Abc
= abc
= aB
SELECT now() - tz > interval '1 day' FROM samples WHERE id = 1
: boolean
= t
SELECT date_bin('15 minutes', at, timestamp '2001-01-01') AS b, count(*) FROM samples GROUP BY 1 ORDER BY 1
: timestamp_without_time_zone bigint
= 1970-01-01 00:00:00	1
= 1999-12-31 23:00:00	1
= 2020-01-01 10:00:00	1
= 2020-02-29 23:45:00	1
= 2020-03-15 00:00:00	1
= 2020-06-15 06:00:00	1
= 2020-07-04 16:45:00	1
= 2020-12-31 12:30:00	1
= \N	1
SELECT EXTRACT(EPOCH FROM (max(at) - min(at))) FROM samples
: numeric
= 1609417815.123456
SELECT j ->> 'a' AS a, count(*) FROM samples GROUP BY 1 ORDER BY 1
: text bigint
= 0	1
= 1	1
= 2	1
= 7.5	1
= \N	5
SELECT (j ->> 'a')::numeric FROM samples WHERE j::jsonb ? 'a' ORDER BY id
: numeric
= 1
= 2
= 7.5
= 0
SELECT id FROM samples WHERE at >= (CAST(CAST('2020-06-01' AS date) AS timestamp) + INTERVAL '-30 day') AND at < CAST('2020-12-31' AS timestamp) ORDER BY 1
: integer
= 7
= 9
SELECT (tz + (INTERVAL '-1 month'))::date, tz + 2 * INTERVAL '1 day' FROM samples ORDER BY id
: date timestamp_with_time_zone
= 2019-12-01	2020-01-03 10:00:00+00
= 2020-01-29	2020-03-02 23:59:59.5+00
= 2020-02-15	2020-03-17 01:30:00+00
= 2020-11-30	2021-01-02 12:30:15.123456+00
= \N	\N
= 1999-11-30	2000-01-02 23:00:00+00
= 2020-05-15	2020-06-17 06:07:08.009+00
= 1969-12-01	1970-01-03 00:00:00+00
= 2020-06-04	2020-07-06 16:45:30+00
SELECT make_date(extract(year FROM day)::int, 1, 1) FROM samples ORDER BY id
: date
= 2020-01-01
= 2020-01-01
= 2020-01-01
= 2020-01-01
= \N
= 1999-01-01
= 2020-01-01
= 1970-01-01
= 2020-01-01
SELECT s, sum(sum(i)) OVER (ORDER BY s) FROM samples GROUP BY s ORDER BY s
: smallint numeric
= -1	3
= 1	6
= 2	13
= 3	15
= \N	15
SELECT mode() WITHIN GROUP (ORDER BY s) FROM samples
: smallint
= -1
SELECT bool_and(f), bool_or(f), every(f) FROM samples
: boolean boolean boolean
= f	t	f
SELECT string_agg(DISTINCT s::text, ',') FROM samples WHERE s = 1
: text
= 1
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) v (n, x) WHERE n IN (SELECT id FROM samples) ORDER BY 1
: integer text
= 1	a
= 2	b
WITH RECURSIVE days AS (SELECT date '2020-01-01' AS d UNION ALL SELECT d + 1 FROM days WHERE d < date '2020-01-04') SELECT d FROM days ORDER BY 1
: date
= 2020-01-01
= 2020-01-02
= 2020-01-03
= 2020-01-04
WITH RECURSIVE t AS (SELECT timestamp '2020-01-01' AS d UNION ALL SELECT d + interval '1 day' FROM t WHERE d < timestamp '2020-01-04') SELECT d FROM t ORDER BY 1
: timestamp_without_time_zone
= 2020-01-01 00:00:00
= 2020-01-02 00:00:00
= 2020-01-03 00:00:00
= 2020-01-04 00:00:00
SELECT id, ntile(3) OVER (ORDER BY id), cume_dist() OVER (ORDER BY id), percent_rank() OVER (ORDER BY id) FROM samples ORDER BY id
: integer integer double_precision double_precision
= 1	1	0.1111111111111111	0
= 2	1	0.2222222222222222	0.125
= 3	1	0.3333333333333333	0.25
= 4	2	0.4444444444444444	0.375
= 5	2	0.5555555555555556	0.5
= 6	2	0.6666666666666666	0.625
= 7	3	0.7777777777777778	0.75
= 8	3	0.8888888888888888	0.875
= 9	3	1	1
SELECT date '2020-02-29' + interval '1 year', date '2020-02-29' - interval '1 year', extract(day FROM timestamp '2020-03-01' - timestamp '2020-02-01')
: timestamp_without_time_zone timestamp_without_time_zone numeric
= 2021-02-28 00:00:00	2019-02-28 00:00:00	29
SELECT to_char(max(at) - min(at), 'DD "days" HH24:MI:SS') FROM samples
: text
= 18627 days 12:30:15
SELECT justify_interval(avg(at - timestamp '2020-01-01')) FROM samples
: interval
= -8 years -6 mons -29 days -09:27:08.420943
SELECT sum(x) OVER (ORDER BY id) FROM (SELECT id, at - timestamp '2020-01-01' AS x FROM samples WHERE i > 0) y ORDER BY id
: interval
= 10:00:00
= 59 days 33:59:59.5
= 133 days 33:59:59.5
= 498 days 46:30:14.623456
= 664 days 52:37:22.632456
= 849 days 69:22:52.632456
SELECT initcap(''), initcap(NULL), initcap('hello wORLD')
: text text text
= 	\N	Hello World
