import { root } from "../stamp.mjs";
import { bundleTools, tool } from "./measure.mjs";

const GOAL = 300;

/** Measures renewals with four workers on two cores; true when the goal is reached. */
export async function renewals(count) {
  await bundleTools(root, ["renewals"]);
  const { rate, cpu } = JSON.parse(
    tool(root, "renewals", [String(count), "4"], { LOG_LEVEL: "fatal" }, "0,1"),
  );
  console.log(
    `  renewals of 4 workers on 2 cores: ${rate}/s, goal ${GOAL}/s: ${rate >= GOAL ? "yes" : "no"}; ${cpu.toFixed(1)} ms of a worker's processor time each`,
  );
  return rate >= GOAL;
}
