ALTER TABLE "audit_heads" ADD COLUMN "seal" text;--> statement-breakpoint
-- Each log begins with its business from now on, and a business without a log is a fault. Those whose log was still empty are marked as empty.
INSERT INTO "audit_heads" ("business_id", "seq", "hash")
SELECT b."id", 0, '' FROM "businesses" b
WHERE NOT EXISTS (SELECT FROM "audit_entries" e WHERE e."business_id" = b."id")
ON CONFLICT DO NOTHING;
