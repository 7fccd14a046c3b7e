SELECT date_trunc('hour', timestamp '2020-02-28 10:11:12'), date_trunc('month', timestamptz '2020-02-28 10:11:12+00'), date_trunc('week', timestamp '2020-02-28 10:11:12'), date_trunc('quarter', timestamp '2020-05-28')
: timestamp_without_time_zone timestamp_with_time_zone timestamp_without_time_zone timestamp_without_time_zone
= 2020-02-28 10:00:00	2020-02-01 00:00:00+00	2020-02-24 00:00:00	2020-04-01 00:00:00
SELECT date_trunc('day', date '2020-02-28'), date_trunc('year', date '2020-02-28')
: timestamp_with_time_zone timestamp_with_time_zone
= 2020-02-28 00:00:00+00	2020-01-01 00:00:00+00
SELECT date_trunc('day', timestamptz '2020-02-28 23:00:00+00', 'Europe/Oslo')
: timestamp_with_time_zone
= 2020-02-28 23:00:00+00
SELECT date_trunc('hour', interval '1 day 02:30:00')
: interval
= 1 day 02:00:00
SELECT date_trunc('decade', timestamp '2025-01-02'), date_trunc('century', timestamp '2025-01-02'), date_trunc('milliseconds', timestamp '2020-01-01 00:00:00.123456')
: timestamp_without_time_zone timestamp_without_time_zone timestamp_without_time_zone
= 2020-01-01 00:00:00	2001-01-01 00:00:00	2020-01-01 00:00:00.123
SELECT date_trunc('fortnight', timestamp '2020-01-01')
! 22023
SELECT extract(year FROM timestamp '2020-02-28 10:11:12.5'), extract(month FROM date '2020-02-28'), extract(second FROM timestamp '2020-02-28 10:11:12.5'), extract(epoch FROM timestamp '2020-02-28 10:11:12.5')
: numeric numeric numeric numeric
= 2020	2	12.500000	1582884672.500000
SELECT extract(dow FROM date '2020-02-23'), extract(isodow FROM date '2020-02-23'), extract(doy FROM date '2020-02-28'), extract(week FROM date '2020-12-31'), extract(isoyear FROM date '2021-01-01'), extract(quarter FROM date '2020-05-01')
: numeric numeric numeric numeric numeric numeric
= 0	7	59	53	2020	2
SELECT extract(hour FROM time '10:11:12'), extract(minute FROM interval '90 minutes'), extract(epoch FROM interval '1 day 1 hour'), extract(day FROM interval '40 days 30 hours'), extract(hour FROM interval '40 days 30 hours')
: numeric numeric numeric numeric numeric
= 10	30	90000.000000	40	30
SELECT extract(milliseconds FROM timestamp '2020-01-01 00:00:12.345'), extract(microseconds FROM timestamp '2020-01-01 00:00:12.345'), extract(century FROM date '2020-01-01'), extract(decade FROM date '2020-01-01'), extract(millennium FROM date '2020-01-01')
: numeric numeric numeric numeric numeric
= 12345.000	12345000	21	202	3
SELECT date_part('year', timestamp '2020-02-28'), date_part('second', timestamp '2020-02-28 10:11:12.5'), date_part('epoch', timestamptz '2020-02-28 00:00:00+00'), date_part('dow', date '2020-02-28')
: double_precision double_precision double_precision double_precision
= 2020	12.5	1582848000	5
SELECT age(timestamp '2020-03-01', timestamp '2019-01-15'), age(timestamp '2020-01-15 10:00', timestamp '2020-03-01'), age(timestamptz '2001-04-10', timestamptz '1957-06-13')
: interval interval interval
= 1 year 1 mon 17 days	-1 mons -16 days -14:00:00	43 years 9 mons 27 days
SELECT timestamp '2020-03-01 10:00' - timestamp '2020-02-28 09:30', timestamptz '2020-03-01' - timestamptz '2020-02-28'
: interval interval
= 2 days 00:30:00	2 days
SELECT date '2020-03-01' - date '2020-02-28', date '2020-03-01' + 5, date '2020-03-01' - 1, date '2020-03-01' + interval '1 month', date '2020-01-31' + interval '1 month', date '2020-03-01' + time '10:00'
: integer date date timestamp_without_time_zone timestamp_without_time_zone timestamp_without_time_zone
= 2	2020-03-06	2020-02-29	2020-04-01 00:00:00	2020-02-29 00:00:00	2020-03-01 10:00:00
SELECT timestamp '2020-01-31' + interval '1 month', timestamp '2020-01-01' + interval '1 day 2 hours' * 2, timestamptz '2020-01-01 00:00+00' - interval '90 minutes'
: timestamp_without_time_zone timestamp_without_time_zone timestamp_with_time_zone
= 2020-02-29 00:00:00	2020-01-03 04:00:00	2019-12-31 22:30:00+00
SELECT interval '1 day', interval '36 hours', interval '1 year 2 months 3 days 04:05:06.789', interval '-1 day', interval '1 day -2 hours', interval '0', interval '2 weeks', interval '1.5 days'
: interval interval interval interval interval interval interval interval
= 1 day	36:00:00	1 year 2 mons 3 days 04:05:06.789	-1 days	1 day -02:00:00	00:00:00	14 days	1 day 12:00:00
SELECT interval '1 day' = interval '24 hours', interval '1 month' > interval '29 days', interval '30 days' = interval '1 month', - interval '1 day', interval '1 day' * 1.5, interval '1 day' / 2, interval '1 hour' + interval '30 min'
: boolean boolean boolean interval interval interval interval
= t	t	t	-1 days	1 day 12:00:00	12:00:00	01:30:00
SELECT interval '5' day, interval '3' hour, interval '1-2' year to month, interval '1 2:03' day to minute
: interval interval interval interval
= 5 days	03:00:00	1 year 2 mons	1 day 02:03:00
SELECT justify_days(interval '35 days'), justify_hours(interval '27 hours'), justify_interval(interval '1 mon -1 hour')
: interval interval interval
= 1 mon 5 days	1 day 03:00:00	29 days 23:00:00
SELECT make_date(2020, 2, 28), make_time(10, 11, 12.5), make_timestamp(2020, 2, 28, 10, 11, 12.5), make_interval(days => 10), make_interval(hours => 2, mins => 3), make_timestamptz(2020, 2, 28, 10, 11, 12.5)
: date time_without_time_zone timestamp_without_time_zone interval interval timestamp_with_time_zone
= 2020-02-28	10:11:12.5	2020-02-28 10:11:12.5	10 days	02:03:00	2020-02-28 10:11:12.5+00
SELECT to_timestamp(1582884672), to_timestamp(1582884672.5)
: timestamp_with_time_zone timestamp_with_time_zone
= 2020-02-28 10:11:12+00	2020-02-28 10:11:12.5+00
SELECT to_date('28 02 2020', 'DD MM YYYY'), to_date('2020-02-28', 'YYYY-MM-DD'), to_date('28-Feb-2020', 'DD-Mon-YYYY'), to_date('20200228', 'YYYYMMDD')
: date date date date
= 2020-02-28	2020-02-28	2020-02-28	2020-02-28
SELECT to_timestamp('2020-02-28 10:11:12', 'YYYY-MM-DD HH24:MI:SS'), to_timestamp('28/02/2020 03:04 PM', 'DD/MM/YYYY HH12:MI AM')
: timestamp_with_time_zone timestamp_with_time_zone
= 2020-02-28 10:11:12+00	2020-02-28 15:04:00+00
SELECT to_char(timestamp '2020-02-28 15:04:05.678', 'YYYY-MM-DD HH24:MI:SS'), to_char(timestamp '2020-02-08 15:04:05.678', 'Dy, DD Mon YYYY HH12:MI:SS.MS AM'), to_char(timestamp '2020-02-08 15:04:05', 'Day Month FMDay FMMonth FMDD')
: text text text
= 2020-02-28 15:04:05	Sat, 08 Feb 2020 03:04:05.678 PM	Saturday  February  Saturday February 8
SELECT to_char(timestamp '2020-02-08 05:04:05.678901', 'YY Q WW IW DDD D J HH MI US SSSS'), to_char(timestamp '2020-02-08', 'IYYY-IW-ID'), to_char(timestamp '2020-02-08', 'DDth Mon "of" YYYY'), to_char(timestamp '2020-02-08', 'DAY day MON mon RM CC')
: text text text text
= 20 1 06 06 039 7 2458888 05 04 678901 18245	2020-06-6	08th Feb of 2020	SATURDAY  saturday  FEB feb II   21
SELECT to_char(date '2020-02-28', 'YYYY/MM'), to_char(timestamptz '2020-02-28 10:00+00', 'HH24:MI TZ OF'), to_char(interval '1 day 15:02:03', 'DD HH24:MI:SS')
: text text text
= 2020/02	10:00 UTC +00	01 15:02:03
SELECT to_char(tz, 'YYYY-MM-DD"T"HH24:MI:SS') FROM samples ORDER BY id
: text
= 2020-01-01T10:00:00
= 2020-02-29T23:59:59
= 2020-03-15T01:30:00
= 2020-12-31T12:30:15
= \N
= 1999-12-31T23:00:00
= 2020-06-15T06:07:08
= 1970-01-01T00:00:00
= 2020-07-04T16:45:30
SELECT to_char(125, '999'), to_char(125.8, '999D9'), to_char(-125.8, '999D99S'), to_char(1234567, '9,999,999'), to_char(0.5, '0.99'), to_char(0.5, 'FM90.00'), to_char(1234.5, 'FM9,999.00'), to_char(12, '00000'), to_char(485, 'L999'), to_char(148.5, '999.999'), to_char(482, '999th'), to_char(1234, '999')
: text text text text text text text text text text text text
=  125	 125.8	125.80-	 1,234,567	 0.50	0.50	1,234.50	 00012	  485	 148.500	 482nd	 ###
SELECT to_char(i, 'FM999,999'), to_char(n, 'FM999990.00'), to_char(d, '9.99') FROM samples ORDER BY id
: text text text
= 1	1.50	  .50
= 2	2.50	 1.50
= 2	-2.50	 2.50
= 5	10.00	-2.50
= \N	\N	\N
= -7	0.00	  .00
= 9	######.##	 #.
= 0	-0.01	  .10
= 3	33.33	 #.##
SELECT now() = now(), now() = current_timestamp, current_date = now()::date, localtimestamp = now()::timestamp, transaction_timestamp() = now(), statement_timestamp() >= now(), clock_timestamp() >= now()
: boolean boolean boolean boolean boolean boolean boolean
= t	t	t	t	t	t	t
SELECT current_time IS NOT NULL, localtime IS NOT NULL, timeofday() IS NOT NULL
: boolean boolean boolean
= t	t	t
~ timeofday is missing
>! 42883
SELECT pg_typeof(now()), pg_typeof(current_date), pg_typeof(localtimestamp)
: regtype regtype regtype
= timestamp with time zone	date	timestamp without time zone
SELECT now() - now(), now() > now() - interval '1 day', current_date - 1 < current_date
: interval boolean boolean
= 00:00:00	t	t
SELECT timestamptz '2020-02-28 10:00:00+00' AT TIME ZONE 'America/New_York', timestamp '2020-02-28 10:00:00' AT TIME ZONE 'America/New_York', timestamptz '2020-07-01 10:00:00+00' AT TIME ZONE 'Europe/Oslo', timezone('Europe/Oslo', timestamptz '2020-07-01 10:00:00+00')
: timestamp_without_time_zone timestamp_with_time_zone timestamp_without_time_zone timestamp_without_time_zone
= 2020-02-28 05:00:00	2020-02-28 15:00:00+00	2020-07-01 12:00:00	2020-07-01 12:00:00
SELECT timestamp '2020-02-28 10:00:00' AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'
: timestamp_without_time_zone
= 2020-02-28 19:00:00
SELECT generate_series(timestamp '2020-01-01', timestamp '2020-01-03', interval '1 day')
: timestamp_without_time_zone
= 2020-01-01 00:00:00
= 2020-01-02 00:00:00
= 2020-01-03 00:00:00
SELECT * FROM generate_series(timestamptz '2020-01-01', timestamptz '2020-01-02', interval '12 hours') AS t(at)
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
= 2020-01-01 12:00:00+00
= 2020-01-02 00:00:00+00
SELECT d::date FROM generate_series('2020-01-30'::date, '2020-02-02'::date, '1 day'::interval) d
: date
= 2020-01-30
= 2020-01-31
= 2020-02-01
= 2020-02-02
SELECT * FROM generate_series(date '2020-01-01', date '2020-03-01', interval '1 month') g
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
= 2020-02-01 00:00:00+00
= 2020-03-01 00:00:00+00
SELECT * FROM generate_series(5, 1, -2)
: integer
= 5
= 3
= 1
SELECT * FROM generate_series(1, 3) WITH ORDINALITY
: integer bigint
= 1	1
= 2	2
= 3	3
SELECT * FROM generate_series(1.0, 2.0, 0.5) g
: numeric
= 1.0
= 1.5
= 2.0
~ a series of numerics is refused
>! 0A000
SELECT g, g * 2 FROM generate_series(1, 3) AS g
: integer integer
= 1	2
= 2	4
= 3	6
SELECT (timestamp '2020-01-01', timestamp '2020-01-10') OVERLAPS (timestamp '2020-01-05', timestamp '2020-01-20')
: boolean
= t
SELECT day, at, tz FROM samples ORDER BY id
: date timestamp_without_time_zone timestamp_with_time_zone
= 2020-01-01	2020-01-01 10:00:00	2020-01-01 10:00:00+00
= 2020-02-29	2020-02-29 23:59:59.5	2020-02-29 23:59:59.5+00
= 2020-03-15	2020-03-15 00:00:00	2020-03-15 01:30:00+00
= 2020-12-31	2020-12-31 12:30:15.123456	2020-12-31 12:30:15.123456+00
= \N	\N	\N
= 1999-12-31	1999-12-31 23:00:00	1999-12-31 23:00:00+00
= 2020-06-15	2020-06-15 06:07:08.009	2020-06-15 06:07:08.009+00
= 1970-01-01	1970-01-01 00:00:00	1970-01-01 00:00:00+00
= 2020-07-04	2020-07-04 16:45:30	2020-07-04 16:45:30+00
SELECT at::date, tz::date, date_trunc('month', tz), date_trunc('day', day) FROM samples ORDER BY id
: date date timestamp_with_time_zone timestamp_with_time_zone
= 2020-01-01	2020-01-01	2020-01-01 00:00:00+00	2020-01-01 00:00:00+00
= 2020-02-29	2020-02-29	2020-02-01 00:00:00+00	2020-02-29 00:00:00+00
= 2020-03-15	2020-03-15	2020-03-01 00:00:00+00	2020-03-15 00:00:00+00
= 2020-12-31	2020-12-31	2020-12-01 00:00:00+00	2020-12-31 00:00:00+00
= \N	\N	\N	\N
= 1999-12-31	1999-12-31	1999-12-01 00:00:00+00	1999-12-31 00:00:00+00
= 2020-06-15	2020-06-15	2020-06-01 00:00:00+00	2020-06-15 00:00:00+00
= 1970-01-01	1970-01-01	1970-01-01 00:00:00+00	1970-01-01 00:00:00+00
= 2020-07-04	2020-07-04	2020-07-01 00:00:00+00	2020-07-04 00:00:00+00
SELECT tz - at::timestamptz, at - day::timestamp, day - date '2020-01-01' FROM samples ORDER BY id
: interval interval integer
= 00:00:00	10:00:00	0
= 00:00:00	23:59:59.5	59
= 01:30:00	00:00:00	74
= 00:00:00	12:30:15.123456	365
= \N	\N	\N
= 00:00:00	23:00:00	-7306
= 00:00:00	06:07:08.009	166
= 00:00:00	00:00:00	-18262
= 00:00:00	16:45:30	185
SELECT id FROM samples WHERE tz >= '2020-01-01' AND tz < '2020-06-01' ORDER BY id
: integer
= 1
= 2
= 3
SELECT id FROM samples WHERE tz > now() - interval '100 years' ORDER BY id
: integer
= 1
= 2
= 3
= 4
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE day = '2020-02-29' ORDER BY id
: integer
= 2
SELECT extract(year FROM day), count(*) FROM samples GROUP BY 1 ORDER BY 1
: numeric bigint
= 1970	1
= 1999	1
= 2020	6
= \N	1
SELECT extract(epoch FROM tz)::bigint FROM samples ORDER BY id
: bigint
= 1577872800
= 1583020800
= 1584235800
= 1609417815
= \N
= 946681200
= 1592201228
= 0
= 1593881130
SELECT date_trunc('month', tz) AS m, sum(i) FROM samples GROUP BY 1 ORDER BY 1
: timestamp_with_time_zone bigint
= 1970-01-01 00:00:00+00	0
= 1999-12-01 00:00:00+00	-7
= 2020-01-01 00:00:00+00	1
= 2020-02-01 00:00:00+00	2
= 2020-03-01 00:00:00+00	2
= 2020-06-01 00:00:00+00	9
= 2020-07-01 00:00:00+00	3
= 2020-12-01 00:00:00+00	5
= \N	\N
SELECT date_bin('15 minutes', timestamp '2020-02-11 15:44:17', timestamp '2001-01-01')
: timestamp_without_time_zone
= 2020-02-11 15:30:00
SELECT isfinite(date '2020-01-01'), isfinite(timestamp 'infinity')
: boolean boolean
= t	f
SELECT date '2020-01-01' < timestamp '2020-01-01 01:00', timestamp '2020-01-01' = date '2020-01-01', date '2020-01-01' = timestamptz '2020-01-01 00:00+00'
: boolean boolean boolean
= t	t	t
SELECT date(timestamp '2020-01-01 10:00'), timestamp(0) '2020-01-01 10:00:00.6', '2020-01-01 10:00:00.6'::timestamp(0)
: date timestamp_without_time_zone timestamp_without_time_zone
= 2020-01-01	2020-01-01 10:00:01	2020-01-01 10:00:01
SELECT min(day), max(at), max(tz), max(day) - min(day) FROM samples
: date timestamp_without_time_zone timestamp_with_time_zone integer
= 1970-01-01	2020-12-31 12:30:15.123456	2020-12-31 12:30:15.123456+00	18627
SELECT avg(at - timestamp '2020-01-01'), sum(interval '1 hour' * i) FROM samples WHERE id < 4
: interval interval
= 44 days 19:19:59.833333	05:00:00
SELECT cast(tz AS time), cast(tz AS date) FROM samples ORDER BY id
: time_without_time_zone date
= 10:00:00	2020-01-01
= 23:59:59.5	2020-02-29
= 01:30:00	2020-03-15
= 12:30:15.123456	2020-12-31
= \N	\N
= 23:00:00	1999-12-31
= 06:07:08.009	2020-06-15
= 00:00:00	1970-01-01
= 16:45:30	2020-07-04
SELECT floor(extract(epoch FROM tz) / 3600) * 3600 FROM samples ORDER BY id
: numeric
= 1577872800
= 1583017200
= 1584234000
= 1609416000
= \N
= 946681200
= 1592200800
= 0
= 1593878400
SELECT to_timestamp(floor(extract(epoch FROM tz) / 3600) * 3600) FROM samples ORDER BY id
: timestamp_with_time_zone
= 2020-01-01 10:00:00+00
= 2020-02-29 23:00:00+00
= 2020-03-15 01:00:00+00
= 2020-12-31 12:00:00+00
= \N
= 1999-12-31 23:00:00+00
= 2020-06-15 06:00:00+00
= 1970-01-01 00:00:00+00
= 2020-07-04 16:00:00+00
SELECT extract(millisecond FROM timestamp '2021-01-01 00:00:59.999999'), extract(milliseconds FROM time '00:00:59.999999'), extract(second FROM timestamp '2021-01-01 00:00:59.999999'), extract(microseconds FROM timestamp '2021-01-01 00:00:59.999999'), date_part('millisecond', timestamp '2021-01-01 00:00:59.999999')
: numeric numeric numeric numeric double_precision
= 59999.999	59999.999	59.999999	59999999	59999.999
SELECT extract(millisecond FROM interval '59.999999 seconds'), extract(millisecond FROM interval '-59.999999 seconds'), extract(epoch FROM interval '59.999999 seconds'), extract(millisecond FROM timestamptz '2021-01-01 00:00:59.999999+00')
: numeric numeric numeric numeric
= 59999.999	-59999.999	59.999999	59999.999
SELECT to_char(timestamp '0001-01-02 03:04:05', 'YYYY-MM-DD'), to_char(date '0999-01-01', 'YYYY YYY YY Y'), to_char(timestamp '0987-01-01', 'FMYYYY Y,YYY IYYY'), to_char(timestamp '0987-01-01', 'IYYY-IW'), to_char(timestamp '12345-01-02', 'YYYY-MM')
: text text text text text
= 0001-01-02	0999 999 99 9	987 0,987 0987	0987-01	12345-01
SELECT 'x'::interval
! 22007
SELECT t::interval FROM samples WHERE t = 'abc'
! 22007
SELECT make_date(2021, 2, 29)
! 22008
SELECT make_date(2021, id, 29) FROM samples WHERE id = 2
! 22008
SELECT make_date(2021, 13, 1)
! 22008
SELECT make_time(25, 0, 0)
! 22008
SELECT make_timestamp(2021, 2, 30, 0, 0, 0)
! 22008
SELECT make_interval(days => abs(1)), make_interval(hours => i, secs => 1.5) FROM samples WHERE id = 1
: interval interval
= 1 day	01:00:01.5
SELECT $1::interval + '0'
$ interval
: interval
SELECT timestamp(3) '2024-01-01 00:00:00.123456', '2024-01-01 00:00:00.1236'::timestamptz(0), time(1) '01:02:03.456', interval(3) '1 month 1.23456 seconds', timestamp(9) '2024-01-01 00:00:00.123456', timestamp(0) with time zone '2024-01-01 10:00:00.5+02'
: timestamp_without_time_zone timestamp_with_time_zone time_without_time_zone interval timestamp_without_time_zone timestamp_with_time_zone
= 2024-01-01 00:00:00.123	2024-01-01 00:00:00+00	01:02:03.5	1 mon 00:00:01.235	2024-01-01 00:00:00.123456	2024-01-01 08:00:01+00
SELECT id, at::timestamp(0), at::timestamp(3), at::timestamp(6), at::time(2), tz::timestamptz(1), cast(tz AS timestamp(0) with time zone) FROM samples ORDER BY id
: integer timestamp_without_time_zone timestamp_without_time_zone timestamp_without_time_zone time_without_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 1	2020-01-01 10:00:00	2020-01-01 10:00:00	2020-01-01 10:00:00	10:00:00	2020-01-01 10:00:00+00	2020-01-01 10:00:00+00
= 2	2020-03-01 00:00:00	2020-02-29 23:59:59.5	2020-02-29 23:59:59.5	23:59:59.5	2020-02-29 23:59:59.5+00	2020-03-01 00:00:00+00
= 3	2020-03-15 00:00:00	2020-03-15 00:00:00	2020-03-15 00:00:00	00:00:00	2020-03-15 01:30:00+00	2020-03-15 01:30:00+00
= 4	2020-12-31 12:30:15	2020-12-31 12:30:15.123	2020-12-31 12:30:15.123456	12:30:15.12	2020-12-31 12:30:15.1+00	2020-12-31 12:30:15+00
= 5	\N	\N	\N	\N	\N	\N
= 6	1999-12-31 23:00:00	1999-12-31 23:00:00	1999-12-31 23:00:00	23:00:00	1999-12-31 23:00:00+00	1999-12-31 23:00:00+00
= 7	2020-06-15 06:07:08	2020-06-15 06:07:08.009	2020-06-15 06:07:08.009	06:07:08.01	2020-06-15 06:07:08+00	2020-06-15 06:07:08+00
= 8	1970-01-01 00:00:00	1970-01-01 00:00:00	1970-01-01 00:00:00	00:00:00	1970-01-01 00:00:00+00	1970-01-01 00:00:00+00
= 9	2020-07-04 16:45:30	2020-07-04 16:45:30	2020-07-04 16:45:30	16:45:30	2020-07-04 16:45:30+00	2020-07-04 16:45:30+00
SELECT id FROM samples WHERE at = timestamp(0) '2020-02-29 23:59:59.4' OR tz::timestamptz(0) = tz ORDER BY id
: integer
= 1
= 3
= 6
= 8
= 9
SELECT id FROM samples WHERE tz::timestamptz(0) = timestamptz '2020-03-01' ORDER BY id
: integer
= 2
SELECT t::timestamp(0), t::timestamp(1), t::timestamp(5) FROM (VALUES (timestamp '1999-12-31 23:59:59.5'), ('1969-12-31 23:59:59.999999'), ('2000-01-01 00:00:00.5'), (NULL)) AS v(t)
: timestamp_without_time_zone timestamp_without_time_zone timestamp_without_time_zone
= 1999-12-31 23:59:59	1999-12-31 23:59:59.5	1999-12-31 23:59:59.5
= 1970-01-01 00:00:00	1970-01-01 00:00:00	1970-01-01 00:00:00
= 2000-01-01 00:00:01	2000-01-01 00:00:00.5	2000-01-01 00:00:00.5
= \N	\N	\N
SELECT time '23:59:59.4'::time(0), ARRAY[timestamp '2024-01-01 00:00:00.99', NULL]::timestamp(0)[], (-interval '1 day 0.15 seconds')::interval(1), ARRAY['0.5 s']::interval(0)[]
: time_without_time_zone timestamp_without_time_zone[] interval interval[]
= 23:59:59	{"2024-01-01 00:00:01",NULL}	-1 days -00:00:00.2	{00:00:01}
SELECT length('2024-01-01 00:00:00.26'::timestamp(1)::text), extract(seconds FROM '0:0:1.26'::time(1)), max(tz::timestamptz(0)) FROM samples
: integer numeric timestamp_with_time_zone
= 21	1.300000	2020-12-31 12:30:15+00
SELECT avg(extract(millisecond FROM at)), sum(extract(milliseconds FROM at)), avg(extract(second FROM at)) FROM samples
: numeric numeric numeric
= 14079.057000000000	112632.456	14.0790570000000000
SELECT date_trunc('century', timestamp '2000-02-03'), date_trunc('mil', timestamptz '2001-02-03 01:02'), date_trunc('century', timestamp '0001-01-01' - interval '1 year'), date_trunc('centuries', interval '250 years')
: timestamp_without_time_zone timestamp_with_time_zone timestamp_without_time_zone interval
= 1901-01-01 00:00:00	2001-01-01 00:00:00+00	0100-01-01 00:00:00 BC	200 years
SELECT date_trunc('dow', timestamp '2000-02-03')
! 22023
SELECT date_trunc('timezone', timestamp '2000-02-03')
! 0A000
SELECT extract(year FROM d), extract(decade FROM d), extract(century FROM d), extract(millennium FROM d), extract(isoyear FROM d), extract(julian FROM d), date_part('year', d) FROM (VALUES (date '0001-01-01' - 1), (date '0001-01-01' - 36525), (date '2020-02-29')) AS v (d)
: numeric numeric numeric numeric numeric numeric double_precision
= -1	0	-1	-1	-1	1721425	-1
= -100	-10	-1	-1	-100	1684901	-100
= 2020	202	21	3	2020	2458909	2020
SELECT extract(hour FROM date '2020-01-01')
! 0A000
SELECT date_part('hour', date '2020-01-01')
: double_precision
= 0
SELECT extract(timezone FROM timestamp '2020-01-01')
! 0A000
SELECT extract(week FROM interval '1 day')
! 0A000
SELECT extract(day FROM time '01:02')
! 0A000
SELECT extract(fortnight FROM timestamp '2020-01-01')
! 22023
SELECT date_part('msecs', timestamp '2020-01-01 01:02:03.5'), date_part('hrs', timestamp '2020-01-01 01:02:03.5'), extract(mins FROM interval '5 minutes')
: double_precision double_precision numeric
= 3500	1	5
SELECT to_char(timestamp '2020-01-01 12:34:56.0234', 'FF1 FF2 FF3 FF4 FF5 FF6 FMUS FMMS TZ tz OF TZH:TZM'), to_char(timestamptz '2020-01-01 00:00+00', 'TZ tz OF TZH:TZM'), to_char(date '2020-01-01', 'TZ')
: text text text
= 0 02 023 0234 02340 023400 023400 023   +00 +00:00	UTC utc +00 +00:00	UTC
SELECT to_char(d, 'YYYY YYY YY Y Y,YYY IYYY IYY IY I CC BC ad B.C. a.d. J WW W IW ID D DDD IDDD Q Day dy RM'), to_char(d, 'FMYYYY FMYYY FMYY FMY,YYY FMIYYY FMCC FMDDD FMRM FMDay YYYYth CCth') FROM (VALUES (date '0001-01-01' - 1), (date '0001-01-01' - 365250), ('0999-01-01'), (date '9999-12-31' + 365250)) AS v (d)
: text text
= 0001 001 01 1 0,001 0001 001 01 1 -01 BC bc B.C. b.c. 1721425 53 5 52 7 1 366 364 4 Sunday    sun XII 	1 1 1 0,001 1 -1 366 XII Sunday 0001st -01st
= 1001 001 01 1 1,001 1001 001 01 1 -11 BC bc B.C. b.c. 1356176 52 4 52 4 5 359 361 4 Thursday  thu XII 	1001 1 1 1,001 1001 -11 359 XII Thursday 1001st -11th
= 0999 999 99 9 0,999 0999 999 99 9 10 AD ad A.D. a.d. 2085938 01 1 01 2 3 001 002 1 Tuesday   tue I   	999 999 99 0,999 999 10 1 I Tuesday 0999th 10th
= 11000 000 00 0 11,000 11000 000 00 0 110 AD ad A.D. a.d. 5738734 01 1 02 2 3 007 009 1 Tuesday   tue I   	11000 0 0 11,000 11000 110 7 I Tuesday 11000th 110th
SELECT '2020-02-29 23:59:60'::date, '2020-02-29 24:00'::date, '2020-02-29 23:59:59.9999999'::date
: date date date
= 2020-02-29	2020-02-29	2020-02-29
SELECT ('0001-01-01'::date - 1)::text, concat('0001-01-01'::date - 366), (at - interval '3000 years')::text, concat_ws('|', tz - interval '3000 years'), ARRAY['0001-01-01'::date - 1]::text FROM samples WHERE id = 1
: text text text text text
= 0001-12-31 BC	0001-01-01 BC	0981-01-01 10:00:00 BC	0981-01-01 10:00:00+00 BC	{"0001-12-31 BC"}
SELECT day::text, at::text || '', tz::text, format('%s', at) FROM samples ORDER BY id
: text text text text
= 2020-01-01	2020-01-01 10:00:00	2020-01-01 10:00:00+00	2020-01-01 10:00:00
= 2020-02-29	2020-02-29 23:59:59.5	2020-02-29 23:59:59.5+00	2020-02-29 23:59:59.5
= 2020-03-15	2020-03-15 00:00:00	2020-03-15 01:30:00+00	2020-03-15 00:00:00
= 2020-12-31	2020-12-31 12:30:15.123456	2020-12-31 12:30:15.123456+00	2020-12-31 12:30:15.123456
= \N	\N	\N	
= 1999-12-31	1999-12-31 23:00:00	1999-12-31 23:00:00+00	1999-12-31 23:00:00
= 2020-06-15	2020-06-15 06:07:08.009	2020-06-15 06:07:08.009+00	2020-06-15 06:07:08.009
= 1970-01-01	1970-01-01 00:00:00	1970-01-01 00:00:00+00	1970-01-01 00:00:00
= 2020-07-04	2020-07-04 16:45:30	2020-07-04 16:45:30+00	2020-07-04 16:45:30
SELECT extract(epoch FROM timestamp '5212-08-06 14:34:39.899999'), extract(epoch FROM timestamptz '294000-01-01 00:00:00.000001+00'), extract(epoch FROM date '5212-08-06'), extract(epoch FROM interval '1 year 1 month 1.000001 s')
: numeric numeric numeric numeric
= 102326510079.899999	9215576668800.000001	102326457600	34149601.000001
SELECT extract(hour FROM '2020-01-01 10:00')
! 42725
SELECT date_part('hour', '2020-01-01 10:00')
! 42725
SELECT extract(hour FROM NULL)
! 42725
SELECT date_part('hour', NULL)
! 42725
