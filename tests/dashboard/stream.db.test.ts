import { Agent, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eq } from "drizzle-orm";
import { closePool, db, pool, withTransaction } from "@/db/client";
import { notifyAccessChanged } from "@/db/notify";
import { sessions } from "@/db/schema/auth";
import type { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import { disableGone } from "@/lib/flows/webhook-delivery/gone";
import { endStreams, positionOf } from "@/lib/http/live";
import { makeServer } from "@/lib/http/serve";
import { provideEnv } from "@/lib/env";
import { newId } from "@/lib/kernel/ids";
import { routes } from "../contract/setting";
import { addMember } from "@/lib/domain/users/create";
import { somePerson } from "../staff/person";
import { data, keyCall, link, newLink, newOffice, type Office, pay, staffCall } from "./setting";

const server = makeServer(routes, (_, response) => response.writeHead(404).end());
let origin = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  endStreams();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await closePool();
});

type Heard = { response: Response; next: () => Promise<string>; close: () => void };

/** Opens a stream as a browser does and reads it message by message; remarks are left out. */
async function open(
  office: Office,
  mode = "test",
  headers: Record<string, string> = { cookie: office.headers.cookie ?? "" },
  since = "",
): Promise<Heard> {
  const ending = new AbortController();
  const response = await fetch(
    `${origin}/api/stream?business=${office.businessId}&mode=${mode}&since=${since}`,
    { headers: { ...headers, "accept-encoding": "gzip" }, signal: ending.signal },
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  const next = async (): Promise<string> => {
    for (;;) {
      const end = waiting.indexOf("\n\n");
      if (end >= 0) {
        const message = waiting.slice(0, end);
        waiting = waiting.slice(end + 2);
        if (/^(data|event):/.test(message)) return message;
        continue;
      }
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) return "end";
      waiting += value;
    }
  };
  return { response, next, close: () => ending.abort() };
}

const told = (type: string, id: string) => `data: ${JSON.stringify({ type, object_id: id })}`;

test("a stream sends the changes of its business and mode at once, and of no other", async () => {
  const [office, other] = [await newOffice(), await newOffice()];
  const [mine, theirs, live] = [await open(office), await open(other), await open(office, "live")];
  expect(mine.response.status).toBe(200);
  expect(mine.response.headers.get("content-type")).toBe("text/event-stream");
  expect(mine.response.headers.get("content-encoding")).toBeNull();
  expect(mine.response.headers.get("cache-control")).toBe("no-store, no-transform");
  for (const stream of [mine, theirs, live])
    expect(await stream.next()).toBe("event: ready\ndata: {}");
  const id = await newLink(office);
  await pay(office, id);
  expect(await mine.next()).toMatch(
    /^data: {"type":"payment.succeeded","object_id":"[0-9a-f]{24}"}$/,
  );
  expect(await mine.next()).toBe(told("payment_link.paid", id));
  const theirId = await newLink(other);
  await keyCall(other, "POST", `/payment-links/${theirId}/cancel`);
  expect(await theirs.next()).toBe(told("payment_link.cancelled", theirId));
  for (const stream of [mine, theirs, live]) stream.close();
});

test("a stream that begins at a position sends what happened since, and says that nothing is missing", async () => {
  const [office, other] = [await newOffice(), await newOffice()];
  const first = await open(office);
  expect(await first.next()).toBe("event: ready\ndata: {}");
  const since = positionOf(performance.now());
  const [id, theirs] = [await newLink(office), await newLink(other)];
  await keyCall(other, "POST", `/payment-links/${theirs}/cancel`);
  await keyCall(office, "POST", `/payment-links/${id}/cancel`);
  expect(await first.next()).toBe(told("payment_link.cancelled", id));
  const cookie = { cookie: office.headers.cookie ?? "" };
  const second = await open(office, "test", cookie, since);
  expect(await second.next()).toBe(told("payment_link.cancelled", id));
  expect(await second.next()).toBe('event: ready\ndata: {"complete":true}');
  const after = await open(office, "test", cookie, positionOf(performance.now()));
  expect(await after.next()).toBe('event: ready\ndata: {"complete":true}');
  // Another process, nonsense, and a browser that was connected before.
  const otherProcess = since?.replace(/^.{36}/, "0".repeat(36));
  for (const [unknown, headers] of [
    [otherProcess, cookie],
    ["1", cookie],
    [since, { ...cookie, "last-event-id": "open" }],
  ] as const) {
    const stream = await open(office, "test", headers, unknown);
    expect(await stream.next()).toBe("event: ready\ndata: {}");
    stream.close();
  }
  for (const stream of [first, second, after]) stream.close();
});

