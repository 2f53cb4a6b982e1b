-- A writer may hold what the change of partitions waits for, and wait for what it holds. Postgres ends one of the two after deadlock_timeout, 1 s by default.
-- The change of partitions ends earlier, and the job repeats it.
ALTER FUNCTION "drop_old_partitions"(text, integer) SET lock_timeout = '100ms';
--> statement-breakpoint
ALTER FUNCTION "keep_partitions"() SET lock_timeout = '100ms';
