import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { chargeToken } from "@/lib/contract/tokenizations";
import { handlerOf, matcher } from "@/lib/http/match";
import type { RouteHandler } from "@/lib/http/route-handler";
import { routeFiles } from "@/scripts/routes-plugin.mjs";
import { readyPath } from "@/tests/contract/fixtures";
import { data, keyCall, newOffice } from "@/tests/dashboard/setting";
import { newLink, newShop } from "@/tests/money/setting";

afterAll(closePool);

const routes = await Promise.all(
  routeFiles(process.cwd())
    .filter(({ file }) => file.includes("(payer)"))
    .map(async ({ file, pattern }) => ({
      pattern,
      module: (await import(`@/${file}`)) as Record<string, unknown>,
    })),
);
const match = matcher(routes);
let addresses = 0;

async function statusOf(address: string, form?: Record<string, string>): Promise<number> {
  const url = new URL(address, "http://localhost:3000");
  const found = match(url.pathname);
  const handler = found && (handlerOf(found.module, form ? "POST" : "GET") as RouteHandler);
  if (!found || !handler) throw new Error(`no route for ${address}`);
  const request = new Request(url, form && { method: "POST", body: new URLSearchParams(form) });
  const context = { params: found.params, clientAddress: `192.0.2.${++addresses}` };
  return (await handler(request, context)).status;
}

/** Any status below 500. */
const answered = expect.toSatisfy((status: number) => status < 500);
const hostile = ["\0", "x\0", "x", "0".repeat(24), "€", "a\nb", "9".repeat(400), "%", "\ud800"];

/** `{}` is where the value goes, `LINK` the id of a link that can be paid. */
const places = [
  "/pay?id={}",
  "/pay?id=LINK&attempt={}",
  "/pay?id=LINK&watch={}",
  "/pay/return?payment_id={}",
  "/thank-you?payment_id={}",
  "/thank-you?tokenization_id={}",
  "/activate/return?id={}&attempt=1&proof=x",
  `/activate/return?id=${"0".repeat(24)}&attempt={}&proof={}`,
  "/activate/{}",
  "/receipt/{}",
  "/logo/{}",
  "/simulator/{}",
];

test.each(places)("a payer's page answers any text without a 500: %s", async (place) => {
  const { _id: link } = await newLink(await newShop());
  for (const text of hostile) {
    const address = place
      .replace("LINK", link)
      .replaceAll("{}", encodeURIComponent(text.toWellFormed()));
    expect([text, await statusOf(address)]).toEqual([text, answered]);
  }
});

test.each(["id", "version", "method"])("so does a form with any text as its %s", async (field) => {
  const { _id: id } = await newLink(await newShop());
  const form = { id, version: "0" };
  for (const text of hostile) {
    const status = await statusOf("/pay", { ...form, [field]: text });
    expect([text, status]).toEqual([text, answered]);
  }
});

test("a page with a bad attempt does not fail another that is read at the same moment", async () => {
  const { _id: link } = await newLink(await newShop());
  const attempts = ["%00", "0".repeat(24), "%00", "1".repeat(24)];
  expect(
    await Promise.all(attempts.map((one) => statusOf(`/pay?id=${link}&attempt=${one}`))),
  ).toEqual([200, 200, 200, 200]);
});

test("a charge of a saved method has no page to which its payer could come back", async () => {
  const office = await newOffice();
  const charge = { amount: 3_200, currency: "USD", title: "Late fee" };
  const path = await readyPath(chargeToken, office.shop.ctx);
  const { _id: id } = data(await keyCall(office, "POST", path, charge));
  await pool().query("update payments set status = 'failed' where id = $1", [id]);
  expect(await statusOf(`/pay/return?payment_id=${String(id)}`)).toBe(404);
});
