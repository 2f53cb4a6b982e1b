import type { Page } from "@playwright/test";
import { linkNow, newLink } from "../shop";
import type { Page as Rows } from "@/lib/contract/envelope";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { expect, test } from "./fixtures";
import { arrive } from "./screen";

const form = (page: Page) => page.getByRole("form", { name: "Payment link" });
const currency = (page: Page) => form(page).getByRole("combobox", { name: "Currency" });
const listed = (page: Page) => page.getByRole("listbox").getByRole("option");

test.describe("a currency", () => {
  test("is the one used last in this mode, and is found by code, name, symbol or country with the keyboard", async ({
    page,
    shop,
    at,
    audit,
  }) => {
    await newLink(shop, { currency: "EUR" });
    await newLink(shop, { currency: "KWD", amount: 12_500 });
    await arrive(page, at("/payment-links/new"), "New payment link");
    await expect(currency(page)).toHaveValue(/^KWD/);
    await currency(page).focus();
    await page.keyboard.press("ArrowDown");
    await expect(listed(page).nth(0)).toHaveText(/^KWD/);
    await expect(listed(page).nth(1)).toHaveText(/^EUR/);
    await expect(listed(page).nth(2)).toHaveText(/^USD/);
    await audit(page);
    for (const [written, code] of [
      ["gbp", "GBP"],
      ["ringgit", "MYR"],
      ["japan", "JPY"],
      ["₹", "INR"],
    ] as const) {
      await currency(page).fill(written);
      await expect(listed(page).first()).toHaveText(new RegExp(`^${code}`));
      await page.keyboard.press("Enter");
      await expect(currency(page)).toHaveValue(new RegExp(`^${code}`));
      await expect(listed(page)).toHaveCount(0);
    }
    // Escape leaves everything as it was; what could be several is kept, and refused.
    await currency(page).fill("euro");
    await page.keyboard.press("Escape");
    await expect(currency(page)).toHaveValue(/^INR/);
    await currency(page).fill("dollar");
    await page.keyboard.press("Tab");
    await expect(currency(page)).toHaveValue("dollar");
    await form(page).getByRole("button", { name: "Create payment link" }).click();
    await expect(form(page).getByText("Currency is required.")).toBeVisible();
    await expect(currency(page)).toHaveValue("dollar");
    await currency(page).fill("zzz");
    await expect(form(page).getByText("Nothing matches “zzz”.")).toBeVisible();
  });

  test("is chosen by touch on a phone", { tag: "@phone" }, async ({ page, at, audit }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await arrive(page, at("/payment-links/new"), "New payment link");
    await currency(page).click();
    await currency(page).fill("singap");
    await expect(listed(page)).toHaveCount(1);
    await expect(listed(page).first()).toBeInViewport({ ratio: 1 });
    await audit(page);
    await listed(page).first().click();
    await expect(currency(page)).toHaveValue(/^SGD/);
    await expect(form(page).getByText(/From SGD/)).toBeVisible();
  });

  test("is searched in a dialog, which Escape in its list does not close", async ({
    page,
    shop,
    at,
  }) => {
    await newLink(shop);
    await arrive(page, at("/payment-links"), "Payment links");
    await page.getByRole("button", { name: "More filters" }).click();
    const dialog = page.getByRole("dialog", { name: "More filters" });
    await dialog.getByLabel("Currency").fill("kuw");
    await expect(listed(page)).toHaveCount(1);
    await page.keyboard.press("Escape");
    await expect(listed(page)).toHaveCount(0);
    await expect(dialog).toBeVisible();
  });
});

test.describe("a date in an American browser in Malaysia", () => {
  test.use({ locale: "en-US", timezoneId: "Asia/Kuala_Lumpur" });

  test("that could be two days is not guessed, and one with a word is said in words", async ({
    page,
    at,
  }) => {
    await arrive(page, at("/payment-links/new"), "New payment link");
    const due = form(page).getByLabel("Due");
    const said = form(page).getByRole("status");
    await due.fill("2/12/2031");
    await expect(said.filter({ hasText: "Write the month as a word" })).toBeVisible();
    await due.blur();
    await expect(due).toHaveValue("2/12/2031");
    await due.fill("31 Feb 2031");
    await expect(said.filter({ hasText: "There is no such day." })).toBeVisible();
    await due.fill("2 Dec 2031");
    await expect(said.filter({ hasText: "Tuesday 2 December 2031, 23:59" })).toBeVisible();
    await due.fill("2 Dec 2021");
    await expect(said.filter({ hasText: "That has passed" })).toBeVisible();
    await due.fill("13/12/2031");
    await expect(said.filter({ hasText: "Saturday 13 December 2031" })).toBeVisible();
  });
});

