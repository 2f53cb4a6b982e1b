import * as z from "zod";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { staffEndpoints } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import type { Endpoint } from "@/lib/contract/endpoint";
import { staleVersion, versionedRecord } from "@/lib/contract/versions";
import { createKey } from "@/lib/domain/api-keys/create";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { provideEnv } from "@/lib/env";
import { as, someStaff } from "../staff/person";
import { bodyFor, paramNames, readyPath, stateOf } from "./fixtures";
import { type Answer, api } from "./setting";

provideEnv({ RATE_LIMIT_KEY: "0", RATE_LIMIT_BUSINESS: "0" });
afterAll(closePool);

let ctx: Ctx;
let headers: Record<string, string>;
let key: string;
beforeAll(async () => {
  const staff = await someStaff();
  ctx = systemCtx(
    { businessId: staff.businessId, mode: "test" },
    { kind: "operator" },
    "version-test",
  );
  headers = { ...as(staff), origin: "http://localhost:3000" };
  key = (await createKey({ businessId: staff.businessId, mode: "test" }, "Web shop")).secret;
});

const all = [...endpoints, ...staffEndpoints];
const versioned = all.filter((endpoint) => endpoint.versioned);
const fieldsOf = (schema: z.ZodType | undefined) =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape as object) : [];

/** A PUT that edits the record at a path, by the record's noun: another value each time. */
const edits: Record<string, (value: string) => Record<string, unknown>> = {
  "/payment-links": (title) => ({
    email: "ana@example.com",
    currency: "MYR",
    amount: 1250,
    title,
  }),
  "/packages": (name) => ({
    name,
    amount: 4900,
    currency: "MYR",
    frequency: "monthly",
    date_charge_start: "2027-01-31",
  }),
  "/customers": (name) => ({ name }),
  "/subscriptions": (phone_no) => ({ phone_no }),
  "/webhook-endpoints": (description) => ({ description }),
  "/business": (name) => ({ name, time_zone: "UTC", default_currency: "MYR" }),
};
const tables: Record<string, string> = {
  "/payment-links": "payment_links",
  "/packages": "packages",
  "/customers": "customers",
  "/subscriptions": "subscriptions",
  "/webhook-endpoints": "webhook_endpoints",
  "/business": "businesses",
};

const nounOf = ({ path }: Endpoint) => path.split("/{")[0] ?? "";
const recordPath = (path: string) => path.replace(/\/(cancel|reopen|payments)$/, "");
const ifMatch = (version: number | string) => ({ "if-match": `"${version}"` });
const dataOf = (answer: Answer) => answer.body.data as { version: number };

let values = 0;
const edit = async (
  endpoint: Endpoint,
  path: string,
  more: object = {},
  by: object = { headers },
) =>
  api("PUT", recordPath(path), {
    ...by,
    body: { ...edits[nounOf(endpoint)]?.(`Value ${++values}`), ...more },
  });
const read = async (path: string) => dataOf(await api("GET", recordPath(path), { headers }));

/** Locks a record's row. Gives what waits until so many writers stand before the lock, and opens it. */
async function hold(endpoint: Endpoint, path: string): Promise<(writers: number) => Promise<void>> {
  const client = await pool().connect();
  const id = path.split("/")[2] ?? ctx.businessId;
  await client.query("begin");
  await client.query(`select from ${tables[nounOf(endpoint)]} where id = $1 for update`, [id]);
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const waiting = async () => {
    const { rows: found } = await pool().query<{ n: number }>(
      `with first as (select pid from pg_stat_activity where $1 = any(pg_blocking_pids(pid)))
       select count(*)::int as n from pg_stat_activity
       where (pid in (select pid from first) or pg_blocking_pids(pid) && (select array_agg(pid) from first))
         and query not like '%request_log%'`,
      [rows[0]?.pid],
    );
    return found[0]?.n;
  };
  return async (writers) => {
    try {
      await expect.poll(waiting, { timeout: 60_000, interval: 20 }).toBe(writers);
    } finally {
      await client.query("rollback");
      client.release();
    }
  };
}

/** A record edited once, so that it has a version before its present one. */
async function edited(endpoint: Endpoint): Promise<{ path: string; version: number }> {
  const path = await readyPath(endpoint, ctx);
  const answer = await edit(endpoint, path);
  expect(answer.status).toBe(200);
  return { path, version: dataOf(answer).version };
}

