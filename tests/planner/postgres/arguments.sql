SELECT (*) FROM samples
! 42601
SELECT (*) FROM pg_class
! 42601
SELECT regexp_count('abcabc', 'a', 1, 'i'), regexp_count('abcabc', 'A')
: integer integer
= 2	0
SELECT regexp_substr('abcabc', 'b(.)', 1, 1, 'i', 1), regexp_substr('abcabd', 'b.', 1, 2), regexp_substr('abcabc', 'B.', 1, 1, 'i'), regexp_substr('abc', 'x')
: text text text text
= c	bd	bc	\N
SELECT regexp_substr('abcabd', 'b(.)', 1, 2, '', 1), regexp_substr('abcabd', 'b(.)', 1, 3)
: text text
= d	\N
SELECT length(convert_from('\xc3a4'::bytea, 'UTF-8'))
: integer
= 1
SELECT length(normalize('ä', NFC)), length(normalize('ä'))
: integer integer
= 1	1
SELECT regexp_like('a')
! 42883
SELECT div(1)
! 42883
SELECT date_trunc('day')
! 42883
SELECT length()
! 42883
SELECT json_agg() FROM samples
! 42883
SELECT array_agg(id, t) FROM samples
! 42883
SELECT log10(100::float8), log10(100)
: double_precision double_precision
= 2	2
SELECT * FROM generate_series(1)
! 42883
SELECT pg_catalog.length()
! 42883
SELECT sum(DISTINCT id, i) FROM samples
! 42883
SELECT upper(i, s) FROM samples
! 42883
SELECT length() FROM pg_class
! 42883
SELECT div(1) FROM pg_class
! 42883
SELECT to_timestamp('abc', 'YYYY')
! 22007
SELECT to_date('2000-02-30', 'YYYY-MM-DD')
! 22008
select x from generate_series(timestamp '2024-01-01', timestamp '2024-01-02', interval '0') x
! 22023
select x from generate_series(1, 2, 0) x
! 22023
SELECT '1' + '2'
! 42725
SELECT round('2.5'), ceil('2.1'), floor('2.1'), trunc('2.5'), abs('-2'), sign('-3'), mod('5','3')
! 42725
SELECT date '2020-01-01' < time '12:00'
! 42883
select ('infinity'::timestamp) - timestamp '2020-01-01'
! 22008
SELECT '2020-02-29'::time
! 22007
SELECT to_hex('abc'::varchar)
! 42883
select jsonb_array_elements('[1]'), json_array_elements('[1]')
: jsonb json
= 1	1
select * from json_array_elements('[1]') a, jsonb_array_elements('[1]')
: json jsonb
= 1	1
SELECT 1 || 2
! 42883
SELECT true || 1, 1 || null, null || 1, 1.5 || 'a', now() || 'x' is null
! 42883
select date '2020-01-01' || 1
! 42883
SELECT date_trunc('day', '2020-01-01')
! 42725
SELECT date_trunc('nonsense', NULL)
! 42725
SELECT date_trunc('day', NULL, 'UTC')
: timestamp_with_time_zone
= \N
SELECT to_char(NULL, 'x')
! 42725
SELECT to_char('1', '9')
! 42725
SELECT sum(NULL)
! 42725
