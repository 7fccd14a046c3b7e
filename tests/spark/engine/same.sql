SELECT name, age, score, city, small, id FROM people
SELECT * FROM people
SELECT * FROM orders
SELECT * FROM clicks
SELECT * FROM carried
SELECT count(*) FROM people
SELECT count(age), count(DISTINCT age), min(age), max(age), sum(age), avg(age) FROM people
SELECT sum(number), avg(number), min(number), max(number) FROM orders
SELECT sum(amount), avg(amount), min(amount), max(amount), count(amount) FROM orders
SELECT sum(score), avg(score), min(score), max(score) FROM people
SELECT sum(score), avg(score), min(score), max(score) FROM people WHERE abs(score) < 10
SELECT sum(small), avg(small) FROM people
SELECT city, count(*), sum(age) FROM people GROUP BY city ORDER BY city
SELECT score, count(*) FROM people GROUP BY score ORDER BY score DESC
SELECT name FROM people ORDER BY name
SELECT name FROM people ORDER BY name DESC NULLS LAST LIMIT 3 OFFSET 1
SELECT id, count(*) FROM people GROUP BY 1 ORDER BY 1 NULLS FIRST
SELECT name, age / 2, age % 2, age * 2 FROM people WHERE age < 1000 AND age > -1000
SELECT age + 1 FROM people
SELECT - age FROM people
SELECT small + small FROM people
SELECT small + 1, small * 2, small / 2, small % 2 FROM people
SELECT number / 0 FROM orders
SELECT number % 0 FROM orders
SELECT number % -1 FROM orders
SELECT number / -1 FROM orders
SELECT age / -1 FROM people
SELECT score * 2 FROM people
SELECT score + 1, score - 1, score / 2 FROM people
SELECT score / 0 FROM people WHERE score = 'NaN'
SELECT score / 0 FROM people WHERE score < 2
SELECT score + age FROM people WHERE abs(score) < 10
SELECT amount + 1, amount - 0.5, amount * amount, - amount FROM orders
SELECT amount * 1.5 + number FROM orders WHERE number < 100
SELECT name FROM people WHERE score = 'NaN'
SELECT name FROM people WHERE score > 1
SELECT name FROM people WHERE score = 0
SELECT name FROM people WHERE score IN (0, 1.5)
SELECT name FROM people WHERE score <> 0
SELECT name FROM people WHERE age = 7.0
SELECT name FROM people WHERE age > 0.5
SELECT name FROM people WHERE city LIKE 'O%'
SELECT name FROM people WHERE city LIKE '_o%' OR city LIKE 'a_b'
SELECT name FROM people WHERE city NOT LIKE '%o'
SELECT name FROM people WHERE name > 'a' AND name < 'b'
SELECT name FROM people WHERE name IN ('a', 'é', NULL)
SELECT name FROM people WHERE name NOT IN ('a', 'é')
SELECT name FROM people WHERE city IS NOT DISTINCT FROM NULL
SELECT name FROM people WHERE age IS DISTINCT FROM 7
SELECT name FROM people WHERE (age > 0) IS TRUE
SELECT name FROM people WHERE (age > 0) IS NOT FALSE
SELECT name FROM people WHERE age BETWEEN 0 AND 7
SELECT name FROM people WHERE NOT (age BETWEEN 0 AND 7 OR city = 'Oslo')
SELECT coalesce(city, name, 'none'), coalesce(age, 1.5), nullif(age, 7), greatest(age, small), least(age, 3, small) FROM people
SELECT CASE WHEN age > 5 THEN 'old' WHEN age > 0 THEN city ELSE NULL END, CASE age WHEN 7 THEN 1 ELSE 2.5 END FROM people
SELECT length(city), octet_length(city), left(city, 2), right(city, 1), substring(city, 2), substr(city, 2, 1), replace(city, 'o', 'xy'), starts_with(city, 'O') FROM people
SELECT name || city, 'x' || name, name || '' FROM people
SELECT age::bigint, age::double precision, small::int, number FROM people, orders WHERE number = 1
SELECT number::int FROM orders
SELECT amount::int, amount::numeric(9,1), amount::bigint, number::text FROM orders
SELECT date_trunc('hour', due), date_trunc('day', made), date_trunc('week', due), date_trunc('month', made), date_trunc('year', due) FROM orders
SELECT extract(year FROM due), extract(month FROM made), extract(isodow FROM due), extract(week FROM due), extract(hour FROM due), extract(quarter FROM made), extract(doy FROM made), extract(minute FROM due), extract(isoyear FROM due) FROM orders WHERE number > 0 AND number < 10
SELECT extract(year FROM due) FROM orders
SELECT due FROM orders WHERE due > '1970-01-01 00:30:00+00' ORDER BY due
SELECT made FROM orders WHERE made <= '2000-02-29'
SELECT day FROM orders WHERE day < '1970-02-01' ORDER BY day
SELECT min(due), max(due), min(made), max(made), min(day), max(day) FROM orders
SELECT paid, count(*) FROM orders GROUP BY paid ORDER BY paid
SELECT bool_and(paid), bool_or(paid), every(paid) FROM orders
SELECT name FROM orders WHERE paid
SELECT name FROM orders WHERE NOT paid
SELECT count(*) FILTER (WHERE paid), sum(amount) FILTER (WHERE number > 1) FROM orders
SELECT p.name, o.number FROM people p JOIN orders o ON p.name = o.name ORDER BY p.name, o.number
SELECT p.name, o.number FROM people p LEFT JOIN orders o ON p.name = o.name AND o.number > 1 ORDER BY p.name, o.number
SELECT p.name, o.name FROM people p FULL JOIN orders o ON p.name = o.name
SELECT name, p.name, o.name, age FROM people p LEFT JOIN orders o USING (name)
SELECT * FROM people p JOIN clicks c USING (name) ORDER BY name, window_start
SELECT count(*) FROM people, orders
SELECT count(*) FROM people a CROSS JOIN people b WHERE a.age < b.age
SELECT name FROM people UNION SELECT name FROM orders
SELECT name, age FROM people UNION ALL SELECT name, number FROM orders WHERE number < 5
SELECT name FROM people INTERSECT SELECT name FROM orders
SELECT name FROM people EXCEPT ALL SELECT name FROM orders
(SELECT name FROM people ORDER BY name LIMIT 3) UNION ALL SELECT name FROM orders ORDER BY 1 LIMIT 4
SELECT DISTINCT city FROM people ORDER BY city
SELECT DISTINCT name, paid FROM orders
WITH t AS (SELECT name, sum(amount) AS total FROM orders GROUP BY name) SELECT p.city, t.total FROM people p JOIN t ON t.name = p.name ORDER BY t.total
WITH t (n, s) AS (SELECT name, clicks FROM clicks) SELECT n, max(s) FROM t GROUP BY n HAVING max(s) > 0 ORDER BY n
SELECT name FROM people WHERE name IN (SELECT name FROM orders)
SELECT name FROM people WHERE name NOT IN (SELECT name FROM orders)
SELECT name FROM people WHERE name NOT IN (SELECT city FROM people)
SELECT name FROM people p WHERE EXISTS (SELECT 1 FROM orders o WHERE o.name = p.name AND o.number > p.age)
SELECT name FROM people p WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.name = p.name)
SELECT name, (SELECT count(*) FROM orders o WHERE o.name = p.name) FROM people p
SELECT name, (SELECT max(amount) FROM orders) FROM people
SELECT (SELECT name FROM orders) FROM people
SELECT name, row_number() OVER (PARTITION BY city ORDER BY age), rank() OVER (ORDER BY age DESC), dense_rank() OVER (ORDER BY small) FROM people
SELECT name, sum(clicks) OVER (PARTITION BY name ORDER BY window_start), count(*) OVER (PARTITION BY name), avg(clicks) OVER (PARTITION BY name) FROM clicks
SELECT s.n, count(*) FROM (SELECT name AS n, number % 2 AS odd FROM orders WHERE number IS NOT NULL) s WHERE s.odd = 1 GROUP BY s.n
SELECT number % 3, count(*) FROM orders GROUP BY number % 3 ORDER BY number % 3
SELECT age AS name, name AS age FROM people ORDER BY age
SELECT -age AS age FROM people WHERE age > -100 ORDER BY age + 1
SELECT city AS name, count(*) FROM people GROUP BY name
SELECT 1 AS one, count(*) FROM people GROUP BY one
SELECT max(name), min(city) FROM people
SELECT "MixedCase" FROM carried WHERE "MixedCase" = 'x'
SELECT raw, doc FROM carried WHERE tiny IS NOT NULL
SELECT sum(age) FROM people WHERE age > 100000
SELECT abs(age) FROM people
SELECT abs(amount), abs(small) FROM orders JOIN people USING (name)
SELECT age FROM people WHERE id = '6F1B3B0E-6A0A-4A51-9D0C-3F5F2F9B8A01'
SELECT name FROM people WHERE name = 'x' || 'y' OR city = ''
SELECT sum(DISTINCT age), count(DISTINCT city), avg(DISTINCT small) FROM people
SELECT small * small FROM people WHERE abs(small) < 200
SELECT small * small FROM people
SELECT * FROM people NATURAL JOIN clicks ORDER BY name, window_start
SELECT name FROM people ORDER BY name FETCH FIRST 2 ROWS ONLY
SELECT day FROM orders WHERE day = '2024-02-29' OR day > '9999-01-01'
SELECT name FROM people WHERE score > 1e300::double precision
