import type pg from "pg";

/** Functions of triggers that read what they write to, or another table, beside the rows of their statement. */
const byHand: Readonly<Record<string, string>> = {
  queue_events: `
DECLARE fresh record;
BEGIN
  FOR fresh IN SELECT * FROM added LOOP
    INSERT INTO event_queue (consumer, business_id, event_id) VALUES ('webhooks', fresh.business_id, fresh.id);
    IF fresh.mail IS NOT NULL THEN
      INSERT INTO event_queue (consumer, business_id, event_id) VALUES ('mails', fresh.business_id, fresh.id);
    END IF;
    IF fresh.type IN ('payment.succeeded', 'payment.failed', 'payment_link.paid', 'tokenization.activated') THEN
      INSERT INTO event_queue (consumer, business_id, event_id) VALUES ('subscriptions', fresh.business_id, fresh.id);
    END IF;
    IF fresh.mode = 'live' AND fresh.type IN ('payment.succeeded', 'payment.failed', 'payment.disputed', 'payment.flagged', 'refund.failed') THEN
      PERFORM 1 FROM notification_settings s WHERE s.business_id = fresh.business_id
        AND (s.mail && '{payments,failures}'::text[] OR s.chat && '{payments,failures}'::text[]);
      IF FOUND THEN
        INSERT INTO event_queue (consumer, business_id, event_id) VALUES ('notifications', fresh.business_id, fresh.id);
      END IF;
    END IF;
  END LOOP;
  RETURN NULL;
END `,
  keep_customers: `
DECLARE fresh record; known text;
BEGIN
  FOR fresh IN SELECT DISTINCT ON (business_id, mode, lower(email)) business_id, mode, email, phone_no, customer_id(now()) AS id
    FROM added WHERE email <> 'erased@payer.invalid' ORDER BY business_id, mode, lower(email), phone_no IS NULL LOOP
    INSERT INTO customers (business_id, mode, id, email, phone_no) VALUES (fresh.business_id, fresh.mode, fresh.id, fresh.email, fresh.phone_no)
    ON CONFLICT (business_id, mode, lower(email)) DO NOTHING;
    CONTINUE WHEN fresh.phone_no IS NULL;
    SELECT c.id INTO known FROM customers c WHERE c.business_id = fresh.business_id AND c.mode = fresh.mode AND lower(c.email) = lower(fresh.email)
      AND c.phone_no IS NULL AND c.version = 1 FOR NO KEY UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    UPDATE customers SET phone_no = fresh.phone_no, version = version + 1, updated_at = now() WHERE business_id = fresh.business_id AND id = known;
  END LOOP;
  RETURN NULL;
END `,
};

const INSERT = /INSERT INTO (\w+) \(([^)]*)\)\s+((?:SELECT|VALUES)[^;]*?)(\s+ON CONFLICT[^;]*)?;/g;

/**
 * The body of a trigger's function for a shard. There a statement cannot write and read the rows of the statement that fired it. So it reads
 * first and then writes row by row.
 */
export function bodyForShards(name: string, body: string): string {
  const known = byHand[name];
  if (known !== undefined) return known;
  let writes = 0;
  const rewritten = body.replace(
    INSERT,
    (_, table: string, columns: string, source: string, conflict = "") => {
      writes++;
      const values = columns.split(",").map((column) => `made.${column.trim()}`);
      return `FOR made IN SELECT * FROM (${source}) AS sources (${columns}) LOOP
    INSERT INTO ${table} (${columns}) VALUES (${values.join(", ")})${conflict};
  END LOOP;`;
    },
  );
  return writes === 0 ? body : rewritten.replace(/^\s*BEGIN/, "\nDECLARE made record;\nBEGIN");
}

/**
 * The body of any other function, and of a trigger's. Citus takes no STABLE function with a column in an update: `concat_ws` is one, and so is the
 * sum of a moment and an interval, outside a subquery. The table of a trigger on a shard has the shard's number behind its name.
 */
const bodyForServers = (body: string): string =>
  body
    .replace(/concat_ws\(' ', ([^)]*)\)/g, (_, columns: string) => {
      const texts = columns.split(",").map((column) => `coalesce(${column.trim()}::text, '')`);
      return `(${texts.join(" || ' ' || ")})`;
    })
    .replace(/[\w.]+ [+-] interval '[^']*'/g, "(SELECT $&)")
    .replace(/TG_TABLE_NAME = ('\w+')/g, "starts_with(TG_TABLE_NAME::text, $1)");

/** Gives every server all functions, those of triggers in the form for shards. */
export async function spreadFunctions(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{
    name: string;
    body: string;
    definition: string;
    fires: boolean;
  }>(`
    select proname as name, prosrc as body, pg_get_functiondef(p.oid) as definition, prorettype = 'trigger'::regtype as fires from pg_proc p
    where pronamespace = 'public'::regnamespace and prokind = 'f' and not exists (select 1 from pg_depend where objid = p.oid and deptype = 'e')
    order by p.oid`);
  for (const { name, body, definition, fires } of rows) {
    const adapted = bodyForServers(fires ? bodyForShards(name, body) : body);
    await client.query(definition.replace(body, () => adapted));
  }
}
