import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { childEnv } from "@/lib/env";

const PLUGIN = path.resolve("integrations/woocommerce/kutip-for-woocommerce.php");
const SHOP = path.join(import.meta.dirname, "wordpress/shop.php");

/** An order as the shop has stored it. */
export type Order = {
  id: number;
  status: string;
  total: string;
  currency: string;
  billing_email: string;
  payment_method: string;
  payment_method_title?: string;
  notes?: string[];
  refunds?: { amount: string; reason: string }[];
  transaction_id?: string;
  date_paid?: number;
  completed?: number;
  meta?: Record<string, unknown>;
  /** So many times WooCommerce cannot complete the order. */
  completion_fails?: number;
};

export type Storage = "posts" | "tables";
export type Checkout = { result: string; redirect?: string; notices: string[] };

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A shop with the plugin for WooCommerce, in PHP, behind its own server. WordPress and WooCommerce are stand-ins. */
export class Shop {
  #orders = 100;
  #facts: object = {};

  private constructor(
    readonly origin: string,
    private readonly folder: string,
    private readonly server: ChildProcess,
    readonly features: Record<string, boolean>,
  ) {}

  static async open(): Promise<Shop> {
    const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-shop-"));
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    writeFileSync(path.join(folder, "shop.json"), JSON.stringify({ origin }));
    // A process group of its own: the server has workers.
    const server = spawn("php", ["-d", "display_errors=1", "-S", `127.0.0.1:${port}`, SHOP], {
      detached: true,
      stdio: "ignore",
      env: childEnv({
        KUTIP_SHIM_FOLDER: folder,
        KUTIP_PLUGIN: PLUGIN,
        KUTIP_SHIM_TIMEOUT: "1",
        PHP_CLI_SERVER_WORKERS: "6",
      }),
    });
    for (const until = Date.now() + 20_000; ; ) {
      const ready = await fetch(`${origin}/ready`).catch(() => undefined);
      if (ready?.ok)
        return new Shop(origin, folder, server, (await ready.json()) as Record<string, boolean>);
      if (Date.now() > until || server.exitCode !== null)
        throw new Error("the shop in PHP does not start: is php-cli there?");
    }
  }

  close(): void {
    if (this.server.pid) process.kill(-this.server.pid, "SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  get webhookUrl(): string {
    return `${this.origin}/?wc-api=kutip`;
  }

  #write(name: string, value: unknown): void {
    writeFileSync(path.join(this.folder, name), JSON.stringify(value));
  }

  /** With no scheduled action, and with its first name and storage. */
  beginAgain(): void {
    this.#write("scheduled.json", []);
    this.#facts = {};
    this.#be({});
  }

  #be(facts: object): void {
    this.#facts = { ...this.#facts, ...facts };
    this.#write("shop.json", { origin: this.origin, ...this.#facts });
  }

  /** The name of the shop, as WordPress stores it. */
  rename(name: string): void {
    this.#be({ name });
  }

  /** Where WooCommerce keeps orders. Order tables have a cache of their own. */
  keepOrdersAs(storage: Storage): void {
    this.#be({ storage });
  }

  /** The address of the shop as staff have entered it. */
  nameAddress(origin: string): void {
    this.#be({ origin });
  }

  /** How long a process waits for another one that works on the same order. */
  waitForOrders(lock_seconds: number): void {
    this.#be({ lock_seconds });
  }

  /** What staff enter on the settings page. */
  settings(values: Record<string, string>): void {
    this.#write("options.json", {
      woocommerce_kutip_settings: { enabled: "yes", title: "Pay online", ...values },
    });
  }

  order(total: string, currency = "MYR", id = ++this.#orders): number {
    const fields = { status: "pending", payment_method: "kutip" };
    const billing_email = "siti@example.com";
    this.#write(`order-${id}.json`, { id, total, currency, billing_email, ...fields });
    return id;
  }

  read(id: number): Order {
    return JSON.parse(readFileSync(path.join(this.folder, `order-${id}.json`), "utf8")) as Order;
  }

  /** The stored order is changed, and WooCommerce calls no hook. */
  edit(id: number, change: Partial<Order>): void {
    this.#write(`order-${id}.json`, { ...this.read(id), ...change });
  }

  async post<T>(address: string, body: unknown = {}): Promise<T> {
    const answer = await fetch(`${this.origin}${address}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok || text === "") throw new Error(`${address}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }

  readonly checkout = (id: number) => this.post<Checkout>(`/checkout/${id}`);
  readonly refund = (id: number, amount: string, reason = "Too many") =>
    this.post<{ error: string | null }>(`/refund/${id}`, { amount, reason });
  /** Staff record in WooCommerce what they gave back in another way, such as cash. */
  readonly refundByHand = (id: number, amount: string) =>
    this.post<{ error: string | null }>(`/refund/${id}`, { amount, refund_payment: false });
  readonly setStatus = (id: number, status: string) => this.post(`/status/${id}`, { status });
  /** Staff edit the order, or its payer does at the checkout. */
  readonly update = (id: number, change: Partial<Order>) => this.post(`/update/${id}`, change);
  /** The order list does it, or a program. */
  readonly remove = (id: number, how: "trash" | "delete", by: { rest?: true } = {}) =>
    this.post(`/${how}/${id}`, by);
  /** Returns how many actions ran. */
  readonly runScheduled = () => this.post<number>("/run-scheduled");

  async page(address: string): Promise<string> {
    return (await fetch(`${this.origin}${address}`)).text();
  }
}
