ALTER TABLE "batches" VALIDATE CONSTRAINT "batches_extend_days";
