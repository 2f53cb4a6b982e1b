import type { Page } from "@playwright/test";
import type { Role } from "@/lib/contract/values";
import { holdLink } from "../hold-link";
import { newLink, newTokenization, type Shop } from "../shop";
import { expect, test } from "../fixtures";
import type { Install } from "../install";
import { signIn } from "./fixtures";
import { arrive, notice, rowOf, rowsOf } from "./screen";
import { joinShop, newStaff } from "./staff";

/** A page with a person of a role signed in, and a way to call the API as their browser does. */
async function as(page: Page, install: Install, shop: Shop, role: Role) {
  const staff = await newStaff(install, "Ben Okafor");
  await joinShop(staff, shop, role);
  await signIn(page.context(), staff, install);
  const at = (path: string) => `/b/${shop.id}/test${path}`;
  const status = (method: string, path: string, body?: object) =>
    page.evaluate(
      async ([business, verb, address, sent]) => {
        const headers = {
          "x-kutip-business": business,
          "x-kutip-mode": "test",
          "content-type": "application/json",
        };
        return (await fetch(`/api${address}`, { method: verb, headers, body: sent })).status;
      },
      [String(shop.id), method, path, body && JSON.stringify(body)] as const,
    );
  return { at, status };
}

const links = (page: Page, name: string) =>
  page.getByRole("navigation", { name }).getByRole("link");

test("a viewer sees everything there is to see and nothing to change, and the API refuses what they try", async ({
  page,
  install,
  shop,
  audit,
}) => {
  const link = await newLink(shop, { title: "Order 9" });
  const token = await newTokenization(shop);
  const { at, status } = await as(page, install, shop, "viewer");
  await arrive(page, at(`/tokens/${token._id}`), token.title);
  await expect(page.getByRole("button", { name: /Copy (token|activation link)/ })).toHaveCount(0);
  await expect(page.getByText(token.token.slice(-4))).toHaveCount(0);
  await arrive(page, at(""), "Overview");
  const steps = page.getByRole("list", { name: "First steps" });
  await expect(steps.getByRole("listitem")).toHaveText([/See it paid/]);
  await arrive(page, at("/payment-links"), "Payment links");
  await expect(page.getByRole("link", { name: /Create|Import/ })).toHaveCount(0);
  await page.getByRole("checkbox", { name: "Select Order 9" }).click();
  const bar = page.getByRole("region", { name: "Selected payment links" });
  await expect(bar.getByRole("link", { name: "Export" })).toBeVisible();
  await expect(bar.getByRole("button", { name: /Cancel|Remind|Extend/ })).toHaveCount(0);
  await rowOf(page, "Payment links", "Order 9")
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await expect(page.getByRole("menuitem", { name: "Open payment page" })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: /Delete|Edit|Cancel|Duplicate/ })).toHaveCount(0);
  await page.keyboard.press("Escape");
  expect(await status("GET", "/payment-links")).toBe(200);
  expect(
    await status("POST", "/payment-links", {
      email: "a@example.com",
      currency: "MYR",
      amount: 1000,
      title: "No",
    }),
  ).toBe(403);
  expect(await status("DELETE", `/payment-links/${link._id}`)).toBe(403);
  expect(await status("POST", `/payment-links/${link._id}/cancel`, {})).toBe(403);
  expect(
    await status("PUT", "/business", { name: "Mine", time_zone: "UTC", default_currency: "MYR" }),
  ).toBe(403);
  expect(await status("POST", "/api-keys", { name: "Mine" })).toBe(403);
  expect(await status("GET", "/api-keys")).toBe(403);
  expect(await status("GET", "/business/signing-secret")).toBe(403);
  expect(await status("GET", "/audit-log")).toBe(403);

  await page.goto(at("/developers"));
  await expect(page).toHaveURL(/\/developers\/events$/);
  await expect(links(page, "Developers")).toHaveText([
    "Events",
    "Webhooks",
    "Request log",
    "Background work",
    "Snippets",
  ]);
  await arrive(page, at("/settings"), "Business");
  await expect(links(page, "Settings")).toHaveText([
    "Business",
    "Go live",
    "Notifications",
    "Security",
  ]);
  await expect(page.getByText("Owners and admins change this.")).toBeVisible();
  await expect(page.getByRole("form", { name: "Business" })).toHaveCount(0);
  await audit(page);
});

