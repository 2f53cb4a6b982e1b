import { parse } from "csv-parse/sync";
import { readFile } from "node:fs/promises";
import { linkInput, linkNow, newLink, type Shop } from "../shop";
import { expect, test } from "./fixtures";
import { arrive, notice, pick, rowOf, rowsOf, unfold } from "./screen";

const list = "Payment links";
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const threeLinks = async (shop: Shop) => {
  await newLink(shop, { title: "Late trip", due_at: day(-2) });
  await newLink(shop, { title: "Later trip", due_at: day(2) });
  await newLink(shop, { title: "Any day trip" });
};

test("the list shows which links are overdue, and filters by it and by what payers have opened", {
  tag: "@phone",
}, async ({ page, shop, at, audit, isMobile }) => {
  await threeLinks(shop);
  await arrive(page, at("/payment-links"), list);
  await expect(rowOf(page, list, "Late trip")).toContainText("Overdue");
  await expect(rowOf(page, list, "Later trip")).toContainText("Due ");
  await expect(rowOf(page, list, "Later trip")).not.toContainText("Overdue");
  await expect(rowOf(page, list, "Any day trip")).not.toContainText("Due");
  await audit(page);
  if (isMobile) await unfold(page);
  await page.getByRole("button", { name: "More filters" }).click();
  await page.getByRole("dialog").getByLabel("Overdue").selectOption("Yes");
  await page.getByRole("dialog").getByRole("button", { name: "Show results" }).click();
  await expect(rowsOf(page, list)).toHaveCount(1);
  await expect(rowOf(page, list, "Late trip")).toBeVisible();
  const file = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export CSV" }).click();
  const rows = parse(await readFile(await (await file).path(), "utf8"), {
    columns: true,
    bom: true,
  }) as Record<string, string>[];
  expect(rows.map(({ title, overdue }) => [title, overdue])).toEqual([["Late trip", "true"]]);
  await page.goto(at("/payment-links?opened=true"));
  await expect(page.getByText("No results")).toBeVisible();
  await page.goto(at("/payment-links?opened=false"));
  await expect(rowsOf(page, list)).toHaveCount(3);
});

test("a due date is written, shown, changed and named on the timeline, and one after the expiry is refused beside its field", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { expires_at: "2031-01-31T12:00:00Z" });
  await arrive(page, at(`/payment-links/${link._id}/edit`), "Edit payment link");
  await page.getByLabel("Due", { exact: false }).fill("2031-02-01T12:00");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Due must not be after the expiry.")).toBeVisible();
  await page.getByLabel("Due", { exact: false }).fill("2031-01-15T12:00");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("heading", { level: 1, name: linkInput.title })).toBeVisible();
  expect((await linkNow(shop, link._id)).due_at).toMatch(/^2031-01-15T/);
  const timeline = page.getByRole("region", { name: "Timeline" });
  await expect(timeline.getByText("Due")).toBeVisible();
});

test("reminders are written into a link's form, shown on its page, and one that needs a due date asks for it", {
  tag: "@phone",
}, async ({ page, shop, at, audit }) => {
  const link = await newLink(shop);
  await arrive(page, at(`/payment-links/${link._id}/edit`), "Edit payment link");
  await page.getByRole("combobox", { name: "Reminders" }).selectOption("On these days");
  await page.getByRole("button", { name: "Add a reminder" }).click();
  await page.getByLabel("Days of reminder 2").fill("1");
  await page.getByRole("button", { name: "Save changes" }).click();
  const choice = page.getByRole("combobox", { name: "Reminders", exact: true });
  await expect(choice).toBeFocused();
  await expect(choice).toHaveAccessibleDescription(/Reminders has a duplicate value\./);
  await audit(page);
  await page.getByRole("button", { name: "Remove reminder 2" }).click();
  await page.getByLabel("Days of reminder 1").fill("3");
  await page.getByLabel("Counted from, reminder 1").selectOption("days before it is due");
  await page.getByRole("button", { name: "Add a reminder" }).click();
  await audit(page);
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(
    page.getByText("Due is required for a reminder that is relative to it."),
  ).toBeVisible();
  await page.getByLabel("Due", { exact: false }).first().fill("2031-01-15T12:00");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("heading", { level: 1, name: linkInput.title })).toBeVisible();
  expect((await linkNow(shop, link._id)).reminders).toEqual([
    { days: -3, relative_to: "due_at" },
    { days: 2, relative_to: "created_at" },
  ]);
  await expect(
    page.getByText("3 days before it is due, 2 days after it is created").first(),
  ).toBeVisible();
});

