import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import { join, type Place, sharedPlace } from "./install";
import { newShop, type Shop } from "./shop";

type Own = {
  shop: Shop;
  /** WCAG 2.2 AA in light and dark, and no scrolling sideways. */
  audit: (page: Page) => Promise<void>;
};
type Shared = { place: Place };

/** Each test has a business of its own; a page about which the browser complains (a blocked style, a script) fails its test. */
export const test = base.extend<Own, Shared>({
  place: [async ({ browserName: _ }, use) => use(sharedPlace()), { scope: "worker" }],
  shop: async ({ place }, use) => {
    await join(place);
    await use(await newShop(place.url));
  },
  audit: async ({ isMobile }, use) => {
    await use(async (page) => {
      // The markup is the same on every screen and axe is slow: it looks at the narrowest, the others are only measured.
      if (isMobile) await expectAccessible(page);
      const { wide, seen } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, seen: document.documentElement.clientWidth }));
      expect(wide).toBeLessThanOrEqual(seen);
    });
  },
  page: async ({ page }, use) => {
    const complaints: string[] = [];
    page.on("console", (message) => {
      const aboutStatus = message.text().startsWith("Failed to load resource: the server responded with a status of");
      // The recorder of traces tries to run in every frame; that it may not in a mail's is what the sandbox is for.
      const inSandbox = message.text().startsWith("Blocked script execution in 'about:srcdoc'");
      if (["error", "warning"].includes(message.type()) && !aboutStatus && !inSandbox) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await use(page);
    expect(complaints).toEqual([]);
  },
});

export { expect };

async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    // A colour on its way from one theme to the other is nobody's contrast.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).analyze();
    expect(violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}
