CREATE TABLE "directory" (
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"business_id" integer NOT NULL,
	"mode" text,
	CONSTRAINT "directory_key_kind_pk" PRIMARY KEY("key","kind"),
	CONSTRAINT "directory_kind_known" CHECK ("directory"."kind" in ('api_key', 'gateway_connection', 'invitation', 'payment', 'payment_link', 'tokenization')),
	CONSTRAINT "directory_mode_known" CHECK ("directory"."mode" in ('test', 'live'))
);
--> statement-breakpoint
ALTER TABLE "subscription_periods" DROP CONSTRAINT "subscription_periods_days";
--> statement-breakpoint
ALTER TABLE "invitations" DROP CONSTRAINT "invitations_business_id_businesses_id_fk";
--> statement-breakpoint
DROP INDEX "gateway_connections_id";
--> statement-breakpoint
DROP INDEX "mails_once";
--> statement-breakpoint
DROP INDEX "payment_links_id";
--> statement-breakpoint
DROP INDEX "payments_id";
--> statement-breakpoint
DROP INDEX "tokenizations_id";
--> statement-breakpoint
DROP INDEX "webhook_deliveries_once";
--> statement-breakpoint
DROP INDEX "api_keys_digest";
--> statement-breakpoint
DROP INDEX "invitations_digest";
--> statement-breakpoint
DROP INDEX "invitations_link_digest";
--> statement-breakpoint
DROP INDEX "tokenizations_digest";
--> statement-breakpoint
ALTER TABLE "mails" DROP CONSTRAINT "mails_id_pk";
--> statement-breakpoint
ALTER TABLE "invitations" DROP CONSTRAINT "invitations_pkey";
--> statement-breakpoint
-- What belongs to no business is kept under 0, since a key cannot be null.
UPDATE "mails" SET "business_id" = 0 WHERE "business_id" IS NULL;
--> statement-breakpoint
UPDATE "invitations" SET "business_id" = 0 WHERE "business_id" IS NULL;
--> statement-breakpoint
-- One statement for each table: PostgreSQL then reads or rewrites it once.
ALTER TABLE "mails" ALTER COLUMN "business_id" SET NOT NULL,
  ADD CONSTRAINT "mails_business_id_id_pk" PRIMARY KEY("business_id","id"),
  ADD CONSTRAINT "mails_mode_known" CHECK ("mails"."mode" in ('test', 'live')),
  ADD CONSTRAINT "mails_status_known" CHECK ("mails"."status" in ('queued', 'waiting', 'sent', 'kept', 'failed', 'unknown'));
--> statement-breakpoint
ALTER TABLE "payment_links" ALTER COLUMN "period_start" SET DATA TYPE date USING "period_start"::date,
  ALTER COLUMN "period_end" SET DATA TYPE date USING "period_end"::date,
  ADD CONSTRAINT "payment_links_mode_known" CHECK ("payment_links"."mode" in ('test', 'live')),
  ADD CONSTRAINT "payment_links_status_known" CHECK ("payment_links"."status" in ('Active', 'Processing', 'Paid', 'Expired', 'Cancelled'));
--> statement-breakpoint
ALTER TABLE "payments" ALTER COLUMN "period_start" SET DATA TYPE date USING "period_start"::date,
  ADD CONSTRAINT "payments_mode_known" CHECK ("payments"."mode" in ('test', 'live')),
  ADD CONSTRAINT "payments_status_known" CHECK ("payments"."status" in ('submitting', 'requires_action', 'pending', 'unknown', 'succeeded', 'failed', 'cancelled', 'partially_refunded', 'refunded', 'disputed')),
  ADD CONSTRAINT "payments_decline_known" CHECK ("payments"."decline" in ('soft', 'hard', 'needs_payer')),
  ADD CONSTRAINT "payments_method_known" CHECK ("payments"."method" in ('cash', 'bank_transfer', 'other'));
--> statement-breakpoint
ALTER TABLE "subscription_periods" ALTER COLUMN "period_start" SET DATA TYPE date USING "period_start"::date,
  ALTER COLUMN "period_end" SET DATA TYPE date USING "period_end"::date,
  ADD CONSTRAINT "subscription_periods_mode_known" CHECK ("subscription_periods"."mode" in ('test', 'live')),
  ADD CONSTRAINT "subscription_periods_state_known" CHECK ("subscription_periods"."state" in ('due', 'charging', 'open', 'paid', 'void')),
  ADD CONSTRAINT "subscription_periods_days" CHECK ("subscription_periods"."period_end" >= "subscription_periods"."period_start");
