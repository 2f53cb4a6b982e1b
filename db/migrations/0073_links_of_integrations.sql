ALTER TABLE "payment_links" ADD COLUMN "integration_id" text;--> statement-breakpoint
ALTER TABLE "payment_links" ADD CONSTRAINT "payment_links_integration_fk" FOREIGN KEY ("business_id","integration_id") REFERENCES "public"."integrations"("business_id","id") NOT VALID;
