SELECT '1230'::time
: time_without_time_zone
= 12:30:00
SELECT '12'::time
! 22007
SELECT '123'::time
! 22007
SELECT '040506'::time
: time_without_time_zone
= 04:05:06
SELECT '040506.789'::time
: time_without_time_zone
= 04:05:06.789
SELECT 'T040506'::time
: time_without_time_zone
= 04:05:06
SELECT 'T12:30'::time
: time_without_time_zone
= 12:30:00
SELECT '12:30 PM'::time
: time_without_time_zone
= 12:30:00
SELECT '12:30PM'::time
: time_without_time_zone
= 12:30:00
SELECT '12:30:45.5 am'::time
: time_without_time_zone
= 00:30:45.5
SELECT '13:30 PM'::time
! 22008
SELECT '0:30 AM'::time
: time_without_time_zone
= 00:30:00
SELECT '1:2'::time
: time_without_time_zone
= 01:02:00
SELECT '1:2:3'::time
: time_without_time_zone
= 01:02:03
SELECT '12:30:60'::time
: time_without_time_zone
= 12:31:00
SELECT '12:30:61'::time
! 22008
SELECT '12:30:59.9999996'::time
: time_without_time_zone
= 12:31:00
SELECT '23:59:60'::time
: time_without_time_zone
= 24:00:00
SELECT '23:59:60.5'::time
! 22008
SELECT '24:00'::time
: time_without_time_zone
= 24:00:00
SELECT '24:00:00.0000001'::time
: time_without_time_zone
= 24:00:00
SELECT '25:00'::time
! 22008
SELECT '12:60'::time
! 22008
SELECT '12:30+02'::time
: time_without_time_zone
= 12:30:00
SELECT '12:30 +02:30'::time
: time_without_time_zone
= 12:30:00
SELECT '12:30:00 UTC'::time
: time_without_time_zone
= 12:30:00
SELECT '12:30 Europe/Berlin'::time
! 22007
SELECT '12:30Z'::time
: time_without_time_zone
= 12:30:00
SELECT '2020-02-29 12:30:45'::time
: time_without_time_zone
= 12:30:45
SELECT '2020-02-29 12:30:45.1234567'::time
: time_without_time_zone
= 12:30:45.123457
SELECT '2020-02-29T12:30'::time
! 22007
SELECT '2020-02-29 12:30 +02'::time
: time_without_time_zone
= 12:30:00
SELECT '2020-02-29 12:30 BC'::time
! 22008
SELECT '2020-02-30 12:30'::time
! 22008
SELECT '2020-02-29 24:00'::time
: time_without_time_zone
= 24:00:00
SELECT '2020-02-29'::time
! 22007
SELECT '12:30:45 2020-02-29'::time
! 22007
SELECT 'allballs'::time
: time_without_time_zone
= 00:00:00
SELECT ' 12:30 '::time
: time_without_time_zone
= 12:30:00
SELECT '-12:30'::time
! 22007
SELECT '+12:30'::time
! 22007
SELECT '12:30:'::time
: time_without_time_zone
= 12:30:00
SELECT '12:30:45.'::time
: time_without_time_zone
= 12:30:45
SELECT '12:30.5'::time
: time_without_time_zone
= 00:12:30.5
SELECT '12.5'::time
! 22007
SELECT '123045'::time
: time_without_time_zone
= 12:30:45
SELECT '12304'::time
! 22007
SELECT '1 PM'::time
! 22007
SELECT '2020-02-29 12:30 PM'::time
: time_without_time_zone
= 12:30:00
SELECT '20200229 123045'::time
! 22007
SELECT '20200229T123045'::time
! 22007
SELECT '12:30 foo'::time
! 22007
SELECT '1/2/2020 3:04'::time
: time_without_time_zone
= 03:04:00
SELECT v::time FROM (VALUES ('123')) t(v)
! 22007
SELECT v::time FROM (VALUES ('T040506')) t(v)
: time_without_time_zone
= 04:05:06
SELECT v::time FROM (VALUES ('12:30PM')) t(v)
: time_without_time_zone
= 12:30:00
SELECT v::time FROM (VALUES ('0:30 AM')) t(v)
: time_without_time_zone
= 00:30:00
SELECT v::time FROM (VALUES ('12:30:60')) t(v)
: time_without_time_zone
= 12:31:00
SELECT v::time FROM (VALUES ('23:59:60')) t(v)
: time_without_time_zone
= 24:00:00
SELECT v::time FROM (VALUES ('24:00:00.0000001')) t(v)
: time_without_time_zone
= 24:00:00
SELECT v::time FROM (VALUES ('12:30+02')) t(v)
: time_without_time_zone
= 12:30:00
SELECT v::time FROM (VALUES ('12:30 Europe/Berlin')) t(v)
! 22007
SELECT v::time FROM (VALUES ('2020-02-29 12:30:45.1234567')) t(v)
: time_without_time_zone
= 12:30:45.123457
SELECT v::time FROM (VALUES ('2020-02-29 12:30 BC')) t(v)
! 22008
SELECT v::time FROM (VALUES ('2020-02-29')) t(v)
! 22007
SELECT v::time FROM (VALUES (' 12:30 ')) t(v)
: time_without_time_zone
= 12:30:00
SELECT v::time FROM (VALUES ('12:30:')) t(v)
: time_without_time_zone
= 12:30:00
SELECT v::time FROM (VALUES ('12.5')) t(v)
! 22007
SELECT v::time FROM (VALUES ('1 PM')) t(v)
! 22007
SELECT v::time FROM (VALUES ('20200229T123045')) t(v)
! 22007
SELECT v::time FROM (VALUES ('1/2/2020 3:04')) t(v)
: time_without_time_zone
= 03:04:00
