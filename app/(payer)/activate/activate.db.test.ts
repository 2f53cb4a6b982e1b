import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { POST as pressButton } from "@/app/(payer)/simulator/[session]/route";
import { GET as thankYou } from "@/app/(payer)/thank-you/route";
import { closePool, db, withTransaction } from "@/db/client";
import type { Tokenization } from "@/lib/contract/tokenizations";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { expireToken } from "@/lib/flows/expiry/steps";
import { create } from "@/lib/domain/tokenizations/create";
import { get } from "@/lib/domain/tokenizations/get";
import { revoke } from "@/lib/domain/tokenizations/revoke";
import { find } from "@/lib/domain/tokenizations/rows";
import { referenceOf } from "@/lib/domain/tokenizations/rules";
import { script, setTimes } from "@/lib/gateways/simulator/scripting";
import { newToken } from "@/lib/kernel/ids";
import { newTenant, type Tenant } from "@/tests/contract/setting";
import { newStripeShop } from "@/tests/money/stripe-setting";
import { runningPeer } from "@/tests/stripe-peer/running";
import { GET, POST } from "./[token]/route";
import { GET as comeBack } from "./return/route";

const peer = runningPeer();

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
  await setTimes((await resolveGateway(tenant.ctx.test)).connection, { answerLimitMs: 50 });
});
afterAll(closePool);

const tokenInput = {
  email: "ana@example.com",
  title: "Membership",
  description: "Renewed every year",
};
const make = (more: { redirect_url?: string; title?: string } = {}) =>
  create(tenant.ctx.test, { ...tokenInput, ...more });

const contextOf = (url: string) => ({
  params: Promise.resolve({
    token: decodeURIComponent(new URL(url).pathname.split("/").at(-1) ?? ""),
  }),
});
const see = (url: string) => GET(new Request(url), contextOf(url));
const save = (url: string, headers: Record<string, string> = {}) =>
  POST(new Request(url, { method: "POST", body: new URLSearchParams(), headers }), contextOf(url));

async function press(url: string, outcome: string): Promise<string> {
  const body = new URLSearchParams({ outcome });
  const response = await pressButton(new Request(url, { method: "POST", body }), {
    params: Promise.resolve({ session: url.split("/").at(-1) ?? "" }),
  });
  return response.headers.get("location") ?? "";
}

const locationOf = (response: Response) => response.headers.get("location") ?? "";
const back = (url: string) => comeBack(new Request(url), {});

/** Presses save and then a button of the gateway's page. Returns the address the gateway sends the browser to. */
async function saveAt(made: Tokenization, outcome: string): Promise<string> {
  return press(locationOf(await save(made.activation_url)), outcome);
}

function expectNoReferrer(response: Response) {
  expect([response.headers.get("referrer-policy"), response.headers.get("cache-control")]).toEqual([
    "no-referrer",
    "no-store",
  ]);
}

