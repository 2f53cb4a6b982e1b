import { globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { parse } from "csv-parse/sync";
import { pool } from "@/db/client";
import { localTimes } from "@/lib/kernel/wall-clock";
import { newLink, newTokenization, payer, type Shop } from "../shop";
import { expect, test } from "./fixtures";
import { pay } from "./payer";
import { newPackage, newSubscription } from "./records";
import { rowsOf } from "./screen";

type Fields = Record<string, string>;

/** Presses the page's export; returns the file's name and rows. */
async function exported(page: Page): Promise<{ file: string; rows: Fields[] }> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export CSV" }).click(),
  ]);
  const text = await readFile(await download.path());
  // By it Excel on Windows knows the encoding.
  expect(text.toString().slice(0, 1)).toBe("\ufeff");
  return {
    file: download.suggestedFilename(),
    rows: parse(text, { columns: true, bom: true }) as Fields[],
  };
}

test("each list of records is exported as it is filtered", async ({ page, shop, at }) => {
  const zone = "Asia/Kuala_Lumpur";
  await pool().query("update businesses set time_zone = $1 where id = $2", [zone, shop.id]);
  const shown = localTimes(zone);
  await pay(await newLink(shop, { title: "School trip" }));
  await newSubscription(shop);
  await newTokenization(shop);
  // What no filter below matches.
  const email = "another@example.com";
  await pay(await newLink(shop, { title: "Lunch", email }));
  const { _id: package_id } = await newPackage(shop, { name: "Silver" });
  await newSubscription(shop, { email, package_id });
  await newTokenization(shop, { email, title: "Silver" });
  for (const [path, list, name] of [
    ["/payment-links?q=trip", "Payment links", "payment-links.csv"],
    ["/payments?q=trip", "Payments", "payments.csv"],
    [`/customers?q=${payer}`, "Customers", "customers.csv"],
    [`/subscriptions?q=${payer}`, "Subscriptions", "subscriptions.csv"],
    ["/tokens?q=gold", "Tokens", "tokenizations.csv"],
    ["/packages?q=gold", "Packages", "packages.csv"],
  ] as const) {
    await page.goto(at(path.split("?", 1)[0]));
    await expect(rowsOf(page, list).nth(1), path).toBeVisible();
    const all = await rowsOf(page, list).count();
    await page.goto(at(path));
    const { file, rows } = await exported(page);
    expect(file).toBe(name);
    expect(rows.length, path).toBeGreaterThan(0);
    expect(rows.length, path).toBeLessThan(all);
    await expect(rowsOf(page, list), path).toHaveCount(rows.length);
    for (const row of rows)
      expect(row[`created_at (${zone})`], path).toBe(shown(row.created_at ?? ""));
  }
});

const headersOf = ({ id }: Shop) => ({ "x-kutip-business": String(id), "x-kutip-mode": "test" });

/** Waits until the list of the API has so many rows. */
const listed = (page: Page, shop: Shop, path: string, count: number) =>
  expect
    .poll(async () => {
      const answer = await page.request.get(`/api${path}`, { headers: headersOf(shop) });
      return ((await answer.json()) as { data: { data: unknown[] } }).data.data.length;
    })
    .toBe(count);

type Log = {
  path: (shop: Shop) => Promise<string> | string;
  list: string;
  file: string;
  /** What each row of the filtered list holds. */
  holds: Fields;
  count: number;
  /** Where the worker writes the rows: what to wait for. */
  waits?: string;
};

const logs: readonly Log[] = [
  {
    path: () => "/developers/events?type=payment_link.created",
    list: "Events",
    file: "events.csv",
    holds: { type: "payment_link.created", amount_decimal: "12.50" },
    count: 5,
  },
  {
    path: () => "/payment-links/batches?status=done",
    list: "Changes of many payment links",
    file: "batches.csv",
    holds: { action: "cancel", status: "done" },
    count: 1,
    waits: "/batches?status=done",
  },
  {
    path: () => "/mails?q=nur.payer&kind=payment_link",
    list: "Mails",
    file: "mails.csv",
    holds: { kind: "payment_link", recipient: payer },
    count: 2,
    waits: "/mails?q=nur.payer&kind=payment_link",
  },
  {
    path: () => "/developers/requests?path=/batches&method=POST",
    list: "Calls",
    file: "request-log.csv",
    holds: { caller: "key", method: "POST", path: "/batches", api_key: "browser test" },
    count: 2,
    waits: "/request-log?path=/batches&method=POST&caller=key",
  },
  {
    path: () => "/settings/audit-log?action=createPaymentLink",
    list: "Audit log",
    file: "audit-log.csv",
    holds: { action: "createPaymentLink", mode: "test" },
    count: 1,
  },
  {
    path: async (shop) => {
      let last = "";
      for (const url of ["https://hooks.example/other", "https://hooks.example/kutip"]) {
        last = (await shop.api.ok<{ _id: string }>("POST", "/webhook-endpoints", { url }))._id;
        await shop.api.ok("POST", `/webhook-endpoints/${last}/test`);
      }
      return `/developers/webhooks/${last}`;
    },
    list: "Deliveries",
    file: "webhook-deliveries.csv",
    holds: { type: "webhook_endpoint.test", test: "true" },
    count: 1,
  },
];

for (const { path, list, file: name, holds, count, waits } of logs)
  test(`the export of the list ${list} holds what its filters show`, async ({ page, shop, at }) => {
    // More than the filters match.
    for (const email of [payer, payer, "another@example.com"])
      await newLink(shop, { email, send_email: true });
    const { _id } = await newLink(shop);
    for (const action of ["cancel", "remind"])
      await shop.api.ok("POST", "/batches", { action, ids: [_id] });
    await page.goto(at("/payment-links"));
    const byPerson = (call: string, data: object) =>
      page.request.post(`/api${call}`, {
        headers: { ...headersOf(shop), origin: new URL(page.url()).origin },
        data,
      });
    const link = { email: payer, currency: "MYR", amount: 1250, title: "By a person" };
    for (const made of [
      await byPerson("/payment-links", { ...link, send_email: false }),
      await byPerson("/customers", { email: "new@example.com" }),
    ])
      expect(made.status()).toBe(200);
    const address = await path(shop);
    if (waits) await listed(page, shop, waits, count);
    await page.goto(at(address));
    await expect(rowsOf(page, list)).toHaveCount(count);
    const { file, rows } = await exported(page);
    expect(file).toBe(name);
    expect(rows).toEqual(Array.from({ length: count }, () => expect.objectContaining(holds)));
  });

/** Lists of settings: few rows, with secrets behind them. */
const ofSettings = [
  "components/developers/key-list.tsx",
  "components/shop-plugins/list.tsx",
  "components/webhooks/endpoint-list.tsx",
];

test("every other list with filters has an export", () => {
  const lists = globSync("components/**/*.tsx").filter((file) =>
    readFileSync(file, "utf8").includes("<FilterBar"),
  );
  expect(lists.length).toBeGreaterThan(10);
  const without = lists.filter((file) => {
    const list = globSync(`${file.slice(0, file.lastIndexOf("/"))}/list.tsx`);
    return ![file, ...list].some((one) => /\bexport[A-Z]/.test(readFileSync(one, "utf8")));
  });
  expect(without.sort()).toEqual(ofSettings);
});
