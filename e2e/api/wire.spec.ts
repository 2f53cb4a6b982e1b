import { expect, test } from "../fixtures";
import { ask, Wire, wire, wireJson } from "../raw";
import { linkInput, newLink, type Shop } from "../shop";

const auth = (shop: Shop) => `Authorization: Bearer ${shop.key}`;
const linksOf = (shop: Shop) =>
  shop.api.ok<{ total: number }>("GET", "/payment-links?page=1").then(({ total }) => total);

test("a stale Content-Length on GET and DELETE is answered at once, and the connection ended", async ({
  install,
  shop,
}) => {
  const link = await newLink(shop);
  for (const method of ["GET", "DELETE"]) {
    const line = new Wire(install.url);
    line.send(wire(method, `/api/payment-links/${link._id}`, [auth(shop), "Content-Length: 120"]));
    const reply = await line.reply();
    expect([reply?.status, reply?.headers.connection]).toEqual([200, "close"]);
    expect(reply?.body).toContain(link._id);
    await line.end();
  }
});

test("a body on GET and DELETE is ignored, and the connection goes on where it came whole", async ({
  install,
  shop,
}) => {
  const link = await newLink(shop);
  const line = new Wire(install.url);
  for (const [method, body] of [
    ["GET", "{"],
    ["GET", '{"amount":1}'],
    ["DELETE", "not json"],
  ] as const) {
    line.send(wireJson(method, `/api/payment-links/${link._id}`, [auth(shop)], body));
    expect((await line.reply())?.status).toBe(200);
    if (line.ended) return;
  }
  line.close();
});

