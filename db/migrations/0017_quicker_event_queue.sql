-- Only the trigger of events inserts here, and events refer to businesses already: each event checked that reference up to three times.
ALTER TABLE "event_queue" DROP CONSTRAINT "event_queue_business_id_businesses_id_fk";
--> statement-breakpoint
-- One plain insert for each consumer costs half of what a query over a list of them does.
CREATE OR REPLACE FUNCTION queue_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_queue (consumer, business_id, event_id) VALUES ('webhooks', NEW.business_id, NEW.id);
  IF NEW.mail IS NOT NULL THEN
    INSERT INTO event_queue (consumer, business_id, event_id) VALUES ('mails', NEW.business_id, NEW.id);
  END IF;
  IF NEW.type IN ('payment.succeeded', 'payment.failed', 'payment_link.paid', 'tokenization.activated') THEN
    INSERT INTO event_queue (consumer, business_id, event_id) VALUES ('subscriptions', NEW.business_id, NEW.id);
  END IF;
  RETURN NULL;
END $$;
