SELECT id, row_number() OVER (ORDER BY id), rank() OVER (ORDER BY i), dense_rank() OVER (ORDER BY i), percent_rank() OVER (ORDER BY i), cume_dist() OVER (ORDER BY i), ntile(3) OVER (ORDER BY id) FROM samples ORDER BY id
: integer bigint bigint bigint double_precision double_precision integer
= 1	1	3	3	0.25	0.3333333333333333	1
= 2	2	4	4	0.375	0.5555555555555556	1
= 3	3	4	4	0.375	0.5555555555555556	1
= 4	4	7	6	0.75	0.7777777777777778	2
= 5	5	9	8	1	1	2
= 6	6	1	1	0	0.1111111111111111	2
= 7	7	8	7	0.875	0.8888888888888888	3
= 8	8	2	2	0.125	0.2222222222222222	3
= 9	9	6	5	0.625	0.6666666666666666	3
SELECT id, lag(i) OVER (ORDER BY id), lead(i, 2, -1) OVER (ORDER BY id), first_value(i) OVER (ORDER BY id), last_value(i) OVER (ORDER BY id), nth_value(i, 2) OVER (ORDER BY id) FROM samples ORDER BY id
: integer integer integer integer integer integer
= 1	\N	2	1	1	\N
= 2	1	5	1	2	2
= 3	2	\N	1	2	2
= 4	2	-7	1	5	2
= 5	5	9	1	\N	2
= 6	\N	0	1	-7	2
= 7	-7	3	1	9	2
= 8	9	-1	1	0	2
= 9	0	-1	1	3	2
SELECT id, sum(i) OVER (ORDER BY id), sum(i) OVER (), avg(i) OVER (PARTITION BY f ORDER BY id), count(*) OVER (PARTITION BY f) FROM samples ORDER BY id
: integer bigint bigint numeric bigint
= 1	1	15	1.00000000000000000000	4
= 2	3	15	2.0000000000000000	4
= 3	5	15	1.5000000000000000	4
= 4	10	15	3.5000000000000000	4
= 5	10	15	\N	1
= 6	3	15	-1.3333333333333333	4
= 7	12	15	1.2500000000000000	4
= 8	12	15	2.3333333333333333	4
= 9	15	15	2.5000000000000000	4
SELECT id, sum(i) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), sum(i) OVER (ORDER BY id RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) FROM samples ORDER BY id
: integer bigint bigint
= 1	3	1
= 2	5	3
= 3	9	5
= 4	7	9
= 5	-2	7
= 6	2	-2
= 7	2	2
= 8	12	2
= 9	3	12
SELECT id, sum(i) OVER (ORDER BY id GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) FROM samples ORDER BY id
: integer bigint
= 1	\N
= 2	1
= 3	2
= 4	2
= 5	5
= 6	\N
= 7	-7
= 8	9
= 9	0
SELECT id, max(i) OVER w, min(i) OVER w FROM samples WINDOW w AS (PARTITION BY f ORDER BY id) ORDER BY id
: integer integer integer
= 1	1	1
= 2	2	2
= 3	2	1
= 4	5	2
= 5	\N	\N
= 6	2	-7
= 7	9	-7
= 8	5	0
= 9	5	0
SELECT id, avg(n) OVER (ORDER BY id ROWS 2 PRECEDING) FROM samples ORDER BY id
: integer numeric
= 1	1.50000000000000000000
= 2	2.0000000000000000
= 3	0.50000000000000000000
= 4	3.3336666666666667
= 5	3.7505000000000000
= 6	5.0005000000000000
= 7	499999.999500000000
= 8	333333.331333333333
= 9	333344.442333333333
SELECT id, sum(i) FILTER (WHERE f) OVER (ORDER BY id) FROM samples ORDER BY id
: integer bigint
= 1	1
= 2	1
= 3	3
= 4	3
= 5	3
= 6	-4
= 7	5
= 8	5
= 9	5
SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY f ORDER BY i DESC) AS rn FROM samples) q WHERE rn = 1 ORDER BY id
: integer bigint
= 4	1
= 5	1
= 7	1
SELECT f, sum(sum(i)) OVER (ORDER BY f) FROM samples GROUP BY f ORDER BY f
: boolean numeric
= f	10
= t	15
= \N	15
SELECT id, i - lag(i) OVER (ORDER BY id) AS delta FROM samples ORDER BY id
: integer integer
= 1	\N
= 2	1
= 3	0
= 4	3
= 5	\N
= 6	\N
= 7	16
= 8	-9
= 9	3
SELECT id, rank() OVER (ORDER BY t) FROM samples ORDER BY id
: integer bigint
= 1	3
= 2	6
= 3	7
= 4	1
= 5	9
= 6	5
= 7	8
= 8	4
= 9	2
SELECT id, rank() OVER (ORDER BY t DESC) FROM samples ORDER BY id
: integer bigint
= 1	7
= 2	4
= 3	3
= 4	9
= 5	1
= 6	5
= 7	2
= 8	6
= 9	8
SELECT id, string_agg(t, ',') OVER (ORDER BY id) FROM samples WHERE id < 4 ORDER BY id
: integer text
= 1	Abc
= 2	Abc,abc
= 3	Abc,abc,b
SELECT id, count(*) OVER (ORDER BY day RANGE BETWEEN '10 days' PRECEDING AND CURRENT ROW) FROM samples ORDER BY id
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
SELECT id, array_agg(i) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM samples ORDER BY id
: integer integer[]
= 1	{1}
= 2	{1,2}
= 3	{2,2}
= 4	{2,5}
= 5	{5,NULL}
= 6	{NULL,-7}
= 7	{-7,9}
= 8	{9,0}
= 9	{0,3}
SELECT row_number() OVER () > 0 FROM samples WHERE id = 1
: boolean
= t
SELECT sum(row_number() OVER ()) FROM samples
! 42803
SELECT id, rank() OVER (PARTITION BY split_part(t, 'b', 1) ORDER BY repeat(t, 2)) FROM samples ORDER BY id
: integer bigint
= 1	1
= 2	1
= 3	2
= 4	1
= 5	1
= 6	1
= 7	1
= 8	1
= 9	1
SELECT id, sum(i) OVER (ORDER BY r * 2), count(*) OVER (ORDER BY decode('00ff', 'hex')) FROM samples ORDER BY id
: integer bigint bigint
= 1	-4	9
= 2	-2	9
= 3	-5	9
= 4	15	9
= 5	15	9
= 6	-7	9
= 7	7	9
= 8	0	9
= 9	10	9
SELECT rank() OVER (ORDER BY split_part(t, 'b', i - 1)) FROM samples
! 22023
SELECT avg(i) FILTER (WHERE i > 1) OVER (PARTITION BY string_to_array(s, 'b', 'b')) FROM (VALUES (1, 'a'), (2, 'b'), (4, 'b')) v(i, s) ORDER BY 1
: numeric
= 3.0000000000000000
= 3.0000000000000000
= \N
