-- ours: unknown relation
SELECT * FROM peple
! 42P01 15 relation "peple" does not exist

-- ours: unknown schema
SELECT * FROM nope.people
! 3F000 20 schema "nope" does not exist

-- ours: unknown column
SELECT nam FROM people
! 42703 8 column "nam" does not exist

-- ours: unknown column of a table
SELECT p.nam FROM people p
! 42703 8 column p.nam does not exist

-- ours: a quoted name is case-sensitive
SELECT "Name" FROM people
! 42703 8 column "Name" does not exist

-- ours: a table that is not in FROM
SELECT q.name FROM people p
! 42P01 8 missing FROM-clause entry for table "q"

-- ours: the star of a table that is not in FROM
SELECT q.* FROM people p
! 42P01 8 missing FROM-clause entry for table "q"

-- ours: an alias hides the name
SELECT people.name FROM people p
! 42P01 8 invalid reference to FROM-clause entry for table "people"

-- ours: a rare word in a template of to_char
SELECT to_char(age, '99SG') FROM people
! 0A000 21 SG in a template of numbers is not supported

-- ours: a rare word in a template of to_number
SELECT to_number(name, '99PR') FROM people
! 0A000 24 PR in a template of numbers is not supported

-- ours: a malformed template of to_number
SELECT to_number(name, '9.9.9') FROM people
! 42601 24 multiple decimal points

-- ours: unknown function
SELECT frob(name) FROM people
! 42883 8 function frob(text) does not exist

-- ours: a function that does not take these types
SELECT abs(name) FROM people
! 42883 8 function abs(text) does not exist

-- ours: an ambiguous column
SELECT name FROM people, orders
! 42702 8 column reference "name" is ambiguous

-- ours: an alias used twice
SELECT 1 FROM people a JOIN orders a ON true
! 42712 - table name "a" specified more than once

-- ours: a comparison of a text and a number
SELECT * FROM people WHERE name = 5
! 42883 35 operator does not exist: text = integer

-- ours: a comparison of a text and a number in the SELECT list
SELECT name = 5 FROM people WHERE age = 3 OR name > 7
! 42883 15 operator does not exist: text = integer

-- ours: a comparison of a number and a boolean
SELECT * FROM people WHERE age = true
! 42883 28 operator does not exist: integer = boolean

-- ours: texts and numbers in a list
SELECT * FROM people WHERE name IN ('a', 5)
! 42883 42 operator does not exist: text = integer

-- ours: a literal that is not a number
SELECT * FROM people WHERE age = 'x'
! 22P02 34 invalid input syntax for type integer: "x"

-- ours: a literal that is not a time
SELECT * FROM orders WHERE due > 'gestern'
! 22007 34 invalid input syntax for type timestamp with time zone: "gestern"

-- ours: a date that does not exist
SELECT * FROM orders WHERE due > '2023-02-30'
! 22008 34 date/time field value out of range: "2023-02-30"

-- ours: a number out of range
SELECT * FROM stock WHERE item = '99999999999'
! 22003 34 value "99999999999" is out of range for type integer

-- ours: an invalid array literal
SELECT * FROM people WHERE name = ANY('ann')
! 22P02 39 malformed array literal: "ann"

-- ours: a cast that fails
SELECT 'x'::int
! 22P02 8 invalid input syntax for type integer: "x"

-- ours: division by zero
SELECT age / 0 FROM people
! 22012 - division by zero

-- ours: overflow
SELECT age + 2147483647 FROM people
! 22003 - integer out of range

-- ours: a literal that is not json
SELECT '{bad'::json
! 22P02 8 invalid input syntax for type json

-- ours: unknown type
SELECT 1::nope
! 42704 11 type "nope" does not exist

-- ours: a column that is not grouped
SELECT city, name FROM people GROUP BY city
! 42803 14 column "people.name" must appear in the GROUP BY clause or be used in an aggregate function

-- ours: aggregates in WHERE
SELECT name FROM people WHERE count(*) > 1
! 42803 31 aggregate functions are not allowed in WHERE

-- ours: sides of UNION with different numbers of columns
SELECT name, age FROM people UNION SELECT name FROM people
! 42601 - each side of a set operation must have the same number of columns

-- ours: a syntax error
SELECT name FRM people WHERE
! 42601 17 syntax error at or near "people"

-- ours: a statement that ends too early
SELECT name FROM people WHERE
! 42601 30 syntax error at end of input

-- ours: an unclosed parenthesis
SELECT (1
! 42601 10 syntax error at end of input

-- ours: an unclosed quote
SELECT 'abc
! 42601 8 unterminated quoted string or comment

-- ours: a locking clause
SELECT * FROM people FOR UPDATE
! 0A000 22 SELECT … FOR UPDATE is not supported

-- ours: a write in WITH
WITH gone AS (DELETE FROM people) SELECT 1
! 25006 15 cannot execute DELETE in a read-only gateway

-- ours: WITH TIES of rows that are DISTINCT
SELECT DISTINCT name FROM people ORDER BY name FETCH FIRST 1 ROW WITH TIES
! 0A000 60 FETCH … WITH TIES of DISTINCT rows, or of a UNION, is not supported

-- ours: SIMILAR TO
SELECT name FROM people WHERE name SIMILAR TO 'a%'
| compose SELECT "name" FROM "r0" AS "people" WHERE REGEXP_MATCHES("name", '\Aa(?:(?s:.))*\z')
|   r0: scan people; columns name; on 3 partitions
| residual name SIMILAR TO 'a%'
=> ann

-- ours: SELECT without columns
SELECT FROM people
! 0A000 - a SELECT without columns is not supported

-- ours: a repeatable sample
SELECT name FROM people TABLESAMPLE SYSTEM (10) REPEATABLE (1)
! 0A000 45 TABLESAMPLE … REPEATABLE is not supported

-- ours: a parameter without a number
SELECT ? FROM people
! 0A000 - a placeholder other than $1, $2, … is not supported

-- ours: parameters with a gap
SELECT $2 FROM people
! 42P18 - could not determine data type of parameter $1

-- ours: negative limit
SELECT name FROM people LIMIT -1
! 2201W - LIMIT and OFFSET must not be negative

-- ours: more names than columns
SELECT 1 FROM visits AS v (a, b, c)
! 42P10 15 table "v" has 2 columns available but 3 columns specified

-- ours: bit strings, which DuckDB reads as numbers
SELECT name, B'101' FROM people
! 0A000 14 a bit string is not supported

-- a date that does not exist
SELECT '2020-13-01'::date FROM people
! 22008 8 date/time field value out of range: "2020-13-01"

-- GROUP BY an unknown column
SELECT name FROM people GROUP BY 3
! 42P10 34 GROUP BY position 3 is not in select list

-- a sum of texts
SELECT sum(name) FROM people
! 42883 8 function sum(text) does not exist

-- a recursive query whose type widens
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n * 1.5 FROM t WHERE n < 4) SELECT n FROM t
! 42804 32 recursive query "t" column 1 has type integer in non-recursive term but type numeric overall

-- ours: another database's syntax for versions
SELECT * FROM people AT (VERSION => 1)
! 0A000 37 AT (…) is not supported

-- ours: a text that DuckDB's memory limit does not count
SELECT repeat(name, 100000000) FROM people WHERE age = 30
! 54000 - requested length too large

-- ours: a text made by padding that DuckDB's memory limit does not count
SELECT lpad(name, 100000000) FROM people WHERE age = 30
! 54000 - requested length too large
