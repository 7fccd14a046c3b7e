# ruff: noqa: E501 - tables with one row a line
"""PostgreSQL 15's built-in objects: relations and their columns, types, access methods, functions.

Written by `tests/planner/pg_catalog/make_seed.py`; not edited by hand. No code may live here.
"""

from __future__ import annotations

RELATIONS = r"""
2600 r pg_catalog.pg_aggregate aggfnoid:regproc! aggkind:char! aggnumdirectargs:int2! aggtransfn:regproc! aggfinalfn:regproc! aggcombinefn:regproc! aggserialfn:regproc! aggdeserialfn:regproc! aggmtransfn:regproc! aggminvtransfn:regproc! aggmfinalfn:regproc! aggfinalextra:bool! aggmfinalextra:bool! aggfinalmodify:char! aggmfinalmodify:char! aggsortop:oid! aggtranstype:oid! aggtransspace:int4! aggmtranstype:oid! aggmtransspace:int4! agginitval:text aggminitval:text
2601 r pg_catalog.pg_am oid:oid! amname:name! amhandler:regproc! amtype:char!
2602 r pg_catalog.pg_amop oid:oid! amopfamily:oid! amoplefttype:oid! amoprighttype:oid! amopstrategy:int2! amoppurpose:char! amopopr:oid! amopmethod:oid! amopsortfamily:oid!
2603 r pg_catalog.pg_amproc oid:oid! amprocfamily:oid! amproclefttype:oid! amprocrighttype:oid! amprocnum:int2! amproc:regproc!
2604 r pg_catalog.pg_attrdef oid:oid! adrelid:oid! adnum:int2! adbin:pg_node_tree!
1249 r pg_catalog.pg_attribute attrelid:oid! attname:name! atttypid:oid! attstattarget:int4! attlen:int2! attnum:int2! attndims:int4! attcacheoff:int4! atttypmod:int4! attbyval:bool! attalign:char! attstorage:char! attcompression:char! attnotnull:bool! atthasdef:bool! atthasmissing:bool! attidentity:char! attgenerated:char! attisdropped:bool! attislocal:bool! attinhcount:int4! attcollation:oid! attacl:_aclitem attoptions:_text attfdwoptions:_text attmissingval:anyarray
1261 r pg_catalog.pg_auth_members roleid:oid! member:oid! grantor:oid! admin_option:bool!
1260 r pg_catalog.pg_authid oid:oid! rolname:name! rolsuper:bool! rolinherit:bool! rolcreaterole:bool! rolcreatedb:bool! rolcanlogin:bool! rolreplication:bool! rolbypassrls:bool! rolconnlimit:int4! rolpassword:text rolvaliduntil:timestamptz
12085 v pg_catalog.pg_available_extension_versions name:name version:text installed:bool superuser:bool trusted:bool relocatable:bool schema:name requires:_name comment:text
12081 v pg_catalog.pg_available_extensions name:name default_version:text installed_version:text comment:text
12138 v pg_catalog.pg_backend_memory_contexts name:text ident:text parent:text level:int4 total_bytes:int8 total_nblocks:int8 free_bytes:int8 free_chunks:int8 used_bytes:int8
2605 r pg_catalog.pg_cast oid:oid! castsource:oid! casttarget:oid! castfunc:oid! castcontext:char! castmethod:char!
1259 r pg_catalog.pg_class oid:oid! relname:name! relnamespace:oid! reltype:oid! reloftype:oid! relowner:oid! relam:oid! relfilenode:oid! reltablespace:oid! relpages:int4! reltuples:float4! relallvisible:int4! reltoastrelid:oid! relhasindex:bool! relisshared:bool! relpersistence:char! relkind:char! relnatts:int2! relchecks:int2! relhasrules:bool! relhastriggers:bool! relhassubclass:bool! relrowsecurity:bool! relforcerowsecurity:bool! relispopulated:bool! relreplident:char! relispartition:bool! relrewrite:oid! relfrozenxid:xid! relminmxid:xid! relacl:_aclitem reloptions:_text relpartbound:pg_node_tree
3456 r pg_catalog.pg_collation oid:oid! collname:name! collnamespace:oid! collowner:oid! collprovider:char! collisdeterministic:bool! collencoding:int4! collcollate:text collctype:text colliculocale:text collversion:text
12130 v pg_catalog.pg_config name:text setting:text
2606 r pg_catalog.pg_constraint oid:oid! conname:name! connamespace:oid! contype:char! condeferrable:bool! condeferred:bool! convalidated:bool! conrelid:oid! contypid:oid! conindid:oid! conparentid:oid! confrelid:oid! confupdtype:char! confdeltype:char! confmatchtype:char! conislocal:bool! coninhcount:int4! connoinherit:bool! conkey:_int2 confkey:_int2 conpfeqop:_oid conppeqop:_oid conffeqop:_oid confdelsetcols:_int2 conexclop:_oid conbin:pg_node_tree
2607 r pg_catalog.pg_conversion oid:oid! conname:name! connamespace:oid! conowner:oid! conforencoding:int4! contoencoding:int4! conproc:regproc! condefault:bool!
12077 v pg_catalog.pg_cursors name:text statement:text is_holdable:bool is_binary:bool is_scrollable:bool creation_time:timestamptz
1262 r pg_catalog.pg_database oid:oid! datname:name! datdba:oid! encoding:int4! datlocprovider:char! datistemplate:bool! datallowconn:bool! datconnlimit:int4! datfrozenxid:xid! datminmxid:xid! dattablespace:oid! datcollate:text! datctype:text! daticulocale:text datcollversion:text datacl:_aclitem
2964 r pg_catalog.pg_db_role_setting setdatabase:oid! setrole:oid! setconfig:_text
826 r pg_catalog.pg_default_acl oid:oid! defaclrole:oid! defaclnamespace:oid! defaclobjtype:char! defaclacl:_aclitem!
2608 r pg_catalog.pg_depend classid:oid! objid:oid! objsubid:int4! refclassid:oid! refobjid:oid! refobjsubid:int4! deptype:char!
2609 r pg_catalog.pg_description objoid:oid! classoid:oid! objsubid:int4! description:text!
3501 r pg_catalog.pg_enum oid:oid! enumtypid:oid! enumsortorder:float4! enumlabel:name!
3466 r pg_catalog.pg_event_trigger oid:oid! evtname:name! evtevent:name! evtowner:oid! evtfoid:oid! evtenabled:char! evttags:_text
3079 r pg_catalog.pg_extension oid:oid! extname:name! extowner:oid! extnamespace:oid! extrelocatable:bool! extversion:text! extconfig:_oid extcondition:_text
12110 v pg_catalog.pg_file_settings sourcefile:text sourceline:int4 seqno:int4 name:text setting:text applied:bool error:text
2328 r pg_catalog.pg_foreign_data_wrapper oid:oid! fdwname:name! fdwowner:oid! fdwhandler:oid! fdwvalidator:oid! fdwacl:_aclitem fdwoptions:_text
1417 r pg_catalog.pg_foreign_server oid:oid! srvname:name! srvowner:oid! srvfdw:oid! srvtype:text srvversion:text srvacl:_aclitem srvoptions:_text
3118 r pg_catalog.pg_foreign_table ftrelid:oid! ftserver:oid! ftoptions:_text
12010 v pg_catalog.pg_group groname:name grosysid:oid grolist:_oid
12114 v pg_catalog.pg_hba_file_rules line_number:int4 type:text database:_text user_name:_text address:text netmask:text auth_method:text options:_text error:text
12118 v pg_catalog.pg_ident_file_mappings line_number:int4 map_name:text sys_name:text pg_username:text error:text
2610 r pg_catalog.pg_index indexrelid:oid! indrelid:oid! indnatts:int2! indnkeyatts:int2! indisunique:bool! indnullsnotdistinct:bool! indisprimary:bool! indisexclusion:bool! indimmediate:bool! indisclustered:bool! indisvalid:bool! indcheckxmin:bool! indisready:bool! indislive:bool! indisreplident:bool! indkey:int2vector! indcollation:oidvector! indclass:oidvector! indoption:int2vector! indexprs:pg_node_tree indpred:pg_node_tree
12043 v pg_catalog.pg_indexes schemaname:name tablename:name indexname:name tablespace:name indexdef:text
2611 r pg_catalog.pg_inherits inhrelid:oid! inhparent:oid! inhseqno:int4! inhdetachpending:bool!
3394 r pg_catalog.pg_init_privs objoid:oid! classoid:oid! objsubid:int4! privtype:char! initprivs:_aclitem!
2612 r pg_catalog.pg_language oid:oid! lanname:name! lanowner:oid! lanispl:bool! lanpltrusted:bool! lanplcallfoid:oid! laninline:oid! lanvalidator:oid! lanacl:_aclitem
2613 r pg_catalog.pg_largeobject loid:oid! pageno:int4! data:bytea!
2995 r pg_catalog.pg_largeobject_metadata oid:oid! lomowner:oid! lomacl:_aclitem
12073 v pg_catalog.pg_locks locktype:text database:oid relation:oid page:int4 tuple:int2 virtualxid:text transactionid:xid classid:oid objid:oid objsubid:int2 virtualtransaction:text pid:int4 mode:text granted:bool fastpath:bool waitstart:timestamptz
12038 v pg_catalog.pg_matviews schemaname:name matviewname:name matviewowner:name tablespace:name hasindexes:bool ispopulated:bool definition:text
2615 r pg_catalog.pg_namespace oid:oid! nspname:name! nspowner:oid! nspacl:_aclitem
2616 r pg_catalog.pg_opclass oid:oid! opcmethod:oid! opcname:name! opcnamespace:oid! opcowner:oid! opcfamily:oid! opcintype:oid! opcdefault:bool! opckeytype:oid!
2617 r pg_catalog.pg_operator oid:oid! oprname:name! oprnamespace:oid! oprowner:oid! oprkind:char! oprcanmerge:bool! oprcanhash:bool! oprleft:oid! oprright:oid! oprresult:oid! oprcom:oid! oprnegate:oid! oprcode:regproc! oprrest:regproc! oprjoin:regproc!
2753 r pg_catalog.pg_opfamily oid:oid! opfmethod:oid! opfname:name! opfnamespace:oid! opfowner:oid!
6243 r pg_catalog.pg_parameter_acl oid:oid! parname:text! paracl:_aclitem
3350 r pg_catalog.pg_partitioned_table partrelid:oid! partstrat:char! partnatts:int2! partdefid:oid! partattrs:int2vector! partclass:oidvector! partcollation:oidvector! partexprs:pg_node_tree
12018 v pg_catalog.pg_policies schemaname:name tablename:name policyname:name permissive:text roles:_name cmd:text qual:text with_check:text
3256 r pg_catalog.pg_policy oid:oid! polname:name! polrelid:oid! polcmd:char! polpermissive:bool! polroles:_oid! polqual:pg_node_tree polwithcheck:pg_node_tree
12095 v pg_catalog.pg_prepared_statements name:text statement:text prepare_time:timestamptz parameter_types:_regtype from_sql:bool generic_plans:int8 custom_plans:int8
12090 v pg_catalog.pg_prepared_xacts transaction:xid gid:text prepared:timestamptz owner:name database:name
1255 r pg_catalog.pg_proc oid:oid! proname:name! pronamespace:oid! proowner:oid! prolang:oid! procost:float4! prorows:float4! provariadic:oid! prosupport:regproc! prokind:char! prosecdef:bool! proleakproof:bool! proisstrict:bool! proretset:bool! provolatile:char! proparallel:char! pronargs:int2! pronargdefaults:int2! prorettype:oid! proargtypes:oidvector! proallargtypes:_oid proargmodes:_char proargnames:_text proargdefaults:pg_node_tree protrftypes:_oid prosrc:text! probin:text prosqlbody:pg_node_tree proconfig:_text proacl:_aclitem
6104 r pg_catalog.pg_publication oid:oid! pubname:name! pubowner:oid! puballtables:bool! pubinsert:bool! pubupdate:bool! pubdelete:bool! pubtruncate:bool! pubviaroot:bool!
6237 r pg_catalog.pg_publication_namespace oid:oid! pnpubid:oid! pnnspid:oid!
6106 r pg_catalog.pg_publication_rel oid:oid! prpubid:oid! prrelid:oid! prqual:pg_node_tree prattrs:int2vector
12068 v pg_catalog.pg_publication_tables pubname:name schemaname:name tablename:name attnames:_name rowfilter:text
3541 r pg_catalog.pg_range rngtypid:oid! rngsubtype:oid! rngmultitypid:oid! rngcollation:oid! rngsubopc:oid! rngcanonical:regproc! rngsubdiff:regproc!
6000 r pg_catalog.pg_replication_origin roident:oid! roname:text!
12332 v pg_catalog.pg_replication_origin_status local_id:oid external_id:text remote_lsn:pg_lsn local_lsn:pg_lsn
12257 v pg_catalog.pg_replication_slots slot_name:name plugin:name slot_type:text datoid:oid database:name temporary:bool active:bool active_pid:int4 xmin:xid catalog_xmin:xid restart_lsn:pg_lsn confirmed_flush_lsn:pg_lsn wal_status:text safe_wal_size:int8 two_phase:bool
2618 r pg_catalog.pg_rewrite oid:oid! rulename:name! ev_class:oid! ev_type:char! ev_enabled:char! is_instead:bool! ev_qual:pg_node_tree! ev_action:pg_node_tree!
12000 v pg_catalog.pg_roles rolname:name rolsuper:bool rolinherit:bool rolcreaterole:bool rolcreatedb:bool rolcanlogin:bool rolreplication:bool rolconnlimit:int4 rolpassword:text rolvaliduntil:timestamptz rolbypassrls:bool rolconfig:_text oid:oid
12023 v pg_catalog.pg_rules schemaname:name tablename:name rulename:name definition:text
3596 r pg_catalog.pg_seclabel objoid:oid! classoid:oid! objsubid:int4! provider:text! label:text!
12099 v pg_catalog.pg_seclabels objoid:oid classoid:oid objsubid:int4 objtype:text objnamespace:oid objname:text provider:text label:text
2224 r pg_catalog.pg_sequence seqrelid:oid! seqtypid:oid! seqstart:int8! seqincrement:int8! seqmax:int8! seqmin:int8! seqcache:int8! seqcycle:bool!
12048 v pg_catalog.pg_sequences schemaname:name sequencename:name sequenceowner:name data_type:regtype start_value:int8 min_value:int8 max_value:int8 increment_by:int8 cycle:bool cache_size:int8 last_value:int8
12104 v pg_catalog.pg_settings name:text setting:text unit:text category:text short_desc:text extra_desc:text context:text vartype:text source:text min_val:text max_val:text enumvals:_text boot_val:text reset_val:text sourcefile:text sourceline:int4 pending_restart:bool
12005 v pg_catalog.pg_shadow usename:name usesysid:oid usecreatedb:bool usesuper:bool userepl:bool usebypassrls:bool passwd:text valuntil:timestamptz useconfig:_text
1214 r pg_catalog.pg_shdepend dbid:oid! classid:oid! objid:oid! objsubid:int4! refclassid:oid! refobjid:oid! deptype:char!
2396 r pg_catalog.pg_shdescription objoid:oid! classoid:oid! description:text!
12134 v pg_catalog.pg_shmem_allocations name:text off:int8 size:int8 allocated_size:int8
3592 r pg_catalog.pg_shseclabel objoid:oid! classoid:oid! provider:text! label:text!
12222 v pg_catalog.pg_stat_activity datid:oid datname:name pid:int4 leader_pid:int4 usesysid:oid usename:name application_name:text client_addr:inet client_hostname:text client_port:int4 backend_start:timestamptz xact_start:timestamptz query_start:timestamptz state_change:timestamptz wait_event_type:text wait_event:text state:text backend_xid:xid backend_xmin:xid query_id:int8 query:text backend_type:text
12183 v pg_catalog.pg_stat_all_indexes relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_scan:int8 idx_tup_read:int8 idx_tup_fetch:int8
12142 v pg_catalog.pg_stat_all_tables relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8 n_live_tup:int8 n_dead_tup:int8 n_mod_since_analyze:int8 n_ins_since_vacuum:int8 last_vacuum:timestamptz last_autovacuum:timestamptz last_analyze:timestamptz last_autoanalyze:timestamptz vacuum_count:int8 autovacuum_count:int8 analyze_count:int8 autoanalyze_count:int8
12285 v pg_catalog.pg_stat_archiver archived_count:int8 last_archived_wal:text last_archived_time:timestamptz failed_count:int8 last_failed_wal:text last_failed_time:timestamptz stats_reset:timestamptz
12289 v pg_catalog.pg_stat_bgwriter checkpoints_timed:int8 checkpoints_req:int8 checkpoint_write_time:float8 checkpoint_sync_time:float8 buffers_checkpoint:int8 buffers_clean:int8 maxwritten_clean:int8 buffers_backend:int8 buffers_backend_fsync:int8 buffers_alloc:int8 stats_reset:timestamptz
12266 v pg_catalog.pg_stat_database datid:oid datname:name numbackends:int4 xact_commit:int8 xact_rollback:int8 blks_read:int8 blks_hit:int8 tup_returned:int8 tup_fetched:int8 tup_inserted:int8 tup_updated:int8 tup_deleted:int8 conflicts:int8 temp_files:int8 temp_bytes:int8 deadlocks:int8 checksum_failures:int8 checksum_last_failure:timestamptz blk_read_time:float8 blk_write_time:float8 session_time:float8 active_time:float8 idle_in_transaction_time:float8 sessions:int8 sessions_abandoned:int8 sessions_fatal:int8 sessions_killed:int8 stats_reset:timestamptz
12271 v pg_catalog.pg_stat_database_conflicts datid:oid datname:name confl_tablespace:int8 confl_lock:int8 confl_snapshot:int8 confl_bufferpin:int8 confl_deadlock:int8
12253 v pg_catalog.pg_stat_gssapi pid:int4 gss_authenticated:bool principal:text encrypted:bool
12297 v pg_catalog.pg_stat_progress_analyze pid:int4 datid:oid datname:name relid:oid phase:text sample_blks_total:int8 sample_blks_scanned:int8 ext_stats_total:int8 ext_stats_computed:int8 child_tables_total:int8 child_tables_done:int8 current_child_table_relid:oid
12317 v pg_catalog.pg_stat_progress_basebackup pid:int4 phase:text backup_total:int8 backup_streamed:int8 tablespaces_total:int8 tablespaces_streamed:int8
12307 v pg_catalog.pg_stat_progress_cluster pid:int4 datid:oid datname:name relid:oid command:text phase:text cluster_index_relid:oid heap_tuples_scanned:int8 heap_tuples_written:int8 heap_blks_total:int8 heap_blks_scanned:int8 index_rebuild_count:int8
12322 v pg_catalog.pg_stat_progress_copy pid:int4 datid:oid datname:name relid:oid command:text type:text bytes_processed:int8 bytes_total:int8 tuples_processed:int8 tuples_excluded:int8
12312 v pg_catalog.pg_stat_progress_create_index pid:int4 datid:oid datname:name relid:oid index_relid:oid command:text phase:text lockers_total:int8 lockers_done:int8 current_locker_pid:int8 blocks_total:int8 blocks_done:int8 tuples_total:int8 tuples_done:int8 partitions_total:int8 partitions_done:int8
12302 v pg_catalog.pg_stat_progress_vacuum pid:int4 datid:oid datname:name relid:oid phase:text heap_blks_total:int8 heap_blks_scanned:int8 heap_blks_vacuumed:int8 index_vacuum_count:int8 max_dead_tuples:int8 num_dead_tuples:int8
12240 v pg_catalog.pg_stat_recovery_prefetch stats_reset:timestamptz prefetch:int8 hit:int8 skip_init:int8 skip_new:int8 skip_fpw:int8 skip_rep:int8 wal_distance:int4 block_distance:int4 io_depth:int4
12227 v pg_catalog.pg_stat_replication pid:int4 usesysid:oid usename:name application_name:text client_addr:inet client_hostname:text client_port:int4 backend_start:timestamptz backend_xmin:xid state:text sent_lsn:pg_lsn write_lsn:pg_lsn flush_lsn:pg_lsn replay_lsn:pg_lsn write_lag:interval flush_lag:interval replay_lag:interval sync_priority:int4 sync_state:text reply_time:timestamptz
12262 v pg_catalog.pg_stat_replication_slots slot_name:text spill_txns:int8 spill_count:int8 spill_bytes:int8 stream_txns:int8 stream_count:int8 stream_bytes:int8 total_txns:int8 total_bytes:int8 stats_reset:timestamptz
12232 v pg_catalog.pg_stat_slru name:text blks_zeroed:int8 blks_hit:int8 blks_read:int8 blks_written:int8 blks_exists:int8 flushes:int8 truncates:int8 stats_reset:timestamptz
12249 v pg_catalog.pg_stat_ssl pid:int4 ssl:bool version:text cipher:text bits:int4 client_dn:text client_serial:numeric issuer_dn:text
12244 v pg_catalog.pg_stat_subscription subid:oid subname:name pid:int4 relid:oid received_lsn:pg_lsn last_msg_send_time:timestamptz last_msg_receipt_time:timestamptz latest_end_lsn:pg_lsn latest_end_time:timestamptz
12336 v pg_catalog.pg_stat_subscription_stats subid:oid subname:name apply_error_count:int8 sync_error_count:int8 stats_reset:timestamptz
12188 v pg_catalog.pg_stat_sys_indexes relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_scan:int8 idx_tup_read:int8 idx_tup_fetch:int8
12152 v pg_catalog.pg_stat_sys_tables relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8 n_live_tup:int8 n_dead_tup:int8 n_mod_since_analyze:int8 n_ins_since_vacuum:int8 last_vacuum:timestamptz last_autovacuum:timestamptz last_analyze:timestamptz last_autoanalyze:timestamptz vacuum_count:int8 autovacuum_count:int8 analyze_count:int8 autoanalyze_count:int8
12275 v pg_catalog.pg_stat_user_functions funcid:oid schemaname:name funcname:name calls:int8 total_time:float8 self_time:float8
12192 v pg_catalog.pg_stat_user_indexes relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_scan:int8 idx_tup_read:int8 idx_tup_fetch:int8
12161 v pg_catalog.pg_stat_user_tables relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8 n_live_tup:int8 n_dead_tup:int8 n_mod_since_analyze:int8 n_ins_since_vacuum:int8 last_vacuum:timestamptz last_autovacuum:timestamptz last_analyze:timestamptz last_autoanalyze:timestamptz vacuum_count:int8 autovacuum_count:int8 analyze_count:int8 autoanalyze_count:int8
12293 v pg_catalog.pg_stat_wal wal_records:int8 wal_fpi:int8 wal_bytes:numeric wal_buffers_full:int8 wal_write:int8 wal_sync:int8 wal_write_time:float8 wal_sync_time:float8 stats_reset:timestamptz
12236 v pg_catalog.pg_stat_wal_receiver pid:int4 status:text receive_start_lsn:pg_lsn receive_start_tli:int4 written_lsn:pg_lsn flushed_lsn:pg_lsn received_tli:int4 last_msg_send_time:timestamptz last_msg_receipt_time:timestamptz latest_end_lsn:pg_lsn latest_end_time:timestamptz slot_name:text sender_host:text sender_port:int4 conninfo:text
12147 v pg_catalog.pg_stat_xact_all_tables relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8
12157 v pg_catalog.pg_stat_xact_sys_tables relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8
12280 v pg_catalog.pg_stat_xact_user_functions funcid:oid schemaname:name funcname:name calls:int8 total_time:float8 self_time:float8
12166 v pg_catalog.pg_stat_xact_user_tables relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8
12196 v pg_catalog.pg_statio_all_indexes relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_blks_read:int8 idx_blks_hit:int8
12209 v pg_catalog.pg_statio_all_sequences relid:oid schemaname:name relname:name blks_read:int8 blks_hit:int8
12170 v pg_catalog.pg_statio_all_tables relid:oid schemaname:name relname:name heap_blks_read:int8 heap_blks_hit:int8 idx_blks_read:int8 idx_blks_hit:int8 toast_blks_read:int8 toast_blks_hit:int8 tidx_blks_read:int8 tidx_blks_hit:int8
12201 v pg_catalog.pg_statio_sys_indexes relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_blks_read:int8 idx_blks_hit:int8
12214 v pg_catalog.pg_statio_sys_sequences relid:oid schemaname:name relname:name blks_read:int8 blks_hit:int8
12175 v pg_catalog.pg_statio_sys_tables relid:oid schemaname:name relname:name heap_blks_read:int8 heap_blks_hit:int8 idx_blks_read:int8 idx_blks_hit:int8 toast_blks_read:int8 toast_blks_hit:int8 tidx_blks_read:int8 tidx_blks_hit:int8
12205 v pg_catalog.pg_statio_user_indexes relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_blks_read:int8 idx_blks_hit:int8
12218 v pg_catalog.pg_statio_user_sequences relid:oid schemaname:name relname:name blks_read:int8 blks_hit:int8
12179 v pg_catalog.pg_statio_user_tables relid:oid schemaname:name relname:name heap_blks_read:int8 heap_blks_hit:int8 idx_blks_read:int8 idx_blks_hit:int8 toast_blks_read:int8 toast_blks_hit:int8 tidx_blks_read:int8 tidx_blks_hit:int8
2619 r pg_catalog.pg_statistic starelid:oid! staattnum:int2! stainherit:bool! stanullfrac:float4! stawidth:int4! stadistinct:float4! stakind1:int2! stakind2:int2! stakind3:int2! stakind4:int2! stakind5:int2! staop1:oid! staop2:oid! staop3:oid! staop4:oid! staop5:oid! stacoll1:oid! stacoll2:oid! stacoll3:oid! stacoll4:oid! stacoll5:oid! stanumbers1:_float4 stanumbers2:_float4 stanumbers3:_float4 stanumbers4:_float4 stanumbers5:_float4 stavalues1:anyarray stavalues2:anyarray stavalues3:anyarray stavalues4:anyarray stavalues5:anyarray
3381 r pg_catalog.pg_statistic_ext oid:oid! stxrelid:oid! stxname:name! stxnamespace:oid! stxowner:oid! stxstattarget:int4! stxkeys:int2vector! stxkind:_char! stxexprs:pg_node_tree
3429 r pg_catalog.pg_statistic_ext_data stxoid:oid! stxdinherit:bool! stxdndistinct:pg_ndistinct stxddependencies:pg_dependencies stxdmcv:pg_mcv_list stxdexpr:_pg_statistic
12053 v pg_catalog.pg_stats schemaname:name tablename:name attname:name inherited:bool null_frac:float4 avg_width:int4 n_distinct:float4 most_common_vals:anyarray most_common_freqs:_float4 histogram_bounds:anyarray correlation:float4 most_common_elems:anyarray most_common_elem_freqs:_float4 elem_count_histogram:_float4
12058 v pg_catalog.pg_stats_ext schemaname:name tablename:name statistics_schemaname:name statistics_name:name statistics_owner:name attnames:_name exprs:_text kinds:_char inherited:bool n_distinct:pg_ndistinct dependencies:pg_dependencies most_common_vals:_text most_common_val_nulls:_bool most_common_freqs:_float8 most_common_base_freqs:_float8
12063 v pg_catalog.pg_stats_ext_exprs schemaname:name tablename:name statistics_schemaname:name statistics_name:name statistics_owner:name expr:text inherited:bool null_frac:float4 avg_width:int4 n_distinct:float4 most_common_vals:anyarray most_common_freqs:_float4 histogram_bounds:anyarray correlation:float4 most_common_elems:anyarray most_common_elem_freqs:_float4 elem_count_histogram:_float4
6100 r pg_catalog.pg_subscription oid:oid! subdbid:oid! subskiplsn:pg_lsn! subname:name! subowner:oid! subenabled:bool! subbinary:bool! substream:bool! subtwophasestate:char! subdisableonerr:bool! subconninfo:text! subslotname:name subsynccommit:text! subpublications:_text!
6102 r pg_catalog.pg_subscription_rel srsubid:oid! srrelid:oid! srsubstate:char! srsublsn:pg_lsn
12033 v pg_catalog.pg_tables schemaname:name tablename:name tableowner:name tablespace:name hasindexes:bool hasrules:bool hastriggers:bool rowsecurity:bool
1213 r pg_catalog.pg_tablespace oid:oid! spcname:name! spcowner:oid! spcacl:_aclitem spcoptions:_text
12122 v pg_catalog.pg_timezone_abbrevs abbrev:text utc_offset:interval is_dst:bool
12126 v pg_catalog.pg_timezone_names name:text abbrev:text utc_offset:interval is_dst:bool
3576 r pg_catalog.pg_transform oid:oid! trftype:oid! trflang:oid! trffromsql:regproc! trftosql:regproc!
2620 r pg_catalog.pg_trigger oid:oid! tgrelid:oid! tgparentid:oid! tgname:name! tgfoid:oid! tgtype:int2! tgenabled:char! tgisinternal:bool! tgconstrrelid:oid! tgconstrindid:oid! tgconstraint:oid! tgdeferrable:bool! tginitdeferred:bool! tgnargs:int2! tgattr:int2vector! tgargs:bytea! tgqual:pg_node_tree tgoldtable:name tgnewtable:name
3602 r pg_catalog.pg_ts_config oid:oid! cfgname:name! cfgnamespace:oid! cfgowner:oid! cfgparser:oid!
3603 r pg_catalog.pg_ts_config_map mapcfg:oid! maptokentype:int4! mapseqno:int4! mapdict:oid!
3600 r pg_catalog.pg_ts_dict oid:oid! dictname:name! dictnamespace:oid! dictowner:oid! dicttemplate:oid! dictinitoption:text
3601 r pg_catalog.pg_ts_parser oid:oid! prsname:name! prsnamespace:oid! prsstart:regproc! prstoken:regproc! prsend:regproc! prsheadline:regproc! prslextype:regproc!
3764 r pg_catalog.pg_ts_template oid:oid! tmplname:name! tmplnamespace:oid! tmplinit:regproc! tmpllexize:regproc!
1247 r pg_catalog.pg_type oid:oid! typname:name! typnamespace:oid! typowner:oid! typlen:int2! typbyval:bool! typtype:char! typcategory:char! typispreferred:bool! typisdefined:bool! typdelim:char! typrelid:oid! typsubscript:regproc! typelem:oid! typarray:oid! typinput:regproc! typoutput:regproc! typreceive:regproc! typsend:regproc! typmodin:regproc! typmodout:regproc! typanalyze:regproc! typalign:char! typstorage:char! typnotnull:bool! typbasetype:oid! typtypmod:int4! typndims:int4! typcollation:oid! typdefaultbin:pg_node_tree typdefault:text typacl:_aclitem
12014 v pg_catalog.pg_user usename:name usesysid:oid usecreatedb:bool usesuper:bool userepl:bool usebypassrls:bool passwd:text valuntil:timestamptz useconfig:_text
1418 r pg_catalog.pg_user_mapping oid:oid! umuser:oid! umserver:oid! umoptions:_text
12327 v pg_catalog.pg_user_mappings umid:oid srvid:oid srvname:name umuser:oid usename:name umoptions:_text
12028 v pg_catalog.pg_views schemaname:name viewname:name viewowner:name definition:text
13507 v information_schema._pg_foreign_data_wrappers oid:oid fdwowner:oid fdwoptions:_text foreign_data_wrapper_catalog:sql_identifier foreign_data_wrapper_name:sql_identifier authorization_identifier:sql_identifier foreign_data_wrapper_language:character_data
13519 v information_schema._pg_foreign_servers oid:oid srvoptions:_text foreign_server_catalog:sql_identifier foreign_server_name:sql_identifier foreign_data_wrapper_catalog:sql_identifier foreign_data_wrapper_name:sql_identifier foreign_server_type:character_data foreign_server_version:character_data authorization_identifier:sql_identifier
13498 v information_schema._pg_foreign_table_columns nspname:name relname:name attname:name attfdwoptions:_text
13532 v information_schema._pg_foreign_tables foreign_table_catalog:sql_identifier foreign_table_schema:sql_identifier foreign_table_name:sql_identifier ftoptions:_text foreign_server_catalog:sql_identifier foreign_server_name:sql_identifier authorization_identifier:sql_identifier
13545 v information_schema._pg_user_mappings oid:oid umoptions:_text umuser:oid authorization_identifier:sql_identifier foreign_server_catalog:sql_identifier foreign_server_name:sql_identifier srvowner:sql_identifier
13241 v information_schema.administrable_role_authorizations grantee:sql_identifier role_name:sql_identifier is_grantable:yes_or_no
13236 v information_schema.applicable_roles grantee:sql_identifier role_name:sql_identifier is_grantable:yes_or_no
13245 v information_schema.attributes udt_catalog:sql_identifier udt_schema:sql_identifier udt_name:sql_identifier attribute_name:sql_identifier ordinal_position:cardinal_number attribute_default:character_data is_nullable:yes_or_no data_type:character_data character_maximum_length:cardinal_number character_octet_length:cardinal_number character_set_catalog:sql_identifier character_set_schema:sql_identifier character_set_name:sql_identifier collation_catalog:sql_identifier collation_schema:sql_identifier collation_name:sql_identifier numeric_precision:cardinal_number numeric_precision_radix:cardinal_number numeric_scale:cardinal_number datetime_precision:cardinal_number interval_type:character_data interval_precision:cardinal_number attribute_udt_catalog:sql_identifier attribute_udt_schema:sql_identifier attribute_udt_name:sql_identifier scope_catalog:sql_identifier scope_schema:sql_identifier scope_name:sql_identifier maximum_cardinality:cardinal_number dtd_identifier:sql_identifier is_derived_reference_attribute:yes_or_no
13250 v information_schema.character_sets character_set_catalog:sql_identifier character_set_schema:sql_identifier character_set_name:sql_identifier character_repertoire:sql_identifier form_of_use:sql_identifier default_collate_catalog:sql_identifier default_collate_schema:sql_identifier default_collate_name:sql_identifier
13255 v information_schema.check_constraint_routine_usage constraint_catalog:sql_identifier constraint_schema:sql_identifier constraint_name:sql_identifier specific_catalog:sql_identifier specific_schema:sql_identifier specific_name:sql_identifier
13260 v information_schema.check_constraints constraint_catalog:sql_identifier constraint_schema:sql_identifier constraint_name:sql_identifier check_clause:character_data
13270 v information_schema.collation_character_set_applicability collation_catalog:sql_identifier collation_schema:sql_identifier collation_name:sql_identifier character_set_catalog:sql_identifier character_set_schema:sql_identifier character_set_name:sql_identifier
13265 v information_schema.collations collation_catalog:sql_identifier collation_schema:sql_identifier collation_name:sql_identifier pad_attribute:character_data
13275 v information_schema.column_column_usage table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier column_name:sql_identifier dependent_column:sql_identifier
13280 v information_schema.column_domain_usage domain_catalog:sql_identifier domain_schema:sql_identifier domain_name:sql_identifier table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier column_name:sql_identifier
13503 v information_schema.column_options table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier column_name:sql_identifier option_name:sql_identifier option_value:character_data
13285 v information_schema.column_privileges grantor:sql_identifier grantee:sql_identifier table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier column_name:sql_identifier privilege_type:character_data is_grantable:yes_or_no
13290 v information_schema.column_udt_usage udt_catalog:sql_identifier udt_schema:sql_identifier udt_name:sql_identifier table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier column_name:sql_identifier
13295 v information_schema.columns table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier column_name:sql_identifier ordinal_position:cardinal_number column_default:character_data is_nullable:yes_or_no data_type:character_data character_maximum_length:cardinal_number character_octet_length:cardinal_number numeric_precision:cardinal_number numeric_precision_radix:cardinal_number numeric_scale:cardinal_number datetime_precision:cardinal_number interval_type:character_data interval_precision:cardinal_number character_set_catalog:sql_identifier character_set_schema:sql_identifier character_set_name:sql_identifier collation_catalog:sql_identifier collation_schema:sql_identifier collation_name:sql_identifier domain_catalog:sql_identifier domain_schema:sql_identifier domain_name:sql_identifier udt_catalog:sql_identifier udt_schema:sql_identifier udt_name:sql_identifier scope_catalog:sql_identifier scope_schema:sql_identifier scope_name:sql_identifier maximum_cardinality:cardinal_number dtd_identifier:sql_identifier is_self_referencing:yes_or_no is_identity:yes_or_no identity_generation:character_data identity_start:character_data identity_increment:character_data identity_maximum:character_data identity_minimum:character_data identity_cycle:yes_or_no is_generated:character_data generation_expression:character_data is_updatable:yes_or_no
13300 v information_schema.constraint_column_usage table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier column_name:sql_identifier constraint_catalog:sql_identifier constraint_schema:sql_identifier constraint_name:sql_identifier
13305 v information_schema.constraint_table_usage table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier constraint_catalog:sql_identifier constraint_schema:sql_identifier constraint_name:sql_identifier
13488 v information_schema.data_type_privileges object_catalog:sql_identifier object_schema:sql_identifier object_name:sql_identifier object_type:character_data dtd_identifier:sql_identifier
13310 v information_schema.domain_constraints constraint_catalog:sql_identifier constraint_schema:sql_identifier constraint_name:sql_identifier domain_catalog:sql_identifier domain_schema:sql_identifier domain_name:sql_identifier is_deferrable:yes_or_no initially_deferred:yes_or_no
13315 v information_schema.domain_udt_usage udt_catalog:sql_identifier udt_schema:sql_identifier udt_name:sql_identifier domain_catalog:sql_identifier domain_schema:sql_identifier domain_name:sql_identifier
13320 v information_schema.domains domain_catalog:sql_identifier domain_schema:sql_identifier domain_name:sql_identifier data_type:character_data character_maximum_length:cardinal_number character_octet_length:cardinal_number character_set_catalog:sql_identifier character_set_schema:sql_identifier character_set_name:sql_identifier collation_catalog:sql_identifier collation_schema:sql_identifier collation_name:sql_identifier numeric_precision:cardinal_number numeric_precision_radix:cardinal_number numeric_scale:cardinal_number datetime_precision:cardinal_number interval_type:character_data interval_precision:cardinal_number domain_default:character_data udt_catalog:sql_identifier udt_schema:sql_identifier udt_name:sql_identifier scope_catalog:sql_identifier scope_schema:sql_identifier scope_name:sql_identifier maximum_cardinality:cardinal_number dtd_identifier:sql_identifier
13493 v information_schema.element_types object_catalog:sql_identifier object_schema:sql_identifier object_name:sql_identifier object_type:character_data collection_type_identifier:sql_identifier data_type:character_data character_maximum_length:cardinal_number character_octet_length:cardinal_number character_set_catalog:sql_identifier character_set_schema:sql_identifier character_set_name:sql_identifier collation_catalog:sql_identifier collation_schema:sql_identifier collation_name:sql_identifier numeric_precision:cardinal_number numeric_precision_radix:cardinal_number numeric_scale:cardinal_number datetime_precision:cardinal_number interval_type:character_data interval_precision:cardinal_number domain_default:character_data udt_catalog:sql_identifier udt_schema:sql_identifier udt_name:sql_identifier scope_catalog:sql_identifier scope_schema:sql_identifier scope_name:sql_identifier maximum_cardinality:cardinal_number dtd_identifier:sql_identifier
13325 v information_schema.enabled_roles role_name:sql_identifier
13511 v information_schema.foreign_data_wrapper_options foreign_data_wrapper_catalog:sql_identifier foreign_data_wrapper_name:sql_identifier option_name:sql_identifier option_value:character_data
13515 v information_schema.foreign_data_wrappers foreign_data_wrapper_catalog:sql_identifier foreign_data_wrapper_name:sql_identifier authorization_identifier:sql_identifier library_name:character_data foreign_data_wrapper_language:character_data
13524 v information_schema.foreign_server_options foreign_server_catalog:sql_identifier foreign_server_name:sql_identifier option_name:sql_identifier option_value:character_data
13528 v information_schema.foreign_servers foreign_server_catalog:sql_identifier foreign_server_name:sql_identifier foreign_data_wrapper_catalog:sql_identifier foreign_data_wrapper_name:sql_identifier foreign_server_type:character_data foreign_server_version:character_data authorization_identifier:sql_identifier
13537 v information_schema.foreign_table_options foreign_table_catalog:sql_identifier foreign_table_schema:sql_identifier foreign_table_name:sql_identifier option_name:sql_identifier option_value:character_data
13541 v information_schema.foreign_tables foreign_table_catalog:sql_identifier foreign_table_schema:sql_identifier foreign_table_name:sql_identifier foreign_server_catalog:sql_identifier foreign_server_name:sql_identifier
13227 v information_schema.information_schema_catalog_name catalog_name:sql_identifier
13329 v information_schema.key_column_usage constraint_catalog:sql_identifier constraint_schema:sql_identifier constraint_name:sql_identifier table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier column_name:sql_identifier ordinal_position:cardinal_number position_in_unique_constraint:cardinal_number
13334 v information_schema.parameters specific_catalog:sql_identifier specific_schema:sql_identifier specific_name:sql_identifier ordinal_position:cardinal_number parameter_mode:character_data is_result:yes_or_no as_locator:yes_or_no parameter_name:sql_identifier data_type:character_data character_maximum_length:cardinal_number character_octet_length:cardinal_number character_set_catalog:sql_identifier character_set_schema:sql_identifier character_set_name:sql_identifier collation_catalog:sql_identifier collation_schema:sql_identifier collation_name:sql_identifier numeric_precision:cardinal_number numeric_precision_radix:cardinal_number numeric_scale:cardinal_number datetime_precision:cardinal_number interval_type:character_data interval_precision:cardinal_number udt_catalog:sql_identifier udt_schema:sql_identifier udt_name:sql_identifier scope_catalog:sql_identifier scope_schema:sql_identifier scope_name:sql_identifier maximum_cardinality:cardinal_number dtd_identifier:sql_identifier parameter_default:character_data
13339 v information_schema.referential_constraints constraint_catalog:sql_identifier constraint_schema:sql_identifier constraint_name:sql_identifier unique_constraint_catalog:sql_identifier unique_constraint_schema:sql_identifier unique_constraint_name:sql_identifier match_option:character_data update_rule:character_data delete_rule:character_data
13344 v information_schema.role_column_grants grantor:sql_identifier grantee:sql_identifier table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier column_name:sql_identifier privilege_type:character_data is_grantable:yes_or_no
13358 v information_schema.role_routine_grants grantor:sql_identifier grantee:sql_identifier specific_catalog:sql_identifier specific_schema:sql_identifier specific_name:sql_identifier routine_catalog:sql_identifier routine_schema:sql_identifier routine_name:sql_identifier privilege_type:character_data is_grantable:yes_or_no
13421 v information_schema.role_table_grants grantor:sql_identifier grantee:sql_identifier table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier privilege_type:character_data is_grantable:yes_or_no with_hierarchy:yes_or_no
13450 v information_schema.role_udt_grants grantor:sql_identifier grantee:sql_identifier udt_catalog:sql_identifier udt_schema:sql_identifier udt_name:sql_identifier privilege_type:character_data is_grantable:yes_or_no
13459 v information_schema.role_usage_grants grantor:sql_identifier grantee:sql_identifier object_catalog:sql_identifier object_schema:sql_identifier object_name:sql_identifier object_type:character_data privilege_type:character_data is_grantable:yes_or_no
13348 v information_schema.routine_column_usage specific_catalog:sql_identifier specific_schema:sql_identifier specific_name:sql_identifier routine_catalog:sql_identifier routine_schema:sql_identifier routine_name:sql_identifier table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier column_name:sql_identifier
13353 v information_schema.routine_privileges grantor:sql_identifier grantee:sql_identifier specific_catalog:sql_identifier specific_schema:sql_identifier specific_name:sql_identifier routine_catalog:sql_identifier routine_schema:sql_identifier routine_name:sql_identifier privilege_type:character_data is_grantable:yes_or_no
13362 v information_schema.routine_routine_usage specific_catalog:sql_identifier specific_schema:sql_identifier specific_name:sql_identifier routine_catalog:sql_identifier routine_schema:sql_identifier routine_name:sql_identifier
13367 v information_schema.routine_sequence_usage specific_catalog:sql_identifier specific_schema:sql_identifier specific_name:sql_identifier routine_catalog:sql_identifier routine_schema:sql_identifier routine_name:sql_identifier sequence_catalog:sql_identifier sequence_schema:sql_identifier sequence_name:sql_identifier
13372 v information_schema.routine_table_usage specific_catalog:sql_identifier specific_schema:sql_identifier specific_name:sql_identifier routine_catalog:sql_identifier routine_schema:sql_identifier routine_name:sql_identifier table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier
13377 v information_schema.routines specific_catalog:sql_identifier specific_schema:sql_identifier specific_name:sql_identifier routine_catalog:sql_identifier routine_schema:sql_identifier routine_name:sql_identifier routine_type:character_data module_catalog:sql_identifier module_schema:sql_identifier module_name:sql_identifier udt_catalog:sql_identifier udt_schema:sql_identifier udt_name:sql_identifier data_type:character_data character_maximum_length:cardinal_number character_octet_length:cardinal_number character_set_catalog:sql_identifier character_set_schema:sql_identifier character_set_name:sql_identifier collation_catalog:sql_identifier collation_schema:sql_identifier collation_name:sql_identifier numeric_precision:cardinal_number numeric_precision_radix:cardinal_number numeric_scale:cardinal_number datetime_precision:cardinal_number interval_type:character_data interval_precision:cardinal_number type_udt_catalog:sql_identifier type_udt_schema:sql_identifier type_udt_name:sql_identifier scope_catalog:sql_identifier scope_schema:sql_identifier scope_name:sql_identifier maximum_cardinality:cardinal_number dtd_identifier:sql_identifier routine_body:character_data routine_definition:character_data external_name:character_data external_language:character_data parameter_style:character_data is_deterministic:yes_or_no sql_data_access:character_data is_null_call:yes_or_no sql_path:character_data schema_level_routine:yes_or_no max_dynamic_result_sets:cardinal_number is_user_defined_cast:yes_or_no is_implicitly_invocable:yes_or_no security_type:character_data to_sql_specific_catalog:sql_identifier to_sql_specific_schema:sql_identifier to_sql_specific_name:sql_identifier as_locator:yes_or_no created:time_stamp last_altered:time_stamp new_savepoint_level:yes_or_no is_udt_dependent:yes_or_no result_cast_from_data_type:character_data result_cast_as_locator:yes_or_no result_cast_char_max_length:cardinal_number result_cast_char_octet_length:cardinal_number result_cast_char_set_catalog:sql_identifier result_cast_char_set_schema:sql_identifier result_cast_char_set_name:sql_identifier result_cast_collation_catalog:sql_identifier result_cast_collation_schema:sql_identifier result_cast_collation_name:sql_identifier result_cast_numeric_precision:cardinal_number result_cast_numeric_precision_radix:cardinal_number result_cast_numeric_scale:cardinal_number result_cast_datetime_precision:cardinal_number result_cast_interval_type:character_data result_cast_interval_precision:cardinal_number result_cast_type_udt_catalog:sql_identifier result_cast_type_udt_schema:sql_identifier result_cast_type_udt_name:sql_identifier result_cast_scope_catalog:sql_identifier result_cast_scope_schema:sql_identifier result_cast_scope_name:sql_identifier result_cast_maximum_cardinality:cardinal_number result_cast_dtd_identifier:sql_identifier
13382 v information_schema.schemata catalog_name:sql_identifier schema_name:sql_identifier schema_owner:sql_identifier default_character_set_catalog:sql_identifier default_character_set_schema:sql_identifier default_character_set_name:sql_identifier sql_path:character_data
13386 v information_schema.sequences sequence_catalog:sql_identifier sequence_schema:sql_identifier sequence_name:sql_identifier data_type:character_data numeric_precision:cardinal_number numeric_precision_radix:cardinal_number numeric_scale:cardinal_number start_value:character_data minimum_value:character_data maximum_value:character_data increment:character_data cycle_option:yes_or_no
13391 r information_schema.sql_features feature_id:character_data feature_name:character_data sub_feature_id:character_data sub_feature_name:character_data is_supported:yes_or_no is_verified_by:character_data comments:character_data
13396 r information_schema.sql_implementation_info implementation_info_id:character_data implementation_info_name:character_data integer_value:cardinal_number character_value:character_data comments:character_data
13401 r information_schema.sql_parts feature_id:character_data feature_name:character_data is_supported:yes_or_no is_verified_by:character_data comments:character_data
13406 r information_schema.sql_sizing sizing_id:cardinal_number sizing_name:character_data supported_value:cardinal_number comments:character_data
13411 v information_schema.table_constraints constraint_catalog:sql_identifier constraint_schema:sql_identifier constraint_name:sql_identifier table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier constraint_type:character_data is_deferrable:yes_or_no initially_deferred:yes_or_no enforced:yes_or_no nulls_distinct:yes_or_no
13416 v information_schema.table_privileges grantor:sql_identifier grantee:sql_identifier table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier privilege_type:character_data is_grantable:yes_or_no with_hierarchy:yes_or_no
13425 v information_schema.tables table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier table_type:character_data self_referencing_column_name:sql_identifier reference_generation:character_data user_defined_type_catalog:sql_identifier user_defined_type_schema:sql_identifier user_defined_type_name:sql_identifier is_insertable_into:yes_or_no is_typed:yes_or_no commit_action:character_data
13430 v information_schema.transforms udt_catalog:sql_identifier udt_schema:sql_identifier udt_name:sql_identifier specific_catalog:sql_identifier specific_schema:sql_identifier specific_name:sql_identifier group_name:sql_identifier transform_type:character_data
13435 v information_schema.triggered_update_columns trigger_catalog:sql_identifier trigger_schema:sql_identifier trigger_name:sql_identifier event_object_catalog:sql_identifier event_object_schema:sql_identifier event_object_table:sql_identifier event_object_column:sql_identifier
13440 v information_schema.triggers trigger_catalog:sql_identifier trigger_schema:sql_identifier trigger_name:sql_identifier event_manipulation:character_data event_object_catalog:sql_identifier event_object_schema:sql_identifier event_object_table:sql_identifier action_order:cardinal_number action_condition:character_data action_statement:character_data action_orientation:character_data action_timing:character_data action_reference_old_table:sql_identifier action_reference_new_table:sql_identifier action_reference_old_row:sql_identifier action_reference_new_row:sql_identifier created:time_stamp
13445 v information_schema.udt_privileges grantor:sql_identifier grantee:sql_identifier udt_catalog:sql_identifier udt_schema:sql_identifier udt_name:sql_identifier privilege_type:character_data is_grantable:yes_or_no
13454 v information_schema.usage_privileges grantor:sql_identifier grantee:sql_identifier object_catalog:sql_identifier object_schema:sql_identifier object_name:sql_identifier object_type:character_data privilege_type:character_data is_grantable:yes_or_no
13463 v information_schema.user_defined_types user_defined_type_catalog:sql_identifier user_defined_type_schema:sql_identifier user_defined_type_name:sql_identifier user_defined_type_category:character_data is_instantiable:yes_or_no is_final:yes_or_no ordering_form:character_data ordering_category:character_data ordering_routine_catalog:sql_identifier ordering_routine_schema:sql_identifier ordering_routine_name:sql_identifier reference_type:character_data data_type:character_data character_maximum_length:cardinal_number character_octet_length:cardinal_number character_set_catalog:sql_identifier character_set_schema:sql_identifier character_set_name:sql_identifier collation_catalog:sql_identifier collation_schema:sql_identifier collation_name:sql_identifier numeric_precision:cardinal_number numeric_precision_radix:cardinal_number numeric_scale:cardinal_number datetime_precision:cardinal_number interval_type:character_data interval_precision:cardinal_number source_dtd_identifier:sql_identifier ref_dtd_identifier:sql_identifier
13550 v information_schema.user_mapping_options authorization_identifier:sql_identifier foreign_server_catalog:sql_identifier foreign_server_name:sql_identifier option_name:sql_identifier option_value:character_data
13555 v information_schema.user_mappings authorization_identifier:sql_identifier foreign_server_catalog:sql_identifier foreign_server_name:sql_identifier
13468 v information_schema.view_column_usage view_catalog:sql_identifier view_schema:sql_identifier view_name:sql_identifier table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier column_name:sql_identifier
13473 v information_schema.view_routine_usage table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier specific_catalog:sql_identifier specific_schema:sql_identifier specific_name:sql_identifier
13478 v information_schema.view_table_usage view_catalog:sql_identifier view_schema:sql_identifier view_name:sql_identifier table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier
13483 v information_schema.views table_catalog:sql_identifier table_schema:sql_identifier table_name:sql_identifier view_definition:character_data check_option:character_data is_updatable:yes_or_no is_insertable_into:yes_or_no is_trigger_updatable:yes_or_no is_trigger_deletable:yes_or_no is_trigger_insertable_into:yes_or_no
"""
"""oid, kind, schema.name, then name:type of each column; ! is not null."""

