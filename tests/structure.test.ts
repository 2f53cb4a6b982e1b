import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { JOINS, WRITERS } from "@/scripts/structure-homes.mjs";
import { checkStructure, NOUNS, rules } from "@/scripts/structure-rules.mjs";
import { FILES } from "@/scripts/structure-scope.mjs";

type Files = [string, string][];
type Case = [rule: string, broken: Files, whole: Files];
const lines = (count: number) => "export const a = 1;\n".repeat(count);
const note = ["TO", "DO"].join("");

// For each rule sources that break it and sources that do not: a rule that cannot fail holds nothing.
const cases: Case[] = [
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
  [
    "floors",
    [
      ["lib/domain/payments/a.ts", 'import "@/lib/flows/charge/steps";'],
      ["lib/flows/charge/steps.ts", "export const a = 1;"],
    ],
    [
      ["lib/flows/charge/steps.ts", 'import "@/lib/domain/payments/a";'],
      ["lib/domain/payments/a.ts", "export const a = 1;"],
    ],
  ],
  [
    "floors",
    [
      ["lib/gateways/a.ts", 'import "@/lib/domain/businesses/b";'],
      ["lib/domain/businesses/b.ts", "export const b = 1;"],
    ],
    [
      ["lib/domain/businesses/b.ts", 'import "@/lib/gateways/a";'],
      ["lib/gateways/a.ts", "export const a = 1;"],
    ],
  ],
  [
    "floors",
    [
      ["lib/jobs/a.ts", 'import "@/lib/mail/b";'],
      ["lib/mail/b.ts", "export const b = 1;"],
    ],
    [
      ["lib/flows/mailing/job.ts", 'import "@/lib/jobs/a"; import "@/lib/mail/b";'],
      ["lib/jobs/a.ts", "export const a = 1;"],
      ["lib/mail/b.ts", "export const b = 1;"],
    ],
  ],
  [
    "floors",
    [
      ["lib/flows/checkout/steps.ts", 'import "@/lib/payer/b";'],
      ["lib/payer/b.ts", "export const b = 1;"],
    ],
    [
      ["lib/payer/b.ts", 'import "@/lib/flows/checkout/steps";'],
      ["lib/flows/checkout/steps.ts", "export const a = 1;"],
    ],
  ],
  ["floors", [["lib/elsewhere/a.ts", "export const a = 1;"]], []],
  ["floors", [["lib/flows/a.ts", "export const a = 1;"]], []],
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
    "rooms",
    [
      ["lib/flows/charge/a.ts", 'import "@/lib/flows/refund/b";'],
      ["lib/flows/refund/b.ts", "export const b = 1;"],
      ["lib/flows/refund/c.ts", 'import "@/lib/flows/charge/d";'],
      ["lib/flows/charge/d.ts", "export const d = 1;"],
    ],
    [
      ["lib/flows/charge/a.ts", 'import "@/lib/flows/refund/b"; import "./d";'],
      ["lib/flows/refund/b.ts", "export const b = 1;"],
      ["lib/flows/charge/d.ts", "export const d = 1;"],
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
    "homes",
    [
      ["db/schema/payments.ts", "export const payments = pgTable('payments', {});"],
      ["lib/domain/ledger/rows.ts", 'import { payments } from "@/db/schema/payments";'],
    ],
    [
      ["db/schema/payments.ts", "export const payments = pgTable('payments', {});"],
      ["lib/domain/payments/a-rows.ts", 'import { payments } from "@/db/schema/payments";'],
      ["lib/domain/payments/a/b-rows.ts", 'import { payments } from "@/db/schema/payments";'],
      ["lib/domain/payments/get.ts", 'import type { payments } from "@/db/schema/payments";'],
      ["lib/flows/charge/job.ts", 'import { payments } from "@/db/schema/payments";'],
    ],
  ],
  ...["sql`select for update skip locked`", 'q.for("update", { skipLocked: true })'].map(
    (claim): Case => [
      "claims",
      [["lib/domain/payments/rows.ts", `export const a = (q, sql) => ${claim};`]],
      [["lib/jobs/claim-rows.ts", `export const a = (q, sql) => ${claim};`]],
    ],
  ),
  ["homes", [["db/schema/a.ts", "export const nowhere = pgTable('nowhere', {});"]], []],
  ["homes", [["db/schema/a.ts", "export const nowhere = other.table('nowhere', {});"]], []],
  [
    "homes",
    [
      ["db/schema/payments.ts", "export const payments = pgTable('payments', {});"],
      ["lib/domain/payments/get.ts", 'import { payments } from "@/db/schema/payments";'],
    ],
    [],
  ],
  ...["t.update(p).set({})", `t.execute(sql\`update \${p} set a = 1\`)`].map(
    (write): Case => [
      "homes",
      [
        ["db/schema/payments.ts", "export const payments = pgTable('payments', {});"],
        [
          "lib/domain/overview/rows.ts",
          `import { payments as p } from "@/db/schema/payments"; export const a = (t) => ${write};`,
        ],
      ],
      [],
    ],
  ),
  [
    "homes",
    [
      ["db/schema/payments.ts", "export const payments = pgTable('payments', {});"],
      [
        "lib/flows/charge/job.ts",
        'import { payments } from "@/db/schema/payments"; export const a = (t) => t.delete(payments);',
      ],
    ],
    [],
  ],
  ...["unscopedFindPayment", "systemCtx", "mintBusinessId", "systemCtx as make"].map(
    (name): Case => [
      "scope",
      [
        ["lib/domain/payments/get.ts", `import { ${name} } from "@/lib/domain/b";`],
        ["lib/domain/b.ts", "export const b = 1;"],
      ],
      [
        ["lib/flows/charge/job.ts", `import { ${name} } from "@/lib/domain/b";`],
        ["lib/payer/pay.ts", `import { ${name} } from "@/lib/domain/b";`],
        ["lib/operator/doctor.ts", `import { ${name} } from "@/lib/domain/b";`],
        ["lib/http/authenticate.ts", `import { ${name} } from "@/lib/domain/b";`],
        ["lib/domain/b.ts", "export const b = 1;"],
      ],
    ],
  ),
  [
    "scope",
    [
      ["app/api/a/route.ts", 'import { unscopedFindKey } from "@/lib/domain/api-keys/rows";'],
      ["lib/domain/api-keys/rows.ts", "export const unscopedFindKey = 1;"],
    ],
    [],
  ],
  [
    "values",
    [
      ["lib/contract/values.ts", 'export const states = ["on", "off"] as const;'],
      ["db/schema/a.ts", 'export const states = ["on", "off"] as const;'],
    ],
    [
      ["lib/contract/values.ts", 'export const states = ["on", "off"] as const;'],
      ["db/schema/a.ts", 'export const states = ["on", "away"] as const;'],
    ],
  ],
  [
    "values",
    [
      ["lib/contract/values.ts", 'export const states = ["on", "off"] as const;'],
      ["lib/domain/a.ts", 'export type State = "off" | "on";'],
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
    "routes",
    [["app/api/a/route.ts", "let made = 0; export const GET = () => made++;"]],
    [["app/api/a/route.ts", "export const GET = route(({ ctx }) => get(ctx));"]],
  ],
  [
    "routes",
    [["app/api/a/route.ts", "export const GET = route(() => { a(); b(); c(); return d(); });"]],
    [["app/api/a/route.ts", "export const GET = route(() => { a(); b(); return d(); });"]],
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
  ...[
    'export const first = (name: string) => name === "moonpay";',
    "export const moonpayKey = 1;",
    'import "@/lib/gateways/moonpay/account";',
    "// What Moonpay calls a charge.",
  ].map(
    (text): Case => [
      "adapters",
      [
        ["lib/gateways/moonpay/account.ts", "export const a = 1;"],
        ["lib/flows/charge/a.ts", text],
      ],
      [
        ["lib/gateways/moonpay/account.ts", text],
        ["lib/gateways/registry.ts", text],
        ["lib/flows/charge/a.ts", "export const moonpayments = 1;"],
      ],
    ],
  ),
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

test("every file that a rule names exists", () => {
  const named = [...Object.keys(JOINS), ...Object.keys(WRITERS), ...Object.values(FILES).flat()];
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});

test("the architecture names every room, and only files that exist", () => {
  const text = readFileSync("docs/architecture.md", "utf8");
  const rooms = readdirSync("lib", { withFileTypes: true }).filter((one) => one.isDirectory());
  expect(rooms.filter(({ name }) => !text.includes(`lib/${name}`))).toEqual([]);
  const named = [
    ...text.matchAll(/`((?:lib|app|db|components)\/[^`/<]+\/[^`<]+|scripts\/[^`]+)`/g),
  ];
  expect(named.map(([, file]) => file ?? "").filter((file) => !existsSync(file))).toEqual([]);
});

test("CONTRIBUTING names the nouns in the order that is checked", () => {
  const [, order = ""] =
    /The order:\s+```text\s+(.*?)\s+```/s.exec(readFileSync("CONTRIBUTING.md", "utf8")) ?? [];
  expect(order.split(/,\s+/)).toEqual(NOUNS);
});
