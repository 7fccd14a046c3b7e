SELECT m[1][1], m[1][2], m[2][1], m[2][2] FROM (SELECT ARRAY[ARRAY[1, 2], ARRAY[3, 4]] AS m) q
: integer integer integer integer
= 1	2	3	4
SELECT (ARRAY[[5, 6], [7, 8]])[2][2], (ARRAY[[5, 6], [7, 8]])[3][1], (ARRAY[[1, 2], [3, 4]])[1:2][1]
: integer integer integer[]
= 8	\N	{{1},{3}}
SELECT (ARRAY[[1, 2, 3], [4, 5, 6], [7, 8, 9]])[2:3][1:2], (ARRAY[[1, 2, 3], [4, 5, 6]])[2:][2:3], (ARRAY[[1, 2, 3], [4, 5, 6]])[1:1], (ARRAY[[1, 2]])[3:4][1:1]
: integer[] integer[] integer[] integer[]
= {{4,5},{7,8}}	{{5,6}}	{{1,2,3}}	{}
SELECT (array[1, 2, 3])[:x], (array[1, 2, 3])[x:], (array[1, 2, 3])[x:x+1], (array[1, 2, 3])[:] FROM (VALUES (2), (NULL), (0)) v(x)
: integer[] integer[] integer[] integer[]
= {1,2}	{2,3}	{2,3}	{1,2,3}
= \N	\N	\N	{1,2,3}
= {}	{1,2,3}	{1}	{1,2,3}
SELECT (string_to_array('a,b,c', ','))[:n] FROM (VALUES (2)) v(n)
: text[]
= {a,b}
SELECT a[:2], a[i:], a[id], a[id:i], a[s:s], a[NULL:2] FROM samples ORDER BY id
: bigint[] bigint[] bigint bigint[] bigint[] bigint[]
= {1,2}	{1,2}	1	{1}	{1}	\N
= {2,3}	{3}	3	{3}	{2}	\N
= {}	{}	\N	{}	{}	\N
= {4}	{}	\N	{}	{}	\N
= \N	\N	\N	\N	\N	\N
= {2}	{2}	\N	{}	{}	\N
= {7,8}	{}	\N	{}	{9}	\N
= {10,-10}	{10,-10}	\N	{}	{}	\N
= {9,9}	{}	\N	{}	{}	\N
SELECT (ARRAY[[id, i], [s, b]])[1][s], (ARRAY[[id, i], [s, b]])[s][:], (ARRAY[[id, i], [s, b]])[2:][2:] FROM samples ORDER BY id
: bigint bigint[] bigint[]
= 1	{{1,1}}	{{10}}
= 2	{{2,2}}	{{20}}
= 2	{{3,2},{2,-30}}	{{-30}}
= 5	{{4,5},{2,9007199254740993}}	{{9007199254740993}}
= \N	\N	{{NULL}}
= \N	{{6,-7},{3,0}}	{{0}}
= \N	{{7,9},{3,70}}	{{70}}
= \N	{}	{{80}}
= \N	{}	{{90}}
SELECT (ARRAY[1,2])[$1]
$ integer
: integer
SELECT (ARRAY[1,2])[$1:$2], (ARRAY[[1,2]])[1][$3]
$ integer integer integer
: integer[] integer
SELECT array_sort(b) FROM samples
! 42883
SELECT array_fill(false, ARRAY[2::smallint]), array_fill(7, ARRAY[2, 3]), array_fill('x'::text, '{2}'), array_fill(0, ARRAY[0, 2])
: boolean[] integer[] text[] integer[]
= {f,f}	{{7,7,7},{7,7,7}}	{x,x}	{}
SELECT 1 = ALL (NULL), 1 = ANY (NULL), 1 = SOME (NULL), 1 <> ALL (NULL), 'a' = ANY (NULL), id = ANY (NULL), NOT t <> ALL (NULL), t LIKE ANY (NULL) FROM samples WHERE id = 1
: boolean boolean boolean boolean boolean boolean boolean boolean
= \N	\N	\N	\N	\N	\N	\N	\N
SELECT count(*) FROM samples WHERE id = ANY (NULL)
: bigint
= 0
SELECT count(*) FROM samples WHERE NOT id = ANY (NULL) OR id <> ALL (NULL)
: bigint
= 0
SELECT id FROM samples WHERE id = ANY ('{{1,2},{4,9}}') ORDER BY id
: integer
= 1
= 2
= 4
= 9
SELECT id FROM samples WHERE id = ANY (ARRAY[[1,2],[4,9]]) AND b > ALL ('{{1,2},{3,4}}') ORDER BY id
: integer
= 1
= 2
= 4
= 9
SELECT (array_agg(ARRAY[id, i] ORDER BY id))[2:3], (array_agg(ARRAY[id, i] ORDER BY id))[2][1] FROM samples
: integer[] integer
= {{2,2},{3,2}}	2
SELECT array_agg(a ORDER BY id) FILTER (WHERE id < 3) FROM samples
: bigint[]
= {{1,2},{2,3}}
SELECT s, array_agg(ARRAY[id, i] ORDER BY id) FROM samples GROUP BY s ORDER BY s
: smallint integer[]
= -1	{{8,0},{9,3}}
= 1	{{1,1},{2,2}}
= 2	{{3,2},{4,5}}
= 3	{{6,-7},{7,9}}
= \N	{{5,NULL}}
SELECT ARRAY(SELECT ARRAY[id, i] FROM samples WHERE id < 4 ORDER BY id), ARRAY(SELECT a FROM samples WHERE id > 100)
: integer[] bigint[]
= {{1,1},{2,2},{3,2}}	{}
SELECT id, ARRAY[a, a], array_dims(ARRAY[a, a]), cardinality(ARRAY[a, a]), (ARRAY[a, a])[2][1], array_to_string(ARRAY[a, a], '|') FROM samples ORDER BY id
: integer bigint[] text integer bigint text
= 1	{{1,2},{1,2}}	[1:2][1:2]	4	1	1|2|1|2
= 2	{{2,3},{2,3}}	[1:2][1:2]	4	2	2|3|2|3
= 3	{}	\N	0	\N	
= 4	{{4},{4}}	[1:2][1:1]	2	4	4|4
= 5	{}	\N	0	\N	
= 6	{{2},{2}}	[1:2][1:1]	2	2	2|2
= 7	{{7,8,9},{7,8,9}}	[1:2][1:3]	6	7	7|8|9|7|8|9
= 8	{{10,-10},{10,-10}}	[1:2][1:2]	4	10	10|-10|10|-10
= 9	{{9,9},{9,9}}	[1:2][1:2]	4	9	9|9|9|9
SELECT ARRAY[ARRAY[i, s], ARRAY[s, i]]::text, ARRAY[[t, NULL], ['x', t]]::text, ARRAY[[d], [d]]::text, ARRAY[[f, NULL]]::text, ARRAY[[day]]::text FROM samples ORDER BY id
: text text text text text
= {{1,1},{1,1}}	{{Abc,NULL},{x,Abc}}	{{0.5},{0.5}}	{{t,NULL}}	{{2020-01-01}}
= {{2,1},{1,2}}	{{abc,NULL},{x,abc}}	{{1.5},{1.5}}	{{f,NULL}}	{{2020-02-29}}
= {{2,2},{2,2}}	{{b,NULL},{x,b}}	{{2.5},{2.5}}	{{t,NULL}}	{{2020-03-15}}
= {{5,2},{2,5}}	{{"",NULL},{x,""}}	{{-2.5},{-2.5}}	{{f,NULL}}	{{2020-12-31}}
= {{NULL,NULL},{NULL,NULL}}	{{NULL,NULL},{x,NULL}}	{{NULL},{NULL}}	{{NULL,NULL}}	{{NULL}}
= {{-7,3},{3,-7}}	{{aB,NULL},{x,aB}}	{{0},{0}}	{{t,NULL}}	{{1999-12-31}}
= {{9,3},{3,9}}	{{ä,NULL},{x,ä}}	{{1e+20},{1e+20}}	{{t,NULL}}	{{2020-06-15}}
= {{0,-1},{-1,0}}	{{Zed,NULL},{x,Zed}}	{{0.1},{0.1}}	{{f,NULL}}	{{1970-01-01}}
= {{3,-1},{-1,3}}	{{" x ",NULL},{x," x "}}	{{123456.789},{123456.789}}	{{f,NULL}}	{{2020-07-04}}
SELECT ARRAY[[d, r]]::int[] FROM samples WHERE id < 4 ORDER BY id
: integer[]
= {{0,2}}
= {{2,2}}
= {{2,0}}
SELECT ARRAY[['1', '2'], ['3', '4']]::int[], ARRAY[['a', 'b']]::text[], ARRAY[['1.5', NULL]]::numeric[], ARRAY[[1, 0]]::text[], ARRAY[['t', 'no']]::boolean[], ARRAY[['2020-01-02']]::date[]
: integer[] text[] numeric[] text[] boolean[] date[]
= {{1,2},{3,4}}	{{a,b}}	{{1.5,NULL}}	{{1,0}}	{{t,f}}	{{2020-01-02}}
SELECT ARRAY[['1', 'x']]::int[]
! 22P02
SELECT ARRAY['1.5']::int[]
! 22P02
SELECT ARRAY[t]::int[] FROM samples WHERE id = 1
! 22P02
SELECT ARRAY[['abc', 'd']]::varchar(2)[], ARRAY[['abc']]::char(1)[]
: character_varying[] character[]
= {{ab,d}}	{{a}}
SELECT ARRAY[[timestamp '2020-01-02 03:04:05.678']]::timestamp(0)[]
: timestamp_without_time_zone[]
= {{"2020-01-02 03:04:06"}}
SELECT '{{1,2},{3,4}}'::bigint[], '{{a,b},{c,d}}'::text[], '{{t,f}}'::boolean[], '{{2020-01-02}}'::date[], '{{1.5,2.5}}'::numeric[]
: bigint[] text[] boolean[] date[] numeric[]
= {{1,2},{3,4}}	{{a,b},{c,d}}	{{t,f}}	{{2020-01-02}}	{{1.5,2.5}}
SELECT '{5B7EE97C-7F1E-4D3A-9EE1-000000000001}'::uuid[], '{{\\x01ff}}'::bytea[], '{{1 day}}'::interval[]
: uuid[] bytea[] interval[]
= {5b7ee97c-7f1e-4d3a-9ee1-000000000001}	{{"\\\\x01ff"}}	{{"1 day"}}
SELECT '{1,2}'::int[3], '{1,2}'::int array, integer[] '{3}', cast('{4}' as int array[2]), pg_typeof('{{1}}'::int[][])
! 42601
SELECT x, array_dims(x), x[1] FROM (VALUES ('{1,2}'::int[]), ('{}'), (NULL)) v(x)
: integer[] text integer
= {1,2}	[1:2]	1
= {}	\N	\N
= \N	\N	\N
SELECT x, array_dims(x), x[1][1] FROM (VALUES (ARRAY[[1,2],[3,4]]), ('{}'), (NULL), ('{{5}}')) v(x)
: integer[] text integer
= {{1,2},{3,4}}	[1:2][1:2]	1
= {}	\N	\N
= \N	\N	\N
= {{5}}	[1:1][1:1]	5
SELECT x FROM (VALUES (ARRAY[[1,2],[3,4]]), (ARRAY[[1],[2]]), (ARRAY[[1,2]]), (NULL), ('{}'), (ARRAY[[1,NULL]])) v(x) ORDER BY x
: integer[]
= {}
= {{1,2}}
= {{1},{2}}
= {{1,2},{3,4}}
= {{1,NULL}}
= \N
SELECT x AS y FROM (VALUES (ARRAY[[1,2],[3,4]]), (ARRAY[[1],[2]]), (ARRAY[[1,2]])) v(x) ORDER BY y DESC
: integer[]
= {{1,2},{3,4}}
= {{1},{2}}
= {{1,2}}
SELECT x, count(*) FROM (VALUES (ARRAY[[1,2]]), (ARRAY[[1],[2]]), (ARRAY[[1,2]])) v(x) GROUP BY x ORDER BY 2
: integer[] bigint
= {{1},{2}}	1
= {{1,2}}	2
SELECT DISTINCT x FROM (VALUES (ARRAY[[1,2]]), (ARRAY[[1,2]])) v(x)
: integer[]
= {{1,2}}
SELECT row_number() OVER (ORDER BY x), x FROM (VALUES (ARRAY[[1],[2]]), (ARRAY[[1,2]])) v(x) ORDER BY 1
: bigint integer[]
= 1	{{1,2}}
= 2	{{1},{2}}
SELECT ARRAY[[1,1]] < ARRAY[[1],[2]], ARRAY[[1],[2]] > ARRAY[[1,2]], ARRAY[[1,2]] = ARRAY[1,2], ARRAY[1,2] < ARRAY[[1,2]], ARRAY[[1]] IS DISTINCT FROM ARRAY[1], ARRAY[[1,2]] BETWEEN ARRAY[[1]] AND ARRAY[[9]], ARRAY[[1]] IN (ARRAY[[2]], ARRAY[[1]]), '{}'::int[] = ARRAY[]::int[][]
: boolean boolean boolean boolean boolean boolean boolean boolean
= t	t	f	t	t	t	t	t
SELECT ARRAY[1,2] || ARRAY[[3,4]], ARRAY[[1,2]] || '{3,4}', ARRAY[[1,2]] || '{{3,4}}', ARRAY[[1,2]] || NULL, ARRAY[1] || NULL, NULL || ARRAY['a'], ARRAY[1] || NULL::int, ARRAY[1] || '{2,3}'
: integer[] integer[] integer[] integer[] integer[] text[] integer[] integer[]
= {{1,2},{3,4}}	{{1,2},{3,4}}	{{1,2},{3,4}}	{{1,2}}	{1}	{a}	{1,NULL}	{1,2,3}
SELECT ARRAY[1] || '2'
! 22P02
SELECT array_append(NULL, 1), array_prepend(1, NULL), array_append('{1}', 2), array_cat('{1}', ARRAY[2]), array_cat(ARRAY[[1]], NULL)
: integer[] integer[] integer[] integer[] integer[]
= {1}	{1}	{1,2}	{1,2}	{{1}}
SELECT width_bucket(i, ARRAY[0, 2, 5]), width_bucket(2.5, '{1,2,3}') FROM samples ORDER BY id
: integer integer
= 1	2
= 2	2
= 2	2
= 3	2
= \N	2
= 0	2
= 3	2
= 1	2
= 2	2
SELECT coalesce(a, '{}'), coalesce(NULLIF(a, '{}'), '{5}'), CASE WHEN id > 5 THEN a ELSE '{1,NULL}' END FROM samples ORDER BY id
: bigint[] bigint[] bigint[]
= {1,2}	{1,2}	{1,NULL}
= {2,3}	{2,3}	{1,NULL}
= {}	{5}	{1,NULL}
= {4}	{4}	{1,NULL}
= {}	{5}	{1,NULL}
= {2}	{2}	{2}
= {7,8,9}	{7,8,9}	{7,8,9}
= {10,-10}	{10,-10}	{10,-10}
= {9,9}	{9,9}	{9,9}
SELECT coalesce(NULL, ARRAY[[1,2]], '{}'), CASE WHEN false THEN ARRAY[[1]] ELSE '{{2}}' END, greatest(ARRAY[1,2], '{1,3}')
: integer[] integer[] integer[]
= {{1,2}}	{{2}}	{1,3}
SELECT a FROM samples WHERE id = 1 UNION ALL SELECT '{7}' UNION ALL SELECT NULL
: bigint[]
= {1,2}
= {7}
= \N
SELECT array_to_json(ARRAY[[1,2],[3,4]]), to_json(ARRAY[['a', NULL]]), json_build_array(ARRAY[[1]])
: json json json
= [[1,2],[3,4]]	[["a",null]]	[[[1]]]
SELECT unnest(ARRAY[[1,2],[3,NULL]]), generate_subscripts(ARRAY[[1,2],[3,4]], 2)
: integer integer
= 1	1
= 2	2
= 3	\N
= \N	\N
SELECT u.* FROM samples, unnest(ARRAY[[id, i]]) WITH ORDINALITY AS u(v, n) WHERE id < 3 ORDER BY id, n
: integer bigint
= 1	1
= 1	2
= 2	1
= 2	2
SELECT i, j, m[i][j] FROM (SELECT ARRAY[[1,2],[3,4]] AS m) q, generate_subscripts(m, 1) AS i, generate_subscripts(m, 2) AS j ORDER BY 1, 2
: integer integer integer
= 1	1	1
= 1	2	2
= 2	1	3
= 2	2	4
SELECT array_upper(m, 1), array_upper(m, 2), array_lower(m, 2), array_length(m, 3), array_ndims(m), array_dims(m), cardinality(m) FROM (SELECT ARRAY[[1,2,3],[4,5,6]] AS m) q
: integer integer integer integer integer text integer
= 2	3	1	\N	2	[1:2][1:3]	6
SELECT array_remove(ARRAY[1,2], (SELECT 1)), array_replace(ARRAY[[1,2],[2,1]], (SELECT 1), 9), array_positions(ARRAY[1,2], (SELECT 2)), (ARRAY[[1,2]])[1:(SELECT 1)][1:1]
: integer[] integer[] integer[] integer[]
= {2}	{{9,2},{2,9}}	{2}	{{1}}
SELECT (ARRAY[1,2])[true]
! 42804
SELECT (ARRAY[1,2])['x']
! 22P02
SELECT (id)[1] FROM samples
! 42804
SELECT (t)[1] FROM samples
! 42804
SELECT (ARRAY[1,2])[3000000000]
! 22003
SELECT ARRAY[[1,2],[3]]
! 2202E
SELECT ARRAY[ARRAY[1], a] FROM samples
! 2202E
SELECT '{{1,2},{3}}'::int[]
! 22P02
SELECT '[0:1]={1,2}'::int[]
: integer[]
= [0:1]={1,2}
~ arrays have one number of dimensions in a column, and begin at 1
>! 0A000
SELECT '[1:2]={1,2}'::int[], '[2]={1,2}'::int[]
: integer[] integer[]
= {1,2}	{1,2}
SELECT t::int[] FROM (VALUES ('{1,2}'), ('{}')) v(t)
: integer[]
= {1,2}
= {}
SELECT t::int[] FROM (VALUES ('{{1,2}}')) v(t)
: integer[]
= {{1,2}}
~ arrays have one number of dimensions in a column, and begin at 1
>! 0A000
SELECT t::int[][] FROM (VALUES ('{{1,2}}'), ('{}')) v(t)
: integer[]
= {{1,2}}
= {}
SELECT ARRAY[[1]] UNION ALL SELECT ARRAY[2]
: integer[]
= {{1}}
= {2}
~ arrays have one number of dimensions in a column, and begin at 1
>! 0A000
SELECT CASE WHEN true THEN ARRAY[[1]] ELSE ARRAY[2] END
: integer[]
= {{1}}
~ arrays have one number of dimensions in a column, and begin at 1
>! 0A000
SELECT max(x) FROM (VALUES (ARRAY[[1,2]])) v(x)
: integer[]
= {{1,2}}
~ arrays have one number of dimensions in a column, and begin at 1
>! 0A000
SELECT array_agg(x) FROM (VALUES (ARRAY[[1,2]]), (ARRAY[[3,4]])) v(x)
: integer[]
= {{{1,2}},{{3,4}}}
SELECT (ARRAY(SELECT ARRAY[b, 1]))[2:][1] FROM samples ORDER BY 1
: bigint[]
= {}
= {}
= {}
= {}
= {}
= {}
= {}
= {}
= {}
SELECT ARRAY(SELECT ARRAY[length(t), n.sample] FROM notes n WHERE n.sample = samples.id) AS x FROM samples ORDER BY x, id
: integer[]
= {}
= {}
= {}
= {}
= {}
= {}
= {}
= {{3,1},{3,1}}
= {{3,2}}
SELECT ARRAY(SELECT ARRAY[to_char(id, '9'), 'x']) FROM samples ORDER BY 1
: text[]
= {{" 1",x}}
= {{" 2",x}}
= {{" 3",x}}
= {{" 4",x}}
= {{" 5",x}}
= {{" 6",x}}
= {{" 7",x}}
= {{" 8",x}}
= {{" 9",x}}
SELECT ARRAY[1, '1.00'::jsonb]::text[]
: text[]
= {1,1.00}
SELECT ARRAY[['a',2],['b',3]]::text[]
: text[]
= {{a,2},{b,3}}
SELECT ARRAY[['1',2],[NULL,'3']]::int[]
: integer[]
= {{1,2},{NULL,3}}
SELECT ARRAY[1, true]::int[]
: integer[]
= {1,1}
SELECT ARRAY[id, t]::text[] FROM samples ORDER BY id LIMIT 2
: text[]
= {1,Abc}
= {2,abc}
SELECT array_append(ARRAY['a'::name], 1)
! 42883
