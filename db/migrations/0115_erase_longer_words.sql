-- An erasure takes longer words that hold the address along, such as a shop's reference `INV-17-ana@example.com`, where a record is the payer's own.
-- In records of others such a word stays: there `juliana@example.com` is another person. It is `erase_payer` as before besides, which now redacts
-- texts of packages and imports too. A later field with a free text replaces the function in this way.

-- An address in a text, its signs as they are or percent-encoded, once or several times.
CREATE OR REPLACE FUNCTION address_signs(address text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(CASE WHEN sign ~ '[[:alnum:]]' THEN sign ELSE '(\' || sign || '|%(25)*' || to_hex(ascii(sign)) || ')' END, '' ORDER BY place)
  FROM regexp_split_to_table(lower(address), '') WITH ORDINALITY AS signs(sign, place)
$$;
--> statement-breakpoint
-- The same, with the word that it is in.
CREATE OR REPLACE FUNCTION word_pattern(address text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT '((?<!%(25)*[[:xdigit:]]?|\\|\\u[[:xdigit:]]{0,3})([[:alnum:]._+-]|%(25)*(2[bde]|5f|[89a-f][[:xdigit:]]))+)?'
    || address_signs(address) || '([[:alnum:]_-]|\.[[:alnum:]])*'
$$;
--> statement-breakpoint
-- The same where it is no part of a longer address. In PL/pgSQL: servers of a cluster get it before the function that it calls.
CREATE OR REPLACE FUNCTION address_pattern(address text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN '((?<![[:alnum:]._+%-])|(?<=%(25)*[[:xdigit:]][[:xdigit:]])(?<!%(25)*(2[5bde]|5f))|(?<=\\([bfnrt]|u[[:xdigit:]]{4})))'
    || address_signs(address) || '(?![[:alnum:]-]|\.[[:alnum:]])';
END $$;
--> statement-breakpoint
-- As before, and a field that is an address is no longer word of another one.
CREATE OR REPLACE FUNCTION redact_json(content jsonb, address text, pattern text, own boolean) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE mine boolean := own;
BEGIN
  CASE jsonb_typeof(content)
    WHEN 'object' THEN
      IF jsonb_typeof(content -> 'email') = 'string' THEN mine := lower(content ->> 'email') = address; END IF;
      RETURN (SELECT coalesce(jsonb_object_agg(f.key, CASE
          WHEN mine AND f.key IN ('phone_no', 'payment_method') AND NOT f.value ? 'sealed' THEN 'null'::jsonb
          WHEN f.key = 'email' AND jsonb_typeof(f.value) = 'string' THEN redact_json(f.value, address, address_pattern(address), mine)
          ELSE redact_json(f.value, address, pattern, mine) END), '{}') FROM jsonb_each(content) f);
    WHEN 'array' THEN
      RETURN (SELECT coalesce(jsonb_agg(redact_json(i.value, address, pattern, mine) ORDER BY i.ordinality), '[]')
        FROM jsonb_array_elements(content) WITH ORDINALITY i);
    WHEN 'string' THEN RETURN to_jsonb(redact_text(content #>> '{}', pattern));
    ELSE RETURN content;
  END CASE;
END $$;
--> statement-breakpoint
-- Whether an event is about a payer: plain, as the oldest versions wrote it, or sealed under one of the keys.
CREATE OR REPLACE FUNCTION is_of_payer(event jsonb, address text, keys text[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(lower(event ->> 'email') = address OR left(event #>> '{email,sealed}', 24) = ANY(keys), false)
$$;
--> statement-breakpoint
-- Records are redacted where `erased_content` is given, which replaces the content of mails. `entry` is then who erases (`actor`); versions from before
-- give none. The audit log is redacted where `entry` is that of the erasure, which the caller has hashed, and which names the older entries that are
-- redacted here. The oldest versions give both at once. Later ones give the entry in a second call: the first one may take minutes, and others wait for
-- the log's end. Returns how many rows of each kind were changed.
CREATE OR REPLACE FUNCTION erase_payer(business integer, payer text, entry jsonb, erased_content text) RETURNS jsonb LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  address constant text := lower(payer);
  signs constant text := address_signs(payer);
  of_payer constant text := word_pattern(payer);
  of_others constant text := address_pattern(payer);
  in_files constant text := replace(of_others, '|\.[[:alnum:]])', ')');
  marker constant text := 'erased@payer.invalid';
  links text[]; subscribed text[]; methods text[]; paid text[]; records text[]; delivered text[]; named text[]; about text[];
  keys constant text[] := ARRAY(SELECT k.id FROM payer_keys k WHERE k.business_id = business AND k.payer = left(encode(sha256(convert_to('payer ' || business || ' ' || address, 'UTF8')), 'hex'), 24));
  redacted constant bigint[] := ARRAY(SELECT value::bigint FROM jsonb_array_elements_text((entry ->> 'details')::jsonb -> 'redacted'));
  eraser constant jsonb := coalesce(entry -> 'actor', '{"kind": "operator"}');
  counts jsonb := '{}'; changed integer;
BEGIN
  IF address !~ '^[^@[:space:]]+@[^@[:space:]]+$' OR address = marker THEN
    RAISE EXCEPTION 'not the address of a payer' USING ERRCODE = 'invalid_parameter_value';
  END IF;

  IF erased_content IS NOT NULL THEN
  -- The records, locked in the order of other writers: a payment that begins waits, and one that has begun is seen below.
  SELECT coalesce(array_agg(id), '{}') INTO subscribed FROM (SELECT id FROM subscriptions WHERE business_id = business AND lower(email) = address ORDER BY id FOR UPDATE) t;
  SELECT coalesce(array_agg(id), '{}') INTO methods FROM (SELECT id FROM tokenizations WHERE business_id = business AND lower(email) = address ORDER BY id FOR UPDATE) t;
  SELECT coalesce(array_agg(id), '{}') INTO links FROM (SELECT id FROM payment_links WHERE business_id = business AND lower(email) = address ORDER BY id FOR UPDATE) t;
  SELECT coalesce(array_agg(id), '{}') INTO paid FROM payments
    WHERE business_id = business AND (payment_link_id = ANY(links) OR subscription_id = ANY(subscribed) OR tokenization_id = ANY(methods));
  IF EXISTS (SELECT FROM payments WHERE business_id = business AND id = ANY(paid) AND (status IN ('submitting', 'requires_action', 'pending', 'unknown') OR (status = 'disputed' AND dispute_status IS DISTINCT FROM 'lost')))
    OR EXISTS (SELECT FROM refunds WHERE business_id = business AND payment_id = ANY(paid) AND status IN ('submitting', 'pending', 'unknown'))
    OR EXISTS (SELECT FROM subscriptions WHERE business_id = business AND id = ANY(subscribed) AND status <> 'cancel' AND deleted_at IS NULL)
    OR EXISTS (SELECT FROM tokenizations WHERE business_id = business AND id = ANY(methods) AND (status IN ('pending', 'active') OR attempt_at IS NOT NULL))
    OR EXISTS (SELECT FROM payment_links WHERE business_id = business AND id = ANY(links) AND status IN ('Active', 'Processing') AND subscription_id IS NULL AND deleted_at IS NULL)
  THEN
    RAISE EXCEPTION 'something of this payer is under way' USING ERRCODE = 'restrict_violation';
  END IF;

  SELECT links || subscribed || methods || paid || coalesce(array_agg(id), '{}') INTO records FROM refunds WHERE business_id = business AND payment_id = ANY(paid);
  SELECT coalesce(array_agg(id), '{}') INTO delivered FROM webhook_deliveries
    WHERE business_id = business AND event_id IN (SELECT id FROM events WHERE business_id = business AND object_id = ANY(records));

  -- Mails about these records have their texts.
  SELECT coalesce(array_agg(id), '{}') INTO named FROM (
    SELECT id FROM payment_links WHERE business_id = business
      AND concat_ws(' ', title, description, reference, reference_2) ~* CASE WHEN id = ANY(links) THEN of_payer ELSE of_others END
    UNION SELECT coalesce(payment_link_id, subscription_id, tokenization_id) FROM payments WHERE business_id = business
      AND concat_ws(' ', title, reference) ~* CASE WHEN id = ANY(paid) THEN of_payer ELSE of_others END
  ) t;

  UPDATE payment_links SET
    email = CASE WHEN id = ANY(links) THEN marker ELSE email END, phone_no = CASE WHEN id = ANY(links) THEN NULL ELSE left(redact_text(phone_no, pattern), 32) END,
    title = left(redact_text(title, pattern), 50), description = redact_text(description, pattern), redirect_url = redact_text(redirect_url, pattern),
    reference = left(redact_text(reference, pattern), 50), reference_2 = left(redact_text(reference_2, pattern), 50),
    version = version + 1, changed_by = eraser, changed_at = now(), updated_at = greatest(now(), updated_at + interval '1 microsecond')
  FROM (VALUES (true, of_payer), (false, of_others)) AS p (own, pattern)
  WHERE business_id = business AND own = (id = ANY(links)) AND (own OR concat_ws(' ', phone_no, title, description, redirect_url, reference, reference_2) ~* pattern);
  GET DIAGNOSTICS changed = ROW_COUNT; counts := counts || jsonb_build_object('payment_links', changed);

  UPDATE subscriptions SET
    email = CASE WHEN id = ANY(subscribed) THEN marker ELSE email END,
    phone_no = CASE WHEN id = ANY(subscribed) THEN NULL ELSE left(redact_text(phone_no, of_others), 32) END,
    version = version + 1, changed_by = eraser, changed_at = now(), updated_at = greatest(now(), updated_at + interval '1 microsecond')
  WHERE business_id = business AND (id = ANY(subscribed) OR phone_no ~* of_others);
  GET DIAGNOSTICS changed = ROW_COUNT; counts := counts || jsonb_build_object('subscriptions', changed);

  UPDATE tokenizations SET
    email = CASE WHEN id = ANY(methods) THEN marker ELSE email END, phone_no = CASE WHEN id = ANY(methods) THEN NULL ELSE left(redact_text(phone_no, pattern), 32) END,
    brand = CASE WHEN id = ANY(methods) THEN NULL ELSE brand END, last4 = CASE WHEN id = ANY(methods) THEN NULL ELSE last4 END,
    exp = CASE WHEN id = ANY(methods) THEN NULL ELSE exp END, method_id = CASE WHEN id = ANY(methods) THEN NULL ELSE method_id END,
    attempt_url = CASE WHEN id = ANY(methods) THEN NULL ELSE attempt_url END,
    title = left(redact_text(title, pattern), 50), description = redact_text(description, pattern), redirect_url = redact_text(redirect_url, pattern),
    notice = redact_json(notice, address, pattern, false),
    updated_at = greatest(now(), updated_at + interval '1 microsecond')
  FROM (VALUES (true, of_payer), (false, of_others)) AS p (own, pattern)
  WHERE business_id = business AND own = (id = ANY(methods)) AND (own OR concat_ws(' ', phone_no, title, description, redirect_url, notice) ~* pattern);
  GET DIAGNOSTICS changed = ROW_COUNT; counts := counts || jsonb_build_object('tokenizations', changed);

  -- Amounts, ids and outcomes stay: they are the books.
  UPDATE payments SET
    title = redact_text(title, pattern), reference = redact_text(reference, pattern), message = redact_text(message, pattern), note = redact_text(note, pattern),
    checkout_url = redact_text(checkout_url, pattern)
  FROM (VALUES (true, of_payer), (false, of_others)) AS p (own, pattern)
  WHERE business_id = business AND own = (id = ANY(paid)) AND concat_ws(' ', title, reference, message, note, checkout_url) ~* pattern;
  UPDATE refunds SET reason = redact_text(reason, pattern), message = redact_text(message, pattern)
  FROM (VALUES (true, of_payer), (false, of_others)) AS p (own, pattern)
  WHERE business_id = business AND own = (payment_id = ANY(paid)) AND concat_ws(' ', reason, message) ~* pattern;
  UPDATE gateway_events SET problem = redact_text(problem, of_others) WHERE business_id = business AND problem ~* of_others;

  WITH redacted_events AS (
    UPDATE events SET
      data = redact_json(data, address, pattern, false),
      previous = redact_json(previous, address, pattern, coalesce(lower(data ->> 'email') = address, false))
    FROM (VALUES (true, of_payer), (false, of_others)) AS p (own, pattern)
    WHERE business_id = business AND own = (object_id = ANY(records) OR is_of_payer(data, address, keys) OR is_of_payer(previous, address, keys))
      AND (data::text ~* signs OR previous::text ~* signs) AND (data::text ~* pattern OR previous::text ~* pattern)
    RETURNING object_id
  ) SELECT count(*), coalesce(array_agg(DISTINCT object_id), '{}') INTO changed, about FROM redacted_events;
  counts := counts || jsonb_build_object('events', changed);

  -- A record that named the payer before it was edited has events that did. One that began meanwhile still has the address: its mails are sent.
  UPDATE mails SET
    recipient = CASE WHEN lower(recipient) = address THEN marker ELSE recipient END, subject = redact_text(subject, pattern), error = redact_text(error, pattern),
    html = CASE WHEN lower(recipient) = address OR object_id = ANY(named || about) OR subject ~* pattern THEN erased_content ELSE html END,
    text = CASE WHEN lower(recipient) = address OR object_id = ANY(named || about) OR subject ~* pattern THEN erased_content ELSE text END,
    status = CASE WHEN lower(recipient) = address AND status IN ('queued', 'waiting') THEN 'kept' ELSE status END,
    next_try_at = CASE WHEN lower(recipient) = address THEN NULL ELSE next_try_at END,
    fence = fence + 1
  FROM (VALUES (true, of_payer), (false, of_others)) AS p (own, pattern)
  WHERE business_id = business AND own = coalesce(lower(recipient) = address OR object_id = ANY(records), false)
    AND (lower(recipient) = address OR object_id = ANY(named || about) OR concat_ws(' ', subject, error) ~* pattern)
    AND NOT (lower(recipient) = address AND coalesce(object_id, '') IN (
      SELECT id FROM payment_links WHERE business_id = business AND lower(email) = address
      UNION ALL SELECT id FROM subscriptions WHERE business_id = business AND lower(email) = address
      UNION ALL SELECT id FROM tokenizations WHERE business_id = business AND lower(email) = address));
  GET DIAGNOSTICS changed = ROW_COUNT; counts := counts || jsonb_build_object('mails', changed);

  UPDATE webhook_attempts SET error = redact_text(error, pattern), response = redact_text(response, pattern)
  FROM (VALUES (true, of_payer), (false, of_others)) AS p (own, pattern)
  WHERE business_id = business AND own = (delivery_id = ANY(delivered)) AND concat_ws(' ', error, response) ~* pattern;
  UPDATE webhook_deliveries SET last_error = redact_text(last_error, pattern)
  FROM (VALUES (true, of_payer), (false, of_others)) AS p (own, pattern)
  WHERE business_id = business AND own = (id = ANY(delivered)) AND last_error ~* pattern;

  UPDATE integration_callbacks SET body = redact_text(body, pattern), history = redact_json(history, address, pattern, false)
  FROM (VALUES (true, of_payer), (false, of_others)) AS p (own, pattern)
  WHERE business_id = business AND own = (payment_link_id = ANY(links)) AND (body ~* pattern OR history::text ~* pattern);

  -- Late, since those who subscribe wait for the package. A renewal of another payer would copy its texts.
  UPDATE packages SET name = left(redact_text(name, of_others), 100), description = redact_text(description, of_others),
    version = version + 1, changed_by = eraser, changed_at = now(), updated_at = greatest(now(), updated_at + interval '1 microsecond')
  WHERE business_id = business AND concat_ws(' ', name, description) ~* of_others;
  -- The end of a file's name is no part of an address: `ana@example.com.xlsx`.
  UPDATE batches SET file_name = left(redact_text(file_name, in_files), 255) WHERE business_id = business AND file_name ~* in_files;

  -- Its records have no other address than the marker now, and the marker has no customer.
  DELETE FROM customers WHERE business_id = business AND lower(email) = address;
  GET DIAGNOSTICS changed = ROW_COUNT; counts := counts || jsonb_build_object('customers', changed);
  UPDATE customers SET name = left(redact_text(name, of_others), 100), phone_no = left(redact_text(phone_no, of_others), 32), notes = left(redact_text(notes, of_others), 5000),
    version = version + 1, changed_by = eraser, changed_at = now(), updated_at = greatest(now(), updated_at + interval '1 microsecond')
  WHERE business_id = business AND concat_ws(' ', name, phone_no, notes) ~* of_others;

  -- A record that began meanwhile has a key of its own, which stays.
  DELETE FROM payer_keys k WHERE k.business_id = business AND k.id = ANY(keys);
  GET DIAGNOSTICS changed = ROW_COUNT; counts := counts || jsonb_build_object('keys', changed);

  END IF;

  IF entry ? 'seq' THEN
  UPDATE audit_entries SET details = redact_text(details, of_others), redacted_by = (entry ->> 'seq')::bigint
  WHERE business_id = business AND seq = ANY(redacted) AND details ~* of_others;
  GET DIAGNOSTICS changed = ROW_COUNT; counts := counts || jsonb_build_object('audit_entries', changed);
  IF changed <> coalesce(array_length(redacted, 1), 0) THEN
    RAISE EXCEPTION 'the audit entry names other entries than those that hold the address' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  INSERT INTO audit_entries (business_id, seq, id, mode, actor_kind, actor_id, action, object_id, address, request_id, details, hash, created_at)
  VALUES (business, (entry ->> 'seq')::bigint, entry ->> 'id', entry ->> 'mode', entry ->> 'actorKind', entry ->> 'actorId', entry ->> 'action', entry ->> 'objectId',
    entry ->> 'address', entry ->> 'requestId', entry ->> 'details', entry ->> 'hash', (entry ->> 'createdAt')::timestamptz);
  UPDATE audit_heads SET seq = (entry ->> 'seq')::bigint, hash = entry ->> 'hash' WHERE business_id = business AND seq = (entry ->> 'seq')::bigint - 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the audit entry is not the next one' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  END IF;
  RETURN counts;
END $$;
