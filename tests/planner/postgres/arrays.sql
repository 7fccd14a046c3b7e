SELECT ARRAY[1,2,3], ARRAY['a','b'], ARRAY[]::int[], ARRAY[1,NULL], ARRAY[1, 2.5]
: integer[] text[] integer[] integer[] numeric[]
= {1,2,3}	{a,b}	{}	{1,NULL}	{1,2.5}
~ all elements of a numeric array have one scale
>: integer[] text[] integer[] integer[] numeric[]
>= {1,2,3}	{a,b}	{}	{1,NULL}	{1.0,2.5}
SELECT (ARRAY[1,2,3])[2], (ARRAY[1,2,3])[5], (ARRAY[1,2,3])[2:3], (ARRAY[1,2,3])[:2], (ARRAY[1,2,3])[0]
: integer integer integer[] integer[] integer
= 2	\N	{2,3}	{1,2}	\N
SELECT array_length(ARRAY[1,2,3], 1), cardinality(ARRAY[1,2]), array_length(ARRAY[]::int[], 1), array_upper(ARRAY[1,2], 1), array_lower(ARRAY[1,2], 1), array_ndims(ARRAY[1,2])
: integer integer integer integer integer integer
= 3	2	\N	2	1	1
SELECT ARRAY[1,2] || ARRAY[3], ARRAY[1] || 2, 0 || ARRAY[1], array_append(ARRAY[1], 2), array_prepend(0, ARRAY[1]), array_cat(ARRAY[1], ARRAY[2])
: integer[] integer[] integer[] integer[] integer[] integer[]
= {1,2,3}	{1,2}	{0,1}	{1,2}	{0,1}	{1,2}
SELECT ARRAY[1,2,3] @> ARRAY[2], ARRAY[2] <@ ARRAY[1,2], ARRAY[1,2] && ARRAY[2,3], ARRAY[1] && ARRAY[2], ARRAY[1,2] = ARRAY[1,2], ARRAY[1,2] < ARRAY[1,3]
: boolean boolean boolean boolean boolean boolean
= t	t	t	f	t	t
SELECT array_position(ARRAY['a','b'], 'b'), array_position(ARRAY[1,2], 3), array_positions(ARRAY[1,2,1], 1), array_remove(ARRAY[1,2,1], 1), array_replace(ARRAY[1,2], 1, 9)
: integer integer integer[] integer[] integer[]
= 2	\N	{1,3}	{2}	{9,2}
SELECT unnest(ARRAY[1,2]), 'x'
: integer text
= 1	x
= 2	x
SELECT * FROM unnest(ARRAY[1,2], ARRAY['a','b']) AS t(a, b)
: integer text
= 1	a
= 2	b
SELECT * FROM unnest(ARRAY['a','b']) WITH ORDINALITY AS t(v, n)
: text bigint
= a	1
= b	2
SELECT array_agg(i ORDER BY id), array_agg(DISTINCT f) FROM samples WHERE id < 5
: integer[] boolean[]
= {1,2,2,5}	{f,t}
SELECT ARRAY(SELECT i FROM samples WHERE id < 4 ORDER BY id)
: integer[]
= {1,2,2}
SELECT array_fill(0, ARRAY[3]), trim_array(ARRAY[1,2,3], 1)
: integer[] integer[]
= {0,0,0}	{1,2}
SELECT a, a[1], cardinality(a), 2 = ANY (a), a || 9::bigint FROM samples ORDER BY id
: bigint[] bigint integer boolean bigint[]
= {1,2}	1	2	t	{1,2,9}
= {2,3}	2	2	t	{2,3,9}
= {}	\N	0	f	{9}
= {4}	4	1	f	{4,9}
= \N	\N	\N	\N	{9}
= {2}	2	1	t	{2,9}
= {7,8,9}	7	3	f	{7,8,9,9}
= {10,-10}	10	2	f	{10,-10,9}
= {9,9}	9	2	f	{9,9,9}
SELECT id FROM samples WHERE a @> ARRAY[2]::bigint[] ORDER BY id
: integer
= 1
= 2
= 6
SELECT s.id, u FROM samples s, unnest(s.a) AS u ORDER BY 1, 2
: integer bigint
= 1	1
= 1	2
= 2	2
= 2	3
= 4	4
= 6	2
= 7	7
= 7	8
= 7	9
= 8	-10
= 8	10
= 9	9
= 9	9
SELECT s.id, u.v, u.n FROM samples s CROSS JOIN LATERAL unnest(s.a) WITH ORDINALITY AS u(v, n) ORDER BY 1, 3
: integer bigint bigint
= 1	1	1
= 1	2	2
= 2	2	1
= 2	3	2
= 4	4	1
= 6	2	1
= 7	7	1
= 7	8	2
= 7	9	3
= 8	10	1
= 8	-10	2
= 9	9	1
= 9	9	2
SELECT array_to_string(a, '-'), a::text FROM samples ORDER BY id
: text text
= 1-2	{1,2}
= 2-3	{2,3}
= 	{}
= 4	{4}
= \N	\N
= 2	{2}
= 7-8-9	{7,8,9}
= 10--10	{10,-10}
= 9-9	{9,9}
SELECT array_agg(a) IS NOT NULL FROM samples
! 2202E
SELECT generate_subscripts(ARRAY[5,6], 1)
: integer
= 1
= 2
SELECT ARRAY[ARRAY[1,2], ARRAY[3,4]], (ARRAY[[1,2],[3,4]])[2][1]
: integer[] integer
= {{1,2},{3,4}}	3
SELECT array_dims(ARRAY[1,2]), '{}'::int[] = ARRAY[]::int[]
: text boolean
= [1:2]	t
SELECT array_to_string(ARRAY['a', 'b'], t) FROM samples ORDER BY id
: text
= aAbcb
= aabcb
= abb
= ab
= \N
= aaBb
= aäb
= aZedb
= a x b
SELECT array_to_string(ARRAY['a', NULL, 'b'], t, t), array_to_string(ARRAY[1, 2, NULL], coalesce(t, 'z')), array_to_string(ARRAY[]::int[], t) FROM samples ORDER BY id
: text text text
= aAbcAbcAbcb	1Abc2	
= aabcabcabcb	1abc2	
= abbbb	1b2	
= ab	12	
= \N	1z2	\N
= aaBaBaBb	1aB2	
= aäääb	1ä2	
= aZedZedZedb	1Zed2	
= a x  x  x b	1 x 2	
SELECT array_to_string(ARRAY['a', 'b'], NULL), array_to_string(NULL::text[], 'x')
: text text
= \N	\N
SELECT '{1,NULL}'::bigint[] @> '{1,NULL}'::bigint[], '{1,NULL}'::bigint[] <@ '{1,NULL}'::bigint[], '{1,NULL}'::bigint[] @> '{1}'::bigint[], '{NULL}'::bigint[] <@ '{1}'::bigint[], ARRAY[1] @> '{}'::int[], '{}'::int[] <@ '{NULL}'::int[]
: boolean boolean boolean boolean boolean boolean
= f	f	t	f	t	t
SELECT NULL::bigint[] || '{1}'::bigint[], '{1}'::bigint[] || NULL::bigint[], NULL::bigint[] || NULL::bigint[], array_cat(NULL::bigint[], '{1}'::bigint[]), NULL::bigint[] || 1::bigint, 1::bigint || NULL::bigint[], array_append(NULL::int[], 1), array_prepend(1, NULL::int[])
: bigint[] bigint[] bigint[] bigint[] bigint[] bigint[] integer[] integer[]
= {1}	{1}	\N	{1}	{1}	{1}	{1}	{1}
SELECT ('{4,5}'::bigint[])[-1], ('{4,5}'::bigint[])[0], ('{4,NULL}'::bigint[])[1], ('{4,NULL}'::bigint[])[3], (ARRAY[4,5])[-1]
: bigint bigint bigint bigint integer
= \N	\N	4	\N	\N
SELECT ('{4,NULL}'::bigint[])[length('a')]
: bigint
= 4
SELECT ('{4,5}'::bigint[])[1:1]
: bigint[]
= {4}
SELECT ('{4,5}'::bigint[])[-1:1], ('{4,5}'::bigint[])[2:], ('{4,5}'::bigint[])[NULL]
: bigint[] bigint[] bigint
= {4}	{5}	\N
SELECT a @> '{2}', a <@ '{1,2,3}', '{2}' <@ a, a @> a, a @> ARRAY[2::bigint], NOT a @> ARRAY[2::bigint] FROM samples ORDER BY id
: boolean boolean boolean boolean boolean boolean
= t	t	t	t	t	f
= t	t	t	t	t	f
= f	t	f	t	f	t
= f	f	f	t	f	t
= \N	\N	\N	\N	\N	\N
= t	t	t	t	t	f
= f	f	f	t	f	t
= f	f	f	t	f	t
= f	f	f	t	f	t
SELECT ARRAY['a',NULL] @> ARRAY['a'], ARRAY['a',NULL] @> ARRAY[NULL], NULL::int[] @> ARRAY[1], ARRAY[1] @> NULL::int[]
: boolean boolean boolean boolean
= t	f	\N	\N
SELECT a @> '{2}', a <@ '{1,2,3}', '{2}' <@ a, a @> a, a @> ARRAY[2::bigint], NOT a @> ARRAY[2::bigint], a && '{1,2}' FROM samples ORDER BY id
: boolean boolean boolean boolean boolean boolean boolean
= t	t	t	t	t	f	t
= t	t	t	t	t	f	t
= f	t	f	t	f	t	f
= f	f	f	t	f	t	f
= \N	\N	\N	\N	\N	\N	\N
= t	t	t	t	t	f	t
= f	f	f	t	f	t	f
= f	f	f	t	f	t	f
= f	f	f	t	f	t	f
SELECT id FROM samples WHERE a @> '{2}' ORDER BY id
: integer
= 1
= 2
= 6
SELECT array_prepend(7, '{1,2}'::bigint[])::text, array_append('{1}'::integer[], 2::bigint), array_prepend(2::bigint, '{1}'::integer[]), array_cat('{1}'::integer[], '{2}'::bigint[])::text
: text bigint[] bigint[] text
= {7,1,2}	{1,2}	{2,1}	{1,2}
SELECT * FROM generate_subscripts(ARRAY[5,6], 1) WITH ORDINALITY AS s
: integer bigint
= 1	1
= 2	2
SELECT s.id, e FROM samples AS s, generate_subscripts(s.a, 1, true) AS e ORDER BY 1, 2
: integer integer
= 1	1
= 1	2
= 2	1
= 2	2
= 4	1
= 6	1
= 7	1
= 7	2
= 7	3
= 8	1
= 8	2
= 9	1
= 9	2
SELECT * FROM samples JOIN generate_series(1, 2) AS s (id) USING (id) ORDER BY id
: integer integer smallint bigint numeric double_precision real text boolean date timestamp_without_time_zone timestamp_with_time_zone json bigint[]
= 1	1	1	10	1.500	0.5	1.5	Abc	t	2020-01-01	2020-01-01 10:00:00	2020-01-01 10:00:00+00	{"a": 1, "b": "x", "c": ["p", "q"]}	{1,2}
= 2	2	1	20	2.500	1.5	2.5	abc	f	2020-02-29	2020-02-29 23:59:59.5	2020-02-29 23:59:59.5+00	{"a": 2, "b": null}	{2,3}
SELECT array_remove(ARRAY[1, 2], 1::bigint), array_replace(ARRAY[1, 2], 1::bigint, 3)
: bigint[] bigint[]
= {2}	{3,2}
SELECT ARRAY[1e10, 1.5, NULL]::real[]::text, array_to_string(ARRAY[1e6]::real[], ',')
: text text
= {1e+10,1.5,NULL}	1e+06
SELECT count(*) FROM samples WHERE a BETWEEN '{}' AND '{4,NULL}'
: bigint
= 5
SELECT count(*) FROM samples WHERE a >= '{}' AND a <= '{4}'
: bigint
= 5
SELECT count(*) FROM samples WHERE NOT (a NOT BETWEEN SYMMETRIC '{4}' AND NULL)
: bigint
= 0
SELECT count(*) FROM samples WHERE ARRAY(SELECT id FROM samples ORDER BY 1) BETWEEN '{1}' AND '{1000}'
: bigint
= 9
SELECT id, i = ANY (ARRAY[i, NULL]), i = ANY (ARRAY[id, NULL]), i <> ALL (ARRAY[id, 3]), i < ANY (ARRAY[id, i]), i >= ALL (ARRAY[i, id]) FROM samples ORDER BY id
: integer boolean boolean boolean boolean boolean
= 1	t	t	f	f	t
= 2	t	t	f	f	t
= 3	t	\N	t	t	f
= 4	t	\N	t	f	t
= 5	\N	\N	\N	\N	\N
= 6	t	\N	t	t	f
= 7	t	\N	t	f	t
= 8	t	\N	t	t	f
= 9	t	\N	f	t	f
SELECT id, i = ANY (ARRAY[id, 2.5]), d = ANY (ARRAY[d, 1]), t = ANY (ARRAY[t, 'x']), t > ALL (ARRAY[t, NULL]) FROM samples ORDER BY id
: integer boolean boolean boolean boolean
= 1	t	t	t	f
= 2	t	t	t	f
= 3	f	t	t	f
= 4	f	t	t	f
= 5	\N	\N	\N	\N
= 6	f	t	t	f
= 7	f	t	t	f
= 8	f	t	t	f
= 9	f	t	t	f
SELECT id, NOT i = ANY (ARRAY[id, NULL]), (i <> ANY (ARRAY[id, i])) IS NULL, i = ANY (ARRAY[(SELECT max(number) FROM notes WHERE number < 4), id]) FROM samples ORDER BY id
: integer boolean boolean boolean
= 1	f	f	t
= 2	f	f	t
= 3	\N	f	f
= 4	\N	f	f
= 5	\N	t	\N
= 6	\N	f	f
= 7	\N	f	f
= 8	\N	f	f
= 9	\N	f	t
SELECT count(*) FROM samples s, notes n WHERE s.id = ANY (ARRAY[n.sample, n.number]) AND s.id > ALL (ARRAY[s.i, 0])
: bigint
= 1
SELECT id, 2 = ANY (a), 2 <> ALL (a), 2 <> ANY (a), 2 = ALL (a), 2 < ANY (a), 2 >= ALL (a) FROM samples ORDER BY id
: integer boolean boolean boolean boolean boolean boolean
= 1	t	f	t	f	f	t
= 2	t	f	t	f	t	f
= 3	f	t	f	t	f	t
= 4	f	t	t	f	t	f
= 5	\N	\N	\N	\N	\N	\N
= 6	t	f	f	t	f	t
= 7	f	t	t	f	t	f
= 8	f	t	t	f	t	f
= 9	f	t	t	f	t	f
SELECT id, NOT 2 = ANY (a), i = ANY (a), i <> ALL (a), NULL = ANY (a), NULL::bigint <> ALL (a) FROM samples ORDER BY id
: integer boolean boolean boolean boolean boolean
= 1	f	t	f	\N	\N
= 2	f	t	f	\N	\N
= 3	t	f	t	f	t
= 4	t	f	t	\N	\N
= 5	\N	\N	\N	\N	\N
= 6	f	f	t	\N	\N
= 7	t	t	f	\N	\N
= 8	t	f	t	\N	\N
= 9	t	f	t	\N	\N
SELECT id FROM samples WHERE 2 <> ALL (a) ORDER BY id
: integer
= 3
= 4
= 7
= 8
= 9
SELECT count(*) FROM samples s, notes n WHERE n.number = ANY (s.a)
: bigint
= 6
SELECT count(*) FROM samples s, notes n WHERE NOT n.number = ANY (s.a)
: bigint
= 34