test("a viewer's menu of a row has something in it, or is not there", async ({
  page,
  install,
  furnished: { shop, ids },
}) => {
  const { at } = await as(page, install, shop, "viewer");
  for (const [path, list, menu] of [
    ["/payment-links", "Payment links", true],
    ["/payments", "Payments", false],
    ["/packages", "Packages", true],
    ["/subscriptions", "Subscriptions", true],
    ["/customers", "Customers", false],
    ["/tokens", "Tokens", false],
    ["/mails", "Mails", true],
    [`/developers/webhooks/${ids.webhook_endpoint_id}`, "Deliveries", false],
  ] as const) {
    await page.goto(at(path));
    const row = rowsOf(page, list).first();
    await expect(row, path).toBeVisible();
    const actions = row.getByRole("button", { name: /^Actions for/ });
    await expect(actions, path).toHaveCount(menu ? 1 : 0);
    if (!menu) continue;
    await actions.click();
    await expect(page.getByRole("menuitem").first(), path).toBeVisible();
    await page.keyboard.press("Escape");
  }
});

test("staff work but do not manage: the pages of those who do say whom to ask", async ({
  page,
  install,
  shop,
  audit,
}) => {
  const { at, status } = await as(page, install, shop, "staff");
  for (const path of ["/settings/team", "/settings/signing-secret", "/settings/audit-log"]) {
    await page.goto(at(path));
    await expect(page.getByText("This is for owners and admins")).toBeVisible();
    await expect(page.getByRole("button", { name: /Invite|Show|Roll/ })).toHaveCount(0);
  }
  await audit(page);
  expect(
    await status("POST", "/payment-links", {
      email: "a@example.com",
      currency: "MYR",
      amount: 1000,
      title: "Yes",
      send_email: false,
    }),
  ).toBe(200);
  expect(
    await status("POST", "/team/invitations", { email: "a@example.com", role: "viewer" }),
  ).toBe(403);
});

test("an admin manages keys and team but makes no owners", async ({
  page,
  install,
  staff,
  shop,
}) => {
  await joinShop(staff, shop);
  await signIn(page.context(), staff, install);
  for (const role of ["owner", "staff"]) {
    const made = await page.request.post(`${install.url}/api/team/invitations`, {
      headers: {
        "x-kutip-business": String(shop.id),
        "x-kutip-mode": "test",
        origin: new URL(install.url).origin,
      },
      data: { email: `new.${role}@example.com`, role },
    });
    expect(made.status()).toBe(200);
  }
  const { at, status } = await as(page, install, shop, "admin");
  await arrive(page, at("/developers"), "API keys");
  await expect(page.getByRole("button", { name: "Create key" })).toBeVisible();
  await arrive(page, at("/settings/team"), "Team");
  const menuOf = (role: string) =>
    rowOf(page, "Invitations", `new.${role}@example.com`).getByRole("button");
  await expect(menuOf("staff")).toHaveAccessibleName(/^Actions for/);
  await expect(menuOf("owner")).toHaveCount(0);
  await page.getByRole("button", { name: "Invite" }).click();
  await expect(page.getByRole("radio")).toHaveCount(3);
  await expect(page.getByRole("radio", { name: /^Owner/ })).toHaveCount(0);
  expect(await status("POST", "/team/invitations", { email: "a@example.com", role: "owner" })).toBe(
    403,
  );
});

for (const role of ["viewer", "staff"] as const)
  test(`a ${role} sees the end of a colleague's change of many links, and no Undo of it`, async ({
    page,
    install,
    shop,
  }) => {
    const link = await newLink(shop, { title: "Order 9" });
    const goOn = await holdLink(link._id);
    const { at } = await as(page, install, shop, role);
    await shop.api.ok("POST", "/batches", { action: "cancel", ids: [link._id] });
    await arrive(page, at("/payment-links"), "Payment links");
    await expect(page.getByRole("list", { name: "Changes under way" })).toBeVisible();
    await goOn();
    await expect(notice(page, "1 payment link cancelled")).toBeVisible();
    await expect(page.getByRole("button", { name: "Undo" })).toHaveCount(0);
    await page.keyboard.press("ControlOrMeta+z");
    await expect(rowOf(page, "Payment links", "Order 9")).toContainText("Cancelled");
  });
