ALTER TABLE "batches" VALIDATE CONSTRAINT "batches_postpone_days";
