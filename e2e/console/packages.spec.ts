import type { Package } from "@/lib/contract/packages";
import { expect, test } from "./fixtures";
import { newLink } from "../shop";
import { newPackage, newSubscription } from "./records";
import { arrive, choose, gate, goBack, pick, rowOf, rowsOf } from "./screen";

const list = "Packages";
const packageNow = (shop: Parameters<typeof newPackage>[0], id: string) =>
  shop.api.ok<Package>("GET", `/packages/${id}`);

test("a new package begins in the currency that the business used last", async ({
  page,
  shop,
  at,
}) => {
  for (const currency of ["MYR", "SGD"]) {
    await newLink(shop, { currency });
    await arrive(page, at("/packages/new"), "New package");
    await expect(page.getByLabel("Currency")).toHaveValue(new RegExp(`^${currency}`));
  }
});

test("a package is made from its form, duplicated and edited", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await arrive(page, at("/packages/new"), "New package");
  const form = page.getByRole("form", { name: "Package" });
  await form.getByRole("button", { name: "Create package" }).click();
  await expect(form.getByText("Name is required.")).toBeVisible();
  await expect(form.getByLabel("Name")).toBeFocused();
  await form.getByLabel("Name").fill("Silver membership");
  await form.getByLabel("Amount").fill("29.90");
  await pick(form.getByLabel("Currency"), "MYR");
  await form.getByLabel("How often").selectOption("yearly");
  await form.getByRole("button", { name: "Create package" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Silver membership" })).toBeVisible();
  await expect(page.getByText("No subscribers yet.")).toBeVisible();
  await audit(page);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  await expect(form.getByLabel("Amount")).toHaveValue("29.90");
  await form.getByLabel("Name").fill("Bronze membership");
  await form.getByRole("button", { name: "Create package" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Bronze membership" })).toBeVisible();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await form.getByLabel("Amount").fill("19.90");
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("main").getByText("MYR 19.90").first()).toBeVisible();
  const { data } = await shop.api.ok<{ data: Package[] }>("GET", "/packages");
  expect(data.map(({ name, amount }) => [name, amount])).toEqual([
    ["Bronze membership", 1_990],
    ["Silver membership", 2_990],
  ]);
});

test("with a subscriber the terms are fixed and the page says so, while the name can change", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const made = await newPackage(shop);
  await newSubscription(shop, { package_id: made._id });
  await arrive(page, at(`/packages/${made._id}/edit`), "Edit package");
  await expect(
    page.getByText("These are fixed because the package has been subscribed to."),
  ).toBeVisible();
  const form = page.getByRole("form", { name: "Package" });
  await expect(form.getByLabel("Amount")).toHaveCount(0);
  await audit(page);
  await form.getByLabel("Name").fill("Gold, renamed");
  await goBack(page);
  const ask = page.getByRole("alertdialog", { name: "Leave without saving?" });
  await ask.getByRole("button", { name: "Keep editing" }).click();
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Gold, renamed" })).toBeVisible();
  expect(await packageNow(shop, made._id)).toMatchObject({ name: "Gold, renamed", amount: 4_900 });
});

test("the first subscriber fixes the terms of a form that is open, and its name and description stay as they were typed", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const made = await newPackage(shop);
  const live = page.waitForResponse(/\/api\/stream\?/);
  await arrive(page, at(`/packages/${made._id}/edit`), "Edit package");
  const form = page.getByRole("form", { name: "Package" });
  await form.getByLabel("Name").fill("Gold, renamed");
  await form.getByLabel("Description").fill("All classes");
  await form.getByLabel("Amount").fill("no amount");
  await form.getByLabel("How often").selectOption("yearly");
  await live;
  await newSubscription(shop, { package_id: made._id });
  const fixed = "The first subscriber came while you had this open.";
  await expect(form.getByRole("status").filter({ hasText: fixed })).toBeVisible();
  await expect(form.getByLabel("Amount")).toHaveCount(0);
  await expect(form.getByLabel("Name")).toHaveValue("Gold, renamed");
  await expect(form.getByLabel("Description")).toHaveValue("All classes");
  await audit(page);
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Gold, renamed" })).toBeVisible();
  expect(await packageNow(shop, made._id)).toMatchObject({
    name: "Gold, renamed",
    description: "All classes",
    amount: 4_900,
    frequency: "monthly",
  });
});

