import { expect, test } from "../fixtures";
import type { PaymentLink } from "@/lib/contract/payment-links";
import type { Tokenization } from "@/lib/contract/tokenizations";
import { Wire, wire, wireJson } from "../raw";
import { besides, memoryOf, type Service, startService } from "../service";
import { linkInput } from "../shop";

test.describe.configure({ mode: "default" });

let service: Service;
test.beforeAll(async () => {
  test.setTimeout(90_000);
  service = await startService({ LOG_LEVEL: "debug" });
});
test.afterAll(() => service?.stop());

const auth = () => `Authorization: Bearer ${service.demo.api.key}`;
const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", redirect: "manual", body: new URLSearchParams(fields), headers });

const up = () =>
  fetch(`${service.url}/api/health`).then(
    ({ status }) => status,
    () => 0,
  );

type Line = {
  level: string;
  msg: string;
  request_id?: string;
  method?: string;
  path?: string;
  status?: number;
  ms?: number;
  business_id?: number;
  mode?: string;
};
const lines = () =>
  service
    .log()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);

test("the log has each API request and no secret", async () => {
  const { api, email, password, businessId } = service.demo;
  const link = await api.ok<PaymentLink>("POST", "/payment-links", linkInput);
  const hosted =
    (await post(`${service.url}/pay`, { id: link._id, version: "1" })).headers.get("location") ??
    "";
  await fetch((await post(hosted, { outcome: "approve" })).headers.get("location") ?? "");
  const made = await api.ok<Tokenization>("POST", "/tokenizations/create-token", {
    email: linkInput.email,
    title: "Gold",
    description: "Monthly",
  });
  const saving = (await post(made.activation_url, {})).headers.get("location") ?? "";
  await fetch((await post(saving, { outcome: "approve" })).headers.get("location") ?? "");
  const charged = await api.call("POST", `/tokenizations/${made.token}/charge`, {
    amount: 500,
    currency: "MYR",
    title: "Once",
  });
  expect(charged.status).toBe(200);
  const signedIn = await fetch(`${service.url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: service.url },
    body: JSON.stringify({ email, password }),
  });
  expect(signedIn.status).toBe(200);
  const cookies = signedIn.headers.getSetCookie().map((line) => line.split(";", 1)[0] ?? "");
  await fetch(`${service.url}/api/payment-links`, {
    headers: {
      cookie: cookies.join("; "),
      "x-kutip-business": String(businessId),
      "x-kutip-mode": "test",
    },
  });
  // And what goes wrong: a revoked key, a token where an id belongs, a key in the address, a body that is none, an unknown callback.
  const wrongKey = `${api.key.slice(0, -1)}${api.key.endsWith("x") ? "y" : "x"}`;
  for (const path of [
    `/payment-links/${made.token}`,
    `/nothing/${made.token}`,
    `/payment-links?cursor=${api.key}`,
    `/${api.key}`,
  ])
    await api.call("GET", path);
  await fetch(`${service.url}/api/payment-links`, {
    headers: { authorization: `Bearer ${wrongKey}` },
  });
  await fetch(`${service.url}/api/payment-links`, {
    method: "POST",
    headers: { authorization: `Bearer ${api.key}`, "content-type": "application/json" },
    body: `{"email": "${api.key}`,
  });
  await fetch(`${service.url}/api/gateways/simulator/callback/${made.token}`, {
    method: "POST",
    body: password,
  });

  const requestId = charged.headers.get("x-request-id");
  await expect
    .poll(() => lines().find((line) => line.request_id === requestId))
    .toMatchObject({
      level: "info",
      method: "POST",
      path: "/api/tokenizations/*/charge",
      status: 200,
      ms: expect.any(Number),
      business_id: businessId,
      mode: "test",
    });
  await expect
    .poll(() =>
      lines()
        .filter((line) => line.msg === "request")
        .map((line) => `${line.method} ${line.path} ${line.status}`),
    )
    .toEqual(
      expect.arrayContaining([
        "POST /api/payment-links 200",
        "GET /api/payment-links/* 404",
        "GET /api/nothing/* 404",
        "GET /api/payment-links 401",
        "GET /api/* 404",
        "POST /api/payment-links 400",
        "POST /api/gateways/simulator/callback/* 404",
      ]),
    );
  const secrets: Record<string, string | undefined> = {
    key: api.key,
    wrongKey,
    token: made.token,
    password,
    secret: service.secret,
    hosted: hosted.split("/").at(-1),
    saving: saving.split("/").at(-1),
    payer: linkInput.email,
  };
  const said = service.log();
  for (const cookie of cookies)
    secrets[`cookie ${cookie.split("=")[0]}`] = cookie.slice(cookie.indexOf("=") + 1);
  for (const [name, secret] of Object.entries(secrets))
    expect([name, secret?.length, secret && said.includes(secret)]).toEqual([
      name,
      expect.any(Number),
      false,
    ]);
});

/** Sends until the server has had enough. Returns its reply and how much was sent. */
async function flood(
  headers: string[],
  chunk: Buffer,
): Promise<{ status: number | undefined; sent: number }> {
  const line = new Wire(service.url);
  line.send(
    wire("POST", "/api/payment-links", [auth(), "Content-Type: application/json", ...headers]),
  );
  let sent = 0;
  while (!line.ended && sent < 1_000_000_000) {
    sent += chunk.length;
    if (line.socket.write(chunk)) await new Promise((resolve) => setImmediate(resolve));
    else
      await Promise.race([
        new Promise((resolve) => line.socket.once("drain", resolve)),
        line.end(),
      ]);
  }
  return { status: (await line.reply())?.status, sent };
}

