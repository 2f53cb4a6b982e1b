import type { Locator, Page } from "@playwright/test";

/** A person at mouse and keyboard: what they do is counted. */
export type Hand = {
  page: Page;
  click: (what: Locator) => Promise<void>;
  /** Clicks into a field and types; keys are counted one by one. */
  type: (where: Locator, text: string) => Promise<void>;
  /** Types where the focus is. */
  write: (text: string) => Promise<void>;
  press: (key: string) => Promise<void>;
  /** Chooses in a native list: two clicks. */
  pick: (where: Locator, option: string) => Promise<void>;
  /** Gives a file to a field: one click, and the choice in the system's dialog is not counted. */
  give: (where: Locator, name: string, lines: readonly string[]) => Promise<void>;
  effort: () => { clicks: number; keys: number };
};

export function handOf(page: Page): Hand {
  let [clicks, keys] = [0, 0];
  const click = async (what: Locator) => {
    clicks += 1;
    await what.click();
  };
  const write = async (text: string) => {
    keys += [...text].length;
    await page.keyboard.insertText(text);
  };
  return {
    page,
    click,
    write,
    type: async (where, text) => {
      await click(where);
      await write(text);
    },
    press: async (key) => {
      keys += 1;
      await page.keyboard.press(key);
    },
    pick: async (where, option) => {
      clicks += 2;
      await where.selectOption(option);
    },
    give: async (where, name, lines) => {
      clicks += 1;
      await where.setInputFiles({
        name,
        mimeType: "text/csv",
        buffer: Buffer.from(lines.join("\r\n")),
      });
    },
    effort: () => ({ clicks, keys }),
  };
}
