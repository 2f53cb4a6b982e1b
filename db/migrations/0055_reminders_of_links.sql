ALTER TABLE "payment_links" ADD COLUMN "reminders" jsonb;--> statement-breakpoint
ALTER TABLE "payment_links" ADD COLUMN "default_reminders" jsonb;--> statement-breakpoint
ALTER TABLE "payment_links" ADD COLUMN "next_reminder_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "payment_links" ADD COLUMN "reminders_done" text[];