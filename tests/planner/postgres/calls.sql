SELECT make_interval(days => i) FROM samples ORDER BY id
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
SELECT make_interval(0, 0, 0, i) FROM samples ORDER BY id
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
SELECT make_interval(hours => 2, mins => i) FROM samples ORDER BY id
: interval
= 02:01:00
= 02:02:00
= 02:02:00
= 02:05:00
= \N
= 01:53:00
= 02:09:00
= 02:00:00
= 02:03:00
SELECT make_interval(secs => d) FROM samples WHERE id < 4 ORDER BY id
: interval
= 00:00:00.5
= 00:00:01.5
= 00:00:02.5
SELECT make_interval(days => $1)
$ integer
: interval
SELECT array_to_string(a, ',', t) FROM samples ORDER BY id
: text
= 1,2
= 2,3
= 
= 4
= \N
= 2
= 7,8,9
= 10,-10
= 9,9
SELECT array_to_string(a, $1, $2) FROM samples
$ text text
: text
SELECT jsonb_array_elements($1)
$ jsonb
: jsonb
SELECT jsonb_array_elements($1::jsonb)
$ jsonb
: jsonb
SELECT round($1, 2)
$ numeric
: numeric
SELECT round($1 / 3, 2)
$ integer
: numeric
SELECT age('2020-01-01', '2019-01-01')
: interval
= 1 year
SELECT justify_days('35 days')
: interval
= 1 mon 5 days
SELECT date_part('year', $1::date)
$ date
: double_precision
SELECT regexp_split_to_array(t, 'b', 'i') FROM samples ORDER BY id
: text[]
= {A,c}
= {a,c}
= {"",""}
= {""}
= \N
= {a,""}
= {ä}
= {Zed}
= {" x "}
SELECT generate_series($1::date, $2::date, '1 day')
$ date date
: timestamp_with_time_zone
SELECT generate_series('2020-01-01'::date, '2020-01-03', '1 day')
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
= 2020-01-02 00:00:00+00
= 2020-01-03 00:00:00+00
SELECT generate_series(timestamp '2020-01-01', '2020-01-03', interval '1 day')
: timestamp_without_time_zone
= 2020-01-01 00:00:00
= 2020-01-02 00:00:00
= 2020-01-03 00:00:00
SELECT * FROM generate_series($1::timestamptz, $2, $3)
$ timestamp_with_time_zone timestamp_with_time_zone interval
: timestamp_with_time_zone
SELECT * FROM generate_series(timestamptz '2020-01-01', now(), '1 day') LIMIT 1
: timestamp_with_time_zone
= 2020-01-01 00:00:00+00
SELECT lpad($1, $2)
$ text integer
: text
SELECT date_bin('15 minutes', at, '2001-01-01') FROM samples ORDER BY id
: timestamp_without_time_zone
= 2020-01-01 10:00:00
= 2020-02-29 23:45:00
= 2020-03-15 00:00:00
= 2020-12-31 12:30:00
= \N
= 1999-12-31 23:00:00
= 2020-06-15 06:00:00
= 1970-01-01 00:00:00
= 2020-07-04 16:45:00
SELECT date_bin('15 minutes', tz, timestamptz '2001-01-01') FROM samples ORDER BY id
: timestamp_with_time_zone
= 2020-01-01 10:00:00+00
= 2020-02-29 23:45:00+00
= 2020-03-15 01:30:00+00
= 2020-12-31 12:30:00+00
= \N
= 1999-12-31 23:00:00+00
= 2020-06-15 06:00:00+00
= 1970-01-01 00:00:00+00
= 2020-07-04 16:45:00+00
SELECT make_date('2020', 1, 1)
: date
= 2020-01-01
SELECT power('2', 3)
: double_precision
= 8
SELECT lpad('5', '3', '0')
: text
= 005
SELECT abs('-5')
: double_precision
= 5
SELECT sqrt('4')
: double_precision
= 2
SELECT extract(epoch FROM $1::interval)
$ interval
: numeric
SELECT ntile($1) OVER (ORDER BY id) FROM samples
$ integer
: integer
SELECT lag(i, $1) OVER (ORDER BY id) FROM samples
$ integer
: integer
SELECT lag(i, 1, $1) OVER (ORDER BY id) FROM samples
$ integer
: integer
SELECT sum(i + $1) FROM samples
$ integer
: bigint
SELECT width_bucket($1, 0, 10, 5)
$ double_precision
: integer
SELECT width_bucket(d, $1, $2, $3) FROM samples
$ double_precision double_precision integer
: integer
SELECT string_agg(t, $1) FROM samples
$ text
: text
SELECT string_agg(t, $1 ORDER BY id) FROM samples
$ text
: text
SELECT to_timestamp($1)
$ double_precision
: timestamp_with_time_zone
SELECT to_timestamp($1, 'YYYY-MM-DD')
$ text
: timestamp_with_time_zone
SELECT to_date($1, 'YYYY-MM-DD')
$ text
: date
SELECT split_part($1, $2, $3)
$ text text integer
: text
SELECT mod($1, 5), mod(i, $1) FROM samples
$ integer
: integer integer
SELECT trim($1), btrim($1, $2), upper($1)
$ text text
: text text text
SELECT position($1 IN t) FROM samples
$ text
: integer
SELECT strpos(t, $1) FROM samples
$ text
: integer
SELECT starts_with(t, $1) FROM samples
$ text
: boolean
SELECT array_append(a, $1), $1 = ANY (a), array_position(a, $1) FROM samples
$ bigint
: bigint[] boolean integer
SELECT cardinality($1::int[])
$ integer[]
: integer
SELECT date_part($1, at) FROM samples
$ text
: double_precision
SELECT date_trunc($1, at) FROM samples
$ text
: timestamp_without_time_zone
SELECT CASE WHEN i > $1 THEN $2 ELSE 'x' END FROM samples
$ integer text
: text
SELECT id FROM samples WHERE day >= $1::date AND day < $1::date + interval '1 month'
$ date
: integer
SELECT id FROM samples WHERE tz > now() - $1::interval
$ interval
: integer
SELECT id FROM samples WHERE extract(year FROM day) = $1
$ numeric
: integer
SELECT id FROM samples WHERE date_trunc('month', at) = $1
$ timestamp_without_time_zone
: integer
SELECT id FROM samples WHERE lower(t) = lower($1)
$ text
: integer
SELECT id FROM samples WHERE t ILIKE '%' || $1 || '%'
$ text
: integer
SELECT id FROM samples WHERE i BETWEEN $1 AND $2 LIMIT $3 OFFSET $4
$ integer integer bigint bigint
: integer
SELECT id FROM samples WHERE (i, s) = ($1, $2)
$ integer smallint
: integer
SELECT id FROM samples WHERE i = $1 + 1
$ integer
: integer
SELECT id FROM samples WHERE coalesce(i, $1) = $2
$ integer integer
: integer
SELECT json_build_object('a', $1::int)
$ integer
: json
SELECT j -> $1, j ->> $2 FROM samples
$ text text
: json text
