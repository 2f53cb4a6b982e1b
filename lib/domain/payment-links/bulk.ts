import { setImmediate as breathe } from "node:timers/promises";
import type { Tx } from "@/db/client";
import type { BulkInput, BulkReport } from "@/lib/contract/bulk";
import { check, soundFields } from "@/lib/contract/messages";
import { PaymentLinkInput } from "@/lib/contract/payment-links";
import { newId } from "@/lib/kernel/ids";
import { amountObjections } from "../businesses/line";
import type { Ctx } from "../context";
import { insertEvents } from "../events/rows";
import { commit } from "../idempotency/commit";
import { type Checked, completed, type OnConflict, plan, type Plan, summary } from "./bulk-plan";
import { valuesOf } from "./create";
import { presentLink } from "./present";
import { insertLinks, type LinkRow, linksByReference, lockBulk } from "./rows";

const chunk = 500;

type Options = { dryRun: boolean; onConflict: OnConflict; importId: string | undefined };

/** Creates a link of every row that is valid and not there yet, all in one commit, or says what would be created. */
export async function bulk(
  ctx: Ctx,
  rows: BulkInput["rows"],
  { dryRun, onConflict, importId = dryRun ? undefined : newId() }: Options,
): Promise<BulkReport> {
  const checked = await checkAll(ctx, rows);
  const references = checked.flatMap((one) =>
    "input" in one && one.input.reference !== undefined ? [one.input.reference] : [],
  );
  if (dryRun) {
    const planned = plan(checked, await linksByReference(ctx, references), onConflict);
    return summary(planned, planned.report, { dryRun, importId });
  }
  return commit(ctx, async (tx) => {
    await lockBulk(ctx, tx);
    const planned = plan(checked, await linksByReference(ctx, references, tx), onConflict);
    const created = await makeAll(ctx, tx, planned.making, importId ?? null);
    return summary(planned, completed(planned.report, created), { dryRun, importId });
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

/** Writes the links with their events; gives each by its row. */
async function makeAll(
  ctx: Ctx,
  tx: Tx,
  making: Plan["making"],
  importId: string | null,
): Promise<Map<number, LinkRow>> {
  const rows = new Map<string, LinkRow>();
  for (let from = 0; from < making.length; from += chunk) {
    const part = making.slice(from, from + chunk);
    const made = await insertLinks(
      ctx,
      tx,
      part.map(({ id, input }) => ({
        id,
        ...valuesOf(input),
        sendEmail: input.send_email ?? true,
        importId,
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
    for (const row of made) rows.set(row.id, row);
  }
  return new Map(
    making.flatMap(({ row, id }) => {
      const link = rows.get(id);
      return link ? [[row, link] as const] : [];
    }),
  );
}
