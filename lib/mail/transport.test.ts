import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach, expect, test } from "vitest";
import {
  createMailTransport,
  isPlainAddress,
  type MailMessage,
  type MailTransport,
} from "./transport";

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

const message: MailMessage = {
  from: { address: "no-reply@pay.example", name: "Kedai, Kopi" },
  to: { address: "payer@example.com", name: "A Payer" },
  subject: "Kedai asks you to pay MYR 12.34",
  html: "<p>Pay – MYR 12.34</p>",
  text: "Pay – MYR 12.34\n",
  messageId: "<65f1c0de65f1c0de65f1c0de@pay.example>",
};

type Arrived = { mail: ParsedMail; from: string; to: string[] };

function transportTo(port: number): MailTransport {
  const transport = createMailTransport(`smtp://127.0.0.1:${port}?ignoreTLS=true`);
  opened.push(transport);
  return transport;
}

/** A real mail server on a port of its own, which keeps what it accepted. */
async function mailServer(
  overrides: Partial<SMTPServerOptions> = {},
): Promise<{ transport: MailTransport; arrived: Arrived[] }> {
  const arrived: Arrived[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, session, done) {
      simpleParser(stream).then((mail) => {
        const from = session.envelope.mailFrom;
        arrived.push({
          mail,
          from: from ? from.address : "",
          to: session.envelope.rcptTo.map(({ address }) => address),
        });
        done();
      }, done);
    },
    ...overrides,
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push({ close: () => server.close() });
  return { transport: transportTo((server.server.address() as AddressInfo).port), arrived };
}

