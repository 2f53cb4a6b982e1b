import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import type { Frequency } from "@/lib/contract/values";
import { createBusiness } from "@/lib/domain/businesses/create";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { mailComposition } from "@/lib/flows/mailing/job";
import { create as createPackage } from "@/lib/domain/packages/create";
import { create } from "@/lib/domain/subscriptions/create";
import { advances } from "@/lib/flows/clock-advance/job";
import { startAdvance } from "@/lib/flows/clock-advance/steps";
import { create as createClock } from "@/lib/domain/test-clocks/create";
import { begin } from "@/lib/flows/activation/steps";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { settleActivation } from "@/lib/flows/activation/settle";
import { saveScriptedMethod, setMethodBehaviour } from "@/lib/gateways/simulator/scripting";
import { defineWebhookDelivery, webhookFanOut } from "@/lib/flows/webhook-delivery/job";
import { createRunner } from "@/lib/jobs/runner";
import { runAll } from "@/tests/run-once";
import { createSender } from "@/lib/flows/webhook-delivery/sender";
import { newInstall } from "./parts/install";
import { expected, prove, told, waitWhileMoving } from "./parts/proof";
import { type Receiver, statesOf, takes, tell } from "./parts/webhooks";

// A year of a monthly subscription with declines under a test clock in less than five seconds, on the exact days; leap years and summer time too.
const LIMIT_SECONDS = 120;

const install = await newInstall();
const micros = (moment: string) => `${moment}:00.000000Z`;

type World = { ctx: Ctx; clock: string; connectionId: string; method: string; receiver: Receiver };
const receivers: Receiver[] = [];

async function world(
  timeZone: string,
  now: string,
  frequency: Frequency,
  start: string,
): Promise<World> {
  const business = await createBusiness({ name: "Night Market", timeZone });
  const ctx = systemCtx({ businessId: business.id, mode: "test" }, { kind: "operator" }, "proof");
  const receiver = await tell(ctx, "shop", takes);
  receivers.push(receiver);
  const { connection } = await resolveGateway(ctx);
  const { _id, token } = await createToken(ctx, {
    email: "payer@example.com",
    title: "Membership",
    description: "Renewed",
  });
  await begin(token, "proof");
  const method = await saveScriptedMethod(connection);
  await settleActivation(ctx, _id, 1, {
    kind: "saved",
    gatewayId: "proof",
    method: { id: method, card: { brand: "visa", last4: "4242", exp: "01/2040" } },
  });
  const clock = await createClock(ctx, { name: "Proof", now: micros(now) });
  const made = await createPackage(ctx, {
    name: "Membership",
    amount: 1_250,
    currency: "MYR",
    frequency,
    date_charge_start: start,
  });
  await create(ctx, { package_id: made._id, email: "payer@example.com", test_clock_id: clock._id });
  return { ctx, clock: clock._id, connectionId: connection.id, method, receiver };
}

async function advanceTo({ ctx, clock }: World, to: string): Promise<void> {
  await startAdvance(ctx, clock, micros(to));
  await runAll(advances, ctx.businessId);
}
const declines = ({ connectionId, method }: World, times: number) =>
  setMethodBehaviour(connectionId, method, "declines", { declines: times });

async function lines(query: ReturnType<typeof sql>): Promise<string[]> {
  const { rows } = await db.execute<{ line: string }>(
    sql`select to_char(x.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI') || ' ' || x.what as line from (${query}) x order by xid, seq`,
  );
  return rows.map(({ line }) => line);
}
const eventsOf = (of: World) =>
  lines(
    sql`select created_at, type as what, xid, seq from events where business_id = ${of.ctx.businessId} and (type like 'payment%' or type like 'subscription.%')`,
  );
const mailsOf = (of: World) =>
  lines(
    sql`select m.created_at, m.kind as what, e.xid, e.seq from mails m join events e on e.id = m.cause where m.business_id = ${of.ctx.businessId}`,
  );
const chargesOf = async (of: World) =>
  (await eventsOf(of))
    .filter((line) => line.endsWith(" payment.succeeded"))
    .map((line) => line.slice(0, 16));

