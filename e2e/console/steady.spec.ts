import type { Page } from "@playwright/test";
import { newLink } from "../shop";
import { chooseCsv } from "./csv";
import { expect, test } from "./fixtures";
import { pay } from "./payer";
import { arrive, gate, goBack, rowsOf } from "./screen";

for (const width of [360, 1440])
  test(`what can be pressed after an import stays in its place as the progress of its mails arrives, ${width} px wide`, async ({
    page,
    at,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    await chooseCsv(page, at, [
      "email,title,currency,amount_decimal,send_email",
      "bo@example.com,Order 8,MYR,10.00,true",
    ]);
    const { open, opened } = gate();
    await page.route("**/api/batches?*", async (route) => {
      await opened;
      await route.continue();
    });
    await page.getByRole("button", { name: "Create 1 payment link" }).click();
    const next = page.getByRole("link", { name: "See the payment links" });
    await expect(next).toBeVisible();
    const before = await next.boundingBox();
    open();
    const strip = page.getByRole("list", { name: "Changes under way" });
    await expect(strip).toContainText("Starts in");
    expect(await next.boundingBox()).toEqual(before);
  });

test("a new link's page is taken over without a fault by a browser whose clock is ahead", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop);
  await page.clock.setFixedTime(Date.now() + 15 * 60_000);
  await arrive(page, at(`/payment-links/${link._id}`), link.title);
  await expect(page.getByText("No mail about it.")).toBeVisible();
});

test("nothing on a page moves when its font comes late", async ({ page, at }) => {
  const { open, opened } = gate();
  let fonts = 0;
  await page.route(/\.woff2$/, async (route) => {
    fonts += 1;
    await opened;
    await route.continue();
  });
  await page.goto(at("/payment-links/new"), { waitUntil: "commit" });
  await expect(page.getByRole("button", { name: /^Account: (?!loading)/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "Create payment link" })).toBeEnabled();
  const places = () =>
    page.evaluate(() =>
      [...document.querySelectorAll("h1, h2, h3, p, label, button, a")].map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return [element.textContent, x, y, width, height];
      }),
    );
  const before = await places();
  const arrived = page.waitForResponse(/\.woff2$/);
  open();
  await (await arrived).finished();
  await page.evaluate(() => document.fonts.ready);
  expect(await places()).toEqual(before);
  expect(fonts).toBeGreaterThan(0);
});

const scrolled = (page: Page) => page.evaluate(() => window.scrollY);

for (const width of [360, 1440])
  test(`a page that a link or form leads to begins at its top, and Back where one was, ${width} px wide`, async ({
    page,
    shop,
    at,
  }) => {
    await page.setViewportSize({ width, height: 500 });
    const link = await newLink(shop, { title: "Chairs" });
    for (let made = 0; made < 14; made++) await newLink(shop, { title: `Order ${made}` });
    await arrive(page, at("/payment-links"), "Payment links");
    const last = rowsOf(page, "Payment links").last().getByRole("link").first();
    await last.scrollIntoViewIfNeeded();
    expect(await scrolled(page)).toBeGreaterThan(0);
    await last.click();
    await expect(page.getByRole("heading", { level: 1, name: "Chairs" })).toBeVisible();
    await expect.poll(() => scrolled(page)).toBe(0);
    await goBack(page);
    await expect(page.getByRole("heading", { level: 1, name: "Payment links" })).toBeVisible();
    await expect.poll(() => scrolled(page)).toBeGreaterThan(0);

    await arrive(page, at(`/payment-links/${link._id}/edit`), "Edit payment link");
    await page
      .getByRole("form")
      .getByLabel(/^Title/)
      .fill("Tables");
    const save = page.getByRole("button", { name: "Save changes" });
    await save.scrollIntoViewIfNeeded();
    expect(await scrolled(page)).toBeGreaterThan(0);
    await save.click();
    await expect(page.getByRole("heading", { level: 1, name: "Tables" })).toBeVisible();
    await expect.poll(() => scrolled(page)).toBe(0);

    await arrive(page, at("/payment-links/new"), "New payment link");
    const form = page.getByRole("form");
    await form.getByLabel(/^Title/).fill("Benches");
    await form.getByLabel("Amount").fill("25");
    await form.getByLabel("E-mail", { exact: true }).fill("ana@example.com");
    const create = page.getByRole("button", { name: "Create payment link" });
    await create.scrollIntoViewIfNeeded();
    await create.click();
    await expect(page.getByRole("region", { name: /created/i })).toBeVisible();
    await expect.poll(() => scrolled(page)).toBe(0);
  });

