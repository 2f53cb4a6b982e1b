// Makes docs/screenshots anew: node scripts/screenshots.mjs DATA_FOLDER, while a freshly started demo install runs on that folder, with RATE_LIMIT_PAYER=0.
// It fills the demo business first, so give it a folder that may be thrown away. ImageMagick makes them small.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { chromium } from "@playwright/test";
import { browser as findBrowser } from "./browser.mjs";
import { seed } from "./screenshots/seed.mjs";

const folder = process.argv[2];
if (!folder) throw new Error("say which data folder: node scripts/screenshots.mjs DATA_FOLDER");
const out = "docs/screenshots";
mkdirSync(out, { recursive: true });

const { origin, business, email, password, shown } = await seed(path.resolve(folder));
const home = `/b/${business}/test`;
const pages = [
  ["overview", home],
  ["links", `${home}/payment-links`],
  ["link", `${home}/payment-links/${shown.link}`],
  ["new-link", `${home}/payment-links/new`, fillLink],
  ["payment", `${home}/payments/${shown.payment}`],
  ["subscriptions", `${home}/subscriptions`],
  ["developers", `${home}/developers/snippets`],
  ["settings", `${home}/settings`],
];

const browser = await chromium.launch({
  executablePath: findBrowser(console.log),
  args: ["--no-sandbox"],
});
for (const colorScheme of ["light", "dark"]) {
  const look = { baseURL: origin, colorScheme, reducedMotion: "reduce" };
  const staff = await browser.newContext({ ...look, viewport: { width: 1280, height: 840 } });
  await staff.request.post("/api/auth/sign-in/email", {
    data: { email, password },
    headers: { origin },
  });
  for (const [name, address, act] of pages) await picture(staff, name, colorScheme, address, act);
  await staff.close();
  const phone = await browser.newContext({
    ...look,
    viewport: { width: 390, height: 780 },
    isMobile: true,
    hasTouch: true,
  });
  await picture(phone, "pay-phone", colorScheme, shown.address);
  await phone.close();
}
const desk = await browser.newContext({ baseURL: origin, viewport: { width: 1120, height: 780 } });
await picture(desk, "pay", "desk", shown.address);
await browser.close();
// The README's first picture: the wide page in light beside the phone in dark.
const beside = ["pay-desk.png", "pay-phone-dark.png"].map((name) => path.join(out, name));
spawnSync("convert", [...beside, "+append", "-strip", `PNG8:${path.join(out, "pay.png")}`]);
rmSync(path.join(out, "pay-desk.png"));

async function picture(context, name, scheme, address, act) {
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(address);
  await page.waitForLoadState("networkidle");
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
  await act?.(page);
  const file = path.join(out, `${name}-${scheme}.png`);
  await page.screenshot({ path: file });
  await page.close();
  spawnSync("convert", [
    file,
    "-strip",
    "+dither",
    "-colors",
    "128",
    "-define",
    "png:compression-level=9",
    `PNG8:${file}`,
  ]);
}

async function fillLink(page) {
  await page.getByLabel("Title").fill("Poster series, second half");
  await page.getByRole("textbox", { name: /^Amount/ }).fill("1245");
  await page
    .getByRole("textbox", { name: /^Description/ })
    .fill("Six A2 prints on cotton paper, signed.\nReady on Friday.");
  await page.getByRole("textbox", { name: /^E-mail/ }).fill("priya@nairdesign.example");
  await page.getByRole("textbox", { name: /^Reference/ }).fill("INV-1143");
  await page.evaluate(() => {
    document.activeElement?.blur();
    window.scrollTo(0, 0);
  });
}
