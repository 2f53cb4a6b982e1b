ALTER TABLE "payments" VALIDATE CONSTRAINT "payments_paid_with_length";