/** A server that speaks line by line, for what a well-behaved one never does. */
async function rawServer(
  answer: (line: string, socket: Socket, inText: boolean) => string | null,
): Promise<{ port: number; texts: () => number; server: Server }> {
  let texts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    let inText = false;
    let rest = "";
    socket.write("220 ready\r\n");
    socket.on("data", (chunk) => {
      const lines = (rest + chunk.toString()).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (inText && line !== ".") continue;
        const reply = answer(line, socket, inText);
        inText = !inText && line === "DATA" && reply?.startsWith("354") === true;
        if (inText) texts += 1;
        if (reply !== null) socket.write(`${reply}\r\n`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return { port: (server.address() as AddressInfo).port, texts: () => texts, server };
}

const polite = (line: string) =>
  line.startsWith("DATA") ? "354 go on" : line === "QUIT" ? "221 bye" : "250 ok";
const refusal = (code: number, text: string) =>
  Object.assign(new Error(text), { responseCode: code });

test("a mail arrives once, with both versions, its id and its names intact", async () => {
  const { transport, arrived } = await mailServer();
  expect(
    await transport.send({
      ...message,
      replyTo: { address: "help@kedai.example" },
      headers: { "X-Kutip-Kind": "payment_link" },
    }),
  ).toEqual({ kind: "sent" });
  expect(arrived).toHaveLength(1);
  const [{ mail, from, to }] = arrived as [Arrived];
  expect(from).toBe("no-reply@pay.example");
  expect(to).toEqual(["payer@example.com"]);
  expect(mail.subject).toBe(message.subject);
  expect(mail.html).toContain("<p>Pay – MYR 12.34</p>");
  expect(mail.text).toContain("Pay – MYR 12.34");
  expect(mail.messageId).toBe(message.messageId);
  expect(mail.from?.value).toEqual([{ address: "no-reply@pay.example", name: "Kedai, Kopi" }]);
  expect(mail.replyTo?.value).toEqual([{ address: "help@kedai.example", name: "" }]);
  expect(mail.headers.get("x-kutip-kind")).toBe("payment_link");
  expect(mail.headers.get("auto-submitted")).toBe("auto-generated");
});

test("many mails go over the pool, each once", async () => {
  const { transport, arrived } = await mailServer();
  const ids = Array.from({ length: 25 }, (_, index) => `<mail${index}@pay.example>`);
  const outcomes = await Promise.all(
    ids.map((messageId) => transport.send({ ...message, messageId })),
  );
  expect(outcomes.every(({ kind }) => kind === "sent")).toBe(true);
  expect(arrived.map(({ mail }) => mail.messageId).sort()).toEqual([...ids].sort());
});

test("a mail is kept when no mail server is set", async () => {
  expect(await createMailTransport(null).send(message)).toEqual({ kind: "kept" });
});

test.each([
  ["recipient refused for good", 550, "onRcptTo", "permanent"],
  ["greylisted recipient", 451, "onRcptTo", "temporary"],
  ["sender refused, who is the same for every mail", 553, "onMailFrom", "temporary"],
  ["server busy", 421, "onMailFrom", "temporary"],
] as const)("%s (%i) is %3$s", async (_, code, hook, kind) => {
  const { transport, arrived } = await mailServer({
    [hook]: (_address: unknown, _session: unknown, done: (error: Error) => void) =>
      done(refusal(code, "no")),
  });
  expect(await transport.send(message)).toMatchObject({
    kind,
    reason: expect.stringContaining("no"),
  });
  expect(arrived).toHaveLength(0);
});

test.each([
  [554, "permanent"],
  [452, "temporary"],
] as const)("the text answered with %i is %s", async (code, kind) => {
  const { transport } = await mailServer({
    onData(stream, _session, done) {
      stream.resume();
      stream.on("end", () => done(refusal(code, "not this one")));
    },
  });
  expect(await transport.send(message)).toMatchObject({ kind });
});

test("a refused sign-in speaks of the server's set-up, so the mail is tried again", async () => {
  const { port } = await rawServer((line) =>
    line.startsWith("EHLO")
      ? "250-hello\r\n250 AUTH PLAIN"
      : line.startsWith("AUTH")
        ? "535 wrong"
        : polite(line),
  );
  const transport = createMailTransport(`smtp://user:secret-word@127.0.0.1:${port}?ignoreTLS=true`);
  opened.push(transport);
  const outcome = await transport.send(message);
  expect(outcome).toMatchObject({ kind: "temporary" });
  expect(JSON.stringify(outcome)).not.toContain("secret-word");
});

test("a server that is not there is temporary", async () => {
  const { port, server } = await rawServer(polite);
  await new Promise((resolve) => server.close(resolve));
  expect(await transportTo(port).send(message)).toMatchObject({ kind: "temporary" });
});

test("a connection lost before the text is temporary", async () => {
  const { port, texts } = await rawServer((line, socket) => {
    if (!line.startsWith("RCPT")) return polite(line);
    socket.destroy();
    return null;
  });
  expect(await transportTo(port).send(message)).toMatchObject({ kind: "temporary" });
  expect(texts()).toBe(0);
});

test("a connection lost after the text is unknown, and the text went out once", async () => {
  const { port, texts } = await rawServer((line, socket, inText) => {
    if (!inText) return polite(line);
    socket.destroy();
    return null;
  });
  expect(await transportTo(port).send(message)).toMatchObject({ kind: "unknown" });
  expect(texts()).toBe(1);
});

test("on a connection used before, a loss after the text is unknown too and nothing is sent again", async () => {
  let mails = 0;
  const { port, texts } = await rawServer((line, socket, inText) => {
    if (!inText) return polite(line);
    mails += 1;
    if (mails === 1) return "250 taken";
    socket.destroy();
    return null;
  });
  const transport = transportTo(port);
  expect(await transport.send(message)).toEqual({ kind: "sent" });
  expect(await transport.send({ ...message, messageId: "<second@pay.example>" })).toMatchObject({
    kind: "unknown",
  });
  expect(texts()).toBe(2);
});

test.each([
  ["before the text is temporary", false, "temporary"],
  ["after the text is unknown", true, "unknown"],
] as const)("a server that falls silent %s", async (_, afterText, kind) => {
  const { port } = await rawServer((line, _socket, inText) =>
    inText || (!afterText && line.startsWith("RCPT")) ? null : polite(line),
  );
  const transport = createMailTransport(`smtp://127.0.0.1:${port}?ignoreTLS=true`, 300);
  opened.push(transport);
  expect(await transport.send(message)).toMatchObject({ kind });
});

const hostile = [
  "payer@example.com, other@example.com",
  "payer@example.com;other@example.com",
  "payer@example.com\r\nBcc: other@example.com",
  "payer@example.com\nBcc:other@example.com",
  "payer@example.com\u0000",
  "payer@example.com\u2028other",
  "<payer@example.com>",
  "Payer <payer@example.com>",
  "payer@example.com <other@example.com>",
  "friends: payer@example.com, other@example.com;",
  "payer@example.com (a comment)",
  "(a comment)payer@example.com",
  "@relay.example:payer@example.com",
  "payer@other.example@example.com",
  `"payer@example.com, x"@example.com`,
  `"a b"@example.com`,
  "payer@[127.0.0.1]",
  "payer\\@example.com",
  "payer example.com",
  "payer@",
  "@example.com",
  "",
  " payer@example.com",
  "payer@example.com ",
  "payer@exam\tple.com",
  `${"a".repeat(65)}@example.com`,
  `payer@${"a".repeat(250)}.com`,
];

test.each(hostile)("nothing is sent to %j", async (address) => {
  const { transport, arrived } = await mailServer();
  expect(isPlainAddress(address)).toBe(false);
  expect(await transport.send({ ...message, to: { address } })).toMatchObject({
    kind: "permanent",
  });
  expect(await transport.send({ ...message, from: { address } })).toMatchObject({
    kind: "permanent",
  });
  expect(await createMailTransport(null).send({ ...message, to: { address } })).toMatchObject({
    kind: "permanent",
  });
  expect(arrived).toHaveLength(0);
});

test.each([
  "payer@example.com",
  "a+b.c_d-e@sub.example.co",
  "o'hara@example.com",
  "josé@example.com",
  "payer@bücher.example",
])("%s is one plain address", (address) => {
  expect(isPlainAddress(address)).toBe(true);
});

test("an address with every sign that is allowed before its @ arrives as it is, and alone", async () => {
  const { transport, arrived } = await mailServer();
  const address = "!#$%&'*+/=?^_`{|}~-.x@example.com";
  for (const to of [{ address }, { address, name: "A Payer" }])
    expect(await transport.send({ ...message, to, replyTo: { address } })).toEqual({
      kind: "sent",
    });
  const addresses = (of: ParsedMail["to"]) =>
    [of ?? []].flat().flatMap(({ value }) => value.map((one) => one.address));
  for (const { mail, to } of arrived)
    expect([to, addresses(mail.to), addresses(mail.replyTo)]).toEqual([
      [address],
      [address],
      [address],
    ]);
  expect(arrived).toHaveLength(2);
});

test("line breaks in a subject, a name or a header make no new header and no new recipient", async () => {
  const { transport, arrived } = await mailServer();
  const tail = "\r\nBcc: victim@example.com\r\nX-Evil: yes\r\n\r\n<p>evil</p>";
  const outcome = await transport.send({
    ...message,
    from: { address: "no-reply@pay.example", name: `Shop${tail}` },
    to: {
      address: "payer@example.com",
      name: `victim@example.com, Payer <victim@example.com>${tail}`,
    },
    subject: `Hello${tail}`,
    headers: { "X-Kutip-Kind": `receipt${tail}` },
  });
  expect(outcome).toEqual({ kind: "sent" });
  const [{ mail, to }] = arrived as [Arrived];
  expect(to).toEqual(["payer@example.com"]);
  expect(mail.headers.has("bcc")).toBe(false);
  expect(mail.headers.has("x-evil")).toBe(false);
  expect(
    [mail.to]
      .flat()
      .flatMap((list) => list?.value ?? [])
      .map(({ address }) => address),
  ).toEqual(["payer@example.com"]);
  expect(mail.html).toBe(message.html);
});

test.each(["X-Evil: a\r\nBcc", "", "To:", "X Y"])("a header named %j is refused", async (name) => {
  const { transport, arrived } = await mailServer();
  expect(await transport.send({ ...message, headers: { [name]: "x" } })).toMatchObject({
    kind: "permanent",
  });
  expect(arrived).toHaveLength(0);
});
