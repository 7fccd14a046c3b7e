SELECT to_date('2020-02-29', 'YYYYMMDD')
: date
= 2020-01-02
SELECT to_date('2020-12-29', 'YYYYMMDD')
! 22008
SELECT to_date('2020 229', 'YYYYMMDD')
! 22008
SELECT to_date('2020+0229', 'YYYYMMDD')
! 22008
SELECT to_date('+2020-02-29', 'YYYY-MM-DD')
: date
= 2020-02-29
SELECT to_timestamp('2020-02-29 -1', 'YYYY-MM-DD HH24')
: timestamp_with_time_zone
= 2020-02-29 01:00:00+00
SELECT to_date('20-5-3', 'YYMMDD')
! 22008
SELECT to_timestamp('', 'YYYYMMDD')
: timestamp_with_time_zone
= 0001-01-01 00:00:00+00 BC
SELECT to_date('', 'YYYY')
: date
= 0001-01-01 BC
SELECT to_date('2020', 'YYYYMMDD')
: date
= 2020-01-01
SELECT to_date('2020-', 'YYYY-MM')
: date
= 2020-01-01
SELECT to_date('x', 'YYYY')
! 22007
SELECT to_date(' ', 'YYYY')
! 22007
SELECT to_date('20200230', 'YYYYMMDD')
! 22008
SELECT to_date('05 Dec 2000', 'DD Mon YYYY')
: date
= 2000-12-05
SELECT to_date('05 december 2000', 'DD MONTH YYYY')
: date
= 2000-12-05
SELECT to_date('5 xii 2000', 'DD RM YYYY')
: date
= 2000-12-05
SELECT to_timestamp('2000-12-05 11:59:59.123456 PM', 'YYYY-MM-DD HH:MI:SS.US AM')
: timestamp_with_time_zone
= 2000-12-05 23:59:59.123456+00
SELECT to_timestamp('2000-12-05 13:59 PM', 'YYYY-MM-DD HH:MI AM')
! 22007
SELECT to_timestamp('12:30 a.m.', 'HH12:MI p.m.')
: timestamp_with_time_zone
= 0001-01-01 00:30:00+00 BC
SELECT to_timestamp('25', 'MS'), to_timestamp('250', 'MS'), to_timestamp('025', 'MS'), to_timestamp('1.5', 'SS.FF3')
: timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone timestamp_with_time_zone
= 0001-01-01 00:00:00.25+00 BC	0001-01-01 00:00:00.25+00 BC	0001-01-01 00:00:00.025+00 BC	0001-01-01 00:00:01.5+00 BC
SELECT to_timestamp('3661', 'SSSS')
: timestamp_with_time_zone
= 0001-01-01 01:01:01+00 BC
SELECT to_date('366 2020', 'DDD YYYY')
: date
= 2020-12-31
SELECT to_date('366 2021', 'DDD YYYY')
! 22008
SELECT to_date('60', 'DDD')
! 22007
SELECT to_date('2451545', 'J')
: date
= 2000-01-01
SELECT to_date('44-03-15 BC', 'YYYY-MM-DD BC')
: date
= 0044-03-15 BC
SELECT to_date('1-1-1', 'YYY-MM-DD'), to_date('99-1-1', 'YY-MM-DD'), to_date('9-1-1', 'Y-MM-DD'), to_date('519-1-1', 'YYY-MM-DD')
: date date date date
= 2001-01-01	1999-01-01	2009-01-01	2519-01-01
SELECT to_date('2,020-05-01', 'Y,YYY-MM-DD')
: date
= 2020-05-01
SELECT to_date('20 05', 'CC YY')
: date
= 1905-01-01
SELECT to_date('21', 'CC')
: date
= 2001-01-01
SELECT to_date('Tuesday 2020-01-07', 'Day YYYY-MM-DD')
: date
= 2020-01-07
SELECT to_date('Tue, 7 Jan 2020', 'Dy, DD Mon YYYY')
: date
= 2020-01-07
SELECT to_date('1st Jan 2020', 'DDTH Mon YYYY')
: date
= 2020-01-01
SELECT to_date('2020/01/07', 'YYYY-MM-DD')
: date
= 2020-01-07
SELECT to_date('2020---01---07', 'YYYY-MM-DD')
! 22007
SELECT to_date('2020   01   07', 'YYYY-MM-DD')
: date
= 2020-01-07
SELECT to_date('20200107', 'YYYY-MM-DD')
! 22008
SELECT to_date('  2020-01-07', 'YYYY-MM-DD')
: date
= 2020-01-07
SELECT to_date('2020-01-07 rest', 'YYYY-MM-DD')
: date
= 2020-01-07
SELECT to_date('2020a01b07', 'YYYY"a"MM"b"DD')
: date
= 2020-01-07
SELECT to_date('2020x01y07', 'YYYY"a"MM"b"DD')
: date
= 2020-01-07
SELECT to_date('2020-01-07', 'FXYYYY-MM-DD')
: date
= 2020-01-07
SELECT to_date('2020/01/07', 'FXYYYY-MM-DD')
: date
= 2020-01-07
SELECT to_date(' 2020-1-7', 'FXYYYY-MM-DD')
: date
= 2020-01-07
SELECT to_date('2020-1-7', 'FMYYYY-FMMM-FMDD')
: date
= 2020-01-07
SELECT to_date('2020-1-7', 'FXFMYYYY-MM-DD')
: date
= 2020-01-07
SELECT to_date('2020 2021', 'YYYY YYYY')
! 22007
SELECT to_date('2020 2020', 'YYYY YYYY')
: date
= 2020-01-01
SELECT to_date('99999999999', 'YYYY')
! 22008
SELECT to_date('5874898-01-01', 'YYYY-MM-DD')
! 22008
SELECT to_date('10000-01-01', 'YYYY-MM-DD')
: date
= 10000-01-01
SELECT to_timestamp('294277-01-01', 'YYYY-MM-DD')
! 22008
SELECT to_timestamp('-44-03-15', 'YYYY-MM-DD')
: timestamp_with_time_zone
= 0044-03-15 00:00:00+00 BC
SELECT to_date('2020-13-01', 'YYYY-MM-DD')
! 22008
SELECT to_date('2020-00-01', 'YYYY-MM-DD')
: date
= 2020-01-01
SELECT to_timestamp('2020-01-01 24:00', 'YYYY-MM-DD HH24:MI')
! 22008
SELECT to_timestamp('2020-01-01 23:60', 'YYYY-MM-DD HH24:MI')
! 22008
SELECT to_date('2020-02-30', 'YYYY-MM-DD')
! 22008
SELECT to_date('02-30', 'MM-DD')
: date
= 0001-03-01 BC
SELECT to_date('x', ''), to_date('', ''), to_date('abc', 'xyz')
! 22007
SELECT to_date(NULL, 'YYYY'), to_date('2020', NULL)
: date date
= \N	\N
SELECT to_date(t, f) FROM (VALUES ('2020-05-06', 'YYYY-MM-DD'), ('06.05.2020', 'DD.MM.YYYY')) v(t, f)
: date
= 2020-05-06
= 2020-05-06
SELECT to_timestamp('2020-05-06 07:08:09', 'YYYY-MM-DD HH24:MI:SS') = timestamptz '2020-05-06 07:08:09'
: boolean
= t
SELECT to_timestamp('2020Q1', 'YYYY"Q"Q')
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
SELECT to_date('202-1', 'YYYMM')
! 22008
SELECT to_date('1 4 1902', 'Q MM YYYY')
: date
= 1902-04-01
SELECT to_timestamp('0', 'HH12')
! 22007
SELECT to_timestamp('2011-12-18 11:38 PM', 'YYYY-MM-DD HH12:MI PM')
: timestamp_with_time_zone
= 2011-12-18 23:38:00+00
SELECT to_timestamp(' 2005 03 02', 'YYYYMMDD')
: timestamp_with_time_zone
= 2005-03-02 00:00:00+00
SELECT to_timestamp('  2005 03 02', 'YYYYMMDD')
: timestamp_with_time_zone
= 2005-03-02 00:00:00+00
SELECT to_timestamp('My birthday-> Year: 1976, Month: May, Day: 16', '"My birthday-> Year:" YYYY, "Month:" FMMonth, "Day:" DD')
: timestamp_with_time_zone
= 1976-05-16 00:00:00+00
SELECT to_timestamp('1,582nd VIII 21', 'Y,YYYth FMRM DD')
: timestamp_with_time_zone
= 1582-08-21 00:00:00+00
SELECT to_timestamp('15 "text between quote marks" 98 54 45', E'HH24 "\\"text between quote marks\\"" YY MI SS')
: timestamp_with_time_zone
= 1998-01-01 15:54:45+00
SELECT to_timestamp('05121445482000', 'MMDDHH24MISSYYYY')
: timestamp_with_time_zone
= 2000-05-12 14:45:48+00
SELECT to_timestamp('2000January09Sunday', 'YYYYFMMonthDDFMDay')
: timestamp_with_time_zone
= 2000-01-09 00:00:00+00
SELECT to_timestamp('97/Feb/16', 'YYMonDD')
! 22007
SELECT to_timestamp('97/Feb/16', 'YY:Mon:DD')
: timestamp_with_time_zone
= 1997-02-16 00:00:00+00
SELECT to_timestamp('97/Feb/16', 'FXYY:Mon:DD')
: timestamp_with_time_zone
= 1997-02-16 00:00:00+00
SELECT to_regclass('""') IS NULL, to_regclass(quote_ident('')) IS NULL
: boolean boolean
= t	t
