SELECT b, sum(1) OVER (ORDER BY b DESC RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING) FROM (VALUES (9223372036854775807),(-9223372036854775808),(3)) v(b) ORDER BY b
: bigint bigint
= -9223372036854775808	1
= 3	1
= 9223372036854775807	1
SELECT b, sum(b) OVER (ORDER BY b RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM (VALUES (1),(2),(NULL),(5)) v(b) ORDER BY b
: integer bigint
= 1	3
= 2	3
= 5	5
= \N	\N
SELECT b, sum(b) OVER w, count(*) OVER (w RANGE 2 PRECEDING) FROM (VALUES (1),(2),(NULL),(5)) v(b) WINDOW w AS (ORDER BY b) ORDER BY b
: integer bigint bigint
= 1	1	1
= 2	3	2
= 5	8	1
= \N	8	1
SELECT b, sum(b) OVER (ORDER BY b RANGE BETWEEN -1 PRECEDING AND 1 FOLLOWING) FROM (VALUES (1),(2),(NULL),(5)) v(b) ORDER BY b
! 22013
SELECT b, sum(b) OVER (ORDER BY b RANGE BETWEEN 9223372036854775807 PRECEDING AND 9223372036854775807 FOLLOWING) FROM (VALUES (1),(2),(NULL),(5)) v(b) ORDER BY b
: integer bigint
= 1	8
= 2	8
= 5	8
= \N	\N
SELECT b, sum(b) OVER (ORDER BY b RANGE BETWEEN '1' PRECEDING AND 1 FOLLOWING) FROM (VALUES (1),(2),(NULL),(5)) v(b) ORDER BY b
: integer bigint
= 1	3
= 2	3
= 5	5
= \N	\N
SELECT b, sum(b) OVER (ORDER BY b RANGE BETWEEN 1.5 PRECEDING AND 1 FOLLOWING) FROM (VALUES (1),(2),(NULL),(5)) v(b) ORDER BY b
! 0A000
SELECT b, sum(b) OVER (ORDER BY b, b RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM (VALUES (1),(2),(NULL),(5)) v(b) ORDER BY b
: integer bigint
= 1	3
= 2	3
= 5	5
= \N	\N
SELECT b, sum(b) OVER (RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM (VALUES (1),(2),(NULL),(5)) v(b) ORDER BY b
! 42P20
SELECT b, sum(b) OVER (ORDER BY b::smallint RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM (VALUES (1),(2),(NULL),(32767)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
= 32767	32767
= \N	\N
SELECT b, sum(b) OVER (ORDER BY b::numeric(5,2) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM (VALUES (1),(2),(NULL),(327)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
= 327	327
= \N	\N
SELECT b, sum(b) OVER (ORDER BY b::numeric(5,2) RANGE BETWEEN 100000 PRECEDING AND CURRENT ROW) FROM (VALUES (1),(2),(NULL),(327)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
= 327	330
= \N	\N
SELECT b, count(*) OVER (ORDER BY b RANGE BETWEEN '1 day' PRECEDING AND CURRENT ROW) FROM (VALUES ('2020-01-01'::date),('2020-01-02'), ('5874897-12-31')) v(b) ORDER BY b
! 22008
SELECT b, count(*) OVER (ORDER BY b RANGE BETWEEN CURRENT ROW AND '1 day' FOLLOWING) FROM (VALUES ('2020-01-01'::timestamp),('infinity')) v(b) ORDER BY b
: timestamp_without_time_zone bigint
= 2020-01-01 00:00:00	1
= infinity	1
SELECT b, sum(b) OVER (ORDER BY b ROWS NULL PRECEDING) FROM (VALUES (1),(2)) v(b)
! 22004
SELECT b, sum(b) OVER (ORDER BY b ROWS -1 PRECEDING) FROM (VALUES (1),(2)) v(b)
! 22013
SELECT b, sum(b) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND -1 FOLLOWING) FROM (VALUES (1),(2)) v(b)
! 22013
SELECT b, sum(b) OVER (ORDER BY b ROWS b PRECEDING) FROM (VALUES (1),(2)) v(b)
! 42P10
SELECT b, sum(b) OVER (ORDER BY b ROWS 1.5 PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
SELECT b, sum(b) OVER (ORDER BY b ROWS '1' PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
SELECT b, sum(b) OVER (ORDER BY b ROWS 'x' PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 22P02
SELECT b, sum(b) OVER (ORDER BY b ROWS '1 day'::interval PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 42804
SELECT b, sum(b) OVER (ORDER BY b GROUPS -1 PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 22013
SELECT b, sum(b) OVER (ORDER BY b RANGE NULL PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 22004
SELECT b, sum(b) OVER (ORDER BY b RANGE b PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 42P10
SELECT b, sum(b) OVER (ORDER BY b RANGE '1 day'::interval PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 0A000
SELECT b, sum(b) OVER (ORDER BY b RANGE 1::numeric PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 0A000
SELECT b, sum(b) OVER (ORDER BY b::text RANGE 1 PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 0A000
SELECT b, sum(b) OVER (ORDER BY b::text RANGE '1' PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 0A000
SELECT b, sum(b) OVER (ORDER BY b > 1 RANGE 1 PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 0A000
SELECT b, sum(b) OVER (ORDER BY b::double precision RANGE 1 PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
SELECT b, sum(b) OVER (ORDER BY b::real RANGE '1.5' PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
SELECT b, sum(b) OVER (ORDER BY b::numeric RANGE '1.5' PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
SELECT b, sum(b) OVER (ORDER BY b::numeric RANGE 1.5::double precision PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 0A000
SELECT b, sum(b) OVER (ORDER BY b::double precision RANGE -1.5 PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 22013
SELECT b, sum(b) OVER (ORDER BY b::double precision RANGE 'NaN' PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 22013
SELECT b, sum(b) OVER (ORDER BY '2020-01-01'::date + b RANGE '1 day' PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
SELECT b, sum(b) OVER (ORDER BY '2020-01-01'::date + b RANGE '-1 day' PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 22013
SELECT b, sum(b) OVER (ORDER BY '2020-01-01'::date + b RANGE 1 PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 0A000
SELECT b, sum(b) OVER (ORDER BY '2020-01-01'::date + b RANGE 'x' PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 22007
SELECT b, sum(b) OVER (ORDER BY make_interval(hours => b) RANGE '1 hour' PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
SELECT b, sum(b) OVER (ORDER BY make_time(b,0,0) RANGE '1 hour' PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
SELECT b, sum(b) OVER (ORDER BY b ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 42P20
SELECT b, sum(b) OVER (ORDER BY b ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 42P20
SELECT b, sum(b) OVER (ORDER BY b ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 42P20
SELECT b, sum(b) OVER (ORDER BY b ROWS BETWEEN 1 FOLLOWING AND CURRENT ROW) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 42P20
SELECT b, sum(b) OVER (ORDER BY b ROWS 1 FOLLOWING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 42P20
SELECT b, sum(b) OVER (ORDER BY b ROWS UNBOUNDED FOLLOWING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 42P20
SELECT b, sum(b) OVER (ORDER BY b ROWS CURRENT ROW) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	2
SELECT b, sum(b) OVER (ORDER BY b ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
! 42P20
SELECT b, sum(b) OVER (ORDER BY b ROWS (SELECT 1) PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
SELECT b, sum(b) OVER (ORDER BY b ROWS 1+1 PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
SELECT b, sum(b) OVER (ORDER BY b RANGE 1+1 PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
SELECT b, sum(b) OVER (ORDER BY b RANGE BETWEEN 0 PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	3
= 2	2
SELECT b, sum(b) OVER (ORDER BY b::numeric(4,1) RANGE 1.55 PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
SELECT b, sum(b) OVER (ORDER BY b DESC NULLS LAST, b DESC RANGE 1 PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	3
= 2	2
SELECT b, (SELECT sum(x) OVER (ORDER BY x ROWS b PRECEDING) FROM (VALUES (1),(2)) w(x) ORDER BY x DESC LIMIT 1) FROM (VALUES (0),(2)) v(b) ORDER BY b
: integer bigint
= 0	2
= 2	3
SELECT b, sum(b) OVER (ORDER BY b GROUPS 1 PRECEDING) FROM (VALUES (1),(2)) v(b) ORDER BY b
: integer bigint
= 1	1
= 2	3
SELECT id, count(*) OVER (ORDER BY to_char(id, '99')::int RANGE 1 PRECEDING) FROM samples ORDER BY id
: integer bigint
= 1	1
= 2	2
= 3	2
= 4	2
= 5	2
= 6	2
= 7	2
= 8	2
= 9	2
SELECT id, count(*) OVER (ORDER BY id ROWS to_char(1, '9')::int PRECEDING) FROM samples ORDER BY id
: integer bigint
= 1	1
= 2	2
= 3	2
= 4	2
= 5	2
= 6	2
= 7	2
= 8	2
= 9	2
SELECT id, count(*) OVER (ORDER BY id / 2 RANGE BETWEEN 1 PRECEDING AND 0 FOLLOWING) FROM samples ORDER BY id
: integer bigint
= 1	1
= 2	3
= 3	3
= 4	4
= 5	4
= 6	4
= 7	4
= 8	4
= 9	4
SELECT id, count(*) OVER (ORDER BY day RANGE to_char(31, '99')::interval PRECEDING) FROM samples ORDER BY id
: integer bigint
= 1	1
= 2	1
= 3	1
= 4	1
= 5	1
= 6	1
= 7	1
= 8	1
= 9	1
SELECT count(*) OVER (ORDER BY 'pg_class'::regclass::oid::bigint RANGE 1 PRECEDING) FROM pg_am LIMIT 1
: bigint
= 7
~ ORDER BY window expressions cannot be volatile
>! 0A000
SELECT count(*) OVER (PARTITION BY 'pg_class'::regclass) FROM pg_am LIMIT 1
: bigint
= 7
~ PARTITION BY window expressions cannot be volatile
>! 0A000
SELECT count(*) OVER (ORDER BY 'pg_class'::regclass::oid::bigint) FROM pg_am LIMIT 1
: bigint
= 7
~ ORDER BY window expressions cannot be volatile
>! 0A000
SELECT cume_dist() OVER (ORDER BY to_regtype('text')::oid::bigint RANGE BETWEEN 10 PRECEDING AND 0 FOLLOWING) FROM pg_am LIMIT 1
: double_precision
= 1
~ cannot copy BoundSubqueryExpression
>! 0A000
SELECT 1 FROM samples s JOIN string_to_table(s.t, 'a', s.t) AS t (x) ON s.t = t.x AND coalesce(true, (SELECT x::boolean))
: integer
~ subqueries are not supported in LATERAL join conditions
>! 0A000
