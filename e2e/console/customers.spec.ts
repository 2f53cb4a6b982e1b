import type { Customer } from "@/lib/contract/customers";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { newLink, newTokenization, type Shop } from "../shop";
import { expectFitsPhone } from "../accessibility";
import { expect, signIn, test } from "./fixtures";
import { pay, saveMethod } from "./payer";
import { newSubscription } from "./records";
import { arrive, rowOf, rowsOf } from "./screen";
import { joinShop, newStaff } from "./staff";

const email = "maria.lim@example.com";
const customerOf = async (shop: Shop, address: string): Promise<Customer> => {
  const { data } = await shop.api.ok<{ data: Customer[] }>("GET", `/customers?email=${address}`);
  if (!data[0]) throw new Error(`${address} has no customer`);
  return data[0];
};

/** A payer with one of everything. */
async function furnished(shop: Shop) {
  await pay(await newLink(shop, { email, title: "School trip", amount: 12_550 }));
  const open = await newLink(shop, {
    email,
    title: "Uniform",
    amount: 4_000,
    phone_no: "012-345 6789",
  });
  const token = await newTokenization(shop, { email, title: "Lunch card" });
  await saveMethod(token);
  const subscription = await newSubscription(shop, { email });
  return { open, token, subscription };
}

test("from an address in any list to everything about the payer, and on to what they are asked next", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const { token } = await furnished(shop);
  const { _id } = await customerOf(shop, email);
  for (const [path, list] of [
    ["/payment-links", "Payment links"],
    ["/tokens", "Tokens"],
    ["/payments", "Payments"],
  ] as const) {
    await arrive(page, at(path), list);
    await page.getByRole("link", { name: email }).first().click();
    await expect(page).toHaveURL(new RegExp(`/customers/${_id}$`));
  }
  await expect(page.getByRole("heading", { level: 1, name: email })).toBeVisible();
  const card = (name: string) => page.getByRole("region", { name, exact: true });
  await expect(card("Totals")).toContainText("MYR 174.50 in 2 payments");
  await expect(card("Totals")).toContainText("MYR 40.00 in 1 link");
  await expect(card("Payment links").getByRole("link", { name: "School trip" })).toBeVisible();
  await expect(
    card("Saved methods").getByRole("link", { name: "Lunch card", exact: true }),
  ).toBeVisible();
  await expect(card("Subscriptions").getByRole("link", { name: "Gold membership" })).toBeVisible();
  await expect(card("Payments").getByRole("link", { name: "MYR 125.50" })).toBeVisible();
  await expect(card("Mails").getByRole("listitem").first()).toBeVisible();
  await expect(card("Timeline").getByText("Payment link paid", { exact: true })).toBeVisible();
  await expect(card("Customer").getByText("012-345 6789")).toBeVisible();
  await audit(page);
  await expectFitsPhone(page);

  await card("Saved methods").getByRole("link", { name: "Charge Lunch card" }).click();
  await expect(page).toHaveURL(new RegExp(`/tokens/${token._id}/charge$`));
  for (const [name, heading] of [
    ["New payment link", "New payment link"],
    ["Issue token", "Issue token"],
    ["Subscribe", "Subscribe someone"],
  ] as const) {
    await arrive(page, at(`/customers/${_id}`), email);
    await page.getByRole("link", { name, exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
    await expect(page.getByLabel("E-mail", { exact: true })).toHaveValue(email);
    await expect(page.getByLabel(/^Phone number/)).toHaveValue("012-345 6789");
  }
});

test("cards say which part they show, and lead to lists of this address alone", async ({
  page,
  shop,
  at,
}) => {
  const other = `not.${email}`;
  const links = await Promise.all(Array.from({ length: 51 }, () => newLink(shop, { email })));
  await Promise.all(
    links.map(({ _id }) =>
      shop.api.ok("POST", `/payment-links/${_id}/payments`, { method: "cash" }),
    ),
  );
  await newLink(shop, { email: other, title: "Of another payer" });
  for (const address of [email, other]) {
    await newTokenization(shop, { email: address });
    await newSubscription(shop, { email: address });
  }
  const { _id } = await customerOf(shop, email);
  const card = (name: string) => page.getByRole("region", { name, exact: true });
  const chip = (text: string) => page.getByRole("button", { name: `Remove filter ${text}` });
  await arrive(page, at(`/customers/${_id}`), email);
  await expect(card("Payments")).toContainText("The newest 50 attempts.");
  await expect(card("Mails")).toContainText("The newest 20.", { timeout: 30_000 });
  for (const [list, link, set] of [
    ["Payments", "Show all", `E-mail: ${email}`],
    ["Mails", "Show all", `To: ${email}`],
    ["Payment links", /^Show all 5\d$/, `E-mail: ${email}`],
  ] as const) {
    await arrive(page, at(`/customers/${_id}`), email);
    await card(list).getByRole("link", { name: link }).click();
    await expect(page.getByRole("heading", { level: 1, name: list })).toBeVisible();
    await expect(chip(set)).toBeVisible();
    await expect(rowOf(page, list, email).first()).toBeVisible();
  }
  await expect(rowOf(page, "Payment links", other)).toHaveCount(0);
  await chip(`E-mail: ${email}`).click();
  await expect(page).not.toHaveURL(/email=/);
  await expect(rowOf(page, "Payment links", "Of another payer")).toBeVisible();

  for (const [path, list] of [
    ["/tokens", "Tokens"],
    ["/subscriptions", "Subscriptions"],
  ] as const) {
    await arrive(page, at(`${path}?email=${email}`), list);
    await expect(rowsOf(page, list)).toHaveCount(1);
    await chip(`E-mail: ${email}`).click();
    await expect(rowsOf(page, list)).toHaveCount(2);
  }
});

test("an open link is sent again from the customer's page, and a paid one is not offered", async ({
  page,
  shop,
  at,
}) => {
  await furnished(shop);
  const { _id } = await customerOf(shop, email);
  await arrive(page, at(`/customers/${_id}`), email);
  const links = page.getByRole("region", { name: "Payment links", exact: true });
  const item = (title: string) => links.getByRole("listitem").filter({ hasText: title });
  const before = await page.getByRole("region", { name: "Mails" }).getByRole("listitem").count();
  await item("Uniform").getByRole("button", { name: /^Send/ }).click();
  await expect
    .poll(() => page.getByRole("region", { name: "Mails" }).getByRole("listitem").count())
    .toBeGreaterThan(before);
  await expect(item("School trip").getByRole("button", { name: /^Send/ })).toHaveCount(0);
});

test("part of a name, a phone number or an address finds the customer in the palette and in the list", async ({
  page,
  shop,
  at,
}) => {
  const { _id } = await shop.api.ok<Customer>("POST", "/customers", {
    ...{ email, name: "Maria Lim", phone_no: "+60 12-345 6789" },
  });
  await arrive(page, at("/customers"), "Customers");
  for (const part of ["ria li", "345 67", "lim@exam"]) {
    await page.getByRole("searchbox", { name: "Search customers" }).fill(part);
    await expect(rowOf(page, "Customers", "Maria Lim")).toBeVisible();
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Search" });
    await palette.getByRole("combobox").fill(part);
    await palette.getByRole("option", { name: /Maria Lim/ }).click();
    await expect(page).toHaveURL(new RegExp(`/customers/${_id}$`));
    await arrive(page, at("/customers"), "Customers");
  }
});

test("a customer is added by hand and edited, and an address that has one is refused at its field", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await arrive(page, at("/customers/new"), "Add customer");
  await page.getByLabel("E-mail", { exact: true }).fill(email);
  await page.getByLabel(/^Name/).fill("Maria Lim");
  await page.getByRole("button", { name: "Add customer" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Maria Lim" })).toBeVisible();
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: /^Notes/ }).fill("Pays in cash.\nCall after five.");
  await page.getByRole("combobox", { name: /^Language/ }).selectOption("Malay");
  await audit(page);
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("region", { name: "Notes" })).toContainText("Call after five.");
  expect(await customerOf(shop, email)).toMatchObject({ language: "ms", version: 2 });

  await arrive(page, at("/customers/new"), "Add customer");
  await page.getByLabel("E-mail", { exact: true }).fill(email.toUpperCase());
  await page.getByRole("button", { name: "Add customer" }).click();
  await expect(
    page.getByText("There is already a customer with this e-mail address."),
  ).toBeVisible();
  await expect(page.getByLabel("E-mail", { exact: true })).toBeFocused();
});

