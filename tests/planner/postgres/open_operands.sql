SELECT '1' # NULL
! 42725
SELECT '1' #- NULL
: jsonb
= \N
SELECT '1' #> NULL
! 42725
SELECT '1' % NULL
! 42725
SELECT '1' & NULL
! 42725
SELECT '1' && NULL
! 42725
SELECT '1' * NULL
! 42725
SELECT '1' + NULL
! 42725
SELECT '1' - NULL
! 42725
SELECT '1' -> NULL
! 42725
SELECT '1' ->> NULL
! 42725
SELECT '1' / NULL
! 42725
SELECT '1' < NULL
: boolean
= \N
SELECT '1' << NULL
! 42725
SELECT '1' <@ NULL
! 42725
SELECT '1' >> NULL
! 42725
SELECT '1' ?| NULL
! 42725
SELECT '1' @> NULL
! 42725
SELECT '1' ^ NULL
: double_precision
= \N
SELECT '1' | NULL
! 42725
SELECT '1' || NULL
: text
= \N
SELECT '1' ~ NULL
: boolean
= \N
SELECT '1' ~~ NULL
: boolean
= \N
SELECT '\x01'::bytea || NULL
: bytea
= \N
SELECT + '1'
: double_precision
= 1
SELECT + 'a'::text
! 42883
SELECT + 1
: integer
= 1
SELECT + 1.5
: numeric
= 1.5
SELECT + ARRAY[1]
! 42883
SELECT + NULL
: double_precision
= \N
SELECT + interval '1 day'
! 42883
SELECT + true
! 42883
SELECT - '1'
! 42725
SELECT - 'a'::text
! 42883
SELECT - 1
: integer
= -1
SELECT - 1.5
: numeric
= -1.5
SELECT - ARRAY[1]
! 42883
SELECT - NULL
! 42725
SELECT - interval '1 day'
: interval
= -1 days
SELECT - true
! 42883
SELECT 1 # NULL
: integer
= \N
SELECT 1 #- NULL
! 42883
SELECT 1 #> NULL
! 42883
SELECT 1 % NULL
: integer
= \N
SELECT 1 & NULL
: integer
= \N
SELECT 1 && NULL
! 42883
SELECT 1 * NULL
: integer
= \N
SELECT 1 + NULL
: integer
= \N
SELECT 1 - NULL
: integer
= \N
SELECT 1 -> NULL
! 42883
SELECT 1 ->> NULL
! 42883
SELECT 1 / NULL
: integer
= \N
SELECT 1 < NULL
: boolean
= \N
SELECT 1 << NULL
: integer
= \N
SELECT 1 >> NULL
: integer
= \N
SELECT 1 ?| NULL
! 42883
SELECT 1 ^ NULL
: double_precision
= \N
SELECT 1 | NULL
: integer
= \N
SELECT 1 || NULL
: text
= \N
SELECT 1 ~ NULL
! 42883
SELECT 1.5 #- NULL
! 42883
SELECT 1.5 #> NULL
! 42883
SELECT 1.5 % NULL
: numeric
= \N
SELECT 1.5 & NULL
! 42883
SELECT 1.5 && NULL
! 42883
SELECT 1.5 * NULL
: numeric
= \N
SELECT 1.5 + NULL
: numeric
= \N
SELECT 1.5 - NULL
: numeric
= \N
SELECT 1.5 -> NULL
! 42883
SELECT 1.5 ->> NULL
! 42883
SELECT 1.5 / NULL
: numeric
= \N
SELECT 1.5 < NULL
: boolean
= \N
SELECT 1.5 << NULL
! 42883
SELECT 1.5 >> NULL
! 42883
SELECT 1.5 ?| NULL
! 42883
SELECT 1.5 | NULL
! 42883
SELECT 1.5 || NULL
: text
= \N
SELECT 1.5 ~ NULL
! 42883
SELECT @ '1'
: double_precision
= 1
SELECT @ 'a'::text
! 42883
SELECT @ 1
: integer
= 1
SELECT @ 1.5
: numeric
= 1.5
SELECT @ ARRAY[1]
! 42883
SELECT @ interval '1 day'
! 42883
SELECT @ true
! 42883
SELECT ARRAY[1] + NULL
! 42883
SELECT NULL # '1'
! 42725
SELECT NULL # 1
: integer
= \N
SELECT NULL # NULL
! 42725
SELECT NULL #- '1'
! 22P02
SELECT NULL #- 1
! 42883
SELECT NULL #- 1.5
! 42883
SELECT NULL #- NULL
: jsonb
= \N
SELECT NULL #- date '2020-01-01'
! 42883
SELECT NULL #- interval '1 day'
! 42883
SELECT NULL #- time '10:00'
! 42883
SELECT NULL #- timestamp '2020-01-01'
! 42883
SELECT NULL #> '1'
! 42725
SELECT NULL #> 1
! 42883
SELECT NULL #> 1.5
! 42883
SELECT NULL #> NULL
! 42725
SELECT NULL #> date '2020-01-01'
! 42883
SELECT NULL #> interval '1 day'
! 42883
SELECT NULL #> time '10:00'
! 42883
SELECT NULL #> timestamp '2020-01-01'
! 42883
SELECT NULL % '1'
! 42725
SELECT NULL % 1
: integer
= \N
SELECT NULL % 1.5
: numeric
= \N
SELECT NULL % NULL
! 42725
SELECT NULL % date '2020-01-01'
! 42883
SELECT NULL % interval '1 day'
! 42883
SELECT NULL % time '10:00'
! 42883
SELECT NULL % timestamp '2020-01-01'
! 42883
SELECT NULL & '1'
! 42725
SELECT NULL & 1
: integer
= \N
SELECT NULL & 1.5
! 42883
SELECT NULL & NULL
! 42725
SELECT NULL & date '2020-01-01'
! 42883
SELECT NULL & interval '1 day'
! 42883
SELECT NULL & time '10:00'
! 42883
SELECT NULL & timestamp '2020-01-01'
! 42883
SELECT NULL && '1'
! 42725
SELECT NULL && 1
! 42883
SELECT NULL && 1.5
! 42883
SELECT NULL && NULL
! 42725
SELECT NULL && date '2020-01-01'
! 42883
SELECT NULL && interval '1 day'
! 42883
SELECT NULL && time '10:00'
! 42883
SELECT NULL && timestamp '2020-01-01'
! 42883
SELECT NULL * '1'
! 42725
SELECT NULL * 1
: integer
= \N
SELECT NULL * 1.5
: numeric
= \N
SELECT NULL * NULL
! 42725
SELECT NULL * date '2020-01-01'
! 42883
SELECT NULL * time '10:00'
: interval
= \N
SELECT NULL * timestamp '2020-01-01'
! 42883
SELECT NULL + '1'
! 42725
SELECT NULL + 1
: integer
= \N
SELECT NULL + 1.5
: numeric
= \N
SELECT NULL + ARRAY[1]
! 42883
SELECT NULL + NULL
! 42725
SELECT NULL + date '2020-01-01'
! 42725
SELECT NULL + interval '1 day'
: interval
= \N
SELECT NULL + time '10:00'
: time_without_time_zone
= \N
SELECT NULL + timestamp '2020-01-01'
: timestamp_without_time_zone
= \N
SELECT NULL - '1'
! 42725
SELECT NULL - 1
: integer
= \N
SELECT NULL - 1.5
: numeric
= \N
SELECT NULL - NULL
! 42725
SELECT NULL - date '2020-01-01'
: integer
= \N
SELECT NULL - interval '1 day'
: interval
= \N
SELECT NULL - time '10:00'
: interval
= \N
SELECT NULL - timestamp '2020-01-01'
: interval
= \N
SELECT NULL -> '1'
! 42725
SELECT NULL -> 1
! 42725
SELECT NULL -> 1.5
! 42883
SELECT NULL -> NULL
! 42725
SELECT NULL -> date '2020-01-01'
! 42883
SELECT NULL -> interval '1 day'
! 42883
SELECT NULL -> time '10:00'
! 42883
SELECT NULL -> timestamp '2020-01-01'
! 42883
SELECT NULL ->> '1'
! 42725
SELECT NULL ->> 1
! 42725
SELECT NULL ->> 1.5
! 42883
SELECT NULL ->> NULL
! 42725
SELECT NULL ->> date '2020-01-01'
! 42883
SELECT NULL ->> interval '1 day'
! 42883
SELECT NULL ->> time '10:00'
! 42883
SELECT NULL ->> timestamp '2020-01-01'
! 42883
SELECT NULL / '1'
! 42725
SELECT NULL / 1
: integer
= \N
SELECT NULL / 1.5
: numeric
= \N
SELECT NULL / NULL
! 42725
SELECT NULL / date '2020-01-01'
! 42883
SELECT NULL / interval '1 day'
! 42883
SELECT NULL / time '10:00'
! 42883
SELECT NULL / timestamp '2020-01-01'
! 42883
SELECT NULL < '1'
: boolean
= \N
SELECT NULL < 1
: boolean
= \N
SELECT NULL < 1.5
: boolean
= \N
SELECT NULL < NULL
: boolean
= \N
SELECT NULL < date '2020-01-01'
: boolean
= \N
SELECT NULL < interval '1 day'
: boolean
= \N
SELECT NULL < time '10:00'
: boolean
= \N
SELECT NULL < timestamp '2020-01-01'
: boolean
= \N
SELECT NULL << '1'
! 42725
SELECT NULL << 1
: integer
= \N
SELECT NULL << 1.5
! 42883
SELECT NULL << NULL
! 42725
SELECT NULL << date '2020-01-01'
! 42883
SELECT NULL << interval '1 day'
! 42883
SELECT NULL << time '10:00'
! 42883
SELECT NULL << timestamp '2020-01-01'
! 42883
SELECT NULL <@ '1'
! 42725
SELECT NULL <@ NULL
! 42725
SELECT NULL >= '1'
: boolean
= \N
SELECT NULL >= 1
: boolean
= \N
SELECT NULL >= 1.5
: boolean
= \N
SELECT NULL >= NULL
: boolean
= \N
SELECT NULL >= date '2020-01-01'
: boolean
= \N
SELECT NULL >= interval '1 day'
: boolean
= \N
SELECT NULL >= time '10:00'
: boolean
= \N
SELECT NULL >= timestamp '2020-01-01'
: boolean
= \N
SELECT NULL >> '1'
! 42725
SELECT NULL >> 1
: integer
= \N
SELECT NULL >> 1.5
! 42883
SELECT NULL >> NULL
! 42725
SELECT NULL >> date '2020-01-01'
! 42883
SELECT NULL >> interval '1 day'
! 42883
SELECT NULL >> time '10:00'
! 42883
SELECT NULL >> timestamp '2020-01-01'
! 42883
SELECT NULL ?| NULL
! 42725
SELECT NULL @> '1'
! 42725
SELECT NULL @> NULL
! 42725
SELECT NULL @? '1'
: boolean
= \N
SELECT NULL @? 1
! 42883
SELECT NULL @? 1.5
! 42883
SELECT NULL @? date '2020-01-01'
! 42883
SELECT NULL @? interval '1 day'
! 42883
SELECT NULL @? time '10:00'
! 42883
SELECT NULL @? timestamp '2020-01-01'
! 42883
SELECT NULL ^ '1'
: double_precision
= \N
SELECT NULL ^ 1
: double_precision
= \N
SELECT NULL ^ NULL
: double_precision
= \N
SELECT NULL | '1'
! 42725
SELECT NULL | 1
: integer
= \N
SELECT NULL | 1.5
! 42883
SELECT NULL | NULL
! 42725
SELECT NULL | date '2020-01-01'
! 42883
SELECT NULL | interval '1 day'
! 42883
SELECT NULL | time '10:00'
! 42883
SELECT NULL | timestamp '2020-01-01'
! 42883
SELECT NULL || '1'
: text
= \N
SELECT NULL || '\x01'::bytea
: bytea
= \N
SELECT NULL || 1
: text
= \N
SELECT NULL || 1.5
: text
= \N
SELECT NULL || NULL
: text
= \N
SELECT NULL || date '2020-01-01'
: text
= \N
SELECT NULL || interval '1 day'
: text
= \N
SELECT NULL || time '10:00'
: text
= \N
SELECT NULL || timestamp '2020-01-01'
: text
= \N
SELECT NULL ~ '1'
: boolean
= \N
SELECT NULL ~ 1
! 42883
SELECT NULL ~ 1.5
! 42883
SELECT NULL ~ NULL
: boolean
= \N
SELECT NULL ~ date '2020-01-01'
! 42883
SELECT NULL ~ interval '1 day'
! 42883
SELECT NULL ~ time '10:00'
! 42883
SELECT NULL ~ timestamp '2020-01-01'
! 42883
SELECT NULL ~~ '1'
: boolean
= \N
SELECT NULL ~~ 1
! 42883
SELECT NULL ~~ 1.5
! 42883
SELECT NULL ~~ NULL
: boolean
= \N
SELECT date '2020-01-01' #- NULL
! 42883
SELECT date '2020-01-01' #> NULL
! 42883
SELECT date '2020-01-01' % NULL
! 42883
SELECT date '2020-01-01' & NULL
! 42883
SELECT date '2020-01-01' && NULL
! 42883
SELECT date '2020-01-01' * NULL
! 42883
SELECT date '2020-01-01' + NULL
! 42725
SELECT date '2020-01-01' - NULL
: integer
= \N
SELECT date '2020-01-01' -> NULL
! 42883
SELECT date '2020-01-01' ->> NULL
! 42883
SELECT date '2020-01-01' / NULL
! 42883
SELECT date '2020-01-01' < NULL
: boolean
= \N
SELECT date '2020-01-01' << NULL
! 42883
SELECT date '2020-01-01' >> NULL
! 42883
SELECT date '2020-01-01' ?| NULL
! 42883
SELECT date '2020-01-01' | NULL
! 42883
SELECT date '2020-01-01' || NULL
: text
= \N
SELECT date '2020-01-01' ~ NULL
! 42883
SELECT interval '1 day' #- NULL
! 42883
SELECT interval '1 day' #> NULL
! 42883
SELECT interval '1 day' % NULL
! 42883
SELECT interval '1 day' & NULL
! 42883
SELECT interval '1 day' && NULL
! 42883
SELECT interval '1 day' + NULL
: interval
= \N
SELECT interval '1 day' - NULL
: interval
= \N
SELECT interval '1 day' -> NULL
! 42883
SELECT interval '1 day' ->> NULL
! 42883
SELECT interval '1 day' / NULL
: interval
= \N
SELECT interval '1 day' < NULL
: boolean
= \N
SELECT interval '1 day' << NULL
! 42883
SELECT interval '1 day' >> NULL
! 42883
SELECT interval '1 day' ?| NULL
! 42883
SELECT interval '1 day' | NULL
! 42883
SELECT interval '1 day' || NULL
: text
= \N
SELECT interval '1 day' ~ NULL
! 42883
SELECT time '10:00' #- NULL
! 42883
SELECT time '10:00' #> NULL
! 42883
SELECT time '10:00' % NULL
! 42883
SELECT time '10:00' & NULL
! 42883
SELECT time '10:00' && NULL
! 42883
SELECT time '10:00' * NULL
: interval
= \N
SELECT time '10:00' + NULL
: time_without_time_zone
= \N
SELECT time '10:00' - NULL
: interval
= \N
SELECT time '10:00' -> NULL
! 42883
SELECT time '10:00' ->> NULL
! 42883
SELECT time '10:00' / NULL
: interval
= \N
SELECT time '10:00' < NULL
: boolean
= \N
SELECT time '10:00' << NULL
! 42883
SELECT time '10:00' >> NULL
! 42883
SELECT time '10:00' ?| NULL
! 42883
SELECT time '10:00' | NULL
! 42883
SELECT time '10:00' || NULL
: text
= \N
SELECT time '10:00' ~ NULL
! 42883
SELECT timestamp '2020-01-01' #- NULL
! 42883
SELECT timestamp '2020-01-01' #> NULL
! 42883
SELECT timestamp '2020-01-01' % NULL
! 42883
SELECT timestamp '2020-01-01' & NULL
! 42883
SELECT timestamp '2020-01-01' && NULL
! 42883
SELECT timestamp '2020-01-01' * NULL
! 42883
SELECT timestamp '2020-01-01' + NULL
: timestamp_without_time_zone
= \N
SELECT timestamp '2020-01-01' - NULL
: interval
= \N
SELECT timestamp '2020-01-01' -> NULL
! 42883
SELECT timestamp '2020-01-01' ->> NULL
! 42883
SELECT timestamp '2020-01-01' / NULL
! 42883
SELECT timestamp '2020-01-01' < NULL
: boolean
= \N
SELECT timestamp '2020-01-01' << NULL
! 42883
SELECT timestamp '2020-01-01' >> NULL
! 42883
SELECT timestamp '2020-01-01' ?| NULL
! 42883
SELECT timestamp '2020-01-01' | NULL
! 42883
SELECT timestamp '2020-01-01' || NULL
: text
= \N
SELECT timestamp '2020-01-01' ~ NULL
! 42883
SELECT |/ NULL
: double_precision
= \N
SELECT ||/ NULL
: double_precision
= \N
SELECT ~ '1'
! 42725
SELECT ~ 'a'::text
! 42883
SELECT ~ 1
: integer
= -2
SELECT ~ 1.5
! 42883
SELECT ~ ARRAY[1]
! 42883
SELECT ~ NULL
! 42725
SELECT ~ interval '1 day'
! 42883
SELECT ~ true
! 42883
SELECT - '5'
! 42725
SELECT - (NULL)
! 42725
SELECT interval '1 day' - NULL, interval '1 day' * NULL, interval '1 day' / NULL
: interval interval interval
= \N	\N	\N
SELECT age('1')
! 42725
SELECT age('1', '1')
! 22007
SELECT age(NULL)
! 42725
SELECT age(NULL, NULL)
: interval
= \N
SELECT array_agg('1')
! 42725
SELECT array_agg(NULL)
! 42725
SELECT array_dims('1')
! 42804
SELECT array_dims(NULL)
! 42804
SELECT array_length('1', '1')
! 42804
SELECT array_length(NULL, NULL)
! 42804
SELECT array_lower('1', '1')
! 42804
SELECT array_lower(NULL, NULL)
! 42804
SELECT array_ndims('1')
! 42804
SELECT array_ndims(NULL)
! 42804
SELECT array_to_json('1')
! 42804
SELECT array_to_json('1', '1')
! 42804
SELECT array_to_json(NULL)
! 42804
SELECT array_to_json(NULL, NULL)
! 42804
SELECT array_to_string('1', '1')
! 42804
SELECT array_to_string('1', '1', '1')
! 42804
SELECT array_to_string(NULL, NULL)
! 42804
SELECT array_to_string(NULL, NULL, NULL)
! 42804
SELECT array_upper('1', '1')
! 42804
SELECT array_upper(NULL, NULL)
! 42804
SELECT avg('1')
! 42725
SELECT avg(NULL)
! 42725
SELECT bit_count('1')
! 42725
SELECT bit_count(NULL)
! 42725
SELECT cardinality('1')
! 42804
SELECT cardinality(NULL)
! 42804
SELECT ceil('1')
: double_precision
= 1
SELECT ceil(NULL)
: double_precision
= \N
SELECT date_trunc('1', '1')
! 42725
SELECT date_trunc('1', '1', '1')
! 22007
SELECT date_trunc(NULL, NULL)
! 42725
SELECT date_trunc(NULL, NULL, NULL)
: timestamp_with_time_zone
= \N
SELECT first_value('1') over ()
! 42804
SELECT first_value(NULL) over ()
! 42804
SELECT floor('1')
: double_precision
= 1
SELECT floor(NULL)
: double_precision
= \N
SELECT generate_subscripts('1', '1')
! 42804
SELECT generate_subscripts('1', '1', '1')
! 42804
SELECT generate_subscripts(NULL, NULL)
! 42804
SELECT generate_subscripts(NULL, NULL, NULL)
! 42804
SELECT ifnull('1', '1')
! 42883
SELECT ifnull(NULL, NULL)
! 42883
SELECT json_array_length(NULL)
: integer
= \N
SELECT jsonb_array_length('1')
! 22023
SELECT jsonb_array_length(NULL)
: integer
= \N
SELECT lag('1') over ()
! 42804
SELECT lag('1', '1') over ()
! 42804
SELECT lag('1', '1', '1') over ()
: text
= 1
SELECT lag(NULL) over ()
! 42804
SELECT lag(NULL, NULL) over ()
! 42804
SELECT lag(NULL, NULL, NULL) over ()
: text
= \N
SELECT last_value('1') over ()
! 42804
SELECT last_value(NULL) over ()
! 42804
SELECT lead('1') over ()
! 42804
SELECT lead('1', '1') over ()
! 42804
SELECT lead('1', '1', '1') over ()
: text
= 1
SELECT lead(NULL) over ()
! 42804
SELECT lead(NULL, NULL) over ()
! 42804
SELECT lead(NULL, NULL, NULL) over ()
: text
= \N
SELECT max('1')
: text
= 1
SELECT max(NULL)
: text
= \N
SELECT min('1')
: text
= 1
SELECT min(NULL)
: text
= \N
SELECT min_scale('1')
: integer
= 0
SELECT min_scale(NULL)
: integer
= \N
SELECT nth_value('1', '1') over ()
! 42804
SELECT nth_value(NULL, NULL) over ()
! 42804
SELECT round('1')
: double_precision
= 1
SELECT round(NULL)
: double_precision
= \N
SELECT round(NULL, NULL)
: numeric
= \N
SELECT scale('1')
: integer
= 0
SELECT scale(NULL)
: integer
= \N
SELECT sum('1')
! 42725
SELECT trim_array('1', '1')
! 42804
SELECT trim_array(NULL, NULL)
! 42804
SELECT trunc('1')
! 42725
SELECT trunc(NULL)
! 42725
SELECT trunc(NULL, NULL)
: numeric
= \N
SELECT round('2.345', 2), ceil('1.5'), floor('-1.5'), round('1.5'), scale('1.50')
: numeric double_precision double_precision double_precision integer
= 2.35	2	-2	2	2
SELECT round(NULL, 2), ceil(NULL), floor(NULL), scale(NULL)
: numeric double_precision double_precision integer
= \N	\N	\N	\N
SELECT round('x')
! 22P02
SELECT round('x', 1)
! 22P02
SELECT max(NULL), min('a'), sum(1)
: text text bigint
= \N	a	1
SELECT lag(NULL, 1, NULL) OVER ()
: text
= \N
SELECT * FROM generate_subscripts(NULL, 1)
! 42804
SELECT array_agg(DISTINCT NULL)
! 42725
SELECT array_agg('a' ORDER BY 1)
! 42725
SELECT trunc('1.5', 1)
: numeric
= 1.5
SELECT age('2020-01-01')
! 42725
