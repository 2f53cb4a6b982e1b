import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { makeServer } from "@/lib/http/serve";

type Made = Parameters<typeof makeServer>;

/** Our server on a port of its own. `fallback` replaces Next.js; `sockets` are those that the server still holds. */
export async function startServer(
  routes: Made[0],
  fallback: (request: IncomingMessage, response: ServerResponse) => void,
  limits: Made[2] = {},
) {
  const server: Server = makeServer(routes, fallback, limits);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    server,
    sockets,
    port: (server.address() as AddressInfo).port,
    stop: () => {
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A connection that gathers what comes. */
export class Line {
  readonly socket: Socket;
  received = "";
  #changed: () => void = () => undefined;
  #ended = false;

  constructor(port: number) {
    this.socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    this.socket.on("data", (part: Buffer) => {
      this.received += part.toString("latin1");
      this.#changed();
    });
    this.socket.on("error", () => undefined);
    for (const event of ["end", "close"])
      this.socket.on(event, () => {
        this.#ended = true;
        this.#changed();
      });
  }

  send(bytes: string): this {
    this.socket.write(bytes, "latin1");
    return this;
  }

  /** Resolves once the received text matches; fails where the server ends the connection before. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.received)) {
      if (this.#ended) throw new Error(`ended after ${JSON.stringify(this.received)}`);
      await new Promise<void>((resolve) => (this.#changed = resolve));
    }
    return this.received;
  }

  /** Resolves with everything received once the server has ended the connection. */
  async end(): Promise<string> {
    while (!this.#ended) await new Promise<void>((resolve) => (this.#changed = resolve));
    this.socket.destroy();
    return this.received;
  }
}

/** The statuses of all replies in what was received. */
export const statusesIn = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
