import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { Bank } from "./bank";
import type { Sent } from "./new-objects";
import { type Metadata, newIdOf, type Outcome, shown } from "./objects";
import { hostedPage } from "./page";
import { dig, type Form, listed, ofIntent } from "./lists";
import { badRequest, Refused } from "./refused";
import { parseForm, wrongObject, wrongRequest } from "./schema";

type Kept = { fingerprint: string; answer: { status: number; body: string } | null };

const secretOf = ({ headers }: IncomingMessage): string | undefined =>
  /^Bearer ((?:sk|rk)_(?:test|live)_[A-Za-z0-9]+)$/.exec(headers.authorization ?? "")?.[1];

/**
 * Replaces Stripe in tests. It keeps books, follows Stripe's rules for idempotency keys, and signs its events. It accepts only requests,
 * and returns only objects, that Stripe's OpenAPI document allows.
 */
export class StripePeer {
  readonly #banks = new Map<string, Bank>();
  readonly #keys = new Map<string, Kept>();
  /** As Stripe does a day after it saw them. */
  forgetKeys = (): void => this.#keys.clear();
  #lost: { operation: string; bank: Bank | undefined }[] = [];
  readonly #deliveries = new Map<Bank, { url: string; secret: string }>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  /** Requests and answers that do not match Stripe's OpenAPI document. Tests expect none. */
  readonly problems: string[] = [];
  /** Requests as they came, by operation. */
  readonly calls: string[] = [];
  /** The next answer to this operation is kept back, though the work is done. */
  held: { operation: string; until: Promise<void> } | null = null;
  /** What every call is answered with instead, while set. */
  trouble: { status: number; body: string; headers?: Record<string, string> } | null = null;
  /** While set, calls are neither done nor answered; their connections end with it. */
  silentUntil: Promise<void> | null = null;
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

  /** The account behind a secret key, made when it is first used. */
  bank(key: string): Bank {
    const known = this.#banks.get(key);
    if (known) return known;
    const made = new Bank(key.includes("_live_"), () => this.origin);
    made.onEvent = (event) => void this.#deliver(made, event);
    this.#banks.set(key, made);
    return made;
  }

  /** Another key to the account behind a key. */
  share(key: string, other: string): void {
    this.#banks.set(other, this.bank(key));
  }

  /** The next answers to an operation are lost after the work was done, of one account or of any. */
  lose(operation: string, times = 1, bank?: Bank): void {
    for (let count = 0; count < times; count++) this.#lost.push({ operation, bank });
  }

  /** Where the events of an account go from now on, signed with this secret. */
  deliverTo(bank: Bank, url: string, secret: string): void {
    this.#deliveries.set(bank, { url, secret });
  }

