import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { env, provideEnv } from "@/lib/env";
import { readText } from "./files";

// Besides its pools a process keeps one connection for its heartbeat, and one to receive live changes.
const OTHERS = 2;

afterAll(closePool);

test("the page about installing and the manifest say how many connections a process takes, at most", () => {
  provideEnv({ DATABASE_URL: "postgres://kutip@127.0.0.1:1/kutip" });
  const pools = (["request", "long", "heavyRead", "check"] as const).map(
    (name) => pool(name).options.max,
  );
  const most = pools.reduce((sum, one) => sum + one, OTHERS);
  const more = most - env.DATABASE_POOL;
  const page = readFileSync("docs/operations/install.md", "utf8");
  const rows = page.match(/^\| (web|worker) \| .*$/gm) ?? [];
  expect(rows).toHaveLength(2);
  for (const row of rows)
    expect(row).toContain(`\`DATABASE_POOL\` + ${more}, so ${most} by default`);
  expect(page).toContain(`(N + M + 2) × (DATABASE_POOL + ${more}) + 3`);
  expect(readText("kubernetes/web.yaml")).toContain(`takes up to ${most} database connections`);
  expect(page).toContain(`Two web processes and two workers\nneed ${(2 + 2 + 2) * most + 3}.`);
});
