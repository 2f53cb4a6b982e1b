ALTER TABLE "businesses" ADD COLUMN "reminders" jsonb DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE "businesses" ADD COLUMN "reminders_since" timestamp (6) with time zone;