test("a number that a link fills in is not wiped by a form that was opened before", async () => {
  const email = "filled@example.com";
  const call = (method: string, path: string, body?: object) => api(method, path, { key, body });
  const link = { email, title: "T", description: "D", amount: 500, currency: "MYR" };
  await call("POST", "/payment-links", link);
  const found = await call("GET", `/customers?email=${email}`);
  const [seen] = (found.body.data as { data: { _id: string; updated_at: string }[] }).data;
  const path = `/customers/${seen?._id}`;
  await call("POST", "/payment-links", { ...link, phone_no: "012 3" });
  const saved = await call("PUT", path, { name: "Ana", phone_no: null, version: 1 });
  expect([saved.status, saved.body.code]).toEqual([409, "stale_version"]);
  const now = (await call("GET", path)).body.data as { phone_no: string; updated_at: string };
  expect(now).toMatchObject({ name: null, phone_no: "012 3", version: 2 });
  expect(now.updated_at > (seen?.updated_at ?? "")).toBe(true);
});

test("every write that replaces or deletes a record with a version can name the version it is based on", () => {
  const carrying = all.filter(
    ({ method, response, path }) =>
      (method === "PUT" || method === "DELETE") &&
      fieldsOf(response).includes("version") &&
      !path.endsWith("/logo"),
  );
  expect(carrying.filter((endpoint) => !endpoint.versioned)).toEqual([]);
  expect(new Set(versioned.map(nounOf))).toEqual(new Set(Object.keys(edits)));
  const silent = versioned.filter(
    (endpoint) =>
      !fieldsOf(versionedRecord(endpoint)).includes("version") ||
      (endpoint.method !== "DELETE" && !fieldsOf(endpoint.body).includes("version")),
  );
  expect(silent).toEqual([]);
});

describe.each(versioned.map((one) => [`${one.method} ${one.path}`, one] as const))(
  "%s",
  (_, endpoint) => {
    const ways: [string, (version: number) => { headers?: object; version?: number }][] = [
      ["If-Match", (version) => ({ headers: ifMatch(version) })],
      ...(endpoint.body ? [["body", (version: number) => ({ version })] as never] : []),
    ];
    const send = async (path: string, seen: { headers?: object; version?: number }) => {
      const body = { ...(await bodyFor(endpoint, ctx)), version: seen.version };
      return api(endpoint.method, path, {
        headers: { ...headers, ...seen.headers },
        ...(endpoint.body ? { body } : {}),
      });
    };
    const state = async (path: string) =>
      paramNames(endpoint).length === 0
        ? read(path)
        : stateOf(tables[nounOf(endpoint)] ?? "", path.split("/")[2] ?? "", ctx.businessId);

    test.each(ways)("takes the current version by %s", async (_way, seen) => {
      const { path, version } = await edited(endpoint);
      expect(await send(path, seen(version))).toMatchObject({ status: 200 });
    });

    test.each(ways)("refuses an older version by %s and changes nothing", async (_way, seen) => {
      const { path, version } = await edited(endpoint);
      const before = await state(path);
      const current = await read(path);
      for (const other of [version - 1, version + 1]) {
        const answer = await send(path, seen(other));
        expect(answer.status).toBe(409);
        expect(staleVersion(versionedRecord(endpoint)).parse(answer.body)).toEqual(answer.body);
        expect(answer.body).toMatchObject({
          code: "stale_version",
          current,
          changed_by: { kind: "person", name: "Some Body" },
        });
        expect(answer.body.changed_at).toMatch(/^\d{4}-.*Z$/);
        expect(answer.text).not.toContain('"token"');
      }
      expect(await state(path)).toEqual(before);
    });

    test("takes If-Match: * and a write without either as before", async () => {
      const { path } = await edited(endpoint);
      expect((await send(path, { headers: { "if-match": "*" } })).status).toBe(200);
      expect((await send((await edited(endpoint)).path, {})).status).toBe(200);
    });

    test.each(["7", 'W/"7"', '"7", "8"', '"x"', '""', '"-1"', '"1.0"', ""])(
      "the If-Match %j is a 400",
      async (header) => {
        const answer = await send(await readyPath(endpoint, ctx), {
          headers: { "if-match": header },
        });
        expect(answer.body).toMatchObject({ code: "malformed_request", errors: {} });
        expect(answer.status).toBe(400);
      },
    );

    if (!endpoint.body) return;

    test("a version in the body that differs from If-Match is a 422, with all other violations", async () => {
      const { path, version } = await edited(endpoint);
      const text = ["The version and If-Match must match."];
      const differing = { headers: ifMatch(version), version: version + 1 };
      expect((await send(path, differing)).body.errors).toEqual({ version: text });
      expect((await send(path, { headers: ifMatch(version), version })).status).toBe(200);
    });

    test.each([
      [0, "The version must be at least 1."],
      [1.5, "The version must be an integer."],
      ["1", "The version must be an integer."],
      [[], "The version must be an integer."],
    ])("the version %j is a 422", async (version, text) => {
      const answer = await send(await readyPath(endpoint, ctx), { version: version as number });
      expect([answer.status, answer.body.errors]).toEqual([422, { version: [text] }]);
    });
  },
);

