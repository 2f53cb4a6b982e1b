import { AsyncLocalStorage } from "node:async_hooks";
import { sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { mailComposition, mailSending } from "@/lib/flows/mailing/job";
import { outcomes, renewal } from "@/lib/flows/renewal/job";
import { webhookFanOut } from "@/lib/flows/webhook-delivery/job";
import type { Gateway } from "@/lib/gateways/gateway";
import type * as registry from "@/lib/gateways/registry";
import { basicSimulator } from "@/lib/gateways/simulator/basic";
import { defineCallbacks } from "@/lib/gateways/simulator/job";
import { unscopedBeat } from "@/lib/jobs/workers-rows";
import { createRunner } from "@/lib/jobs/runner";
import type { ClaimableTable } from "@/lib/jobs/claim-rows";
import type { Job } from "@/lib/jobs/define";
import { dueAtOnce, figuresOf } from "@/scripts/prove/parts/renewals";
import { takeCallbacks } from "@/scripts/prove/parts/callbacks";

const atGateway = new AsyncLocalStorage<true>();
let steps: 1 | 2 = 1;

/** The gateway as an outside party: what it asks of its own tables does not count. */
const outside = (gateway: Gateway): Gateway =>
  new Proxy(gateway, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      const call = (...args: unknown[]) =>
        atGateway.run(true, () => Reflect.apply(value, target, args) as unknown);
      if (key !== "charge") return call;
      return (...args: unknown[]) => answerTogether(async () => call(...args));
    },
  });

vi.mock("@/lib/gateways/registry", async (original) => {
  const real = await original<typeof registry>();
  const inTwoSteps = (gateway: Gateway): Gateway => ({
    ...gateway,
    prepare: basicSimulator.prepare,
    charge: basicSimulator.charge,
  });
  return {
    ...real,
    gatewayFor: (name: string) => {
      const gateway = real.gatewayFor(name);
      if (!gateway) return undefined;
      return outside(steps === 2 ? inTwoSteps(gateway) : gateway);
    },
  };
});

const DUE = 48;

/** Answers charges once all that were asked for are made, however slow the machine is: what is counted is no matter of time. */
let asked = 0;
const answers: (() => void)[] = [];
async function answerTogether<T>(charge: () => Promise<T>): Promise<T> {
  asked++;
  const answer = await charge();
  if (--asked > 0) await new Promise<void>((resolve) => answers.push(resolve));
  for (const resolve of answers.splice(0)) resolve();
  return answer;
}
const WORKER = "a worker of this test";
let counted: string[] = [];
const { query } = pg.Client.prototype;
let origin = "";

beforeAll(async () => {
  origin = await takeCallbacks();
  pg.Client.prototype.query = function (this: pg.Client, ...asked: unknown[]) {
    const [first] = asked;
    const text = typeof first === "string" ? first : String((first as { text?: string }).text);
    if (!atGateway.getStore() && !text.includes('"simulator".')) counted.push(text);
    return Reflect.apply(query, this, asked) as unknown;
  } as typeof query;
});
afterEach(() => {
  steps = 1;
});
afterAll(() => {
  pg.Client.prototype.query = query;
  return closePool();
});

/** Rounds of a job, as in a worker, until nothing of this business is due. */
async function work<T extends ClaimableTable>(job: Job<T>, only: number | string): Promise<void> {
  const { poll, drain } = createRunner(job, { worker: WORKER, only });
  while ((await poll("test")) > 0) await drain();
}

it.each([
  [1, 8],
  [2, 10],
] as const)(
  "%i-step charges of a set that is due at once cost at most %i statements each, with events, mails and callbacks",
  async (inSteps, most) => {
    steps = inSteps;
    const renewals = await dueAtOnce(DUE);
    const { businessId } = renewals.ctx;
    await unscopedBeat(WORKER, process.pid);
    counted = [];
    await work(renewal, businessId);
    await work(outcomes, businessId);
    await work(mailComposition, businessId);
    await work(webhookFanOut, businessId);
    await work(mailSending, businessId);
    // All callbacks at once.
    const callbacks = { ...defineCallbacks(origin), perTenant: DUE, slots: DUE };
    await atGateway.run(true, () => work(callbacks, renewals.connectionId));
    const state = (of: string) =>
      atGateway.run(true, async () => {
        const { rows } = await db.execute<{ n: number }>(
          sql`select count(*)::int as n from gateway_events where business_id = ${businessId} and state = ${of}`,
        );
        return rows[0]?.n;
      });
    await expect.poll(() => state("done"), { timeout: 20_000 }).toBe(DUE);
    const sent = counted.length;
    const kinds = Object.entries(Object.groupBy(counted, (text) => text.slice(0, 90)));
    const table = kinds
      .map(([text, list]) => `${list?.length} ${text}`)
      .sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10));
    expect(await figuresOf(renewals)).toMatchObject({
      charges: DUE,
      references: DUE,
      succeeded: DUE,
      events: DUE,
      ledger: DUE,
      unbalanced: 0,
      twice: 0,
      planned: DUE,
      claims: DUE,
    });
    const { rows } = await db.execute<{ mails: number }>(
      sql`select count(*)::int as mails from mails where business_id = ${businessId} and status = 'kept'`,
    );
    expect(rows).toEqual([{ mails: DUE }]);
    expect(sent / DUE, table.join("\n")).toBeLessThanOrEqual(most);
  },
);
