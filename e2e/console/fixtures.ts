import type { BrowserContext } from "@playwright/test";
import { expect, test as base } from "../fixtures";
import { join, type Place } from "../install";
import { joinShop, newStaff, type Staff } from "./staff";

type Own = {
  /** `at("/payment-links")`: the address of a console page of the test's own business. */
  at: (path?: string, mode?: "test" | "live") => string;
};
type Shared = { staff: Staff };

/** Each test looks at a business of its own as its owner; the person signs in once for each worker. */
export const test = base.extend<Own, Shared>({
  staff: [
    async ({ place }, use) => {
      await join(place);
      await use(await newStaff(place));
    },
    { scope: "worker" },
  ],
  context: async ({ context, staff, place }, use) => {
    await signIn(context, staff, place);
    await use(context);
  },
  at: async ({ shop, staff }, use) => {
    await joinShop(staff, shop);
    await use((path = "", mode = "test") => `/b/${shop.id}/${mode}${path}`);
  },
});

/** Gives a browser the session of somebody who has signed in. */
export async function signIn(context: BrowserContext, { cookie }: Staff, place: Place): Promise<void> {
  await context.addCookies([{ ...cookie, value: encodeURIComponent(cookie.value), url: place.url }]);
}

export { expect };
