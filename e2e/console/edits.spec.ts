import type { Page } from "@playwright/test";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { linkInput, linkNow, newLink, newTokenization } from "../shop";
import { expect, test } from "./fixtures";
import { pay, saveMethod } from "./payer";
import { newSubscription } from "./records";
import { arrive, choose, goBack, notice, rowOf } from "./screen";

const changed = (page: Page) =>
  page.getByRole("main").getByLabel("Changed since you opened this form");
const field = (page: Page, name: string) =>
  page.getByRole("form").getByLabel(new RegExp(`^${name}`));
const press = (page: Page, name: string) => page.getByRole("button", { name }).click();

/** Two tabs with the same form open; the second does not hear of changes. */
async function twoTabs(page: Page, address: string): Promise<[Page, Page]> {
  const second = await page.context().newPage();
  await second.route("**/api/stream?*", (route) => route.abort());
  await arrive(second, address, "Edit payment link");
  await arrive(page, address, "Edit payment link");
  return [page, second];
}

test("the second of two tabs shows what the first has saved and who did, and writes no old value back", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const link = await newLink(shop, { title: "Chairs", amount: 1000 });
  const [first, second] = await twoTabs(page, at(`/payment-links/${link._id}/edit`));
  await field(first, "Amount").fill("20.00");
  await press(first, "Save changes");
  await expect(notice(first, "“Chairs” saved")).toBeVisible();

  await field(second, "Title").fill("Tables");
  await press(second, "Save changes");
  await expect(changed(second)).toContainText("Not saved.");
  await expect(changed(second)).toBeFocused();
  await expect(changed(second).getByRole("listitem")).toHaveText("Amount: MYR 10.00 → MYR 20.00");
  await expect(changed(second).getByRole("time").or(changed(second).locator("time"))).toBeVisible();
  await audit(second);
  await expect(field(second, "Title")).toHaveValue("Tables");
  await press(second, "Use their changes");
  await expect(changed(second)).toHaveCount(0);
  await expect(field(second, "Amount")).toHaveValue("20.00");
  await expect(field(second, "Title")).toHaveValue("Tables");
  await press(second, "Save changes");
  await expect
    .poll(async () => linkNow(shop, link._id))
    .toMatchObject({ title: "Tables", amount: 2000, version: 3 });
});

test("who has seen the change may overwrite it", async ({ page, shop, at }) => {
  const link = await newLink(shop, { title: "Chairs", amount: 1000 });
  const [first, second] = await twoTabs(page, at(`/payment-links/${link._id}/edit`));
  await shop.api.ok("PUT", `/payment-links/${link._id}`, { ...linkInput, amount: 2000 });
  await first.close();
  await field(second, "Amount").fill("30.00");
  await press(second, "Save changes");
  await expect(changed(second)).toContainText("API key browser test changed this");
  await expect(changed(second)).toContainText("MYR 10.00 → MYR 20.00 (you wrote MYR 30.00)");
  await press(second, "Save mine instead");
  await expect
    .poll(async () => linkNow(shop, link._id))
    .toMatchObject({ title: "Chairs", amount: 3000, version: 3 });
});

const packageInput = {
  name: "Gold",
  amount: 4900,
  currency: "MYR",
  frequency: "monthly",
  date_charge_start: "2027-01-31",
};

test("every open form hears of a change before it is saved, and names it by its own labels", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { reference_2: "A" });
  const pack = await shop.api.ok<{ _id: string }>("POST", "/packages", packageInput);
  const subscription = await shop.api.ok<{ _id: string }>("POST", "/subscriptions", {
    package_id: pack._id,
    email: "ana@example.com",
  });
  const other = await shop.api.ok<{ _id: string }>("POST", "/packages", packageInput);
  const customer = await shop.api.ok<{ _id: string }>("POST", "/customers", {
    email: "ben@example.com",
  });
  const forms = [
    {
      edit: `/payment-links/${link._id}/edit`,
      heading: "Edit payment link",
      put: `/payment-links/${link._id}`,
      body: { ...linkInput, reference_2: "B" },
      says: "Second reference: A → B",
    },
    {
      edit: `/packages/${other._id}/edit`,
      heading: "Edit package",
      put: `/packages/${other._id}`,
      body: { ...packageInput, date_charge_start: "2027-02-01" },
      says: "Billing starts on: 2027-01-31 → 2027-02-01",
    },
    {
      edit: `/customers/${customer._id}/edit`,
      heading: "Edit customer",
      put: `/customers/${customer._id}`,
      body: { name: "Ana Costa" },
      says: "Name: none → Ana Costa",
    },
    {
      edit: `/subscriptions/${subscription._id}/edit`,
      heading: "Edit subscription",
      put: `/subscriptions/${subscription._id}`,
      body: { phone_no: "+60 12" },
      says: "Phone number: none → +60 12",
    },
  ];
  for (const { edit, heading, put, body, says } of forms) {
    await arrive(page, at(edit), heading);
    // The form holds the record as it was.
    await expect(page.getByRole("main").getByRole("textbox").first()).toBeVisible();
    await shop.api.ok("PUT", put, body);
    await expect(changed(page)).toContainText("API key browser test changed this");
    await expect(changed(page)).toContainText(says);
    await press(page, "Use their changes");
    await expect(changed(page)).toHaveCount(0);
  }
});

