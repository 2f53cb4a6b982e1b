ALTER TABLE "payments" VALIDATE CONSTRAINT "payments_dispute_status_known";