test("a gigabyte is cut off with a 413 that arrives, and memory stays flat", async () => {
  const body = Buffer.alloc(65_536, 32);
  const chunk = Buffer.concat([Buffer.from("10000\r\n"), body, Buffer.from("\r\n")]);
  const round = async () => [
    await flood(["Transfer-Encoding: chunked"], chunk),
    await flood(["Content-Length: 1000000000"], body),
  ];
  // The first rounds fill pools and compile code.
  for (let i = 0; i < 4; i++) await round();
  const web = service.process("web");
  const before = memoryOf(web);
  for (let i = 0; i < 10; i++) {
    for (const { status, sent } of await round()) {
      expect(status).toBe(413);
      expect(sent).toBeLessThan(200_000_000);
    }
  }
  expect(memoryOf(web) - before).toBeLessThan(50_000_000);
});

test("a stopping server finishes open requests, takes no new ones, and the next one goes on", async () => {
  test.setTimeout(150_000);
  const { api } = service.demo;
  const link = await api.ok<PaymentLink>("POST", "/payment-links", linkInput);
  const web = service.process("web");
  const text = JSON.stringify({ ...linkInput, reference: "slow upload" });
  const upload = new Wire(service.url);
  const idle = new Wire(service.url);
  idle.send(wire("GET", "/api/health"));
  await idle.reply();
  await besides(service, async (client) => {
    await client.query("begin");
    await client.query("select from payment_links where id = $1 for update", [link._id]);
    const change = new Wire(service.url);
    change.send(
      wireJson("PUT", `/api/payment-links/${link._id}`, [auth()], {
        ...linkInput,
        title: "Changed at the last moment",
      }),
    );
    upload.send(
      wire(
        "POST",
        "/api/payment-links",
        [auth(), "Content-Type: application/json", `Content-Length: ${text.length}`],
        text.slice(0, 20),
      ),
    );
    const blocked =
      "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    await besides(service, (watcher) =>
      expect.poll(async () => (await watcher.query(blocked)).rows[0].n).toBe(1),
    );
    process.kill(web, "SIGTERM");
    await idle.end();
    const late = new Wire(service.url);
    late.send(wire("GET", "/api/health"));
    expect(await late.reply()).toBeUndefined();
    await client.query("commit");
    upload.send(text.slice(20));
    for (const line of [change, upload]) {
      const reply = await line.reply();
      expect([reply?.status, reply?.headers.connection]).toEqual([200, "close"]);
      await line.end();
    }
  });
  await expect.poll(() => service.process("web"), { timeout: 20_000 }).not.toBe(web);
  // A process starts slowly beside three browsers.
  await expect.poll(up, { timeout: 60_000 }).toBe(200);
  expect((await api.ok<PaymentLink>("GET", `/payment-links/${link._id}`)).title).toBe(
    "Changed at the last moment",
  );
  await expect
    .poll(() =>
      lines()
        .map(({ msg }) => msg)
        .filter((msg) => /^web process (listens|drains|stopped)$/.test(msg)),
    )
    .toEqual([
      "web process listens",
      "web process drains",
      "web process stopped",
      "web process listens",
    ]);
});

test("restarted under load, no client gets half an answer or loses an acknowledged change", async () => {
  const web = service.process("web");
  const wrong: string[] = [];
  const made = new Map<string, string>();
  let over = false;
  /** One key until it is acknowledged, on a connection that lives as long as the server lets it. */
  const client = async (name: string) => {
    let line = new Wire(service.url);
    for (let round = 0; !over; round++) {
      const key = `${name}-${round}`;
      for (;;) {
        line.send(
          wireJson("POST", "/api/payment-links", [auth(), `Idempotency-Key: ${key}`], {
            ...linkInput,
            reference: key,
          }),
        );
        const reply = await line.reply();
        if (reply?.status === 200)
          made.set(key, (JSON.parse(reply.body) as { data: PaymentLink }).data._id);
        else if (reply && reply.status !== 409) wrong.push(`${reply.status} ${reply.body}`);
        if (!reply && line.left > 0) wrong.push(`${line.left} bytes of an answer`);
        if (!reply || line.ended || reply.headers.connection === "close") {
          line.close();
          if (!reply) await expect.poll(up, { timeout: 20_000 }).toBe(200);
          line = new Wire(service.url);
        }
        if (reply?.status === 200) break;
      }
    }
    line.close();
  };
  const clients = ["a", "b", "c", "d"].map((name) => client(`restart-${name}`));
  await expect.poll(() => made.size).toBeGreaterThan(10);
  process.kill(web, "SIGTERM");
  await expect.poll(() => service.process("web"), { timeout: 20_000 }).not.toBe(web);
  const before = made.size;
  await expect.poll(() => made.size, { timeout: 20_000 }).toBeGreaterThan(before + 10);
  over = true;
  await Promise.all(clients);
  expect(wrong).toEqual([]);
  await besides(service, async (client) => {
    const { rows } = await client.query<{ reference: string; id: string }>(
      "select reference, id from payment_links where reference like 'restart-%'",
    );
    expect(new Map(rows.map(({ reference, id }) => [reference, id]))).toEqual(made);
    expect(rows).toHaveLength(made.size);
  });
});
