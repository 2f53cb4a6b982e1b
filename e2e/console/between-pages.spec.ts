import type { Page } from "@playwright/test";
import { newLink } from "../shop";
import { pay } from "./payer";
import { expect, test } from "./fixtures";
import { arrive, gate } from "./screen";

/** Notes from now on what is shown without a heading. */
const noteEmptyPages = (page: Page) =>
  page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(globalThis, { seen });
    new MutationObserver(() => {
      const main = document.querySelector("main");
      if (main && !main.querySelector("h1")) seen.push(main.textContent.slice(0, 80));
    }).observe(document.body, { childList: true, subtree: true });
  });

const emptyPages = (page: Page) => page.evaluate(() => (globalThis as { seen?: string[] }).seen);

test("a page that takes long is announced, and the one before stays until it is there", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { title: "Slow arrival" });
  await arrive(page, at(), "Overview");
  const { open, opened } = gate();
  await page.route("**/payment-links?_rsc=*", async (route) => {
    if (route.request().headers()["next-router-prefetch"] === undefined) await opened;
    await route.continue();
  });
  await page.getByRole("link", { name: "Payment links", exact: true }).click();
  const progress = page.getByRole("progressbar", { name: "Loading the page" });
  await expect(progress).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  open();
  await expect(page.getByRole("heading", { level: 1, name: "Payment links" })).toBeVisible();
  await expect(page.getByText(link.title).first()).toBeVisible();
  await expect(progress).toBeHidden();
  // Nor does it come again with the page that was left.
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await expect(progress).toHaveCount(0);
});

test("a page that is there at once takes the place of the one before without an empty one between", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { title: "Quick arrival" });
  await arrive(page, at("/payment-links"), "Payment links");
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  // Its scripts are there now.
  await noteEmptyPages(page);
  await page.getByRole("link", { name: "Payment links", exact: true }).click();
  await expect(page.getByText(link.title).first()).toBeVisible();
  expect(await emptyPages(page)).toEqual([]);
});

test("a page with one late script takes the place of the one before without an empty one between", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { title: "In parts" });
  const scripts = "**/_next/static/chunks/*.js";
  for (let late = 0, count = 1; late < count; late += 1) {
    await arrive(page, at(), "Overview");
    await noteEmptyPages(page);
    const { open, opened } = gate();
    count = 0;
    await page.route(scripts, async (route) => {
      if (count++ === late) await opened;
      await route.continue();
    });
    await page.getByRole("link", { name: "Payment links", exact: true }).click();
    // Some of the scripts are not those of the page: it comes without them.
    await expect(
      page
        .getByRole("progressbar", { name: "Loading the page" })
        .or(page.getByRole("heading", { level: 1, name: "Payment links" }))
        .first(),
    ).toBeVisible();
    open();
    await expect(page.getByText(link.title).first()).toBeVisible();
    await page.unroute(scripts);
    expect(await emptyPages(page)).toEqual([]);
  }
});

test("a change that happens while a page is on its way is on the page when it comes", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { title: "Paid on the way" });
  await arrive(page, at("/payment-links"), "Payment links");
  const { open, opened } = gate();
  const read = Promise.withResolvers<void>();
  await page.route(`**/payment-links/${link._id}?_rsc=*`, async (route) => {
    if (route.request().headers()["next-router-prefetch"] !== undefined) return route.continue();
    const response = await route.fetch();
    read.resolve();
    await opened;
    await route.fulfill({ response });
  });
  await page.getByRole("link", { name: link.title }).first().click();
  await read.promise;
  await pay(link);
  // The list is still there, and shows it.
  await expect(page.getByRole("row").filter({ hasText: link.title })).toContainText("Paid");
  open();
  await expect(page.getByRole("heading", { level: 1, name: link.title })).toBeVisible();
  await expect(page.getByRole("main").getByText("Paid", { exact: true }).first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Remind", exact: true })).toHaveCount(0);
});