TYPES = r"""
16	pg_catalog	bool	1	t	b	B	t	,	-	0	1000	boolin	boolout	boolrecv	boolsend	-	-	-	c	p	0	-1	0	boolean	\N
17	pg_catalog	bytea	-1	f	b	U	f	,	-	0	1001	byteain	byteaout	bytearecv	byteasend	-	-	-	i	x	0	-1	0	bytea	\N
18	pg_catalog	char	1	t	b	Z	f	,	-	0	1002	charin	charout	charrecv	charsend	-	-	-	c	p	0	-1	0	"char"	\N
19	pg_catalog	name	64	f	b	S	f	,	raw_array_subscript_handler	18	1003	namein	nameout	namerecv	namesend	-	-	-	c	p	0	-1	950	name	\N
20	pg_catalog	int8	8	t	b	N	f	,	-	0	1016	int8in	int8out	int8recv	int8send	-	-	-	d	p	0	-1	0	bigint	\N
21	pg_catalog	int2	2	t	b	N	f	,	-	0	1005	int2in	int2out	int2recv	int2send	-	-	-	s	p	0	-1	0	smallint	\N
22	pg_catalog	int2vector	-1	f	b	A	f	,	array_subscript_handler	21	1006	int2vectorin	int2vectorout	int2vectorrecv	int2vectorsend	-	-	-	i	p	0	-1	0	int2vector	\N
23	pg_catalog	int4	4	t	b	N	f	,	-	0	1007	int4in	int4out	int4recv	int4send	-	-	-	i	p	0	-1	0	integer	\N
24	pg_catalog	regproc	4	t	b	N	f	,	-	0	1008	regprocin	regprocout	regprocrecv	regprocsend	-	-	-	i	p	0	-1	0	regproc	\N
25	pg_catalog	text	-1	f	b	S	t	,	-	0	1009	textin	textout	textrecv	textsend	-	-	-	i	x	0	-1	100	text	\N
26	pg_catalog	oid	4	t	b	N	t	,	-	0	1028	oidin	oidout	oidrecv	oidsend	-	-	-	i	p	0	-1	0	oid	\N
27	pg_catalog	tid	6	f	b	U	f	,	-	0	1010	tidin	tidout	tidrecv	tidsend	-	-	-	s	p	0	-1	0	tid	\N
28	pg_catalog	xid	4	t	b	U	f	,	-	0	1011	xidin	xidout	xidrecv	xidsend	-	-	-	i	p	0	-1	0	xid	\N
29	pg_catalog	cid	4	t	b	U	f	,	-	0	1012	cidin	cidout	cidrecv	cidsend	-	-	-	i	p	0	-1	0	cid	\N
30	pg_catalog	oidvector	-1	f	b	A	f	,	array_subscript_handler	26	1013	oidvectorin	oidvectorout	oidvectorrecv	oidvectorsend	-	-	-	i	p	0	-1	0	oidvector	\N
32	pg_catalog	pg_ddl_command	8	t	p	P	f	,	-	0	0	pg_ddl_command_in	pg_ddl_command_out	pg_ddl_command_recv	pg_ddl_command_send	-	-	-	d	p	0	-1	0	pg_ddl_command	\N
114	pg_catalog	json	-1	f	b	U	f	,	-	0	199	json_in	json_out	json_recv	json_send	-	-	-	i	x	0	-1	0	json	\N
142	pg_catalog	xml	-1	f	b	U	f	,	-	0	143	xml_in	xml_out	xml_recv	xml_send	-	-	-	i	x	0	-1	0	xml	\N
143	pg_catalog	_xml	-1	f	b	A	f	,	array_subscript_handler	142	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	xml[]	\N
194	pg_catalog	pg_node_tree	-1	f	b	Z	f	,	-	0	0	pg_node_tree_in	pg_node_tree_out	pg_node_tree_recv	pg_node_tree_send	-	-	-	i	x	0	-1	100	pg_node_tree	\N
199	pg_catalog	_json	-1	f	b	A	f	,	array_subscript_handler	114	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	json[]	\N
269	pg_catalog	table_am_handler	4	t	p	P	f	,	-	0	0	table_am_handler_in	table_am_handler_out	-	-	-	-	-	i	p	0	-1	0	table_am_handler	\N
271	pg_catalog	_xid8	-1	f	b	A	f	,	array_subscript_handler	5069	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	xid8[]	\N
325	pg_catalog	index_am_handler	4	t	p	P	f	,	-	0	0	index_am_handler_in	index_am_handler_out	-	-	-	-	-	i	p	0	-1	0	index_am_handler	\N
600	pg_catalog	point	16	f	b	G	f	,	raw_array_subscript_handler	701	1017	point_in	point_out	point_recv	point_send	-	-	-	d	p	0	-1	0	point	\N
601	pg_catalog	lseg	32	f	b	G	f	,	raw_array_subscript_handler	600	1018	lseg_in	lseg_out	lseg_recv	lseg_send	-	-	-	d	p	0	-1	0	lseg	\N
602	pg_catalog	path	-1	f	b	G	f	,	-	0	1019	path_in	path_out	path_recv	path_send	-	-	-	d	x	0	-1	0	path	\N
603	pg_catalog	box	32	f	b	G	f	;	raw_array_subscript_handler	600	1020	box_in	box_out	box_recv	box_send	-	-	-	d	p	0	-1	0	box	\N
604	pg_catalog	polygon	-1	f	b	G	f	,	-	0	1027	poly_in	poly_out	poly_recv	poly_send	-	-	-	d	x	0	-1	0	polygon	\N
628	pg_catalog	line	24	f	b	G	f	,	raw_array_subscript_handler	701	629	line_in	line_out	line_recv	line_send	-	-	-	d	p	0	-1	0	line	\N
629	pg_catalog	_line	-1	f	b	A	f	,	array_subscript_handler	628	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	line[]	\N
650	pg_catalog	cidr	-1	f	b	I	f	,	-	0	651	cidr_in	cidr_out	cidr_recv	cidr_send	-	-	-	i	m	0	-1	0	cidr	\N
651	pg_catalog	_cidr	-1	f	b	A	f	,	array_subscript_handler	650	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	cidr[]	\N
700	pg_catalog	float4	4	t	b	N	f	,	-	0	1021	float4in	float4out	float4recv	float4send	-	-	-	i	p	0	-1	0	real	\N
701	pg_catalog	float8	8	t	b	N	t	,	-	0	1022	float8in	float8out	float8recv	float8send	-	-	-	d	p	0	-1	0	double precision	\N
705	pg_catalog	unknown	-2	f	p	X	f	,	-	0	0	unknownin	unknownout	unknownrecv	unknownsend	-	-	-	c	p	0	-1	0	unknown	\N
718	pg_catalog	circle	24	f	b	G	f	,	-	0	719	circle_in	circle_out	circle_recv	circle_send	-	-	-	d	p	0	-1	0	circle	\N
719	pg_catalog	_circle	-1	f	b	A	f	,	array_subscript_handler	718	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	circle[]	\N
774	pg_catalog	macaddr8	8	f	b	U	f	,	-	0	775	macaddr8_in	macaddr8_out	macaddr8_recv	macaddr8_send	-	-	-	i	p	0	-1	0	macaddr8	\N
775	pg_catalog	_macaddr8	-1	f	b	A	f	,	array_subscript_handler	774	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	macaddr8[]	\N
790	pg_catalog	money	8	t	b	N	f	,	-	0	791	cash_in	cash_out	cash_recv	cash_send	-	-	-	d	p	0	-1	0	money	\N
791	pg_catalog	_money	-1	f	b	A	f	,	array_subscript_handler	790	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	money[]	\N
829	pg_catalog	macaddr	6	f	b	U	f	,	-	0	1040	macaddr_in	macaddr_out	macaddr_recv	macaddr_send	-	-	-	i	p	0	-1	0	macaddr	\N
869	pg_catalog	inet	-1	f	b	I	t	,	-	0	1041	inet_in	inet_out	inet_recv	inet_send	-	-	-	i	m	0	-1	0	inet	\N
1000	pg_catalog	_bool	-1	f	b	A	f	,	array_subscript_handler	16	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	boolean[]	\N
1001	pg_catalog	_bytea	-1	f	b	A	f	,	array_subscript_handler	17	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	bytea[]	\N
1002	pg_catalog	_char	-1	f	b	A	f	,	array_subscript_handler	18	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	"char"[]	\N
1003	pg_catalog	_name	-1	f	b	A	f	,	array_subscript_handler	19	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	950	name[]	\N
1005	pg_catalog	_int2	-1	f	b	A	f	,	array_subscript_handler	21	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	smallint[]	\N
1006	pg_catalog	_int2vector	-1	f	b	A	f	,	array_subscript_handler	22	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	int2vector[]	\N
1007	pg_catalog	_int4	-1	f	b	A	f	,	array_subscript_handler	23	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	integer[]	\N
1008	pg_catalog	_regproc	-1	f	b	A	f	,	array_subscript_handler	24	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	regproc[]	\N
1009	pg_catalog	_text	-1	f	b	A	f	,	array_subscript_handler	25	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	100	text[]	\N
1010	pg_catalog	_tid	-1	f	b	A	f	,	array_subscript_handler	27	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	tid[]	\N
1011	pg_catalog	_xid	-1	f	b	A	f	,	array_subscript_handler	28	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	xid[]	\N
1012	pg_catalog	_cid	-1	f	b	A	f	,	array_subscript_handler	29	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	cid[]	\N
1013	pg_catalog	_oidvector	-1	f	b	A	f	,	array_subscript_handler	30	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	oidvector[]	\N
1014	pg_catalog	_bpchar	-1	f	b	A	f	,	array_subscript_handler	1042	0	array_in	array_out	array_recv	array_send	bpchartypmodin	bpchartypmodout	array_typanalyze	i	x	0	-1	100	character[]	\N
1015	pg_catalog	_varchar	-1	f	b	A	f	,	array_subscript_handler	1043	0	array_in	array_out	array_recv	array_send	varchartypmodin	varchartypmodout	array_typanalyze	i	x	0	-1	100	character varying[]	\N
1016	pg_catalog	_int8	-1	f	b	A	f	,	array_subscript_handler	20	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	bigint[]	\N
1017	pg_catalog	_point	-1	f	b	A	f	,	array_subscript_handler	600	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	point[]	\N
1018	pg_catalog	_lseg	-1	f	b	A	f	,	array_subscript_handler	601	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	lseg[]	\N
1019	pg_catalog	_path	-1	f	b	A	f	,	array_subscript_handler	602	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	path[]	\N
1020	pg_catalog	_box	-1	f	b	A	f	;	array_subscript_handler	603	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	box[]	\N
1021	pg_catalog	_float4	-1	f	b	A	f	,	array_subscript_handler	700	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	real[]	\N
1022	pg_catalog	_float8	-1	f	b	A	f	,	array_subscript_handler	701	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	double precision[]	\N
1027	pg_catalog	_polygon	-1	f	b	A	f	,	array_subscript_handler	604	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	polygon[]	\N
1028	pg_catalog	_oid	-1	f	b	A	f	,	array_subscript_handler	26	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	oid[]	\N
1033	pg_catalog	aclitem	12	f	b	U	f	,	-	0	1034	aclitemin	aclitemout	-	-	-	-	-	i	p	0	-1	0	aclitem	\N
1034	pg_catalog	_aclitem	-1	f	b	A	f	,	array_subscript_handler	1033	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	aclitem[]	\N
1040	pg_catalog	_macaddr	-1	f	b	A	f	,	array_subscript_handler	829	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	macaddr[]	\N
1041	pg_catalog	_inet	-1	f	b	A	f	,	array_subscript_handler	869	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	inet[]	\N
1042	pg_catalog	bpchar	-1	f	b	S	f	,	-	0	1014	bpcharin	bpcharout	bpcharrecv	bpcharsend	bpchartypmodin	bpchartypmodout	-	i	x	0	-1	100	character	\N
1043	pg_catalog	varchar	-1	f	b	S	f	,	-	0	1015	varcharin	varcharout	varcharrecv	varcharsend	varchartypmodin	varchartypmodout	-	i	x	0	-1	100	character varying	\N
1082	pg_catalog	date	4	t	b	D	f	,	-	0	1182	date_in	date_out	date_recv	date_send	-	-	-	i	p	0	-1	0	date	\N
1083	pg_catalog	time	8	t	b	D	f	,	-	0	1183	time_in	time_out	time_recv	time_send	timetypmodin	timetypmodout	-	d	p	0	-1	0	time without time zone	\N
1114	pg_catalog	timestamp	8	t	b	D	f	,	-	0	1115	timestamp_in	timestamp_out	timestamp_recv	timestamp_send	timestamptypmodin	timestamptypmodout	-	d	p	0	-1	0	timestamp without time zone	\N
1115	pg_catalog	_timestamp	-1	f	b	A	f	,	array_subscript_handler	1114	0	array_in	array_out	array_recv	array_send	timestamptypmodin	timestamptypmodout	array_typanalyze	d	x	0	-1	0	timestamp without time zone[]	\N
1182	pg_catalog	_date	-1	f	b	A	f	,	array_subscript_handler	1082	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	date[]	\N
1183	pg_catalog	_time	-1	f	b	A	f	,	array_subscript_handler	1083	0	array_in	array_out	array_recv	array_send	timetypmodin	timetypmodout	array_typanalyze	d	x	0	-1	0	time without time zone[]	\N
1184	pg_catalog	timestamptz	8	t	b	D	t	,	-	0	1185	timestamptz_in	timestamptz_out	timestamptz_recv	timestamptz_send	timestamptztypmodin	timestamptztypmodout	-	d	p	0	-1	0	timestamp with time zone	\N
1185	pg_catalog	_timestamptz	-1	f	b	A	f	,	array_subscript_handler	1184	0	array_in	array_out	array_recv	array_send	timestamptztypmodin	timestamptztypmodout	array_typanalyze	d	x	0	-1	0	timestamp with time zone[]	\N
1186	pg_catalog	interval	16	f	b	T	t	,	-	0	1187	interval_in	interval_out	interval_recv	interval_send	intervaltypmodin	intervaltypmodout	-	d	p	0	-1	0	interval	\N
1187	pg_catalog	_interval	-1	f	b	A	f	,	array_subscript_handler	1186	0	array_in	array_out	array_recv	array_send	intervaltypmodin	intervaltypmodout	array_typanalyze	d	x	0	-1	0	interval[]	\N
1231	pg_catalog	_numeric	-1	f	b	A	f	,	array_subscript_handler	1700	0	array_in	array_out	array_recv	array_send	numerictypmodin	numerictypmodout	array_typanalyze	i	x	0	-1	0	numeric[]	\N
1263	pg_catalog	_cstring	-1	f	b	A	f	,	array_subscript_handler	2275	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	cstring[]	\N
1266	pg_catalog	timetz	12	f	b	D	f	,	-	0	1270	timetz_in	timetz_out	timetz_recv	timetz_send	timetztypmodin	timetztypmodout	-	d	p	0	-1	0	time with time zone	\N
1270	pg_catalog	_timetz	-1	f	b	A	f	,	array_subscript_handler	1266	0	array_in	array_out	array_recv	array_send	timetztypmodin	timetztypmodout	array_typanalyze	d	x	0	-1	0	time with time zone[]	\N
1560	pg_catalog	bit	-1	f	b	V	f	,	-	0	1561	bit_in	bit_out	bit_recv	bit_send	bittypmodin	bittypmodout	-	i	x	0	-1	0	bit	\N
1561	pg_catalog	_bit	-1	f	b	A	f	,	array_subscript_handler	1560	0	array_in	array_out	array_recv	array_send	bittypmodin	bittypmodout	array_typanalyze	i	x	0	-1	0	bit[]	\N
1562	pg_catalog	varbit	-1	f	b	V	t	,	-	0	1563	varbit_in	varbit_out	varbit_recv	varbit_send	varbittypmodin	varbittypmodout	-	i	x	0	-1	0	bit varying	\N
1563	pg_catalog	_varbit	-1	f	b	A	f	,	array_subscript_handler	1562	0	array_in	array_out	array_recv	array_send	varbittypmodin	varbittypmodout	array_typanalyze	i	x	0	-1	0	bit varying[]	\N
1700	pg_catalog	numeric	-1	f	b	N	f	,	-	0	1231	numeric_in	numeric_out	numeric_recv	numeric_send	numerictypmodin	numerictypmodout	-	i	m	0	-1	0	numeric	\N
1790	pg_catalog	refcursor	-1	f	b	U	f	,	-	0	2201	textin	textout	textrecv	textsend	-	-	-	i	x	0	-1	0	refcursor	\N
2201	pg_catalog	_refcursor	-1	f	b	A	f	,	array_subscript_handler	1790	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	refcursor[]	\N
2202	pg_catalog	regprocedure	4	t	b	N	f	,	-	0	2207	regprocedurein	regprocedureout	regprocedurerecv	regproceduresend	-	-	-	i	p	0	-1	0	regprocedure	\N
2203	pg_catalog	regoper	4	t	b	N	f	,	-	0	2208	regoperin	regoperout	regoperrecv	regopersend	-	-	-	i	p	0	-1	0	regoper	\N
2204	pg_catalog	regoperator	4	t	b	N	f	,	-	0	2209	regoperatorin	regoperatorout	regoperatorrecv	regoperatorsend	-	-	-	i	p	0	-1	0	regoperator	\N
2205	pg_catalog	regclass	4	t	b	N	f	,	-	0	2210	regclassin	regclassout	regclassrecv	regclasssend	-	-	-	i	p	0	-1	0	regclass	\N
2206	pg_catalog	regtype	4	t	b	N	f	,	-	0	2211	regtypein	regtypeout	regtyperecv	regtypesend	-	-	-	i	p	0	-1	0	regtype	\N
2207	pg_catalog	_regprocedure	-1	f	b	A	f	,	array_subscript_handler	2202	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	regprocedure[]	\N
2208	pg_catalog	_regoper	-1	f	b	A	f	,	array_subscript_handler	2203	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	regoper[]	\N
2209	pg_catalog	_regoperator	-1	f	b	A	f	,	array_subscript_handler	2204	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	regoperator[]	\N
2210	pg_catalog	_regclass	-1	f	b	A	f	,	array_subscript_handler	2205	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	regclass[]	\N
2211	pg_catalog	_regtype	-1	f	b	A	f	,	array_subscript_handler	2206	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	regtype[]	\N
2249	pg_catalog	record	-1	f	p	P	f	,	-	0	2287	record_in	record_out	record_recv	record_send	-	-	-	d	x	0	-1	0	record	\N
2275	pg_catalog	cstring	-2	f	p	P	f	,	-	0	1263	cstring_in	cstring_out	cstring_recv	cstring_send	-	-	-	c	p	0	-1	0	cstring	\N
2276	pg_catalog	any	4	t	p	P	f	,	-	0	0	any_in	any_out	-	-	-	-	-	i	p	0	-1	0	"any"	\N
2277	pg_catalog	anyarray	-1	f	p	P	f	,	-	0	0	anyarray_in	anyarray_out	anyarray_recv	anyarray_send	-	-	-	d	x	0	-1	0	anyarray	\N
2278	pg_catalog	void	4	t	p	P	f	,	-	0	0	void_in	void_out	void_recv	void_send	-	-	-	i	p	0	-1	0	void	\N
2279	pg_catalog	trigger	4	t	p	P	f	,	-	0	0	trigger_in	trigger_out	-	-	-	-	-	i	p	0	-1	0	trigger	\N
2280	pg_catalog	language_handler	4	t	p	P	f	,	-	0	0	language_handler_in	language_handler_out	-	-	-	-	-	i	p	0	-1	0	language_handler	\N
2281	pg_catalog	internal	8	t	p	P	f	,	-	0	0	internal_in	internal_out	-	-	-	-	-	d	p	0	-1	0	internal	\N
2283	pg_catalog	anyelement	4	t	p	P	f	,	-	0	0	anyelement_in	anyelement_out	-	-	-	-	-	i	p	0	-1	0	anyelement	\N
2287	pg_catalog	_record	-1	f	p	P	f	,	array_subscript_handler	2249	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	record[]	\N
2776	pg_catalog	anynonarray	4	t	p	P	f	,	-	0	0	anynonarray_in	anynonarray_out	-	-	-	-	-	i	p	0	-1	0	anynonarray	\N
2949	pg_catalog	_txid_snapshot	-1	f	b	A	f	,	array_subscript_handler	2970	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	txid_snapshot[]	\N
2950	pg_catalog	uuid	16	f	b	U	f	,	-	0	2951	uuid_in	uuid_out	uuid_recv	uuid_send	-	-	-	c	p	0	-1	0	uuid	\N
2951	pg_catalog	_uuid	-1	f	b	A	f	,	array_subscript_handler	2950	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	uuid[]	\N
2970	pg_catalog	txid_snapshot	-1	f	b	U	f	,	-	0	2949	txid_snapshot_in	txid_snapshot_out	txid_snapshot_recv	txid_snapshot_send	-	-	-	d	x	0	-1	0	txid_snapshot	\N
3115	pg_catalog	fdw_handler	4	t	p	P	f	,	-	0	0	fdw_handler_in	fdw_handler_out	-	-	-	-	-	i	p	0	-1	0	fdw_handler	\N
3220	pg_catalog	pg_lsn	8	t	b	U	f	,	-	0	3221	pg_lsn_in	pg_lsn_out	pg_lsn_recv	pg_lsn_send	-	-	-	d	p	0	-1	0	pg_lsn	\N
3221	pg_catalog	_pg_lsn	-1	f	b	A	f	,	array_subscript_handler	3220	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	pg_lsn[]	\N
3310	pg_catalog	tsm_handler	4	t	p	P	f	,	-	0	0	tsm_handler_in	tsm_handler_out	-	-	-	-	-	i	p	0	-1	0	tsm_handler	\N
3361	pg_catalog	pg_ndistinct	-1	f	b	Z	f	,	-	0	0	pg_ndistinct_in	pg_ndistinct_out	pg_ndistinct_recv	pg_ndistinct_send	-	-	-	i	x	0	-1	100	pg_ndistinct	\N
3402	pg_catalog	pg_dependencies	-1	f	b	Z	f	,	-	0	0	pg_dependencies_in	pg_dependencies_out	pg_dependencies_recv	pg_dependencies_send	-	-	-	i	x	0	-1	100	pg_dependencies	\N
3500	pg_catalog	anyenum	4	t	p	P	f	,	-	0	0	anyenum_in	anyenum_out	-	-	-	-	-	i	p	0	-1	0	anyenum	\N
3614	pg_catalog	tsvector	-1	f	b	U	f	,	-	0	3643	tsvectorin	tsvectorout	tsvectorrecv	tsvectorsend	-	-	ts_typanalyze	i	x	0	-1	0	tsvector	\N
3615	pg_catalog	tsquery	-1	f	b	U	f	,	-	0	3645	tsqueryin	tsqueryout	tsqueryrecv	tsquerysend	-	-	-	i	p	0	-1	0	tsquery	\N
3642	pg_catalog	gtsvector	-1	f	b	U	f	,	-	0	3644	gtsvectorin	gtsvectorout	-	-	-	-	-	i	p	0	-1	0	gtsvector	\N
3643	pg_catalog	_tsvector	-1	f	b	A	f	,	array_subscript_handler	3614	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	tsvector[]	\N
3644	pg_catalog	_gtsvector	-1	f	b	A	f	,	array_subscript_handler	3642	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	gtsvector[]	\N
3645	pg_catalog	_tsquery	-1	f	b	A	f	,	array_subscript_handler	3615	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	tsquery[]	\N
3734	pg_catalog	regconfig	4	t	b	N	f	,	-	0	3735	regconfigin	regconfigout	regconfigrecv	regconfigsend	-	-	-	i	p	0	-1	0	regconfig	\N
3735	pg_catalog	_regconfig	-1	f	b	A	f	,	array_subscript_handler	3734	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	regconfig[]	\N
3769	pg_catalog	regdictionary	4	t	b	N	f	,	-	0	3770	regdictionaryin	regdictionaryout	regdictionaryrecv	regdictionarysend	-	-	-	i	p	0	-1	0	regdictionary	\N
3770	pg_catalog	_regdictionary	-1	f	b	A	f	,	array_subscript_handler	3769	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	regdictionary[]	\N
3802	pg_catalog	jsonb	-1	f	b	U	f	,	jsonb_subscript_handler	0	3807	jsonb_in	jsonb_out	jsonb_recv	jsonb_send	-	-	-	i	x	0	-1	0	jsonb	\N
3807	pg_catalog	_jsonb	-1	f	b	A	f	,	array_subscript_handler	3802	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	jsonb[]	\N
3831	pg_catalog	anyrange	-1	f	p	P	f	,	-	0	0	anyrange_in	anyrange_out	-	-	-	-	-	d	x	0	-1	0	anyrange	\N
3838	pg_catalog	event_trigger	4	t	p	P	f	,	-	0	0	event_trigger_in	event_trigger_out	-	-	-	-	-	i	p	0	-1	0	event_trigger	\N
3904	pg_catalog	int4range	-1	f	r	R	f	,	-	0	3905	range_in	range_out	range_recv	range_send	-	-	range_typanalyze	i	x	0	-1	0	int4range	\N
3905	pg_catalog	_int4range	-1	f	b	A	f	,	array_subscript_handler	3904	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	int4range[]	\N
3906	pg_catalog	numrange	-1	f	r	R	f	,	-	0	3907	range_in	range_out	range_recv	range_send	-	-	range_typanalyze	i	x	0	-1	0	numrange	\N
3907	pg_catalog	_numrange	-1	f	b	A	f	,	array_subscript_handler	3906	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	numrange[]	\N
3908	pg_catalog	tsrange	-1	f	r	R	f	,	-	0	3909	range_in	range_out	range_recv	range_send	-	-	range_typanalyze	d	x	0	-1	0	tsrange	\N
3909	pg_catalog	_tsrange	-1	f	b	A	f	,	array_subscript_handler	3908	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	tsrange[]	\N
3910	pg_catalog	tstzrange	-1	f	r	R	f	,	-	0	3911	range_in	range_out	range_recv	range_send	-	-	range_typanalyze	d	x	0	-1	0	tstzrange	\N
3911	pg_catalog	_tstzrange	-1	f	b	A	f	,	array_subscript_handler	3910	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	tstzrange[]	\N
3912	pg_catalog	daterange	-1	f	r	R	f	,	-	0	3913	range_in	range_out	range_recv	range_send	-	-	range_typanalyze	i	x	0	-1	0	daterange	\N
3913	pg_catalog	_daterange	-1	f	b	A	f	,	array_subscript_handler	3912	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	daterange[]	\N
3926	pg_catalog	int8range	-1	f	r	R	f	,	-	0	3927	range_in	range_out	range_recv	range_send	-	-	range_typanalyze	d	x	0	-1	0	int8range	\N
3927	pg_catalog	_int8range	-1	f	b	A	f	,	array_subscript_handler	3926	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	int8range[]	\N
4072	pg_catalog	jsonpath	-1	f	b	U	f	,	-	0	4073	jsonpath_in	jsonpath_out	jsonpath_recv	jsonpath_send	-	-	-	i	x	0	-1	0	jsonpath	\N
4073	pg_catalog	_jsonpath	-1	f	b	A	f	,	array_subscript_handler	4072	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	jsonpath[]	\N
4089	pg_catalog	regnamespace	4	t	b	N	f	,	-	0	4090	regnamespacein	regnamespaceout	regnamespacerecv	regnamespacesend	-	-	-	i	p	0	-1	0	regnamespace	\N
4090	pg_catalog	_regnamespace	-1	f	b	A	f	,	array_subscript_handler	4089	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	regnamespace[]	\N
4096	pg_catalog	regrole	4	t	b	N	f	,	-	0	4097	regrolein	regroleout	regrolerecv	regrolesend	-	-	-	i	p	0	-1	0	regrole	\N
4097	pg_catalog	_regrole	-1	f	b	A	f	,	array_subscript_handler	4096	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	regrole[]	\N
4191	pg_catalog	regcollation	4	t	b	N	f	,	-	0	4192	regcollationin	regcollationout	regcollationrecv	regcollationsend	-	-	-	i	p	0	-1	0	regcollation	\N
4192	pg_catalog	_regcollation	-1	f	b	A	f	,	array_subscript_handler	4191	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	regcollation[]	\N
4451	pg_catalog	int4multirange	-1	f	m	R	f	,	-	0	6150	multirange_in	multirange_out	multirange_recv	multirange_send	-	-	multirange_typanalyze	i	x	0	-1	0	int4multirange	\N
4532	pg_catalog	nummultirange	-1	f	m	R	f	,	-	0	6151	multirange_in	multirange_out	multirange_recv	multirange_send	-	-	multirange_typanalyze	i	x	0	-1	0	nummultirange	\N
4533	pg_catalog	tsmultirange	-1	f	m	R	f	,	-	0	6152	multirange_in	multirange_out	multirange_recv	multirange_send	-	-	multirange_typanalyze	d	x	0	-1	0	tsmultirange	\N
4534	pg_catalog	tstzmultirange	-1	f	m	R	f	,	-	0	6153	multirange_in	multirange_out	multirange_recv	multirange_send	-	-	multirange_typanalyze	d	x	0	-1	0	tstzmultirange	\N
4535	pg_catalog	datemultirange	-1	f	m	R	f	,	-	0	6155	multirange_in	multirange_out	multirange_recv	multirange_send	-	-	multirange_typanalyze	i	x	0	-1	0	datemultirange	\N
4536	pg_catalog	int8multirange	-1	f	m	R	f	,	-	0	6157	multirange_in	multirange_out	multirange_recv	multirange_send	-	-	multirange_typanalyze	d	x	0	-1	0	int8multirange	\N
4537	pg_catalog	anymultirange	-1	f	p	P	f	,	-	0	0	anymultirange_in	anymultirange_out	-	-	-	-	-	d	x	0	-1	0	anymultirange	\N
4538	pg_catalog	anycompatiblemultirange	-1	f	p	P	f	,	-	0	0	anycompatiblemultirange_in	anycompatiblemultirange_out	-	-	-	-	-	d	x	0	-1	0	anycompatiblemultirange	\N
4600	pg_catalog	pg_brin_bloom_summary	-1	f	b	Z	f	,	-	0	0	brin_bloom_summary_in	brin_bloom_summary_out	brin_bloom_summary_recv	brin_bloom_summary_send	-	-	-	i	x	0	-1	100	pg_brin_bloom_summary	\N
4601	pg_catalog	pg_brin_minmax_multi_summary	-1	f	b	Z	f	,	-	0	0	brin_minmax_multi_summary_in	brin_minmax_multi_summary_out	brin_minmax_multi_summary_recv	brin_minmax_multi_summary_send	-	-	-	i	x	0	-1	100	pg_brin_minmax_multi_summary	\N
5017	pg_catalog	pg_mcv_list	-1	f	b	Z	f	,	-	0	0	pg_mcv_list_in	pg_mcv_list_out	pg_mcv_list_recv	pg_mcv_list_send	-	-	-	i	x	0	-1	100	pg_mcv_list	\N
5038	pg_catalog	pg_snapshot	-1	f	b	U	f	,	-	0	5039	pg_snapshot_in	pg_snapshot_out	pg_snapshot_recv	pg_snapshot_send	-	-	-	d	x	0	-1	0	pg_snapshot	\N
5039	pg_catalog	_pg_snapshot	-1	f	b	A	f	,	array_subscript_handler	5038	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	pg_snapshot[]	\N
5069	pg_catalog	xid8	8	t	b	U	f	,	-	0	271	xid8in	xid8out	xid8recv	xid8send	-	-	-	d	p	0	-1	0	xid8	\N
5077	pg_catalog	anycompatible	4	t	p	P	f	,	-	0	0	anycompatible_in	anycompatible_out	-	-	-	-	-	i	p	0	-1	0	anycompatible	\N
5078	pg_catalog	anycompatiblearray	-1	f	p	P	f	,	-	0	0	anycompatiblearray_in	anycompatiblearray_out	anycompatiblearray_recv	anycompatiblearray_send	-	-	-	d	x	0	-1	0	anycompatiblearray	\N
5079	pg_catalog	anycompatiblenonarray	4	t	p	P	f	,	-	0	0	anycompatiblenonarray_in	anycompatiblenonarray_out	-	-	-	-	-	i	p	0	-1	0	anycompatiblenonarray	\N
5080	pg_catalog	anycompatiblerange	-1	f	p	P	f	,	-	0	0	anycompatiblerange_in	anycompatiblerange_out	-	-	-	-	-	d	x	0	-1	0	anycompatiblerange	\N
6150	pg_catalog	_int4multirange	-1	f	b	A	f	,	array_subscript_handler	4451	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	int4multirange[]	\N
6151	pg_catalog	_nummultirange	-1	f	b	A	f	,	array_subscript_handler	4532	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	nummultirange[]	\N
6152	pg_catalog	_tsmultirange	-1	f	b	A	f	,	array_subscript_handler	4533	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	tsmultirange[]	\N
6153	pg_catalog	_tstzmultirange	-1	f	b	A	f	,	array_subscript_handler	4534	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	tstzmultirange[]	\N
6155	pg_catalog	_datemultirange	-1	f	b	A	f	,	array_subscript_handler	4535	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	i	x	0	-1	0	datemultirange[]	\N
6157	pg_catalog	_int8multirange	-1	f	b	A	f	,	array_subscript_handler	4536	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	int8multirange[]	\N
10028	pg_catalog	_pg_statistic	-1	f	b	A	f	,	array_subscript_handler	10029	0	array_in	array_out	array_recv	array_send	-	-	array_typanalyze	d	x	0	-1	0	pg_statistic[]	\N
13221	information_schema	cardinal_number	4	t	d	N	f	,	-	0	13220	domain_in	int4out	domain_recv	int4send	-	-	-	i	p	23	-1	0	information_schema.cardinal_number	\N
13224	information_schema	character_data	-1	f	d	S	f	,	-	0	13223	domain_in	varcharout	domain_recv	varcharsend	-	-	-	i	x	1043	-1	950	information_schema.character_data	\N
13226	information_schema	sql_identifier	64	f	d	S	f	,	-	0	13225	domain_in	nameout	domain_recv	namesend	-	-	-	c	p	19	-1	950	information_schema.sql_identifier	\N
13232	information_schema	time_stamp	8	t	d	D	f	,	-	0	13231	domain_in	timestamptz_out	domain_recv	timestamptz_send	-	-	-	d	p	1184	2	0	information_schema.time_stamp	CURRENT_TIMESTAMP(2)
13234	information_schema	yes_or_no	-1	f	d	S	f	,	-	0	13233	domain_in	varcharout	domain_recv	varcharsend	-	-	-	i	x	1043	7	950	information_schema.yes_or_no	\N
"""
"""pg_type without its constant columns, then its SQL name and default."""

