import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { receiveCallback } from "@/lib/http/callback";

/** Takes the gateway's callbacks as the server would. Returns its origin. */
export async function takeCallbacks(): Promise<string> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const [, , , gateway = "", , connection_id = ""] = (request.url ?? "").split("/");
      const headers = new Headers(
        Object.entries(request.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]),
      );
      const asked = new Request(`http://proof${request.url}`, {
        method: "POST",
        headers,
        body: Buffer.concat(parts),
      });
      void Promise.resolve(
        receiveCallback(asked, { params: Promise.resolve({ gateway, connection_id }) }),
      ).then((answer) => response.writeHead(answer.status).end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
