SELECT interval '1 month - 1 day'
: interval
= 1 mon -1 days
SELECT interval '1 month -1 day'
: interval
= 1 mon -1 days
SELECT interval '1 mon 2 days ago'
: interval
= -1 mons -2 days
SELECT interval '-1 day +02:03'
: interval
= -1 days +02:03:00
SELECT interval '1.5 months'
: interval
= 1 mon 15 days
SELECT interval '1.5 days'
: interval
= 1 day 12:00:00
SELECT interval '1.5 years'
: interval
= 1 year 6 mons
SELECT interval '0.5 weeks'
: interval
= 3 days 12:00:00
SELECT interval '1 year' '2 months'
! 42601
SELECT interval '1-2'
: interval
= 1 year 2 mons
SELECT interval '1 12:59:10'
: interval
= 1 day 12:59:10
SELECT interval '1-2 3 4:05:06'
: interval
= 1 year 2 mons 3 days 04:05:06
SELECT interval 'P1Y2M3DT4H5M6S'
: interval
= 1 year 2 mons 3 days 04:05:06
SELECT interval 'P0001-02-03T04:05:06'
: interval
= 1 year 2 mons 3 days 04:05:06
SELECT interval '1 century 2 decades'
: interval
= 120 years
SELECT interval '3 d 4 h 5 m 6 s'
: interval
= 3 days 04:05:06
SELECT interval '@ 1 minute ago'
: interval
= -00:01:00
SELECT interval '90 minutes'
: interval
= 01:30:00
SELECT interval '25 hours'
: interval
= 25:00:00
SELECT interval '1000000 seconds'
: interval
= 277:46:40
SELECT interval '12'
: interval
= 00:00:12
SELECT interval '12' hour
: interval
= 12:00:00
SELECT interval '12' day
: interval
= 12 days
SELECT interval '12' month
: interval
= 1 year
SELECT interval '1-2' year to month
: interval
= 1 year 2 mons
SELECT interval '1 2:03:04.5678' day to second
: interval
= 1 day 02:03:04.5678
SELECT interval 'foo'
! 22007
SELECT interval ''
! 22007
SELECT interval '1 foo'
! 22007
SELECT '1 month - 1 day'::interval
: interval
= 1 mon -1 days
SELECT '3 days'::interval * 2
: interval
= 6 days
SELECT interval '1 day' * 1.5
: interval
= 1 day 12:00:00
SELECT interval '1 month' * 1.5
: interval
= 1 mon 15 days
SELECT interval '1 month 1 day' * 0.33
: interval
= 10 days 05:31:12
SELECT interval '1 month' / 3
: interval
= 10 days
SELECT interval '1 day' / 3
: interval
= 08:00:00
SELECT interval '1 month' / 30
: interval
= 1 day
SELECT interval '1 year' / 7
: interval
= 1 mon 21 days 10:17:08.5344
SELECT interval '1 day' / 0
! 22012
SELECT interval '1 day' / 0.0
! 22012
SELECT 2 * interval '1 day'
: interval
= 2 days
SELECT 2.5 * interval '1 day'
: interval
= 2 days 12:00:00
SELECT 1.5::float8 * interval '1 hour'
: interval
= 01:30:00
SELECT i * interval '1 day' FROM samples ORDER BY id
: interval
= 1 day
= 2 days
= 2 days
= 5 days
= \N
= -7 days
= 9 days
= 00:00:00
= 3 days
SELECT d * interval '1 hour' FROM samples WHERE id < 5 ORDER BY id
: interval
= 00:30:00
= 01:30:00
= 02:30:00
= -02:30:00
SELECT n * interval '1 hour' FROM samples WHERE id < 5 ORDER BY id
: interval
= 01:30:00
= 02:30:00
= -02:30:00
= 10:00:03.6
SELECT i * interval '1 month' + at FROM samples WHERE id < 5 ORDER BY id
: timestamp_without_time_zone
= 2020-02-01 10:00:00
= 2020-04-29 23:59:59.5
= 2020-05-15 00:00:00
= 2021-05-31 12:30:15.123456
SELECT interval '1 day' * i FROM samples ORDER BY id
: interval
= 1 day
= 2 days
= 2 days
= 5 days
= \N
= -7 days
= 9 days
= 00:00:00
= 3 days
SELECT interval '100 days' / nullif(i, 0) FROM samples ORDER BY id
: interval
= 100 days
= 50 days
= 50 days
= 20 days
= \N
= -14 days -06:51:25.714286
= 11 days 02:40:00
= \N
= 33 days 08:00:00
SELECT -interval '1 day 2 hours'
: interval
= -1 days -02:00:00
SELECT - (interval '1 month -1 day')
: interval
= -1 mons +1 day
SELECT abs(interval '1 day')
! 42883
SELECT interval '1 day' + interval '2 hours'
: interval
= 1 day 02:00:00
SELECT interval '1 month' - interval '2 days'
: interval
= 1 mon -2 days
SELECT interval '1 day' = interval '24 hours'
: boolean
= t
SELECT interval '1 month' = interval '30 days'
: boolean
= t
SELECT interval '1 month' > interval '29 days'
: boolean
= t
SELECT interval '-1 day' < interval '0'
: boolean
= t
SELECT interval '1 day' <> interval '25 hours'
: boolean
= t
SELECT interval '1 day' BETWEEN interval '23 hours' AND interval '25 hours'
: boolean
= t
SELECT interval '1 day' IN (interval '24 hours')
: boolean
= t
SELECT interval '1 day' > '23 hours'
: boolean
= t
SELECT greatest(interval '1 day', interval '25 hours')
: interval
= 25:00:00
SELECT max(interval '1 day' * i), min(interval '1 day' * i) FROM samples
: interval interval
= 9 days	-7 days
SELECT sum(interval '1 day' * i) FROM samples
: interval
= 15 days
SELECT avg(interval '1 day' * i) FROM samples
: interval
= 1 day 21:00:00
SELECT avg(at - timestamp '2000-01-01') FROM samples
: interval
= 4215 days 14:32:51.579057
SELECT sum(at - timestamp '2000-01-01') FROM samples
: interval
= 33722 days 68:22:52.632456
SELECT sum(interval '1 month 1 day 1 hour' * i) FILTER (WHERE i > 0) FROM samples
: interval
= 1 year 10 mons 22 days 22:00:00
SELECT sum(interval '1 day') FROM samples WHERE false
: interval
= \N
SELECT avg(interval '1 day') FROM samples WHERE false
: interval
= \N
SELECT s, sum(interval '1 hour' * i) FROM samples GROUP BY s ORDER BY s
: smallint interval
= -1	03:00:00
= 1	03:00:00
= 2	07:00:00
= 3	02:00:00
= \N	\N
SELECT id, sum(interval '1 hour' * i) OVER (ORDER BY id) FROM samples ORDER BY id
: integer interval
= 1	01:00:00
= 2	03:00:00
= 3	05:00:00
= 4	10:00:00
= 5	10:00:00
= 6	03:00:00
= 7	12:00:00
= 8	12:00:00
= 9	15:00:00
SELECT id, avg(interval '1 hour' * i) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM samples ORDER BY id
: integer interval
= 1	01:00:00
= 2	01:30:00
= 3	02:00:00
= 4	03:30:00
= 5	05:00:00
= 6	-07:00:00
= 7	01:00:00
= 8	04:30:00
= 9	01:30:00
SELECT avg(interval '1 month')
: interval
= 1 mon
SELECT avg(x) FROM (VALUES (interval '1 month'), (interval '2 months')) v (x)
: interval
= 1 mon 15 days
SELECT avg(x) FROM (VALUES (interval '1 month'), (interval '1 day'), (interval '1 hour')) v (x)
: interval
= 10 days 08:20:00
SELECT sum(x) FROM (VALUES (interval '1 month -1 day'), (interval '1 day'), (NULL)) v (x)
: interval
= 1 mon
SELECT extract(epoch FROM interval '1 day 2 hours')
: numeric
= 93600.000000
SELECT extract(epoch FROM interval '1 month')
: numeric
= 2592000.000000
SELECT extract(epoch FROM interval '1 year')
: numeric
= 31557600.000000
SELECT extract(epoch FROM interval '13 months 1 day 1.5 seconds')
: numeric
= 34236001.500000
SELECT extract(day FROM interval '40 days')
: numeric
= 40
SELECT extract(hour FROM interval '40 hours')
: numeric
= 40
SELECT extract(hour FROM interval '-40 hours')
: numeric
= -40
SELECT extract(minute FROM interval '90 minutes')
: numeric
= 30
SELECT extract(second FROM interval '90.5 seconds')
: numeric
= 30.500000
SELECT extract(millisecond FROM interval '90.5 seconds')
: numeric
= 30500.000
SELECT extract(microseconds FROM interval '90.5 seconds')
: numeric
= 30500000
SELECT extract(month FROM interval '15 months')
: numeric
= 3
SELECT extract(year FROM interval '15 months')
: numeric
= 1
SELECT extract(year FROM interval '-15 months')
: numeric
= -1
SELECT extract(month FROM interval '-15 months')
: numeric
= -3
SELECT extract(quarter FROM interval '15 months')
: numeric
= 2
SELECT extract(decade FROM interval '15 years')
: numeric
= 1
SELECT extract(century FROM interval '150 years')
: numeric
= 1
SELECT extract(millennium FROM interval '1500 years')
: numeric
= 1
SELECT extract(dow FROM interval '1 day')
! 0A000
SELECT extract(week FROM interval '1 day')
! 0A000
SELECT date_part('epoch', interval '1 day')
: double_precision
= 86400
SELECT date_part('day', interval '1 day 25 hours')
: double_precision
= 1
SELECT date_part('hour', at - timestamp '2000-01-01') FROM samples WHERE id < 5 ORDER BY id
: double_precision
= 10
= 23
= 0
= 12
SELECT date_trunc('hour', interval '1 day 02:03:04')
: interval
= 1 day 02:00:00
SELECT date_trunc('month', interval '1 year 2 months 3 days')
: interval
= 1 year 2 mons
SELECT date_trunc('day', interval '1 month 3 days 4 hours')
: interval
= 1 mon 3 days
SELECT date '2020-03-01' - date '2020-02-01'
: integer
= 29
SELECT date '2020-03-01' - 5
: date
= 2020-02-25
SELECT date '2020-03-01' + 5
: date
= 2020-03-06
SELECT 5 + date '2020-03-01'
: date
= 2020-03-06
SELECT date '2020-03-31' + interval '1 month'
: timestamp_without_time_zone
= 2020-04-30 00:00:00
SELECT date '2020-03-31' - interval '1 month'
: timestamp_without_time_zone
= 2020-02-29 00:00:00
SELECT interval '1 month' + date '2020-01-31'
: timestamp_without_time_zone
= 2020-02-29 00:00:00
SELECT date '2020-01-31' + time '10:00'
: timestamp_without_time_zone
= 2020-01-31 10:00:00
SELECT time '10:00' + interval '15 hours'
: time_without_time_zone
= 01:00:00
SELECT time '10:00' - interval '15 hours'
: time_without_time_zone
= 19:00:00
SELECT time '10:00' - time '08:30'
: interval
= 01:30:00
SELECT interval '1 day' + time '10:00'
: time_without_time_zone
= 10:00:00
SELECT timestamp '2020-03-01 12:00' - timestamp '2020-01-01'
: interval
= 60 days 12:00:00
SELECT timestamp '2020-01-01' - timestamp '2020-03-01 12:00'
: interval
= -60 days -12:00:00
SELECT timestamptz '2020-03-01 12:00+00' - timestamptz '2020-01-01 00:00+00'
: interval
= 60 days 12:00:00
SELECT at - interval '1 month 1 day' FROM samples ORDER BY id
: timestamp_without_time_zone
= 2019-11-30 10:00:00
= 2020-01-28 23:59:59.5
= 2020-02-14 00:00:00
= 2020-11-29 12:30:15.123456
= \N
= 1999-11-29 23:00:00
= 2020-05-14 06:07:08.009
= 1969-11-30 00:00:00
= 2020-06-03 16:45:30
SELECT at - day FROM samples ORDER BY id
: interval
= 10:00:00
= 23:59:59.5
= 00:00:00
= 12:30:15.123456
= \N
= 23:00:00
= 06:07:08.009
= 00:00:00
= 16:45:30
SELECT age(timestamp '2020-03-01', timestamp '2019-01-31')
: interval
= 1 year 1 mon 1 day
SELECT age(timestamp '2019-01-31', timestamp '2020-03-01')
: interval
= -1 years -1 mons -1 days
SELECT age(timestamp '2020-02-29', timestamp '2019-02-28')
: interval
= 1 year 1 day
SELECT age(date '2020-03-31', date '2020-02-29')
: interval
= 1 mon 2 days
SELECT age(timestamptz '2020-03-31 10:00+00', timestamptz '2020-02-29 12:00+00')
: interval
= 1 mon 1 day 22:00:00
SELECT age(at, timestamp '2000-01-31') FROM samples ORDER BY id
: interval
= 19 years 11 mons 1 day 10:00:00
= 20 years 29 days 23:59:59.5
= 20 years 1 mon 15 days
= 20 years 11 mons 12:30:15.123456
= \N
= -30 days -01:00:00
= 20 years 4 mons 15 days 06:07:08.009
= -30 years -30 days
= 20 years 5 mons 4 days 16:45:30
SELECT age(timestamp '2001-04-10', timestamp '1957-06-13')
: interval
= 43 years 9 mons 27 days
SELECT justify_days(interval '35 days')
: interval
= 1 mon 5 days
SELECT justify_hours(interval '27 hours')
: interval
= 1 day 03:00:00
SELECT justify_interval(interval '1 mon -1 hour')
: interval
= 29 days 23:00:00
SELECT justify_days(interval '-35 days')
: interval
= -1 mons -5 days
SELECT justify_hours(interval '-27 hours')
: interval
= -1 days -03:00:00
SELECT justify_interval(interval '-1 mon 1 hour')
: interval
= -29 days -23:00:00
SELECT justify_interval(interval '1 year -35 days 50 hours')
: interval
= 10 mons 27 days 02:00:00
SELECT justify_days(interval '1 mon -1 day')
: interval
= 29 days
SELECT justify_hours(interval '1 day -1 hour')
: interval
= 23:00:00
SELECT justify_days(NULL), justify_hours(NULL), justify_interval(NULL)
: interval interval interval
= \N	\N	\N
SELECT justify_interval(interval '1 day' * i) FROM samples ORDER BY id
: interval
= 1 day
= 2 days
= 2 days
= 5 days
= \N
= -7 days
= 9 days
= 00:00:00
= 3 days
SELECT justify_interval(at - timestamp '2000-01-01') FROM samples ORDER BY id
: interval
= 20 years 3 mons 15 days 10:00:00
= 20 years 5 mons 14 days 23:59:59.5
= 20 years 5 mons 29 days
= 21 years 3 mons 20 days 12:30:15.123456
= \N
= -01:00:00
= 20 years 9 mons 1 day 06:07:08.009
= -30 years -5 mons -7 days
= 20 years 9 mons 20 days 16:45:30
SELECT to_char(interval '15h 2m 12s', 'HH24:MI:SS')
: text
= 15:02:12
SELECT to_char(interval '15h 2m 12s', 'HH:MI:SS')
: text
= 03:02:12
SELECT to_char(interval '1 day 15h 2m 12s', 'DD HH24:MI:SS')
: text
= 01 15:02:12
SELECT to_char(interval '40 hours', 'HH24:MI')
: text
= 40:00
SELECT to_char(interval '40 hours', 'HH12:MI AM')
: text
= 04:00 PM
SELECT to_char(interval '-40 hours', 'HH24:MI')
: text
= -40:00
SELECT to_char(interval '1 year 2 months 3 days', 'YYYY-MM-DD')
: text
= 0001-02-03
SELECT to_char(interval '1.234567 seconds', 'SS.MS US')
: text
= 01.234 234567
SELECT to_char(interval '2 years', 'Y,YYY YY')
: text
= 0,002 02
SELECT to_char(interval '100 hours', 'FMHH24"h" MI')
: text
= 100h 00
SELECT to_char(interval '1 day', 'Day')
! 22007
SELECT to_char(interval '1 month', 'Month Mon')
! 22007
SELECT to_char(interval '1 day', 'SSSS')
: text
= 0
SELECT to_char(interval '1 day', '')
: text
= \N
SELECT to_char(NULL::interval, 'HH24')
: text
= \N
SELECT to_char(at - timestamp '2000-01-01', 'DD HH24:MI:SS.US') FROM samples ORDER BY id
: text
= 7305 10:00:00.000000
= 7364 23:59:59.500000
= 7379 00:00:00.000000
= 7670 12:30:15.123456
= \N
= 00 -01:00:00.000000
= 7471 06:07:08.009000
= -10957 00:00:00.000000
= 7490 16:45:30.000000
SELECT make_interval(days => 10)
: interval
= 10 days
SELECT make_interval(1, 2, 3, 4, 5, 6, 7.5)
: interval
= 1 year 2 mons 25 days 05:06:07.5
SELECT make_interval(hours => 2, mins => 30)
: interval
= 02:30:00
SELECT make_interval(secs => 10.5)
: interval
= 00:00:10.5
SELECT interval '1 day'::text
: text
= 1 day
SELECT (interval '1 day')::time
: time_without_time_zone
= 00:00:00
SELECT time '10:00'::interval
: interval
= 10:00:00
SELECT isfinite(interval '1 day')
: boolean
= t
SELECT interval '1 day' IS NULL
: boolean
= f
SELECT count(DISTINCT interval '1 day' * i) FROM samples
: bigint
= 7
SELECT interval '1 day' * i AS x FROM samples ORDER BY x DESC NULLS LAST LIMIT 3
: interval
= 9 days
= 5 days
= 3 days
SELECT interval '1 mon' * 1e300
! 22008
SELECT interval '1 day' * NULL
: interval
= \N
SELECT NULL * interval '1 day'
: interval
= \N
SELECT interval '1 day' * 'x'
! 22P02
SELECT interval '1 day' * '2'
: interval
= 2 days
SELECT interval '1 day' + '2 hours'
: interval
= 1 day 02:00:00
SELECT '2 hours' + interval '1 day'
: interval
= 1 day 02:00:00
SELECT '2020-01-01' + interval '1 day'
! 22007
SELECT interval '1 day' * interval '1 day'
! 42883
SELECT interval '1 day' / interval '1 day'
! 42883
SELECT interval '1 day' + 1
! 42883
SELECT 1 - interval '1 day'
! 42883
SELECT 1 / interval '1 day'
! 42883
SELECT timestamp '2020-01-01' + 1
! 42883
SELECT timestamp '2020-01-01' * 2
! 42883
SELECT date '2020-01-01' + date '2020-01-01'
! 42883
SELECT timestamp '2020-01-01' + timestamp '2020-01-01'
! 42883
SELECT sum(timestamp '2020-01-01')
! 42883
SELECT interval '1 day' % 2
! 42883
SELECT coalesce(NULL, interval '1 day')
: interval
= 1 day
SELECT CASE WHEN true THEN interval '1 day' ELSE '2 days' END
: interval
= 1 day
SELECT pg_typeof(interval '1 day' * 2), pg_typeof(sum(interval '1 day')), pg_typeof(date '2020-01-02' - date '2020-01-01')
: regtype regtype regtype
= interval	interval	integer
SELECT stddev(interval '1 day')
! 42883
SELECT timestamptz '2013-01-01 00:00 Europe/Oslo'
: timestamp_with_time_zone
= 2012-12-31 23:00:00+00
SELECT timestamptz '2013-07-01 00:00 Europe/Oslo'
: timestamp_with_time_zone
= 2013-06-30 22:00:00+00
SELECT timestamptz '2013-07-01 00:00 America/New_York'
: timestamp_with_time_zone
= 2013-07-01 04:00:00+00
SELECT '2013-07-01 00:00 Asia/Kolkata'::timestamptz
: timestamp_with_time_zone
= 2013-06-30 18:30:00+00
SELECT timestamptz '2013-07-01 00:00 UTC'
: timestamp_with_time_zone
= 2013-07-01 00:00:00+00
SELECT timestamptz '2013-07-01 00:00 EST'
: timestamp_with_time_zone
= 2013-07-01 05:00:00+00
SELECT timestamptz '2013-07-01 00:00 CET'
: timestamp_with_time_zone
= 2013-06-30 23:00:00+00
SELECT timestamptz '2013-07-01 00:00 z'
: timestamp_with_time_zone
= 2013-07-01 00:00:00+00
SELECT timestamptz '2013-07-01 00:00 +02'
: timestamp_with_time_zone
= 2013-06-30 22:00:00+00
SELECT timestamptz '2013-07-01 00:00 Europe/Nowhere'
! 22023
SELECT timestamptz '2013-07-01 Europe/Oslo'
: timestamp_with_time_zone
= 2013-06-30 22:00:00+00
SELECT timestamp '2013-07-01 00:00 Europe/Oslo'
: timestamp_without_time_zone
= 2013-07-01 00:00:00
SELECT tz > timestamptz '2020-03-15 02:00 Europe/Oslo' FROM samples ORDER BY id
: boolean
= f
= f
= t
= t
= \N
= f
= t
= f
= t
SELECT tz > '2020-03-15 02:00 Europe/Oslo' FROM samples ORDER BY id
: boolean
= f
= f
= t
= t
= \N
= f
= t
= f
= t
SELECT timestamp '2020-01-01 10:00' AT TIME ZONE '+02'
: timestamp_with_time_zone
= 2020-01-01 12:00:00+00
SELECT timestamptz '2020-01-01 10:00+00' AT TIME ZONE '+02'
: timestamp_without_time_zone
= 2020-01-01 08:00:00
SELECT timestamp '2020-01-01 10:00' AT TIME ZONE '-05:30'
: timestamp_with_time_zone
= 2020-01-01 04:30:00+00
SELECT timestamp '2020-01-01 10:00' AT TIME ZONE '+02:00'
: timestamp_with_time_zone
= 2020-01-01 12:00:00+00
SELECT timestamp '2020-01-01 10:00' AT TIME ZONE 'UTC+3'
: timestamp_with_time_zone
= 2020-01-01 13:00:00+00
SELECT timestamp '2020-01-01 10:00' AT TIME ZONE 'EST5EDT'
: timestamp_with_time_zone
= 2020-01-01 15:00:00+00
SELECT timestamp '2020-01-01 10:00' AT TIME ZONE 'Europe/Oslo'
: timestamp_with_time_zone
= 2020-01-01 09:00:00+00
SELECT timestamp '2020-01-01 10:00' AT TIME ZONE 'europe/oslo'
: timestamp_with_time_zone
= 2020-01-01 09:00:00+00
SELECT timestamptz '2020-01-01 10:00+00' AT TIME ZONE 'America/New_York'
: timestamp_without_time_zone
= 2020-01-01 05:00:00
SELECT timestamptz '2020-07-01 10:00+00' AT TIME ZONE 'CET'
: timestamp_without_time_zone
= 2020-07-01 11:00:00
SELECT timestamptz '2020-07-01 10:00+00' AT TIME ZONE 'PST'
: timestamp_without_time_zone
= 2020-07-01 02:00:00
SELECT timestamptz '2020-07-01 10:00+00' AT TIME ZONE interval '2 hours'
: timestamp_without_time_zone
= 2020-07-01 12:00:00
SELECT timestamp '2020-07-01 10:00' AT TIME ZONE interval '-2 hours'
: timestamp_with_time_zone
= 2020-07-01 12:00:00+00
SELECT timestamp '2020-07-01 10:00' AT TIME ZONE 'nowhere'
! 22023
SELECT tz AT TIME ZONE 'Europe/Oslo' AT TIME ZONE 'UTC' FROM samples ORDER BY id
: timestamp_with_time_zone
= 2020-01-01 11:00:00+00
= 2020-03-01 00:59:59.5+00
= 2020-03-15 02:30:00+00
= 2020-12-31 13:30:15.123456+00
= \N
= 2000-01-01 00:00:00+00
= 2020-06-15 08:07:08.009+00
= 1970-01-01 01:00:00+00
= 2020-07-04 18:45:30+00
SELECT timezone('+02', at) FROM samples ORDER BY id
: timestamp_with_time_zone
= 2020-01-01 12:00:00+00
= 2020-03-01 01:59:59.5+00
= 2020-03-15 02:00:00+00
= 2020-12-31 14:30:15.123456+00
= \N
= 2000-01-01 01:00:00+00
= 2020-06-15 08:07:08.009+00
= 1970-01-01 02:00:00+00
= 2020-07-04 18:45:30+00
SELECT tz AT TIME ZONE t FROM samples WHERE id = 1
! 22023
SELECT day AT TIME ZONE 'Europe/Oslo' FROM samples ORDER BY id
: timestamp_without_time_zone
= 2020-01-01 01:00:00
= 2020-02-29 01:00:00
= 2020-03-15 01:00:00
= 2020-12-31 01:00:00
= \N
= 1999-12-31 01:00:00
= 2020-06-15 02:00:00
= 1970-01-01 01:00:00
= 2020-07-04 02:00:00
SELECT '2020-01-01 10:00' AT TIME ZONE 'Europe/Oslo'
: timestamp_without_time_zone
= 2020-01-01 11:00:00
SELECT timestamp '2020-01-01 10:00' AT TIME ZONE 'UTC' AT TIME ZONE '+02'
: timestamp_without_time_zone
= 2020-01-01 08:00:00
SELECT date '2020-01-01'::text
: text
= 2020-01-01
SELECT timestamp '2020-01-01 10:00'::date
: date
= 2020-01-01
SELECT timestamp '2020-01-01 10:00'::date::text
: text
= 2020-01-01
SELECT timestamp with time zone '2020-01-01 10:00+02'::date
: date
= 2020-01-01
SELECT timestamp '2020-01-01 10:00+02'
: timestamp_without_time_zone
= 2020-01-01 10:00:00
SELECT time '10:00:00'::text
: text
= 10:00:00
SELECT integer '5'::text || 'x'
: text
= 5x
SELECT boolean 't'::text
: text
= true
SELECT json '{"a": 1}' -> 'a'
: json
= 1
SELECT json '{"a": 1}'::text
: text
= {"a": 1}
SELECT double precision '1.5' * 2
: double_precision
= 3
SELECT numeric '1.50'::text
: text
= 1.50
SELECT bytea '\x01'::text
: text
= \\x01
SELECT uuid '6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::text
: text
= 6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01
SELECT date '2020-01-01' + 1
: date
= 2020-01-02
SELECT interval '1 day' + interval '1 day' + date '2020-01-01'
: timestamp_without_time_zone
= 2020-01-03 00:00:00
SELECT interval '1 day' '2 hours'
! 42601
SELECT interval '1 day' * 2 + interval '3 hours'
: interval
= 2 days 03:00:00
SELECT interval '1' day + interval '2' hour
: interval
= 1 day 02:00:00
SELECT interval '1' year, interval '1' month, interval '3' minute, interval '3.5' second
: interval interval interval interval
= 1 year	1 mon	00:03:00	00:00:03.5
SELECT x.interval FROM (SELECT 1 AS interval) x
: integer
= 1
SELECT interval FROM (SELECT 1 AS interval) x
: integer
= 1
SELECT x.date, x.time, x.timestamp FROM (SELECT 1 AS date, 2 AS time, 3 AS timestamp) x
: integer integer integer
= 1	2	3
SELECT date FROM (SELECT 1 AS date) x
: integer
= 1
SELECT date(at) FROM samples ORDER BY id
: date
= 2020-01-01
= 2020-02-29
= 2020-03-15
= 2020-12-31
= \N
= 1999-12-31
= 2020-06-15
= 1970-01-01
= 2020-07-04
SELECT text 'a' || 'b'
: text
= ab
SELECT varchar(2) 'abc'
: character_varying
= ab
SELECT day - interval '1 month' FROM samples ORDER BY id
: timestamp_without_time_zone
= 2019-12-01 00:00:00
= 2020-01-29 00:00:00
= 2020-02-15 00:00:00
= 2020-11-30 00:00:00
= \N
= 1999-11-30 00:00:00
= 2020-05-15 00:00:00
= 1969-12-01 00:00:00
= 2020-06-04 00:00:00
SELECT (date '2020-01-01', 1) = (date '2020-01-01', 1)
: boolean
= t
SELECT count(*) FROM samples WHERE tz BETWEEN timestamptz '2020-01-01' AND timestamptz '2020-01-01' + interval '3 months'
: bigint
= 3
SELECT timestamp '2020-01-01' + time '10:00', timestamp '2020-01-01' - time '10:00', date '2020-01-01' - time '10:00', time '10:00' * 2.5, time '10:00' / 2
: timestamp_without_time_zone timestamp_without_time_zone timestamp_without_time_zone interval interval
= 2020-01-01 10:00:00	2019-12-31 14:00:00	2019-12-31 14:00:00	25:00:00	05:00:00
SELECT timestamp '2020-01-01' - '1 day'
! 22007
SELECT timestamp '2020-01-05' - '2020-01-01'
: interval
= 4 days
SELECT date '2020-01-05' - '2020-01-01'
: integer
= 4
SELECT date '2020-01-05' + '1'
! 42725
SELECT timestamp '2020-01-01' + '1 day'
: timestamp_without_time_zone
= 2020-01-02 00:00:00
SELECT at + '1 day' FROM samples ORDER BY id
: timestamp_without_time_zone
= 2020-01-02 10:00:00
= 2020-03-01 23:59:59.5
= 2020-03-16 00:00:00
= 2021-01-01 12:30:15.123456
= \N
= 2000-01-01 23:00:00
= 2020-06-16 06:07:08.009
= 1970-01-02 00:00:00
= 2020-07-05 16:45:30
SELECT '2020-01-05' - day FROM samples ORDER BY id
: integer
= 4
= -55
= -70
= -361
= \N
= 7310
= -162
= 18266
= -181
SELECT interval '1 day' / '2'
: interval
= 12:00:00
SELECT $1 * interval '1 day'
$ double_precision
: interval
SELECT interval '1 day' * $1
$ double_precision
: interval
SELECT interval '1 day' / $1
$ double_precision
: interval
SELECT timestamptz '2013-01-01' + $1 * interval '1 day'
$ double_precision
: timestamp_with_time_zone
SELECT id FROM samples WHERE tz >= timestamptz '2013-01-01' + $1 * interval '1 day'
$ double_precision
: integer
SELECT $1 + interval '1 day'
$ interval
: interval
SELECT tz - $1 FROM samples
$ timestamp_with_time_zone
: interval
SELECT tz + $1 FROM samples
$ interval
: timestamp_with_time_zone
SELECT day - $1 FROM samples
$ date
: integer
SELECT $1::timestamptz AT TIME ZONE $2
$ timestamp_with_time_zone text
: timestamp_without_time_zone
SELECT at AT TIME ZONE $1 FROM samples
$ text
: timestamp_with_time_zone
SELECT tz AT TIME ZONE 'Europe/Oslo' > $1 FROM samples
$ timestamp_without_time_zone
: boolean
SELECT sum($1::interval), avg($2::interval)
$ interval interval
: interval interval
SELECT id FROM samples WHERE at < $1::timestamp - interval '1 hour'
$ timestamp_without_time_zone
: integer
SELECT x::text FROM (VALUES (interval '1 month 2 days'), ('-1 month 2 days'), ('1 year 1 month -1 day 02:03:04.5'), ('0'), ('-00:00:00.000001'), ('-1 day 01:00'), ('100 hours'), ('-14 months'), (NULL), ('1 day -01:00')) AS v (x)
: text
= 1 mon 2 days
= -1 mons +2 days
= 1 year 1 mon -1 days +02:03:04.5
= 00:00:00
= -00:00:00.000001
= -1 days +01:00:00
= 100:00:00
= -1 years -2 mons
= \N
= 1 day -01:00:00
SELECT concat(x, 'a'), concat_ws('-', x, x), format('%s|%L', x, x), 'a' || x, x || 'b' FROM (VALUES (interval '1 month 2 days'), ('-1 month 2 days')) AS v (x)
: text text text text text
= 1 mon 2 daysa	1 mon 2 days-1 mon 2 days	1 mon 2 days|'1 mon 2 days'	a1 mon 2 days	1 mon 2 daysb
= -1 mons +2 daysa	-1 mons +2 days--1 mons +2 days	-1 mons +2 days|'-1 mons +2 days'	a-1 mons +2 days	-1 mons +2 daysb
SELECT '0001-12-31'::interval
! 22015
SELECT '01:02:03'::interval d
: interval
= 01:02:03
SELECT '01:02:03'::interval h, '01:02:03'::interval m, '01:02:03'::interval days, '1 day'::interval q
: interval interval interval interval
= 01:02:03	01:02:03	01:02:03	1 day
SELECT '01:02:03'::interval minute, '01:02:03'::interval minute to second
: interval interval
= 01:02:00	01:02:03
SELECT '1- '::interval, '-1-'::interval, '1- 2'::interval, '1- 3 d'::interval
: interval interval interval interval
= 1 year	-1 years	1 year 00:00:02	1 year 3 days
SELECT '1-a'::interval
! 22007
SELECT '1-2-'::interval
! 22007