test("many changes under way leave most of a phone to the list, and the rest are a press away", async ({
  page,
  shop,
  at,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (let made = 0; made < 6; made++) {
    const { _id } = await newLink(shop);
    await shop.api.ok("POST", "/batches", { action: "remind", ids: [_id] });
  }
  await arrive(page, at("/payment-links"), "Payment links");
  const strip = page.getByRole("list", { name: "Changes under way" });
  const rest = strip.getByRole("link", { name: "4 more changes under way" });
  await expect(rest).toBeVisible();
  expect((await strip.boundingBox())?.height).toBeLessThan(300);
  await rest.click();
  await expect(rowsOf(page, "Changes of many payment links")).toHaveCount(6);
});

for (const width of [768, 1024, 1440])
  test(`what is beside the filters stays in its place when one is set and cleared, ${width} px wide`, async ({
    page,
    shop,
    at,
  }) => {
    await page.setViewportSize({ width, height: 800 });
    await pay(await newLink(shop));
    for (const [path, heading] of [
      ["/payment-links", "Payment links"],
      ["/payments", "Payments"],
    ] as const) {
      await arrive(page, at(path), heading);
      const beside = page.getByRole("search").getByRole("link", { name: "Export CSV" });
      const before = await beside.boundingBox();
      await page.getByRole("combobox", { name: "Status" }).selectOption({ index: 2 });
      await expect(
        page.getByRole("search").getByRole("button", { name: "Clear filters" }),
      ).toBeVisible();
      expect(await beside.boundingBox()).toEqual(before);
      await page.getByRole("search").getByRole("button", { name: "Clear filters" }).click();
      await expect(
        page.getByRole("search").getByRole("button", { name: "Clear filters" }),
      ).toHaveCount(0);
      expect(await beside.boundingBox()).toEqual(before);
      await arrive(page, at(`${path}?currency=MYR`), heading);
      await expect(page.getByRole("button", { name: "Remove filter Currency: MYR" })).toBeVisible();
      expect(await beside.boundingBox()).toEqual(before);
    }
  });

test("the buttons of a refund stay in their place when a part of it is chosen, and when that amount is refused", async ({
  page,
  shop,
  at,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const link = await newLink(shop, { title: "Chairs", amount: 1_250 });
  await pay(link);
  await arrive(page, at(`/payment-links/${link._id}`), "Chairs");
  await page.getByRole("link", { name: "Refund", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Refund “Chairs”" });
  const refund = dialog.getByRole("button", { name: /^Refund/ });
  // The dialog moves while it appears; a click waits until that is over.
  await refund.click({ trial: true });
  const before = await refund.boundingBox();
  await dialog.getByRole("radio", { name: "A part of it" }).check();
  await expect(dialog.getByRole("textbox", { name: "Amount" })).toBeVisible();
  expect(await refund.boundingBox()).toEqual(before);
  await refund.click();
  await expect(dialog.getByText("Amount is required.")).toBeVisible();
  expect(await refund.boundingBox()).toEqual(before);
  await dialog.getByRole("radio", { name: /^All that is left/ }).check();
  await expect(dialog.getByRole("textbox", { name: "Amount" })).toHaveCount(0);
  expect(await refund.boundingBox()).toEqual(before);
});
