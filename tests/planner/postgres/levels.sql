SELECT (SELECT min(n.sample) FROM notes q LIMIT 1) FROM notes n
: integer
= 1
SELECT n.number, (SELECT min(n.sample) FROM notes q LIMIT 1) FROM notes n GROUP BY n.number ORDER BY 1
: bigint integer
= 1	1
= 2	1
= 3	2
= 4	99
= 5	\N
SELECT (SELECT min(n.sample) FROM notes q) FROM notes n GROUP BY n.number
! 21000
SELECT (SELECT max(n.number)) FROM notes n
: bigint
= 5
SELECT (SELECT max(number)) FROM notes
: bigint
= 5
SELECT n.sample, (SELECT max(n.number)) FROM notes n
! 42803
SELECT sample, (SELECT count(n.number) FROM samples s WHERE s.id = n.sample) FROM notes n GROUP BY sample ORDER BY 1
: integer bigint
= 1	2
= 2	1
= 99	\N
= \N	\N
SELECT sample AS k, (SELECT count(n.number) FROM samples s WHERE s.id = n.sample) AS c FROM notes n GROUP BY k ORDER BY k
: integer bigint
= 1	2
= 2	1
= 99	\N
= \N	\N
SELECT sample + 1, (SELECT count(n.number) FROM samples s WHERE s.id = 1) FROM notes n GROUP BY sample + 1 ORDER BY sample + 1
: integer bigint
= 2	2
= 3	1
= 100	1
= \N	1
SELECT sample + 1 AS x, (SELECT count(n.number) + 1 FROM samples s WHERE s.id = 1) FROM notes n GROUP BY 1 HAVING (SELECT count(n.number)) > 1 ORDER BY x
: integer bigint
= 2	3
SELECT number FROM notes n WHERE (SELECT max(n.number)) > 1
! 42803
SELECT count(*) FROM notes n JOIN samples s ON (SELECT max(n.number)) > 1
! 42803
SELECT max(x) FROM notes n, LATERAL (SELECT max(n.number) AS x) q
! 42803
SELECT 1 FROM notes n GROUP BY (SELECT max(n.number))
! 42803
SELECT sum((SELECT max(n.number) FROM notes q LIMIT 1)) FROM notes n
! 42803
SELECT (SELECT sum((SELECT min(n.sample) FROM notes r LIMIT 1) + q.number) FROM notes q) FROM notes n
: numeric
= 20
SELECT (SELECT sum(q.number + n.sample) FROM notes q) FROM notes n ORDER BY 1
: numeric
= 20
= 20
= 25
= 510
= \N
SELECT (SELECT sum(n.number) FILTER (WHERE n.sample = 1) FROM notes q LIMIT 1) FROM notes n
: numeric
= 3
SELECT (SELECT sum(n.number) FILTER (WHERE q.sample = 1) FROM notes q) FROM notes n ORDER BY 1
: numeric
= 2
= 4
= 6
= 8
= 10
SELECT (SELECT count(*) FROM notes q) FROM notes n
: bigint
= 5
= 5
= 5
= 5
= 5
SELECT (SELECT count(n.*) FROM notes q LIMIT 1) FROM notes n
: bigint
= 5
SELECT (SELECT count(n) FROM notes q LIMIT 1) FROM notes n
: bigint
= 5
SELECT (SELECT array_agg(n.number ORDER BY n.sample, n.number) FROM notes q LIMIT 1) FROM notes n
: bigint[]
= {1,2,3,4,5}
SELECT (SELECT string_agg(n.note, ',' ORDER BY n.number) FROM notes q WHERE q.number = 1) FROM notes n
: text
= one,uno,two,far,none
SELECT (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n.number) FROM notes q LIMIT 1) FROM notes n
: double_precision
= 3
SELECT n.sample, exists(SELECT 1 FROM notes q WHERE q.number = max(n.number)) FROM notes n GROUP BY n.sample ORDER BY 1
: integer boolean
= 1	t
= 2	t
= 99	t
= \N	t
SELECT n.sample, 3 IN (SELECT max(n.number) FROM notes q) FROM notes n GROUP BY n.sample ORDER BY 1
: integer boolean
= 1	f
= 2	t
= 99	f
= \N	f
SELECT n.sample FROM notes n GROUP BY n.sample HAVING EXISTS (SELECT 1 FROM notes q WHERE q.number = max(n.number)) ORDER BY 1
: integer
= 1
= 2
= 99
= \N
SELECT n.sample FROM notes n GROUP BY n.sample ORDER BY (SELECT max(n.number) FROM notes q LIMIT 1) DESC
: integer
= \N
= 99
= 2
= 1
SELECT DISTINCT (SELECT max(n.number) FROM notes q LIMIT 1) AS m FROM notes n GROUP BY n.sample ORDER BY m
: bigint
= 2
= 3
= 4
= 5
SELECT *, (SELECT max(n.number) FROM notes q LIMIT 1) FROM notes n GROUP BY 1, 2, 3 ORDER BY 1
: bigint integer text bigint
= 1	1	one	1
= 2	1	uno	2
= 3	2	two	3
= 4	99	far	4
= 5	\N	none	5
SELECT n.sample, (SELECT max(n.number)) FROM notes n GROUP BY CUBE (n.sample) ORDER BY 1 NULLS FIRST, 2
: integer bigint
= \N	5
= \N	5
= 1	2
= 2	3
= 99	4
SELECT n.sample, grouping(n.sample), (SELECT max(n.number) + grouping(n.sample)) FROM notes n GROUP BY ROLLUP (n.sample) ORDER BY 1 NULLS FIRST, 2
: integer integer bigint
= \N	0	5
= \N	1	6
= 1	0	2
= 2	0	3
= 99	0	4
SELECT n.sample, n.note, (SELECT max(n.number)) FROM notes n GROUP BY GROUPING SETS ((n.sample, n.note), (1), ()) ORDER BY 1, 2, 3
: integer text bigint
= 1	one	1
= 1	uno	2
= 1	\N	2
= 2	two	3
= 2	\N	3
= 99	far	4
= 99	\N	4
= \N	none	5
= \N	\N	5
= \N	\N	5
SELECT n.sample, rank() OVER (ORDER BY (SELECT max(n.number))) FROM notes n GROUP BY n.sample ORDER BY 1
: integer bigint
= 1	1
= 2	2
= 99	3
= \N	4
SELECT n.sample, sum((SELECT max(n.number))) OVER (ORDER BY n.sample) FROM notes n GROUP BY n.sample ORDER BY 1
: integer numeric
= 1	2
= 2	5
= 99	9
= \N	14
SELECT (SELECT max(n.number) FROM notes q WHERE q.number = n.number) FROM notes n
! 42803
SELECT (SELECT (SELECT max(n.number + q.number) FROM notes r LIMIT 1) FROM notes q) FROM notes n ORDER BY 1
: bigint
= 6
= 7
= 8
= 9
= 10
SELECT (SELECT (SELECT max(n.number) FROM notes r LIMIT 1) FROM notes q LIMIT 1) FROM notes n ORDER BY 1
: bigint
= 5
SELECT (SELECT (SELECT max(q.number) FROM notes r LIMIT 1) FROM notes q WHERE q.sample = n.sample) FROM notes n ORDER BY 1
: bigint
= 2
= 2
= 3
= 4
= \N
SELECT count(*) FROM notes n WHERE n.number = (SELECT (SELECT max(q.number) FROM notes r LIMIT 1) FROM notes q WHERE q.sample = n.sample)
: bigint
= 3
SELECT s.id, (SELECT count(*) FROM notes n WHERE n.sample = s.id HAVING count(n.number) > (SELECT max(s.i))) FROM samples s GROUP BY s.id ORDER BY 1
: integer bigint
= 1	2
= 2	\N
= 3	\N
= 4	\N
= 5	\N
= 6	0
= 7	\N
= 8	\N
= 9	\N
SELECT s.id, (SELECT sum(x) FROM (VALUES (max(s.i))) v (x)) FROM samples s GROUP BY s.id ORDER BY 1
: integer bigint
= 1	1
= 2	2
= 3	2
= 4	5
= 5	\N
= 6	-7
= 7	9
= 8	0
= 9	3
SELECT s.id, ARRAY(SELECT max(s.i) + n.number FROM notes n ORDER BY 1) FROM samples s GROUP BY s.id ORDER BY 1
: integer bigint[]
= 1	{2,3,4,5,6}
= 2	{3,4,5,6,7}
= 3	{3,4,5,6,7}
= 4	{6,7,8,9,10}
= 5	{NULL,NULL,NULL,NULL,NULL}
= 6	{-6,-5,-4,-3,-2}
= 7	{10,11,12,13,14}
= 8	{1,2,3,4,5}
= 9	{4,5,6,7,8}
SELECT s.id, (SELECT max(s.i) UNION SELECT 1 ORDER BY 1 LIMIT 1) FROM samples s GROUP BY s.id ORDER BY 1
: integer integer
= 1	1
= 2	1
= 3	1
= 4	1
= 5	1
= 6	-7
= 7	1
= 8	0
= 9	1
SELECT (SELECT count(DISTINCT s.f)) FROM samples s
: bigint
= 2
SELECT (SELECT max(m.id) OVER ()) FROM samples m ORDER BY 1
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
SELECT CASE WHEN id IS NULL THEN 1 ELSE (SELECT max(s.i)) END FROM samples s GROUP BY id ORDER BY 1
: integer
= -7
= 0
= 1
= 2
= 2
= 3
= 5
= 9
= \N
SELECT id, (SELECT max(s.i)) FROM samples s JOIN notes n USING (id) GROUP BY id
! 42703
SELECT number, (SELECT max(o.sample)) FROM notes n JOIN notes o USING (number) GROUP BY number ORDER BY number
: bigint integer
= 1	1
= 2	1
= 3	2
= 4	99
= 5	\N
SELECT number + 1 AS number, (SELECT max(o.sample)) FROM notes n JOIN notes o USING (number) GROUP BY number ORDER BY number
: bigint integer
= 2	1
= 3	1
= 4	2
= 5	99
= 6	\N
WITH c AS (SELECT sample, (SELECT max(n.number)) AS m FROM notes n GROUP BY sample) SELECT m, count(*) FROM c GROUP BY m ORDER BY m
: bigint bigint
= 2	1
= 3	1
= 4	1
= 5	1
SELECT (SELECT max(1) FROM notes q) FROM notes n
: integer
= 1
= 1
= 1
= 1
= 1
SELECT (SELECT sum(n.number) OVER () FROM notes q LIMIT 1) FROM notes n ORDER BY 1
: numeric
= 5
= 10
= 15
= 20
= 25
SELECT (SELECT sum(sum(n.number)) OVER () FROM notes q LIMIT 1) FROM notes n ORDER BY 1
: numeric
= 75
SELECT (SELECT sum(count(q.number)) FROM notes q) FROM notes n
! 42803
SELECT (SELECT sum((SELECT count(n.number))) FROM notes q) FROM notes n
! 42803
SELECT (SELECT max(n.number) FROM notes q WHERE max(n.number) > 1 LIMIT 1) FROM notes n
: bigint
= 5
SELECT (SELECT 1 FROM notes q HAVING max(n.number) > 1) FROM notes n
: integer
= 1
SELECT (SELECT q.number FROM notes q GROUP BY q.number, max(n.number) ORDER BY 1 LIMIT 1) FROM notes n
: bigint
= 1
SELECT (SELECT percentile_cont(q.number) WITHIN GROUP (ORDER BY n.number) FROM notes q LIMIT 1) FROM notes n
! 42803
SELECT n.sample, (SELECT q.note FROM notes q ORDER BY abs(q.number - max(n.number)), 1 LIMIT 1) FROM notes n GROUP BY n.sample ORDER BY 1
: integer text
= 1	uno
= 2	two
= 99	far
= \N	none
SELECT q1.sample, (SELECT max((SELECT count(q2.number) FILTER (WHERE q3.i < q3.b) FROM samples q3 WHERE q3.s = q3.s)) FILTER (WHERE q1.sample >= -2) FROM notes q2) FROM notes q1 WHERE q1.number IS NOT NULL ORDER BY 1, 2
: integer bigint
= 1	7
= 1	7
= 2	7
= 99	7
= \N	\N
SELECT (SELECT sum(q1.i) FILTER (WHERE q3.sample < ALL (SELECT q4.s FROM samples q4 WHERE q4.i < q4.b)) FROM notes q3 WHERE q3.number = 9) FROM samples q1
: bigint
= \N
= \N
= \N
= \N
= \N
= \N
= \N
= \N
= \N
SELECT q1.id FROM samples q1 WHERE q1.i = ANY (SELECT max((CASE WHEN q2.sample > 1 THEN (SELECT min(q6.i) FROM samples q6 WHERE q6.id = q2.sample) ELSE q1.s END)) FROM notes q2 GROUP BY q2.sample) ORDER BY 1
: integer
= 1
= 2
= 3
SELECT max((SELECT (SELECT max(q3.number) FROM samples q4 WHERE q4.id = q4.i) AS o FROM notes q2 JOIN notes q3 ON q2.number = q3.number ORDER BY 1 LIMIT 1)) FROM samples q1
! 21000
SELECT (SELECT array_agg(q1.i ORDER BY q3.number) FROM notes q3 WHERE q3.number < 3) FROM samples q1 WHERE id < 3 ORDER BY 1
: integer[]
= {1,1}
= {2,2}
SELECT (SELECT array_agg(q1.i ORDER BY q3.number) FILTER (WHERE q3.number > 1) FROM notes q3 WHERE q3.number < 3) FROM samples q1 WHERE id < 3 ORDER BY 1
: integer[]
= {1}
= {2}
SELECT (SELECT count(DISTINCT q1.i) FILTER (WHERE q3.number > 1) FROM notes q3 WHERE q3.number < 3) FROM samples q1 WHERE id < 3 ORDER BY 1
: bigint
= 1
= 1
SELECT (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY q1.i) FILTER (WHERE q3.number > 1) FROM notes q3 WHERE q3.number < 3) FROM samples q1 WHERE id < 3 ORDER BY 1
: double_precision
= 1
= 2
SELECT (SELECT string_agg(q1.t, ',') FILTER (WHERE q3.number > 1) FROM notes q3) FROM samples q1 WHERE id < 3 ORDER BY 1
: text
= Abc,Abc,Abc,Abc
= abc,abc,abc,abc
SELECT (SELECT json_object_agg(q1.t, q3.number ORDER BY q3.number) FROM notes q3) FROM samples q1 WHERE id < 3 ORDER BY id
: json
= { "Abc" : 1, "Abc" : 2, "Abc" : 3, "Abc" : 4, "Abc" : 5 }
= { "abc" : 1, "abc" : 2, "abc" : 3, "abc" : 4, "abc" : 5 }
SELECT (SELECT sum(q1.n) FILTER (WHERE q3.number > 1) FROM notes q3) FROM samples q1 WHERE id < 3 ORDER BY id
: numeric
= 6.000
= 10.000
SELECT (SELECT avg(q1.r) FILTER (WHERE q3.number > 1) FROM notes q3) FROM samples q1 WHERE id < 3 ORDER BY id
: double_precision
= 1.5
= 2.5
SELECT (SELECT sum(q1.i) FILTER (WHERE EXISTS (SELECT 1 FROM samples z WHERE z.id = q3.number)) FROM notes q3) FROM samples q1 WHERE id < 3 ORDER BY id
: bigint
= 5
= 10
SELECT (SELECT max(CASE WHEN EXISTS (SELECT 1 FROM samples z WHERE z.id = q3.number) THEN q1.i END) FROM notes q3) FROM samples q1 WHERE id < 3 ORDER BY id
: integer
= 1
= 2
SELECT (SELECT count(*) FILTER (WHERE q1.i > q3.number) FROM notes q3) FROM samples q1 WHERE id < 3 ORDER BY id
: bigint
= 0
= 1
SELECT (SELECT count(*) FILTER (WHERE q1.i > 1) FROM notes q3 LIMIT 1) FROM samples q1 WHERE id < 3
: bigint
= 1
SELECT (SELECT count(1) FILTER (WHERE q1.i >= q3.number) FROM notes q3) FROM samples q1 WHERE id < 3 ORDER BY id
: bigint
= 1
= 2
SELECT (SELECT count(q3.number) FILTER (WHERE q1.i >= q3.number) FROM notes q3) FROM samples q1 WHERE id < 3 ORDER BY id
: bigint
= 1
= 2
SELECT (SELECT array_agg(1 ORDER BY q1.i, q3.number) FROM notes q3) FROM samples q1 WHERE id < 3 ORDER BY id
: integer[]
= {1,1,1,1,1}
= {1,1,1,1,1}
SELECT (SELECT array_agg(q3.number ORDER BY q1.i, q3.sample, q3.number) FROM notes q3) FROM samples q1 WHERE id < 3 ORDER BY id
: bigint[]
= {1,2,3,4,5}
= {1,2,3,4,5}
SELECT (SELECT string_agg('x', ',') FILTER (WHERE q1.i >= q3.number) FROM notes q3) FROM samples q1 WHERE id < 3 ORDER BY id
: text
= x
= x,x
SELECT (SELECT count(*) FILTER (WHERE q1.i IS NOT NULL AND EXISTS (SELECT 1 FROM samples z WHERE z.id = q3.number)) FROM notes q3) FROM samples q1 WHERE id < 3 ORDER BY id
: bigint
= 5
= 5
SELECT NULL::smallint, sum(justify_days(NULL::interval)) FROM samples AS r1 GROUP BY 1 ORDER BY 1 ASC
: smallint interval
= \N	\N
SELECT id, dense_rank() OVER (ORDER BY (CASE WHEN id > 0 THEN (SELECT make_date(2020, s.id, 1) FROM (VALUES (1)) q (y) WHERE y = 1) END)) FROM samples s
: integer bigint
= 1	1
= 2	2
= 3	3
= 4	4
= 5	5
= 6	6
= 7	7
= 8	8
= 9	9
SELECT id, rank() OVER (ORDER BY (SELECT q.sample FROM notes q WHERE q.number = s.id) NULLS FIRST, id) FROM samples s ORDER BY id
: integer bigint
= 1	6
= 2	7
= 3	8
= 4	9
= 5	1
= 6	2
= 7	3
= 8	4
= 9	5
SELECT id, sum((SELECT q.sample FROM notes q WHERE q.number = s.id)) OVER (ORDER BY id) FROM samples s ORDER BY id
: integer bigint
= 1	1
= 2	2
= 3	4
= 4	103
= 5	103
= 6	103
= 7	103
= 8	103
= 9	103
SELECT id, sum(i) FILTER (WHERE (SELECT q.sample FROM notes q WHERE q.number = s.id) > 1) OVER (ORDER BY id) FROM samples s ORDER BY id
: integer bigint
= 1	\N
= 2	\N
= 3	2
= 4	7
= 5	7
= 6	7
= 7	7
= 8	7
= 9	7
SELECT id, lag(i, (SELECT q.sample FROM notes q WHERE q.number = s.id)) OVER (ORDER BY id) FROM samples s ORDER BY id
: integer integer
= 1	\N
= 2	1
= 3	1
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT id, sum(i) OVER (ORDER BY id ROWS (SELECT 1) PRECEDING) FROM samples s ORDER BY id
: integer bigint
= 1	1
= 2	3
= 3	4
= 4	7
= 5	5
= 6	-7
= 7	2
= 8	9
= 9	3
SELECT id, rank() OVER (ORDER BY id IN (SELECT q.sample FROM notes q WHERE q.number = s.id)) FROM samples s ORDER BY id
: integer bigint
= 1	8
= 2	1
= 3	1
= 4	1
= 5	9
= 6	1
= 7	1
= 8	1
= 9	1
SELECT id, rank() OVER (ORDER BY EXISTS (SELECT q.sample FROM notes q WHERE q.number = s.id)) FROM samples s ORDER BY id
: integer bigint
= 1	5
= 2	5
= 3	5
= 4	5
= 5	5
= 6	1
= 7	1
= 8	1
= 9	1
SELECT id, rank() OVER (ORDER BY EXISTS (SELECT q.sample FROM notes q WHERE q.number = 3)) FROM samples s ORDER BY id
: integer bigint
= 1	1
= 2	1
= 3	1
= 4	1
= 5	1
= 6	1
= 7	1
= 8	1
= 9	1
SELECT id, rank() OVER (ORDER BY id + (SELECT max(q.sample) FROM notes q)) FROM samples s ORDER BY id
: integer bigint
= 1	1
= 2	2
= 3	3
= 4	4
= 5	5
= 6	6
= 7	7
= 8	8
= 9	9
SELECT f, array_agg(id ORDER BY (SELECT q.sample FROM notes q WHERE q.number = s.id), id) FROM samples s GROUP BY f ORDER BY f
: boolean integer[]
= f	{2,4,8,9}
= t	{1,3,6,7}
= \N	{5}
SELECT f, count(*) FILTER (WHERE (SELECT q.sample FROM notes q WHERE q.number = s.id) = 1) FROM samples s GROUP BY f ORDER BY f
: boolean bigint
= f	1
= t	1
= \N	0
SELECT f, sum((SELECT q.sample FROM notes q WHERE q.number = s.id)) FROM samples s GROUP BY f ORDER BY f
: boolean bigint
= f	100
= t	3
= \N	\N
SELECT f, sum(DISTINCT (SELECT q.sample FROM notes q WHERE q.number = s.id)) FROM samples s GROUP BY f ORDER BY f
: boolean bigint
= f	100
= t	3
= \N	\N
SELECT f, string_agg((SELECT q.note FROM notes q WHERE q.number = s.id), ',' ORDER BY id) FROM samples s GROUP BY f ORDER BY f
: boolean text
= f	uno,far
= t	one,two
= \N	none
SELECT f, (SELECT count(*) FROM notes q WHERE (q.number > 1) = s.f) FROM samples s GROUP BY f ORDER BY f
: boolean bigint
= f	1
= t	4
= \N	0
SELECT (SELECT q.sample FROM notes q WHERE q.number = s.id), count(*) FROM samples s GROUP BY 1 ORDER BY 1
: integer bigint
= 1	2
= 2	1
= 99	1
= \N	5
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY (SELECT q.sample FROM notes q WHERE q.number = s.id)) FROM samples s
: double_precision
= 1.5
SELECT id FROM samples s ORDER BY (SELECT q.sample FROM notes q WHERE q.number = s.id), id
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
SELECT id, sum(i) OVER w FROM samples s WINDOW w AS (ORDER BY coalesce((CASE WHEN NOT (i <> 0) THEN 1 END), (SELECT max(10 / s.i + q.number) FROM notes q WHERE s.i <> 0)) DESC, id) ORDER BY id
: integer bigint
= 1	1
= 2	3
= 3	5
= 4	13
= 5	\N
= 6	15
= 7	22
= 8	15
= 9	8
SELECT id, sum(sum(i)) OVER (ORDER BY (SELECT count(*) FROM notes q WHERE q.number < s.id)) FROM samples s GROUP BY id ORDER BY id
: integer numeric
= 1	1
= 2	3
= 3	5
= 4	10
= 5	10
= 6	15
= 7	15
= 8	15
= 9	15
SELECT id, sum(sum(i)) OVER (ORDER BY (SELECT count(*) FROM notes q WHERE q.number < sum(s.id))) FROM samples s GROUP BY id ORDER BY id
: integer numeric
= 1	1
= 2	3
= 3	5
= 4	10
= 5	10
= 6	15
= 7	15
= 8	15
= 9	15
SELECT id, i, rank() OVER (ORDER BY (SELECT count(*) FROM notes q WHERE q.number < s.id)) FROM samples s JOIN notes n ON n.number = s.id ORDER BY id, i
: integer integer bigint
= 1	1	1
= 2	2	2
= 3	2	3
= 4	5	4
= 5	\N	5
SELECT id, (SELECT rank() OVER (ORDER BY (SELECT max(r.number) FROM notes r WHERE r.sample = q.sample)) FROM notes q WHERE q.number = s.id) FROM samples s ORDER BY id
: integer bigint
= 1	1
= 2	1
= 3	1
= 4	1
= 5	1
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT id, (SELECT rank() OVER (ORDER BY (SELECT max(r.number) FROM notes r WHERE r.sample = s.i)) FROM notes q WHERE q.number = s.id) FROM samples s ORDER BY id
: integer bigint
= 1	1
= 2	1
= 3	1
= 4	1
= 5	1
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT id FROM samples s WHERE (SELECT count(*) FROM notes q WHERE q.number > s.id AND EXISTS (SELECT 1 FROM notes r WHERE r.number = q.sample AND r.number > s.i)) > 0 ORDER BY id
: integer
= 1
SELECT id, (SELECT (SELECT (SELECT s.i + n.number + r.number FROM notes t WHERE t.number = s.id) FROM notes r WHERE r.number = n.number) FROM notes n WHERE n.number = s.id) FROM samples s ORDER BY id
: integer bigint
= 1	3
= 2	6
= 3	8
= 4	13
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT id, sum(i) OVER (ORDER BY (SELECT q.number FROM notes q WHERE q.number = s.id) RANGE 1 PRECEDING) FROM samples s ORDER BY id
: integer bigint
= 1	1
= 2	3
= 3	4
= 4	7
= 5	5
= 6	5
= 7	5
= 8	5
= 9	5
SELECT id, sum(i) OVER (ORDER BY (SELECT q.number FROM notes q WHERE q.number = s.id) RANGE BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) FROM samples s ORDER BY id
: integer bigint
= 1	3
= 2	5
= 3	10
= 4	10
= 5	10
= 6	15
= 7	15
= 8	15
= 9	15
SELECT id, sum(i) OVER (ORDER BY (SELECT q.number FROM notes q WHERE q.number = s.id) RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM samples s ORDER BY id
: integer bigint
= 1	15
= 2	14
= 3	12
= 4	10
= 5	5
= 6	5
= 7	5
= 8	5
= 9	5
SELECT id, sum(i) OVER (ORDER BY (SELECT q.number FROM notes q WHERE q.number = s.id) GROUPS 1 PRECEDING) FROM samples s ORDER BY id
: integer bigint
= 1	1
= 2	3
= 3	4
= 4	7
= 5	5
= 6	5
= 7	5
= 8	5
= 9	5
SELECT id, sum(i) OVER (ORDER BY (SELECT max(q.number) FROM notes q) RANGE 1 PRECEDING) FROM samples s ORDER BY id
: integer bigint
= 1	15
= 2	15
= 3	15
= 4	15
= 5	15
= 6	15
= 7	15
= 8	15
= 9	15
SELECT id, sum(i) OVER (PARTITION BY (SELECT q.number FROM notes q WHERE q.number = s.id) ORDER BY id RANGE 1 PRECEDING) FROM samples s ORDER BY id
: integer bigint
= 1	1
= 2	2
= 3	2
= 4	5
= 5	\N
= 6	-7
= 7	2
= 8	9
= 9	3
SELECT id, sum(i) OVER (ORDER BY id RANGE (SELECT max(q.number) FROM notes q) PRECEDING) FROM samples s ORDER BY id
: integer bigint
= 1	1
= 2	3
= 3	5
= 4	10
= 5	10
= 6	3
= 7	11
= 8	9
= 9	10
SELECT id, sum(i) OVER (ORDER BY s.id + (SELECT max(q.number) FROM notes q) RANGE (SELECT max(q.number) FROM notes q) PRECEDING) FROM samples s ORDER BY id
: integer bigint
= 1	1
= 2	3
= 3	5
= 4	10
= 5	10
= 6	3
= 7	11
= 8	9
= 9	10
SELECT i, sum(sum(i)) OVER (ORDER BY (SELECT max(q.number) FROM notes q WHERE q.number < s.i) RANGE 1 PRECEDING) FROM samples s GROUP BY i ORDER BY i
: integer numeric
= -7	-6
= 0	-6
= 1	-6
= 2	4
= 3	7
= 5	5
= 9	14
= \N	-6
SELECT id, sum(i) OVER (ORDER BY random() RANGE 1 PRECEDING) - sum(i) OVER (ORDER BY random() RANGE 1 PRECEDING) FROM samples s WHERE id = 1 ORDER BY id
: integer bigint
= 1	0
SELECT id, (SELECT array_agg(k) FROM (SELECT sum(q.sample) OVER (ORDER BY (SELECT s.i + max(r.number) FROM notes r WHERE r.number <= q.number) RANGE 1 PRECEDING) k FROM notes q) z) FROM samples s ORDER BY id
: integer bigint[]
= 1	{1,2,3,101,99}
= 2	{1,2,3,101,99}
= 3	{1,2,3,101,99}
= 4	{1,2,3,101,99}
= 5	{103,103,103,103,103}
= 6	{1,2,3,101,99}
= 7	{1,2,3,101,99}
= 8	{1,2,3,101,99}
= 9	{1,2,3,101,99}
SELECT NULL::smallint, sum(justify_days(NULL::interval)) FROM samples AS r1 GROUP BY 1
: smallint interval
= \N	\N
SELECT sum(justify_days(NULL::interval)) FROM samples AS r1 WHERE id < $1
$ integer
: interval
SELECT count(*) FROM samples HAVING mode() WITHIN GROUP (ORDER BY ('{}'::bigint[])[array_upper(a, 5)]) IS NOT NULL
: bigint
SELECT mode() WITHIN GROUP (ORDER BY (SELECT max(q.number) FROM notes q WHERE q.number > i)) FROM samples
: bigint
= 5
SELECT mode() WITHIN GROUP (ORDER BY i) FILTER (WHERE i <> ALL (ARRAY[s, 1])) FROM samples
: integer
= -7
SELECT mode() WITHIN GROUP (ORDER BY i) FILTER (WHERE ('\x00ff'::bytea <> ALL (ARRAY['\x00'::bytea, i::text::bytea]))) FROM samples GROUP BY s ORDER BY 1
: integer
= -7
= 0
= 1
= 2
= \N
SELECT s FROM samples GROUP BY s, t HAVING count(*) FILTER (WHERE EXISTS (SELECT 1 FROM notes q WHERE q.number = i)) > 0 AND (s > 1 AND (t::date) IS NOT NULL)
! 22007
SELECT s, t FROM samples GROUP BY GROUPING SETS ((s, t), (s)) HAVING count(*) FILTER (WHERE EXISTS (SELECT 1 FROM notes q WHERE q.number = i)) > 0 ORDER BY 1, 2
: smallint text
= -1	 x 
= -1	\N
= 1	Abc
= 1	abc
= 1	\N
= 2	
= 2	b
= 2	\N
SELECT s, t, sum((SELECT q.number FROM notes q WHERE q.number = i)) FROM samples GROUP BY CUBE (s, t) ORDER BY 1, 2, 3 LIMIT 3
: smallint text numeric
= -1	 x 	3
= -1	Zed	\N
= -1	\N	3
SELECT s, sum((SELECT max(q.number) FROM notes q)) FROM samples GROUP BY ROLLUP (s) ORDER BY 1, 2 LIMIT 3
: smallint numeric
= -1	10
= 1	10
= 2	10
SELECT s, sum(i) FILTER (WHERE (SELECT max(q.number) FROM notes q) > i) FROM samples GROUP BY GROUPING SETS ((s), (s), ()) ORDER BY 1, 2 LIMIT 3
: smallint bigint
= -1	3
= -1	3
= 1	3
SELECT s, sum(DISTINCT (SELECT max(q.number) FROM notes q WHERE q.number < i)) FROM samples GROUP BY ROLLUP (s) ORDER BY 1, 2 LIMIT 3
: smallint numeric
= -1	2
= 1	1
= 2	5
SELECT s, array_agg(i ORDER BY (SELECT max(q.number) FROM notes q WHERE q.number < i), i) FROM samples GROUP BY ROLLUP (s) ORDER BY 1, 2 LIMIT 3
: smallint integer[]
= -1	{3,0}
= 1	{2,1}
= 2	{2,5}
SELECT id IN (SELECT q.number FROM notes q) AS k, count(*) FROM samples GROUP BY ROLLUP (1) ORDER BY 1
: boolean bigint
= f	4
= t	5
= \N	9
SELECT (SELECT max(q.number) FROM notes q WHERE q.number < i) AS k, count(*) FROM samples GROUP BY ROLLUP (1) ORDER BY 1
: bigint bigint
= 1	2
= 2	1
= 4	1
= 5	1
= \N	4
= \N	9
SELECT (SELECT max(q.number) FROM notes q WHERE q.number < i) AS k, s, count(*) FROM samples GROUP BY CUBE (1, s) ORDER BY 1, 2, 3 LIMIT 5
: bigint smallint bigint
= 1	1	1
= 1	2	1
= 1	\N	2
= 2	-1	1
= 2	\N	1
SELECT i <> ALL (ARRAY[s, 2]) AS k, s, count(*) FROM samples GROUP BY CUBE (1, s) ORDER BY 1, 2, 3 LIMIT 5
: boolean smallint bigint
= f	1	2
= f	2	1
= f	\N	3
= t	-1	2
= t	2	1
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY (SELECT max(q.number) FROM notes q WHERE q.number > i)) FROM samples
: bigint
= 5
SELECT percentile_disc(ARRAY[0.5, 1]) WITHIN GROUP (ORDER BY (SELECT max(q.number) FROM notes q WHERE q.number > i)) FROM samples
: bigint[]
= {5,5}
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY (SELECT max(q.number) FROM notes q WHERE q.number > i) DESC) FROM samples
: double_precision
= 5
SELECT percentile_cont(ARRAY[0.5, 1]) WITHIN GROUP (ORDER BY (SELECT max(q.number) FROM notes q WHERE q.number > i)) FROM samples
: double_precision[]
= {5,5}
SELECT s, mode() WITHIN GROUP (ORDER BY (SELECT max(q.number) FROM notes q WHERE q.number > i)), count(*) FROM samples GROUP BY s ORDER BY 1
: smallint bigint bigint
= -1	5	2
= 1	5	2
= 2	5	2
= 3	5	2
= \N	\N	1
SELECT s + 1, mode() WITHIN GROUP (ORDER BY (SELECT max(q.number) FROM notes q WHERE q.number > i)), count(*) FROM samples WHERE i > 0 GROUP BY s + 1 HAVING max(i) > 2 ORDER BY s + 1
: integer bigint bigint
= 0	5	1
= 3	5	2
= 4	\N	1
SELECT s AS k, mode() WITHIN GROUP (ORDER BY (SELECT max(q.number) FROM notes q WHERE q.number > i)) FROM samples GROUP BY k ORDER BY k
: smallint bigint
= -1	5
= 1	5
= 2	5
= 3	5
= \N	\N
SELECT s, rank() OVER (ORDER BY mode() WITHIN GROUP (ORDER BY (SELECT max(q.number) FROM notes q WHERE q.number > i))) FROM samples GROUP BY s ORDER BY 1
: smallint bigint
= -1	1
= 1	1
= 2	1
= 3	1
= \N	5
SELECT s, (SELECT mode() WITHIN GROUP (ORDER BY (SELECT max(q.number) FROM notes q WHERE q.number > x.i))) FROM samples x GROUP BY s ORDER BY 1
: smallint bigint
= -1	5
= 1	5
= 2	5
= 3	5
= \N	\N
SELECT n.number, (SELECT mode() WITHIN GROUP (ORDER BY (SELECT max(q.number) FROM notes q WHERE q.number > x.i + n.number)) FROM samples x) FROM notes n ORDER BY 1
: bigint bigint
= 1	5
= 2	5
= 3	5
= 4	5
= 5	5
SELECT mode() WITHIN GROUP (ORDER BY i IN (SELECT q.number FROM notes q)) FROM samples
: boolean
= t
SELECT mode() WITHIN GROUP (ORDER BY (i <> ALL (ARRAY[s, 1]))) FROM samples
: boolean
= t
SELECT mode() WITHIN GROUP (ORDER BY random() > 2) FROM samples
: boolean
= f
SELECT id FROM samples s WHERE (SELECT max(q.number) FROM notes q WHERE q.number > i) BETWEEN SYMMETRIC 5 AND 2 ORDER BY 1
: integer
= 1
= 2
= 3
= 6
= 8
= 9
SELECT CASE (SELECT max(q.number) FROM notes q WHERE q.number > i) WHEN 5 THEN 1 WHEN 4 THEN 2 END FROM samples WHERE id < 3 ORDER BY 1
: integer
= 1
= 1
SELECT nullif((SELECT max(q.number) FROM notes q WHERE q.number > i), 5) FROM samples WHERE id < 3 ORDER BY 1
: bigint
= \N
= \N
SELECT (SELECT max(q.number) FROM notes q WHERE q.number > i) IS DISTINCT FROM 5 FROM samples WHERE id < 3 ORDER BY 1
: boolean
= f
= f
SELECT ((SELECT max(q.number) FROM notes q WHERE q.number > i), 1) = (5, 1) FROM samples WHERE id < 3 ORDER BY 1
: boolean
= t
= t
SELECT ((SELECT max(q.number) FROM notes q WHERE q.number > i), 1) < (5, 1) FROM samples WHERE id < 3 ORDER BY 1
: boolean
= f
= f
SELECT round((SELECT max(q.number) FROM notes q WHERE q.number > i) / 2.0, 1) FROM samples WHERE id < 3 ORDER BY 1
: numeric
= 2.5
= 2.5
SELECT justify_days((SELECT max(q.number) FROM notes q WHERE q.number > i) * interval '20 days') FROM samples WHERE id < 3 ORDER BY 1
: interval
= 3 mons 10 days
= 3 mons 10 days
SELECT sum((SELECT max(q.number) FROM notes q WHERE q.number > i) * interval '20 days') FROM samples WHERE id < 3
: interval
= 200 days
SELECT lag(i, 1, (SELECT max(q.number)::int FROM notes q WHERE q.number > i)) OVER (ORDER BY id) FROM samples WHERE id < 3 ORDER BY 1
: integer
= 1
= 5
SELECT nth_value(i, (SELECT 1)) OVER (ORDER BY id) FROM samples WHERE id < 3 ORDER BY 1
: integer
= 1
= 1
SELECT ntile((SELECT 2)) OVER (ORDER BY id) FROM samples WHERE id < 3 ORDER BY 1
: integer
= 1
= 2
SELECT generate_series(1, (SELECT max(q.number) FROM notes q WHERE q.number > i)) FROM samples WHERE id < 2 ORDER BY 1
: bigint
= 1
= 2
= 3
= 4
= 5
SELECT array_agg(DISTINCT (SELECT max(q.number) FROM notes q WHERE q.number > i)) FROM samples
: bigint[]
= {5,NULL}
SELECT json_agg((SELECT max(q.note) FROM notes q WHERE q.number > i) ORDER BY id) FROM samples
: json
= ["uno", "two", "two", null, null, "uno", null, "uno", "none"]
SELECT corr((SELECT max(q.number) FROM notes q WHERE q.number > i), i) FROM samples
: double_precision
= \N
SELECT regr_count((SELECT max(q.number) FROM notes q WHERE q.number > i), i) FROM samples
: bigint
= 6
SELECT count(*) FROM samples GROUP BY (SELECT max(q.number) FROM notes q WHERE q.number > i) HAVING count(*) > (SELECT 1) ORDER BY 1
: bigint
= 3
= 6
SELECT DISTINCT ON (s) s, (SELECT max(q.number) FROM notes q WHERE q.number > i) FROM samples ORDER BY s, 2
: smallint bigint
= -1	5
= 1	5
= 2	5
= 3	5
= \N	\N
SELECT mode() WITHIN GROUP (ORDER BY s DESC) FROM samples
: smallint
= 3
SELECT mode() WITHIN GROUP (ORDER BY s) FROM samples
: smallint
= -1
SELECT mode() WITHIN GROUP (ORDER BY s NULLS FIRST) FROM samples
: smallint
= -1
SELECT mode() WITHIN GROUP (ORDER BY t) FROM samples
: text
= 
SELECT mode() WITHIN GROUP (ORDER BY 'x') FROM samples
! 42804
SELECT mode() WITHIN GROUP (ORDER BY NULL::int) FROM samples
: integer
= \N
SELECT f, mode() WITHIN GROUP (ORDER BY s DESC) FILTER (WHERE i > 0) FROM samples GROUP BY f ORDER BY f
: boolean smallint
= f	2
= t	3
= \N	\N
SELECT mode() WITHIN GROUP (ORDER BY tz) FROM samples
: timestamp_with_time_zone
= 1970-01-01 00:00:00+00
SELECT mode() WITHIN GROUP (ORDER BY a) FROM samples
: bigint[]
= {}
SELECT sample, (SELECT max(n.number)) FROM notes n GROUP BY sample ORDER BY count(*) DESC FETCH FIRST 1 ROW WITH TIES
: integer bigint
= 1	2
SELECT sample, (SELECT max(n.number)) FROM notes n GROUP BY sample ORDER BY (SELECT count(n.number)) DESC FETCH FIRST 1 ROW WITH TIES
: integer bigint
= 1	2