const kinds: Record<string, string> = {
  "/payment-links": "payment_link",
  "/packages": "package",
  "/customers": "customer",
  "/subscriptions": "subscription",
  "/webhook-endpoints": "webhook_endpoint",
  "/business": "business",
};

describe.each(versioned.filter(({ method }) => method === "PUT").map((one) => [one.path, one]))(
  "PUT %s",
  (_, endpoint) => {
    test("staff can ask who edited it last, a person or an API key", async () => {
      const { path, version } = await edited(endpoint);
      const kind = kinds[nounOf(endpoint)];
      const ask = (id: string) => api("GET", `/last-edit?kind=${kind}&id=${id}`, { headers });
      const id = path.split("/")[2] ?? "";
      const last = await ask(id);
      expect(last.body.data).toEqual({
        version,
        changed_by: { kind: "person", name: "Some Body" },
        changed_at: expect.stringMatching(/^\d{4}-.*Z$/),
        deleted: false,
      });
      if (endpoint.access === "staff") return;
      expect((await edit(endpoint, path, {}, { key })).status).toBe(200);
      expect((await ask(id)).body.data).toMatchObject({
        version: version + 1,
        changed_by: { kind: "key", name: "Web shop" },
      });
      expect((await ask("6740f1c09a3be27d51c8e4f0")).status).toBe(404);
    });

    test("two writers with the same version: exactly one wins, and the other reads what it wrote", async () => {
      const { path, version } = await edited(endpoint);
      const release = await hold(endpoint, path);
      const writing = [1, 2].map(() => edit(endpoint, path, { version }));
      await release(writing.length);
      const both = await Promise.all(writing);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
      const winner = both.find(({ status }) => status === 200) as Answer;
      const loser = both.find(({ status }) => status === 409) as Answer;
      expect(loser.body.current).toEqual(winner.body.data);
      expect(dataOf(winner).version).toBe(version + 1);
    });

    test("counts edits and nothing else: a PUT of the same values leaves the version", async () => {
      const { path, version } = await edited(endpoint);
      const values = edits[nounOf(endpoint)]?.("The same");
      for (const expected of [version + 1, version + 1])
        expect(dataOf(await api("PUT", path, { headers, body: { ...values } })).version).toBe(
          expected,
        );
    });

    if (endpoint.access === "key")
      test("names the API key that made the last edit", async () => {
        const { path, version } = await edited(endpoint);
        await edit(endpoint, path, {}, { key });
        const answer = await edit(endpoint, path, { version }, { key });
        expect(answer.body.changed_by).toEqual({ kind: "key", name: "Web shop" });
      });
  },
);

test("events carry the version, and an edit's list of changes does not name it", async () => {
  const endpoint = versioned.find(({ id }) => id === "updatePaymentLink") as Endpoint;
  const { path, version } = await edited(endpoint);
  const { body } = await api("GET", "/events?type=payment_link.updated&per_page=1", { key });
  const [event] = (body.data as { data: { data: object }[] }).data;
  expect(event?.data).toMatchObject({ _id: path.split("/")[2], version });
  const timeline = await api("GET", `${path}/timeline`, { key });
  const [entry] = timeline.body.data as { changes: { field: string }[] }[];
  expect(entry?.changes.map(({ field }) => field)).toEqual(["title", "reference"]);
});