test("HEAD is GET without its body, OPTIONS and 405 say what is allowed", async ({
  install,
  shop,
}) => {
  const head = await ask(install.url, wire("HEAD", "/api/payment-links", [auth(shop)]), true);
  const get = await ask(install.url, wire("GET", "/api/payment-links", [auth(shop)]));
  expect([head?.status, head?.headers["content-type"], head?.headers["content-length"]]).toEqual([
    200,
    get?.headers["content-type"],
    get?.headers["content-length"],
  ]);
  const options = await ask(install.url, wire("OPTIONS", "/api/payment-links"));
  expect([options?.status, options?.headers.allow]).toEqual([204, "GET, POST, HEAD, OPTIONS"]);
  for (const method of ["PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "LINK"]) {
    const refused = await ask(
      install.url,
      wire(method, "/api/payment-links", [auth(shop), "Content-Length: 0"]),
    );
    expect([method, refused?.status, refused?.headers.allow]).toEqual([
      method,
      405,
      "GET, POST, HEAD, OPTIONS",
    ]);
    expect(JSON.parse(refused?.body ?? "")).toEqual({
      message: expect.any(String),
      code: "method_not_allowed",
      errors: {},
    });
    expect(refused?.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test("what two servers could read in two ways is refused, and the connection ended", async ({
  install,
  shop,
}) => {
  const json = "Content-Type: application/json";
  const body = JSON.stringify(linkInput);
  const size = `Content-Length: ${Buffer.byteLength(body)}`;
  const post = (headers: string[], sent = body) =>
    wire("POST", "/api/payment-links", [auth(shop), json, ...headers], sent);
  const get = (headers: string[], target = "/api/payment-links") =>
    wire("GET", target, [auth(shop), ...headers]);
  const refused: Record<string, string> = {
    "length and chunks": post(
      [size, "Transfer-Encoding: chunked"],
      `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ),
    "two lengths": post([size, `Content-Length: ${body.length + 1}`]),
    "the same length twice": post([size, size]),
    "a signed length": post([`Content-Length: +${body.length}`]),
    "a blank before the colon": post([`Transfer-Encoding : chunked`], "0\r\n\r\n"),
    "a list of codings": post(["Transfer-Encoding: chunked, identity"], "0\r\n\r\n"),
    "a bare CR in a header": get(["X-Note: a\rb"]),
    "a folded header": get(["X-Note: a\r\n b"]),
    "a NUL in a header": get(["X-Note: a\0b"]),
    "a Host with a blank": get(["Host: a b"]),
    "a Host with a path": get(["Host: a/b"]),
    "a Host with a user": get(["Host: a@b"]),
    "two Hosts": get(["Host: localhost", "Host: evil.example"]),
    "no Host": `GET /api/payment-links HTTP/1.1\r\n${auth(shop)}\r\n\r\n`,
    "an absolute target": get([], "http://evil.example/api/payment-links"),
    "an absolute target of a page": get([], "http://evil.example/"),
    "a target that is no path": get([], "*"),
    "a backslash": get([], "/api\\payment-links"),
    "a doubled slash": get([], "/api//payment-links"),
    "a dot segment": get([], "/x/../api/payment-links"),
    "an encoded dot segment": get([], "/x/%2e%2E/api/payment-links"),
    "a dot segment before an encoded slash": get([], "/api/payment-links/..%2fx"),
    "a fragment": get([], "/api/payment-links#x"),
    "a bare LF": `GET /api/payment-links HTTP/1.1\nHost: localhost\n${auth(shop)}\n\n`,
    "no HTTP at all": "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
  };
  for (const [name, bytes] of Object.entries(refused)) {
    const line = new Wire(install.url);
    line.send(bytes);
    const reply = await line.reply();
    expect([name, reply?.status, reply?.headers.connection?.toLowerCase()]).toEqual([
      name,
      400,
      "close",
    ]);
    expect(`${reply?.body} ${reply?.headers.location}`).not.toContain("evil");
    await line.end();
  }
  expect(await linksOf(shop)).toBe(0);
});

test("headers beyond 16 KiB are 431", async ({ install }) => {
  expect(
    (await ask(install.url, wire("GET", "/api/health", [`X-Note: ${"a".repeat(17_000)}`])))?.status,
  ).toBe(431);
});

test("addresses in answers come from the setting, whatever Host and proxies say", async ({
  install,
  shop,
}) => {
  const evil = [
    "Host: evil.example",
    "X-Forwarded-Host: evil.example",
    "X-Forwarded-Proto: https",
    "Forwarded: host=evil.example",
  ];
  const made = await ask(
    install.url,
    wireJson("POST", "/api/payment-links", [auth(shop), ...evil], linkInput),
  );
  const { data } = JSON.parse(made?.body ?? "") as { data: { payment_url: string; _id: string } };
  expect(data.payment_url).toBe(`${install.url}/pay?id=${data._id}&test=true`);
  const others = [
    wire("GET", "/api/payment-links?per_page=1&page=1", [auth(shop), ...evil]),
    wire("GET", `/pay?id=${data._id}`, evil),
    wire("POST", "/pay", [
      "Content-Type: application/x-www-form-urlencoded",
      "Content-Length: 0",
      ...evil,
    ]),
    wire("GET", "/api", evil),
    wire("GET", "/pay/", evil),
  ];
  for (const bytes of others) {
    const reply = await ask(install.url, bytes);
    expect(reply && `${reply.body} ${JSON.stringify(reply.headers)}`).not.toContain("evil");
  }
  const token = await shop.api.call(
    "POST",
    "/tokenizations/create-token",
    { email: "a@b.co", title: "Gold", description: "x" },
    { "x-forwarded-host": "evil.example" },
  );
  expect(token.text).not.toContain("evil");
});

test("answers are compressed for those who ask, where it is worth it", async ({
  install,
  shop,
}) => {
  for (let i = 0; i < 4; i++) await newLink(shop);
  const get = (path: string, ...headers: string[]) =>
    ask(install.url, wire("GET", path, [auth(shop), ...headers]));
  const [plain, packed, small] = [
    await get("/api/payment-links"),
    await get("/api/payment-links", "Accept-Encoding: br, gzip"),
    await get("/api/health", "Accept-Encoding: gzip"),
  ];
  const data = (body = "") => (JSON.parse(body) as { data: unknown }).data;
  expect([
    plain?.headers["content-encoding"],
    packed?.headers["content-encoding"],
    small?.headers["content-encoding"],
  ]).toEqual([undefined, "gzip", undefined]);
  expect(packed?.headers.vary).toContain("accept-encoding");
  expect(data(packed?.body)).toEqual(data(plain?.body));
  expect(packed?.bytes).toBeLessThan((plain?.bytes ?? 0) / 2);
});

test("an unknown address under /api is the JSON 404, also without a key and for any method", async ({
  install,
  shop,
}) => {
  const unknown = { message: "Not found.", code: "not_found", errors: {} };
  for (const target of [
    "/api",
    "/api/",
    "/api/nothing",
    "/api/payment-links/x/y/z",
    "/api/Payment-Links",
    "/api/payment-links%2f",
  ]) {
    for (const method of ["GET", "POST"]) {
      const reply = await ask(install.url, wire(method, target, [auth(shop), "Content-Length: 0"]));
      expect([target, reply?.status]).toEqual([target, 404]);
      expect(JSON.parse(reply?.body ?? "")).toEqual(unknown);
    }
  }
});

test("a slash at the end changes nothing, and an id may come percent-encoded", async ({
  install,
  shop,
}) => {
  const link = await newLink(shop);
  const encoded = [...link._id].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
  for (const path of [`${link._id}/`, encoded, `${encoded}/`]) {
    const reply = await ask(install.url, wire("GET", `/api/payment-links/${path}`, [auth(shop)]));
    expect([path, reply?.status]).toEqual([path, 200]);
    expect(reply?.body).toContain(link._id);
  }
  for (const path of [
    "%",
    "%zz",
    "%00",
    "%ff",
    `${link._id}%00`,
    "%F0%9F%98%80",
    link._id.toUpperCase(),
  ]) {
    expect([
      path,
      (await ask(install.url, wire("GET", `/api/payment-links/${path}`, [auth(shop)])))?.status,
    ]).toEqual([path, 404]);
  }
});

test("one connection carries requests through every kind of refusal", async ({ install, shop }) => {
  const link = await newLink(shop);
  const line = new Wire(install.url);
  const steps: Array<[number, string]> = [
    [401, wireJson("POST", "/api/payment-links", [], linkInput)],
    [404, wire("GET", "/api/payment-links/000000000000000000000000", [auth(shop)])],
    [422, wireJson("POST", "/api/payment-links", [auth(shop)], {})],
    [400, wireJson("POST", "/api/payment-links", [auth(shop)], "{")],
    [
      415,
      wire(
        "POST",
        "/api/payment-links",
        [auth(shop), "Content-Type: text/plain", "Content-Length: 2"],
        "hi",
      ),
    ],
    [405, wireJson("PATCH", "/api/payment-links", [auth(shop)], linkInput)],
    [400, wireJson("POST", "/api/payment-links", [auth(shop), "Idempotency-Key: a b"], linkInput)],
    [404, wire("GET", "/pay?id=none", [])],
    [200, wire("GET", `/api/payment-links/${link._id}`, [auth(shop)])],
  ];
  for (const [status, bytes] of steps) {
    line.send(bytes);
    const reply = await line.reply();
    expect([bytes.slice(0, 60), reply?.status]).toEqual([bytes.slice(0, 60), status]);
  }
  // And two at once, answered in order.
  line.send(
    wire("GET", "/api/payment-links/000000000000000000000000", [auth(shop)]) +
      wire("GET", `/api/payment-links/${link._id}`, [auth(shop)]),
  );
  expect([(await line.reply())?.status, (await line.reply())?.status]).toEqual([404, 200]);
  line.close();
});

test("a client that goes away in the middle of its body leaves nothing behind", async ({
  install,
  shop,
}) => {
  for (const framing of ["Content-Length: 500", "Transfer-Encoding: chunked"]) {
    const line = new Wire(install.url);
    line.send(
      wire(
        "POST",
        "/api/payment-links",
        [auth(shop), "Content-Type: application/json", framing, "Expect: 100-continue"],
        framing.startsWith("T") ? '5\r\n{"ema' : '{"ema',
      ),
    );
    line.socket.end();
    await line.end();
  }
  expect(await linksOf(shop)).toBe(0);
});

test("payer pages: no script, no store, no referrer, no frame, no address of the payer, under 15 KB", async ({
  install,
  shop,
}) => {
  const long = "The quick brown fox jumps over the lazy dog and orders another coffee. ".repeat(70);
  const link = await newLink(shop, {
    title: "Invoice 1042 for the long table at the market 2026",
    description: long,
    reference: "INV-1042",
    reference_2: "Stall 12",
  });
  for (const target of [
    `/pay?id=${link._id}&test=true`,
    "/pay?id=none",
    "/thank-you",
    `/activate/${"0".repeat(64)}`,
  ]) {
    const reply = await ask(install.url, wire("GET", target, ["Accept-Encoding: gzip"]));
    expect(reply?.headers).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-type": "text/html; charset=utf-8",
    });
    const policy = reply?.headers["content-security-policy"] ?? "";
    for (const rule of [
      "default-src 'none'",
      "script-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toContain("unsafe");
    expect(reply?.headers["x-powered-by"]).toBeUndefined();
    expect(reply?.body).not.toMatch(/<script|javascript:| on\w+=| style="/i);
    expect(reply?.body).not.toContain(link.email);
    expect([target, (reply?.bytes ?? 0) < 15_000]).toEqual([target, true]);
  }
});

test("a path below payer pages or the reference that names no page has the policy of the dashboard", async ({
  install,
}) => {
  for (const target of ["/docs", "/pay/x", "/activate/x/y", "/receipt", "/logo", "/nothing-here"]) {
    const reply = await ask(install.url, wire("GET", target));
    expect([target, reply?.status]).toEqual([target, 404]);
    expect(reply?.headers["content-security-policy"]).toMatch(/'nonce-.*frame-ancestors 'none'/);
    expect(reply?.headers["referrer-policy"]).toBe("strict-origin-when-cross-origin");
  }
});

test("an upgrade is never granted, before and after a page was served; no path reaches a route file another way", async ({
  install,
}) => {
  const asked = (target: string, protocol: string) =>
    ask(
      install.url,
      wire("GET", target, [
        "Connection: Upgrade, HTTP2-Settings",
        protocol,
        "HTTP2-Settings: AAMAAABkAAQ",
      ]),
    );
  for (const page of [undefined, "/sign-in"]) {
    if (page) expect((await ask(install.url, wire("GET", page)))?.status).toBe(200);
    for (const protocol of ["Upgrade: websocket", "Upgrade: h2c"]) {
      for (const [target, status] of [
        ["/api/health", 200],
        ["/nothing-here", 400],
        ["/pay?id=none", 404],
      ] as const) {
        const reply = await asked(target, protocol);
        expect([target, protocol, reply?.status]).toEqual([target, protocol, status]);
        expect(reply?.headers.connection).toBe("close");
      }
    }
  }
  for (const target of ["/%61pi/health", "/pay%2freturn", "/_next/data/x/pay.json", "/Pay"])
    expect([target, (await ask(install.url, wire("GET", target)))?.status]).toEqual([target, 404]);
  const check = await ask(install.url, "GET /api/health HTTP/1.0\r\n\r\n");
  expect(check?.status).toBe(200);
});
