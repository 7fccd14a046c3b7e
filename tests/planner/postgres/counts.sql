SELECT id FROM samples ORDER BY id LIMIT true
! 42804
SELECT id FROM samples ORDER BY id OFFSET true
! 42804
SELECT id FROM samples ORDER BY id LIMIT 'x'
! 22P02
SELECT id FROM samples ORDER BY id LIMIT '2' OFFSET '1'
: integer
= 2
= 3
SELECT id FROM samples ORDER BY id LIMIT 1.5
: integer
= 1
= 2
SELECT id FROM samples ORDER BY id LIMIT '2020-01-01'::date
! 42804
SELECT id FROM samples ORDER BY id LIMIT '2'::text
! 42804
SELECT id FROM samples ORDER BY id LIMIT NULL
: integer
= 1
= 2
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT id FROM samples ORDER BY id LIMIT 1 + 1 OFFSET 2 - 1
: integer
= 2
= 3
SELECT id FROM samples ORDER BY id FETCH FIRST NULL ROWS WITH TIES
! 2201W
SELECT id FROM samples ORDER BY id FETCH FIRST (NULL) ROWS WITH TIES
! 2201W
SELECT id FROM samples ORDER BY id FETCH FIRST (NULL) ROWS ONLY
: integer
= 1
= 2
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT id FROM samples ORDER BY id FETCH FIRST (-1) ROWS WITH TIES
! 2201W
SELECT id FROM samples ORDER BY id FETCH FIRST (true) ROWS ONLY
! 42804
SELECT id FROM samples ORDER BY id LIMIT id
! 42P10
SELECT id FROM samples ORDER BY id OFFSET id
! 42P10
SELECT id FROM samples ORDER BY id LIMIT id + 1
! 42P10
SELECT id FROM samples ORDER BY id LIMIT samples.id
! 42P10
SELECT id FROM samples ORDER BY id LIMIT (SELECT 2)
: integer
= 1
= 2
SELECT id FROM samples ORDER BY id LIMIT (SELECT max(number) FROM notes) - 2
: integer
= 1
= 2
= 3
SELECT id FROM samples ORDER BY id FETCH FIRST (id) ROWS ONLY
! 42P10
SELECT id FROM samples ORDER BY id LIMIT nosuch
! 42703
SELECT id FROM samples UNION SELECT 1 ORDER BY 1 LIMIT true
! 42804
