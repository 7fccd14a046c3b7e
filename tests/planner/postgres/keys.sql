SELECT t, count(*) FROM samples GROUP BY id ORDER BY id
: text bigint
= Abc	1
= abc	1
= b	1
= 	1
= \N	1
= aB	1
= ä	1
= Zed	1
=  x 	1
SELECT s.t, s.i + 1 FROM samples s GROUP BY id ORDER BY s.id
: text integer
= Abc	2
= abc	3
= b	3
= 	6
= \N	\N
= aB	-6
= ä	10
= Zed	1
=  x 	4
SELECT t FROM samples s GROUP BY s.id ORDER BY s.id
: text
= Abc
= abc
= b
= 
= \N
= aB
= ä
= Zed
=  x 
SELECT * FROM notes GROUP BY number ORDER BY 1
: bigint integer text
= 1	1	one
= 2	1	uno
= 3	2	two
= 4	99	far
= 5	\N	none
SELECT n.*, count(*) FROM notes n GROUP BY n.number ORDER BY 1
: bigint integer text bigint
= 1	1	one	1
= 2	1	uno	1
= 3	2	two	1
= 4	99	far	1
= 5	\N	none	1
SELECT n.*, s.t FROM notes n LEFT JOIN samples s ON s.id = n.sample GROUP BY n.number, s.id ORDER BY n.number
: bigint integer text text
= 1	1	one	Abc
= 2	1	uno	Abc
= 3	2	two	abc
= 4	99	far	\N
= 5	\N	none	\N
SELECT n.*, s.t FROM notes n LEFT JOIN samples s ON s.id = n.sample GROUP BY n.number ORDER BY n.number
! 42803
SELECT s.id, s.t, count(n.number) FROM samples s LEFT JOIN notes n ON n.sample = s.id GROUP BY s.id HAVING s.i > 0 ORDER BY s.i, s.id
: integer text bigint
= 1	Abc	2
= 2	abc	1
= 3	b	0
= 9	 x 	0
= 4		0
= 7	ä	0
SELECT s.id, s.t, s.j, count(n.number) FROM samples s JOIN notes n ON n.sample = s.id GROUP BY s.id ORDER BY s.id
: integer text json bigint
= 1	Abc	{"a": 1, "b": "x", "c": ["p", "q"]}	2
= 2	abc	{"a": 2, "b": null}	1
SELECT n.note, count(s.id) FROM samples s RIGHT JOIN notes n ON n.sample = s.id GROUP BY n.number ORDER BY n.number
: text bigint
= one	1
= uno	1
= two	1
= far	0
= none	0
SELECT n.note, count(s.id) FROM samples s FULL JOIN notes n ON n.sample = s.id GROUP BY n.number ORDER BY n.note NULLS FIRST
: text bigint
= \N	7
= far	0
= none	0
= one	1
= two	1
= uno	1
SELECT a.y, count(*) FROM samples AS a (k, y) GROUP BY k ORDER BY k
: integer bigint
= 1	1
= 2	1
= 2	1
= 5	1
= \N	1
= -7	1
= 9	1
= 0	1
= 3	1
SELECT a.y FROM samples AS a (k, id) GROUP BY id
! 42703
SELECT id, t || '!' AS y, rank() OVER (ORDER BY t) FROM samples GROUP BY id ORDER BY id
: integer text bigint
= 1	Abc!	3
= 2	abc!	6
= 3	b!	7
= 4	!	1
= 5	\N	9
= 6	aB!	5
= 7	ä!	8
= 8	Zed!	4
= 9	 x !	2
SELECT id, (SELECT max(n.note) FROM notes n WHERE n.sample = s.i) FROM samples s GROUP BY id ORDER BY id
: integer text
= 1	uno
= 2	two
= 3	two
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT (SELECT s.t) FROM samples s GROUP BY s.id ORDER BY s.id
: text
= Abc
= abc
= b
= 
= \N
= aB
= ä
= Zed
=  x 
SELECT (SELECT sum(s.i) + n.number FROM notes n WHERE n.sample = s.i LIMIT 1) FROM samples s WHERE i > 2 GROUP BY s.id ORDER BY s.id
: bigint
= \N
= \N
= \N
SELECT DISTINCT ON (s) s, t FROM samples GROUP BY id ORDER BY s, t
: smallint text
= -1	 x 
= 1	Abc
= 2	
= 3	aB
= \N	\N
SELECT DISTINCT s FROM samples GROUP BY id ORDER BY s
: smallint
= -1
= 1
= 2
= 3
= \N
SELECT CASE WHEN i > 3 THEN t ELSE count(*)::text END FROM samples GROUP BY id ORDER BY id
: text
= 1
= 1
= 1
= 
= 1
= 1
= ä
= 1
= 1
SELECT n FROM notes n GROUP BY number ORDER BY number
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
SELECT to_jsonb(n) FROM notes n GROUP BY number ORDER BY number
: jsonb
= {"note": "one", "number": 1, "sample": 1}
= {"note": "uno", "number": 2, "sample": 1}
= {"note": "two", "number": 3, "sample": 2}
= {"note": "far", "number": 4, "sample": 99}
= {"note": "none", "number": 5, "sample": null}
SELECT t FROM samples GROUP BY (id) ORDER BY id LIMIT 2
: text
= Abc
= abc
SELECT t FROM samples GROUP BY (id, i) ORDER BY id LIMIT 2
: text
= Abc
= abc
SELECT t FROM samples GROUP BY DISTINCT id ORDER BY id LIMIT 2
: text
= Abc
= abc
SELECT t FROM samples GROUP BY i
! 42803
SELECT t FROM samples GROUP BY id + 0
! 42803
SELECT t FROM samples GROUP BY ROLLUP (id)
! 42803
SELECT t FROM samples GROUP BY GROUPING SETS ((id), (i))
! 42803
SELECT t FROM (SELECT * FROM samples) q GROUP BY id
! 42803
WITH q AS (SELECT * FROM samples) SELECT t FROM q GROUP BY id
! 42803
SELECT n.note, s.t FROM notes n, samples s GROUP BY n.number
! 42803
SELECT s.t, count(*) FROM samples s JOIN (SELECT sample AS id FROM notes) q USING (id) GROUP BY s.id ORDER BY s.id
: text bigint
= Abc	2
= abc	1
SELECT array_agg(t) FROM samples GROUP BY id ORDER BY n NULLS FIRST, id
: text[]
= {NULL}
= {b}
= {Zed}
= {aB}
= {Abc}
= {abc}
= {""}
= {" x "}
= {ä}
SELECT count(*) FROM samples GROUP BY id HAVING max(t) = t AND n >= 0
: bigint
= 1
= 1
= 1
= 1
= 1
= 1
SELECT s.t, count(*) FROM samples s JOIN (SELECT sample AS id FROM notes) q USING (id) GROUP BY id ORDER BY id
: text bigint
= Abc	2
= abc	1
SELECT s.t, count(*) FROM samples s FULL JOIN (SELECT sample AS id FROM notes) q USING (id) GROUP BY id ORDER BY id
! 42803
SELECT s.t, count(*) FROM samples s FULL JOIN (SELECT sample AS id FROM notes) q USING (id) GROUP BY s.id ORDER BY s.id, 2
: text bigint
= Abc	2
= abc	1
= b	1
= 	1
= \N	1
= aB	1
= ä	1
= Zed	1
=  x 	1
= \N	2
SELECT s.t, count(*) FROM samples s LEFT JOIN (SELECT sample AS id FROM notes) q USING (id) GROUP BY id ORDER BY id
: text bigint
= Abc	2
= abc	1
= b	1
= 	1
= \N	1
= aB	1
= ä	1
= Zed	1
=  x 	1
SELECT s.*, count(*) FROM samples s LEFT JOIN (SELECT sample AS id FROM notes) q USING (id) GROUP BY id ORDER BY id
: integer integer smallint bigint numeric double_precision real text boolean date timestamp_without_time_zone timestamp_with_time_zone json bigint[] bigint
= 1	1	1	10	1.500	0.5	1.5	Abc	t	2020-01-01	2020-01-01 10:00:00	2020-01-01 10:00:00+00	{"a": 1, "b": "x", "c": ["p", "q"]}	{1,2}	2
= 2	2	1	20	2.500	1.5	2.5	abc	f	2020-02-29	2020-02-29 23:59:59.5	2020-02-29 23:59:59.5+00	{"a": 2, "b": null}	{2,3}	1
= 3	2	2	-30	-2.500	2.5	0.1	b	t	2020-03-15	2020-03-15 00:00:00	2020-03-15 01:30:00+00	{"c": []}	{}	1
= 4	5	2	9007199254740993	10.001	-2.5	1e+10		f	2020-12-31	2020-12-31 12:30:15.123456	2020-12-31 12:30:15.123456+00	[1, 2]	{4}	1
= 5	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	1
= 6	-7	3	0	0.000	0	0	aB	t	1999-12-31	1999-12-31 23:00:00	1999-12-31 23:00:00+00	"text"	{2}	1
= 7	9	3	70	999999.999	1e+20	3	ä	t	2020-06-15	2020-06-15 06:07:08.009	2020-06-15 06:07:08.009+00	{"a": 7.5}	{7,8,9}	1
= 8	0	-1	80	-0.005	0.1	-1.25	Zed	f	1970-01-01	1970-01-01 00:00:00	1970-01-01 00:00:00+00	null	{10,-10}	1
= 9	3	-1	90	33.333	123456.789	7	 x 	f	2020-07-04	2020-07-04 16:45:30	2020-07-04 16:45:30+00	{"b": "x", "a": 0}	{9,9}	1
