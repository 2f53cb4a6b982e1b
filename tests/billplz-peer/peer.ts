import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Mode } from "@/lib/contract/values";
import { ErrorAnswer } from "./refused";
import { wrongAnswer, wrongRequest } from "./schema";
import { type Bill, type Outcome, Shop } from "./shop";
import { callbackFields, redirectOf, signedForm } from "./signing";

/** How often a callback is tried in all, as Billplz documents it. A test waits for none. */
const MAX_DELIVERIES = 5;

/**
 * Replaces Billplz in tests: the live host and the sandbox, each with accounts of its own. It keeps books, signs its callbacks and redirects, and
 * accepts only requests that the document names.
 */
export class BillplzPeer {
  readonly #shops = new Map<string, Shop>();
  readonly #lost: string[] = [];
  readonly #servers: Record<Mode, Server> = {
    test: createServer((request, response) => void this.#answer("test", request, response)),
    live: createServer((request, response) => void this.#answer("live", request, response)),
  };
  readonly origins: Record<Mode, string> = { test: "", live: "" };
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
  /** Whether callbacks go to the address that a bill names. */
  delivers = false;

  async start(): Promise<this> {
    for (const mode of ["test", "live"] as const) {
      const server = this.#servers[mode];
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      this.origins[mode] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    }
    return this;
  }

  async stop(): Promise<void> {
    for (const server of Object.values(this.#servers)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  /** An account with a collection and a secret key. */
  open(mode: Mode = "test", secret: string = randomUUID()): { shop: Shop; secret: string } {
    const shop = new Shop(mode, () => this.origins[mode]);
    shop.onChange = (bill) => void this.#send(shop, bill);
    this.#shops.set(secret, shop);
    return { shop, secret };
  }

  shop(secret: string): Shop {
    const shop = this.#shops.get(secret);
    if (!shop) throw new Error("no account has this key");
    return shop;
  }

  /** Another key of the same account. */
  share(secret: string, other: string): void {
    this.#shops.set(other, this.shop(secret));
  }

  /** The next answers to an operation are lost after the work was done. */
  lose(operation: string, times = 1): void {
    for (let count = 0; count < times; count++) this.#lost.push(operation);
  }

  /** Delivered means a 200; otherwise it is tried again. */
  async #send(shop: Shop, bill: Bill): Promise<void> {
    const body = signedForm(callbackFields(bill), shop.xSignatureKey);
    shop.sent.push({ bill: { ...bill }, body });
    if (!this.delivers) return;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    for (let tries = 0; tries < MAX_DELIVERIES; tries++) {
      const answer = await fetch(bill.callback_url, { method: "POST", body, headers }).catch(
        () => null,
      );
      if (answer?.status === 200) return;
    }
  }

  async #answer(mode: Mode, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const url = new URL(request.url ?? "/", this.origins[mode]);
    if (url.pathname.startsWith("/bills/")) return this.#page(request, url, text, response);
    if (this.trouble) {
      const headers = { "content-type": "application/json", ...this.trouble.headers };
      return void response.writeHead(this.trouble.status, headers).end(this.trouble.body);
    }
    const { operation, id } = operationOf(request.method ?? "", url.pathname);
    this.calls.push(operation);
    const [secret = ""] = Buffer.from(
      /^Basic (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "",
      "base64",
    )
      .toString()
      .split(":");
    const shop = this.#shops.get(secret);
    // The sandbox has accounts of its own.
    const { status, body } =
      shop?.mode === mode
        ? this.#run(shop, operation, id, url.searchParams, text)
        : failure(new ErrorAnswer(401, "Unauthorized", "Access denied"));
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

  #run(shop: Shop, operation: string, id: string, query: URLSearchParams, text: string) {
    const form = Object.fromEntries(new URLSearchParams(text));
    const problem = wrongRequest(operation, Object.fromEntries(query), form);
    if (problem) {
      this.problems.push(`${operation}: ${problem}`);
      return failure(new ErrorAnswer(422, "RecordInvalid", problem));
    }
    try {
      const answer = this.#perform(shop, operation, id, query, form);
      const wrong = wrongAnswer(operation, answer);
      if (wrong) this.problems.push(`${operation} answers: ${wrong}`);
      return { status: 200, body: this.#bent(operation, JSON.stringify(answer)) };
    } catch (error) {
      if (error instanceof ErrorAnswer) return failure(error);
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

  #perform(
    shop: Shop,
    operation: string,
    id: string,
    query: URLSearchParams,
    form: Record<string, string>,
  ): unknown {
    switch (operation) {
      case "POST /v3/bills":
        return shop.create(form);
      case "GET /v3/bills/{id}":
        return shop.bill(id);
      case "DELETE /v3/bills/{id}":
        return shop.delete(id);
      case "GET /v3/bills/{id}/transactions":
        return {
          bill_id: id,
          transactions: shop.transactions(id, query.get("status")).slice(0, 15),
          page: 1,
        };
      case "GET /v3/collections/{id}":
      case "GET /v3/collections/{id}/payment_methods":
        if (id !== shop.collectionId)
          throw new ErrorAnswer(404, "RecordNotFound", "Record not found");
        return operation.endsWith("payment_methods")
          ? {
              payment_methods: Object.entries(shop.methods).map(([code, active]) => ({
                code,
                name: code.toUpperCase(),
                active,
              })),
            }
          : {
              id,
              title: "Night Market",
              logo: { thumb_url: null, avatar_url: null },
              split_payment: { split_header: false },
              status: shop.isActive ? "active" : "inactive",
            };
      case "GET /v3/fpx_banks":
        return {
          banks: Object.entries(shop.banks).map(([name, active]) => ({ name, active })),
        };
      default:
        throw new ErrorAnswer(404, "RecordNotFound", "Record not found");
    }
  }

  /** The page of a bill: buttons instead of a bank. */
  #page(request: IncomingMessage, url: URL, body: string, response: ServerResponse): void {
    const id = url.pathname.split("/")[2] ?? "";
    const shop = [...this.#shops.values()].find(({ bills }) => bills.some((one) => one.id === id));
    if (!shop) return void response.writeHead(404).end();
    const bill =
      request.method === "POST"
        ? shop.press(id, String(new URLSearchParams(body).get("outcome")) as Outcome)
        : shop.bill(id);
    if (request.method === "POST" || bill.paid)
      return void response.writeHead(303, { location: redirectOf(bill, shop.xSignatureKey) }).end();
    const buttons = [
      ["approve", "Pay"],
      ["decline", "Payment fails"],
      ["approve_later", "Pay by bank, later"],
    ].map(([value, words]) => `<button name="outcome" value="${value}">${words}</button>`);
    response
      .writeHead(200, { "content-type": "text/html; charset=utf-8" })
      .end(
        `<!doctype html><html lang="en"><meta charset="utf-8"><title>Bill</title><main><h1>Bill ${bill.id}</h1><p>RM ${bill.amount}</p>${bill.state === "due" ? `<form method="post">${buttons.join("")}</form>` : "<p>This bill is closed.</p>"}</main></html>`,
      );
  }
}

const failure = ({ status, type, message }: ErrorAnswer) => ({
  status,
  body: JSON.stringify({ error: { type, message: [message] } }),
});

function operationOf(method: string, path: string): { operation: string; id: string } {
  const [, of = "", id = "", verb] =
    /^\/api\/v3\/(bills|collections)\/([^/]+)(?:\/([a-z_]+))?$/.exec(path) ?? [];
  if (id === "") return { operation: `${method} ${path.replace("/api", "")}`, id };
  return { operation: `${method} /v3/${of}/{id}${verb ? `/${verb}` : ""}`, id };
}
