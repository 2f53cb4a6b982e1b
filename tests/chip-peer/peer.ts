import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Bank, type Outcome, type Sent } from "./bank";
import type { Purchase, PurchaseAsked } from "./objects";
import { hostedPage } from "./page";
import { ErrorAnswer } from "./refused";
import { statusOf, wrongAnswer, wrongCallback, wrongQuery, wrongRequest } from "./schema";
import { type Keys, newKeys, signed } from "./signing";

type Webhook = { id: string; callback: string; keys: Keys };

/** How often a callback is tried in all, as CHIP documents it. Its intervals are not documented; a test waits for none. */
const MAX_DELIVERIES = 9;

/**
 * Replaces CHIP in tests. It keeps books, signs its callbacks and delivers them as CHIP documents it. It accepts only requests, and returns only objects,
 * that the document allows.
 */
export class ChipPeer {
  readonly #banks = new Map<string, Bank>();
  readonly #webhooks = new Map<Bank, Webhook[]>();
  readonly #lost: string[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  /** Requests and answers that do not match the document. Tests expect none. */
  readonly problems: string[] = [];
  /** Requests as they came, by operation. */
  readonly calls: string[] = [];
  /** What every call is answered with instead, while set. */
  trouble: { status: number; body: string; headers?: Record<string, string> } | null = null;
  /** The next answer to this operation is kept back, though the work is done. */
  held: { operation: string; until: Promise<void> } | null = null;
  /** Changes the next answer of an operation, as a gateway that is at fault would. */
  bend: { operation: string; change: (answer: Record<string, unknown>) => void } | null = null;
  /** How the banks of FPX are; null: there is no report. */
  bankStates: Record<string, string> | null = {};
  /** Answers of reads of a purchase by their addresses, which it gives again; null: it gives none again. */
  cache: Map<string, { status: number; body: string }> | null = null;
  /** How many webhooks a page lists. The document names no size, and no parameter of a page: that of `next` is the peer's own. */
  webhooksPerPage = 50;
  /** Whether success callbacks go to the address that a purchase names. */
  delivers = false;
  origin = "";

  async start(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** A company with a brand and a secret key. */
  open(
    mode: "test" | "live" = "test",
    secret: string = randomUUID(),
  ): { bank: Bank; secret: string } {
    const bank = new Bank(randomUUID(), mode === "test", () => this.origin);
    bank.onEvent = (event, purchase) => void this.#send(bank, event, purchase);
    this.#banks.set(secret, bank);
    return { bank, secret };
  }

  bank(secret: string): Bank {
    const bank = this.#banks.get(secret);
    if (!bank) throw new Error("no company has this key");
    return bank;
  }

  /** Another key of the same company. */
  share(secret: string, other: string): void {
    this.#banks.set(other, this.bank(secret));
  }

  /** The next answers to an operation are lost after the work was done. */
  lose(operation: string, times = 1): void {
    for (let count = 0; count < times; count++) this.#lost.push(operation);
  }

  /** A webhook of all events, with a key pair of its own. */
  addWebhook(bank: Bank, callback: string): Webhook {
    const webhook = { id: randomUUID(), callback, keys: newKeys() };
    this.#webhooks.set(bank, [...(this.#webhooks.get(bank) ?? []), webhook]);
    return webhook;
  }

  async #send(bank: Bank, event: Sent, purchase: Purchase): Promise<void> {
    const schema = event.type.startsWith("payment.") ? "PaymentCallback" : "PurchaseCallback";
    const problem = wrongCallback(schema, JSON.parse(event.body));
    if (problem) this.problems.push(`${event.type}: ${problem}`);
    if (!this.delivers) return;
    const isSuccess = ["purchase.paid", "purchase.captured"].includes(event.type);
    if (isSuccess && purchase.success_callback)
      await deliver(purchase.success_callback, event.body, bank.keys);
    for (const { callback, keys } of this.#webhooks.get(bank) ?? [])
      await deliver(callback, event.body, keys);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const url = new URL(request.url ?? "/", this.origin);
    if (url.pathname.startsWith("/p/")) return this.#page(request, url, text, response);
    if (this.trouble) {
      const headers = { "content-type": "application/json", ...this.trouble.headers };
      return void response.writeHead(this.trouble.status, headers).end(this.trouble.body);
    }
    if (url.pathname === "/health_check/fpx_b2c")
      return void response
        .writeHead(this.bankStates ? 200 : 503, { "content-type": "application/json" })
        .end(JSON.stringify(this.bankStates ?? {}));
    const { operation, id } = operationOf(request.method ?? "", url.pathname);
    this.calls.push(operation);
    const bank = this.#banks.get(
      /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "",
    );
    const address = url.href;
    const run = () =>
      bank
        ? this.#run(bank, operation, { id, query: url.searchParams, text })
        : { status: 401, body: "{}" };
    const { status, body } = (operation === readPurchase && this.cache?.get(address)) || run();
    if (operation === readPurchase) this.cache?.set(address, { status, body });
    const { held } = this;
    if (held?.operation === operation) {
      this.held = null;
      await held.until;
    }
    const at = this.#lost.indexOf(operation);
    if (at >= 0) {
      this.#lost.splice(at, 1);
      return void request.socket.destroy();
    }
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  }

