SELECT count(*), count(i), count(DISTINCT i), sum(i), sum(b), sum(n), sum(d), sum(s), sum(r) FROM samples
: bigint bigint bigint bigint numeric numeric double_precision bigint real
= 9	8	7	15	9007199254741233	1000044.828	1.0000000000000013e+20	10	1e+10
SELECT avg(i), avg(b), avg(n), avg(d), avg(s), avg(r) FROM samples
: numeric numeric numeric double_precision numeric double_precision
= 1.8750000000000000	1125899906842654.1250	125005.603500000000	1.2500000000000016e+19	1.2500000000000000	1250000001.60625
SELECT min(i), max(i), min(t), max(t), min(f::int), max(day) FROM samples
: integer integer text text integer date
= -7	9		ä	0	2020-12-31
SELECT sum(i), avg(i), min(i), count(i), array_agg(i), string_agg(t, ','), bool_and(f) FROM samples WHERE id > 1000
: bigint numeric integer bigint integer[] text boolean
= \N	\N	\N	0	\N	\N	\N
SELECT bool_and(f), bool_or(f), every(f) FROM samples
: boolean boolean boolean
= f	t	f
SELECT bit_and(i), bit_or(i), bit_xor(i) FROM samples
: integer integer integer
= 0	-1	-9
SELECT stddev(i), stddev_pop(i), stddev_samp(d), variance(i), var_pop(d), var_samp(i) FROM samples
: numeric numeric double_precision numeric double_precision numeric
= 4.5493327611231706	4.2555111326373005	3.535533905932737e+19	20.6964285714285714	1.0937499999999997e+39	20.6964285714285714
~ stddev and variance of exact numbers are doubles
>: double_precision double_precision double_precision double_precision double_precision double_precision
>= 4.54933276112317	4.2555111326373005	3.535533905932737e+19	20.696428571428573	1.0937499999999997e+39	20.696428571428573
SELECT corr(i, d), covar_pop(i, d), covar_samp(i, d), regr_slope(d, i), regr_intercept(d, i), regr_r2(d, i), regr_count(d, i) FROM samples WHERE id < 8
: double_precision double_precision double_precision double_precision double_precision double_precision bigint
= 0.6480740698407859	1.1666666666666664e+20	1.3999999999999997e+20	4.999999999999999e+18	6.666666666666669e+18	0.4199999999999998	6
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i), percentile_disc(0.5) WITHIN GROUP (ORDER BY i), mode() WITHIN GROUP (ORDER BY t), percentile_cont(0.25) WITHIN GROUP (ORDER BY d DESC) FROM samples
: double_precision integer text double_precision
= 2	2		30866.072249999997
SELECT percentile_cont(ARRAY[0.25, 0.5]) WITHIN GROUP (ORDER BY d) FROM samples
: double_precision[]
= {0.07500000000000001,1}
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY t) FROM samples
: text
= Zed
SELECT f, count(*), sum(i) FILTER (WHERE i > 2), count(*) FILTER (WHERE t IS NULL) FROM samples GROUP BY f ORDER BY f
: boolean bigint bigint bigint
= f	4	8	0
= t	4	9	0
= \N	1	\N	1
SELECT f, avg(i) FILTER (WHERE i > 2) FROM samples GROUP BY f ORDER BY f NULLS FIRST
: boolean numeric
= \N	\N
= f	4.0000000000000000
= t	9.0000000000000000
SELECT sum(DISTINCT i), avg(DISTINCT i), count(DISTINCT (f, i)) FROM samples
: bigint numeric bigint
= 13	1.8571428571428571	9
SELECT f, count(*) FROM samples GROUP BY f HAVING count(*) > 1 ORDER BY 2 DESC, 1
: boolean bigint
= f	4
= t	4
SELECT GROUPING(f), f, count(*) FROM samples GROUP BY ROLLUP (f) ORDER BY 1, 2
: integer boolean bigint
= 0	f	4
= 0	t	4
= 0	\N	1
= 1	\N	9
SELECT f, s, count(*), GROUPING(f, s) FROM samples GROUP BY CUBE (f, s) ORDER BY 4, 1, 2
: boolean smallint bigint integer
= f	-1	2	0
= f	1	1	0
= f	2	1	0
= t	1	1	0
= t	2	1	0
= t	3	2	0
= \N	\N	1	0
= f	\N	4	1
= t	\N	4	1
= \N	\N	1	1
= \N	-1	2	2
= \N	1	2	2
= \N	2	2	2
= \N	3	2	2
= \N	\N	1	2
= \N	\N	9	3
SELECT f, s, count(*) FROM samples GROUP BY GROUPING SETS ((f), (s), ()) ORDER BY 1, 2, 3
: boolean smallint bigint
= f	\N	4
= t	\N	4
= \N	-1	2
= \N	1	2
= \N	2	2
= \N	3	2
= \N	\N	1
= \N	\N	1
= \N	\N	9
SELECT f, s, sum(i) FROM samples GROUP BY f, ROLLUP (s) ORDER BY 1, 2, 3
: boolean smallint bigint
= f	-1	3
= f	1	2
= f	2	5
= f	\N	10
= t	1	1
= t	2	2
= t	3	2
= t	\N	5
= \N	\N	\N
= \N	\N	\N
SELECT DISTINCT f FROM samples ORDER BY f
: boolean
= f
= t
= \N
SELECT DISTINCT ON (f) f, id, i FROM samples ORDER BY f, id DESC
: boolean integer integer
= f	9	3
= t	7	9
= \N	5	\N
SELECT i % 2 AS parity, count(*) FROM samples GROUP BY parity ORDER BY parity
: integer bigint
= -1	1
= 0	3
= 1	4
= \N	1
SELECT i, count(*) FROM samples GROUP BY 1 ORDER BY 1 DESC
: integer bigint
= \N	1
= 9	1
= 5	1
= 3	1
= 2	2
= 1	1
= 0	1
= -7	1
SELECT t FROM samples GROUP BY i
! 42803
SELECT count(*) FROM samples WHERE count(*) > 1
! 42803
SELECT sum(t) FROM samples
! 42883
SELECT upper(t) u, count(*) FROM samples GROUP BY upper(t) ORDER BY 1
: text bigint
= 	1
=  X 	1
= AB	1
= ABC	2
= B	1
= ZED	1
= Ä	1
= \N	1
SELECT CASE WHEN i > 3 THEN 'hi' ELSE 'lo' END AS level, count(*), avg(n) FROM samples GROUP BY 1 ORDER BY 1
: text bigint numeric
= hi	2	500005.000000000000
= lo	7	5.8046666666666667
SELECT max(i) - min(i), sum(i) / count(*), sum(i)::numeric / count(*), round(avg(i), 2), round(avg(d)::numeric, 3) FROM samples
: integer bigint numeric numeric numeric
= 16	1	1.6666666666666667	1.88	12500000000000000000.000
SELECT any_value(1)
! 42883
~ any_value exists, as in PostgreSQL 16
>: integer
>= 1
SELECT sum(i) FROM samples GROUP BY ()
: bigint
= 15
SELECT json_agg(t ORDER BY id) FROM samples WHERE id < 3
: json
= ["Abc", "abc"]
SELECT array_agg(t ORDER BY t DESC NULLS LAST) FROM samples WHERE id < 5
: text[]
= {b,abc,Abc,""}
SELECT rank(3) WITHIN GROUP (ORDER BY i), dense_rank(3) WITHIN GROUP (ORDER BY i) FROM samples
: bigint bigint
= 6	5
~ hypothetical-set aggregates are missing
>! 0A000
SELECT sum(i * n), sum(i + 0.5), sum(b::numeric), sum(i::bigint), avg(i::double precision), sum(NULL::int) FROM samples
: numeric numeric numeric numeric double_precision bigint
= 9000151.495	19.0	9007199254741233	15	1.875	\N
SELECT avg(n) * 2, avg(i) + 1, sum(i) / 2, sum(b) / 2, sum(i) % 3 FROM samples
: numeric numeric bigint numeric bigint
= 250011.207000000000	2.8750000000000000	7	4503599627370616.5000	0
SELECT round(sum(d)::numeric, 2), round(sum(n) / 7, 4), round(100.0 * sum(i) / sum(sum(i)) OVER (), 2) FROM samples GROUP BY f ORDER BY 1
: numeric numeric numeric
= 123455.89	6.5470	66.67
= 100000000000000000000.00	142856.9999	33.33
= \N	\N	\N
SELECT avg(x) FROM (SELECT i AS x FROM samples) q
: numeric
= 1.8750000000000000
SELECT avg(x), sum(x) FROM (VALUES (1), (2), (4)) v(x)
: numeric bigint
= 2.3333333333333333	7
WITH q AS (SELECT i::bigint AS x FROM samples) SELECT sum(x), avg(x), x / 2 FROM q GROUP BY x ORDER BY x
: numeric numeric bigint
= -7	-7.0000000000000000	-3
= 0	0.00000000000000000000	0
= 1	1.00000000000000000000	0
= 4	2.0000000000000000	1
= 3	3.0000000000000000	1
= 5	5.0000000000000000	2
= 9	9.0000000000000000	4
= \N	\N	\N
SELECT string_agg(t, NULL ORDER BY id) FROM samples
: text
= AbcabcbaBäZed x 
SELECT string_agg(t, NULL::text ORDER BY id), string_agg(t, '' ORDER BY id) FROM samples
: text text
= AbcabcbaBäZed x 	AbcabcbaBäZed x 
SELECT string_agg('a', ',' ORDER BY 'a') FROM samples
: text
= a,a,a,a,a,a,a,a,a
SELECT string_agg('a', ',' ORDER BY 'a'), array_agg(1 ORDER BY 2), count(*) FROM samples
: text integer[] bigint
= a,a,a,a,a,a,a,a,a	{1,1,1,1,1,1,1,1,1}	9
SELECT string_agg(DISTINCT lower(t || $1), ',' ORDER BY lower(t || $1)) FROM samples
$ text
: text
SELECT string_agg(DISTINCT upper($1), ',' ORDER BY upper($1)) FROM samples
$ text
: text
SELECT string_agg(t, ',' ORDER BY 'a', t DESC), array_agg(id ORDER BY 1) FROM (SELECT * FROM samples WHERE t <> '' ORDER BY id) q
: text integer[]
= ä,b,abc,aB,Zed,Abc, x 	{1,2,3,6,7,8,9}
SELECT string_agg(DISTINCT t, ',' ORDER BY t) FROM samples
: text
= , x ,Abc,Zed,aB,abc,b,ä
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n), percentile_cont(0.5) WITHIN GROUP (ORDER BY i), percentile_disc(0.5) WITHIN GROUP (ORDER BY n), mode() WITHIN GROUP (ORDER BY s), percentile_cont(0.25::float8) WITHIN GROUP (ORDER BY d DESC) FROM samples WHERE id < 5
: double_precision double_precision numeric smallint double_precision
= 2	2	1.500	1	1.75
SELECT percentile_cont(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY n), percentile_disc(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY i) FROM samples WHERE id < 5
: double_precision[] integer[]
= {0.5,4.375249999999999}	{1,2}
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i) FILTER (WHERE i > 1) FROM samples
: double_precision
= 3
SELECT percentile_cont($1) WITHIN GROUP (ORDER BY d) FROM samples
$ double_precision
: double_precision
SELECT percentile_cont($1) WITHIN GROUP (ORDER BY i) FROM samples
$ double_precision
: double_precision
SELECT percentile_cont(NULL::float8) WITHIN GROUP (ORDER BY d), percentile_cont(0.5::float8) WITHIN GROUP (ORDER BY d) FILTER (WHERE d < 3) FROM samples
: double_precision double_precision
= \N	0.30000000000000004
SELECT percentile_cont($1::float8[]) WITHIN GROUP (ORDER BY d) FROM samples
$ double_precision[]
: double_precision[]
SELECT string_agg(DISTINCT lpad(t, 3), ',' ORDER BY lpad(t, 3)) FROM samples
: text
=    ,  b,  ä, aB, x ,Abc,Zed,abc
SELECT bit_and((i / 5)), bit_or(NULL::integer / 2), bit_xor(s / 2), max(i / 2), sum(i / 2), min(s / s) FROM samples GROUP BY i ORDER BY 1 LIMIT 1
: integer integer integer integer bigint smallint
= -1	\N	1	-3	-3	1
SELECT bit_and(0 / 5), bit_or((-3) / 2)
: integer integer
= 0	-1
SELECT string_agg(t, t ORDER BY id), string_agg(t, i::text ORDER BY id DESC), string_agg(t, upper(t) || '-' ORDER BY id) FILTER (WHERE id < 4), string_agg(t, t) FILTER (WHERE id = 5) FROM samples
: text text text text
= AbcabcabcbbaBaBääZedZed x  x 	 x 0Zed9ä-7aB52b2abc1Abc	AbcABC-abcB-b	\N
SELECT f, string_agg(t, ',' || id ORDER BY id) FROM samples GROUP BY f ORDER BY f
: boolean text
= f	abc,4,8Zed,9 x 
= t	Abc,3b,6aB,7ä
= \N	\N
SELECT id, string_agg(t, id::text) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM samples ORDER BY id
: integer text
= 1	Abc
= 2	Abc2abc
= 3	abc3b
= 4	b4
= 5	
= 6	aB
= 7	aB7ä
= 8	ä8Zed
= 9	Zed9 x 
SELECT mode() WITHIN GROUP (ORDER BY s), mode() WITHIN GROUP (ORDER BY i), mode() WITHIN GROUP (ORDER BY n DESC), mode() WITHIN GROUP (ORDER BY i DESC) FROM samples
: smallint integer numeric integer
= -1	2	999999.999	2
SELECT percentile_disc(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY i), percentile_cont(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY d), percentile_disc(0.1) WITHIN GROUP (ORDER BY n DESC) FROM samples
: integer[] double_precision[] numeric
= {0,3}	{0.07500000000000001,30866.07225}	999999.999
SELECT regr_count(d, r), bit_xor(i), bit_xor(DISTINCT i), sum(r), max(r), min(s) FROM samples
: bigint integer integer real real smallint
= 8	-9	-11	1e+10	1e+10	-1
SELECT gcd((-9223372036854775808)::bigint, 12::bigint), gcd(0, 0), lcm(0, 3), gcd(-4, 6), lcm(-4, 6)
: bigint integer integer integer integer
= 4	0	0	2	12
SELECT gcd(b, 12) FROM samples ORDER BY id
: bigint
= 2
= 4
= 6
= 3
= \N
= 12
= 2
= 4
= 6
SELECT width_bucket(n, -2, 2.5, 4), width_bucket(i, 1, 9, 4) FROM samples ORDER BY id
: integer integer
= 4	1
= 5	1
= 0	1
= 5	3
= \N	\N
= 2	0
= 5	5
= 2	0
= 5	2
SELECT factorial(0), factorial(5), factorial(20), factorial(25)
: numeric numeric numeric numeric
= 1	120	2432902008176640000	15511210043330985984000000
SELECT factorial(-1)
! 22003
SELECT sum(DISTINCT i), avg(DISTINCT n), count(DISTINCT s), sum(DISTINCT n / 3) FROM samples
: bigint numeric bigint numeric
= 13	125005.603500000000	4	333348.27600000000000003333
SELECT sum(i) FILTER (WHERE i > 2) OVER (ORDER BY id), avg(n / 7) OVER (ORDER BY id) FROM samples ORDER BY id
: bigint numeric
= \N	0.21428571428571428571
= \N	0.28571428571428571429
= \N	0.07142857142857142857
= 5	0.41074999999999999643
= 5	0.41074999999999999643
= 5	0.32859999999999999714
= 14	23809.79761904761899999762
= 14	20408.39785714285710203877
= 17	17857.94335714285710714643
SELECT percentile_cont(0.3) WITHIN GROUP (ORDER BY r), percentile_cont(0.3) WITHIN GROUP (ORDER BY i), percentile_cont(0.5) WITHIN GROUP (ORDER BY n), percentile_disc(0.5) WITHIN GROUP (ORDER BY r) FROM samples WHERE id < 5
: double_precision double_precision double_precision real
= 1.3600000001490116	1.9	2	1.5
SELECT percentile_cont(0.3) WITHIN GROUP (ORDER BY at) FROM samples
! 42883
SELECT percentile_cont(0.3) WITHIN GROUP (ORDER BY t) FROM samples
! 42883
SELECT percentile_cont(ARRAY[0.25,0.5]) WITHIN GROUP (ORDER BY r), percentile_cont(ARRAY[0.25,0.5]) WITHIN GROUP (ORDER BY b), percentile_disc(ARRAY[0.25,0.5]) WITHIN GROUP (ORDER BY at) FROM samples WHERE id < 4
: double_precision[] double_precision[] timestamp_without_time_zone[]
= {0.8000000007450581,1.5}	{-10,10}	{"2020-01-01 10:00:00","2020-02-29 23:59:59.5"}
SELECT percentile_cont('0.5') WITHIN GROUP (ORDER BY i), percentile_disc(0.5) WITHIN GROUP (ORDER BY t), mode() WITHIN GROUP (ORDER BY f) FROM samples WHERE id < 4
: double_precision text boolean
= 2	abc	t
SELECT percentile_cont(2) WITHIN GROUP (ORDER BY i) FROM samples
! 22003
select case when 1 then 2 end
! 42804
select case when null then 2 when 't' then 3 end, case 1 when 1 then 2 end, case when f then 1 end from samples where id = 1
: integer integer integer
= 3	2	1
select case when t then 1 end from samples
! 42804
select 1 from (values (1)) a(x) join (values (1)) b(y) on 1
! 42804
select 1 from (values (1)) a(x) join (values (1)) b(y) on null
: integer
select count(*) filter (where 1) from samples
! 42804
select string_agg(distinct x, ',' order by length(x)) from (values ('b'),('aa'),('b')) t(x)
! 42P10
select array_agg(distinct s order by i) from samples
! 42P10
select array_agg(distinct s order by s + 1) from samples
! 42P10
select json_agg(distinct s order by s), string_agg(distinct t::varchar, ',' order by t::varchar), count(distinct s) from samples where id < 4
: json text bigint
= [1, 2]	Abc,abc,b	2
select array_agg(distinct (s) order by (s)), array_agg(distinct samples.s order by s) from samples where id < 4
: smallint[] smallint[]
= {1,2}	{1,2}
select generate_series(1,3) where generate_series(1,3) > 1
! 0A000
select sum(generate_series(1,3))
! 0A000
select 1 having generate_series(1,2) > 0
! 0A000
select json_object(array[['a','b'],['c','d']]), json_object('{a,1,b,2}'), json_object('{{a,1},{b,2}}'), json_object('{a,b}', '{1,2}')
: json json json json
= {"a" : "b", "c" : "d"}	{"a" : "1", "b" : "2"}	{"a" : "1", "b" : "2"}	{"a" : "1", "b" : "2"}
select json_object(array[[['a','b'],['c','d']]])
! 2202E
select jsonb_object(v) from (values (array[[['a','b'],['c','d']]])) t(v)
! 2202E
select json_object('{ {{a,1},{b,2}}}')
! 2202E
select grouping(x) from (values (1)) t(x)
! 42803
SELECT array_agg(DISTINCT (SELECT count(q.number) FROM notes q WHERE q.number > i)) FROM samples
: bigint[]
= {0,2,3,4,5}
SELECT array_agg(DISTINCT i + 1), array_agg(DISTINCT t), array_agg(DISTINCT d), array_agg(DISTINCT tz) FILTER (WHERE id > 2) FROM samples
: integer[] text[] double_precision[] timestamp_with_time_zone[]
= {-6,1,2,3,4,6,10,NULL}	{""," x ",Abc,Zed,aB,abc,b,ä,NULL}	{-2.5,0,0.1,0.5,1.5,2.5,123456.789,1e+20,NULL}	{"1970-01-01 00:00:00+00","1999-12-31 23:00:00+00","2020-03-15 01:30:00+00","2020-06-15 06:07:08.009+00","2020-07-04 16:45:30+00","2020-12-31 12:30:15.123456+00",NULL}
SELECT string_agg(DISTINCT t, '|'), string_agg(DISTINCT upper(t), NULL), json_agg(DISTINCT i), jsonb_agg(DISTINCT day) FROM samples
: text text json jsonb
= | x |Abc|Zed|aB|abc|b|ä	 X ABABCBZEDÄ	[-7, 0, 1, 2, 3, 5, 9, null]	["1970-01-01", "1999-12-31", "2020-01-01", "2020-02-29", "2020-03-15", "2020-06-15", "2020-07-04", "2020-12-31", null]
SELECT s, array_agg(DISTINCT f), (array_agg(DISTINCT i))[1], string_agg(DISTINCT i::text, ',') FILTER (WHERE i > 0) FROM samples GROUP BY s ORDER BY s
: smallint boolean[] integer text
= -1	{f}	0	3
= 1	{f,t}	1	1,2
= 2	{f,t}	2	2,5
= 3	{t}	-7	9
= \N	{NULL}	\N	\N
SELECT array_agg(DISTINCT ROW(i, 1)), array_agg(DISTINCT j::jsonb) FROM samples
: record[] jsonb[]
= {"(-7,1)","(0,1)","(1,1)","(2,1)","(3,1)","(5,1)","(9,1)","(,1)"}	{"null","\\"text\\"","[1, 2]","{\\"a\\": 7.5}","{\\"c\\": []}","{\\"a\\": 0, \\"b\\": \\"x\\"}","{\\"a\\": 2, \\"b\\": null}","{\\"a\\": 1, \\"b\\": \\"x\\", \\"c\\": [\\"p\\", \\"q\\"]}",NULL}
SELECT array_agg(DISTINCT x) FROM (VALUES ('NaN'::float8), (NULL), ('Infinity'), (1)) v(x)
: double_precision[]
= {1,Infinity,NaN,NULL}
SELECT array_agg(DISTINCT x) FROM (VALUES (interval '30 days'), ('29 days')) v(x)
: interval[]
= {"29 days","30 days"}
SELECT string_agg(DISTINCT (SELECT max(q.note) FROM notes q WHERE q.number > i), ',') FROM samples
: text
= none,two,uno
~ string_agg(DISTINCT …) of a subquery is refused
>! 0A000
SELECT array_agg(DISTINCT x) FROM (VALUES ('10.0.0.2'::inet), ('9.0.0.1')) v(x)
: inet[]
= {9.0.0.1,10.0.0.2}
~ inet values are not sorted
>! 0A000
SELECT array_agg(DISTINCT id ORDER BY 1) FROM samples
! 42P10
SELECT array_agg(DISTINCT 1 ORDER BY 1) FROM samples
: integer[]
= {1}
SELECT string_agg(DISTINCT t, ',' ORDER BY ',') FROM samples
! 42P10
SELECT sum(t) OVER (), avg(t) FILTER (WHERE t > '01:00') OVER () FROM (VALUES ('10:00'::time), ('12:00'), (NULL)) v(t)
: interval interval
= 22:00:00	11:00:00
= 22:00:00	11:00:00
= 22:00:00	11:00:00
SELECT sum('10:00'::time) + interval '1 hour'
: interval
= 11:00:00
SELECT avg(d::time) FROM (VALUES ('2020-01-01 10:00'::timestamp), ('2020-01-01 11:00:00.5')) t(d)
: interval
= 10:30:00.25
