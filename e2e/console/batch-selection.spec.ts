import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { parse } from "csv-parse/sync";
import type { Batch } from "@/lib/contract/batches";
import { expect, test } from "./fixtures";
import { linkInput, linkNow, newLink } from "../shop";
import { bar, list, manyLinks, statuses, tick, tickPage } from "./many-links";
import { arrive, notice } from "./screen";

test("all that match are selected across pages, asked about by number, and a stranger to the filter stays", async ({
  page,
  shop,
  at,
}) => {
  const wanted = await manyLinks(shop, 40, { reference_2: "TRIP" });
  const other = await newLink(shop, { title: "Other" });
  await arrive(page, at("/payment-links?reference_2=TRIP"), list);
  await tickPage(page).check();
  await bar(page).getByRole("button", { name: "Select all 40 that match" }).click();
  await expect(bar(page).getByText("40 selected, MYR 500.00")).toBeVisible();
  await bar(page).getByRole("button", { name: "Cancel links" }).click();
  const asked = page.getByRole("alertdialog", { name: "Cancel 40 payment links?" });
  await asked.getByRole("button", { name: "Cancel 40 payment links" }).click();
  await expect(notice(page, "40 payment links cancelled")).toBeVisible();
  expect(
    new Set(
      await statuses(
        shop,
        wanted.map(({ _id }) => _id),
      ),
    ),
  ).toEqual(new Set(["Cancelled"]));
  expect(await statuses(shop, [other._id])).toEqual(["Active"]);
});

test("of all that match, one that comes while the person decides is left, though another one has gone", async ({
  page,
  shop,
  at,
}) => {
  const trip = { reference_2: "TRIP" };
  const made = await manyLinks(shop, 20, trip);
  await arrive(page, at("/payment-links?open=true&reference_2=TRIP"), list);
  await tickPage(page).check();
  await bar(page).getByRole("button", { name: "Select all 20 that match" }).click();
  await bar(page).getByRole("button", { name: "Cancel links" }).click();
  await expect(page.getByRole("alertdialog", { name: "Cancel 20 payment links?" })).toBeVisible();
  await shop.api.ok("POST", `/payment-links/${made[0]?._id}/payments`, { method: "cash" });
  const late = await newLink(shop, { ...trip, title: "Late order" });
  const asked = page.getByRole("alertdialog", { name: "Cancel 19 payment links?" });
  await asked.getByRole("button", { name: "Cancel 19 payment links" }).click();
  await expect(notice(page, "19 payment links cancelled")).toBeVisible();
  expect(await statuses(shop, [made[0]?._id ?? "", made[1]?._id ?? "", late._id])).toEqual([
    "Paid",
    "Cancelled",
    "Active",
  ]);
});

test("all that match are selected as they are now, also where links are created all day", async ({
  page,
  shop,
  at,
}) => {
  await manyLinks(shop, 20);
  await arrive(page, at("/payment-links"), list);
  await newLink(shop, { title: "Late order" });
  await tickPage(page).check();
  await bar(page).getByRole("button", { name: "Select all 21 that match" }).click();
  await expect(bar(page)).toContainText("21 selected");
});

/** The server does what it is asked once, and a proxy loses the answer. */
const loseAnswer = (page: Page) =>
  page.route(
    /\/api\/batches(\?|$)/,
    async (route) => {
      await route.fetch();
      await route.fulfill({ status: 502, contentType: "text/html", body: "<html>" });
    },
    { times: 1 },
  );

test("an extension by days whose answer was lost is pressed again, and each link has the days once", async ({
  page,
  shop,
  at,
}) => {
  const [link] = await manyLinks(shop, 1, { expires_at: "2030-01-31T12:00:00Z" });
  await arrive(page, at("/payment-links"), list);
  await tick(page, "Kopi 000").click();
  await bar(page).getByRole("button", { name: "Extend" }).click();
  const dialog = page.getByRole("dialog", { name: "Extend 1 payment link" });
  await expect(dialog.getByLabel("Days")).toHaveValue("7");
  await loseAnswer(page);
  await dialog.getByRole("button", { name: "Extend" }).click();
  await expect(dialog.getByText("Something went wrong on our side.")).toBeVisible();
  await dialog.getByRole("button", { name: "Extend" }).click();
  await expect(dialog).toHaveCount(0);
  const { data } = await shop.api.ok<{ data: Batch[] }>("GET", "/batches");
  expect(data.filter(({ action }) => action === "extend")).toHaveLength(1);
  const expiry = async () => (await linkNow(shop, link?._id ?? "")).expires_at;
  await expect.poll(expiry).toBe("2030-02-07T12:00:00.000000Z");
});

test("reminders whose answer was lost are pressed for again, and each payer gets one", async ({
  page,
  shop,
  at,
}) => {
  await manyLinks(shop, 2);
  await arrive(page, at("/payment-links"), list);
  await tickPage(page).check();
  await loseAnswer(page);
  const remind = bar(page).getByRole("button", { name: "Remind" });
  await remind.click();
  await expect(notice(page, "That did not work")).toBeVisible();
  await remind.click();
  await expect(bar(page)).toHaveCount(0);
  const { data } = await shop.api.ok<{ data: Batch[] }>("GET", "/batches");
  expect(data.filter(({ action }) => action === "remind")).toHaveLength(1);
});

test("QR codes of the selected links that take money are printed together", async ({
  page,
  shop,
  at,
}) => {
  const made = await manyLinks(shop, 3);
  await shop.api.ok("POST", `/payment-links/${made[0]?._id}/cancel`);
  await arrive(page, at("/payment-links"), list);
  await tickPage(page).check();
  await bar(page).getByRole("link", { name: "QR sheet" }).click();
  const codes = page.getByRole("list", { name: "QR codes" }).getByRole("listitem");
  await expect(codes).toHaveCount(2);
  for (const image of await codes.getByRole("img").all())
    await expect
      .poll(() => image.evaluate((node: HTMLImageElement) => node.naturalWidth))
      .toBeGreaterThan(0);
});

test("the export and the codes of selected links come in the order of the list", async ({
  page,
  shop,
  at,
}) => {
  for (const [title, amount] of [
    ["Middle", 2_000],
    ["Least", 1_000],
    ["Most", 3_000],
  ] as const)
    await newLink(shop, { ...linkInput, title, amount });
  await arrive(page, at("/payment-links?sort=amount"), list);
  await tickPage(page).check();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    bar(page).getByRole("link", { name: "Export" }).click(),
  ]);
  const rows = parse<Record<string, string>>(await readFile(await download.path()), {
    columns: true,
    bom: true,
  });
  expect(rows.map(({ title }) => title)).toEqual(["Least", "Middle", "Most"]);
  await bar(page).getByRole("link", { name: "QR sheet" }).click();
  const codes = page.getByRole("list", { name: "QR codes" }).getByRole("listitem");
  await expect(codes).toContainText(["Least", "Middle", "Most"]);
});
