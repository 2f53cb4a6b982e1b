import { newId } from "@/lib/kernel/ids";
import { pay } from "../console/payer";
import { arrive, notice, rowOf } from "../console/screen";
import { newLink } from "../shop";
import { expect, test } from "./fixtures";
import { button, links, room, someone } from "./places";

test("Bring a colleague in without a mail server", async ({ hand, page }) => {
  const email = someone();
  await hand.click(room(page, "Settings"));
  await hand.click(page.getByRole("link", { name: "Team" }));
  await hand.click(button(page, /^Invite/));
  await hand.type(page.getByRole("dialog").getByLabel("E-mail"), email);
  await hand.press("Enter");
  await expect(page.getByRole("dialog").getByText(/\/invitation#/)).toBeVisible();
});

test("Save the list that is looked at each morning, and open it", async ({ hand, page }) => {
  await hand.click(room(page, links));
  await hand.pick(page.getByLabel("Status"), "Open");
  await hand.click(button(page, "View"));
  await hand.click(page.getByRole("menuitem", { name: "Save this view…" }));
  const name = `Morning ${newId().slice(-4)}`;
  await expect(page.getByRole("dialog").getByLabel("Name")).toBeFocused();
  await hand.write(name);
  await hand.press("Enter");
  await expect(notice(page, `Saved as “${name}”`)).toBeVisible();
  await hand.click(room(page, "Overview"));
  await hand.click(room(page, links));
  await hand.click(button(page, "View"));
  await hand.click(page.getByRole("menuitem", { name }));
  await expect(page).toHaveURL(/status=Active/);
});

test("Give a programmer a key, and see their first wrong call", async ({
  hand,
  page,
  install,
  shop,
}) => {
  await hand.click(room(page, "Developers"));
  await hand.click(button(page, "Create key").first());
  await hand.type(page.getByRole("form", { name: "New API key" }).getByLabel("Name"), "Shop");
  await hand.press("Enter");
  const shown = page.getByRole("dialog", { name: "Your new key" });
  const key =
    (await shown
      .getByText(/^sk_test_/)
      .first()
      .textContent()) ?? "";
  await fetch(`${install.url}/api/payment-links`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "No amount", reference: shop.name }),
  });
  await hand.click(shown.getByRole("button", { name: "Done" }));
  await hand.click(page.getByRole("button", { name: "I’ve saved it" }));
  await hand.click(page.getByRole("link", { name: "Request log" }));
  await hand.click(rowOf(page, "Calls", "422").first().getByRole("link").first());
  await expect(page.getByRole("main")).toContainText("The amount field is required.");
});

test("See what today's figure is made of", async ({ hand, page, shop, at }) => {
  const email = someone();
  // Others of this business may have made something in its default currency, which would be shown first.
  await arrive(page, at("?currency=MYR"), "Overview");
  await pay(await newLink(shop, { email, amount: 7_700 }));
  await expect(page.getByRole("main")).toContainText(email);
  const collected = page.getByRole("link", { name: "Collected" });
  await expect(page.locator("dl > div").filter({ has: collected })).toContainText("MYR");
  await hand.click(collected);
  await expect(rowOf(page, "Payments", email)).toBeVisible();
});

test("Move from test to live", async ({ hand, page }) => {
  await hand.click(room(page, "Settings"));
  await hand.click(page.getByRole("link", { name: "Go live" }));
  const steps = page.getByRole("list", { name: "Go live" });
  await expect(steps.getByRole("listitem")).toHaveCount(6);
  await hand.click(steps.getByRole("link", { name: "Create live key" }));
  await expect(page).toHaveURL(/\/live\/developers$/);
});