PROCS = r"""
34	namein	f	f	i	t	1	0	19	2275	namein	I/O
38	int2in	f	f	i	t	1	0	21	2275	int2in	I/O
40	int2vectorin	f	f	i	t	1	0	22	2275	int2vectorin	I/O
42	int4in	f	f	i	t	1	0	23	2275	int4in	I/O
44	regprocin	f	f	s	t	1	0	24	2275	regprocin	I/O
46	textin	f	f	i	t	1	0	25	2275	textin	I/O
48	tidin	f	f	i	t	1	0	27	2275	tidin	I/O
50	xidin	f	f	i	t	1	0	28	2275	xidin	I/O
52	cidin	f	f	i	t	1	0	29	2275	cidin	I/O
54	oidvectorin	f	f	i	t	1	0	30	2275	oidvectorin	I/O
77	int4	f	f	i	t	1	0	23	18	chartoi4	convert char to int4
78	char	f	f	i	t	1	0	18	23	i4tochar	convert int4 to char
89	version	f	f	s	t	0	0	25		pgsql_version	PostgreSQL version string
117	point_in	f	f	i	t	1	0	600	2275	point_in	I/O
119	lseg_in	f	f	i	t	1	0	601	2275	lseg_in	I/O
121	path_in	f	f	i	t	1	0	602	2275	path_in	I/O
123	box_in	f	f	i	t	1	0	603	2275	box_in	I/O
195	pg_node_tree_in	f	f	i	t	1	0	194	2275	pg_node_tree_in	I/O
197	pg_node_tree_recv	f	f	s	t	1	0	194	2281	pg_node_tree_recv	I/O
200	float4in	f	f	i	t	1	0	700	2275	float4in	I/O
214	float8in	f	f	i	t	1	0	701	2275	float8in	I/O
235	float8	f	f	i	t	1	0	701	21	i2tod	convert int2 to float8
236	float4	f	f	i	t	1	0	700	21	i2tof	convert int2 to float4
237	int2	f	f	i	t	1	0	21	701	dtoi2	convert float8 to int2
238	int2	f	f	i	t	1	0	21	700	ftoi2	convert float4 to int2
311	float8	f	f	i	t	1	0	701	700	ftod	convert float4 to float8
312	float4	f	f	i	t	1	0	700	701	dtof	convert float8 to float4
313	int4	f	f	i	t	1	0	23	21	i2toi4	convert int2 to int4
314	int2	f	f	i	t	1	0	21	23	i4toi2	convert int4 to int2
316	float8	f	f	i	t	1	0	701	23	i4tod	convert int4 to float8
317	int4	f	f	i	t	1	0	23	701	dtoi4	convert float8 to int4
318	float4	f	f	i	t	1	0	700	23	i4tof	convert int4 to float4
319	int4	f	f	i	t	1	0	23	700	ftoi4	convert float4 to int4
321	json_in	f	f	i	t	1	0	114	2275	json_in	I/O
323	json_recv	f	f	i	t	1	0	114	2281	json_recv	I/O
347	poly_in	f	f	i	t	1	0	604	2275	poly_in	I/O
378	array_append	f	f	i	f	2	0	5078	5078 5077	array_append	append element onto end of array
384	array_to_string	f	f	s	f	3	0	25	2277 25 25	array_to_text_null	concatenate array elements, using delimiter and null string, into text
395	array_to_string	f	f	s	t	2	0	25	2277 25	array_to_text	concatenate array elements, using delimiter, into text
401	text	f	f	i	t	1	0	25	1042	rtrim1	convert char(n) to text
406	text	f	f	i	t	1	0	25	19	name_text	convert name to text
407	name	f	f	i	t	1	0	19	25	text_name	convert text to name
408	bpchar	f	f	i	t	1	0	1042	19	name_bpchar	convert name to char(n)
409	name	f	f	i	t	1	0	19	1042	bpchar_name	convert char(n) to name
436	macaddr_in	f	f	i	t	1	0	829	2275	macaddr_in	I/O
460	int8in	f	f	i	t	1	0	20	2275	int8in	I/O
480	int4	f	f	i	t	1	0	23	20	int84	convert int8 to int4
481	int8	f	f	i	t	1	0	20	23	int48	convert int4 to int8
482	float8	f	f	i	t	1	0	701	20	i8tod	convert int8 to float8
483	int8	f	f	i	t	1	0	20	701	dtoi8	convert float8 to int8
652	float4	f	f	i	t	1	0	700	20	i8tof	convert int8 to float4
653	int8	f	f	i	t	1	0	20	700	ftoi8	convert float4 to int8
668	bpchar	f	f	i	t	3	0	1042	1042 23 16	bpchar	adjust char() to typmod length
669	varchar	f	f	i	t	3	0	1043	1043 23 16	varchar	adjust varchar() to typmod length
714	int2	f	f	i	t	1	0	21	20	int82	convert int8 to int2
720	octet_length	f	f	i	t	1	0	23	17	byteaoctetlen	octet length
730	text	f	f	i	t	1	0	25	869	network_show	show all parts of inet/cidr value
750	array_in	f	f	s	t	3	0	2277	2275 26 23	array_in	I/O
753	trunc	f	f	i	t	1	0	829	829	macaddr_trunc	MACADDR manufacturer fields
754	int8	f	f	i	t	1	0	20	21	int28	convert int2 to int8
860	bpchar	f	f	i	t	1	0	1042	18	char_bpchar	convert char to char(n)
861	current_database	f	f	s	t	0	0	19		current_database	name of the current database
868	strpos	f	f	i	t	2	0	23	25 25	textpos	position of substring
870	lower	f	f	i	t	1	0	25	25	lower	lowercase
871	upper	f	f	i	t	1	0	25	25	upper	uppercase
875	ltrim	f	f	i	t	2	0	25	25 25	ltrim	trim selected characters from left end of string
876	rtrim	f	f	i	t	2	0	25	25 25	rtrim	trim selected characters from right end of string
877	substr	f	f	i	t	3	0	25	25 23 23	text_substr	extract portion of string
881	ltrim	f	f	i	t	1	0	25	25	ltrim1	trim spaces from left end of string
882	rtrim	f	f	i	t	1	0	25	25	rtrim1	trim spaces from right end of string
883	substr	f	f	i	t	2	0	25	25 23	text_substr_no_len	extract portion of string
884	btrim	f	f	i	t	2	0	25	25 25	btrim	trim selected characters from both ends of string
885	btrim	f	f	i	t	1	0	25	25	btrim1	trim spaces from both ends of string
886	cash_in	f	f	s	t	1	0	790	2275	cash_in	I/O
910	inet_in	f	f	i	t	1	0	869	2275	inet_in	I/O
936	substring	f	f	i	t	3	0	25	25 23 23	text_substr	extract portion of string
937	substring	f	f	i	t	2	0	25	25 23	text_substr_no_len	extract portion of string
938	generate_series	f	t	i	t	3	0	1114	1114 1114 1186	generate_series_timestamp	non-persistent series generator
939	generate_series	f	t	s	t	3	0	1184	1184 1184 1186	generate_series_timestamptz	non-persistent series generator
940	mod	f	f	i	t	2	0	21	21 21	int2mod	modulus
941	mod	f	f	i	t	2	0	23	23 23	int4mod	modulus
944	char	f	f	i	t	1	0	18	25	text_char	convert text to char
946	text	f	f	i	t	1	0	25	18	char_text	convert char to text
947	mod	f	f	i	t	2	0	20	20 20	int8mod	modulus
1031	aclitemin	f	f	s	t	1	0	1033	2275	aclitemin	I/O
1044	bpcharin	f	f	i	t	3	0	1042	2275 26 23	bpcharin	I/O
1046	varcharin	f	f	i	t	3	0	1043	2275 26 23	varcharin	I/O
1066	generate_series	f	t	i	t	3	0	23	23 23 23	generate_series_step_int4	non-persistent series generator
1067	generate_series	f	t	i	t	2	0	23	23 23	generate_series_int4	non-persistent series generator
1068	generate_series	f	t	i	t	3	0	20	20 20 20	generate_series_step_int8	non-persistent series generator
1069	generate_series	f	t	i	t	2	0	20	20 20	generate_series_int8	non-persistent series generator
1079	regclass	f	f	s	t	1	0	2205	25	text_regclass	convert text to regclass
1081	format_type	f	f	s	f	2	0	25	26 23	format_type	format a type oid and atttypmod to canonical SQL
1084	date_in	f	f	s	t	1	0	1082	2275	date_in	I/O
1143	time_in	f	f	s	t	3	0	1083	2275 26 23	time_in	I/O
1150	timestamptz_in	f	f	s	t	3	0	1184	2275 26 23	timestamptz_in	I/O
1160	interval_in	f	f	s	t	3	0	1186	2275 26 23	interval_in	I/O
1174	timestamptz	f	f	s	t	1	0	1184	1082	date_timestamptz	convert date to timestamp with time zone
1178	date	f	f	s	t	1	0	1082	1184	timestamptz_date	convert timestamp with time zone to date
1181	age	f	f	s	t	1	0	23	28	xid_age	age of a transaction ID, in transactions before current transaction
1199	age	f	f	i	t	2	0	1186	1184 1184	timestamptz_age	date difference preserving months and years
1200	interval	f	f	i	t	2	0	1186	1186 23	interval_scale	adjust interval precision
1215	obj_description	f	f	s	t	2	0	25	26 19		get description for object id and catalog name
1216	col_description	f	f	s	t	2	0	25	26 23		get description for table column
1217	date_trunc	f	f	s	t	2	0	1184	25 1184	timestamptz_trunc	truncate timestamp with time zone to specified units
1218	date_trunc	f	f	i	t	2	0	1186	25 1186	interval_trunc	truncate interval to specified units
1242	boolin	f	f	i	t	1	0	16	2275	boolin	I/O
1244	byteain	f	f	i	t	1	0	17	2275	byteain	I/O
1245	charin	f	f	i	t	1	0	18	2275	charin	I/O
1267	cidr_in	f	f	i	t	1	0	650	2275	cidr_in	I/O
1284	date_trunc	f	f	s	t	3	0	1184	25 1184 25	timestamptz_trunc_zone	truncate timestamp with time zone to specified units in specified time zone
1287	oid	f	f	i	t	1	0	26	20	i8tooid	convert int8 to oid
1288	int8	f	f	i	t	1	0	20	26	oidtoi8	convert oid to int8
1299	now	f	f	s	t	0	0	1184		now	current transaction time
1312	timestamp_in	f	f	s	t	3	0	1114	2275 26 23	timestamp_in	I/O
1316	time	f	f	i	t	1	0	1083	1114	timestamp_time	convert timestamp to time
1317	length	f	f	i	t	1	0	23	25	textlen	length
1318	length	f	f	i	t	1	0	23	1042	bpcharlen	character length
1342	round	f	f	i	t	1	0	701	701	dround	round to nearest integer
1343	trunc	f	f	i	t	1	0	701	701	dtrunc	truncate to integer
1344	sqrt	f	f	i	t	1	0	701	701	dsqrt	square root
1348	obj_description	f	f	s	t	1	0	25	26		deprecated, use two-argument form instead
1350	timetz_in	f	f	s	t	3	0	1266	2275 26 23	timetz_in	I/O
1368	power	f	f	i	t	2	0	701	701 701	dpow	exponentiation
1370	interval	f	f	i	t	1	0	1186	1083	time_interval	convert time to interval
1372	char_length	f	f	i	t	1	0	23	1042	bpcharlen	character length
1374	octet_length	f	f	i	t	1	0	23	25	textoctetlen	octet length
1375	octet_length	f	f	i	t	1	0	23	1042	bpcharoctetlen	octet length
1381	char_length	f	f	i	t	1	0	23	25	textlen	character length
1386	age	f	f	s	t	1	0	1186	1184		date difference from today preserving months and years
1387	pg_get_constraintdef	f	f	s	t	1	0	25	26	pg_get_constraintdef	constraint description
1388	timetz	f	f	s	t	1	0	1266	1184	timestamptz_timetz	convert timestamp with time zone to time with time zone
1394	abs	f	f	i	t	1	0	700	700	float4abs	absolute value
1395	abs	f	f	i	t	1	0	701	701	float8abs	absolute value
1396	abs	f	f	i	t	1	0	20	20	int8abs	absolute value
1397	abs	f	f	i	t	1	0	23	23	int4abs	absolute value
1398	abs	f	f	i	t	1	0	21	21	int2abs	absolute value
1400	name	f	f	i	t	1	0	19	1043	text_name	convert varchar to name
1401	varchar	f	f	i	t	1	0	1043	19	name_text	convert name to varchar
1402	current_schema	f	f	s	t	0	0	19		current_schema	current schema name
1403	current_schemas	f	f	s	t	1	0	1003	16	current_schemas	current schema search list
1416	point	f	f	i	t	1	0	600	718	circle_center	center of
1419	time	f	f	i	t	1	0	1083	1186	interval_time	convert interval to time
1446	box	f	f	i	t	1	0	603	604	poly_box	convert polygon to bounding box
1447	path	f	f	i	t	1	0	602	604	poly_path	convert polygon to path
1448	polygon	f	f	i	t	1	0	604	603	box_poly	convert box to polygon
1449	polygon	f	f	i	t	1	0	604	602	path_poly	convert path to polygon
1450	circle_in	f	f	i	t	1	0	718	2275	circle_in	I/O
1474	circle	f	f	i	t	1	0	718	604	poly_circle	convert polygon to circle
1479	circle	f	f	i	t	1	0	718	603	box_circle	convert box to circle
1480	box	f	f	i	t	1	0	603	718	circle_box	convert circle to box
1490	line_in	f	f	i	t	1	0	628	2275	line_in	I/O
1530	length	f	f	i	t	1	0	701	601	lseg_length	distance between endpoints
1531	length	f	f	i	t	1	0	701	602	path_length	sum of path segments
1532	point	f	f	i	t	1	0	600	601	lseg_center	center of
1534	point	f	f	i	t	1	0	600	603	box_center	center of
1540	point	f	f	i	t	1	0	600	604	poly_center	center of
1541	lseg	f	f	i	t	1	0	601	603	box_diagonal	diagonal of
1544	polygon	f	f	i	t	1	0	604	718		convert circle to 12-vertex polygon
1564	bit_in	f	f	i	t	3	0	1560	2275 26 23	bit_in	I/O
1579	varbit_in	f	f	i	t	3	0	1562	2275 26 23	varbit_in	I/O
1640	pg_get_viewdef	f	f	s	t	1	0	25	25	pg_get_viewdef_name	select statement of a view
1641	pg_get_viewdef	f	f	s	t	1	0	25	26	pg_get_viewdef	select statement of a view
1642	pg_get_userbyid	f	f	s	t	1	0	19	26	pg_get_userbyid	role name by OID (with fallback)
1643	pg_get_indexdef	f	f	s	t	1	0	25	26	pg_get_indexdef	index description
1680	substring	f	f	i	t	3	0	1560	1560 23 23	bitsubstr	extract portion of bitstring
1681	length	f	f	i	t	1	0	23	1560	bitlength	bitstring length
1682	octet_length	f	f	i	t	1	0	23	1560	bitoctetlength	octet length
1683	bit	f	f	i	t	2	0	1560	23 23	bitfromint4	convert int4 to bitstring
1684	int4	f	f	i	t	1	0	23	1560	bittoint4	convert bitstring to int4
1685	bit	f	f	i	t	3	0	1560	1560 23 16	bit	adjust bit() to typmod length
1687	varbit	f	f	i	t	3	0	1562	1562 23 16	varbit	adjust varbit() to typmod length
1699	substring	f	f	i	t	2	0	1560	1560 23	bitsubstr_no_len	extract portion of bitstring
1701	numeric_in	f	f	i	t	3	0	1700	2275 26 23	numeric_in	I/O
1703	numeric	f	f	i	t	2	0	1700	1700 23	numeric	adjust numeric to typmod precision/scale
1705	abs	f	f	i	t	1	0	1700	1700	numeric_abs	absolute value
1707	round	f	f	i	t	2	0	1700	1700 23	numeric_round	value rounded to 'scale'
1708	round	f	f	i	t	1	0	1700	1700		value rounded to 'scale' of zero
1709	trunc	f	f	i	t	2	0	1700	1700 23	numeric_trunc	value truncated to 'scale'
1710	trunc	f	f	i	t	1	0	1700	1700		value truncated to 'scale' of zero
1711	ceil	f	f	i	t	1	0	1700	1700	numeric_ceil	nearest integer >= value
1712	floor	f	f	i	t	1	0	1700	1700	numeric_floor	nearest integer <= value
1713	length	f	f	s	t	2	0	23	17 19	length_in_encoding	length of string in specified encoding
1715	cidr	f	f	i	t	1	0	650	869	inet_to_cidr	convert inet to cidr
1716	pg_get_expr	f	f	s	t	2	0	25	194 26	pg_get_expr	deparse an encoded expression
1728	mod	f	f	i	t	2	0	1700	1700 1700	numeric_mod	modulus
1730	sqrt	f	f	i	t	1	0	1700	1700	numeric_sqrt	square root
1740	numeric	f	f	i	t	1	0	1700	23	int4_numeric	convert int4 to numeric
1742	numeric	f	f	i	t	1	0	1700	700	float4_numeric	convert float4 to numeric
1743	numeric	f	f	i	t	1	0	1700	701	float8_numeric	convert float8 to numeric
1744	int4	f	f	i	t	1	0	23	1700	numeric_int4	convert numeric to int4
1745	float4	f	f	i	t	1	0	700	1700	numeric_float4	convert numeric to float4
1746	float8	f	f	i	t	1	0	701	1700	numeric_float8	convert numeric to float8
1768	to_char	f	f	s	t	2	0	25	1186 25	interval_to_char	format interval to text
1770	to_char	f	f	s	t	2	0	25	1184 25	timestamptz_to_char	format timestamp with time zone to text
1772	to_char	f	f	s	t	2	0	25	1700 25	numeric_to_char	format numeric to text
1773	to_char	f	f	s	t	2	0	25	23 25	int4_to_char	format int4 to text
1774	to_char	f	f	s	t	2	0	25	20 25	int8_to_char	format int8 to text
1775	to_char	f	f	s	t	2	0	25	700 25	float4_to_char	format float4 to text
1776	to_char	f	f	s	t	2	0	25	701 25	float8_to_char	format float8 to text
1779	int8	f	f	i	t	1	0	20	1700	numeric_int8	convert numeric to int8
1781	numeric	f	f	i	t	1	0	1700	20	int8_numeric	convert int8 to numeric
1782	numeric	f	f	i	t	1	0	1700	21	int2_numeric	convert int2 to numeric
1783	int2	f	f	i	t	1	0	21	1700	numeric_int2	convert numeric to int2
1798	oidin	f	f	i	t	1	0	26	2275	oidin	I/O
1961	timestamp	f	f	i	t	2	0	1114	1114 23	timestamp_scale	adjust timestamp precision
1967	timestamptz	f	f	i	t	2	0	1184	1184 23	timestamptz_scale	adjust timestamptz precision
1968	time	f	f	i	t	2	0	1083	1083 23	time_scale	adjust time precision
1969	timetz	f	f	i	t	2	0	1266	1266 23	timetz_scale	adjust time with time zone precision
2010	length	f	f	i	t	1	0	23	17	byteaoctetlen	octet length
2012	substring	f	f	i	t	3	0	17	17 23 23	bytea_substr	extract portion of string
2013	substring	f	f	i	t	2	0	17	17 23	bytea_substr_no_len	extract portion of string
2015	btrim	f	f	i	t	2	0	17	17 17	byteatrim	trim selected bytes from both ends of string
2019	time	f	f	s	t	1	0	1083	1184	timestamptz_time	convert timestamp with time zone to time
2020	date_trunc	f	f	i	t	2	0	1114	25 1114	timestamp_trunc	truncate timestamp to specified units
2024	timestamp	f	f	i	t	1	0	1114	1082	date_timestamp	convert date to timestamp
2026	pg_backend_pid	f	f	s	t	0	0	23		pg_backend_pid	statistics: current backend PID
2027	timestamp	f	f	s	t	1	0	1114	1184	timestamptz_timestamp	convert timestamp with time zone to timestamp
2028	timestamptz	f	f	s	t	1	0	1184	1114	timestamp_timestamptz	convert timestamp to timestamp with time zone
2029	date	f	f	i	t	1	0	1082	1114	timestamp_date	convert timestamp to date
2046	time	f	f	i	t	1	0	1083	1266	timetz_time	convert time with time zone to time
2047	timetz	f	f	s	t	1	0	1266	1083	time_timetz	convert time to time with time zone
2049	to_char	f	f	s	t	2	0	25	1114 25	timestamp_to_char	format timestamp to text
2050	max	a	f	i	f	1	0	2277	2277	aggregate_dummy	maximum value of all anyarray input values
2051	min	a	f	i	f	1	0	2277	2277	aggregate_dummy	minimum value of all anyarray input values
2058	age	f	f	i	t	2	0	1186	1114 1114	timestamp_age	date difference preserving months and years
2059	age	f	f	s	t	1	0	1186	1114		date difference from today preserving months and years
2073	substring	f	f	i	t	2	0	25	25 25	textregexsubstr	extract text matching regular expression
2074	substring	f	f	i	t	3	0	25	25 25 25		extract text matching SQL regular expression
2075	bit	f	f	i	t	2	0	1560	20 23	bitfromint8	convert int8 to bitstring
2076	int8	f	f	i	t	1	0	20	1560	bittoint8	convert bitstring to int8
2077	current_setting	f	f	s	t	1	0	25	25	show_config_by_name	SHOW X as a function
2079	pg_table_is_visible	f	f	s	t	1	0	16	26	pg_table_is_visible	is table visible in search path?
2080	pg_type_is_visible	f	f	s	t	1	0	16	26	pg_type_is_visible	is type visible in search path?
2085	substr	f	f	i	t	3	0	17	17 23 23	bytea_substr	extract portion of string
2086	substr	f	f	i	t	2	0	17	17 23	bytea_substr_no_len	extract portion of string
2087	replace	f	f	i	t	3	0	25	25 25 25	replace_text	replace all occurrences in string of old_substr with new_substr
2088	split_part	f	f	i	t	3	0	25	25 25 23	split_part	split string by field_sep and return field_num
2091	array_lower	f	f	i	t	2	0	23	2277 23	array_lower	array lower dimension
2092	array_upper	f	f	i	t	2	0	23	2277 23	array_upper	array upper dimension
2100	avg	a	f	i	f	1	0	1700	20	aggregate_dummy	the average (arithmetic mean) as numeric of all bigint values
2101	avg	a	f	i	f	1	0	1700	23	aggregate_dummy	the average (arithmetic mean) as numeric of all integer values
2102	avg	a	f	i	f	1	0	1700	21	aggregate_dummy	the average (arithmetic mean) as numeric of all smallint values
2103	avg	a	f	i	f	1	0	1700	1700	aggregate_dummy	the average (arithmetic mean) as numeric of all numeric values
2104	avg	a	f	i	f	1	0	701	700	aggregate_dummy	the average (arithmetic mean) as float8 of all float4 values
2105	avg	a	f	i	f	1	0	701	701	aggregate_dummy	the average (arithmetic mean) as float8 of all float8 values
2106	avg	a	f	i	f	1	0	1186	1186	aggregate_dummy	the average (arithmetic mean) as interval of all interval values
2107	sum	a	f	i	f	1	0	1700	20	aggregate_dummy	sum as numeric across all bigint input values
2108	sum	a	f	i	f	1	0	20	23	aggregate_dummy	sum as bigint across all integer input values
2109	sum	a	f	i	f	1	0	20	21	aggregate_dummy	sum as bigint across all smallint input values
2110	sum	a	f	i	f	1	0	700	700	aggregate_dummy	sum as float4 across all float4 input values
2111	sum	a	f	i	f	1	0	701	701	aggregate_dummy	sum as float8 across all float8 input values
2112	sum	a	f	i	f	1	0	790	790	aggregate_dummy	sum as money across all money input values
2113	sum	a	f	i	f	1	0	1186	1186	aggregate_dummy	sum as interval across all interval input values
2114	sum	a	f	i	f	1	0	1700	1700	aggregate_dummy	sum as numeric across all numeric input values
2115	max	a	f	i	f	1	0	20	20	aggregate_dummy	maximum value of all bigint input values
2116	max	a	f	i	f	1	0	23	23	aggregate_dummy	maximum value of all integer input values
2117	max	a	f	i	f	1	0	21	21	aggregate_dummy	maximum value of all smallint input values
2118	max	a	f	i	f	1	0	26	26	aggregate_dummy	maximum value of all oid input values
2119	max	a	f	i	f	1	0	700	700	aggregate_dummy	maximum value of all float4 input values
2120	max	a	f	i	f	1	0	701	701	aggregate_dummy	maximum value of all float8 input values
2122	max	a	f	i	f	1	0	1082	1082	aggregate_dummy	maximum value of all date input values
2123	max	a	f	i	f	1	0	1083	1083	aggregate_dummy	maximum value of all time input values
2124	max	a	f	i	f	1	0	1266	1266	aggregate_dummy	maximum value of all time with time zone input values
2125	max	a	f	i	f	1	0	790	790	aggregate_dummy	maximum value of all money input values
2126	max	a	f	i	f	1	0	1114	1114	aggregate_dummy	maximum value of all timestamp input values
2127	max	a	f	i	f	1	0	1184	1184	aggregate_dummy	maximum value of all timestamp with time zone input values
2128	max	a	f	i	f	1	0	1186	1186	aggregate_dummy	maximum value of all interval input values
2129	max	a	f	i	f	1	0	25	25	aggregate_dummy	maximum value of all text input values
2130	max	a	f	i	f	1	0	1700	1700	aggregate_dummy	maximum value of all numeric input values
2131	min	a	f	i	f	1	0	20	20	aggregate_dummy	minimum value of all bigint input values
2132	min	a	f	i	f	1	0	23	23	aggregate_dummy	minimum value of all integer input values
2133	min	a	f	i	f	1	0	21	21	aggregate_dummy	minimum value of all smallint input values
2134	min	a	f	i	f	1	0	26	26	aggregate_dummy	minimum value of all oid input values
2135	min	a	f	i	f	1	0	700	700	aggregate_dummy	minimum value of all float4 input values
2136	min	a	f	i	f	1	0	701	701	aggregate_dummy	minimum value of all float8 input values
2138	min	a	f	i	f	1	0	1082	1082	aggregate_dummy	minimum value of all date input values
2139	min	a	f	i	f	1	0	1083	1083	aggregate_dummy	minimum value of all time input values
2140	min	a	f	i	f	1	0	1266	1266	aggregate_dummy	minimum value of all time with time zone input values
2141	min	a	f	i	f	1	0	790	790	aggregate_dummy	minimum value of all money input values
2142	min	a	f	i	f	1	0	1114	1114	aggregate_dummy	minimum value of all timestamp input values
2143	min	a	f	i	f	1	0	1184	1184	aggregate_dummy	minimum value of all timestamp with time zone input values
2144	min	a	f	i	f	1	0	1186	1186	aggregate_dummy	minimum value of all interval input values
2145	min	a	f	i	f	1	0	25	25	aggregate_dummy	minimum value of all text values
2146	min	a	f	i	f	1	0	1700	1700	aggregate_dummy	minimum value of all numeric input values
2147	count	a	f	i	f	1	0	20	2276	aggregate_dummy	number of input rows for which the input expression is not null
2169	power	f	f	i	t	2	0	1700	1700 1700	numeric_power	exponentiation
2176	array_length	f	f	i	t	2	0	23	2277 23	array_length	array length
2212	regprocedurein	f	f	s	t	1	0	2202	2275	regprocedurein	I/O
2214	regoperin	f	f	s	t	1	0	2203	2275	regoperin	I/O
2216	regoperatorin	f	f	s	t	1	0	2204	2275	regoperatorin	I/O
2218	regclassin	f	f	s	t	1	0	2205	2275	regclassin	I/O
2220	regtypein	f	f	s	t	1	0	2206	2275	regtypein	I/O
2244	max	a	f	i	f	1	0	1042	1042	aggregate_dummy	maximum value of all bpchar input values
2245	min	a	f	i	f	1	0	1042	1042	aggregate_dummy	minimum value of all bpchar input values
2308	ceil	f	f	i	t	1	0	701	701	dceil	nearest integer >= value
2309	floor	f	f	i	t	1	0	701	701	dfloor	nearest integer <= value
2335	array_agg	a	f	i	f	1	0	2277	2776	aggregate_dummy	concatenate aggregate input into an array
2400	array_recv	f	f	s	t	3	0	2277	2281 26 23	array_recv	I/O
2404	int2recv	f	f	i	t	1	0	21	2281	int2recv	I/O
2406	int4recv	f	f	i	t	1	0	23	2281	int4recv	I/O
2408	int8recv	f	f	i	t	1	0	20	2281	int8recv	I/O
2410	int2vectorrecv	f	f	i	t	1	0	22	2281	int2vectorrecv	I/O
2412	bytearecv	f	f	i	t	1	0	17	2281	bytearecv	I/O
2414	textrecv	f	f	s	t	1	0	25	2281	textrecv	I/O
2418	oidrecv	f	f	i	t	1	0	26	2281	oidrecv	I/O
2420	oidvectorrecv	f	f	i	t	1	0	30	2281	oidvectorrecv	I/O
2422	namerecv	f	f	s	t	1	0	19	2281	namerecv	I/O
2424	float4recv	f	f	i	t	1	0	700	2281	float4recv	I/O
2426	float8recv	f	f	i	t	1	0	701	2281	float8recv	I/O
2428	point_recv	f	f	i	t	1	0	600	2281	point_recv	I/O
2430	bpcharrecv	f	f	s	t	3	0	1042	2281 26 23	bpcharrecv	I/O
2432	varcharrecv	f	f	s	t	3	0	1043	2281 26 23	varcharrecv	I/O
2434	charrecv	f	f	i	t	1	0	18	2281	charrecv	I/O
2436	boolrecv	f	f	i	t	1	0	16	2281	boolrecv	I/O
2438	tidrecv	f	f	i	t	1	0	27	2281	tidrecv	I/O
2440	xidrecv	f	f	i	t	1	0	28	2281	xidrecv	I/O
2442	cidrecv	f	f	i	t	1	0	29	2281	cidrecv	I/O
2444	regprocrecv	f	f	i	t	1	0	24	2281	regprocrecv	I/O
2446	regprocedurerecv	f	f	i	t	1	0	2202	2281	regprocedurerecv	I/O
2448	regoperrecv	f	f	i	t	1	0	2203	2281	regoperrecv	I/O
2450	regoperatorrecv	f	f	i	t	1	0	2204	2281	regoperatorrecv	I/O
2452	regclassrecv	f	f	i	t	1	0	2205	2281	regclassrecv	I/O
2454	regtyperecv	f	f	i	t	1	0	2206	2281	regtyperecv	I/O
2456	bit_recv	f	f	i	t	3	0	1560	2281 26 23	bit_recv	I/O
2458	varbit_recv	f	f	i	t	3	0	1562	2281 26 23	varbit_recv	I/O
2460	numeric_recv	f	f	i	t	3	0	1700	2281 26 23	numeric_recv	I/O
2468	date_recv	f	f	i	t	1	0	1082	2281	date_recv	I/O
2470	time_recv	f	f	i	t	3	0	1083	2281 26 23	time_recv	I/O
2472	timetz_recv	f	f	i	t	3	0	1266	2281 26 23	timetz_recv	I/O
2474	timestamp_recv	f	f	i	t	3	0	1114	2281 26 23	timestamp_recv	I/O
2476	timestamptz_recv	f	f	i	t	3	0	1184	2281 26 23	timestamptz_recv	I/O
2478	interval_recv	f	f	i	t	3	0	1186	2281 26 23	interval_recv	I/O
2480	lseg_recv	f	f	i	t	1	0	601	2281	lseg_recv	I/O
2482	path_recv	f	f	i	t	1	0	602	2281	path_recv	I/O
2484	box_recv	f	f	i	t	1	0	603	2281	box_recv	I/O
2486	poly_recv	f	f	i	t	1	0	604	2281	poly_recv	I/O
2488	line_recv	f	f	i	t	1	0	628	2281	line_recv	I/O
2490	circle_recv	f	f	i	t	1	0	718	2281	circle_recv	I/O
2492	cash_recv	f	f	i	t	1	0	790	2281	cash_recv	I/O
2494	macaddr_recv	f	f	i	t	1	0	829	2281	macaddr_recv	I/O
2496	inet_recv	f	f	i	t	1	0	869	2281	inet_recv	I/O
2498	cidr_recv	f	f	i	t	1	0	650	2281	cidr_recv	I/O
2505	pg_get_viewdef	f	f	s	t	2	0	25	25 16	pg_get_viewdef_name_ext	select statement of a view with pretty-print option
2506	pg_get_viewdef	f	f	s	t	2	0	25	26 16	pg_get_viewdef_ext	select statement of a view with pretty-print option
2507	pg_get_indexdef	f	f	s	t	3	0	25	26 23 16	pg_get_indexdef_ext	index description (full create statement or single expression) with pretty-print option
2508	pg_get_constraintdef	f	f	s	t	2	0	25	26 16	pg_get_constraintdef_ext	constraint description with pretty-print option
2509	pg_get_expr	f	f	s	t	3	0	25	194 26 16	pg_get_expr_ext	deparse an encoded expression with pretty-print option
2517	bool_and	a	f	i	f	1	0	16	16	aggregate_dummy	boolean-and aggregate
2518	bool_or	a	f	i	f	1	0	16	16	aggregate_dummy	boolean-or aggregate
2557	bool	f	f	i	t	1	0	16	23	int4_bool	convert int4 to boolean
2558	int4	f	f	i	t	1	0	23	16	bool_int4	convert boolean to int4
2580	float8	f	f	i	t	1	0	701	3802	jsonb_float8	convert jsonb to float8
2797	max	a	f	i	f	1	0	27	27	aggregate_dummy	maximum value of all tid input values
2798	min	a	f	i	f	1	0	27	27	aggregate_dummy	minimum value of all tid input values
2803	count	a	f	i	f	0	0	20		aggregate_dummy	number of input rows
2893	xml_in	f	f	s	t	1	0	142	2275	xml_in	I/O
2896	xml	f	f	s	t	1	0	142	25	texttoxml	perform a non-validating parse of a character string to produce an XML value
2898	xml_recv	f	f	s	t	1	0	142	2281	xml_recv	I/O
2939	txid_snapshot_in	f	f	i	t	1	0	2970	2275	pg_snapshot_in	I/O
2941	txid_snapshot_recv	f	f	i	t	1	0	2970	2281	pg_snapshot_recv	I/O
2952	uuid_in	f	f	i	t	1	0	2950	2275	uuid_in	I/O
2961	uuid_recv	f	f	i	t	1	0	2950	2281	uuid_recv	I/O
2971	text	f	f	i	t	1	0	25	16	booltext	convert boolean to text
3058	concat	f	f	s	f	1	0	25	2276	text_concat	concatenate values
3059	concat_ws	f	f	s	f	2	0	25	25 2276	text_concat_ws	concatenate values with separators
3100	row_number	w	f	i	f	0	0	20		window_row_number	row number within partition
3101	rank	w	f	i	f	0	0	20		window_rank	integer rank with gaps
3102	dense_rank	w	f	i	f	0	0	20		window_dense_rank	integer rank without gaps
3106	lag	w	f	i	t	1	0	2283	2283	window_lag	fetch the preceding row value
3107	lag	w	f	i	t	2	0	2283	2283 23	window_lag_with_offset	fetch the Nth preceding row value
3108	lag	w	f	i	t	3	0	5077	5077 23 5077	window_lag_with_offset_and_default	fetch the Nth preceding row value with default
3109	lead	w	f	i	t	1	0	2283	2283	window_lead	fetch the following row value
3110	lead	w	f	i	t	2	0	2283	2283 23	window_lead_with_offset	fetch the Nth following row value
3111	lead	w	f	i	t	3	0	5077	5077 23 5077	window_lead_with_offset_and_default	fetch the Nth following row value with default
3112	first_value	w	f	i	t	1	0	2283	2283	window_first_value	fetch the first row value
3113	last_value	w	f	i	t	1	0	2283	2283	window_last_value	fetch the last row value
3159	pg_get_viewdef	f	f	s	t	2	0	25	26 23	pg_get_viewdef_wrap	select statement of a view with pretty-printing and specified line wrapping
3167	array_remove	f	f	i	f	2	0	5078	5078 5077	array_remove	remove any occurrences of an element from an array
3179	cardinality	f	f	i	t	1	0	23	2277	array_cardinality	array cardinality
3229	pg_lsn_in	f	f	i	t	1	0	3220	2275	pg_lsn_in	I/O
3238	pg_lsn_recv	f	f	i	t	1	0	3220	2281	pg_lsn_recv	I/O
3259	generate_series	f	t	i	t	3	0	1700	1700 1700 1700	generate_series_step_numeric	non-persistent series generator
3260	generate_series	f	t	i	t	2	0	1700	1700 1700	generate_series_numeric	non-persistent series generator
3277	array_position	f	f	i	f	2	0	23	5078 5077	array_position	returns an offset of value in array
3278	array_position	f	f	i	f	3	0	23	5078 5077 23	array_position_start	returns an offset of value in array with start index
3294	current_setting	f	f	s	t	2	0	25	25 16	show_config_by_name_missing_ok	SHOW X as a function, optionally no error for missing variable
3355	pg_ndistinct_in	f	f	i	t	1	0	3361	2275	pg_ndistinct_in	I/O
3357	pg_ndistinct_recv	f	f	s	t	1	0	3361	2281	pg_ndistinct_recv	I/O
3404	pg_dependencies_in	f	f	i	t	1	0	3402	2275	pg_dependencies_in	I/O
3406	pg_dependencies_recv	f	f	s	t	1	0	3402	2281	pg_dependencies_recv	I/O
3446	macaddr8_recv	f	f	i	t	1	0	774	2281	macaddr8_recv	I/O
3449	numeric	f	f	i	t	1	0	1700	3802	jsonb_numeric	convert jsonb to numeric
3450	int2	f	f	i	t	1	0	21	3802	jsonb_int2	convert jsonb to int2
3451	int4	f	f	i	t	1	0	23	3802	jsonb_int4	convert jsonb to int4
3452	int8	f	f	i	t	1	0	20	3802	jsonb_int8	convert jsonb to int8
3453	float4	f	f	i	t	1	0	700	3802	jsonb_float4	convert jsonb to float4
3493	to_regtype	f	f	s	t	1	0	2206	25	to_regtype	convert type name to regtype
3495	to_regclass	f	f	s	t	1	0	2205	25	to_regclass	convert classname to regclass
3526	max	a	f	i	f	1	0	3500	3500	aggregate_dummy	maximum value of all enum input values
3527	min	a	f	i	f	1	0	3500	3500	aggregate_dummy	minimum value of all enum input values
3538	string_agg	a	f	i	f	2	0	25	25 25	aggregate_dummy	concatenate aggregate input into a string
3545	string_agg	a	f	i	f	2	0	17	17 17	aggregate_dummy	concatenate aggregate input into a bytea
3556	bool	f	f	i	t	1	0	16	3802	jsonb_bool	convert jsonb to boolean
3564	max	a	f	i	f	1	0	869	869	aggregate_dummy	maximum value of all inet input values
3565	min	a	f	i	f	1	0	869	869	aggregate_dummy	minimum value of all inet input values
3610	tsvectorin	f	f	i	t	1	0	3614	2275	tsvectorin	I/O
3612	tsqueryin	f	f	i	t	1	0	3615	2275	tsqueryin	I/O
3639	tsvectorrecv	f	f	i	t	1	0	3614	2281	tsvectorrecv	I/O
3641	tsqueryrecv	f	f	i	t	1	0	3615	2281	tsqueryrecv	I/O
3646	gtsvectorin	f	f	i	t	1	0	3642	2275	gtsvectorin	I/O
3711	length	f	f	i	t	1	0	23	3614	tsvector_length	number of lexemes
3736	regconfigin	f	f	s	t	1	0	3734	2275	regconfigin	I/O
3738	regconfigrecv	f	f	i	t	1	0	3734	2281	regconfigrecv	I/O
3771	regdictionaryin	f	f	s	t	1	0	3769	2275	regdictionaryin	I/O
3773	regdictionaryrecv	f	f	i	t	1	0	3769	2281	regdictionaryrecv	I/O
3805	jsonb_recv	f	f	i	t	1	0	3802	2281	jsonb_recv	I/O
3806	jsonb_in	f	f	i	t	1	0	3802	2275	jsonb_in	I/O
3811	money	f	f	s	t	1	0	790	23	int4_cash	convert int4 to money
3812	money	f	f	s	t	1	0	790	20	int8_cash	convert int8 to money
3823	numeric	f	f	s	t	1	0	1700	790	cash_numeric	convert money to numeric
3824	money	f	f	s	t	1	0	790	1700	numeric_cash	convert numeric to money
3848	lower	f	f	i	t	1	0	2283	3831	range_lower	lower bound of range
3849	upper	f	f	i	t	1	0	2283	3831	range_upper	upper bound of range
3986	rank	a	f	i	f	1	0	20	2276	aggregate_dummy	rank of hypothetical row
3992	dense_rank	a	f	i	f	1	0	20	2276	aggregate_dummy	rank of hypothetical row without gaps
4001	jsonpath_in	f	f	i	t	1	0	4072	2275	jsonpath_in	I/O
4002	jsonpath_recv	f	f	i	t	1	0	4072	2281	jsonpath_recv	I/O
4053	array_agg	a	f	i	f	1	0	2277	2277	aggregate_dummy	concatenate aggregate input into an array
4084	regnamespacein	f	f	s	t	1	0	4089	2275	regnamespacein	I/O
4087	regnamespacerecv	f	f	i	t	1	0	4089	2281	regnamespacerecv	I/O
4091	box	f	f	i	t	1	0	603	600	point_box	convert point to empty box
4094	regrolerecv	f	f	i	t	1	0	4096	2281	regrolerecv	I/O
4098	regrolein	f	f	s	t	1	0	4096	2275	regrolein	I/O
4110	macaddr8_in	f	f	i	t	1	0	774	2275	macaddr8_in	I/O
4112	trunc	f	f	i	t	1	0	774	774	macaddr8_trunc	MACADDR8 manufacturer fields
4123	macaddr8	f	f	i	t	1	0	774	829	macaddrtomacaddr8	convert macaddr to macaddr8
4124	macaddr	f	f	i	t	1	0	829	774	macaddr8tomacaddr	convert macaddr8 to macaddr
4189	max	a	f	i	f	1	0	3220	3220	aggregate_dummy	maximum value of all pg_lsn input values
4190	min	a	f	i	f	1	0	3220	3220	aggregate_dummy	minimum value of all pg_lsn input values
4193	regcollationin	f	f	s	t	1	0	4191	2275	regcollationin	I/O
4196	regcollationrecv	f	f	i	t	1	0	4191	2281	regcollationrecv	I/O
4235	lower	f	f	i	t	1	0	2283	4537	multirange_lower	lower bound of multirange
4236	upper	f	f	i	t	1	0	2283	4537	multirange_upper	upper bound of multirange
4281	int4multirange	f	f	i	t	1	0	4451	3904	multirange_constructor1	int4multirange constructor
4284	nummultirange	f	f	i	t	1	0	4532	3906	multirange_constructor1	nummultirange constructor
4287	tsmultirange	f	f	i	t	1	0	4533	3908	multirange_constructor1	tsmultirange constructor
4290	tstzmultirange	f	f	i	t	1	0	4534	3910	multirange_constructor1	tstzmultirange constructor
4293	datemultirange	f	f	i	t	1	0	4535	3912	multirange_constructor1	datemultirange constructor
4296	int8multirange	f	f	i	t	1	0	4536	3926	multirange_constructor1	int8multirange constructor
4596	brin_bloom_summary_in	f	f	i	t	1	0	4600	2275	brin_bloom_summary_in	I/O
4598	brin_bloom_summary_recv	f	f	s	t	1	0	4600	2281	brin_bloom_summary_recv	I/O
4638	brin_minmax_multi_summary_in	f	f	i	t	1	0	4601	2275	brin_minmax_multi_summary_in	I/O
4640	brin_minmax_multi_summary_recv	f	f	s	t	1	0	4601	2281	brin_minmax_multi_summary_recv	I/O
5018	pg_mcv_list_in	f	f	i	t	1	0	5017	2275	pg_mcv_list_in	I/O
5020	pg_mcv_list_recv	f	f	s	t	1	0	5017	2281	pg_mcv_list_recv	I/O
5055	pg_snapshot_in	f	f	i	t	1	0	5038	2275	pg_snapshot_in	I/O
5057	pg_snapshot_recv	f	f	i	t	1	0	5038	2281	pg_snapshot_recv	I/O
5070	xid8in	f	f	i	t	1	0	5069	2275	xid8in	I/O
5071	xid	f	f	i	t	1	0	28	5069	xid8toxid	convert xid8 to xid
5082	xid8recv	f	f	i	t	1	0	5069	2281	xid8recv	I/O
5099	max	a	f	i	f	1	0	5069	5069	aggregate_dummy	maximum value of all xid8 input values
5100	min	a	f	i	f	1	0	5069	5069	aggregate_dummy	minimum value of all xid8 input values
6195	ltrim	f	f	i	t	2	0	17	17 17	bytealtrim	trim selected bytes from left end of string
6196	rtrim	f	f	i	t	2	0	17	17 17	byteartrim	trim selected bytes from right end of string
6199	extract	f	f	i	t	2	0	1700	25 1082	extract_date	extract field from date
6200	extract	f	f	i	t	2	0	1700	25 1083	extract_time	extract field from time
6201	extract	f	f	i	t	2	0	1700	25 1266	extract_timetz	extract field from time with time zone
6202	extract	f	f	i	t	2	0	1700	25 1114	extract_timestamp	extract field from timestamp
6203	extract	f	f	s	t	2	0	1700	25 1184	extract_timestamptz	extract field from timestamp with time zone
6204	extract	f	f	i	t	2	0	1700	25 1186	extract_interval	extract field from interval
"""
"""pg_proc without its constant columns, then its comment."""

