-- kutip: batches
-- Customers of the records from before. Each batch looks for records without a customer, then takes the whole history of their addresses.
INSERT INTO customers (business_id, mode, id, email, phone_no, created_at, updated_at)
WITH missing AS MATERIALIZED (
  SELECT * FROM (
    SELECT business_id, mode, email FROM payment_links
    UNION ALL SELECT business_id, mode, email FROM tokenizations
    UNION ALL SELECT business_id, mode, email FROM subscriptions
  ) r WHERE r.email <> 'erased@payer.invalid'
    AND NOT EXISTS (SELECT FROM customers c WHERE c.business_id = r.business_id AND c.mode = r.mode AND lower(c.email) = lower(r.email))
  LIMIT 10000
), addresses AS MATERIALIZED (
  SELECT DISTINCT business_id, mode, lower(email) AS address FROM missing
), records AS (
  SELECT a.*, r.email, r.phone_no, r.created_at FROM addresses a, LATERAL (
    SELECT email, phone_no, created_at FROM payment_links WHERE business_id = a.business_id AND mode = a.mode AND lower(email) = a.address AND deleted_at IS NULL
    UNION ALL SELECT email, phone_no, created_at FROM payment_links WHERE business_id = a.business_id AND mode = a.mode AND lower(email) = a.address AND deleted_at IS NOT NULL
    UNION ALL SELECT email, phone_no, created_at FROM tokenizations WHERE business_id = a.business_id AND mode = a.mode AND lower(email) = a.address AND status = 'active'
    UNION ALL SELECT email, phone_no, created_at FROM tokenizations WHERE business_id = a.business_id AND mode = a.mode AND lower(email) = a.address AND status <> 'active'
    UNION ALL SELECT email, phone_no, created_at FROM subscriptions WHERE business_id = a.business_id AND mode = a.mode AND lower(email) = a.address
  ) r
)
SELECT business_id, mode, customer_id(min(created_at)), (array_agg(email ORDER BY created_at))[1],
  (array_agg(phone_no ORDER BY created_at DESC) FILTER (WHERE phone_no IS NOT NULL))[1], min(created_at), min(created_at)
FROM records GROUP BY business_id, mode, address ORDER BY business_id, mode, address
ON CONFLICT (business_id, mode, lower(email)) DO NOTHING;
