import type { Page } from "@playwright/test";
import { newLink } from "../shop";
import { expect, test } from "./fixtures";
import { gate } from "./screen";

/** Holds back every script that the page's own document does not name, until the gate is opened. */
async function holdLater(page: Page, address: string): Promise<() => void> {
  const html = await (await page.request.get(address)).text();
  const { open, opened } = gate();
  await page.route("**/*.js", async (route) => {
    if (!html.includes(new URL(route.request().url()).pathname)) await opened;
    await route.continue();
  });
  return open;
}

test("each button of a menu keeps the focus as the script of all menus arrives", async ({ page, shop, at }) => {
  const link = await newLink(shop);
  const address = at(`/payment-links/${link._id}`);
  for (const name of ["Share", "More actions", `Business: ${shop.name}`, /^Account: (?!loading)/]) {
    const release = await holdLater(page, address);
    await page.goto(address);
    const button = page.getByRole("button", { name });
    await button.focus();
    release();
    // The real one, by which the menu is described.
    await expect(page.getByRole("button", { name: "Share" })).toHaveAttribute("id", /./);
    await expect(page.getByRole("button", { name: /^Account: / })).toHaveAttribute("id", /./);
    await expect(button).toHaveAttribute("id", /./);
    await expect(button).toBeFocused();
    await page.unroute("**/*.js");
  }
});