  #run(
    bank: Bank,
    operation: string,
    { id, query, text }: { id: string; query: URLSearchParams; text: string },
  ): { status: number; body: string } {
    const asked: unknown = text === "" ? undefined : JSON.parse(text);
    const page = Number(query.get("page") ?? 1);
    if (operation === "GET /webhooks/") query.delete("page");
    // Of CHIP's plugins, and not of its document.
    if (operation === readPurchase) query.delete("time");
    const problem = wrongRequest(operation, asked) ?? wrongQuery(operation, query);
    if (problem) {
      this.problems.push(`${operation}: ${problem}`);
      return {
        status: 400,
        body: JSON.stringify({ __all__: { message: problem, code: "invalid" } }),
      };
    }
    try {
      const answer =
        operation === "GET /webhooks/"
          ? this.#webhooksOf(bank, page)
          : this.#perform(bank, operation, id, asked as Record<string, unknown>);
      const wrong = wrongAnswer(operation, JSON.parse(JSON.stringify(answer)));
      if (wrong) this.problems.push(`${operation} answers: ${wrong}`);
      return { status: statusOf(operation), body: this.#bent(operation, JSON.stringify(answer)) };
    } catch (error) {
      if (error instanceof ErrorAnswer)
        return { status: error.status, body: error.body ? JSON.stringify(error.body) : "" };
      this.problems.push(`${operation}: ${String(error)}`);
      return { status: 500, body: "" };
    }
  }

  #bent(operation: string, body: string): string {
    const { bend } = this;
    if (bend?.operation !== operation) return body;
    this.bend = null;
    const answer = JSON.parse(body) as Record<string, unknown>;
    bend.change(answer);
    return JSON.stringify(answer);
  }

  #perform(bank: Bank, operation: string, id: string, asked: Record<string, unknown>): unknown {
    switch (operation) {
      case "POST /purchases/":
        return bank.create(asked as PurchaseAsked);
      case "GET /purchases/{id}/":
        return bank.purchase(id);
      case "POST /purchases/{id}/cancel/":
        return bank.cancel(id);
      case "POST /purchases/{id}/charge/":
        return bank.charge(id, String(asked.recurring_token));
      case "POST /purchases/{id}/refund/":
        return bank.refund(id, asked.amount as number | undefined);
      case "POST /purchases/{id}/delete_recurring_token/":
        return bank.deleteToken(id);
      case "GET /public_key/":
        return bank.keys.publicPem;
      case "GET /payment_methods/":
        return {
          available_payment_methods: bank.methods,
          card_methods: bank.methods.filter((name) => ["visa", "mastercard"].includes(name)),
        };
      default:
        throw new ErrorAnswer(404, undefined);
    }
  }

  #webhooksOf(bank: Bank, page: number): object {
    const all = this.#webhooks.get(bank) ?? [];
    const end = page * this.webhooksPerPage;
    return {
      results: all.slice(end - this.webhooksPerPage, end).map(({ id, callback, keys }) => ({
        id,
        title: "Kutip",
        all_events: true,
        events: ["purchase.paid"],
        callback,
        public_key: keys.publicPem,
      })),
      next: end < all.length ? `${this.origin}/api/v1/webhooks/?page=${page + 1}` : null,
      previous: null,
    };
  }

  /** The page that CHIP would show: buttons instead of a bank. */
  #page(request: IncomingMessage, url: URL, body: string, response: ServerResponse): void {
    const id = url.pathname.split("/")[2] ?? "";
    const bank = [...this.#banks.values()].find(({ purchases }) =>
      purchases.some((one) => one.id === id),
    );
    if (!bank) return void response.writeHead(404).end();
    const purchase =
      request.method === "POST"
        ? bank.press(id, String(new URLSearchParams(body).get("outcome")) as Outcome)
        : bank.purchase(id);
    if (["paid", "preauthorized", "pending_execute"].includes(purchase.status))
      return void response.writeHead(303, { location: purchase.success_redirect }).end();
    if (request.method === "POST" && purchase.status === "error")
      return void response.writeHead(303, { location: purchase.failure_redirect }).end();
    response
      .writeHead(200, { "content-type": "text/html; charset=utf-8" })
      .end(hostedPage(purchase, url.searchParams));
  }
}

/** Delivered means an answer of the 200 series; otherwise it is tried again. */
async function deliver(url: string, body: string, keys: Keys): Promise<void> {
  const headers = { "content-type": "application/json", "x-signature": signed(body, keys) };
  for (let tries = 0; tries < MAX_DELIVERIES; tries++) {
    const answer = await fetch(url, { method: "POST", body, headers }).catch(() => null);
    if (answer?.ok) return;
  }
}

const readPurchase = "GET /purchases/{id}/";

function operationOf(method: string, path: string): { operation: string; id: string } {
  const [, id = "", verb] = /^\/api\/v1\/purchases\/([^/]+)\/(?:([a-z_]+)\/)?$/.exec(path) ?? [];
  if (id === "") return { operation: `${method} ${path.replace("/api/v1", "")}`, id };
  return { operation: `${method} /purchases/{id}/${verb ? `${verb}/` : ""}`, id };
}
