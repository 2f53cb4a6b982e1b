import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { LoggedRequest, LoggedRequestDetail } from "@/lib/contract/request-log";
import { unscopedPurgeRequests } from "@/lib/domain/request-log/rows";
import { maskAddress, maskBody } from "@/lib/kernel/mask";
import { newApiKey, newToken } from "@/lib/kernel/ids";
import { api } from "../contract/setting";
import {
  data,
  keyCall,
  link,
  newLink,
  newOffice,
  type Office,
  staffCall,
  written,
} from "./setting";

afterAll(closePool);

async function list(office: Office, query = ""): Promise<LoggedRequest[]> {
  await written();
  return data<{ data: LoggedRequest[] }>(await staffCall(office, "GET", `/request-log${query}`))
    .data;
}
const detail = async (office: Office, id: string | undefined) =>
  data<LoggedRequestDetail>(await staffCall(office, "GET", `/request-log/${id}`));

test("a call by a key is in the log with its bodies, named by its request id, and the key nowhere in it", async () => {
  const office = await newOffice();
  const answer = await api("POST", "/payment-links?x=1", {
    key: office.key,
    body: link({ email: "ana" }),
    headers: { "user-agent": "shop/1", "idempotency-key": "order-1" },
    address: "203.0.113.7",
  });
  const id = answer.headers.get("x-request-id") ?? "";
  expect(await list(office)).toMatchObject([
    {
      _id: id,
      method: "POST",
      path: "/payment-links",
      query: "x=1",
      status: 422,
      caller: "key",
      api_key: { name: "Web shop" },
      person: null,
      ip_address: "203.0.113.7",
      user_agent: "shop/1",
      idempotency_key: "order-1",
    },
  ]);
  const read = await detail(office, id);
  expect(read.request_headers.authorization).toBe(`Bearer sk_test_…${office.key.slice(-4)}`);
  expect(JSON.parse(read.request_body ?? "")).toEqual(link({ email: "ana" }));
  expect(read.response_body).toBe(answer.text);
  const { rows } = await pool().query("select * from request_log where business_id = $1", [
    office.businessId,
  ]);
  expect(JSON.stringify(rows)).not.toContain(office.key.slice(8, -4));
});

test("a call by a key to an address that does not exist is a 404 in the log, and counts; one with an unknown key is a 404 alone", async () => {
  const office = await newOffice();
  const token = newToken();
  const call = (method: string, path: string, key?: string) =>
    api(method, path, { ...(key ? { key } : {}), body: method === "GET" ? undefined : link() });
  const answer = await call("POST", `/payment-link/${token}?x=1`, office.key);
  expect([answer.status, answer.body]).toEqual([
    404,
    { message: "Not found.", code: "not_found", errors: {} },
  ]);
  expect(answer.headers.has("x-ratelimit-remaining")).toBe(true);
  for (const key of [newApiKey("test"), "typo", undefined]) {
    const refused = await call("GET", "/payment-link", key);
    expect([refused.status, refused.body]).toEqual([404, answer.body]);
  }
  const [logged, ...more] = await list(office);
  expect(more).toEqual([]);
  expect(logged).toMatchObject({
    _id: answer.headers.get("x-request-id"),
    method: "POST",
    path: "/payment-link/…",
    query: "x=1",
    status: 404,
    caller: "key",
  });
  expect(await detail(office, logged?._id)).toMatchObject({
    request_body: null,
    response_body: answer.text,
  });
});

test("tokens are masked in paths, bodies and answers", async () => {
  const office = await newOffice();
  const made = data<{ token: string }>(
    await keyCall(office, "POST", "/tokenizations/create-token", {
      email: "ana@example.com",
      title: "Gold",
      description: "Monthly",
    }),
  );
  data(await keyCall(office, "GET", `/tokenizations/${made.token}`));
  expect((await list(office)).map(({ path }) => path)).toEqual([
    "/tokenizations/…",
    "/tokenizations/create-token",
  ]);
  const { rows } = await pool().query("select * from request_log where business_id = $1", [
    office.businessId,
  ]);
  expect(JSON.stringify(rows)).not.toContain(made.token);
});