test.describe("a date", () => {
  test.use({ locale: "en-GB", timezoneId: "Asia/Kuching" });

  test("is written as people write it, shown as everywhere else, and its zone is named", async ({
    page,
    shop,
    at,
    audit,
  }) => {
    await arrive(page, at("/payment-links/new"), "New payment link");
    const due = form(page).getByLabel("Due");
    for (const [written, shown, said] of [
      ["5/3/2031 18:00", "5 Mar 2031, 18:00", "Wednesday 5 March 2031, 18:00"],
      ["2031-03-05", "5 Mar 2031, 23:59", "Wednesday 5 March 2031, 23:59"],
      ["Mar 6, 2031 6pm", "6 Mar 2031, 18:00", "Thursday 6 March 2031, 18:00"],
    ] as const) {
      await due.fill(written);
      await expect(form(page).getByRole("status").filter({ hasText: said })).toContainText(
        "Kuching (GMT+8)",
      );
      await expect(due).toHaveValue(written);
      await due.blur();
      await expect(due).toHaveValue(shown);
    }
    await audit(page);
    const expires = form(page).getByLabel("Expires");
    await expires.fill("31/31/2031");
    await form(page).getByLabel("Title").fill("Cake");
    await form(page).getByLabel("Amount").fill("12.50");
    await form(page).getByLabel("E-mail").first().fill("ana@example.com");
    await form(page).getByRole("button", { name: "Create payment link" }).click();
    await expect(form(page).getByText("Expires is not a valid date.")).toBeVisible();
    await expect(expires).toBeFocused();
    await expect(expires).toHaveValue("31/31/2031");
    await expires.fill("7 march 31");
    await form(page).getByRole("button", { name: "Create payment link" }).click();
    await expect(page.getByRole("heading", { name: "Your payment link is ready" })).toBeVisible();
    const [made] = (await shop.api.ok<Rows<PaymentLink>>("GET", "/payment-links")).data;
    expect(made).toMatchObject({
      due_at: "2031-03-06T10:00:00.000000Z",
      expires_at: "2031-03-07T15:59:00.000000Z",
    });
  });

  test("keeps its record's seconds until it is changed", async ({ page, shop, at }) => {
    const { _id } = await newLink(shop, { expires_at: "2031-01-31T15:59:59Z" });
    await arrive(page, at(`/payment-links/${_id}/edit`), "Edit payment link");
    await expect(form(page).getByLabel("Expires")).toHaveValue("31 Jan 2031, 23:59");
    await form(page).getByLabel("Title").fill("Another");
    await form(page).getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Another" })).toBeVisible();
    expect((await linkNow(shop, _id)).expires_at).toMatch(/^2031-01-31T15:59:59/);
  });

  test("of a filter is written in words, in the business's zone", async ({ page, shop, at }) => {
    await newLink(shop);
    await arrive(page, at("/payment-links"), "Payment links");
    await page.getByRole("button", { name: "Created: any time" }).click();
    await page.getByRole("menuitem", { name: "Choose days…" }).click();
    const asked = page.getByRole("dialog", { name: "Created" });
    await expect(asked.getByText(/^Days are in /)).toBeVisible();
    await asked.getByLabel("From").fill("1/2/2026");
    await asked.getByLabel("To").fill("whenever");
    await asked.getByRole("button", { name: "Show these days" }).click();
    await expect(asked.getByText("Write a day, such as")).toBeVisible();
    await expect(asked.getByLabel("To")).toBeFocused();
    await expect(asked.getByLabel("From")).toHaveValue("1 Feb 2026");
    await asked.getByLabel("To").fill("28 Feb 2026");
    await asked.getByRole("button", { name: "Show these days" }).click();
    await expect(page).toHaveURL(/created_from=2026-02-01&created_to=2026-02-28/);
  });

  test("can be chosen in a calendar", async ({ page, at }) => {
    await arrive(page, at("/packages/new"), "New package");
    const starts = page.getByRole("form", { name: "Package" }).getByLabel("Billing starts on");
    await page.evaluate(() => {
      HTMLInputElement.prototype.showPicker = function showPicker(this: HTMLInputElement) {
        const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
        set?.call(this, "2031-05-17");
        this.dispatchEvent(new Event("input", { bubbles: true }));
      };
    });
    await starts.fill("nonsense");
    await page.getByRole("button", { name: "Open calendar" }).click();
    await expect(starts).toHaveValue("17 May 2031");
  });
});
