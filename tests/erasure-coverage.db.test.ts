import { afterAll, describe, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { staffEndpoints } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import { sealFields } from "@/lib/domain/payers/rules";
import { newDataKey } from "@/lib/kernel/data-keys";
import { PAYER_WRITES, payer, textsOf } from "./furnished-payer";

afterAll(closePool);

/** Other requests that take such a text, and why no record of a payer holds it. */
const OTHER_WRITES = [
  // Writes the note that `recordPayment` writes.
  "resolvePayment",
  // It gives back the rows of the file and keeps nothing.
  "readSpreadsheet",
  // They erase.
  ...["erasePayer", "previewErasure"],
  // Deleted where they name the payer.
  ...["createSavedView", "updateSavedView"],
  // Texts of the business for all of its payers.
  ...["updateBusiness", "createWebhookEndpoint", "updateWebhookEndpoint"],
  ...["createApiKey", "createIntegration", "createTestClock"],
  // The number of the business's own brand at its gateway.
  ...["connectGateway", "updateGatewayConnection"],
  // Accounts and team.
  ...["setUpInstall", "requestSignUp", "signUp", "lookUpInvitation", "acceptInvitation"],
  ...["reauthenticate", "createInvitation"],
  // A secret address of a member's own chat, sealed.
  "updateNotificationSettings",
  // A key that is compared and not stored as text.
  "settleRequest",
];

/** Text columns of payers' tables that an erasure leaves as they are, each with its reason. */
const EXEMPT_COLUMNS: Record<string, readonly string[]> = {
  "an id that Kutip or a gateway makes": [
    ...["audit_entries.actor_id", "audit_entries.object_id", "audit_entries.request_id"],
    ...["event_queue.event_id", "events.object_id", "events.traceparent"],
    ...["gateway_events.event_id"],
    ...["gateway_events.gateway_id", "gateway_events.reference", "ledger_entries.posting_id"],
    ...["integration_callbacks.integration_id", "integration_callbacks.payment_id"],
    ...["mails.cause", "mails.object_id", "payment_links.import_id", "payments.gateway_id"],
    ...["refunds.gateway_id", "tokenizations.attempt_gateway_id", "webhook_deliveries.event_id"],
  ],
  "a word of a list": [
    ...["audit_entries.action", "audit_entries.actor_kind", "events.mail", "events.type"],
    ...["gateway_events.type", "mails.kind", "payments.flags", "payments.gateway"],
    ...["payments.choice", "payments.paid_with"],
    ...[
      "customers.language",
      "refunds.gateway",
      "tokenizations.gateway",
      "webhook_deliveries.event_type",
    ],
  ],
  "who acted: staff or an API key": [...["audit_entries.address", "events.actor", "refunds.actor"]],
  "sealed, or a digest": [
    "audit_entries.hash",
    "tokenizations.token",
    "tokenizations.token_digest",
  ],
  "days before or after a date": [
    "payment_links.default_reminders",
    "payment_links.reminders",
    "payment_links.reminders_done",
  ],
  "deleted with the payer's customer": ["customers.email"],
  "a test event, which is about no payer": ["webhook_deliveries.test_event"],
};

describe("an erasure forgets nothing that is added", () => {
  test("every request that takes a free text is sent for the payer, or says where its text goes", () => {
    const taking = [...endpoints, ...staffEndpoints].filter(({ id }) =>
      // Accounts take addresses with fewer signs.
      [payer(), "ana@example.com"].some((email) => Object.keys(textsOf(id, email)).length > 0),
    );
    expect(taking.map(({ id }) => id).sort()).toEqual([...PAYER_WRITES, ...OTHER_WRITES].sort());
  });

  test("what an erasure forgets whole is sealed in events before", async () => {
    const { rows } = await pool().query<{ source: string }>(
      "select prosrc as source from pg_proc where proname = 'erase_payer'",
    );
    const emptied = new Set(
      [...(rows[0]?.source ?? "").matchAll(/(\w+) = CASE WHEN id = ANY\(\w+\) THEN NULL/g)].map(
        ([, column]) => column,
      ),
    );
    const email = payer();
    const texts = (id: string) => Object.keys(textsOf(id, email));
    // The customer's row is deleted, all of it. Its notes are in no event.
    const ofCustomers = texts("updateCustomer").filter((name) => name !== "notes");
    const ofOthers = PAYER_WRITES.flatMap(texts).filter((name) => emptied.has(name));
    expect(ofOthers).toContain("phone_no");
    const keys = new Map([[email, { id: "a".repeat(24), key: newDataKey() }]]);
    for (const name of new Set([...ofCustomers, ...ofOthers])) {
      const sealed = JSON.stringify(sealFields({ email, [name]: "Ana" }, keys));
      expect(sealed, `${name} in an event`).not.toContain("Ana");
    }
  });

  test("every text column of a payer's records is redacted, or exempt with a reason", async () => {
    // Tables with an address or the id of a record, and all that refer to them. Invitations are for staff.
    const { rows: columns } = await pool().query<{ name: string }>(`
      with recursive t as (
        select c.oid, c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and c.relname <> 'invitations' and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'business_id')
      ), held as (
        select t.oid, t.relname from t join pg_attribute a on a.attrelid = t.oid where a.attname in ('email', 'recipient', 'object_id', 'event_id')
        union
        select t.oid, t.relname from t join pg_constraint k on k.conrelid = t.oid and k.contype = 'f' join held on held.oid = k.confrelid
      )
      select h.relname || '.' || a.attname as name from held h
      join pg_attribute a on a.attrelid = h.oid and a.attnum > 0 and not a.attisdropped and a.atttypid::regtype::text in ('text', 'text[]', 'character varying', 'json', 'jsonb')
      where a.attname not in ('id', 'currency', 'leased_by') and not exists (
        select from pg_constraint c where c.conrelid = h.oid and (c.contype = 'f' and a.attnum = any(c.conkey) or c.conname = h.relname || '_' || a.attname || '_known'))
      order by 1`);
    const { rows } = await pool().query<{ source: string }>(
      "select prosrc as source from pg_proc where proname = 'erase_payer'",
    );
    const redacted = new Set(
      [...(rows[0]?.source ?? "").matchAll(/UPDATE (\w+) SET(.*?)\bWHERE\b/gs)].flatMap(
        ([, table, changes = ""]) =>
          [...`,${changes}`.matchAll(/,\s*(\w+) = /g)].map(([, column]) => `${table}.${column}`),
      ),
    );
    expect(redacted.size).toBeGreaterThan(30);
    const untouched = columns.map(({ name }) => name).filter((name) => !redacted.has(name));
    expect(untouched).toEqual(Object.values(EXEMPT_COLUMNS).flat().sort());
  });
});
