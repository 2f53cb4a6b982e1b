import { notifyChange } from "@/db/changes";
import { longWork, withTransaction } from "@/db/client";
import { newTransactionId } from "@/db/event-horizon";
import { databaseNow } from "@/db/now";
import { sealedTogetherKey } from "@/db/setting-keys";
import { readSetting } from "@/db/settings";
import type { Erasure, ErasurePreview } from "@/lib/contract/payers";
import type { Mode } from "@/lib/contract/values";
import { env } from "@/lib/env";
import { holdCaller, nextEntry, redactionOf } from "@/lib/domain/audit/record";
import { lockHead } from "@/lib/domain/audit/rows";
import type { Ctx } from "@/lib/domain/context";
import { hasEventsBelow } from "@/lib/domain/events/rows";
import { resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import {
  copiesLeft,
  entriesToRedact,
  type Erased,
  lockRecords,
  methodsOf,
  type PayerRecords,
  recordsOf,
  redactRecords,
  writeErasure,
} from "@/lib/domain/payers/erasure-rows";
import { normalAddress } from "@/lib/domain/payers/rules";
import { dropViewsNaming } from "@/lib/domain/saved-views/rows";
import { find, forgetMethod, type TokenizationRow } from "@/lib/domain/tokenizations/rows";
import { revoke } from "@/lib/domain/tokenizations/revoke";
import { isoOf } from "@/lib/kernel/clock";
import { conflict, Problem } from "@/lib/kernel/problem";
import { unseal } from "@/lib/kernel/secrets";
import { lookUp } from "../activation/reconcile";
import { releaseLink } from "../link-change/release";
import { cancel as cancelLink } from "../link-change/steps";
import { update as changeSubscription } from "../subscription-change/update";
import { decide, type ErasureDecision, type ErasureRefusal } from "./decide";

const ANSWER_HOURS = 72;
const MEANWHILE = "Something of this payer began meanwhile. Erase again later.";
const UNANSWERED =
  "The payment provider has not said whether its page is closed, and whether it saved a payment method.";

/** The lists of records that a step is taken for. */
type Kind = Exclude<keyof Extract<ErasureDecision, { kind: "erase" }>, "kind">;

/** Where the address stays although the payer is erased, and until when. */
async function remaining(
  { businessId }: Ctx,
  email: string,
  { staff }: PayerRecords,
): Promise<ErasurePreview["remaining"]> {
  const [now, bound, left] = await Promise.all([
    databaseNow(),
    readSetting(sealedTogetherKey),
    copiesLeft(businessId, email),
  ]);
  const hasOlder = bound !== undefined && (await hasEventsBelow(businessId, bound));
  const inHours = (hours: number) => isoOf(new Date(now + hours * 3_600_000));
  return [
    {
      place: "The request log of this business",
      until: inHours(env.REQUEST_LOG_DAYS * 24),
    },
    {
      place: "Stored answers to calls with an Idempotency-Key, sealed",
      until: inHours(ANSWER_HOURS),
    },
    { place: "Backups and exports of this install", until: null },
    { place: "What was sent: mails, webhooks, and payments at the payment provider", until: null },
    ...(hasOlder
      ? [
          {
            place:
              "Events of other payers from an earlier version, where a record named this address too",
            until: env.EVENT_DAYS > 0 ? inHours(env.EVENT_DAYS * 24) : null,
          },
        ]
      : []),
    ...(left.mails
      ? [
          {
            place:
              "Mails to other payers from before the oldest event, where a record named this address then",
            until: env.MAIL_DAYS > 0 ? inHours(env.MAIL_DAYS * 24) : null,
          },
        ]
      : []),
    ...(left.settings
      ? [
          {
            place:
              "The API keys, shop plugins, test clocks or webhook endpoints that name this address",
            until: null,
          },
        ]
      : []),
    ...(staff
      ? [
          {
            place: "The account and audit entries of the staff member with this address",
            until: null,
          },
        ]
      : []),
  ];
}

/** What erasing this payer would cancel, what speaks against it, and where copies stay. */
export async function previewErasure(ctx: Ctx, email: string): Promise<ErasurePreview> {
  const records = await recordsOf(ctx.businessId, email);
  const decision = decide(records);
  const counts = countsOf(records, decision.kind === "erase" ? decision : undefined);
  return {
    refusals: decision.kind === "refuse" ? decision.refusals : [],
    ...counts,
    remaining: await remaining(ctx, email, records),
  };
}

function countsOf(
  records: PayerRecords,
  decided?: { subscriptions: unknown[]; links: unknown[]; methods: unknown[] },
) {
  return {
    payment_links: { all: records.links.length, cancelled: decided?.links.length ?? 0 },
    subscriptions: {
      all: records.subscriptions.length,
      cancelled: decided?.subscriptions.length ?? 0,
    },
    tokenizations: { all: records.methods.length, revoked: decided?.methods.length ?? 0 },
    payments: records.payments.length,
    customers: records.customers,
  };
}

/**
 * Erases a payer in one business, in both modes. Each step is done once, so calling it again continues a run that broke off. Throws 409 while
 * a payment or refund is under way or disputed, and when a gateway gives no definite answer.
 */
export async function erasePayer(ctx: Ctx, email: string): Promise<Erasure> {
  const before = await recordsOf(ctx.businessId, email);
  const decision = decide(before);
  if (decision.kind === "refuse") throw underWay(decision.refusals);
  const each = async (kind: Kind, take: (own: Ctx, id: string) => Promise<unknown>) => {
    for (const { id, mode } of decision[kind])
      try {
        await take(step(ctx, mode), id);
      } catch (error) {
        if (!(await isOver(ctx, email, kind, id))) throw error;
      }
  };
  await each("open", (own, id) => releaseLink(own, id, true));
  await each("subscriptions", (own, id) =>
    changeSubscription(own, id, { status: "cancel" }, { mail: false }),
  );
  await each("links", cancelLink);
  await each("methods", revoke);
  const kept: Erasure["kept_at_gateway"] = [];
  for (const { id, mode } of before.methods) {
    const reason = await detach(step(ctx, mode), id);
    if (reason !== null) kept.push({ tokenization_id: id, reason });
  }
  const refused = kept.filter(({ reason }) => reason !== UNANSWERED);
  const erased = await redact(ctx, email, new Set(refused.map((one) => one.tokenization_id)));
  return {
    ...countsOf(before, decision),
    remaining: await remaining(ctx, email, before),
    mails: erased.mails,
    events: erased.events,
    kept_at_gateway: kept,
  };
}

/** Whether others cancelled, revoked or deleted a record since it was looked at: its step was refused, and is not needed any more. */
async function isOver(ctx: Ctx, email: string, kind: Kind, id: string): Promise<boolean> {
  const now = decide(await recordsOf(ctx.businessId, email));
  return (
    now.kind === "erase" && now.open.length === 0 && now[kind].every((record) => record.id !== id)
  );
}

/** A step of the erasure: its own transaction, in the record's mode, under no key and with no audit entry of its own. */
function step(ctx: Ctx, mode: Mode): Ctx {
  const { claim: _claim, audit: _audit, seenVersion: _seen, ...own } = ctx;
  return { ...own, mode };
}

const underWay = (refusals: ErasureRefusal[]) =>
  new Problem(
    409,
    "conflict",
    `This payer has money under way: ${refusals.map(({ object, _id, status }) => `${object} ${_id} is ${status}`).join(", ")}.`,
    { details: { refusals } },
  );

/** Closes an open activation and has the gateway forget its customer. Returns why the gateway may keep one; null where it keeps nothing. */
async function detach(ctx: Ctx, id: string): Promise<string | null> {
  const found = await find(ctx, id);
  const row = found && (await lookUp(ctx, found));
  if (!row) return null;
  if (row.attemptAt !== null)
    throw conflict(
      "The payment provider has not confirmed that a page to save a method is closed. Erase again later.",
    );
  const kept = row.methodId === null ? null : await forget(ctx, row, row.methodId);
  return kept ?? (row.attemptGatewayId === null ? null : UNANSWERED);
}

async function forget(
  ctx: Ctx,
  { id, connectionId }: Pick<TokenizationRow, "id" | "connectionId">,
  sealed: string,
): Promise<string | null> {
  const { gateway, connection } = await resolveGatewayOf(ctx, connectionId);
  const methodId = unseal(sealed, "gateway");
  const answer = await callGateway("forgetting a customer", () =>
    gateway.forgetCustomer(connection, methodId),
  );
  if (answer.kind === "unknown")
    throw conflict(
      `The payment provider has not confirmed that it forgot the payer: ${answer.reason} Erase again later.`,
    );
  if (answer.kind === "refused") return answer.reason;
  await forgetMethod(ctx, id);
  return null;
}

/** The last step, in one transaction: what names the payer is redacted, the keys are deleted, and the audit log says so. */
async function redact(ctx: Ctx, email: string, refused: ReadonlySet<string>): Promise<Erased> {
  const { audit } = ctx;
  try {
    // All events of the business are looked through.
    const erased = await longWork(() =>
      withTransaction(async (tx) => {
        // A rotation of the secret waits for transactions that have an id. This one seals long before it may write anything.
        await newTransactionId(tx);
        await holdCaller(ctx, tx);
        await lockRecords(tx, ctx.businessId, email);
        // The gateway may have reported one since it was asked.
        const methods = await methodsOf(tx, ctx.businessId, email);
        if (methods.some(({ id }) => !refused.has(id))) throw conflict(MEANWHILE);
        await audit?.notify?.(tx, audit);
        const counts = await redactRecords(tx, ctx.businessId, email, ctx.actor);
        await dropViewsNaming(ctx, tx, normalAddress(email));
        // Late, since others wait for the log's end. Another erasure may redact the same entries: it has ended by now.
        await lockHead(tx, ctx.businessId);
        const redacted = await entriesToRedact(tx, ctx.businessId, email);
        const redaction = await redactionOf(tx, redacted);
        const entry = await nextEntry(tx, ctx.businessId, ctx.actor, {
          action: audit?.action ?? "payer:erase",
          mode: audit ? ctx.mode : null,
          address: audit?.address ?? null,
          requestId: audit ? ctx.requestId : null,
          details: { ...audit?.details, ...redaction },
        });
        await writeErasure(tx, ctx.businessId, email, entry);
        await notifyChange(tx, { businessId: ctx.businessId }, "payer.erased", "");
        return counts;
      }),
    );
    if (audit) audit.written = true;
    return erased;
  } catch (error) {
    if (codeOf(error) === "23001") throw conflict(MEANWHILE);
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause) return cause.code;
  return undefined;
}
