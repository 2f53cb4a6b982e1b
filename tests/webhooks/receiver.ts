import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

export type Received = {
  id: string;
  timestamp: string;
  signature: string;
  body: string;
  headers: Record<string, string>;
};
export type Behaviour = (received: Received, response: ServerResponse, times: number) => void;
export type Receiver = {
  url: string;
  received: Received[];
  /** Bodies by id, in the order they first came. */
  bodies: () => Map<string, Set<string>>;
  behave: (behaviour: Behaviour) => void;
  close: () => Promise<void>;
};

export const answer =
  (status: number, body = ""): Behaviour =>
  (_, response) =>
    void response.writeHead(status).end(body);

/** A receiver on this machine: it stores requests and responds as configured. */
export async function newReceiver(behaviour: Behaviour = answer(200)): Promise<Receiver> {
  let current = behaviour;
  const received: Received[] = [];
  const times = new Map<string, number>();
  const server = createServer((request, response) => {
    void take(request).then((one) => {
      received.push(one);
      times.set(one.id, (times.get(one.id) ?? 0) + 1);
      current(one, response, times.get(one.id) ?? 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    received,
    bodies: () => {
      const all = new Map<string, Set<string>>();
      for (const { id, body } of received) all.set(id, (all.get(id) ?? new Set()).add(body));
      return all;
    },
    behave: (next) => {
      current = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function take(request: IncomingMessage): Promise<Received> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  return {
    id: headers["webhook-id"] ?? "",
    timestamp: headers["webhook-timestamp"] ?? "",
    signature: headers["webhook-signature"] ?? "",
    body: Buffer.concat(parts).toString("utf8"),
    headers,
  };
}

/** What a receiver reads with nothing but the `standardwebhooks` package. Throws when the signature is not by this secret. */
export const verified = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers) as {
    _id: string;
    type: string;
    data: Record<string, unknown>;
  };
