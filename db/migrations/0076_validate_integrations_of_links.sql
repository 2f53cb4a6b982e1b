ALTER TABLE "payment_links" VALIDATE CONSTRAINT "payment_links_integration_fk";
