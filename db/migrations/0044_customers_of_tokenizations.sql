-- Apart from the triggers of links: a writer of both tables never waits for two locks of one migration.
CREATE TRIGGER keep_customers AFTER INSERT ON tokenizations REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_customers();
--> statement-breakpoint
CREATE TRIGGER keep_customer AFTER UPDATE OF email ON tokenizations FOR EACH ROW
WHEN (lower(OLD.email) IS DISTINCT FROM lower(NEW.email) AND NEW.email <> 'erased@payer.invalid')
EXECUTE FUNCTION keep_customer();
