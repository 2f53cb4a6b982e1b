ALTER TABLE "gateway_events" ADD COLUMN "about" text DEFAULT 'payment' NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway_events" ADD COLUMN "dispute_change" text;--> statement-breakpoint
ALTER TABLE "gateway_events" ADD CONSTRAINT "gateway_events_about_known" CHECK ("gateway_events"."about" in ('payment', 'refund', 'dispute', 'nothing'));--> statement-breakpoint
ALTER TABLE "gateway_events" ADD CONSTRAINT "gateway_events_dispute_change_known" CHECK ("gateway_events"."dispute_change" in ('withdrawn', 'reinstated', 'closed'));--> statement-breakpoint
UPDATE "gateway_events" SET
  "about" = CASE WHEN "type" ~ 'dispute' THEN 'dispute' WHEN "type" ~ 'refund' THEN 'refund' ELSE 'payment' END,
  "dispute_change" = CASE
    WHEN "type" ~ 'dispute.*withdrawn' THEN 'withdrawn'
    WHEN "type" ~ 'dispute.*reinstated' THEN 'reinstated'
    WHEN "type" ~ 'dispute.*closed' THEN 'closed'
  END
WHERE "type" ~ 'refund|dispute';
