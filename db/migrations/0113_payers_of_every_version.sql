-- A version that keeps no `payer_since` gives a subscription another payer without it. What they had saved for something else is not charged for it.
CREATE FUNCTION note_payer_since() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.payer_since := greatest(OLD.payer_since, clock_timestamp());
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER note_payer_since BEFORE UPDATE OF email ON subscriptions FOR EACH ROW
WHEN (lower(NEW.email) <> lower(OLD.email) AND NEW.payer_since IS NOT DISTINCT FROM OLD.payer_since) EXECUTE FUNCTION note_payer_since();
