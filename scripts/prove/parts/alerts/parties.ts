import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";

/** An outside party that works or refuses, as the drill says. */
export type Party = { url: string; works: (does: boolean) => void; close: () => void };

/** A webhook receiver: 200, or 500. */
export async function receiver(): Promise<Party> {
  let works = true;
  const server = createHttpServer((request, response) => {
    request.resume();
    response.writeHead(works ? 200 : 500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    works: (does) => (works = does),
    close: () => server.close(),
  };
}

/** A mail server that takes every mail, or refuses every client for now. */
export async function mailServer(): Promise<Party> {
  let works = true;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    if (!works) return socket.end("421 not now\r\n");
    let inBody = false;
    socket.write("220 here\r\n");
    socket.on("data", (bytes) => {
      for (const line of bytes.toString("latin1").split("\r\n")) {
        if (inBody) {
          if (line !== ".") continue;
          inBody = false;
          socket.write("250 taken\r\n");
        } else if (/^DATA/i.test(line)) {
          inBody = true;
          socket.write("354 go on\r\n");
        } else if (/^QUIT/i.test(line)) socket.end("221 bye\r\n");
        else if (line !== "") socket.write("250 ok\r\n");
      }
    });
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    works: (does) => (works = does),
    close: () => server.close(),
  };
}
