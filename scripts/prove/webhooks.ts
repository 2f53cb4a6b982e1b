import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { withTransaction } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { emit } from "@/lib/domain/events/emit";
import { create } from "@/lib/domain/payment-links/create";
import { defineWebhookDelivery, webhookFanOut } from "@/lib/flows/webhook-delivery/job";
import type { ClaimableTable } from "@/lib/jobs/claim-rows";
import { createRunner, type Runner } from "@/lib/jobs/runner";
import { createSender } from "@/lib/flows/webhook-delivery/sender";
import { newId } from "@/lib/kernel/ids";
import { newInstall } from "./parts/install";
import { expected, prove, told, waitWhileMoving } from "./parts/proof";
import {
  eventsOf,
  failsAtTimes,
  hangsFor,
  statesOf,
  takes,
  tellThem,
  within,
} from "./parts/webhooks";

// 10,000 events to three endpoints, of which one hangs for half a minute and one fails 30 % of the time: all delivered and verified.
const count = Number(process.env.PROVE_EVENTS ?? 10_000);
const hangMs = 30_000;
const LIMIT_SECONDS = 15 * 60;
const STILL_SECONDS = 60;
// Events that are written early and committed late, while others overtake them: a reader must not pass them over.
const LATE_COMMITS = 8;
// What a delivery waits for in days here takes seconds; nothing else differs from a worker's own.
const retrySeconds = [1, 2, 2, 2, 4, 4, 4, 8, 8];

if (process.argv[2] === "worker") {
  const sender = createSender({ allowPrivate: true });
  const runners = [webhookFanOut, defineWebhookDelivery({ sender, retrySeconds })].map((job) =>
    createRunner<ClaimableTable>(job),
  );
  const poll = async ({ poll }: Runner) => {
    for (;;) if ((await poll("prove")) === 0) await pause(100);
  };
  await Promise.all(runners.map(poll));
}

function lateCommits(ctx: Ctx): Promise<void>[] {
  return Array.from({ length: LATE_COMMITS }, (_, number) =>
    withTransaction(async (tx) => {
      const objectId = newId();
      await emit(ctx, tx, { type: "payment_link.created", objectId, data: { _id: objectId } });
      await pause(500 + number * 200);
    }),
  );
}

const install = await newInstall();
const workers: ChildProcess[] = [];
const closing: Array<() => void> = [];

await prove(
  async () => {
    const { ctx, receivers } = await tellThem({
      healthy: takes,
      "failing 30 %": failsAtTimes(0.3),
      hanging: hangsFor(hangMs),
    });
    closing.push(...receivers.map((receiver) => receiver.close));
    const [healthy, failing, hanging] = receivers;
    if (!healthy || !failing || !hanging) throw new Error("three endpoints were asked for");
    for (let made = 0; made < 2; made++) {
      workers.push(
        spawn(process.execPath, [process.argv[1] ?? "", "worker"], {
          env: { ...process.env, NODE_ENV: "production", ...install.settings },
          stdio: ["ignore", "ignore", "inherit"],
        }),
      );
    }

    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1000;
    let left = count - LATE_COMMITS;
    const maker = async () => {
      while (left-- > 0)
        await create(ctx, {
          email: "payer@example.com",
          currency: "MYR",
          amount: 1_250,
          title: "Night Market",
          send_email: false,
        });
    };
    await Promise.all([...Array.from({ length: 4 }, maker), ...lateCommits(ctx)]);
    told("links made", count);
    told("events with a late commit", LATE_COMMITS);
    told("seconds in which they were made", seconds().toFixed(1));
    let whole = 0;
    await waitWhileMoving(
      async () => {
        if (whole === 0 && healthy.taken.size >= count) whole = seconds();
        return { states: await statesOf(ctx), requests: receivers.map(({ requests }) => requests) };
      },
      ({ states }) => states.delivered === 3 * count,
      STILL_SECONDS,
    );
    const took = seconds();

    const events = await eventsOf(ctx);
    expected("events", events.size, count);
    expected("deliveries", await statesOf(ctx), { delivered: 3 * count });
    for (const receiver of receivers) {
      told(`${receiver.name}: requests`, receiver.requests);
      expected(
        `${receiver.name}: events taken and verified`,
        [...events.keys()].filter((id) => receiver.taken.has(id)).length,
        count,
      );
      expected(
        `${receiver.name}: signatures that did not verify, bodies that changed`,
        [receiver.forged, receiver.changed],
        [0, 0],
      );
      told(`${receiver.name}: most requests at a time`, receiver.longest, receiver.longest <= 4);
      for (const share of [0.5, 0.95, 1]) {
        const ms = within(share, receiver, events);
        told(
          `${receiver.name}: ms until ${share === 1 ? "the last" : `${share * 100} %`} had arrived`,
          ms,
          // Against the hanging one in the same run, since how long delivering takes depends on the machine.
          receiver !== healthy || share !== 0.95 || ms < within(share, hanging, events) / 3,
        );
      }
    }
    expected("healthy: each event once", healthy.requests, count);
    told("seconds until the healthy one had all", whole.toFixed(1));
    told("seconds until all had all", took.toFixed(1));
  },
  () => {
    for (const worker of workers) worker.kill("SIGKILL");
    for (const close of closing) close();
    install.remove();
  },
  LIMIT_SECONDS,
);
