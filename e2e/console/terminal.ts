import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import { expect } from "./fixtures";

const run = promisify(execFile);

/** Presses a copy button and gives what the clipboard then holds. */
export async function copied(page: Page, button: string): Promise<string> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  // What an earlier copy left there would be taken for this one.
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await page.getByRole("button", { name: button, exact: true }).click();
  const held = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(held).not.toBe("");
  return held();
}

/** Runs a copied curl command in a shell, with a key in `$API_KEY`; gives the status it was answered. */
export async function statusOf(command: string, key: string): Promise<number> {
  const script = `curl() { command curl -sS -o /dev/null -w '%{http_code}' "$@"; }\n${command}\n`;
  const { stdout } = await run("sh", ["-c", script], { env: { ...process.env, API_KEY: key } });
  return Number(stdout);
}