describe("the activation page", () => {
  test("says for what and for whom, never to whom it was sent, and leaks its address nowhere", async () => {
    const { activation_url: url } = await make({ title: "<b>Membership</b>" });
    const response = await see(url);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html).toContain("&lt;b&gt;Membership&lt;/b&gt;");
    expect(html).toContain("Renewed every year");
    expect(html).toContain("Tide &amp; Co");
    expect(html).not.toContain("ana@example.com");
    expect(html).not.toMatch(/<script/);
    expect(response.headers.get("content-security-policy")).toContain("script-src 'none'");
    expectNoReferrer(response);
  });

  test.each([
    newToken(),
    newToken().toUpperCase(),
    "x",
    "%00",
    "%2e%2e",
    "0".repeat(24),
    "9".repeat(100),
  ])("of %s is not found", async (token) => {
    const url = `http://localhost:3000/activate/${token}`;
    for (const response of [await see(url), await save(url)])
      expect([
        response.status,
        (await response.text()).includes("Nothing can be activated"),
      ]).toEqual([404, true]);
  });

  test("refuses posts from other sites and posts that are no form, and begins nothing", async () => {
    const { _id, activation_url: url } = await make();
    const json = new Request(url, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    expect((await save(url, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await POST(json, contextOf(url))).status).toBe(415);
    expect((await find(tenant.ctx.test, _id))?.attempt).toBe(0);
  });

  test("says what has become of a token", async () => {
    const [used, expired, revoked] = [await make(), await make(), await make()];
    await back(await saveAt(used, "approve"));
    await db.execute(`update tokenizations set expires_at = now() where id = '${expired._id}'`);
    await revoke(tenant.ctx.test, revoked.token);
    const texts = [
      "Already activated",
      "This activation link has expired",
      "This payment method was withdrawn",
    ];
    for (const [index, { activation_url: url }] of [used, expired, revoked].entries()) {
      expect(await (await see(url)).text()).toContain(texts[index]);
      expect(locationOf(await save(url))).toBe(new URL(url).pathname + new URL(url).search);
    }
    await withTransaction((tx) => expireToken(tenant.ctx.test, tx, expired._id));
    expect(await (await see(expired.activation_url)).text()).toContain(texts[1]);
  });
});

describe("the way through the gateway", () => {
  test("ends at the business's own address with what became of it, nothing overwritten and no secret in it", async () => {
    const made = await make({
      redirect_url: "https://shop.example/back?a=b%20c&tokenization_status=mine#top",
    });
    const begun = await save(made.activation_url);
    expect([begun.status, new URL(locationOf(begun)).pathname.startsWith("/simulator/")]).toEqual([
      303,
      true,
    ]);
    expectNoReferrer(begun);
    const way = await press(locationOf(begun), "approve");
    expect(way).not.toContain(made.token);
    const response = await back(way);
    expect([response.status, locationOf(response)]).toEqual([
      303,
      `https://shop.example/back?a=b%20c&tokenization_status=mine&tokenization_id=${made._id}#top`,
    ]);
    expectNoReferrer(response);
    expect((await get(tenant.ctx.test, made._id)).status).toBe("active");
    expect(locationOf(await back(way))).toBe(locationOf(response));
  });

  test("appends both parameters to an address without any", async () => {
    const made = await make({ redirect_url: "https://shop.example" });
    expect(locationOf(await back(await saveAt(made, "approve")))).toBe(
      `https://shop.example?tokenization_id=${made._id}&tokenization_status=active`,
    );
  });

  test("ends at the thank-you page without an address, which shows nothing of the method", async () => {
    const made = await make();
    const address = locationOf(await back(await saveAt(made, "approve")));
    expect(address).toBe(`http://localhost:3000/thank-you?tokenization_id=${made._id}`);
    const response = await thankYou(new Request(address), {});
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html).toContain("Payment method saved");
    for (const secret of ["4242", "Visa", "ana@example.com", made.token])
      expect(html).not.toContain(secret);
  });

  test.each([
    ["decline", "Your payment method was not saved."],
    ["cancel", "You came back without saving."],
  ])(
    "after %s leads back to the page, which says so and can be tried again",
    async (outcome, text) => {
      const made = await make({ redirect_url: "https://shop.example" });
      const response = await back(await saveAt(made, outcome));
      expect(locationOf(response)).toBe(made.activation_url);
      expectNoReferrer(response);
      expect(await (await see(made.activation_url)).text()).toContain(text);
      expect(locationOf(await back(await saveAt(made, "approve")))).toContain(
        "tokenization_status=active",
      );
    },
  );

  test("proves nothing: a payer who comes back without having finished saves nothing", async () => {
    const made = await make();
    const way = await saveAt(made, "cancel");
    await save(made.activation_url);
    const next = way.replace("attempt=1", "attempt=2");
    expect((await back(next)).status).toBe(404);
    expect((await get(tenant.ctx.test, made._id)).status).toBe("pending");
  });

  test("that the gateway has no answer for says it is being saved, until there is one", async () => {
    const made = await make();
    const way = await saveAt(made, "approve");
    await script((await resolveGateway(tenant.ctx.test)).connection.id, "find", "hang", {
      reference: referenceOf(made._id, 1),
    });
    expect(locationOf(await back(way))).toBe(made.activation_url);
    expect(await (await see(made.activation_url)).text()).toContain(
      "Your payment method is being saved",
    );
    expect(locationOf(await back(way))).toContain("/thank-you");
  });

  test("whose page could not be opened says so on the activation page", async () => {
    const made = await make();
    await script((await resolveGateway(tenant.ctx.test)).connection.id, "save", "error", {
      reference: referenceOf(made._id, 1),
    });
    expect(locationOf(await save(made.activation_url))).toBe(`/activate/${made.token}?test=true`);
    expect(await (await see(made.activation_url)).text()).toContain("could not be reached");
  });

  test("whose page the gateway refuses to open says so, without the reason that is for staff", async () => {
    const shop = await newStripeShop(peer);
    const { activation_url: url } = await create(shop.ctx, tokenInput);
    peer.trouble = {
      status: 400,
      body: JSON.stringify({ error: { type: "invalid_request_error", message: "No setup here." } }),
    };
    expect((await save(url)).status).toBe(303);
    peer.trouble = null;
    const html = await (await see(url)).text();
    expect(html).toContain("The payment provider could not accept it. Nothing was saved");
    expect(/could not be reached|No setup here/.exec(html)).toBeNull();
    expect(new URL(locationOf(await save(url))).origin).toBe(peer.origin);
  });

  test("does not begin without a provider that saves methods: the page has no button and says so", async () => {
    const made = await create(tenant.ctx.live, tokenInput);
    expect((await save(made.activation_url)).status).toBe(303);
    const response = await see(made.activation_url);
    const html = await response.text();
    expect([response.status, html.includes("<button")]).toEqual([200, false]);
    expect(html).toContain("This business saves no payment methods here at the moment.");
    expect((await find(tenant.ctx.live, made._id))?.attempt).toBe(0);
  });

  test("gives no access to the token by its id alone", async () => {
    const made = await make();
    const way = new URL(await saveAt(made, "decline"));
    for (const change of [
      { proof: "" },
      { proof: "x" },
      { attempt: "2" },
      { attempt: "-1" },
      { attempt: "x" },
      { id: "0".repeat(24) },
      { id: "\0" },
      { proof: "é".repeat(43) },
    ]) {
      const tried = new URL(way);
      for (const [name, value] of Object.entries(change)) tried.searchParams.set(name, value);
      const response = await back(tried.href);
      expect([
        response.status,
        locationOf(response),
        (await response.text()).includes(made.token),
      ]).toEqual([404, "", false]);
    }
    expect((await back(`http://localhost:3000/activate/return?id=${made._id}`)).status).toBe(404);
  });
});

test.each(["", "\0", "x", "0".repeat(24), "../..", "'"])(
  "the thank-you page of %j is not found",
  async (id) => {
    expect(
      (
        await thankYou(
          new Request(
            `http://localhost:3000/thank-you?${new URLSearchParams({ tokenization_id: id })}`,
          ),
          {},
        )
      ).status,
    ).toBe(404);
  },
);

test("the thank-you page of a token that was not activated is not found", async () => {
  const { _id } = await make();
  expect(
    (await thankYou(new Request(`http://localhost:3000/thank-you?tokenization_id=${_id}`), {}))
      .status,
  ).toBe(404);
});
