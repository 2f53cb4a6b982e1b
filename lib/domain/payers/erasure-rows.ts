import {
  and,
  asc,
  type Column,
  eq,
  getTableColumns,
  isNotNull,
  lt,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { db, type Tx } from "@/db/client";
import type { Actor } from "@/db/columns";
import { customers } from "@/db/schema/customers";
import { events } from "@/db/schema/events";
import { integrationHooks, integrations } from "@/db/schema/integrations";
import { mails } from "@/db/schema/mails";
import { payerKeys } from "@/db/schema/payers";
import { paymentLinks } from "@/db/schema/payment-links";
import { payments, refunds } from "@/db/schema/payments";
import { auditEntries, invitations } from "@/db/schema/team";
import { users } from "@/db/schema/auth";
import { apiKeys, businesses, memberships } from "@/db/schema/businesses";
import { subscriptions } from "@/db/schema/subscriptions";
import { testClocks } from "@/db/schema/test-clocks";
import { tokenizations } from "@/db/schema/tokenizations";
import { webhookEndpoints } from "@/db/schema/webhooks";
import type { DisputeStatus, Mode, PaymentStatus, RefundStatus } from "@/lib/contract/values";
import { seal } from "@/lib/kernel/secrets";
import type { NextEntry } from "../audit/record";
import { type AuditRow, keepSeal } from "../audit/rows";
import { lockKeys } from "./rows";
import { ERASED_EMAIL, ERASED_TEXT, normalAddress } from "./rules";

type Found<Status> = { id: string; mode: Mode; status: Status };

/** What there is of a payer in a business, of both modes. */
export type PayerRecords = {
  links: Array<
    Found<string> & {
      subscriptionId: string | null;
      openPaymentId: string | null;
      deleted: boolean;
    }
  >;
  subscriptions: Array<Found<string> & { deleted: boolean }>;
  methods: Array<Found<string> & { connectionId: string | null; methodId: string | null }>;
  payments: Array<Found<PaymentStatus> & { disputeStatus: DisputeStatus | null }>;
  refunds: Array<Found<RefundStatus>>;
  customers: number;
  /** Whether a member of staff has this address: their entries in the audit log stay. */
  staff: boolean;
};

/** All records of a payer in a business, by the address without case. */
export async function recordsOf(businessId: number, email: string): Promise<PayerRecords> {
  const address = normalAddress(email);
  const [links, subscribed, methods, known, staff] = await Promise.all([
    db
      .select({
        id: paymentLinks.id,
        mode: paymentLinks.mode,
        status: paymentLinks.status,
        subscriptionId: paymentLinks.subscriptionId,
        openPaymentId: paymentLinks.openPaymentId,
        deleted: sql<boolean>`${paymentLinks.deletedAt} is not null`,
      })
      .from(paymentLinks)
      .where(
        and(
          eq(paymentLinks.businessId, businessId),
          sql`lower(${paymentLinks.email}) = ${address}`,
        ),
      ),
    db
      .select({
        id: subscriptions.id,
        mode: subscriptions.mode,
        status: subscriptions.status,
        deleted: sql<boolean>`${subscriptions.deletedAt} is not null`,
      })
      .from(subscriptions)
      .where(
        and(
          eq(subscriptions.businessId, businessId),
          sql`lower(${subscriptions.email}) = ${address}`,
        ),
      ),
    db
      .select({
        id: tokenizations.id,
        mode: tokenizations.mode,
        status: tokenizations.status,
        connectionId: tokenizations.connectionId,
        methodId: tokenizations.methodId,
      })
      .from(tokenizations)
      .where(
        and(
          eq(tokenizations.businessId, businessId),
          sql`lower(${tokenizations.email}) = ${address}`,
        ),
      ),
    db.$count(
      customers,
      and(eq(customers.businessId, businessId), sql`lower(${customers.email}) = ${address}`),
    ),
    isStaff(businessId, address),
  ]);
  const ids = (rows: ReadonlyArray<{ id: string }>) =>
    sql`any(${sql.param(rows.map(({ id }) => id))}::text[])`;
  const paid = await db
    .select({
      id: payments.id,
      mode: payments.mode,
      status: payments.status,
      disputeStatus: payments.disputeStatus,
    })
    .from(payments)
    .where(
      and(
        eq(payments.businessId, businessId),
        sql`(${payments.paymentLinkId} = ${ids(links)} or ${payments.subscriptionId} = ${ids(subscribed)} or ${payments.tokenizationId} = ${ids(methods)})`,
      ),
    );
  const given = await db
    .select({ id: refunds.id, mode: refunds.mode, status: refunds.status })
    .from(refunds)
    .where(and(eq(refunds.businessId, businessId), sql`${refunds.paymentId} = ${ids(paid)}`));
  return {
    links,
    subscriptions: subscribed,
    methods,
    payments: paid,
    refunds: given,
    customers: known,
    staff,
  };
}

/** Whether an address is that of a member or of an invitation. Of this business alone, so that none learns who has an account on the install. */
const ofStaff = (businessId: number, address: string) => sql<boolean>`(
  exists (select 1 from ${memberships} m join ${users} u on u.id = m.user_id
    where m.business_id = ${businessId} and lower(u.email) = ${address})
  or exists (select 1 from ${invitations} where business_id = ${businessId} and lower(email) = ${address}))`;

async function isStaff(businessId: number, address: string): Promise<boolean> {
  const { rows } = await db.execute<{ staff: boolean }>(
    sql`select ${ofStaff(businessId, address)} as staff`,
  );
  return rows[0]?.staff ?? false;
}

/** Where an erasure leaves the address besides: in the business's own settings, and in mails to others of which no event says what they named. */
export async function copiesLeft(
  businessId: number,
  email: string,
): Promise<{ settings: boolean; mails: boolean }> {
  const address = normalAddress(email);
  const named = (table: PgTable, ...texts: Column[]) =>
    sql`exists (select 1 from ${table} where ${or(...texts.map((text) => sql`${text} ~* address_pattern(${address})`))} and business_id = ${businessId})`;
  const [{ rows }, [oldest]] = await Promise.all([
    db.execute<{ settings: boolean }>(
      sql`select ${sql.join(
        [
          named(apiKeys, apiKeys.name),
          named(integrations, integrations.name),
          named(testClocks, testClocks.name),
          named(integrationHooks, integrationHooks.url),
          named(webhookEndpoints, webhookEndpoints.url, webhookEndpoints.description),
        ],
        sql` or `,
      )} as settings`,
    ),
    db
      .select({ id: events.id })
      .from(events)
      .where(eq(events.businessId, businessId))
      .orderBy(asc(events.id))
      .limit(1),
  ]);
  // A mail's id begins with the second of its event, or with a later one.
  const older = await db
    .select({ id: mails.id })
    .from(mails)
    .where(
      and(
        eq(mails.businessId, businessId),
        oldest && lt(mails.id, oldest.id.slice(0, 8)),
        sql`lower(${mails.recipient}) not in (${address}, ${ERASED_EMAIL})`,
      ),
    )
    .limit(1);
  return { settings: rows[0]?.settings ?? false, mails: older.length > 0 };
}

/** `payerDigest` in the database, for many businesses. */
const digestOf = (businessId: SQL, address: string): SQL =>
  sql`left(encode(sha256(convert_to('payer ' || ${businessId} || ' ' || ${address}::text, 'UTF8')), 'hex'), 24)`;

/** Businesses in which a payer with this address has records, or mails and events of records that had the address before. */
export async function unscopedBusinessesOf(email: string): Promise<number[]> {
  const address = normalAddress(email);
  const { rows } = await db.execute<{ id: number }>(sql`
    select business_id as id from ${paymentLinks} where lower(email) = ${address}
    union select business_id from ${subscriptions} where lower(email) = ${address}
    union select business_id from ${tokenizations} where lower(email) = ${address}
    union select business_id from ${customers} where lower(email) = ${address}
    union select b.id from ${businesses} b join ${mails} m on m.business_id = b.id and lower(m.recipient) = ${address}
    union select b.id from ${businesses} b join ${payerKeys} k on k.business_id = b.id and k.payer = ${digestOf(sql`b.id`, address)}
    order by 1`);
  return rows.map(({ id }) => id);
}

/** Audit entries that name the address and are not about staff, as the erasure leaves them. */
export async function entriesToRedact(
  tx: Tx,
  businessId: number,
  email: string,
): Promise<AuditRow[]> {
  const address = normalAddress(email);
  const { details } = auditEntries;
  return tx
    .select({
      ...getTableColumns(auditEntries),
      details: sql<string>`redact_text(${details}, address_pattern(${address}))`,
    })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.businessId, businessId),
        sql`${details} ~* address_pattern(${address})`,
        sql`not ${ofStaff(businessId, address)}`,
      ),
    )
    .orderBy(auditEntries.seq);
}

