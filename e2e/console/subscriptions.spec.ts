import { pool } from "@/db/client";
import { newTokenization, payer } from "../shop";
import { expect, test } from "./fixtures";
import { pay, saveMethod } from "./payer";
import { newPackage, newSubscription, subscriptionNow } from "./records";
import { arrive, choose, rowOf, rowsOf } from "./screen";

const list = "Subscriptions";

test("a payer is subscribed to the oldest of more packages than a page of the API holds", async ({
  page,
  shop,
  at,
}) => {
  const oldest = await newPackage(shop, { name: "The first of all" });
  await Promise.all(
    Array.from({ length: 100 }, (_, index) => newPackage(shop, { name: `Plan ${index}` })),
  );
  await arrive(page, at(`/subscriptions/new?package=${oldest._id}`), "Subscribe someone");
  const form = page.getByRole("form", { name: "Subscription" });
  await expect(form.getByLabel("Package")).toHaveValue(oldest._id);
  await expect(form.getByRole("option")).toHaveCount(104);
});

test("a new subscriber gets a link for the period and becomes active when it is paid, without reloading", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const made = await newPackage(shop);
  await newPackage(shop, { name: "Another" });
  await arrive(page, at(`/subscriptions/new?package=${made._id}`), "Subscribe someone");
  const form = page.getByRole("form", { name: "Subscription" });
  await expect(
    form.getByText(/^First charge on .*: MYR 49\.00 every month from then on\.$/),
  ).toBeVisible();
  await form.getByRole("button", { name: "Subscribe" }).click();
  await expect(form.getByText("E-mail is required.")).toBeVisible();
  await expect(form.getByLabel("E-mail")).toBeFocused();
  await form.getByLabel("E-mail").fill(payer);
  await form.getByRole("button", { name: "Subscribe" }).click();
  await expect(page.getByRole("heading", { level: 1, name: payer })).toBeVisible();
  await expect(page.getByText("each period has a payment link, for you to share")).toBeVisible();
  const periods = page.getByRole("list", { name: "Period links" });
  await expect(periods.getByRole("listitem")).toHaveCount(1);
  await expect(
    page
      .getByText("Waits until the open period is paid")
      .or(page.getByText(/^MYR 49\.00 on/))
      .first(),
  ).toBeVisible();
  await audit(page);
  const id = /subscriptions\/([0-9a-f]{24})/.exec(page.url())?.[1] ?? "";
  const [open] = (await subscriptionNow(shop, id)).payment_links;
  if (!open) throw new Error("no link was made for the period");
  await pay(open);
  await expect(page.locator("h1 + span")).toHaveText("Active");
  await expect(periods).toContainText("Paid");
  await expect(page.getByRole("list", { name: "Timeline" })).toBeVisible();
});

