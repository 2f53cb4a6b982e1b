import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { and, eq } from "drizzle-orm";
import { db } from "@/db/client";
import { mails } from "@/db/schema/mails";
import type { Batch } from "@/lib/contract/batches";
import { holdLink } from "../hold-link";
import { expect, test } from "./fixtures";
import { linkNow, newLink } from "../shop";
import { bar, list, manyLinks, statuses, tick, tickPage } from "./many-links";
import { arrive, notice, rowOf } from "./screen";

test("selected links are cancelled together, and one Undo opens all of them again", {
  tag: "@phone",
}, async ({ page, shop, at }) => {
  const made = await manyLinks(shop, 3);
  const ids = made.map(({ _id }) => _id);
  await arrive(page, at("/payment-links"), list);
  await expect(bar(page)).toHaveCount(0);
  await tick(page, "Kopi 000").click();
  await tick(page, "Kopi 002").click();
  await expect(bar(page).getByText("2 selected, MYR 25.00")).toBeVisible();
  await bar(page).getByRole("button", { name: "Cancel links" }).click();
  await expect(notice(page, "2 payment links cancelled")).toBeVisible();
  await expect(bar(page)).toHaveCount(0);
  await expect(rowOf(page, list, "Kopi 000")).toContainText("Cancelled");
  expect(await statuses(shop, ids)).toEqual(["Cancelled", "Active", "Cancelled"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(rowOf(page, list, "Kopi 000")).toContainText("Open");
  await expect.poll(() => statuses(shop, ids)).toEqual(["Active", "Active", "Active"]);
});

for (const width of [360, 1440])
  test(`a notice lies on no button of the bar below the list, ${width} px wide`, async ({
    page,
    shop,
    at,
  }) => {
    await page.setViewportSize({ width, height: 740 });
    await manyLinks(shop, 20);
    await arrive(page, at("/payment-links"), list);
    await tick(page, "Kopi 019").click();
    await bar(page).getByRole("button", { name: "Cancel links" }).click();
    const undo = notice(page, "1 payment link cancelled");
    await expect(undo).toBeVisible();
    await tick(page, "Kopi 018").click();
    await expect(bar(page).getByText("1 selected")).toBeVisible();
    const covers = () =>
      page.evaluate(() => {
        const buttons = [
          ...document.querySelectorAll("[aria-label='Selected payment links'] button"),
        ];
        return buttons.filter((button) => {
          const { x, y, width, height } = button.getBoundingClientRect();
          return !button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
        }).length;
      });
    await expect.poll(covers).toBe(0);
    await expect(undo).toBeVisible();
    const top = async () => (await undo.boundingBox())?.y ?? 0;
    const raised = await top();
    await bar(page).getByRole("button", { name: "End the selection" }).click();
    await expect.poll(top).toBeGreaterThan(raised);
  });

test("Shift takes the rows between, the keyboard goes through rows and selects, and a press on a checkbox opens nothing", async ({
  page,
  shop,
  at,
}) => {
  await manyLinks(shop, 6);
  await arrive(page, at("/payment-links"), list);
  await tick(page, "Kopi 004").click();
  await tick(page, "Kopi 001").click({ modifiers: ["Shift"] });
  await expect(bar(page).getByText("4 selected")).toBeVisible();
  await expect(page).toHaveURL(/payment-links$/);
  await page.keyboard.press("Escape");
  await expect(bar(page)).toHaveCount(0);
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await expect(page.getByRole("link", { name: "Kopi 004" })).toBeFocused();
  await expect(tick(page, "Kopi 004")).toBeChecked();
  await expect(bar(page).getByText("1 selected")).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Kopi 004" })).toBeVisible();
});

test("after g, k leads to the packages and goes to no row", async ({ page, shop, at }) => {
  await newLink(shop);
  await arrive(page, at("/payment-links"), list);
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await expect(page.getByRole("heading", { level: 1, name: "Packages" })).toBeVisible();
});

test("an extension gives its date to each, and the export holds the selected rows alone", async ({
  page,
  shop,
  at,
}) => {
  const [first, second] = await manyLinks(shop, 3);
  await arrive(page, at("/payment-links"), list);
  await tick(page, "Kopi 000").click();
  await tick(page, "Kopi 001").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    bar(page).getByRole("link", { name: "Export" }).click(),
  ]);
  const rows = parse(await readFile(await download.path()), { columns: true, bom: true }) as {
    _id: string;
  }[];
  expect(rows.map(({ _id }) => _id).sort()).toEqual([first?._id, second?._id].sort());
  await bar(page).getByRole("button", { name: "Extend" }).click();
  const dialog = page.getByRole("dialog", { name: "Extend 2 payment links" });
  await dialog.getByRole("radio", { name: "One expiry for all" }).check();
  await dialog.getByRole("button", { name: "Extend" }).click();
  await expect(dialog.getByText("New expiry is required.")).toBeVisible();
  await dialog.getByLabel("New expiry").fill("2031-01-31T12:00");
  await expect(dialog).toContainText("2 open payment links never expire. They stay as they are.");
  await dialog.getByRole("checkbox", { name: /^Change links that never expire/ }).check();
  await expect(dialog).toContainText("They get this expiry too, except");
  await dialog.getByRole("button", { name: "Extend" }).click();
  await expect(notice(page, "2 payment links extended")).toBeVisible();
  expect((await linkNow(shop, first?._id ?? "")).expires_at).toMatch(/^2031-01-31/);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(async () => (await linkNow(shop, first?._id ?? "")).expires_at).toBeNull();
});

