SELECT i FROM samples GROUP BY d
! 42803
SELECT sample, count(*) FROM notes
! 42803
SELECT n.sample, (SELECT n.number) FROM notes n GROUP BY n.sample
! 42803
SELECT n.sample, (SELECT n.sample + 1) FROM notes n GROUP BY n.sample ORDER BY 1
: integer integer
= 1	2
= 2	3
= 99	100
= \N	\N
SELECT n.sample + 1, (SELECT n.sample + 1) FROM notes n GROUP BY n.sample + 1
! 42803
SELECT (n.sample + 1), n.sample+1 + 2 FROM notes n GROUP BY (n.sample + 1) ORDER BY 1
: integer integer
= 2	4
= 3	5
= 100	102
= \N	\N
SELECT n.sample AS k FROM notes n GROUP BY k ORDER BY k
: integer
= 1
= 2
= 99
= \N
SELECT n.number AS sample FROM notes n GROUP BY sample
! 42803
SELECT n.number AS sample, n.sample AS k FROM notes n GROUP BY sample
! 42803
SELECT sample FROM notes n GROUP BY n.sample ORDER BY notes.sample
! 42P01
SELECT sample FROM notes n GROUP BY n.sample ORDER BY n.sample
: integer
= 1
= 2
= 99
= \N
SELECT notes.sample FROM notes GROUP BY sample ORDER BY 1
: integer
= 1
= 2
= 99
= \N
SELECT sample, note FROM notes GROUP BY 1, 2 ORDER BY 1, 2
: integer text
= 1	one
= 1	uno
= 2	two
= 99	far
= \N	none
SELECT sample, note FROM notes GROUP BY 1
! 42803
SELECT sample FROM notes GROUP BY sample HAVING number > 1
! 42803
SELECT sample FROM notes GROUP BY sample ORDER BY number
! 42803
SELECT sample, sum(count(*)) OVER (ORDER BY number) FROM notes GROUP BY sample
! 42803
SELECT sample, sum(count(*)) OVER (PARTITION BY sample % 2 ORDER BY sample) FROM notes GROUP BY sample ORDER BY 1
: integer numeric
= 1	2
= 2	1
= 99	3
= \N	1
SELECT number, n.sample FROM notes n JOIN samples s ON s.id = n.sample GROUP BY n.sample
! 42803
SELECT number FROM notes n JOIN notes m USING (number) GROUP BY number ORDER BY number
: bigint
= 1
= 2
= 3
= 4
= 5
SELECT n.number FROM notes n JOIN notes m USING (number) GROUP BY number ORDER BY 1
: bigint
= 1
= 2
= 3
= 4
= 5
SELECT n.number, m.number FROM notes n JOIN notes m USING (number) GROUP BY n.number ORDER BY 1
! 42803
SELECT number FROM notes n LEFT JOIN notes m USING (number) GROUP BY n.number ORDER BY 1
: bigint
= 1
= 2
= 3
= 4
= 5
SELECT * FROM notes GROUP BY sample
! 42803
SELECT * FROM notes GROUP BY number, sample, note ORDER BY 1
: bigint integer text
= 1	1	one
= 2	1	uno
= 3	2	two
= 4	99	far
= 5	\N	none
SELECT notes FROM notes GROUP BY number, sample, note ORDER BY 1
: notes
= (1,1,one)
= (2,1,uno)
= (3,2,two)
= (4,99,far)
= (5,,none)
~ a whole row of a store is a record, not of the store's type; ROW(t.*) is refused
>: record
>= (1,1,one)
>= (2,1,uno)
>= (3,2,two)
>= (4,99,far)
>= (5,,none)
SELECT 1 FROM notes HAVING true
: integer
= 1
SELECT number FROM notes HAVING true
! 42803
SELECT date_trunc('month', at), count(*) FROM samples GROUP BY date_trunc('month', at) ORDER BY 1
: timestamp_without_time_zone bigint
= 1970-01-01 00:00:00	1
= 1999-12-01 00:00:00	1
= 2020-01-01 00:00:00	1
= 2020-02-01 00:00:00	1
= 2020-03-01 00:00:00	1
= 2020-06-01 00:00:00	1
= 2020-07-01 00:00:00	1
= 2020-12-01 00:00:00	1
= \N	1
SELECT date_trunc('month', at) + interval '1 day', count(*) FROM samples GROUP BY date_trunc('month', at) ORDER BY 1
: timestamp_without_time_zone bigint
= 1970-01-02 00:00:00	1
= 1999-12-02 00:00:00	1
= 2020-01-02 00:00:00	1
= 2020-02-02 00:00:00	1
= 2020-03-02 00:00:00	1
= 2020-06-02 00:00:00	1
= 2020-07-02 00:00:00	1
= 2020-12-02 00:00:00	1
= \N	1
SELECT extract(year FROM at), count(*) FROM samples GROUP BY extract(year FROM at) ORDER BY 1
: numeric bigint
= 1970	1
= 1999	1
= 2020	6
= \N	1
SELECT CASE WHEN i > 1 THEN 'a' ELSE 'b' END, count(*) FROM samples GROUP BY CASE WHEN i > 1 THEN 'a' ELSE 'b' END ORDER BY 1
: text bigint
= a	5
= b	4
SELECT CASE WHEN i > 1 THEN 'a' ELSE 'c' END, count(*) FROM samples GROUP BY CASE WHEN i > 1 THEN 'a' ELSE 'b' END ORDER BY 1
! 42803
SELECT i::text, count(*) FROM samples GROUP BY CAST(i AS text) ORDER BY 1
: text bigint
= -7	1
= 0	1
= 1	1
= 2	2
= 3	1
= 5	1
= 9	1
= \N	1
SELECT upper(t), count(*) FROM samples GROUP BY UPPER(t) ORDER BY 1
: text bigint
= 	1
=  X 	1
= AB	1
= ABC	2
= B	1
= ZED	1
= Ä	1
= \N	1
SELECT a[1], count(*) FROM samples GROUP BY a[1] ORDER BY 1
: bigint bigint
= 1	1
= 2	2
= 4	1
= 7	1
= 9	1
= 10	1
= \N	2
SELECT a[1] FROM samples GROUP BY a ORDER BY 1
: bigint
= 1
= 2
= 2
= 4
= 7
= 9
= 10
= \N
= \N
SELECT j->>'a', count(*) FROM samples GROUP BY j->>'a' ORDER BY 1
: text bigint
= 0	1
= 1	1
= 2	1
= 7.5	1
= \N	5
SELECT id % 2 = 0 AND f FROM samples GROUP BY id % 2 = 0 AND f ORDER BY 1
: boolean
= f
= t
SELECT grouping(i), i FROM samples GROUP BY ROLLUP (i, id) ORDER BY 1, 2 LIMIT 3
: integer integer
= 0	-7
= 0	-7
= 0	0
SELECT grouping(s), i FROM samples GROUP BY ROLLUP (i, id) ORDER BY 1, 2 LIMIT 3
! 42803
SELECT i, id FROM samples GROUP BY CUBE ((i, id)) ORDER BY 1, 2 LIMIT 3
: integer integer
= -7	6
= 0	8
= 1	1
SELECT i, id, s FROM samples GROUP BY GROUPING SETS ((i, id), s) ORDER BY 1, 2, 3 LIMIT 3
: integer integer smallint
= -7	6	\N
= 0	8	\N
= 1	1	\N
WITH c AS (SELECT i FROM samples GROUP BY d) SELECT 1
! 42803
SELECT x.k, count(*) FROM (SELECT sample AS k FROM notes) x, LATERAL (SELECT x.k + 1 AS m) y GROUP BY x.k, y.m ORDER BY 1
: integer bigint
= 1	2
= 2	1
= 99	1
= \N	1
SELECT y.m + 1 FROM (SELECT sample AS k FROM notes) x, LATERAL (SELECT x.k + 1 AS m) y GROUP BY x.k
! 42803
SELECT generate_series(1, i) FROM samples GROUP BY d
! 42803
SELECT u FROM samples, unnest(a) u GROUP BY u ORDER BY 1
: bigint
= -10
= 1
= 2
= 3
= 4
= 7
= 8
= 9
= 10
SELECT v.x FROM (VALUES (1), (2)) v (x) GROUP BY v.x ORDER BY 1
: integer
= 1
= 2
SELECT x FROM (VALUES (1), (2)) v (x) GROUP BY v.x ORDER BY 1
: integer
= 1
= 2
SELECT t.n FROM (notes n0 JOIN samples s0 ON true) t (n) GROUP BY t.n
! 42702
SELECT DISTINCT ON (sample) sample, number FROM notes GROUP BY sample, number ORDER BY sample, number
: integer bigint
= 1	1
= 2	3
= 99	4
= \N	5
SELECT DISTINCT ON (note) sample FROM notes GROUP BY sample ORDER BY note, sample
! 42803
SELECT count(*) FROM notes ORDER BY number
! 42803
SELECT count(*) AS number FROM notes ORDER BY number
: bigint
= 5
SELECT count(*) AS c FROM notes n WHERE EXISTS (SELECT max(m.number) FROM notes m WHERE m.sample = n.sample HAVING max(m.number) > n.number)
: bigint
= 1
SELECT c.relname, count(*) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid GROUP BY c.oid, c.relname ORDER BY 1 LIMIT 0
: name bigint
SELECT sample + $1, count(*) FROM notes GROUP BY sample + $1
$ integer
: integer bigint
SELECT at AT TIME ZONE 'UTC', count(*) FROM samples GROUP BY at AT TIME ZONE 'UTC' ORDER BY 1 LIMIT 1
: timestamp_with_time_zone bigint
= 1970-01-01 00:00:00+00	1
SELECT substring(t FROM 1 FOR 1), count(*) FROM samples GROUP BY substring(t FROM 1 FOR 1) ORDER BY 1 LIMIT 2
: text bigint
= 	1
=  	1
SELECT substring(t, 1, 1), count(*) FROM samples GROUP BY substring(t FROM 1 FOR 1) ORDER BY 1 LIMIT 2
: text bigint
= 	1
=  	1
SELECT i <> 1, count(*) FROM samples GROUP BY i != 1 ORDER BY 1
: boolean bigint
= f	1
= t	7
= \N	1
SELECT i IS NOT NULL FROM samples GROUP BY i IS NOT NULL ORDER BY 1
: boolean
= f
= t
SELECT NOT i IS NULL FROM samples GROUP BY i IS NOT NULL ORDER BY 1
! 42803
SELECT -i FROM samples GROUP BY -i ORDER BY 1 LIMIT 2
: integer
= -9
= -5
SELECT - i, i + -1 FROM samples GROUP BY -i, i + -1 ORDER BY 1 LIMIT 2
: integer integer
= -9	8
= -5	4
SELECT interval '1 day' * i FROM samples GROUP BY interval '1 day' * i ORDER BY 1 LIMIT 2
: interval
= -7 days
= 00:00:00
SELECT t || 'x' FROM samples GROUP BY t || 'x' ORDER BY 1 LIMIT 2
: text
=  x x
= Abcx
SELECT t COLLATE "C" FROM samples GROUP BY t COLLATE "C" ORDER BY 1 LIMIT 2
: text
= 
=  x 
SELECT t COLLATE "C" FROM samples GROUP BY t ORDER BY 1 LIMIT 2
: text
= 
=  x 
SELECT pg_catalog.upper(t) FROM samples GROUP BY upper(t) ORDER BY 1 LIMIT 2
: text
= 
=  X 
SELECT t ~ 'a' FROM samples GROUP BY t OPERATOR(pg_catalog.~) 'a' ORDER BY 1 LIMIT 2
: boolean
= f
= t
SELECT (sample, number) FROM notes GROUP BY sample, number ORDER BY 1 LIMIT 2
: record
= (1,1)
= (1,2)
SELECT row(sample, number) FROM notes GROUP BY (sample, number) ORDER BY 1 LIMIT 2
: record
= (1,1)
= (1,2)
SELECT max(number) FROM notes n GROUP BY n.sample HAVING n.sample IN (SELECT s.id FROM samples s WHERE s.i = n.sample) ORDER BY 1
: bigint
= 2
= 3
SELECT s.id, max(n.number) FROM samples s LEFT JOIN LATERAL (SELECT * FROM notes q WHERE q.sample = s.id) n ON true GROUP BY s.id ORDER BY 1 LIMIT 2
: integer bigint
= 1	2
= 2	3
SELECT samples.id FROM public.samples GROUP BY public.samples.id ORDER BY 1 LIMIT 2
: integer
= 1
= 2
SELECT (SELECT q.sample FROM notes q WHERE q.number = s.id), count(*) FROM samples s GROUP BY (SELECT q.sample FROM notes q WHERE q.number = s.id) ORDER BY 1
: integer bigint
= 1	2
= 2	1
= 99	1
= \N	5
SELECT (SELECT q.sample FROM notes q WHERE q.number = s.id) + 1, count(*) FROM samples s GROUP BY (SELECT q.sample FROM notes q WHERE q.number = s.id) ORDER BY (SELECT q.sample FROM notes q WHERE q.number = s.id)
: integer bigint
= 2	2
= 3	1
= 100	1
= \N	5
SELECT (SELECT r.sample FROM notes r WHERE r.number = s.id), count(*) FROM samples s GROUP BY (SELECT q.sample FROM notes q WHERE q.number = s.id) ORDER BY 1
! 42803
SELECT (SELECT q.note FROM notes q WHERE q.number = s.id), count(*) FROM samples s GROUP BY (SELECT q.sample FROM notes q WHERE q.number = s.id) ORDER BY 1
! 42803
SELECT (SELECT notes.sample FROM notes WHERE notes.number = s.id), count(*) FROM samples s GROUP BY (SELECT notes.sample FROM notes WHERE notes.number = s.id) ORDER BY 1
: integer bigint
= 1	2
= 2	1
= 99	1
= \N	5
SELECT (SELECT sample FROM notes WHERE number = id), count(*) FROM samples GROUP BY (SELECT sample FROM notes WHERE number = id) ORDER BY 1
: integer bigint
= 1	2
= 2	1
= 99	1
= \N	5
SELECT (SELECT sample FROM notes WHERE number = id) AS k, count(*) FROM samples GROUP BY k ORDER BY k
: integer bigint
= 1	2
= 2	1
= 99	1
= \N	5
SELECT s.s, (SELECT q.sample FROM notes q WHERE q.number = s.id) AS k, max(s.i) FROM samples s GROUP BY s.s, (SELECT q.sample FROM notes q WHERE q.number = s.id) HAVING (SELECT q.sample FROM notes q WHERE q.number = s.id) IS NOT NULL ORDER BY 1, 2
: smallint integer integer
= 1	1	2
= 2	2	2
= 2	99	5
SELECT s.s, (SELECT q.sample FROM notes q WHERE q.number = s.id) AS k, max(s.i) FROM samples s GROUP BY ROLLUP (s.s, (SELECT q.sample FROM notes q WHERE q.number = s.id)) ORDER BY 1, 2, 3 LIMIT 4
: smallint integer integer
= -1	\N	3
= -1	\N	3
= 1	1	2
= 1	\N	2
SELECT EXISTS (SELECT 1 FROM notes q WHERE q.sample = s.id), count(*) FROM samples s GROUP BY EXISTS (SELECT 1 FROM notes q WHERE q.sample = s.id) ORDER BY 1
: boolean bigint
= f	7
= t	2
SELECT id IN (SELECT q.sample FROM notes q), count(*) FROM samples s GROUP BY id IN (SELECT q.sample FROM notes q) ORDER BY 1
: boolean bigint
= t	2
= \N	7
SELECT (SELECT count(*) FROM notes q WHERE q.number = s.id) FROM samples s GROUP BY 1 ORDER BY 1
: bigint
= 0
= 1
SELECT s.id, (SELECT count(*) FROM notes q WHERE q.number = s.id) FROM samples s GROUP BY s.id, 2 ORDER BY 1 LIMIT 2
: integer bigint
= 1	1
= 2	1
SELECT (SELECT max(number) FROM notes), count(*) FROM samples GROUP BY (SELECT max(number) FROM notes)
: bigint bigint
= 5	9
SELECT count(*) FROM samples s GROUP BY (SELECT q.sample FROM notes q WHERE q.number = s.id), s.i ORDER BY 1, s.i
: bigint
= 1
= 1
= 1
= 1
= 1
= 1
= 1
= 1
= 1
SELECT (SELECT q.sample FROM notes q WHERE q.number = s.id), rank() OVER (ORDER BY (SELECT q.sample FROM notes q WHERE q.number = s.id)) FROM samples s GROUP BY (SELECT q.sample FROM notes q WHERE q.number = s.id) ORDER BY 1
: integer bigint
= 1	1
= 2	2
= 99	3
= \N	4
SELECT (SELECT max(s.i) + (SELECT q.sample FROM notes q WHERE q.number = s.id)) FROM samples s GROUP BY (SELECT q.sample FROM notes q WHERE q.number = s.id)
! 42803
SELECT s.s, EXISTS (SELECT 1 FROM notes q WHERE q.sample = (SELECT max(r.number) FROM notes r WHERE r.sample = s.s)) FROM samples s GROUP BY s.s, EXISTS (SELECT 1 FROM notes q WHERE q.sample = (SELECT max(r.number) FROM notes r WHERE r.sample = s.s)) ORDER BY 1
: smallint boolean
= -1	f
= 1	t
= 2	f
= 3	f
= \N	f
SELECT (SELECT max(v.x) FROM (SELECT s.s + n.number FROM notes n) v (x)), count(*) FROM samples s GROUP BY (SELECT max(v.x) FROM (SELECT s.s + n.number FROM notes n) v (x)) ORDER BY 1
: bigint bigint
= 4	2
= 6	2
= 7	2
= 8	2
= \N	1
SELECT (SELECT n.number FROM notes n JOIN notes m ON m.number = n.sample WHERE m.number = s.id), count(*) FROM samples s GROUP BY (SELECT n.number FROM notes n JOIN notes m ON m.number = n.sample WHERE m.number = s.id) ORDER BY 1 LIMIT 1
! 21000
SELECT (SELECT m.number FROM notes n JOIN notes m ON m.number = n.sample WHERE m.number = s.id), count(*) FROM samples s GROUP BY (SELECT n.number FROM notes n JOIN notes m ON m.number = n.sample WHERE m.number = s.id) ORDER BY 1 LIMIT 1
! 42803
SELECT x FROM (VALUES (1)) v(x) GROUP BY 3
! 42P10
SELECT x FROM (VALUES (1)) v(x) GROUP BY 0
! 42P10
SELECT x FROM (VALUES (1)) v(x) GROUP BY ROLLUP (1, 2)
! 42P10
SELECT * FROM (VALUES (1)) v(x) GROUP BY 2
! 42P10
SELECT sum(id) OVER () FROM samples GROUP BY GROUPING SETS ('\d', id)
! 42601
SELECT grouping(i) FROM samples GROUP BY ROLLUP (i,'%c')
! 42601
SELECT count(*) FROM samples GROUP BY CUBE (i, NULL)
! 42601
SELECT count(*) FROM samples GROUP BY ROLLUP (1.5)
! 42601
SELECT i, count(*) FROM samples GROUP BY ROLLUP (1) ORDER BY 1, 2
: integer bigint
= -7	1
= 0	1
= 1	1
= 2	2
= 3	1
= 5	1
= 9	1
= \N	1
= \N	9
SELECT count(*) FROM samples GROUP BY ROLLUP ((i, 'a'))
! 42601
SELECT i, count(*) FROM samples GROUP BY GROUPING SETS ((), (i), (i, s), ROLLUP (f)) ORDER BY 1, 2
: integer bigint
= -7	1
= -7	1
= 0	1
= 0	1
= 1	1
= 1	1
= 2	1
= 2	1
= 2	2
= 3	1
= 3	1
= 5	1
= 5	1
= 9	1
= 9	1
= \N	1
= \N	1
= \N	1
= \N	4
= \N	4
= \N	9
= \N	9
SELECT count(*) FROM samples GROUP BY (i, 'a')
! 42601
SELECT count(*) FROM samples GROUP BY (i, s)
: bigint
= 1
= 1
= 1
= 1
= 1
= 1
= 1
= 1
= 1
SELECT i, s, count(*) FROM samples GROUP BY ROLLUP (1, 2), s ORDER BY 1, 2, 3
: integer smallint bigint
= -7	3	1
= -7	3	1
= 0	-1	1
= 0	-1	1
= 1	1	1
= 1	1	1
= 2	1	1
= 2	1	1
= 2	2	1
= 2	2	1
= 3	-1	1
= 3	-1	1
= 5	2	1
= 5	2	1
= 9	3	1
= 9	3	1
= \N	-1	2
= \N	1	2
= \N	2	2
= \N	3	2
= \N	\N	1
= \N	\N	1
= \N	\N	1
SELECT i AS s, s AS i, count(*) FROM samples GROUP BY GROUPING SETS ((1), (2), ()), samples.s ORDER BY 1, 2, 3
: integer smallint bigint
= -7	3	1
= 0	-1	1
= 1	1	1
= 2	1	1
= 2	2	1
= 3	-1	1
= 5	2	1
= 9	3	1
= \N	-1	2
= \N	-1	2
= \N	1	2
= \N	1	2
= \N	2	2
= \N	2	2
= \N	3	2
= \N	3	2
= \N	\N	1
= \N	\N	1
= \N	\N	1
SELECT s, i + 1, count(*) FROM samples GROUP BY CUBE (1, 2), 1 ORDER BY 1, 2, 3
: smallint integer bigint
= -1	1	1
= -1	1	1
= -1	4	1
= -1	4	1
= -1	\N	2
= -1	\N	2
= 1	2	1
= 1	2	1
= 1	3	1
= 1	3	1
= 1	\N	2
= 1	\N	2
= 2	3	1
= 2	3	1
= 2	6	1
= 2	6	1
= 2	\N	2
= 2	\N	2
= 3	-6	1
= 3	-6	1
= 3	10	1
= 3	10	1
= 3	\N	2
= 3	\N	2
= \N	\N	1
= \N	\N	1
= \N	\N	1
= \N	\N	1
