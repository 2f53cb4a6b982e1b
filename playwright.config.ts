import { defineConfig, devices } from "@playwright/test";

const root = process.getuid?.() === 0;
const desktop = { viewport: { width: 1280, height: 800 } };

/** The address and the data folder come from the runner (scripts/test.mjs), which starts the built install for the browser tests. */
export default defineConfig({
  testDir: "e2e",
  fullyParallel: true,
  // One more than the two cores it is made for: some tests wait for a process to start or a period to pass.
  workers: 3,
  forbidOnly: true,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  outputDir: "test-results",
  use: {
    ...devices["Desktop Chrome"],
    baseURL: process.env.E2E_URL ?? "http://localhost:3000",
    // Colours and boxes in motion cannot be checked. A trace of each test would cost more than the test.
    contextOptions: { reducedMotion: "reduce" },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.E2E_CHROMIUM || undefined,
      args: [
        ...(root ? ["--no-sandbox"] : []),
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-dev-shm-usage",
      ],
    },
  },
  projects: [
    { name: "api", testMatch: "api/**/*.spec.ts" },
    {
      name: "desktop",
      testMatch: ["console/**/*.spec.ts", "tasks/**/*.spec.ts"],
      use: desktop,
    },
    // What a screen does is walked on a phone where it differs there; every page is measured at that width by the desktop's own walk.
    {
      name: "phone",
      testMatch: ["payer/**/*.spec.ts", "console/**/*.spec.ts"],
      grep: /^phone payer\/|@phone/,
      use: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
    },
    // Payer pages are the same with and without scripts (they have none): the main ways through them are walked again, wide and without.
    {
      name: "payer-noscript",
      testMatch: "payer/**/*.spec.ts",
      grep: /@noscript/,
      use: { javaScriptEnabled: false, ...desktop },
    },
  ],
});