ROLES = r"""
3373	pg_monitor
3374	pg_read_all_settings
3375	pg_read_all_stats
3377	pg_stat_scan_tables
4200	pg_signal_backend
4544	pg_checkpoint
4569	pg_read_server_files
4570	pg_write_server_files
4571	pg_execute_server_program
6171	pg_database_owner
6181	pg_read_all_data
6182	pg_write_all_data
"""
"""oid and name of the predefined roles."""

KEYWORDS = r"""
abort	U	t	unreserved	can be bare label
absolute	U	t	unreserved	can be bare label
access	U	t	unreserved	can be bare label
action	U	t	unreserved	can be bare label
add	U	t	unreserved	can be bare label
admin	U	t	unreserved	can be bare label
after	U	t	unreserved	can be bare label
aggregate	U	t	unreserved	can be bare label
all	R	t	reserved	can be bare label
also	U	t	unreserved	can be bare label
alter	U	t	unreserved	can be bare label
always	U	t	unreserved	can be bare label
analyse	R	t	reserved	can be bare label
analyze	R	t	reserved	can be bare label
and	R	t	reserved	can be bare label
any	R	t	reserved	can be bare label
array	R	f	reserved	requires AS
as	R	f	reserved	requires AS
asc	R	t	reserved	can be bare label
asensitive	U	t	unreserved	can be bare label
assertion	U	t	unreserved	can be bare label
assignment	U	t	unreserved	can be bare label
asymmetric	R	t	reserved	can be bare label
at	U	t	unreserved	can be bare label
atomic	U	t	unreserved	can be bare label
attach	U	t	unreserved	can be bare label
attribute	U	t	unreserved	can be bare label
authorization	T	t	reserved (can be function or type name)	can be bare label
backward	U	t	unreserved	can be bare label
before	U	t	unreserved	can be bare label
begin	U	t	unreserved	can be bare label
between	C	t	unreserved (cannot be function or type name)	can be bare label
bigint	C	t	unreserved (cannot be function or type name)	can be bare label
binary	T	t	reserved (can be function or type name)	can be bare label
bit	C	t	unreserved (cannot be function or type name)	can be bare label
boolean	C	t	unreserved (cannot be function or type name)	can be bare label
both	R	t	reserved	can be bare label
breadth	U	t	unreserved	can be bare label
by	U	t	unreserved	can be bare label
cache	U	t	unreserved	can be bare label
call	U	t	unreserved	can be bare label
called	U	t	unreserved	can be bare label
cascade	U	t	unreserved	can be bare label
cascaded	U	t	unreserved	can be bare label
case	R	t	reserved	can be bare label
cast	R	t	reserved	can be bare label
catalog	U	t	unreserved	can be bare label
chain	U	t	unreserved	can be bare label
char	C	f	unreserved (cannot be function or type name)	requires AS
character	C	f	unreserved (cannot be function or type name)	requires AS
characteristics	U	t	unreserved	can be bare label
check	R	t	reserved	can be bare label
checkpoint	U	t	unreserved	can be bare label
class	U	t	unreserved	can be bare label
close	U	t	unreserved	can be bare label
cluster	U	t	unreserved	can be bare label
coalesce	C	t	unreserved (cannot be function or type name)	can be bare label
collate	R	t	reserved	can be bare label
collation	T	t	reserved (can be function or type name)	can be bare label
column	R	t	reserved	can be bare label
columns	U	t	unreserved	can be bare label
comment	U	t	unreserved	can be bare label
comments	U	t	unreserved	can be bare label
commit	U	t	unreserved	can be bare label
committed	U	t	unreserved	can be bare label
compression	U	t	unreserved	can be bare label
concurrently	T	t	reserved (can be function or type name)	can be bare label
configuration	U	t	unreserved	can be bare label
conflict	U	t	unreserved	can be bare label
connection	U	t	unreserved	can be bare label
constraint	R	t	reserved	can be bare label
constraints	U	t	unreserved	can be bare label
content	U	t	unreserved	can be bare label
continue	U	t	unreserved	can be bare label
conversion	U	t	unreserved	can be bare label
copy	U	t	unreserved	can be bare label
cost	U	t	unreserved	can be bare label
create	R	f	reserved	requires AS
cross	T	t	reserved (can be function or type name)	can be bare label
csv	U	t	unreserved	can be bare label
cube	U	t	unreserved	can be bare label
current	U	t	unreserved	can be bare label
current_catalog	R	t	reserved	can be bare label
current_date	R	t	reserved	can be bare label
current_role	R	t	reserved	can be bare label
current_schema	T	t	reserved (can be function or type name)	can be bare label
current_time	R	t	reserved	can be bare label
current_timestamp	R	t	reserved	can be bare label
current_user	R	t	reserved	can be bare label
cursor	U	t	unreserved	can be bare label
cycle	U	t	unreserved	can be bare label
data	U	t	unreserved	can be bare label
database	U	t	unreserved	can be bare label
day	U	f	unreserved	requires AS
deallocate	U	t	unreserved	can be bare label
dec	C	t	unreserved (cannot be function or type name)	can be bare label
decimal	C	t	unreserved (cannot be function or type name)	can be bare label
declare	U	t	unreserved	can be bare label
default	R	t	reserved	can be bare label
defaults	U	t	unreserved	can be bare label
deferrable	R	t	reserved	can be bare label
deferred	U	t	unreserved	can be bare label
definer	U	t	unreserved	can be bare label
delete	U	t	unreserved	can be bare label
delimiter	U	t	unreserved	can be bare label
delimiters	U	t	unreserved	can be bare label
depends	U	t	unreserved	can be bare label
depth	U	t	unreserved	can be bare label
desc	R	t	reserved	can be bare label
detach	U	t	unreserved	can be bare label
dictionary	U	t	unreserved	can be bare label
disable	U	t	unreserved	can be bare label
discard	U	t	unreserved	can be bare label
distinct	R	t	reserved	can be bare label
do	R	t	reserved	can be bare label
document	U	t	unreserved	can be bare label
domain	U	t	unreserved	can be bare label
double	U	t	unreserved	can be bare label
drop	U	t	unreserved	can be bare label
each	U	t	unreserved	can be bare label
else	R	t	reserved	can be bare label
enable	U	t	unreserved	can be bare label
encoding	U	t	unreserved	can be bare label
encrypted	U	t	unreserved	can be bare label
end	R	t	reserved	can be bare label
enum	U	t	unreserved	can be bare label
escape	U	t	unreserved	can be bare label
event	U	t	unreserved	can be bare label
except	R	f	reserved	requires AS
exclude	U	t	unreserved	can be bare label
excluding	U	t	unreserved	can be bare label
exclusive	U	t	unreserved	can be bare label
execute	U	t	unreserved	can be bare label
exists	C	t	unreserved (cannot be function or type name)	can be bare label
explain	U	t	unreserved	can be bare label
expression	U	t	unreserved	can be bare label
extension	U	t	unreserved	can be bare label
external	U	t	unreserved	can be bare label
extract	C	t	unreserved (cannot be function or type name)	can be bare label
false	R	t	reserved	can be bare label
family	U	t	unreserved	can be bare label
fetch	R	f	reserved	requires AS
filter	U	f	unreserved	requires AS
finalize	U	t	unreserved	can be bare label
first	U	t	unreserved	can be bare label
float	C	t	unreserved (cannot be function or type name)	can be bare label
following	U	t	unreserved	can be bare label
for	R	f	reserved	requires AS
force	U	t	unreserved	can be bare label
foreign	R	t	reserved	can be bare label
forward	U	t	unreserved	can be bare label
freeze	T	t	reserved (can be function or type name)	can be bare label
from	R	f	reserved	requires AS
full	T	t	reserved (can be function or type name)	can be bare label
function	U	t	unreserved	can be bare label
functions	U	t	unreserved	can be bare label
generated	U	t	unreserved	can be bare label
global	U	t	unreserved	can be bare label
grant	R	f	reserved	requires AS
granted	U	t	unreserved	can be bare label
greatest	C	t	unreserved (cannot be function or type name)	can be bare label
group	R	f	reserved	requires AS
grouping	C	t	unreserved (cannot be function or type name)	can be bare label
groups	U	t	unreserved	can be bare label
handler	U	t	unreserved	can be bare label
having	R	f	reserved	requires AS
header	U	t	unreserved	can be bare label
hold	U	t	unreserved	can be bare label
hour	U	f	unreserved	requires AS
identity	U	t	unreserved	can be bare label
if	U	t	unreserved	can be bare label
ilike	T	t	reserved (can be function or type name)	can be bare label
immediate	U	t	unreserved	can be bare label
immutable	U	t	unreserved	can be bare label
implicit	U	t	unreserved	can be bare label
import	U	t	unreserved	can be bare label
in	R	t	reserved	can be bare label
include	U	t	unreserved	can be bare label
including	U	t	unreserved	can be bare label
increment	U	t	unreserved	can be bare label
index	U	t	unreserved	can be bare label
indexes	U	t	unreserved	can be bare label
inherit	U	t	unreserved	can be bare label
inherits	U	t	unreserved	can be bare label
initially	R	t	reserved	can be bare label
inline	U	t	unreserved	can be bare label
inner	T	t	reserved (can be function or type name)	can be bare label
inout	C	t	unreserved (cannot be function or type name)	can be bare label
input	U	t	unreserved	can be bare label
insensitive	U	t	unreserved	can be bare label
insert	U	t	unreserved	can be bare label
instead	U	t	unreserved	can be bare label
int	C	t	unreserved (cannot be function or type name)	can be bare label
integer	C	t	unreserved (cannot be function or type name)	can be bare label
intersect	R	f	reserved	requires AS
interval	C	t	unreserved (cannot be function or type name)	can be bare label
into	R	f	reserved	requires AS
invoker	U	t	unreserved	can be bare label
is	T	t	reserved (can be function or type name)	can be bare label
isnull	T	f	reserved (can be function or type name)	requires AS
isolation	U	t	unreserved	can be bare label
join	T	t	reserved (can be function or type name)	can be bare label
key	U	t	unreserved	can be bare label
label	U	t	unreserved	can be bare label
language	U	t	unreserved	can be bare label
large	U	t	unreserved	can be bare label
last	U	t	unreserved	can be bare label
lateral	R	t	reserved	can be bare label
leading	R	t	reserved	can be bare label
leakproof	U	t	unreserved	can be bare label
least	C	t	unreserved (cannot be function or type name)	can be bare label
left	T	t	reserved (can be function or type name)	can be bare label
level	U	t	unreserved	can be bare label
like	T	t	reserved (can be function or type name)	can be bare label
limit	R	f	reserved	requires AS
listen	U	t	unreserved	can be bare label
load	U	t	unreserved	can be bare label
local	U	t	unreserved	can be bare label
localtime	R	t	reserved	can be bare label
localtimestamp	R	t	reserved	can be bare label
location	U	t	unreserved	can be bare label
lock	U	t	unreserved	can be bare label
locked	U	t	unreserved	can be bare label
logged	U	t	unreserved	can be bare label
mapping	U	t	unreserved	can be bare label
match	U	t	unreserved	can be bare label
matched	U	t	unreserved	can be bare label
materialized	U	t	unreserved	can be bare label
maxvalue	U	t	unreserved	can be bare label
merge	U	t	unreserved	can be bare label
method	U	t	unreserved	can be bare label
minute	U	f	unreserved	requires AS
minvalue	U	t	unreserved	can be bare label
mode	U	t	unreserved	can be bare label
month	U	f	unreserved	requires AS
move	U	t	unreserved	can be bare label
name	U	t	unreserved	can be bare label
names	U	t	unreserved	can be bare label
national	C	t	unreserved (cannot be function or type name)	can be bare label
natural	T	t	reserved (can be function or type name)	can be bare label
nchar	C	t	unreserved (cannot be function or type name)	can be bare label
new	U	t	unreserved	can be bare label
next	U	t	unreserved	can be bare label
nfc	U	t	unreserved	can be bare label
nfd	U	t	unreserved	can be bare label
nfkc	U	t	unreserved	can be bare label
nfkd	U	t	unreserved	can be bare label
no	U	t	unreserved	can be bare label
none	C	t	unreserved (cannot be function or type name)	can be bare label
normalize	C	t	unreserved (cannot be function or type name)	can be bare label
normalized	U	t	unreserved	can be bare label
not	R	t	reserved	can be bare label
nothing	U	t	unreserved	can be bare label
notify	U	t	unreserved	can be bare label
notnull	T	f	reserved (can be function or type name)	requires AS
nowait	U	t	unreserved	can be bare label
null	R	t	reserved	can be bare label
nullif	C	t	unreserved (cannot be function or type name)	can be bare label
nulls	U	t	unreserved	can be bare label
numeric	C	t	unreserved (cannot be function or type name)	can be bare label
object	U	t	unreserved	can be bare label
of	U	t	unreserved	can be bare label
off	U	t	unreserved	can be bare label
offset	R	f	reserved	requires AS
oids	U	t	unreserved	can be bare label
old	U	t	unreserved	can be bare label
on	R	f	reserved	requires AS
only	R	t	reserved	can be bare label
operator	U	t	unreserved	can be bare label
option	U	t	unreserved	can be bare label
options	U	t	unreserved	can be bare label
or	R	t	reserved	can be bare label
order	R	f	reserved	requires AS
ordinality	U	t	unreserved	can be bare label
others	U	t	unreserved	can be bare label
out	C	t	unreserved (cannot be function or type name)	can be bare label
outer	T	t	reserved (can be function or type name)	can be bare label
over	U	f	unreserved	requires AS
overlaps	T	f	reserved (can be function or type name)	requires AS
overlay	C	t	unreserved (cannot be function or type name)	can be bare label
overriding	U	t	unreserved	can be bare label
owned	U	t	unreserved	can be bare label
owner	U	t	unreserved	can be bare label
parallel	U	t	unreserved	can be bare label
parameter	U	t	unreserved	can be bare label
parser	U	t	unreserved	can be bare label
partial	U	t	unreserved	can be bare label
partition	U	t	unreserved	can be bare label
passing	U	t	unreserved	can be bare label
password	U	t	unreserved	can be bare label
placing	R	t	reserved	can be bare label
plans	U	t	unreserved	can be bare label
policy	U	t	unreserved	can be bare label
position	C	t	unreserved (cannot be function or type name)	can be bare label
preceding	U	t	unreserved	can be bare label
precision	C	f	unreserved (cannot be function or type name)	requires AS
prepare	U	t	unreserved	can be bare label
prepared	U	t	unreserved	can be bare label
preserve	U	t	unreserved	can be bare label
primary	R	t	reserved	can be bare label
prior	U	t	unreserved	can be bare label
privileges	U	t	unreserved	can be bare label
procedural	U	t	unreserved	can be bare label
procedure	U	t	unreserved	can be bare label
procedures	U	t	unreserved	can be bare label
program	U	t	unreserved	can be bare label
publication	U	t	unreserved	can be bare label
quote	U	t	unreserved	can be bare label
range	U	t	unreserved	can be bare label
read	U	t	unreserved	can be bare label
real	C	t	unreserved (cannot be function or type name)	can be bare label
reassign	U	t	unreserved	can be bare label
recheck	U	t	unreserved	can be bare label
recursive	U	t	unreserved	can be bare label
ref	U	t	unreserved	can be bare label
references	R	t	reserved	can be bare label
referencing	U	t	unreserved	can be bare label
refresh	U	t	unreserved	can be bare label
reindex	U	t	unreserved	can be bare label
relative	U	t	unreserved	can be bare label
release	U	t	unreserved	can be bare label
rename	U	t	unreserved	can be bare label
repeatable	U	t	unreserved	can be bare label
replace	U	t	unreserved	can be bare label
replica	U	t	unreserved	can be bare label
reset	U	t	unreserved	can be bare label
restart	U	t	unreserved	can be bare label
restrict	U	t	unreserved	can be bare label
return	U	t	unreserved	can be bare label
returning	R	f	reserved	requires AS
returns	U	t	unreserved	can be bare label
revoke	U	t	unreserved	can be bare label
right	T	t	reserved (can be function or type name)	can be bare label
role	U	t	unreserved	can be bare label
rollback	U	t	unreserved	can be bare label
rollup	U	t	unreserved	can be bare label
routine	U	t	unreserved	can be bare label
routines	U	t	unreserved	can be bare label
row	C	t	unreserved (cannot be function or type name)	can be bare label
rows	U	t	unreserved	can be bare label
rule	U	t	unreserved	can be bare label
savepoint	U	t	unreserved	can be bare label
schema	U	t	unreserved	can be bare label
schemas	U	t	unreserved	can be bare label
scroll	U	t	unreserved	can be bare label
search	U	t	unreserved	can be bare label
second	U	f	unreserved	requires AS
security	U	t	unreserved	can be bare label
select	R	t	reserved	can be bare label
sequence	U	t	unreserved	can be bare label
sequences	U	t	unreserved	can be bare label
serializable	U	t	unreserved	can be bare label
server	U	t	unreserved	can be bare label
session	U	t	unreserved	can be bare label
session_user	R	t	reserved	can be bare label
set	U	t	unreserved	can be bare label
setof	C	t	unreserved (cannot be function or type name)	can be bare label
sets	U	t	unreserved	can be bare label
share	U	t	unreserved	can be bare label
show	U	t	unreserved	can be bare label
similar	T	t	reserved (can be function or type name)	can be bare label
simple	U	t	unreserved	can be bare label
skip	U	t	unreserved	can be bare label
smallint	C	t	unreserved (cannot be function or type name)	can be bare label
snapshot	U	t	unreserved	can be bare label
some	R	t	reserved	can be bare label
sql	U	t	unreserved	can be bare label
stable	U	t	unreserved	can be bare label
standalone	U	t	unreserved	can be bare label
start	U	t	unreserved	can be bare label
statement	U	t	unreserved	can be bare label
statistics	U	t	unreserved	can be bare label
stdin	U	t	unreserved	can be bare label
stdout	U	t	unreserved	can be bare label
storage	U	t	unreserved	can be bare label
stored	U	t	unreserved	can be bare label
strict	U	t	unreserved	can be bare label
strip	U	t	unreserved	can be bare label
subscription	U	t	unreserved	can be bare label
substring	C	t	unreserved (cannot be function or type name)	can be bare label
support	U	t	unreserved	can be bare label
symmetric	R	t	reserved	can be bare label
sysid	U	t	unreserved	can be bare label
system	U	t	unreserved	can be bare label
table	R	t	reserved	can be bare label
tables	U	t	unreserved	can be bare label
tablesample	T	t	reserved (can be function or type name)	can be bare label
tablespace	U	t	unreserved	can be bare label
temp	U	t	unreserved	can be bare label
template	U	t	unreserved	can be bare label
temporary	U	t	unreserved	can be bare label
text	U	t	unreserved	can be bare label
then	R	t	reserved	can be bare label
ties	U	t	unreserved	can be bare label
time	C	t	unreserved (cannot be function or type name)	can be bare label
timestamp	C	t	unreserved (cannot be function or type name)	can be bare label
to	R	f	reserved	requires AS
trailing	R	t	reserved	can be bare label
transaction	U	t	unreserved	can be bare label
transform	U	t	unreserved	can be bare label
treat	C	t	unreserved (cannot be function or type name)	can be bare label
trigger	U	t	unreserved	can be bare label
trim	C	t	unreserved (cannot be function or type name)	can be bare label
true	R	t	reserved	can be bare label
truncate	U	t	unreserved	can be bare label
trusted	U	t	unreserved	can be bare label
type	U	t	unreserved	can be bare label
types	U	t	unreserved	can be bare label
uescape	U	t	unreserved	can be bare label
unbounded	U	t	unreserved	can be bare label
uncommitted	U	t	unreserved	can be bare label
unencrypted	U	t	unreserved	can be bare label
union	R	f	reserved	requires AS
unique	R	t	reserved	can be bare label
unknown	U	t	unreserved	can be bare label
unlisten	U	t	unreserved	can be bare label
unlogged	U	t	unreserved	can be bare label
until	U	t	unreserved	can be bare label
update	U	t	unreserved	can be bare label
user	R	t	reserved	can be bare label
using	R	t	reserved	can be bare label
vacuum	U	t	unreserved	can be bare label
valid	U	t	unreserved	can be bare label
validate	U	t	unreserved	can be bare label
validator	U	t	unreserved	can be bare label
value	U	t	unreserved	can be bare label
values	C	t	unreserved (cannot be function or type name)	can be bare label
varchar	C	t	unreserved (cannot be function or type name)	can be bare label
variadic	R	t	reserved	can be bare label
varying	U	f	unreserved	requires AS
verbose	T	t	reserved (can be function or type name)	can be bare label
version	U	t	unreserved	can be bare label
view	U	t	unreserved	can be bare label
views	U	t	unreserved	can be bare label
volatile	U	t	unreserved	can be bare label
when	R	t	reserved	can be bare label
where	R	f	reserved	requires AS
whitespace	U	t	unreserved	can be bare label
window	R	f	reserved	requires AS
with	R	f	reserved	requires AS
within	U	f	unreserved	requires AS
without	U	f	unreserved	requires AS
work	U	t	unreserved	can be bare label
wrapper	U	t	unreserved	can be bare label
write	U	t	unreserved	can be bare label
xml	U	t	unreserved	can be bare label
xmlattributes	C	t	unreserved (cannot be function or type name)	can be bare label
xmlconcat	C	t	unreserved (cannot be function or type name)	can be bare label
xmlelement	C	t	unreserved (cannot be function or type name)	can be bare label
xmlexists	C	t	unreserved (cannot be function or type name)	can be bare label
xmlforest	C	t	unreserved (cannot be function or type name)	can be bare label
xmlnamespaces	C	t	unreserved (cannot be function or type name)	can be bare label
xmlparse	C	t	unreserved (cannot be function or type name)	can be bare label
xmlpi	C	t	unreserved (cannot be function or type name)	can be bare label
xmlroot	C	t	unreserved (cannot be function or type name)	can be bare label
xmlserialize	C	t	unreserved (cannot be function or type name)	can be bare label
xmltable	C	t	unreserved (cannot be function or type name)	can be bare label
year	U	f	unreserved	requires AS
yes	U	t	unreserved	can be bare label
zone	U	t	unreserved	can be bare label
"""
"""word, category, bare label and their names."""