test("a stream that begins behind more changes than it may queue stays open and says that some are missing", async () => {
  const office = await newOffice();
  const first = await open(office);
  expect(await first.next()).toBe("event: ready\ndata: {}");
  const since = positionOf(performance.now());
  for (let n = 0; n < 450; n += 150) {
    await pool().query(
      "select pg_notify('kutip_changes', json_build_array($1::bigint, 'test', 'payment_link.updated', ($2 + n)::text)::text) from generate_series(1, 150) n",
      [office.businessId, n],
    );
    for (let one = 1; one <= 150; one++)
      expect(await first.next()).toBe(told("payment_link.updated", String(n + one)));
  }
  const second = await open(office, "test", undefined, since);
  expect(second.response.status).toBe(200);
  expect(await second.next()).toBe("event: ready\ndata: {}");
  const id = await newLink(office);
  await keyCall(office, "POST", `/payment-links/${id}/cancel`);
  expect(await second.next()).toBe(told("payment_link.cancelled", id));
  for (const stream of [first, second]) stream.close();
});

test("it shows how far an import is, before the import is committed", async () => {
  const office = await newOffice();
  const stream = await open(office);
  expect(await stream.next()).toBe("event: ready\ndata: {}");
  const importId = "6740f1bf9a3be27d51c8e4ee";
  const rows = Array.from({ length: 250 }, (_, n) => link({ title: `Row ${n}` }));
  data(await keyCall(office, "POST", "/payment-links/bulk", { rows, import_id: importId }));
  const progress = (done: number) => ({
    type: "import.progress",
    object_id: importId,
    progress: { done, total: 250 },
  });
  const messages = [await stream.next(), await stream.next(), await stream.next()];
  expect(
    messages
      .map((message) => JSON.parse(message.replace("data: ", "")))
      .sort((a, b) => a.progress.done - b.progress.done),
  ).toEqual([progress(100), progress(200), progress(250)]);
  stream.close();
});

test("after its connection is lost it listens again and says so", async () => {
  const office = await newOffice();
  const stream = await open(office);
  expect(await stream.next()).toBe("event: ready\ndata: {}");
  await pool().query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'kutip live changes' and datname = current_database()",
  );
  expect(await stream.next()).toBe("event: ready\ndata: {}");
  const id = await newLink(office);
  await keyCall(office, "PUT", `/payment-links/${id}`, link({ amount: 900 }));
  expect(await stream.next()).toBe(told("payment_link.updated", id));
  stream.close();
});

test("it is for members who are signed in", async () => {
  const office = await newOffice();
  expect((await open(office, "test", {})).response.status).toBe(401);
  expect(
    (await open(office, "test", { authorization: `Bearer ${office.key}` })).response.status,
  ).toBe(403);
  expect(
    (await open(office, "test", { cookie: (await newOffice()).headers.cookie ?? "" })).response
      .status,
  ).toBe(403);
  expect((await open(office, "neither")).response.status).toBe(400);
});

test.each([
  ["removed", (office: Office, path: string) => staffCall(office, "DELETE", path)],
  [
    "made less",
    (office: Office, path: string) => staffCall(office, "PUT", path, { role: "viewer" }),
  ],
  [
    "made more",
    (office: Office, path: string) => staffCall(office, "PUT", path, { role: "owner" }),
  ],
])(
  "the stream of a member who is %s says so to them alone, and ends with what they may no longer read",
  async (how, act) => {
    const office = await newOffice();
    const person = await somePerson();
    await addMember(office.businessId, person.userId, "admin");
    const [theirs, ours] = [
      await open(office, "test", { cookie: person.cookie }),
      await open(office),
    ];
    for (const stream of [theirs, ours]) expect(await stream.next()).toBe("event: ready\ndata: {}");
    expect((await act(office, `/team/members/${person.userId}`)).status).toBe(200);
    expect(await theirs.next()).toBe(told("access.changed", person.userId));
    if (how === "removed") expect(await theirs.next()).toBe("end");
    const id = await newLink(office);
    await keyCall(office, "POST", `/payment-links/${id}/cancel`);
    expect(await ours.next()).toBe(told("payment_link.cancelled", id));
    if (how !== "removed") expect(await theirs.next()).toBe(told("payment_link.cancelled", id));
    for (const stream of [theirs, ours]) stream.close();
  },
);