test("cancelling says what will happen, stops what is open, and cannot be undone", async ({
  page,
  shop,
  at,
}) => {
  const subscription = await newSubscription(shop);
  await expect
    .poll(async () => (await subscriptionNow(shop, subscription._id)).payment_links.length)
    .toBe(1);
  await arrive(page, at(`/subscriptions/${subscription._id}`), payer);
  await page.getByRole("button", { name: "Cancel subscription…" }).click();
  const dialog = page.getByRole("alertdialog", { name: `Cancel the subscription of ${payer}?` });
  for (const text of [
    "ends at once",
    "cannot be undone",
    "can no longer be paid",
    "Nothing is refunded",
    "This install has no mail server.",
  ])
    await expect(dialog).toContainText(text);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  expect((await subscriptionNow(shop, subscription._id)).status).not.toBe("cancel");
  await page.getByRole("button", { name: "Cancel subscription…" }).click();
  await dialog.getByRole("button", { name: "Cancel subscription" }).click();
  await expect(page.locator("h1 + span")).toHaveText("Cancelled");
  await expect(page.getByText("None: it is cancelled")).toBeVisible();
  await expect(page.getByRole("button", { name: "Cancel subscription…" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Undo" })).toHaveCount(0);
  await expect(page.getByRole("list", { name: "Period links" })).toContainText("Cancelled");
  await expect
    .poll(() => subscriptionNow(shop, subscription._id))
    .toMatchObject({
      status: "cancel",
      next_charge_at: null,
      payment_links: [{ status: "Cancelled" }],
    });
});

test("a year under a test clock charges each month once; after cancelling another year brings nothing", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await saveMethod(await newTokenization(shop));
  const made = await newPackage(shop);
  await arrive(page, at(`/subscriptions/new?package=${made._id}`), "Subscribe someone");
  const form = page.getByRole("form", { name: "Subscription" });
  await form.getByLabel("E-mail").fill(payer);
  await form.getByLabel("It follows").selectOption("A test clock of its own");
  await form.getByRole("button", { name: "Subscribe and charge MYR 49.00…" }).click();
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: /^Subscribe and/ })
    .click();
  const clock = page.getByRole("region", { name: "Test clock" });
  await clock.getByRole("button", { name: "A week" }).click();
  await expect(clock.getByRole("heading", { name: "What happened on the way" })).toBeVisible();
  await expect(page.locator("h1 + span")).toHaveText("Active");
  await audit(page);
  await expect(page.getByRole("list", { name: "Payments" }).getByRole("listitem")).toHaveCount(1);
  await clock.getByRole("button", { name: "A month" }).click();
  await expect(page.getByRole("list", { name: "Payments" }).getByRole("listitem")).toHaveCount(2);
  await clock.getByRole("button", { name: "A year" }).click();
  await expect(page.getByRole("list", { name: "Payments" }).getByRole("listitem")).toHaveCount(14);

  await page.getByRole("button", { name: "Cancel subscription…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel subscription" }).click();
  await expect(page.locator("h1 + span")).toHaveText("Cancelled");
  const id = /subscriptions\/([0-9a-f]{24})/.exec(page.url())?.[1] ?? "";
  await expect.poll(async () => (await subscriptionNow(shop, id)).next_charge_at).toBeNull();
  const { test_clock_id } = await subscriptionNow(shop, id);
  const { now } = await shop.api.ok<{ now: string }>("GET", `/test-clocks/${test_clock_id}`);
  await shop.api.ok("POST", `/test-clocks/${test_clock_id}/advance`, {
    to: new Date(Date.parse(now) + 366 * 86_400_000).toISOString(),
  });
  const { data } = await shop.api.ok<{ data: unknown[] }>(
    "GET",
    `/payments?subscription_id=${id}&per_page=100`,
  );
  expect(data).toHaveLength(14);
  expect((await subscriptionNow(shop, id)).payment_links).toEqual([]);
});

test("a month under a test clock brings exactly one new payment link to an active subscription without a saved method", async ({
  page,
  shop,
  at,
}) => {
  const made = await newPackage(shop);
  const clock = await shop.api.ok<{ _id: string }>("POST", "/test-clocks", {
    name: "A month",
    now: new Date().toISOString(),
  });
  const subscription = await shop.api.ok<{ _id: string }>("POST", "/subscriptions", {
    package_id: made._id,
    email: payer,
    test_clock_id: clock._id,
  });
  const links = async () => (await subscriptionNow(shop, subscription._id)).payment_links;
  await arrive(page, at(`/subscriptions/${subscription._id}`), payer);
  const card = page.getByRole("region", { name: "Test clock" });
  await card.getByRole("button", { name: "A week" }).click();
  const periods = page.getByRole("list", { name: "Period links" }).getByRole("listitem");
  await expect(periods).toHaveCount(1);
  const [first] = await links();
  if (!first) throw new Error("no link was made for the first period");
  await pay(first);
  await expect(page.locator("h1 + span")).toHaveText("Active");
  await card.getByRole("button", { name: "A month" }).click();
  await expect(periods).toHaveCount(2);
  expect((await links()).map(({ status }) => status)).toEqual(["Active", "Paid"]);
});

