SELECT (1, (2, 3)) < (1, (2, 4)), (1, (2, 3)) >= (1, (2, 4)), (1, (2, 3)) = (1, (2, 3)), (1, (2, 3)) <> (1, (2, 3))
: boolean boolean boolean boolean
= t	f	t	f
SELECT ROW(i, ROW(s::int, 1)) = ROW(1, ROW(1, NULL::int)), ROW(i, (s::int, 1)) <> (1, ROW(1, 2)) FROM samples ORDER BY id
: boolean boolean
= f	t
= f	t
= f	t
= f	t
= f	t
= f	t
= f	t
= f	t
= f	t
SELECT (1, (2, NULL::int)) IN ((1, (2, 4)), (1, (2, NULL::int))), (1, (2, 5)) IN ((1, (2, 4)), (1, (2, 5)))
: boolean boolean
= t	t
SELECT (1, (2, NULL::int)) NOT IN ((1, (3, 4)), (2, (2, NULL::int)))
: boolean
= t
SELECT (1, 2) = (1, 2, 3)
! 42601
SELECT (1, (2, NULL::int)) < (1, (2, 4)), (1, (2, 4)) < (1, (2, NULL::int)), (1, NULL::int) < (1, 2)
: boolean boolean boolean
= f	t	\N
SELECT ROW() = ROW()
! 0A000
SELECT (1, 2) IN ((1, 2, 3))
! 42601
SELECT id FROM samples WHERE (i, s) IN ((1, 1), (2, 2)) ORDER BY id
: integer
= 1
= 3
SELECT id FROM samples WHERE (id, i) IN (SELECT number, sample FROM notes) ORDER BY id
: integer
= 1
= 3
SELECT id FROM samples WHERE (i, s) > (2, 1) ORDER BY id
: integer
= 3
= 4
= 7
= 9
SELECT id FROM samples WHERE (i) IN ((1), (2)) ORDER BY id
: integer
= 1
= 2
= 3
SELECT id FROM samples WHERE ROW(i) = ROW(2) ORDER BY id
: integer
= 2
= 3
SELECT (id, i) = (SELECT 1, 1) FROM samples
: boolean
= t
= f
= f
= f
= f
= f
= f
= f
= f
~ a row is not compared with that of a subquery
>! 0A000
SELECT (id, i) IS NULL, ROW(i, s) IS NOT NULL FROM samples ORDER BY id
: boolean boolean
= f	t
= f	t
= f	t
= f	t
= f	f
= f	t
= f	t
= f	t
= f	t
