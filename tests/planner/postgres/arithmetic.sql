SELECT 7 / 2, -7 / 2, 7 % 3, -7 % 3, mod(-7, 3), div(7.5, 2)
: integer integer integer integer integer numeric
= 3	-3	1	-1	-1	3
SELECT 7.0 / 2
: numeric
= 3.5000000000000000
SELECT 1 / 3.0
: numeric
= 0.33333333333333333333
SELECT 10 / 4::double precision
: double_precision
= 2.5
SELECT 1::real / 3
: double_precision
= 0.3333333333333333
SELECT 2 ^ 10, 2.0 ^ 3, power(2, 3), power(2::double precision, 0.5)
: double_precision numeric double_precision double_precision
= 1024	8.0000000000000000	8	1.4142135623730951
~ powers, roots and logarithms of numerics are doubles
>: double_precision double_precision double_precision double_precision
>= 1024	8	8	1.4142135623730951
SELECT |/ 16, ||/ 27, @ -5
: double_precision double_precision integer
= 4	3.0000000000000004	5
SELECT 5 & 3, 5 | 3, 5 # 3, ~5, 1 << 4, 256 >> 4
: integer integer integer integer integer integer
= 1	7	6	-6	16	16
SELECT round(2.5), round(3.5), round(-2.5), round(2.567, 2), round(1234.5, -2)
: numeric numeric numeric numeric numeric
= 3	4	-3	2.57	1200
SELECT round(2.5::double precision), round(3.5::double precision), round(-0.5::double precision)
: double_precision double_precision double_precision
= 2	4	-0
SELECT trunc(2.9), trunc(-2.9), trunc(2.567, 2), trunc(2.9::double precision)
: numeric numeric numeric double_precision
= 2	-2	2.56	2
SELECT ceil(2.1), ceiling(-2.1), floor(2.9), floor(-2.1::double precision)
: numeric numeric numeric double_precision
= 3	-2	2	-3
SELECT abs(-5), abs(-5.5), sign(-5.5), sign(3::double precision)
: integer numeric numeric double_precision
= 5	5.5	-1	1
SELECT sqrt(16), sqrt(2.0), cbrt(27::double precision), exp(1.0::double precision), ln(1::double precision), log(100::double precision), log(2.0, 8.0)
: double_precision numeric double_precision double_precision double_precision double_precision numeric
= 4	1.414213562373095	3.0000000000000004	2.718281828459045	0	2	3.0000000000000000
~ powers, roots and logarithms of numerics are doubles
>: double_precision double_precision double_precision double_precision double_precision double_precision double_precision
>= 4	1.4142135623730951	3.0000000000000004	2.718281828459045	0	2	3
SELECT gcd(12, 18), lcm(4, 6), factorial(5)
: integer integer numeric
= 6	12	120
SELECT pi(), degrees(pi()), radians(180::double precision)
: double_precision double_precision double_precision
= 3.141592653589793	180	3.141592653589793
SELECT sin(0), cos(0), tan(0), asin(0), acos(1), atan(0), atan2(0, 1), cot(1), sinh(0), cosh(0)
: double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision double_precision
= 0	1	0	0	0	0	0	0.6420926159343306	0	1
SELECT width_bucket(5.35, 0.024, 10.06, 5), width_bucket(-1, 0, 10, 5), width_bucket(11, 0, 10, 5)
: integer integer integer
= 3	0	6
SELECT greatest(1, NULL, 3), least(NULL, 2, 1), greatest(NULL::int, NULL)
: integer integer integer
= 3	1	\N
SELECT nullif(1, 1), nullif(1, 2), coalesce(NULL, NULL, 3)
: integer integer integer
= \N	1	3
SELECT 1 + 1.5, 2 * 0.5, 1.10 + 2.205, 1.5 * 1.5, 3 - 0.1
: numeric numeric numeric numeric numeric
= 2.5	1.0	3.305	2.25	2.9
SELECT 1e3, 1.5e-3, 100000000000, 9223372036854775807
: numeric numeric bigint bigint
= 1000	0.0015	100000000000	9223372036854775807
SELECT 2147483647 + 1
! 22003
SELECT 9223372036854775807 + 1
! 22003
SELECT 32767::smallint + 1::smallint
! 22003
SELECT 1 / 0
! 22012
SELECT 1.0 / 0
! 22012
SELECT 1::double precision / 0
! 22012
SELECT 5 % 0
! 22012
SELECT mod(5.5, 2)
: numeric
= 1.5
SELECT i / 2, i % 2, i * 1.5, i / 2.0 FROM samples ORDER BY id
: integer integer numeric numeric
= 0	1	1.5	0.50000000000000000000
= 1	0	3.0	1.00000000000000000000
= 1	0	3.0	1.00000000000000000000
= 2	1	7.5	2.5000000000000000
= \N	\N	\N	\N
= -3	-1	-10.5	-3.5000000000000000
= 4	1	13.5	4.5000000000000000
= 0	0	0.0	0.00000000000000000000
= 1	1	4.5	1.5000000000000000
SELECT b / 7, b + i, b * 1.0 FROM samples ORDER BY id
: bigint bigint numeric
= 1	11	10.0
= 2	22	20.0
= -4	-28	-30.0
= 1286742750677284	9007199254740998	9007199254740993.0
= \N	\N	\N
= 0	-7	0.0
= 10	79	70.0
= 11	80	80.0
= 12	93	90.0
SELECT n / 3, n * 2, n + i, n / n FROM samples WHERE n <> 0 ORDER BY id
: numeric numeric numeric numeric
= 0.50000000000000000000	3.000	2.500	1.00000000000000000000
= 0.83333333333333333333	5.000	4.500	1.00000000000000000000
= -0.83333333333333333333	-5.000	-0.500	1.00000000000000000000
= 3.3336666666666667	20.002	15.001	1.00000000000000000000
= 333333.333000000000	1999999.998	1000008.999	1.00000000000000000000
= -0.00166666666666666667	-0.010	-0.005	1.00000000000000000000
= 11.1110000000000000	66.666	36.333	1.00000000000000000000
SELECT d / 3, d * i, d + n FROM samples ORDER BY id
: double_precision double_precision double_precision
= 0.16666666666666666	0.5	2
= 0.5	3	4
= 0.8333333333333334	5	0
= -0.8333333333333334	-12.5	7.5009999999999994
= \N	\N	\N
= 0	-0	0
= 3.333333333333333e+19	9e+20	1.00000000000001e+20
= 0.03333333333333333	0	0.095
= 41152.263	370370.367	123490.122
SELECT r * 2, r + 1, r / 3 FROM samples ORDER BY id
: double_precision double_precision double_precision
= 3	2.5	0.5
= 5	3.5	0.8333333333333334
= 0.20000000298023224	1.1000000014901161	0.033333333830038704
= 20000000000	10000000001	3333333333.3333335
= \N	\N	\N
= 0	1	0
= 6	4	1
= -2.5	-0.25	-0.4166666666666667
= 14	8	2.3333333333333335
SELECT -i, +i, - n, abs(d) FROM samples ORDER BY id
: integer integer numeric double_precision
= -1	1	-1.500	0.5
= -2	2	-2.500	1.5
= -2	2	2.500	2.5
= -5	5	-10.001	2.5
= \N	\N	\N	\N
= 7	-7	0.000	0
= -9	9	-999999.999	1e+20
= 0	0	0.005	0.1
= -3	3	-33.333	123456.789
SELECT round(n), round(n, 1), round(d), trunc(n, 1), ceil(n), floor(d) FROM samples ORDER BY id
: numeric numeric double_precision numeric numeric double_precision
= 2	1.5	0	1.5	2	0
= 3	2.5	2	2.5	3	1
= -3	-2.5	2	-2.5	-2	2
= 10	10.0	-2	10.0	11	-3
= \N	\N	\N	\N	\N	\N
= 0	0.0	0	0.0	0	0
= 1000000	1000000.0	1e+20	999999.9	1000000	1e+20
= 0	0.0	0	0.0	0	0
= 33	33.3	123457	33.3	34	123456
SELECT sqrt(-1)
! 2201F
SELECT ln(0)
! 2201E
SELECT exp(1000::double precision)
! 22003
SELECT 'NaN'::double precision = 'NaN'::double precision, 'NaN'::double precision > 1e300, 'Infinity'::double precision
: boolean boolean double_precision
= t	t	Infinity
SELECT 10::numeric(5,2), 1.005::numeric(5,2), -1.005::numeric(5,2)
: numeric numeric numeric
= 10.00	1.01	-1.01
SELECT 1000::numeric(5,2)
! 22003
SELECT min_scale(1.500), scale(1.500), trim_scale(1.500)
: integer integer numeric
= 1	3	1.5
~ a numeric's scale is its type's: min_scale, scale and trim_scale are not supported
>! 0A000
SELECT random() BETWEEN 0 AND 1
: boolean
= t
SELECT 100 * count(*) / 7 FROM samples
: bigint
= 128
SELECT 100.0 * count(*) / 7 FROM samples
: numeric
= 128.5714285714285714
SELECT count(i)::numeric / count(*) FROM samples
: numeric
= 0.88888888888888888889
SELECT count(i)::double precision / count(*) FROM samples
: double_precision
= 0.8888888888888888
SELECT sum(i) * 100.0 / sum(b) FROM samples WHERE id < 5
: numeric
= 0.00000000000011102230246251564172
SELECT sum(n) / count(*) FROM samples
: numeric
= 111116.092000000000
SELECT bit_count('\x0f'::bytea), num_nulls(1, NULL), num_nonnulls(1, NULL)
: bigint integer integer
= 4	1	1
SELECT 5 BETWEEN 1 AND 10, 5 BETWEEN SYMMETRIC 10 AND 1, 5 NOT BETWEEN 1 AND 3
: boolean boolean boolean
= t	t	t
SELECT 1 = 1.0, 1 <> 2, 1 != 1, 2 < 1.5, 1 IS DISTINCT FROM NULL, NULL IS NOT DISTINCT FROM NULL
: boolean boolean boolean boolean boolean boolean
= t	t	f	f	t	t
SELECT (1, 2) < (1, 3), (1, 2) = (1, 2), ROW(1, NULL) = ROW(1, 2), (1, 2) IN ((1, 2), (3, 4))
: boolean boolean boolean boolean
= t	t	\N	t
SELECT true AND NULL, false AND NULL, true OR NULL, NOT NULL::boolean, true IS TRUE, NULL::boolean IS UNKNOWN, NULL::boolean IS NOT TRUE
: boolean boolean boolean boolean boolean boolean boolean
= \N	f	t	\N	t	t	t
SELECT 1 << 40, 1 << 31, -5 << 3, 5 << -1, 2147483647 << 1
: integer integer integer integer integer
= 256	-2147483648	-40	-2147483648	-2
SELECT 1::bigint << 65, 1::bigint << 63, -1::bigint << 63, 9223372036854775807 << 1
: bigint bigint bigint bigint
= 2	-9223372036854775808	-9223372036854775808	-2
SELECT 1::smallint << 17, 1::smallint << 15, 3::smallint << 14, 8::smallint >> 33
: smallint smallint smallint smallint
= 0	-32768	-16384	4
SELECT 1 >> 33, -8 >> 1, -8::bigint >> 70, 1 << 2 << 3, 1 << 1 + 1
: integer integer bigint integer integer
= 0	-4	-1	32	4
SELECT i << 1, i >> 1, n << 33 FROM (SELECT i, i::bigint AS n FROM samples) x ORDER BY i
: integer integer bigint
= -14	-4	-60129542144
= 0	0	0
= 2	0	8589934592
= 4	1	17179869184
= 4	1	17179869184
= 6	1	25769803776
= 10	2	42949672960
= 18	4	77309411328
= \N	\N	\N
SELECT i FROM samples WHERE $1::int / $2::int > 1
$ integer integer
: integer
SELECT $1::int / $2::int
$ integer integer
: integer
SELECT $1::smallint + (-1), $1::smallint / 2
$ smallint
: integer integer
SELECT sum(~i), sum(i << 2), avg(i & 3), avg(i | 1), sum(i # 2), avg(i >> 1), avg(~i), sum(~s), sum(s << 1) FROM samples WHERE i > 0
: bigint bigint numeric numeric bigint numeric numeric bigint bigint
= -28	88	1.6666666666666667	4.0000000000000000	22	1.5000000000000000	-4.6666666666666667	-14	16
SELECT 5::smallint + (-1), 5::smallint + 1, 5::smallint * (2), 5::smallint + -1, - 5::smallint, 5::bigint + (-1), 7::smallint % (3)
: integer integer integer integer smallint bigint integer
= 4	6	10	4	-5	4	1
SELECT 7::int / 2::int, 7 / 2, (7) / (2), 7::smallint / 2::smallint, 7::smallint / 2
: integer integer integer smallint integer
= 3	3	3	3	3
SELECT gcd(12, 8), gcd(12::bigint, 8), lcm(4, 6), gcd(i, 2) FROM samples WHERE id = 1
: integer bigint integer integer
= 4	4	12	1
SELECT ~ i, i & 3, i | 1, i # 2, i >> 1, i << 2 FROM samples ORDER BY id
: integer integer integer integer integer integer
= -2	1	1	3	0	4
= -3	2	3	0	1	8
= -3	2	3	0	1	8
= -6	1	5	7	2	20
= \N	\N	\N	\N	\N	\N
= 6	1	-7	-5	-4	-28
= -10	1	9	11	4	36
= -1	0	1	2	0	0
= -4	3	3	1	1	12
SELECT ~ s, s & 3, s | 1, s # 2, s >> 1, s << 2 FROM samples ORDER BY id
: smallint integer integer integer smallint smallint
= -2	1	1	3	0	4
= -2	1	1	3	0	4
= -3	2	3	0	1	8
= -3	2	3	0	1	8
= \N	\N	\N	\N	\N	\N
= -4	3	3	1	1	12
= -4	3	3	1	1	12
= 0	3	-1	-3	-1	-4
= 0	3	-1	-3	-1	-4
SELECT ~ b, b & 3, b | 1, b # 2, b >> 1, b << 2 FROM samples ORDER BY id
: bigint bigint bigint bigint bigint bigint
= -11	2	11	8	5	40
= -21	0	21	22	10	80
= 29	2	-29	-32	-15	-120
= -9007199254740994	1	9007199254740993	9007199254740995	4503599627370496	36028797018963972
= \N	\N	\N	\N	\N	\N
= -1	0	1	2	0	0
= -71	2	71	68	35	280
= -81	0	81	82	40	320
= -91	2	91	88	45	360
SELECT 1 << 31, 1 << 32, 1 << 33, (-1) >> 1, (-1) << 1, 1::bigint << 63, 1::bigint << 64, 1::smallint << 15, 1::smallint << 16, 5 << -1
: integer integer integer integer integer bigint bigint smallint smallint integer
= -2147483648	1	2	-1	-2	-9223372036854775808	1	-32768	0	-2147483648
SELECT abs((-9223372036854775808)::bigint)
! 22003
SELECT abs((-2147483648)::int)
! 22003
SELECT abs((-32768)::smallint)
! 22003
SELECT @ i, @ b, @ d, @ n FROM samples ORDER BY id
: integer bigint double_precision numeric
= 1	10	0.5	1.500
= 2	20	1.5	2.500
= 2	30	2.5	2.500
= 5	9007199254740993	2.5	10.001
= \N	\N	\N	\N
= 7	0	0	0.000
= 9	70	1e+20	999999.999
= 0	80	0.1	0.005
= 3	90	123456.789	33.333
SELECT @ (-5), @ -5.5, abs(-3)
: integer numeric integer
= 5	5.5	3
SELECT bit_count('\x0f0f'::bytea)
: bigint
= 8
SELECT pg_typeof(i >> 1 + 1), pg_typeof(i & 1), pg_typeof((i >> 1) + n), pg_typeof(sum(i & 1)) FROM samples GROUP BY i, n LIMIT 1
: regtype regtype regtype regtype
= integer	integer	numeric	bigint
SELECT ~ i + 1, @ i - 3, 2 * @ i, |/ 16, ||/ 27, + i, - i, +i + 1, ~ (i), @ i::bigint, @ -i FROM samples WHERE id < 4 ORDER BY id
: integer integer integer double_precision double_precision integer integer integer integer bigint integer
= -3	2	2	4	3.0000000000000004	1	-1	2	-2	1	1
= -4	1	4	4	3.0000000000000004	2	-2	3	-3	2	2
= -4	1	4	4	3.0000000000000004	2	-2	3	-3	2	2
SELECT id FROM samples WHERE id = +2
: integer
= 2
SELECT bit_count('\x'::bytea), bit_count(NULL::bytea), bit_count('\x00ff80'::bytea)
: bigint bigint bigint
= 0	\N	9
SELECT i / 2, s / 2, s / s, i / s, b / i FROM samples WHERE id < 4 ORDER BY id
: integer integer smallint integer bigint
= 0	0	1	1	10
= 1	0	1	2	10
= 1	1	1	1	-15
SELECT sum(~i + 1), pg_typeof(~s), pg_typeof(s & s), pg_typeof(s & i), pg_typeof(b << 1) FROM samples GROUP BY s, i, b ORDER BY 1 LIMIT 1
: bigint regtype regtype regtype regtype
= -11	smallint	smallint	integer	bigint
SELECT ~ i + 1, t ~ 'a', t !~ 'a', t ~ 'a' AND NOT t ~ 'b' FROM samples ORDER BY id
: integer boolean boolean boolean
= -3	f	t	f
= -4	t	f	f
= -4	f	t	f
= -7	f	t	f
= \N	\N	\N	\N
= 5	t	f	t
= -11	f	t	f
= -2	f	t	f
= -5	f	t	f
SELECT (@ NULL::integer), @ CASE WHEN i > 1 THEN -3 END, @ CAST(-n AS numeric(8,2)), @(-3), @ -3 + 4, (@ i) FROM samples ORDER BY id
! 22003
SELECT i, sum(mod(i, 2.5)), sum(mod(i, 2)), sum(mod(s, b)), sum(mod(n, 2)), avg(mod(i, 3)) FROM samples WHERE b <> 0 GROUP BY i ORDER BY 1
: integer numeric bigint numeric numeric numeric
= 0	0.0	0	-1	-0.005	0.00000000000000000000
= 1	1.0	1	1	1.500	1.00000000000000000000
= 2	4.0	0	3	0.000	2.0000000000000000
= 3	0.5	1	-1	1.333	0.00000000000000000000
= 5	0.0	1	2	0.001	2.0000000000000000
= 9	1.5	1	3	1.999	0.00000000000000000000
SELECT i, mod(i, 2)::text, mod(i, 2.5)::text, mod(n, 2), pg_typeof(mod(s, i)) FROM samples WHERE i <> 0 ORDER BY id
: integer text text numeric regtype
= 1	1	1.0	1.500	integer
= 2	0	2.0	0.500	integer
= 2	0	2.0	-0.500	integer
= 5	1	0.0	0.001	integer
= -7	-1	-2.0	0.000	integer
= 9	1	1.5	1.999	integer
= 3	1	0.5	1.333	integer
SELECT power(i, 2)::text, power(d, 2)::text, (i ^ 2)::text, pow(r, 2)::text, sqrt(i)::text, ln(d + 100)::text FROM samples WHERE id < 3 ORDER BY id
: text text text text text text
= 1	0.25	1	2.25	1	4.61015772749913
= 4	2.25	4	6.25	1.4142135623730951	4.620058798481842
SELECT avg(power(i, 2)), sum(power(i, 2)), avg(div(n, 2)), div(n, 2)::text, sum(factorial(3)), avg(factorial(i)) FROM samples WHERE id = 1 GROUP BY n
: double_precision double_precision numeric text numeric numeric
= 1	1	0.00000000000000000000	0	6	1.00000000000000000000
SELECT sign('NaN'::double precision)::text, sign(n)::text, sign(d)::text, sign(i)::text, sign(r)::text, sign(b)::text FROM samples ORDER BY id
: text text text text text text
= 0	1	1	1	1	1
= 0	1	1	1	1	1
= 0	-1	1	1	1	-1
= 0	1	-1	1	1	1
= 0	\N	\N	\N	\N	\N
= 0	0	0	-1	0	0
= 0	1	1	1	1	1
= 0	-1	1	0	-1	1
= 0	1	1	1	1	1
SELECT avg(sign(n)), sum(sign(n)), avg(sign(d)) FROM samples
: numeric numeric double_precision
= 0.37500000000000000000	3	0.625
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY sign(n)) FROM samples
: double_precision
= 1
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY sign(n)), avg(CASE WHEN f THEN sign(n) END) FROM samples
: numeric numeric
= 1	0.25000000000000000000
SELECT sum(stddev_pop(d)) OVER () FROM samples WHERE id < 4
: double_precision
= 0.816496580927726
SELECT stddev_pop(r)::text, var_pop(d)::text, stddev(r)::text, stddev_samp(d)::text, variance(r)::text FROM samples WHERE id = 3
: text text text text text
= 0	0	\N	\N	\N
SELECT sum(mod(5, '3'))
: bigint
= 2
SELECT abs(sign(-2.5) - 1), sign(-2.5) * 100, sign(i) * 2 FROM samples WHERE id = 1
: numeric numeric double_precision
= 2	-100	2
SELECT @ NULL::integer, (@ true::integer), @ CASE WHEN true THEN -1 END, @ -2
: integer integer integer integer
= \N	1	1	2
SELECT (10000000000::numeric / 3) / 2
: numeric
= 1666666666.66666667
SELECT avg(n) / 2 FROM samples
: numeric
= 62502.801750000000
SELECT sum(b) % 2.5, mod(sum(b), 2.5), sum(b) / 2.5, div(sum(b), 2.5) FROM samples
: numeric numeric numeric numeric
= 0.5	0.5	3602879701896493.2000	3602879701896493
SELECT div(9007199254740993.0, 1), div(9007199254740993, 1), div(-7.5, 2), div(7, -2), div(n, 0.3) FROM samples WHERE id < 4 ORDER BY id
: numeric numeric numeric numeric numeric
= 9007199254740993	9007199254740993	-3	-3	5
= 9007199254740993	9007199254740993	-3	-3	8
= 9007199254740993	9007199254740993	-3	-3	-8
SELECT div(1, 0)
! 22012
SELECT div(1.5, 0)
! 22012
SELECT 1.5 % 0
! 22012
SELECT mod(1.5, 0)
! 22012
SELECT (n * n) / n, (n * n * n) / 3, n / (n * n * n) FROM samples WHERE id = 1
: numeric numeric numeric
= 1.5000000000000000	1.12500000000000000000	0.44444444444444444444
SELECT 100000000000000000000 / 3.0, 12345678901234567890123 / 7
: numeric numeric
= 33333333333333333333.3	1763668414462081127160
SELECT (n / 3) / (n / 7), ((n / 3) / 7) / 11 FROM samples WHERE n > 0 ORDER BY id
: numeric numeric
= 2.33333333333333333338	0.00649350649350649351
= 2.33333333333333333331	0.01082251082251082251
= 2.3333333333333334	0.04329437229437229481
= 2.3333333333333333	4329.0043246753246364
= 2.3333333333333333	0.14429870129870130000
SELECT round(n, -1) / id, avg(round(n, -1)), sum(trunc(n, -2)), round(NULL::numeric, -1) / id, round(999::numeric, -1) / 3 FROM samples WHERE id < 4 GROUP BY n, id ORDER BY id
: numeric numeric numeric numeric numeric
= 0.00000000000000000000	0.00000000000000000000	0	\N	333.3333333333333333
= 0.00000000000000000000	0.00000000000000000000	0	\N	333.3333333333333333
= 0.00000000000000000000	0.00000000000000000000	0	\N	333.3333333333333333
SELECT -((-2147483648)::int)
! 22003
SELECT -((-32768)::smallint), - s FROM samples
! 22003
SELECT -(-(5::int)), -(-5), -(2 + 3), -((2 + 3)::smallint), -(i + 1), -(SELECT 5) FROM samples WHERE id = 1
: integer integer integer smallint integer integer
= 5	5	-5	-5	-2	-5
SELECT -((-9223372036854775808)::bigint)
! 22003
SELECT (-9223372036854775808)::bigint % -1
: bigint
= 0
SELECT (-2147483648)::int % -1
: integer
= 0
SELECT (-32768)::smallint % (-1)::smallint
: smallint
= 0
SELECT 7 % i, b % s, s % -2, 5::smallint % 2::smallint FROM samples WHERE id = 2
: integer bigint integer smallint
= 1	0	1	1
SELECT 7 % 0
! 22012
SELECT 7 % i FROM samples
! 22012
SELECT mod((-9223372036854775808)::bigint, -1)
: bigint
= 0
SELECT i % -1, mod(i, 2) FROM samples WHERE id = 6
: integer integer
= 0	-1
SELECT 'NaN'::float8 / floor(s), 'NaN'::float8 / 0 FROM samples ORDER BY id
: double_precision double_precision
= NaN	NaN
= NaN	NaN
= NaN	NaN
= NaN	NaN
= \N	NaN
= NaN	NaN
= NaN	NaN
= NaN	NaN
= NaN	NaN
SELECT 1e308::float8 / r FROM samples WHERE id = 3
! 22003
SELECT 1::float8 / 0
! 22012
SELECT 'Infinity'::float8 / (s - s) FROM samples
! 22012
SELECT d / s / 2 FROM samples ORDER BY id
: double_precision
= 0.25
= 0.75
= 0.625
= -0.625
= \N
= 0
= 1.6666666666666666e+19
= -0.05
= -61728.3945
SELECT 1::real / 3, 'NaN'::real / 0, 1::float8 / d, r / s FROM samples WHERE d <> 0 AND s <> 0 ORDER BY id
: double_precision double_precision double_precision double_precision
= 0.3333333333333333	NaN	2	1.5
= 0.3333333333333333	NaN	0.6666666666666666	2.5
= 0.3333333333333333	NaN	0.4	0.05000000074505806
= 0.3333333333333333	NaN	-0.4	5000000000
= 0.3333333333333333	NaN	1e-20	1
= 0.3333333333333333	NaN	10	1.25
= 0.3333333333333333	NaN	8.10000007371e-06	-7
SELECT id, 'NaN'::float8 <= -d, 'NaN'::float8 NOT BETWEEN NULL AND -d, -(-d) FROM samples ORDER BY id
: integer boolean boolean double_precision
= 1	f	t	0.5
= 2	f	t	1.5
= 3	f	t	2.5
= 4	f	t	-2.5
= 5	\N	\N	\N
= 6	f	t	0
= 7	f	t	1e+20
= 8	f	t	0.1
= 9	f	t	123456.789
SELECT width_bucket(n, 1, 2, 3) / (i - i) FROM samples WHERE i IS NOT NULL
! 22012
SELECT @ NULL
: double_precision
= \N
SELECT @ NULL::bigint
: bigint
= \N
SELECT @ '-5'
: double_precision
= 5
SELECT abs(NULL)
: double_precision
= \N
SELECT id, mod(id + 1, 2 + 1) FROM samples ORDER BY id
: integer integer
= 1	2
= 2	0
= 3	1
= 4	2
= 5	0
= 6	1
= 7	2
= 8	0
= 9	1
SELECT mod(7 - 2, 2), mod(-(7 - 2), 2 + 2)
: integer integer
= 1	-1
SELECT div(7 + 1, 2 + 1), gcd(4 + 4, 2 * 3), abs(1 - 5)
: numeric integer integer
= 2	2	4
SELECT - -2147483648, -(-2147483648), pg_typeof(- -2147483648), - - -1, -(-(-2))
: bigint bigint regtype integer integer
= 2147483648	2147483648	bigint	-1	-2
SELECT id FROM samples ORDER BY id FETCH FIRST (- -1) ROWS WITH TIES
: integer
= 1
SELECT -(-9223372036854775808), pg_typeof(-(-9223372036854775808))
: numeric regtype
= 9223372036854775808	numeric
