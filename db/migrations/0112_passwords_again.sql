-- kutip: batches
-- Of plugins that were written without the trigger. What was shown before the keys were replaced opens nothing any more.
UPDATE integrations i SET password_shown_to = i.password_shown_to || e.actor_id
FROM audit_entries e
WHERE e.business_id = i.business_id AND e.object_id = i.id AND e.action IN ('createIntegration', 'renewIntegrationPassword') AND e.actor_kind = 'person'
  AND NOT e.actor_id = ANY (i.password_shown_to) AND e.created_at > coalesce(i.keys_replaced_at, '-infinity')
  AND (i.business_id, i.id) IN (
    SELECT o.business_id, o.id FROM audit_entries a JOIN integrations o ON o.business_id = a.business_id AND o.id = a.object_id
    WHERE a.action IN ('createIntegration', 'renewIntegrationPassword') AND a.actor_kind = 'person' AND NOT a.actor_id = ANY (o.password_shown_to)
      AND a.created_at > coalesce(o.keys_replaced_at, '-infinity') LIMIT 1000
  );
