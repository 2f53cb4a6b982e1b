ALTER TABLE "businesses" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "businesses" ADD COLUMN "changed_by" jsonb;--> statement-breakpoint
ALTER TABLE "businesses" ADD COLUMN "changed_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "packages" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "packages" ADD COLUMN "changed_by" jsonb;--> statement-breakpoint
ALTER TABLE "packages" ADD COLUMN "changed_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "payment_links" ADD COLUMN "changed_by" jsonb;--> statement-breakpoint
ALTER TABLE "payment_links" ADD COLUMN "changed_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "changed_by" jsonb;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "changed_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "changed_by" jsonb;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "changed_at" timestamp (6) with time zone;