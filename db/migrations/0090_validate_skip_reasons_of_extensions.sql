ALTER TABLE "batch_items" VALIDATE CONSTRAINT "batch_items_reason_known";
