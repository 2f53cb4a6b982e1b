import { root } from "../stamp.mjs";
import { bundleTools, tool } from "./measure.mjs";
import { atLeast } from "./table.mjs";

const RENEWALS = 6_000;
const WEBHOOKS = 10_000;
const WORKERS = 4;

/** The lines of the table about background work: four workers on two cores. */
export async function background() {
  await bundleTools(root, ["renewals", "webhooks"]);
  const run = (name, count) =>
    JSON.parse(tool(root, name, [String(count), String(WORKERS)], { LOG_LEVEL: "fatal" }, "0,1"));
  const { rate, cpu } = run("renewals", RENEWALS);
  console.error(`bench: renewals: ${cpu.toFixed(1)} ms of a worker's processor time each`);
  return [
    atLeast(`renewals, ${WORKERS} workers on 2 cores`, 300, rate, "/s"),
    atLeast(`webhooks, ${WORKERS} workers on 2 cores`, 1_000, run("webhooks", WEBHOOKS).rate, "/s"),
  ];
}
