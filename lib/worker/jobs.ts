import { longWork } from "@/db/client";
import type { FairWork } from "@/lib/domain/fair-work";
import { unscopedPurgeKeys } from "@/lib/domain/idempotency/rows";
import { collectMails, sendMails } from "@/lib/domain/mails/outbox";
import { expireDue as expireLinks } from "@/lib/domain/payment-links/expire";
import { workCallbacks } from "@/lib/domain/payments/callback";
import { paymentLooks } from "@/lib/domain/payments/reconcile";
import { searchPayments } from "@/lib/domain/restores/search-payments";
import { refundLooks } from "@/lib/domain/payments/refunds/reconcile";
import { advances } from "@/lib/domain/subscriptions/engine/advance";
import { followEvents } from "@/lib/domain/subscriptions/engine/follow";
import { chargeDue } from "@/lib/domain/subscriptions/engine/run";
import { unscopedPurgeRequests } from "@/lib/domain/request-log/rows";
import { expireDue as expireTokens } from "@/lib/domain/tokenizations/expire";
import { activationLooks } from "@/lib/domain/tokenizations/reconcile";
import { unscopedSweepSignIns } from "@/lib/domain/users/rows";
import { createCourier } from "@/lib/domain/webhooks/engine/courier";
import { fanOut } from "@/lib/domain/webhooks/engine/fan-out";
import { unscopedPurgeDeliveries, unscopedStopStranded } from "@/lib/domain/webhooks/engine/rows";
import { createSender } from "@/lib/domain/webhooks/engine/sender";
import { env } from "@/lib/env";
import { tick } from "@/lib/gateways/simulator/clockwork";
import type { MailTransport } from "@/lib/mail/transport";
import type { WorkKindName } from "./late-rows";

/** A kind of background work. `run` does what is due, a batch at most, and answers how much it did. */
export type Job = {
  name: string;
  everyMs: number;
  /** The kind of work that has moved when a run did something; others note their pieces themselves. */
  kind?: WorkKindName;
  run: (requestId: string) => Promise<number>;
  /** Ends what `run` left under way, before the worker stops. */
  rest?: () => Promise<void>;
};

const batch = 50;
// Looks at a gateway go side by side, each with a lease for the answers it may wait for: what a worker that dies has claimed waits for its end.
const few = 8;

const deliveryDays = 60;

/** Everything the worker does. All of it is claimed from rows, so any number of workers may run side by side. */
export function jobs(transport: MailTransport): readonly Job[] {
  const often = env.WORKER_POLL_MS;
  const courier = createCourier({
    sender: createSender({ allowPrivate: env.WEBHOOK_ALLOW_PRIVATE }),
  });
  const fair = (name: string, { poll, drain }: FairWork): Job => ({
    name,
    everyMs: often,
    run: poll,
    rest: drain,
  });
  return [
    fair("look after payments", paymentLooks()),
    {
      name: "search for payments since a backup",
      everyMs: 10_000,
      run: searchPayments,
    },
    fair("look after refunds", refundLooks()),
    {
      name: "work callbacks",
      everyMs: often,
      kind: "callback",
      run: (id) => workCallbacks(few, id),
    },
    { name: "charge subscriptions", everyMs: often, run: (id) => chargeDue(id) },
    fair("advance test clocks", advances({ beforeEnd: () => collectMails(1_000) })),
    {
      name: "follow outcomes",
      everyMs: often,
      kind: "follow-up",
      run: (id) => followEvents(batch, id),
    },
    fair("look after activations", activationLooks()),
    { name: "run the simulator", everyMs: often, run: async () => (await tick()).settled },
    { name: "collect mails", everyMs: often, kind: "mail-event", run: () => collectMails(200) },
    {
      name: "send mails",
      everyMs: often,
      kind: "mail",
      run: () => sendMails(transport, env.WORKER_CONCURRENCY * 4),
    },
    {
      name: "turn events into webhooks",
      everyMs: often,
      kind: "webhook-event",
      run: () => fanOut(500),
    },
    {
      name: "deliver webhooks",
      everyMs: often,
      kind: "webhook",
      run: courier.turn,
      rest: courier.rest,
    },
    { name: "stop stranded webhooks", everyMs: 60_000, run: () => unscopedStopStranded() },
    { name: "expire links", everyMs: 1_000, kind: "link", run: expireLinks },
    { name: "expire tokens", everyMs: 10_000, kind: "token", run: expireTokens },
    { name: "forget old sign-ins", everyMs: 3_600_000, run: () => longWork(unscopedSweepSignIns) },
    { name: "forget old requests", everyMs: 3_600_000, run: () => longWork(unscopedPurgeRequests) },
    {
      name: "forget old deliveries",
      everyMs: 3_600_000,
      run: () => longWork(() => unscopedPurgeDeliveries(deliveryDays)),
    },
    { name: "forget idempotency keys", everyMs: 3_600_000, run: () => longWork(unscopedPurgeKeys) },
  ];
}
