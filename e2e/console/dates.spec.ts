import { pool } from "@/db/client";
import type { Page as Rows } from "@/lib/contract/envelope";
import type { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import { dayOnly } from "@/lib/client/times";
import { newLink } from "../shop";
import { expect, test } from "./fixtures";
import { arrive, rowOf } from "./screen";

test("a date without its time makes no key and no link: the field says so and keeps what was typed", async ({
  page,
  shop,
  at,
}) => {
  await arrive(page, at("/developers"), "API keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  const key = page.getByRole("form", { name: "New API key" });
  await key.getByLabel("Name").fill("Till");
  const expires = key.getByLabel("Expires");
  await expires.focus();
  await page.keyboard.type("01312031");
  await page.keyboard.press("Enter");
  await expect(key.getByText("Expires is not a valid date.")).toBeVisible();
  await expect(expires).toBeFocused();
  await expect(page.getByRole("dialog", { name: "Your new key" })).toHaveCount(0);
  await expires.fill("2031-01-31T12:00");
  await key.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog", { name: "Your new key" }).waitFor();

  await arrive(page, at("/payment-links/new"), "New payment link");
  const link = page.getByRole("form", { name: "Payment link" });
  await link.getByLabel("Title").fill("Cake");
  await link.getByLabel("Amount").fill("12.50");
  await link.getByLabel("E-mail").first().fill("ana@example.com");
  await link.getByLabel("Expires").focus();
  await page.keyboard.type("01312031");
  await link.getByRole("button", { name: "Create payment link" }).click();
  await expect(link.getByText("Expires is not a valid date.")).toBeVisible();
  expect((await shop.api.ok<Rows<unknown>>("GET", "/payment-links")).data).toEqual([]);
});

const lists = [
  "/payment-links",
  "/payments",
  "/subscriptions",
  "/tokens",
  "/mails",
  "/balance?view=journal",
  "/developers/events",
  "/developers/requests",
  "/developers/webhooks/[id]",
];

test("a date in the address that cannot be read is refused like any other filter, on every list that has one", async ({
  page,
  shop,
  at,
}) => {
  const endpoint = await shop.api.ok<WebhookEndpoint>("POST", "/webhook-endpoints", {
    url: "https://example.com/hook",
    events: ["*"],
  });
  for (const path of lists) {
    await page.goto(
      at(`${path.replace("[id]", endpoint._id)}${path.includes("?") ? "&" : "?"}created_from=x`),
    );
    await expect(
      page.getByText("The created from is not a valid date.").first(),
      path,
    ).toBeVisible();
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await expect(page.getByText("The created from is not a valid date."), path).toHaveCount(0);
    await expect(page, path).not.toHaveURL(/created_from/);
  }
});

// Where it is another day than the viewer's, at whatever hour this runs.
const zone = new Date().getUTCHours() < 11 ? "Pacific/Pago_Pago" : "Pacific/Kiritimati";
test.describe("far from UTC", () => {
  test.use({ timezoneId: "UTC" });

  test("a day that is filtered by is the business's, as the days in the rows are; so is the file's", async ({
    page,
    shop,
    at,
  }) => {
    await pool().query("update businesses set time_zone = $1 where id = $2", [zone, shop.id]);
    const link = await newLink(shop, { title: "Of today" });
    const utc = link.created_at.slice(0, 10);
    const here = new Date(link.created_at).toLocaleDateString("sv-SE", { timeZone: zone });
    expect(here).not.toBe(utc);
    const file = async () =>
      (
        await page.request.get(
          (await page.getByRole("link", { name: "Export CSV" }).getAttribute("href")) ?? "",
        )
      ).text();

    await arrive(page, at("/payment-links"), "Payment links");
    await page.getByRole("button", { name: "Created: any time" }).click();
    await page.getByRole("menuitemradio", { name: "Today" }).click();
    await expect(page).toHaveURL(new RegExp(`created_from=${here}&created_to=${here}`));
    await expect(rowOf(page, "Payment links", "Of today")).toContainText(dayOnly(here));
    expect(await file()).toContain("Of today");

    await page.goto(at(`/payment-links?created_from=${utc}&created_to=${utc}`));
    await expect(page.getByRole("heading", { name: "No results" })).toBeVisible();
    expect(await file()).not.toContain("Of today");
  });
});

test("a range whose last day is before its first is refused at the field", async ({
  page,
  shop,
  at,
}) => {
  await newLink(shop, { title: "Any" });
  await arrive(page, at("/payment-links"), "Payment links");
  await page.getByRole("button", { name: "Created: any time" }).click();
  await page.getByRole("menuitem", { name: "Choose days…" }).click();
  const asked = page.getByRole("dialog", { name: "Created" });
  await asked.getByLabel("From").fill("2026-03-02");
  await asked.getByLabel("To").fill("2026-03-01");
  await asked.getByRole("button", { name: "Show these days" }).click();
  await expect(asked.getByText("The last day is before the first.")).toBeVisible();
  await expect(asked.getByLabel("To")).toBeFocused();
  await expect(page).not.toHaveURL(/created_from/);
  await asked.getByLabel("To").fill("2026-03-02");
  await asked.getByRole("button", { name: "Show these days" }).click();
  await expect(page).toHaveURL(/created_from=2026-03-02&created_to=2026-03-02/);
});