test("the settings hold a default for new links, which can be switched off", async ({
  page,
  at,
}) => {
  const settings = at("/settings");
  await arrive(page, settings, "Business");
  const choice = page.getByRole("combobox", { name: "Reminders" });
  await expect(choice).toHaveValue("never");
  await choice.selectOption("On these days");
  await page.getByLabel("Days of reminder 1").fill("7");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(notice(page, "Saved")).toBeVisible();
  await arrive(page, settings, "Business");
  await expect(page.getByLabel("Days of reminder 1")).toHaveValue("7");
  await arrive(page, at("/payment-links/new"), "New payment link");
  await expect(choice.locator("option:checked")).toHaveText(
    "By default: 7 days after it is created",
  );
  await arrive(page, settings, "Business");
  await choice.selectOption("Never");
  const saved = page.waitForResponse((answer) => answer.request().method() === "PUT");
  await page.getByRole("button", { name: "Save changes" }).click();
  await saved;
  await arrive(page, settings, "Business");
  await expect(choice).toHaveValue("never");
});

test("Remind on a link's page waits, can be stopped, and is not offered for a paid link", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop);
  await arrive(page, at(`/payment-links/${link._id}`), linkInput.title);
  await page.getByRole("button", { name: "Remind" }).click();
  await expect(page.getByText("Reminding the payers of 1 payment link")).toBeVisible();
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByText("Reminding the payers of 1 payment link")).toHaveCount(0);
  await shop.api.ok("POST", `/payment-links/${link._id}/payments`, { method: "cash" });
  await arrive(page, at(`/payment-links/${link._id}`), linkInput.title);
  await expect(page.getByRole("button", { name: "Remind" })).toHaveCount(0);
});

test("reminders are tried under a test clock: days pass at a press, and the mails are dated by the clock", {
  tag: "@phone",
}, async ({ page, shop, at, audit, isMobile }) => {
  await arrive(page, at("/payment-links/new"), "New payment link");
  const form = page.getByRole("form", { name: "Payment link" });
  await form.getByLabel("Title").fill("Trip under a clock");
  await form.getByLabel("Amount").fill("12.50");
  await form.getByLabel("E-mail", { exact: true }).fill("ana@example.com");
  await pick(form.getByRole("combobox", { name: "Currency" }), "MYR");
  await form.getByRole("combobox", { name: "Reminders" }).selectOption("On these days");
  await form.getByLabel("Days of reminder 1").fill("2");
  await form.getByRole("button", { name: "Add a reminder" }).click();
  await form.getByLabel("Days of reminder 2").fill("5");
  await form.getByLabel("Send the link by e-mail").uncheck();
  await form.getByRole("combobox", { name: "It follows" }).selectOption("A test clock of its own");
  await audit(page);
  await form.getByRole("button", { name: "Create payment link" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Trip under a clock" })).toBeVisible();
  const card = page.getByRole("region", { name: "Test clock" });
  await card.getByRole("button", { name: "A day" }).click();
  await expect(card.getByText("Nothing came due on the way.")).toBeVisible();
  await card.getByRole("button", { name: "A week" }).click();
  const happened = card.getByRole("heading", { name: "What happened on the way" });
  await expect(happened).toBeVisible();
  await audit(page);
  const made = await shop.api.ok<{ data: { _id: string; test_clock_id: string }[] }>(
    "GET",
    "/payment-links?q=clock",
  );
  const [link] = made.data;
  await arrive(page, at("/mails?kind=payment_reminder"), "Mails");
  await expect(rowsOf(page, "Mails")).toHaveCount(2);
  const dates = await rowsOf(page, "Mails")
    .locator("time")
    .evaluateAll((times) => times.map((time) => Date.parse(time.getAttribute("datetime") ?? "")));
  // By the real clock they are days ahead.
  expect(dates).toHaveLength(2);
  for (const date of dates) expect(date).toBeGreaterThan(Date.now());
  await arrive(page, at(`/payment-links?test_clock_id=${link?.test_clock_id}`), list);
  await expect(rowsOf(page, list)).toHaveCount(1);
  if (isMobile) await unfold(page);
  await page.getByRole("button", { name: "Remove filter One test clock" }).click();
  await expect(page).not.toHaveURL(/test_clock_id/);
});

test("an advance of a test clock that fails does not say that nothing came due", async ({
  page,
  shop,
  at,
}) => {
  const clock = await shop.api.ok<{ _id: string }>("POST", "/test-clocks", {
    name: "Refused",
    now: new Date().toISOString(),
  });
  const link = await newLink(shop, { test_clock_id: clock._id });
  await page.route("**/api/test-clocks/*/advance", (route) =>
    route.fulfill({ status: 500, json: { message: "Sorry", code: "internal_error", errors: {} } }),
  );
  await arrive(page, at(`/payment-links/${link._id}`), link.title);
  const card = page.getByRole("region", { name: "Test clock" });
  const advance = card.getByRole("button", { name: "A day" });
  await advance.click();
  await expect(notice(page, "That did not work")).toBeVisible();
  await expect(advance).toBeEnabled();
  await expect(card.getByText("Nothing came due on the way.")).toHaveCount(0);
});

test("live mode offers no test clock", async ({ page, at }) => {
  await arrive(page, at("/payment-links/new").replace("/test/", "/live/"), "New payment link");
  await expect(page.getByRole("combobox", { name: "Reminders" })).toBeVisible();
  await expect(page.getByRole("combobox", { name: "It follows" })).toHaveCount(0);
});
