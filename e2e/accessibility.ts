import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import type axe from "axe-core";

// The short form: it is sent to and read by each page anew.
const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const everything = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
} as const;
const sizes = { type: "rule", values: ["target-size"] } as const;
/** What the other theme can break: it changes colours and nothing else. */
const colours = { type: "rule", values: ["color-contrast", "link-in-text-block"] } as const;

/** WCAG 2.2 AA of a page's content, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  const broken: string[] = [];
  // A page's title may come a moment after what it is the title of.
  await expect(page).toHaveTitle(/./);
  for (const [colorScheme, rules] of [
    ["light", everything],
    ["dark", colours],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    broken.push(...(await violations(page, rules)).map((text) => `${colorScheme} ${text}`));
  }
  await page.emulateMedia({ colorScheme: null });
  expect(broken).toEqual([]);
}

/** A page that has been held to the rules, on a phone: everything can be hit, nothing is wider than the window. */
export async function expectFitsPhone(page: Page): Promise<void> {
  const tables = page.getByRole("table");
  const before = await tables.count();
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await violations(page, sizes)).toEqual([]);
  // Where a table turned into cards the markup is another one; elsewhere only sizes are.
  if ((await tables.count()) < before) await expectAccessible(page);
  await expectNoSideways(page);
}

async function violations(
  page: Page,
  runOnly: typeof everything | typeof sizes | typeof colours,
): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  return page.evaluate(async (only) => {
    // Theme and layout follow what was just set by the next frame.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const { run } = (window as unknown as { axe: typeof axe }).axe;
    // A mail's frame runs nothing, and so no rules either. What guards a menu's ends hands the focus on at once.
    const found = await run(
      { exclude: ["[data-base-ui-focus-guard]"] },
      {
        runOnly: { type: only.type, values: [...only.values] },
        resultTypes: ["violations"],
        iframes: false,
      },
    );
    return found.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`,
    );
  }, runOnly);
}

/** Nothing is wider than the window. */
export async function expectNoSideways(page: Page): Promise<void> {
  const { wide, seen } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    seen: document.documentElement.clientWidth,
  }));
  expect(wide).toBeLessThanOrEqual(seen);
}
