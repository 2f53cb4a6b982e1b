-- NOT VALID, so that no row is read under the lock; a later migration reads them.
ALTER TABLE "payments" ADD COLUMN "dispute_status" text;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_dispute_status_known" CHECK ("payments"."dispute_status" in ('open', 'lost', 'won')) NOT VALID;
