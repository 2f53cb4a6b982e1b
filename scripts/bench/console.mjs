import { chromium } from "@playwright/test";
import { browser } from "../browser.mjs";
import { seed } from "../screenshots/seed.mjs";
import { startTestServer } from "../test-server.mjs";
import { atLeast, atMost, median } from "./table.mjs";

/** "Slow 4G" of Chromium's tools, and a processor four times slower. */
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};
const SLOWDOWN = 4;
const PHONE = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
  userAgent:
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
};
const ROUNDS = 3;
const GOALS = { lcp: 1_500, readable: 2_500, score: 95, cls: 0.05, next: 300 };

/** Of Lighthouse's mobile preset: weight, value that scores 0.9, value that scores 0.5. */
const WEIGHTS = {
  fcp: [10, 1_800, 3_000],
  readable: [10, 3_387, 5_800],
  lcp: [25, 2_500, 4_000],
  blocking: [30, 200, 600],
  cls: [25, 0.1, 0.25],
};

/** The lines of the table about the dashboard: its pages in a browser like that of a slow phone, cold. The server runs the built tree. */
export async function ofConsole() {
  const server = await startTestServer({
    RATE_LIMIT_KEY: "0",
    RATE_LIMIT_PAYER: "0",
    RATE_LIMIT_PAGE: "0",
    LOG_LEVEL: "warn",
  });
  try {
    const { origin, business, email, password, shown } = await seed(server.folder);
    const home = `/b/${business}/test`;
    const pages = [
      ["overview", home, "Collected"],
      ["links", `${home}/payment-links`, "INV-1142"],
      ["link", `${home}/payment-links/${shown.link}`, "Paid"],
      ["new link", `${home}/payment-links/new`, "Title"],
      ["payments", `${home}/payments`, "MYR"],
      ["settings", `${home}/settings`, "E-mail for questions"],
    ];
    const program = await chromium.launch({
      executablePath: browser(console.error),
      args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update"],
    });
    try {
      const cookies = await signIn(program, origin, email, password);
      const lines = [];
      for (const [name, address, text] of pages) {
        const rounds = [];
        for (let round = 0; round < ROUNDS; round++)
          rounds.push(await coldLoad(program, cookies, origin + address, text));
        lines.push(...judge(name, rounds));
      }
      const next = await warmNext(program, cookies, origin + home);
      return [...lines, atMost("next page, warm", GOALS.next, next, "ms")];
    } finally {
      await program.close();
    }
  } finally {
    await server.stop();
  }
}

async function signIn(program, origin, email, password) {
  const context = await program.newContext({ baseURL: origin });
  await context.request.post("/api/auth/sign-in/email", {
    data: { email, password },
    headers: { origin },
  });
  const { cookies } = await context.storageState();
  await context.close();
  return cookies;
}

/** What the page measures of itself. `text` is that of the page's data. */
function observe(text) {
  const measured = { lcp: 0, cls: 0, blocking: 0, readable: 0, fcp: 0 };
  Object.assign(globalThis, { measured });
  const watch = (type, each) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) each(entry);
    }).observe({ type, buffered: true });
  watch("largest-contentful-paint", ({ startTime }) => {
    measured.lcp = startTime;
  });
  watch("layout-shift", ({ value, hadRecentInput }) => {
    if (!hadRecentInput) measured.cls += value;
  });
  watch("longtask", ({ duration }) => {
    measured.blocking += duration - 50;
  });
  watch("paint", ({ name, startTime }) => {
    if (name === "first-contentful-paint") measured.fcp = startTime;
  });
  const look = () => {
    if (document.querySelector("main")?.textContent.includes(text))
      return requestAnimationFrame(() => {
        measured.readable = performance.now();
      });
    requestAnimationFrame(look);
  };
  look();
}

async function coldLoad(program, cookies, address, text) {
  const context = await program.newContext(PHONE);
  await context.addCookies(cookies);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", NETWORK);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  let bytes = 0;
  let scripts = 0;
  const types = new Map();
  session.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    bytes += encodedDataLength;
    if (types.get(requestId) === "Script") scripts += encodedDataLength;
  });
  await page.addInitScript(observe, text);
  await page.goto(address, { waitUntil: "load", timeout: 60_000 });
  await page.waitForFunction(() => globalThis.measured.readable > 0, undefined, {
    timeout: 60_000,
  });
  // The stream of changes keeps the network busy for ever.
  await page.waitForFunction(() => performance.now() > 8_000, undefined, { timeout: 60_000 });
  const measured = await page.evaluate(() => globalThis.measured);
  await context.close();
  return { ...measured, bytes, scripts };
}

/** A click on Payment links in the overview, until its rows are there. */
async function warmNext(program, cookies, home) {
  const context = await program.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addCookies(cookies);
  const page = await context.newPage();
  const times = [];
  for (let round = 0; round < ROUNDS + 1; round++) {
    await page.goto(home, { waitUntil: "load" });
    await page.getByRole("button", { name: /^Account: (?!loading)/ }).waitFor();
    await page.waitForLoadState("networkidle", { timeout: 2_000 }).catch(() => undefined);
    times.push(
      await page.evaluate(
        () =>
          new Promise((resolve) => {
            const began = performance.now();
            const look = () =>
              document.querySelector("main")?.textContent.includes("INV-1142")
                ? resolve(performance.now() - began)
                : requestAnimationFrame(look);
            [...document.querySelectorAll("nav a")]
              .find((link) => link.textContent === "Payment links")
              .click();
            look();
          }),
      ),
    );
  }
  await context.close();
  return median(times.slice(1));
}

function judge(name, rounds) {
  const of = (key) => median(rounds.map((round) => round[key]));
  console.error(
    `bench: ${name}: first paint ${Math.round(of("fcp"))} ms, blocked ${Math.round(of("blocking"))} ms, ${Math.round(of("bytes") / 1_000)} KB, of it script ${Math.round(of("scripts") / 1_000)} KB`,
  );
  return [
    atMost(`${name}: largest paint`, GOALS.lcp, of("lcp"), "ms"),
    atMost(`${name}: readable`, GOALS.readable, of("readable"), "ms"),
    atMost(`${name}: layout shift`, GOALS.cls, of("cls")),
    atLeast(`${name}: score`, GOALS.score, median(rounds.map(scoreOf))),
  ];
}

/** As Lighthouse makes its score from these values; `readable` is in the place of its speed index. */
function scoreOf(measured) {
  let score = 0;
  for (const [key, [weight, good, middle]] of Object.entries(WEIGHTS)) {
    // A log-normal distribution through 0.9 and 0.5.
    const deviation = Math.log(good / middle) / -1.28155;
    const z = Math.log(Math.max(measured[key], 1e-6) / middle) / deviation;
    score += weight * (1 - normal(z));
  }
  return Math.round(score);
}

function normal(z) {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail =
    0.3989423 *
    Math.exp((-z * z) / 2) *
    t *
    (0.3193815 + t * (-0.3565638 + t * (1.781478 + t * (-1.821256 + t * 1.330274))));
  return z > 0 ? 1 - tail : tail;
}
