import { test as base, type BrowserContext, expect, type Page } from "@playwright/test";
import { expectAccessible, expectNoSideways } from "./accessibility";
import { type Furnished, furnish } from "./console/furnished";
import { joinShop, newStaff, type Staff } from "./console/staff";
import { join, type Install, sharedInstall } from "./install";
import { newShop, type Shop } from "./shop";
import { newCrowd } from "./tasks/crowd";

type Own = {
  shop: Shop;
  /** WCAG 2.2 AA in light and dark, and no scrolling sideways. */
  audit: (page: Page) => Promise<void>;
};
/** Made once for each worker, and all of it here: files with the same of these share their workers, and so their browsers. */
type Shared = {
  install: Install;
  /** A signed-in person without a business. */
  staff: Staff;
  /** The windows they have open, by kind. */
  windows: Map<string, BrowserContext>;
  /** A business of theirs in which every page has something to show. */
  furnished: Furnished;
  /** A business of theirs with 5,000 payment links. */
  crowd: Shop;
};

/** Lets `goto` and `reload` wait until the dashboard's scripts handle keys and presses. `page-data.spec.ts` tests what happens before. */
function waitForScripts(page: Page): void {
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
  const handled = () =>
    page.waitForFunction(() => {
      const heading = document.querySelector("h1");
      return (
        !heading ||
        !document.querySelector('script[src^="/_next/"]') ||
        Object.keys(heading).some((name) => name.startsWith("__reactFiber"))
      );
    });
  page.goto = async (...args) => {
    const response = await goto(...args);
    await handled();
    return response;
  };
  page.reload = async (...args) => {
    const response = await reload(...args);
    await handled();
    return response;
  };
}

/** Each test has a business of its own; a page about which the browser complains (a blocked style, a script) fails its test. */
export const test = base.extend<Own, Shared>({
  install: [async ({ browserName: _ }, use) => use(sharedInstall()), { scope: "worker" }],
  staff: [
    async ({ install }, use) => {
      await join(install);
      await use(await newStaff(install));
    },
    { scope: "worker" },
  ],
  windows: [async ({ browser: _ }, use) => use(new Map()), { scope: "worker" }],
  furnished: [
    async ({ install, staff }, use) => use(await furnish(install, staff)),
    { scope: "worker", timeout: 60_000 },
  ],
  crowd: [
    async ({ install, staff }, use) => {
      const crowd = await newCrowd(install);
      await joinShop(staff, crowd);
      await use(crowd);
    },
    { scope: "worker", timeout: 60_000 },
  ],
  shop: async ({ install }, use) => {
    await join(install);
    await use(await newShop(install.url));
  },
  audit: async ({ javaScriptEnabled }, use) => {
    await use(async (page) => {
      // The rules are scripts; the same pages are held to them where scripts run.
      if (javaScriptEnabled !== false) await expectAccessible(page);
      await expectNoSideways(page);
    });
  },
  page: async ({ page, javaScriptEnabled }, use) => {
    if (javaScriptEnabled !== false) waitForScripts(page);
    const complaints: string[] = [];
    page.on("console", (message) => {
      // A refusal, or a network that the test has cut.
      const aboutStatus =
        /^Failed to load resource: (the server responded with a status of|net::ERR_(CONNECTION_RESET|INTERNET_DISCONNECTED)$)/.test(
          message.text(),
        );
      if (["error", "warning"].includes(message.type()) && !aboutStatus)
        complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await use(page);
    expect(complaints).toEqual([]);
  },
});

export { expect };
