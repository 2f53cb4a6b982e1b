-- Apart from the triggers of links: a writer of both tables never waits for two locks of one migration.
CREATE FUNCTION count_added_payments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_counts (business_id, mode, status, currency, count, amount)
  SELECT business_id, mode, status, currency, count(*), sum(amount) FROM added GROUP BY 1, 2, 3, 4;
  INSERT INTO payment_sums (business_id, mode, kind, start, currency, count, amount)
  SELECT business_id, mode, 'collected', date_bin('15 minutes', succeeded_at, '2000-01-01Z') AS start, currency, count(*), sum(amount - refunded_amount)
  FROM added WHERE status IN ('succeeded', 'partially_refunded', 'refunded') AND succeeded_at IS NOT NULL GROUP BY 1, 2, 4, 5
  UNION ALL SELECT business_id, mode, 'failed', date_bin('15 minutes', created_at, '2000-01-01Z') AS start, currency, count(*), sum(amount)
  FROM added WHERE status = 'failed' GROUP BY 1, 2, 4, 5;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION count_removed_payments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_counts (business_id, mode, status, currency, count, amount)
  SELECT business_id, mode, status, currency, -count(*), -sum(amount) FROM removed GROUP BY 1, 2, 3, 4;
  INSERT INTO payment_sums (business_id, mode, kind, start, currency, count, amount)
  SELECT business_id, mode, 'collected', date_bin('15 minutes', succeeded_at, '2000-01-01Z') AS start, currency, -count(*), -sum(amount - refunded_amount)
  FROM removed WHERE status IN ('succeeded', 'partially_refunded', 'refunded') AND succeeded_at IS NOT NULL GROUP BY 1, 2, 4, 5
  UNION ALL SELECT business_id, mode, 'failed', date_bin('15 minutes', created_at, '2000-01-01Z') AS start, currency, -count(*), -sum(amount)
  FROM removed WHERE status = 'failed' GROUP BY 1, 2, 4, 5;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION count_changed_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_counts (business_id, mode, status, currency, count, amount)
  VALUES (OLD.business_id, OLD.mode, OLD.status, OLD.currency, -1, -OLD.amount),
    (NEW.business_id, NEW.mode, NEW.status, NEW.currency, 1, NEW.amount);
  INSERT INTO payment_sums (business_id, mode, kind, start, currency, count, amount)
  SELECT business_id, mode, CASE status WHEN 'failed' THEN 'failed' ELSE 'collected' END,
    date_bin('15 minutes', CASE status WHEN 'failed' THEN created_at ELSE succeeded_at END, '2000-01-01Z'), currency, count,
    count * CASE status WHEN 'failed' THEN amount ELSE amount - refunded_amount END
  FROM (VALUES
    (OLD.business_id, OLD.mode, OLD.status, OLD.created_at, OLD.succeeded_at, OLD.currency, -1, OLD.amount, OLD.refunded_amount),
    (NEW.business_id, NEW.mode, NEW.status, NEW.created_at, NEW.succeeded_at, NEW.currency, 1, NEW.amount, NEW.refunded_amount)
  ) changes (business_id, mode, status, created_at, succeeded_at, currency, count, amount, refunded_amount)
  WHERE status = 'failed' OR (status IN ('succeeded', 'partially_refunded', 'refunded') AND succeeded_at IS NOT NULL);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_added_payments AFTER INSERT ON payments REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_payments();
--> statement-breakpoint
CREATE TRIGGER count_removed_payments AFTER DELETE ON payments REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed_payments();
--> statement-breakpoint
CREATE TRIGGER count_changed_payment AFTER UPDATE ON payments FOR EACH ROW
WHEN ((OLD.business_id, OLD.mode, OLD.status, OLD.currency, OLD.amount, OLD.refunded_amount, OLD.succeeded_at, OLD.created_at) IS DISTINCT FROM (NEW.business_id, NEW.mode, NEW.status, NEW.currency, NEW.amount, NEW.refunded_amount, NEW.succeeded_at, NEW.created_at))
EXECUTE FUNCTION count_changed_payment();