test("a link that gets another address is shown on both customers' timelines", async ({
  page,
  shop,
  at,
}) => {
  const { _id: id, title, amount, currency } = await newLink(shop, { email });
  await shop.api.ok<PaymentLink>("PUT", `/payment-links/${id}`, {
    ...{ title, amount, currency, email: "other@example.com" },
  });
  for (const address of [email, "other@example.com"]) {
    await arrive(page, at(`/customers/find?email=${address}`), address);
    const timeline = page.getByRole("region", { name: "Timeline" });
    await expect(timeline.getByText(email).first()).toBeVisible();
    await expect(timeline.getByText("other@example.com").first()).toBeVisible();
  }
});

test("an address without a customer can be added, and the customer's page leads to erasing", async ({
  page,
  shop,
  at,
}) => {
  await arrive(page, at(`/customers/find?email=${email}`), email);
  await page.getByRole("link", { name: "Add customer" }).click();
  await expect(page.getByLabel("E-mail", { exact: true })).toHaveValue(email);
  await page.getByRole("button", { name: "Add customer" }).click();
  await expect(page).toHaveURL(/\/customers\/[0-9a-f]{24}$/);
  expect(page.url()).toContain((await customerOf(shop, email))._id);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Erase this payer…" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Payers" })).toBeVisible();
  await expect(page.getByLabel("E-mail")).toHaveValue(email);
});

test("a viewer sees the customer without notes and is offered nothing to do", async ({
  page,
  shop,
  at,
  install,
}) => {
  const { _id } = await shop.api.ok<Customer>("POST", "/customers", {
    ...{ email, notes: "Pays in cash." },
  });
  const viewer = await newStaff(install, "Ben Okafor");
  await joinShop(viewer, shop, "viewer");
  await page.context().clearCookies();
  await signIn(page.context(), viewer, install);
  await arrive(page, at(`/customers/${_id}`), email);
  await expect(page.getByRole("region", { name: "Totals" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Notes" })).toHaveCount(0);
  expect(await page.content()).not.toContain("Pays in cash.");
  for (const name of ["New payment link", "Issue token", "Subscribe", "Edit"])
    await expect(page.getByRole("link", { name, exact: true })).toHaveCount(0);
});
