import type { Locator, Page } from "@playwright/test";
import { dayIn } from "@/lib/client/ranges";
import type { Overview } from "@/lib/contract/overview";
import type { Payment } from "@/lib/contract/payments";
import { displayAmount } from "@/lib/kernel/money";
import { newLink, newTokenization, type Shop } from "../shop";
import { expect, test } from "./fixtures";
import { pay, saveMethod } from "./payer";
import { arrive, gate } from "./screen";

const charge = (shop: Shop, token: string, amount: number, currency: string) =>
  shop.api.ok<Payment>("POST", `/tokenizations/${token}/charge`, {
    amount,
    currency,
    title: "Membership",
  });

const widthOf = async (locator: Locator) => (await locator.boundingBox())?.width ?? 0;

/** What the API says of a range, asked as the dashboard asks. */
async function overviewOf(page: Page, shop: Shop, query = ""): Promise<Overview> {
  const answer = await page.request.get(`/api/overview${query}`, {
    headers: { "x-kutip-business": String(shop.id), "x-kutip-mode": "test" },
  });
  expect(answer.ok()).toBe(true);
  return ((await answer.json()) as { data: Overview }).data;
}

test("a chosen range is in the address, and the chart shows the API's own totals for each currency", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const token = await newTokenization(shop);
  await saveMethod(token);
  for (const [amount, currency] of [
    [4_900, "MYR"],
    [1_250, "MYR"],
    [12_500, "KWD"],
  ] as const)
    await charge(shop, token._id, amount, currency);
  await arrive(page, at(), "Overview");
  await page.getByRole("button", { name: /^Range: Last 30 days/ }).click();
  await page.getByRole("menuitemradio", { name: "Last 7 days" }).click();
  await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d/);
  await expect(page.getByRole("button", { name: /^Range: Last 7 days/ })).toBeVisible();

  const { searchParams } = new URL(page.url());
  const api = await overviewOf(
    page,
    shop,
    `?from=${searchParams.get("from")}&to=${searchParams.get("to")}`,
  );
  expect(api.currencies[0]?.days).toHaveLength(7);
  for (const currency of ["MYR", "KWD"]) {
    await page.getByRole("tab", { name: currency }).click();
    await expect(page).toHaveURL(new RegExp(`currency=${currency}`));
    const money = api.currencies.find((one) => one.currency === currency);
    const total = displayAmount(money?.collected ?? 0, currency);
    const chart = page.getByRole("img", { name: `Chart of ${currency} collected each day` });
    await expect(chart).toHaveAccessibleName(
      new RegExp(`: ${total} in ${money?.collected_count} payments?\\.$`),
    );
    // Under the pointer is the day: today's at the right.
    await chart.hover({ position: { x: (await widthOf(chart)) - 4, y: 60 } });
    await expect(chart.getByText(total, { exact: true })).toBeVisible();
    await page.getByText("Show as a table").click();
    const table = page.getByRole("table", { name: new RegExp(`^${currency} collected each day`) });
    await expect(table.getByRole("row").filter({ hasText: "Total" })).toContainText(total);
    await expect(table.getByRole("rowheader")).toHaveCount(8);
  }
  expect(api.currencies.find(({ currency }) => currency === "MYR")?.collected).toBe(6_150);
  await audit(page);
  await page.reload();
  await expect(page.getByRole("button", { name: /^Range: Last 7 days/ })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("tab", { name: "MYR" })).toHaveAttribute("aria-selected", "true");
});

test("days chosen by hand are shown as they are; a range that is none says so and can be left", async ({
  page,
  at,
}) => {
  const today = dayIn("UTC", new Date());
  await arrive(page, at(), "Overview");
  await page.getByRole("button", { name: /^Range:/ }).click();
  await page.getByRole("menuitem", { name: "Choose days…" }).click();
  await page.getByLabel("From").fill("2025-01-01");
  await page.getByLabel("To").fill("2025-12-31");
  await page.getByRole("button", { name: "Show these days" }).click();
  await expect(page).toHaveURL(/from=2025-01-01&to=2025-12-31/);
  await expect(
    page.getByRole("button", { name: "Range: 1 Jan 2025 to 31 Dec 2025" }),
  ).toBeVisible();
  await expect(page.getByRole("heading", { name: "Collected each month" })).toBeVisible();
  await page.goto(at(`?from=${today}&to=2020-01-01`));
  await expect(
    page.getByRole("alert").filter({ hasText: "The to range is invalid." }),
  ).toBeVisible();
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("button", { name: /^Range: Last 30 days/ })).toBeVisible();
});

