-- both ends of the key
SELECT min(name), max(name) FROM people
< compose SELECT MIN("name") AS "min", MAX("name") AS "max" FROM "r0" AS "people"
<   r0: scan people; columns name; on 3 partitions
> compose SELECT MIN("name") AS "min", MAX("name") AS "max" FROM "r0" AS "people"
>   r0: range people; name is not null; ends of name; columns name; on 3 partitions

-- the end of a range
SELECT max(item) FROM stock WHERE item < 3
< compose SELECT MAX("item") AS "max" FROM "r0" AS "stock"
<   r0: range stock; item < 3; columns item; on 3 partitions
> compose SELECT MAX("item") AS "max" FROM "r0" AS "stock"
>   r0: range stock; item < 3 and item is not null; ends of item; columns item; on 3 partitions

-- a column that is not the first of the key
SELECT max(day) FROM stock
= compose SELECT MAX("day") AS "max" FROM "r0" AS "stock"
=   r0: scan stock; columns day; on 3 partitions

-- another aggregate beside it
SELECT max(name), count(age) FROM people
= compose SELECT MAX("name") AS "max", COUNT("age") AS "count" FROM "r0" AS "people"
=   r0: scan people; columns name, age; on 3 partitions

-- windows
SELECT max(name) FROM clicks
= compose SELECT MAX("name") AS "max" FROM "r0" AS "clicks"
=   r0: scan clicks; columns name, clicks; on 3 partitions

-- a condition that the read cannot apply
SELECT max(name) FROM people WHERE length(name) = 3
= compose SELECT MAX("name") AS "max" FROM "r0" AS "people" WHERE CAST(LENGTH("name") AS INT) = 3
=   r0: scan people; columns name; on 3 partitions
= residual LENGTH(name) = 3
