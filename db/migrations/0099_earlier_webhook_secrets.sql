ALTER TABLE "webhook_endpoints" ADD COLUMN "earlier_secret" text;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "earlier_until" timestamp (6) with time zone;