--> statement-breakpoint
ALTER TABLE "subscriptions" ALTER COLUMN "current_period_start" SET DATA TYPE date USING "current_period_start"::date,
  ALTER COLUMN "current_period_end" SET DATA TYPE date USING "current_period_end"::date,
  ADD CONSTRAINT "subscriptions_mode_known" CHECK ("subscriptions"."mode" in ('test', 'live')),
  ADD CONSTRAINT "subscriptions_status_known" CHECK ("subscriptions"."status" in ('created', 'active', 'past_due', 'halted', 'cancel'));
--> statement-breakpoint
ALTER TABLE "invitations" ALTER COLUMN "business_id" SET NOT NULL,
  ADD CONSTRAINT "invitations_business_id_id_pk" PRIMARY KEY("business_id","id"),
  ADD CONSTRAINT "invitations_role_known" CHECK ("invitations"."role" in ('owner', 'admin', 'staff', 'viewer'));
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_mode_known" CHECK ("api_keys"."mode" in ('test', 'live'));
--> statement-breakpoint
ALTER TABLE "business_logos" ADD CONSTRAINT "business_logos_type_known" CHECK ("business_logos"."type" in ('image/png', 'image/jpeg', 'image/webp'));
--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_role_known" CHECK ("memberships"."role" in ('owner', 'admin', 'staff', 'viewer'));
--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_mode_known" CHECK ("events"."mode" in ('test', 'live'));
--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_mode_known" CHECK ("idempotency_keys"."mode" in ('test', 'live'));
--> statement-breakpoint
ALTER TABLE "gateway_connections" ADD CONSTRAINT "gateway_connections_mode_known" CHECK ("gateway_connections"."mode" in ('test', 'live'));
--> statement-breakpoint
ALTER TABLE "packages" ADD CONSTRAINT "packages_mode_known" CHECK ("packages"."mode" in ('test', 'live')),
  ADD CONSTRAINT "packages_frequency_known" CHECK ("packages"."frequency" in ('daily', 'weekly', 'biweekly', 'monthly', 'quarterly', 'half_yearly', 'yearly')),
  ADD CONSTRAINT "packages_status_known" CHECK ("packages"."status" in ('active', 'cancel'));
--> statement-breakpoint
ALTER TABLE "gateway_events" ADD CONSTRAINT "gateway_events_state_known" CHECK ("gateway_events"."state" in ('new', 'done', 'unmatched', 'quarantined'));
--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_mode_known" CHECK ("ledger_entries"."mode" in ('test', 'live')),
  ADD CONSTRAINT "ledger_entries_kind_known" CHECK ("ledger_entries"."kind" in ('gross', 'fee', 'refund', 'dispute')),
  ADD CONSTRAINT "ledger_entries_account_known" CHECK ("ledger_entries"."account" in ('gateway', 'manual', 'sales', 'refunds', 'disputes', 'fees', 'by_hand'));
--> statement-breakpoint
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_mode_known" CHECK ("refunds"."mode" in ('test', 'live')),
  ADD CONSTRAINT "refunds_status_known" CHECK ("refunds"."status" in ('submitting', 'pending', 'unknown', 'succeeded', 'failed'));
--> statement-breakpoint
ALTER TABLE "request_log" ADD CONSTRAINT "request_log_mode_known" CHECK ("request_log"."mode" in ('test', 'live'));
--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_mode_known" CHECK ("audit_entries"."mode" in ('test', 'live'));
--> statement-breakpoint
ALTER TABLE "test_clocks" ADD CONSTRAINT "test_clocks_mode_known" CHECK ("test_clocks"."mode" in ('test', 'live'));
--> statement-breakpoint
ALTER TABLE "tokenizations" ADD CONSTRAINT "tokenizations_mode_known" CHECK ("tokenizations"."mode" in ('test', 'live')),
  ADD CONSTRAINT "tokenizations_status_known" CHECK ("tokenizations"."status" in ('pending', 'active', 'revoked', 'expired'));
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_mode_known" CHECK ("webhook_deliveries"."mode" in ('test', 'live')),
  ADD CONSTRAINT "webhook_deliveries_status_known" CHECK ("webhook_deliveries"."status" in ('pending', 'delivered', 'failed', 'stopped'));
--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_mode_known" CHECK ("webhook_endpoints"."mode" in ('test', 'live')),
  ADD CONSTRAINT "webhook_endpoints_disabled_reason_known" CHECK ("webhook_endpoints"."disabled_reason" in ('gone'));