test("an extension leaves links that never expire, says how many before, and names them after", async ({
  page,
  shop,
  at,
}) => {
  const [dated] = await manyLinks(shop, 1, { title: "Dated", expires_at: "2030-01-31T12:00:00Z" });
  const [endless] = await manyLinks(shop, 1, { title: "Endless" });
  await manyLinks(shop, 1);
  await arrive(page, at("/payment-links"), list);
  await tick(page, "Dated").click();
  await tick(page, "Endless").click();
  await bar(page).getByRole("button", { name: "Extend" }).click();
  const dialog = page.getByRole("dialog", { name: "Extend 2 payment links" });
  await dialog.getByRole("radio", { name: "One expiry for all" }).check();
  await expect(dialog).toContainText(
    "1 open payment link never expires. It gets a later due date, if it has one.",
  );
  await dialog.getByLabel("New expiry").fill("2031-01-31T12:00");
  await dialog.getByRole("button", { name: "Extend" }).click();
  await expect(notice(page, "1 payment link extended, 1 skipped")).toBeVisible();
  expect((await linkNow(shop, endless?._id ?? "")).expires_at).toBeNull();
  expect((await linkNow(shop, dated?._id ?? "")).expires_at).toMatch(/^2031-01-31/);
  await page.goto(at("/payment-links/batches"));
  await rowOf(page, "Changes of many payment links", "Extend").getByRole("link").click();
  await expect(page.getByRole("region", { name: "Never expires" })).toContainText("Endless");
});

