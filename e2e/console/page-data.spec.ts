import { globSync, readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { newLink, newShop } from "../shop";
import { expect, test } from "./fixtures";
import { pay } from "./payer";
import { gate } from "./screen";
import { joinShop, newStaff } from "./staff";

/** Loads a page whole and gives the calls that its browser made until the stream of changes was ready. */
async function callsOf(page: Page, address: string): Promise<string[]> {
  const calls: string[] = [];
  const note = (request: { url: () => string }) => {
    const { pathname, search } = new URL(request.url());
    if (/^\/api\/(?!stream)/.test(pathname)) calls.push(pathname + search);
  };
  page.on("request", note);
  await page.goto(address);
  await page.waitForFunction(() => "changesReady" in window);
  // A call that `ready` causes is made before this one.
  await page.evaluate(async () => (await fetch("/api/health")).text());
  page.off("request", note);
  return calls;
}

/** The pages that come with their data. */
const pagesWithData = (link: string) => [
  "",
  "/payment-links",
  `/payment-links/${link}`,
  "/payment-links/new",
  "/payments",
  "/settings",
];

const noteReady = () => {
  const Real = window.EventSource;
  window.EventSource = class extends Real {
    constructor(address: string | URL) {
      super(address);
      this.addEventListener("ready", () =>
        setTimeout(() => Object.assign(window, { changesReady: true })),
      );
    }
  };
};

test("a page that came with its data asks for none of it again, and shows what changes later", async ({
  page,
  shop,
  at,
}) => {
  const [paid, open] = [
    await newLink(shop, { title: "Order 1" }),
    await newLink(shop, { title: "Order 2" }),
  ];
  await pay(paid);
  await page.addInitScript(noteReady);
  // From the first page on the server hears of changes.
  await callsOf(page, at());
  for (const path of pagesWithData(paid._id))
    expect(await callsOf(page, at(path)), path).toEqual(["/api/health"]);
  await callsOf(page, at("/payment-links"));
  const row = page.getByRole("row").filter({ hasText: "Order 2" });
  await expect(row).toContainText("Open");
  await pay(open);
  await expect(row).toContainText("Paid");
});

test("what a page brings is in its HTML for members alone, without a token or a secret, and kept by no cache", async ({
  page,
  shop,
  at,
  install,
}) => {
  const link = await newLink(shop, { title: "Order 77" });
  await pay(link);
  const other = await newShop(install.url, "Kedai Dua");
  const [viewer, stranger] = [
    await newStaff(install, "Vera Viewer"),
    await newStaff(install, "Sam Stranger"),
  ];
  await joinShop(viewer, shop, "viewer");
  await joinShop(stranger, other);
  // As a whole page, and as the router of an open page asks for it.
  const html = async (path: string, staff?: typeof viewer) => {
    const texts: string[] = [];
    for (const kind of [undefined, { rsc: "1" }]) {
      const response = await fetch(new URL(at(path), install.url), {
        headers: {
          ...kind,
          ...(staff ? { cookie: `${staff.cookie.name}=${staff.cookie.value}` } : {}),
        },
      });
      expect(response.headers.get("cache-control")).toContain("no-store");
      texts.push(await response.text());
    }
    expect(texts[0]).not.toBe(texts[1]);
    return texts.join("\n");
  };
  const secret = (await (
    await page.request.get("/api/business/signing-secret", {
      headers: { "x-kutip-business": String(shop.id), "x-kutip-mode": "test" },
    })
  ).json()) as { data: { secret: string } };
  // A part of its data that no other person's page may have.
  const parts = ["collected_count", "Order 77", "Order 77", shop.name, "Order 77", shop.name];
  for (const [index, path] of pagesWithData(link._id).entries()) {
    const part = parts[index] ?? "";
    const seen = await html(path, viewer);
    expect(seen, path).toContain(part);
    for (const hidden of [
      viewer.cookie.value,
      viewer.cookie.value.split(".")[0] ?? "",
      shop.key,
      secret.data.secret,
    ]) {
      expect(hidden.length).toBeGreaterThan(20);
      expect(seen, path).not.toContain(hidden);
    }
    expect(await html(path, stranger), path).not.toContain(part);
    expect(await html(path), path).not.toContain(part);
    // The pages of others leave nothing behind.
    expect((await html(path, viewer)).split(part).length, path).toBe(seen.split(part).length);
  }
});

test("a page of live mode brings nothing of test mode, and one of no business nothing", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { title: "Order 79" });
  expect((await page.request.get("/b/1%0Ax:%20y/test/payment-links")).status()).toBe(404);
  for (const path of ["", "/payment-links", `/payment-links/${link._id}`, "/payments"])
    expect(await (await page.request.get(at(path, "live"))).text(), path).not.toContain("Order 79");
});

