import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { arrive } from "./screen";

/** Whether the page was dark in the first frame that had its content. */
async function watchFirstLook(page: Page): Promise<() => Promise<boolean | undefined>> {
  await page.addInitScript(() => {
    const look = () => {
      if (!document.querySelector("main")) return requestAnimationFrame(look);
      Object.assign(window, { firstLook: document.documentElement.classList.contains("dark") });
    };
    requestAnimationFrame(look);
  });
  return () => page.evaluate(() => (window as { firstLook?: boolean }).firstLook);
}

for (const colorScheme of ["dark", "light"] as const) {
  test(`who has a ${colorScheme} system sees a ${colorScheme} page from the first moment`, async ({
    page,
    at,
  }) => {
    const firstLook = await watchFirstLook(page);
    await page.emulateMedia({ colorScheme });
    await arrive(page, at(), "Overview");
    expect(await firstLook()).toBe(colorScheme === "dark");
    const other = colorScheme === "dark" ? "light" : "dark";
    await page.emulateMedia({ colorScheme: other });
    await expect(page.locator("html.dark")).toHaveCount(other === "dark" ? 1 : 0);
  });
}

test("a theme that was chosen stays, against the system and over a reload", {
  tag: "@phone",
}, async ({ page, at, isMobile, audit }) => {
  const firstLook = await watchFirstLook(page);
  await page.emulateMedia({ colorScheme: "light" });
  await arrive(page, at(), "Overview");
  if (isMobile) await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("button", { name: /^Account: (?!loading)/ }).click();
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  await expect(page.locator("html.dark")).toHaveCount(1);
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  expect(await firstLook()).toBe(true);
  await audit(page);
});
