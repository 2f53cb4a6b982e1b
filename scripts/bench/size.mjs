// Measures lists, searches, the overview, exports and bulk calls of a business with 1,000 links and of one with many more.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../stamp.mjs";
import { bundleTools, residentMb, serve, settings, tool } from "./measure.mjs";
import { atLeast, atMost, line } from "./table.mjs";

const CALLS = 60;
const CLIENTS = 12;
const CALLS_OF_CLIENTS = 240;
const MAX_RATIO = 1.2;
const MAX_P99_MS = 50;
/** Below this a ratio says nothing about the size. */
const CLOCK_MS = 0.3;

/** The lines of the table about lists, exports and bulk calls, with `links` links of one business. */
export async function bySize(links) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-size-"));
  await bundleTools(root, ["fill", "cluster"]);
  const env = settings();
  let server;
  try {
    env.DATABASE_URL = tool(root, "cluster", ["start", folder]);
    const made = JSON.parse(tool(root, "fill", [String(links)], env));
    for (const [name, { links, payments }] of Object.entries(made.businesses))
      console.error(`bench: ${name}: ${links} links, ${payments} payments`);
    server = await serve(root, "build/server.js", 3931, env);
    return await measure(await callers(server.origin, made), server.child.pid);
  } finally {
    server?.child.kill("SIGKILL");
    tool(root, "cluster", ["stop", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** For each business a function that calls the API as its owner. */
async function callers(origin, { owner, businesses }) {
  const home = origin.replace("127.0.0.1", "localhost");
  const answer = await fetch(`${origin}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: home },
    body: JSON.stringify(owner),
  });
  if (!answer.ok) throw new Error(`the owner was not signed in: ${answer.status}`);
  const cookie = answer.headers
    .getSetCookie()
    .map((one) => one.split(";", 1)[0])
    .join("; ");
  return Object.fromEntries(
    Object.entries(businesses).map(([name, { businessId, links }]) => {
      const headers = {
        cookie,
        origin: home,
        "x-kutip-business": String(businessId),
        "x-kutip-mode": "test",
      };
      const call = (address, options = {}) =>
        fetch(`${origin}/api${address}`, {
          ...options,
          headers: { ...headers, ...options.headers },
        });
      return [name, { call, links }];
    }),
  );
}

async function measure(businesses, pid) {
  const lines = [];
  const deep = {};
  for (const [name, business] of Object.entries(businesses))
    deep[name] = await deepCursor(business);
  const only = process.env.BENCH_ONLY;
  for (const [name, addressOf, goal] of calls()) {
    if (only && !name.includes(only)) continue;
    const figures = {};
    for (const [size, business] of Object.entries(businesses))
      figures[size] = await timesOf(business, addressOf({ ...business, deep: deep[size] }));
    const { small, large } = figures;
    const result = `p50 ${ms(small.p50)} → ${ms(large.p50)} ms, ${CLIENTS} clients p99 ${ms(large.p99)} ms${large.refused ? `, ${large.refused} refused` : ""}`;
    lines.push(line(name, goal.text, result, goal.met(small, large) && large.refused === 0));
  }
  if (!only || "export bulk".includes(only)) {
    lines.push(...(await measureExport(businesses.large, pid)));
    lines.push(await measureBulk(businesses.large));
  }
  return lines;
}

const ms = (value) => value.toFixed(value < 10 ? 1 : 0);
const flat = {
  text: `p50 ≤ ${MAX_RATIO}×, p99 ≤ ${MAX_P99_MS} ms`,
  met: (small, large) =>
    large.p50 <= MAX_RATIO * Math.max(small.p50, CLOCK_MS) && large.p99 <= MAX_P99_MS,
};
const within = (limit, figure) => ({
  text: `${figure} ≤ ${limit} ms`,
  met: (_, large) => large[figure] <= limit,
});

/** Name, address and goal of every call. */
function calls() {
  const links = (query) => () => `/payment-links${query}`;
  const payments = (query) => () => `/payments${query}`;
  const page = within(300, "p99");
  return [
    ["links, first page", links(""), flat],
    ["links, deep cursor", ({ deep }) => `/payment-links?cursor=${deep}`, flat],
    ["links, sort=amount", links("?sort=amount"), flat],
    ["links, status", links("?status=Expired"), flat],
    ["links, paid=true", links("?paid=true"), flat],
    ["links, paid=false", links("?paid=false"), flat],
    ["links, email", links("?email=payer777@example.com"), flat],
    ["links, email by amount", links("?email=payer777@example.com&sort=amount"), flat],
    ["links, reference", links("?reference=REF-777"), flat],
    ["links, reference_2", links("?reference_2=BATCH-0"), flat],
    ["links, reference_2 without match", links("?reference_2=none"), flat],
    ["links, currency", links("?currency=SGD"), flat],
    ["links, currency without match", links("?currency=USD"), flat],
    ["links, amount range", links("?amount_min=700&amount_max=800"), flat],
    ["links, amount_min without match", links("?amount_min=2000000"), flat],
    ["links, created range", links(`?created_from=${day(-200)}&created_to=${day(-190)}`), flat],
    ["links, q without match", links("?q=zebra"), flat],
    ["links, q with few matches", links("?q=payer777@"), flat],
    ["links, q with many matches, all old", links("?q=Order%205"), flat],
    ["links, q in every row", links("?q=example"), flat],
    ["search, no match", () => "/search?q=zebra", flat],
    ["search, an id", () => "/search?q=0123456789abcdef01234567", flat],
    ["payments, first page", payments(""), flat],
    ["payments, status", payments("?status=failed"), flat],
    ["payments, reference", payments("?reference=REF-771"), flat],
    ["payments, currency without match", payments("?currency=USD"), flat],
    ["payments, q without match", payments("?q=zebra"), flat],
    ["links, page=1", links("?page=1"), page],
    [
      "links, page in the middle",
      ({ links }) => `/payment-links?page=${Math.ceil(links / 30)}`,
      page,
    ],
    ["links, last page", ({ links }) => `/payment-links?page=${Math.ceil(links / 15)}`, page],
    ["links, page=1 of a status", links("?page=1&status=Paid"), page],
    [
      "links, middle page of a status",
      ({ links }) => `/payment-links?status=Paid&page=${Math.ceil(links / 50)}`,
      page,
    ],
    ["payments, page=1", payments("?page=1"), page],
    [
      "payments, middle page of a status",
      ({ links }) => `/payments?status=succeeded&page=${Math.ceil(links / 60)}`,
      page,
    ],
    ["overview of 30 days", () => `/overview?from=${day(-29)}&to=${day(0)}`, within(50, "p50")],
    [
      "links of a year that were mailed",
      links(`?created_from=${day(-364)}&created_to=${day(0)}&currency=MYR&mailed=true`),
      flat,
    ],
    [
      "links of a year that were tried, page=1",
      links(`?created_from=${day(-364)}&created_to=${day(0)}&currency=MYR&tried=true&page=1`),
      within(1_000, "p50"),
    ],
    ["overview of 365 days", () => `/overview?from=${day(-364)}&to=${day(0)}`, within(50, "p50")],
  ];
}

const day = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** A cursor so many pages on that the rows before it cannot be walked quickly. */
async function deepCursor({ call, links }) {
  let cursor = "";
  for (let pages = 0; pages < Math.min(300, links / 200); pages++) {
    const { data } = await json(await call(`/payment-links?per_page=100${cursor}`));
    cursor = `&cursor=${data.next_cursor}`;
  }
  return cursor.slice("&cursor=".length);
}

async function json(answer) {
  if (!answer.ok) throw new Error(`${answer.status} ${answer.url}: ${await answer.text()}`);
  return answer.json();
}

async function timesOf({ call }, address) {
  let refused = 0;
  const once = async (times) => {
    const began = performance.now();
    const answer = await call(address);
    if (answer.status === 429) refused++;
    else await json(answer);
    await answer.text().catch(() => undefined);
    times.push(performance.now() - began);
  };
  const alone = [];
  for (let warm = 0; warm < 5; warm++) await once([]);
  for (let number = 0; number < CALLS; number++) await once(alone);
  const together = [];
  const client = async () => {
    for (let number = 0; number < CALLS_OF_CLIENTS / CLIENTS; number++) await once(together);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return { p50: quantile(alone, 0.5), p99: quantile(together, 0.99), refused };
}

function quantile(times, share) {
  return times.sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];
}

async function measureExport({ call, links }, pid) {
  const before = residentMb(pid);
  let [peak, rows] = [before, 0];
  const began = performance.now();
  const answer = await call("/payment-links/export");
  for await (const chunk of answer.body) {
    for (const byte of chunk) if (byte === 10) rows++;
    peak = Math.max(peak, residentMb(pid));
  }
  const rate = links / ((performance.now() - began) / 1_000);
  if (rows !== links + 1) throw new Error(`the export had ${rows} lines`);
  return [
    atLeast("export of all links", 30_000, rate, " rows/s"),
    atMost("memory of that export, more", 100, peak - before, "MB"),
  ];
}

async function measureBulk({ call }) {
  const rows = Array.from({ length: 5_000 }, (_, number) => ({
    email: `bulk${number}@example.com`,
    currency: "MYR",
    amount: 1_000 + number,
    title: `Bulk ${number}`,
    reference: `BULK-${number}`,
    send_email: false,
  }));
  const began = performance.now();
  const { data } = await json(
    await call("/payment-links/bulk", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ rows }),
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  if (data.created !== rows.length) throw new Error(`${data.created} links were created`);
  return atMost("bulk of 5,000 links", 3, seconds, "s");
}
