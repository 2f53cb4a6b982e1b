import { connect, type Socket } from "node:net";
import { gunzipSync } from "node:zlib";

export type Reply = {
  status: number;
  headers: Record<string, string>;
  body: string;
  bytes: number;
};

const portOf = (url: string) => Number(new URL(url).port);

/** A request as it goes over the wire. A Host is added unless one is among `headers`. */
export function wire(
  method: string,
  target: string,
  headers: readonly string[] = [],
  body = "",
): string {
  const host = headers.some((line) => /^host\s*:/i.test(line)) ? [] : ["Host: localhost"];
  return `${[`${method} ${target} HTTP/1.1`, ...host, ...headers].join("\r\n")}\r\n\r\n${body}`;
}

/** A JSON request with its length. */
export function wireJson(
  method: string,
  target: string,
  headers: readonly string[],
  body: unknown,
): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return wire(
    method,
    target,
    ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(text)}`, ...headers],
    text,
  );
}

/** One connection, kept open until it is ended by either side. */
export class Wire {
  readonly socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #changed: () => void = () => undefined;
  ended = false;

  constructor(url: string) {
    this.socket = connect(portOf(url), "127.0.0.1");
    this.socket.on("data", (part: Buffer) => {
      this.#received = Buffer.concat([this.#received, part]);
      this.#changed();
    });
    this.socket.on("error", () => undefined);
    this.socket.on("close", () => {
      this.ended = true;
      this.#changed();
    });
  }

  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** The next reply, or undefined where the connection ends without one. `bodiless`: the reply to a HEAD. */
  async reply(bodiless = false): Promise<Reply | undefined> {
    for (;;) {
      const found = parse(this.#received, bodiless, this.ended);
      if (found) {
        this.#received = this.#received.subarray(found.length);
        if (found.reply.status !== 100) return found.reply;
        continue;
      }
      if (this.ended) return undefined;
      await new Promise<void>((resolve) => (this.#changed = resolve));
    }
  }

  /** Answers when the other side has ended the connection. */
  async end(): Promise<void> {
    while (!this.ended) await new Promise<void>((resolve) => (this.#changed = resolve));
  }

  /** Bytes that came and are no whole reply. */
  get left(): number {
    return this.#received.length;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Sends bytes on a connection of their own and gives the one reply, and whether the server ended the connection with it. */
export async function ask(
  url: string,
  bytes: string | Buffer,
  bodiless = false,
): Promise<Reply | undefined> {
  const line = new Wire(url);
  line.send(bytes);
  try {
    return await line.reply(bodiless);
  } finally {
    line.close();
  }
}

function parse(
  received: Buffer,
  bodiless: boolean,
  ended: boolean,
): { reply: Reply; length: number } | undefined {
  const head = received.indexOf("\r\n\r\n");
  if (head < 0) return undefined;
  const [first = "", ...lines] = received.subarray(0, head).toString("latin1").split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const status = Number(first.split(" ")[1]);
  const at = head + 4;
  const body =
    bodiless || status === 204 || status === 100
      ? { bytes: Buffer.alloc(0), length: 0 }
      : bodyOf(received.subarray(at), headers, ended);
  if (!body) return undefined;
  const text: Buffer = headers["content-encoding"] === "gzip" ? gunzipSync(body.bytes) : body.bytes;
  return {
    reply: { status, headers, body: text.toString(), bytes: body.bytes.length },
    length: at + body.length,
  };
}

function bodyOf(
  rest: Buffer,
  headers: Record<string, string>,
  ended: boolean,
): { bytes: Buffer; length: number } | undefined {
  if (headers["transfer-encoding"] === "chunked") return chunks(rest);
  const length = headers["content-length"];
  if (length === undefined) return ended ? { bytes: rest, length: rest.length } : undefined;
  return rest.length < Number(length)
    ? undefined
    : { bytes: rest.subarray(0, Number(length)), length: Number(length) };
}

function chunks(rest: Buffer): { bytes: Buffer; length: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = rest.indexOf("\r\n", at);
    if (line < 0) return undefined;
    const size = Number.parseInt(rest.subarray(at, line).toString("latin1"), 16);
    const end = line + 2 + size + 2;
    if (rest.length < end) return undefined;
    if (size === 0) return { bytes: Buffer.concat(parts), length: end };
    parts.push(rest.subarray(line + 2, end - 2));
    at = end;
  }
}
