import { setImmediate as breathe } from "node:timers/promises";
import type { Tx } from "@/db/client";
import type { BulkInput, BulkReport, BulkRow } from "@/lib/contract/bulk";
import { check, soundFields } from "@/lib/contract/messages";
import { PaymentLinkInput } from "@/lib/contract/payment-links";
import { newId } from "@/lib/kernel/ids";
import type { FieldErrors } from "@/lib/kernel/problem";
import { amountObjections } from "../businesses/line";
import type { Ctx } from "../context";
import { insertEvents } from "../events/rows";
import { commit } from "../idempotency/commit";
import { valuesOf } from "./create";
import { presentLink } from "./present";
import { insertLinks, type LinkRow, linksByReference, lockBulk } from "./rows";

const chunk = 500;

type Checked =
  | { row: number; input: PaymentLinkInput; id: string }
  | { row: number; errors: FieldErrors };
type Plan = { making: Extract<Checked, { input: unknown }>[]; report: BulkRow[] };

/** Makes a link of every row that is valid and whose reference is new, all in one commit, or says what would be made. */
export async function bulk(
  ctx: Ctx,
  rows: BulkInput["rows"],
  dryRun: boolean,
): Promise<BulkReport> {
  const checked = await checkAll(ctx, rows);
  const references = checked.flatMap((one) =>
    "input" in one && one.input.reference !== undefined ? [one.input.reference] : [],
  );
  if (dryRun) return summary(true, plan(checked, await linksByReference(ctx, references)).report);
  return commit(ctx, async (tx) => {
    await lockBulk(ctx, tx);
    const { making, report } = plan(checked, await linksByReference(ctx, references, tx));
    const made = await makeAll(ctx, tx, making);
    return summary(
      false,
      report.map((row) => completed(row, checked, made)),
    );
  });
}

async function checkAll(ctx: Ctx, rows: BulkInput["rows"]): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const [index, source] of rows.entries()) {
    // Thousands of rows must not keep other callers waiting.
    if (index % chunk === chunk - 1) await breathe();
    const row = index + 1;
    const result = check(PaymentLinkInput, source);
    const objections = await amountObjections(
      ctx,
      result.ok ? result.data : soundFields(PaymentLinkInput, source),
    );
    if (!result.ok) checked.push({ row, errors: { ...objections, ...result.errors } });
    else
      checked.push(
        Object.keys(objections).length === 0
          ? { row, input: result.data, id: newId() }
          : { row, errors: objections },
      );
  }
  return checked;
}

function plan(checked: readonly Checked[], existing: readonly LinkRow[]): Plan {
  const known = new Map<string, LinkRow | null>(
    existing.map((link) => [link.reference ?? "", link]),
  );
  const making: Plan["making"] = [];
  const report = checked.map((one): BulkRow => {
    const { row } = one;
    if (!("input" in one))
      return { row, status: "invalid", errors: one.errors, payment_link: null };
    const { reference } = one.input;
    const there = reference === undefined ? undefined : known.get(reference);
    if (there !== undefined)
      return { row, status: "exists", errors: {}, payment_link: there && presentLink(there) };
    if (reference !== undefined) known.set(reference, null);
    making.push(one);
    return { row, status: "valid", errors: {}, payment_link: null };
  });
  return { making, report };
}

type Made = { byId: ReadonlyMap<string, LinkRow>; byReference: ReadonlyMap<string, LinkRow> };

async function makeAll(ctx: Ctx, tx: Tx, making: Plan["making"]): Promise<Made> {
  const rows: LinkRow[] = [];
  for (let from = 0; from < making.length; from += chunk) {
    const part = making.slice(from, from + chunk);
    const made = await insertLinks(
      ctx,
      tx,
      part.map(({ id, input }) => ({
        id,
        ...valuesOf(input),
        sendEmail: input.send_email ?? true,
      })),
    );
    await insertEvents(
      ctx,
      tx,
      made.map((row) => ({
        type: "payment_link.created",
        objectId: row.id,
        data: presentLink(row),
        mail: row.sendEmail ? "payment_link" : null,
        at: row.createdAt,
      })),
    );
    rows.push(...made);
  }
  return {
    byId: new Map(rows.map((row) => [row.id, row])),
    byReference: new Map(
      rows.flatMap((row) => (row.reference === null ? [] : [[row.reference, row]])),
    ),
  };
}

function completed(
  row: BulkRow,
  checked: readonly Checked[],
  { byId, byReference }: Made,
): BulkRow {
  const one = checked[row.row - 1];
  if (!one || !("input" in one)) return row;
  const link =
    row.status === "valid"
      ? byId.get(one.id)
      : row.payment_link === null
        ? byReference.get(one.input.reference ?? "")
        : undefined;
  return {
    ...row,
    ...(row.status === "valid" ? { status: "created" as const } : {}),
    ...(link ? { payment_link: presentLink(link) } : {}),
  };
}

function summary(dryRun: boolean, rows: BulkRow[]): BulkReport {
  const count = (status: BulkRow["status"]) => rows.filter((row) => row.status === status).length;
  return {
    dry_run: dryRun,
    total: rows.length,
    created: count("created"),
    exists: count("exists"),
    invalid: count("invalid"),
    valid: count("valid"),
    rows,
  };
}
