import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { linkColumns } from "@/lib/domain/payment-links/columns";
import { exportHeader } from "@/lib/kernel/local-columns";
import { expect, test } from "./fixtures";
import { linkInput, linkNow, newLink, type Shop } from "../shop";
import { arrive, choose, gate, notice, pick, rowOf, rowsOf, unfold } from "./screen";

const list = "Payment links";

const manyLinks = (shop: Shop, titles: string[]) =>
  shop.api.ok("POST", "/payment-links/bulk", {
    rows: titles.map((title) => ({ ...linkInput, title, reference: undefined })),
  });

test("filters, search and page are in the address: reload, Back and another browser give the same rows", {
  tag: "@phone",
}, async ({ page, browser, context, shop, at, isMobile }) => {
  await manyLinks(
    shop,
    Array.from({ length: 18 }, (_, made) => `Kopi ${made}`),
  );
  const cancelled = await newLink(shop, { title: "Kopi cancelled" });
  await shop.api.ok("POST", `/payment-links/${cancelled._id}/cancel`);
  await newLink(shop, { title: "Teh" });
  await arrive(page, at("/payment-links"), list);
  if (isMobile) await unfold(page);
  await page.getByRole("combobox", { name: "Status" }).selectOption("Active");
  await expect(page).toHaveURL(/status=Active/);
  await page.getByRole("searchbox", { name: "Search payment links" }).fill("Kopi");
  await expect(page).toHaveURL(/q=Kopi/);
  await expect(page.getByText("1 to 15 of 18")).toBeVisible();
  await page.getByRole("button", { name: "Next page" }).click();
  await expect(page).toHaveURL(/status=.*&page=2/);
  await expect(page.getByText("16 to 18 of 18")).toBeVisible();
  const rows = await rowsOf(page, list).allInnerTexts();
  expect(rows).toHaveLength(3);

  await page.reload();
  await expect(page.getByText("16 to 18 of 18")).toBeVisible();
  expect(await rowsOf(page, list).allInnerTexts()).toEqual(rows);
  const other = await browser.newContext({
    storageState: await context.storageState(),
    viewport: page.viewportSize(),
  });
  const second = await other.newPage();
  await second.goto(page.url());
  await expect(second.getByText("16 to 18 of 18")).toBeVisible();
  expect(await rowsOf(second, list).allInnerTexts()).toEqual(rows);
  await other.close();

  await page.goBack();
  await expect(page).not.toHaveURL(/page=2/);
  await expect(page.getByText("1 to 15 of 18")).toBeVisible();
});

test("amounts sort both ways, and amount, currency and paid are filters that can be taken out one by one", {
  tag: "@phone",
}, async ({ page, shop, at, isMobile }) => {
  await newLink(shop, { title: "Small", amount: 500 });
  await newLink(shop, { title: "Large", amount: 99_000 });
  await newLink(shop, { title: "Dinar", currency: "KWD", amount: 12_500 });
  await arrive(page, at("/payment-links"), list);
  if (isMobile) await unfold(page);
  // Cards have no head to press.
  const sort = (direction: "Smallest" | "Largest") =>
    isMobile
      ? page.getByLabel("Sort payment links").selectOption(`${direction} amount first`)
      : page.getByRole("columnheader").getByRole("button", { name: "Amount" }).click();
  await sort("Largest");
  await expect(rowsOf(page, list).first()).toContainText("Large");
  await expect(page).toHaveURL(/sort=-amount$/);
  await sort("Smallest");
  await expect(rowsOf(page, list).first()).toContainText("Small");
  await expect(page).toHaveURL(/sort=amount$/);
  await page.getByRole("button", { name: "More filters" }).click();
  const dialog = page.getByRole("dialog", { name: "More filters" });
  await pick(dialog.getByLabel("Currency"), "KWD");
  await dialog.getByLabel("Amount from").fill("12.5000");
  await dialog.getByRole("button", { name: "Show results" }).click();
  await expect(dialog.getByText("The amount may have at most 3 decimals.")).toBeVisible();
  await dialog.getByLabel("Amount from").fill("12.5");
  await dialog.getByLabel("Paid").selectOption("No");
  await dialog.getByRole("button", { name: "Show results" }).click();
  await expect(page).toHaveURL(/amount_min=12500/);
  await expect(rowsOf(page, list)).toHaveCount(1);
  await expect(rowsOf(page, list)).toContainText("KWD 12.500");
  await page.getByRole("button", { name: "Remove filter Currency: KWD" }).click();
  await expect(page.getByRole("button", { name: "Remove filter Paid: No" })).toBeVisible();
  await expect(rowsOf(page, list)).toHaveCount(3);
});

