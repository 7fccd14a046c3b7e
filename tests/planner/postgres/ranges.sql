SELECT 1e308::float8 * 10
! 22003
SELECT 1e308::float8 + 1e308::float8
! 22003
SELECT -1e308::float8 - 1e308::float8
! 22003
SELECT 1e308::float8 / 0.1::float8
! 22003
SELECT 1e308::float8 / 1e-10
! 22003
SELECT 'Infinity'::float8 * 2, 'Infinity'::float8 + 1
: double_precision double_precision
= Infinity	Infinity
SELECT exp(1000::float8)
! 22003
SELECT exp(-1000::float8)
! 22003
SELECT power(1e300::float8, 2)
! 22003
SELECT 10::float8 ^ 400
! 22003
SELECT power(0::float8, -1)
! 2201F
SELECT power(-8::float8, 0.5)
! 2201F
SELECT sinh(1000::float8), cosh(1000::float8)
: double_precision double_precision
= Infinity	Infinity
SELECT 1e300::float8::real
! 22003
SELECT 3e38::real * 10::real
! 22003
SELECT 3e38::real + 3e38::real
! 22003
SELECT 3e38::real * 10::float8
: double_precision
= 3.000000005497756e+39
SELECT 1e300::float8::integer
! 22003
SELECT 1e300::float8::bigint
! 22003
SELECT 'NaN'::float8::integer
! 22003
SELECT 'Infinity'::float8::bigint
! 22003
SELECT 40000::smallint
! 22003
SELECT 32767::smallint + 1::smallint
! 22003
SELECT 2147483647 + 1
! 22003
SELECT 9223372036854775807 + 1
! 22003
SELECT -(-9223372036854775808)
: numeric
= 9223372036854775808
SELECT abs(-2147483648)
! 22003
SELECT d * 1e300 FROM samples ORDER BY id
! 22003
SELECT sum(d * 1e288) FROM samples
: double_precision
= 1.0000000000000012e+308
SELECT sum(x) FROM (VALUES (3e38::real), (3e38::real)) v(x)
! 22003
SELECT sqrt(-1::float8)
! 2201F
SELECT ln(0::float8), log(0::float8)
! 2201E
SELECT acos(2::float8)
! 22003
SELECT '1e400'::float8
! 22003
SELECT 1e400::float8
! 22003
SELECT '1e40'::real
! 22003
SELECT '1e-400'::float8
! 22003
SELECT d::real FROM samples WHERE id = 1
: real
= 0.5
SELECT 1e20::numeric::bigint
! 22003
SELECT 99999999999::bigint::integer
! 22003
SELECT round(1e308::float8 * 10)
! 22003
SELECT atanh(1::float8)
: double_precision
= Infinity
SELECT tan(1.5707963267948966::float8)
: double_precision
= 1.633123935319537e+16
SELECT 5 % 0, 5.0 % 0
! 22012
SELECT mod(5::float8::numeric, 0)
! 22012
SELECT 1::float8 / 0
! 22012
SELECT -2147483648 / -1
! 22003
SELECT (-32768)::smallint / (-1)::smallint
! 22003
SELECT (-32768)::smallint * (-1)::smallint
! 22003
SELECT cbrt(27::float8), radians(1e308)
: double_precision double_precision
= 3.0000000000000004	1.7453292519943295e+306
SELECT generate_series(9223372036854775806, 9223372036854775807)
: bigint
= 9223372036854775806
= 9223372036854775807
SELECT timestamp '294276-12-31' + interval '1 day'
! 22008
SELECT interval '1 day' * 1e300::float8
! 22008
SELECT to_timestamp(1e300::float8)
! 22008
SELECT width_bucket(1e308::float8, -1e308, 1e308, 10)
: integer
= 11
