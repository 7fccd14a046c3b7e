SELECT id, (SELECT n.number AS id FROM notes n WHERE id = 2 ORDER BY n.number LIMIT 1) FROM samples ORDER BY 1
: integer bigint
= 1	\N
= 2	1
= 3	\N
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT id, (SELECT max(n.number) AS id FROM notes n HAVING id = 2) FROM samples ORDER BY 1
: integer bigint
= 1	\N
= 2	5
= 3	\N
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT id, (SELECT n.number + 1 AS id FROM notes n ORDER BY id ORDER BY n.number LIMIT 1) FROM samples ORDER BY 1
! 42601
SELECT id, (SELECT count(*) FROM (SELECT n.number AS id, id + 1 AS y FROM notes n) q WHERE y = id) FROM samples ORDER BY 1
: integer bigint
= 1	1
= 2	1
= 3	1
= 4	1
= 5	0
= 6	0
= 7	0
= 8	0
= 9	0
SELECT id, (SELECT sum(y) FROM (SELECT n.number AS id, id AS y FROM notes n) q) FROM samples ORDER BY 1
: integer bigint
= 1	5
= 2	10
= 3	15
= 4	20
= 5	25
= 6	30
= 7	35
= 8	40
= 9	45
SELECT id, (SELECT count(*) AS id FROM notes n WHERE n.number < id) FROM samples ORDER BY 1
: integer bigint
= 1	0
= 2	1
= 3	2
= 4	3
= 5	4
= 6	5
= 7	5
= 8	5
= 9	5
SELECT id, (SELECT n.note AS id FROM notes n WHERE EXISTS (SELECT 1 AS id FROM samples b WHERE id = n.number) ORDER BY n.number LIMIT 1) FROM samples ORDER BY 1
: integer text
= 1	one
= 2	one
= 3	one
= 4	one
= 5	one
= 6	one
= 7	one
= 8	one
= 9	one
SELECT s.id, x.id FROM samples s, LATERAL (SELECT n.number AS id FROM notes n WHERE id = n.sample) x ORDER BY 1, 2
: integer bigint
= 1	1
= 1	2
= 2	3
SELECT id, (SELECT n.sample AS id FROM notes n GROUP BY id ORDER BY id ORDER BY n.number LIMIT 1) FROM samples ORDER BY 1
! 42601
SELECT id, (SELECT n.sample AS s FROM notes n GROUP BY n.sample, s ORDER BY 1 ORDER BY n.number LIMIT 1) FROM samples ORDER BY 1
! 42601
SELECT id, (SELECT n.number AS f FROM notes n ORDER BY f, f ORDER BY n.number LIMIT 1) FROM samples ORDER BY 1
! 42601
SELECT id, (SELECT sum(n.number) AS i FROM notes n HAVING sum(n.number) > i) FROM samples ORDER BY 1
: integer numeric
= 1	15
= 2	15
= 3	15
= 4	15
= 5	\N
= 6	15
= 7	15
= 8	15
= 9	15
SELECT id, (SELECT 1 AS i WHERE i > 2) FROM samples ORDER BY 1
: integer integer
= 1	\N
= 2	\N
= 3	\N
= 4	1
= 5	\N
= 6	\N
= 7	1
= 8	\N
= 9	1
SELECT id, ARRAY(SELECT number AS id FROM notes WHERE sample = id) FROM samples ORDER BY 1
: integer bigint[]
= 1	{1,2}
= 2	{3}
= 3	{}
= 4	{}
= 5	{}
= 6	{}
= 7	{}
= 8	{}
= 9	{}
SELECT id FROM samples WHERE id IN (SELECT number AS id FROM notes WHERE id = 3) ORDER BY id
: integer
= 3
SELECT "A", a FROM (SELECT 1 AS "A", 2 AS a) x
: integer integer
= 1	2
WITH "A" AS (SELECT 1 AS x), a AS (SELECT 2 AS x) SELECT "A".x, a.x FROM "A", a
: integer integer
= 1	2
SELECT "S".id FROM samples "S", samples s WHERE "S".id = s.id + 1 ORDER BY 1
: integer
= 2
= 3
= 4
= 5
= 6
= 7
= 8
= 9
SELECT "Id", id FROM (SELECT id, -id AS "Id" FROM samples) x ORDER BY id
: integer integer
= -1	1
= -2	2
= -3	3
= -4	4
= -5	5
= -6	6
= -7	7
= -8	8
= -9	9
SELECT id AS "ID", -id AS "iD", i AS "Id" FROM samples ORDER BY "iD"
: integer integer integer
= 9	-9	3
= 8	-8	0
= 7	-7	9
= 6	-6	-7
= 5	-5	\N
= 4	-4	5
= 3	-3	2
= 2	-2	2
= 1	-1	1
SELECT "Count", count(*) FROM (SELECT 1 AS "Count") x GROUP BY "Count"
: integer bigint
= 1	1
SELECT * FROM (SELECT 1 AS "A", 2 AS a) x
: integer integer
= 1	2
SELECT x.*, y.* FROM (SELECT 1 AS "A", 2 AS a) x, (SELECT 3 AS "A") y
: integer integer integer
= 1	2	3
SELECT "A" FROM (SELECT 1 AS a) x
! 42703
SELECT "ID" FROM samples
! 42703
SELECT "X".a, x.a FROM (VALUES (1)) AS "X"(a), (VALUES (2)) AS x(a)
: integer integer
= 1	2
SELECT sum("I") OVER "W", sum(i) OVER w FROM (SELECT i, -i AS "I", id FROM samples) q WINDOW w AS (ORDER BY id), "W" AS (ORDER BY id DESC) ORDER BY id
: bigint bigint
= -15	1
= -14	3
= -12	5
= -10	10
= -5	10
= -5	3
= -12	12
= -3	12
= -3	15
SELECT a.id FROM samples a JOIN (SELECT id AS "ID" FROM samples) b ON a.id = b."ID" ORDER BY 1
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
SELECT "T" FROM (SELECT t AS "T", t FROM samples) x ORDER BY "T", t
: text
= 
=  x 
= Abc
= Zed
= aB
= abc
= b
= ä
= \N
SELECT "r0", "R0" FROM (SELECT 1 AS r0, 2 AS "R0" FROM samples) x LIMIT 1
: integer integer
= 1	2
SELECT count(*) AS "N", sum(n) AS n FROM samples GROUP BY s ORDER BY "N", n
: bigint numeric
= 1	\N
= 2	4.000
= 2	7.501
= 2	33.328
= 2	999999.999
WITH r0 AS (SELECT 1 AS a) SELECT count(*) FROM samples
: bigint
= 9
WITH r1 AS (SELECT 1 AS a) SELECT count(*) FROM samples, notes
: bigint
= 45
WITH "R0" AS (SELECT 1 AS a) SELECT count(*) FROM samples
: bigint
= 9
WITH RECURSIVE r0(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r0 WHERE n < 3) SELECT r0.n, s.id FROM r0, samples s ORDER BY 1, 2
: integer integer
= 1	1
= 1	2
= 1	3
= 1	4
= 1	5
= 1	6
= 1	7
= 1	8
= 1	9
= 2	1
= 2	2
= 2	3
= 2	4
= 2	5
= 2	6
= 2	7
= 2	8
= 2	9
= 3	1
= 3	2
= 3	3
= 3	4
= 3	5
= 3	6
= 3	7
= 3	8
= 3	9
WITH x AS (WITH r0 AS (SELECT 2 AS b) SELECT * FROM r0, notes) SELECT count(*) FROM x
: bigint
= 5
SELECT id AS q FROM samples WHERE q = 1
! 42703
SELECT id AS q, q + 1 FROM samples
! 42703
SELECT id AS q FROM samples ORDER BY q + 1
! 42703
SELECT i AS q, count(*) AS c FROM samples GROUP BY i HAVING c > 1
! 42703
SELECT i AS q, count(*) FROM samples GROUP BY q ORDER BY q
: integer bigint
= -7	1
= 0	1
= 1	1
= 2	2
= 3	1
= 5	1
= 9	1
= \N	1
SELECT i AS q, count(*) FROM samples GROUP BY ROLLUP (q) ORDER BY q, 2
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
SELECT id AS i FROM samples WHERE i = 1 ORDER BY id
: integer
= 1
SELECT DISTINCT ON (q) i AS q FROM samples ORDER BY q
: integer
= -7
= 0
= 1
= 2
= 3
= 5
= 9
= \N
SELECT id AS q, row_number() OVER (ORDER BY q) FROM samples
! 42703
SELECT (SELECT s.id AS q FROM samples s WHERE s.id = q) FROM samples
! 42703
SELECT (SELECT 1 AS q WHERE q = 2) FROM (SELECT 2 AS q) x
: integer
= 1
select * from json_each('{"a":1}'), json_array_elements('[1]')
: text json json
= a	1	1
select * from json_each('{"a":1}'), json_object_keys('{"a":1}')
: text json text
= a	1	a
select * from json_array_elements('[1]'), jsonb_array_elements('[1]')
: json jsonb
= 1	1
select * from json_each('{"a":1}') join json_array_elements('[1]') on true
: text json json
= a	1	1
select json_each.key, json_array_elements.value, json_array_elements from json_each('{"a":1}'), json_array_elements('[1]')
: text json json
= a	1	1
select * from json_array_elements('[1]') a, jsonb_array_elements('[1]')
: json jsonb
= 1	1
select * from json_array_elements('[1]'), json_array_elements('[2]')
! 42712
select json_object_keys from json_object_keys('{"a":1}')
: text
= a
select value from json_array_elements('[1, 2]')
: json
= 1
= 2
select json_array_elements_text.value || 'x' from json_array_elements_text('["a"]')
: text
= ax
select * from jsonb_path_query('[1,2]', '$[*]')
: jsonb
= 1
= 2
select * from generate_subscripts(array[1,2], 1), unnest(array[3])
: integer integer
= 1	3
= 2	3
select id, key, value from samples, json_each(j) where id in (1, 9) order by id, key
: integer text json
= 1	a	1
= 1	b	"x"
= 1	c	["p", "q"]
= 9	a	0
= 9	b	"x"
select id, value from samples left join json_array_elements(j) on true where id = 4 order by value::text
: integer json
= 4	1
= 4	2
select * from jsonb_each('{"a":1}') with ordinality
: text jsonb bigint
= a	1	1
select count(*) from json_object_keys('{"a":1,"b":2}')
: bigint
= 2
select * from json_each('{"a":1}') as json_array_elements, json_array_elements('[1]')
! 42712
select t.* from jsonb_object_keys('{"a":1}') t
: text
= a
select (select max(value::text) from json_array_elements(j)) from samples where id = 4
: text
= 2
