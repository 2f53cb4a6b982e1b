import { once } from "node:events";
import { createSocket } from "node:dgram";
import { lookup as systemLookup } from "node:dns";
import { createServer as createHttp, type Server } from "node:http";
import {
  createServer,
  type AddressInfo,
  type LookupFunction,
  type Server as TcpServer,
} from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { objection } from "@/lib/kernel/public-address";
import { lookupAt } from "@/lib/flows/webhook-delivery/lookup";
import { createSender } from "@/lib/flows/webhook-delivery/sender";

const open: Array<TcpServer | Server> = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    if ("closeAllConnections" in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Listens where nothing may be dialled, and counts who comes. */
async function canary(host: string): Promise<{ port: number; visits: () => number }> {
  let visits = 0;
  const server = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  server.listen(0, host);
  await once(server, "listening");
  open.push(server);
  return { port: (server.address() as AddressInfo).port, visits: () => visits };
}

async function serving(listener: Parameters<typeof createHttp>[1]): Promise<string> {
  const server = createHttp(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

/** A resolver of the test's own: each look-up gets the next of the answers, then the last one again. */
function resolver(...answers: string[][]): { lookup: LookupFunction; asked: () => number } {
  let asked = 0;
  const lookup: LookupFunction = (_, options, callback) => {
    const found = (answers[Math.min(asked++, answers.length - 1)] ?? []).map((address) => ({
      address,
      family: address.includes(":") ? 6 : 4,
    }));
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? "", found[0]?.family);
  };
  return { lookup, asked: () => asked };
}

const post = (sender: ReturnType<typeof createSender>, url: string) =>
  sender.post(url, { "webhook-id": "1" }, '{"a":1}');
const inPrivate = expect.stringMatching(/private network/);

describe("addresses of this machine and its networks are not dialled", () => {
  test.each([
    "127.0.0.1",
    "[::1]",
    "2130706433",
    "0x7f.1",
    "017700000001",
    "127.1",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "localhost",
    "localhost.",
    "0.0.0.0",
    "[::]",
    "169.254.169.254",
    "10.0.0.1",
    "192.168.0.1",
    "172.16.0.1",
    "100.64.0.1",
    "[fd00::1]",
    "[fe80::1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "metadata.internal",
  ])("https://%s", async (host) => {
    const { port, visits } = await canary("::");
    const answer = await post(createSender({ allowPrivate: false }), `https://${host}:${port}/`);
    expect(answer).toMatchObject({ status: null, error: inPrivate, response: null });
    expect(visits()).toBe(0);
  });

  test.each([
    [["127.0.0.1"]],
    [["::1"]],
    [["169.254.169.254"]],
    [["93.184.216.34", "127.0.0.1"]],
    [["2606:4700::1111", "fd00::1"]],
    [["::ffff:10.0.0.1"]],
    [["::127.0.0.1"]],
  ])("a name with the addresses %j", async (addresses) => {
    const { port, visits } = await canary("::");
    const { lookup, asked } = resolver(addresses);
    const answer = await post(
      createSender({ allowPrivate: false, lookup }),
      `https://hooks.example:${port}/`,
    );
    expect(answer).toMatchObject({ status: null, error: inPrivate });
    expect([asked(), visits()]).toEqual([1, 0]);
  });

  test("a name that answers otherwise the second time: what was checked is what is dialled, and each attempt asks again", async () => {
    const { port, visits } = await canary("::");
    // A public address that no host has.
    const { lookup, asked } = resolver(["2000::1"], ["127.0.0.1"]);
    const sender = createSender({ allowPrivate: false, lookup, deadlineMs: 300 });
    expect((await post(sender, `https://hooks.example:${port}/`)).error).not.toBeNull();
    expect(asked()).toBe(1);
    expect((await post(sender, `https://hooks.example:${port}/`)).error).toEqual(inPrivate);
    expect([asked(), visits()]).toEqual([2, 0]);
  });

  test("with private networks allowed they are", async () => {
    const url = await serving((_, response) => response.end("ok"));
    expect(await post(createSender({ allowPrivate: true }), url)).toMatchObject({
      status: 200,
      error: null,
      response: "ok",
    });
  });
});

describe("names are asked of name servers", () => {
  /** A name server: the addresses of every name by the type that is asked for (1: IPv4, 28: IPv6), "unknown" or silence. */
  async function nameServer(
    answers: Record<number, Buffer> | "unknown" | "silent",
  ): Promise<{ lookup: LookupFunction; close: () => void }> {
    const socket = createSocket("udp4");
    socket.on("message", (query, from) => {
      if (answers === "silent") return;
      const end = query.indexOf(0, 12) + 5;
      const found = answers === "unknown" ? undefined : answers[query.readUInt16BE(end - 4)];
      const head = Buffer.from(query.subarray(0, 12));
      head.writeUInt16BE(answers === "unknown" ? 0x8183 : 0x8180, 2);
      head.fill(0, 6).writeUInt16BE(found ? 1 : 0, 6);
      const record = found
        ? [
            Buffer.from("c00c", "hex"),
            query.subarray(end - 4, end),
            Buffer.from([0, 0, 0, 60, 0, found.length]),
            found,
          ]
        : [];
      socket.send(
        Buffer.concat([head, query.subarray(12, end), ...record]),
        from.port,
        from.address,
      );
    });
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return {
      lookup: lookupAt([`127.0.0.1:${socket.address().port}`], answers === "silent" ? 50 : 2_000),
      close: () => void socket.close(),
    };
  }
  const ask = (lookup: LookupFunction) =>
    new Promise((resolve) =>
      lookup("hooks.example", { all: true }, (error, found) =>
        resolve(
          error ? error.code : (found as Array<{ address: string }>).map(({ address }) => address),
        ),
      ),
    );

  test("both kinds of address, or the one there is", async () => {
    const [four, six] = [
      Buffer.from([93, 184, 216, 34]),
      Buffer.from("26064700000000000000000000001111", "hex"),
    ];
    const [both, one] = [await nameServer({ 1: four, 28: six }), await nameServer({ 1: four })];
    expect(await ask(both.lookup)).toEqual(["93.184.216.34", "2606:4700::1111"]);
    expect(await ask(one.lookup)).toEqual(["93.184.216.34"]);
    both.close();
    one.close();
  });

  test("a private address among them is refused, and an unknown name is reported", async () => {
    const [inside, unknown] = [
      await nameServer({ 1: Buffer.from([127, 0, 0, 1]) }),
      await nameServer("unknown"),
    ];
    const { port, visits } = await canary("::");
    expect(
      await post(
        createSender({ allowPrivate: false, lookup: inside.lookup }),
        `https://hooks.example:${port}/`,
      ),
    ).toMatchObject({ error: inPrivate });
    expect(
      await post(
        createSender({ allowPrivate: false, lookup: unknown.lookup }),
        `https://hooks.example:${port}/`,
      ),
    ).toMatchObject({ error: "There is no host of this name." });
    expect(visits()).toBe(0);
    inside.close();
    unknown.close();
  });

  test("silent servers delay no other look-up", async () => {
    const silent = await nameServer("silent");
    const over: string[] = [];
    const waiting = Array.from({ length: 16 }, async () =>
      over.push(String(await ask(silent.lookup))),
    );
    await new Promise((resolve) => systemLookup("localhost", () => resolve(over.push("another"))));
    await Promise.all(waiting);
    expect(over).toEqual(["another", ...Array.from({ length: 16 }, () => "EAI_AGAIN")]);
    silent.close();
  });
});

describe("what an address may be", () => {
  test.each([
    ["https://shop.example/hooks", null],
    ["https://shop.example:8443/", null],
    ["https://8.8.8.8/", null],
    ["https://[2606:4700::1111]/", null],
    ["http://shop.example/", "The url must begin with https."],
    ["https://shop.example:22/", "The url must not use this port."],
    ["https://shop.example:25/", "The url must not use this port."],
    ["https://shop.example:80/", "The url must not use this port."],
    ["https://shop.example:6667/", "The url must not use this port."],
    ["https://intranet/", "The url must not be in a private network."],
    ["https://printer.local/", "The url must not be in a private network."],
    ["https://10.1.2.3/", "The url must not be in a private network."],
  ])("%s", (url, text) => expect(objection(new URL(url), false)).toBe(text));
  test.each([
    ["http://127.0.0.1:3000/", null],
    ["http://127.0.0.1:22/", "The url must not use this port."],
  ])("with private networks allowed: %s", (url, text) => {
    expect(objection(new URL(url), true)).toBe(text);
  });
});

describe("endpoints that misbehave", () => {
  const sender = () => createSender({ allowPrivate: true, deadlineMs: 250 });
  const late = { status: null, error: "No answer within 15 seconds." };

  test("a redirect is reported and not followed", async () => {
    const { port, visits } = await canary("127.0.0.1");
    const url = await serving((_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end(),
    );
    expect(await post(sender(), url)).toMatchObject({
      status: 302,
      error: "It answered 302; redirects are not followed.",
    });
    expect(visits()).toBe(0);
  });
  test("one that never answers", async () =>
    expect(await post(sender(), await serving(() => undefined))).toMatchObject(late));
  test("one that drips its headers", async () => {
    const server = createServer((socket) => {
      const timer = setInterval(() => socket.write("x-a: b\r\n"), 20);
      socket.write("HTTP/1.1 200 OK\r\n");
      socket.on("error", () => undefined).on("close", () => clearInterval(timer));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    open.push(server);
    expect(
      await post(sender(), `http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    ).toMatchObject(late);
  });
  test("one that drips its body has answered; the rest is not waited for", async () => {
    const url = await serving((_, response) => {
      const timer = setInterval(() => response.write("."), 20);
      response.on("close", () => clearInterval(timer));
    });
    expect(await post(sender(), url)).toMatchObject({
      status: 200,
      error: null,
      response: expect.stringMatching(/^\.+$/),
    });
  });
  test("of a gigabyte 16 KiB are read", async () => {
    let written = 0;
    const url = await serving((_, response) => {
      const more = () => {
        while (written < 2 ** 30 && !response.destroyed) {
          written += 65_536;
          if (!response.write("x".repeat(65_536))) return void response.once("drain", more);
        }
      };
      more();
    });
    const answer = await post(createSender({ allowPrivate: true }), url);
    expect(answer).toMatchObject({ status: 200, error: null });
    expect(answer.response).toHaveLength(16_384);
    expect(written).toBeLessThan(2 ** 26);
  });
  test("one that hangs up", async () => {
    const url = await serving((request) => request.socket.destroy());
    expect(await post(sender(), url)).toMatchObject({
      status: null,
      error: "The connection was lost before an answer.",
    });
  });
  test("one that is not there", async () => {
    const { port } = await canary("127.0.0.1");
    await new Promise((resolve) => open.pop()?.close(resolve));
    expect(await post(sender(), `http://127.0.0.1:${port}/`)).toMatchObject({
      status: null,
      error: "It refused the connection.",
    });
  });
  test("one that speaks something else", async () => {
    const server = createServer((socket) => void socket.resume().end("220 mail.example ESMTP\r\n"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    open.push(server);
    expect(
      await post(sender(), `http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    ).toMatchObject({ status: null, error: "Its answer was not HTTP." });
  });
  test("secrets and what Postgres cannot take are not kept of an answer", async () => {
    const url = await serving((_, response) =>
      response.end(`a\0b whsec_${"A".repeat(44)} sk_live_${"x".repeat(49)} ${"0".repeat(64)}`),
    );
    expect((await post(sender(), url)).response).toBe("ab whsec_… sk_live_…xxxx …");
  });
});

test("a kept connection that was closed meanwhile is no failed attempt", async () => {
  let visits = 0;
  const url = await serving((request, response) => {
    visits++;
    if (visits === 2) return void request.socket.destroy();
    response.end("ok");
  });
  const sender = createSender({ allowPrivate: true });
  expect((await post(sender, url)).error).toBeNull();
  expect((await post(sender, url)).error).toBeNull();
  expect(visits).toBe(3);
  sender.close();
});