test("a reference finds its link; what finds nothing can be cleared", async ({
  page,
  shop,
  at,
}) => {
  await newLink(shop, { title: "Wanted", reference: "REF-801" });
  await newLink(shop, { title: "Other", reference: "REF-802" });
  await arrive(page, at("/payment-links"), list);
  const search = page.getByRole("searchbox", { name: "Search payment links" });
  await search.fill("REF-801");
  await expect(rowsOf(page, list)).toHaveCount(1);
  await expect(rowOf(page, list, "Wanted")).toBeVisible();
  await search.fill("no such thing");
  await expect(page.getByRole("heading", { name: "No results" })).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).last().click();
  await expect(rowsOf(page, list)).toHaveCount(2);
  await expect(page).not.toHaveURL(/q=/);
  await expect(search).toHaveValue("");
});

test("the address is copied from its row and from its page, and that is said", {
  tag: "@phone",
}, async ({ page, context, shop, at }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const link = await newLink(shop);
  await arrive(page, at("/payment-links"), list);
  const row = rowOf(page, list, link.title);
  await row.getByRole("button", { name: /copy payment link/i }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link.payment_url);
  await expect(row.getByRole("button", { name: "Copied" })).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "Copied" })).toBeAttached();
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await row.getByRole("link", { name: link.title }).click();
  await page.getByRole("button", { name: "Copy payment link" }).click();
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link.payment_url);
});

test("deleting asks by name and can be escaped", { tag: "@phone" }, async ({ page, shop, at }) => {
  const link = await newLink(shop, { title: "Delete me" });
  await newLink(shop, { title: "Keep me" });
  await arrive(page, at("/payment-links"), list);
  await choose(page, rowOf(page, list, link.title), "Delete…");
  const dialog = page.getByRole("alertdialog", { name: "Delete “Delete me”?" });
  await expect(dialog).toContainText("can’t be undone");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  expect((await linkNow(shop, link._id)).status).toBe("Active");
  await choose(page, rowOf(page, list, link.title), "Delete…");
  await dialog.getByRole("button", { name: "Delete payment link" }).click();
  await expect(rowOf(page, list, "Delete me")).toHaveCount(0);
  await expect(rowOf(page, list, "Keep me")).toBeVisible();
  expect((await shop.api.call("GET", `/payment-links/${link._id}`)).status).toBe(404);
});

for (const way of ["button", "keyboard"] as const) {
  test(`cancelling is undone by ${way}`, async ({ page, shop, at }) => {
    const link = await newLink(shop);
    await arrive(page, at("/payment-links"), list);
    const row = rowOf(page, list, link.title);
    await choose(page, row, "Cancel link");
    await expect(row.getByText("Cancelled")).toBeVisible();
    const undo = page.getByRole("button", { name: "Undo" });
    await expect(undo).toBeVisible();
    if (way === "button") await undo.click();
    else await page.keyboard.press("Control+z");
    await expect(row.getByText("Open", { exact: true })).toBeVisible();
    await expect.poll(async () => (await linkNow(shop, link._id)).status).toBe("Active");
  });
}

test("cancelling shows at once and is put back when it fails", async ({ page, shop, at }) => {
  const link = await newLink(shop);
  await arrive(page, at("/payment-links"), list);
  const { open, opened } = gate();
  await page.route("**/api/payment-links/*/cancel", async (route) => {
    await opened;
    await route.fulfill({
      status: 500,
      json: { message: "Something went wrong on our side.", code: "internal_error", errors: {} },
    });
  });
  const row = rowOf(page, list, link.title);
  await choose(page, row, "Cancel link");
  await expect(row.getByText("Cancelled")).toBeVisible();
  open();
  await expect(notice(page, "Not saved: put back as it was")).toBeVisible();
  await expect(row.getByText("Open", { exact: true })).toBeVisible();
  expect((await linkNow(shop, link._id)).status).toBe("Active");
});