SETTINGS = r"""
application_name	\N	Reporting and Logging / What to Log	Sets the application name to be reported in statistics and logs.	user	string	\N	\N		\N
array_nulls	\N	Version and Platform Compatibility / Previous PostgreSQL Versions	Enable input of NULL elements in arrays.	user	bool	\N	\N	on	\N
backend_flush_after	8kB	Resource Usage / Asynchronous Behavior	Number of pages after which previously performed writes are flushed to disk.	user	integer	0	256	0	\N
backslash_quote	\N	Version and Platform Compatibility / Previous PostgreSQL Versions	Sets whether "\\'" is allowed in string literals.	user	enum	\N	\N	safe_encoding	safe_encoding,on,off
block_size	\N	Preset Options	Shows the size of a disk block.	internal	integer	8192	8192	8192	\N
bytea_output	\N	Client Connection Defaults / Statement Behavior	Sets the output format for bytea.	user	enum	\N	\N	hex	escape,hex
check_function_bodies	\N	Client Connection Defaults / Statement Behavior	Check routine bodies during CREATE FUNCTION and CREATE PROCEDURE.	user	bool	\N	\N	on	\N
client_connection_check_interval	ms	Connections and Authentication / Connection Settings	Sets the time interval between checks for disconnection while running queries.	user	integer	0	2147483647	0	\N
client_encoding	\N	Client Connection Defaults / Locale and Formatting	Sets the client's character set encoding.	user	string	\N	\N	SQL_ASCII	\N
client_min_messages	\N	Client Connection Defaults / Statement Behavior	Sets the message levels that are sent to the client.	user	enum	\N	\N	notice	debug5,debug4,debug3,debug2,debug1,log,notice,warning,error
commit_siblings	\N	Write-Ahead Log / Settings	Sets the minimum number of concurrent open transactions required before performing commit_delay.	user	integer	0	1000	5	\N
constraint_exclusion	\N	Query Tuning / Other Planner Options	Enables the planner to use constraints to optimize queries.	user	enum	\N	\N	partition	partition,on,off
cpu_index_tuple_cost	\N	Query Tuning / Planner Cost Constants	Sets the planner's estimate of the cost of processing each index entry during an index scan.	user	real	0	1.79769e+308	0.005	\N
cpu_operator_cost	\N	Query Tuning / Planner Cost Constants	Sets the planner's estimate of the cost of processing each operator or function call.	user	real	0	1.79769e+308	0.0025	\N
cpu_tuple_cost	\N	Query Tuning / Planner Cost Constants	Sets the planner's estimate of the cost of processing each tuple (row).	user	real	0	1.79769e+308	0.01	\N
cursor_tuple_fraction	\N	Query Tuning / Other Planner Options	Sets the planner's estimate of the fraction of a cursor's rows that will be retrieved.	user	real	0	1	0.1	\N
data_checksums	\N	Preset Options	Shows whether data checksums are turned on for this cluster.	internal	bool	\N	\N	off	\N
data_directory_mode	\N	Preset Options	Shows the mode of the data directory.	internal	integer	0	511	448	\N
DateStyle	\N	Client Connection Defaults / Locale and Formatting	Sets the display format for date and time values.	user	string	\N	\N	ISO, MDY	\N
debug_assertions	\N	Preset Options	Shows whether the running server has assertion checks enabled.	internal	bool	\N	\N	off	\N
debug_pretty_print	\N	Reporting and Logging / What to Log	Indents parse and plan tree displays.	user	bool	\N	\N	on	\N
debug_print_parse	\N	Reporting and Logging / What to Log	Logs each query's parse tree.	user	bool	\N	\N	off	\N
debug_print_plan	\N	Reporting and Logging / What to Log	Logs each query's execution plan.	user	bool	\N	\N	off	\N
debug_print_rewritten	\N	Reporting and Logging / What to Log	Logs each query's rewritten parse tree.	user	bool	\N	\N	off	\N
default_statistics_target	\N	Query Tuning / Other Planner Options	Sets the default statistics target.	user	integer	1	10000	100	\N
default_table_access_method	\N	Client Connection Defaults / Statement Behavior	Sets the default table access method for new tables.	user	string	\N	\N	heap	\N
default_tablespace	\N	Client Connection Defaults / Statement Behavior	Sets the default tablespace to create tables and indexes in.	user	string	\N	\N		\N
default_text_search_config	\N	Client Connection Defaults / Locale and Formatting	Sets default text search configuration.	user	string	\N	\N	pg_catalog.simple	\N
default_toast_compression	\N	Client Connection Defaults / Statement Behavior	Sets the default compression method for compressible values.	user	enum	\N	\N	pglz	pglz,lz4
default_transaction_deferrable	\N	Client Connection Defaults / Statement Behavior	Sets the default deferrable status of new transactions.	user	bool	\N	\N	off	\N
default_transaction_isolation	\N	Client Connection Defaults / Statement Behavior	Sets the transaction isolation level of each new transaction.	user	enum	\N	\N	read committed	serializable,repeatable read,read committed,read uncommitted
default_transaction_read_only	\N	Client Connection Defaults / Statement Behavior	Sets the default read-only status of new transactions.	user	bool	\N	\N	off	\N
dynamic_library_path	\N	Client Connection Defaults / Other Defaults	Sets the path for dynamically loadable modules.	superuser	string	\N	\N	$libdir	\N
effective_cache_size	8kB	Query Tuning / Planner Cost Constants	Sets the planner's assumption about the total size of the data caches.	user	integer	1	2147483647	524288	\N
effective_io_concurrency	\N	Resource Usage / Asynchronous Behavior	Number of simultaneous requests that can be handled efficiently by the disk subsystem.	user	integer	0	1000	1	\N
enable_async_append	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of async append plans.	user	bool	\N	\N	on	\N
enable_bitmapscan	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of bitmap-scan plans.	user	bool	\N	\N	on	\N
enable_gathermerge	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of gather merge plans.	user	bool	\N	\N	on	\N
enable_hashagg	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of hashed aggregation plans.	user	bool	\N	\N	on	\N
enable_hashjoin	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of hash join plans.	user	bool	\N	\N	on	\N
enable_incremental_sort	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of incremental sort steps.	user	bool	\N	\N	on	\N
enable_indexonlyscan	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of index-only-scan plans.	user	bool	\N	\N	on	\N
enable_indexscan	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of index-scan plans.	user	bool	\N	\N	on	\N
enable_material	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of materialization.	user	bool	\N	\N	on	\N
enable_memoize	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of memoization.	user	bool	\N	\N	on	\N
enable_mergejoin	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of merge join plans.	user	bool	\N	\N	on	\N
enable_nestloop	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of nested-loop join plans.	user	bool	\N	\N	on	\N
enable_parallel_append	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of parallel append plans.	user	bool	\N	\N	on	\N
enable_parallel_hash	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of parallel hash plans.	user	bool	\N	\N	on	\N
enable_partition_pruning	\N	Query Tuning / Planner Method Configuration	Enables plan-time and execution-time partition pruning.	user	bool	\N	\N	on	\N
enable_partitionwise_aggregate	\N	Query Tuning / Planner Method Configuration	Enables partitionwise aggregation and grouping.	user	bool	\N	\N	off	\N
enable_partitionwise_join	\N	Query Tuning / Planner Method Configuration	Enables partitionwise join.	user	bool	\N	\N	off	\N
enable_seqscan	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of sequential-scan plans.	user	bool	\N	\N	on	\N
enable_sort	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of explicit sort steps.	user	bool	\N	\N	on	\N
enable_tidscan	\N	Query Tuning / Planner Method Configuration	Enables the planner's use of TID scan plans.	user	bool	\N	\N	on	\N
escape_string_warning	\N	Version and Platform Compatibility / Previous PostgreSQL Versions	Warn about backslash escapes in ordinary string literals.	user	bool	\N	\N	on	\N
exit_on_error	\N	Error Handling	Terminate session on any error.	user	bool	\N	\N	off	\N
extra_float_digits	\N	Client Connection Defaults / Locale and Formatting	Sets the number of digits displayed for floating-point values.	user	integer	-15	3	1	\N
force_parallel_mode	\N	Developer Options	Forces use of parallel query facilities.	user	enum	\N	\N	off	off,on,regress
from_collapse_limit	\N	Query Tuning / Other Planner Options	Sets the FROM-list size beyond which subqueries are not collapsed.	user	integer	1	2147483647	8	\N
geqo	\N	Query Tuning / Genetic Query Optimizer	Enables genetic query optimization.	user	bool	\N	\N	on	\N
geqo_effort	\N	Query Tuning / Genetic Query Optimizer	GEQO: effort is used to set the default for other GEQO parameters.	user	integer	1	10	5	\N
geqo_generations	\N	Query Tuning / Genetic Query Optimizer	GEQO: number of iterations of the algorithm.	user	integer	0	2147483647	0	\N
geqo_pool_size	\N	Query Tuning / Genetic Query Optimizer	GEQO: number of individuals in the population.	user	integer	0	2147483647	0	\N
geqo_seed	\N	Query Tuning / Genetic Query Optimizer	GEQO: seed for random path selection.	user	real	0	1	0	\N
geqo_selection_bias	\N	Query Tuning / Genetic Query Optimizer	GEQO: selective pressure within the population.	user	real	1.5	2	2	\N
geqo_threshold	\N	Query Tuning / Genetic Query Optimizer	Sets the threshold of FROM items beyond which GEQO is used.	user	integer	2	2147483647	12	\N
gin_fuzzy_search_limit	\N	Client Connection Defaults / Other Defaults	Sets the maximum allowed result for exact search by GIN.	user	integer	0	2147483647	0	\N
gin_pending_list_limit	kB	Client Connection Defaults / Statement Behavior	Sets the maximum size of the pending list for GIN index.	user	integer	64	2147483647	4096	\N
hash_mem_multiplier	\N	Resource Usage / Memory	Multiple of work_mem to use for hash tables.	user	real	1	1000	2	\N
idle_in_transaction_session_timeout	ms	Client Connection Defaults / Statement Behavior	Sets the maximum allowed idle time between queries, when in a transaction.	user	integer	0	2147483647	0	\N
idle_session_timeout	ms	Client Connection Defaults / Statement Behavior	Sets the maximum allowed idle time between queries, when not in a transaction.	user	integer	0	2147483647	0	\N
in_hot_standby	\N	Preset Options	Shows whether hot standby is currently active.	internal	bool	\N	\N	off	\N
integer_datetimes	\N	Preset Options	Shows whether datetimes are integer based.	internal	bool	\N	\N	on	\N
IntervalStyle	\N	Client Connection Defaults / Locale and Formatting	Sets the display format for interval values.	user	enum	\N	\N	postgres	postgres,postgres_verbose,sql_standard,iso_8601
jit	\N	Query Tuning / Other Planner Options	Allow JIT compilation.	user	bool	\N	\N	on	\N
jit_above_cost	\N	Query Tuning / Planner Cost Constants	Perform JIT compilation if query is more expensive.	user	real	-1	1.79769e+308	100000	\N
jit_expressions	\N	Developer Options	Allow JIT compilation of expressions.	user	bool	\N	\N	on	\N
jit_inline_above_cost	\N	Query Tuning / Planner Cost Constants	Perform JIT inlining if query is more expensive.	user	real	-1	1.79769e+308	500000	\N
jit_optimize_above_cost	\N	Query Tuning / Planner Cost Constants	Optimize JIT-compiled functions if query is more expensive.	user	real	-1	1.79769e+308	500000	\N
jit_provider	\N	Client Connection Defaults / Shared Library Preloading	JIT provider to use.	postmaster	string	\N	\N	llvmjit	\N
jit_tuple_deforming	\N	Developer Options	Allow JIT compilation of tuple deforming.	user	bool	\N	\N	on	\N
join_collapse_limit	\N	Query Tuning / Other Planner Options	Sets the FROM-list size beyond which JOIN constructs are not flattened.	user	integer	1	2147483647	8	\N
lc_collate	\N	Preset Options	Shows the collation order locale.	internal	string	\N	\N	C	\N
lc_ctype	\N	Preset Options	Shows the character classification and case conversion locale.	internal	string	\N	\N	C	\N
lc_messages	\N	Client Connection Defaults / Locale and Formatting	Sets the language in which messages are displayed.	superuser	string	\N	\N		\N
lc_monetary	\N	Client Connection Defaults / Locale and Formatting	Sets the locale for formatting monetary amounts.	user	string	\N	\N	C	\N
lc_numeric	\N	Client Connection Defaults / Locale and Formatting	Sets the locale for formatting numbers.	user	string	\N	\N	C	\N
lc_time	\N	Client Connection Defaults / Locale and Formatting	Sets the locale for formatting date and time values.	user	string	\N	\N	C	\N
lo_compat_privileges	\N	Version and Platform Compatibility / Previous PostgreSQL Versions	Enables backward compatibility mode for privilege checks on large objects.	superuser	bool	\N	\N	off	\N
local_preload_libraries	\N	Client Connection Defaults / Shared Library Preloading	Lists unprivileged shared libraries to preload into each backend.	user	string	\N	\N		\N
lock_timeout	ms	Client Connection Defaults / Statement Behavior	Sets the maximum allowed duration of any wait for a lock.	user	integer	0	2147483647	0	\N
log_parameter_max_length_on_error	B	Reporting and Logging / What to Log	Sets the maximum length in bytes of data logged for bind parameter values when logging statements, on error.	user	integer	-1	1073741823	0	\N
logical_decoding_work_mem	kB	Resource Usage / Memory	Sets the maximum memory to be used for logical decoding.	user	integer	64	2147483647	65536	\N
maintenance_io_concurrency	\N	Resource Usage / Asynchronous Behavior	A variant of effective_io_concurrency that is used for maintenance work.	user	integer	0	1000	10	\N
maintenance_work_mem	kB	Resource Usage / Memory	Sets the maximum memory to be used for maintenance operations.	user	integer	1024	2147483647	65536	\N
max_connections	\N	Connections and Authentication / Connection Settings	Sets the maximum number of concurrent connections.	postmaster	integer	1	262143	100	\N
max_function_args	\N	Preset Options	Shows the maximum number of function arguments.	internal	integer	100	100	100	\N
max_identifier_length	\N	Preset Options	Shows the maximum identifier length.	internal	integer	63	63	63	\N
max_index_keys	\N	Preset Options	Shows the maximum number of index keys.	internal	integer	32	32	32	\N
max_parallel_maintenance_workers	\N	Resource Usage / Asynchronous Behavior	Sets the maximum number of parallel processes per maintenance operation.	user	integer	0	1024	2	\N
max_parallel_workers	\N	Resource Usage / Asynchronous Behavior	Sets the maximum number of parallel workers that can be active at one time.	user	integer	0	1024	8	\N
max_parallel_workers_per_gather	\N	Resource Usage / Asynchronous Behavior	Sets the maximum number of parallel processes per executor node.	user	integer	0	1024	2	\N
max_prepared_transactions	\N	Resource Usage / Memory	Sets the maximum number of simultaneously prepared transactions.	postmaster	integer	0	262143	0	\N
min_parallel_index_scan_size	8kB	Query Tuning / Planner Cost Constants	Sets the minimum amount of index data for a parallel scan.	user	integer	0	715827882	64	\N
min_parallel_table_scan_size	8kB	Query Tuning / Planner Cost Constants	Sets the minimum amount of table data for a parallel scan.	user	integer	0	715827882	1024	\N
parallel_leader_participation	\N	Resource Usage / Asynchronous Behavior	Controls whether Gather and Gather Merge also run subplans.	user	bool	\N	\N	on	\N
parallel_setup_cost	\N	Query Tuning / Planner Cost Constants	Sets the planner's estimate of the cost of starting up worker processes for parallel query.	user	real	0	1.79769e+308	1000	\N
parallel_tuple_cost	\N	Query Tuning / Planner Cost Constants	Sets the planner's estimate of the cost of passing each tuple (row) from worker to leader backend.	user	real	0	1.79769e+308	0.1	\N
password_encryption	\N	Connections and Authentication / Authentication	Chooses the algorithm for encrypting passwords.	user	enum	\N	\N	scram-sha-256	md5,scram-sha-256
plan_cache_mode	\N	Query Tuning / Other Planner Options	Controls the planner's selection of custom or generic plan.	user	enum	\N	\N	auto	auto,force_generic_plan,force_custom_plan
quote_all_identifiers	\N	Version and Platform Compatibility / Previous PostgreSQL Versions	When generating SQL fragments, quote all identifiers.	user	bool	\N	\N	off	\N
random_page_cost	\N	Query Tuning / Planner Cost Constants	Sets the planner's estimate of the cost of a nonsequentially fetched disk page.	user	real	0	1.79769e+308	4	\N
recursive_worktable_factor	\N	Query Tuning / Other Planner Options	Sets the planner's estimate of the average size of a recursive query's working table.	user	real	0.001	1e+06	10	\N
restrict_nonsystem_relation_kind	\N	Client Connection Defaults / Statement Behavior	Prohibits access to non-system relations of specified kinds.	user	string	\N	\N		\N
row_security	\N	Client Connection Defaults / Statement Behavior	Enable row security.	user	bool	\N	\N	on	\N
search_path	\N	Client Connection Defaults / Statement Behavior	Sets the schema search order for names that are not schema-qualified.	user	string	\N	\N	"$user", public	\N
segment_size	8kB	Preset Options	Shows the number of pages per disk file.	internal	integer	131072	131072	131072	\N
seq_page_cost	\N	Query Tuning / Planner Cost Constants	Sets the planner's estimate of the cost of a sequentially fetched disk page.	user	real	0	1.79769e+308	1	\N
server_encoding	\N	Preset Options	Shows the server (database) character set encoding.	internal	string	\N	\N	SQL_ASCII	\N
server_version	\N	Preset Options	Shows the server version.	internal	string	\N	\N	15.18 (Debian 15.18-0+deb12u1)	\N
server_version_num	\N	Preset Options	Shows the server version as an integer.	internal	integer	150018	150018	150018	\N
session_preload_libraries	\N	Client Connection Defaults / Shared Library Preloading	Lists shared libraries to preload into each backend.	superuser	string	\N	\N		\N
session_replication_role	\N	Client Connection Defaults / Statement Behavior	Sets the session's behavior for triggers and rewrite rules.	superuser	enum	\N	\N	origin	origin,replica,local
shared_memory_size	MB	Preset Options	Shows the size of the server's main shared memory area (rounded up to the nearest MB).	internal	integer	0	2147483647	0	\N
shared_memory_size_in_huge_pages	\N	Preset Options	Shows the number of huge pages needed for the main shared memory area.	internal	integer	-1	2147483647	-1	\N
shared_preload_libraries	\N	Client Connection Defaults / Shared Library Preloading	Lists shared libraries to preload into server.	postmaster	string	\N	\N		\N
ssl	\N	Connections and Authentication / SSL	Enables SSL connections.	sighup	bool	\N	\N	off	\N
ssl_library	\N	Preset Options	Shows the name of the SSL library.	internal	string	\N	\N	OpenSSL	\N
standard_conforming_strings	\N	Version and Platform Compatibility / Previous PostgreSQL Versions	Causes '...' strings to treat backslashes literally.	user	bool	\N	\N	on	\N
statement_timeout	ms	Client Connection Defaults / Statement Behavior	Sets the maximum allowed duration of any statement.	user	integer	0	2147483647	0	\N
stats_fetch_consistency	\N	Statistics / Cumulative Query and Index Statistics	Sets the consistency of accesses to statistics data.	user	enum	\N	\N	cache	none,cache,snapshot
synchronize_seqscans	\N	Version and Platform Compatibility / Previous PostgreSQL Versions	Enable synchronized sequential scans.	user	bool	\N	\N	on	\N
synchronous_commit	\N	Write-Ahead Log / Settings	Sets the current transaction's synchronization level.	user	enum	\N	\N	on	local,remote_write,remote_apply,on,off
tcp_keepalives_count	\N	Connections and Authentication / Connection Settings	Maximum number of TCP keepalive retransmits.	user	integer	0	2147483647	0	\N
tcp_keepalives_idle	s	Connections and Authentication / Connection Settings	Time between issuing TCP keepalives.	user	integer	0	2147483647	0	\N
tcp_keepalives_interval	s	Connections and Authentication / Connection Settings	Time between TCP keepalive retransmits.	user	integer	0	2147483647	0	\N
tcp_user_timeout	ms	Connections and Authentication / Connection Settings	TCP user timeout.	user	integer	0	2147483647	0	\N
temp_buffers	8kB	Resource Usage / Memory	Sets the maximum number of temporary buffers used by each session.	user	integer	100	1073741823	1024	\N
temp_tablespaces	\N	Client Connection Defaults / Statement Behavior	Sets the tablespace(s) to use for temporary tables and sort files.	user	string	\N	\N		\N
TimeZone	\N	Client Connection Defaults / Locale and Formatting	Sets the time zone for displaying and interpreting time stamps.	user	string	\N	\N	GMT	\N
timezone_abbreviations	\N	Client Connection Defaults / Locale and Formatting	Selects a file of time zone abbreviations.	user	string	\N	\N	\N	\N
trace_notify	\N	Developer Options	Generates debugging output for LISTEN and NOTIFY.	user	bool	\N	\N	off	\N
trace_sort	\N	Developer Options	Emit information about resource usage in sorting.	user	bool	\N	\N	off	\N
transaction_deferrable	\N	Client Connection Defaults / Statement Behavior	Whether to defer a read-only serializable transaction until it can be executed with no possible serialization failures.	user	bool	\N	\N	off	\N
transaction_isolation	\N	Client Connection Defaults / Statement Behavior	Sets the current transaction's isolation level.	user	enum	\N	\N	read committed	serializable,repeatable read,read committed,read uncommitted
transaction_read_only	\N	Client Connection Defaults / Statement Behavior	Sets the current transaction's read-only status.	user	bool	\N	\N	off	\N
transform_null_equals	\N	Version and Platform Compatibility / Other Platforms and Clients	Treats "expr=NULL" as "expr IS NULL".	user	bool	\N	\N	off	\N
vacuum_cost_delay	ms	Resource Usage / Cost-Based Vacuum Delay	Vacuum cost delay in milliseconds.	user	real	0	100	0	\N
vacuum_cost_limit	\N	Resource Usage / Cost-Based Vacuum Delay	Vacuum cost amount available before napping.	user	integer	1	10000	200	\N
vacuum_cost_page_dirty	\N	Resource Usage / Cost-Based Vacuum Delay	Vacuum cost for a page dirtied by vacuum.	user	integer	0	10000	20	\N
vacuum_cost_page_hit	\N	Resource Usage / Cost-Based Vacuum Delay	Vacuum cost for a page found in the buffer cache.	user	integer	0	10000	1	\N
vacuum_cost_page_miss	\N	Resource Usage / Cost-Based Vacuum Delay	Vacuum cost for a page not found in the buffer cache.	user	integer	0	10000	2	\N
vacuum_failsafe_age	\N	Client Connection Defaults / Statement Behavior	Age at which VACUUM should trigger failsafe to avoid a wraparound outage.	user	integer	0	2100000000	1600000000	\N
vacuum_freeze_min_age	\N	Client Connection Defaults / Statement Behavior	Minimum age at which VACUUM should freeze a table row.	user	integer	0	1000000000	50000000	\N
vacuum_freeze_table_age	\N	Client Connection Defaults / Statement Behavior	Age at which VACUUM should scan whole table to freeze tuples.	user	integer	0	2000000000	150000000	\N
vacuum_multixact_failsafe_age	\N	Client Connection Defaults / Statement Behavior	Multixact age at which VACUUM should trigger failsafe to avoid a wraparound outage.	user	integer	0	2100000000	1600000000	\N
vacuum_multixact_freeze_min_age	\N	Client Connection Defaults / Statement Behavior	Minimum age at which VACUUM should freeze a MultiXactId in a table row.	user	integer	0	1000000000	5000000	\N
vacuum_multixact_freeze_table_age	\N	Client Connection Defaults / Statement Behavior	Multixact age at which VACUUM should scan whole table to freeze tuples.	user	integer	0	2000000000	150000000	\N
wal_block_size	\N	Preset Options	Shows the block size in the write ahead log.	internal	integer	8192	8192	8192	\N
wal_level	\N	Write-Ahead Log / Settings	Sets the level of information written to the WAL.	postmaster	enum	\N	\N	replica	minimal,replica,logical
wal_segment_size	B	Preset Options	Shows the size of write ahead log segments.	internal	integer	1048576	1073741824	16777216	\N
wal_sender_timeout	ms	Replication / Sending Servers	Sets the maximum time to wait for WAL replication.	user	integer	0	2147483647	60000	\N
wal_skip_threshold	kB	Write-Ahead Log / Settings	Minimum size of new file to fsync instead of writing WAL.	user	integer	0	2147483647	2048	\N
work_mem	kB	Resource Usage / Memory	Sets the maximum memory to be used for query workspaces.	user	integer	64	2147483647	4096	\N
xmlbinary	\N	Client Connection Defaults / Statement Behavior	Sets how binary values are to be encoded in XML.	user	enum	\N	\N	base64	base64,hex
xmloption	\N	Client Connection Defaults / Statement Behavior	Sets whether XML data in implicit parsing and serialization operations is to be considered as documents or content fragments.	user	enum	\N	\N	content	content,document
"""
"""name, unit, category, description, context, type, least, most, default, choices."""

