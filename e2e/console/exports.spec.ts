import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { newLink, newTokenization, payer } from "../shop";
import { expect, test } from "./fixtures";
import { pay } from "./payer";
import { newSubscription } from "./records";
import { rowsOf } from "./screen";

test("each list of records is exported as it is filtered", async ({ page, shop, at }) => {
  await pay(await newLink(shop, { title: "School trip" }));
  await newSubscription(shop);
  await newTokenization(shop);
  for (const [path, list, file] of [
    ["/payment-links?q=trip", "Payment links", "payment-links.csv"],
    ["/payments?q=trip", "Payments", "payments.csv"],
    [`/customers?q=${payer}`, "Customers", "customers.csv"],
    [`/subscriptions?q=${payer}`, "Subscriptions", "subscriptions.csv"],
    ["/tokens?q=gold", "Tokens", "tokenizations.csv"],
    ["/packages?q=gold", "Packages", "packages.csv"],
  ] as const) {
    await page.goto(at(path));
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(file);
    const rows = parse(await readFile(await download.path()), { columns: true, bom: true });
    expect(rows.length, path).toBeGreaterThan(0);
    await expect(rowsOf(page, list), path).toHaveCount(rows.length);
  }
});
