import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import type { NewApiKey } from "@/lib/contract/api-keys";
import type { IntegrationWithPassword } from "@/lib/contract/integrations";
import { addMember } from "@/lib/domain/users/create";
import { newId } from "@/lib/kernel/ids";
import type { Answer } from "../contract/setting";
import { api } from "../contract/setting";
import { data, newLink, newOffice, type Office, staffCall } from "../dashboard/setting";
import { payer } from "../furnished-payer";
import { signIn } from "../plugins/setting";
import { runningPeer } from "../stripe-peer/running";
import { as, type Person, somePerson } from "./person";

runningPeer();

afterAll(closePool);

type Admin = Person & { headers: Record<string, string> };

async function newAdmin({ businessId }: Office): Promise<Admin> {
  const person = await somePerson();
  await addMember(businessId, person.userId, "admin");
  return { ...person, headers: as({ ...person, businessId }) };
}

/** How many connections to this database wait for a lock. */
const waiting = async () =>
  (
    await pool("long").query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  ).rowCount ?? 0;
const soon = { timeout: 30_000, interval: 20 };

/** Runs these calls one after the other, each until it waits or ends, while another transaction has made `statement`; then that one commits. */
async function during(
  statement: string,
  values: unknown[],
  calls: ReadonlyArray<() => Promise<Answer>>,
): Promise<Answer[]> {
  const other = await pool().connect();
  const answers: Promise<Answer>[] = [];
  try {
    await other.query("begin");
    await other.query(statement, values);
    for (const call of calls) {
      let isOver = false;
      answers.push(call().finally(() => (isOver = true)));
      await expect
        .poll(async () => isOver || (await waiting()) === answers.length, soon)
        .toBe(true);
    }
    await other.query("commit");
  } finally {
    other.release();
  }
  return Promise.all(answers);
}

type Call = [method: string, path: string, body?: unknown];

async function madeBy(office: Office, path: string, body: unknown): Promise<string> {
  return data<{ _id: string }>(await staffCall(office, "POST", path, body))._id;
}

const webhook = { url: "https://hooks.example.com" };
const plugin = { name: "Web shop", plugin: "woocommerce" };
const settings = { name: "Late", time_zone: "UTC", default_currency: "MYR" };

const calls: [string, (office: Office) => Call | Promise<Call>][] = [
  ["an API key", () => ["POST", "/api-keys", { name: "Late" }]],
  [
    "the key after another",
    async (office) => [
      "POST",
      `/api-keys/${await madeBy(office, "/api-keys", { name: "Old" })}/roll`,
      {},
    ],
  ],
  ["a signing secret", () => ["POST", "/business/signing-secret/roll"]],
  ["a look at the signing secret", () => ["GET", "/business/signing-secret"]],
  ["a webhook endpoint", () => ["POST", "/webhook-endpoints", webhook]],
  [
    "another secret of a webhook endpoint",
    async (office) => [
      "POST",
      `/webhook-endpoints/${await madeBy(office, "/webhook-endpoints", webhook)}/rotate`,
    ],
  ],
  ["a shop plugin", () => ["POST", "/integrations", plugin]],
  [
    "another password of a shop plugin",
    async (office) => [
      "POST",
      `/integrations/${await madeBy(office, "/integrations", plugin)}/password`,
    ],
  ],
  [
    "other keys of a shop plugin",
    async (office) => [
      "POST",
      `/integrations/${await madeBy(office, "/integrations", plugin)}/keys`,
    ],
  ],
  [
    "a connection to a gateway",
    () => [
      "POST",
      "/gateway-connections",
      { secret_key: `sk_test_${newId()}`, webhook_secret: `whsec_${newId()}` },
    ],
  ],
  ["other settings of the business", () => ["PUT", "/business", settings]],
  [
    "a refund",
    async (office) => {
      const link = await newLink(office);
      const paid = await madeBy(office, `/payment-links/${link}/payments`, { method: "cash" });
      return ["POST", `/payments/${paid}/refunds`, {}];
    },
  ],
  ["an erasure", () => ["POST", "/payers/erase", { email: payer() }]],
];

test.each(calls)(
  "a call for %s changes nothing once its maker is removed or made less",
  async (_, callOf) => {
    const office = await newOffice();
    const [method, path, body] = await callOf(office);
    for (const statement of [
      "delete from memberships where business_id = $1 and user_id = $2",
      "update memberships set role = 'staff' where business_id = $1 and user_id = $2",
    ]) {
      const admin = await newAdmin(office);
      const call = () => staffCall(office, method, path, body, admin.headers);
      const [answer] = await during(statement, [office.businessId, admin.userId], [call]);
      expect(answer?.status).toBe(403);
      const { rows } = await db.execute(
        sql`select from audit_entries where business_id = ${office.businessId} and actor_id = ${admin.userId}`,
      );
      expect(rows).toEqual([]);
    }
    expect((await staffCall(office, method, path, body)).status).toBe(200);
  },
);

test("a shop plugin that is being connected while its maker is removed gets other keys too", async () => {
  const office = await newOffice();
  await madeBy(office, "/integrations", plugin);
  const admin = await newAdmin(office);
  const leave = `/team/members/${admin.userId}?replace_integration_keys=true`;
  const [made, removed] = await during(
    "select from audit_heads where business_id = $1 for update",
    [office.businessId],
    [
      () => staffCall(office, "POST", "/integrations", plugin, admin.headers),
      () => staffCall(office, "DELETE", leave),
    ],
  );
  expect([made?.status, removed?.status]).toEqual([200, 200]);
  const { password } = data<IntegrationWithPassword>(made as Answer);
  expect((await signIn(password)).status).toBe(422);
});

test("an API key that is being made while its maker is removed with their keys ends too", async () => {
  const office = await newOffice();
  await madeBy(office, "/api-keys", { name: "First" });
  const admin = await newAdmin(office);
  const [made, removed] = await during(
    "select from audit_heads where business_id = $1 for update",
    [office.businessId],
    [
      () => staffCall(office, "POST", "/api-keys", { name: "Late" }, admin.headers),
      () => staffCall(office, "DELETE", `/team/members/${admin.userId}?revoke_api_keys=true`),
    ],
  );
  expect([made?.status, removed?.status]).toEqual([200, 200]);
  const { key } = data<NewApiKey>(made as Answer);
  expect((await api("GET", "/packages", { key })).status).toBe(401);
});

test("a webhook endpoint that is being made while its maker is removed is disabled too", async () => {
  const office = await newOffice();
  await madeBy(office, "/webhook-endpoints", webhook);
  const admin = await newAdmin(office);
  const leave = `/team/members/${admin.userId}?disable_webhook_endpoints=true`;
  const [made, removed] = await during(
    "select from audit_heads where business_id = $1 for update",
    [office.businessId],
    [
      () => staffCall(office, "POST", "/webhook-endpoints", webhook, admin.headers),
      () => staffCall(office, "DELETE", leave),
    ],
  );
  expect([made?.status, removed?.status]).toEqual([200, 200]);
  const { _id } = data<{ _id: string }>(made as Answer);
  const now = await staffCall(office, "GET", `/webhook-endpoints/${_id}`);
  expect(data<{ enabled: boolean }>(now).enabled).toBe(false);
});