AM_ROWS = r"""
2	heap	heap_tableam_handler	t
403	btree	bthandler	i
405	hash	hashhandler	i
783	gist	gisthandler	i
2742	gin	ginhandler	i
3580	brin	brinhandler	i
4000	spgist	spghandler	i
"""
"""The rows of pg_am, all columns."""

AUTH_MEMBERS_ROWS = r"""
3374	3373	10	f
3375	3373	10	f
3377	3373	10	f
"""
"""The rows of pg_auth_members, all columns."""

COLLATION_ROWS = r"""
950	C	11	10	c	t	-1	C	C	\N	\N
951	POSIX	11	10	c	t	-1	POSIX	POSIX	\N	\N
100	default	11	10	d	t	-1	\N	\N	\N	\N
"""
"""The rows of pg_collation, all columns."""

LANGUAGE_ROWS = r"""
12	internal	10	f	f	0	0	2246	\N
13	c	10	f	f	0	0	2247	\N
14	sql	10	f	t	0	0	2248	\N
"""
"""The rows of pg_language, all columns."""

OPCLASS_ROWS = r"""
1978	403	int4_ops	11	10	1976	23	t	0
1979	403	int2_ops	11	10	1976	21	t	0
1981	403	oid_ops	11	10	1989	26	t	0
3122	403	date_ops	11	10	434	1082	t	0
3123	403	float8_ops	11	10	1970	701	t	0
3124	403	int8_ops	11	10	1976	20	t	0
3125	403	numeric_ops	11	10	1988	1700	t	0
3126	403	text_ops	11	10	1994	25	t	0
3127	403	timestamptz_ops	11	10	434	1184	t	0
3128	403	timestamp_ops	11	10	434	1114	t	0
4217	403	text_pattern_ops	11	10	2095	25	f	0
4218	403	varchar_pattern_ops	11	10	2095	25	f	0
4219	403	bpchar_pattern_ops	11	10	2097	1042	f	0
10000	403	array_ops	11	10	397	2277	t	0
10001	405	array_ops	11	10	627	2277	t	0
10002	403	bit_ops	11	10	423	1560	t	0
10003	403	bool_ops	11	10	424	16	t	0
10004	403	bpchar_ops	11	10	426	1042	t	0
10005	405	bpchar_ops	11	10	427	1042	t	0
10006	403	bytea_ops	11	10	428	17	t	0
10007	403	char_ops	11	10	429	18	t	0
10008	405	char_ops	11	10	431	18	t	0
10009	403	cidr_ops	11	10	1974	869	f	0
10010	405	cidr_ops	11	10	1975	869	f	0
10011	405	date_ops	11	10	435	1082	t	0
10012	403	float4_ops	11	10	1970	700	t	0
10013	405	float4_ops	11	10	1971	700	t	0
10014	405	float8_ops	11	10	1971	701	t	0
10015	403	inet_ops	11	10	1974	869	t	0
10016	405	inet_ops	11	10	1975	869	t	0
10017	783	inet_ops	11	10	3550	869	f	0
10018	4000	inet_ops	11	10	3794	869	t	0
10019	405	int2_ops	11	10	1977	21	t	0
10020	405	int4_ops	11	10	1977	23	t	0
10021	405	int8_ops	11	10	1977	20	t	0
10022	403	interval_ops	11	10	1982	1186	t	0
10023	405	interval_ops	11	10	1983	1186	t	0
10024	403	macaddr_ops	11	10	1984	829	t	0
10025	405	macaddr_ops	11	10	1985	829	t	0
10026	403	macaddr8_ops	11	10	3371	774	t	0
10027	405	macaddr8_ops	11	10	3372	774	t	0
10028	403	name_ops	11	10	1994	19	t	2275
10029	405	name_ops	11	10	1995	19	t	0
10030	405	numeric_ops	11	10	1998	1700	t	0
10031	405	oid_ops	11	10	1990	26	t	0
10032	403	oidvector_ops	11	10	1991	30	t	0
10033	405	oidvector_ops	11	10	1992	30	t	0
10034	403	record_ops	11	10	2994	2249	t	0
10035	405	record_ops	11	10	6194	2249	t	0
10036	403	record_image_ops	11	10	3194	2249	f	0
10037	405	text_ops	11	10	1995	25	t	0
10038	403	time_ops	11	10	1996	1083	t	0
10039	405	time_ops	11	10	1997	1083	t	0
10040	405	timestamptz_ops	11	10	1999	1184	t	0
10041	403	timetz_ops	11	10	2000	1266	t	0
10042	405	timetz_ops	11	10	2001	1266	t	0
10043	403	varbit_ops	11	10	2002	1562	t	0
10044	403	varchar_ops	11	10	1994	25	f	0
10045	405	varchar_ops	11	10	1995	25	f	0
10046	405	timestamp_ops	11	10	2040	1114	t	0
10047	403	money_ops	11	10	2099	790	t	0
10048	405	bool_ops	11	10	2222	16	t	0
10049	405	bytea_ops	11	10	2223	17	t	0
10050	403	tid_ops	11	10	2789	27	t	0
10051	405	xid_ops	11	10	2225	28	t	0
10052	405	xid8_ops	11	10	5032	5069	t	0
10053	403	xid8_ops	11	10	5067	5069	t	0
10054	405	cid_ops	11	10	2226	29	t	0
10055	405	tid_ops	11	10	2227	27	t	0
10056	405	text_pattern_ops	11	10	2229	25	f	0
10057	405	varchar_pattern_ops	11	10	2229	25	f	0
10058	405	bpchar_pattern_ops	11	10	2231	1042	f	0
10059	405	aclitem_ops	11	10	2235	1033	t	0
10060	783	box_ops	11	10	2593	603	t	0
10061	783	point_ops	11	10	1029	600	t	603
10062	783	poly_ops	11	10	2594	604	t	603
10063	783	circle_ops	11	10	2595	718	t	603
10064	2742	array_ops	11	10	2745	2277	t	2283
10065	403	uuid_ops	11	10	2968	2950	t	0
10066	405	uuid_ops	11	10	2969	2950	t	0
10067	403	pg_lsn_ops	11	10	3253	3220	t	0
10068	405	pg_lsn_ops	11	10	3254	3220	t	0
10069	403	enum_ops	11	10	3522	3500	t	0
10070	405	enum_ops	11	10	3523	3500	t	0
10071	403	tsvector_ops	11	10	3626	3614	t	0
10072	783	tsvector_ops	11	10	3655	3614	t	3642
10073	2742	tsvector_ops	11	10	3659	3614	t	25
10074	403	tsquery_ops	11	10	3683	3615	t	0
10075	783	tsquery_ops	11	10	3702	3615	t	20
10076	403	range_ops	11	10	3901	3831	t	0
10077	405	range_ops	11	10	3903	3831	t	0
10078	783	range_ops	11	10	3919	3831	t	0
10079	4000	range_ops	11	10	3474	3831	t	0
10080	403	multirange_ops	11	10	4199	4537	t	0
10081	405	multirange_ops	11	10	4225	4537	t	0
10082	783	multirange_ops	11	10	6158	4537	t	3831
10083	4000	box_ops	11	10	5000	603	t	0
10084	4000	quad_point_ops	11	10	4015	600	t	0
10085	4000	kd_point_ops	11	10	4016	600	f	0
10086	4000	text_ops	11	10	4017	25	t	0
10087	4000	poly_ops	11	10	5008	604	t	603
10088	403	jsonb_ops	11	10	4033	3802	t	0
10089	405	jsonb_ops	11	10	4034	3802	t	0
10090	2742	jsonb_ops	11	10	4036	3802	t	25
10091	2742	jsonb_path_ops	11	10	4037	3802	f	23
10092	3580	bytea_minmax_ops	11	10	4064	17	t	17
10093	3580	bytea_bloom_ops	11	10	4578	17	f	17
10094	3580	char_minmax_ops	11	10	4062	18	t	18
10095	3580	char_bloom_ops	11	10	4577	18	f	18
10096	3580	name_minmax_ops	11	10	4065	19	t	19
10097	3580	name_bloom_ops	11	10	4579	19	f	19
10098	3580	int8_minmax_ops	11	10	4054	20	t	20
10099	3580	int8_minmax_multi_ops	11	10	4602	20	f	20
10100	3580	int8_bloom_ops	11	10	4572	20	f	20
10101	3580	int2_minmax_ops	11	10	4054	21	t	21
10102	3580	int2_minmax_multi_ops	11	10	4602	21	f	21
10103	3580	int2_bloom_ops	11	10	4572	21	f	21
10104	3580	int4_minmax_ops	11	10	4054	23	t	23
10105	3580	int4_minmax_multi_ops	11	10	4602	23	f	23
10106	3580	int4_bloom_ops	11	10	4572	23	f	23
10107	3580	text_minmax_ops	11	10	4056	25	t	25
10108	3580	text_bloom_ops	11	10	4573	25	f	25
10109	3580	oid_minmax_ops	11	10	4068	26	t	26
10110	3580	oid_minmax_multi_ops	11	10	4606	26	f	26
10111	3580	oid_bloom_ops	11	10	4580	26	f	26
10112	3580	tid_minmax_ops	11	10	4069	27	t	27
10113	3580	tid_bloom_ops	11	10	4581	27	f	27
10114	3580	tid_minmax_multi_ops	11	10	4607	27	f	27
10115	3580	float4_minmax_ops	11	10	4070	700	t	700
10116	3580	float4_minmax_multi_ops	11	10	4608	700	f	700
10117	3580	float4_bloom_ops	11	10	4582	700	f	700
10118	3580	float8_minmax_ops	11	10	4070	701	t	701
10119	3580	float8_minmax_multi_ops	11	10	4608	701	f	701
10120	3580	float8_bloom_ops	11	10	4582	701	f	701
10121	3580	macaddr_minmax_ops	11	10	4074	829	t	829
10122	3580	macaddr_minmax_multi_ops	11	10	4609	829	f	829
10123	3580	macaddr_bloom_ops	11	10	4583	829	f	829
10124	3580	macaddr8_minmax_ops	11	10	4109	774	t	774
10125	3580	macaddr8_minmax_multi_ops	11	10	4610	774	f	774
10126	3580	macaddr8_bloom_ops	11	10	4584	774	f	774
10127	3580	inet_minmax_ops	11	10	4075	869	f	869
10128	3580	inet_minmax_multi_ops	11	10	4611	869	f	869
10129	3580	inet_bloom_ops	11	10	4585	869	f	869
10130	3580	inet_inclusion_ops	11	10	4102	869	t	869
10131	3580	bpchar_minmax_ops	11	10	4076	1042	t	1042
10132	3580	bpchar_bloom_ops	11	10	4586	1042	f	1042
10133	3580	time_minmax_ops	11	10	4077	1083	t	1083
10134	3580	time_minmax_multi_ops	11	10	4612	1083	f	1083
10135	3580	time_bloom_ops	11	10	4587	1083	f	1083
10136	3580	date_minmax_ops	11	10	4059	1082	t	1082
10137	3580	date_minmax_multi_ops	11	10	4605	1082	f	1082
10138	3580	date_bloom_ops	11	10	4576	1082	f	1082
10139	3580	timestamp_minmax_ops	11	10	4059	1114	t	1114
10140	3580	timestamp_minmax_multi_ops	11	10	4605	1114	f	1114
10141	3580	timestamp_bloom_ops	11	10	4576	1114	f	1114
10142	3580	timestamptz_minmax_ops	11	10	4059	1184	t	1184
10143	3580	timestamptz_minmax_multi_ops	11	10	4605	1184	f	1184
10144	3580	timestamptz_bloom_ops	11	10	4576	1184	f	1184
10145	3580	interval_minmax_ops	11	10	4078	1186	t	1186
10146	3580	interval_minmax_multi_ops	11	10	4613	1186	f	1186
10147	3580	interval_bloom_ops	11	10	4588	1186	f	1186
10148	3580	timetz_minmax_ops	11	10	4058	1266	t	1266
10149	3580	timetz_minmax_multi_ops	11	10	4604	1266	f	1266
10150	3580	timetz_bloom_ops	11	10	4575	1266	f	1266
10151	3580	bit_minmax_ops	11	10	4079	1560	t	1560
10152	3580	varbit_minmax_ops	11	10	4080	1562	t	1562
10153	3580	numeric_minmax_ops	11	10	4055	1700	t	1700
10154	3580	numeric_minmax_multi_ops	11	10	4603	1700	f	1700
10155	3580	numeric_bloom_ops	11	10	4574	1700	f	1700
10156	3580	uuid_minmax_ops	11	10	4081	2950	t	2950
10157	3580	uuid_minmax_multi_ops	11	10	4614	2950	f	2950
10158	3580	uuid_bloom_ops	11	10	4589	2950	f	2950
10159	3580	range_inclusion_ops	11	10	4103	3831	t	3831
10160	3580	pg_lsn_minmax_ops	11	10	4082	3220	t	3220
10161	3580	pg_lsn_minmax_multi_ops	11	10	4615	3220	f	3220
10162	3580	pg_lsn_bloom_ops	11	10	4590	3220	f	3220
10163	3580	box_inclusion_ops	11	10	4104	603	t	603
"""
"""The rows of pg_opclass, all columns."""

