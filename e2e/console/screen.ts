import type { Locator, Page } from "@playwright/test";
import { expect } from "./fixtures";

/** A row of a list by a text in it: of the table, or on a phone the card. */
export function rowOf(page: Page, list: string, text: string): Locator {
  const row = page.getByRole("table", { name: list }).getByRole("row");
  return row
    .or(page.getByRole("list", { name: list, exact: true }).getByRole("listitem"))
    .filter({ hasText: text });
}

/** The rows of a list, without the head of its table. */
export function rowsOf(page: Page, list: string): Locator {
  const row = page
    .getByRole("table", { name: list })
    .getByRole("row")
    .filter({ has: page.getByRole("cell") });
  return row.or(page.getByRole("list", { name: list, exact: true }).getByRole("listitem"));
}

/** Opens the menu of a row and presses an entry. */
export async function choose(page: Page, row: Locator, entry: string): Promise<void> {
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: entry }).click();
}

/** Chooses the first entry that a text finds in a field with a long list. */
export async function pick(field: Locator, text: string): Promise<void> {
  await field.fill(text);
  await expect(field).toHaveAttribute("aria-expanded", "true");
  await field.press("Enter");
  await expect(field).toHaveAttribute("aria-expanded", "false");
}

/** On a phone, shows the filters of a list. */
export const unfold = (page: Page): Promise<void> =>
  page.getByRole("button", { name: /^Filters/ }).click();

/** A notice in the corner. The page has its words twice: once more for screen readers. */
export const notice = (page: Page, text: string): Locator =>
  page.getByRole("region", { name: "Notifications" }).getByText(text);

/** Goes back from within the page: the browser may not know yet of a history entry that the page just added. */
export const goBack = (page: Page): Promise<void> => page.evaluate(() => window.history.back());

/** Waits until a page of the console is rendered and handles the keyboard: its scripts enable what the server has drawn. */
export async function arrive(page: Page, address: string, heading: string): Promise<void> {
  await page.goto(address);
  await expect(page.getByRole("heading", { level: 1, name: heading, exact: true })).toBeVisible();
  await expect(
    page
      .getByRole("button", { name: /^Account: (?!loading)/ })
      .or(page.getByRole("button", { name: "Open navigation" }))
      .first(),
  ).toBeEnabled();
  // A key that is pressed on a disabled button is lost; a click waits.
  await expect(page.locator("#content fieldset:disabled")).toHaveCount(0);
}

/** A gate for `page.route`: calls wait at it until it is opened. */
export function gate(): { open: () => void; opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
