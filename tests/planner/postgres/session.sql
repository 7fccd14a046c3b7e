SELECT current_user = session_user, user = current_role, current_catalog = current_database() FROM samples WHERE id = 1
: boolean boolean boolean
= t	t	t
SELECT current_schema::text, current_schema()::text, current_schemas(true)::text[], current_schemas(false)::text[], current_schemas(id > 1)::text[] FROM samples WHERE id = 1
: text text text[] text[] text[]
= public	public	{pg_catalog,public}	{public}	{public}
SELECT version() ~ '^PostgreSQL 15', current_setting('server_version') ~ '^15', current_setting('SERVER_encoding') FROM samples WHERE id = 1
: boolean boolean text
= t	t	UTF8
SELECT current_setting('no.such', true), current_setting(NULL), coalesce(current_setting('no.such', true), 'none') FROM samples WHERE id = 1
: text text text
= \N	\N	none
SELECT id, CASE WHEN id > 100 THEN current_setting('no.such') ELSE 'kept' END FROM samples WHERE id < 3 ORDER BY id
: integer text
= 1	kept
= 2	kept
SELECT current_setting('server_' || 'encoding'), current_setting(CASE WHEN id = 1 THEN 'client_encoding' END) FROM samples WHERE id = 1
: text text
= UTF8	UTF8
SELECT pg_backend_pid() > 0, pg_is_in_recovery(), txid_current_if_assigned(), pg_client_encoding() = 'UTF8' FROM samples WHERE id = 1
: boolean boolean bigint boolean
= t	f	\N	t
SELECT count(*), min(length(current_user)) > 0 FROM samples WHERE current_user = session_user
: bigint boolean
= 9	t
SELECT count(*) FROM samples WHERE t = current_user
: bigint
= 0
SELECT s.id, m.me = current_user FROM samples s JOIN (SELECT user AS me) m ON true WHERE s.id = (SELECT 1 WHERE current_user = user)
: integer boolean
= 1	t
WITH mine AS (SELECT id, current_database() AS d FROM samples WHERE id = 1) SELECT d = current_catalog FROM mine
: boolean
= t
SELECT current_user = user, count(*) FROM samples GROUP BY current_user ORDER BY current_user
: boolean bigint
= t	9
SELECT has_table_privilege('samples', 'select'), has_schema_privilege(current_user, 'public', 'usage'), format_type(23, NULL) FROM samples WHERE id = 1
: boolean boolean text
= t	t	integer
SELECT now() = current_timestamp, now() = transaction_timestamp(), localtimestamp = now()::timestamp, localtime = now()::time, current_date = now()::date FROM samples WHERE id = 1
: boolean boolean boolean boolean boolean
= t	t	t	t	t
SELECT current_timestamp(0) = date_trunc('second', current_timestamp(0)), statement_timestamp() >= now(), clock_timestamp() >= now(), concat(current_date) = now()::date::text FROM samples WHERE id = 1
: boolean boolean boolean boolean
= t	t	t	t
SELECT current_user = user, current_timestamp(3) = now(), localtime(0) IS NULL FROM samples WHERE id = 1 AND current_timestamp(6) = now() AND false
: boolean boolean boolean
LOCK TABLE samples, IN ACCESS SHARE MODE NOWAIT
! 42601
LOCK TABLE samples notes IN ACCESS SHARE MODE
! 42601
LOCK TABLE IN ACCESS SHARE MODE
! 42601
LOCK left IN ACCESS SHARE MODE
! 42601
LOCK samples IN ACCESS SHARE MODE MODE
! 42601
LOCK samples IN ACCESS MODE
! 42601
LOCK ONLY (samples IN ACCESS SHARE MODE
! 42601
LOCK samples NOWAIT NOWAIT
! 42601
LOCK a.b.c.d IN ACCESS SHARE MODE
! 42601
COPY notes ("note", 1 "who") TO STDOUT
! 42601
COPY notes (note who) TO STDOUT
! 42601
COPY notes (note,) TO STDOUT
! 42601
COPY notes () TO STDOUT
! 42601
COPY notes ("note" FROM) TO STDOUT
! 42601
COPY notes (note.x) TO STDOUT
! 42601
COPY COPY ((SELECT 1)) TO STDOUT
! 42601
COPY notes TO STDOUT (FORMAT xml, NULL ''
! 42601
COPY notes TO STDOUT (FORMAT xml FORMAT)
! 42601
COPY notes TO STDOUT (HEADER select)
! 42601
COPY notes TO STDOUT (FORMAT csv, FORCE_QUOTE (a b))
! 42601
COPY notes TO STDOUT (FORMAT csv, FORCE_QUOTE (1))
! 42601
COPY (SELEC 1) TO STDOUT (FORMAT xml)
! 42601
COPY (SELECT 1 AS a) TO STDOUT (FORMAT csv, FORCE_QUOTE (a, a))
! 42701
COPY notes TO STDOUT (ENCODING 'klingon')
! 22023
COPY notes TO STDOUT (HEADER 1.5)
! 42601
PREPARE p (integer integer) AS SELECT 1
! 42601
PREPARE p (double precision or text) AS SELECT 1
! 42601
PREPARE p (1.5 . int4) AS SELECT 1
! 42601
PREPARE p (nonsense) AS SELECT nothing
! 42704
PREPARE p (nonsense) AS SELEC 1
! 42601
PREPARE p (varchar(3][2)) AS SELECT 1
! 42601
EXECUTE p (1 2)
! 42601
EXECUTE p (CAST(1 text))
! 42601
EXECUTE p (CAST CAST(1 AS text))
! 42601
EXECUTE p (SELECT 1)
! 42601
EXECUTE p (1 a)
! 42601
EXECUTE p (1,)
! 42601
EXECUTE p (NULL NULL)
! 42601
EXECUTE p (1 OR)
! 42601
DECLARE c SCROLL NO SCROLL CURSOR FOR 1
! 42601
DECLARE c SCROLL NO SCROLL CURSOR FOR SELECT nothing
! 42P11
DECLARE c CURSOR FOR SHOW nothing
! 42601
FETCH 2147483648 FROM c
! 42601
FETCH -2147483649 FROM c
! 42601
FETCH FORWARD 9223372036854775808 c
! 42601
UNLISTEN FROM
! 42601
LISTEN table
! 42601
DISCARD ALL ALL
! 42601
DISCARD "all"
! 42601
EXPLAIN (COSTS OFF OFF) SELECT 1
! 42601
EXPLAIN (COSTS COSTS OFF) SELECT 1
! 42601
EXPLAIN (COSTS 1 OFF) SELECT 1
! 42601
EXPLAIN (COSTS NULL) SELECT 1
! 42601
EXPLAIN (ANALYZE,) SELECT 1
! 42601
EXPLAIN (true on) SELECT 1
! 42601
EXPLAIN (nothing) SELECT 1
! 42601
EXPLAIN (COSTS 2) SELECT 1
! 42601
EXPLAIN (FORMAT) SELECT 1
! 42601
EXPLAIN (FORMAT klingon) SELECT 1
! 22023
EXPLAIN (WAL) SELECT 1
! 22023
EXPLAIN (TIMING) SELECT 1
! 22023
EXPLAIN VERBOSE ANALYZE SELECT 1
! 42601
EXPLAIN ANALYZE VERBOSE VERBOSE SELECT 1
! 42601
EXECUTE p ()
! 42601
EXPLAIN EXECUTE p ()
! 42601
