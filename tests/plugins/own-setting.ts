import { createServer as createHttpServer, request } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { closePool } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { visitAsPayer } from "@/lib/operator/payer-browser";
import { newTenant, type Tenant } from "../contract/setting";
import { serveRoutes } from "../served";
import { endpointAt, runnerOf, until } from "../webhooks/setting";
import { Shop } from "./wordpress";

type Link = {
  _id: string;
  title: string;
  amount: number;
  currency: string;
  status: string;
  reference: string;
  payment_url: string;
};
type Payment = { _id: string; status: string; amount: number; refunded_amount: number };
type Refund = { _id: string; status: string; amount: number };
/** How a request to the shop's webhook address differs from a genuine one. */
export type Sent = { id?: string; at?: Date; key?: string; body?: string };

/** A shop with the plugin, and a Kutip with a business of the test's own, for all tests of a file. */
export class World {
  kutip!: Awaited<ReturnType<typeof serveRoutes>>;
  shop!: Shop;
  tenant!: Tenant;
  secret!: string;
  endpoint!: string;

  /** Staff enter the settings: of the test's business, and of test mode, unless they are given. */
  connect(address = this.kutip.origin, key = this.tenant.keys.test): void {
    const webhook_secret = this.secret;
    this.shop.settings({ address: `${address}/`, api_key: key, webhook_secret });
  }

  async read<T>(path: string): Promise<T> {
    const headers = { authorization: `Bearer ${this.tenant.keys.test}` };
    const answer = await fetch(`${this.kutip.origin}/api${path}`, { headers });
    return ((await answer.json()) as { data: T }).data;
  }
  readonly links = async () => (await this.read<{ data: Link[] }>("/payment-links")).data;
  readonly payments = async () => (await this.read<{ data: Payment[] }>("/payments")).data;
  readonly refunds = async (id: string) =>
    (await this.read<{ data: Refund[] }>(`/payments/${id}/refunds`)).data;

  /** Delivers webhooks until a value is as expected. */
  readonly delivers = <T>(read: () => Promise<T> | T, wanted: T): Promise<void> =>
    until(runnerOf(this.tenant.ctx.test), read, wanted);
  readonly statusBecomes = (id: number, status: string) =>
    this.delivers(() => this.shop.read(id).status, status);
  readonly noteComes = (id: number, words: string) =>
    this.delivers(() => this.shop.read(id).notes?.some((note) => note.includes(words)), true);

  /** Sends an event to the shop, signed as Kutip does. Returns the status of the answer. */
  readonly post = async (event: object, change: Sent = {}): Promise<number> => {
    const { _id = "" } = event as { _id?: string };
    const { id = _id, at = new Date(), key = this.secret, body = JSON.stringify(event) } = change;
    const signature = new Webhook(key).sign(id, at, JSON.stringify(event));
    const { status } = await fetch(this.shop.webhookUrl, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
        "webhook-signature": signature,
      },
    });
    return status;
  };

  /** Staff refund in Kutip, not in the shop. */
  async refundInKutip(payment: string, amount: number, how: object = {}): Promise<void> {
    const answer = await fetch(`${this.kutip.origin}/api/payments/${payment}/refunds`, {
      method: "POST",
      body: JSON.stringify({ amount, ...how }),
      headers: {
        authorization: `Bearer ${this.tenant.keys.test}`,
        "content-type": "application/json",
      },
    });
    if (!answer.ok) throw new Error(await answer.text());
  }

  /** The payer presses pay in the shop and ends at the simulator with this outcome. */
  async pay(id: number, outcome: "approve" | "decline" = "approve"): Promise<void> {
    const { redirect = "" } = await this.shop.checkout(id);
    await visitAsPayer(this.kutip.origin, redirect, outcome);
  }

  /** A paid order, and its payment. */
  async paidOrder(total = "12.50", currency = "MYR"): Promise<{ id: number; payment: string }> {
    const id = this.shop.order(total, currency);
    await this.pay(id);
    await this.statusBecomes(id, "processing");
    return { id, payment: this.shop.read(id).transaction_id ?? "" };
  }
}

/** To be called once in a file. */
export function newWorld(): World {
  provideEnv({ WEBHOOK_ALLOW_PRIVATE: "1" });
  const world = new World();
  beforeAll(async () => {
    world.kutip = await serveRoutes();
    world.shop = await Shop.open();
  });
  afterAll(async () => {
    world.shop.close();
    await world.kutip.close();
    await closePool();
  });
  beforeEach(async () => {
    world.shop.beginAgain();
    world.tenant = await newTenant("Kedai Demo");
    const { id, secret } = await endpointAt(world.tenant.ctx.test, world.shop.webhookUrl);
    Object.assign(world, { endpoint: id, secret });
    world.connect();
  });
  return world;
}

/** A port that takes connections and never says anything. */
export async function silence(): Promise<{ origin: string; close: () => void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

type Passing = boolean | "unanswered";

/** A line to Kutip. A call that does not pass is lost: it reaches nothing and gets no answer. One that is `unanswered` reaches Kutip, and the answer is lost. */
export async function line(
  kutip: string,
  passes: (method: string, path: string) => Passing | Promise<Passing>,
): Promise<{ origin: string; close: () => void }> {
  const server = createHttpServer(async (incoming, response) => {
    const { method = "", url = "", headers } = incoming;
    const passing = await passes(method, url);
    if (!passing) return void incoming.socket.destroy();
    const to = new URL(url, kutip);
    const call = request(to, { method, headers: { ...headers, host: to.host } }, (answer) => {
      if (passing === "unanswered") return void incoming.socket.destroy();
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(call);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
