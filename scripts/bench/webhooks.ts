import type { ChildProcess } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { create } from "@/lib/domain/payment-links/create";
import { newInstall, startWorker } from "../prove/parts/install";
import { takes, tellThem } from "../prove/parts/webhooks";

// `webhooks.ts COUNT WORKERS` prints JSON: the deliveries a second to a receiver that verifies and answers at once, while the middle eight tenths are made.
const [count = 10_000, number = 4] = process.argv.slice(2).map(Number);
const LIMIT_SECONDS = 300;
const MAKERS = 8;

const install = await newInstall();
const workers: ChildProcess[] = [];

async function measure(): Promise<void> {
  const { ctx, receivers } = await tellThem({ fast: takes });
  const [receiver] = receivers;
  if (!receiver) throw new Error("no receiver");
  let left = count;
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
  await Promise.all(Array.from({ length: MAKERS }, maker));
  const began = performance.now();
  const settings = { WEBHOOK_ALLOW_PRIVATE: "true" };
  for (let made = 0; made < number; made++) workers.push(startWorker(install, settings));
  const reached = async (share: number) => {
    while (receiver.taken.size < count * share) {
      if (performance.now() - began > LIMIT_SECONDS * 1_000)
        throw new Error("the webhooks take too long");
      await pause(10);
    }
    return { at: performance.now(), taken: receiver.taken.size };
  };
  const [from, to] = [await reached(0.1), await reached(0.9)];
  await reached(1);
  if (receiver.forged + receiver.changed > 0) throw new Error("deliveries that do not verify");
  const rate = ((to.taken - from.taken) * 1_000) / (to.at - from.at);
  process.stdout.write(JSON.stringify({ rate }));
}

let code = 0;
try {
  await measure();
} catch (error) {
  console.error(error);
  code = 1;
} finally {
  for (const worker of workers) worker.kill("SIGKILL");
  install.remove();
  process.exit(code);
}
