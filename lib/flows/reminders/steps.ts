import { type Tx, withTransaction } from "@/db/client";
import { overSet, setwise } from "@/db/sets";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { takesMoney } from "@/lib/domain/gateway-connections/connected";
import { reminderCause } from "@/lib/domain/mails/present";
import { mailLinks } from "@/lib/domain/mails/resend";
import {
  dueReminders,
  planReminders,
  postponeReminder,
  reminderFacts,
} from "@/lib/domain/payment-links/reminder-rows";
import { type LinkRow, lockLink } from "@/lib/domain/payment-links/rows";
import { linksWithKeptMoney } from "@/lib/domain/payments/kind-rows";
import { assertHeld, type Row } from "@/lib/jobs/claim-rows";
import { decide } from "./decide";

const isConnected = setwise<Ctx, string, boolean>(async (ctx, on, ids) => {
  const connected = await takesMoney(ctx, on);
  return ids.map(() => connected);
});

const hasKeptMoney = setwise<Ctx, string, boolean>(async (ctx, on, ids) => {
  const links = await linksWithKeptMoney(ctx, on, ids);
  return ids.map((id) => links.has(id));
});

const mail = setwise<Ctx, LinkRow, void>(async (ctx, on, links) => {
  await mailLinks(ctx, on, links, {
    kind: "payment_reminder",
    causeOf: reminderCause,
  });
  return [];
});

/** Reminds the payer of a link in the transaction that plans its next reminder: a crash sends it once. */
export async function remind(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  const link = await lockLink(ctx, tx, id);
  const decision = decide({
    link,
    reminder: await reminderFacts(ctx, tx, id),
    connected: await isConnected(ctx, tx, id),
    keptMoney: await hasKeptMoney(ctx, tx, id),
  });
  if (decision.kind === "leave") return;
  if (decision.kind === "wait") return postponeReminder(ctx, tx, { id, until: decision.until });
  if (decision.kind === "mail" && link) await mail(ctx, tx, link);
  await planReminders(ctx, tx, id);
}

/** Reminds the payers of claimed links in one transaction. */
export const remindPayers = (
  rows: readonly Row<typeof dueReminders.table>[],
  requestId: string,
): Promise<void> =>
  withTransaction(async (tx) => {
    await assertHeld(tx, dueReminders.table, rows);
    await overSet(tx, rows, (row) =>
      remind(systemCtx(row, { kind: "clock" }, requestId), tx, row.id),
    );
  });
