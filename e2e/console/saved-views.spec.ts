import type { Page } from "@playwright/test";
import { expectAccessible, expectFitsPhone } from "../accessibility";
import { newLink } from "../shop";
import { expect, signIn, test } from "./fixtures";
import { arrive, unfold } from "./screen";
import { joinShop, newStaff } from "./staff";

const list = "Payment links";
const menu = async (page: Page) => {
  await page.getByRole("button", { name: "View", exact: true }).click();
  await expect(page.getByRole("menuitem", { name: "Save this view…" })).toBeVisible();
};
const choose = async (page: Page, name: string | RegExp) => {
  await menu(page);
  await page.getByRole("menuitem", { name }).click();
};
const column = (page: Page, name: string) => page.getByRole("columnheader", { name, exact: true });

async function saveAs(page: Page, name: string, team = false) {
  await choose(page, "Save this view…");
  const dialog = page.getByRole("dialog", { name: "Save this view" });
  await dialog.getByLabel("Name").fill(name);
  if (team) await dialog.getByLabel("For the whole team").check();
  await dialog.getByRole("button", { name: "Save view" }).click();
  await expect(dialog).toBeHidden();
}

test("filters, order and columns are saved under a name and shown again, for oneself and for the team", async ({
  page,
  browser,
  install,
  shop,
  at,
  audit,
}) => {
  await newLink(shop, { title: "Large", amount: 9_000 });
  await newLink(shop, { title: "Small", amount: 1_000 });
  const { _id } = await newLink(shop, { title: "Gone", amount: 5_000 });
  await shop.api.ok("POST", `/payment-links/${_id}/cancel`);

  await arrive(page, at("/payment-links"), list);
  await page.getByLabel("Status").selectOption("Active");
  await page.getByRole("button", { name: /^Created:/ }).click();
  await page.getByRole("menuitemradio", { name: "Last 30 days" }).click();
  await page.getByRole("button", { name: "Amount" }).click();
  await expect(column(page, "Reference")).toBeVisible();
  await menu(page);
  await page.getByRole("menuitemcheckbox", { name: "Reference", exact: true }).click();
  await page.getByRole("menuitemcheckbox", { name: "Expires" }).click();
  await page.keyboard.press("Escape");
  const shown = async () => {
    const rows = page.getByRole("table", { name: list }).getByRole("row");
    await expect(rows).toHaveCount(3);
    await expect(rows.nth(1)).toContainText("Large");
    await expect(rows.nth(2)).toContainText("Small");
    await expect(column(page, "Expires")).toBeVisible();
    await expect(column(page, "Reference")).toBeHidden();
    await expect(page.getByRole("button", { name: "Created: last 30 days" })).toBeVisible();
  };
  const asSaved = async () => {
    await shown();
    await menu(page);
    await expect(
      page.getByRole("menuitem", { name: "Open this month" }).getByLabel("Shown now"),
    ).toBeVisible();
    await page.keyboard.press("Escape");
  };
  await saveAs(page, "Open this month");
  await asSaved();

  await arrive(page, at("/payment-links"), list);
  await expect(column(page, "Reference")).toBeVisible();
  await choose(page, "Open this month");
  await asSaved();
  await page.reload();
  await shown();
  await page.goBack();
  await expect(page.getByRole("table", { name: list }).getByRole("row")).toHaveCount(4);
  await page.goForward();

  await arrive(page, at(), "Overview");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("open this");
  await page.getByRole("option", { name: "Open this month Payment links" }).click();
  await asSaved();

  // The same name replaces the view, and gives it to the team.
  await saveAs(page, "Open this month", true);
  const viewer = await newStaff(install);
  await joinShop(viewer, shop, "viewer");
  const other = await browser.newContext();
  await signIn(other, viewer, install);
  const theirs = await other.newPage();
  await arrive(theirs, at("/payment-links"), list);
  await choose(theirs, /^Open this month/);
  await expect(theirs.getByRole("table", { name: list }).getByRole("row")).toHaveCount(3);
  await choose(theirs, "Manage views…");
  const theirDialog = theirs.getByRole("dialog", { name: "Saved views" });
  await expect(theirDialog).toContainText("Open this month");
  await expect(theirDialog.getByRole("button", { name: /^Delete/ })).toHaveCount(0);
  await theirs.keyboard.press("Escape");
  await choose(theirs, "Save this view…");
  await expect(theirs.getByLabel("For the whole team")).toHaveCount(0);

  // Replacing it leaves it with the team, unless that is changed.
  await saveAs(page, "Open this month");
  await theirs.reload();
  await choose(theirs, /^Open this month/);
  await other.close();
  await choose(page, "Save this view…");
  const again = page.getByRole("dialog", { name: "Save this view" });
  const forTeam = again.getByLabel("For the whole team");
  await again.getByLabel("Name").fill("Open this month");
  await expect(forTeam).toBeChecked();
  await expect(again).toContainText("Replaces the team’s view of this name.");
  await again.getByLabel("Name").fill("Open this month 2");
  await expect(forTeam).not.toBeChecked();
  await again.getByRole("button", { name: "Close" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();
  await expect(again).toBeHidden();

  await choose(page, "Manage views…");
  const dialog = page.getByRole("dialog", { name: "Saved views" });
  await expect(dialog.getByRole("listitem")).toHaveCount(1);
  const question = page.getByRole("alertdialog", { name: "Delete “Open this month”?" });
  await dialog.getByRole("button", { name: "Delete Open this month" }).click();
  await expect(question).toContainText("It is gone for the whole team.");
  await audit(page);
  await page.keyboard.press("Escape");
  await expect(question).toBeHidden();
  await expect(dialog.getByRole("listitem")).toHaveCount(1);
  await dialog.getByRole("button", { name: "Delete Open this month" }).click();
  await question.getByRole("button", { name: "Delete view" }).click();
  await expect(dialog).toContainText("None are left.");
});

test("every list with filters offers its views and columns, and the title stays", async ({
  page,
  at,
  shop,
}) => {
  await newLink(shop);
  for (const [path, name] of [
    ["/payments?q=none", "Payments"],
    ["/customers?q=none", "Customers"],
    ["/subscriptions?q=none", "Subscriptions"],
    ["/tokens?q=none", "Tokens"],
    ["/packages?q=none", "Packages"],
    ["/mails?q=none", "Mails"],
    ["/balance?currency=MYR", "Payments"],
    ["/developers/events?type=payment.failed", "Events"],
    ["/developers/requests?q=none", "Requests"],
    ["/settings/audit-log?q=none", "Audit log"],
  ] as const) {
    // A filter, so that the filters stand above an empty list too.
    await page.goto(at(path));
    await menu(page);
    await expect(page.getByRole("group", { name: "Columns" }), name).toBeVisible();
    expect(await page.getByRole("menuitemcheckbox").count(), name).toBeGreaterThan(1);
    await page.keyboard.press("Escape");
  }
});

test("columns are chosen on a phone too, and the menu can be used by all", async ({
  page,
  at,
  shop,
}) => {
  await newLink(shop, { title: "Trip", expires_at: "2031-01-05T10:00:00Z" });
  await page.setViewportSize({ width: 360, height: 740 });
  await arrive(page, at("/payment-links"), list);
  const card = page.getByRole("list", { name: list }).getByRole("listitem");
  await expect(card).not.toContainText("Expires");
  await unfold(page);
  await menu(page);
  await page.getByRole("menuitemcheckbox", { name: "Expires" }).click();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(card).toContainText("Expires");
  await expectFitsPhone(page);
  await page.reload();
  await expect(card).toContainText("Expires");
});
