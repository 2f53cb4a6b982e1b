import { setImmediate as breathe } from "node:timers/promises";
import { db, type Executor, outsideTransaction, type Tx } from "@/db/client";
import type { BulkBody, CheckedRow } from "@/lib/compute/tasks";
import type { BulkReport } from "@/lib/contract/bulk";
import { batchLimits } from "@/lib/contract/batch-values";
import type { Reminder } from "@/lib/contract/reminders";
import { newId } from "@/lib/kernel/ids";
import { invalid } from "@/lib/kernel/problem";
import { databaseNow } from "@/db/now";
import { connectionsOf, validateAmount } from "../gateway-connections/amounts";
import { validateExpiry } from "../expiry";
import type { Ctx } from "../context";
import { insertBatch, insertItems, recordImport } from "../batches/rows";
import { findBusiness } from "../businesses/rows";
import { noteNames } from "../customers/update";
import { keepCustomers, namesOf } from "../customers/rows";
import { commit } from "../idempotency/commit";
import { normalAddress } from "../payers/rules";
import {
  type Checked,
  completed,
  named,
  type OnConflict,
  plan,
  type Plan,
  summary,
} from "./bulk-plan";
import { linksByReference } from "./bulk-rows";
import { newLink, valuesOf } from "./create";
import { insertLinks } from "./insert-rows";
import { validateDue } from "./rules";
import { type LinkRow, lockBulk, notifyProgress } from "./rows";

// Sealing and writing down what a statement is given takes the web thread a few milliseconds.
const CHUNK_ROWS = 100;
const decoder = new TextDecoder();

type Options = {
  dryRun: boolean;
  onConflict: OnConflict;
  importId: string | undefined;
  /** Of the file that the rows are from. */
  fileName?: string | undefined;
  /** The mails start later, in a batch. */
  mailsWait?: boolean;
};

/**
 * Creates a link of every row that is valid and not there yet, all in one commit, or says what would be created. Throws 422 for the id of
 * another batch, or of an import of the other mode.
 */
export async function bulk(
  ctx: Ctx,
  rows: BulkBody["rows"],
  {
    dryRun,
    onConflict,
    importId = dryRun ? undefined : newId(),
    fileName,
    mailsWait = false,
  }: Options,
): Promise<BulkReport> {
  const checked = await checkAll(ctx, rows);
  const referred = checked.flatMap((one) =>
    "input" in one && one.input.reference !== undefined
      ? [{ ...one.input, reference: one.input.reference }]
      : [],
  );
  if (dryRun) {
    const planned = plan(checked, await linksByReference(ctx, referred), onConflict);
    const byDefault = await defaultOf(ctx, db);
    return summary(planned, named(planned, await namesFor(ctx, db, planned)).report, {
      dryRun,
      importId,
      byDefault,
    });
  }
  return commit(ctx, async (tx) => {
    const atMicros = await lockBulk(ctx, tx);
    const planned = plan(checked, await linksByReference(ctx, referred, tx), onConflict);
    const { names, report: reported } = named(planned, await namesFor(ctx, tx, planned));
    const created = await makeAll(ctx, tx, planned.making, {
      names,
      importId: importId ?? null,
      atMicros,
      mailsWait,
    });
    if (importId && !(await recordImport(ctx, tx, importId, { created: created.size, fileName })))
      throw invalid({ import_id: ["The import id has already been taken."] });
    const mailsBatchId = mailsWait ? await mailLater(ctx, tx, created, importId ?? null) : null;
    const report = completed(reported, created);
    const byDefault = await defaultOf(ctx, tx);
    return summary(planned, report, { dryRun, importId, byDefault, mailsBatchId });
  });
}

/** The reminders that the business's settings have for new links that are mailed. */
const defaultOf = async ({ businessId }: Ctx, on: Executor): Promise<readonly Reminder[]> =>
  (await findBusiness(businessId, on))?.reminders ?? [];

/** The names of the customers to whom rows give one. */
const namesFor = (ctx: Ctx, on: Executor, { making }: Plan): Promise<Map<string, string>> =>
  namesOf(
    ctx,
    on,
    making.flatMap(({ input }) => (input.customer_name === undefined ? [] : [input.email])),
  );

/** Adds what the gateway and the database's clock object to, part by part. */
async function checkAll(ctx: Ctx, parts: BulkBody["rows"]): Promise<Checked[]> {
  const checked: Checked[] = [];
  const against = { now: await databaseNow(), connections: connectionsOf(ctx) };
  for (const part of parts) {
    for (const row of JSON.parse(decoder.decode(part)) as CheckedRow[])
      checked.push(await withObjections(ctx, checked.length + 1, row, against));
    // Thousands of rows must not keep other callers waiting.
    await breathe();
  }
  return checked;
}

async function withObjections(
  ctx: Ctx,
  row: number,
  one: CheckedRow,
  { now, connections }: { now: number; connections: ReturnType<typeof connectionsOf> },
): Promise<Checked> {
  const fields = "input" in one ? one.input : one.valid;
  const objections = {
    ...(await validateAmount(ctx, fields, { connections })),
    ...(await validateExpiry(fields, now)),
    ...validateDue(fields),
  };
  if (!("input" in one)) return { row, errors: { ...objections, ...one.errors } };
  return Object.keys(objections).length === 0
    ? { row, input: one.input, id: newId() }
    : { row, errors: objections };
}

/** Plans the mails of new links; returns the id of their batch, null when none of them is mailed. */
async function mailLater(
  ctx: Ctx,
  tx: Tx,
  created: ReadonlyMap<number, LinkRow>,
  importId: string | null,
): Promise<string | null> {
  const ids = [...created.values()].flatMap(({ id, sendEmail }) => (sendEmail ? [id] : []));
  if (ids.length === 0) return null;
  const batch = await insertBatch(ctx, tx, {
    action: "send",
    total: ids.length,
    importId,
    delaySeconds: batchLimits.mailDelaySeconds,
  });
  await insertItems(tx, batch, ids);
  return batch.id;
}

/** Writes the links with their events; gives each by its row. */
async function makeAll(
  ctx: Ctx,
  tx: Tx,
  making: Plan["making"],
  {
    names,
    importId,
    atMicros,
    mailsWait,
  }: {
    names: ReadonlyMap<string, string>;
    importId: string | null;
    atMicros: number;
    mailsWait: boolean;
  },
): Promise<Map<number, LinkRow>> {
  const links = new Map<number, LinkRow>();
  const renamed = await keepCustomers(
    ctx,
    tx,
    making.map(({ input: { email, phone_no: phoneNo = null } }) => ({
      email,
      phoneNo,
      name: names.get(normalAddress(email)) ?? null,
    })),
  );
  await noteNames(ctx, tx, renamed);
  for (let from = 0; from < making.length; from += CHUNK_ROWS) {
    const part = making.slice(from, from + CHUNK_ROWS);
    const created = part.map(({ id, input: { customer_name: _name, ...input } }) => {
      const sendEmail = input.send_email ?? true;
      const values = { ...valuesOf(input), sendEmail, importId };
      return newLink(ctx, values, sendEmail && !mailsWait ? "payment_link" : null, id);
    });
    const rows = await insertLinks(ctx, tx, created, atMicros + from);
    for (const [at, row] of rows.entries()) links.set(part[at]?.row as number, row);
    // Not awaited: a second connection must not keep the transaction waiting, and the dashboard can do without.
    if (importId)
      outsideTransaction(() =>
        notifyProgress(ctx, importId, { done: links.size, total: making.length }),
      ).catch(() => undefined);
  }
  return links;
}