/**
 * Locks all that an erasure changes of a payer, as other writers do: before the end of the audit log, and the keys last. Who writes of the
 * payer meanwhile has committed before, or sees the erasure.
 */
export async function lockRecords(tx: Tx, businessId: number, email: string): Promise<void> {
  const address = normalAddress(email);
  for (const table of [subscriptions, tokenizations, paymentLinks, customers])
    await tx.execute(
      sql`select from ${table} where business_id = ${businessId} and lower(email) = ${address} order by id for update`,
    );
  await lockKeys(tx, businessId, email);
}

/** Tokens of a payer with a method that the gateway has not forgotten. */
export const methodsOf = (
  tx: Tx,
  businessId: number,
  email: string,
): Promise<Array<{ id: string }>> =>
  tx
    .select({ id: tokenizations.id })
    .from(tokenizations)
    .where(
      and(
        eq(tokenizations.businessId, businessId),
        sql`lower(${tokenizations.email}) = ${normalAddress(email)}`,
        isNotNull(tokenizations.methodId),
      ),
    );

/** How many rows of each kind were changed. */
export type Erased = Record<
  "payment_links" | "subscriptions" | "tokenizations" | "customers" | "mails" | "events" | "keys",
  number
>;

/**
 * Calls the database function that redacts the records of a payer, as an edit by `actor`. All events of the business are looked through. Throws
 * code 23001 while money is under way.
 */
export const redactRecords = (
  tx: Tx,
  businessId: number,
  email: string,
  actor: Actor,
): Promise<Erased> =>
  callErasePayer(
    tx,
    businessId,
    email,
    sql`${JSON.stringify({ actor })}::jsonb, ${seal(ERASED_TEXT, "mail")}`,
  );

/** The same function then redacts the audit entries that `entry` names, and writes that entry. */
export async function writeErasure(
  tx: Tx,
  businessId: number,
  email: string,
  { row: entry, seal: headSeal }: NextEntry,
): Promise<void> {
  await callErasePayer(tx, businessId, email, sql`${JSON.stringify(entry)}::jsonb, null`);
  await keepSeal(tx, businessId, headSeal);
}

async function callErasePayer(
  tx: Tx,
  businessId: number,
  email: string,
  rest: SQL,
): Promise<Erased> {
  const { rows } = await tx.execute<{ erased: Erased }>(
    sql`select erase_payer(${businessId}, ${normalAddress(email)}, ${rest}) as erased`,
  );
  const [row] = rows;
  if (!row) throw new Error("erase_payer returned nothing");
  return row.erased;
}
