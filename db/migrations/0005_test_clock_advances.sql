ALTER TABLE "test_clocks" ADD COLUMN "advance_from" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "test_clocks" ADD COLUMN "advance_requested_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "test_clocks" ADD COLUMN "advance_periods" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "test_clocks" ADD COLUMN "advance_paused_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "test_clocks" ADD COLUMN "next_slice_at" timestamp (6) with time zone;--> statement-breakpoint
CREATE INDEX "test_clocks_advancing" ON "test_clocks" USING btree ("business_id","advance_requested_at","id") WHERE "test_clocks"."advancing_to" is not null and "test_clocks"."deleted_at" is null;