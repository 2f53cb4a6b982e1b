import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { programFiles } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import { childEnv } from "@/lib/env";
import { expectFitsPhone } from "../accessibility";
import { expect, test } from "../fixtures";

const run = promisify(execFile);
test("the reference shows every endpoint, in light and dark, on any screen, for everybody", async ({
  page,
  audit,
}) => {
  const response = await page.goto("/docs/api");
  expect(response?.headers()["content-security-policy"]).toContain("default-src 'none'");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByRole("article")).toHaveCount(endpoints.length + programFiles.length);
  await audit(page);
  await expectFitsPhone(page);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 360, height: 740 } });
  test("the contents open, lead to an endpoint and close again", async ({ page }) => {
    await page.goto("/docs/api");
    const contents = page.getByRole("navigation", { name: "Contents" });
    await expect(contents).toBeHidden();
    await page.getByText("Contents", { exact: true }).click();
    await contents.getByRole("link", { name: "Create a package" }).click();
    await expect(page.getByRole("heading", { name: "Create a package" })).toBeInViewport();
    await expect(contents).toBeHidden();
  });
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });
  test("every language can be chosen and read, and no button is there that would do nothing", async ({
    page,
  }) => {
    await page.goto("/docs/api");
    const article = page.getByRole("article", { name: "Create a payment link" });
    for (const [language, sign] of [
      ["Node", "await fetch("],
      ["PHP", "curl_init("],
      ["Python", "requests.post("],
      ["curl", "curl -X POST"],
    ] as const) {
      await article.getByRole("radio", { name: language }).check();
      await expect(article.getByText(sign)).toBeVisible();
    }
    await expect(page.getByRole("button")).toHaveCount(0);
  });
});

test("a language chosen once is chosen everywhere, also after a reload", async ({ page }) => {
  await page.goto("/docs/api");
  await page
    .getByRole("article", { name: "Create a payment link" })
    .getByRole("radio", { name: "Python" })
    .check();
  await expect(
    page.getByRole("article", { name: "Get a package" }).getByRole("radio", { name: "Python" }),
  ).toBeChecked();
  await page.reload();
  await expect(
    page.getByRole("article", { name: "Get a package" }).getByRole("radio", { name: "Python" }),
  ).toBeChecked();
});

const programs = {
  curl: (text: string, key: string) =>
    run("sh", ["-c", text], { env: childEnv({ API_KEY: key, FORCE_COLOR: "0" }) }),
  Node: (text: string, key: string) =>
    run(process.execPath, ["--input-type=module", "-e", text], {
      env: childEnv({ API_KEY: key, FORCE_COLOR: "0" }),
    }),
};
test("the copied examples make payment links on this install", async ({ page, context, shop }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/docs/api");
  const article = page.getByRole("article", { name: "Create a payment link" });
  for (const language of ["curl", "Node"] as const) {
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await article.getByRole("radio", { name: language }).check();
    const copy = article.getByRole("button", { name: "Copy the code of request" });
    await copy.click();
    await expect(copy).toHaveText("Copied");
    await expect(page.getByRole("status")).toHaveText("Copied");
    const held = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(held).not.toBe("");
    const { stdout } = await programs[language](await held(), shop.api.key);
    expect(stdout).toMatch(language === "curl" ? /^\{"success":true,/ : /^200 \{\s*success: true/);
  }
  const { data } = await shop.api.ok<{ data: Array<{ title: string }> }>("GET", "/payment-links");
  expect(data.map(({ title }) => title)).toEqual(["Invoice 1042", "Invoice 1042"]);
});

test("the OpenAPI document names this install", async ({ request, install }) => {
  const response = await request.get("/api/openapi.json");
  expect(response.status()).toBe(200);
  expect((await response.json()).servers).toEqual([{ url: `${install.url}/api` }]);
});
