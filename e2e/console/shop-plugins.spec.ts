import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { arrive } from "./screen";
import { expect, test } from "./fixtures";

type Approved = {
  id: number;
  integration: { id: number; api_key: string; signature_key: string };
};

/** A shop on this machine that checks the hash as the plugins do, and says so. */
async function openShop(signatureKey: () => string) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    if (request.method === "GET") return void response.end("Thank you");
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString();
      bodies.push(body);
      const { hash, ...values } = (JSON.parse(body) as { data: Record<string, string> }).data;
      const text = signatureKey() + Object.values(values).join("");
      const right = createHmac("sha256", signatureKey()).update(text).digest("hex");
      response.end(hash === right ? "Swipe IPN webhook success" : "Hash mismatch.");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return { origin, url: `${origin}/?wc-api=swipego_wc_gateway`, bodies, server };
}

test("a shop plugin is connected, makes an order, is declined, paid and called back", async ({
  page,
  browser,
  furnished: { shop },
  install,
}) => {
  await arrive(page, `/b/${shop.id}/test/settings/shop-plugins`, "Shop plugins");
  await page.getByRole("button", { name: "Connect a plugin" }).click();
  const form = page.getByRole("form", { name: "New shop plugin" });
  await form.getByLabel("Name").fill("Kedai Demo");
  await form.getByRole("button", { name: "Connect" }).click();
  const shown = page.getByRole("dialog", { name: "The password for the plugin" });
  const password = (await shown.getByText(/^ip_test_/).textContent()) ?? "";
  await shown.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "I’ve saved it" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Kedai Demo" })).toBeVisible();
  await expect(page.getByText("PRODUCTION_URL = ")).toBeVisible();

  const call = async <T>(method: string, path: string, body?: unknown, key?: string) => {
    const answer = await fetch(`${install.url}/api/v1/${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(key ? { authorization: `Bearer ${key}` } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { data: T }).data;
  };
  const email = "owner@shop.example";
  const { token } = await call<{ token: string }>("POST", "auth/sign-in", { email, password });
  const [business] = await call<Approved[]>("GET", "approved-businesses", undefined, token);
  if (!business) throw new Error("no business");
  const { id, api_key: apiKey, signature_key: signatureKey } = business.integration;
  const own = await openShop(() => signatureKey);
  await call(
    "POST",
    `integrations/businesses/${business.id}/integrations/${id}/webhook-events`,
    { name: "payment.created", url: own.url, enabled: true },
    token,
  );
  const link = await call<{ payment_url: string; _id: string }>(
    "POST",
    "payment-links",
    {
      ...{ email: "siti@example.com", currency: "MYR", amount: "1,234.50", title: "Kedai Demo" },
      ...{ reference: 102, reference_2: "woocommerce", redirect_url: `${own.origin}/back` },
    },
    apiKey,
  );
  const context = await browser.newContext({ javaScriptEnabled: false });
  const payer = await context.newPage();
  for (const outcome of ["Decline", "Approve"]) {
    await payer.goto(link.payment_url);
    await payer.getByRole("button", { name: /^Pay/ }).click();
    await payer.getByRole("button", { name: outcome, exact: true }).click();
  }
  await expect(payer.getByText("Thank you")).toBeVisible();
  expect(payer.url()).toContain(`${own.origin}/back?payment_link_id=`);
  const back = new URL(payer.url()).searchParams;
  expect(back.get("payment_amount")).toBe("1234.50");
  expect(back.has("payment_id")).toBe(false);
  await context.close();
  await expect.poll(() => own.bodies.length, { timeout: 30_000 }).toBe(1);
  await page.reload();
  await expect(page.getByText("Swipe IPN webhook success")).toBeVisible();
  await expect(page.getByText(own.url)).toBeVisible();
  own.server.close();
});
