ALTER TABLE "processes" ADD COLUMN "version" text;
--> statement-breakpoint
-- A process of a version before this column may seal a text whole that names another payer. Each sign of its life moves the bound of such events
-- behind all that it may write before the next one.
CREATE FUNCTION note_older_process() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO settings (key, value) SELECT 'sealed_together_until', customer_id(now() + interval '1 minute')
  ON CONFLICT (key) DO UPDATE SET value = greatest(settings.value, excluded.value);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER note_older_process AFTER INSERT OR UPDATE ON processes FOR EACH ROW WHEN (NEW.version IS NULL) EXECUTE FUNCTION note_older_process();
--> statement-breakpoint
-- Migrations take a while, and such processes wrote meanwhile. A new install has no events.
INSERT INTO settings (key, value) SELECT 'sealed_together_until', customer_id(now() + interval '1 minute') WHERE EXISTS (SELECT FROM events)
ON CONFLICT (key) DO UPDATE SET value = greatest(settings.value, excluded.value);
