import type { Page } from "@playwright/test";
import { pool } from "@/db/client";
import { momentOfDay } from "@/lib/client/ranges";
import type { Overview } from "@/lib/contract/overview";
import type { Payment } from "@/lib/contract/payments";
import { displayAmount } from "@/lib/kernel/money";
import { newLink, type Shop } from "../shop";
import { expect, test } from "./fixtures";
import { pay } from "./payer";
import { newPackage, newSubscription } from "./records";
import { arrive, rowsOf } from "./screen";

const zone = "Pacific/Auckland";
const currency = "MYR";
// Clocks go forward in Auckland on 27 September: this day has 23 hours.
const [from, to] = ["2026-09-27", "2026-09-28"];

/** Payments around the first and last moment of the range, with a refund, a part of one, a dispute and failures. */
async function trade(shop: Shop): Promise<void> {
  await pool().query("update businesses set time_zone = $1 where id = $2", [zone, shop.id]);
  const [begin, end] = [momentOfDay(from, false, zone), momentOfDay(to, true, zone)].map(
    Date.parse,
  );
  if (!begin || !end) throw new Error("no range");
  const [first, last] = [begin + 1_000, end - 1_000];
  for (const [moment, outcome, refund] of [
    [first, "approve", 0],
    [last, "approve", 250],
    [first, "approve", 1_250],
    [first - 2_000, "approve", 0],
    [last + 2_000, "approve", 0],
    [last, "decline", 0],
    [last + 2_000, "decline", 0],
  ] as const) {
    const link = await newLink(shop);
    await pay(link, outcome);
    const [payment] = (
      await shop.api.ok<{ data: Payment[] }>("GET", `/payments?payment_link_id=${link._id}`)
    ).data;
    if (!payment) throw new Error("nothing was paid");
    if (refund > 0)
      await shop.api.ok("POST", `/payments/${payment._id}/refunds`, { amount: refund });
    // Created before midnight, paid after it.
    await pool().query(
      "update payments set created_at = $2, succeeded_at = case when succeeded_at is null then null else $3::timestamptz end where id = $1",
      [payment._id, new Date(outcome === "approve" ? moment - 600_000 : moment), new Date(moment)],
    );
  }
  await newLink(shop, { amount: 3_300 });
  await newLink(shop, { amount: 9_900, currency: "USD" });
  const packages = [
    await newPackage(shop, { date_charge_start: "2099-01-31" }),
    await newPackage(shop, { date_charge_start: "2099-01-31", currency: "USD" }),
  ];
  for (const { _id } of packages) await newSubscription(shop, { package_id: _id });
  await pool().query("update subscriptions set status = 'active' where business_id = $1", [
    shop.id,
  ]);
}

async function overviewOf(page: Page, shop: Shop) {
  const answer = await page.request.get(`/api/overview?from=${from}&to=${to}`, {
    headers: { "x-kutip-business": String(shop.id), "x-kutip-mode": "test" },
  });
  const { currencies } = ((await answer.json()) as { data: Overview }).data;
  const money = currencies.find((one) => one.currency === currency);
  if (!money) throw new Error("no figures");
  return money;
}

/** Minor units of the first "MYR 12.50" of a text. */
const amountIn = (text: string) =>
  Math.round(Number(/MYR\s([\d,.]+)/.exec(text)?.[1]?.replaceAll(",", "")) * 100);

