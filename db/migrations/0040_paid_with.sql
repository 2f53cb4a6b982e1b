-- NOT VALID, so that no row is read under the lock; a later migration reads them.
ALTER TABLE "payments" ADD COLUMN "paid_with" text;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_paid_with_length" CHECK (char_length("payments"."paid_with") <= 50) NOT VALID;