test.describe("seen from far west of the business", () => {
  test.use({ timezoneId: "America/New_York" });

  test("the next charge is on the same day in the list, on the pages and in the question before cancelling", async ({
    page,
    shop,
    at,
  }) => {
    await pool().query("update businesses set time_zone = 'Asia/Kuala_Lumpur' where id = $1", [
      shop.id,
    ]);
    const plan = await newPackage(shop, { date_charge_start: "2099-01-31" });
    const subscription = await newSubscription(shop, { package_id: plan._id });
    expect(subscription.next_charge_at).toBe("2099-01-30T16:00:00.000000Z");
    const { data: customers } = await shop.api.ok<{ data: { _id: string }[] }>(
      "GET",
      `/customers?email=${payer}`,
    );
    const day = "31 Jan 2099";
    await arrive(page, at("/subscriptions"), list);
    await expect(rowOf(page, list, payer)).toContainText(day);
    await arrive(page, at(`/packages/${plan._id}`), plan.name);
    await expect(page.getByRole("list", { name: list })).toContainText(`Next charge: ${day}`);
    await arrive(page, at(`/customers/${customers[0]?._id}`), payer);
    await expect(page.getByRole("list", { name: list })).toContainText(`next charge: ${day}`);
    await arrive(page, at(`/subscriptions/${subscription._id}`), payer);
    await expect(page.getByRole("region", { name: "Next charge" })).toContainText(`on ${day}`);
    await expect(page.getByText("30 Jan 2099")).toHaveCount(0);
    await page.getByRole("button", { name: "Cancel subscription…" }).click();
    await expect(page.getByRole("alertdialog")).toContainText(`planned for ${day}`);
  });
});

test("who it is of can be changed; leaving in between asks first", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const subscription = await newSubscription(shop, { phone_no: "+60123456789" });
  await arrive(page, at(`/subscriptions/${subscription._id}/edit`), "Edit subscription");
  const form = page.getByRole("form", { name: "Subscription" });
  await form.getByLabel("E-mail").fill("not an address");
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(form.getByText("E-mail must be a valid e-mail address.")).toBeVisible();
  await audit(page);
  await page.getByRole("link", { name: "Cancel" }).click();
  const ask = page.getByRole("alertdialog", { name: "Leave without saving?" });
  await ask.getByRole("button", { name: "Keep editing" }).click();
  await form.getByLabel("E-mail").fill("ana@example.com");
  await form.getByLabel("Phone number").fill("");
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "ana@example.com" })).toBeVisible();
  expect(await subscriptionNow(shop, subscription._id)).toMatchObject({
    email: "ana@example.com",
    phone_no: null,
  });
});

