select to_char(timestamp '2020-02-09 13:04:05.678901', f), f from (values ('TMMonth'),('fm yyyy'),('FXYYYY'),('SP DDSP'),('\"YYYY\"'),('"abc'),('"a\"b" YYYY'),('"a\\b" YYYY'),('FMDDth'),('DDTH ddth'),('Y,YYYYth'),('FMY,YYY'),('TMDay, DD'),('FMTMMonth'),('tmmon'),('YYYYFM'),('FM'),('TZ OF tz TZH TZM'),('HH24thMIth'),('Dth Jth Qth'),('AMth'),('Monthth|'),('RMth|'),('BCth'),('MSth USth FF3th'),('SSSSth'),('FMMS FMSSSS'),('fxYY'),('x\y"z\"'),('TMRM|'),('FMRM|'),('DY dy Dy FMDay|'),('WWth IWth Wth CCth')) t(f) order by f
: text text
= a"b 2020	"a\\"b" YYYY
= a\\b 2020	"a\\\\b" YYYY
= abc	"abc
= PM	AMth
= AD	BCth
= 09TH 09th	DDTH ddth
= SUN sun Sun Sunday|	DY dy Dy FMDay|
= 1st 2458889th 1st	Dth Jth Qth
= 	FM
= 9th	FMDDth
= 678 47045	FMMS FMSSSS
= II|	FMRM|
= T02onth	FMTMMonth
= 2,020	FMY,YYY
= 2020	FXYYYY
= 13th04th	HH24thMIth
= 678th 678901st 678th	MSth USth FF3th
= February |	Monthth|
= II  |	RMth|
= SP 09	SP DDSP
= 47045th	SSSSth
= Sunday, 09	TMDay, DD
= February	TMMonth
= II  |	TMRM|
=  +00  +00 00	TZ OF tz TZH TZM
= 06th 06th 2nd 21st	WWth IWth Wth CCth
= 2,0200th	Y,YYYYth
= 2020	YYYYFM
= "2020"	\\"YYYY\\"
=  2020	fm yyyy
= 20	fxYY
= feb	tmmon
= x\\0z"	x\\y"z\\"
select to_char(timestamptz '2020-02-09 13:04:05.678901+00', f), f from (values ('TMMonth'),('TZ "TZ" \"TZ\" OF'),('TZHth:TZM OFth TZth')) t(f) order by f
: text text
= February	TMMonth
= UTC TZ "UTC" +00	TZ "TZ" \\"TZ\\" OF
= +00:00 +00 UTC	TZHth:TZM OFth TZth
select to_char(at, 'TMMonth'), to_char(at, 'fm yyyy'), to_char(at, '\"YYYY'), to_char(tz, 'TZ OF TZH:TZM tz') from samples where id < 4 order by id
: text text text text
= January	 2020	"2020	UTC +00 +00:00 utc
= February	 2020	"2020	UTC +00 +00:00 utc
= March	 2020	"2020	UTC +00 +00:00 utc
select to_char(interval '-3 days', 'DD MM YYYY HH24'), to_char(interval '-3 mons -4 hours', 'DD MM YYYY HH24 MI'), to_char(interval '-13 days', 'DD'), to_char(interval '-3 days', 'FMDD'), to_char(interval '1 day', '\"DD\" "DD"')
: text text text text text
= -3 00 0000 00	00 -03 0000 -04 00	-13	-3	"01" DD
select to_timestamp('12:30 PM', 'HH:MI AM'), to_date('Dec', 'Mon'), to_timestamp('0.5','SS.US'), to_date('02-28','MM-DD'), to_timestamp('12:30','HH24:MI')::time
: timestamp_with_time_zone date timestamp_with_time_zone date time_without_time_zone
= 0001-01-01 12:30:00+00 BC	0001-12-01 BC	0001-01-01 00:00:00.5+00 BC	0001-02-28 BC	12:30:00
select to_char(0.00000000001234,'0.99999999999999'), to_char(12345678901234567890123456789.123,'99999999999999999999999999999.999'), to_char(n,'99999.999'), to_char(n/3,'9.999999999999999'), to_char(i,'S999'), to_char(d::numeric,'999.9999999') from samples where id < 4 order by id
: text text text text text text
=  0.00000000001234	 12345678901234567890123456789.123	     1.500	  .500000000000000	  +1	    .5000000
=  0.00000000001234	 12345678901234567890123456789.123	     2.500	  .833333333333333	  +2	   1.5000000
=  0.00000000001234	 12345678901234567890123456789.123	    -2.500	 -.833333333333333	  +2	   2.5000000
select to_char(-0.001,'0.00'), to_char(-0.004::numeric,'S0.00'), to_char(-0.5,'9'), to_char(0,'9MI')
: text text text text
=  0.00	+0.00	-1	0 
SET TimeZone = 'Europe/Berlin'; select to_char(timestamptz '2024-10-27 00:30+00', f), f from (values ('"\"TZ\" b" HH24'),('TZH FMHH24 FMTZH TZth OFth'),('TMTZ'),('OF'),('tz'),('YYYY-MM-DD')) t(f) order by f
: text text
= "TZ" b 02	"\\"TZ\\" b" HH24
= +02	OF
= CEST	TMTZ
= +02 2 +02 CEST +02	TZH FMHH24 FMTZH TZth OFth
= 2024-10-27	YYYY-MM-DD
= cest	tz
SET TimeZone = 'Europe/Berlin'; select to_char(timestamptz '2024-10-27 00:30+00', '"\"TZ\" b" HH24'), to_char(timestamptz '2024-10-27 00:30+00', 'TZH FMHH24 FMTZH TZth OFth'), to_char(timestamptz '1880-01-01 00:00+00', 'OF TZH:TZM TZ')
: text text text
= "TZ" b 02	+02 2 +02 CEST +02	+00:53 +00:53 LMT
SELECT to_number('1-2','99MI'), to_number('1 -','99MI'), to_number('-1','99MI'), to_number('1- ','99MI')
: numeric numeric numeric numeric
= -1	-1	-1	-1
SELECT to_number('1-2','MI99'), to_number('1 -','MI99'), to_number('-1','MI99'), to_number('1- ','MI99')
: numeric numeric numeric numeric
= -1	-1	-1	-1
SELECT to_number('1-2','9.9MI'), to_number('1 -','9.9MI'), to_number('-1','9.9MI'), to_number('1- ','9.9MI')
! 22003
SELECT to_number('1-2','999MI'), to_number('1 -','999MI'), to_number('-1','999MI'), to_number('1- ','999MI')
: numeric numeric numeric numeric
= -12	-1	-1	-1
SELECT to_number('1-2','99MI9'), to_number('1 -','99MI9'), to_number('-1','99MI9'), to_number('1- ','99MI9')
: numeric numeric numeric numeric
= -12	-1	-1	-1
SELECT to_number('1-2','99S'), to_number('1 -','99S'), to_number('-1','99S'), to_number('1- ','99S')
: numeric numeric numeric numeric
= -12	1	-1	-1
SELECT to_number('1-2','S99'), to_number('1 -','S99'), to_number('-1','S99'), to_number('1- ','S99')
: numeric numeric numeric numeric
= -12	1	-1	-1
SELECT to_number('1-2','9.9S'), to_number('1 -','9.9S'), to_number('-1','9.9S'), to_number('1- ','9.9S')
! 22003
SELECT to_number('1-2','999'), to_number('1 -','999'), to_number('-1','999'), to_number('1- ','999')
: numeric numeric numeric numeric
= 12	1	-1	1
SELECT to_number('1-2','9.9'), to_number('1 -','9.9'), to_number('-1','9.9'), to_number('1- ','9.9')
! 22003
SELECT to_number('1-2','.99'), to_number('1 -','.99'), to_number('-1','.99'), to_number('1- ','.99')
! 22003
SELECT to_number('1-2','99.'), to_number('1 -','99.'), to_number('-1','99.'), to_number('1- ','99.')
: numeric numeric numeric numeric
= 12	1	-1	1
SELECT to_number('.5-', '99S'), to_number('-.5', '99S'), to_number('12-', 'S99'), to_number('1.25', '999'), to_number('1.-2', '9.9MI'), to_number('12th', '99TH'), to_number('$1,234.50-', 'L9G999D99S')
: numeric numeric numeric numeric numeric numeric numeric
SELECT to_number('12-', '9.9MI')
! 22003
SELECT to_number('123', '99.')
! 22003
SELECT to_number('-.5', '99.')
! 22P02
SELECT to_number('1', 'S9MI')
! 42601
