CREATE TRIGGER keep_customers AFTER INSERT ON payment_links REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_customers();
--> statement-breakpoint
CREATE TRIGGER keep_customer AFTER UPDATE OF email ON payment_links FOR EACH ROW
WHEN (lower(OLD.email) IS DISTINCT FROM lower(NEW.email) AND NEW.email <> 'erased@payer.invalid')
EXECUTE FUNCTION keep_customer();
