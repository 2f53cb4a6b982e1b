-- Whoever listens is told that something happened. Not of what programs make by the thousand: a commit that notifies waits for every other one that does.
CREATE OR REPLACE FUNCTION tell_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('kutip_changes', json_build_array(NEW.business_id, NEW.mode, NEW.type, NEW.object_id)::text);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER events_told AFTER INSERT ON events FOR EACH ROW WHEN (NEW.type NOT IN ('payment_link.created', 'tokenization.created')) EXECUTE FUNCTION tell_change();