--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_digest" ON "api_keys" USING btree ("business_id","digest");
--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_digest" ON "invitations" USING btree ("business_id","digest");
--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_link_digest" ON "invitations" USING btree ("business_id","link_digest");
--> statement-breakpoint
CREATE UNIQUE INDEX "tokenizations_digest" ON "tokenizations" USING btree ("business_id","token_digest");
--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "packages" ADD CONSTRAINT "packages_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "payment_links" ADD CONSTRAINT "payment_links_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action,
  ADD CONSTRAINT "payment_links_business_id_subscription_id_subscriptions_business_id_id_fk" FOREIGN KEY ("business_id","subscription_id") REFERENCES "public"."subscriptions"("business_id","id") ON DELETE no action ON UPDATE no action,
  ADD CONSTRAINT "payment_links_business_id_test_clock_id_test_clocks_business_id_id_fk" FOREIGN KEY ("business_id","test_clock_id") REFERENCES "public"."test_clocks"("business_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "gateway_events" ADD CONSTRAINT "gateway_events_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action,
  ADD CONSTRAINT "gateway_events_business_id_connection_id_gateway_connections_business_id_id_fk" FOREIGN KEY ("business_id","connection_id") REFERENCES "public"."gateway_connections"("business_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_business_id_subscription_id_subscriptions_business_id_id_fk" FOREIGN KEY ("business_id","subscription_id") REFERENCES "public"."subscriptions"("business_id","id") ON DELETE no action ON UPDATE no action,
  ADD CONSTRAINT "payments_business_id_connection_id_gateway_connections_business_id_id_fk" FOREIGN KEY ("business_id","connection_id") REFERENCES "public"."gateway_connections"("business_id","id") ON DELETE no action ON UPDATE no action,
  ADD CONSTRAINT "payments_business_id_test_clock_id_test_clocks_business_id_id_fk" FOREIGN KEY ("business_id","test_clock_id") REFERENCES "public"."test_clocks"("business_id","id") ON DELETE no action ON UPDATE no action,
  ADD CONSTRAINT "payments_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_business_id_connection_id_gateway_connections_business_id_id_fk" FOREIGN KEY ("business_id","connection_id") REFERENCES "public"."gateway_connections"("business_id","id") ON DELETE no action ON UPDATE no action,
  ADD CONSTRAINT "refunds_business_id_test_clock_id_test_clocks_business_id_id_fk" FOREIGN KEY ("business_id","test_clock_id") REFERENCES "public"."test_clocks"("business_id","id") ON DELETE no action ON UPDATE no action,
  ADD CONSTRAINT "refunds_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "request_log" ADD CONSTRAINT "request_log_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "subscription_periods" ADD CONSTRAINT "subscription_periods_business_id_payment_id_payments_business_id_id_fk" FOREIGN KEY ("business_id","payment_id") REFERENCES "public"."payments"("business_id","id") ON DELETE no action ON UPDATE no action,
  ADD CONSTRAINT "subscription_periods_business_id_payment_link_id_payment_links_business_id_id_fk" FOREIGN KEY ("business_id","payment_link_id") REFERENCES "public"."payment_links"("business_id","id") ON DELETE no action ON UPDATE no action,
  ADD CONSTRAINT "subscription_periods_business_id_test_clock_id_test_clocks_business_id_id_fk" FOREIGN KEY ("business_id","test_clock_id") REFERENCES "public"."test_clocks"("business_id","id") ON DELETE no action ON UPDATE no action,
  ADD CONSTRAINT "subscription_periods_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "audit_heads" ADD CONSTRAINT "audit_heads_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "test_clocks" ADD CONSTRAINT "test_clocks_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tokenizations" ADD CONSTRAINT "tokenizations_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action,
  ADD CONSTRAINT "tokenizations_business_id_connection_id_gateway_connections_business_id_id_fk" FOREIGN KEY ("business_id","connection_id") REFERENCES "public"."gateway_connections"("business_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
-- Payments refer to links too. The schema in TypeScript cannot hold references in both directions.
ALTER TABLE "payment_links" ADD CONSTRAINT "payment_links_open_payment" FOREIGN KEY ("business_id","open_payment_id") REFERENCES "public"."payments"("business_id","id");
--> statement-breakpoint
INSERT INTO "directory" ("kind", "key", "business_id", "mode")
SELECT 'payment_link', id, business_id, mode FROM payment_links
UNION ALL SELECT 'payment', id, business_id, mode FROM payments
UNION ALL SELECT 'tokenization', id, business_id, mode FROM tokenizations
UNION ALL SELECT 'tokenization', token_digest, business_id, mode FROM tokenizations
UNION ALL SELECT 'api_key', digest, business_id, mode FROM api_keys
UNION ALL SELECT 'gateway_connection', id, business_id, mode FROM gateway_connections
UNION ALL SELECT 'invitation', digest, business_id, NULL FROM invitations
UNION ALL SELECT 'invitation', link_digest, business_id, NULL FROM invitations WHERE link_digest IS NOT NULL;
