-- The names of a table's partitions and their bounds: the default one has none, and the first one begins before every id.
CREATE FUNCTION bounds_of_partitions(parent text) RETURNS TABLE (partition text, begins text, ends text) LANGUAGE sql STABLE AS $$
  SELECT c.relname::text, coalesce(replace(substring(bound FROM 'FROM \(''([^'']+)''\)'), '-', ''), ''), replace(substring(bound FROM 'TO \(''([^'']+)''\)'), '-', '')
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid, LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS bound) bounds
  WHERE i.inhparent = parent::regclass
$$;
--> statement-breakpoint
-- As before, and a month is created wherever it is missing: a clock that was ahead for a moment has left later ones.
CREATE OR REPLACE FUNCTION keep_partitions() RETURNS integer LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE parent text; child text; month_begins text; months integer; changed integer := 0; found boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('kutip.partitions'));
  -- A table that refers to copied ones is changed over one connection to each server of a cluster.
  PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
  FOREACH parent IN ARRAY ARRAY['events', 'mails', 'request_log', 'webhook_attempts', 'webhook_deliveries'] LOOP
    FOR months IN 0..2 LOOP
      month_begins := partition_bound(parent, month_begin(now(), months));
      CONTINUE WHEN EXISTS (SELECT FROM bounds_of_partitions(parent) b WHERE b.begins <= month_begins AND month_begins < b.ends);
      child := parent || '_' || to_char(month_begin(now(), months) AT TIME ZONE 'UTC', 'YYYYMM');
      BEGIN
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', child, parent);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, child,
          month_begins, partition_bound(parent, month_begin(now(), months + 1)));
        PERFORM copy_statement_triggers(parent, child);
        changed := changed + 1;
      EXCEPTION WHEN check_violation THEN
        RAISE WARNING 'rows of % from % on stay in its default partition', parent, month_begin(now(), months);
      END;
    END LOOP;
    FOR child IN SELECT b.partition FROM bounds_of_partitions(parent) b WHERE b.ends <= partition_bound(parent, now() - interval '1 month') LOOP
      EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', child) INTO found;
      CONTINUE WHEN found;
      EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', parent);
      EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', child) INTO found;
      CONTINUE WHEN found;
      EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', parent, child);
      EXECUTE format('DROP TABLE %I', child);
      changed := changed + 1;
    END LOOP;
  END LOOP;
  RETURN changed;
END $$;
--> statement-breakpoint
-- As before, in a form that a cluster takes too.
CREATE OR REPLACE FUNCTION drop_old_partitions(parent text, days integer) RETURNS integer LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE child text; ends text; due boolean; dropped integer := 0;
BEGIN
  IF parent NOT IN ('events', 'mails') THEN RAISE EXCEPTION '% is kept', parent USING ERRCODE = 'invalid_parameter_value'; END IF;
  PERFORM pg_advisory_xact_lock(hashtext('kutip.partitions'));
  PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
  FOR child, ends IN
    SELECT b.partition, b.ends FROM bounds_of_partitions(parent) b
    WHERE b.ends <= partition_bound(parent, now() - make_interval(days => days)) ORDER BY b.ends
  LOOP
    EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', parent);
    IF parent = 'mails' THEN
      EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I WHERE next_try_at IS NOT NULL)', child) INTO due;
    ELSE
      due := EXISTS (SELECT 1 FROM event_queue WHERE event_id < ends) OR EXISTS (SELECT 1 FROM webhook_deliveries WHERE next_try_at IS NOT NULL AND event_id < ends);
    END IF;
    CONTINUE WHEN due;
    EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', parent, child);
    EXECUTE format('DROP TABLE %I', child);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END $$;
--> statement-breakpoint
-- As before, and the rows of a default partition may go by their time: no month holds them.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE stack text;
BEGIN
  IF TG_OP = 'UPDATE' AND (TG_TABLE_NAME = 'audit_entries' OR starts_with(TG_TABLE_NAME::text, 'events')) THEN
    GET DIAGNOSTICS stack = PG_CONTEXT;
    IF stack ~ 'function (public\.)?erase_payer\(integer,text,jsonb,text\)' THEN RETURN NULL; END IF;
  ELSIF TG_OP = 'DELETE' AND starts_with(TG_TABLE_NAME::text, 'events_default') THEN
    GET DIAGNOSTICS stack = PG_CONTEXT;
    IF stack ~ 'function (public\.)?drop_old_rows\(integer,text,integer,integer\)' THEN RETURN NULL; END IF;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
--> statement-breakpoint
-- Deletes up to `most` events or mails of a business that lie in the default partition and are so many days old. One with work that is still due
-- stays. An id of the future says nothing of the age.
CREATE FUNCTION drop_old_rows(business integer, parent text, days integer, most integer) RETURNS integer LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  past constant timestamptz := now() - make_interval(days => days);
  oldest constant text := partition_bound(parent, past);
  newest constant text := partition_bound(parent, now());
  dropped integer;
BEGIN
  IF parent = 'mails' THEN
    DELETE FROM mails_default WHERE business_id = business AND id IN (
      SELECT m.id FROM mails_default m WHERE m.business_id = business
        AND (m.id < oldest OR (m.id > newest AND m.created_at < past)) AND m.next_try_at IS NULL LIMIT most);
  ELSIF parent = 'events' THEN
    DELETE FROM events_default WHERE business_id = business AND id IN (
      SELECT e.id FROM events_default e WHERE e.business_id = business
        AND (e.id < oldest OR (e.id > newest AND e.created_at < past))
        AND e.id NOT IN (SELECT q.event_id FROM event_queue q WHERE q.business_id = business)
        AND e.id NOT IN (SELECT d.event_id FROM webhook_deliveries d WHERE d.business_id = business AND d.next_try_at IS NOT NULL)
      LIMIT most);
  ELSE
    RAISE EXCEPTION '% is kept', parent USING ERRCODE = 'invalid_parameter_value';
  END IF;
  GET DIAGNOSTICS dropped = ROW_COUNT;
  RETURN dropped;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION drop_old_rows(integer, text, integer, integer) FROM PUBLIC;
