-- The tables that grow without end are partitioned by month. An id begins with its second (the request log's with its millisecond),
-- so the id is the partition key and stands in each primary key. The rows that exist stay where they are: their table becomes the first partition.

-- The smallest key of a row from this moment on.
CREATE FUNCTION partition_bound(parent text, moment timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE parent
    WHEN 'request_log' THEN lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20)
    ELSE lpad(to_hex(least(floor(extract(epoch FROM moment))::bigint, 4294967295)), 8, '0')
  END
$$;
--> statement-breakpoint
CREATE FUNCTION month_begin(moment timestamptz, months integer) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT (date_trunc('month', moment AT TIME ZONE 'UTC') + make_interval(months => months)) AT TIME ZONE 'UTC'
$$;
--> statement-breakpoint
-- Triggers for each row are inherited by partitions. Those for a statement are not: without them a statement could change a partition by its name.
CREATE FUNCTION copy_statement_triggers(parent text, partition text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE definition text;
BEGIN
  FOR definition IN SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = parent::regclass AND NOT tgisinternal AND tgtype & 1 = 0 LOOP
    EXECUTE replace(definition, format(' ON %I.%I ', 'public', parent), format(' ON %I.%I ', 'public', partition));
  END LOOP;
END $$;
--> statement-breakpoint
-- Creates the partitions up to two months ahead, and drops those that ended a month ago and are empty. What has no partition is kept by the default one.
CREATE FUNCTION keep_partitions() RETURNS integer LANGUAGE plpgsql SET lock_timeout = '3s' AS $$
DECLARE parent text; child text; ends text; months integer; changed integer := 0; found boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('kutip.partitions'));
  FOREACH parent IN ARRAY ARRAY['events', 'mails', 'request_log', 'webhook_attempts', 'webhook_deliveries'] LOOP
    SELECT max(u) INTO ends FROM (
      SELECT replace(substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)'), '-', '') AS u
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = parent::regclass) bounds;
    FOR months IN 0..2 LOOP
      CONTINUE WHEN partition_bound(parent, month_begin(now(), months)) < ends;
      child := parent || '_' || to_char(month_begin(now(), months) AT TIME ZONE 'UTC', 'YYYYMM');
      BEGIN
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', child, parent);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, child,
          partition_bound(parent, month_begin(now(), months)), partition_bound(parent, month_begin(now(), months + 1)));
        PERFORM copy_statement_triggers(parent, child);
        changed := changed + 1;
      EXCEPTION WHEN check_violation THEN
        RAISE WARNING 'rows of % from % on stay in its default partition', parent, month_begin(now(), months);
      END;
    END LOOP;
    FOR child IN
      SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = parent::regclass AND replace(substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)'), '-', '') <= partition_bound(parent, now() - interval '1 month')
    LOOP
      EXECUTE format('SELECT EXISTS (SELECT FROM %I)', child) INTO found;
      CONTINUE WHEN found;
      EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', parent);
      EXECUTE format('SELECT EXISTS (SELECT FROM %I)', child) INTO found;
      CONTINUE WHEN found;
      EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', parent, child);
      EXECUTE format('DROP TABLE %I', child);
      changed := changed + 1;
    END LOOP;
  END LOOP;
  RETURN changed;
END $$;
--> statement-breakpoint
ALTER TABLE "webhook_attempts" DROP CONSTRAINT "webhook_attempts_delivery";
--> statement-breakpoint
DO $$
DECLARE
  parent text; key text; first text; item record; statement text; ends text; newest text;
  later text[];
BEGIN
  FOR parent, key IN VALUES ('events', 'id'), ('mails', 'id'), ('request_log', 'id'), ('webhook_deliveries', 'id'), ('webhook_attempts', 'delivery_id') LOOP
    first := parent || '_first';
    later := '{}';
    EXECUTE format('SELECT replace(%1$I::text, ''-'', '''') FROM %2$I ORDER BY %1$I DESC LIMIT 1', key, parent) INTO newest;
    SELECT min(bound) INTO ends FROM (SELECT partition_bound(parent, month_begin(now(), n)) AS bound FROM generate_series(1, 600) AS n) months
      WHERE newest IS NULL OR bound > newest;

    -- What the new parent gets again, in the words of the table that becomes its first partition.
    FOR item IN SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
      WHERE conrelid = parent::regclass AND contype IN ('p', 'u', 'f') ORDER BY contype DESC LOOP
      later := later || format('ALTER TABLE %I ADD CONSTRAINT %I %s', parent, item.name, item.definition);
    END LOOP;
    FOR item IN SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indrelid = parent::regclass AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid AND contype IN ('p', 'u')) LOOP
      later := later || item.definition;
    END LOOP;
    FOR item IN SELECT tgname AS name, tgtype, pg_get_triggerdef(oid) AS definition FROM pg_trigger WHERE tgrelid = parent::regclass AND NOT tgisinternal LOOP
      later := later || item.definition;
      IF item.tgtype & 1 = 1 THEN EXECUTE format('DROP TRIGGER %I ON %I', item.name, parent); END IF;
    END LOOP;

    FOR item IN SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = parent::regclass LOOP
      EXECUTE format('ALTER INDEX %I RENAME TO %I', item.name, replace(item.name, parent, first));
    END LOOP;
    EXECUTE format('ALTER TABLE %I RENAME TO %I', parent, first);
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) PARTITION BY RANGE (%I)', parent, first, key);
    FOREACH statement IN ARRAY later LOOP
      EXECUTE statement;
    END LOOP;
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', parent, first, ends);
    EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', parent || '_default', parent);
    PERFORM copy_statement_triggers(parent, parent || '_default');
  END LOOP;
END $$;
--> statement-breakpoint
ALTER SEQUENCE "events_seq_seq" OWNED BY "events"."seq";
--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery" FOREIGN KEY ("business_id","delivery_id") REFERENCES "public"."webhook_deliveries"("business_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
SELECT keep_partitions();
