import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { db, withTransaction } from "@/db/client";
import { createBusiness } from "@/lib/domain/businesses/create";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { insertEndpoint } from "@/lib/domain/webhooks/rows";
import { newSecret } from "@/lib/domain/webhooks/secrets";

/** A receiver that knows nothing of Kutip but the secret, and verifies with the `standardwebhooks` package alone. */
export type Receiver = {
  name: string;
  requests: number;
  forged: number;
  /** By id: when it was first taken, milliseconds by this machine's clock, and the one body it had. */
  taken: Map<string, number>;
  bodies: Map<string, string>;
  changed: number;
  longest: number;
  close: () => void;
};
export type Manner = (answer: (status: number) => void, response: ServerResponse) => void;

export const takes: Manner = (answer) => answer(200);
export const failsAtTimes =
  (share: number): Manner =>
  (answer) =>
    answer(Math.random() < share ? 500 : 200);
/** Says nothing at all for that long, then is well. */
export const hangsFor = (ms: number): Manner => {
  const until = performance.now() + ms;
  return (answer) => (performance.now() < until ? undefined : answer(200));
};

/** A business with the given endpoints, each a server of this process. */
export async function tellThem(
  manners: Record<string, Manner>,
): Promise<{ ctx: Ctx; receivers: Receiver[] }> {
  const business = await createBusiness({ name: "Night Market" });
  const ctx = systemCtx({ businessId: business.id, mode: "test" }, { kind: "operator" }, "proof");
  const receivers: Receiver[] = [];
  for (const [name, manner] of Object.entries(manners))
    receivers.push(await tell(ctx, name, manner));
  return { ctx, receivers };
}

/** An endpoint of that business, a server of this process. */
export async function tell(
  ctx: Ctx,
  name: string,
  manner: Manner,
  host = "127.0.0.1",
): Promise<Receiver> {
  const { secret, sealed } = newSecret();
  const { receiver, url } = await listen(name, secret, manner, host);
  await withTransaction((tx) =>
    insertEndpoint(ctx, tx, {
      url,
      description: name,
      events: null,
      enabled: true,
      secret: sealed,
    }),
  );
  return receiver;
}

async function listen(
  name: string,
  secret: string,
  manner: Manner,
  host: string,
): Promise<{ receiver: Receiver; url: string }> {
  const webhook = new Webhook(secret);
  let under = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    receiver.longest = Math.max(receiver.longest, ++under);
    response.on("close", () => under--);
    request.on("error", () => undefined);
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      receiver.requests++;
      const body = Buffer.concat(parts).toString("utf8");
      const id = verified(body, request.headers as Record<string, string>);
      manner((status) => {
        if (status === 200 && id && !receiver.taken.has(id)) receiver.taken.set(id, Date.now());
        response.writeHead(status).end();
      }, response);
    });
  });
  // Every request is compared, also one that is then refused: a retry is the same body.
  const verified = (body: string, headers: Record<string, string>): string | undefined => {
    try {
      const { _id } = webhook.verify(body, headers) as { _id: string };
      if ((receiver.bodies.get(_id) ?? body) !== body || headers["webhook-id"] !== _id)
        receiver.changed++;
      receiver.bodies.set(_id, body);
      return _id;
    } catch {
      receiver.forged++;
      return undefined;
    }
  };
  const receiver: Receiver = {
    name,
    requests: 0,
    forged: 0,
    taken: new Map(),
    bodies: new Map(),
    changed: 0,
    longest: 0,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return { receiver, url: `http://${host}:${(server.address() as AddressInfo).port}/` };
}

/** The ids of the business's events and when each was written, milliseconds. */
export async function eventsOf(ctx: Ctx): Promise<Map<string, number>> {
  const { rows } = await db.execute<{ id: string; ms: number }>(
    sql`select id, extract(epoch from created_at) * 1000 as ms from events where business_id = ${ctx.businessId} and type = 'payment_link.created'`,
  );
  return new Map(rows.map(({ id, ms }) => [id, Number(ms)]));
}

/** How many deliveries of the business are in each state. */
export async function statesOf(ctx: Ctx): Promise<Record<string, number>> {
  const { rows } = await db.execute<{ status: string; count: number }>(
    sql`select status, count(*)::int as count from webhook_deliveries where business_id = ${ctx.businessId} group by status`,
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** Milliseconds within which that share of the events had arrived. */
export function within(
  share: number,
  receiver: Receiver,
  events: ReadonlyMap<string, number>,
): number {
  const took = [...events]
    .map(([id, at]) => (receiver.taken.get(id) ?? Number.POSITIVE_INFINITY) - at)
    .sort((a, b) => a - b);
  return Math.round(took[Math.ceil(took.length * share) - 1] ?? 0);
}