test("a title made of markup stays text in the page that brings it", async ({ page, shop, at }) => {
  const title = "</script><script>b=1</script>\u2028<!--";
  const link = await newLink(shop, { title });
  await page.addInitScript(noteReady);
  for (const path of ["/payment-links", `/payment-links/${link._id}`]) {
    const html = await (await page.request.get(at(path))).text();
    expect(html).not.toContain("<script>b=1");
    const scripts = [...html.matchAll(/<script\b[^>]*>(.*?)<\/script>/gs)].map(([, text]) => text);
    expect(scripts.join(""), path).toContain("script\\u003eb=1");
    expect(scripts.join(""), path).not.toMatch(/[\u2028\u2029]|<!--/);
    expect(await callsOf(page, at(path)), path).toEqual(["/api/health"]);
    await expect(page.getByRole("main")).toContainText("</script><script>b=1</script>");
    expect(await page.evaluate(() => "b" in window)).toBe(false);
  }
});

test("before its scripts run, a list fits its window and its links open", async ({
  context,
  shop,
  at,
}) => {
  const link = await newLink(shop, { title: "Order 80" });
  const page = await context.newPage();
  await page.route("**/_next/static/**/*.js", (route) => route.abort());
  for (const [width, shown, hidden] of [
    [360, "list", "table"],
    [1440, "table", "list"],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(at("/payment-links"));
    await expect(page.getByRole(shown, { name: "Payment links" })).toBeVisible();
    await expect(page.getByRole(hidden, { name: "Payment links" })).toHaveCount(0);
    await page.getByRole("link", { name: "Order 80" }).click();
    await expect(page).toHaveURL(new RegExp(`/payment-links/${link._id}`));
  }
});

test("before its scripts run, a page takes no press and no text that it would lose; then it takes both", async ({
  context,
  shop,
  at,
}) => {
  for (const title of ["Order 81", "Order 82"]) await newLink(shop, { title });
  const page = await context.newPage();
  const { open, opened } = gate();
  await page.route("**/_next/static/**/*.js", async (route) => {
    await opened;
    await route.continue();
  });
  await page.goto(at("/payment-links"), { waitUntil: "commit" });
  const row = page.getByRole("row").filter({ hasText: "Order 81" });
  await expect(row).toBeVisible();
  const controls = page
    .getByRole("button")
    .or(page.getByRole("searchbox"))
    .or(page.getByRole("combobox"));
  expect(await controls.count()).toBeGreaterThan(8);
  for (const control of await controls.all()) await expect(control).toBeDisabled();
  const search = page.getByRole("searchbox");
  const look = () => search.evaluate((field) => getComputedStyle(field).backgroundColor);
  const before = await look();
  // A press at its place, as a person would: nothing happens, now or later.
  await search.click({ force: true });
  await page.keyboard.type("Order");
  await row.getByRole("button", { name: /^Actions for/ }).click({ force: true });
  open();
  await expect(search).toBeEnabled();
  await expect(search).toHaveValue("");
  expect(await look()).toBe(before);
  await expect(page.getByRole("menu")).toHaveCount(0);
  await expect(page).toHaveURL(at("/payment-links"));
  await search.fill("Order 81");
  await expect(page.getByRole("row").filter({ hasText: "Order 82" })).toHaveCount(0);
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await expect(page.getByRole("menu")).toBeVisible();
});

test("a form that came with the page is filled in once its scripts run", async ({
  context,
  at,
}) => {
  const page = await context.newPage();
  const { open, opened } = gate();
  await page.route("**/_next/static/**/*.js", async (route) => {
    await opened;
    await route.continue();
  });
  await page.goto(at("/payment-links/new"), { waitUntil: "commit" });
  const title = page.getByRole("textbox", { name: "Title" });
  await expect(title).toBeVisible();
  await expect(title).toBeDisabled();
  open();
  await title.fill("Order 83");
  await expect(title).toHaveValue("Order 83");
});

test("an ended session finds no data in the next page", async ({ shop, at, install }) => {
  await newLink(shop, { title: "Order 78" });
  const staff = await newStaff(install);
  await joinShop(staff, shop, "staff");
  const headers = {
    cookie: `${staff.cookie.name}=${staff.cookie.value}`,
    origin: new URL(install.url).origin,
  };
  const html = async () =>
    (await fetch(new URL(at("/payment-links"), install.url), { headers })).text();
  expect(await html()).toContain("Order 78");
  const out = await fetch(`${install.url}/api/auth/sign-out`, { method: "POST", headers });
  expect(out.ok).toBe(true);
  expect(await html()).not.toContain("Order 78");
});

test("pages bring no pool of their own: no page of the build loads a driver of Postgres", () => {
  const traces = globSync(".next/server/app/(console)/**/page.js.nft.json");
  expect(traces.length).toBeGreaterThan(30);
  for (const trace of traces) {
    const { files } = JSON.parse(readFileSync(trace, "utf8")) as { files: string[] };
    expect(
      files.filter((file) => /node_modules\/(pg|postgres)\//.test(file)),
      trace,
    ).toEqual([]);
  }
});
