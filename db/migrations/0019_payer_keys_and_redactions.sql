CREATE TABLE "payer_keys" (
	"business_id" integer NOT NULL,
	"id" text NOT NULL,
	"payer" text NOT NULL,
	"key" text NOT NULL,
	CONSTRAINT "payer_keys_business_id_id_pk" PRIMARY KEY("business_id","id")
);
--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "redacted_by" bigint;--> statement-breakpoint
ALTER TABLE "payer_keys" ADD CONSTRAINT "payer_keys_business_id_businesses_id_fk" FOREIGN KEY ("business_id") REFERENCES "public"."businesses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payer_keys_payer" ON "payer_keys" USING btree ("business_id","payer","id");