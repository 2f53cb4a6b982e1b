import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../service";

/** Times of the drill in place of those in the rules, which are minutes. */
export type Times = { forSeconds: number; windowSeconds: number };

const MONITORING = "deploy/monitoring";

/** The product's rules with the drill's times: how long a state has to last, and over how long rates are taken. */
export function rulesIn({ forSeconds, windowSeconds }: Times): string {
  return readFileSync(path.join(MONITORING, "rules.yml"), "utf8")
    .replace(/for: \d+m\b/g, `for: ${forSeconds}s`)
    .replace(/\[\d+m\]/g, `[${windowSeconds}s]`);
}

/** What promtool says about the product's rules and their tests; empty when it accepts both. */
export function objections(): string {
  return [
    ["check", "rules", "rules.yml"],
    ["check", "config", "prometheus.yml"],
    ["test", "rules", "rules.test.yml"],
  ]
    .map((words) => spawnSync("promtool", words, { cwd: MONITORING, encoding: "utf8" }))
    .filter(({ status }) => status !== 0)
    .map(({ stdout, stderr }) => stdout + stderr)
    .join("\n");
}

/** A Prometheus with its data in a folder of the drill. */
export type Prometheus = {
  /** The names of the alerts that fire now. */
  firing: () => Promise<string[]>;
  /** The names of all metrics that it has collected. */
  metrics: () => Promise<string[]>;
  stop: () => Promise<void>;
};

/** Starts Prometheus on the product's example of a configuration, with these targets and rules. */
export async function startPrometheus(
  folder: string,
  targets: readonly string[],
  rules: string,
): Promise<Prometheus> {
  mkdirSync(folder, { recursive: true });
  const config = readFileSync(path.join(MONITORING, "prometheus.yml"), "utf8")
    .replace(/targets: \[.*\]/, `targets: ${JSON.stringify(targets)}`)
    .replace(/_interval: 15s/g, "_interval: 2s");
  writeFileSync(path.join(folder, "prometheus.yml"), config);
  writeFileSync(path.join(folder, "rules.yml"), rules);
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(
    "prometheus",
    [
      `--config.file=${path.join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${path.join(folder, "data")}`,
      `--web.listen-address=${new URL(url).host}`,
      "--log.level=error",
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  const ask = async <T>(address: string): Promise<T> => {
    const answer = await fetch(`${url}${address}`);
    return ((await answer.json()) as { data: T }).data;
  };
  while (
    !(await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error("Prometheus does not start");
    await pause(100);
  }
  return {
    firing: async () => {
      const { alerts } = await ask<{
        alerts: { state: string; labels: { alertname: string } }[];
      }>("/api/v1/alerts");
      const names = alerts
        .filter(({ state }) => state === "firing")
        .map(({ labels }) => labels.alertname);
      return [...new Set(names)].sort();
    },
    metrics: () => ask<string[]>("/api/v1/label/__name__/values"),
    stop: async () => {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      if (child.exitCode === null && child.kill("SIGTERM")) await gone;
    },
  };
}