for (const viewer of ["UTC", "Asia/Kuala_Lumpur", "America/Los_Angeles"])
  test.describe(`seen from ${viewer}`, () => {
    test.use({ timezoneId: viewer });

    test("each figure of the overview opens exactly the rows that it counts, and both name the zone", async ({
      page,
      shop,
      at,
      audit,
    }) => {
      await trade(shop);
      const money = await overviewOf(page, shop);
      expect(money).toMatchObject({
        collected: 1_250 + 1_000,
        collected_count: 3,
        failed: 1_250,
        failed_count: 1,
        open_count: 3,
        recurring_count: 1,
      });
      for (const [figure, list, count, sum] of [
        ["Collected", "Payments", money.collected_count, money.collected],
        ["Failed", "Payments", money.failed_count, money.failed],
        ["Open now", "Payment links", money.open_count, money.open],
        ["Recurring per month", "Subscriptions", money.recurring_count, money.recurring],
      ] as const) {
        await arrive(page, at(`?from=${from}&to=${to}&currency=${currency}`), "Overview");
        await expect(page.getByText(/Days are in Auckland \(GMT\+1[23]\)\./)).toBeVisible();
        const card = page.getByRole("definition").filter({ hasText: displayAmount(sum, currency) });
        await expect(card.first()).toContainText(String(count));
        await page.getByRole("link", { name: figure }).click();
        await page.getByRole("heading", { level: 1, name: list, exact: true }).waitFor();
        await expect(rowsOf(page, list), figure).toHaveCount(count);
        const texts = await rowsOf(page, list).allInnerTexts();
        const shown = texts.map((text) => {
          const refunded = /MYR\s[\d,.]+(?=\s+refunded)/.exec(text)?.[0];
          return (
            amountIn(text.replace(/MYR\s[\d,.]+\s+refunded/, "")) -
            (refunded ? amountIn(refunded) : 0)
          );
        });
        expect(
          shown.reduce((all, one) => all + one, 0),
          figure,
        ).toBe(sum);
        if (list !== "Subscriptions")
          await expect(page.getByRole("main")).toContainText(
            `${displayAmount(sum, currency)} in all`,
          );
        await expect(page.getByText(/Times in Auckland \(GMT\+1[23]\)/)).toBeVisible();
      }
      await arrive(page, at(`/payments?succeeded_from=${from}&succeeded_to=${to}`), "Payments");
      // Their days are those of the filter, not the viewer's.
      for (const text of await rowsOf(page, "Payments").allInnerTexts())
        expect(text).toMatch(/Paid\s+2[78] Sept 2026/);
      await audit(page);
    });
  });

test("the way of the links from created to paid: each number opens exactly its links", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await pool().query("update businesses set time_zone = $1 where id = $2", [zone, shop.id]);
  const [begin, end] = [momentOfDay(from, false, zone), momentOfDay(to, true, zone)].map(
    Date.parse,
  );
  if (!begin || !end) throw new Error("no range");
  // The first two are outside. Of the others, what each has come to: a link can skip a stage.
  for (const [moment, title, mailed, outcome] of [
    [begin - 1_000, "Day before", true, "approve"],
    [end + 1_000, "Day after", true, null],
    [begin, "Mailed only", true, null],
    [begin + 1_000, "Paid without mail", false, "approve"],
    [end - 1_000, "Declined", true, "decline"],
    [end - 500, "Neither", false, null],
  ] as const) {
    const link = await newLink(shop, { title });
    if (outcome) await pay(link, outcome);
    await pool().query("update payment_links set created_at = $2, mailed = $3 where id = $1", [
      link._id,
      new Date(moment),
      mailed,
    ]);
  }
  const gone = await newLink(shop);
  await shop.api.ok("DELETE", `/payment-links/${gone._id}`);
  // That the payer opened them is written a moment later.
  await expect
    .poll(async () => (await overviewOf(page, shop)).links)
    .toEqual({ created: 4, mailed: 2, opened: 2, tried: 2, paid: 1 });
  for (const [stage, share, titles] of [
    ["Created", "", ["Declined", "Mailed only", "Neither", "Paid without mail"]],
    ["Sent by mail", "50 %", ["Declined", "Mailed only"]],
    ["Opened", "50 %", ["Declined", "Paid without mail"]],
    ["Tried to pay", "50 %", ["Declined", "Paid without mail"]],
    ["Paid", "25 %", ["Paid without mail"]],
  ] as const) {
    await arrive(page, at(`?from=${from}&to=${to}&currency=${currency}`), "Overview");
    await expect(page.getByText(/Days are in Auckland \(GMT\+1[23]\)\./)).toBeVisible();
    const way = page.getByRole("list", { name: "How far payment links got" });
    const item = way.getByRole("listitem").filter({ hasText: stage });
    await expect(item).toHaveText(`${stage}${titles.length}${share ? ` · ${share}` : ""}`);
    if (stage === "Created") await audit(page);
    await item.getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "Payment links", exact: true }).waitFor();
    await expect(rowsOf(page, "Payment links"), stage).toHaveCount(titles.length);
    for (const title of titles)
      await expect(rowsOf(page, "Payment links").filter({ hasText: title }), stage).toHaveCount(1);
    await expect(page.getByText(/Times in Auckland \(GMT\+1[23]\)/)).toBeVisible();
  }
});
