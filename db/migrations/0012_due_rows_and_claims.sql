CREATE TABLE "event_queue" (
	"consumer" text NOT NULL,
	"business_id" integer NOT NULL,
	"due_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"event_id" text NOT NULL,
	"leased_by" text,
	"leased_until" timestamp (6) with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "event_queue_consumer_business_id_due_at_event_id_pk" PRIMARY KEY("consumer","business_id","due_at","event_id"),
	CONSTRAINT "event_queue_consumer_known" CHECK ("event_queue"."consumer" in ('webhooks', 'mails', 'subscriptions'))
);
--> statement-breakpoint
CREATE FUNCTION queue_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_queue (consumer, business_id, event_id)
  SELECT consumer, NEW.business_id, NEW.id FROM (VALUES
    ('webhooks', true),
    ('mails', NEW.mail IS NOT NULL),
    ('subscriptions', NEW.type IN ('payment.succeeded', 'payment.failed', 'payment_link.paid', 'tokenization.activated'))
  ) AS consumers (consumer, wanted) WHERE wanted;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER events_queued AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION queue_event();
--> statement-breakpoint
-- What the readers of the event log had not read yet.
INSERT INTO event_queue (consumer, business_id, event_id)
SELECT consumers.consumer, e.business_id, e.id
FROM (VALUES ('webhooks', 'webhooks'), ('mails', 'mail'), ('subscriptions', 'subscriptions')) AS consumers (consumer, reader)
LEFT JOIN event_cursors c ON c.reader = consumers.reader
JOIN events e ON (e.xid, e.seq) > (coalesce(c.xid, '0'), coalesce(c.seq, 0))
WHERE consumers.consumer = 'webhooks'
  OR (consumers.consumer = 'mails' AND e.mail IS NOT NULL)
  OR (consumers.consumer = 'subscriptions' AND e.type IN ('payment.succeeded', 'payment.failed', 'payment_link.paid', 'tokenization.activated'));
--> statement-breakpoint
ALTER TABLE "event_cursors" DISABLE ROW LEVEL SECURITY;--> statement-breakpoint
DROP TABLE "event_cursors" CASCADE;--> statement-breakpoint
DROP INDEX "events_followed";--> statement-breakpoint
DROP INDEX "events_log";--> statement-breakpoint
DROP INDEX "events_outbox";--> statement-breakpoint
DROP INDEX "mails_due";--> statement-breakpoint
DROP INDEX "payment_links_expiry";--> statement-breakpoint
DROP INDEX "gateway_events_due";--> statement-breakpoint
DROP INDEX "payments_due";--> statement-breakpoint
DROP INDEX "refunds_due";--> statement-breakpoint
DROP INDEX "simulator"."callbacks_due";--> statement-breakpoint
DROP INDEX "simulator"."refunds_settling";--> statement-breakpoint
DROP INDEX "simulator"."sessions_settling";--> statement-breakpoint
DROP INDEX "simulator"."sessions_expiring";--> statement-breakpoint
DROP INDEX "subscription_periods_due";--> statement-breakpoint
DROP INDEX "tokenizations_expiry";--> statement-breakpoint
DROP INDEX "tokenizations_due";--> statement-breakpoint
ALTER TABLE "mails" ADD COLUMN "leased_by" text;--> statement-breakpoint
ALTER TABLE "mails" ADD COLUMN "fence" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "mails" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "payment_links" ADD COLUMN "leased_by" text;--> statement-breakpoint
ALTER TABLE "payment_links" ADD COLUMN "leased_until" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "payment_links" ADD COLUMN "fence" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "payment_links" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway_events" ADD COLUMN "leased_by" text;--> statement-breakpoint
ALTER TABLE "gateway_events" ADD COLUMN "leased_until" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "gateway_events" ADD COLUMN "fence" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway_events" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "leased_by" text;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "refunds" ADD COLUMN "leased_by" text;--> statement-breakpoint
ALTER TABLE "refunds" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "simulator"."callbacks" ADD COLUMN "leased_by" text;--> statement-breakpoint
ALTER TABLE "simulator"."callbacks" ADD COLUMN "leased_until" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "simulator"."callbacks" ADD COLUMN "fence" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "simulator"."callbacks" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "simulator"."refunds" ADD COLUMN "leased_by" text;--> statement-breakpoint
ALTER TABLE "simulator"."refunds" ADD COLUMN "leased_until" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "simulator"."refunds" ADD COLUMN "fence" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "simulator"."refunds" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "simulator"."sessions" ADD COLUMN "leased_by" text;--> statement-breakpoint
ALTER TABLE "simulator"."sessions" ADD COLUMN "leased_until" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "simulator"."sessions" ADD COLUMN "fence" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "simulator"."sessions" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "subscription_periods" ADD COLUMN "leased_by" text;--> statement-breakpoint
ALTER TABLE "subscription_periods" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "test_clocks" ADD COLUMN "leased_by" text;--> statement-breakpoint
ALTER TABLE "test_clocks" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tokenizations" ADD COLUMN "leased_by" text;--> statement-breakpoint
ALTER TABLE "tokenizations" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "fence" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "event_queue" ADD CONSTRAINT "event_queue_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mails_due_of" ON "mails" USING btree ("business_id","next_try_at") WHERE "mails"."next_try_at" is not null;--> statement-breakpoint
CREATE INDEX "payment_links_expiring" ON "payment_links" USING btree ("business_id","expires_at") WHERE "payment_links"."status" = 'Active' and "payment_links"."expires_at" is not null and "payment_links"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "gateway_events_due_of" ON "gateway_events" USING btree ("business_id","connection_id","next_try_at") WHERE "gateway_events"."next_try_at" is not null;--> statement-breakpoint
CREATE INDEX "payments_due_of" ON "payments" USING btree ("business_id",coalesce("connection_id", ''),"next_check_at") WHERE "payments"."next_check_at" is not null;--> statement-breakpoint
CREATE INDEX "refunds_due_of" ON "refunds" USING btree ("business_id",coalesce("connection_id", ''),"next_check_at") WHERE "refunds"."next_check_at" is not null;--> statement-breakpoint
CREATE INDEX "callbacks_due_of" ON "simulator"."callbacks" USING btree ("connection_id","due_at") WHERE "simulator"."callbacks"."delivered_at" is null;--> statement-breakpoint
CREATE INDEX "refunds_settling_of" ON "simulator"."refunds" USING btree ("connection_id","settles_at") WHERE "simulator"."refunds"."settles_at" is not null;--> statement-breakpoint
CREATE INDEX "sessions_settling_of" ON "simulator"."sessions" USING btree ("connection_id","settles_at") WHERE "simulator"."sessions"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "sessions_expiring_of" ON "simulator"."sessions" USING btree ("connection_id","expires_at") WHERE "simulator"."sessions"."state" = 'open';--> statement-breakpoint
CREATE INDEX "subscription_periods_due_of" ON "subscription_periods" USING btree ("business_id","next_attempt_at") WHERE "subscription_periods"."next_attempt_at" is not null and "subscription_periods"."test_clock_id" is null;--> statement-breakpoint
CREATE INDEX "tokenizations_expiring" ON "tokenizations" USING btree ("business_id","expires_at") WHERE "tokenizations"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "tokenizations_due_of" ON "tokenizations" USING btree ("business_id",coalesce("connection_id", ''),"next_check_at") WHERE "tokenizations"."next_check_at" is not null;