OPFAMILY_ROWS = r"""
397	403	array_ops	11	10
423	403	bit_ops	11	10
424	403	bool_ops	11	10
426	403	bpchar_ops	11	10
427	405	bpchar_ops	11	10
428	403	bytea_ops	11	10
429	403	char_ops	11	10
431	405	char_ops	11	10
434	403	datetime_ops	11	10
435	405	date_ops	11	10
627	405	array_ops	11	10
1029	783	point_ops	11	10
1970	403	float_ops	11	10
1971	405	float_ops	11	10
1974	403	network_ops	11	10
1975	405	network_ops	11	10
1976	403	integer_ops	11	10
1977	405	integer_ops	11	10
1982	403	interval_ops	11	10
1983	405	interval_ops	11	10
1984	403	macaddr_ops	11	10
1985	405	macaddr_ops	11	10
1988	403	numeric_ops	11	10
1989	403	oid_ops	11	10
1990	405	oid_ops	11	10
1991	403	oidvector_ops	11	10
1992	405	oidvector_ops	11	10
1994	403	text_ops	11	10
1995	405	text_ops	11	10
1996	403	time_ops	11	10
1997	405	time_ops	11	10
1998	405	numeric_ops	11	10
1999	405	timestamptz_ops	11	10
2000	403	timetz_ops	11	10
2001	405	timetz_ops	11	10
2002	403	varbit_ops	11	10
2040	405	timestamp_ops	11	10
2095	403	text_pattern_ops	11	10
2097	403	bpchar_pattern_ops	11	10
2099	403	money_ops	11	10
2222	405	bool_ops	11	10
2223	405	bytea_ops	11	10
2225	405	xid_ops	11	10
2226	405	cid_ops	11	10
2227	405	tid_ops	11	10
2229	405	text_pattern_ops	11	10
2231	405	bpchar_pattern_ops	11	10
2235	405	aclitem_ops	11	10
2593	783	box_ops	11	10
2594	783	poly_ops	11	10
2595	783	circle_ops	11	10
2745	2742	array_ops	11	10
2789	403	tid_ops	11	10
2968	403	uuid_ops	11	10
2969	405	uuid_ops	11	10
2994	403	record_ops	11	10
3194	403	record_image_ops	11	10
3253	403	pg_lsn_ops	11	10
3254	405	pg_lsn_ops	11	10
3371	403	macaddr8_ops	11	10
3372	405	macaddr8_ops	11	10
3474	4000	range_ops	11	10
3522	403	enum_ops	11	10
3523	405	enum_ops	11	10
3550	783	network_ops	11	10
3626	403	tsvector_ops	11	10
3655	783	tsvector_ops	11	10
3659	2742	tsvector_ops	11	10
3683	403	tsquery_ops	11	10
3702	783	tsquery_ops	11	10
3794	4000	network_ops	11	10
3901	403	range_ops	11	10
3903	405	range_ops	11	10
3919	783	range_ops	11	10
4015	4000	quad_point_ops	11	10
4016	4000	kd_point_ops	11	10
4017	4000	text_ops	11	10
4033	403	jsonb_ops	11	10
4034	405	jsonb_ops	11	10
4036	2742	jsonb_ops	11	10
4037	2742	jsonb_path_ops	11	10
4054	3580	integer_minmax_ops	11	10
4055	3580	numeric_minmax_ops	11	10
4056	3580	text_minmax_ops	11	10
4058	3580	timetz_minmax_ops	11	10
4059	3580	datetime_minmax_ops	11	10
4062	3580	char_minmax_ops	11	10
4064	3580	bytea_minmax_ops	11	10
4065	3580	name_minmax_ops	11	10
4068	3580	oid_minmax_ops	11	10
4069	3580	tid_minmax_ops	11	10
4070	3580	float_minmax_ops	11	10
4074	3580	macaddr_minmax_ops	11	10
4075	3580	network_minmax_ops	11	10
4076	3580	bpchar_minmax_ops	11	10
4077	3580	time_minmax_ops	11	10
4078	3580	interval_minmax_ops	11	10
4079	3580	bit_minmax_ops	11	10
4080	3580	varbit_minmax_ops	11	10
4081	3580	uuid_minmax_ops	11	10
4082	3580	pg_lsn_minmax_ops	11	10
4102	3580	network_inclusion_ops	11	10
4103	3580	range_inclusion_ops	11	10
4104	3580	box_inclusion_ops	11	10
4109	3580	macaddr8_minmax_ops	11	10
4199	403	multirange_ops	11	10
4225	405	multirange_ops	11	10
4572	3580	integer_bloom_ops	11	10
4573	3580	text_bloom_ops	11	10
4574	3580	numeric_bloom_ops	11	10
4575	3580	timetz_bloom_ops	11	10
4576	3580	datetime_bloom_ops	11	10
4577	3580	char_bloom_ops	11	10
4578	3580	bytea_bloom_ops	11	10
4579	3580	name_bloom_ops	11	10
4580	3580	oid_bloom_ops	11	10
4581	3580	tid_bloom_ops	11	10
4582	3580	float_bloom_ops	11	10
4583	3580	macaddr_bloom_ops	11	10
4584	3580	macaddr8_bloom_ops	11	10
4585	3580	network_bloom_ops	11	10
4586	3580	bpchar_bloom_ops	11	10
4587	3580	time_bloom_ops	11	10
4588	3580	interval_bloom_ops	11	10
4589	3580	uuid_bloom_ops	11	10
4590	3580	pg_lsn_bloom_ops	11	10
4602	3580	integer_minmax_multi_ops	11	10
4603	3580	numeric_minmax_multi_ops	11	10
4604	3580	timetz_minmax_multi_ops	11	10
4605	3580	datetime_minmax_multi_ops	11	10
4606	3580	oid_minmax_multi_ops	11	10
4607	3580	tid_minmax_multi_ops	11	10
4608	3580	float_minmax_multi_ops	11	10
4609	3580	macaddr_minmax_multi_ops	11	10
4610	3580	macaddr8_minmax_multi_ops	11	10
4611	3580	network_minmax_multi_ops	11	10
4612	3580	time_minmax_multi_ops	11	10
4613	3580	interval_minmax_multi_ops	11	10
4614	3580	uuid_minmax_multi_ops	11	10
4615	3580	pg_lsn_minmax_multi_ops	11	10
5000	4000	box_ops	11	10
5008	4000	poly_ops	11	10
5032	405	xid8_ops	11	10
5067	403	xid8_ops	11	10
6158	783	multirange_ops	11	10
6194	405	record_ops	11	10
"""
"""The rows of pg_opfamily, all columns."""