test("the stream of a session that has ended ends, also from an address above the limit of failed authentication", async () => {
  const office = await newOffice();
  const person = await somePerson();
  await addMember(office.businessId, person.userId, "admin");
  const stream = await open(office, "test", { cookie: person.cookie });
  expect(await stream.next()).toBe("event: ready\ndata: {}");
  provideEnv({ RATE_LIMIT_ANONYMOUS: "1" });
  try {
    const guess = () => fetch(`${origin}/api/packages`, { headers: { authorization: "Bearer a" } });
    await expect.poll(async () => (await guess()).status).toBe(429);
    await db.delete(sessions).where(eq(sessions.userId, person.userId));
    let last = "";
    void stream.next().then((message) => (last = message));
    await withTransaction((tx) => notifyAccessChanged(tx, office.businessId, newId()));
    // The limit opens after a minute.
    await expect.poll(() => last, { timeout: 30_000 }).toBe("end");
  } finally {
    provideEnv({ RATE_LIMIT_ANONYMOUS: "" });
  }
});

test.each(["/api/stream", "/api/payment-links/export"])(
  "an answer to HEAD %s ends with its headers, and the connection takes the next request",
  async (path) => {
    const office = await newOffice();
    await newLink(office);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (method: string, address: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const cookie = office.headers.cookie ?? "";
        const sent = request(`${origin}${address}`, { agent, method, headers: { cookie } });
        sent.on("error", reject).on("response", (response) => {
          response.resume().on("end", () => resolve(response.statusCode));
        });
        sent.end();
      });
    try {
      expect(await ask("HEAD", `${path}?business=${office.businessId}&mode=test`)).toBe(200);
      expect(await ask("GET", "/api/payment-links")).toBe(400);
    } finally {
      agent.destroy();
    }
  },
);

test("a server that stops ends its streams", async () => {
  const office = await newOffice();
  const stream = await open(office);
  await stream.next();
  endStreams();
  expect(await stream.next()).toBe("end");
});

test("edits of records without events are sent too: a webhook endpoint in its mode, the business in both", async () => {
  const office = await newOffice();
  const [here, live] = [await open(office), await open(office, "live")];
  for (const stream of [here, live]) expect(await stream.next()).toBe("event: ready\ndata: {}");
  const { _id } = data<WebhookEndpoint>(
    await staffCall(office, "POST", "/webhook-endpoints", { url: "https://shop.example/hooks" }),
  );
  data(await staffCall(office, "PUT", `/webhook-endpoints/${_id}`, { description: "Web shop" }));
  data(await staffCall(office, "POST", `/webhook-endpoints/${_id}/rotate`));
  data(await staffCall(office, "DELETE", `/webhook-endpoints/${_id}`));
  const business = { name: "Another name", time_zone: "UTC", default_currency: "MYR" };
  data(await staffCall(office, "PUT", "/business", business));
  for (const verb of ["created", "updated", "rotated", "deleted"])
    expect(await here.next()).toBe(told(`webhook_endpoint.${verb}`, _id));
  for (const stream of [here, live]) expect(await stream.next()).toBe(told("business.updated", ""));
  for (const stream of [here, live]) stream.close();
});

test("a change of many links is shown to colleagues when it starts and when it is stopped", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  const stream = await open(office);
  expect(await stream.next()).toBe("event: ready\ndata: {}");
  const { _id } = data<{ _id: string }>(
    await staffCall(office, "POST", "/batches", { action: "remind", ids: [id] }),
  );
  expect(await stream.next()).toBe(told("batch.started", _id));
  await staffCall(office, "POST", `/batches/${_id}/stop`);
  expect(await stream.next()).toBe(told("batch.stopped", _id));
  stream.close();
});

test("an erasure reaches open pages of both modes, with nothing of the payer", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  const [here, live] = [await open(office), await open(office, "live")];
  for (const stream of [here, live]) expect(await stream.next()).toBe("event: ready\ndata: {}");
  data(await staffCall(office, "POST", "/payers/erase", { email: link().email }));
  expect(await here.next()).toBe(told("payment_link.cancelled", id));
  for (const stream of [here, live]) expect(await stream.next()).toBe(told("payer.erased", ""));
  for (const stream of [here, live]) stream.close();
});

test("an endpoint that is disabled because it answered 410 is sent too", async () => {
  const office = await newOffice();
  const stream = await open(office);
  expect(await stream.next()).toBe("event: ready\ndata: {}");
  const { _id, url } = data<WebhookEndpoint>(
    await staffCall(office, "POST", "/webhook-endpoints", { url: "https://shop.example/hooks" }),
  );
  const { businessId } = office;
  await disableGone({ businessId, mode: "test", endpointId: _id, id: newId(), url });
  for (const verb of ["created", "updated"])
    expect(await stream.next()).toBe(told(`webhook_endpoint.${verb}`, _id));
  stream.close();
});
