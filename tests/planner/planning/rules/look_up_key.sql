-- a column by its key
SELECT age FROM people WHERE name = 'ann'
< stream
<   lookup people; name = 'ann'; columns age; on 1 partition
> inline lookup people; name = 'ann'; columns age; on 1 partition

-- a key of two columns
SELECT amount FROM stock WHERE day = '1970-01-01' AND item = 1
< stream
<   lookup stock; item = 1 and day = '1970-01-01'; columns amount; on 1 partition
> inline lookup stock; item = 1 and day = '1970-01-01'; columns amount; on 1 partition

-- a column twice, and the key itself
SELECT age, name, age AS years FROM people WHERE name = 'bob'
< stream
<   lookup people; name = 'bob'; columns age, name; on 1 partition
> inline lookup people; name = 'bob'; columns age, name; on 1 partition

-- two keys
SELECT age FROM people WHERE name IN ('ann', 'bob')
= stream
=   lookup people; name in ('ann', 'bob'); columns age; on the partitions of 2 keys

-- a part of the key
SELECT amount FROM stock WHERE item = 1
= stream
=   range stock; item = 1; columns amount; on 3 partitions

-- windows have several rows for a key
SELECT clicks FROM clicks WHERE name = 'ann'
= stream
=   window lookup clicks; name = 'ann'; columns clicks; on 1 partition

-- a column that the store computes
SELECT _partition FROM people WHERE name = 'ann'
= stream
=   lookup people; name = 'ann'; columns _partition; on 1 partition

-- LIMIT
SELECT age FROM people WHERE name = 'ann' LIMIT 1
= stream; limit 1
=   lookup people; name = 'ann'; any 1 rows; columns age; on 1 partition

-- one more condition
SELECT age FROM people WHERE name = 'ann' AND age > 40
= stream
=   lookup people; name = 'ann'; filter age > 40; columns age; on 1 partition
