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
with t(v,n) as (values ('1'::jsonb,1),('10',2),('9',3)) select n from t where (v,n) < ('9'::jsonb,9) order by n
: integer
= 1
= 3
select distinct t from (values (1,'1'::json),(1,'1.0')) t(k,v)
! 42883
select t from (values (1,'1'::json),(1,'1')) t(k,v) order by t
! 42883
select t = u from (values ('1'::json)) t(v), (values ('1'::json)) u(v)
! 42883
select count(distinct t) from (values (1,'1'::json),(1,'1.0')) t(k,v)
! 42883
select row(v) from (values ('1'::json)) t(v) union select row('1.0'::json)
! 42883
select array_agg(t order by t) from (values ('1'::json),('2')) t(v)
! 42883
select row_number() over (partition by row(v)) from (values ('1'::json),('2')) t(v)
! 42883
select row(1,2) < row(1,3), (1,2) in ((1,2),(3,4)), row(1,null) is null
: boolean boolean boolean
= t	t	f
select samples from samples order by samples
! 42883
select s from samples s where id = 1
: smallint
= 1
select r from (select (i, n) r from samples) x order by r
: record
= (-7,0.000)
= (0,-0.005)
= (1,1.500)
= (2,-2.500)
= (2,2.500)
= (3,33.333)
= (5,10.001)
= (9,999999.999)
= (,)
select distinct (v, 1) from (values ('1.0'::jsonb),('1.00')) t(v)
: record
= (1.0,1)
~ a comparison of rows with a jsonb is refused
>! 0A000
select n from (values ('1'::jsonb,1),('10',2),('9',3)) t(v,n) order by (v,n)
: integer
= 1
= 3
= 2
~ a comparison of rows with a jsonb is refused
>! 0A000
select t = u from (values ('1'::jsonb)) t(v), (values ('1.0'::jsonb)) u(v)
: boolean
= t
~ a comparison of rows with a jsonb is refused
>! 0A000
select row(v) from (values ('1'::jsonb)) t(v) union select row('1.0'::jsonb)
: record
= (1)
~ a comparison of rows with a jsonb is refused
>! 0A000
select percentile_cont(0.5) within group (order by at - day) from samples
: interval
= 11:15:07.561728
~ percentile_cont of intervals is refused
>! 0A000
SELECT 0.00123::numeric(3,4)
: numeric
= 0.0012
~ a numeric whose scale is above its precision is refused
>! 0A000
SELECT parse_ident('a.b', false)
: text[]
= {a,b}
~ a parse_ident that is not strict is refused
>! 0A000
select a.x, b.y from (values (1),(2)) a(x) full join (values (1),(2)) b(y) on a.x < b.y order by 1, 2
! 0A000
~ FULL JOIN takes any condition
>: integer integer
>= 1	2
>= 2	\N
>= \N	1
SELECT v IS NOT NULL, v IS NULL, v.* IS NOT NULL FROM (VALUES (1,NULL::int),(1,2),(NULL,NULL)) v(x,y)
: boolean boolean boolean
= f	f	f
= t	f	t
= f	t	f
SELECT (SELECT row(1,NULL)) IS NOT NULL, (SELECT row(NULL,NULL)) IS NULL
: boolean boolean
= f	t
SELECT r IS NOT NULL, r IS NULL FROM (SELECT row(x,y) r FROM (VALUES (1,NULL::int),(1,2),(NULL,NULL)) v(x,y)) s
: boolean boolean
= f	f
= t	f
= f	t
SELECT CASE WHEN true THEN row(x,y) END IS NOT NULL, CASE WHEN true THEN row(x,y) END IS NULL FROM (VALUES (1,NULL::int),(1,2),(NULL,NULL)) v(x,y)
: boolean boolean
= f	f
= t	f
= f	t
SELECT coalesce(row(x,y),row(1,2)) IS NOT NULL FROM (VALUES (1,NULL::int),(1,2),(NULL,NULL)) v(x,y)
: boolean
= f
= t
= f
SELECT (array_agg(row(x,y)))[1] IS NOT NULL FROM (VALUES (1,NULL::int)) v(x,y)
: boolean
= f
SELECT to_json(CASE WHEN x > 1 THEN row(x) END) FROM (VALUES (1), (2)) v(x)
: json
= \N
= {"f1":2}
SELECT to_json(coalesce(NULL, row(x))) FROM (VALUES (1), (2)) v(x)
: json
= {"f1":1}
= {"f1":2}
SELECT to_json(row(x)) FROM (VALUES (1), (2)) v(x)
: json
= {"f1":1}
= {"f1":2}
SELECT to_json((SELECT row(x))) FROM (VALUES (1), (2)) v(x)
: json
= {"f1":1}
= {"f1":2}
SELECT to_json(CASE WHEN x > 1 THEN v END) FROM (VALUES (1), (2)) v(x)
: json
= \N
= {"x":2}
SELECT (CASE WHEN x > 1 THEN row(x) END)::text FROM (VALUES (1), (2)) v(x)
: text
= \N
= (2)
SELECT json_agg(row(x)) FROM (VALUES (1), (2)) v(x)
: json
= [{"f1":1}, \n {"f1":2}]
SELECT json_agg(r) FROM (SELECT row(x) r FROM (VALUES (1), (2)) v(x)) s
: json
= [{"f1":1}, \n {"f1":2}]
SELECT CASE WHEN x > 1 THEN row(x, 'a') ELSE row(2, 'b') END FROM (VALUES (1), (2)) v(x)
: record
= (2,b)
= (2,a)
SELECT coalesce(row(x, NULL), row(1, 'x')) FROM (VALUES (1), (2)) v(x)
: record
= (1,)
= (2,)
SELECT CASE WHEN row(x, 1) = row(1, 1) THEN 'y' END FROM (VALUES (1), (2)) v(x)
: text
= y
= \N
SELECT CASE row(x, 1) WHEN row(1, 1) THEN 'y' END FROM (VALUES (1), (2)) v(x)
: text
= y
= \N
SELECT CASE WHEN (x, 1) IN (VALUES (1, 1)) THEN 'y' END FROM (VALUES (1), (2)) v(x)
: text
= y
= \N
SELECT count(CASE WHEN x > 1 THEN row(x) END), count(DISTINCT CASE WHEN x > 1 THEN row(x) END) FROM (VALUES (1), (2)) v(x)
: bigint bigint
= 1	1
SELECT array_agg(CASE WHEN x > 1 THEN row(x) END) FROM (VALUES (1), (2)) v(x)
: record[]
= {NULL,(2)}
SELECT x FROM (VALUES (1), (2)) v(x) ORDER BY CASE WHEN x > 1 THEN row(x) END
: integer
= 2
= 1
SELECT CASE WHEN x > 1 THEN v END FROM (VALUES (1), (2)) v(x)
: record
= \N
= (2)
SELECT coalesce(v, v) FROM (VALUES (1), (2)) v(x)
: record
= (1)
= (2)
SELECT row(x) IS NULL, CASE WHEN true THEN row(x) END IS NOT NULL FROM (VALUES (1), (NULL)) v(x)
: boolean boolean
= f	t
= t	f
SELECT CASE WHEN i <> 0 THEN (4, 1) END, coalesce((i, 1), (2, 3)), ARRAY[(1, 2), (3, 4)] FROM samples WHERE id < 4 ORDER BY id
: record record record[]
= (4,1)	(1,1)	{"(1,2)","(3,4)"}
= (4,1)	(2,1)	{"(1,2)","(3,4)"}
= (4,1)	(2,1)	{"(1,2)","(3,4)"}
SELECT (CASE WHEN true THEN (1, 'a') ELSE (2, 'b') END)::text, greatest((1, 2), (1, 3)), array_agg((1, 2))
: text record record[]
= (1,a)	(1,3)	{"(1,2)"}
SELECT CASE WHEN ((1, 2)) = (1, 2) THEN ((1, 2)) ELSE (3, 4) END, CASE (1, 2) WHEN (1, 2) THEN (5, 6) END
: record record
= (1,2)	(5,6)
SELECT x, y FROM (VALUES ((1, 2), 5), ((3, 4), 6)) v(x, y) ORDER BY y
: record integer
= (1,2)	5
= (3,4)	6
SELECT row_to_json(CASE WHEN true THEN (1, 2) END)
: json
= {"f1":1,"f2":2}
SELECT count((i, 1)), count(DISTINCT (i, 1)) FROM samples
: bigint bigint
= 9	8
SELECT ROW(1)::jsonb
! 42846
SELECT ROW(1)::text, ROW(1)::text[]
! 42846
SELECT ARRAY[ROW(1)]::jsonb
! 42846
SELECT ARRAY[ROW(1)]::text
: text
= {(1)}
