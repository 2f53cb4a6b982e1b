ALTER TABLE "simulator"."sessions" ADD COLUMN "link_id" text;--> statement-breakpoint
ALTER TABLE "simulator"."sessions" ADD COLUMN "subscription_id" text;