import { createHash, randomBytes } from "node:crypto";
import { and, desc, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import Fastify, { type FastifyRequest } from "fastify";
import pg from "pg";
import { stateOf } from "@/lib/domain/payment-links/rules";
import { linkView } from "@/lib/payer/link-view";
import { renderDocument } from "@/components/payer/document";
import { connectionOptions } from "@/db/connection";
import { directory, entryOf } from "@/db/directory";
import { apiKeys, businesses } from "@/db/schema/businesses";
import { events } from "@/db/schema/events";
import { paymentLinks } from "@/db/schema/payment-links";
import { check } from "@/lib/contract/messages";
import { PaymentLinkInput } from "@/lib/contract/payment-links";
import { valuesOf } from "@/lib/domain/payment-links/create";
import { presentLink } from "@/lib/domain/payment-links/present";
import { allColumns, asWritten } from "@/lib/domain/payment-links/rows";

/**
 * The same four calls as a good engineer would write them with Fastify, Drizzle and pg. The rows, checks, event row and database are
 * the same. Nothing is prepared by hand, and two writes are one transaction.
 */
const db = drizzle({ client: new pg.Pool({ ...connectionOptions(), max: 10 }) });
const app = Fastify({ logger: false, bodyLimit: 65_536 });
const counts = new Map<string, number>();
setInterval(() => counts.clear(), 60_000).unref();

class Refused extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
  ) {
    super(message);
  }
}

async function caller(request: FastifyRequest) {
  const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1];
  if (!bearer) throw new Refused(401, "Unauthenticated.");
  const hash = createHash("sha256").update(bearer).digest("hex");
  const [key] = await db
    .select(getTableColumns(apiKeys))
    .from(apiKeys)
    .innerJoin(directory, entryOf("api_key", apiKeys, apiKeys.digest))
    .where(and(eq(directory.key, hash), isNull(apiKeys.revokedAt)));
  if (!key) throw new Refused(401, "Unauthenticated.");
  const used = (counts.get(key.id) ?? 0) + 1;
  counts.set(key.id, used);
  if (used > 100_000_000) throw new Refused(429, "Too many requests.");
  return key;
}

const id = () => Math.floor(Date.now() / 1000).toString(16) + randomBytes(8).toString("hex");
const envelope = (data: unknown) => ({
  success: true,
  data,
  errors: null,
  meta: {
    timestamp: `${new Date().toISOString().slice(0, 19).replace("T", " ")} UTC`,
    timezone: "UTC",
  },
});

app.post("/api/payment-links", async (request) => {
  const key = await caller(request);
  const input = check(PaymentLinkInput, request.body);
  if (!input.ok) throw new Refused(422, "The given data was invalid.");
  return db.transaction(async (tx) => {
    const [row] = await tx
      .insert(paymentLinks)
      .values({
        ...valuesOf(input.data),
        sendEmail: input.data.send_email ?? true,
        businessId: key.businessId,
        mode: key.mode,
        id: id(),
      })
      .returning();
    if (!row) throw new Error("not written");
    const { businessId, mode } = row;
    await tx.insert(directory).values({ kind: "payment_link", key: row.id, businessId, mode });
    const data = presentLink(asWritten({ ...row, defaultInEffect: [] }));
    await tx.insert(events).values({
      businessId: key.businessId,
      mode: key.mode,
      id: id(),
      type: "payment_link.created",
      objectId: row.id,
      data,
      actor: { kind: "key", id: key.id },
      mail: row.sendEmail ? "payment_link" : null,
    });
    return envelope(data);
  });
});

app.get<{ Params: { id: string } }>("/api/payment-links/:id", async (request) => {
  const key = await caller(request);
  const [row] = await db
    .select(allColumns)
    .from(paymentLinks)
    .where(
      and(
        eq(paymentLinks.businessId, key.businessId),
        eq(paymentLinks.mode, key.mode),
        eq(paymentLinks.id, request.params.id),
        isNull(paymentLinks.deletedAt),
      ),
    );
  if (!row) throw new Refused(404, "Not found.");
  return envelope(presentLink(row));
});

app.get("/api/payment-links", async (request) => {
  const key = await caller(request);
  const rows = await db
    .select(allColumns)
    .from(paymentLinks)
    .where(
      and(
        eq(paymentLinks.businessId, key.businessId),
        eq(paymentLinks.mode, key.mode),
        isNull(paymentLinks.deletedAt),
      ),
    )
    .orderBy(desc(paymentLinks.createdAt), desc(paymentLinks.id))
    .limit(16);
  return envelope({
    data: rows.slice(0, 15).map(presentLink),
    per_page: 15,
    next_cursor: rows.length > 15 ? rows[14]?.id : null,
  });
});

app.get<{ Querystring: { id: string } }>("/pay", async (request, reply) => {
  const [row] = await db
    .select({
      link: allColumns,
      business: businesses,
      over: sql<boolean>`coalesce(${paymentLinks.expiresAt} <= now(), false)`,
    })
    .from(directory)
    .innerJoin(paymentLinks, entryOf("payment_link", paymentLinks, paymentLinks.id))
    .innerJoin(businesses, eq(businesses.id, paymentLinks.businessId))
    .where(eq(directory.key, request.query.id));
  if (!row) throw new Refused(404, "Not found.");
  const { html } = await renderDocument(linkView(row, stateOf(row)));
  return reply.type("text/html; charset=utf-8").send(html);
});

await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