  async #deliver(bank: Bank, { body }: Sent): Promise<void> {
    const to = this.#deliveries.get(bank);
    if (!to) return;
    await fetch(to.url, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", "stripe-signature": signed(body, to.secret) },
    }).catch(() => undefined);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const url = new URL(request.url ?? "/", this.origin);
    if (url.pathname.startsWith("/c/pay/")) return this.#page(request, url, body, response);
    if (this.silentUntil) {
      await this.silentUntil;
      return void request.socket.destroy();
    }
    if (this.trouble)
      return void response
        .writeHead(this.trouble.status, {
          "content-type": "application/json",
          ...this.trouble.headers,
        })
        .end(this.trouble.body);
    const operation = operationOf(request.method ?? "", url.pathname);
    this.calls.push(operation);
    const answer = await this.#once(request, operation, url, body);
    const { held } = this;
    if (held?.operation === operation) {
      this.held = null;
      await held.until;
    }
    const secret = secretOf(request);
    const lost = this.#lost.find(
      (one) =>
        one.operation === operation &&
        (!one.bank || (secret !== undefined && one.bank === this.bank(secret))),
    );
    if (lost) {
      this.#lost = this.#lost.filter((one) => one !== lost);
      return void request.socket.destroy();
    }
    response
      .writeHead(answer.status, {
        "content-type": "application/json",
        "request-id": newIdOf("req"),
        "stripe-version": "2026-10-28.endive",
      })
      .end(answer.body);
  }

  /** Same key and parameters: the stored answer. Other parameters, or a request still under way: an error. */
  async #once(
    request: IncomingMessage,
    operation: string,
    url: URL,
    body: string,
  ): Promise<{ status: number; body: string }> {
    const secret = secretOf(request);
    if (!secret || secret.includes("revoked"))
      return failure(401, { type: "invalid_request_error", message: "Invalid API Key provided." });
    const key = request.headers["idempotency-key"];
    const bank = this.bank(secret);
    if (request.method !== "POST" || typeof key !== "string")
      return this.#run(bank, operation, url, body);
    const name = `${bank.id} ${key}`;
    const fingerprint = `${request.method} ${url.pathname} ${body}`;
    const kept = this.#keys.get(name);
    if (kept && kept.fingerprint !== fingerprint) {
      return failure(400, {
        type: "idempotency_error",
        message:
          "Keys for idempotent requests can only be used with the same parameters they were first used with.",
      });
    }
    if (kept && !kept.answer)
      return failure(409, {
        type: "idempotency_error",
        code: "idempotency_key_in_use",
        message: "There is currently another in-progress request using this key.",
      });
    if (kept?.answer) return kept.answer;
    const entry: Kept = { fingerprint, answer: null };
    this.#keys.set(name, entry);
    await new Promise((resolve) => setImmediate(resolve));
    const answer = this.#run(bank, operation, url, body);
    // Stripe stores no answer for parameters that fail its validation.
    if (answer.body.includes('"email_invalid"')) this.#keys.delete(name);
    else entry.answer = answer;
    return answer;
  }

  #run(bank: Bank, operation: string, url: URL, body: string): { status: number; body: string } {
    const form = parseForm(operation.startsWith("GET") ? url.search.slice(1) : body);
    const problem = wrongRequest(operation, form);
    if (problem) {
      this.problems.push(`${operation}: ${problem}`);
      return failure(400, { type: "invalid_request_error", message: problem });
    }
    try {
      const { answer, object } = perform(bank, operation, url.pathname, form);
      const told =
        object === "list"
          ? (answer.data as Array<{ object: string }>)
          : object === "deleted"
            ? []
            : [answer as { object: string }];
      const wrong = told
        .map((item) => wrongObject(item.object, item))
        .find((found) => found !== null);
      if (wrong) this.problems.push(`${operation} answers: ${wrong}`);
      return { status: 200, body: JSON.stringify(answer) };
    } catch (error) {
      if (error instanceof Refused) return failure(error.status, error.error);
      this.problems.push(`${operation}: ${String(error)}`);
      return failure(500, { type: "api_error", message: "The peer has a fault." });
    }
  }

  /** The page Stripe would show: buttons instead of a card. */
  #page(request: IncomingMessage, url: URL, body: string, response: ServerResponse): void {
    const id = url.pathname.split("/").at(-1) ?? "";
    const bank = [...this.#banks.values()].find(({ sessions }) =>
      sessions.some((one) => one.id === id),
    );
    if (!bank) return void response.writeHead(404).end();
    const session =
      request.method === "POST"
        ? bank.press(id, String(new URLSearchParams(body).get("outcome")) as Outcome)
        : bank.session(id);
    if (session.status === "complete")
      return void response.writeHead(303, { location: session.success_url }).end();
    response
      .writeHead(200, { "content-type": "text/html; charset=utf-8" })
      .end(hostedPage(session));
  }
}

export const signed = (body: string, secret: string, at = Date.now()) =>
  Stripe.webhooks.generateTestHeaderString({
    payload: body,
    secret,
    timestamp: Math.floor(at / 1000),
  });

const failure = (status: number, error: object) => ({ status, body: JSON.stringify({ error }) });

