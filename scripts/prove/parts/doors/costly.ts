import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import sharp from "sharp";
import { db, longWork } from "@/db/client";
import { logoLimits } from "@/lib/contract/values";
import { createKey } from "@/lib/domain/api-keys/create";
import { createBusiness } from "@/lib/domain/businesses/create";
import { expected, told } from "../proof";
import type { Service } from "../service";
import { type Answer, call, quantile } from "./client";

const LINKS = Number(process.env.PROVE_LINKS ?? 1_000_000);
const PAID = 20;
const FINISH_SECONDS = 60;
const LEAST_FINISHED = 4;
const ABOVE_QUIET_MS = 50;

/** Receipts, dry runs, images and searches of one business, all at once: another business's payers and creates notice nothing. */
export async function costlyWork(service: Service): Promise<void> {
  const noisy = { businessId: service.businessId, key: service.key };
  const payments = await payLinks(service, noisy.key);
  const links = await longWork(() => fill(noisy.businessId));
  await setLargestLogo(service);
  const quiet = await makeQuiet();
  told("links of the noisy business", LINKS);

  const before = await watchQuiet(service, quiet, pause(10_000));
  const started = performance.now();
  const work = startWork(service, noisy.key, payments, links);
  const during = await watchQuiet(service, quiet, work);
  const kinds = await work;
  told("seconds until all were answered", ((performance.now() - started) / 1_000).toFixed(1));

  for (const [kind, answers] of Object.entries(kinds)) {
    const ok = answers.filter(({ status, ms }) => status === 200 && ms <= FINISH_SECONDS * 1_000);
    const refused = answers.filter(
      ({ status, headers }) => status === 429 && headers["retry-after"] !== undefined,
    );
    told(
      `${kind}: done and refused with 429, of ${answers.length}`,
      `${ok.length}, ${refused.length}`,
      ok.length >= LEAST_FINISHED && ok.length + refused.length === answers.length,
    );
  }
  const p95 = (answers: Answer[]) =>
    quantile(
      answers.map(({ ms }) => ms),
      0.95,
    );
  const [calm, busy] = [p95(before.pages), p95(during.pages)];
  told("payer page of the other, p95 ms quiet", calm.toFixed(1));
  told("payer page of the other, p95 ms meanwhile", busy.toFixed(1), busy - calm <= ABOVE_QUIET_MS);
  expected("payer pages of the other that are not 200", bad(during.pages), []);
  expected("creates of the other that are not 200", bad(during.creates), []);
}

const bad = (answers: Answer[]) =>
  answers.map(({ status }) => status).filter((status) => status !== 200);

async function payLinks(service: Service, key: string): Promise<string[]> {
  for (let made = 0; made < PAID; made++) {
    const link = await create(service, key, `Paid ${made}`);
    const paid = await call(service.url, `/api/payment-links/${link}/payments`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ method: "cash" }),
    });
    if (paid.status !== 200) throw new Error(`a payment was not recorded: ${paid.body}`);
  }
  const { body } = await call(service.url, `/api/payments?per_page=${PAID}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return (JSON.parse(String(body)) as { data: { data: { _id: string }[] } }).data.data.map(
    ({ _id }) => _id,
  );
}

async function create(service: Service, key: string, title: string): Promise<string> {
  const { body } = await call(service.url, "/api/payment-links", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      email: "ana@example.com",
      currency: "MYR",
      amount: 1_250,
      title,
      send_email: false,
    }),
  });
  return (JSON.parse(String(body)) as { data: { _id: string } }).data._id;
}

async function fill(businessId: number): Promise<string[]> {
  await db.execute(sql`
    insert into payment_links (business_id, mode, id, email, currency, amount, title, reference, created_at)
    select ${businessId}, 'test', '00000001' || lpad(to_hex(i::bigint), 16, '0'), 'payer' || i || '@example.com', 'MYR', 500 + i % 90000,
      'Order ' || i, 'REF-' || i, now() - interval '1 day' - make_interval(secs => ${LINKS}::int - i)
    from generate_series(1, ${LINKS}::int) i`);
  await db.execute(
    sql`insert into directory (kind, key, business_id, mode) select 'payment_link', id, business_id, mode from payment_links where business_id = ${businessId} and id like '00000001%'`,
  );
  await db.execute(sql`vacuum analyze payment_links, directory`);
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from payment_links where business_id = ${businessId} and id like '00000001%' order by id desc limit 20`,
  );
  return rows.map(({ id }) => id);
}