test("a new business is led to its first paid link, and sees it collected without reloading", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await arrive(page, at(), "Overview");
  const steps = page.getByRole("list", { name: "First steps" });
  await expect(steps.getByRole("listitem")).toHaveCount(5);
  await expect(steps.getByText("done")).toHaveCount(0);
  await audit(page);
  const link = await newLink(shop);
  await page.reload();
  await expect(
    steps.getByRole("listitem").filter({ hasText: "Create a payment link" }),
  ).toContainText("done");
  await pay(link);
  await expect(steps.getByRole("listitem").filter({ hasText: "See it paid" })).toContainText(
    "done",
  );
  await expect(page.getByRole("img", { name: /: MYR 12\.50 in 1 payment\.$/ })).toBeVisible();
});

test("what needs attention leads to the thing itself", async ({ page, shop, at, audit }) => {
  const link = await newLink(shop, { title: "Declined order" });
  await arrive(page, at(), "Overview");
  await expect(page.getByText("Nothing needs you now.")).toBeVisible();
  await pay(link, "decline");
  const failed = page.getByRole("list", { name: "Payment failed" });
  await expect(failed).toContainText("MYR 12.50");
  await expect(page.getByText("Open it to see why, and to charge or ask again.")).toBeVisible();
  await audit(page);
  await failed.getByRole("link", { name: "Declined order" }).click();
  await expect(page).toHaveURL(/\/payments\/[0-9a-f]{24}$/);
  await expect(page.getByRole("main").getByText("Failed").first()).toBeVisible();
});

test("all that needs attention is offered only where a list of just that exists", async ({
  page,
  shop,
  at,
}) => {
  await pay(await newLink(shop), "decline");
  const [payment] = (await shop.api.ok<{ data: { _id: string }[] }>("GET", "/payments")).data;
  const one = {
    _id: payment?._id,
    object: "payment",
    title: "Cake",
    detail: null,
    amount: 1250,
    currency: "MYR",
    at: new Date().toISOString(),
  };
  await page.route("**/api/overview*", async (route) => {
    const answer = await route.fetch();
    const json = (await answer.json()) as { data: object };
    const attention = ["refund_failed", "payment_failed"].map((kind) => ({
      kind,
      count: 9,
      latest: [one],
    }));
    await route.fulfill({ response: answer, json: { ...json, data: { ...json.data, attention } } });
  });
  await arrive(page, at(), "Overview");
  // The page came with the real answer; another range is asked for by the browser.
  await page.getByRole("button", { name: /^Range:/ }).click();
  await page.getByRole("menuitemradio", { name: "Last 7 days" }).click();
  await expect(
    page.getByRole("region", { name: "Payment failed" }).getByRole("link", { name: "Show all 9" }),
  ).toBeVisible();
  const refused = page.getByRole("region", { name: "Refund failed" });
  await expect(refused.getByText("The latest 1 of 9.")).toBeVisible();
  await expect(refused.getByRole("link")).toHaveCount(1);
});

test("while it loads its place is held; what fails can be asked for again", async ({
  page,
  at,
}) => {
  const { open, opened } = gate();
  await page.route("**/api/overview*", async (route) => {
    await opened;
    await route.fulfill({
      status: 500,
      json: { message: "Something went wrong on our side.", code: "internal_error", errors: {} },
    });
  });
  // The server cannot read this range, so the browser asks.
  await page.goto(at("?from=2026-01-02&to=2020-01-01"));
  await expect(page.getByRole("status").filter({ hasText: "Loading the overview" })).toBeVisible();
  open();
  await expect(
    page.getByRole("alert").filter({ hasText: "Something went wrong on our side." }),
  ).toBeVisible();
  await page.unroute("**/api/overview*");
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "range is invalid" })).toBeVisible();
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("heading", { name: /^Collected each/ })).toBeVisible();
});
