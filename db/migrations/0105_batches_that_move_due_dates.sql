ALTER TABLE "batches" ADD COLUMN "postpone_days" integer;--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_postpone_days" CHECK ("batches"."postpone_days" is null or ("batches"."postpone_days" between 1 and 366 and "batches"."extend_days" is null and "batches"."expires_at" is not null)) NOT VALID;
