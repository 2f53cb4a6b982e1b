-- A version that knows no `net` books a fee without it, beside newer ones and after going back. The search reads it.
CREATE FUNCTION note_net() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payments SET net = amount - NEW.amount
  WHERE business_id = NEW.business_id AND id = NEW.payment_id AND currency = NEW.currency AND net IS NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER note_net AFTER INSERT ON ledger_entries FOR EACH ROW
WHEN (NEW.kind = 'fee' AND NEW.account = 'fees' AND NEW.posting_id = 'fee:' || NEW.payment_id) EXECUTE FUNCTION note_net();
