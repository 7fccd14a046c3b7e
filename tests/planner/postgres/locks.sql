SELECT pg_try_advisory_lock(1), pg_advisory_unlock(1)
: boolean boolean
= t	t
SELECT pg_try_advisory_lock(1, 2), pg_try_advisory_lock_shared(1, 2), pg_advisory_unlock_shared(1, 2), pg_advisory_unlock(1, 2), pg_advisory_unlock(1, 2)
: boolean boolean boolean boolean boolean
= t	t	t	t	f
SELECT pg_try_advisory_lock(x) AS locked, pg_advisory_unlock(x) FROM generate_series(1, 3) AS x ORDER BY x DESC LIMIT 2
: boolean boolean
= t	t
= t	t
SELECT pg_try_advisory_lock(-9223372036854775808), pg_advisory_unlock(-9223372036854775808)
: boolean boolean
= t	t
SELECT pg_try_advisory_xact_lock('7'), pg_advisory_unlock(7), pg_try_advisory_xact_lock_shared(7::smallint, NULL)
: boolean boolean boolean
= t	f	\N
SELECT pg_try_advisory_lock(classid, 1) FROM (VALUES (1, NULL), (2, 3)) AS v(classid, n) WHERE n IS NOT NULL
: boolean
= t
SELECT pg_try_advisory_lock()
! 42883
SELECT pg_try_advisory_lock(1.5)
! 42883
SELECT pg_try_advisory_lock(1::bigint, 2)
! 42883
SELECT pg_try_advisory_lock(true)
! 42883
SELECT pg_try_advisory_lock('x')
! 22P02
SELECT pg_try_advisory_lock(1, 2, 3)
! 42883
SELECT pg_try_advisory_lock_all()
! 42883
SELECT pg_advisory_unlock_all(1)
! 42883
SELECT pg_blocking_pids(pg_backend_pid())
: integer[]
= {}
SELECT pg_try_advisory_lock(id), pg_advisory_unlock(id) FROM samples WHERE id = 1
: boolean boolean
= t	t
~ a lock is taken by an item of the outermost SELECT list, of a statement that reads no store
>! 0A000
SELECT CASE WHEN pg_try_advisory_lock(1) THEN pg_advisory_unlock(1) END
: boolean
= t
~ a lock is taken by an item of the outermost SELECT list, of a statement that reads no store
>! 0A000
SELECT DISTINCT pg_try_advisory_xact_lock(x) FROM generate_series(1, 2) AS x
: boolean
= t
~ a lock is taken by an item of the outermost SELECT list, of a statement that reads no store
>! 0A000
SELECT pg_advisory_lock(5)::text
: text
= 
~ a lock is taken by an item of the outermost SELECT list, of a statement that reads no store
>! 0A000
SELECT pg_try_advisory_lock(hashtext('x')), pg_try_advisory_lock(hashtextextended('x', 0) + 1)
: boolean boolean
= t	t
