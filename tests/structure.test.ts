import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkStructure, NOUNS, rules } from "@/scripts/structure-rules.mjs";

type Files = [string, string][];
const lines = (count: number) => "export const a = 1;\n".repeat(count);
const note = ["TO", "DO"].join("");

// For each rule sources that break it and sources that do not: a rule that cannot fail holds nothing.
const cases: [rule: string, broken: Files, whole: Files][] = [
  [
    "floors",
    [
      ["lib/kernel/a.ts", 'import { x } from "@/lib/http/b";'],
      ["lib/http/b.ts", "export const x = 1;"],
    ],
    [
      ["lib/http/a.ts", 'import { x } from "@/lib/kernel/b";'],
      ["lib/kernel/b.ts", "export const x = 1;"],
    ],
  ],
  [
    "floors",
    [
      ["lib/domain/businesses/a.ts", 'import type { X } from "../../http/b";'],
      ["lib/http/b.ts", "export type X = 1;"],
    ],
    [],
  ],
  [
    "floors",
    [
      ["db/a.ts", 'export const a = () => import("@/lib/domain/b");'],
      ["lib/domain/b.ts", "export const x = 1;"],
    ],
    [],
  ],
  [
    "floors",
    [
      ["db/a.ts", 'export type A = import("@/lib/domain/b").X;'],
      ["lib/domain/b.ts", "export type X = 1;"],
    ],
    [],
  ],
  ["floors", [["lib/elsewhere/a.ts", "export const a = 1;"]], []],
  [
    "floors",
    [
      ["lib/kernel/a.ts", 'import "@/tests/b";'],
      ["tests/b.ts", "export const b = 1;"],
    ],
    [],
  ],
  [
    "cycles",
    [
      ["db/a.ts", 'import type { B } from "./b"; export type A = B;'],
      ["db/b.ts", 'import type { A } from "./a"; export type B = A;'],
    ],
    [
      ["db/a.ts", 'import type { B } from "./b"; export type A = B;'],
      ["db/b.ts", "export type B = 1;"],
    ],
  ],
  [
    "drizzle",
    [["lib/domain/payments/get.ts", 'import { eq } from "drizzle-orm";']],
    [
      ["lib/domain/payments/rows.ts", 'import { eq } from "drizzle-orm";'],
      ["lib/domain/payments/list-rows.ts", 'import { eq } from "drizzle-orm";'],
      ["db/a.ts", 'import pg from "pg";'],
    ],
  ],
  ["drizzle", [["lib/domain/payments/narrows.ts", 'import { eq } from "drizzle-orm";']], []],
  ["drizzle", [["app/api/route.ts", 'export const a = () => import("pg");']], []],
  [
    "environment",
    [["lib/http/a.ts", "export const a = process.env.PORT;"]],
    [
      ["lib/env.ts", "export const a = process.env.PORT;"],
      ["lib/http/a.ts", "export const a = process.pid; process.on('exit', () => 1);"],
    ],
  ],
  ["environment", [["lib/http/a.ts", "const { env } = process; export const a = env;"]], []],
  [
    "environment",
    [["lib/http/a.ts", 'import { env } from "node:process"; export const a = env;']],
    [],
  ],
  ["environment", [["lib/http/a.ts", "export const a = globalThis.process.env;"]], []],
  ["environment", [["lib/http/a.ts", 'export const a = process["env"];']], []],
  [
    "payer",
    [
      ["app/(payer)/pay/route.tsx", 'import "@/components/payer/a";'],
      ["components/payer/a.tsx", 'import "@/components/ui/b";'],
      ["components/ui/b.tsx", "export const b = 1;"],
    ],
    [
      ["app/(payer)/pay/route.tsx", 'import "@/components/payer/a";'],
      ["components/payer/a.tsx", "export const a = 1;"],
    ],
  ],
  [
    "nouns",
    [
      ["lib/domain/packages/a.ts", 'import "@/lib/domain/subscriptions/b";'],
      ["lib/domain/subscriptions/b.ts", "export const b = 1;"],
    ],
    [
      ["lib/domain/subscriptions/a.ts", 'import "@/lib/domain/packages/b";'],
      ["lib/domain/packages/b.ts", "export const b = 1;"],
    ],
  ],
  ["nouns", [["lib/domain/invoices/a.ts", "export const a = 1;"]], []],
  [
    "nouns",
    [
      ["lib/domain/context.ts", 'import "@/lib/domain/businesses/b";'],
      ["lib/domain/businesses/b.ts", "export const b = 1;"],
    ],
    [],
  ],
  [
    "nouns",
    [
      ["lib/gateways/a.ts", 'import "@/lib/domain/businesses/b";'],
      ["lib/domain/businesses/b.ts", "export const b = 1;"],
    ],
    [],
  ],
  [
    "contract",
    [["lib/contract/a.ts", 'import { readFile } from "pino";']],
    [
      ["lib/contract/a.ts", 'import * as z from "zod"; import "@/lib/kernel/b"; import "./c";'],
      ["lib/kernel/b.ts", "export const b = 1;"],
      ["lib/contract/c.ts", "export const c = 1;"],
    ],
  ],
  [
    "contract",
    [
      ["lib/contract/a.ts", 'import "@/lib/env";'],
      ["lib/env.ts", "export const b = 1;"],
    ],
    [],
  ],
  [
    "routes",
    [
      ["app/api/a/route.ts", 'import "@/lib/http/b";'],
      ["lib/http/b.ts", 'import { cookies } from "next/headers";'],
    ],
    [["app/(console)/page.tsx", 'import { cookies } from "next/headers";']],
  ],
  [
    "browser",
    [
      ["components/ui/a.tsx", '"use client";\nimport "@/lib/client/b";'],
      ["lib/client/b.ts", 'import "@/lib/env";'],
      ["lib/env.ts", "export const env = 1;"],
    ],
    [
      ["components/ui/a.tsx", 'import "@/lib/env";'],
      ["lib/env.ts", "export const env = 1;"],
    ],
  ],
  [
    "drawers",
    [["lib/kernel/utils.ts", "export const a = 1;"]],
    [["lib/kernel/money.ts", "export const a = 1;"]],
  ],
  ["drawers", [["lib/kernel/all.ts", 'export * from "./a"; export { b } from "./b";']], []],
  ["length", [["lib/kernel/a.ts", lines(401)]], [["lib/kernel/a.ts", lines(400)]]],
  ["length", [["components/ui/a.tsx", lines(301)]], [["components/ui/a.tsx", lines(300)]]],
  [
    "words",
    [["lib/kernel/a.ts", `// ${note}: later`]],
    [["lib/kernel/a.ts", "// Never anything."]],
  ],
  ["words", [["lib/kernel/a.ts", "export const a = (b: any) => b;"]], []],
  ["words", [["lib/kernel/a.test.ts", ["test", "skip('a', () => 1);"].join(".")]], []],
];

test.each(cases)(
  "%s is broken by what breaks it and by nothing else (case %#)",
  (rule, broken, whole) => {
    expect(checkStructure(broken).filter((one) => one.rule === rule)).not.toEqual([]);
    expect(checkStructure(whole).filter((one) => one.rule === rule)).toEqual([]);
  },
);

test("every rule has a case that breaks it", () => {
  expect(new Set(cases.map(([rule]) => rule))).toEqual(new Set(Object.keys(rules)));
});

test("the README names the nouns in the order that is checked", () => {
  const [, order = ""] =
    /only the nouns to its left: (.*?)\./s.exec(readFileSync("README.md", "utf8")) ?? [];
  expect(order.split(/,\s+/)).toEqual(NOUNS);
});