/** Delivers pending webhooks and returns the received types in the order of the events. */
async function toldOf(of: World): Promise<string[]> {
  const sender = createSender({ allowPrivate: true });
  const only = of.ctx.businessId;
  const delivery = createRunner(defineWebhookDelivery({ sender }), { only });
  await waitWhileMoving(
    async () => {
      const fanned = (await runAll(webhookFanOut, only)) + (await delivery.poll("year"));
      return { fanned, states: await statesOf(of.ctx) };
    },
    ({ fanned, states }) => fanned === 0 && Object.keys(states).join() === "delivered",
    20,
    10,
  );
  await delivery.stop();
  sender.close();
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from events where business_id = ${of.ctx.businessId} and (type like 'payment%' or type like 'subscription.%') order by xid, seq`,
  );
  return rows.map(({ id }) => {
    const { created_at, type } = JSON.parse(of.receiver.bodies.get(id) ?? "{}") as {
      created_at?: string;
      type?: string;
    };
    return `${created_at?.slice(0, 16)} ${type}`;
  });
}

async function scriptedYear(): Promise<void> {
  const began = performance.now();
  const year = await world("Asia/Kuala_Lumpur", "2027-01-31T02:00", "monthly", "2027-01-31");
  await advanceTo(year, "2027-03-01T00:00");
  await declines(year, 2);
  await advanceTo(year, "2027-08-01T00:00");
  await declines(year, 1);
  await advanceTo(year, "2028-01-31T02:00");
  await runAll(mailComposition, year.ctx.businessId);
  const webhooks = await toldOf(year);
  const seconds = (performance.now() - began) / 1000;
  const months = [
    "02-27",
    "03-30",
    "04-29",
    "05-30",
    "06-29",
    "07-30",
    "08-30",
    "09-29",
    "10-30",
    "11-29",
    "12-30",
  ].map((day) => `2027-${day}T16:00`);
  const failing = new Map([
    ["2027-03-30T16:00", ["2027-03-31T16:00", "2027-04-02T16:00"]],
    ["2027-08-30T16:00", ["2027-08-31T16:00"]],
  ]);
  const events = [
    "2027-01-31T02:00 subscription.created",
    "2027-01-31T02:00 payment.succeeded",
    "2027-01-31T02:00 subscription.activated",
  ];
  const mails = ["2027-01-31T02:00 subscription_receipt"];
  for (const due of [...months, "2028-01-30T16:00"]) {
    const retries = failing.get(due);
    if (!retries) {
      events.push(`${due} payment.succeeded`);
      mails.push(`${due} subscription_receipt`);
      continue;
    }
    events.push(
      `${due} payment.failed`,
      `${due} payment_link.created`,
      `${due} subscription.past_due`,
    );
    mails.push(`${due} payment_failed`);
    for (const retry of retries.slice(0, -1)) {
      events.push(`${retry} payment.failed`, `${retry} subscription.payment_due`);
      mails.push(`${retry} payment_failed`);
    }
    const paid = retries.at(-1);
    events.push(
      `${paid} payment.succeeded`,
      `${paid} payment_link.paid`,
      `${paid} subscription.activated`,
    );
    mails.push(`${paid} receipt`);
  }
  const [seen, sent] = [await eventsOf(year), await mailsOf(year)];
  expected("a year from 31 January with three declines: events in order", seen, events);
  expected("its mails in order", sent, mails);
  expected("its webhooks, verified, with the clock's time", webhooks, events);
  told("seconds for that year", seconds.toFixed(2), seconds < 5);
}

await prove(
  async () => {
    await scriptedYear();
    const leap = await world("UTC", "2028-02-29T00:00", "yearly", "2028-02-29");
    await advanceTo(leap, "2032-12-31T00:00");
    expected("yearly from 29 February", await chargesOf(leap), [
      "2028-02-29T00:00",
      "2029-02-28T00:00",
      "2030-02-28T00:00",
      "2031-02-28T00:00",
      "2032-02-29T00:00",
    ]);
    const spring = await world("America/New_York", "2027-03-01T12:00", "daily", "2027-03-13");
    await advanceTo(spring, "2027-03-15T12:00");
    expected("daily over the night of 23 hours, New York", await chargesOf(spring), [
      "2027-03-13T05:00",
      "2027-03-14T05:00",
      "2027-03-15T04:00",
    ]);
    const autumn = await world("Europe/Lisbon", "2027-10-01T12:00", "weekly", "2027-10-24");
    await advanceTo(autumn, "2027-11-08T12:00");
    expected("weekly over the night of 25 hours, Lisbon", await chargesOf(autumn), [
      "2027-10-23T23:00",
      "2027-10-30T23:00",
      "2027-11-07T00:00",
    ]);
  },
  () => {
    for (const receiver of receivers) receiver.close();
    install.remove();
  },
  LIMIT_SECONDS,
);