test("the forms of a webhook endpoint and of the business hear of it too", async ({
  page,
  shop,
  at,
}) => {
  const endpoint = await shop.api.ok<{ _id: string }>("POST", "/webhook-endpoints", {
    url: "https://shop.example/hooks",
  });
  await arrive(page, at(`/developers/webhooks/${endpoint._id}`), "shop.example");
  await press(page, "Manage");
  await page.getByRole("menuitem", { name: "Edit…" }).click();
  await shop.api.ok("PUT", `/webhook-endpoints/${endpoint._id}`, { description: "Web shop" });
  const dialog = page.getByRole("dialog").getByLabel("Changed since you opened this form");
  await expect(dialog).toContainText("Description: none → Web shop");

  const second = await page.context().newPage();
  await arrive(second, at("/settings"), "Business");
  await page.goto("about:blank");
  await arrive(page, at("/settings"), "Business");
  await field(second, "Phone for questions").fill("+60 12");
  await press(second, "Save changes");
  await expect(notice(second, "Saved")).toBeVisible();
  await expect(changed(page)).toContainText("Mei Tan changed this");
  await expect(changed(page)).toContainText("Phone for questions: none → +60 12");
  await expect(changed(second)).toHaveCount(0);
  await press(page, "Use their changes");
  await expect(field(page, "Phone for questions")).toHaveValue("+60 12");
});

test("a page says within a second that its record was deleted elsewhere, and by whom", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const link = await newLink(shop, { title: "Chairs" });
  const pack = await shop.api.ok<{ _id: string }>("POST", "/packages", packageInput);
  const other = await shop.api.ok<{ _id: string }>("POST", "/packages", packageInput);
  const subscription = await shop.api.ok<{ _id: string }>("POST", "/subscriptions", {
    package_id: other._id,
    email: "ana@example.com",
  });
  const records = [
    { path: `/payment-links/${link._id}`, name: "Chairs", edit: "Edit payment link" },
    { path: `/packages/${pack._id}`, name: "Gold", edit: "Edit package" },
    {
      path: `/subscriptions/${subscription._id}`,
      name: "ana@example.com",
      edit: "Edit subscription",
    },
  ];
  const form = await page.context().newPage();
  for (const { path, name, edit } of records) {
    const live = [page, form].map((tab) => tab.waitForResponse(/\/api\/stream\?/));
    await arrive(page, at(path), name);
    await arrive(form, at(`${path}/edit`), edit);
    await expect(form.getByRole("main").getByRole("textbox").first()).toBeVisible();
    await Promise.all(live);
    await shop.api.ok("DELETE", path);
    for (const tab of [page, form])
      await expect(tab.getByRole("alert", { name: "Deleted" })).toContainText(
        "API key browser test deleted this while you had it open",
      );
  }
  await audit(page);
});

test("a form says that its link was paid meanwhile, and by whom", async ({ page, shop, at }) => {
  for (const [settle, says] of [
    [(link: PaymentLink) => pay(link), "Payment succeeded by nur.payer@example.com."],
    [
      ({ _id }: PaymentLink) =>
        shop.api.ok("POST", `/payment-links/${_id}/payments`, { method: "cash" }),
      "Payment recorded by hand by API key browser test.",
    ],
  ] as const) {
    const link = await newLink(shop);
    const live = page.waitForResponse(/\/api\/stream\?/);
    await arrive(page, at(`/payment-links/${link._id}/edit`), "Edit payment link");
    await field(page, "Title").fill("Tables");
    await live;
    await settle(link);
    const alert = page.getByRole("main").getByRole("alert");
    await expect(alert).toContainText("Your changes were not saved");
    await expect(alert).toContainText(says);
  }
});

