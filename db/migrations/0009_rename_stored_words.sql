ALTER TABLE "payments" DROP CONSTRAINT "payments_by_hand";--> statement-breakpoint
UPDATE "payments" SET "gateway" = 'manual' WHERE "gateway" = 'by_hand';--> statement-breakpoint
UPDATE "refunds" SET "gateway" = 'manual' WHERE "gateway" = 'by_hand';--> statement-breakpoint
UPDATE "payments" SET "flags" = array_replace(array_replace("flags", 'mismatch', 'amount_mismatch'), 'closed', 'resolved') WHERE "flags" && array['mismatch', 'closed'];--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_manual" CHECK (("payments"."gateway" = 'manual') = ("payments"."method" is not null));