test("an extension by days adds them to each link's own expiry, counts from now where that has passed, and leaves links without one", async ({
  page,
  shop,
  at,
}) => {
  const [near] = await manyLinks(shop, 1, {
    title: "Near",
    expires_at: "2030-01-31T12:00:00Z",
    due_at: "2030-01-30T12:00:00Z",
  });
  const [far] = await manyLinks(shop, 1, { title: "Far", expires_at: "2031-01-31T09:30:00Z" });
  const [endless] = await manyLinks(shop, 1, { title: "Endless" });
  await arrive(page, at("/payment-links"), list);
  for (const title of ["Near", "Far", "Endless"]) await tick(page, title).click();
  await bar(page).getByRole("button", { name: "Extend" }).click();
  const dialog = page.getByRole("dialog", { name: "Extend 3 payment links" });
  await expect(dialog).toContainText("1 open payment link never expires. It stays as it is.");
  await expect(dialog.getByLabel("Days")).toHaveValue("7");
  await dialog.getByLabel("Days").fill("");
  await dialog.getByRole("button", { name: "Extend" }).click();
  await expect(dialog.getByText("Days is required.")).toBeVisible();
  await dialog.getByLabel("Days").fill("30");
  // Each way keeps what was typed while the other is looked at.
  const choose = (name: RegExp) => dialog.getByRole("radio", { name }).check();
  await choose(/^One expiry for all/);
  await dialog.getByLabel("New expiry").fill("2031-03-31T12:00");
  await choose(/^More time for each/);
  await expect(dialog.getByLabel("Days")).toHaveValue("30");
  await choose(/^One expiry for all/);
  await expect(dialog.getByLabel("New expiry")).not.toHaveValue("");
  await choose(/^More time for each/);
  await dialog.getByLabel("Days").fill("7");
  await page.keyboard.press("Enter");
  await expect(notice(page, "2 payment links extended, 1 skipped")).toBeVisible();
  const expiry = async (link: { _id: string } | undefined) =>
    (await linkNow(shop, link?._id ?? "")).expires_at;
  expect(await expiry(near)).toBe("2030-02-07T12:00:00.000000Z");
  const due = async () => (await linkNow(shop, near?._id ?? "")).due_at;
  expect(await due()).toBe("2030-02-06T12:00:00.000000Z");
  expect(await expiry(far)).toBe("2031-02-07T09:30:00.000000Z");
  expect(await expiry(endless)).toBeNull();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => expiry(near)).toBe("2030-01-31T12:00:00.000000Z");
  expect(await due()).toBe("2030-01-30T12:00:00.000000Z");
  await page.goto(at("/payment-links/batches"));
  await rowOf(page, "Changes of many payment links", "Extend").getByRole("link").click();
  await expect(page.getByText("7 days each, due dates too")).toBeVisible();
});

test("reminders wait where they can be stopped, a reload finds them, and nothing was sent", async ({
  page,
  shop,
  at,
}) => {
  const made = await manyLinks(shop, 2);
  await arrive(page, at("/payment-links"), list);
  await tickPage(page).check();
  await bar(page).getByRole("button", { name: "Remind" }).click();
  const strip = page.getByRole("list", { name: "Changes under way" });
  await expect(strip).toContainText("Reminding the payers of 2 payment links");
  await expect(strip).toContainText(/Starts in \d+ s/);
  await page.reload();
  await strip.getByRole("button", { name: "Stop" }).click();
  await expect(strip).toHaveCount(0);
  const { data } = await shop.api.ok<{ data: Batch[] }>("GET", "/batches?status=stopped");
  expect(data[0]).toMatchObject({ action: "remind", done: 0 });
  await page.goto(at(`/payment-links/${made[0]?._id}`));
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByText("asks you to pay")).toHaveCount(0);
});

test("a change of thousands shows its progress, which a reload finds again, and can be stopped and undone from its page", async ({
  page,
  shop,
  at,
}) => {
  const made = await manyLinks(shop, 3_000);
  // In the middle, so that it can neither end before it is stopped nor have changed nothing.
  const goOn = await holdLink(made[1_500]?._id ?? "");
  const { _id } = await shop.api.ok<Batch>("POST", "/batches", {
    action: "cancel",
    expected: 3_000,
  });
  await arrive(page, at("/payment-links"), list);
  const strip = page.getByRole("list", { name: "Changes under way" });
  await expect(strip).toContainText("Cancelling 3,000 payment links");
  await page.reload();
  await expect(strip).toContainText("of 3,000");
  await strip.getByRole("button", { name: "Stop" }).click();
  await goOn();
  await expect(strip).toHaveCount(0);
  const stopped = await shop.api.ok<Batch>("GET", `/batches/${_id}`);
  expect(stopped).toMatchObject({ status: "stopped" });
  await page.goto(at(`/payment-links/batches/${_id}`));
  await expect(page.getByText(/not reached/)).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("link", { name: "See the change" })).toBeVisible();
  await expect(page.getByText("restored")).toBeVisible();
  expect(
    await statuses(
      shop,
      made.slice(0, 5).map((link) => link._id),
    ),
  ).toEqual(Array(5).fill("Active"));
});

