ALTER TABLE "batch_items" ADD COLUMN "previous_due_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "batch_items" ADD COLUMN "postponed_at" timestamp (6) with time zone;
