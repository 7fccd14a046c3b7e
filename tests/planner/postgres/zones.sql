SET TimeZone = 'Europe/Berlin'; select '2020-07-01 12:00'::timestamptz
: timestamp_with_time_zone
= 2020-07-01 12:00:00+02
SET TimeZone = 'America/New_York'; select '2020-07-01 12:00'::timestamptz
: timestamp_with_time_zone
= 2020-07-01 12:00:00-04
SET TimeZone = 'Europe/Berlin'; select timestamptz '2020-01-01 12:00+00'
: timestamp_with_time_zone
= 2020-01-01 13:00:00+01
SET TimeZone = 'Asia/Kolkata'; select timestamptz '2020-01-01 12:00+00'
: timestamp_with_time_zone
= 2020-01-01 17:30:00+05:30
SET TimeZone = 'Europe/Berlin'; select '2020-03-29 02:30'::timestamptz, '2020-10-25 02:30'::timestamptz, '2020-03-08 02:30'::timestamptz, '2020-11-01 01:30'::timestamptz
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2020-03-29 03:30:00+02	2020-10-25 02:30:00+01	2020-03-08 02:30:00+01	2020-11-01 01:30:00+01
SET TimeZone = 'Australia/Lord_Howe'; select '2020-03-29 02:30'::timestamptz, '2020-10-25 02:30'::timestamptz, '2020-03-08 02:30'::timestamptz, '2020-11-01 01:30'::timestamptz
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2020-03-29 02:30:00+11	2020-10-25 02:30:00+11	2020-03-08 02:30:00+11	2020-11-01 01:30:00+11
SET TimeZone = 'Europe/Berlin'; select ts, ts::timestamp, ts::date, ts::time, ts::text, ts || '!' from (values (timestamptz '2020-03-29 01:30+00'), ('2020-10-25 00:30+00'), ('2020-10-25 01:30:00.5+00'), ('1999-12-31 23:59:59.999999+00'), (null)) v(ts)
: timestamp_with_time_zone timestamp_without_time_zone date time_without_time_zone text text
= 2020-03-29 03:30:00+02	2020-03-29 03:30:00	2020-03-29	03:30:00	2020-03-29 03:30:00+02	2020-03-29 03:30:00+02!
= 2020-10-25 02:30:00+02	2020-10-25 02:30:00	2020-10-25	02:30:00	2020-10-25 02:30:00+02	2020-10-25 02:30:00+02!
= 2020-10-25 02:30:00.5+01	2020-10-25 02:30:00.5	2020-10-25	02:30:00.5	2020-10-25 02:30:00.5+01	2020-10-25 02:30:00.5+01!
= 2000-01-01 00:59:59.999999+01	2000-01-01 00:59:59.999999	2000-01-01	00:59:59.999999	2000-01-01 00:59:59.999999+01	2000-01-01 00:59:59.999999+01!
= \N	\N	\N	\N	\N	\N
SET TimeZone = 'America/St_Johns'; select ts, ts::timestamp, ts::date, ts::time, ts::text, ts || '!' from (values (timestamptz '2020-03-29 01:30+00'), ('2020-10-25 00:30+00'), ('2020-10-25 01:30:00.5+00'), ('1999-12-31 23:59:59.999999+00'), (null)) v(ts)
: timestamp_with_time_zone timestamp_without_time_zone date time_without_time_zone text text
= 2020-03-28 23:00:00-02:30	2020-03-28 23:00:00	2020-03-28	23:00:00	2020-03-28 23:00:00-02:30	2020-03-28 23:00:00-02:30!
= 2020-10-24 22:00:00-02:30	2020-10-24 22:00:00	2020-10-24	22:00:00	2020-10-24 22:00:00-02:30	2020-10-24 22:00:00-02:30!
= 2020-10-24 23:00:00.5-02:30	2020-10-24 23:00:00.5	2020-10-24	23:00:00.5	2020-10-24 23:00:00.5-02:30	2020-10-24 23:00:00.5-02:30!
= 1999-12-31 20:29:59.999999-03:30	1999-12-31 20:29:59.999999	1999-12-31	20:29:59.999999	1999-12-31 20:29:59.999999-03:30	1999-12-31 20:29:59.999999-03:30!
= \N	\N	\N	\N	\N	\N
SET TimeZone = 'Europe/Berlin'; select t::timestamptz, d::timestamptz, t at time zone 'Asia/Tokyo' from (values (timestamp '2020-03-29 02:30', date '2020-03-29'), ('2020-10-25 02:30', '2020-10-25')) v(t, d)
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2020-03-29 03:30:00+02	2020-03-29 00:00:00+01	2020-03-28 18:30:00+01
= 2020-10-25 02:30:00+01	2020-10-25 00:00:00+02	2020-10-24 19:30:00+02
SET TimeZone = 'Pacific/Apia'; select t::timestamptz, d::timestamptz, t at time zone 'Asia/Tokyo' from (values (timestamp '2020-03-29 02:30', date '2020-03-29'), ('2020-10-25 02:30', '2020-10-25')) v(t, d)
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2020-03-29 02:30:00+14	2020-03-29 00:00:00+14	2020-03-29 07:30:00+14
= 2020-10-25 02:30:00+14	2020-10-25 00:00:00+14	2020-10-25 07:30:00+14
SET TimeZone = 'Europe/Berlin'; select date_trunc('day', ts), date_trunc('hour', ts), date_trunc('month', ts), date_trunc('week', ts), date_trunc('second', ts), date_trunc('decade', ts) from (values (timestamptz '2020-03-29 01:30:12.5+00'), ('2020-10-25 00:30+00'), ('2020-10-25 01:30:00.5+00'), ('2011-12-30 23:59:59.999999+00')) v(ts)
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2020-03-29 00:00:00+01	2020-03-29 03:00:00+02	2020-03-01 00:00:00+01	2020-03-23 00:00:00+01	2020-03-29 03:30:12+02	2020-01-01 00:00:00+01
= 2020-10-25 00:00:00+02	2020-10-25 02:00:00+02	2020-10-01 00:00:00+02	2020-10-19 00:00:00+02	2020-10-25 02:30:00+02	2020-01-01 00:00:00+01
= 2020-10-25 00:00:00+02	2020-10-25 02:00:00+01	2020-10-01 00:00:00+02	2020-10-19 00:00:00+02	2020-10-25 02:30:00+01	2020-01-01 00:00:00+01
= 2011-12-31 00:00:00+01	2011-12-31 00:00:00+01	2011-12-01 00:00:00+01	2011-12-26 00:00:00+01	2011-12-31 00:59:59+01	2010-01-01 00:00:00+01
SET TimeZone = 'America/New_York'; select date_trunc('day', ts), date_trunc('hour', ts), date_trunc('month', ts), date_trunc('week', ts), date_trunc('second', ts), date_trunc('decade', ts) from (values (timestamptz '2020-03-29 01:30:12.5+00'), ('2020-10-25 00:30+00'), ('2020-10-25 01:30:00.5+00'), ('2011-12-30 23:59:59.999999+00')) v(ts)
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2020-03-28 00:00:00-04	2020-03-28 21:00:00-04	2020-03-01 00:00:00-05	2020-03-23 00:00:00-04	2020-03-28 21:30:12-04	2020-01-01 00:00:00-05
= 2020-10-24 00:00:00-04	2020-10-24 20:00:00-04	2020-10-01 00:00:00-04	2020-10-19 00:00:00-04	2020-10-24 20:30:00-04	2020-01-01 00:00:00-05
= 2020-10-24 00:00:00-04	2020-10-24 21:00:00-04	2020-10-01 00:00:00-04	2020-10-19 00:00:00-04	2020-10-24 21:30:00-04	2020-01-01 00:00:00-05
= 2011-12-30 00:00:00-05	2011-12-30 18:00:00-05	2011-12-01 00:00:00-05	2011-12-26 00:00:00-05	2011-12-30 18:59:59-05	2010-01-01 00:00:00-05
SET TimeZone = 'Europe/Berlin'; select extract(hour from ts), extract(dow from ts), extract(epoch from ts), extract(timezone from ts), extract(timezone_hour from ts), extract(timezone_minute from ts), extract(day from ts), date_part('minute', ts), date_part('timezone', ts), extract(second from ts), extract(doy from ts), extract(isoyear from ts) from (values (timestamptz '2020-03-29 01:30:12.5+00'), ('2020-10-25 00:30+00'), ('2020-10-25 01:30:00.5+00'), ('1970-01-01 00:00+00')) v(ts)
: numeric numeric numeric numeric numeric numeric numeric double_precision double_precision numeric numeric numeric
= 3	0	1585445412.500000	7200	2	0	29	30	7200	12.500000	89	2020
= 2	0	1603585800.000000	7200	2	0	25	30	7200	0.000000	299	2020
= 2	0	1603589400.500000	3600	1	0	25	30	3600	0.500000	299	2020
= 1	4	0.000000	3600	1	0	1	0	3600	0.000000	1	1970
SET TimeZone = 'Asia/Kolkata'; select extract(hour from ts), extract(dow from ts), extract(epoch from ts), extract(timezone from ts), extract(timezone_hour from ts), extract(timezone_minute from ts), extract(day from ts), date_part('minute', ts), date_part('timezone', ts), extract(second from ts), extract(doy from ts), extract(isoyear from ts) from (values (timestamptz '2020-03-29 01:30:12.5+00'), ('2020-10-25 00:30+00'), ('2020-10-25 01:30:00.5+00'), ('1970-01-01 00:00+00')) v(ts)
: numeric numeric numeric numeric numeric numeric numeric double_precision double_precision numeric numeric numeric
= 7	0	1585445412.500000	19800	5	30	29	0	19800	12.500000	89	2020
= 6	0	1603585800.000000	19800	5	30	25	0	19800	0.000000	299	2020
= 7	0	1603589400.500000	19800	5	30	25	0	19800	0.500000	299	2020
= 5	4	0.000000	19800	5	30	1	30	19800	0.000000	1	1970
SET TimeZone = 'Europe/Berlin'; select to_char(ts, 'YYYY-MM-DD HH24:MI:SS TZ OF'), to_char(ts, 'tz TZH:TZM'), to_char(ts, 'Day DD Mon'), to_char(ts, 'HH12 AM') from (values (timestamptz '2020-07-29 01:30:12.5+00'), ('2020-12-25 00:30+00')) v(ts)
: text text text text
= 2020-07-29 03:30:12 CEST +02	cest +02:00	Wednesday 29 Jul	03 AM
= 2020-12-25 01:30:00 CET +01	cet +01:00	Friday    25 Dec	01 AM
SET TimeZone = 'Australia/Lord_Howe'; select to_char(ts, 'YYYY-MM-DD HH24:MI:SS TZ OF'), to_char(ts, 'tz TZH:TZM'), to_char(ts, 'Day DD Mon'), to_char(ts, 'HH12 AM') from (values (timestamptz '2020-07-29 01:30:12.5+00'), ('2020-12-25 00:30+00')) v(ts)
: text text text text
= 2020-07-29 12:00:12 +1030 +10:30	+1030 +10:30	Wednesday 29 Jul	12 PM
= 2020-12-25 11:30:00 +11 +11	+11 +11:00	Friday    25 Dec	11 AM
SET TimeZone = 'Europe/Berlin'; select ts + interval '1 day', ts - interval '1 day', ts + interval '1 month', ts + interval '1 month 1 day 1 hour', ts - interval '1 month 3 hours', ts + interval '24 hours' from (values (timestamptz '2020-03-28 01:30+00'), ('2020-10-24 12:30+00'), ('2020-02-29 10:00+00'), ('2011-12-29 12:00+00')) v(ts)
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2020-03-29 03:30:00+02	2020-03-27 02:30:00+01	2020-04-28 02:30:00+02	2020-04-29 03:30:00+02	2020-02-27 23:30:00+01	2020-03-29 03:30:00+02
= 2020-10-25 14:30:00+01	2020-10-23 14:30:00+02	2020-11-24 14:30:00+01	2020-11-25 15:30:00+01	2020-09-24 11:30:00+02	2020-10-25 13:30:00+01
= 2020-03-01 11:00:00+01	2020-02-28 11:00:00+01	2020-03-29 11:00:00+02	2020-03-30 12:00:00+02	2020-01-29 08:00:00+01	2020-03-01 11:00:00+01
= 2011-12-30 13:00:00+01	2011-12-28 13:00:00+01	2012-01-29 13:00:00+01	2012-01-30 14:00:00+01	2011-11-29 10:00:00+01	2011-12-30 13:00:00+01
SET TimeZone = 'America/St_Johns'; select ts + interval '1 day', ts - interval '1 day', ts + interval '1 month', ts + interval '1 month 1 day 1 hour', ts - interval '1 month 3 hours', ts + interval '24 hours' from (values (timestamptz '2020-03-28 01:30+00'), ('2020-10-24 12:30+00'), ('2020-02-29 10:00+00'), ('2011-12-29 12:00+00')) v(ts)
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2020-03-28 23:00:00-02:30	2020-03-26 23:00:00-02:30	2020-04-27 23:00:00-02:30	2020-04-29 00:00:00-02:30	2020-02-27 20:00:00-03:30	2020-03-28 23:00:00-02:30
= 2020-10-25 10:00:00-02:30	2020-10-23 10:00:00-02:30	2020-11-24 10:00:00-03:30	2020-11-25 11:00:00-03:30	2020-09-24 07:00:00-02:30	2020-10-25 10:00:00-02:30
= 2020-03-01 06:30:00-03:30	2020-02-28 06:30:00-03:30	2020-03-29 06:30:00-02:30	2020-03-30 07:30:00-02:30	2020-01-29 03:30:00-03:30	2020-03-01 06:30:00-03:30
= 2011-12-30 08:30:00-03:30	2011-12-28 08:30:00-03:30	2012-01-29 08:30:00-03:30	2012-01-30 09:30:00-03:30	2011-11-29 05:30:00-03:30	2011-12-30 08:30:00-03:30
SET TimeZone = 'Europe/Berlin'; select ts + i from (values (timestamptz '2020-03-28 01:30+00'), ('2020-10-24 12:30+00')) v(ts), (values (interval '1 day'), ('1 mon'), ('36 hours'), ('-1 day'), ('-1 mon -1 day 25:00')) w(i) order by 1
: timestamp_with_time_zone
= 2020-02-28 03:30:00+01
= 2020-03-27 02:30:00+01
= 2020-03-29 03:30:00+02
= 2020-03-29 15:30:00+02
= 2020-04-28 02:30:00+02
= 2020-09-24 15:30:00+02
= 2020-10-23 14:30:00+02
= 2020-10-25 14:30:00+01
= 2020-10-26 01:30:00+01
= 2020-11-24 14:30:00+01
SET TimeZone = 'Pacific/Apia'; select ts + i from (values (timestamptz '2020-03-28 01:30+00'), ('2020-10-24 12:30+00')) v(ts), (values (interval '1 day'), ('1 mon'), ('36 hours'), ('-1 day'), ('-1 mon -1 day 25:00')) w(i) order by 1
: timestamp_with_time_zone
= 2020-02-28 16:30:00+14
= 2020-03-27 15:30:00+14
= 2020-03-29 15:30:00+14
= 2020-03-30 03:30:00+14
= 2020-04-28 15:30:00+13
= 2020-09-25 03:30:00+13
= 2020-10-24 02:30:00+14
= 2020-10-26 02:30:00+14
= 2020-10-26 14:30:00+14
= 2020-11-25 02:30:00+14
SET TimeZone = 'Europe/Berlin'; select interval '1 day' + timestamptz '2020-03-28 12:00+00', timestamptz '2020-03-28 12:00+00' + '1 day'
: timestamp_with_time_zone timestamp_with_time_zone
= 2020-03-29 13:00:00+02	2020-03-29 13:00:00+02
SET TimeZone = 'America/New_York'; select interval '1 day' + timestamptz '2020-03-28 12:00+00', timestamptz '2020-03-28 12:00+00' + '1 day'
: timestamp_with_time_zone timestamp_with_time_zone
= 2020-03-29 08:00:00-04	2020-03-29 08:00:00-04
SET TimeZone = 'Europe/Berlin'; select generate_series(timestamptz '2020-03-27 12:00+00', '2020-03-31 12:00+00', '1 day')
: timestamp_with_time_zone
= 2020-03-27 13:00:00+01
= 2020-03-28 13:00:00+01
= 2020-03-29 13:00:00+02
= 2020-03-30 13:00:00+02
= 2020-03-31 13:00:00+02
SET TimeZone = 'Asia/Kolkata'; select generate_series(timestamptz '2020-03-27 12:00+00', '2020-03-31 12:00+00', '1 day')
: timestamp_with_time_zone
= 2020-03-27 17:30:00+05:30
= 2020-03-28 17:30:00+05:30
= 2020-03-29 17:30:00+05:30
= 2020-03-30 17:30:00+05:30
= 2020-03-31 17:30:00+05:30
SET TimeZone = 'Europe/Berlin'; select g from generate_series(timestamptz '2020-10-23 12:00+00', '2020-11-03 12:00+00', interval '1 day') g
: timestamp_with_time_zone
= 2020-10-23 14:00:00+02
= 2020-10-24 14:00:00+02
= 2020-10-25 14:00:00+01
= 2020-10-26 14:00:00+01
= 2020-10-27 14:00:00+01
= 2020-10-28 14:00:00+01
= 2020-10-29 14:00:00+01
= 2020-10-30 14:00:00+01
= 2020-10-31 14:00:00+01
= 2020-11-01 14:00:00+01
= 2020-11-02 14:00:00+01
SET TimeZone = 'Australia/Lord_Howe'; select g from generate_series(timestamptz '2020-10-23 12:00+00', '2020-11-03 12:00+00', interval '1 day') g
: timestamp_with_time_zone
= 2020-10-23 23:00:00+11
= 2020-10-24 23:00:00+11
= 2020-10-25 23:00:00+11
= 2020-10-26 23:00:00+11
= 2020-10-27 23:00:00+11
= 2020-10-28 23:00:00+11
= 2020-10-29 23:00:00+11
= 2020-10-30 23:00:00+11
= 2020-10-31 23:00:00+11
= 2020-11-01 23:00:00+11
= 2020-11-02 23:00:00+11
= 2020-11-03 23:00:00+11
SET TimeZone = 'Europe/Berlin'; select g from generate_series(date '2020-03-27', date '2020-03-31', '1 day') g
: timestamp_with_time_zone
= 2020-03-27 00:00:00+01
= 2020-03-28 00:00:00+01
= 2020-03-29 00:00:00+01
= 2020-03-30 00:00:00+02
= 2020-03-31 00:00:00+02
SET TimeZone = 'America/St_Johns'; select g from generate_series(date '2020-03-27', date '2020-03-31', '1 day') g
: timestamp_with_time_zone
= 2020-03-27 00:00:00-02:30
= 2020-03-28 00:00:00-02:30
= 2020-03-29 00:00:00-02:30
= 2020-03-30 00:00:00-02:30
= 2020-03-31 00:00:00-02:30
SET TimeZone = 'Europe/Berlin'; select g from generate_series(timestamptz '2020-03-28 20:00+00', '2020-03-29 12:00+00', interval '3 hours') g
: timestamp_with_time_zone
= 2020-03-28 21:00:00+01
= 2020-03-29 00:00:00+01
= 2020-03-29 04:00:00+02
= 2020-03-29 07:00:00+02
= 2020-03-29 10:00:00+02
= 2020-03-29 13:00:00+02
SET TimeZone = 'Pacific/Apia'; select g from generate_series(timestamptz '2020-03-28 20:00+00', '2020-03-29 12:00+00', interval '3 hours') g
: timestamp_with_time_zone
= 2020-03-29 10:00:00+14
= 2020-03-29 13:00:00+14
= 2020-03-29 16:00:00+14
= 2020-03-29 19:00:00+14
= 2020-03-29 22:00:00+14
= 2020-03-30 01:00:00+14
SET TimeZone = 'Europe/Berlin'; select age(timestamptz '2020-07-01 00:00+00', timestamptz '2020-01-01 00:00+00'), age(timestamptz '2020-07-01 23:00+00', timestamptz '2020-01-01 12:00+00')
: interval interval
= 6 mons 01:00:00	6 mons 12:00:00
SET TimeZone = 'America/New_York'; select age(timestamptz '2020-07-01 00:00+00', timestamptz '2020-01-01 00:00+00'), age(timestamptz '2020-07-01 23:00+00', timestamptz '2020-01-01 12:00+00')
: interval interval
= 5 mons 30 days 01:00:00	6 mons 12:00:00
SET TimeZone = 'Europe/Berlin'; select timestamptz '2020-07-01 00:00+00' - timestamptz '2020-01-01 00:00+00', timestamptz '2020-07-01 00:00+00' - timestamp '2020-01-01 00:00', date '2020-07-01' - timestamptz '2020-01-01 00:00+00'
: interval interval interval
= 182 days	182 days 01:00:00	181 days 22:00:00
SET TimeZone = 'Asia/Kolkata'; select timestamptz '2020-07-01 00:00+00' - timestamptz '2020-01-01 00:00+00', timestamptz '2020-07-01 00:00+00' - timestamp '2020-01-01 00:00', date '2020-07-01' - timestamptz '2020-01-01 00:00+00'
: interval interval interval
= 182 days	182 days 05:30:00	181 days 18:30:00
SET TimeZone = 'Europe/Berlin'; select date_bin('1 day', timestamptz '2020-07-01 12:00+00', timestamptz '2000-01-01 00:00+00'), date_bin('15 minutes', timestamptz '2020-07-01 12:07+00', timestamptz '2000-01-01')
: timestamp_with_time_zone timestamp_with_time_zone
= 2020-07-01 02:00:00+02	2020-07-01 14:00:00+02
SET TimeZone = 'Australia/Lord_Howe'; select date_bin('1 day', timestamptz '2020-07-01 12:00+00', timestamptz '2000-01-01 00:00+00'), date_bin('15 minutes', timestamptz '2020-07-01 12:07+00', timestamptz '2000-01-01')
: timestamp_with_time_zone timestamp_with_time_zone
= 2020-07-01 10:30:00+10:30	2020-07-01 22:30:00+10:30
SET TimeZone = 'Europe/Berlin'; select ts > timestamp '2020-07-01 00:00', ts = date '2020-07-01', ts < date '2020-07-01', ts between date '2020-06-30' and date '2020-07-02', ts in (date '2020-07-01', date '2020-07-02'), ts = '2020-07-01' from (values (timestamptz '2020-06-30 22:00+00'), ('2020-07-01 04:00+00'), ('2020-06-30 18:30+00')) v(ts)
: boolean boolean boolean boolean boolean boolean
= f	t	f	t	t	t
= t	f	f	t	f	f
= f	f	t	t	f	f
SET TimeZone = 'America/St_Johns'; select ts > timestamp '2020-07-01 00:00', ts = date '2020-07-01', ts < date '2020-07-01', ts between date '2020-06-30' and date '2020-07-02', ts in (date '2020-07-01', date '2020-07-02'), ts = '2020-07-01' from (values (timestamptz '2020-06-30 22:00+00'), ('2020-07-01 04:00+00'), ('2020-06-30 18:30+00')) v(ts)
: boolean boolean boolean boolean boolean boolean
= f	f	t	t	f	f
= t	f	f	t	f	f
= f	f	t	t	f	f
SET TimeZone = 'Europe/Berlin'; select make_timestamptz(2020, 3, 29, 2, 30, 0), make_timestamptz(2020, 7, 1, 12, 0, 1.5), make_timestamptz(2020, 7, 1, 12, 0, 1.5, 'Asia/Tokyo')
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2020-03-29 03:30:00+02	2020-07-01 12:00:01.5+02	2020-07-01 05:00:01.5+02
SET TimeZone = 'Pacific/Apia'; select make_timestamptz(2020, 3, 29, 2, 30, 0), make_timestamptz(2020, 7, 1, 12, 0, 1.5), make_timestamptz(2020, 7, 1, 12, 0, 1.5, 'Asia/Tokyo')
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2020-03-29 02:30:00+14	2020-07-01 12:00:01.5+13	2020-07-01 16:00:01.5+13
SET TimeZone = 'Europe/Berlin'; select to_timestamp('2020-07-01 12:00', 'YYYY-MM-DD HH24:MI'), to_timestamp(0), to_date('2020-07-01', 'YYYY-MM-DD')
: timestamp_with_time_zone timestamp_with_time_zone date
= 2020-07-01 12:00:00+02	1970-01-01 01:00:00+01	2020-07-01
SET TimeZone = 'America/New_York'; select to_timestamp('2020-07-01 12:00', 'YYYY-MM-DD HH24:MI'), to_timestamp(0), to_date('2020-07-01', 'YYYY-MM-DD')
: timestamp_with_time_zone timestamp_with_time_zone date
= 2020-07-01 12:00:00-04	1969-12-31 19:00:00-05	2020-07-01
SET TimeZone = 'Europe/Berlin'; select timestamptz '2020-07-01 12:00+00' at time zone 'Asia/Tokyo', timestamp '2020-07-01 12:00' at time zone 'Asia/Tokyo', date '2020-07-01' at time zone 'Asia/Tokyo', '2020-07-01' at time zone 'Asia/Tokyo', timezone('Asia/Tokyo', '2020-07-01'::timestamptz)
: timestamp_without_time_zone timestamp_with_time_zone timestamp_without_time_zone timestamp_without_time_zone timestamp_without_time_zone
= 2020-07-01 21:00:00	2020-07-01 05:00:00+02	2020-07-01 07:00:00	2020-07-01 07:00:00	2020-07-01 07:00:00
SET TimeZone = 'Asia/Kolkata'; select timestamptz '2020-07-01 12:00+00' at time zone 'Asia/Tokyo', timestamp '2020-07-01 12:00' at time zone 'Asia/Tokyo', date '2020-07-01' at time zone 'Asia/Tokyo', '2020-07-01' at time zone 'Asia/Tokyo', timezone('Asia/Tokyo', '2020-07-01'::timestamptz)
: timestamp_without_time_zone timestamp_with_time_zone timestamp_without_time_zone timestamp_without_time_zone timestamp_without_time_zone
= 2020-07-01 21:00:00	2020-07-01 08:30:00+05:30	2020-07-01 03:30:00	2020-07-01 03:30:00	2020-07-01 03:30:00
SET TimeZone = 'Europe/Berlin'; select coalesce(null, timestamptz '2020-07-01 12:00+00', timestamp '2020-01-01'), greatest(timestamptz '2020-07-01 12:00+00', date '2020-07-02'), case when true then date '2020-07-02' else timestamptz '2020-07-01 12:00+00' end, least(timestamp '2020-07-01 12:00', timestamptz '2020-07-01 12:00+00')
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2020-07-01 14:00:00+02	2020-07-02 00:00:00+02	2020-07-02 00:00:00+02	2020-07-01 12:00:00+02
SET TimeZone = 'Australia/Lord_Howe'; select coalesce(null, timestamptz '2020-07-01 12:00+00', timestamp '2020-01-01'), greatest(timestamptz '2020-07-01 12:00+00', date '2020-07-02'), case when true then date '2020-07-02' else timestamptz '2020-07-01 12:00+00' end, least(timestamp '2020-07-01 12:00', timestamptz '2020-07-01 12:00+00')
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 2020-07-01 22:30:00+10:30	2020-07-02 00:00:00+10:30	2020-07-02 00:00:00+10:30	2020-07-01 12:00:00+10:30
SET TimeZone = 'Europe/Berlin'; select array[timestamptz '2020-07-01 12:00+00', timestamp '2020-07-01'], array[timestamptz '2020-07-01 12:00+00']::text[], array[timestamptz '2020-07-01 12:00+00']::text, '{2020-07-01,2020-07-02 10:00}'::timestamptz[]
: timestamp_with_time_zone[] text[] text timestamp_with_time_zone[]
= {"2020-07-01 14:00:00+02","2020-07-01 00:00:00+02"}	{"2020-07-01 14:00:00+02"}	{"2020-07-01 14:00:00+02"}	{"2020-07-01 00:00:00+02","2020-07-02 10:00:00+02"}
SET TimeZone = 'America/St_Johns'; select array[timestamptz '2020-07-01 12:00+00', timestamp '2020-07-01'], array[timestamptz '2020-07-01 12:00+00']::text[], array[timestamptz '2020-07-01 12:00+00']::text, '{2020-07-01,2020-07-02 10:00}'::timestamptz[]
: timestamp_with_time_zone[] text[] text timestamp_with_time_zone[]
= {"2020-07-01 09:30:00-02:30","2020-07-01 00:00:00-02:30"}	{"2020-07-01 09:30:00-02:30"}	{"2020-07-01 09:30:00-02:30"}	{"2020-07-01 00:00:00-02:30","2020-07-02 10:00:00-02:30"}
SET TimeZone = 'Europe/Berlin'; select timestamp '2020-07-01' union all select timestamptz '2020-07-01 12:00+00'
: timestamp_with_time_zone
= 2020-07-01 00:00:00+02
= 2020-07-01 14:00:00+02
SET TimeZone = 'Pacific/Apia'; select timestamp '2020-07-01' union all select timestamptz '2020-07-01 12:00+00'
: timestamp_with_time_zone
= 2020-07-01 00:00:00+13
= 2020-07-02 01:00:00+13
SET TimeZone = 'Europe/Berlin'; select * from (values (timestamp '2020-07-01'), (timestamptz '2020-07-01 12:00+00')) v
: timestamp_with_time_zone
= 2020-07-01 00:00:00+02
= 2020-07-01 14:00:00+02
SET TimeZone = 'America/New_York'; select * from (values (timestamp '2020-07-01'), (timestamptz '2020-07-01 12:00+00')) v
: timestamp_with_time_zone
= 2020-07-01 00:00:00-04
= 2020-07-01 08:00:00-04
SET TimeZone = 'Europe/Berlin'; select concat(timestamptz '2020-07-01 12:00+00', '!'), concat_ws(',', timestamptz '2020-07-01 12:00+00', 1), format('%s', timestamptz '2020-07-01 12:00+00'), quote_literal(timestamptz '2020-07-01 12:00+00')
: text text text text
= 2020-07-01 14:00:00+02!	2020-07-01 14:00:00+02,1	2020-07-01 14:00:00+02	'2020-07-01 14:00:00+02'
SET TimeZone = 'Asia/Kolkata'; select concat(timestamptz '2020-07-01 12:00+00', '!'), concat_ws(',', timestamptz '2020-07-01 12:00+00', 1), format('%s', timestamptz '2020-07-01 12:00+00'), quote_literal(timestamptz '2020-07-01 12:00+00')
: text text text text
= 2020-07-01 17:30:00+05:30!	2020-07-01 17:30:00+05:30,1	2020-07-01 17:30:00+05:30	'2020-07-01 17:30:00+05:30'
SET TimeZone = 'Europe/Berlin'; select string_agg(t::text, ',' order by t), min(t), max(t), count(t), array_agg(t) from (values (timestamptz '2020-07-01 12:00+00'), ('2020-01-01 12:00+00')) v(t)
: text timestamp_with_time_zone timestamp_with_time_zone bigint timestamp_with_time_zone[]
= 2020-01-01 13:00:00+01,2020-07-01 14:00:00+02	2020-01-01 13:00:00+01	2020-07-01 14:00:00+02	2	{"2020-07-01 14:00:00+02","2020-01-01 13:00:00+01"}
SET TimeZone = 'Australia/Lord_Howe'; select string_agg(t::text, ',' order by t), min(t), max(t), count(t), array_agg(t) from (values (timestamptz '2020-07-01 12:00+00'), ('2020-01-01 12:00+00')) v(t)
: text timestamp_with_time_zone timestamp_with_time_zone bigint timestamp_with_time_zone[]
= 2020-01-01 23:00:00+11,2020-07-01 22:30:00+10:30	2020-01-01 23:00:00+11	2020-07-01 22:30:00+10:30	2	{"2020-07-01 22:30:00+10:30","2020-01-01 23:00:00+11"}
SET TimeZone = 'Europe/Berlin'; select array_to_string(array_agg(t), ';') from (values (timestamptz '2020-07-01 12:00+00'), ('2020-01-01 12:00+00')) v(t)
: text
= 2020-07-01 14:00:00+02;2020-01-01 13:00:00+01
SET TimeZone = 'America/St_Johns'; select array_to_string(array_agg(t), ';') from (values (timestamptz '2020-07-01 12:00+00'), ('2020-01-01 12:00+00')) v(t)
: text
= 2020-07-01 09:30:00-02:30;2020-01-01 08:30:00-03:30
SET TimeZone = 'Europe/Berlin'; select (timestamptz '2020-07-01 12:00+00', interval '1 day') overlaps (timestamptz '2020-07-02 12:00+00', interval '1 day'), (timestamptz '2020-07-01 12:00+00', timestamptz '2020-07-03 12:00+00') overlaps (date '2020-07-03', date '2020-07-04')
: boolean boolean
= f	t
SET TimeZone = 'Pacific/Apia'; select (timestamptz '2020-07-01 12:00+00', interval '1 day') overlaps (timestamptz '2020-07-02 12:00+00', interval '1 day'), (timestamptz '2020-07-01 12:00+00', timestamptz '2020-07-03 12:00+00') overlaps (date '2020-07-03', date '2020-07-04')
: boolean boolean
= f	t
SET TimeZone = 'Europe/Berlin'; select 'infinity'::timestamptz, '-infinity'::timestamptz::text, isfinite('infinity'::timestamptz), 'infinity'::timestamptz::timestamp
: timestamp_with_time_zone text boolean timestamp_without_time_zone
= infinity	-infinity	f	infinity
SET TimeZone = 'America/New_York'; select 'infinity'::timestamptz, '-infinity'::timestamptz::text, isfinite('infinity'::timestamptz), 'infinity'::timestamptz::timestamp
: timestamp_with_time_zone text boolean timestamp_without_time_zone
= infinity	-infinity	f	infinity
SET TimeZone = 'Europe/Berlin'; select '1850-01-01 12:00'::timestamptz, '0044-03-15 12:00 BC'::timestamptz, '0044-03-15 12:00 BC'::timestamptz::text, '2090-07-01 12:00'::timestamptz, '5000-07-01 12:00'::timestamptz
: timestamp_with_time_zone timestamp_with_time_zone text timestamp_with_time_zone timestamp_with_time_zone
= 1850-01-01 12:00:00+00:53:28	0044-03-15 12:00:00+00:53:28 BC	0044-03-15 12:00:00+00:53:28 BC	2090-07-01 12:00:00+02	5000-07-01 12:00:00+02
SET TimeZone = 'Asia/Kolkata'; select '1850-01-01 12:00'::timestamptz, '0044-03-15 12:00 BC'::timestamptz, '0044-03-15 12:00 BC'::timestamptz::text, '2090-07-01 12:00'::timestamptz, '5000-07-01 12:00'::timestamptz
: timestamp_with_time_zone timestamp_with_time_zone text timestamp_with_time_zone timestamp_with_time_zone
= 1850-01-01 12:00:00+05:53:28	0044-03-15 12:00:00+05:53:28 BC	0044-03-15 12:00:00+05:53:28 BC	2090-07-01 12:00:00+05:30	5000-07-01 12:00:00+05:30
SET TimeZone = 'Europe/Berlin'; select '2020-07-01 12:00 CEST'::timestamptz, '2020-07-01 12:00 America/New_York'::timestamptz, '2020-07-01 12:00'::timestamptz at time zone 'CET', '2020-07-01T12:00Z'::timestamptz
: timestamp_with_time_zone timestamp_with_time_zone timestamp_without_time_zone timestamp_with_time_zone
= 2020-07-01 12:00:00+02	2020-07-01 18:00:00+02	2020-07-01 11:00:00	2020-07-01 14:00:00+02
SET TimeZone = 'Australia/Lord_Howe'; select '2020-07-01 12:00 CEST'::timestamptz, '2020-07-01 12:00 America/New_York'::timestamptz, '2020-07-01 12:00'::timestamptz at time zone 'CET', '2020-07-01T12:00Z'::timestamptz
: timestamp_with_time_zone timestamp_with_time_zone timestamp_without_time_zone timestamp_with_time_zone
= 2020-07-01 20:30:00+10:30	2020-07-02 02:30:00+10:30	2020-07-01 02:30:00	2020-07-01 22:30:00+10:30
SET TimeZone = 'Europe/Berlin'; select t::text::timestamptz = t, (d || ' 10:00')::timestamptz from (values (timestamptz '2020-07-01 12:00+00', '2020-07-01'), ('2020-01-01 12:00+00', '2020-01-01')) v(t, d)
: boolean timestamp_with_time_zone
= t	2020-07-01 10:00:00+02
= t	2020-01-01 10:00:00+01
SET TimeZone = 'America/St_Johns'; select t::text::timestamptz = t, (d || ' 10:00')::timestamptz from (values (timestamptz '2020-07-01 12:00+00', '2020-07-01'), ('2020-01-01 12:00+00', '2020-01-01')) v(t, d)
: boolean timestamp_with_time_zone
= t	2020-07-01 10:00:00-02:30
= t	2020-01-01 10:00:00-03:30
SET TimeZone = 'Europe/Berlin'; select date_trunc('day', date '2020-07-01'), date_trunc('month', timestamp '2020-07-01 10:00'), to_char(date '2020-07-01', 'YYYY-MM-DD HH24:MI OF'), extract(hour from date '2020-07-01')
! 0A000
SET TimeZone = 'Pacific/Apia'; select date_trunc('day', date '2020-07-01'), date_trunc('month', timestamp '2020-07-01 10:00'), to_char(date '2020-07-01', 'YYYY-MM-DD HH24:MI OF'), extract(hour from date '2020-07-01')
! 0A000
SET TimeZone = 'Europe/Berlin'; select date_trunc('day', now()) = current_date, now()::date = current_date, now() > current_date, now() - interval '1 day' < now()
: boolean boolean boolean boolean
= t	t	t	t
SET TimeZone = 'America/New_York'; select date_trunc('day', now()) = current_date, now()::date = current_date, now() > current_date, now() - interval '1 day' < now()
: boolean boolean boolean boolean
= t	t	t	t
SET TimeZone = 'Europe/Berlin'; select t::timestamptz(0), t::timestamptz(1)::text from (values ('2020-07-01 12:00:00.55')) v(t)
: timestamp_with_time_zone text
= 2020-07-01 12:00:01+02	2020-07-01 12:00:00.6+02
SET TimeZone = 'Asia/Kolkata'; select t::timestamptz(0), t::timestamptz(1)::text from (values ('2020-07-01 12:00:00.55')) v(t)
: timestamp_with_time_zone text
= 2020-07-01 12:00:01+05:30	2020-07-01 12:00:00.6+05:30
SET TimeZone = 'Europe/Berlin'; select date(timestamptz '2020-07-01 23:30+00'), (timestamptz '2020-07-01 23:30+00')::date + 1
: date date
= 2020-07-02	2020-07-03
SET TimeZone = 'Australia/Lord_Howe'; select date(timestamptz '2020-07-01 23:30+00'), (timestamptz '2020-07-01 23:30+00')::date + 1
: date date
= 2020-07-02	2020-07-03
SET TimeZone = 'Europe/Berlin'; select d, count(*) from (select date_trunc('day', t)::date d from generate_series(timestamptz '2020-03-28 00:00+00', '2020-03-31 00:00+00', '1 hour') t) x group by d order by d
: date bigint
= 2020-03-28	23
= 2020-03-29	23
= 2020-03-30	24
= 2020-03-31	3
SET TimeZone = 'America/St_Johns'; select d, count(*) from (select date_trunc('day', t)::date d from generate_series(timestamptz '2020-03-28 00:00+00', '2020-03-31 00:00+00', '1 hour') t) x group by d order by d
: date bigint
= 2020-03-27	3
= 2020-03-28	24
= 2020-03-29	24
= 2020-03-30	22
SET TimeZone = 'Europe/Berlin'; select t::date as d, count(*) from generate_series(timestamptz '2020-10-24 00:00+00', '2020-10-27 00:00+00', '1 hour') t group by t::date order by 1
: date bigint
= 2020-10-24	22
= 2020-10-25	25
= 2020-10-26	24
= 2020-10-27	2
SET TimeZone = 'Pacific/Apia'; select t::date as d, count(*) from generate_series(timestamptz '2020-10-24 00:00+00', '2020-10-27 00:00+00', '1 hour') t group by t::date order by 1
: date bigint
= 2020-10-24	10
= 2020-10-25	24
= 2020-10-26	24
= 2020-10-27	15
SET TimeZone = 'Europe/Berlin'; select sum(1) over (order by t range between '1 hour' preceding and current row) from (values (timestamptz '2020-07-01 12:00+00'), ('2020-07-01 12:30+00'), ('2020-07-01 15:00+00')) v(t)
: bigint
= 1
= 2
= 1
SET TimeZone = 'America/New_York'; select sum(1) over (order by t range between '1 hour' preceding and current row) from (values (timestamptz '2020-07-01 12:00+00'), ('2020-07-01 12:30+00'), ('2020-07-01 15:00+00')) v(t)
: bigint
= 1
= 2
= 1
SET TimeZone = 'Europe/Berlin'; select nullif(timestamptz '2020-07-01 00:00+00', timestamp '2020-07-01'), timestamptz '2020-07-01 00:00+00' is distinct from date '2020-07-01'
: timestamp_with_time_zone boolean
= 2020-07-01 02:00:00+02	t
SET TimeZone = 'Asia/Kolkata'; select nullif(timestamptz '2020-07-01 00:00+00', timestamp '2020-07-01'), timestamptz '2020-07-01 00:00+00' is distinct from date '2020-07-01'
: timestamp_with_time_zone boolean
= 2020-07-01 05:30:00+05:30	t
SET TimeZone = 'Europe/Berlin'; select case timestamptz '2020-06-30 22:00+00' when date '2020-07-01' then 'a' else 'b' end
: text
= a
SET TimeZone = 'Australia/Lord_Howe'; select case timestamptz '2020-06-30 22:00+00' when date '2020-07-01' then 'a' else 'b' end
: text
= b
SET TimeZone = 'Europe/Berlin'; select timestamptz '2020-07-01 12:00+00' = any (array[timestamptz '2020-07-01 12:00+00']), timestamptz '2020-06-30 22:00+00' = any ('{2020-07-01}')
: boolean boolean
= t	t
SET TimeZone = 'America/St_Johns'; select timestamptz '2020-07-01 12:00+00' = any (array[timestamptz '2020-07-01 12:00+00']), timestamptz '2020-06-30 22:00+00' = any ('{2020-07-01}')
: boolean boolean
= t	f
SET TimeZone = 'Europe/Berlin'; select pg_typeof(t), pg_typeof(t::date), pg_typeof(date_trunc('day', t)), pg_typeof(t + interval '1 day'), pg_typeof(t at time zone 'UTC'), pg_typeof(extract(hour from t)), pg_typeof(age(t)) from (values (timestamptz '2020-07-01 12:00+00')) v(t)
: regtype regtype regtype regtype regtype regtype regtype
= timestamp with time zone	date	timestamp with time zone	timestamp with time zone	timestamp without time zone	numeric	interval
SET TimeZone = 'Pacific/Apia'; select pg_typeof(t), pg_typeof(t::date), pg_typeof(date_trunc('day', t)), pg_typeof(t + interval '1 day'), pg_typeof(t at time zone 'UTC'), pg_typeof(extract(hour from t)), pg_typeof(age(t)) from (values (timestamptz '2020-07-01 12:00+00')) v(t)
: regtype regtype regtype regtype regtype regtype regtype
= timestamp with time zone	date	timestamp with time zone	timestamp with time zone	timestamp without time zone	numeric	interval
SET TimeZone = 'Europe/Berlin'; select t as a, date_trunc('hour', t), extract(hour from t), t::date, t + interval '1 day', to_char(t, 'TZ') from (values (timestamptz '2020-07-01 12:00+00')) v(t)
: timestamp_with_time_zone timestamp_with_time_zone numeric date timestamp_with_time_zone text
= 2020-07-01 14:00:00+02	2020-07-01 14:00:00+02	14	2020-07-01	2020-07-02 14:00:00+02	CEST
SET TimeZone = 'America/New_York'; select t as a, date_trunc('hour', t), extract(hour from t), t::date, t + interval '1 day', to_char(t, 'TZ') from (values (timestamptz '2020-07-01 12:00+00')) v(t)
: timestamp_with_time_zone timestamp_with_time_zone numeric date timestamp_with_time_zone text
= 2020-07-01 08:00:00-04	2020-07-01 08:00:00-04	8	2020-07-01	2020-07-02 08:00:00-04	EDT
SET TimeZone = 'Europe/Berlin'; select least(t, '2020-01-01'), coalesce(t, '2020-01-01') from (values (timestamptz '2020-07-01 12:00+00'), (null)) v(t)
: timestamp_with_time_zone timestamp_with_time_zone
= 2020-01-01 00:00:00+01	2020-07-01 14:00:00+02
= 2020-01-01 00:00:00+01	2020-01-01 00:00:00+01
SET TimeZone = 'Asia/Kolkata'; select least(t, '2020-01-01'), coalesce(t, '2020-01-01') from (values (timestamptz '2020-07-01 12:00+00'), (null)) v(t)
: timestamp_with_time_zone timestamp_with_time_zone
= 2020-01-01 00:00:00+05:30	2020-07-01 17:30:00+05:30
= 2020-01-01 00:00:00+05:30	2020-01-01 00:00:00+05:30
SET TimeZone = 'Europe/Berlin'; with a as (select timestamptz '2020-07-01 12:00+00' as t union all select timestamp '2020-07-01 12:00') select t::date, t from a order by 2
: date timestamp_with_time_zone
= 2020-07-01	2020-07-01 12:00:00+02
= 2020-07-01	2020-07-01 14:00:00+02
SET TimeZone = 'Australia/Lord_Howe'; with a as (select timestamptz '2020-07-01 12:00+00' as t union all select timestamp '2020-07-01 12:00') select t::date, t from a order by 2
: date timestamp_with_time_zone
= 2020-07-01	2020-07-01 12:00:00+10:30
= 2020-07-01	2020-07-01 22:30:00+10:30
SET TimeZone = 'Europe/Berlin'; select (select timestamptz '2020-07-01 12:00+00') > date '2020-07-01'
: boolean
= t
SET TimeZone = 'America/St_Johns'; select (select timestamptz '2020-07-01 12:00+00') > date '2020-07-01'
: boolean
= t
SET TimeZone = 'Europe/Berlin'; select exists (select 1 from (values (timestamptz '2020-06-30 22:00+00')) v(t) where t >= '2020-07-01' and t < '2020-07-02')
: boolean
= t
SET TimeZone = 'Pacific/Apia'; select exists (select 1 from (values (timestamptz '2020-06-30 22:00+00')) v(t) where t >= '2020-07-01' and t < '2020-07-02')
: boolean
= t
SET TimeZone = 'Europe/Berlin'; select id, tz, tz::date, tz::timestamp, extract(hour from tz) from samples order by id
: integer timestamp_with_time_zone date timestamp_without_time_zone numeric
= 1	2020-01-01 11:00:00+01	2020-01-01	2020-01-01 11:00:00	11
= 2	2020-03-01 00:59:59.5+01	2020-03-01	2020-03-01 00:59:59.5	0
= 3	2020-03-15 02:30:00+01	2020-03-15	2020-03-15 02:30:00	2
= 4	2020-12-31 13:30:15.123456+01	2020-12-31	2020-12-31 13:30:15.123456	13
= 5	\N	\N	\N	\N
= 6	2000-01-01 00:00:00+01	2000-01-01	2000-01-01 00:00:00	0
= 7	2020-06-15 08:07:08.009+02	2020-06-15	2020-06-15 08:07:08.009	8
= 8	1970-01-01 01:00:00+01	1970-01-01	1970-01-01 01:00:00	1
= 9	2020-07-04 18:45:30+02	2020-07-04	2020-07-04 18:45:30	18
SET TimeZone = 'America/New_York'; select id, tz, tz::date, tz::timestamp, extract(hour from tz) from samples order by id
: integer timestamp_with_time_zone date timestamp_without_time_zone numeric
= 1	2020-01-01 05:00:00-05	2020-01-01	2020-01-01 05:00:00	5
= 2	2020-02-29 18:59:59.5-05	2020-02-29	2020-02-29 18:59:59.5	18
= 3	2020-03-14 21:30:00-04	2020-03-14	2020-03-14 21:30:00	21
= 4	2020-12-31 07:30:15.123456-05	2020-12-31	2020-12-31 07:30:15.123456	7
= 5	\N	\N	\N	\N
= 6	1999-12-31 18:00:00-05	1999-12-31	1999-12-31 18:00:00	18
= 7	2020-06-15 02:07:08.009-04	2020-06-15	2020-06-15 02:07:08.009	2
= 8	1969-12-31 19:00:00-05	1969-12-31	1969-12-31 19:00:00	19
= 9	2020-07-04 12:45:30-04	2020-07-04	2020-07-04 12:45:30	12
SET TimeZone = 'Europe/Berlin'; select id from samples where tz >= '2020-07-04' order by id
: integer
= 4
= 9
SET TimeZone = 'Asia/Kolkata'; select id from samples where tz >= '2020-07-04' order by id
: integer
= 4
= 9
SET TimeZone = 'Europe/Berlin'; select id from samples where tz < '2020-01-01 11:00' order by id
: integer
= 6
= 8
SET TimeZone = 'Australia/Lord_Howe'; select id from samples where tz < '2020-01-01 11:00' order by id
: integer
= 6
= 8
SET TimeZone = 'Europe/Berlin'; select id from samples where tz::date = '2020-03-01' order by id
: integer
= 2
SET TimeZone = 'America/St_Johns'; select id from samples where tz::date = '2020-03-01' order by id
: integer
SET TimeZone = 'Europe/Berlin'; select id from samples where date_trunc('day', tz) = '2020-03-01' order by id
: integer
= 2
SET TimeZone = 'Pacific/Apia'; select id from samples where date_trunc('day', tz) = '2020-03-01' order by id
: integer
= 2
SET TimeZone = 'Europe/Berlin'; select id from samples where tz = '2020-01-01 10:00+00'
: integer
= 1
SET TimeZone = 'America/New_York'; select id from samples where tz = '2020-01-01 10:00+00'
: integer
= 1
SET TimeZone = 'Europe/Berlin'; select id from samples where tz > at order by id
: integer
= 1
= 2
= 3
= 4
= 6
= 7
= 8
= 9
SET TimeZone = 'Asia/Kolkata'; select id from samples where tz > at order by id
: integer
= 1
= 2
= 3
= 4
= 6
= 7
= 8
= 9
SET TimeZone = 'Europe/Berlin'; select id from samples where tz between date '2020-02-01' and date '2020-04-01' order by id
: integer
= 2
= 3
SET TimeZone = 'Australia/Lord_Howe'; select id from samples where tz between date '2020-02-01' and date '2020-04-01' order by id
: integer
= 2
= 3
SET TimeZone = 'Europe/Berlin'; select date_trunc('month', tz) m, count(*) from samples group by 1 order by 1
: timestamp_with_time_zone bigint
= 1970-01-01 00:00:00+01	1
= 2000-01-01 00:00:00+01	1
= 2020-01-01 00:00:00+01	1
= 2020-03-01 00:00:00+01	2
= 2020-06-01 00:00:00+02	1
= 2020-07-01 00:00:00+02	1
= 2020-12-01 00:00:00+01	1
= \N	1
SET TimeZone = 'America/St_Johns'; select date_trunc('month', tz) m, count(*) from samples group by 1 order by 1
: timestamp_with_time_zone bigint
= 1969-12-01 00:00:00-03:30	1
= 1999-12-01 00:00:00-03:30	1
= 2020-01-01 00:00:00-03:30	1
= 2020-02-01 00:00:00-03:30	1
= 2020-03-01 00:00:00-03:30	1
= 2020-06-01 00:00:00-02:30	1
= 2020-07-01 00:00:00-02:30	1
= 2020-12-01 00:00:00-03:30	1
= \N	1
SET TimeZone = 'Europe/Berlin'; select id, tz - interval '1 month', tz + interval '1 day 2 hours' from samples order by id
: integer timestamp_with_time_zone timestamp_with_time_zone
= 1	2019-12-01 11:00:00+01	2020-01-02 13:00:00+01
= 2	2020-02-01 00:59:59.5+01	2020-03-02 02:59:59.5+01
= 3	2020-02-15 02:30:00+01	2020-03-16 04:30:00+01
= 4	2020-11-30 13:30:15.123456+01	2021-01-01 15:30:15.123456+01
= 5	\N	\N
= 6	1999-12-01 00:00:00+01	2000-01-02 02:00:00+01
= 7	2020-05-15 08:07:08.009+02	2020-06-16 10:07:08.009+02
= 8	1969-12-01 01:00:00+01	1970-01-02 03:00:00+01
= 9	2020-06-04 18:45:30+02	2020-07-05 20:45:30+02
SET TimeZone = 'Pacific/Apia'; select id, tz - interval '1 month', tz + interval '1 day 2 hours' from samples order by id
: integer timestamp_with_time_zone timestamp_with_time_zone
= 1	2019-12-02 00:00:00+14	2020-01-03 02:00:00+14
= 2	2020-02-01 13:59:59.5+14	2020-03-02 15:59:59.5+14
= 3	2020-02-15 15:30:00+14	2020-03-16 17:30:00+14
= 4	2020-12-01 02:30:15.123456+14	2021-01-02 04:30:15.123456+14
= 5	\N	\N
= 6	1999-11-30 12:00:00-11	2000-01-01 14:00:00-11
= 7	2020-05-15 19:07:08.009+13	2020-06-16 21:07:08.009+13
= 8	1969-11-30 13:00:00-11	1970-01-01 15:00:00-11
= 9	2020-06-05 05:45:30+13	2020-07-06 07:45:30+13
SET TimeZone = 'Europe/Berlin'; select id, at::timestamptz, day::timestamptz from samples order by id
: integer timestamp_with_time_zone timestamp_with_time_zone
= 1	2020-01-01 10:00:00+01	2020-01-01 00:00:00+01
= 2	2020-02-29 23:59:59.5+01	2020-02-29 00:00:00+01
= 3	2020-03-15 00:00:00+01	2020-03-15 00:00:00+01
= 4	2020-12-31 12:30:15.123456+01	2020-12-31 00:00:00+01
= 5	\N	\N
= 6	1999-12-31 23:00:00+01	1999-12-31 00:00:00+01
= 7	2020-06-15 06:07:08.009+02	2020-06-15 00:00:00+02
= 8	1970-01-01 00:00:00+01	1970-01-01 00:00:00+01
= 9	2020-07-04 16:45:30+02	2020-07-04 00:00:00+02
SET TimeZone = 'America/New_York'; select id, at::timestamptz, day::timestamptz from samples order by id
: integer timestamp_with_time_zone timestamp_with_time_zone
= 1	2020-01-01 10:00:00-05	2020-01-01 00:00:00-05
= 2	2020-02-29 23:59:59.5-05	2020-02-29 00:00:00-05
= 3	2020-03-15 00:00:00-04	2020-03-15 00:00:00-04
= 4	2020-12-31 12:30:15.123456-05	2020-12-31 00:00:00-05
= 5	\N	\N
= 6	1999-12-31 23:00:00-05	1999-12-31 00:00:00-05
= 7	2020-06-15 06:07:08.009-04	2020-06-15 00:00:00-04
= 8	1970-01-01 00:00:00-05	1970-01-01 00:00:00-05
= 9	2020-07-04 16:45:30-04	2020-07-04 00:00:00-04
SET TimeZone = 'Europe/Berlin'; select id, tz::text, 'x' || tz from samples order by id
: integer text text
= 1	2020-01-01 11:00:00+01	x2020-01-01 11:00:00+01
= 2	2020-03-01 00:59:59.5+01	x2020-03-01 00:59:59.5+01
= 3	2020-03-15 02:30:00+01	x2020-03-15 02:30:00+01
= 4	2020-12-31 13:30:15.123456+01	x2020-12-31 13:30:15.123456+01
= 5	\N	\N
= 6	2000-01-01 00:00:00+01	x2000-01-01 00:00:00+01
= 7	2020-06-15 08:07:08.009+02	x2020-06-15 08:07:08.009+02
= 8	1970-01-01 01:00:00+01	x1970-01-01 01:00:00+01
= 9	2020-07-04 18:45:30+02	x2020-07-04 18:45:30+02
SET TimeZone = 'Asia/Kolkata'; select id, tz::text, 'x' || tz from samples order by id
: integer text text
= 1	2020-01-01 15:30:00+05:30	x2020-01-01 15:30:00+05:30
= 2	2020-03-01 05:29:59.5+05:30	x2020-03-01 05:29:59.5+05:30
= 3	2020-03-15 07:00:00+05:30	x2020-03-15 07:00:00+05:30
= 4	2020-12-31 18:00:15.123456+05:30	x2020-12-31 18:00:15.123456+05:30
= 5	\N	\N
= 6	2000-01-01 04:30:00+05:30	x2000-01-01 04:30:00+05:30
= 7	2020-06-15 11:37:08.009+05:30	x2020-06-15 11:37:08.009+05:30
= 8	1970-01-01 05:30:00+05:30	x1970-01-01 05:30:00+05:30
= 9	2020-07-04 22:15:30+05:30	x2020-07-04 22:15:30+05:30
SET TimeZone = 'Europe/Berlin'; select a.id, b.id from samples a join samples b on a.tz = b.at order by 1, 2
: integer integer
SET TimeZone = 'Australia/Lord_Howe'; select a.id, b.id from samples a join samples b on a.tz = b.at order by 1, 2
: integer integer
SET TimeZone = 'Europe/Berlin'; select max(tz), min(tz), count(distinct tz::date) from samples
: timestamp_with_time_zone timestamp_with_time_zone bigint
= 2020-12-31 13:30:15.123456+01	1970-01-01 01:00:00+01	8
SET TimeZone = 'America/St_Johns'; select max(tz), min(tz), count(distinct tz::date) from samples
: timestamp_with_time_zone timestamp_with_time_zone bigint
= 2020-12-31 09:00:15.123456-03:30	1969-12-31 20:30:00-03:30	8
SET TimeZone = 'Europe/Berlin'; select id from samples where tz in ('2020-07-04 18:45:30', '2020-01-01') order by id
: integer
= 9
SET TimeZone = 'Pacific/Apia'; select id from samples where tz in ('2020-07-04 18:45:30', '2020-01-01') order by id
: integer
SET TimeZone = 'Europe/Berlin'; select id, coalesce(tz, at), greatest(tz, day) from samples order by id
: integer timestamp_with_time_zone timestamp_with_time_zone
= 1	2020-01-01 11:00:00+01	2020-01-01 11:00:00+01
= 2	2020-03-01 00:59:59.5+01	2020-03-01 00:59:59.5+01
= 3	2020-03-15 02:30:00+01	2020-03-15 02:30:00+01
= 4	2020-12-31 13:30:15.123456+01	2020-12-31 13:30:15.123456+01
= 5	\N	\N
= 6	2000-01-01 00:00:00+01	2000-01-01 00:00:00+01
= 7	2020-06-15 08:07:08.009+02	2020-06-15 08:07:08.009+02
= 8	1970-01-01 01:00:00+01	1970-01-01 01:00:00+01
= 9	2020-07-04 18:45:30+02	2020-07-04 18:45:30+02
SET TimeZone = 'America/New_York'; select id, coalesce(tz, at), greatest(tz, day) from samples order by id
: integer timestamp_with_time_zone timestamp_with_time_zone
= 1	2020-01-01 05:00:00-05	2020-01-01 05:00:00-05
= 2	2020-02-29 18:59:59.5-05	2020-02-29 18:59:59.5-05
= 3	2020-03-14 21:30:00-04	2020-03-15 00:00:00-04
= 4	2020-12-31 07:30:15.123456-05	2020-12-31 07:30:15.123456-05
= 5	\N	\N
= 6	1999-12-31 18:00:00-05	1999-12-31 18:00:00-05
= 7	2020-06-15 02:07:08.009-04	2020-06-15 02:07:08.009-04
= 8	1969-12-31 19:00:00-05	1970-01-01 00:00:00-05
= 9	2020-07-04 12:45:30-04	2020-07-04 12:45:30-04
SET TimeZone = 'Europe/Berlin'; select id from samples where tz is not null order by tz desc limit 3
: integer
= 4
= 9
= 7
SET TimeZone = 'Asia/Kolkata'; select id from samples where tz is not null order by tz desc limit 3
: integer
= 4
= 9
= 7
SET TimeZone = 'Europe/Berlin'; select to_char(tz, 'YYYY-MM-DD HH24:MI TZ') from samples order by id
: text
= 2020-01-01 11:00 CET
= 2020-03-01 00:59 CET
= 2020-03-15 02:30 CET
= 2020-12-31 13:30 CET
= \N
= 2000-01-01 00:00 CET
= 2020-06-15 08:07 CEST
= 1970-01-01 01:00 CET
= 2020-07-04 18:45 CEST
SET TimeZone = 'Australia/Lord_Howe'; select to_char(tz, 'YYYY-MM-DD HH24:MI TZ') from samples order by id
: text
= 2020-01-01 21:00 +11
= 2020-03-01 10:59 +11
= 2020-03-15 12:30 +11
= 2020-12-31 23:30 +11
= \N
= 2000-01-01 10:00 +11
= 2020-06-15 16:37 +1030
= 1970-01-01 10:00 AEST
= 2020-07-05 03:15 +1030
SET TimeZone = 'Europe/Berlin'; select array_agg(tz order by id) from samples where id < 4
: timestamp_with_time_zone[]
= {"2020-01-01 11:00:00+01","2020-03-01 00:59:59.5+01","2020-03-15 02:30:00+01"}
SET TimeZone = 'America/St_Johns'; select array_agg(tz order by id) from samples where id < 4
: timestamp_with_time_zone[]
= {"2020-01-01 06:30:00-03:30","2020-02-29 20:29:59.5-03:30","2020-03-14 23:00:00-02:30"}
SET TimeZone = '+02'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= <+02>-02	2020-07-01 02:00:00+02	+02
SET TimeZone = '-5'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= <-05>+05	2020-06-30 19:00:00-05	-05
SET TimeZone = '+02:00'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= +02:00	2020-06-30 22:00:00-02	-02
SET TimeZone = '5.5'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= <+05:30>-05:30	2020-07-01 05:30:00+05:30	+05:30
SET TimeZone = -5.5; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= <-05:30>+05:30	2020-06-30 18:30:00-05:30	-05:30
SET TimeZone = 'EST5EDT'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= EST5EDT	2020-06-30 20:00:00-04	-04
SET TimeZone = 'europe/berlin'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= Europe/Berlin	2020-07-01 02:00:00+02	+02
SET TimeZone = 'BST'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
! 22023
SET TimeZone = 'CEST'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
! 22023
SET TimeZone = 'cet'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= CET	2020-07-01 02:00:00+02	+02
SET TimeZone = 'FOO3'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= FOO3	2020-06-30 21:00:00-03	-03
SET TimeZone = '<+0530>-5:30'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= <+0530>-5:30	2020-07-01 05:30:00+05:30	+05:30
SET TimeZone = 'foo'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
! 22023
SET TimeZone = ''; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
! 22023
SET TimeZone = 'utc'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= UTC	2020-07-01 00:00:00+00	+00
SET TimeZone = 'UTC0'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= UTC0	2020-07-01 00:00:00+00	+00
SET TimeZone = 'GMT+3'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= GMT+3	2020-06-30 21:00:00-03	-03
SET TimeZone = '200'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
! 22023
SET TimeZone = '-168'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
! 22023
SET TimeZone = '15:30'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= 15:30	2020-06-30 08:30:00-15:30	-15:30
SET TimeZone = '+02:00:30'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
! 22023
SET TimeZone = ' 3'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= <+03>-03	2020-07-01 03:00:00+03	+03
SET TimeZone = '0x10'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= <+16>-16	2020-07-01 16:00:00+16	+16
SET TimeZone = '1e1'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= <+10>-10	2020-07-01 10:00:00+10	+10
SET TimeZone = 'Asia/Kolkata '; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
! 22023
SET TimeZone = 'Etc/UTC'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= Etc/UTC	2020-07-01 00:00:00+00	+00
SET TimeZone = 'Zulu'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00', to_char(timestamptz '2020-07-01 00:00+00', 'OF')
: text timestamp_with_time_zone text
= Zulu	2020-07-01 00:00:00+00	+00
SET TIME ZONE INTERVAL '+02:00' HOUR TO MINUTE; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
: text timestamp_with_time_zone
= <+02>-02	2020-07-01 02:00:00+02
SET TIME ZONE INTERVAL '-05:30'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
: text timestamp_with_time_zone
= <-05:30>+05:30	2020-06-30 18:30:00-05:30
SET TIME ZONE INTERVAL '1 day'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
! 22023
SET TIME ZONE INTERVAL '1 month'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
! 22023
SET TIME ZONE INTERVAL '90' MINUTE; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
: text timestamp_with_time_zone
= <+01:30>-01:30	2020-07-01 01:30:00+01:30
SET TIME ZONE INTERVAL(3) '1:00'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
: text timestamp_with_time_zone
= <+01>-01	2020-07-01 01:00:00+01
SET TIME ZONE INTERVAL '1:00:30'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
: text timestamp_with_time_zone
= <+01:00:30>-01:00:30	2020-07-01 01:00:30+01:00:30
SET TIME ZONE INTERVAL '200:00'; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
! 22023
SET TIME ZONE utc; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
: text timestamp_with_time_zone
= UTC	2020-07-01 00:00:00+00
SET TIME ZONE EST; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
: text timestamp_with_time_zone
= EST	2020-06-30 19:00:00-05
SET TIME ZONE "Europe/Berlin"; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
: text timestamp_with_time_zone
= Europe/Berlin	2020-07-01 02:00:00+02
SET TIME ZONE Europe/Berlin; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
! 42601
SET TIME ZONE 1e2; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
: text timestamp_with_time_zone
= <+100>-100	2020-07-05 04:00:00+100
SET TIME ZONE NULL; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
! 42601
SET TIME ZONE 'interval ''1 hour'''; SELECT current_setting('TimeZone'), timestamptz '2020-07-01 00:00+00'
: text timestamp_with_time_zone
= <+01>-01	2020-07-01 01:00:00+01
SET DateStyle = 'ISO, DMY'; SELECT '01/02/2020'::date
: date
= 2020-02-01
SET DateStyle = 'ISO, DMY'; SELECT '13/02/2020'::date
: date
= 2020-02-13
SET DateStyle = 'ISO, YMD'; SELECT '20/02/01'::date
: date
= 2020-02-01
SET DateStyle = 'ISO, YMD'; SELECT '01/02/2020'::date, '2020-02-01'::date
! 22008
SET DateStyle = DMY; SELECT '1/2/2020 10:00'::timestamp, '1.2.20'::date, timestamp '3-4-2021', '2020-02-13'::date, '20200213'::date
: timestamp_without_time_zone date timestamp_without_time_zone date date
= 2020-02-01 10:00:00	2020-02-01	2021-04-03 00:00:00	2020-02-13	2020-02-13
SET DateStyle = DMY; SELECT '2020-13-02'::date
! 22008
SET DateStyle = DMY; SELECT '02/13/2020'::date
! 22008
SET DateStyle = 'ISO'; SELECT '13/02/2020'::date
! 22008
SET DateStyle = European; SHOW DateStyle
: text
= ISO, DMY
SET DateStyle TO ISO, DMY; SHOW DateStyle
: text
= ISO, DMY
SET DateStyle TO US; SHOW DateStyle
: text
= ISO, MDY
SET DateStyle = 'foo'; SHOW DateStyle
! 22023
SET DateStyle = 'DMY, MDY'; SHOW DateStyle
! 22023
SET DateStyle = DMY; SELECT id FROM samples WHERE day = '4/7/2020'
: integer
= 9
SET DateStyle = DMY; SELECT id FROM samples WHERE tz >= '1/7/2020' ORDER BY id
: integer
= 4
= 9
SET DateStyle = DMY; SELECT id, (extract(day from day) || '/' || extract(month from day) || '/2020')::date FROM samples WHERE id < 4 ORDER BY id
: integer date
= 1	2020-01-01
= 2	2020-02-29
= 3	2020-03-15
SET DateStyle = DMY; SET TimeZone = 'Asia/Tokyo'; SELECT '1/2/2020'::timestamptz, ('1/2/' || 2020)::timestamptz
: timestamp_with_time_zone timestamp_with_time_zone
= 2020-02-01 00:00:00+09	2020-02-01 00:00:00+09
SET DateStyle = DMY; SELECT '{1/2/2020,3/4/2020}'::date[]
: date[]
= {2020-02-01,2020-04-03}
SET DateStyle = DMY; SELECT greatest('1/2/2020', date '2020-01-15')
: date
= 2020-02-01
SET search_path TO public, "My Schema"; SHOW search_path
: text
= public, "My Schema"
SET search_path = "$user", public; SELECT current_setting('search_path')
: text
= "$user", public
SET search_path TO "MyS"; SHOW search_path
: text
= "MyS"
SET search_path TO Public; SHOW search_path
: text
= public
SET search_path = 'a, b', c; SHOW search_path
: text
= "a, b", c
SET search_path = '$user'; SHOW search_path
: text
= "$user"
SET SCHEMA 'other'; SHOW search_path
: text
= other
SET TimeZone = 'GMT'; SELECT to_char(timestamptz '2020-07-01 12:00+00', 'TZ tz OF'), timestamptz '2020-07-01'
: text timestamp_with_time_zone
= GMT gmt +00	2020-07-01 00:00:00+00
SET TimeZone = 'UTC'; SELECT to_char(timestamptz '2020-07-01 12:00+00', 'TZ'), timestamptz '2020-07-01'
: text timestamp_with_time_zone
= UTC	2020-07-01 00:00:00+00
SET TimeZone = 'Europe/Berlin', 'UTC'; SHOW TimeZone
! 22023
SET TimeZone = 'Europe/Berlin'; select to_json(d) from (values (timestamptz '2024-07-01'),('infinity'),('0044-03-15 BC')) t(d)
: json
= "2024-07-01T00:00:00+02:00"
= "infinity"
= "0044-03-15T00:00:00+00:53:28 BC"
SET TimeZone = 'Europe/Berlin'; select json_agg(d) from (values (timestamptz '2024-07-01')) t(d)
: json
= ["2024-07-01T00:00:00+02:00"]
SET TimeZone = 'Europe/Berlin'; select json_agg(d) from (values (timestamptz '2024-07-01'),('infinity')) t(d)
: json
= ["2024-07-01T00:00:00+02:00", "infinity"]
SET TimeZone = 'Europe/Berlin'; select json_agg(d) from (values (timestamptz '2024-07-01'),('0044-03-15 BC')) t(d)
: json
= ["2024-07-01T00:00:00+02:00", "0044-03-15T00:00:00+00:53:28 BC"]
SET TimeZone = 'Europe/Berlin'; select jsonb_object_agg(d::text, d) from (values (timestamptz '2024-07-01'),('infinity'),('0044-03-15 BC')) t(d)
: jsonb
= {"infinity": "infinity", "2024-07-01 00:00:00+02": "2024-07-01T00:00:00+02:00", "0044-03-15 00:00:00+00:53:28 BC": "0044-03-15T00:00:00+00:53:28 BC"}
SET TimeZone = 'Europe/Berlin'; select json_agg(d), jsonb_object_agg(d::text, d) from (values (timestamptz '2024-07-01'),('infinity'),('0044-03-15 BC')) t(d)
: json jsonb
= ["2024-07-01T00:00:00+02:00", "infinity", "0044-03-15T00:00:00+00:53:28 BC"]	{"infinity": "infinity", "2024-07-01 00:00:00+02": "2024-07-01T00:00:00+02:00", "0044-03-15 00:00:00+00:53:28 BC": "0044-03-15T00:00:00+00:53:28 BC"}
SET TimeZone = 'Europe/Berlin'; select json_agg(d), json_agg(d::text) from (values (timestamptz '2024-07-01'),('infinity'),('0044-03-15 BC')) t(d)
: json json
= ["2024-07-01T00:00:00+02:00", "infinity", "0044-03-15T00:00:00+00:53:28 BC"]	["2024-07-01 00:00:00+02", "infinity", "0044-03-15 00:00:00+00:53:28 BC"]
SET TimeZone = 'Europe/Berlin'; select array_agg(d::text), array_agg('x' || d::text) from (values (timestamptz '2024-07-01')) t(d)
: text[] text[]
= {"2024-07-01 00:00:00+02"}	{"x2024-07-01 00:00:00+02"}
SET TimeZone = 'Europe/Berlin'; select date_part('year', d), date_part('epoch', d), date_part('day', d), date_part('month',d) from (values (timestamptz 'infinity'),('-infinity'),('2024-12-31 23:30:00+00')) t(d)
: double_precision double_precision double_precision double_precision
= Infinity	Infinity	\N	\N
= -Infinity	-Infinity	\N	\N
= 2025	1735687800	1	1
SET TimeZone = 'Europe/Berlin'; select t::text, 'x' || t::text from (values (timestamptz '2024-07-01',1)) t(d,n)
: text text
= ("2024-07-01 00:00:00+02",1)	x("2024-07-01 00:00:00+02",1)
SET TimeZone = 'Europe/Berlin'; select r::text, (r).f1 from (select row(d, 1) from (values (timestamptz '2024-07-01 22:30+00')) t(d)) u(r)
: text timestamp_with_time_zone
= ("2024-07-02 00:30:00+02",1)	2024-07-02 00:30:00+02
SET TimeZone = 'Europe/Berlin'; with x as (select row(now()) r) select (select r::text from x) like '%+0%'
: boolean
= t
SET TimeZone = 'Europe/Berlin'; select date_trunc('day', d), date_trunc('hour', d), date_trunc('month', d), date_trunc('week',d) from (values (timestamptz 'infinity'),('2024-12-31 23:30:00+00')) t(d)
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= infinity	infinity	infinity	infinity
= 2025-01-01 00:00:00+01	2025-01-01 00:00:00+01	2025-01-01 00:00:00+01	2024-12-30 00:00:00+01
SET TimeZone = 'Europe/Berlin'; select timestamptz 'infinity' - interval '1 day', date_trunc('day', timestamptz 'infinity'), date_trunc('hour', timestamptz '-infinity')
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= infinity	infinity	-infinity
SET TimeZone = 'Europe/Berlin'; select d - timestamptz '2024-01-01' from (values (timestamptz 'infinity')) t(d)
! 22008
SET TimeZone = 'Europe/Berlin'; select age(d, timestamptz '2024-01-01') from (values (timestamptz '2024-07-01 22:30+00')) t(d)
: interval
= 6 mons 1 day 00:30:00
SET TimeZone = 'Europe/Berlin'; select 'a' || row(d)::text, row(d) from (values (timestamptz '2024-07-01 22:30+00')) t(d)
: text record
= a("2024-07-02 00:30:00+02")	("2024-07-02 00:30:00+02")
SET TimeZone = 'Europe/Berlin'; select to_char(d, 'YYYY Day'), d::date - 1, d::date + time '01:00', d::time + interval '1h', d::timestamp - timestamp '2024-01-01', d - d::timestamp from (values (timestamptz '2024-07-01 22:30+00')) t(d)
: text date timestamp_without_time_zone time_without_time_zone interval interval
= 2024 Tuesday  	2024-07-01	2024-07-02 01:00:00	01:30:00	183 days 00:30:00	00:00:00
SET TimeZone = 'Europe/Berlin'; select extract(hour from d)::int / 2, date_part('hour', d) / 3, d::timestamp::text, d::date::text, d::time::text, (d at time zone 'UTC')::text from (values (timestamptz '2024-07-01 22:30+00')) t(d)
: integer double_precision text text text text
= 0	0	2024-07-02 00:30:00	2024-07-02	00:30:00	2024-07-01 22:30:00
SET TimeZone = 'Europe/Berlin'; select string_agg(d::text, ',' order by d), array_agg(row(d))::text, max(d)::text, json_agg(row(d)) from (values (timestamptz '2024-07-01 22:30+00')) t(d)
: text text text json
= 2024-07-02 00:30:00+02	{"(\\"2024-07-02 00:30:00+02\\")"}	2024-07-02 00:30:00+02	[{"f1":"2024-07-02T00:30:00+02:00"}]
SET TimeZone = 'Europe/Berlin'; select d::timestamp in ('2024-07-02 00:30'), d::date = '2024-07-02', d::date between '2024-07-01' and '2024-07-02', nullif(d::date, '2024-07-02') from (values (timestamptz '2024-07-01 22:30+00')) t(d)
: boolean boolean boolean date
= t	t	t	\N
SET TimeZone = 'Europe/Berlin'; select date_trunc('day', d)::date - date '2024-01-01', extract(dow from d), to_char(date_trunc('month', d), 'Mon'), date_part('isodow', d) * 2 from (values (timestamptz '2024-06-30 22:30+00')) t(d)
: integer numeric text double_precision
= 182	1	Jul	2
SET TimeZone = 'Europe/Berlin'; select tz::text, row(tz)::text, to_char(tz, 'HH24 TZ'), date_trunc('day', tz), extract(day from tz) from samples order by id
: text text text timestamp_with_time_zone numeric
= 2020-01-01 11:00:00+01	("2020-01-01 11:00:00+01")	11 CET	2020-01-01 00:00:00+01	1
= 2020-03-01 00:59:59.5+01	("2020-03-01 00:59:59.5+01")	00 CET	2020-03-01 00:00:00+01	1
= 2020-03-15 02:30:00+01	("2020-03-15 02:30:00+01")	02 CET	2020-03-15 00:00:00+01	15
= 2020-12-31 13:30:15.123456+01	("2020-12-31 13:30:15.123456+01")	13 CET	2020-12-31 00:00:00+01	31
= \N	()	\N	\N	\N
= 2000-01-01 00:00:00+01	("2000-01-01 00:00:00+01")	00 CET	2000-01-01 00:00:00+01	1
= 2020-06-15 08:07:08.009+02	("2020-06-15 08:07:08.009+02")	08 CEST	2020-06-15 00:00:00+02	15
= 1970-01-01 01:00:00+01	("1970-01-01 01:00:00+01")	01 CET	1970-01-01 00:00:00+01	1
= 2020-07-04 18:45:30+02	("2020-07-04 18:45:30+02")	18 CEST	2020-07-04 00:00:00+02	4
SET TimeZone = 'Europe/Berlin'; select tz::date, count(*), min(tz)::text, max(tz::time) from samples group by 1 order by 1
: date bigint text time_without_time_zone
= 1970-01-01	1	1970-01-01 01:00:00+01	01:00:00
= 2000-01-01	1	2000-01-01 00:00:00+01	00:00:00
= 2020-01-01	1	2020-01-01 11:00:00+01	11:00:00
= 2020-03-01	1	2020-03-01 00:59:59.5+01	00:59:59.5
= 2020-03-15	1	2020-03-15 02:30:00+01	02:30:00
= 2020-06-15	1	2020-06-15 08:07:08.009+02	08:07:08.009
= 2020-07-04	1	2020-07-04 18:45:30+02	18:45:30
= 2020-12-31	1	2020-12-31 13:30:15.123456+01	13:30:15.123456
= \N	1	\N	\N
SET TimeZone = 'Europe/Berlin'; select generate_series(date_trunc('day', min(tz)), '2000-01-02', '1 day') from samples where id = 6
: timestamp_with_time_zone
= 2000-01-01 00:00:00+01
= 2000-01-02 00:00:00+01
SET TimeZone = 'Europe/Berlin'; select tz + s * interval '1 month 1 hour', tz - at, tz - '2020-01-01', age(tz, at) from samples order by id
: timestamp_with_time_zone interval interval interval
= 2020-02-01 12:00:00+01	01:00:00	11:00:00	01:00:00
= 2020-04-01 01:59:59.5+02	01:00:00	60 days 00:59:59.5	01:00:00
= 2020-05-15 04:30:00+02	02:30:00	74 days 02:30:00	02:30:00
= 2021-02-28 15:30:15.123456+01	01:00:00	365 days 13:30:15.123456	01:00:00
= \N	\N	\N	\N
= 2000-04-01 03:00:00+02	01:00:00	-7305 days	01:00:00
= 2020-09-15 11:07:08.009+02	02:00:00	166 days 07:07:08.009	02:00:00
= 1969-12-01 00:00:00+01	01:00:00	-18261 days -23:00:00	01:00:00
= 2020-06-04 17:45:30+02	02:00:00	185 days 17:45:30	02:00:00
SET TimeZone = 'Europe/Berlin'; SELECT to_char(tz, ''), to_char(tz, 'TZ'), to_char(tz, t) FROM (VALUES (timestamptz '2020-02-09 13:04:05+00', '')) v (tz, t)
: text text text
= \N	CET	\N