CAST_ROWS = r"""
10000	20	21	714	a	f
10001	20	23	480	a	f
10002	20	700	652	i	f
10003	20	701	482	i	f
10004	20	1700	1781	i	f
10005	21	20	754	i	f
10006	21	23	313	i	f
10007	21	700	236	i	f
10008	21	701	235	i	f
10009	21	1700	1782	i	f
10010	23	20	481	i	f
10011	23	21	314	a	f
10012	23	700	318	i	f
10013	23	701	316	i	f
10014	23	1700	1740	i	f
10015	700	20	653	a	f
10016	700	21	238	a	f
10017	700	23	319	a	f
10018	700	701	311	i	f
10019	700	1700	1742	a	f
10020	701	20	483	a	f
10021	701	21	237	a	f
10022	701	23	317	a	f
10023	701	700	312	a	f
10024	701	1700	1743	a	f
10025	1700	20	1779	a	f
10026	1700	21	1783	a	f
10027	1700	23	1744	a	f
10028	1700	700	1745	i	f
10029	1700	701	1746	i	f
10030	790	1700	3823	a	f
10031	1700	790	3824	a	f
10032	23	790	3811	a	f
10033	20	790	3812	a	f
10034	23	16	2557	e	f
10035	16	23	2558	e	f
10036	5069	28	5071	e	f
10037	20	26	1287	i	f
10038	21	26	313	i	f
10039	23	26	0	i	b
10040	26	20	1288	a	f
10041	26	23	0	a	b
10042	26	24	0	i	b
10043	24	26	0	i	b
10044	20	24	1287	i	f
10045	21	24	313	i	f
10046	23	24	0	i	b
10047	24	20	1288	a	f
10048	24	23	0	a	b
10049	24	2202	0	i	b
10050	2202	24	0	i	b
10051	26	2202	0	i	b
10052	2202	26	0	i	b
10053	20	2202	1287	i	f
10054	21	2202	313	i	f
10055	23	2202	0	i	b
10056	2202	20	1288	a	f
10057	2202	23	0	a	b
10058	26	2203	0	i	b
10059	2203	26	0	i	b
10060	20	2203	1287	i	f
10061	21	2203	313	i	f
10062	23	2203	0	i	b
10063	2203	20	1288	a	f
10064	2203	23	0	a	b
10065	2203	2204	0	i	b
10066	2204	2203	0	i	b
10067	26	2204	0	i	b
10068	2204	26	0	i	b
10069	20	2204	1287	i	f
10070	21	2204	313	i	f
10071	23	2204	0	i	b
10072	2204	20	1288	a	f
10073	2204	23	0	a	b
10074	26	2205	0	i	b
10075	2205	26	0	i	b
10076	20	2205	1287	i	f
10077	21	2205	313	i	f
10078	23	2205	0	i	b
10079	2205	20	1288	a	f
10080	2205	23	0	a	b
10081	26	4191	0	i	b
10082	4191	26	0	i	b
10083	20	4191	1287	i	f
10084	21	4191	313	i	f
10085	23	4191	0	i	b
10086	4191	20	1288	a	f
10087	4191	23	0	a	b
10088	26	2206	0	i	b
10089	2206	26	0	i	b
10090	20	2206	1287	i	f
10091	21	2206	313	i	f
10092	23	2206	0	i	b
10093	2206	20	1288	a	f
10094	2206	23	0	a	b
10095	26	3734	0	i	b
10096	3734	26	0	i	b
10097	20	3734	1287	i	f
10098	21	3734	313	i	f
10099	23	3734	0	i	b
10100	3734	20	1288	a	f
10101	3734	23	0	a	b
10102	26	3769	0	i	b
10103	3769	26	0	i	b
10104	20	3769	1287	i	f
10105	21	3769	313	i	f
10106	23	3769	0	i	b
10107	3769	20	1288	a	f
10108	3769	23	0	a	b
10109	25	2205	1079	i	f
10110	1043	2205	1079	i	f
10111	26	4096	0	i	b
10112	4096	26	0	i	b
10113	20	4096	1287	i	f
10114	21	4096	313	i	f
10115	23	4096	0	i	b
10116	4096	20	1288	a	f
10117	4096	23	0	a	b
10118	26	4089	0	i	b
10119	4089	26	0	i	b
10120	20	4089	1287	i	f
10121	21	4089	313	i	f
10122	23	4089	0	i	b
10123	4089	20	1288	a	f
10124	4089	23	0	a	b
10125	25	1042	0	i	b
10126	25	1043	0	i	b
10127	1042	25	401	i	f
10128	1042	1043	401	i	f
10129	1043	25	0	i	b
10130	1043	1042	0	i	b
10131	18	25	946	i	f
10132	18	1042	860	a	f
10133	18	1043	946	a	f
10134	19	25	406	i	f
10135	19	1042	408	a	f
10136	19	1043	1401	a	f
10137	25	18	944	a	f
10138	1042	18	944	a	f
10139	1043	18	944	a	f
10140	25	19	407	i	f
10141	1042	19	409	i	f
10142	1043	19	1400	i	f
10143	18	23	77	e	f
10144	23	18	78	e	f
10145	194	25	0	i	b
10146	3361	17	0	i	b
10147	3361	25	0	i	i
10148	3402	17	0	i	b
10149	3402	25	0	i	i
10150	5017	17	0	i	b
10151	5017	25	0	i	i
10152	1082	1114	2024	i	f
10153	1082	1184	1174	i	f
10154	1083	1186	1370	i	f
10155	1083	1266	2047	i	f
10156	1114	1082	2029	a	f
10157	1114	1083	1316	a	f
10158	1114	1184	2028	i	f
10159	1184	1082	1178	a	f
10160	1184	1083	2019	a	f
10161	1184	1114	2027	a	f
10162	1184	1266	1388	a	f
10163	1186	1083	1419	a	f
10164	1266	1083	2046	a	f
10165	600	603	4091	a	f
10166	601	600	1532	e	f
10167	602	604	1449	a	f
10168	603	600	1534	e	f
10169	603	601	1541	e	f
10170	603	604	1448	a	f
10171	603	718	1479	e	f
10172	604	600	1540	e	f
10173	604	602	1447	a	f
10174	604	603	1446	e	f
10175	604	718	1474	e	f
10176	718	600	1416	e	f
10177	718	603	1480	e	f
10178	718	604	1544	e	f
10179	829	774	4123	i	f
10180	774	829	4124	i	f
10181	650	869	0	i	b
10182	869	650	1715	a	f
10183	1560	1562	0	i	b
10184	1562	1560	0	i	b
10185	20	1560	2075	e	f
10186	23	1560	1683	e	f
10187	1560	20	2076	e	f
10188	1560	23	1684	e	f
10189	650	25	730	a	f
10190	869	25	730	a	f
10191	16	25	2971	a	f
10192	142	25	0	a	b
10193	25	142	2896	e	f
10194	650	1043	730	a	f
10195	869	1043	730	a	f
10196	16	1043	2971	a	f
10197	142	1043	0	a	b
10198	1043	142	2896	e	f
10199	650	1042	730	a	f
10200	869	1042	730	a	f
10201	16	1042	2971	a	f
10202	142	1042	0	a	b
10203	1042	142	2896	e	f
10204	1042	1042	668	i	f
10205	1043	1043	669	i	f
10206	1083	1083	1968	i	f
10207	1114	1114	1961	i	f
10208	1184	1184	1967	i	f
10209	1186	1186	1200	i	f
10210	1266	1266	1969	i	f
10211	1560	1560	1685	i	f
10212	1562	1562	1687	i	f
10213	1700	1700	1703	i	f
10214	114	3802	0	a	i
10215	3802	114	0	a	i
10216	3802	16	3556	e	f
10217	3802	1700	3449	e	f
10218	3802	21	3450	e	f
10219	3802	23	3451	e	f
10220	3802	20	3452	e	f
10221	3802	700	3453	e	f
10222	3802	701	2580	e	f
10223	3904	4451	4281	e	f
10224	3926	4536	4296	e	f
10225	3906	4532	4284	e	f
10226	3912	4535	4293	e	f
10227	3908	4533	4287	e	f
10228	3910	4534	4290	e	f
"""
"""The rows of pg_cast, all columns."""

RANGE_ROWS = r"""
3904	23	4451	0	1978	int4range_canonical	int4range_subdiff
3906	1700	4532	0	3125	-	numrange_subdiff
3908	1114	4533	0	3128	-	tsrange_subdiff
3910	1184	4534	0	3127	-	tstzrange_subdiff
3912	1082	4535	0	3122	daterange_canonical	daterange_subdiff
3926	20	4536	0	3124	int8range_canonical	int8range_subdiff
"""
"""The rows of pg_range, all columns."""

TABLESPACE_ROWS = r"""
1663	pg_default	10	\N	\N
1664	pg_global	10	\N	\N
"""
"""The rows of pg_tablespace, all columns."""
