SELECT timestamptz '2020-03-01 00:00+00' + interval '1 month -1 second'
: timestamp_with_time_zone
= 2020-03-31 23:59:59+00
SELECT '2020-03-31 12:00+00'::timestamptz - '1 month 12 hours 1 second'::interval
: timestamp_with_time_zone
= 2020-02-28 23:59:59+00
SELECT timestamptz '2020-05-31 00:30+00' - interval '1 month 1 hour'
: timestamp_with_time_zone
= 2020-04-29 23:30:00+00
SELECT timestamptz '2013-03-01 00:00+00' + n * interval '1 month -1 minute' FROM (VALUES (1), (2)) t(n)
: timestamp_with_time_zone
= 2013-03-31 23:59:00+00
= 2013-04-30 23:58:00+00
SELECT generate_series(timestamp '2020-01-01', timestamp '2020-01-03', interval '1 day 1 hour')
: timestamp_without_time_zone
= 2020-01-01 00:00:00
= 2020-01-02 01:00:00
SELECT generate_series(timestamptz '2020-01-01+00', timestamptz '2020-03-05+00', interval '1 month 1 minute')
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
= 2020-02-01 00:01:00+00
= 2020-03-01 00:02:00+00
SELECT interval '1' year to month
: interval
= 1 mon
SELECT interval '1 year 2 mons'::interval year, interval '1 day 02:03:04' hour
: interval interval
= 1 year	1 day 02:00:00
SELECT interval '1.5' day, interval '2' hour, interval '90' minute
: interval interval interval
= 1 day	02:00:00	01:30:00
SELECT interval '7' month, interval '1.5' hour, interval '100' second
: interval interval interval
= 7 mons	01:00:00	00:01:40
SELECT '01:02:03'::interval hour to minute
: interval
= 01:02:00
SELECT CAST('90' AS interval minute), interval '1:30' hour
: interval interval
= 01:30:00	01:00:00
SELECT date_trunc(u, timestamp '2202-02-16') FROM (VALUES ('century'), ('millennium')) t(u)
: timestamp_without_time_zone
= 2201-01-01 00:00:00
= 2001-01-01 00:00:00
SELECT date_trunc(u, date '2000-06-01') FROM (VALUES ('millennium'), ('century')) t(u)
: timestamp_with_time_zone
= 1001-01-01 00:00:00+00
= 1901-01-01 00:00:00+00
SELECT date_trunc(u, timestamptz '2202-02-16+00') FROM (VALUES ('century')) t(u)
: timestamp_with_time_zone
= 2201-01-01 00:00:00+00
SELECT date_trunc('hour', timestamptz '2024-11-03 08:30Z', 'America/Los_Angeles')
: timestamp_with_time_zone
= 2024-11-03 08:00:00+00
SELECT date_trunc('minute', timestamptz '2024-10-27 00:30:15Z', 'Europe/Berlin')
: timestamp_with_time_zone
= 2024-10-27 00:30:00+00
SELECT date_trunc('hour', timestamptz '2013-11-03 05:45Z', 'America/New_York') <= timestamptz '2013-11-03 05:45Z'
: boolean
= t
SELECT make_date(-44, 3, 15), make_timestamp(-44, 3, 15, 0, 0, 0)
: date timestamp_without_time_zone
= 0044-03-15 BC	0044-03-15 00:00:00 BC
SELECT make_date(0, 1, 1)
! 22008
SELECT make_timestamp(-100, 1, 1, 12, 0, 0)
: timestamp_without_time_zone
= 0100-01-01 12:00:00 BC
SELECT make_date(-1, 2, 28), make_date(-4713, 11, 24)
: date date
= 0001-02-28 BC	4713-11-24 BC
SELECT extract(epoch FROM timestamp 'infinity'), extract(day FROM date '-infinity')
: numeric numeric
= Infinity	\N
~ no numeric is infinite: a literal's field is a double, a column's is refused
>: double_precision double_precision
>= Infinity	\N
SELECT extract(year FROM timestamptz 'infinity'), date_part('hour', timestamp '-infinity')
: numeric double_precision
= Infinity	\N
~ no numeric is infinite: a literal's field is a double, a column's is refused
>: double_precision double_precision
>= Infinity	\N
SELECT date_part('epoch', date '-infinity'), extract(century FROM timestamptz '-infinity')
: double_precision numeric
= -Infinity	-Infinity
~ no numeric is infinite: a literal's field is a double, a column's is refused
>: double_precision double_precision
>= -Infinity	-Infinity
SELECT time '12:34:56.7891235', '23:59:59.9999999'::time
: time_without_time_zone time_without_time_zone
= 12:34:56.789124	24:00:00
SELECT time '23:59:59.9999996'
: time_without_time_zone
= 24:00:00
select extract(year from d), extract(epoch from t), date_part('year', t), date_part('day', t) from (values (date '2020-01-02', timestamp '2020-01-02 03:04')) v(d,t)
: numeric numeric double_precision double_precision
= 2020	1577934240.000000	2020	2
select date_part('year', t), date_part('hour', t), date_part('epoch', t) from (values (timestamp 'infinity'), (timestamp '-infinity'),(null)) v(t)
: double_precision double_precision double_precision
= Infinity	\N	Infinity
= -Infinity	\N	-Infinity
= \N	\N	\N
select date_part(f, timestamp '2020-02-03 04:05:06.789') from (values ('year'),('month'),('epoch'),('dow'),('century'),('msec'),('secs'),(null)) t(f)
: double_precision
= 2020
= 2
= 1580702706.789
= 1
= 21
= 6789
= 6.789
= \N
select date_part(f, date '2020-02-03') from (values ('year'),('dow')) t(f)
: double_precision
= 2020
= 1
select date_part(f, interval '1 year 2 days 03:04') from (values ('year'),('day'),('epoch'),('hours')) t(f)
: double_precision
= 1
= 2
= 31741440
= 3
select date_part(f, timestamp '2020-02-03') from (values ('yeer')) t(f)
! 22023
select date_trunc(f, timestamp '2020-02-03') from (values ('yeer')) t(f)
! 22023
select date_trunc(f, interval '1 year 2 mons 3 days 04:05') from (values ('month'),('day'),('century')) t(f)
: interval
= 1 year 2 mons
= 1 year 2 mons 3 days
= 00:00:00
select date_trunc(f, timestamp '2020-02-03 04:05:06.789') from (values ('year'),('MONTH'),('week'),('hours'),('millennia'),('decade'),('milliseconds'),(null),('quarter')) t(f)
: timestamp_without_time_zone
= 2020-01-01 00:00:00
= 2020-02-01 00:00:00
= 2020-02-03 00:00:00
= 2020-02-03 04:00:00
= 2001-01-01 00:00:00
= 2020-01-01 00:00:00
= 2020-02-03 04:05:06.789
= \N
= 2020-01-01 00:00:00
select date_trunc(f, timestamptz '2024-11-03 08:30Z', 'America/Los_Angeles') from (values ('hour'),('day'),('minute')) t(f)
: timestamp_with_time_zone
= 2024-11-03 08:00:00+00
= 2024-11-03 07:00:00+00
= 2024-11-03 08:30:00+00
select date_trunc('day', timestamptz '2024-11-03 08:30Z', 'America/Los_Angeles'), date_trunc('hour', timestamptz '2024-11-03 09:30Z', 'America/Los_Angeles'), date_trunc('week', timestamptz '2024-11-03 08:30Z', z) from (values ('America/Los_Angeles')) t(z)
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2024-11-03 07:00:00+00	2024-11-03 09:00:00+00	2024-10-28 07:00:00+00
select timestamptz '2020-01-31 10:00+00' + interval '1 month 1 day -3 hours', timestamptz '2020-01-31 10:00+00' - interval '1 month', interval '1 mon 30 min' + timestamptz '2020-01-31 23:45Z'
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2020-03-01 07:00:00+00	2019-12-31 10:00:00+00	2020-03-01 00:15:00+00
select timestamptz 'infinity' + interval '1 month', timestamptz '-infinity' - interval '1 day'
: timestamp_with_time_zone timestamp_with_time_zone
= infinity	-infinity
select generate_series(timestamptz '2020-01-01+00', timestamptz '2020-01-03+00', '12 hours'), generate_series(timestamp '2020-01-01', timestamp '2020-03-01', interval '1 month')
: timestamp_with_time_zone timestamp_without_time_zone
= 2020-01-01 00:00:00+00	2020-01-01 00:00:00
= 2020-01-01 12:00:00+00	2020-02-01 00:00:00
= 2020-01-02 00:00:00+00	2020-03-01 00:00:00
= 2020-01-02 12:00:00+00	\N
= 2020-01-03 00:00:00+00	\N
select * from generate_series(timestamp '2020-01-31', timestamp '2020-06-01', interval '1 month 1 day') g
: timestamp_without_time_zone
= 2020-01-31 00:00:00
= 2020-03-01 00:00:00
= 2020-04-02 00:00:00
= 2020-05-03 00:00:00
select * from generate_series(date '2020-01-01', date '2020-01-05', interval '1 day 12 hours') g(x)
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
= 2020-01-02 12:00:00+00
= 2020-01-04 00:00:00+00
select generate_series(timestamp '2020-03-01', timestamp '2020-01-01', interval '-1 month -1 day')
: timestamp_without_time_zone
= 2020-03-01 00:00:00
= 2020-01-31 00:00:00
select generate_series(timestamp '2020-01-01', timestamp '2020-01-02', i) from (values (interval '12 hours'),(interval '1 day')) t(i)
: timestamp_without_time_zone
= 2020-01-01 00:00:00
= 2020-01-01 12:00:00
= 2020-01-02 00:00:00
= 2020-01-01 00:00:00
= 2020-01-02 00:00:00
select make_date(2020,2,29), make_date(-4713,11,24), make_timestamptz(-1,2,28,1,2,3.5), make_timestamp(0,1,1,1,1,1)
! 22008
select make_date(y,1,1) from (values (-5),(5)) t(y)
: date
= 0005-01-01 BC
= 0005-01-01
select time '24:00', time '23:59:59.9999996', '10:00:00.1234565'::time, t::time from (values ('01:02:03.4567895')) v(t)
: time_without_time_zone time_without_time_zone time_without_time_zone time_without_time_zone
= 24:00:00	24:00:00	10:00:00.123456	01:02:03.45679
select interval '1:30' minute to second, interval '1 2' day to hour, interval '1-2' year to month, interval '1 2:03' day to minute, interval '1 year 2 days 03:04:05' month
: interval interval interval interval interval
= 00:01:30	1 day 02:00:00	1 year 2 mons	1 day 02:03:00	1 year
select x::interval hour, x::interval year to month, x::interval day, cast(x as interval minute) from (values (interval '1 year 2 mons 3 days 04:05:06')) t(x)
: interval interval interval interval
= 1 year 2 mons 3 days 04:00:00	1 year 2 mons	1 year 2 mons 3 days	1 year 2 mons 3 days 04:05:00
select interval '3 days 04:05:06.7' hour to minute, interval '-1.5' hour, interval '1.5 years' year, interval '100' year to month
: interval interval interval interval
= 3 days 04:05:00	-01:00:00	1 year	8 years 4 mons
select interval '1 2 hours', interval '3 4:05'
: interval interval
= 1 day 02:00:00	3 days 04:05:00
select interval '1 2 minutes'
! 22007
select to_char(timestamptz '2020-01-01', 'tzh:tzm of OF TZ tz'), to_char(timestamp '2020-01-01 13:14:15.678901', 'ff1 ff2 ff3 ff4 ff5 ff6 FF3 ms us'), to_char(timestamp '2020-01-01', 'day Day DAY d D q Q w ww j J cc y yyy iyyy iddd id iw ssss')
: text text text
= +00:00 +00 +00 UTC utc	6 67 678 6789 67890 678901 678 678 678901	wednesday Wednesday WEDNESDAY 4 4 1 1 1 01 2458850 2458850 21 0 020 2020 003 3 01 0
select to_char(timestamp '2020-01-01 13:14:15', 'hh12:mi:ss am, Month fmMonth, the 1th ddth'), to_char(date '2020-03-04','yyyy-mm-dd'), to_char(timestamp '2020-01-01','y,yyy')
: text text text
= 01:14:15 pm, January   January, the 1th 01st	2020-03-04	2,020
SELECT to_char(2.5::float8, '9'), to_char(3.5::float8, '9'), to_char(0.125::float8, '9.99'), to_char(2.5::real, '9'), to_char(-2.5::float8, 'FM9'), to_char(0.45::float8, '9.9')
: text text text text text text
=  2	 4	  .12	 2	-2	  .5
SELECT to_char(123456.789::real, '999999.99'), to_char(12345678901234.678::float8, '999999999999999.999'), to_char(1e20::float8, '9'), to_char('NaN'::float8, '99'), to_char('inf'::float8, '99.9'), to_char('-inf'::float8, '99')
: text text text text text text
=  123457	  12345678901234.7	 #	 ##	 ##.#	-##
SELECT to_number('1,000,000', '999999999'), to_number('1a2', '999'), to_number('12,34', '9999'), to_number('1,000.5', '9999.9'), to_number('1,000.5', '99999.9'), to_number('-1,5', '999'), to_number('1,5-', '999S'), to_number(',12', '999')
: numeric numeric numeric numeric numeric numeric numeric numeric
= 1000000	12	123	1000	1000.5	-15	-15	12
SELECT extract(year FROM t) FROM (VALUES (timestamp 'infinity')) v(t)
: numeric
= Infinity
~ no numeric is infinite: a literal's field is a double, a column's is refused
>! 0A000
SELECT to_number('.01-', '99999D99S'), to_number('12-', '999S'), to_number('1-2', '99S'), to_number('1-2', '999'), to_number('1 -', '999S'), to_number('1+', '999S'), to_number('-1-', '999S')
: numeric numeric numeric numeric numeric numeric numeric
= -0.01	-12	-12	12	1	1	-1
SELECT '2020-01-01 00:00'::timestamp AT TIME ZONE '-05:30', '2020-01-01 00:00'::timestamp AT TIME ZONE '+05', '2020-01-01 00:00'::timestamp AT TIME ZONE 'Asia/Kolkata', '2020-01-01 00:00'::timestamp AT TIME ZONE 'EST'
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2019-12-31 18:30:00+00	2020-01-01 05:00:00+00	2019-12-31 18:30:00+00	2020-01-01 05:00:00+00
SELECT '2020-01-01 00:00'::timestamp AT TIME ZONE z FROM (VALUES ('-05:30'),('+05'),('EST'),('utc')) v(z)
: timestamp_with_time_zone
= 2019-12-31 18:30:00+00
= 2020-01-01 05:00:00+00
= 2020-01-01 05:00:00+00
= 2020-01-01 00:00:00+00
SELECT '2020-01-01 00:00'::timestamp AT TIME ZONE '05'
: timestamp_with_time_zone
= 2020-01-01 05:00:00+00
SELECT '2020-01-01 00:00'::timestamp AT TIME ZONE 'FOO3'
: timestamp_with_time_zone
= 2020-01-01 03:00:00+00
SELECT make_timestamptz(2020,1,1,0,0,0,z) FROM (VALUES ('Europe/Berlin'),('EST'),(NULL)) v(z)
: timestamp_with_time_zone
= 2019-12-31 23:00:00+00
= 2020-01-01 05:00:00+00
= \N
SELECT make_timestamptz(2020,1,1,0,0,0,z) FROM (VALUES ('-05:30'),('+5'),('+05:30:10'),('FOO3'),('-0530')) v(z)
: timestamp_with_time_zone
= 2020-01-01 05:30:00+00
= 2019-12-31 19:00:00+00
= 2019-12-31 18:29:50+00
= 2020-01-01 03:00:00+00
= 2020-01-01 05:30:00+00
SELECT make_timestamptz(2020,1,1,0,0,0,'FOO3'), make_timestamptz(2020,1,1,0,0,0,'+16'),make_timestamptz(-2020,1,1,0,0,0,'+15')
! 22023
SELECT make_timestamptz(2020,1,1,0,0,0,'')
! 22023
SELECT make_timestamptz(2020,1,1,0,0,0,'+25')
! 22023
SELECT date_part('julian', '2020-01-01 12:34:56.789'::timestamp), date_part('julian', '2020-01-01'::date), date_part('julian', 'infinity'::timestamptz), date_part('jd', '0044-03-15 00:00:01 BC'::timestamp)
: double_precision double_precision double_precision double_precision
= 2458850.524268391	2458850	Infinity	1705428.000011574
SELECT date_trunc(x, NULL::timestamp) FROM (VALUES ('nonsense')) v(x)
: timestamp_without_time_zone
= \N
SELECT date_part(x, y) FROM (VALUES ('nonsense', NULL::interval)) v(x, y)
: double_precision
= \N
SELECT to_timestamp(x) FROM (VALUES (1.5::double precision), (-1e10), ('infinity'), (NULL)) v(x)
: timestamp_with_time_zone
= 1970-01-01 00:00:01.5+00
= 1653-02-10 06:13:20+00
= infinity
= \N
SELECT to_timestamp('-infinity'), to_timestamp(1.0000005), to_timestamp(1.0000015), to_timestamp(12345678901.5555555)
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= -infinity	1970-01-01 00:00:01+00	1970-01-01 00:00:01.000002+00	2361-03-21 19:15:01.555556+00
SELECT make_timestamptz(2020,1,1,0,0,0,'+99999999999999999999')
! 22023
SELECT make_timestamptz(2020,1,1,0,0,0,'+1:9999999999')
! 22023
SELECT make_timestamptz(2020,1,1,0,0,0,'+1:60')
! 22023
SELECT make_timestamp(2020,1,1,1,1,60), make_time(23,59,60), make_timestamptz(2020,1,1,24,0,0), make_timestamptz(2020,1,1,1,1,59.9999999, 'UTC')
: timestamp_without_time_zone time_without_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2020-01-01 01:02:00	24:00:00	2020-01-02 00:00:00+00	2020-01-01 01:02:00+00
SELECT make_timestamp(2020,1,1,1,1,60.5)
! 22008
SELECT make_time(1,1,60.5)
! 22008
SELECT make_timestamptz(2020,1,1,1,1,60.5)
! 22008
SELECT make_timestamptz(2020,1,1,1,1,60.5,'UTC')
! 22008
SELECT make_timestamptz(2020,1,1,1,1,-0.5)
! 22008
SELECT make_timestamptz(2020,1,1,25,0,0)
! 22008
SELECT make_timestamptz(2020,1,1,24,0,0.5)
! 22008
SELECT make_timestamptz(2020,1,1,1,60,0)
! 22008
SELECT make_timestamptz(2020,1,1,1,-1,0)
! 22008
SELECT make_timestamptz(2020,1,1,1,1,'NaN')
! 22008
SELECT make_timestamptz(2020,1,1,1,1,'Infinity')
! 22008
SELECT make_timestamp(2020,1,1,1,1,1e300)
! 22008
SELECT make_time(1,1,'NaN')
! 22008
SELECT make_timestamptz(-5,1,1,1,1,id + 54.5) FROM samples WHERE id < 3 ORDER BY 1
: timestamp_with_time_zone
= 0005-01-01 01:01:55.5+00 BC
= 0005-01-01 01:01:56.5+00 BC
SET TimeZone = 'Europe/Berlin'; SELECT make_timestamptz(2020,7,1,1,1,5.5)
: timestamp_with_time_zone
= 2020-07-01 01:01:05.5+02
SET TimeZone = 'Europe/Berlin'; SELECT make_timestamptz(2020,7,1,25,1,5.5)
! 22008
SELECT id FROM samples WHERE tz < 'infinity' AND at > '-INFINITY' AND day <> ' infinity' ORDER BY id
: integer
= 1
= 2
= 3
= 4
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE tz >= 'infinity' OR day < '-infinity'
: integer
SELECT id FROM samples WHERE day BETWEEN '-infinity' AND '2020-02-29' ORDER BY id
: integer
= 1
= 2
= 6
= 8
SELECT id FROM samples WHERE tz IN ('infinity', '2020-01-01 10:00:00+00') OR tz < '-infinity'::timestamptz
: integer
= 1
SET TimeZone = 'America/New_York'; SELECT id FROM samples WHERE tz < 'infinity' ORDER BY id
: integer
= 1
= 2
= 3
= 4
= 6
= 7
= 8
= 9
SELECT '{infinity,-infinity}'::timestamptz[], '{infinity}'::date[]
: timestamp_with_time_zone[] date[]
= {infinity,-infinity}	{infinity}
