-- Adds what the counts lack. One snapshot shows links and counts alike, so what is written meanwhile is counted once, by the triggers.
INSERT INTO payment_link_stages (business_id, mode, start, currency, created, mailed, opened, tried, paid)
SELECT business_id, mode, start, currency, sum(created), sum(mailed), sum(opened), sum(tried), sum(paid) FROM (
  SELECT business_id, mode, date_bin('15 minutes', created_at, '2000-01-01Z') AS start, currency, count(*) AS created, count(*) FILTER (WHERE mailed) AS mailed,
    count(first_opened_at) AS opened, count(*) FILTER (WHERE tried) AS tried, count(*) FILTER (WHERE status = 'Paid') AS paid
  FROM payment_links WHERE deleted_at IS NULL GROUP BY 1, 2, 3, 4
  UNION ALL SELECT business_id, mode, start, currency, -created, -mailed, -opened, -tried, -paid FROM payment_link_stages WHERE span = 'quarter'
) missing GROUP BY 1, 2, 3, 4
HAVING sum(created) <> 0 OR sum(mailed) <> 0 OR sum(opened) <> 0 OR sum(tried) <> 0 OR sum(paid) <> 0;