function operationOf(method: string, path: string): string {
  const names: Array<[RegExp, string]> = [
    [/^\/v1\/checkout\/sessions\/[^/]+\/expire$/, "/v1/checkout/sessions/{session}/expire"],
    [/^\/v1\/checkout\/sessions\/[^/]+$/, "/v1/checkout/sessions/{session}"],
    [/^\/v1\/payment_intents\/[^/]+\/cancel$/, "/v1/payment_intents/{intent}/cancel"],
    [/^\/v1\/customers\/[^/]+$/, "/v1/customers/{customer}"],
    [/^\/v1\/payment_intents\/[^/]+$/, "/v1/payment_intents/{intent}"],
    [/^\/v1\/payment_methods\/[^/]+$/, "/v1/payment_methods/{payment_method}"],
    [/^\/v1\/webhook_endpoints\/[^/]+$/, "/v1/webhook_endpoints/{webhook_endpoint}"],
  ];
  return `${method} ${names.find(([pattern]) => pattern.test(path))?.[1] ?? path}`;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
function perform(
  bank: Bank,
  operation: string,
  path: string,
  form: Form,
): { answer: Record<string, unknown>; object: string } {
  const expand = Array.isArray(form.expand) ? form.expand.map(String) : [];
  const one = (thing: { object: string }) => ({
    answer: shown(thing, expand),
    object: thing.object,
  });
  const id =
    path
      .replace(/\/(expire|cancel)$/, "")
      .split("/")
      .at(-1) ?? "";
  const metadata = (at: string) => {
    const found = (dig(form, at) ?? {}) as Metadata;
    const wide = Object.entries(found).find(
      ([name, value]) => name.length > 40 || value.length > 500,
    );
    if (wide || Object.keys(found).length > 50)
      throw new Refused(400, {
        type: "invalid_request_error",
        message: `Metadata values can have up to 500 characters (${wide?.[0]}).`,
      });
    return found;
  };
  switch (operation) {
    case "GET /v1/account":
      return {
        answer: {
          object: "account",
          id: bank.id,
          settings: { dashboard: { display_name: "Night Market", timezone: "UTC" } },
        },
        object: "account",
      };
    case "POST /v1/checkout/sessions": {
      const mode = form.mode === "setup" ? "setup" : "payment";
      return one(
        bank.openSession({
          mode,
          amount:
            mode === "payment"
              ? Number(dig(form, "line_items.0.price_data.unit_amount")) *
                Number(dig(form, "line_items.0.quantity"))
              : null,
          currency: mode === "payment" ? text(dig(form, "line_items.0.price_data.currency")) : null,
          title:
            text(dig(form, "line_items.0.price_data.product_data.name")) ||
            text(dig(form, "setup_intent_data.description")),
          successUrl: text(form.success_url),
          cancelUrl: text(form.cancel_url),
          expiresAt: Number(form.expires_at),
          reference: text(form.client_reference_id) || null,
          email: text(form.customer_email) || null,
          metadata: metadata("metadata"),
          intentMetadata: metadata(
            mode === "payment" ? "payment_intent_data.metadata" : "setup_intent_data.metadata",
          ),
        }),
      );
    }
    case "GET /v1/checkout/sessions/{session}":
      return one(bank.session(id));
    case "POST /v1/checkout/sessions/{session}/expire":
      return one(bank.expire(id));
    case "GET /v1/checkout/sessions":
      return listed(
        form.payment_intent === undefined
          ? bank.sessions
          : bank.sessions.filter((session) => session.payment_intent?.id === form.payment_intent),
        form,
        path,
      );
    case "POST /v1/payment_intents":
      // This parameter says that the payer is absent; such a payment is confirmed at once.
      if (form.off_session === undefined || form.confirm !== "true")
        throw badRequest("This peer takes confirmed payments without their payer only.");
      return one(
        bank.charge({
          amount: Number(form.amount),
          currency: text(form.currency),
          customer: text(form.customer),
          method: text(form.payment_method),
          metadata: metadata("metadata"),
          description: text(form.description),
          offSession: text(form.off_session),
        }),
      );
    case "GET /v1/payment_intents/{intent}":
      return one(bank.intent(id));
    case "POST /v1/payment_intents/{intent}/cancel":
      return one(bank.cancelIntent(id));
    case "GET /v1/payment_intents":
      return listed(bank.intents, form, path);
    case "DELETE /v1/customers/{customer}":
      bank.forgetCustomer(id);
      return { answer: { id, object: "customer", deleted: true }, object: "deleted" };
    case "GET /v1/payment_methods/{payment_method}":
      return one(bank.method(id));
    case "GET /v1/setup_intents":
      return listed(bank.setupsOf(text(form.payment_method)), form, path);
    case "GET /v1/webhook_endpoints":
      return listed(bank.webhooks.list(), form, path);
    case "POST /v1/webhook_endpoints":
      return one(
        bank.webhooks.open(
          text(form.url),
          Array.isArray(form.enabled_events) ? form.enabled_events.map(String) : [],
          text(form.api_version),
        ),
      );
    case "DELETE /v1/webhook_endpoints/{webhook_endpoint}":
      bank.webhooks.close(id);
      return { answer: { id, object: "webhook_endpoint", deleted: true }, object: "deleted" };
    case "POST /v1/refunds":
      return one(
        bank.refund(
          text(form.payment_intent),
          form.amount === undefined ? null : Number(form.amount),
          metadata("metadata"),
          text(form.instructions_email) || null,
        ),
      );
    case "GET /v1/refunds":
      return listed(ofIntent(bank.refunds, form), form, path);
    case "GET /v1/disputes":
      return listed(bank.disputesLag ? [] : ofIntent(bank.disputes, form), form, path);
    default:
      throw new Refused(404, {
        type: "invalid_request_error",
        message: `Unrecognized request URL (${operation}).`,
      });
  }
}
