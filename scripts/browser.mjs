import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { chromium } from "@playwright/test";
import { root } from "./stamp.mjs";

// The first has no window to draw: tests take two thirds of the time with it.
const SYSTEM = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** A Chromium that runs here: Playwright's, the system's, else fetched by Playwright, else by apt-get. Throws with what to do. */
export function browser(say) {
  const found = working();
  if (found) return found;
  say("getting a browser");
  const own = spawnSync(
    process.execPath,
    [path.join(root, "node_modules/playwright/cli.js"), "install", "chromium"],
    { stdio: "ignore", timeout: 180_000 },
  );
  if (own.status === 0 && runs(chromium.executablePath())) return chromium.executablePath();
  if (process.getuid?.() === 0 && spawnSync("apt-get", ["--version"]).status === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    spawnSync("apt-get", ["update", "-qq"], { stdio: "ignore", env });
    for (const name of ["chromium-headless-shell", "chromium"]) {
      if (working()) break;
      spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name], {
        stdio: "ignore",
        env,
      });
    }
  }
  const last = working();
  if (last) return last;
  throw new Error(
    "no browser for the browser tests: install Chromium (Debian: apt-get install chromium), or set CHROMIUM to its program",
  );
}

function working() {
  return [process.env.CHROMIUM, chromium.executablePath(), ...SYSTEM].find(
    (program) => program && runs(program),
  );
}

function runs(program) {
  return (
    existsSync(program) &&
    spawnSync(program, ["--version", "--no-sandbox"], { stdio: "ignore", timeout: 30_000 })
      .status === 0
  );
}
