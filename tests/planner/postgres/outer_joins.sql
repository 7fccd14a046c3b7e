SELECT c.id, d.note FROM samples c LEFT JOIN notes d ON c.id = d.sample WHERE c.id = 1 AND d.note IS NULL
: integer text
SELECT count(*) FROM samples c LEFT JOIN notes d ON c.id = d.sample WHERE c.id IS NOT NULL AND d.sample IS NULL
: bigint
= 7
SELECT c.id, d.i FROM samples c LEFT JOIN samples d USING (id) WHERE c.id = 2 AND d.i IS NULL
: integer integer
SELECT c.id, d.i FROM samples c LEFT JOIN samples d USING (id) WHERE id = 2 AND d.i IS NULL
: integer integer
SELECT c.id, d.i FROM samples c LEFT JOIN samples d USING (id) WHERE id = 5 AND d.i IS NULL
: integer integer
= 5	\N
SELECT c.id FROM samples d RIGHT JOIN samples c ON c.id = d.id WHERE c.id = 3 AND d.i IS NULL
: integer
SELECT c.id, d.i FROM samples c LEFT JOIN samples d ON c.id = d.id WHERE c.id IN (1, 2) AND d.id IS NULL
: integer integer
SELECT count(*) FROM samples s LEFT JOIN notes t ON s.id = t.sample WHERE s.id = 1 AND t.sample IS NULL
: bigint
= 0
SELECT count(*) FROM samples s LEFT JOIN samples t ON s.id = t.id WHERE s.id > 4 AND t.id IS NULL
: bigint
= 0
SELECT count(*) FROM samples s LEFT JOIN samples t ON s.id = t.id WHERE s.id > 4 AND t.i IS NULL
: bigint
= 1
SELECT count(*) FROM samples s FULL JOIN samples t USING (id) WHERE id > 4 AND t.i IS NULL
: bigint
= 1
SELECT count(*) FROM samples s FULL JOIN samples t ON s.id = t.id WHERE s.id > 4 AND t.i IS NULL
: bigint
= 1
SELECT count(*) FROM samples s FULL JOIN samples t USING (id) WHERE (id = 3 OR s.i IS NULL) AND t.id IS NOT NULL
: bigint
= 2
SELECT a.id, c.note FROM samples a LEFT JOIN (samples b JOIN notes c ON c.sample = b.id) ON a.id = b.id WHERE c.note IS NULL ORDER BY 1
: integer text
= 3	\N
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT a.id, c.note FROM samples a LEFT JOIN samples b JOIN notes c ON c.sample = b.id ON a.id = b.id WHERE c.note IS NULL ORDER BY 1
: integer text
= 3	\N
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT a.id, c.note FROM samples a LEFT JOIN (samples b JOIN notes c ON c.sample = b.id) ON a.id = b.id WHERE a.id = 1 AND c.note IS NULL
: integer text
SELECT a.id, b.id, c.number FROM (samples a LEFT JOIN samples b ON a.id = b.i) LEFT JOIN notes c ON c.sample = b.id WHERE b.id = 1 AND c.number IS NULL
: integer integer bigint
SELECT a.id, b.number FROM samples a LEFT JOIN notes b ON a.id = b.sample AND a.id = 2 WHERE b.number IS NULL AND a.id < 4 ORDER BY 1
: integer bigint
= 1	\N
= 3	\N
SELECT a.id, b.number FROM samples a LEFT JOIN notes b ON a.id = b.sample WHERE a.id = 1 OR b.sample IS NULL ORDER BY 1, 2
: integer bigint
= 1	1
= 1	2
= 3	\N
= 4	\N
= 5	\N
= 6	\N
= 7	\N
= 8	\N
= 9	\N
SELECT a.id, b.number FROM samples a LEFT JOIN notes b ON a.id = b.sample WHERE a.id = 1 OR b.number = 3 ORDER BY 1, 2
: integer bigint
= 1	1
= 1	2
= 2	3
SELECT a.id, b.number FROM samples a LEFT JOIN notes b ON a.id = b.sample WHERE a.id BETWEEN 1 AND 2 AND coalesce(b.note, 'none') = 'none'
: integer bigint
SELECT a.id, b.number FROM samples a LEFT JOIN notes b ON a.id = b.sample WHERE a.id = 1 AND b.note IS NOT DISTINCT FROM NULL
: integer bigint
SELECT a.id FROM samples a LEFT JOIN notes b ON a.id = b.sample WHERE a.id IN (SELECT sample FROM notes) AND b.number IS NULL
: integer
SELECT a.id FROM samples a LEFT JOIN notes b ON a.id = b.sample WHERE EXISTS (SELECT 1 FROM notes c WHERE c.sample = a.id) AND b.number IS NULL
: integer
SELECT a.id FROM samples a LEFT JOIN (SELECT sample, note FROM notes) b ON a.id = b.sample WHERE a.id = 1 AND b.note IS NULL
: integer
WITH b AS (SELECT sample, count(*) AS n FROM notes GROUP BY sample) SELECT a.id FROM samples a LEFT JOIN b ON a.id = b.sample WHERE a.id = 1 AND b.n IS NULL
: integer
SELECT a.id FROM samples a LEFT JOIN LATERAL (SELECT note FROM notes b WHERE b.sample = a.id) l ON true WHERE a.id = 1 AND l.note IS NULL
: integer
SELECT a.id, b.number FROM samples a NATURAL LEFT JOIN (SELECT sample AS id, number FROM notes) b WHERE a.id = 1 AND b.number IS NULL
: integer bigint
SELECT a.id, c.id FROM samples a LEFT JOIN notes b ON a.id = b.sample JOIN samples c ON c.id = a.id WHERE c.id = 2 AND b.number IS NULL
: integer integer
SELECT a.id, c.id FROM samples a LEFT JOIN notes b ON a.id = b.sample RIGHT JOIN samples c ON c.id = b.sample WHERE c.id <= 3 AND b.number IS NULL ORDER BY 2
: integer integer
= \N	3
SELECT a.id, c.id FROM notes b RIGHT JOIN samples a ON a.id = b.sample FULL JOIN samples c ON c.id = b.sample WHERE c.id = 1 OR b.sample IS NULL AND a.id > 7 ORDER BY 1, 2
: integer integer
= 1	1
= 1	1
= 8	\N
= 9	\N
