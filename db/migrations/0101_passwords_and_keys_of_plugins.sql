ALTER TABLE "integrations" ADD COLUMN "password_shown_to" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "integrations" ADD COLUMN "keys_replaced_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "integrations" ADD COLUMN "keys_read_at" timestamp (6) with time zone;