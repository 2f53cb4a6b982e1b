ALTER TABLE "batches" VALIDATE CONSTRAINT "batches_file_name_length";
