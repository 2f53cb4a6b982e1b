import { globSync } from "node:fs";
import type { Mail } from "@/lib/contract/mails";
import type { Page } from "@playwright/test";
import { expectFitsPhone } from "../accessibility";
import { expect, test } from "./fixtures";
import { addressIn, open } from "./furnished";

const pages = globSync("app/{(auth),(console)}/**/page.tsx")
  .map((file) =>
    file
      .replace(/^app/, "")
      .replace(/\/page\.tsx$/, "")
      .replace(/\/\([^)]*\)/g, ""),
  )
  .sort();

/** Ids that only the dashboard receives. */
async function toldTo(
  request: (path: string) => Promise<{ data: { _id: string }[] }>,
): Promise<Record<string, string>> {
  const [mails, log] = [
    (await request("/mails")) as { data: Mail[] },
    await request("/request-log"),
  ];
  return { mail_id: mails.data[0]?._id ?? "", request_id: log.data[0]?._id ?? "" };
}

for (const page of pages) {
  test(`${page} breaks no rule of accessibility in light or dark, and scrolls only down, also on a phone`, async ({
    page: tab,
    furnished: { shop, ids },
    audit,
  }) => {
    const headers = { "x-kutip-business": String(shop.id), "x-kutip-mode": "test" };
    const read = async (path: string) =>
      (
        (await (await tab.request.get(`/api${path}`, { headers })).json()) as {
          data: { data: { _id: string }[] };
        }
      ).data;
    const known: Record<string, string> = {
      ...ids,
      business: String(shop.id),
      mode: "test",
      ...(/mail_id|request_id/.test(page) ? await toldTo(read) : {}),
    };
    await open(tab, addressIn(page, known));
    const banner = tab.getByRole("status").filter({ hasText: "Test mode." });
    const isInside = page.startsWith("/b/");
    if (isInside) await expect(banner).toBeInViewport();
    await audit(tab);
    await expectFitsPhone(tab);
    if (isInside) await expect(banner).toBeInViewport();
  });
}

for (const [name, path] of [
  ["a new token", "/tokens/[pending_id]?created=true"],
  ["a paid link", "/payment-links/[paid_id]"],
  ["a form with mistakes", "/subscriptions/new"],
] as const) {
  test(`${name} breaks none either`, async ({ page, furnished: { shop, ids }, audit }) => {
    await open(page, addressIn(`/b/${shop.id}/test${path}`, ids));
    if (path.endsWith("/new")) {
      await page.getByRole("button", { name: "Subscribe" }).click();
      await expect(page.locator("[aria-invalid=true]").first()).toBeFocused();
    }
    await audit(page);
  });
}

/** Marks everything on the page that can be pressed, chosen or written in, in its order. Tab stops once at a choice of one. */
const markControls = (page: Page) =>
  page.evaluate(() => {
    const all = document.querySelectorAll<HTMLElement>(
      "a[href], button, input, select, textarea, summary, [role=switch], [role=combobox]",
    );
    const shown = [...all].filter(
      (one) =>
        one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        !one.matches(":disabled") &&
        !one.closest("[aria-hidden=true]"),
    );
    for (const [at, one] of shown.entries()) one.dataset.control = String(at);
    return shown.map((one) => `${one.tagName} ${one.ariaLabel ?? one.textContent}`);
  });

test("Tab reaches every control of a page in order, and the focus is visible", async ({
  page,
  furnished: { shop },
}) => {
  await open(page, `/b/${shop.id}/test/subscriptions`);
  await expect(page.getByRole("link", { name: "Subscribe someone" })).toBeVisible();
  const skip = page.getByRole("link", { name: "Skip to content" });
  const controls = await markControls(page);
  expect(controls.length).toBeGreaterThan(20);
  for (const [at, control] of controls.entries()) {
    await page.keyboard.press("Tab");
    const focused = page.locator(":focus");
    await expect(focused, control).toHaveAttribute("data-control", String(at));
    await expect(focused, control).toBeInViewport();
    expect(
      await focused.evaluate((element) => getComputedStyle(element).outlineStyle),
      control,
    ).toBe("solid");
  }
  await skip.focus();
  await page.keyboard.press("Enter");
  await expect(page.locator("#content")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Subscribe someone" })).toBeFocused();
});
