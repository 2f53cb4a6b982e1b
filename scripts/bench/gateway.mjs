// A process of its own that answers as Stripe does, for `renewals.ts`: every charge succeeds, and its signed callback follows.
// `node gateway.mjs CALLBACK_SECRET` prints its address, and reads the address of the callbacks from stdin.
import { createHmac, randomBytes } from "node:crypto";
import { Agent, createServer, request as ask } from "node:http";

const [secret = ""] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 32 });
const newIdOf = (kind) => `${kind}_${randomBytes(12).toString("hex")}`;
const intents = new Map();
let callbacks = "";
let charges = 0;

const account = {
  object: "account",
  id: "acct_bench",
  settings: { dashboard: { display_name: "Bench" } },
};

function charged(form) {
  const amount = Number(form.get("amount"));
  const currency = form.get("currency");
  const metadata = Object.fromEntries(
    [...form].flatMap(([name, value]) => {
      const [, key] = /^metadata\[(.+)\]$/.exec(name) ?? [];
      return key ? [[key, value]] : [];
    }),
  );
  const balance = { id: newIdOf("txn"), object: "balance_transaction", fee: 60, currency };
  return {
    id: newIdOf("pi"),
    object: "payment_intent",
    livemode: false,
    created: Math.floor(Date.now() / 1000),
    status: "succeeded",
    amount,
    amount_received: amount,
    currency,
    description: form.get("description"),
    metadata,
    last_payment_error: null,
    latest_charge: { id: newIdOf("ch"), object: "charge", balance_transaction: balance },
  };
}

function tell(intent) {
  const event = {
    id: newIdOf("evt"),
    object: "event",
    type: "payment_intent.succeeded",
    livemode: false,
    data: { object: intent },
  };
  const body = JSON.stringify(event);
  const at = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", secret).update(`${at}.${body}`).digest("hex");
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "stripe-signature": `t=${at},v1=${signature}`,
  };
  const call = ask(callbacks, { method: "POST", agent, headers }, (answer) => answer.resume());
  call.on("error", (error) => console.error(error.message));
  call.end(body);
}

const server = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const send = (answer) =>
      response
        .writeHead(200, { "content-type": "application/json", "request-id": newIdOf("req") })
        .end(JSON.stringify(answer));
    if (request.url === "/charges") return send({ charges, attempts: intents.size });
    if (request.url?.startsWith("/v1/account")) return send(account);
    const key = request.headers["idempotency-key"];
    const known = intents.get(key);
    if (known) return send(known);
    const intent = charged(new URLSearchParams(Buffer.concat(parts).toString()));
    intents.set(key, intent);
    charges++;
    send(intent);
    tell(intent);
  });
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`),
);
process.stdin.on("data", (text) => {
  callbacks = String(text).trim();
});
process.stdin.on("end", () => process.exit(0));
