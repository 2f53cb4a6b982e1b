import { readFileSync } from "node:fs";
import { test as base } from "../console/fixtures";
import { arrive } from "../console/screen";
import { expect } from "../fixtures";
import { type Hand, handOf } from "./hand";

type Own = {
  /** Begins at the overview of the business with 5,000 links; at the end its effort must be the one in docs/dashboard.md. */
  hand: Hand;
};

/** Effort by task, as the table of docs/dashboard.md has it. */
function written(): Map<string, string> {
  const rows = readFileSync("docs/dashboard.md", "utf8").matchAll(
    /^\| \d+ \| (.+?) \| (\d+) \| (\d+) \|$/gm,
  );
  return new Map([...rows].map(([, task = "", clicks, keys]) => [task, `${clicks} ${keys}`]));
}

export const test = base.extend<Own>({
  shop: async ({ crowd }, use) => use(crowd),
  // The person joined it when it was made.
  at: async ({ shop }, use) => use((path = "", mode = "test") => `/b/${shop.id}/${mode}${path}`),
  hand: async ({ page, at }, use, info) => {
    await arrive(page, at(), "Overview");
    const hand = handOf(page);
    await use(hand);
    if (info.error) return;
    const { clicks, keys } = hand.effort();
    console.log(`${info.title}: ${clicks} clicks, ${keys} keys`);
    expect(written().get(info.title), `the row of "${info.title}"`).toBe(`${clicks} ${keys}`);
  },
});

export { expect };
