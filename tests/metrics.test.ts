import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { replicaState } from "@/db/replica";
import { describeProcess } from "@/lib/http/metrics-text";
import { countRequest } from "@/lib/http/request-metrics";
import { run } from "@/lib/jobs/loop";
import { metrics } from "@/lib/kernel/metrics";
import { Child } from "@/lib/supervisor/children";
import { showDisk } from "@/lib/supervisor/disk";
import { allJobs } from "@/lib/worker/all-jobs";

// What every process of an install serves, all in one registry.
describeProcess({ name: "supervisor", isStopping: () => false });
showDisk(".");
countRequest("none", "GET", 200, performance.now());
void [run, Child, replicaState];
const served = [...(await metrics.metrics()).matchAll(/^# TYPE (\w+) (\w+)$/gm)];
const types = new Map(served.map(([, name = "", type = ""]) => [name, type]));

const read = (name: string) => readFileSync(name, "utf8");
const rules = read("deploy/monitoring/rules.yml");
const ruleTests = read("deploy/monitoring/rules.test.yml");
const manual = read("docs/operations/monitoring.md");
const board = JSON.parse(read("deploy/monitoring/board.json")) as {
  panels: { title: string; targets?: { expr: string }[] }[];
};
const METRIC = /\b(?:kutip|process|nodejs)_[a-z0-9_]+/g;

/** The metric that a query reads: a histogram's series have its name and an ending. */
const metricOf = (series: string) => {
  const base = series.replace(/_(bucket|count|sum)$/, "");
  return types.get(base) === "histogram" ? base : series;
};
const unknownIn = (query: string) =>
  [...query.matchAll(METRIC)]
    .map(([series]) => metricOf(series))
    .filter((name) => !types.has(name));
const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name = ""]) => name);

test("the install serves metrics of all its parts", () => {
  expect(allJobs.jobs.length).toBeGreaterThan(10);
  for (const part of ["http", "pool", "job", "webhook", "mail", "gateway", "payments", "limit"])
    expect([...types.keys()].filter((name) => name.startsWith(`kutip_${part}`))).not.toEqual([]);
});

test("every metric that the rules and their tests name is served", () => {
  expect(rules).toMatch(METRIC);
  const queries = `${rules}${ruleTests}`.replace(/^#.*$/gm, "");
  expect(unknownIn(queries)).toEqual([]);
});

test.each(
  board.panels.filter(({ targets }) => targets).map((panel) => [panel.title, panel] as const),
)("the board's panel %s reads metrics that are served", (_, { targets = [] }) => {
  for (const { expr } of targets) {
    expect(expr).toMatch(/\b(kutip|process|nodejs)_|up\{/);
    expect(unknownIn(expr)).toEqual([]);
  }
});

test("every metric that is served is documented, and no other", () => {
  const [, tables = ""] = manual.split("## Metrics");
  const documented = [...tables.matchAll(/`((?:kutip|process|nodejs)_\w+)`/g)].map(
    ([, name]) => name,
  );
  expect(documented.toSorted()).toEqual([...types.keys()].toSorted());
});

test("every label of Kutip's own metrics is documented with its metric", async () => {
  for (const { name } of await metrics.getMetricsAsJSON()) {
    if (!name.startsWith("kutip_")) continue;
    const { labelNames } = metrics.getSingleMetric(name) as unknown as { labelNames: string[] };
    const [, labels = ""] = new RegExp(`\\| \`${name}\` \\| ([^|]*)\\|`).exec(manual) ?? [];
    const documented = [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label);
    expect([name, ...documented.toSorted()]).toEqual([name, ...labelNames.toSorted()]);
  }
});

test("every alert is tested, and the manual says what to do about it", () => {
  const [, table = ""] = manual.split("## Alerts");
  const explained = [
    ...(table.split("## Metrics")[0] ?? "").matchAll(/(?<=^\|[^|]*)`(Kutip\w+)`/gm),
  ].map(([, name]) => name);
  expect(explained.toSorted()).toEqual(alerts.toSorted());
  const tested = [...ruleTests.matchAll(/alertname="(\w+)"/g)].map(([, name]) => name);
  expect(tested.toSorted()).toEqual(alerts.toSorted());
});