test("a form says that its subscription ended meanwhile, and that of a charge that its token was revoked", async ({
  page,
  shop,
  at,
}) => {
  const alert = page.getByRole("main").getByRole("alert");
  const subscription = await newSubscription(shop);
  let live = page.waitForResponse(/\/api\/stream\?/);
  await arrive(page, at(`/subscriptions/${subscription._id}/edit`), "Edit subscription");
  await field(page, "Phone number").fill("+60 12");
  await live;
  await shop.api.ok("PUT", `/subscriptions/${subscription._id}`, { status: "cancel" });
  await expect(alert).toContainText("Your changes were not saved");

  const token = await newTokenization(shop);
  await saveMethod(token);
  await page.goto("about:blank");
  live = page.waitForResponse(/\/api\/stream\?/);
  await arrive(page, at(`/tokens/${token._id}/charge`), "Charge token");
  await field(page, "Amount").fill("49");
  await live;
  await shop.api.ok("DELETE", `/tokenizations/${token._id}`);
  await expect(alert).toContainText("This changed while you had it open.");
  await expect(alert).toContainText("It was revoked.");
});

test("a payment is recorded as its dialog shows it: an edit elsewhere is shown before anything is recorded", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { title: "Chairs", amount: 1000 });
  await page.route("**/api/stream?*", (route) => route.abort("connectionreset"));
  await arrive(page, at("/payment-links"), "Payment links");
  await choose(page, rowOf(page, "Payment links", "Chairs"), "Record a payment…");
  const dialog = page.getByRole("dialog", { name: "Record a payment of “Chairs”" });
  await expect(dialog).toContainText("MYR 10.00");
  await shop.api.ok("PUT", `/payment-links/${link._id}`, {
    ...linkInput,
    title: "Chairs",
    amount: 2000,
  });
  await dialog.getByRole("button", { name: "Record payment" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Someone else edited this");
  await expect(dialog).toContainText("MYR 20.00");
  expect((await linkNow(shop, link._id)).status).toBe("Active");
  await dialog.getByRole("button", { name: "Record payment" }).click();
  await expect(notice(page, "MYR 20.00 recorded")).toBeVisible();
});

/** Goes to a list by the frame's navigation, so that the page before stays in the cache. */
async function toList(page: Page, list: string): Promise<void> {
  await page
    .getByRole("navigation", { name: "Console" })
    .getByRole("link", { name: list, exact: true })
    .click();
  await expect(page.getByRole("heading", { level: 1, name: list, exact: true })).toBeVisible();
}

test("a form begins with what is saved, whatever the pages before it have shown, and calls nothing a change meanwhile", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { title: "Chairs" });
  const pack = await shop.api.ok<{ _id: string }>("POST", "/packages", packageInput);
  const forms = [
    {
      list: "Payment links",
      path: `/payment-links/${link._id}`,
      name: "Chairs",
      edit: "Edit payment link",
      body: { ...linkInput, title: "Tables" },
      saved: ["Title", "Tables"],
    },
    {
      list: "Packages",
      path: `/packages/${pack._id}`,
      name: "Gold",
      edit: "Edit package",
      body: { ...packageInput, name: "Silver" },
      saved: ["Name", "Silver"],
    },
  ] as const;
  for (const { list, path, name, edit, body, saved } of forms) {
    await arrive(page, at(path), name);
    await toList(page, list);
    await expect(rowOf(page, list, name)).toBeVisible();
    await shop.api.ok("PUT", path, body);
    await choose(page, rowOf(page, list, saved[1]), "Edit");
    await expect(page.getByRole("heading", { level: 1, name: edit })).toBeVisible();
    await expect(field(page, saved[0])).toHaveValue(saved[1]);
    await expect(changed(page)).toHaveCount(0);
  }
});

test("a page that is come back to says that its record was paid or deleted, and not that this was while it was open", async ({
  page,
  shop,
  at,
}) => {
  const paid = await newLink(shop, { title: "Chairs" });
  await arrive(page, at(`/payment-links/${paid._id}/edit`), "Edit payment link");
  await expect(field(page, "Title")).toHaveValue("Chairs");
  await toList(page, "Payment links");
  await pay(paid);
  await expect(rowOf(page, "Payment links", "Chairs")).toContainText("Paid");
  await goBack(page);
  await expect(page.getByText("This payment link cannot be changed")).toBeVisible();

  const deleted = await newLink(shop, { title: "Tables" });
  await arrive(page, at(`/payment-links/${deleted._id}`), "Tables");
  await toList(page, "Payment links");
  await expect(rowOf(page, "Payment links", "Tables")).toBeVisible();
  await shop.api.ok("DELETE", `/payment-links/${deleted._id}`);
  await expect(rowOf(page, "Payment links", "Tables")).toHaveCount(0);
  await goBack(page);
  const alert = page.getByRole("alert", { name: "Deleted" });
  await expect(alert).toContainText(/API key browser test deleted this \(/);
});
