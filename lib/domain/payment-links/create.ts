import type {
  PaymentLink,
  PaymentLinkCreate,
  PaymentLinkInput,
  PaymentLinkUpdate,
} from "@/lib/contract/payment-links";
import { db, type Tx } from "@/db/client";
import { newId } from "@/lib/kernel/ids";
import { invalid } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { atClock, lockClock } from "../test-clocks/rows";
import { presentLink } from "./present";
import { type CreatedLink, insertLink } from "./insert-rows";
import { type LinkRow, type LinkValues, type NewLink, newRow } from "./rows";
import { assertLink, unknownClock } from "./validate";

/** Absent optional fields become null, in create and in PUT alike. */
export function valuesOf(
  input: PaymentLinkInput & Pick<PaymentLinkUpdate, "version">,
): Omit<LinkValues, "sendEmail"> {
  const {
    email,
    currency,
    amount,
    title,
    phone_no,
    description,
    redirect_url,
    reference,
    reference_2,
    expires_at,
    due_at,
    reminders,
    send_email: _sendEmail,
    version: _version,
    ...unwritten
  } = input;
  return {
    email,
    currency,
    amount,
    title,
    phoneNo: phone_no ?? null,
    description: description ?? null,
    redirectUrl: redirect_url ?? null,
    reference: reference ?? null,
    reference2: reference_2 ?? null,
    expiresAt: expires_at ?? null,
    dueAt: due_at ?? null,
    reminders: reminders ?? null,
    // A field of the contract that is missing above does not compile.
    ...(unwritten satisfies Record<string, never>),
  };
}

/** A new link and its `payment_link.created` event; `mail` is the kind of mail that the event asks for. */
export function newLink(
  ctx: Ctx,
  values: NewLink,
  mail: "payment_link" | null,
  id = newId(),
): CreatedLink {
  return { id, values, event: { id: newId(), data: presentLink(newRow(ctx, id, values)), mail } };
}

/** Writes a new link with its event. */
export async function writeLink(
  ctx: Ctx,
  values: NewLink,
  mail: "payment_link" | null,
  tx?: Tx,
  id?: string,
): Promise<LinkRow> {
  return insertLink(ctx, newLink(ctx, values, mail, id), tx);
}

/** Makes a link with its `payment_link.created` event; the payer gets a mail unless `send_email` is false. Throws 422 for an amount the gateway cannot take and an unknown clock. */
export async function create(caller: Ctx, input: PaymentLinkCreate): Promise<PaymentLink> {
  await assertLink(caller, input);
  const { test_clock_id: testClockId = null, ...given } = input;
  const ctx = await atClock(caller, db, testClockId);
  const values = { ...valuesOf(given), sendEmail: input.send_email ?? true, testClockId };
  const write = async (tx?: Tx) =>
    presentLink(await writeLink(ctx, values, values.sendEmail ? "payment_link" : null, tx));
  if (testClockId === null) return ctx.claim ? commit(ctx, write) : write();
  return commit(ctx, async (tx) => {
    // Its deletion waits for this link, or this call learns of it here.
    if (!(await lockClock(ctx, tx, testClockId, "key share"))) throw invalid(unknownClock);
    return write(tx);
  });
}