/** The most pixels that an upload may have, of noise as far as its bytes allow. */
async function setLargestLogo(service: Service): Promise<void> {
  const { maxSide, maxBytes } = logoLimits;
  const plain = { width: maxSide, height: maxSide, channels: 3 as const, background: "#123456" };
  const noise = await sharp(randomBytes(180 * 180 * 3), {
    raw: { width: 180, height: 180, channels: 3 },
  })
    .png()
    .toBuffer();
  const png = await sharp({ create: plain })
    .composite([{ input: noise, left: 0, top: 0 }])
    .toColourspace("rgb16")
    .png({ compressionLevel: 9 })
    .toBuffer();
  if (png.length > maxBytes) throw new Error(`the logo has ${png.length} bytes`);
  const signedIn = await call(service.url, "/api/auth/sign-in/email", {
    method: "POST",
    headers: { origin: service.url, "content-type": "application/json" },
    body: JSON.stringify(service.owner),
  });
  const cookie = [signedIn.headers["set-cookie"] ?? []]
    .flat()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  const put = await call(service.url, "/api/business/logo", {
    method: "PUT",
    headers: {
      cookie,
      origin: service.url,
      "content-type": "application/json",
      "x-kutip-business": String(service.businessId),
      "x-kutip-mode": "test",
    },
    body: JSON.stringify({ image: png.toString("base64") }),
  });
  if (put.status !== 200) throw new Error(`the logo was refused: ${put.body}`);
}

type Quiet = { key: string; link: string };

async function makeQuiet(): Promise<Quiet> {
  const business = await createBusiness({ name: "Quiet Bakery" });
  const { secret } = await createKey({ businessId: business.id, mode: "test" }, "proof");
  return { key: secret, link: "" };
}

/** What the quiet business's payers and programs get until `end`: a page every 50 ms from ever new addresses, a create every 250 ms. */
async function watchQuiet(service: Service, quiet: Quiet, end: Promise<unknown>) {
  quiet.link ||= await create(service, quiet.key, "Two loaves");
  let over = false;
  void end.finally(() => {
    over = true;
  });
  const pages: Answer[] = [];
  const creates: Answer[] = [];
  const visit = async () => {
    for (let visit = 0; !over; visit++) {
      pages.push(
        await call(service.url, `/pay?id=${quiet.link}&test=true`, {
          from: `127.0.1.${1 + (visit % 200)}`,
        }),
      );
      await pause(150);
    }
  };
  const order = async () => {
    for (; !over; await pause(250))
      creates.push(
        await call(service.url, "/api/payment-links", {
          method: "POST",
          from: "127.0.2.1",
          headers: { authorization: `Bearer ${quiet.key}`, "content-type": "application/json" },
          body: JSON.stringify({
            email: "ben@example.com",
            currency: "MYR",
            amount: 900,
            title: "Loaf",
            send_email: false,
          }),
        }),
      );
  };
  await Promise.all([visit(), order()]);
  return { pages, creates };
}

async function startWork(service: Service, key: string, payments: string[], links: string[]) {
  const headers = { authorization: `Bearer ${key}` };
  const ask = (path: string, more: Parameters<typeof call>[2] = {}) =>
    call(service.url, path, {
      ...more,
      headers: { ...headers, ...more.headers },
      limitSeconds: 90,
    });
  const rows = Array.from({ length: 5_000 }, (_, row) => ({
    email: `bad ${row}`,
    currency: "XX",
    amount: row % 500,
  }));
  const bulk = JSON.stringify({ dry_run: true, rows });
  const asked = {
    receipts: payments.map((id) => ask(`/api/payments/${id}/receipt`)),
    "dry runs of 5,000 rows": Array.from({ length: 20 }, () =>
      ask("/api/payment-links/bulk", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: bulk,
      }),
    ),
    "QR images": links.map((id) => ask(`/api/payment-links/${id}/qr.png`)),
    searches: Array.from({ length: 12 }, (_, number) =>
      ask(`/api/payment-links?q=nothing${number}`),
    ),
  };
  const answered: Record<string, Answer[]> = {};
  for (const [kind, calls] of Object.entries(asked)) answered[kind] = await Promise.all(calls);
  return answered;
}
