-- kutip: batches
-- Links from before that were mailed or tried. Their mails are known as long as the install keeps mails.
UPDATE payment_links l SET
  tried = tried OR EXISTS (SELECT FROM payments p WHERE p.business_id = l.business_id AND p.payment_link_id = l.id),
  mailed = mailed OR EXISTS (
    SELECT FROM mails m WHERE m.business_id = l.business_id AND m.object_id = l.id AND m.status = 'sent'
      AND m.kind IN ('payment_link', 'payment_reminder', 'payment_due', 'payment_overdue', 'payment_failed', 'subscription_halted'))
WHERE (business_id, id) IN (
  SELECT * FROM (SELECT t.business_id, t.id FROM payments p JOIN payment_links t ON t.business_id = p.business_id AND t.id = p.payment_link_id
    WHERE NOT t.tried LIMIT 5000) attempted
  UNION SELECT * FROM (SELECT t.business_id, t.id FROM mails m JOIN payment_links t ON t.business_id = m.business_id AND t.id = m.object_id
    WHERE NOT t.mailed AND m.status = 'sent'
      AND m.kind IN ('payment_link', 'payment_reminder', 'payment_due', 'payment_overdue', 'payment_failed', 'subscription_halted') LIMIT 5000) sent
);
