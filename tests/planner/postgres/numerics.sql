SELECT 1e17::numeric, 1e17::float8::numeric, 7e18::float8::numeric, 123e15::numeric
: numeric numeric numeric numeric
= 100000000000000000	100000000000000000	7000000000000000000	123000000000000000
SELECT 1e3, 1.5E-3, -4e16, 2e0, 1.50e2, 1e-5, pg_typeof(1e3)
: numeric numeric numeric numeric numeric numeric regtype
= 1000	0.0015	-40000000000000000	2	150	0.00001	numeric
SELECT 1e3 / 3, 1e3::int, 1e3 * 2, -4e16::numeric + 1
: numeric integer numeric numeric
= 333.3333333333333333	1000	2000	-39999999999999999
SELECT id, i FROM samples WHERE i >= 1e0 AND i < 1e1 ORDER BY id
: integer integer
= 1	1
= 2	2
= 3	2
= 4	5
= 7	9
= 9	3
SELECT id FROM samples WHERE d > 1e3 OR d = 5e-1 ORDER BY id
: integer
= 1
= 7
= 9
SELECT id FROM samples WHERE id = 2e0
: integer
= 2
SELECT (extract(epoch FROM timestamptz '2024-01-01') * 1e9)::numeric
: numeric
= 1704067200000000000.000000
SELECT round((x * 1e15)::numeric, 2) FROM (VALUES (1)) v(x)
: numeric
= 1000000000000000.00
SELECT sum(v)::numeric FROM (VALUES (1e18::float8), (1e18)) t(v)
: numeric
= 2000000000000000000
SELECT id, d::numeric, d::numeric::text, 'x' || d::numeric FROM samples WHERE id < 4 ORDER BY id
: integer numeric text text
= 1	0.5	0.5	x0.5
= 2	1.5	1.5	x1.5
= 3	2.5	2.5	x2.5
SELECT (1.5::float8::numeric + 1)::text, (-(2.50::float8)::numeric)::text, ARRAY[1.5::float8::numeric]::text, abs(1.5::float8::numeric)::text
: text text text text
= 2.5	-2.5	{1.5}	1.5
SELECT x::numeric = 1.5, x::numeric > 1, x::numeric IN (1.5, 2) FROM (VALUES (1.5::float8)) t(x)
: boolean boolean boolean
= t	t	t
SELECT lag(x, 1, 0.7) OVER (ORDER BY x), lead(x, 1, 2.5) OVER (ORDER BY x) FROM (VALUES (1), (2)) t(x) ORDER BY 1
: numeric numeric
= 0.7	2
= 1	2.5
SELECT id, lag(i, 1, -0.5) OVER (ORDER BY id) FROM samples ORDER BY id
: integer numeric
= 1	-0.5
= 2	1
= 3	2
= 4	2
= 5	5
= 6	\N
= 7	-7
= 8	9
= 9	0
SELECT lag(x, 1, '5') OVER (ORDER BY x), lead(x, 1, NULL) OVER (ORDER BY x), lag(x, 1, 1.5::float8) OVER (ORDER BY x) FROM (VALUES (1), (2)) t(x) ORDER BY 1
: integer integer double_precision
= 1	\N	1
= 5	2	1.5
SELECT lag(x, 1, 7::bigint) OVER (ORDER BY x), lag(x::smallint) OVER (ORDER BY x) FROM (VALUES (1), (2)) t(x) ORDER BY 1
: bigint smallint
= 1	1
= 7	\N
SELECT lag(d, 1, timestamp '2020-01-01 10:00') OVER (ORDER BY d) FROM (VALUES (date '2021-01-01')) t(d)
: timestamp_without_time_zone
= 2020-01-01 10:00:00
SELECT lag(x, 1, 1) OVER (ORDER BY x) FROM (VALUES ('a'), ('b')) t(x)
! 42883
SELECT var_pop(x), stddev_pop(x), var_samp(x) FROM (VALUES ('NaN'::float8)) t(x)
: double_precision double_precision double_precision
= NaN	NaN	\N
SELECT var_pop(x), stddev_pop(x) FROM (VALUES ('Infinity'::float8)) t(x)
: double_precision double_precision
= NaN	NaN
SELECT var_pop(x) OVER (), stddev_pop(x) FILTER (WHERE x > 0) OVER (ORDER BY x) FROM (VALUES ('Infinity'::float8), (1)) t(x) ORDER BY x
: double_precision double_precision
= NaN	0
= NaN	NaN
SELECT var_pop(DISTINCT d), stddev_pop(r) FROM samples WHERE id < 4
: double_precision double_precision
= 0.6666666666666666	0.9843215367097119
SELECT corr(x, y), regr_slope(x, y), regr_r2(x, y), regr_intercept(x, y) FROM (VALUES (1, 1), (1, 2)) t(x, y)
: double_precision double_precision double_precision double_precision
= \N	0	1	1
SELECT corr(x, y), regr_slope(x, y), regr_r2(x, y), regr_intercept(x, y) FROM (VALUES (1, 1), (2, 1)) t(x, y)
: double_precision double_precision double_precision double_precision
= \N	\N	\N	\N
SELECT corr(x, y), regr_slope(x, y) FROM (VALUES ('NaN'::float8, 1), (1, 2)) t(x, y)
: double_precision double_precision
= NaN	NaN
SELECT corr(y, x) FILTER (WHERE x > 1) OVER (), regr_slope(y, x) OVER (ORDER BY x) FROM (VALUES (3, 1), (4, 2)) t(y, x) ORDER BY x
: double_precision double_precision
= \N	\N
= \N	1
SELECT regr_slope(i, s), corr(i, s), regr_r2(i, s) FROM samples
: double_precision double_precision double_precision
= 0.0714285714285714	0.024825286210822996	0.0006162948354492785
SELECT i ^ '2', '2' ^ i FROM samples WHERE id < 4 ORDER BY id
: double_precision double_precision
= 1	2
= 4	4
= 4	4
SELECT i ^ 'x' FROM samples
! 22P02
SELECT round(x, n), trunc(x, n), round(-x, n) FROM (VALUES (12345.6789, 0), (12345.6789, 1), (12345.6789, -2), (12345.6789, -5), (55555.5555, -5), (0.005, 2), (9.99, 1), (12345.6789, NULL)) t(x, n) ORDER BY x, n
: numeric numeric numeric
= 0.01	0.00	-0.01
= 10.0	9.9	-10.0
= 0	0	0
= 12300	12300	-12300
= 12346	12345	-12346
= 12345.7	12345.6	-12345.7
= \N	\N	\N
= 100000	0	-100000
SELECT id, round(n, s), trunc(n, s), round(i, s), trunc(i, s) FROM samples WHERE s < 3 ORDER BY id
: integer numeric numeric numeric numeric
= 1	1.5	1.5	1.0	1.0
= 2	2.5	2.5	2.0	2.0
= 3	-2.50	-2.50	2.00	2.00
= 4	10.00	10.00	5.00	5.00
= 8	0	0	0	0
= 9	30	30	0	0
SELECT round(7, 2), trunc(7, 2), round(1.5, 3), trunc(1.5, 3), round(123.45, -1), round(7, 0)
: numeric numeric numeric numeric numeric numeric
= 7.00	7.00	1.500	1.500	120	7
SELECT round(1.5, $1), trunc(1.5, $1)
$ integer
: numeric numeric
SELECT var_samp(x), pow(x, 2), power(x, 2), variance(x), stddev(x) FROM (VALUES (1::float8), (2)) v(x) GROUP BY x ORDER BY 2
: double_precision double_precision double_precision double_precision double_precision
= \N	1	1	\N	\N
= \N	4	4	\N	\N
SELECT scale(1.50), scale(8), scale(1.5::numeric(10,4)), scale(NULL), scale(0.00)
: integer integer integer integer integer
= 2	0	4	\N	2
SELECT min_scale(8.4100), min_scale(8), min_scale(0.0), min_scale(100.00), min_scale(NULL)
: integer integer integer integer integer
= 2	0	0	0	\N
SELECT scale(avg(i)) FROM samples
: integer
= 16
~ the scale of each value of a numeric is not kept
>! 0A000
SELECT sind(30), cosd(60), tand(45), cotd(45), asind(0.5), acosd(0.5), atand(1), atan2d(1,1)
: double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision
= 0.5	0.5	1	1	30	60	45	45
SELECT sind(0), sind(90), sind(180), sind(270), sind(360), sind(-30), sind(1), sind(45), sind(150), sind(210), sind(330), sind(1e5)
: double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision
= 0	1	0	-1	0	-0.5	0.017452406437283515	0.7071067811865475	0.5	-0.5	-0.5	-0.984807753012208
SELECT cosd(0), cosd(90), cosd(180), cosd(270), cosd(360), cosd(-30), cosd(1), cosd(45), cosd(120), cosd(240), cosd(300)
: double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision
= 1	0	-1	0	1	0.8660254037844387	0.9998476951563913	0.7071067811865475	-0.5	-0.5	0.5
SELECT tand(0), tand(90), tand(180), tand(270), tand(135), tand(225), tand(315), tand(30), tand(-45), tand(1)
: double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision
= 0	Infinity	0	-Infinity	-1	1	-1	0.5773502691896257	-1	0.01745506492821759
SELECT cotd(0), cotd(90), cotd(180), cotd(270), cotd(135), cotd(30), cotd(-45), cotd(1)
: double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision
= Infinity	0	-Infinity	0	-1	1.7320508075688774	-1	57.28996163075942
SELECT asind(1), asind(-1), asind(0), asind(0.3), acosd(1), acosd(-1), acosd(0), acosd(0.3), acosd(-0.5)
: double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision
= 90	-90	0	17.45760312372209	0	180	90	72.5423968762779	120
SELECT asind(2)
! 22003
SELECT acosd(-1.5)
! 22003
SELECT atand(0), atand(-1), atand('Infinity'), atand('-Infinity'), atand('NaN'), atand(2), atan2d(0,-1), atan2d(-1,0), atan2d(1,2), atan2d(0,0)
: double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision
= 0	-45	90	-90	NaN	63.43494882292201	180	-90	26.565051177077986	0
SELECT sind('Infinity')
! 22003
SELECT sind('NaN'), asind('NaN'), cosd('NaN')
: double_precision double_precision double_precision
= NaN	NaN	NaN
SELECT coalesce(NULL::numeric(5,0), '1.5'), coalesce(NULL::numeric(38,0), '1.5'), greatest(1.5, '12345.75'), least(2.5, '9', 1.6)
: numeric numeric numeric numeric
= 1.5	1.5	12345.75	1.6
SELECT CASE WHEN true THEN '1.25' ELSE 1.5 END, ARRAY[1.25, '200.25'], coalesce(1.5, '1e3'), coalesce(NULL::numeric(3,1), '1e-3')
: numeric numeric[] numeric numeric
= 1.25	{1.25,200.25}	1.5	0.001
SELECT least(i::numeric(38), '9', 1.6), coalesce(n, '0.00001') FROM samples ORDER BY id
: numeric numeric
= 1	1.500
= 1.6	2.500
= 1.6	-2.500
= 1.6	10.001
= 1.6	0.00001
= -7	0.000
= 1.6	999999.999
= 0	-0.005
= 1.6	33.333
SELECT 1.5 = '1.46', 1.5 < '1.46', 1.5 IS DISTINCT FROM '1.46', 1.5 = '1e3', (1.5, 1) = ('1.46', 1), 1.5 IN ('1.46', '1.54'), 1.5 BETWEEN '1.501' AND '1.6'
: boolean boolean boolean boolean boolean boolean boolean
= f	f	t	f	f	f	f
SELECT 1.5 = ANY ('{1.46}'), 1.5 = ANY ('{1.5,2}'), CASE 1.5 WHEN '1.46' THEN 1 ELSE 2 END
: boolean boolean integer
= f	t	2
SELECT id FROM samples WHERE n > '1.4999999' AND n BETWEEN '0.1' AND '5.75555' ORDER BY id
: integer
= 1
= 2
SELECT '1e3'::numeric, '1.50e1'::numeric, '1e-30'::numeric, ' +1.5E2 '::numeric, numeric '1e2', '{1e3,-15E2}'::numeric[]
: numeric numeric numeric numeric numeric numeric[]
= 1000	15.0	0.000000000000000000000000000001	150	100	{1000,-1500}
SELECT * FROM (VALUES (1.5), ('1e2')) v(x)
: numeric
= 1.5
= 100
SELECT 'Infinity'::numeric
: numeric
= Infinity
~ a numeric that is not finite is refused
>! 0A000
SELECT t::numeric FROM (VALUES ('NaN')) v(t)
: numeric
= NaN
~ a numeric that is not finite is refused
>! 0A000
SELECT coalesce(1.5, 'NaN')
: numeric
= 1.5
~ a numeric that is not finite is refused
>! 0A000
SELECT NULL::real + NULL, r + NULL, r + '1.5', nullif(NULL, r), nullif('2.5', r) FROM samples ORDER BY id LIMIT 1
: real real real real real
= \N	\N	3	\N	2.5
SELECT coalesce(t::varchar, t::name), coalesce(t::name, t::varchar), coalesce(t::text, t::name) FROM samples WHERE id = 1
: name name text
= Abc	Abc	Abc
SELECT nullif(NULL, '1'::jsonb), nullif('2', '1'::jsonb)
: jsonb jsonb
= \N	2
