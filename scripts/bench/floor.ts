import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import pg from "pg";
import { connectionOptions } from "@/db/connection";

/** The floor: the least that does the same work. node:http, raw prepared SQL, one statement, checks by hand, no schema library. */
const pool = new pg.Pool({ ...connectionOptions(), max: 10 });

const keySql = {
  name: "k",
  text: "select k.business_id, k.mode, k.id from directory d join api_keys k on k.business_id = d.business_id and k.digest = d.key where d.kind = 'api_key' and d.key = $1 and revoked_at is null and (expires_at is null or expires_at > now())",
};
const getSql = {
  name: "g",
  text: "select * from payment_links where business_id = $1 and mode = $2 and id = $3 and deleted_at is null",
};
const listSql = {
  name: "l",
  text: "select * from payment_links where business_id = $1 and mode = $2 and deleted_at is null order by created_at desc, id desc limit 16",
};
const paySql = {
  name: "p",
  text: "select l.*, b.name as business, b.accent, b.updated_at as changed, coalesce(l.expires_at <= now(), false) as over from directory d join payment_links l on l.business_id = d.business_id and l.id = d.key join businesses b on b.id = l.business_id where d.kind = 'payment_link' and d.key = $1",
};
const insertSql = {
  name: "i",
  text: `with fresh as (insert into payment_links (business_id, mode, id, email, currency, amount, title, phone_no, description, redirect_url, reference, reference_2, send_email)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning *),
  event as (insert into events (business_id, mode, id, type, object_id, data, actor, mail) select business_id, mode, $14, 'payment_link.created', id, $15::jsonb, $16::jsonb, $17 from fresh),
  entered as (insert into directory (kind, key, business_id, mode) values ('payment_link', $3, $1, $2))
  select * from fresh`,
};

type Row = Record<string, unknown>;
const id = () => Math.floor(Date.now() / 1000).toString(16) + randomBytes(8).toString("hex");
const answer = (data: unknown) =>
  `{"success":true,"data":${JSON.stringify(data)},"errors":null,"meta":{"timestamp":"${new Date().toISOString().slice(0, 19).replace("T", " ")} UTC","timezone":"UTC"}}`;

const shape = (row: Row) => ({
  _id: row.id,
  email: row.email,
  currency: row.currency,
  amount: row.amount,
  title: row.title,
  phone_no: row.phone_no,
  description: row.description,
  redirect_url: row.redirect_url,
  reference: row.reference,
  reference_2: row.reference_2,
  status: row.status,
  payment_url: `http://localhost/pay?id=${row.id}&test=true`,
  business_id: row.business_id,
  paid: row.status === "Paid",
  created_at: row.created_at,
  updated_at: row.updated_at,
});

async function caller(request: IncomingMessage): Promise<Row | undefined> {
  const hash = createHash("sha256")
    .update((request.headers.authorization ?? "").slice(7))
    .digest("hex");
  return (await pool.query({ ...keySql, values: [hash] })).rows[0];
}

async function body(request: IncomingMessage): Promise<Row> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Row;
}

const valid = (input: Row) =>
  typeof input.email === "string" &&
  /^[^\s@]+@[^\s@]+$/.test(input.email) &&
  typeof input.currency === "string" &&
  /^[A-Z]{3}$/.test(input.currency) &&
  Number.isInteger(input.amount) &&
  Number(input.amount) >= 500 &&
  Number(input.amount) <= 3_000_000 &&
  typeof input.title === "string" &&
  [...input.title].length <= 50;

async function handle(
  request: IncomingMessage,
): Promise<{ status: number; body: string; type?: string }> {
  const url = request.url ?? "";
  if (url.startsWith("/pay?id=")) {
    const row = (await pool.query({ ...paySql, values: [url.slice(8, 32)] })).rows[0] as
      | Row
      | undefined;
    if (!row) return { status: 404, body: "" };
    return {
      status: 200,
      type: "text/html",
      body: `<!doctype html><title>Pay</title><h1>${row.title}</h1><p>${row.currency} ${row.amount}</p><form method="post"><button>Pay</button></form>`,
    };
  }
  const key = await caller(request);
  if (!key) return { status: 401, body: "{}" };
  if (request.method === "POST") {
    const input = await body(request);
    if (!valid(input)) return { status: 422, body: "{}" };
    const link = id();
    const values = [
      key.business_id,
      key.mode,
      link,
      input.email,
      input.currency,
      input.amount,
      input.title,
      input.phone_no ?? null,
      input.description ?? null,
      input.redirect_url ?? null,
      input.reference ?? null,
      input.reference_2 ?? null,
      true,
      id(),
      JSON.stringify({ ...input, _id: link }),
      JSON.stringify({ kind: "key", id: key.id }),
      "payment_link",
    ];
    return {
      status: 200,
      body: answer(shape((await pool.query({ ...insertSql, values })).rows[0] as Row)),
    };
  }
  if (/\/[0-9a-f]{24}$/.test(url)) {
    const row = (
      await pool.query({ ...getSql, values: [key.business_id, key.mode, url.slice(-24)] })
    ).rows[0] as Row | undefined;
    return row ? { status: 200, body: answer(shape(row)) } : { status: 404, body: "{}" };
  }
  const rows = (await pool.query({ ...listSql, values: [key.business_id, key.mode] }))
    .rows as Row[];
  return { status: 200, body: answer({ data: rows.slice(0, 15).map(shape), per_page: 15 }) };
}

createServer((request, response) => {
  handle(request).then(
    (made) =>
      response
        .writeHead(made.status, {
          "content-type": made.type ?? "application/json",
          "content-length": Buffer.byteLength(made.body),
        })
        .end(made.body),
    () => response.writeHead(500).end(),
  );
}).listen(Number(process.env.PORT), "127.0.0.1");
