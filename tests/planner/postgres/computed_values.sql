SELECT count(*) FROM samples WHERE id BETWEEN 2 AND 2 + 3
: bigint
= 4
SELECT id FROM samples WHERE id = length('abc')
: integer
= 3
SELECT id FROM samples WHERE id IN (1 + 1, abs(-3), length('abcd')) ORDER BY id
: integer
= 2
= 3
= 4
SELECT id FROM samples WHERE id = ANY (string_to_array('1,2', ',')::int[]) ORDER BY id
: integer
= 1
= 2
SELECT id FROM samples WHERE id = ANY (ARRAY[1, 1 + 1, 2 * 2]) ORDER BY id
: integer
= 1
= 2
= 4
SELECT id FROM samples WHERE id = 2.0 * 1.5
: integer
= 3
SELECT id FROM samples WHERE id = 2.5 * 1.5
: integer
SELECT id FROM samples WHERE id >= 1e0 + 0.5 ORDER BY id
: integer
= 2
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT id FROM samples WHERE id < CASE WHEN 1 > 0 THEN 3 ELSE 1 / 0 END ORDER BY id
: integer
= 1
= 2
SELECT count(*) FROM samples WHERE false AND id = 1 / 0
: bigint
= 0
SELECT count(*) FROM samples WHERE id = 1 / 0
! 22012
SELECT count(*) FROM samples WHERE true OR id = 1 / 0
: bigint
= 9
SELECT count(*) FROM samples WHERE id = 2147483647 + 1
! 22003
SELECT count(*) FROM samples WHERE id = ('x' || '1')::int
! 22P02
SELECT count(*) FROM samples WHERE id = NULL + 1
: bigint
= 0
SELECT count(*) FROM samples WHERE id > coalesce(NULL, 2)
: bigint
= 7
SELECT id FROM samples ORDER BY id LIMIT 1 + 1 OFFSET 3 - 2
: integer
= 2
= 3
SELECT id FROM samples ORDER BY id LIMIT 1 - 2
! 2201W
SELECT id FROM samples ORDER BY id LIMIT 10 / 4
: integer
= 1
= 2
SELECT count(*) FROM samples WHERE id < upper('a')
! 42883
SELECT count(*) FROM samples WHERE at >= date_trunc('year', timestamp '2020-05-06') AND at < date_trunc('year', timestamp '2020-05-06') + interval '1 year'
: bigint
= 6
SELECT count(*) FROM samples WHERE tz BETWEEN date '1970-01-01' - 1 AND date '2000-01-01' + 30
: bigint
= 2
SELECT count(*) FROM samples WHERE tz < now() - interval '1 day'
: bigint
= 8
SELECT count(*) FROM samples WHERE tz < current_date + 1 AND tz < now()
: bigint
= 8
SELECT count(*), bool_and(now() = now()) FROM samples WHERE at < localtimestamp
: bigint boolean
= 8	t
SELECT count(*) FROM samples WHERE at = make_timestamp(2020, 13, 1, 0, 0, 0)
! 22008
SELECT count(*) FROM notes WHERE note LIKE 'o' || '%'
: bigint
= 1
SELECT count(*) FROM notes WHERE note >= lower('N') AND note < lower('TX')
: bigint
= 3
SELECT count(*) FROM notes WHERE note = left('one two', 3) OR note = right('one two', 3) OR note = substr('x far', 3, 3)
: bigint
= 3
SELECT count(*) FROM notes WHERE starts_with(note, repeat('n', 1))
: bigint
= 1
SELECT count(*) FROM notes WHERE note = concat('on', NULL, 'e')
: bigint
= 1
SELECT count(*) FROM notes a JOIN notes b ON a.note = b.note AND b.note > chr(100 + 10) WHERE a.note < chr(100 + 16)
: bigint
= 2
SELECT count(*) FROM notes WHERE note = nosuch('a')
! 42883
SELECT count(*) FROM notes WHERE note = left('a', 'b', 'c')
! 42883
SELECT count(*) FROM notes WHERE note = max('a')
! 42803
SELECT count(*) FROM notes WHERE note = 5 || 'a'
: bigint
= 0
