import { createHash } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { closePool } from "@/db/client";
import type { Connection } from "@/lib/gateways/gateway";
import { simulatorGateway } from "@/lib/gateways/simulator/adapter";
import { journalOf } from "@/lib/gateways/simulator/scripting";
import { newId, newToken } from "@/lib/kernel/ids";
import { GET, POST } from "./route";

afterAll(closePool);

const addresses = {
  returnUrl: "http://localhost:3000/pay/return?attempt=1",
  cancelUrl: "http://localhost:3000/pay?id=1",
};

type Hosted = { connection: Connection; reference: string; url: string };

async function open(
  kind: "pay" | "save" = "pay",
  { expiresInMs = 600_000, title = "Yearly <b>fee</b>" } = {},
): Promise<Hosted> {
  const connection: Connection = { id: newId(), businessId: 1, mode: "test", secret: newToken() };
  const reference = newId();
  const expiresAt = new Date(Date.now() + expiresInMs).toISOString();
  const payer = { email: "payer@example.com", name: null, phone: null };
  const request = { key: `k${reference}`, reference, payer, title, expiresAt, ...addresses };
  const answer = await (kind === "save"
    ? simulatorGateway.saveMethod(connection, request)
    : simulatorGateway.beginPayment(connection, { ...request, amount: 123_456, currency: "MYR" }));
  if (answer.kind !== "redirect") throw new Error(answer.kind);
  return { connection, reference, url: answer.url };
}

const contextOf = (url: string) => ({
  params: Promise.resolve({ session: new URL(url).pathname.split("/").at(-1) ?? "" }),
});
const see = (url: string) => GET(new Request(url), contextOf(url));
const send = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  POST(
    new Request(url, { method: "POST", body: new URLSearchParams(fields), headers }),
    contextOf(url),
  );
const press = (url: string, outcome: string, declines?: string) =>
  send(url, { outcome, ...(declines === undefined ? {} : { declines }) });

const buttons = (html: string) =>
  [...html.matchAll(/<button[^>]*>([^<]*)<\/button>/g)].map((match) => match[1]);

describe("the hosted page", () => {
  test("offers every outcome by name, shows the amount, escapes the title and runs no script", async () => {
    const { url } = await open();
    const response = await see(url);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(buttons(html)).toEqual([
      "Approve",
      "Decline",
      "Decline hard",
      "Approve later",
      "Lose the answer",
      "Cancel",
    ]);
    expect(html).toContain("MYR 1,234.56");
    expect(html).toContain("Yearly &lt;b&gt;fee&lt;/b&gt;");
    const style = createHash("sha256")
      .update(/<style>(.*?)<\/style>/s.exec(html)?.[1] ?? "")
      .digest("base64");
    expect(response.headers.get("content-security-policy")).toContain(
      `style-src 'sha256-${style}'`,
    );
    expect(response.headers.get("content-security-policy")).toContain("script-src 'none'");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("offers what a saved method may do later", async () => {
    const { url } = await open("save");
    expect(buttons(await (await see(url)).text())).toEqual([
      "Approve",
      "Approve but decline later charges",
      "Approve but expire",
      "Decline",
      "Cancel",
    ]);
  });

  test.each([
    ["approve", "succeeded"],
    ["decline", "failed"],
    ["decline_hard", "failed"],
    ["approve_later", "pending"],
    ["lose_answer", "unknown"],
  ])(
    "%s sends the browser back to the address as it was given, and is then %s",
    async (outcome, kind) => {
      const { connection, reference, url } = await open();
      const response = await press(url, outcome);
      expect([response.status, response.headers.get("location")]).toEqual([
        303,
        addresses.returnUrl,
      ]);
      expect((await simulatorGateway.find(connection, reference)).kind).toBe(kind);
    },
  );

  test("cancel sends it to the cancel address", async () => {
    const { connection, reference, url } = await open();
    const response = await press(url, "cancel");
    expect([response.status, response.headers.get("location")]).toEqual([303, addresses.cancelUrl]);
    expect((await simulatorGateway.find(connection, reference)).kind).toBe("cancelled");
  });

  test.each(["approve", "approve_declines", "approve_expires"])(
    "%s saves a method",
    async (outcome) => {
      const { connection, reference, url } = await open("save");
      expect((await press(url, outcome, "3")).headers.get("location")).toBe(addresses.returnUrl);
      expect((await simulatorGateway.find(connection, reference)).kind).toBe("saved");
    },
  );

  test("32 posts at once make one charge, and every one of them leads back", async () => {
    const { connection, url } = await open();
    const responses = await Promise.all(Array.from({ length: 32 }, () => press(url, "approve")));
    expect(
      new Set(
        responses.map((response) => `${response.status} ${response.headers.get("location")}`),
      ),
    ).toEqual(new Set([`303 ${addresses.returnUrl}`]));
    expect(await journalOf(connection.id)).toHaveLength(1);
  });

  test("once finished it says so, with a way back and no button", async () => {
    const { url } = await open();
    await press(url, "approve");
    const html = await (await see(url)).text();
    expect(html).toContain("The payment was approved.");
    expect(html).toContain(`href="${addresses.returnUrl}"`);
    expect(buttons(html)).toEqual([]);
  });

  test("past its time it takes nothing and leads back", async () => {
    const { connection, url } = await open("pay", { expiresInMs: -1_000 });
    for (const response of [await see(url), await press(url, "approve"), await see(url)]) {
      const html = await response.text();
      expect([response.status, buttons(html)]).toEqual([200, []]);
      expect(html).toContain("The time for this page is over.");
      expect(html).toContain(`href="${addresses.cancelUrl}"`);
    }
    expect(await journalOf(connection.id)).toEqual([]);
  });

  test("unknown and misshapen sessions are not found", async () => {
    for (const session of [newToken(), "x", newToken().toUpperCase(), "%00"]) {
      const url = `http://localhost:3000/simulator/${session}`;
      expect((await see(url)).status).toBe(404);
      expect((await press(url, "approve")).status).toBe(404);
    }
  });

  test("what is no press of its own buttons presses nothing", async () => {
    const { connection, reference, url } = await open();
    const json = new Request(url, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    const huge = "a".repeat(5_000);
    const statuses = [
      (await press(url, "approve_expires")).status,
      (await press(url, "")).status,
      (await send(url, {})).status,
      (await send(url, { outcome: "approve" }, { "sec-fetch-site": "cross-site" })).status,
      (await send(url, { outcome: "approve", huge })).status,
      (await POST(json, contextOf(url))).status,
    ];
    expect(statuses).toEqual([400, 400, 400, 403, 413, 415]);
    expect((await simulatorGateway.find(connection, reference)).kind).toBe("open");
  });

  test("a number of later declines that makes no sense saves nothing", async () => {
    const { connection, reference, url } = await open("save");
    for (const declines of ["0", "21", "-1", "1.5", "x"])
      expect((await press(url, "approve_declines", declines)).status).toBe(400);
    expect((await simulatorGateway.find(connection, reference)).kind).toBe("open");
  });
});
