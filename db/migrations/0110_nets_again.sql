-- kutip: batches
-- Those of payments that were settled without the trigger, after they were filled before.
UPDATE payments p SET net = p.amount - e.amount
FROM ledger_entries e
WHERE e.business_id = p.business_id AND e.posting_id = 'fee:' || p.id AND e.account = 'fees'
  AND (p.business_id, p.id) IN (
    SELECT l.business_id, l.payment_id FROM ledger_entries l JOIN payments o ON o.business_id = l.business_id AND o.id = l.payment_id AND o.currency = l.currency
    WHERE l.kind = 'fee' AND l.account = 'fees' AND l.posting_id = 'fee:' || l.payment_id AND o.net IS NULL LIMIT 5000
  );
