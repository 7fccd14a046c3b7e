SELECT (2.5::double precision,1) = (7::oid,1)
! 42883
SELECT (2.5::double precision,1) = (ROW(1,2),1)
! 42883
SELECT (7::oid,1) = (2.5::double precision,1)
! 42883
SELECT (4.25::numeric,1) = (7::oid,1)
! 42883
SELECT ('10.0.0.1'::inet,1) = ('nm'::name,1)
! 42883
SELECT ('{1.5}'::numeric[],1) = (ROW(1,2),1)
! 42883
SELECT ('1 day 2 hours'::interval,1) = (ROW(1,2),1)
! 42883
SELECT (ARRAY[1,2],1) = (ROW(1,2),1)
! 42883
SELECT (ROW(1,2),1) = (2.5::double precision,1)
! 42883
SELECT (ROW(1,2),1) = (2::smallint,1)
! 42883
SELECT (ROW(1,2),1) = ('1 day 2 hours'::interval,1)
! 42883
SELECT (ROW(1,2),1) = (ARRAY[1,2],1)
! 42883
SELECT NULL # 7::oid
! 42883
SELECT 7::oid # 'x'
! 42883
SELECT 1.5::real % NULL
! 42883
SELECT 1 % 7::oid
! 42883
SELECT 2::smallint % 2.5::double precision
! 42883
SELECT 1.5 % 2.5::double precision
! 42883
SELECT '1' & 7::oid
! 42883
SELECT 7::oid & 7::oid
! 42883
SELECT 2::smallint && 'x'
! 42883
SELECT -1 && 'x'
! 42883
SELECT 7::oid * 'x'
! 42883
SELECT 7::oid * NULL
! 42883
SELECT 7::oid * 2.5::double precision
! 42883
SELECT 7::oid + 5::bigint
! 42883
SELECT 1.5 + 7::oid
! 42883
SELECT 7::oid + 2.5::double precision
! 42883
SELECT 7::oid - NULL
! 42883
SELECT '1' - 7::oid
! 42883
SELECT 7::oid - 2.5::double precision
! 42883
SELECT NULL -> '10.0.0.1'::inet
! 42883
SELECT '1' -> '10.0.0.1'::inet
! 42883
SELECT NULL ->> '10.0.0.1'::inet
! 42883
SELECT '1' ->> '10.0.0.1'::inet
! 42883
SELECT 7::oid / -1
! 42883
SELECT -1 / 7::oid
! 42883
SELECT 7::oid / 2.5::double precision
! 42883
SELECT 7::oid < 1.5
! 42883
SELECT 7::oid < 4.25::numeric
! 42883
SELECT 7::oid < 2.5::double precision
! 42883
SELECT '1' << 2::smallint
! 42725
SELECT 7::oid << 3::integer
! 42883
SELECT 7::oid <= 4.25::numeric
! 42883
SELECT 1.5 <= 7::oid
! 42883
SELECT 7::oid <= 2.5::double precision
! 42883
SELECT 1.5::real <> 7::oid
! 42883
SELECT 7::oid <> 4.25::numeric
! 42883
SELECT 7::oid <> 2.5::double precision
! 42883
SELECT true::boolean <> ROW(1,2)
! 42883
SELECT '{1,2}'::integer[] <> ROW(1,2)
! 42883
SELECT 1 <@ 'x'
! 42725
SELECT 2::smallint <@ 'x'
! 42725
SELECT 7::oid = 1.5
! 42883
SELECT 1.5 = 7::oid
! 42883
SELECT 7::oid = 2.5::double precision
! 42883
SELECT true::boolean = ALL (SELECT NULL)
! 42883
SELECT '{a,b}'::text[] = ALL (SELECT NULL)
! 42883
SELECT 7::oid = ANY (ARRAY[2.5::double precision])
! 42883
SELECT 7::oid = ANY (ARRAY[4.25::numeric])
! 42883
SELECT 4.25::numeric = ANY (ARRAY[7::oid])
! 42883
SELECT 1.5 = ANY (ARRAY[7::oid])
! 42883
SELECT 7::oid = ANY (ARRAY[1.5::real])
! 42883
SELECT 7::oid = ANY (ARRAY[1.5])
! 42883
SELECT 7::oid = ANY (ARRAY['{1.5}'::numeric[]])
! 42883
SELECT 1 = ROW(1,2)
! 42883
SELECT -1 = ROW(1,2)
! 42883
SELECT 7::oid = SOME (ARRAY[2.5::double precision,NULL])
! 42883
SELECT 7::oid = SOME (ARRAY[4.25::numeric,NULL])
! 42883
SELECT 1.5 = SOME (ARRAY[7::oid,NULL])
! 42883
SELECT 7::oid > 1.5::real
! 42883
SELECT 7::oid > 1.5
! 42883
SELECT 7::oid > 2.5::double precision
! 42883
SELECT 7::oid >= 4.25::numeric
! 42883
SELECT 7::oid >= 1.5::real
! 42883
SELECT 7::oid >= 2.5::double precision
! 42883
SELECT '1' >> 7::oid
! 42883
SELECT NULL >> 2::smallint
! 42725
SELECT NULL ? '10.0.0.1'::inet
! 42883
SELECT '1' ? '10.0.0.1'::inet
! 42883
SELECT 1.5::real @> 'x'
! 42883
SELECT -1 @> 'x'
! 42883
SELECT 7::oid BETWEEN 1.5 AND 1.5
! 42883
SELECT 4.25::numeric BETWEEN 7::oid AND 7::oid
! 42883
SELECT 7::oid BETWEEN 2.5::double precision AND 2.5::double precision
! 42883
SELECT 'x' BETWEEN '{"a":1}'::json AND '{"a":1}'::json
! 42883
SELECT 7::oid IN (2.5::double precision)
! 42883
SELECT 7::oid IN (2.5::double precision,NULL)
! 42883
SELECT 1.5::real IN (7::oid)
! 42883
SELECT 7::oid IN (4.25::numeric)
! 42883
SELECT 4.25::numeric IN (7::oid,NULL)
! 42883
SELECT 7::oid IN (1.5::real,NULL)
! 42883
SELECT true::boolean IN (ROW(1,2))
! 42883
SELECT 4.25::numeric IN (ROW(1,2))
! 42883
SELECT 5::bigint IN (ROW(1,2),NULL)
! 42883
SELECT 4.25::numeric IN (ROW(1,2),NULL)
! 42883
SELECT '{a,b}'::text[] IN (SELECT NULL)
! 42883
SELECT '{2024-01-01}'::date[] IN (SELECT NULL)
! 42883
SELECT 7::oid IS DISTINCT FROM 4.25::numeric
! 42883
SELECT 7::oid IS DISTINCT FROM 1.5::real
! 42883
SELECT 7::oid IS DISTINCT FROM 2.5::double precision
! 42883
SELECT 2::smallint IS DISTINCT FROM ROW(1,2)
! 42883
SELECT 4.25::numeric IS DISTINCT FROM ROW(1,2)
! 42883
SELECT 7::oid NOT IN (2.5::double precision)
! 42883
SELECT 1.5 NOT IN (7::oid)
! 42883
SELECT 4.25::numeric NOT IN (7::oid)
! 42883
SELECT 4.25::numeric NOT IN (ROW(1,2))
! 42883
SELECT '{t}'::boolean[] NOT IN (ROW(1,2))
! 42883
SELECT 'x' ^ true::boolean
! 42883
SELECT 7::oid ^ 'x'
! 42883
SELECT 7::oid ^ 2.5::double precision
! 42883
SELECT '{1,2}'::integer[] ^@ '{"a":1}'::json
! 42883
SELECT 5::bigint ^@ '{1.5}'::numeric[]
! 42883
SELECT true::boolean ^@ 2.5::double precision
! 42883
SELECT '{1,2}'::integer[] ^@ 2.5::double precision
! 42883
SELECT 2.5::double precision % -1
! 42883
SELECT 2.5::double precision % '1'
! 42883
SELECT 2.5::double precision % 2.5::double precision
! 42883
SELECT 2.5::double precision && 'x'
! 42883
SELECT 2.5::double precision * 7::oid
! 42883
SELECT 2.5::double precision + 7::oid
! 42883
SELECT 2.5::double precision - 7::oid
! 42883
SELECT 2.5::double precision / 7::oid
! 42883
SELECT 2.5::double precision / true::boolean
! 42883
SELECT 2.5::double precision < 7::oid
! 42883
SELECT 2.5::double precision <= 7::oid
! 42883
SELECT 2.5::double precision <> 7::oid
! 42883
SELECT 2.5::double precision <> ROW(1,2)
! 42883
SELECT 2.5::double precision <@ 'x'
! 42725
SELECT 2.5::double precision = 7::oid
! 42883
SELECT 2.5::double precision = ALL (SELECT NULL)
! 42883
SELECT 2.5::double precision = ANY (ARRAY[7::oid])
! 42883
SELECT 2.5::double precision = ROW(1,2)
! 42883
SELECT 2.5::double precision = SOME (ARRAY[7::oid,NULL])
! 42883
SELECT 2.5::double precision > 7::oid
! 42883
SELECT 2.5::double precision >= 7::oid
! 42883
SELECT 2.5::double precision @> 'x'
! 42883
SELECT 2.5::double precision BETWEEN 7::oid AND 7::oid
! 42883
SELECT 2.5::double precision IN (7::oid)
! 42883
SELECT 2.5::double precision IN (7::oid,NULL)
! 42883
SELECT 2.5::double precision IN (ROW(1,2))
! 42883
SELECT 2.5::double precision IN (ROW(1,2),NULL)
! 42883
SELECT 2.5::double precision IN (SELECT NULL)
! 42883
SELECT 2.5::double precision IS DISTINCT FROM 7::oid
! 42883
SELECT 2.5::double precision IS DISTINCT FROM ROW(1,2)
! 42883
SELECT 2.5::double precision NOT IN (7::oid)
! 42883
SELECT 2.5::double precision NOT IN (ROW(1,2))
! 42883
SELECT 2.5::double precision ^ 7::oid
! 42883
SELECT 2.5::double precision ^@ '{1,2}'::integer[]
! 42883
SELECT 2.5::double precision ^@ '{2024-01-01}'::date[]
! 42883
SELECT 2.5::double precision ^@ 2.5::double precision
! 42883
SELECT 2.5::double precision || '10.0.0.1'::inet
! 42883
SELECT 2.5::double precision || ROW(1,2)
! 42883
SELECT 7::oid | NULL
! 42883
SELECT 1 | 7::oid
! 42883
SELECT 1.5 || '10.0.0.1'::inet
! 42883
SELECT '{1}'::jsonb[] || '10.0.0.1'::inet
! 42883
SELECT true::boolean || ARRAY[1,2]
! 42883
SELECT '{t}'::boolean[] || ARRAY[1,2]
! 42883
SELECT true::boolean || ROW(1,2)
! 42883
SELECT 5::bigint || ROW(1,2)
! 42883
SELECT '2024-02-03 04:05:06'::timestamp && 'x'
! 42883
SELECT '2024-02-03 04:05:06'::timestamp && '1'
! 42883
SELECT 'nm'::name NOT IN ('10.0.0.1'::inet)
! 42883
SELECT 'nm'::name IN ('10.0.0.1'::inet)
! 42883
SELECT '10.0.0.1'::inet IN ('nm'::name,NULL)
! 42883
SELECT '\x6162'::bytea IS DISTINCT FROM ROW(1,2)
! 42883
SELECT 'abd'::varchar IN (ROW(1,2))
! 42883
SELECT '2024-02-03'::date IN (ROW(1,2))
! 42883
SELECT '2024-02-03'::date IN (ROW(1,2),NULL)
! 42883
SELECT '6b1c9a34-8a1b-4c1f-9f1a-3b1c9a348a1b'::uuid IN (ROW(1,2),NULL)
! 42883
SELECT '\x6162'::bytea IN (SELECT NULL)
! 42883
SELECT '10.0.0.1'::inet IN (SELECT 'x')
! 42883
SELECT '1 day 2 hours'::interval * 7::oid
! 42883
SELECT '03:04:05'::time * 7::oid
! 42883
SELECT '03:04:05'::time + '03:04:05'::time
! 42725
SELECT '{"a":1}'::json -> '10.0.0.1'::inet
! 42883
SELECT '{"a":1}'::jsonb -> '10.0.0.1'::inet
! 42883
SELECT '{"a":1}'::json ->> '10.0.0.1'::inet
! 42883
SELECT '{"a":1}'::jsonb ->> '10.0.0.1'::inet
! 42883
SELECT '03:04:05'::time / 7::oid
! 42883
SELECT '1 day 2 hours'::interval / 7::oid
! 42883
SELECT '{"a":1}'::json < 'x'
! 42883
SELECT '{"a":1}'::json <= 'x'
! 42883
SELECT '10.0.0.1'::inet <> 'abc'::text
! 42883
SELECT 'abc'::text <> '10.0.0.1'::inet
! 42883
SELECT '2024-02-03'::date <> ROW(1,2)
! 42883
SELECT '2024-02-03 04:05:06+00'::timestamptz <> ROW(1,2)
! 42883
SELECT '2024-02-03'::date <@ 'x'
! 42725
SELECT '{"a":1}'::json <@ 'x'
! 42725
SELECT '{"a":1}'::jsonb <@ ROW(1,2)
! 42883
SELECT '{"a":1}'::json = 'x'
! 42883
SELECT 'nm'::name = '10.0.0.1'::inet
! 42883
SELECT '6b1c9a34-8a1b-4c1f-9f1a-3b1c9a348a1b'::uuid = ALL (SELECT NULL)
! 42883
SELECT '\x6162'::bytea = ALL (SELECT NULL)
! 42883
SELECT '10.0.0.1'::inet = ANY (ARRAY['nm'::name])
! 42883
SELECT 'abc'::text = ANY (ARRAY['10.0.0.1'::inet])
! 42883
SELECT '1 day 2 hours'::interval = ROW(1,2)
! 42883
SELECT 'abd'::varchar = ROW(1,2)
! 42883
SELECT '10.0.0.1'::inet = SOME (ARRAY['abd'::varchar,NULL])
! 42883
SELECT '10.0.0.1'::inet = SOME (ARRAY['1',NULL])
! 42883
SELECT '{"a":1}'::json > 'x'
! 42883
SELECT '{"a":1}'::json >= 'x'
! 42883
SELECT '10.0.0.1'::inet IS DISTINCT FROM 'nm'::name
! 42883
SELECT 'abd'::varchar IS DISTINCT FROM '10.0.0.1'::inet
! 42883
SELECT '{"a":1}'::jsonb ? '10.0.0.1'::inet
! 42883
SELECT '{"a":1}'::json BETWEEN 'x' AND 'x'
! 42883
SELECT '10.0.0.1'::inet @> '1'
! 42883
SELECT '2024-02-03 04:05:06+00'::timestamptz @> '1'
! 42883
SELECT '{"a":1}'::jsonb @> ROW(1,2)
! 42883
SELECT '2024-02-03 04:05:06+00'::timestamptz ^ 'x'
! 42883
SELECT 'abd'::varchar ^ 'x'
! 42883
SELECT '1 day 2 hours'::interval ^@ '1 day 2 hours'::interval
! 42883
SELECT 'abc'::text ^@ '{t}'::boolean[]
! 42883
SELECT '2024-02-03 04:05:06'::timestamp ^@ 2.5::double precision
! 42883
SELECT '{"a":1}'::jsonb ^@ 2.5::double precision
! 42883
SELECT '10.0.0.1'::inet || '2024-02-03 04:05:06+00'::timestamptz
! 42883
SELECT '10.0.0.1'::inet || 4.25::numeric
! 42883
SELECT '10.0.0.1'::inet || 2.5::double precision
! 42883
SELECT '03:04:05'::time || ROW(1,2)
! 42883
SELECT '1 day 2 hours'::interval || ROW(1,2)
! 42883
SELECT ARRAY[2.5::double precision] || 7::oid
! 42883
SELECT ARRAY[2.5::double precision] || ARRAY[7::oid]
! 42883
SELECT ARRAY[2.5::double precision] || ARRAY[NULL]
! 42883
SELECT ARRAY[1,2] <> ROW(1,2)
! 42883
SELECT ARRAY[1,2] = ALL (SELECT NULL)
! 42883
SELECT ARRAY[1,2] = ROW(1,2)
! 42883
SELECT ARRAY[1,2] IN (ROW(1,2))
! 42883
SELECT ARRAY[1,2] IN (ROW(1,2),NULL)
! 42883
SELECT ARRAY[1,2] IN (SELECT NULL)
! 42883
SELECT ARRAY[1,2] IS DISTINCT FROM ROW(1,2)
! 42883
SELECT ARRAY[1,2] NOT IN (ROW(1,2))
! 42883
SELECT ARRAY[1,2] || true::boolean
! 42883
SELECT ARRAY[1,2] || '{t}'::boolean[]
! 42883
SELECT ARRAY[5::bigint] || true::boolean
! 42883
SELECT ARRAY[5::bigint] || '{t}'::boolean[]
! 42883
SELECT ARRAY[5::bigint] || ARRAY[true::boolean]
! 42883
SELECT ARRAY[5::bigint] || ARRAY['{t}'::boolean[]]
! 42883
SELECT ARRAY[3::integer] || true::boolean
! 42883
SELECT ARRAY[3::integer] || '{t}'::boolean[]
! 42883
SELECT ARRAY[3::integer] || ARRAY[true::boolean]
! 42883
SELECT ARRAY[3::integer] || ARRAY['{t}'::boolean[]]
! 42883
SELECT ARRAY[4.25::numeric] || 7::oid
! 42883
SELECT ARRAY[4.25::numeric] || ARRAY[7::oid]
! 42883
SELECT ARRAY[4.25::numeric] || ARRAY[NULL]
! 42883
SELECT ARRAY[7::oid] || '{t}'::boolean[]
! 42883
SELECT ARRAY[7::oid] || 1.5
! 42883
SELECT ARRAY[7::oid] || 2.5::double precision
! 42883
SELECT ARRAY[7::oid] || ARRAY[2.5::double precision]
! 42883
SELECT ARRAY[7::oid] || ARRAY[4.25::numeric]
! 42883
SELECT ARRAY[7::oid] || ARRAY[1.5::real]
! 42883
SELECT ARRAY[7::oid] || ARRAY[true::boolean]
! 42883
SELECT ARRAY[7::oid] || ARRAY['{t}'::boolean[]]
! 42883
SELECT ARRAY[1.5::real] || 7::oid
! 42883
SELECT ARRAY[1.5::real] || ARRAY[7::oid]
! 42883
SELECT ARRAY[1.5::real] || ARRAY[NULL]
! 42883
SELECT ARRAY[2::smallint] || '{t}'::boolean[]
! 42883
SELECT ARRAY[2::smallint] || true::boolean
! 42883
SELECT ARRAY[2::smallint] || ARRAY['{t}'::boolean[]]
! 42883
SELECT ARRAY[2::smallint] || ARRAY[NULL]
! 42883
SELECT ARRAY['{"a":1}'::json] || 'abc'::text
! 42883
SELECT ARRAY['{1}'::jsonb[]] || 4.25::numeric
! 42883
SELECT ARRAY['{1}'::jsonb[]] || 2.5::double precision
! 42883
SELECT ARRAY['{a,b}'::text[]] || 2.5::double precision
! 42883
SELECT ARRAY[NULL] || ARRAY[2.5::double precision]
! 42883
SELECT ARRAY[true::boolean] || ARRAY[1,2]
! 42883
SELECT ARRAY[NULL] || ARRAY[1,2]
! 42883
SELECT ARRAY['{t}'::boolean[]] || ARRAY[5::bigint]
! 42883
SELECT ARRAY[true::boolean] || ARRAY[5::bigint]
! 42883
SELECT ARRAY[true::boolean] || ARRAY[3::integer]
! 42883
SELECT ARRAY[NULL] || ARRAY[3::integer]
! 42883
SELECT ARRAY[NULL] || ARRAY[4.25::numeric]
! 42883
SELECT ARRAY['{t}'::boolean[]] || ARRAY[7::oid]
! 42883
SELECT ARRAY['{1.5}'::numeric[]] || ARRAY[7::oid]
! 42883
SELECT ARRAY[NULL] || ARRAY[1.5::real]
! 42883
SELECT ARRAY[NULL] || ARRAY[2::smallint]
! 42883
SELECT ARRAY[true::boolean] || ARRAY[2::smallint]
! 42883
SELECT ARRAY['nm'::name] || ARRAY['6b1c9a34-8a1b-4c1f-9f1a-3b1c9a348a1b'::uuid]
! 42883
SELECT ARRAY['nm'::name] || ARRAY['{"a":1}'::json]
! 42883
SELECT ARRAY['{t}'::boolean[]] || ARRAY[ARRAY[1,2]]
! 42883
SELECT ARRAY[NULL] || ARRAY[ARRAY[1,2]]
! 42883
SELECT ARRAY[NULL] || ARRAY[ROW(1,2)]
! 42883
SELECT ARRAY['{1,2}'::integer[]] || ROW(1,2)
! 42883
SELECT ARRAY['{2024-01-01}'::date[]] || ROW(1,2)
! 42883
SELECT ARRAY[ARRAY[1,2]] || '03:04:05'::time
! 42883
SELECT ARRAY[ARRAY[1,2]] || '1 day 2 hours'::interval
! 42883
SELECT ARRAY[ARRAY[1,2]] || ARRAY['{t}'::boolean[]]
! 42883
SELECT ARRAY[ARRAY[1,2]] || ARRAY[true::boolean]
! 42883
SELECT ARRAY[ARRAY[1,2]] || ROW(1,2)
! 42883
SELECT ARRAY[ROW(1,2)] || ARRAY[NULL]
! 42883
SELECT CASE 'x' WHEN '{"a":1}'::json THEN 1 END
! 42883
SELECT CASE 4.25::numeric WHEN 7::oid THEN 1 END
! 42883
SELECT CASE 7::oid WHEN 1.5::real THEN 1 END
! 42883
SELECT CASE 7::oid WHEN 2.5::double precision THEN 1 END
! 42883
SELECT CASE 5::bigint WHEN ROW(1,2) THEN 1 END
! 42883
SELECT CASE '{1.5}'::numeric[] WHEN ROW(1,2) THEN 1 END
! 42883
SELECT CASE 2.5::double precision WHEN 7::oid THEN 1 END
! 42883
SELECT CASE 2.5::double precision WHEN ROW(1,2) THEN 1 END
! 42883
SELECT CASE '2024-02-03'::date WHEN ROW(1,2) THEN 1 END
! 42883
SELECT CASE '6b1c9a34-8a1b-4c1f-9f1a-3b1c9a348a1b'::uuid WHEN ROW(1,2) THEN 1 END
! 42883
SELECT CASE 'nm'::name WHEN '10.0.0.1'::inet THEN 1 END
! 42883
SELECT CASE 'abd'::varchar WHEN '10.0.0.1'::inet THEN 1 END
! 42883
SELECT CASE '{"a":1}'::json WHEN 'x' THEN 1 END
! 42883
SELECT CASE ARRAY[1,2] WHEN ROW(1,2) THEN 1 END
! 42883
SELECT CASE ROW(1,2) WHEN '03:04:05'::time THEN 1 END
! 42883
SELECT CASE ROW(1,2) WHEN '1 day 2 hours'::interval THEN 1 END
! 42883
SELECT CASE ROW(1,2) WHEN '{2024-01-01}'::date[] THEN 1 END
! 42883
SELECT CASE ROW(1,2) WHEN 1.5::real THEN 1 END
! 42883
SELECT CASE ROW(1,2) WHEN 2.5::double precision THEN 1 END
! 42883
SELECT CASE ROW(1,2) WHEN ARRAY[1,2] THEN 1 END
! 42883
SELECT ROW(1,2) #- '1'
! 42883
SELECT ROW(1,2) #- NULL
! 42883
SELECT ROW(1,2) #> 'x'
! 42883
SELECT ROW(1,2) #> '{a,b}'::text[]
! 42883
SELECT ROW(1,2) #>> '{a,b}'::text[]
! 42883
SELECT ROW(1,2) #>> 'x'
! 42883
SELECT ROW(1,2) -> 'abc'::text
! 42883
SELECT ROW(1,2) -> '10.0.0.1'::inet
! 42883
SELECT ROW(1,2) ->> 1
! 42883
SELECT ROW(1,2) ->> 2::smallint
! 42883
SELECT ROW(1,2) <> '{t}'::boolean[]
! 42883
SELECT ROW(1,2) <> '{1.5}'::numeric[]
! 42883
SELECT ROW(1,2) <> 2.5::double precision
! 42883
SELECT ROW(1,2) <> ARRAY[1,2]
! 42883
SELECT ROW(1,2) <@ '{"a":1}'::jsonb
! 42883
SELECT ROW(1,2) = 1.5
! 42883
SELECT ROW(1,2) = '2024-02-03'::date
! 42883
SELECT ROW(1,2) = 2.5::double precision
! 42883
SELECT ROW(1,2) = ARRAY[1,2]
! 42883
SELECT ROW(1,2) ? 'abd'::varchar
! 42883
SELECT ROW(1,2) ? '1'
! 42883
SELECT ROW(1,2) ?& '1'
! 42883
SELECT ROW(1,2) ?& NULL
! 42883
SELECT ROW(1,2) ?| '1'
! 42883
SELECT ROW(1,2) ?| NULL
! 42883
SELECT ROW(1,2) @> '{"a":1}'::jsonb
! 42883
SELECT ROW(1,2) IN (2.5::double precision,NULL)
! 42883
SELECT ROW(1,2) IN (1.5::real,NULL)
! 42883
SELECT ROW(1,2) IN ('\x6162'::bytea,NULL)
! 42883
SELECT ROW(1,2) IN (ARRAY[1,2],NULL)
! 42883
SELECT ROW(1,2) IS DISTINCT FROM 1.5::real
! 42883
SELECT ROW(1,2) IS DISTINCT FROM '{2024-01-01}'::date[]
! 42883
SELECT ROW(1,2) IS DISTINCT FROM 2.5::double precision
! 42883
SELECT ROW(1,2) IS DISTINCT FROM ARRAY[1,2]
! 42883
SELECT ROW(1,2) NOT IN (2.5::double precision)
! 42883
SELECT ROW(1,2) NOT IN ('abd'::varchar)
! 42883
SELECT ROW(1,2) NOT IN (7::oid)
! 42883
SELECT ROW(1,2) NOT IN (ARRAY[1,2])
! 42883
SELECT ROW(1,2) ^ 'x'
! 42883
SELECT ROW(1,2) || '03:04:05'::time
! 42883
SELECT ROW(1,2) || '2024-02-03 04:05:06'::timestamp
! 42883
SELECT ROW(1,2) || 2.5::double precision
! 42883
SELECT ROW(1,2) || ROW(1,2)
! 42883
SELECT nullif(2.5::double precision,7::oid)
! 42883
SELECT nullif(2.5::double precision,ROW(1,2))
! 42883
SELECT nullif(7::oid,2.5::double precision)
! 42883
SELECT nullif(7::oid,4.25::numeric)
! 42883
SELECT nullif('x','{"a":1}'::json)
! 42883
SELECT nullif('6b1c9a34-8a1b-4c1f-9f1a-3b1c9a348a1b'::uuid,ROW(1,2))
! 42883
SELECT nullif(1.5,ROW(1,2))
! 42883
SELECT nullif(ARRAY[1,2],ROW(1,2))
! 42883
SELECT nullif(ROW(1,2),2.5::double precision)
! 42883
SELECT nullif(ROW(1,2),'\x6162'::bytea)
! 42883
SELECT nullif(ROW(1,2),1.5::real)
! 42883
SELECT nullif(ROW(1,2),ARRAY[1,2])
! 42883
SELECT coalesce(2::smallint, 1), CASE WHEN true THEN -1 ELSE 2::smallint END, greatest(2::smallint, 1, 3)
: integer integer integer
= 2	-1	3
SELECT least(2::smallint, -1), ARRAY[2::smallint, 1], nullif(2::smallint, 1), coalesce(2::smallint, NULL)
: integer integer[] smallint smallint
= -1	{2,1}	2	2
SELECT v, pg_typeof(v) FROM (VALUES (2::smallint), (1)) AS t (v) ORDER BY v
: integer regtype
= 1	integer
= 2	integer
SELECT CASE WHEN id > 2 THEN 1::smallint ELSE - 2::smallint END, coalesce(- 1::smallint, 40000) FROM samples ORDER BY id
: smallint integer
= -2	-1
= -2	-1
= 1	-1
= 1	-1
= 1	-1
= 1	-1
= 1	-1
= 1	-1
= 1	-1
SELECT array_append(ARRAY[1], true)
! 42883
SELECT array_position(ARRAY[1], 'x'::text), array_position(ARRAY['a'], 'x')
! 42883
SELECT array_replace(ARRAY[1, 2], 1, 'x'::text)
! 42883
SELECT lag(1, 1, true) OVER ()
! 42883
SELECT array_cat(ARRAY[[1]], ARRAY[[2]]), array_append(ARRAY['a'::varchar(3)], 'b'::text), lag(1::bigint, 1, 2) OVER ()
: integer[] character_varying[] bigint
= {{1},{2}}	{a,b}	2
SELECT 1 WHERE 1 = ALL (SELECT 'a'::text)
! 42883
SELECT id FROM samples WHERE t = ALL (SELECT id FROM samples)
! 42883
SELECT id FROM samples WHERE t = ANY (SELECT id FROM samples)
! 42883
SELECT id FROM samples WHERE id <> ALL (SELECT t FROM samples)
! 42883
SELECT id FROM samples WHERE (id, 1) IN (VALUES ('a'::text, 1))
! 42883
SELECT id FROM samples WHERE (id, t) IN (VALUES (1, 1))
! 42883
SELECT id FROM samples WHERE (id, t) IN (SELECT id, id FROM samples)
! 42883
SELECT id FROM samples WHERE (id, t) NOT IN (SELECT id, id FROM samples)
! 42883
SELECT id FROM samples WHERE (id, 'a') IN (SELECT id, 'a' FROM samples) ORDER BY id LIMIT 2
: integer
= 1
= 2
SELECT count(*) FROM samples WHERE (id, id) IN (SELECT id::bigint, id::numeric FROM samples)
: bigint
= 9
SELECT count(*) FROM samples WHERE id > ALL (SELECT -1.5)
: bigint
= 9
SELECT '{}'::json IS DISTINCT FROM NULL
: boolean
= t
SELECT NULL IS NOT DISTINCT FROM '{}'::json
: boolean
= f
SELECT '{}'::json IS DISTINCT FROM '{}'::json
! 42883