test("on a phone rows are cards, nothing scrolls sideways, and everything can be reached and hit", {
  tag: "@phone",
}, async ({ page, shop, at, isMobile, audit }) => {
  const link = await newLink(shop, {
    title: "A title that is as long as titles can be, fifty.",
    email: "a.rather.long.name@a-rather-long-domain.example",
  });
  await arrive(page, at("/payment-links"), list);
  const row = rowOf(page, list, "A title");
  await expect(row).toBeVisible();
  await expect(page.getByRole("table")).toHaveCount(isMobile ? 0 : 1);
  await audit(page);
  await row.getByRole("button", { name: /^Actions for/ }).click();
  for (const name of ["Open payment page", "Duplicate", "Edit", "Cancel link", "Delete…"])
    await expect(page.getByRole("menuitem", { name })).toBeInViewport();
  await page.keyboard.press("Escape");
  const main = page.getByRole("main");
  for (const target of [
    ...(await main.getByRole("button").all()),
    ...(await main.getByRole("link").all()),
    ...(await main.getByRole("combobox").all()),
  ]) {
    const box = await target.boundingBox();
    expect(
      Math.min(box?.width ?? 24, box?.height ?? 24),
      (await target.textContent()) ?? "",
    ).toBeGreaterThanOrEqual(24);
  }
  if (isMobile) {
    await page.getByRole("button", { name: "Open navigation" }).click();
    await page
      .getByRole("dialog", { name: "Navigation" })
      .getByRole("link", { name: "Payments" })
      .click();
  } else
    await page
      .getByRole("navigation", { name: "Console" })
      .getByRole("link", { name: "Payments" })
      .click();
  await expect(page.getByRole("heading", { level: 1, name: "Payments" })).toBeVisible();
  await page.goto(at(`/payment-links/${link._id}`));
  await expect(page.getByRole("list", { name: "Timeline" })).toBeVisible();
});

test("the export holds every row that the filters match, under a fixed header, and no formula", async ({
  page,
  shop,
  at,
}) => {
  await manyLinks(shop, [
    ...Array.from({ length: 17 }, (_, made) => `Kopi ${made}`),
    "=1+1 Kopi",
    "Teh",
  ]);
  await arrive(page, `${at("/payment-links")}?q=Kopi`, list);
  await expect(page.getByText("1 to 15 of 18")).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.csv$/);
  const [head, ...rows] = parse(await readFile(await download.path()), { bom: true });
  expect(head).toEqual(exportHeader(linkColumns, "UTC"));
  expect(rows).toHaveLength(18);
  const title = linkColumns.indexOf("title");
  expect(rows.map((cells) => cells[title])).toContain("'=1+1 Kopi");
});

test("while rows come their place is held; a list that fails can be asked for again", async ({
  page,
  shop,
  at,
}) => {
  await newLink(shop);
  const { open, opened } = gate();
  await page.route("**/api/payment-links?*", async (route) => {
    await opened;
    await route.continue();
  });
  await page.addInitScript(() => {
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };
    let sum = 0;
    const add = (entries: PerformanceEntryList) => {
      for (const { value, hadRecentInput } of entries as Shift[]) sum += hadRecentInput ? 0 : value;
      return sum;
    };
    const observer = new PerformanceObserver((list) => void add(list.getEntries()));
    observer.observe({ type: "layout-shift", buffered: true });
    // What the last frames have moved is not handed over yet.
    Object.assign(window, { shifted: () => add(observer.takeRecords()) });
  });
  // Days depend on the business's zone, so the browser asks for these rows.
  await page.goto(at("/payment-links?created_from=2020-01-01"));
  await expect(page.getByRole("status").filter({ hasText: "Loading payment links" })).toBeVisible();
  open();
  await expect(rowsOf(page, list)).toHaveCount(1);
  const shift = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const { shifted } = window as unknown as { shifted: () => number };
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(shifted())));
      }),
  );
  expect(shift).toBeLessThanOrEqual(0.05);

  await page.unroute("**/api/payment-links?*");
  await page.route("**/api/payment-links?*", (route) =>
    route.fulfill({
      status: 500,
      json: { message: "Something went wrong on our side.", code: "internal_error", errors: {} },
    }),
  );
  await page.reload();
  const retry = page.getByRole("button", { name: "Retry" });
  await expect(retry).toBeVisible();
  await page.unroute("**/api/payment-links?*");
  await retry.click();
  await expect(rowsOf(page, list)).toHaveCount(1);
});

test("a link is reopened by the first button of its page, and is not shared while it takes no money", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop);
  await arrive(page, at(`/payment-links/${link._id}`), link.title);
  const ways = ["Copy payment link", "QR code", "Share"].map((name) =>
    page.getByRole("button", { name }),
  );
  for (const way of ways) await expect(way).toBeVisible();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Cancel link", exact: true }).click();
  for (const way of ways) await expect(way).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Open", exact: true })).toBeVisible();
  await expect.poll(async () => (await linkNow(shop, link._id)).status).toBe("Cancelled");
  await arrive(page, at(`/payment-links/${link._id}`), link.title);
  await page.getByRole("button", { name: "Reopen" }).click();
  for (const way of ways) await expect(way).toBeVisible();
  await expect.poll(async () => (await linkNow(shop, link._id)).status).toBe("Active");
});
