SELECT abs($1) FROM samples
$ double_precision
: double_precision
SELECT acos($1) FROM samples
$ double_precision
: double_precision
SELECT acosh($1) FROM samples
$ double_precision
: double_precision
SELECT age($1, tz) FROM samples
$ timestamp_with_time_zone
: interval
SELECT age(tz, $1) FROM samples
$ timestamp_with_time_zone
: interval
SELECT age($1, $2) FROM samples
$ timestamp_with_time_zone timestamp_with_time_zone
: interval
SELECT age($1, at) FROM samples
$ timestamp_without_time_zone
: interval
SELECT age(at, $1) FROM samples
$ timestamp_without_time_zone
: interval
SELECT array_append($1, b) FROM samples
$ bigint[]
: bigint[]
SELECT array_append(a, $1) FROM samples
$ bigint
: bigint[]
SELECT array_append($1, $2) FROM samples
$ text[] text
: text[]
SELECT array_cat($1, a) FROM samples
$ bigint[]
: bigint[]
SELECT array_cat(a, $1) FROM samples
$ bigint[]
: bigint[]
SELECT array_cat($1, $2) FROM samples
$ text[] text[]
: text[]
SELECT array_length(a, $1) FROM samples
$ integer
: integer
SELECT array_lower(a, $1) FROM samples
$ integer
: integer
SELECT array_position($1, b) FROM samples
$ bigint[]
: integer
SELECT array_position(a, $1) FROM samples
$ bigint
: integer
SELECT array_position($1, $2) FROM samples
$ text[] text
: integer
SELECT array_position($1, b, i) FROM samples
$ bigint[]
: integer
SELECT array_position(a, $1, i) FROM samples
$ bigint
: integer
SELECT array_position(a, b, $1) FROM samples
$ integer
: integer
SELECT array_position($1, $2, $3) FROM samples
$ text[] text integer
: integer
SELECT array_positions($1, b) FROM samples
$ bigint[]
: integer[]
SELECT array_positions(a, $1) FROM samples
$ bigint
: integer[]
SELECT array_positions($1, $2) FROM samples
$ text[] text
: integer[]
SELECT array_prepend($1, a) FROM samples
$ bigint
: bigint[]
SELECT array_prepend(b, $1) FROM samples
$ bigint[]
: bigint[]
SELECT array_prepend($1, $2) FROM samples
$ text text[]
: text[]
SELECT array_remove($1, b) FROM samples
$ bigint[]
: bigint[]
SELECT array_remove(a, $1) FROM samples
$ bigint
: bigint[]
SELECT array_remove($1, $2) FROM samples
$ text[] text
: text[]
SELECT array_replace($1, b, b) FROM samples
$ bigint[]
: bigint[]
SELECT array_replace(a, $1, b) FROM samples
$ bigint
: bigint[]
SELECT array_replace(a, b, $1) FROM samples
$ bigint
: bigint[]
SELECT array_replace($1, $2, $3) FROM samples
$ text[] text text
: text[]
SELECT array_to_json(a, $1) FROM samples
$ boolean
: json
~ line feeds are refused
>! 0A000
SELECT array_to_string(a, $1) FROM samples
$ text
: text
SELECT array_to_string(a, $1, t) FROM samples
$ text
: text
SELECT array_to_string(a, t, $1) FROM samples
$ text
: text
SELECT array_upper(a, $1) FROM samples
$ integer
: integer
SELECT ascii($1) FROM samples
$ text
: integer
SELECT asin($1) FROM samples
$ double_precision
: double_precision
SELECT asinh($1) FROM samples
$ double_precision
: double_precision
SELECT atan($1) FROM samples
$ double_precision
: double_precision
SELECT atan2($1, d) FROM samples
$ double_precision
: double_precision
SELECT atan2(d, $1) FROM samples
$ double_precision
: double_precision
SELECT atan2($1, $2) FROM samples
$ double_precision double_precision
: double_precision
SELECT atanh($1) FROM samples
$ double_precision
: double_precision
SELECT bit_length($1) FROM samples
$ text
: integer
SELECT bool_and($1) FROM samples
$ boolean
: boolean
SELECT bool_or($1) FROM samples
$ boolean
: boolean
SELECT btrim($1, 'x'::bytea) FROM samples
$ bytea
: bytea
SELECT btrim('x'::bytea, $1) FROM samples
$ bytea
: bytea
SELECT btrim($1, $2) FROM samples
$ text text
: text
SELECT btrim($1) FROM samples
$ text
: text
SELECT btrim($1, t) FROM samples
$ text
: text
SELECT btrim(t, $1) FROM samples
$ text
: text
SELECT cbrt($1) FROM samples
$ double_precision
: double_precision
SELECT ceil($1) FROM samples
$ double_precision
: double_precision
SELECT ceiling($1) FROM samples
$ double_precision
: double_precision
SELECT char_length($1) FROM samples
$ text
: integer
SELECT character_length($1) FROM samples
$ text
: integer
SELECT chr($1) FROM samples
$ integer
: text
SELECT corr($1, d) FROM samples
$ double_precision
: double_precision
SELECT corr(d, $1) FROM samples
$ double_precision
: double_precision
SELECT corr($1, $2) FROM samples
$ double_precision double_precision
: double_precision
SELECT cos($1) FROM samples
$ double_precision
: double_precision
SELECT cosh($1) FROM samples
$ double_precision
: double_precision
SELECT cot($1) FROM samples
$ double_precision
: double_precision
SELECT covar_pop($1, d) FROM samples
$ double_precision
: double_precision
SELECT covar_pop(d, $1) FROM samples
$ double_precision
: double_precision
SELECT covar_pop($1, $2) FROM samples
$ double_precision double_precision
: double_precision
SELECT covar_samp($1, d) FROM samples
$ double_precision
: double_precision
SELECT covar_samp(d, $1) FROM samples
$ double_precision
: double_precision
SELECT covar_samp($1, $2) FROM samples
$ double_precision double_precision
: double_precision
SELECT current_setting($1) FROM samples
$ text
: text
SELECT current_setting($1, f) FROM samples
$ text
: text
SELECT current_setting(t, $1) FROM samples
$ boolean
: text
~ has another type
>$ text
>: text
SELECT current_setting($1, $2) FROM samples
$ text boolean
: text
~ has another type
>$ text text
>: text
SELECT date($1) FROM samples
$ timestamp_with_time_zone
: date
SELECT date_bin($1, tz, tz) FROM samples
$ interval
: timestamp_with_time_zone
SELECT date_bin((tz - tz), $1, tz) FROM samples
$ timestamp_with_time_zone
: timestamp_with_time_zone
SELECT date_bin((tz - tz), tz, $1) FROM samples
$ timestamp_with_time_zone
: timestamp_with_time_zone
SELECT date_bin($1, $2, $3) FROM samples
$ interval timestamp_with_time_zone timestamp_with_time_zone
: timestamp_with_time_zone
SELECT date_bin($1, at, at) FROM samples
$ interval
: timestamp_without_time_zone
SELECT date_bin((tz - tz), $1, at) FROM samples
$ timestamp_without_time_zone
: timestamp_without_time_zone
SELECT date_bin((tz - tz), at, $1) FROM samples
$ timestamp_without_time_zone
: timestamp_without_time_zone
SELECT date_part($1, day) FROM samples
$ text
: double_precision
SELECT date_part($1, (tz - tz)) FROM samples
$ text
: double_precision
SELECT date_part($1, time '10:00') FROM samples
$ text
: double_precision
SELECT date_part($1, tz) FROM samples
$ text
: double_precision
SELECT date_part($1, at) FROM samples
$ text
: double_precision
SELECT date_trunc($1, (tz - tz)) FROM samples
$ text
: interval
SELECT date_trunc($1, tz) FROM samples
$ text
: timestamp_with_time_zone
SELECT date_trunc($1, tz, t) FROM samples
$ text
: timestamp_with_time_zone
SELECT date_trunc(t, $1, t) FROM samples
$ timestamp_with_time_zone
: timestamp_with_time_zone
SELECT date_trunc(t, tz, $1) FROM samples
$ text
: timestamp_with_time_zone
SELECT date_trunc($1, $2, $3) FROM samples
$ text timestamp_with_time_zone text
: timestamp_with_time_zone
SELECT date_trunc($1, at) FROM samples
$ text
: timestamp_without_time_zone
SELECT decode($1, t) FROM samples
$ text
: bytea
SELECT decode(t, $1) FROM samples
$ text
: bytea
SELECT decode($1, $2) FROM samples
$ text text
: bytea
SELECT degrees($1) FROM samples
$ double_precision
: double_precision
SELECT div($1, n) FROM samples
$ numeric
: numeric
SELECT div(n, $1) FROM samples
$ numeric
: numeric
SELECT div($1, $2) FROM samples
$ numeric numeric
: numeric
SELECT encode($1, t) FROM samples
$ bytea
: text
SELECT encode('x'::bytea, $1) FROM samples
$ text
: text
SELECT encode($1, $2) FROM samples
$ bytea text
: text
SELECT every($1) FROM samples
$ boolean
: boolean
SELECT exp($1) FROM samples
$ double_precision
: double_precision
SELECT factorial($1) FROM samples
$ bigint
: numeric
SELECT floor($1) FROM samples
$ double_precision
: double_precision
SELECT format($1) FROM samples
$ text
: text
SELECT gcd($1, b) FROM samples
$ bigint
: bigint
SELECT gcd(b, $1) FROM samples
$ bigint
: bigint
SELECT gcd($1, i) FROM samples
$ integer
: integer
SELECT gcd(i, $1) FROM samples
$ integer
: integer
SELECT gcd($1, n) FROM samples
$ numeric
: numeric
~ gcd() and lcm() of numeric are not supported
>! 0A000
SELECT gcd(n, $1) FROM samples
$ numeric
: numeric
~ gcd() and lcm() of numeric are not supported
>! 0A000
SELECT generate_series($1, b) FROM samples
$ bigint
: bigint
SELECT generate_series(b, $1) FROM samples
$ bigint
: bigint
SELECT generate_series($1, b, b) FROM samples
$ bigint
: bigint
SELECT generate_series(b, $1, b) FROM samples
$ bigint
: bigint
SELECT generate_series(b, b, $1) FROM samples
$ bigint
: bigint
SELECT generate_series($1, i) FROM samples
$ integer
: integer
SELECT generate_series(i, $1) FROM samples
$ integer
: integer
SELECT generate_series($1, i, i) FROM samples
$ integer
: integer
SELECT generate_series(i, $1, i) FROM samples
$ integer
: integer
SELECT generate_series(i, i, $1) FROM samples
$ integer
: integer
SELECT generate_series($1, n) FROM samples
$ numeric
: numeric
~ is refused
>! 0A000
SELECT generate_series(n, $1) FROM samples
$ numeric
: numeric
~ is refused
>! 0A000
SELECT generate_series($1, n, n) FROM samples
$ numeric
: numeric
~ is refused
>! 0A000
SELECT generate_series(n, $1, n) FROM samples
$ numeric
: numeric
~ is refused
>! 0A000
SELECT generate_series(n, n, $1) FROM samples
$ numeric
: numeric
~ is refused
>! 0A000
SELECT generate_series($1, tz, (tz - tz)) FROM samples
$ timestamp_with_time_zone
: timestamp_with_time_zone
SELECT generate_series(tz, $1, (tz - tz)) FROM samples
$ timestamp_with_time_zone
: timestamp_with_time_zone
SELECT generate_series(tz, tz, $1) FROM samples
$ interval
: timestamp_with_time_zone
SELECT generate_series($1, at, (tz - tz)) FROM samples
$ timestamp_without_time_zone
: timestamp_without_time_zone
SELECT generate_series(at, $1, (tz - tz)) FROM samples
$ timestamp_without_time_zone
: timestamp_without_time_zone
SELECT generate_series(at, at, $1) FROM samples
$ interval
: timestamp_without_time_zone
SELECT generate_subscripts(a, $1) FROM samples
$ integer
: integer
SELECT generate_subscripts(a, $1, f) FROM samples
$ integer
: integer
SELECT generate_subscripts(a, i, $1) FROM samples
$ boolean
: integer
SELECT get_bit($1, b) FROM samples
$ bytea
: integer
SELECT get_bit('x'::bytea, $1) FROM samples
$ bigint
: integer
SELECT initcap($1) FROM samples
$ text
: text
SELECT json_array_elements($1) FROM samples
$ json
: json
SELECT json_array_elements_text($1) FROM samples
$ json
: text
SELECT json_array_length($1) FROM samples
$ json
: integer
SELECT json_each($1) FROM samples
$ json
: record
~ is refused outside of FROM
>! 0A000
SELECT json_each_text($1) FROM samples
$ json
: record
~ is refused outside of FROM
>! 0A000
SELECT json_object($1) FROM samples
$ text[]
: json
SELECT json_object($1, string_to_array(t, 'b')) FROM samples
$ text[]
: json
SELECT json_object(string_to_array(t, 'b'), $1) FROM samples
$ text[]
: json
SELECT json_object($1, $2) FROM samples
$ text[] text[]
: json
SELECT json_object_keys($1) FROM samples
$ json
: text
SELECT json_strip_nulls($1) FROM samples
$ json
: json
SELECT json_typeof($1) FROM samples
$ json
: text
SELECT jsonb_array_elements($1) FROM samples
$ jsonb
: jsonb
SELECT jsonb_array_elements_text($1) FROM samples
$ jsonb
: text
SELECT jsonb_array_length($1) FROM samples
$ jsonb
: integer
SELECT jsonb_each($1) FROM samples
$ jsonb
: record
~ is refused outside of FROM
>! 0A000
SELECT jsonb_each_text($1) FROM samples
$ jsonb
: record
~ is refused outside of FROM
>! 0A000
SELECT jsonb_insert($1, string_to_array(t, 'b'), j::jsonb, f) FROM samples
$ jsonb
: jsonb
SELECT jsonb_insert(j::jsonb, $1, j::jsonb, f) FROM samples
$ text[]
: jsonb
SELECT jsonb_insert(j::jsonb, string_to_array(t, 'b'), $1, f) FROM samples
$ jsonb
: jsonb
SELECT jsonb_insert(j::jsonb, string_to_array(t, 'b'), j::jsonb, $1) FROM samples
$ boolean
: jsonb
SELECT jsonb_insert($1, $2, $3, $4) FROM samples
$ jsonb text[] jsonb boolean
: jsonb
SELECT jsonb_object($1) FROM samples
$ text[]
: jsonb
SELECT jsonb_object($1, string_to_array(t, 'b')) FROM samples
$ text[]
: jsonb
SELECT jsonb_object(string_to_array(t, 'b'), $1) FROM samples
$ text[]
: jsonb
SELECT jsonb_object($1, $2) FROM samples
$ text[] text[]
: jsonb
SELECT jsonb_object_keys($1) FROM samples
$ jsonb
: text
SELECT jsonb_pretty($1) FROM samples
$ jsonb
: text
SELECT jsonb_set($1, string_to_array(t, 'b'), j::jsonb, f) FROM samples
$ jsonb
: jsonb
SELECT jsonb_set(j::jsonb, $1, j::jsonb, f) FROM samples
$ text[]
: jsonb
SELECT jsonb_set(j::jsonb, string_to_array(t, 'b'), $1, f) FROM samples
$ jsonb
: jsonb
SELECT jsonb_set(j::jsonb, string_to_array(t, 'b'), j::jsonb, $1) FROM samples
$ boolean
: jsonb
SELECT jsonb_set($1, $2, $3, $4) FROM samples
$ jsonb text[] jsonb boolean
: jsonb
SELECT jsonb_set_lax($1, string_to_array(t, 'b'), j::jsonb, f, t) FROM samples
$ jsonb
: jsonb
~ is refused
>! 0A000
SELECT jsonb_set_lax(j::jsonb, $1, j::jsonb, f, t) FROM samples
$ text[]
: jsonb
~ is refused
>! 0A000
SELECT jsonb_set_lax(j::jsonb, string_to_array(t, 'b'), $1, f, t) FROM samples
$ jsonb
: jsonb
~ is refused
>! 0A000
SELECT jsonb_set_lax(j::jsonb, string_to_array(t, 'b'), j::jsonb, $1, t) FROM samples
$ boolean
: jsonb
~ is refused
>! 0A000
SELECT jsonb_set_lax(j::jsonb, string_to_array(t, 'b'), j::jsonb, f, $1) FROM samples
$ text
: jsonb
~ is refused
>! 0A000
SELECT jsonb_set_lax($1, $2, $3, $4, $5) FROM samples
$ jsonb text[] jsonb boolean text
: jsonb
~ is refused
>! 0A000
SELECT jsonb_strip_nulls($1) FROM samples
$ jsonb
: jsonb
SELECT jsonb_typeof($1) FROM samples
$ jsonb
: text
SELECT justify_days($1) FROM samples
$ interval
: interval
SELECT justify_hours($1) FROM samples
$ interval
: interval
SELECT justify_interval($1) FROM samples
$ interval
: interval
SELECT lcm($1, b) FROM samples
$ bigint
: bigint
SELECT lcm(b, $1) FROM samples
$ bigint
: bigint
SELECT lcm($1, i) FROM samples
$ integer
: integer
SELECT lcm(i, $1) FROM samples
$ integer
: integer
SELECT lcm($1, n) FROM samples
$ numeric
: numeric
~ gcd() and lcm() of numeric are not supported
>! 0A000
SELECT lcm(n, $1) FROM samples
$ numeric
: numeric
~ gcd() and lcm() of numeric are not supported
>! 0A000
SELECT left($1, i) FROM samples
$ text
: text
SELECT left(t, $1) FROM samples
$ integer
: text
SELECT left($1, $2) FROM samples
$ text integer
: text
SELECT length($1) FROM samples
$ text
: integer
SELECT like_escape($1, 'x'::bytea) FROM samples
$ bytea
: bytea
~ is refused
>! 42883
SELECT like_escape('x'::bytea, $1) FROM samples
$ bytea
: bytea
~ is refused
>! 42883
SELECT like_escape($1, $2) FROM samples
$ text text
: text
~ is refused
>! 42883
SELECT like_escape($1, t) FROM samples
$ text
: text
~ is refused
>! 42883
SELECT like_escape(t, $1) FROM samples
$ text
: text
~ is refused
>! 42883
SELECT ln($1) FROM samples
$ double_precision
: double_precision
SELECT log($1) FROM samples
$ double_precision
: double_precision
SELECT log($1, n) FROM samples
$ numeric
: numeric
~ has another type
>$ numeric
>: double_precision
SELECT log(n, $1) FROM samples
$ numeric
: numeric
~ has another type
>$ numeric
>: double_precision
SELECT log($1, $2) FROM samples
$ numeric numeric
: numeric
~ has another type
>$ numeric numeric
>: double_precision
SELECT log10($1) FROM samples
$ double_precision
: double_precision
SELECT lower($1) FROM samples
$ text
: text
SELECT lpad($1, i) FROM samples
$ text
: text
SELECT lpad(t, $1) FROM samples
$ integer
: text
SELECT lpad($1, $2) FROM samples
$ text integer
: text
SELECT lpad($1, i, t) FROM samples
$ text
: text
SELECT lpad(t, $1, t) FROM samples
$ integer
: text
SELECT lpad(t, i, $1) FROM samples
$ text
: text
SELECT lpad($1, $2, $3) FROM samples
$ text integer text
: text
SELECT ltrim($1, 'x'::bytea) FROM samples
$ bytea
: bytea
SELECT ltrim('x'::bytea, $1) FROM samples
$ bytea
: bytea
SELECT ltrim($1, $2) FROM samples
$ text text
: text
SELECT ltrim($1) FROM samples
$ text
: text
SELECT ltrim($1, t) FROM samples
$ text
: text
SELECT ltrim(t, $1) FROM samples
$ text
: text
SELECT make_date($1, i, i) FROM samples
$ integer
: date
SELECT make_date(i, $1, i) FROM samples
$ integer
: date
SELECT make_date(i, i, $1) FROM samples
$ integer
: date
SELECT make_date($1, $2, $3) FROM samples
$ integer integer integer
: date
SELECT make_interval($1, i, i, i, i, i, d) FROM samples
$ integer
: interval
SELECT make_interval(i, $1, i, i, i, i, d) FROM samples
$ integer
: interval
SELECT make_interval(i, i, $1, i, i, i, d) FROM samples
$ integer
: interval
SELECT make_interval(i, i, i, $1, i, i, d) FROM samples
$ integer
: interval
SELECT make_interval(i, i, i, i, $1, i, d) FROM samples
$ integer
: interval
SELECT make_interval(i, i, i, i, i, $1, d) FROM samples
$ integer
: interval
SELECT make_interval(i, i, i, i, i, i, $1) FROM samples
$ double_precision
: interval
SELECT make_interval($1, $2, $3, $4, $5, $6, $7) FROM samples
$ integer integer integer integer integer integer double_precision
: interval
SELECT make_time($1, i, d) FROM samples
$ integer
: time_without_time_zone
SELECT make_time(i, $1, d) FROM samples
$ integer
: time_without_time_zone
SELECT make_time(i, i, $1) FROM samples
$ double_precision
: time_without_time_zone
SELECT make_time($1, $2, $3) FROM samples
$ integer integer double_precision
: time_without_time_zone
SELECT make_timestamp($1, i, i, i, i, d) FROM samples
$ integer
: timestamp_without_time_zone
SELECT make_timestamp(i, $1, i, i, i, d) FROM samples
$ integer
: timestamp_without_time_zone
SELECT make_timestamp(i, i, $1, i, i, d) FROM samples
$ integer
: timestamp_without_time_zone
SELECT make_timestamp(i, i, i, $1, i, d) FROM samples
$ integer
: timestamp_without_time_zone
SELECT make_timestamp(i, i, i, i, $1, d) FROM samples
$ integer
: timestamp_without_time_zone
SELECT make_timestamp(i, i, i, i, i, $1) FROM samples
$ double_precision
: timestamp_without_time_zone
SELECT make_timestamp($1, $2, $3, $4, $5, $6) FROM samples
$ integer integer integer integer integer double_precision
: timestamp_without_time_zone
SELECT make_timestamptz($1, i, i, i, i, d) FROM samples
$ integer
: timestamp_with_time_zone
SELECT make_timestamptz(i, $1, i, i, i, d) FROM samples
$ integer
: timestamp_with_time_zone
SELECT make_timestamptz(i, i, $1, i, i, d) FROM samples
$ integer
: timestamp_with_time_zone
SELECT make_timestamptz(i, i, i, $1, i, d) FROM samples
$ integer
: timestamp_with_time_zone
SELECT make_timestamptz(i, i, i, i, $1, d) FROM samples
$ integer
: timestamp_with_time_zone
SELECT make_timestamptz(i, i, i, i, i, $1) FROM samples
$ double_precision
: timestamp_with_time_zone
SELECT make_timestamptz($1, $2, $3, $4, $5, $6) FROM samples
$ integer integer integer integer integer double_precision
: timestamp_with_time_zone
SELECT make_timestamptz($1, i, i, i, i, d, t) FROM samples
$ integer
: timestamp_with_time_zone
SELECT make_timestamptz(i, $1, i, i, i, d, t) FROM samples
$ integer
: timestamp_with_time_zone
SELECT make_timestamptz(i, i, $1, i, i, d, t) FROM samples
$ integer
: timestamp_with_time_zone
SELECT make_timestamptz(i, i, i, $1, i, d, t) FROM samples
$ integer
: timestamp_with_time_zone
SELECT make_timestamptz(i, i, i, i, $1, d, t) FROM samples
$ integer
: timestamp_with_time_zone
SELECT make_timestamptz(i, i, i, i, i, $1, t) FROM samples
$ double_precision
: timestamp_with_time_zone
SELECT make_timestamptz(i, i, i, i, i, d, $1) FROM samples
$ text
: timestamp_with_time_zone
SELECT make_timestamptz($1, $2, $3, $4, $5, $6, $7) FROM samples
$ integer integer integer integer integer double_precision text
: timestamp_with_time_zone
SELECT max($1) FROM samples
$ text
: text
SELECT md5($1) FROM samples
$ text
: text
SELECT min($1) FROM samples
$ text
: text
SELECT mod($1, b) FROM samples
$ bigint
: bigint
SELECT mod(b, $1) FROM samples
$ bigint
: bigint
SELECT mod($1, i) FROM samples
$ integer
: integer
SELECT mod(i, $1) FROM samples
$ integer
: integer
SELECT mod($1, n) FROM samples
$ numeric
: numeric
SELECT mod(n, $1) FROM samples
$ numeric
: numeric
SELECT mod($1, s) FROM samples
$ smallint
: smallint
SELECT mod(s, $1) FROM samples
$ smallint
: smallint
SELECT octet_length($1) FROM samples
$ text
: integer
SELECT overlay($1, 'x'::bytea, i) FROM samples
$ bytea
: bytea
SELECT overlay('x'::bytea, $1, i) FROM samples
$ bytea
: bytea
SELECT overlay('x'::bytea, 'x'::bytea, $1) FROM samples
$ integer
: bytea
SELECT overlay($1, $2, $3) FROM samples
$ text text integer
: text
SELECT overlay($1, 'x'::bytea, i, i) FROM samples
$ bytea
: bytea
SELECT overlay('x'::bytea, $1, i, i) FROM samples
$ bytea
: bytea
SELECT overlay('x'::bytea, 'x'::bytea, $1, i) FROM samples
$ integer
: bytea
SELECT overlay('x'::bytea, 'x'::bytea, i, $1) FROM samples
$ integer
: bytea
SELECT overlay($1, $2, $3, $4) FROM samples
$ text text integer integer
: text
SELECT overlay($1, t, i) FROM samples
$ text
: text
SELECT overlay(t, $1, i) FROM samples
$ text
: text
SELECT overlay(t, t, $1) FROM samples
$ integer
: text
SELECT overlay($1, t, i, i) FROM samples
$ text
: text
SELECT overlay(t, $1, i, i) FROM samples
$ text
: text
SELECT overlay(t, t, $1, i) FROM samples
$ integer
: text
SELECT overlay(t, t, i, $1) FROM samples
$ integer
: text
SELECT pow($1, d) FROM samples
$ double_precision
: double_precision
SELECT pow(d, $1) FROM samples
$ double_precision
: double_precision
SELECT pow($1, $2) FROM samples
$ double_precision double_precision
: double_precision
SELECT pow($1, n) FROM samples
$ numeric
: numeric
~ has another type
>$ numeric
>: double_precision
SELECT pow(n, $1) FROM samples
$ numeric
: numeric
~ has another type
>$ numeric
>: double_precision
SELECT power($1, d) FROM samples
$ double_precision
: double_precision
SELECT power(d, $1) FROM samples
$ double_precision
: double_precision
SELECT power($1, $2) FROM samples
$ double_precision double_precision
: double_precision
SELECT power($1, n) FROM samples
$ numeric
: numeric
~ has another type
>$ numeric
>: double_precision
SELECT power(n, $1) FROM samples
$ numeric
: numeric
~ has another type
>$ numeric
>: double_precision
SELECT quote_ident($1) FROM samples
$ text
: text
SELECT quote_literal($1) FROM samples
$ text
: text
SELECT quote_nullable($1) FROM samples
$ text
: text
SELECT radians($1) FROM samples
$ double_precision
: double_precision
SELECT regexp_count($1, t) FROM samples
$ text
: integer
SELECT regexp_count(t, $1) FROM samples
$ text
: integer
SELECT regexp_count($1, $2) FROM samples
$ text text
: integer
SELECT regexp_count($1, t, i) FROM samples
$ text
: integer
SELECT regexp_count(t, $1, i) FROM samples
$ text
: integer
SELECT regexp_count(t, t, $1) FROM samples
$ integer
: integer
SELECT regexp_count($1, $2, $3) FROM samples
$ text text integer
: integer
SELECT regexp_count($1, t, i, t) FROM samples
$ text
: integer
SELECT regexp_count(t, $1, i, t) FROM samples
$ text
: integer
SELECT regexp_count(t, t, $1, t) FROM samples
$ integer
: integer
SELECT regexp_count(t, t, i, $1) FROM samples
$ text
: integer
SELECT regexp_count($1, $2, $3, $4) FROM samples
$ text text integer text
: integer
SELECT regexp_like($1, t) FROM samples
$ text
: boolean
SELECT regexp_like(t, $1) FROM samples
$ text
: boolean
SELECT regexp_like($1, $2) FROM samples
$ text text
: boolean
SELECT regexp_like($1, t, t) FROM samples
$ text
: boolean
SELECT regexp_like(t, $1, t) FROM samples
$ text
: boolean
SELECT regexp_like(t, t, $1) FROM samples
$ text
: boolean
SELECT regexp_like($1, $2, $3) FROM samples
$ text text text
: boolean
SELECT regexp_match($1, t) FROM samples
$ text
: text[]
SELECT regexp_match(t, $1) FROM samples
$ text
: text[]
SELECT regexp_match($1, $2) FROM samples
$ text text
: text[]
SELECT regexp_match($1, t, t) FROM samples
$ text
: text[]
SELECT regexp_match(t, $1, t) FROM samples
$ text
: text[]
SELECT regexp_match(t, t, $1) FROM samples
$ text
: text[]
SELECT regexp_match($1, $2, $3) FROM samples
$ text text text
: text[]
SELECT regexp_matches($1, t) FROM samples
$ text
: text[]
SELECT regexp_matches(t, $1) FROM samples
$ text
: text[]
SELECT regexp_matches($1, $2) FROM samples
$ text text
: text[]
SELECT regexp_matches($1, t, t) FROM samples
$ text
: text[]
SELECT regexp_matches(t, $1, t) FROM samples
$ text
: text[]
SELECT regexp_matches(t, t, $1) FROM samples
$ text
: text[]
SELECT regexp_matches($1, $2, $3) FROM samples
$ text text text
: text[]
SELECT regexp_replace($1, t, t) FROM samples
$ text
: text
SELECT regexp_replace(t, $1, t) FROM samples
$ text
: text
SELECT regexp_replace(t, t, $1) FROM samples
$ text
: text
SELECT regexp_replace($1, $2, $3) FROM samples
$ text text text
: text
SELECT regexp_replace($1, t, t, i) FROM samples
$ text
: text
SELECT regexp_replace(t, $1, t, i) FROM samples
$ text
: text
SELECT regexp_replace(t, t, $1, i) FROM samples
$ text
: text
SELECT regexp_replace(t, t, t, $1) FROM samples
$ text
: text
SELECT regexp_replace($1, $2, $3, $4) FROM samples
$ text text text text
: text
SELECT regexp_replace($1, t, t, i, i) FROM samples
$ text
: text
SELECT regexp_replace(t, $1, t, i, i) FROM samples
$ text
: text
SELECT regexp_replace(t, t, $1, i, i) FROM samples
$ text
: text
SELECT regexp_replace(t, t, t, $1, i) FROM samples
$ integer
: text
SELECT regexp_replace(t, t, t, i, $1) FROM samples
$ integer
: text
SELECT regexp_replace($1, $2, $3, $4, $5) FROM samples
$ text text text integer integer
: text
SELECT regexp_replace($1, t, t, i, i, t) FROM samples
$ text
: text
SELECT regexp_replace(t, $1, t, i, i, t) FROM samples
$ text
: text
SELECT regexp_replace(t, t, $1, i, i, t) FROM samples
$ text
: text
SELECT regexp_replace(t, t, t, $1, i, t) FROM samples
$ integer
: text
SELECT regexp_replace(t, t, t, i, $1, t) FROM samples
$ integer
: text
SELECT regexp_replace(t, t, t, i, i, $1) FROM samples
$ text
: text
SELECT regexp_replace($1, $2, $3, $4, $5, $6) FROM samples
$ text text text integer integer text
: text
SELECT regexp_replace($1, t, t, t) FROM samples
$ text
: text
SELECT regexp_replace(t, $1, t, t) FROM samples
$ text
: text
SELECT regexp_replace(t, t, $1, t) FROM samples
$ text
: text
SELECT regexp_split_to_array($1, t) FROM samples
$ text
: text[]
SELECT regexp_split_to_array(t, $1) FROM samples
$ text
: text[]
SELECT regexp_split_to_array($1, $2) FROM samples
$ text text
: text[]
SELECT regexp_split_to_array($1, t, t) FROM samples
$ text
: text[]
SELECT regexp_split_to_array(t, $1, t) FROM samples
$ text
: text[]
SELECT regexp_split_to_array(t, t, $1) FROM samples
$ text
: text[]
SELECT regexp_split_to_array($1, $2, $3) FROM samples
$ text text text
: text[]
SELECT regexp_split_to_table($1, t) FROM samples
$ text
: text
SELECT regexp_split_to_table(t, $1) FROM samples
$ text
: text
SELECT regexp_split_to_table($1, $2) FROM samples
$ text text
: text
SELECT regexp_split_to_table($1, t, t) FROM samples
$ text
: text
SELECT regexp_split_to_table(t, $1, t) FROM samples
$ text
: text
SELECT regexp_split_to_table(t, t, $1) FROM samples
$ text
: text
SELECT regexp_split_to_table($1, $2, $3) FROM samples
$ text text text
: text
SELECT regexp_substr($1, t) FROM samples
$ text
: text
SELECT regexp_substr(t, $1) FROM samples
$ text
: text
SELECT regexp_substr($1, $2) FROM samples
$ text text
: text
SELECT regexp_substr($1, t, i) FROM samples
$ text
: text
SELECT regexp_substr(t, $1, i) FROM samples
$ text
: text
SELECT regexp_substr(t, t, $1) FROM samples
$ integer
: text
SELECT regexp_substr($1, $2, $3) FROM samples
$ text text integer
: text
SELECT regexp_substr($1, t, i, i) FROM samples
$ text
: text
SELECT regexp_substr(t, $1, i, i) FROM samples
$ text
: text
SELECT regexp_substr(t, t, $1, i) FROM samples
$ integer
: text
SELECT regexp_substr(t, t, i, $1) FROM samples
$ integer
: text
SELECT regexp_substr($1, $2, $3, $4) FROM samples
$ text text integer integer
: text
SELECT regexp_substr($1, t, i, i, t) FROM samples
$ text
: text
SELECT regexp_substr(t, $1, i, i, t) FROM samples
$ text
: text
SELECT regexp_substr(t, t, $1, i, t) FROM samples
$ integer
: text
SELECT regexp_substr(t, t, i, $1, t) FROM samples
$ integer
: text
SELECT regexp_substr(t, t, i, i, $1) FROM samples
$ text
: text
SELECT regexp_substr($1, $2, $3, $4, $5) FROM samples
$ text text integer integer text
: text
SELECT regexp_substr($1, t, i, i, t, i) FROM samples
$ text
: text
SELECT regexp_substr(t, $1, i, i, t, i) FROM samples
$ text
: text
SELECT regexp_substr(t, t, $1, i, t, i) FROM samples
$ integer
: text
SELECT regexp_substr(t, t, i, $1, t, i) FROM samples
$ integer
: text
SELECT regexp_substr(t, t, i, i, $1, i) FROM samples
$ text
: text
SELECT regexp_substr(t, t, i, i, t, $1) FROM samples
$ integer
: text
SELECT regexp_substr($1, $2, $3, $4, $5, $6) FROM samples
$ text text integer integer text integer
: text
SELECT regr_avgx($1, d) FROM samples
$ double_precision
: double_precision
SELECT regr_avgx(d, $1) FROM samples
$ double_precision
: double_precision
SELECT regr_avgx($1, $2) FROM samples
$ double_precision double_precision
: double_precision
SELECT regr_avgy($1, d) FROM samples
$ double_precision
: double_precision
SELECT regr_avgy(d, $1) FROM samples
$ double_precision
: double_precision
SELECT regr_avgy($1, $2) FROM samples
$ double_precision double_precision
: double_precision
SELECT regr_count($1, d) FROM samples
$ double_precision
: bigint
SELECT regr_count(d, $1) FROM samples
$ double_precision
: bigint
SELECT regr_count($1, $2) FROM samples
$ double_precision double_precision
: bigint
SELECT regr_intercept($1, d) FROM samples
$ double_precision
: double_precision
SELECT regr_intercept(d, $1) FROM samples
$ double_precision
: double_precision
SELECT regr_intercept($1, $2) FROM samples
$ double_precision double_precision
: double_precision
SELECT regr_r2($1, d) FROM samples
$ double_precision
: double_precision
SELECT regr_r2(d, $1) FROM samples
$ double_precision
: double_precision
SELECT regr_r2($1, $2) FROM samples
$ double_precision double_precision
: double_precision
SELECT regr_slope($1, d) FROM samples
$ double_precision
: double_precision
SELECT regr_slope(d, $1) FROM samples
$ double_precision
: double_precision
SELECT regr_slope($1, $2) FROM samples
$ double_precision double_precision
: double_precision
SELECT regr_sxx($1, d) FROM samples
$ double_precision
: double_precision
SELECT regr_sxx(d, $1) FROM samples
$ double_precision
: double_precision
SELECT regr_sxx($1, $2) FROM samples
$ double_precision double_precision
: double_precision
SELECT regr_sxy($1, d) FROM samples
$ double_precision
: double_precision
SELECT regr_sxy(d, $1) FROM samples
$ double_precision
: double_precision
SELECT regr_sxy($1, $2) FROM samples
$ double_precision double_precision
: double_precision
SELECT regr_syy($1, d) FROM samples
$ double_precision
: double_precision
SELECT regr_syy(d, $1) FROM samples
$ double_precision
: double_precision
SELECT regr_syy($1, $2) FROM samples
$ double_precision double_precision
: double_precision
SELECT repeat($1, i) FROM samples
$ text
: text
SELECT repeat(t, $1) FROM samples
$ integer
: text
SELECT repeat($1, $2) FROM samples
$ text integer
: text
SELECT replace($1, t, t) FROM samples
$ text
: text
SELECT replace(t, $1, t) FROM samples
$ text
: text
SELECT replace(t, t, $1) FROM samples
$ text
: text
SELECT replace($1, $2, $3) FROM samples
$ text text text
: text
SELECT reverse($1) FROM samples
$ text
: text
SELECT right($1, i) FROM samples
$ text
: text
SELECT right(t, $1) FROM samples
$ integer
: text
SELECT right($1, $2) FROM samples
$ text integer
: text
SELECT round($1) FROM samples
$ double_precision
: double_precision
SELECT round($1, i) FROM samples
$ numeric
: numeric
SELECT round(n, $1) FROM samples
$ integer
: numeric
SELECT round($1, $2) FROM samples
$ numeric integer
: numeric
SELECT rpad($1, i) FROM samples
$ text
: text
SELECT rpad(t, $1) FROM samples
$ integer
: text
SELECT rpad($1, $2) FROM samples
$ text integer
: text
SELECT rpad($1, i, t) FROM samples
$ text
: text
SELECT rpad(t, $1, t) FROM samples
$ integer
: text
SELECT rpad(t, i, $1) FROM samples
$ text
: text
SELECT rpad($1, $2, $3) FROM samples
$ text integer text
: text
SELECT rtrim($1, 'x'::bytea) FROM samples
$ bytea
: bytea
SELECT rtrim('x'::bytea, $1) FROM samples
$ bytea
: bytea
SELECT rtrim($1, $2) FROM samples
$ text text
: text
SELECT rtrim($1) FROM samples
$ text
: text
SELECT rtrim($1, t) FROM samples
$ text
: text
SELECT rtrim(t, $1) FROM samples
$ text
: text
SELECT set_bit($1, b, i) FROM samples
$ bytea
: bytea
SELECT set_bit('x'::bytea, $1, i) FROM samples
$ bigint
: bytea
SELECT set_bit('x'::bytea, b, $1) FROM samples
$ integer
: bytea
SELECT sha256($1) FROM samples
$ bytea
: bytea
SELECT sign($1) FROM samples
$ double_precision
: double_precision
SELECT sin($1) FROM samples
$ double_precision
: double_precision
SELECT sinh($1) FROM samples
$ double_precision
: double_precision
SELECT split_part($1, t, i) FROM samples
$ text
: text
SELECT split_part(t, $1, i) FROM samples
$ text
: text
SELECT split_part(t, t, $1) FROM samples
$ integer
: text
SELECT split_part($1, $2, $3) FROM samples
$ text text integer
: text
SELECT sqrt($1) FROM samples
$ double_precision
: double_precision
SELECT starts_with($1, t) FROM samples
$ text
: boolean
SELECT starts_with(t, $1) FROM samples
$ text
: boolean
SELECT starts_with($1, $2) FROM samples
$ text text
: boolean
SELECT stddev($1) FROM samples
$ double_precision
: double_precision
SELECT stddev_pop($1) FROM samples
$ double_precision
: double_precision
SELECT stddev_samp($1) FROM samples
$ double_precision
: double_precision
SELECT string_agg($1, 'x'::bytea) FROM samples
$ bytea
: bytea
~ is refused
>$ text
>: text
SELECT string_agg('x'::bytea, $1) FROM samples
$ bytea
: bytea
~ has another type
>! 0A000
SELECT string_agg($1, $2) FROM samples
$ text text
: text
SELECT string_agg($1, t) FROM samples
$ text
: text
SELECT string_agg(t, $1) FROM samples
$ text
: text
SELECT string_to_array($1, t) FROM samples
$ text
: text[]
SELECT string_to_array(t, $1) FROM samples
$ text
: text[]
SELECT string_to_array($1, $2) FROM samples
$ text text
: text[]
SELECT string_to_array($1, t, t) FROM samples
$ text
: text[]
SELECT string_to_array(t, $1, t) FROM samples
$ text
: text[]
SELECT string_to_array(t, t, $1) FROM samples
$ text
: text[]
SELECT string_to_array($1, $2, $3) FROM samples
$ text text text
: text[]
SELECT string_to_table($1, t) FROM samples
$ text
: text
SELECT string_to_table(t, $1) FROM samples
$ text
: text
SELECT string_to_table($1, $2) FROM samples
$ text text
: text
SELECT string_to_table($1, t, t) FROM samples
$ text
: text
SELECT string_to_table(t, $1, t) FROM samples
$ text
: text
SELECT string_to_table(t, t, $1) FROM samples
$ text
: text
SELECT string_to_table($1, $2, $3) FROM samples
$ text text text
: text
SELECT strpos($1, t) FROM samples
$ text
: integer
SELECT strpos(t, $1) FROM samples
$ text
: integer
SELECT strpos($1, $2) FROM samples
$ text text
: integer
SELECT substr($1, i) FROM samples
$ text
: text
SELECT substr('x'::bytea, $1) FROM samples
$ integer
: bytea
SELECT substr($1, $2) FROM samples
$ text integer
: text
SELECT substr($1, i, i) FROM samples
$ text
: text
SELECT substr('x'::bytea, $1, i) FROM samples
$ integer
: bytea
SELECT substr('x'::bytea, i, $1) FROM samples
$ integer
: bytea
SELECT substr($1, $2, $3) FROM samples
$ text integer integer
: text
SELECT substr(t, $1) FROM samples
$ integer
: text
SELECT substr(t, $1, i) FROM samples
$ integer
: text
SELECT substr(t, i, $1) FROM samples
$ integer
: text
SELECT substring($1, i) FROM samples
$ text
: text
SELECT substring('x'::bytea, $1) FROM samples
$ integer
: bytea
SELECT substring($1, $2) FROM samples
$ text text
: text
SELECT substring($1, i, i) FROM samples
$ text
: text
SELECT substring('x'::bytea, $1, i) FROM samples
$ integer
: bytea
SELECT substring('x'::bytea, i, $1) FROM samples
$ integer
: bytea
SELECT substring($1, $2, $3) FROM samples
$ text text text
: text
SELECT substring(t, $1) FROM samples
$ text
: text
SELECT substring(t, $1, i) FROM samples
$ integer
: text
SELECT substring(t, i, $1) FROM samples
$ integer
: text
SELECT substring($1, t) FROM samples
$ text
: text
SELECT substring($1, t, t) FROM samples
$ text
: text
SELECT substring(t, $1, t) FROM samples
$ text
: text
SELECT substring(t, t, $1) FROM samples
$ text
: text
SELECT tan($1) FROM samples
$ double_precision
: double_precision
SELECT tanh($1) FROM samples
$ double_precision
: double_precision
SELECT timezone($1, tz) FROM samples
$ text
: timestamp_without_time_zone
SELECT timezone((tz - tz), $1) FROM samples
$ timestamp_with_time_zone
: timestamp_without_time_zone
SELECT timezone($1, $2) FROM samples
$ text timestamp_with_time_zone
: timestamp_without_time_zone
SELECT timezone($1, at) FROM samples
$ text
: timestamp_with_time_zone
SELECT timezone(t, $1) FROM samples
$ timestamp_with_time_zone
: timestamp_without_time_zone
SELECT to_char(b, $1) FROM samples
$ text
: text
SELECT to_char(d, $1) FROM samples
$ text
: text
SELECT to_char(i, $1) FROM samples
$ text
: text
SELECT to_char((tz - tz), $1) FROM samples
$ text
: text
~ is refused
>! 0A000
SELECT to_char(n, $1) FROM samples
$ text
: text
SELECT to_char(r, $1) FROM samples
$ text
: text
SELECT to_char(tz, $1) FROM samples
$ text
: text
SELECT to_char(at, $1) FROM samples
$ text
: text
SELECT to_date($1, t) FROM samples
$ text
: date
SELECT to_date(t, $1) FROM samples
$ text
: date
SELECT to_date($1, $2) FROM samples
$ text text
: date
SELECT to_number($1, t) FROM samples
$ text
: numeric
SELECT to_number(t, $1) FROM samples
$ text
: numeric
SELECT to_number($1, $2) FROM samples
$ text text
: numeric
SELECT to_timestamp($1) FROM samples
$ double_precision
: timestamp_with_time_zone
SELECT to_timestamp($1, t) FROM samples
$ text
: timestamp_with_time_zone
SELECT to_timestamp(t, $1) FROM samples
$ text
: timestamp_with_time_zone
SELECT to_timestamp($1, $2) FROM samples
$ text text
: timestamp_with_time_zone
SELECT translate($1, t, t) FROM samples
$ text
: text
SELECT translate(t, $1, t) FROM samples
$ text
: text
SELECT translate(t, t, $1) FROM samples
$ text
: text
SELECT translate($1, $2, $3) FROM samples
$ text text text
: text
SELECT trim_array(a, $1) FROM samples
$ integer
: bigint[]
SELECT trunc($1, i) FROM samples
$ numeric
: numeric
SELECT trunc(n, $1) FROM samples
$ integer
: numeric
SELECT trunc($1, $2) FROM samples
$ numeric integer
: numeric
SELECT upper($1) FROM samples
$ text
: text
SELECT var_pop($1) FROM samples
$ double_precision
: double_precision
SELECT var_samp($1) FROM samples
$ double_precision
: double_precision
SELECT variance($1) FROM samples
$ double_precision
: double_precision
SELECT width_bucket($1, a) FROM samples
$ bigint
: integer
SELECT width_bucket(b, $1) FROM samples
$ bigint[]
: integer
SELECT width_bucket($1, $2) FROM samples
$ text text[]
: integer
SELECT width_bucket($1, d, d, i) FROM samples
$ double_precision
: integer
SELECT width_bucket(d, $1, d, i) FROM samples
$ double_precision
: integer
SELECT width_bucket(d, d, $1, i) FROM samples
$ double_precision
: integer
SELECT width_bucket(d, d, d, $1) FROM samples
$ integer
: integer
SELECT width_bucket($1, $2, $3, $4) FROM samples
$ double_precision double_precision double_precision integer
: integer
SELECT width_bucket($1, n, n, i) FROM samples
$ numeric
: integer
SELECT width_bucket(n, $1, n, i) FROM samples
$ numeric
: integer
SELECT width_bucket(n, n, $1, i) FROM samples
$ numeric
: integer
SELECT width_bucket(n, n, n, $1) FROM samples
$ integer
: integer
SELECT $1 + s FROM samples
$ smallint
: smallint
SELECT s + $1 FROM samples
$ smallint
: smallint
SELECT $1 + i FROM samples
$ integer
: integer
SELECT i + $1 FROM samples
$ integer
: integer
SELECT $1 + b FROM samples
$ bigint
: bigint
SELECT b + $1 FROM samples
$ bigint
: bigint
SELECT $1 + n FROM samples
$ numeric
: numeric
SELECT n + $1 FROM samples
$ numeric
: numeric
SELECT $1 + d FROM samples
$ double_precision
: double_precision
SELECT d + $1 FROM samples
$ double_precision
: double_precision
SELECT $1 + r FROM samples
$ real
: real
SELECT r + $1 FROM samples
$ real
: real
SELECT $1 + at FROM samples
$ interval
: timestamp_without_time_zone
SELECT at + $1 FROM samples
$ interval
: timestamp_without_time_zone
SELECT $1 + tz FROM samples
$ interval
: timestamp_with_time_zone
SELECT tz + $1 FROM samples
$ interval
: timestamp_with_time_zone
SELECT $1 + time '10:00' FROM samples
$ interval
: time_without_time_zone
SELECT time '10:00' + $1 FROM samples
$ interval
: time_without_time_zone
SELECT $1 + (tz - tz) FROM samples
$ interval
: interval
SELECT (tz - tz) + $1 FROM samples
$ interval
: interval
SELECT $1 - s FROM samples
$ smallint
: smallint
SELECT s - $1 FROM samples
$ smallint
: smallint
SELECT $1 - i FROM samples
$ integer
: integer
SELECT i - $1 FROM samples
$ integer
: integer
SELECT $1 - b FROM samples
$ bigint
: bigint
SELECT b - $1 FROM samples
$ bigint
: bigint
SELECT $1 - n FROM samples
$ numeric
: numeric
SELECT n - $1 FROM samples
$ numeric
: numeric
SELECT $1 - d FROM samples
$ double_precision
: double_precision
SELECT d - $1 FROM samples
$ double_precision
: double_precision
SELECT $1 - r FROM samples
$ real
: real
SELECT r - $1 FROM samples
$ real
: real
SELECT $1 - t FROM samples
$ jsonb
: jsonb
~ is refused
>! 42883
SELECT $1 - day FROM samples
$ date
: integer
SELECT day - $1 FROM samples
$ date
: integer
SELECT $1 - at FROM samples
$ timestamp_without_time_zone
: interval
SELECT at - $1 FROM samples
$ timestamp_without_time_zone
: interval
SELECT $1 - tz FROM samples
$ timestamp_with_time_zone
: interval
SELECT tz - $1 FROM samples
$ timestamp_with_time_zone
: interval
SELECT $1 - time '10:00' FROM samples
$ time_without_time_zone
: interval
SELECT time '10:00' - $1 FROM samples
$ time_without_time_zone
: interval
SELECT $1 - (tz - tz) FROM samples
$ interval
: interval
SELECT (tz - tz) - $1 FROM samples
$ interval
: interval
SELECT j::jsonb - $1 FROM samples
$ text
: jsonb
SELECT $1 - string_to_array(t, 'b') FROM samples
$ jsonb
: jsonb
~ is refused
>! 42883
SELECT $1 * s FROM samples
$ smallint
: smallint
SELECT s * $1 FROM samples
$ smallint
: smallint
SELECT $1 * i FROM samples
$ integer
: integer
SELECT i * $1 FROM samples
$ integer
: integer
SELECT $1 * b FROM samples
$ bigint
: bigint
SELECT b * $1 FROM samples
$ bigint
: bigint
SELECT $1 * n FROM samples
$ numeric
: numeric
SELECT n * $1 FROM samples
$ numeric
: numeric
SELECT $1 * d FROM samples
$ double_precision
: double_precision
SELECT d * $1 FROM samples
$ double_precision
: double_precision
SELECT $1 * r FROM samples
$ real
: real
SELECT r * $1 FROM samples
$ real
: real
SELECT $1 * time '10:00' FROM samples
$ double_precision
: interval
SELECT time '10:00' * $1 FROM samples
$ double_precision
: interval
SELECT $1 * (tz - tz) FROM samples
$ double_precision
: interval
SELECT (tz - tz) * $1 FROM samples
$ double_precision
: interval
SELECT $1 / s FROM samples
$ smallint
: smallint
SELECT s / $1 FROM samples
$ smallint
: smallint
SELECT $1 / i FROM samples
$ integer
: integer
SELECT i / $1 FROM samples
$ integer
: integer
SELECT $1 / b FROM samples
$ bigint
: bigint
SELECT b / $1 FROM samples
$ bigint
: bigint
SELECT $1 / n FROM samples
$ numeric
: numeric
SELECT n / $1 FROM samples
$ numeric
: numeric
SELECT $1 / d FROM samples
$ double_precision
: double_precision
SELECT d / $1 FROM samples
$ double_precision
: double_precision
SELECT $1 / r FROM samples
$ real
: real
SELECT r / $1 FROM samples
$ real
: real
SELECT time '10:00' / $1 FROM samples
$ double_precision
: interval
SELECT (tz - tz) / $1 FROM samples
$ double_precision
: interval
SELECT $1 % s FROM samples
$ smallint
: smallint
SELECT s % $1 FROM samples
$ smallint
: smallint
SELECT $1 % i FROM samples
$ integer
: integer
SELECT i % $1 FROM samples
$ integer
: integer
SELECT $1 % b FROM samples
$ bigint
: bigint
SELECT b % $1 FROM samples
$ bigint
: bigint
SELECT $1 % n FROM samples
$ numeric
: numeric
SELECT n % $1 FROM samples
$ numeric
: numeric
SELECT $1 ^ s FROM samples
$ double_precision
: double_precision
SELECT s ^ $1 FROM samples
$ double_precision
: double_precision
SELECT $1 ^ i FROM samples
$ double_precision
: double_precision
SELECT i ^ $1 FROM samples
$ double_precision
: double_precision
SELECT $1 ^ b FROM samples
$ double_precision
: double_precision
SELECT b ^ $1 FROM samples
$ double_precision
: double_precision
SELECT $1 ^ n FROM samples
$ numeric
: numeric
~ has another type
>$ numeric
>: double_precision
SELECT n ^ $1 FROM samples
$ numeric
: numeric
~ has another type
>$ numeric
>: double_precision
SELECT $1 ^ d FROM samples
$ double_precision
: double_precision
SELECT d ^ $1 FROM samples
$ double_precision
: double_precision
SELECT $1 ^ r FROM samples
$ double_precision
: double_precision
SELECT r ^ $1 FROM samples
$ double_precision
: double_precision
SELECT $1 ^ '1' FROM samples
$ double_precision
: double_precision
SELECT '1' ^ $1 FROM samples
$ double_precision
: double_precision
SELECT $1 ^ NULL FROM samples
$ double_precision
: double_precision
SELECT NULL ^ $1 FROM samples
$ double_precision
: double_precision
SELECT $1 || s FROM samples
$ text
: text
SELECT s || $1 FROM samples
$ text
: text
SELECT $1 || i FROM samples
$ text
: text
SELECT i || $1 FROM samples
$ text
: text
SELECT $1 || b FROM samples
$ text
: text
SELECT b || $1 FROM samples
$ text
: text
SELECT $1 || n FROM samples
$ text
: text
SELECT n || $1 FROM samples
$ text
: text
SELECT $1 || d FROM samples
$ text
: text
SELECT d || $1 FROM samples
$ text
: text
SELECT $1 || r FROM samples
$ text
: text
SELECT r || $1 FROM samples
$ text
: text
SELECT $1 || t FROM samples
$ text
: text
SELECT t || $1 FROM samples
$ text
: text
SELECT $1 || f FROM samples
$ text
: text
SELECT f || $1 FROM samples
$ text
: text
SELECT $1 || day FROM samples
$ text
: text
SELECT day || $1 FROM samples
$ text
: text
SELECT $1 || at FROM samples
$ text
: text
SELECT at || $1 FROM samples
$ text
: text
SELECT $1 || tz FROM samples
$ text
: text
SELECT tz || $1 FROM samples
$ text
: text
SELECT $1 || time '10:00' FROM samples
$ text
: text
SELECT time '10:00' || $1 FROM samples
$ text
: text
SELECT $1 || (tz - tz) FROM samples
$ text
: text
SELECT (tz - tz) || $1 FROM samples
$ text
: text
SELECT $1 || j::jsonb FROM samples
$ jsonb
: jsonb
SELECT j::jsonb || $1 FROM samples
$ jsonb
: jsonb
SELECT $1 || j FROM samples
$ text
: text
SELECT j || $1 FROM samples
$ text
: text
SELECT $1 || 'x'::bytea FROM samples
$ bytea
: bytea
SELECT 'x'::bytea || $1 FROM samples
$ bytea
: bytea
SELECT $1 || string_to_array(t, 'b') FROM samples
$ text[]
: text[]
SELECT string_to_array(t, 'b') || $1 FROM samples
$ text[]
: text[]
SELECT $1 || a FROM samples
$ bigint[]
: bigint[]
SELECT a || $1 FROM samples
$ bigint[]
: bigint[]
SELECT $1 || '1' FROM samples
$ text
: text
SELECT '1' || $1 FROM samples
$ text
: text
SELECT $1 || NULL FROM samples
$ text
: text
SELECT NULL || $1 FROM samples
$ text
: text
SELECT $1 = s FROM samples
$ smallint
: boolean
SELECT s = $1 FROM samples
$ smallint
: boolean
SELECT $1 = i FROM samples
$ integer
: boolean
SELECT i = $1 FROM samples
$ integer
: boolean
SELECT $1 = b FROM samples
$ bigint
: boolean
SELECT b = $1 FROM samples
$ bigint
: boolean
SELECT $1 = n FROM samples
$ numeric
: boolean
SELECT n = $1 FROM samples
$ numeric
: boolean
SELECT $1 = d FROM samples
$ double_precision
: boolean
SELECT d = $1 FROM samples
$ double_precision
: boolean
SELECT $1 = r FROM samples
$ real
: boolean
SELECT r = $1 FROM samples
$ real
: boolean
SELECT $1 = t FROM samples
$ text
: boolean
SELECT t = $1 FROM samples
$ text
: boolean
SELECT $1 = f FROM samples
$ boolean
: boolean
SELECT f = $1 FROM samples
$ boolean
: boolean
SELECT $1 = day FROM samples
$ date
: boolean
SELECT day = $1 FROM samples
$ date
: boolean
SELECT $1 = at FROM samples
$ timestamp_without_time_zone
: boolean
SELECT at = $1 FROM samples
$ timestamp_without_time_zone
: boolean
SELECT $1 = tz FROM samples
$ timestamp_with_time_zone
: boolean
SELECT tz = $1 FROM samples
$ timestamp_with_time_zone
: boolean
SELECT $1 = time '10:00' FROM samples
$ time_without_time_zone
: boolean
SELECT time '10:00' = $1 FROM samples
$ time_without_time_zone
: boolean
SELECT $1 = (tz - tz) FROM samples
$ interval
: boolean
SELECT (tz - tz) = $1 FROM samples
$ interval
: boolean
SELECT $1 = j::jsonb FROM samples
$ jsonb
: boolean
SELECT j::jsonb = $1 FROM samples
$ jsonb
: boolean
SELECT $1 = 'x'::bytea FROM samples
$ bytea
: boolean
SELECT 'x'::bytea = $1 FROM samples
$ bytea
: boolean
SELECT $1 = string_to_array(t, 'b') FROM samples
$ text[]
: boolean
SELECT string_to_array(t, 'b') = $1 FROM samples
$ text[]
: boolean
SELECT $1 = a FROM samples
$ bigint[]
: boolean
SELECT a = $1 FROM samples
$ bigint[]
: boolean
SELECT $1 = '1' FROM samples
$ text
: boolean
SELECT '1' = $1 FROM samples
$ text
: boolean
SELECT $1 = NULL FROM samples
$ text
: boolean
SELECT NULL = $1 FROM samples
$ text
: boolean
SELECT $1 < s FROM samples
$ smallint
: boolean
SELECT s < $1 FROM samples
$ smallint
: boolean
SELECT $1 < i FROM samples
$ integer
: boolean
SELECT i < $1 FROM samples
$ integer
: boolean
SELECT $1 < b FROM samples
$ bigint
: boolean
SELECT b < $1 FROM samples
$ bigint
: boolean
SELECT $1 < n FROM samples
$ numeric
: boolean
SELECT n < $1 FROM samples
$ numeric
: boolean
SELECT $1 < d FROM samples
$ double_precision
: boolean
SELECT d < $1 FROM samples
$ double_precision
: boolean
SELECT $1 < r FROM samples
$ real
: boolean
SELECT r < $1 FROM samples
$ real
: boolean
SELECT $1 < t FROM samples
$ text
: boolean
SELECT t < $1 FROM samples
$ text
: boolean
SELECT $1 < f FROM samples
$ boolean
: boolean
SELECT f < $1 FROM samples
$ boolean
: boolean
SELECT $1 < day FROM samples
$ date
: boolean
SELECT day < $1 FROM samples
$ date
: boolean
SELECT $1 < at FROM samples
$ timestamp_without_time_zone
: boolean
SELECT at < $1 FROM samples
$ timestamp_without_time_zone
: boolean
SELECT $1 < tz FROM samples
$ timestamp_with_time_zone
: boolean
SELECT tz < $1 FROM samples
$ timestamp_with_time_zone
: boolean
SELECT $1 < time '10:00' FROM samples
$ time_without_time_zone
: boolean
SELECT time '10:00' < $1 FROM samples
$ time_without_time_zone
: boolean
SELECT $1 < (tz - tz) FROM samples
$ interval
: boolean
SELECT (tz - tz) < $1 FROM samples
$ interval
: boolean
SELECT $1 < j::jsonb FROM samples
$ jsonb
: boolean
SELECT j::jsonb < $1 FROM samples
$ jsonb
: boolean
SELECT $1 < 'x'::bytea FROM samples
$ bytea
: boolean
SELECT 'x'::bytea < $1 FROM samples
$ bytea
: boolean
SELECT $1 < string_to_array(t, 'b') FROM samples
$ text[]
: boolean
SELECT string_to_array(t, 'b') < $1 FROM samples
$ text[]
: boolean
SELECT $1 < a FROM samples
$ bigint[]
: boolean
SELECT a < $1 FROM samples
$ bigint[]
: boolean
SELECT $1 < '1' FROM samples
$ text
: boolean
SELECT '1' < $1 FROM samples
$ text
: boolean
SELECT $1 < NULL FROM samples
$ text
: boolean
SELECT NULL < $1 FROM samples
$ text
: boolean
SELECT $1 ~ t FROM samples
$ text
: boolean
SELECT t ~ $1 FROM samples
$ text
: boolean
SELECT $1 ~ '1' FROM samples
$ text
: boolean
SELECT '1' ~ $1 FROM samples
$ text
: boolean
SELECT $1 ~ NULL FROM samples
$ text
: boolean
SELECT NULL ~ $1 FROM samples
$ text
: boolean
SELECT $1 LIKE t FROM samples
$ text
: boolean
SELECT t LIKE $1 FROM samples
$ text
: boolean
SELECT $1 LIKE 'x'::bytea FROM samples
$ bytea
: boolean
~ is refused
>! 0A000
SELECT 'x'::bytea LIKE $1 FROM samples
$ bytea
: boolean
~ is refused
>! 0A000
SELECT $1 LIKE '1' FROM samples
$ text
: boolean
SELECT '1' LIKE $1 FROM samples
$ text
: boolean
SELECT $1 LIKE NULL FROM samples
$ text
: boolean
SELECT NULL LIKE $1 FROM samples
$ text
: boolean
SELECT j::jsonb -> $1 FROM samples
$ text
: jsonb
SELECT j -> $1 FROM samples
$ text
: json
SELECT j::jsonb ->> $1 FROM samples
$ text
: text
SELECT j ->> $1 FROM samples
$ text
: text
SELECT j::jsonb #> $1 FROM samples
$ text[]
: jsonb
SELECT j #> $1 FROM samples
$ text[]
: json
SELECT j::jsonb #>> $1 FROM samples
$ text[]
: text
SELECT j #>> $1 FROM samples
$ text[]
: text