test("what staff do is there under their name, without their session; reading the log is not", async () => {
  const office = await newOffice();
  const made = data<{ key: string }>(
    await staffCall(office, "POST", "/api-keys", { name: "Till" }),
  );
  await list(office);
  const [call, ...more] = await list(office);
  expect([call?.path, call?.caller, call?.person?.name, more]).toEqual([
    "/api-keys",
    "person",
    "Some Body",
    [],
  ]);
  const read = await detail(office, call?._id);
  expect(read.request_headers.cookie).toBe("…");
  expect(read.response_body).toContain('"key":"…"');
  expect(JSON.stringify(read)).not.toContain(made.key);
});

test("the list is filtered by method, status, path, time, caller and request id", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  await keyCall(office, "GET", `/payment-links/${id}`);
  await keyCall(office, "GET", "/payment-links/000000000000000000000000");
  await keyCall(office, "POST", "/packages", {});
  const count = async (query: string) => (await list(office, query)).length;
  expect(await count("")).toBe(4);
  expect(await count("?method=GET")).toBe(2);
  expect(await count("?status=4xx")).toBe(2);
  expect(await count("?status=404")).toBe(1);
  expect(await count("?status=2xx")).toBe(2);
  expect(await count("?path=/payment-links/")).toBe(2);
  expect(await count("?caller=person")).toBe(0);
  expect(await count("?created_to=2020-01-01")).toBe(0);
  const [first] = await list(office);
  expect(await list(office, `?q=${first?._id.slice(0, 13)}`)).toEqual([first]);
  const walked = [
    await list(office, "?per_page=2&page=1"),
    await list(office, "?per_page=2&page=2"),
  ].flat();
  expect(walked).toEqual(await list(office));
  expect((await staffCall(office, "GET", "/request-log?status=abc")).status).toBe(422);
});

test.each(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])(
  "the list can be filtered by %s",
  async (method) => {
    const office = await newOffice();
    await api(method, "/nowhere", { key: office.key });
    await api("GET", "/nothing", { key: office.key });
    await api("POST", "/nothing", { key: office.key });
    const logged = await list(office);
    expect(await list(office, `?method=${method}`)).toEqual(
      logged.filter((call) => call.method === method),
    );
    expect(logged.map((call) => call.method)).toContain(method);
  },
);

test("a call is seen by its own business and mode only, and never by a key", async () => {
  const office = await newOffice();
  await newLink(office);
  const [call] = await list(office);
  const other = await newOffice();
  expect(await list(other)).toEqual([]);
  expect((await staffCall(other, "GET", `/request-log/${call?._id}`)).status).toBe(404);
  expect(
    (
      await staffCall(office, "GET", "/request-log", undefined, {
        ...office.headers,
        "x-kutip-mode": "live",
      })
    ).body.data,
  ).toMatchObject({ data: [] });
  expect((await keyCall(office, "GET", "/request-log")).status).toBe(403);
});

test("calls older than 30 days are forgotten", async () => {
  const office = await newOffice();
  await newLink(office);
  await newLink(office);
  const [young, old] = await list(office);
  await pool().query(
    "update request_log set created_at = m, id = partition_bound('request_log', m)::uuid from (select now() - interval '31 days' as m) t where id = $1",
    [old?._id],
  );
  while ((await unscopedPurgeRequests()) > 0) {
    // A batch at a time.
  }
  expect((await list(office)).map(({ _id }) => _id)).toEqual([young?._id]);
});

test("long bodies are cut, and a secret that the cut goes through is not left in half", () => {
  const token = newToken();
  const key = newApiKey("live");
  expect(maskBody(`{"token":"a\\"b","amount":5,"client_secret":"x"}`)).toBe(
    `{"token":"…","amount":5,"client_secret":"…"}`,
  );
  expect(maskBody(`{"note":"${key} ${token}"}`)).toBe(`{"note":"sk_live_…${key.slice(-4)} …"}`);
  for (const secret of [token, key]) {
    for (let seen = 20; seen < secret.length; seen++) {
      const body = maskBody(`${" ".repeat(8_192 - seen)}${secret} and more`);
      expect(body).not.toContain(secret.slice(0, 20));
      expect(body.length).toBeLessThan(8_300);
    }
  }
  expect(maskBody(`{"token":"${"y".repeat(9_000)}"}`)).toBe(`{"token":"……`);
  expect(maskAddress(`?api_key=${key}&q=ana&token=abc`)).toBe("?api_key=…&q=ana&token=…");
});
