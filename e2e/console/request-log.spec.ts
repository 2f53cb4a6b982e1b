import type { Page } from "@playwright/test";
import { linkInput, newLink } from "../shop";
import { expect, test } from "./fixtures";
import { arrive, rowOf, rowsOf } from "./screen";
import { copied, statusOf } from "./terminal";

/** The log is written a moment after the response, and the page polls. */
const appears = (page: Page, text: string) =>
  expect(rowOf(page, "Calls", text).first()).toBeVisible({ timeout: 20_000 });

test("the log shows a refused call with both bodies, without its key, and as a curl command", async ({
  page,
  shop,
  at,
}) => {
  await arrive(page, at("/developers/requests"), "Request log");
  const { status } = await shop.api.call("POST", "/payment-links", {
    ...linkInput,
    email: "no address",
    secret: "hush-hush",
  });
  expect(status).toBe(422);
  await appears(page, "422");
  await rowOf(page, "Calls", "422").getByRole("link").click();

  await expect(page.getByRole("heading", { level: 1, name: "POST /payment-links" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Request body" })).toContainText("no address");
  await expect(page.getByRole("region", { name: "Response body" })).toContainText(
    "The email must be a valid email address.",
  );
  await expect(page.getByText(`Bearer sk_test_…${shop.key.slice(-4)}`)).toBeVisible();
  await expect(page.getByText("browser test")).toBeVisible();
  const content = await page.content();
  expect(content).not.toContain(shop.key);
  expect(content).not.toContain("hush-hush");

  const command = await copied(page, "Copy as curl");
  expect(command).toContain("Bearer $API_KEY");
  expect(command).not.toContain(shop.key);
  expect(await statusOf(command, shop.key)).toBe(422);
});

test("method, status, path and who called are filtered by the address", async ({
  page,
  context,
  shop,
  at,
}) => {
  const link = await newLink(shop);
  await shop.api.call("GET", `/payment-links/${link._id}`);
  await shop.api.call("DELETE", "/payment-links/000000000000000000000000");
  await arrive(page, at("/developers/requests?caller=key"), "Request log");
  await appears(page, "DELETE");
  await expect(rowsOf(page, "Calls")).toHaveCount(3);

  await page.getByLabel("Status").selectOption("4xx");
  await expect(rowsOf(page, "Calls")).toHaveCount(1);
  await expect(page).toHaveURL(/status=4xx/);
  await page.getByLabel("Status").selectOption("Status: any");
  await page.getByLabel("Method").selectOption("GET");
  await page.getByLabel("Path or request id").fill("payment-links");
  await expect(page).toHaveURL(/path=%2Fpayment-links|path=\/payment-links/);
  await expect(rowsOf(page, "Calls")).toHaveCount(1);
  await expect(rowsOf(page, "Calls").first()).toContainText(link._id);

  const other = await context.newPage();
  await other.goto(page.url());
  await expect(rowsOf(other, "Calls")).toHaveCount(1);
  await other.close();
  await page.goBack();
  await expect(page).not.toHaveURL(/path=/);

  await page.goto(at("/developers/requests?caller=key&created_to=2020-01-01"));
  await expect(page.getByRole("heading", { name: "No results" })).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await expect(page).not.toHaveURL(/created_to/);
});

test("the log begins with the calls by keys; those by people are one choice away", async ({
  page,
  shop,
  at,
}) => {
  await arrive(page, at("/developers/requests"), "Request log");
  await expect(page.getByLabel("By", { exact: true })).toHaveValue("key");
  await expect(page.getByRole("heading", { name: "No call with an API key yet" })).toBeVisible();
  await newLink(shop);
  await appears(page, "POST");
  for (const row of await rowsOf(page, "Calls").all())
    await expect(row).toContainText("browser test");
  await page.request.get("/api/packages", {
    headers: { "x-kutip-business": String(shop.id), "x-kutip-mode": "test" },
  });
  await page.getByLabel("By", { exact: true }).selectOption("By: anyone");
  await expect(page).toHaveURL(/caller=anyone/);
  await appears(page, "GET");
  await expect(rowsOf(page, "Calls").filter({ hasNotText: "browser test" }).first()).toBeVisible();
  await page.getByLabel("By", { exact: true }).selectOption("By: keys");
  await expect(page).not.toHaveURL(/caller/);
});

test("events are listed by type and shown as programs read them", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await arrive(page, at("/developers/events"), "Events");
  await expect(page.getByRole("heading", { name: "Nothing has happened yet" })).toBeVisible();
  await audit(page);
  const link = await newLink(shop, { title: "Order 12" });
  await shop.api.ok("POST", `/payment-links/${link._id}/cancel`);
  await page.reload();
  await expect(rowsOf(page, "Events")).toHaveCount(2);
  await page.getByLabel("Type").selectOption("payment_link.cancelled");
  await expect(page).toHaveURL(/type=payment_link\.cancelled/);
  await expect(rowsOf(page, "Events")).toHaveCount(1);
  await rowOf(page, "Events", "payment_link.cancelled").getByRole("link").click();
  await expect(
    page.getByRole("heading", { level: 1, name: "payment_link.cancelled" }),
  ).toBeVisible();
  expect(JSON.parse(await copied(page, "Copy data"))).toMatchObject({
    _id: link._id,
    status: "Cancelled",
  });
  await page.getByRole("link", { name: "Order 12" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Order 12" })).toBeVisible();
});

test("a call or an event that is not there says so", async ({ page, at }) => {
  for (const path of [
    "/developers/requests/5f0c3a52-9d3e-4f0b-8a55-0c7f1f3a2a11",
    "/developers/events/000000000000000000000000",
  ]) {
    await page.goto(at(path));
    await expect(page.getByRole("alert").filter({ hasText: "Not found" })).toBeVisible();
  }
});