test("deleting wants the address typed, and nothing offers to undo it", async ({
  page,
  shop,
  at,
}) => {
  const subscription = await newSubscription(shop);
  await newSubscription(shop, { package_id: subscription.package_id, email: "stays@example.com" });
  await arrive(page, at("/subscriptions"), list);
  await choose(page, rowOf(page, list, payer), "Delete…");
  const dialog = page.getByRole("alertdialog", { name: `Delete the subscription of ${payer}?` });
  const confirm = dialog.getByRole("button", { name: "Delete for good" });
  await expect(dialog).toContainText("cannot be undone");
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel(`Type ${payer} to confirm`).fill("something else");
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel(`Type ${payer} to confirm`).fill(payer);
  await confirm.click();
  await expect(rowOf(page, list, payer)).toHaveCount(0);
  await expect(rowsOf(page, list)).toHaveCount(1);
  await expect(page.getByText(`The subscription of ${payer} is deleted`).first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Undo" })).toHaveCount(0);
  expect((await shop.api.call("GET", `/subscriptions/${subscription._id}`)).status).toBe(404);
});

test("status and package are filters of the list, and are in the address", async ({
  page,
  shop,
  at,
}) => {
  const gold = await newPackage(shop);
  const silver = await newPackage(shop, { name: "Silver membership" });
  await newSubscription(shop, { package_id: gold._id, email: "gold@example.com" });
  const ended = await newSubscription(shop, { package_id: silver._id, email: "ended@example.com" });
  await shop.api.ok("PUT", `/subscriptions/${ended._id}`, { status: "cancel" });
  await arrive(page, at("/subscriptions"), list);
  await page.getByRole("combobox", { name: "Status" }).selectOption("Cancelled");
  await expect(rowsOf(page, list)).toHaveCount(1);
  await expect(rowOf(page, list, "ended@example.com")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("combobox", { name: "Package" }).selectOption("Gold membership");
  await expect(page).toHaveURL(new RegExp(`package_id=${gold._id}`));
  await expect(rowsOf(page, list)).toHaveCount(1);
  await page.reload();
  await expect(rowOf(page, list, "gold@example.com")).toBeVisible();
  await expect(rowsOf(page, list)).toHaveCount(1);
});

test("subscribing a payer with a saved card says what is taken now and asks; without one nothing is taken", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await saveMethod(await newTokenization(shop));
  const [now, later] = [
    await newPackage(shop),
    await newPackage(shop, { name: "From 2099", date_charge_start: "2099-01-31" }),
  ];
  await arrive(page, at(`/subscriptions/new?package=${now._id}`), "Subscribe someone");
  const form = page.getByRole("form", { name: "Subscription" });
  await form.getByLabel("E-mail").fill("someone.else@example.com");
  await expect(form.getByText("This payer has saved no payment method")).toBeVisible();
  await expect(form.getByRole("button", { name: "Subscribe", exact: true })).toBeVisible();
  await form.getByLabel("E-mail").fill(payer.toUpperCase());
  await expect(
    form.getByText("Each period is charged to Visa 4242, which this payer has saved."),
  ).toBeVisible();
  await form.getByRole("button", { name: "Subscribe and charge MYR 49.00…" }).click();
  const asked = page.getByRole("alertdialog", {
    name: "Subscribe and charge MYR 49.00 to Visa 4242?",
  });
  await expect(asked).toContainText("is taken at once");
  await audit(page);
  await page.keyboard.press("Escape");
  await expect(asked).toBeHidden();
  const made = () => shop.api.ok<{ data: unknown[] }>("GET", "/subscriptions");
  expect((await made()).data).toEqual([]);
  await form.getByLabel("Package").selectOption(later._id);
  await expect(form.getByRole("button", { name: "Subscribe", exact: true })).toBeVisible();
  await form.getByLabel("Package").selectOption(now._id);
  await form.getByRole("button", { name: "Subscribe and charge MYR 49.00…" }).click();
  await asked.getByRole("button", { name: "Subscribe and charge MYR 49.00" }).click();
  await expect(page.locator("h1 + span")).toHaveText("Active");
  await expect(
    page
      .getByRole("region", { name: "Next charge" })
      .getByText("Will be charged to Visa •••• 4242."),
  ).toBeVisible();
});

test("when the saved card cannot be looked up, the form says so and asks", async ({
  page,
  shop,
  at,
}) => {
  const made = await newPackage(shop);
  await page.route("**/api/tokenizations?*", (route) =>
    route.fulfill({ status: 500, json: { message: "Sorry", code: "internal_error", errors: {} } }),
  );
  await arrive(page, at(`/subscriptions/new?package=${made._id}`), "Subscribe someone");
  const form = page.getByRole("form", { name: "Subscription" });
  await form.getByLabel("E-mail").fill(payer);
  await form.getByRole("button", { name: "Subscribe", exact: true }).click();
  const asked = page.getByRole("alertdialog", { name: `Subscribe ${payer}?` });
  await expect(asked).toContainText("It could not be looked up");
  await expect(asked).toContainText("MYR 49.00 is taken at once");
  await page.keyboard.press("Escape");
  expect((await shop.api.ok<{ data: unknown[] }>("GET", "/subscriptions")).data).toEqual([]);
});

test("a past-due subscription speaks of the saved method only where there is one", async ({
  page,
  shop,
  at,
}) => {
  const without = await newSubscription(shop);
  await saveMethod(await newTokenization(shop, { email: "with@example.com" }));
  const saved = await newSubscription(shop, { email: "with@example.com" });
  await expect
    .poll(async () => (await subscriptionNow(shop, saved._id)).status, { timeout: 20_000 })
    .toBe("active");
  await pool().query("update subscriptions set status = 'past_due' where business_id = $1", [
    shop.id,
  ]);
  const next = page.getByRole("region", { name: "Next charge" });
  await arrive(page, at(`/subscriptions/${without._id}`), payer);
  await expect(next).toContainText("It has a payment link");
  await expect(next).toContainText("No saved payment method is charged for this subscription");
  await expect(next).not.toContainText("saved method is tried again");
  await arrive(page, at(`/subscriptions/${saved._id}`), "with@example.com");
  await expect(next).toContainText("The saved method is tried again");
  await expect(next).toContainText("Will be charged to Visa •••• 4242.");
});
