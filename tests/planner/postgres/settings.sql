SET work_mem = '65.4kB'; SELECT current_setting('work_mem'), setting, unit, vartype FROM pg_settings WHERE name = 'work_mem'
: text text text text
= 65kB	65	kB	integer
SET work_mem TO 64; SELECT current_setting('work_mem'), setting, unit, vartype FROM pg_settings WHERE name = 'work_mem'
: text text text text
= 64kB	64	kB	integer
SET work_mem = '2GB'; SELECT current_setting('work_mem'), setting, unit, vartype FROM pg_settings WHERE name = 'work_mem'
: text text text text
= 2GB	2097152	kB	integer
SET seq_page_cost = 1.23456789; SELECT current_setting('seq_page_cost'), setting, unit, vartype FROM pg_settings WHERE name = 'seq_page_cost'
: text text text text
= 1.23457	1.23457	\N	real
SET enable_sort = tr; SELECT current_setting('enable_sort'), setting, unit, vartype FROM pg_settings WHERE name = 'enable_sort'
: text text text text
= on	on	\N	bool
SET constraint_exclusion = yes; SELECT current_setting('constraint_exclusion'), setting, unit, vartype FROM pg_settings WHERE name = 'constraint_exclusion'
: text text text text
= on	on	\N	enum
SET geqo_effort = '0x5'; SELECT current_setting('geqo_effort'), setting, unit, vartype FROM pg_settings WHERE name = 'geqo_effort'
: text text text text
= 5	5	\N	integer
SET geqo_effort = '3.7'; SELECT current_setting('geqo_effort'), setting, unit, vartype FROM pg_settings WHERE name = 'geqo_effort'
: text text text text
= 4	4	\N	integer
SET plan_cache_mode = FORCE_generic_plan; SELECT current_setting('plan_cache_mode'), setting, unit, vartype FROM pg_settings WHERE name = 'plan_cache_mode'
: text text text text
= force_generic_plan	force_generic_plan	\N	enum
SET effective_cache_size = '24kB'; SELECT current_setting('effective_cache_size'), setting, unit, vartype FROM pg_settings WHERE name = 'effective_cache_size'
: text text text text
= 24kB	3	8kB	integer
SET cursor_tuple_fraction = '1e-2'; SELECT current_setting('cursor_tuple_fraction'), setting, unit, vartype FROM pg_settings WHERE name = 'cursor_tuple_fraction'
: text text text text
= 0.01	0.01	\N	real
SET jit_above_cost = 1e5; SELECT current_setting('jit_above_cost'), setting, unit, vartype FROM pg_settings WHERE name = 'jit_above_cost'
: text text text text
= 100000	100000	\N	real
SET vacuum_cost_delay = '1.5ms'; SELECT current_setting('vacuum_cost_delay'), setting, unit, vartype FROM pg_settings WHERE name = 'vacuum_cost_delay'
: text text text text
= 1500us	1.5	ms	real
SET statement_timeout = '5s'; SELECT current_setting('statement_timeout'), setting, unit, vartype FROM pg_settings WHERE name = 'statement_timeout'
: text text text text
= 5s	5000	ms	integer
SET client_min_messages = debug; SELECT current_setting('client_min_messages'), setting, unit, vartype FROM pg_settings WHERE name = 'client_min_messages'
: text text text text
= debug2	debug2	\N	enum
SET min_parallel_table_scan_size = '1MB'; SELECT current_setting('min_parallel_table_scan_size'), setting, unit, vartype FROM pg_settings WHERE name = 'min_parallel_table_scan_size'
: text text text text
= 1MB	128	8kB	integer
SET work_mem = 63; SELECT 1
! 22023
SET work_mem = 'x'; SELECT 1
! 22023
SET work_mem = '1 B'; SELECT 1
! 22023
SET seq_page_cost = -1; SELECT 1
! 22023
SET seq_page_cost = 'x'; SELECT 1
! 22023
SET seq_page_cost = '1ms'; SELECT 1
! 22023
SET enable_sort = 'x'; SELECT 1
! 22023
SET enable_sort = ''; SELECT 1
! 22023
SET constraint_exclusion = 'x'; SELECT 1
! 22023
SET geqo_effort = 11; SELECT 1
! 22023
SET join_collapse_limit = 8, 9; SELECT 1
! 22023
SET work_mem = '99999999999999GB'; SELECT 1
! 22023
SET work_mem = '10 xB'; SELECT 1
! 22023
SET max_parallel_workers_per_gather TO 2000; SELECT 1
! 22023
SET default_statistics_target = 0; SELECT 1
! 22023
SET jit = maybe; SELECT 1
! 22023
SET client_min_messages = 'x'; SELECT 1
! 22023
SET enable_nothing = on; SELECT 1
! 42704
SELECT name, boot_val, unit, context, vartype, min_val, max_val, enumvals, category FROM pg_settings WHERE category LIKE 'Query Tuning%' AND name <> 'jit' ORDER BY name
: text text text text text text text text[] text
= constraint_exclusion	partition	\N	user	enum	\N	\N	{partition,on,off}	Query Tuning / Other Planner Options
= cpu_index_tuple_cost	0.005	\N	user	real	0	1.79769e+308	\N	Query Tuning / Planner Cost Constants
= cpu_operator_cost	0.0025	\N	user	real	0	1.79769e+308	\N	Query Tuning / Planner Cost Constants
= cpu_tuple_cost	0.01	\N	user	real	0	1.79769e+308	\N	Query Tuning / Planner Cost Constants
= cursor_tuple_fraction	0.1	\N	user	real	0	1	\N	Query Tuning / Other Planner Options
= default_statistics_target	100	\N	user	integer	1	10000	\N	Query Tuning / Other Planner Options
= effective_cache_size	524288	8kB	user	integer	1	2147483647	\N	Query Tuning / Planner Cost Constants
= enable_async_append	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_bitmapscan	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_gathermerge	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_hashagg	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_hashjoin	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_incremental_sort	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_indexonlyscan	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_indexscan	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_material	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_memoize	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_mergejoin	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_nestloop	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_parallel_append	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_parallel_hash	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_partition_pruning	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_partitionwise_aggregate	off	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_partitionwise_join	off	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_seqscan	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_sort	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= enable_tidscan	on	\N	user	bool	\N	\N	\N	Query Tuning / Planner Method Configuration
= from_collapse_limit	8	\N	user	integer	1	2147483647	\N	Query Tuning / Other Planner Options
= geqo	on	\N	user	bool	\N	\N	\N	Query Tuning / Genetic Query Optimizer
= geqo_effort	5	\N	user	integer	1	10	\N	Query Tuning / Genetic Query Optimizer
= geqo_generations	0	\N	user	integer	0	2147483647	\N	Query Tuning / Genetic Query Optimizer
= geqo_pool_size	0	\N	user	integer	0	2147483647	\N	Query Tuning / Genetic Query Optimizer
= geqo_seed	0	\N	user	real	0	1	\N	Query Tuning / Genetic Query Optimizer
= geqo_selection_bias	2	\N	user	real	1.5	2	\N	Query Tuning / Genetic Query Optimizer
= geqo_threshold	12	\N	user	integer	2	2147483647	\N	Query Tuning / Genetic Query Optimizer
= jit_above_cost	100000	\N	user	real	-1	1.79769e+308	\N	Query Tuning / Planner Cost Constants
= jit_inline_above_cost	500000	\N	user	real	-1	1.79769e+308	\N	Query Tuning / Planner Cost Constants
= jit_optimize_above_cost	500000	\N	user	real	-1	1.79769e+308	\N	Query Tuning / Planner Cost Constants
= join_collapse_limit	8	\N	user	integer	1	2147483647	\N	Query Tuning / Other Planner Options
= min_parallel_index_scan_size	64	8kB	user	integer	0	715827882	\N	Query Tuning / Planner Cost Constants
= min_parallel_table_scan_size	1024	8kB	user	integer	0	715827882	\N	Query Tuning / Planner Cost Constants
= parallel_setup_cost	1000	\N	user	real	0	1.79769e+308	\N	Query Tuning / Planner Cost Constants
= parallel_tuple_cost	0.1	\N	user	real	0	1.79769e+308	\N	Query Tuning / Planner Cost Constants
= plan_cache_mode	auto	\N	user	enum	\N	\N	{auto,force_generic_plan,force_custom_plan}	Query Tuning / Other Planner Options
= random_page_cost	4	\N	user	real	0	1.79769e+308	\N	Query Tuning / Planner Cost Constants
= recursive_worktable_factor	10	\N	user	real	0.001	1e+06	\N	Query Tuning / Other Planner Options
= seq_page_cost	1	\N	user	real	0	1.79769e+308	\N	Query Tuning / Planner Cost Constants
SELECT current_setting('work_mem'), current_setting('EFFECTIVE_cache_size'), current_setting('random_page_cost'), current_setting('geqo')
: text text text text
= 4MB	4GB	4	on
SELECT count(*), min(current_setting(CASE WHEN id > 0 THEN 'work_mem' END)) FROM samples
: bigint text
= 9	4MB
SET work_mem = '1MB'; SELECT min(current_setting(CASE WHEN id > 0 THEN 'work_mem' END)), current_setting('work_mem') FROM samples
: text text
= 1MB	1MB
SELECT set_config('random_page_cost', '1.10', true)
: text
= 1.1
SELECT set_config('enable_hashagg', 'maybe', false)
! 22023
SET LOCAL ALL = 1
! 42601
SET ALL = 1
! 42601
SET
! 42601
SET SESSION TIME ZONE
! 42601
SET TIME INTERVAL '1' HOUR
! 42601
SET TIME ZONE INTERVAL '-03:30' HOUR TO
! 42601
SET TIME ZONE INTERVAL '1' SECOND
! 42601
SET TIME ZONE INTERVAL '1' HOUR TO SECOND
! 42601
SET TIME ZONE INTERVAL '1' HOUR MINUTE
! 42601
SET TIME ZONE INTERVAL(x) '1'
! 42601
SET timezone = INTERVAL '1' HOUR
! 42601
SET TIME ZONE = 'UTC'
! 42601
SET TIME ZONE 'UTC' 'UTC'
! 42601
SET TIME ZONE table
! 42601
SET work_mem = select
! 42601
SET work_mem = '1MB', DEFAULT
! 42601
SET work_mem = DEFAULT DEFAULT
! 42601
SET work_mem work_mem = '1MB'
! 42601
SET work_mem TO TO '1MB'
! 42601
SET work_mem = '1MB',
! 42601
SET work_mem.table = 1
! 42601
SET ROLE LOCAL NONE
! 42601
SET ROLE DEFAULT
! 42601
SET ROLE
! 42601
SET NAMES utf8
! 42601
SET NAMES 'UTF8' 'UTF8'
! 42601
SET SCHEMA public
! 42601
SET XML OPTION nothing
! 42601
SET SESSION AUTHORIZATION
! 42601
SET SESSION CHARACTERISTICS AS READ ONLY
! 42601
SET LOCAL LOCAL work_mem = '1MB'
! 42601
SET local = 1
! 42704
SET session = 1
! 42704
SET transaction = 1
! 42704
SET SESSION characteristics = 1
! 42704
SET names TO 'x'
! 42704
SET time = 1
! 42704
SET catalog = 1
! 42704
SET "a b".c = 1
! 42602
SET "a b" = 1
! 42704
RESET "a b".c
! 42602
RESET ALL ALL
! 42601
RESET TIME
! 42704
RESET SESSION
! 42704
RESET TRANSACTION
! 42704
SHOW SESSION
! 42704
RESET TIME ZONE ZONE
! 42601
RESET - work_mem
! 42601
RESET RESET work_mem
! 42601
RESET nothing
! 42704
SHOW ALL ALL
! 42601
SHOW TIME
! 42704
SHOW my.nothing
! 42704
SHOW TRANSACTION ISOLATION
! 42601
SELECT set_config('client_encoding', 'DEFAULT', true)
! 22023
SELECT set_config('client_encoding', 'klingon', true)
! 22023
SELECT set_config('bytea_output', 'DEFAULT', true)
! 22023
SELECT set_config('bytea_output', 'HEX', true)
: text
= hex
SELECT set_config('default_transaction_read_only', 'DEFAULT', true)
! 22023
SELECT set_config('work_mem', 'DEFAULT', true)
! 22023
SELECT set_config('a b.c', '1', false)
! 42602
SET "My".Setting = 1; SELECT current_setting('MY.setting')
: text
= 1
SET client_encoding = klingon
! 22023
SET client_encoding = 'default'; SELECT 1
! 22023
SET my.seven = 007; SELECT current_setting('my.seven')
: text
= 7
SET my.zero = -0; SELECT current_setting('my.zero')
: text
= 0
SET my.more = +1.50; SELECT current_setting('my.more')
: text
= 1.50
SET my.less = - 1.50e1; SELECT current_setting('my.less')
: text
= -1.50e1
SET my.large = 2147483648; SELECT current_setting('my.large')
: text
= 2147483648
SET my.word = left; SELECT current_setting('my.word')
: text
= left
SET my.word = TRUE; SELECT current_setting('my.word')
: text
= true
SET "My".word = "Word"; SELECT current_setting('my.word')
: text
= Word
SET my.two = a, b; SELECT current_setting('my.two')
! 22023
SET SESSION SESSION AUTHORIZATION DEFAULT; SELECT 1
: integer
= 1
SET SESSION SESSION CHARACTERISTICS AS TRANSACTION READ ONLY READ ONLY; SELECT 1
: integer
= 1
SET LOCAL SESSION CHARACTERISTICS AS TRANSACTION READ ONLY, READ ONLY; SELECT 1
: integer
= 1
SET TIME ZONE INTERVAL '-03:30' HOUR TO MINUTE; SELECT current_setting('timezone')
: text
= <-03:30>+03:30
SET TIME ZONE INTERVAL(0) '05:00'; SELECT current_setting('timezone')
: text
= <+05>-05
SET XML OPTION DOCUMENT; SELECT current_setting('xmloption')
: text
= document
SELECT current_setting('TimeZone', NULL), current_setting(NULL), current_setting(NULL, true), current_setting('nope.x', NULL)
: text text text text
= \N	\N	\N	\N
SELECT current_setting('TimeZone', f), current_setting('TimeZone', NULL::boolean) FROM samples WHERE id IN (1, 5) ORDER BY id
: text text
= UTC	\N
= \N	\N
