import type { ChildProcess } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { renewal } from "@/lib/flows/renewal/job";
import { takeCallbacks } from "./parts/callbacks";
import { newInstall, startWorker } from "./parts/install";
import { expected, prove, told, waitWhileMoving } from "./parts/proof";
import { dueAtOnce, figuresOf, progressOf } from "./parts/renewals";

// 10,000 renewals due at once, four worker processes, one after another killed with -9 and replaced: exactly 10,000 charges.
const count = Number(process.env.PROVE_RENEWALS ?? 10_000);
const LIMIT_SECONDS = 60 * 60;
// What a killed worker had claimed is free 15 s after its last heartbeat; many times that without a step is a standstill.
const STILL_SECONDS = 180;

// One claim a renewal. A killed worker's claims are taken over, twice when the one that took over was killed as well.
const CLAIMED_AT_ONCE = renewal.batch * renewal.perTenant;
// A kill waits for some work to be done: on a slow machine a kill every two seconds would allow as many claims as a lost lease makes.
const PAID_BETWEEN_KILLS = 200;
const claimsAllowed = (kills: number) => count + 2 * kills * CLAIMED_AT_ONCE;

const install = await newInstall();
const workers: ChildProcess[] = [];
let over = false;

await prove(
  async () => {
    const origin = await takeCallbacks();
    const renewals = await dueAtOnce(count);
    const start = () => startWorker(install, { BASE_URL: origin });
    told("renewals due at once", count);
    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1000;
    for (let made = 0; made < 4; made++) workers.push(start());

    let kills = 0;
    let paid = 0;
    const killer = (async () => {
      for (await pause(2_000); !over; await pause(2_000)) {
        if (paid < kills * PAID_BETWEEN_KILLS) continue;
        workers.shift()?.kill("SIGKILL");
        workers.push(start());
        kills++;
      }
    })();
    let most = 0;
    let last = { paid: 0, at: 0 };
    await waitWhileMoving(
      async () => {
        const progress = await progressOf(renewals);
        ({ paid } = progress);
        if (seconds() - last.at >= 5) {
          most = Math.max(most, (progress.paid - last.paid) / (seconds() - last.at));
          last = { paid: progress.paid, at: seconds() };
        }
        return progress;
      },
      ({ paid, open }) => paid === count && open === 0,
      STILL_SECONDS,
    );
    const took = seconds();
    over = true;
    await killer;
    for (const worker of workers) worker.kill("SIGKILL");

    const figures = await figuresOf(renewals);
    expected("charges in the gateway's journal", figures.charges, count);
    expected("of as many attempts", figures.references, count);
    expected("declines", figures.declines, 0);
    expected(
      "payments succeeded, none flagged",
      [figures.payments, figures.succeeded],
      [count, count],
    );
    expected("periods charged twice", figures.twice, 0);
    expected("events payment.succeeded", figures.events, count);
    expected("gross postings in the ledger", figures.ledger, count);
    expected("postings that do not sum to zero", figures.unbalanced, 0);
    expected("entries in which journal and ledger differ", figures.apart, 0);
    expected("next periods planned", figures.planned, count);
    // The lease keeps a second worker off. Without it the books still agree (the row lock and the derived id see to that),
    // but every worker runs after the same periods.
    told("claims of these periods", figures.claims, figures.claims <= claimsAllowed(kills));
    told("workers killed with -9", kills, kills > 0);
    told("renewals a second, at best over 5 s", Math.round(most));
    told("seconds until the last one was paid", took.toFixed(1));
  },
  () => {
    over = true;
    for (const worker of workers) worker.kill("SIGKILL");
    install.remove();
  },
  LIMIT_SECONDS,
);
