-- kutip: batches
-- Before, only the message said how a dispute had ended. What it does not say clearly counts as open until the gateway is asked again.
UPDATE "payments" SET "dispute_status" = CASE WHEN "message" LIKE 'The payer''s bank has kept the money%' THEN 'lost' ELSE 'open' END
WHERE ("business_id", "id") IN (
  SELECT "business_id", "id" FROM "payments" WHERE "status" = 'disputed' AND "dispute_status" IS NULL LIMIT 1000
);