test("a change that waits is shown and its end is announced, however many imports came after it", async ({
  page,
  shop,
  at,
}) => {
  const [first, second] = await manyLinks(shop, 2);
  const remind = await shop.api.ok<Batch>("POST", "/batches", {
    action: "remind",
    ids: [first?._id],
  });
  for (let later = 0; later < 6; later++) await manyLinks(shop, 1, { title: "Later" });
  await arrive(page, at("/payment-links"), list);
  const strip = page.getByRole("list", { name: "Changes under way" });
  await expect(strip).toContainText("Reminding the payers of 1 payment link");
  const goOn = await holdLink(second?._id ?? "");
  await shop.api.ok("POST", "/batches", { action: "cancel", ids: [second?._id] });
  await expect(strip).toContainText("Cancelling 1 payment link");
  for (let later = 0; later < 6; later++) await manyLinks(shop, 1, { title: "Later" });
  await goOn();
  await expect(notice(page, "1 payment link cancelled")).toBeVisible();
  await shop.api.ok("POST", `/batches/${remind._id}/stop`);
  await expect(notice(page, "Stopped")).toBeVisible();
  await expect(strip).toHaveCount(0);
});

test("an import is found among the changes, and undoing it names what was paid", async ({
  page,
  shop,
  at,
}) => {
  await arrive(page, at("/payment-links/import"), "Import payment links");
  const csv =
    "email,currency,amount_decimal,title\nana@example.com,MYR,12.50,Trip\nben@example.com,MYR,12.50,Trip\n";
  await page
    .getByLabel("Spreadsheet")
    .setInputFiles({ name: "trip.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await expect(page.getByText("They wait for half a minute")).toBeVisible();
  await page.getByRole("button", { name: "Create 2 payment links" }).click();
  const strip = page.getByRole("list", { name: "Changes under way" });
  await expect(strip).toContainText("Mailing 2 payment links");
  const { data } = await shop.api.ok<{ data: { _id: string }[] }>("GET", "/payment-links");
  await shop.api.ok("POST", `/payment-links/${data[0]?._id}/payments`, { method: "cash" });
  await shop.api.ok("POST", `/payment-links/${data[1]?._id}/send`);
  // This install has no mail server: what a server would have taken is kept first.
  const ofSecond = eq(mails.objectId, data[1]?._id ?? "");
  await expect.poll(() => db.$count(mails, and(ofSecond, eq(mails.status, "kept")))).toBe(1);
  await db.update(mails).set({ status: "sent" }).where(ofSecond);
  await page.getByRole("link", { name: "Undo this import…" }).click();
  await page.getByRole("button", { name: "Undo: cancel what is open" }).click();
  await expect(page.getByRole("alertdialog")).toContainText(
    /\d+ payment links? (is|are) open: MYR [\d,.]+\./,
  );
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel open links" }).click();
  // The undo has a page of its own, which says what it left and why.
  await expect(
    page.getByRole("heading", { level: 1, name: "Undo of an import: 2 payment links" }),
  ).toBeVisible();
  await expect(page.getByRole("region", { name: "Already paid" })).toContainText("Trip");
  const asked = page.getByRole("region", { name: "May have been asked to pay by e-mail before" });
  await expect(asked.getByRole("listitem")).toHaveCount(1);
  await page.goto(at("/payment-links/batches"));
  const row = rowOf(page, "Changes of many payment links", "Import of trip.csv");
  await expect(row).toContainText("Undone");
  await row.getByRole("link").click();
  await expect(
    page.getByRole("heading", { level: 1, name: "Import of trip.csv: 2 payment links" }),
  ).toBeVisible();
  await page.getByRole("link", { name: "See the undo" }).click();
  await expect(page.getByRole("link", { name: "See the change" })).toBeVisible();
  expect(
    (
      await statuses(
        shop,
        data.map((one) => one._id),
      )
    ).sort(),
  ).toEqual(["Cancelled", "Paid"]);
});
