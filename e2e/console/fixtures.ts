import type { BrowserContext } from "@playwright/test";
import { expect, test as base } from "../fixtures";
import type { Install } from "../install";
import { joinShop, type Staff } from "./staff";

type Own = {
  /** `at("/payment-links")`: the address of a console page of the test's own business. */
  at: (path?: string, mode?: "test" | "live") => string;
};

/** Each test looks at a business of its own as its owner; the person signs in once for each worker. */
export const test = base.extend<Own>({
  // One window for the tests of a worker: what a browser keeps of our scripts need not be fetched and compiled for each.
  context: async ({ browser, windows, staff, install, isMobile, timezoneId }, use) => {
    const kind = `${isMobile} ${timezoneId}`;
    const context = windows.get(kind) ?? (await browser.newContext());
    windows.set(kind, context);
    await context.clearCookies();
    await signIn(context, staff, install);
    await use(context);
    await tidy(context, install);
  },
  at: async ({ shop, staff }, use) => {
    await joinShop(staff, shop);
    await use((path = "", mode = "test") => `/b/${shop.id}/${mode}${path}`);
  },
});

/** Gives a browser the session of a signed-in person. */
export async function signIn(
  context: BrowserContext,
  { cookie }: Staff,
  install: Install,
): Promise<void> {
  await context.addCookies([
    { ...cookie, value: encodeURIComponent(cookie.value), url: install.url },
  ]);
}

/** Closes what a test has opened and forgets what its pages have stored; only the session stays. */
async function tidy(context: BrowserContext, { url }: Install): Promise<void> {
  const [first, ...others] = context.pages();
  for (const page of others) await page.close();
  if (first) {
    await (await context.newCDPSession(first)).send("Storage.clearDataForOrigin", {
      origin: new URL(url).origin,
      storageTypes: "local_storage",
    });
    await first.close();
  }
  await context.clearPermissions();
}

export { expect };
