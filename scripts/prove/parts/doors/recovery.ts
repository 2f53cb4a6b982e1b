import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { connectClient } from "@/db/connection";
import { script } from "@/lib/gateways/simulator/scripting";
import { told } from "../proof";
import { dueAtOnce, progressOf, type Renewals } from "../renewals";
import type { Service } from "../service";
import { call } from "./client";
import { until } from "./network";

const NOTICED_SECONDS = 180;
const TAKEN_UP_SECONDS = 90;
const REPEATED_SECONDS = 15;
const RESTARTED_SECONDS = 60;
const KILLS = 10;
const PERIODS = 50;

/** What a death or a closed browser leaves behind is taken up soon. */
export async function recovery(service: Service): Promise<void> {
  const paid = await payAndCloseBrowser(service);
  await deadKeyedCall(service);
  await stoppedProcess(service);
  const waited = await paid();
  told(
    "seconds until money is noticed without payer and callback",
    waited.toFixed(0),
    waited <= NOTICED_SECONDS,
  );
  // Last, because nothing else is looked up while the workers die.
  await periodsOfDeadWorkers(service);
}

/** Pays at the gateway with its callback dropped and the browser closed; returns a wait until the link is paid. */
async function payAndCloseBrowser(service: Service): Promise<() => Promise<number>> {
  const made = await call(
    service.url,
    "/api/payment-links",
    createRequest(service, "Closed browser"),
  );
  const { _id } = (JSON.parse(String(made.body)) as { data: { _id: string } }).data;
  const form = {
    "content-type": "application/x-www-form-urlencoded",
    "sec-fetch-site": "same-origin",
  };
  const pressed = await call(service.url, "/pay", {
    method: "POST",
    headers: form,
    body: new URLSearchParams({ id: _id, version: "1" }).toString(),
  });
  const hosted = new URL(String(pressed.headers.location));
  const { rows } = await db.execute<{ connection_id: string; reference: string }>(
    sql`select connection_id, reference from simulator.sessions where page = ${hosted.pathname.split("/").at(-1)}`,
  );
  const session = rows[0];
  if (!session) throw new Error("no session at the gateway");
  await script(session.connection_id, "callback", "drop", { reference: session.reference });
  const began = performance.now();
  await call(service.url, hosted.pathname, {
    method: "POST",
    headers: form,
    body: new URLSearchParams({ outcome: "approve" }).toString(),
  });
  return async () => {
    await until(async () => {
      const { rows } = await db.execute<{ status: string }>(
        sql`select status from payment_links where id = ${_id}`,
      );
      return rows[0]?.status === "Paid";
    }, NOTICED_SECONDS + 60);
    return (performance.now() - began) / 1_000;
  };
}

const createRequest = (service: Service, title: string, key?: string) => ({
  method: "POST",
  headers: {
    authorization: `Bearer ${service.key}`,
    "content-type": "application/json",
    ...(key ? { "idempotency-key": key } : {}),
  },
  body: JSON.stringify({
    email: "ana@example.com",
    currency: "MYR",
    amount: 1_250,
    title,
    send_email: false,
  }),
});

/** The web process dies in the middle of a keyed call; the client repeats it until it is answered. */
async function deadKeyedCall(service: Service): Promise<void> {
  const blocker = await connectClient();
  await blocker.query("begin; lock table payment_links in exclusive mode");
  const key = `proof-${process.pid}-${Date.now()}`;
  const request = createRequest(service, "Repeated", key);
  const lost = call(service.url, "/api/payment-links", { ...request, limitSeconds: 30 });
  await until(async () => {
    const { rows } = await db.execute<{ n: number }>(
      sql`select count(*)::int as n from idempotency_keys where answer is null and locked_until > now()`,
    );
    return (rows[0]?.n ?? 0) > 0;
  }, 10);
  const web = service.pidOf("web");
  if (web) process.kill(web, "SIGKILL");
  await blocker.query("rollback");
  await blocker.end();
  await lost;
  await until(async () => (await call(service.url, "/api/health/live")).status === 200, 60);
  const seconds = await until(
    async () => (await call(service.url, "/api/payment-links", request)).status === 200,
    90,
  );
  told(
    "seconds until a dead call's key can be repeated",
    seconds.toFixed(1),
    seconds <= REPEATED_SECONDS + 1,
  );
}

/** A web process that lives but does not answer is replaced. */
async function stoppedProcess(service: Service): Promise<void> {
  const web = service.pidOf("web");
  if (!web) throw new Error("no web process runs");
  process.kill(web, "SIGSTOP");
  const seconds = await until(
    async () => (await call(service.url, "/api/health/ready", { limitSeconds: 2 })).status === 200,
    RESTARTED_SECONDS * 2,
  );
  told(
    "seconds until a stopped process is replaced",
    seconds.toFixed(1),
    seconds <= RESTARTED_SECONDS,
  );
}

/** Worker after worker dies while it charges; from the last death on nothing waits longer than the limit. */
async function periodsOfDeadWorkers(service: Service): Promise<void> {
  const due: Renewals[] = [];
  const unpaid = async () => {
    const all = await Promise.all(due.map(progressOf));
    return all.reduce((sum, { paid, open }) => sum + Math.max(PERIODS - paid, open), 0);
  };
  for (let kills = 0; kills < KILLS; kills++) {
    const renewals = await dueAtOnce(PERIODS);
    due.push(renewals);
    await until(async () => (await progressOf(renewals)).open > 0, TAKEN_UP_SECONDS);
    service.kill("worker killed with -9");
  }
  const left = await unpaid();
  told("periods that are not paid at the last death", left, left > 0);
  const seconds = await until(async () => (await unpaid()) === 0, TAKEN_UP_SECONDS * 3);
  told(
    "seconds from the last death until every period is paid",
    seconds.toFixed(1),
    seconds <= TAKEN_UP_SECONDS,
  );
}