test("cancelling shows at once while the call takes its time, is put back when it fails, and can be undone", async ({
  page,
  shop,
  at,
}) => {
  const made = await newPackage(shop);
  await arrive(page, at("/packages"), list);
  const row = rowOf(page, list, made.name);
  const slow = gate();
  await page.route("**/api/packages/*", async (route) => {
    if (route.request().method() !== "PUT") return route.continue();
    await slow.opened;
    await route.fulfill({
      status: 500,
      json: { message: "Something went wrong on our side.", code: "internal_error", errors: {} },
    });
  });
  await choose(page, row, "Cancel package");
  await expect(row.getByText("Cancelled")).toBeVisible();
  slow.open();
  await expect(page.getByText("Not saved: put back as it was").first()).toBeVisible();
  await expect(row.getByText("Active")).toBeVisible();
  expect((await packageNow(shop, made._id)).status).toBe("active");

  await page.unroute("**/api/packages/*");
  await choose(page, row, "Cancel package");
  await expect(row.getByText("Cancelled")).toBeVisible();
  await expect(page.getByRole("button", { name: "Undo" })).toBeVisible();
  expect((await packageNow(shop, made._id)).status).toBe("cancel");
  await page.keyboard.press("Control+z");
  await expect(row.getByText("Active")).toBeVisible();
  await expect.poll(async () => (await packageNow(shop, made._id)).status).toBe("active");
});

test("deleting asks by name; with a live subscriber it says why not", async ({
  page,
  shop,
  at,
}) => {
  const taken = await newPackage(shop, { name: "Taken" });
  await newPackage(shop, { name: "Free" });
  await newSubscription(shop, { package_id: taken._id });
  await arrive(page, at("/packages"), list);
  await choose(page, rowOf(page, list, "Taken"), "Delete…");
  const dialog = page.getByRole("alertdialog", { name: "Delete “Taken”?" });
  await dialog.getByRole("button", { name: "Delete package" }).click();
  await expect(
    page.getByText("This package has 1 live subscription and cannot be deleted.").first(),
  ).toBeVisible();
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await choose(page, rowOf(page, list, "Free"), "Delete…");
  await page
    .getByRole("alertdialog", { name: "Delete “Free”?" })
    .getByRole("button", { name: "Delete package" })
    .click();
  await expect(rowOf(page, list, "Free")).toHaveCount(0);
  await expect(rowsOf(page, list)).toHaveCount(1);
});

test("after one's own first subscriber the form says that the terms are fixed, and not that this came while it was open", async ({
  page,
  shop: _,
  at,
}) => {
  await arrive(page, at("/packages/new"), "New package");
  const form = page.getByRole("form", { name: "Package" });
  await form.getByLabel("Name").fill("Silver membership");
  await form.getByLabel("Amount").fill("29.90");
  await form.getByRole("button", { name: "Create package" }).click();
  await page.getByRole("link", { name: "Subscribe someone" }).click();
  const subscription = page.getByRole("form", { name: "Subscription" });
  await subscription.getByLabel("E-mail").fill("ana@example.com");
  await subscription.getByRole("button", { name: "Subscribe" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "ana@example.com" })).toBeVisible();
  await page.getByRole("link", { name: list, exact: true }).click();
  await choose(page, rowOf(page, list, "Silver membership"), "Edit");
  await expect(
    page.getByText("These are fixed because the package has been subscribed to."),
  ).toBeVisible();
});
